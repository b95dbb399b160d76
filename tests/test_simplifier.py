"""The simplifier: the identities it knows, that values and shapes stay, that it ends and is linear."""

from __future__ import annotations

import re
import sys
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradcalc.engine import evaluate
from gradcalc.errors import Source
from gradcalc.graph import CATALOGUE, Node, constant, is_constant, toposort, variable
from gradcalc.language.printer import to_text
from gradcalc.problem import pose, read_programs
from gradcalc.simplifier import simplify

nan, inf = np.nan, np.inf
SHAPES = {"x": (3,), "y": (3,), "z": (), "a": (2, 3), "c": (2, 1)}


def read(text: str) -> Node:
    """The graph of a text; which letter has which shape is in `SHAPES`."""
    used = {name: np.ones(shape) for name, shape in SHAPES.items() if re.search(rf"\b{name}\b", text)}
    return pose(read_programs([Source("expression", text)], used), used).outputs[0]


def operations(one: Node) -> int:
    return sum(not is_constant(node) for node in toposort([one]))


ROWS = [
    # ones and zeros
    ("x + 0", "x"),
    ("0 + x", "x"),
    ("x - 0", "x"),
    ("0 - x", "-x"),
    ("x*1", "x"),
    ("1*x", "x"),
    ("x/1", "x"),
    ("x**1", "x"),
    ("x**0", "ones(3)"),
    ("z**0", "1"),
    # signs
    ("--x", "x"),
    ("x - (-y)", "x + y"),
    ("x + (-y)", "x - y"),
    ("-(x - y)", "y - x"),
    ("-(2*x)", "-2*x"),
    ("-x*-y", "x*y"),
    # numbers
    ("2*3", "6"),
    ("x*2*3", "6*x"),
    ("2*(3*x)", "6*x"),
    ("2*x/4", "0.5*x"),
    ("x/3*3", "x"),
    ("x + 1 + 2", "x + 3"),
    ("1 + x - 2", "x - 1"),
    ("2/3", "2/3"),
    ("x*(1/y)", "x/y"),
    # like terms and powers
    ("x - x", "zeros(3)"),
    ("x + x", "2*x"),
    ("2*x + 3*x", "5*x"),
    ("x + y - x", "y"),
    ("x - 2*x", "-x"),
    ("x*x", "x**2"),
    ("x*x*x", "x**3"),
    ("x**2*x**3", "x**5"),
    # selection, shapes
    ("where(True, x, y)", "x"),
    ("where(False, x, y)", "y"),
    ("where(x > 0, y, y)", "y"),
    ("a.T.T", "a"),
    ("x.T", "x"),
    ("x.reshape(3, 1).reshape(3)", "x"),
    ("reshape(x, (3,))", "x"),
    ("broadcast_to(z, (3,))*x", "z*x"),
    ("broadcast_to(broadcast_to(z, (3,)), (2, 3))", "broadcast_to(z, (2, 3))"),
    ("sum(broadcast_to(z, (3,)))", "3*z"),
    ("sum(z)", "z"),
    ("2*(sum(x) + 1)*1 + 0", "2*(sum(x) + 1)"),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[text for text, _ in ROWS])
def test_identities(text, expected):
    (found,) = simplify([read(text)])
    assert to_text(found) == expected
    assert found.shape == read(text).shape


KEPT = ["x*0", "0*x", "0/x", "x*inf", "x/x", "x**2/x", "x**-1*x", "exp(log(x))", "sqrt(x**2)"]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_not_true_of_all_numbers_stays(text):
    assert simplify([read(text)]) == [read(text)]


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("x*0", [inf, nan, 1], [nan, nan, 0]),
        ("0*exp(x)", [1000, 0, -1], [nan, 0, 0]),
        ("x*0 + y*0", [inf, 1, 2], [nan, 0, 0]),
        ("(x - 1)*0*2", [-inf, 1, 2], [nan, 0, 0]),
        ("where(x > 5, 0*x, y)", [inf, 1, 2], [nan, 1, 1]),
    ],
)
def test_zero_times_infinity_stays_nan(text, x, expected):
    values = {"x": np.array(x, np.float64), "y": np.ones(3)}
    np.testing.assert_array_equal(evaluate(simplify([read(text)]), values)[0], expected)


def test_numbers_are_not_put_together_past_what_a_float_holds():
    """The first number is just out of sight of the last, until the one between has moved."""
    raw = read(f"1e300*x*{'*'.join(7 * ['z'])}*1e300*1e-10")
    values = {"x": np.full(3, 1e-300), "z": np.array(1.0)}
    np.testing.assert_allclose(evaluate([raw], values)[0], 1e290)
    np.testing.assert_allclose(evaluate(simplify([raw]), values)[0], 1e290)


# random expressions -----------------------------------------------------------------------------------

LEAVES = [*(variable(name, shape) for name, shape in SHAPES.items()), *map(constant, (0.0, 1.0, -1.0, 2.0, 0.5, 3.0))]
STRETCHED = [CATALOGUE["broadcast_to"](constant(value), (2, 3)) for value in (0.0, 1.0, 2.0)]
UNARY = ["negative", "sin", "tanh", "transpose", "sum", "row", "square", "unpower"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "where"]


