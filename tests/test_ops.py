"""Every operation of the catalogue, tested by existing; and the checks themselves, tested with planted faults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import oracle
import pytest
from oracle import Case, Point, Problem
from peers.cases import as_call, derived_from, respelled
from peers.libraries import evaluated

import gradcalc
from gradcalc import simplifier
from gradcalc.errors import GradcalcError
from gradcalc.graph import CATALOGUE, SPELLINGS, Node, Op
from gradcalc.language import dialects, expressions, printer
from gradcalc.language.calls import signature_of
from gradcalc.language.refusals import refusal_of
from gradcalc.ops.elementwise import cos
from gradcalc.ops.kinds import elementwise, linear, spread
from gradcalc.ops.shape import roll
from gradcalc.simplifier import simplify

POINTS = 200
"""How many numbers, at least, each operation is tried with."""

FEW = 24
"""As many for a function made of others: their rules are tested by themselves."""

LEAVES = {"constant", "input"}


@pytest.fixture(scope="module", params=[name for name in CATALOGUE if name not in LEAVES])
def name(request: pytest.FixtureRequest) -> str:
    """Each operation in turn: a fixture of the module, so that one operation's tests run one after the other."""
    return request.param


def has_rule(name: str) -> bool:
    return isinstance(CATALOGUE[name], Op)


DEAR = {
    *("owens_t", "bessel_k", "bessel_y", "bessel_j", "scaled_bessel_k", "bessel_i", "erfc_integral", "zeta", "slope"),
    *("spence", "betainc", "gammainc", "gammaincc", "hyp1f1", "hyp2f1", "ndtri", "erfinv", "airy_ai", "expi", "sqrtm"),
}
"""Operations whose exact numbers are series and integrals of 50 digits."""


def wanted(name: str) -> int:
    return POINTS if has_rule(name) and name not in DEAR else FEW


@cache
def problems(name: str) -> list[Problem]:
    return oracle.problems_of(CATALOGUE[name])


