"""What people give for an input, and the array or the message that they get."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gradcalc.errors import GradcalcError, Label, Source, Span, draw
from gradcalc.reader import as_array, read

pytestmark = pytest.mark.filterwarnings("error")
nan, inf = np.nan, np.inf
EVALUATED = "the language was asked"


def refuse(source: Source) -> Any:
    """A language that knows nothing."""
    raise GradcalcError("unknown-name", EVALUATED, labels=[Label(Span(source, 0, 1))])


def get(text: str, stdin: str | None = None, name: str = "--x") -> np.ndarray:
    return read(Source(name, text), evaluate=refuse, stdin=io.StringIO(stdin or ""))


def fail(text: str, stdin: str | None = None) -> GradcalcError:
    with pytest.raises(GradcalcError) as caught:
        get(text, stdin)
    return caught.value


def same(array: np.ndarray, expected: Any) -> None:
    """Equal in type, shape and every bit that matters."""
    expected = np.asarray(expected)
    assert array.dtype == (bool if expected.dtype == bool and expected.size else np.float64)
    assert array.shape == expected.shape
    assert array.flags.c_contiguous
    np.testing.assert_array_equal(array, expected.astype(array.dtype))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


LITERALS = [
    ("3", 3),
    ("-3", -3),
    ("+.5", 0.5),
    (" 2. ", 2),
    ("1e-3", 1e-3),
    ("1E+3", 1000),
    ("1_000", 1000),
    ("\u22123", -3),
    ("1e\u22123", 1e-3),
    ("-inf", -inf),
    ("nan", nan),
    ("Infinity", inf),
    ("True", True),
    ("9007199254740993", 9007199254740992),
    ("0.1", 0.1),
    ("(3)", 3),
    ("((3))", 3),
    ("(3,)", [3]),
    ("1,2,3", [1, 2, 3]),
    ("1, 2, 3,", [1, 2, 3]),
    ("1 2 3", [1, 2, 3]),
    ("1 2 -3", [1, 2, -3]),
    ("1\n-2\n3", [1, -2, 3]),
    ("1,2\n3,4", [[1, 2], [3, 4]]),
    ("[]", []),
    ("()", []),
    ("[[], []]", np.empty((2, 0))),
    ("[1]", [1]),
    ("[1, 2,]", [1, 2]),
    ("[1 -2]", [1, -2]),
    ("[ 1. -2.]", [1, -2]),
    ("[1, -2]", [1, -2]),
    ("[1 ,2]", [1, 2]),
    ("[\t1\u00a02 ]", [1, 2]),
    ("(1 2)", [1, 2]),
    ("[1,2],[3,4]", [[1, 2], [3, 4]]),
    ("[1, 2]\n[3, 4]", [[1, 2], [3, 4]]),
    ("((1, 2), (3, 4))", [[1, 2], [3, 4]]),
    ("[(1), (2)]", [1, 2]),
    ("[[1, 2], (3, 4)]", [[1, 2], [3, 4]]),
    ("[[1. 2.]\n [3. 4.]]", [[1, 2], [3, 4]]),
    ("[[1 2], [3 4]]", [[1, 2], [3, 4]]),
    ("[[[1], [2]], [[3], [4]]]", [[[1], [2]], [[3], [4]]]),
    ("[True, False]", [True, False]),
    ("[[ True False]\n [False  True]]", [[True, False], [False, True]]),
    ("[true, 0.5]", [1, 0.5]),
    ('["nan", "inf", "-inf", 1]', [nan, inf, -inf, 1]),
    ("[NaN, Infinity, -Infinity]", [nan, inf, -inf]),
    ("array([[1., 2.]])", [[1, 2]]),
    ("np.array([1, 2])", [1, 2]),
    ("array([1, 2], dtype=int64)", [1, 2]),
    ("array([], shape=(0, 3), dtype=float64)", np.empty((0, 3))),
    ("tensor([], size=(0, 3))", np.empty((0, 3))),
    ("tensor(3.)", 3),
    ("tensor([[1., 2.]], dtype=torch.float64, requires_grad=True)", [[1, 2]]),
    ("torch.tensor([1.], device='cuda:0', grad_fn=<AddBackward0>)", [1]),
    ("Parameter containing:\ntensor([1., 2.], requires_grad=True)", [1, 2]),
    ("Array([1., 2.], dtype=float32)", [1, 2]),
    ("Array(1.5, dtype=float32, weak_type=True)", 1.5),
    ("np.float64(3.0)", 3),
    ("[np.float64(1.0), np.float64(2.0)]", [1, 2]),
    ("(array([1., 2.]), array([3., 4.]))", [[1, 2], [3, 4]]),
    ("np.True_", True),
    ("float('inf')", inf),
    ("torch.tensor([0, 2], dtype=torch.bool)", [False, True]),
    ("np.array([True, False], dtype=int)", [1, 0]),
    ("np.array([1.5, -1.5], dtype=int)", [1, -1]),
    ('{"shape": [2, 2], "data": [1, 2, 3, "nan"]}', [[1, 2], [3, nan]]),
    ('{"data": [[1, 2], [3, 4]], "shape": [2, 2]}', [[1, 2], [3, 4]]),
    ('{"shape": [], "data": 3}', 3),
    ('{"shape": [0, 3], "data": []}', np.empty((0, 3))),
    ('{"data": [true]}', [True]),
]


@pytest.mark.parametrize(("text", "expected"), LITERALS)
def test_literal(text: str, expected: Any) -> None:
    same(get(text), expected)


@pytest.mark.parametrize(
    "text",
    [
        *("1 - 2", "1 -2", "(1 -2)", "[1 - 2]", "[1 -2, 3]", "tensor(1 -2)", "1/3", "2*pi", "[1, 2]*2", "- 3"),
        *("linspace(0,1,5)", "f (1)", "[1, 2][0]", "[1, 2].T", "x[..., 0]", "[1 if e else 2]", "a = 1; [1, a*2]"),
        *("array([1, 2], ndmin=2)", "np.array([1, 2], float)*1", "[1, 2)*x", "a = [1 2\n3", "[[1], 2] + x", "1; 2"),
    ],
)
def test_expression_goes_to_the_language(text: str) -> None:
    assert fail(text).message == EVALUATED
    same(read(Source("--x", text), evaluate=lambda source: [len(source.text), 1]), [len(text), 1])


@pytest.mark.parametrize("text", ["pi", "[1, pi]", "[m]", "2x"])
def test_names_are_the_language_s(text: str) -> None:
    same(read(Source("--x", text), evaluate=lambda source: 3), 3)


def test_other_errors_of_the_language_are_kept() -> None:
    def shape(source: Source) -> Any:
        raise GradcalcError("shape", "m has another shape")

    with pytest.raises(GradcalcError, match="another shape"):
        read(Source("--seed", "[m]"), evaluate=shape)


def test_the_language_s_help_is_kept() -> None:
    def unknown(source: Source) -> Any:
        raise GradcalcError("unknown-name", "", labels=[Label(Span(source, 5, 6))], helps=["did you mean `pi`?"])

    with pytest.raises(GradcalcError) as caught:
        read(Source("--x", "[e, pj]"), evaluate=unknown)
    assert caught.value.message == "`pj` in `x` is not a number"
    assert caught.value.helps == ["did you mean `pi`?"]


@pytest.mark.parametrize(
    ("text", "helps"),
    [
        ("1.2.3", []),
        ("data.nyp", ["a file's name must end in .npy, .npz, .csv, .tsv, .txt or .json"]),
        ("3x", ["write `3*x`"]),
        ("[1 2 x]", []),
        ("null", ["write a missing number as `nan`"]),
        ("['3']", ["leave out the quotes: `3`"]),
    ],
)
def test_help_for_a_word(text: str, helps: list[str]) -> None:
    def unknown(source: Source) -> Any:
        raise GradcalcError("syntax", "", labels=[Label(Span(source, 0, 1))], helps=["write `3*x`"])

    with pytest.raises(GradcalcError) as caught:
        read(Source("--x", text), evaluate=unknown)
    assert caught.value.helps == helps


def test_an_expression_s_value_is_checked() -> None:
    with pytest.raises(GradcalcError, match=r"`x` holds complex numbers") as caught:
        read(Source("--x", "sqrt(-1)"), evaluate=lambda source: 1j)
    assert caught.value.span == Span(Source("--x", "sqrt(-1)"), 0, 8)


ERRORS = [
    ("", "empty-input", "`x` is empty", ""),
    (" \n", "empty-input", "`x` is empty", ""),
    ("[1, 2, 3x]", "not-a-number", "`3x` in `x` is not a number", "3x"),
    ("[1 2 3x]", "not-a-number", "`3x` in `x` is not a number", "3x"),
    ("[1, abc]", "not-a-number", "`abc` in `x` is not a number", "abc"),
    ("1.2.3", "not-a-number", "`1.2.3` in `x` is not a number", "1.2.3"),
    ("[1_, 2]", "not-a-number", "`1_` in `x` is not a number", "1_"),
    ("[1, null]", "not-a-number", "`null` in `x` is not a number", "null"),
    ('["3"]', "not-a-number", '`"3"` in `x` is not a number', '"3"'),
    ("[1.+2.j 0.+0.j]", "not-a-number", "`1.+2.j` in `x` is a complex number", "1.+2.j"),
    ("1e400", "overflow", "`1e400` in `x` is too large for float64", "1e400"),
    ("[inf, -1e400]", "overflow", "`-1e400` in `x` is too large for float64", "-1e400"),
    ("1" + "0" * 5000, "overflow", f"`1{'0' * 38}…` in `x` is too large for float64", "1" + "0" * 5000),
    ("[[1, 2], 3]", "ragged-input", "`x` mixes numbers and lists", "3"),
    ("[1, [2]]", "ragged-input", "`x` mixes numbers and lists", "[2]"),
    ("[[[1],[2]],[[3]]]", "ragged-input", "parts of `x` differ in shape", "[[3]]"),
    ("[[1], []]", "ragged-input", "rows of `x` differ in length", "[]"),
    ("[1, 2", "syntax", "`[` is never closed", "["),
    ("np.array([1]", "syntax", "`np.array(` is never closed", "np.array("),
    ("[1]]", "syntax", "`]` closes nothing", "]"),
    ("[1, 2)", "syntax", "expected `]`, not `)`", ")"),
    ("[,1]", "syntax", "expected a number before `,`", ","),
    ("[1,,2]", "syntax", "expected a number before `,`", ","),
    ("[1, 2 3]", "syntax", "expected a comma between two elements", " "),
    ("1, 2 3", "syntax", "expected a comma between two elements", " "),
    ("[[1] [2], [3]]", "syntax", "expected a comma between two elements", " "),
    ("[[1,2][3,4]]", "syntax", "expected a comma between two rows", "[3,4]"),
    ("[1 2; 3 4]", "syntax", "`;` does not separate rows", ";"),
    ("tensor(1, 2)", "syntax", "`tensor(…)` takes one array, not 2", "tensor(1, 2)"),
    ("[" * 65 + "]" * 65, "syntax", "the brackets of `x` nest deeper than 64 levels", "["),
    ("[" * 2000 + "1" + "]" * 2000, "syntax", "the brackets of `x` nest deeper than 64 levels", "["),
    ("[" * 20_000, "syntax", "`[` is never closed", "["),
    ("[0 1 ... 8 9]", "truncated-input", "the print of `x` leaves out the middle of the array", "..."),
    ("tensor([0., ..., 3.])", "truncated-input", "the print of `x` leaves out the middle of the array", "..."),
    (
        "array([1], shape=(2,))",
        "syntax",
        "the shape stated is (2,), but the numbers have the shape (1,)",
        "array([1], shape=(2,))",
    ),
    ('{"a": }', "syntax", "`x` is not a JSON object", "}"),
    ('{"data"', "syntax", "`x` is not a JSON object", ""),
    ('{"a": 1}', "syntax", "`x` is an object that does not describe an array", '{"a": 1}'),
    ('{"data": ' + "[" * 9999, "syntax", "`x` is an object that does not describe an array", None),
    ('{"data": "x"}', "not-a-number", '`"x"` in `x` is not a number', '"x"'),
    ('{"data": [[1], 2]}', "ragged-input", "`x` mixes numbers and lists", "2"),
    ('{"shape": [3], "data": [1]}', "shape", "`x` has the shape (3,), but its data has the shape (1,)", "[1]"),
    ('{"shape": [1, 2], "data": [[1], [2]]}', "shape", None, "[[1], [2]]"),
    ('{"shape": "2", "data": [1]}', "shape", "the `shape` in `x` is not a list of sizes", None),
    ("weights.pt", "unreadable-file", "gradcalc does not read .pt files", "weights.pt"),
    ("x.npy", "missing-file", "there is no file `x.npy`", "x.npy"),
    ("no/x.csv", "missing-file", "there is no directory `no`", "no/x.csv"),
    ("a\0b.npy", "missing-file", "there is no file `a\ufffdb.npy`", "a\0b.npy"),
    ("~a\0b.npy", "missing-file", "there is no file `~a\ufffdb.npy`", "~a\0b.npy"),
    ("\ud800.csv", "missing-file", "there is no file `\ufffd.csv`", "\ud800.csv"),
    ("a" * 999 + ".npz", "unreadable-file", None, None),
]


@pytest.mark.parametrize(("text", "kind", "message", "marked"), ERRORS)
def test_error(folder: Path, text: str, kind: str, message: str | None, marked: str | None) -> None:
    error = fail(text)
    assert error.kind == kind
    assert message is None or error.message == message
    assert error.span is not None
    assert marked is None or error.span.text == marked
    assert error.span.source == Source("--x", text)
    draw(error)


DRAWN = {
    "[[1, 2, 3], [4, 5], [6, 7, 8]]": """\
        error[ragged-input]: rows of `x` differ in length
         --> --x:1:13
          |
        1 | [[1, 2, 3], [4, 5], [6, 7, 8]]
          |  ---------  ^^^^^^ 2 elements
          |  |
          |  3 elements
          |
          = help: give every row the same number of elements""",
    "[1, 2.5.1]": """\
        error[not-a-number]: `2.5.1` in `x` is not a number
         --> --x:1:5
          |
        1 | [1, 2.5.1]
          |     ^^^^^ expected a number""",
    "[[1, 2), 3]": """\
        error[syntax]: expected `]`, not `)`
         --> --x:1:7
          |
        1 | [[1, 2), 3]
          |  -    ^
          |  |
          |  to close this
          |
          = help: write `]` here""",
    "[None]": """\
        error[not-a-number]: `None` in `x` is not a number
         --> --x:1:2
          |
        1 | [None]
          |  ^^^^ expected a number
          |
          = help: write a missing number as `nan`""",
    "[0. 1. ... 9.]": """\
        error[truncated-input]: the print of `x` leaves out the middle of the array
         --> --x:1:8
          |
        1 | [0. 1. ... 9.]
          |        ^^^ elements left out
          |
          = help: save it whole, `np.save("x.npy", x)`, and give the file: `--x x.npy`
          = help: print it whole: `np.set_printoptions(threshold=np.inf)`""",
    '{"gradients": {"w": 1}}': """\
        error[syntax]: `x` is an object that does not describe an array
         --> --x:1:1
          |
        1 | {"gradients": {"w": 1}}
          | ^^^^^^^^^^^^^^^^^^^^^^^ expected `shape` and `data`
          |
          = help: to use an answer of gradcalc, take its array out: `jq .gradients.w`
          = help: write it as in `{"shape": [2], "data": [3, 4]}`""",
}


@pytest.mark.parametrize("text", DRAWN)
def test_drawn(text: str) -> None:
    assert draw(fail(text)) == dedent(DRAWN[text])


TABLES = [
    ("1,2\n3,4\n", [[1, 2], [3, 4]]),
    ("a,b\n1,2\n3,4\n", [[1, 2], [3, 4]]),
    ('"a b","c"\r\n"1","2"\r\n', [1, 2]),
    ('"1","2"\n"3","4"', [[1, 2], [3, 4]]),
    ("1;2\n3;4", [[1, 2], [3, 4]]),
    ("1\t2\n3\t4\n", [[1, 2], [3, 4]]),
    ("  1   2\n 10  20\n", [[1, 2], [10, 20]]),
    ("# made by hand\n1 2 # first\n\n \t \n3 4\n", [[1, 2], [3, 4]]),
    ("x\n1\n2\n3", [1, 2, 3]),
    ("1,2,3", [1, 2, 3]),
    ("7", 7),
    ("nan\n-inf\n1e3\n\u22121\n1_0", [nan, -inf, 1000, -1, 10]),
    ("True,false\nFalse,true", [[True, False], [False, True]]),
    ("True,2", [1, 2]),
    ("-1\n-2", [-1, -2]),
]


@pytest.mark.parametrize("ending", ["csv", "tsv", "txt", "CSV"])
@pytest.mark.parametrize(("text", "expected"), TABLES)
def test_table(folder: Path, text: str, expected: Any, ending: str) -> None:
    (folder / f"x.{ending}").write_text("\ufeff" + text, encoding="utf-8")
    same(get(f"x.{ending}"), expected)
    same(get("-", stdin=text), expected)


TABLE_ERRORS = [
    ("1,2\n3,x\n", "not-a-number", "`x` in `x.csv` is not a number", (2, 3), "x"),
    ("a\n 1.2.3\n", "not-a-number", "`1.2.3` in `x.csv` is not a number", (2, 2), "1.2.3"),
    ("1.2.3\n4", "not-a-number", "`1.2.3` in `x.csv` is not a number", (1, 1), "1.2.3"),
    ("NA\n4", "not-a-number", "`NA` in `x.csv` is not a number", (1, 1), "NA"),
    ("1;2,5\n", "not-a-number", "`2,5` in `x.csv` is not a number", (1, 3), "2,5"),
    ("1 2\n3 x", "not-a-number", "`x` in `x.csv` is not a number", (2, 3), "x"),
    ("1,2\n3,\n", "not-a-number", "a number is missing in `x.csv`", (2, 3), ""),
    ("1,2\n3, ,4\n", "not-a-number", "a number is missing in `x.csv`", (2, 3), ""),
    ("1\t2\n\t4\n", "not-a-number", "a number is missing in `x.csv`", (2, 1), ""),
    ("1,1e999\n", "overflow", "`1e999` in `x.csv` is too large for float64", (1, 3), "1e999"),
    ("h,h\n1,2\n  3\n", "ragged-input", "rows of `x.csv` differ in length", (3, 3), "3"),
    ("a,b\n", "empty-input", "`x.csv` holds no numbers", (1, 1), "a,b"),
    ("# only this\n", "empty-input", "`x.csv` holds no numbers", (1, 1), "# only this"),
    ("", "empty-input", "`x.csv` is empty", (1, 1), ""),
]


@pytest.mark.parametrize(("text", "kind", "message", "place", "marked"), TABLE_ERRORS)
def test_table_error(folder: Path, text: str, kind: str, message: str, place: tuple[int, int], marked: str) -> None:
    (folder / "x.csv").write_text(text)
    error = fail("x.csv")
    assert (error.kind, error.message) == (kind, message)
    assert error.span is not None
    assert error.span.text == marked
    assert error.span.source == Source("x.csv", text)
    label = error.as_dict()["labels"][0]
    assert (label["line"], label["column"]) == place


def test_table_error_drawn(folder: Path) -> None:
    (folder / "x.csv").write_text("a,b\n1,2\n3,4,5\n")
    assert draw(fail("x.csv")) == dedent("""\
        error[ragged-input]: rows of `x.csv` differ in length
         --> x.csv:3:1
          |
        3 | 3,4,5
          | ^^^^^ 3 elements
          |
          = help: give every row the same number of elements""")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, 2]", [1, 2]),
        ("\ufeff[1, 2]", [1, 2]),
        ("3", 3),
        ("[[1. 2.]\n [3. 4.]]\n", [[1, 2], [3, 4]]),
        ("array([1., 2.])", [1, 2]),
        ('{"shape": [1], "data": [true]}', [True]),
        ("[1, 2]\n[3, 4]\n", [[1, 2], [3, 4]]),
    ],
)
def test_standard_input(text: str, expected: Any) -> None:
    same(get("-", stdin=text), expected)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("", "empty-input", "`x` is empty"),
        ("[1, pi]", "not-a-number", "`pi` in `x` is not a number"),
        ("[1, 2*3]", "not-a-number", "`2*3` in `x` is not a number"),
        ("(1 -2)", "syntax", "`x` is an expression"),
        ("1,2\n3,oops", "not-a-number", "`oops` in `x` is not a number"),
    ],
)
def test_standard_input_error(text: str, kind: str, message: str) -> None:
    error = fail("-", stdin=text)
    assert (error.kind, error.message) == (kind, message)
    assert error.span is not None
    assert error.span.source == Source("--x (standard input)", text)


def test_standard_input_must_be_text() -> None:
    stream = io.TextIOWrapper(io.BytesIO(b"\x93NUMPY\x01\x00"), encoding="utf-8")
    with pytest.raises(GradcalcError, match="is not UTF-8 text"):
        read(Source("--x", "-"), evaluate=refuse, stdin=stream)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (np.array([[1.5, 2.5]]), [[1.5, 2.5]]),
        (np.array(3), 3),
        (np.array([1, 2], dtype=np.uint8), [1, 2]),
        (np.array([0.1], dtype=np.float32), [float(np.float32(0.1))]),
        (np.array([0.1], dtype=np.float16), [float(np.float16(0.1))]),
        (np.array([1.5], dtype=">f8"), [1.5]),
        (np.array([[1, 2], [3, 4]], order="F"), [[1, 2], [3, 4]]),
        (np.array([True, False]), [True, False]),
        (np.empty((0, 3)), np.empty((0, 3))),
    ],
)
def test_numpy_file(folder: Path, stored: np.ndarray, expected: Any) -> None:
    np.save("x.npy", stored)
    np.savez("x.npz", stored)
    np.savez_compressed("y.npz", a=stored, b=0)
    same(get("x.npy"), expected)
    same(get(str(folder / "x.npy")), expected)
    same(get("x.npz"), expected)
    same(get("y.npz:a"), expected)


@pytest.mark.parametrize(
    ("stored", "contents"),
    [
        (np.array([1j]), "complex numbers (`complex128`)"),
        (np.array(["a"]), "text (`<U1`)"),
        (np.array([b"a"]), "bytes (`|S1`)"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "dates (`datetime64[D]`)"),
        (np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), "records (`[('a', '<i8'), ('b', '<f8')]`)"),
    ],
)
def test_arrays_that_are_not_numbers(folder: Path, stored: np.ndarray, contents: str) -> None:
    np.save("x.npy", stored)
    error = fail("x.npy")
    assert (error.kind, error.message) == ("dtype", f"`x.npy` holds {contents}")
    assert error.span == Span(Source("--x", "x.npy"), 0, 5)
    with pytest.raises(GradcalcError) as caught:
        as_array(stored, "w")
    assert caught.value.message == f"`w` holds {contents}"


def test_no_pickle(folder: Path) -> None:
    np.save("x.npy", np.array([{}], dtype=object), allow_pickle=True)
    (folder / "y.npy").write_bytes(b"\x80\x04N.")
    assert (fail("x.npy").kind, fail("x.npy").message) == ("dtype", "`x.npy` holds Python objects")
    assert (fail("y.npy").kind, fail("y.npy").message) == (
        "unreadable-file",
        "`y.npy` is not a NumPy file, or is damaged",
    )


def test_large_files_are_mapped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save("x.npy", np.arange(4.0))
    monkeypatch.setattr("gradcalc.reader.files._MAPPED", 1)
    array = get("x.npy")
    same(array, [0, 1, 2, 3])
    assert not array.flags.writeable
    assert type(array) is np.ndarray


def test_archives(folder: Path) -> None:
    np.savez("x.npz", weights=np.ones(2), bias=0)
    np.savez("none.npz")
    several = fail("x.npz")
    assert (several.kind, several.message) == ("needs-key", "`x.npz` holds 2 arrays: `weights`, `bias`")
    assert several.helps == ["take one: `--x x.npz:weights`", "take one: `--x x.npz:bias`"]
    unknown = fail("x.npz:weigths")
    assert (unknown.kind, unknown.message) == ("missing-key", "`x.npz` holds no array `weigths`")
    assert unknown.helps == ["did you mean `--x x.npz:weights`?"]
    assert fail("x.npz:q").helps == ["it holds `weights`, `bias`"]
    assert fail("none.npz").message == "`none.npz` is empty"
    assert fail("x.csv:a").helps == ["leave out the name: `--x x.csv`"]


def test_missing_file_suggests_another(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "weights.npy").touch()
    assert draw(fail("sub/weihgts.npy")) == dedent("""\
        error[missing-file]: there is no file `sub/weihgts.npy`
         --> --x:1:1
          |
        1 | sub/weihgts.npy
          | ^^^^^^^^^^^^^^^
          |
          = help: did you mean `--x sub/weights.npy`?""")


def test_unreadable_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "d.npy").mkdir()
    (folder / "e.npy").touch()
    (folder / "b.csv").write_bytes(b"1,2\n\xff\xfe")
    np.savez("t.npz", np.arange(100))
    (folder / "t.npz").write_bytes((folder / "t.npz").read_bytes()[:-30])
    np.save("t.npy", np.arange(100))
    (folder / "t.npy").write_bytes((folder / "t.npy").read_bytes()[:-8])
    messages = {
        "d.npy": "cannot read `d.npy`: is a directory",
        "e.npy": "`e.npy` is not a NumPy file, or is damaged",
        "b.csv": "`b.csv` is not UTF-8 text: byte 4 is 0xff",
        "t.npz": "`t.npz` is not a NumPy file, or is damaged",
        "t.npy": "`t.npy` is not a NumPy file, or is damaged",
    }
    for name, message in messages.items():
        error = fail(name)
        assert (error.kind, error.message) == ("unreadable-file", message)

    def denied(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)
    assert fail("b.csv").message == "cannot read `b.csv`: permission denied"


def test_json_file(folder: Path) -> None:
    (folder / "x.json").write_text('[[1, 2], ["nan", 4]]')
    same(get("x.json"), [[1, 2], [nan, 4]])
    (folder / "x.json").write_text('{\n"data": [1,\nnull]}')
    error = fail("x.json")
    assert error.message == "`null` in `x.json` is not a number"
    assert draw(error).splitlines()[1:4] == [" --> x.json:3:1", "  |", "3 | null]}"]


class Tensor:
    """What a PyTorch tensor that requires a gradient looks like from outside."""

    def __init__(self, data: Any, attached: bool = True) -> None:
        self.data, self.attached = data, attached

    def detach(self) -> Tensor:
        return Tensor(self.data, attached=False)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self.attached:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return np.asarray(self.data)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (True, True),
        ([1, 2.5], [1, 2.5]),
        ([True, 2], [1, 2]),
        (10**20, 1e20),
        ([10**20, 1], [1e20, 1]),
        (range(3), [0, 1, 2]),
        ([], []),
        (np.float32(0.5), 0.5),
        (np.array([[1, 2], [3, 4]]).T, [[1, 3], [2, 4]]),
        (np.ma.masked_array([1, 2]), [1, 2]),
        (np.array([1, True, 2.5], dtype=object), [1, 1, 2.5]),
        (Tensor([1.0, 2.0]), [1, 2]),
    ],
)
def test_as_array(value: Any, expected: Any) -> None:
    same(as_array(value, "x"), expected)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ([[1, 2, 3], [4, 5]], "ragged-input", "rows of `x` differ in length"),
        ([[1, 2], 3], "ragged-input", "rows of `x` differ in length"),
        ([[[1], [2, 3]]], "dtype", "`x` cannot be read as an array"),
        (1j, "dtype", "`x` holds complex numbers (`complex128`)"),
        ("3", "dtype", "`x` holds text (`<U1`)"),
        (None, "dtype", "`x` holds Python objects (`NoneType`)"),
        ([1, None], "dtype", "`x` holds Python objects (`NoneType`)"),
        ({1, 2}, "dtype", "`x` holds Python objects (`set`)"),
        (10**400, "overflow", "a number in `x` is too large for float64"),
        (np.ma.masked_array([1, 2], mask=[False, True]), "dtype", "`x` holds masked elements"),
        ([Tensor(1.0)], "dtype", "`x` cannot be read as an array"),
    ],
)
def test_as_array_refuses(value: Any, kind: str, message: str) -> None:
    with pytest.raises(GradcalcError) as caught:
        as_array(value, "x")
    assert (caught.value.kind, caught.value.message) == (kind, message)
    draw(caught.value)


def test_as_array_does_not_copy() -> None:
    array = np.arange(4.0)
    assert as_array(array, "x") is array
    assert np.shares_memory(as_array(np.ma.masked_array(array), "x"), array)


ARRAYS = hnp.arrays(
    st.sampled_from([np.float64, np.int64, np.bool_]), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
)


@settings(max_examples=60, deadline=None)
@given(ARRAYS, st.integers(1, 100))
@example(np.arange(-3000.0, 3000.0).reshape(3, 2000), 75)
def test_round_trip(array: np.ndarray, width: int) -> None:
    with np.printoptions(threshold=sys.maxsize, floatmode="unique", linewidth=width):
        printed, shown = np.array_repr(array), np.array2string(array)
        commas = np.array2string(array, separator=", ")
    same(get(printed), array)
    same(get(json.dumps({"shape": array.shape, "data": array.ravel().tolist()})), array)
    if array.size:  # of an empty array the brackets do not show the shape
        same(get(json.dumps(array.tolist())), array)
        same(get("-", stdin=json.dumps(array.tolist())), array)
        same(get(repr(array.tolist())), array)
        same(get(shown), array)
        same(get(commas), array)


@pytest.mark.parametrize("shape", [(8000,), (2000, 4), (8000, 1)])
def test_long_json_takes_the_short_way(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).normal(size=shape)
    text = json.dumps(array.tolist())
    assert len(text) > 100_000
    same(get(text), array)
    same(get(text.replace("]", ",]")), array)  # not JSON
    assert fail(text + "]").message == "`]` closes nothing"
    assert fail(text.replace("0.", "1e999", 1)).kind == "overflow"


@pytest.mark.parametrize(
    "text",
    [
        *("1" * 10**5 + "x", "[" + "1_" * 10**5, "1." * 10**5, " " * 10**6 + "1", "array([1]" + ",dtype='" * 10**5),
        *(", " * 10**5, "a." * 10**5, "a," * 10**4, "(" * 10**4 + "1" + ")" * 10**4, ".npz:" * 10**5 + "("),
        *("1\n" * 10**5 + "x", '{"data": 1,' + '"data":1,' * 10**5, "1 2," * 10**5, "e1" * 10**5),
    ],
)
def test_strange_texts_take_linear_time(text: str) -> None:
    start = time.process_time()
    outcome(text)
    assert time.process_time() - start < 3  # a quadratic one takes minutes


def outcome(text: str, stdin: str = "") -> None:
    """Either an array or a message that can be drawn."""
    try:
        array = get(text, stdin)
    except GradcalcError as error:
        assert error.labels
        assert draw(error)
        json.dumps(error.as_dict())
    else:
        assert array.dtype in (np.float64, np.bool_)
        assert array.flags.c_contiguous


SOUP = st.lists(
    st.sampled_from(
        [
            *"[](),;:.'\"{}+-*/=_ \n\t\r\0jexn0179\u2212",
            *("...", "nan", "inf", "True", "false", "null", "1.5", "1e999", "pi", " -2", "[]", "[1, 2]", "[3 4]"),
            *("array(", "tensor(", "np.float64(", "bool(", "int8(", ", dtype=int", ", dtype=bool", ", size=(2,)"),
            *(", shape=(0, 3)", '"data":', '"shape":', '"nan"', ".npy", ".csv", ":k", "~", "/"),
        ]
    ),
    max_size=25,
).map("".join)


@pytest.fixture(scope="module")
def empty_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("empty")
        patch.chdir(path)
        yield path


FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FUZZ
@given(text=st.text() | SOUP)
def test_any_text(empty_folder: Path, text: str) -> None:
    outcome(text)
    outcome("-", stdin=text)


@FUZZ
@given(
    content=st.binary(max_size=60) | SOUP.map(str.encode),
    ending=st.sampled_from(["npy", "npz", "npz:a", "csv", "json", "txt"]),
)
def test_any_file(empty_folder: Path, content: bytes, ending: str) -> None:
    (empty_folder / f"x.{ending.partition(':')[0]}").write_bytes(content)
    outcome(f"x.{ending}")


def numpy_bytes(archive: bool) -> bytes:
    stream = io.BytesIO()
    if archive:
        np.savez_compressed(stream, a=np.arange(6.0).reshape(2, 3), b=[1])
    else:
        np.save(stream, np.arange(6.0).reshape(2, 3))
    return stream.getvalue()


@FUZZ
@given(
    archive=st.booleans(), changes=st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), min_size=1, max_size=4)
)
def test_damaged_numpy_file(empty_folder: Path, archive: bool, changes: list[tuple[int, int]]) -> None:
    content = bytearray(numpy_bytes(archive))
    for place, byte in changes:
        content[place % len(content)] = byte
    name = "z.npz" if archive else "z.npy"
    (empty_folder / name).write_bytes(content)
    outcome(name + ":a" * archive)


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.complex_numbers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
        max_leaves=12,
    )
)
def test_any_value(value: Any) -> None:
    try:
        array = as_array(value, "x")
    except GradcalcError as error:
        draw(error)
    else:
        assert array.dtype in (np.float64, np.bool_)