def unary(name: str, x: Node) -> Node:
    if name == "row":
        return CATALOGUE["reshape"](x, (1, x.size))
    if name == "square":
        return x**2
    if name == "unpower":
        return x**1
    if name == "sum":
        return CATALOGUE["sum"](x, axis=-1, keepdims=True) if x.ndim else CATALOGUE["sum"](x)
    return CATALOGUE[name](x)


def binary(name: str, x: Node, y: Node) -> Node:
    lengths = zip(x.shape[::-1], y.shape[::-1], strict=False)
    if any(a != b and 1 not in (a, b) for a, b in lengths) or max(x.size, y.size) > 40:
        return -x
    if name == "divide":
        return x / (y * y + 1)
    if name == "where":
        return CATALOGUE["where"](x > y, x, y)
    return CATALOGUE[name](x, y)


def grown(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.builds(unary, st.sampled_from(UNARY), below) | st.builds(binary, st.sampled_from(BINARY), below, below)


expressions = st.recursive(st.sampled_from(LEAVES + STRETCHED), grown, max_leaves=25)
quick = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def points() -> list[dict[str, np.ndarray]]:
    generator = np.random.default_rng(5)
    return [{name: generator.uniform(-2, 2, shape) for name, shape in SHAPES.items()} for _ in range(3)]


POINTS = points()


@quick
@given(expressions)
def test_simplified_has_the_same_values_and_shape(raw):
    (found,) = simplify([raw])
    assert found.shape == raw.shape
    for values in POINTS:
        (a,), (b,) = evaluate([raw], values), evaluate([found], values)
        assert a.shape == b.shape
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9 * max(1.0, np.max(np.abs(a), initial=0)))


@quick
@given(expressions)
def test_simplifying_twice_changes_nothing(raw):
    (once,) = simplify([raw])
    assert simplify([once]) == [once]


@quick
@given(expressions)
def test_never_more_operations(raw):
    assert operations(simplify([raw])[0]) <= operations(raw)


@quick
@given(st.lists(expressions, min_size=2, max_size=4))
def test_several_outputs_at_once_keep_their_values(outputs):
    found = simplify(outputs)
    for a, b in zip(evaluate(outputs, POINTS[0]), evaluate(found, POINTS[0]), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9 * max(1.0, np.max(np.abs(a), initial=0)))


def test_an_output_inside_another_output_is_simple_too():
    x, y = variable("x", (3,)), variable("y", (3,))
    assert simplify([x + x, x + x + y]) == [2 * x, 2 * x + y]


# adversarial inputs -------------------------------------------------------------------------------------


def chain(step, length: int) -> Node:
    y = variable("z", ())
    for i in range(length):
        y = step(y, i)
    return y


Z, W = variable("z", ()), variable("w", ())
ADVERSARIAL = {
    "a sum of one term": lambda n: chain(lambda y, i: y + Z, n),
    "a sum of as many terms as there are": lambda n: chain(lambda y, i: y + CATALOGUE["sin"](Z + i), n),
    "a sum of numbers": lambda n: chain(lambda y, i: y + float(i), n),
    "signs that alternate": lambda n: chain(lambda y, i: W - y, n),
    "a product": lambda n: chain(lambda y, i: y * Z, n),
    "a product of two in turn": lambda n: chain(lambda y, i: y * (W, Z)[i % 2], n),
    "quotients": lambda n: chain(lambda y, i: y / (W, Z)[i % 2], n),
    "numbers far from each other": lambda n: chain(lambda y, i: y * (1.5 if i % 12 == 0 else W), n),
    "a nested polynomial": lambda n: chain(lambda y, i: y * Z + 1, n),
    "scaled sums": lambda n: chain(lambda y, i: 2 * (y + W), n),
    "double negatives": lambda n: chain(lambda y, i: -y, n),
    "powers of powers": lambda n: chain(lambda y, i: (y**2) ** 0.5, n),
    "a tower of sines": lambda n: chain(lambda y, i: CATALOGUE["sin"](y), n),
    "stretches": lambda n: chain(lambda y, i: CATALOGUE["sum"](CATALOGUE["broadcast_to"](y, (2, 3)) + 1), n),
    "doublings": lambda n: chain(lambda y, i: y + y, min(n, 500)),
    "quotients of sums": lambda n: chain(lambda y, i: (y + Z) / (y - W), n),
}


def visits(outputs: list[Node]) -> int:
    """The calls of Python functions that simplifying takes: unlike seconds, the same on every machine."""
    count = 0

    def counting(frame, event, _):
        nonlocal count
        count += event == "call"

    sys.setprofile(counting)
    try:
        simplify(outputs)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_work_is_linear(name):
    make = ADVERSARIAL[name]
    short, long = visits([make(300)]), visits([make(1200)])
    assert long < 6 * short


def test_large_sum_and_product_and_chain():
    start = time.monotonic()
    total = chain(lambda y, i: y + (Z, W)[i % 2], 50_000)
    product = chain(lambda y, i: y * (Z, W)[i % 2], 2_000)
    deep = chain(lambda y, i: CATALOGUE["exp"](-y), 10_000)
    found = simplify([total, product, deep])
    assert found[0] is 25_001 * Z + 25_000 * W
    assert evaluate(found[1:2], {"z": 1.001, "w": 1.0})[0] == pytest.approx(1.001**1001)
    assert time.monotonic() - start < 30
