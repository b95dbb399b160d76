"""Every operation of the catalogue, tested by existing; and the checks themselves, tested with planted faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np
import oracle
import pytest
from oracle import Case, Point, Problem

from gradcalc.graph import CATALOGUE, SPELLINGS, Op
from gradcalc.language import parser, printer
from gradcalc.ops.elementwise import cos
from gradcalc.ops.kinds import elementwise, linear
from gradcalc.simplifier import simplify

POINTS = 200
"""How many numbers, at least, each operation is tried with."""

LEAVES = {"constant", "input"}
NAMES = [name for name in CATALOGUE if name not in LEAVES]
each_operation = pytest.mark.parametrize("name", NAMES)


@cache
def problems(name: str) -> list[Problem]:
    return oracle.problems_of(CATALOGUE[name])


@cache
def points(name: str) -> list[tuple[Problem, Point]]:
    """Each of an operation's problems at as many points as it takes; one where nothing varies."""
    sizes = sum(problem.size for problem in problems(name))
    repeats = -(-POINTS // sizes) if sizes else 1
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


@each_operation
def test_has_examples_and_a_line_of_documentation(name: str) -> None:
    assert CATALOGUE[name].examples
    assert CATALOGUE[name].doc.endswith(".")


@each_operation
def test_value(name: str) -> None:
    count = 0
    for problem, point in points(name):
        checked(oracle.check_value, problem, point)
        count += problem.size
    assert count >= POINTS or not any(problem.size for problem in problems(name))


@each_operation
def test_value_in_python(name: str) -> None:
    entry = CATALOGUE[name]
    readable = [(problem, point) for problem, point in one_point_each(name) if oracle.reads_python(problem.case.text)]
    for problem, point in readable:
        checked(oracle.check_python, problem, point)
    # Without an exact form an operation's exact value is its own kernel's, so something else must know it.
    independent = not isinstance(entry, Op) or entry.exact is not None
    assert readable or (independent and not hasattr(np, name)), f"define {name} in oracle.NUMPY"


@each_operation
def test_first_derivatives(name: str) -> None:
    for problem, point in points(name):
        checked(oracle.check_first, problem, point)


@each_operation
def test_jvp_and_vjp_are_transposes(name: str) -> None:
    for problem, point in points(name):
        checked(oracle.check_transposed, problem, point)


@each_operation
def test_second_derivatives(name: str) -> None:
    for problem, point in points(name):
        checked(oracle.check_second, problem, point)


@each_operation
def test_sympy_agrees(name: str) -> None:
    for problem, point in smallest(name):
        checked(oracle.check_sympy, problem, point)


@each_operation
def test_prints_as_what_it_is(name: str) -> None:
    for problem in problems(name):
        back = problem.gradient
        forward = problem.tangent
        checked(oracle.check_round_trip, problem, [problem.output])
        if back:
            checked(oracle.check_round_trip, problem, back)
            checked(oracle.check_round_trip, problem, simplify(back))
            checked(oracle.check_round_trip, problem, [forward])
            checked(oracle.check_round_trip, problem, simplify([forward]))


@each_operation
def test_jacobians_agree(name: str) -> None:
    for problem, point in one_point_each(name):
        checked(oracle.check_batching, problem, point)


@each_operation
def test_simplifying_keeps_the_numbers(name: str) -> None:
    for problem, point in one_point_each(name):
        checked(oracle.check_simplified, problem, [problem.output, problem.tangent, *problem.gradient], point)
