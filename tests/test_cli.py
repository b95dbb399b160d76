"""The command line: how inputs are given, what is printed and written, and the status it ends with."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcalc import __version__
from gradcalc.cli import main
from gradcalc.cli.main import run
from gradcalc.graph import CATALOGUE

QUIET = "--no-symbolic"
SCRIPT = Path(sys.executable).parent / "gradcalc"


@pytest.fixture
def call(capsys):
    """Run a command line without SymPy: its status, standard output, and standard error."""

    def called(*words: str, check: bool = False) -> tuple[int, str, str]:
        checked = words[0] in main.CHECKED and not check
        status = run([words[0], QUIET, *words[1:]] if checked else words)
        out, err = capsys.readouterr()
        return int(status), out, err

    return called


@pytest.fixture
def ask(call):
    """The JSON of a command that succeeds."""

    def asked(*words: str, **rest: Any) -> dict[str, Any]:
        status, out, err = call(words[0], "--format", "json", *words[1:], **rest)
        assert (status, err) == (0, "")
        assert out.count("\n") == 1
        return json.loads(out)

    return asked


@pytest.fixture
def refused(call):
    """The JSON error of a request that is wrong."""

    def asked(*words: str) -> dict[str, Any]:
        status, out, err = call(words[0], "--format", "json", *words[1:])
        assert (status, out) == (2, "")
        error = json.loads(err)
        assert set(error) == {"error", "message", "labels", "notes", "helps"}
        return error

    return asked


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gradients(found: dict[str, Any]) -> dict[str, Any]:
    return {name: one["data"] for name, one in found["gradients"].items()}


# inputs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["x**2", "--x", "-3"], {"x": -6}),
        (["x**2", "--x=-3"], {"x": -6}),
        (["x**2", "--x=-1e-1"], {"x": -0.2}),
        (["exp(x)", "--x", "-inf"], {"x": 0}),
        (["x**2", "--x", "inf"], {"x": "inf"}),
        (["-x**2", "--x", "3"], {"x": -6}),
        (["--x", "3", "-x**2"], {"x": -6}),
        (["--x", "3", "--", "-x**2"], {"x": -6}),
        (["-x", "--x", "-3"], {"x": -1}),
        (["α*β", "--α", "3", "--β=2"], {"α": 2, "β": 3}),
        (["seed*x", "--set", "seed=3", "--x", "2"], {"seed": 2, "x": 3}),
        (["f*x", "--set", "f=-3", "--set", "x=2"], {"f": 2, "x": -3}),
        (["x*a", "--x", "2", "--set", "a = 3"], {"x": 3, "a": 2}),
        (["x*learning_rate", "--x", "2", "--learning_rate", "0.5"], {"x": 0.5, "learning_rate": 2}),
        (["sum(x*A)", "--x", "linspace(0, 1, 3)", "--A", "[1,2,4]"], {"x": [1, 2, 4], "A": [0, 0.5, 1]}),
        (["x*w*b", "--x", "3", "--w", "2", "--b", "4", "--wrt", "x,w"], {"x": 8, "w": 12}),
        (["x*w", "--x", "3", "--w", "2", "--wrt=w"], {"w": 3}),
        (["sum(x**2)", "--x", "[3,4]", "--wrt", "x[0]"], {"x[0]": 6}),
        (["sum(x**2)", "--x", "[3,4,5]", "--wrt", "x[1:], x[0]"], {"x[1:]": [8, 10], "x[0]": 6}),
        (["sum(x*mask)", "--x", "[3,4]", "--mask", "[True,False]"], {"x": [1, 0]}),
        (["sum(x**2)", "--x", "[[1,2],[3,4]]"], {"x": [[2, 4], [6, 8]]}),
    ],
)
def test_ways_to_give_inputs(words, expected, ask):
    assert gradients(ask("grad", *words)) == expected


def test_random_inputs_depend_on_the_seed_alone(ask):
    words = ["eval", "sum(x)", "--x", "randn(5)", "--rng"]
    assert ask(*words, "3")["value"] == ask(*words, "3")["value"] != ask(*words, "4")["value"]
    expected = np.random.default_rng(3).standard_normal(5).sum()
    assert ask(*words, "3")["value"] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("seeds", "expected"),
    [
        (["[1,0]", "[0,1]"], [[2, 0], [0, 2]]),
        (["ones", "[0,1]"], [[2, 4], [0, 2]]),
        (["x", "-x"], [[2, 8], [-1, -4]]),
    ],
)
def test_several_seeds_go_to_the_expressions_in_order(seeds, expected, ask):
    given = [word for seed in seeds for word in ("--seed", seed)]
    found = ask("grad", "x**2", "x*[1,2]", "--x", "[1,2]", *given)
    assert [gradients(part)["x"] for part in found["parts"]] == expected
    assert gradients(found)["x"] == np.sum(expected, axis=0).tolist()


def test_one_seed_goes_to_the_one_that_needs_it(ask):
    found = ask("grad", "sum(x)", "x**2", "--x", "[1,2]", "--seed", "[1,0]")
    assert [gradients(part)["x"] for part in found["parts"]] == [[1, 1], [2, 0]]


def test_expression_from_a_file(folder, ask):
    Path("model.txt").write_text("# a comment\ny = x**2\nsum(y)\n", encoding="utf-8")
    assert gradients(ask("grad", "-f", "model.txt", "--x", "[1,2]")) == {"x": [2, 4]}
    assert gradients(ask("grad", "--file=model.txt", "--x", "[1,2]")) == {"x": [2, 4]}


def test_expression_from_standard_input(monkeypatch, ask):
    monkeypatch.setattr(sys, "stdin", io.StringIO("x**3\n"))
    assert gradients(ask("grad", "-f", "-", "--x", "2")) == {"x": 12}


@pytest.mark.parametrize("text", ["[[1,2],[3,4]]", "1 2\n3 4\n", "1,2\n3,4\n"])
def test_input_from_standard_input(text, monkeypatch, ask):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    assert gradients(ask("grad", "sum(b**2)", "--b", "-")) == {"b": [[2, 4], [6, 8]]}


def test_inputs_from_files(folder, ask):
    np.save("x.npy", [1.0, 2.0])
    np.savez("w.npz", a=[3.0, 4.0])
    Path("b.csv").write_text("5,6\n", encoding="utf-8")
    found = ask("grad", "sum(x*w*b)", "--x", "x.npy", "--w", "w.npz:a", "--b", "b.csv", "--wrt", "x")
    assert gradients(found) == {"x": [15, 24]}


# what each command's JSON has --------------------------------------------------------------------------------


COMMON = {"gradcalc", "command", "expression", "value", "points", "notes"}
FORMS = [
    ("grad", ["x**2", "--x", "3"], "gradients", {"x": {"shape": [], "data": 6}}),
    ("vjp", ["x**2", "--x", "[1,2]", "--seed", "[1,0]"], "gradients", {"x": {"shape": [2], "data": [2, 0]}}),
    ("jacobian", ["x[:1]*x", "--x", "[2,3]"], "jacobian", {"x": {"shape": [2, 2], "data": [[4, 0], [3, 2]]}}),
    (
        "hessian",
        ["x**2*w", "--x", "2", "--w", "3"],
        "hessian",
        {
            "x": {"x": {"shape": [], "data": 6}, "w": {"shape": [], "data": 4}},
            "w": {"x": {"shape": [], "data": 4}, "w": {"shape": [], "data": 0}},
        },
    ),
    ("jvp", ["x**2", "--x", "[1,2]", "--tangent", "[1,0]"], "tangent", {"shape": [2], "data": [2, 0]}),
    ("hvp", ["sum(x**3)", "--x", "[1,2]", "--vector", "[1,0]"], "hvp", {"x": {"shape": [2], "data": [6, 0]}}),
]


@pytest.mark.parametrize(("command", "words", "field", "data"), FORMS, ids=[form[0] for form in FORMS])
def test_json_fields(command, words, field, data, ask):
    found = ask(command, *words)
    assert set(found) == COMMON | {field}
    assert (found["gradcalc"], found["command"], found["expression"]) == (1, command, words[0])
    assert found[field] == data


def test_json_of_a_value(ask):
    found = ask("eval", "x/3", "--x", "[3,1,nan,inf,-inf]")
    assert set(found) == COMMON
    assert found["value"] == [1, 1 / 3, "nan", "inf", "-inf"]
    assert ask("eval", "x > 1", "--x", "[1,2]")["value"] == [False, True]


def test_json_of_several_expressions(ask):
    found = ask("grad", "x**2", "3*x", "--x", "2")
    assert set(found) == COMMON | {"gradients", "parts"}
    assert found["expression"] == ["x**2", "3*x"]
    assert found["value"] is None
    assert found["parts"] == [
        {"expression": "x**2", "value": 4, "gradients": {"x": {"shape": [], "data": 4}}},
        {"expression": "3*x", "value": 6, "gradients": {"x": {"shape": [], "data": 3}}},
    ]


def test_json_of_a_check(ask):
    found = ask("grad", "sum(x**2)", "--x", "[1,2]", "--symbolic-budget", "60", check=True)
    assert found["symbolic"] == {"x": {"text": "2*x", "latex": "2 x"}}
    assert {name: found["check"][name] for name in ("status", "method", "entries", "total", "reason")} == {
        "status": "agree",
        "method": "SymPy",
        "entries": 2,
        "total": 2,
        "reason": None,
    }
    assert found["check"]["max_relative_difference"] == 0


def test_json_keeps_every_bit(ask):
    value = ask("eval", "x/3", "--x", "0.1")["value"]
    assert value == 0.1 / 3
    assert str(ask("eval", "-0.0*x", "--x", "1")["value"]) == "-0.0"


@pytest.mark.parametrize("shape", ["(0,)", "(2, 0)", "(0, 2)"])
def test_json_of_empty_arrays(shape, ask):
    found = ask("grad", "sum(x**2)", "--x", f"zeros({shape})")
    assert found["gradients"]["x"]["shape"] == json.loads(f"[{shape.strip('(),')}]")
    assert found["value"] == 0


# formats read back ----------------------------------------------------------------------------------------


NUMBERS = ["grad", "sum(x**2)/3", "--x", "[[1,2],[3,4.5]]"]
RIGHT = 2 * np.array([[1, 2], [3, 4.5]]) / 3


def test_text(call):
    status, out, err = call(*NUMBERS)
    assert (status, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines == ["value 11.4167", "gradient by x [[0.666667, 1.33333],", "[ 2, 3]] shape (2, 2)"]


@pytest.mark.parametrize("precision", [None, 3, 12])
def test_plain(precision, call):
    option = [] if precision is None else ["--precision", str(precision)]
    out = call(*NUMBERS, "--format", "plain", *option)[1]
    np.testing.assert_allclose(json.loads(out), RIGHT, rtol=10.0 ** (1 - (precision or 6)))
    assert call("eval", "x*2", "--x", "3", "--format", "plain")[1] == "6\n"


def test_csv(call):
    out = call(*NUMBERS, "--format", "csv")[1]
    assert [[float(cell) for cell in row] for row in csv.reader(io.StringIO(out))] == RIGHT.tolist()
    assert call("eval", "x/2", "--x", "[1,-inf]", "--format", "csv")[1] == "0.5\n-inf\n"
    rows = call("eval", "x", "--x", "ones((2, 1, 2))", "--format", "csv")[1]
    assert rows == "1,1\n1,1\n"


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (NUMBERS, {"d_x": RIGHT}),
        (["grad", "x*w", "--x", "3", "--w", "nan"], {"d_x": np.nan, "d_w": 3}),
        (["eval", "x*inf", "--x", "[1,-1]"], {"value": [np.inf, -np.inf]}),
        (["eval", "x > 1", "--x", "[1,2]"], {"value": [False, True]}),
        (["jacobian", "x**2", "--x", "[1,2]"], {"jacobian_x": [[2, 0], [0, 4]]}),
        (["hessian", "x**2*w", "--x", "1", "--w", "2"], {"hessian_x__x": 4, "hessian_x__w": 2}),
        (["grad", "sum(x)", "--x", "[1,2]", "--wrt", "x[1]"], {"d_x_1": 1}),
        (["grad", "sum(x)", "--x", "zeros((0, 2))"], {"d_x": np.zeros((0, 2))}),
    ],
)
def test_python(words, names, call):
    out = call(*words, "--format", "python")[1]
    scope: dict[str, Any] = {"array": np.array, "inf": np.inf, "nan": np.nan}
    exec(out, scope)
    for name, right in names.items():
        np.testing.assert_array_equal(scope[name], right)


def test_latex(call):
    out = call(*NUMBERS, "--format", "latex")[1]
    left, _, right = out.strip().partition(" = ")
    assert left == r"\frac{\partial f}{\partial x}"
    inside = right.removeprefix(r"\begin{bmatrix} ").removesuffix(r" \end{bmatrix}")
    rows = [[float(cell) for cell in row.split("&")] for row in inside.split(r"\\")]
    np.testing.assert_allclose(rows, RIGHT, rtol=1e-5)


def test_latex_has_no_bare_inf(call):
    assert call("eval", "x/0", "--x", "1", "--format", "latex")[1].strip() == r"\infty"


@pytest.mark.parametrize(
    ("precision", "shown"),
    [("1", "3"), ("3", "3.14"), ("6", "3.14159"), ("10", "3.141592654"), ("17", "3.1415926535897931")],
)
def test_precision(precision, shown, call):
    assert call("eval", "pi*x", "--x", "1", "--precision", precision, "--format", "plain")[1] == f"{shown}\n"


@pytest.mark.parametrize("precision", ["0", "18", "many"])
def test_precision_has_bounds(precision, refused):
    assert "precision" in refused("eval", "x", "--x", "1", "--precision", precision)["message"]


def test_tables_of_jacobians_are_labelled(call):
    words = ["jacobian", "[x[0]*x[1], x[0]**2]", "--x", "[2,3]"]
    numerator = call(*words)[1]
    assert [
        line.split()[-3:] for line in numerator.splitlines() if " y[" in line or line.lstrip().startswith("y[")
    ] == [
        ["y[0]", "3", "2"],
        ["y[1]", "4", "0"],
    ]
    assert "rows are entries of y, columns entries of x (numerator layout)" in numerator
    denominator = call(*words, "--layout", "denominator")[1]
    assert [line.split()[-3:] for line in denominator.splitlines() if line.lstrip().startswith("x[")] == [
        ["x[0]", "3", "4"],
        ["x[1]", "2", "0"],
    ]
    assert "shape (2, 2)" in call(*words, "--tensor")[1]


# files ----------------------------------------------------------------------------------------------------


def test_output_files(folder, call):
    for extension in ("npy", "npz", "json", "csv", "tex"):
        status, out, err = call(*NUMBERS, "--output", f"found.{extension}")
        assert (status, err) == (0, "")
        assert out
    np.testing.assert_array_equal(np.load("found.npy"), RIGHT)
    np.testing.assert_array_equal(np.load("found.npz")["x"], RIGHT)
    np.testing.assert_array_equal(json.loads(Path("found.json").read_text())["gradients"]["x"]["data"], RIGHT)
    np.testing.assert_array_equal(np.loadtxt("found.csv", delimiter=","), RIGHT)
    assert Path("found.tex").read_text().startswith(r"\frac{\partial f}{\partial x} = \begin{bmatrix}")
    assert sorted(os.listdir()) == [f"found.{extension}" for extension in ("csv", "json", "npy", "npz", "tex")]


def test_what_was_written_is_read_back(folder, call, ask):
    call("grad", "x*w", "--x", "3", "--w", "nan", "-o", "found.npz")
    assert ask("eval", "x", "--x", "found.npz:x")["value"] == "nan"
    call("eval", "x/3", "--x", "[1,inf]", "-o", "value.npy")
    assert ask("eval", "x", "--x", "value.npy")["value"] == [1 / 3, "inf"]


def test_an_old_file_is_replaced_whole(folder, call):
    Path("found.json").write_text("x" * 10_000)
    call(*NUMBERS, "-o", "found.json")
    assert json.loads(Path("found.json").read_text())["command"] == "grad"


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("missing/found.json", "directory"),
        ("found.txt", "the extension says the format"),
        ("found", "the extension says the format"),
        ("taken.json", "directory"),
    ],
)
def test_files_that_cannot_be_written(file, words, folder, call):
    Path("taken.json").mkdir()
    status, _, err = call("eval", "x", "--x", "1", "-o", file)
    assert status == 2
    assert f"cannot write `{file}`" in err and words in err
    assert os.listdir() == ["taken.json"]


def test_two_arrays_do_not_fit_a_npy_file_and_nothing_is_left(folder, call):
    status, _, err = call("grad", "x*w", "--x", "1", "--w", "2", "-o", "found.npy")
    assert (status, os.listdir()) == (2, [])
    assert ".npz" in err


# errors and statuses ----------------------------------------------------------------------------------------


WRONG = [
    (["grad", "x +", "--x", "1"], "syntax"),
    (["grad", "x + y", "--x", "1"], "missing-input"),
    (["grad", "sqtr(x)", "--x", "1"], "unknown-function"),
    (["grad", "x**2", "--x", "[1,2]"], "needs-seed"),
    (["grad", "x**2", "--x", "[1,2]", "--seed", "[1]"], "seed-shape"),
    (["grad", "x**2", "--x", "[1,2]", "--seed", "ones", "--seed", "ones"], "seed-count"),
    (["grad", "x + y", "--x", "[1,2]", "--y", "[1,2,3]"], "shape"),
    (["grad", "x", "--x", "1", "--y", "2"], "unused-input"),
    (["grad", "x", "--x", "1", "--x", "2"], "input-twice"),
    (["grad", "x", "--x", "[[1,2],[3]]"], "ragged-input"),
    (["grad", "x", "--x"], "usage"),
    (["grad", "x", "--x", "1", "--wrt", "y"], "wrt"),
    (["grad", "x", "--set", "x"], "usage"),
    (["grad"], "usage"),
    (["eval", "x", "y", "--x", "1", "--y", "2"], "too-many-expressions"),
    (["jvp", "x**2", "--x", "1"], "usage"),
    (["eval", "x", "--x", "1", "--no-such-option"], "usage"),
    (["nonsense", "x"], "usage"),
    (["eval", "inv(x)", "--x", "[[1,2],[2,4]]"], "singular-matrix"),
    (["eval", "-f", "missing.py"], None),
    (["eval", "x", "--x", "missing.npy"], None),
]


@pytest.mark.parametrize(("words", "kind"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_requests(words, kind, folder, call):
    status, out, err = call(*words)
    assert (status, out) == (2, "")
    assert err.startswith("error[" if kind is None else f"error[{kind}]: ")
    assert "Traceback" not in err


@pytest.mark.parametrize(("words", "kind"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_requests_as_json(words, kind, folder, refused):
    error = refused(*words)
    assert error["error"] == kind or kind is None


def test_json_errors_have_the_drawn_fields(refused):
    error = refused("grad", "x + sqtr(y)", "--x", "1", "--y", "2")
    (label,) = [one for one in error["labels"] if one["primary"]]
    assert {name: label[name] for name in ("source", "line", "column", "start", "end")} == {
        "source": "expression",
        "line": 1,
        "column": 5,
        "start": 4,
        "end": 8,
    }
    assert "did you mean `sqrt`?" in error["helps"]


def test_a_reserved_name_is_told_the_way_out(call):
    assert "`--set seed=3`" in call("grad", "seed*x", "--seed", "3", "--x", "2")[2]


@pytest.mark.parametrize("words", [[], ["grad", "--help"], ["--help"], ["ops", "-h"]])
def test_help(words, call):
    status, out, err = call(*words, check=True) if words else call("--help")
    assert (status, err) == (0, "")
    assert out.startswith("Usage: gradcalc")


def test_no_words_at_all_show_the_help(capsys):
    run([])
    out, err = capsys.readouterr()
    assert "Usage: gradcalc" in out + err


def test_required_check(call):
    words = ["grad", "sum(abs(x))", "--x", "[0]", "--symbolic-budget", "60"]
    assert call(*words, check=True)[0] == 0
    status, out, _ = call(*words, "--require-check", check=True)
    assert (status, "not checked: a kink" in out) == (1, True)
    assert call("grad", "x", "--x", "1", "--require-check")[0] == 1


def test_no_budget_means_differences(ask):
    check = ask("grad", "x**2", "--x", "3", "--symbolic-budget", "0", check=True)["check"]
    assert check["method"] == "differences along 4 directions"
    assert check["reason"] == "SymPy did not finish within its budget of 0 s"
    assert (check["status"], check["entries"]) == ("agree", 0)


@pytest.mark.parametrize("budget", ["-1", "soon", "nan"])
def test_budgets_that_are_none(budget, refused):
    assert refused("grad", "x", "--x", "1", "--symbolic-budget", budget)["error"] == "usage"


def test_without_symbolic_no_process_is_started(monkeypatch, call):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    assert call("grad", "x", "--x", "1")[0] == 0
    assert call("eval", "x", "--x", "1")[0] == 0
    assert call("ops")[0] == 0


def test_interrupt(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "_run", interrupted)
    assert run(["eval", "1"]) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


def test_interrupt_while_sympy_works_leaves_no_process(monkeypatch, capsys):
    from gradcalc.solver import Solver

    started: list[Solver] = []

    def interrupted(self):
        started.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Solver, "reply", interrupted)
    assert run(["grad", "x**2", "--x", "1"]) == 130
    assert started[0]._process.returncode is not None
    assert "value" in capsys.readouterr().out  # the numbers were shown before the check


def test_too_little_memory_is_a_limit(monkeypatch, call):
    def kernel(*_, **__):
        raise MemoryError

    monkeypatch.setitem(CATALOGUE["tanh"].__dict__, "kernel", kernel)
    status, _, err = call("eval", "tanh(x)", "--x", "1")
    assert (status, "error[too-large]" in err) == (3, True)


# colours --------------------------------------------------------------------------------------------------


def test_colour_only_where_wanted(monkeypatch, call):
    plain = call("eval", "x", "--x", "1")[1]
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = call("eval", "x", "--x", "1")[1]
    assert "\x1b[" in coloured
    assert "\x1b[" in call("eval", "x +", "--x", "1")[2]
    monkeypatch.setenv("NO_COLOR", "1")
    assert call("eval", "x", "--x", "1")[1] == plain
    assert "\x1b" not in call("eval", "x +", "--x", "1")[2]


def test_machines_get_no_colour(monkeypatch, call):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in call("eval", "x", "--x", "1", "--format", "json")[1]


# the catalogue ----------------------------------------------------------------------------------------------


def test_ops_lists_every_function(call):
    status, out, _ = call("ops")
    assert status == 0
    listed = {line.partition("(")[0] for line in out.splitlines()}
    assert {one.name for one in CATALOGUE.values() if one.shown} <= listed
    assert "constant" not in listed


def test_ops_of_one_function(call):
    out = call("ops", "tanh")[1]
    assert out.splitlines()[0] == "tanh(x)"
    assert "to x" in out
    assert "g*" in out
    assert "kink" in call("ops", "abs")[1]
    assert call("ops", "np.tanh")[1] == out


def test_a_name_that_libraries_mean_differently_shows_each(call):
    both = call("ops", "std")[1]
    assert both == "\n".join([call("ops", "np.std")[1], call("ops", "torch.std")[1]])
    assert both.startswith("std(x, axis=None") and "\n\ntorch.std(input" in both
    assert [one["name"] for one in json.loads(call("ops", "std", "--format", "json")[1])] == ["std", "torch.std"]


def test_the_catalogue_as_a_table(call):
    table = call("ops", "--format", "markdown")[1]
    assert "## Reductions\n\n| Function | Libraries | What it computes | Kinks |" in table
    assert "| `abs(x)` | NumPy: `np.abs`, `np.absolute`, `np.fabs`<br>PyTorch: `torch.abs`" in table
    assert call("ops", "abs", "--format", "markdown")[1].count("\n| `") == 1


def test_a_function_that_is_refused_says_why(call):
    status, _, err = call("ops", "np.unique")
    assert (status, err.splitlines()[0]) == (
        2,
        "error[unknown-function]: `np.unique` has a shape that depends on the values",
    )


def test_ops_as_json(call):
    records = json.loads(call("ops", "--format", "json")[1])
    assert len(records) == sum(one.shown for one in CATALOGUE.values())
    (tanh,) = json.loads(call("ops", "tanh", "--format", "json")[1])
    assert tanh in records
    assert set(tanh) == {"name", "signature", "doc", "spellings", "kink", "examples", "rule"}


def test_ops_of_an_unknown_function(call):
    status, out, err = call("ops", "sofplus")
    assert (status, out) == (2, "")
    assert "did you mean `softplus`?" in err


# as a program -----------------------------------------------------------------------------------------------


def program(*words: str, **rest: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*words], capture_output=True, text=True, timeout=60, check=False, **rest)


def test_as_a_module_and_as_a_script():
    for start in ([sys.executable, "-m", "gradcalc"], [str(SCRIPT)]):
        done = program(*start, "eval", "x+1", "--x", "2", "--format", "plain")
        assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")
    done = program(sys.executable, "-m", "gradcalc", "eval", "x+", "--x", "2")
    assert (done.returncode, done.stdout) == (2, "")


def test_version(call):
    assert call("--version") == (0, f"gradcalc {__version__}\n", "")


@pytest.mark.parametrize("words", ["ops", "eval 'zeros(100000)' --format csv", "grad 'x**2' --x 3 --no-symbolic"])
def test_a_reader_that_leaves_early_sees_no_traceback(words):
    done = program("bash", "-c", f"set -o pipefail; '{sys.executable}' -m gradcalc {words} | head -c 0")
    assert done.stderr == ""
    assert done.returncode == 0


def test_output_that_fits_no_encoding_is_no_traceback():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = program(sys.executable, "-m", "gradcalc", "eval", "β +", "--β", "1", env=environment)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