@cache
def points(name: str) -> list[tuple[Problem, Point]]:
    """Each of an operation's problems at as many points as it takes; one where nothing varies."""
    sizes = sum(problem.size for problem in problems(name))
    repeats = -(-wanted(name) // sizes) if sizes else 1
    return [pair for number in range(repeats) for pair in one_point_each(name, number)]


@cache
def one_point_each(name: str, number: int = 0) -> list[tuple[Problem, Point]]:
    return [(problem, oracle.draw(problem, CATALOGUE[name].domain, number)) for problem in problems(name)]


def smallest(name: str) -> Iterator[tuple[Problem, Point]]:
    """For each example the problem with the fewest elements, but some."""
    for example in {problem.case.text: None for problem in problems(name)}:
        found = [one for one in problems(name) if one.case.text == example and one.size]
        if found:
            problem = min(found, key=lambda one: one.size)
            yield problem, oracle.draw(problem, CATALOGUE[name].domain)


def checked(check: Callable[..., None], problem: Problem, *rest: object) -> None:
    """Run a check; a failure says which case it was."""
    try:
        check(problem, *rest)
    except Exception as error:
        error.add_note(f"in {problem.case.text} | {' '.join(f'{name}={shape}' for name, shape in problem.case.shapes)}")
        raise


# every operation --------------------------------------------------------------------------------


def test_has_examples_and_a_line_of_documentation(name: str) -> None:
    assert CATALOGUE[name].examples
    assert CATALOGUE[name].doc.endswith(".")


def test_value(name: str) -> None:
    count = 0
    for problem, point in points(name):
        checked(oracle.check_value, problem, point)
        count += problem.size
    assert count >= wanted(name) or not any(problem.size for problem in problems(name))


def test_value_in_python(name: str) -> None:
    entry = CATALOGUE[name]
    readable = [(problem, point) for problem, point in one_point_each(name) if oracle.reads_python(problem.case.text)]
    for problem, point in readable:
        checked(oracle.check_python, problem, point)
    # Without an exact form an operation's exact value is its own kernel's, so something else must know it.
    independent = isinstance(entry, Op) and entry.exact is not None and not hasattr(np, name)
    assert readable or independent, f"define {name} in tests/references"


def test_first_derivatives(name: str) -> None:
    for problem, point in points(name):
        checked(oracle.check_first, problem, point)


def test_jvp_and_vjp_are_transposes(name: str) -> None:
    for problem, point in points(name) if has_rule(name) else ():
        checked(oracle.check_transposed, problem, point)


def test_second_derivatives(name: str) -> None:
    for problem, point in points(name) if has_rule(name) else ():
        checked(oracle.check_second, problem, point)


def test_sympy_agrees(name: str) -> None:
    for problem, point in smallest(name):
        checked(oracle.check_sympy, problem, point, 3 if has_rule(name) else 1)


def test_prints_as_what_it_is(name: str) -> None:
    for problem in problems(name):
        first = [[problem.output], *([problem.gradient] if problem.wrt else [])]
        graphs = problem.graphs if has_rule(name) else first
        forms = [form for outputs in graphs for form in (outputs, simplify(outputs))]
        for outputs in {tuple(form): None for form in forms}:
            checked(oracle.check_round_trip, problem, outputs)


def test_jacobians_agree(name: str) -> None:
    for problem, point in one_point_each(name) if has_rule(name) else ():
        checked(oracle.check_batching, problem, point)


def test_simplifying_keeps_the_numbers(name: str) -> None:
    for problem, point in one_point_each(name) if has_rule(name) else ():
        checked(oracle.check_simplified, problem, [one for outputs in problem.graphs for one in outputs], point)


# the libraries' names and arguments ---------------------------------------------------------------------


def spelled() -> list[str]:
    """Every further name of an operation; a method's is what follows `method.`."""
    return [name for entry in CATALOGUE.values() if entry.shown for name in entry.spellings]


@pytest.mark.parametrize("spelling", spelled())
def test_a_spelling_is_the_operation_itself(spelling: str) -> None:
    entry = SPELLINGS[spelling]
    places = 0
    for case in oracle.cases_of(entry):
        text = as_call(case.text, entry)
        other = respelled(text, entry, spelling)
        if other is not None:
            assert oracle.pose(case._replace(text=other)).output is oracle.pose(case).output, other
            places += 1
    assert places, f"no example of {entry.name} calls it"


def test_numpy_has_the_same_value(name: str) -> None:
    """An example means what NumPy makes of it, under each of its names that NumPy has."""
    modules = {"np": np, "np.linalg": np.linalg}
    for case in derived_from(CATALOGUE[name], modules, {"numpy": np.ndarray}):
        values = case.draw(0)
        for array in values.values():
            array.flags.writeable = False  # `np.log(x, y)` would write into y
        try:
            with np.errstate(all="ignore"):
                expected = evaluated(case.text, {**values, "np": np, "pi": np.pi, "inf": np.inf, "s_": np.s_})
        except Exception:  # NumPy has the name, but not these arguments
            continue
        if expected is not None and not isinstance(expected, tuple | list):
            oracle.assert_close(gradcalc.evaluate(case.text, values), expected, 1e-9)


@pytest.mark.parametrize("called", [f"np.{one}" for one in dir(np)] + [f"np.linalg.{one}" for one in dir(np.linalg)])
def test_numpy_arguments_have_their_names(called: str) -> None:
    """Each parameter of a NumPy function is known by its name, or among those that are not, for a reason."""
    function = eval(called)
    found = dialects.library_of(called.split("."))
    readable = callable(function) and not inspect.isclass(function) and refusal_of(called.split(".")) is None
    entry = dialects.find(*found) if found and readable else None
    try:
        parameters = inspect.signature(function).parameters.values() if entry else ()
    except ValueError:
        parameters = ()  # written in C, by a NumPy that does not say
    names = signature_of(entry).names if entry else []
    for one in parameters:
        by_name = one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        if by_name and one.name != "dtype" and one.name not in dialects.HARMLESS:
            known = dialects.argument_name(one.name, names, "numpy") in names
            reason = UNKNOWN_ARGUMENTS.get((called, one.name)) or UNKNOWN_ARGUMENTS.get(("", one.name))
            assert known or reason, f"{called} has `{one.name}`"
            assert not (known and (called, one.name) in UNKNOWN_ARGUMENTS), f"{called} knows `{one.name}` by now"


_EINSUM = "`einsum` says it for all axes"
PRODUCTS = ("matmul", "matvec", "vecmat", "vecdot")
QUANTILES = ("quantile", "percentile", "nanquantile", "nanpercentile")
UNKNOWN_ARGUMENTS = {
    ("np.corrcoef", "bias"): "it has no effect, and NumPy took it out",
    ("np.corrcoef", "ddof"): "it has no effect, and NumPy took it out",
    ("", "signature"): "chooses among the types that numbers may have in memory",
    **dict.fromkeys([(f"np.{name}", "axes") for name in PRODUCTS], _EINSUM),
    **dict.fromkeys([(f"np.{name}", "keepdims") for name in PRODUCTS], _EINSUM),
    **dict.fromkeys([(f"np.{name}", "axis") for name in PRODUCTS if name != "vecdot"], _EINSUM),
    **dict.fromkeys([("np.partition", "kind"), ("np.argpartition", "kind")], "there is one kind only"),
    **dict.fromkeys([(f"np.{one}", "weights") for one in QUANTILES], "quantiles of equal weights only"),
}
"""Arguments of NumPy's functions that are refused, and why; of every function where none is named."""


# precedence: Python has the same operators ----------------------------------------------------------

ARITHMETIC = ["+", "-", "*", "/", "//", "%", "**", "@"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
LOGIC = ["&", "|"]
BOTH = ["-(a {0} b) {1} c", "a {0} -(b {1} c)"]  # NumPy has no negative truth values
TEXTS = ["a {0} b {1} c", "a {0} (b {1} c)", "(a {0} b) {1} c"]
SIGNED = ["-a {0} b {1} c", "a {0} -b {1} c", "a {0} b {1} -c", "a.T {0} b[0] {1} c.T"]
NEGATED = ["~a {0} b {1} c", "a {0} ~b {1} c", "~(a {0} b) {1} c"]
CHAINED = ["a {0} b {1} c", "a and b {0} c", "not a {0} b and c", "a or b {0} c {1} a", "not a or b and not c"]


def pairs() -> Iterator[Any]:
    """Texts for each two operators, and what `a`, `b` and `c` are in them."""
    for first, second in product(ARITHMETIC + COMPARISONS, repeat=2):
        numeric = (first in ARITHMETIC) + (second in ARITHMETIC)
        texts, kind = [(CHAINED, "truths"), (TEXTS + SIGNED, "matrices"), (TEXTS + SIGNED + BOTH, "matrices")][numeric]
        yield pair(first, second, texts, kind)
    for first, second in [*product(LOGIC, LOGIC + COMPARISONS), *product(COMPARISONS, LOGIC)]:
        yield pair(first, second, TEXTS + NEGATED, "masks")


def pair(first: str, second: str, texts: list[str], kind: str) -> Any:
    return pytest.param([text.format(first, second) for text in texts], kind, id=f"{first} {second}")


@pytest.mark.parametrize(("texts", "kind"), list(pairs()))
def test_operators_bind_as_in_python(texts: list[str], kind: str) -> None:
    for text in texts:
        problem = operands(text, kind)
        for number in range(8 if kind == "truths" else 1):
            checked(oracle.check_python, problem, oracle.draw(problem, [(1.1, 2.0)], number, finite=False))
        checked(oracle.check_round_trip, problem, [problem.output])


def operands(text: str, kind: str = "matrices") -> Problem:
    """A text over `a`, `b` and `c`: matrices, matrices of truth values, or single truth values."""
    shape = {"matrices": (2, 2), "masks": (4, 4), "truths": ()}[kind]
    case = Case(text, tuple((name, shape) for name in "abc" if name in oracle.names_in(text)))
    return oracle.pose(case, booleans="" if kind == "matrices" else "abc")


# the checks themselves: each must catch a fault of its kind -------------------------------------------

Planted = Callable[[Op], tuple[Problem, Point]]


@pytest.fixture
def planted() -> Iterator[Planted]:
    """Poses an operation that a test has entered in the catalogue; afterwards the catalogue forgets it."""
    kept = dict(CATALOGUE), dict(SPELLINGS)

    def pose(op: Op) -> tuple[Problem, Point]:
        problem = oracle.problems_of(op)[-1]
        return problem, oracle.draw(problem, op.domain)

    yield pose
    for book, old in zip((CATALOGUE, SPELLINGS), kept, strict=True):
        book.clear()
        book.update(old)


def caught(check: Callable[..., None], *arguments: object) -> None:
    with pytest.raises(AssertionError):
        check(*arguments)


def test_a_wrong_value_is_caught(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(oracle.NUMPY, "faulty_exp", np.exp)
    wrong = elementwise(
        "faulty_exp", lambda x: np.exp(x) + 1e-9, doc="Wrong.", exact=lambda m, x: m.exp(x), partials=lambda y, x: (y,)
    )
    problem, point = planted(wrong)
    caught(oracle.check_value, problem, point)
    caught(oracle.check_python, problem, point)


def test_a_wrong_partial_is_caught(planted: Planted) -> None:
    wrong = elementwise(
        "faulty_sin", np.sin, doc="Wrong.", exact=lambda m, x: m.sin(x), partials=lambda y, x: (1.001 * cos(x),)
    )
    problem, point = planted(wrong)
    oracle.check_value(problem, point)
    oracle.check_transposed(problem, point)  # both modes are wrong alike
    caught(oracle.check_first, problem, point)
    caught(oracle.check_second, problem, point)
    caught(oracle.check_sympy, problem, point)


def test_a_wrong_transpose_is_caught(planted: Planted) -> None:
    @linear(
        kernel=lambda x: x[..., ::-1],
        shape=lambda x: x.shape,
        transpose=lambda g, x: g,
        examples=("faulty_flip(x) | x=3",),
    )
    def faulty_flip(x: Node) -> Any:
        """Wrong."""
        return (x,), {}

    problem, point = planted(faulty_flip)
    oracle.check_value(problem, point)
    caught(oracle.check_transposed, problem, point)
    caught(oracle.check_batching, problem, point)


def test_a_wrong_shape_is_caught(planted: Planted) -> None:
    @linear(
        kernel=lambda x: np.sum(x, -1, keepdims=True),
        shape=lambda x: x.shape[:-1],
        transpose=lambda g, x: spread(g, x, (-1,)),
        examples=("faulty_sum(x) | x=2,3",),
    )
    def faulty_sum(x: Node) -> Any:
        """Wrong."""
        return (x,), {}

    problem, point = planted(faulty_sum)
    caught(oracle.check_value, problem, point)
    caught(oracle.check_transposed, problem, point)


def test_a_cotangent_of_a_wrong_shape_is_refused(planted: Planted) -> None:
    @linear(
        kernel=lambda x: np.swapaxes(x, -1, -2),
        shape=lambda x: x.shape[::-1],
        transpose=lambda g, x: g,
        examples=("faulty_transpose(x) | x=2,3",),
    )
    def faulty_transpose(x: Node) -> Any:
        """Wrong."""
        return (x,), {}

    problem, point = planted(faulty_transpose)
    with pytest.raises(GradcalcError, match="cannot stretch"):
        oracle.check_transposed(problem, point)


def test_a_wrong_batching_rule_is_caught(planted: Planted) -> None:
    @linear(
        kernel=lambda x: np.roll(x, 1, 0),  # rolls the batch axis, where there is one
        shape=lambda x: x.shape,
        transpose=lambda g, x: roll(g, -1, 0),
        examples=("faulty_roll(x) | x=3",),
    )
    def faulty_roll(x: Node) -> Any:
        """Wrong."""
        return (x,), {}

    problem, point = planted(faulty_roll)
    oracle.check_first(problem, point)
    caught(oracle.check_batching, problem, point)


def test_a_wrong_simplification_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = operands("exp(-a)")
    monkeypatch.setitem(simplifier._RULES, "negative", (lambda x: x.inputs[0],))
    caught(oracle.check_simplified, problem, [problem.output], oracle.draw(problem))


def test_a_wrong_precedence_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(expressions._BINDS, "+", expressions._BINDS["*"] + 1)
    problem = operands("a + b * c")
    caught(oracle.check_python, problem, oracle.draw(problem))
    problem = operands("a + (b * c)")
    caught(oracle.check_round_trip, problem, [problem.output])


def test_forgotten_brackets_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printer, "_wrapped", lambda piece, binds: piece.text)
    problem = operands("(a + b) * c")
    caught(oracle.check_round_trip, problem, [problem.output])
