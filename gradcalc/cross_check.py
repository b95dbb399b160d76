"""The check of an answer: SymPy's derivation where it can be had, differences where it cannot.

A problem of few numbers goes to SymPy whole. A large elementwise one goes cut down to a few places, and
differences along a direction cover the rest. Anything else is checked by differences alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import derivatives
from .checker import Verdict, along, both, compare, random_directions
from .engine import Plan, execute, plan
from .graph import Node, inputs_of, is_constant, is_input, toposort
from .labels import pair_label
from .language.printer import to_text
from .ops.views import stop_gradient
from .problem import Problem
from .results import Answer
from .sampling import COUNT, places, thinned
from .solver import Formula, Question, Reply, Solver, failed
from .targets import Target, as_input

_MOST_NUMBERS = 20_000  # that an expression may have in it for SymPy to handle them one by one
_MANY_NUMBERS = 500  # from which a sample is tried first


class Case(NamedTuple):
    """What was derived: of which problem, by what, with which seeds and directions, and the derivative's graphs."""

    problem: Problem
    command: str
    wanted: Sequence[Target]
    seeds: list[Any]
    directions: list[Any]
    graphs: Mapping[Any, Node]


def start(case: Case, made: Answer, solver: Solver, budget: float) -> Callable[[], None]:
    """Set SymPy to work; the function returned waits for it and enters the verdict into the answer."""
    count = numbers_in(case.problem.outputs)
    sample = _sample(case) if count > _MANY_NUMBERS else None
    if sample is not None:
        solver.ask(sample.question, budget)
        return lambda: _settle(case, made, sample.placed(solver.reply()), also_differences=True)
    if count > _MOST_NUMBERS:
        why = f"SymPy was not asked: the expression has {count:,} numbers in it, more than {_MOST_NUMBERS:,}"
        return lambda: _settle(case, made, failed(why))
    solver.ask(_question(case), budget)
    return lambda: _settle(case, made, solver.reply())


def numbers_in(outputs: Sequence[Node]) -> int:
    """How many numbers an evaluation computes."""
    return sum(one.size for one in toposort(outputs))


def _question(case: Case) -> Question:
    problem = case.problem
    return Question(
        command=case.command,
        texts=[tuple(program.source) for program in problem.programs],
        values={name: problem.values[name] for name in problem.inputs},
        wrt=[target.label for target in case.wanted],
        seeds=case.seeds,
        directions=case.directions,
    )


def _settle(case: Case, made: Answer, reply: Reply, *, also_differences: bool = False) -> None:
    """Compare with SymPy's reply, or where it has none with differences."""
    labels = {key: pair_label(*key) if isinstance(key, tuple) else str(key) for key in made.derivative}
    ours = {labels[key]: array for key, array in made.derivative.items()}
    verdict = compare(ours, reply)
    if verdict.status == "disagree":
        noise = {labels[key]: array for key, array in _rounding_noise(case).items()}
        verdict = compare(ours, reply, noise)
    if reply.failure is not None:
        verdict = _differences(case, made, reply.failure)
    elif also_differences:
        verdict = both(verdict, _differences(case, made, None))
    if made.has_nan_value():  # SymPy may well differentiate a formula that has no value here
        verdict = Verdict(status="not checked", total=verdict.total, reason="the value is nan at these inputs")
    made.check = verdict
    made.symbolic = {key: reply.formulas[label] for key, label in labels.items() if label in reply.formulas}


_NUDGES = 6


def _rounding_noise(case: Case) -> dict[Any, Any]:
    """How far each entry of the derivative moves when the inputs' last bits do: what cancellation leaves of it."""
    planned = plan(list(case.graphs.values()))
    generator = np.random.default_rng(0)
    wanted = {target.node.attrs["name"] for target in case.wanted}
    base = execute(planned, case.problem.values)
    moves: list[list[Any]] = []
    for _ in range(_NUDGES):
        values = dict(case.problem.values)
        for name in wanted:
            ulps = generator.integers(-4, 5, values[name].shape)
            values[name] = values[name] * (1 + ulps * np.finfo(np.float64).eps / 2)
        with np.errstate(all="ignore"):
            moves.append([np.abs(a - b) for a, b in zip(execute(planned, values), base, strict=True)])
    most = [np.max(np.stack(column), axis=0) for column in zip(*moves, strict=True)]
    return dict(zip(case.graphs, most, strict=True))


# a sample -----------------------------------------------------------------------------------------


class Sample(NamedTuple):
    """A question about a few places of a large problem, and which places they are."""

    question: Question
    kept: Any
    alike: bool

    def placed(self, reply: Reply) -> Reply:
        """The reply with its positions counted in the whole arrays; formulas only where all places are alike."""

        def moved(found: Mapping[str, Mapping[int, Any]]) -> dict[str, dict[int, Any]]:
            return {label: {int(self.kept[i]): one for i, one in by.items()} for label, by in found.items()}

        one_for_all = {label: one for label, one in reply.formulas.items() if not one.text.startswith("[")}
        formulas: dict[str, Formula] = one_for_all if self.alike else {}
        return Reply(formulas, moved(reply.numbers), moved(reply.special), reply.failure)


def _sample(case: Case) -> Sample | None:
    """The gradient's problem at a few places, if its largest inputs are combined place by place."""
    wanted = [target for target in case.wanted if target.node.size > 1]
    if case.command not in ("grad", "vjp") or not wanted or any(t.places is not None for t in case.wanted):
        return None
    shape, size = wanted[0].node.shape, wanted[0].node.size
    if size <= 2 * COUNT:
        return None
    kept = places(size)
    outputs = thinned(case.problem.outputs, shape, kept)
    if outputs is None:
        return None
    values = case.problem.values
    order = toposort(case.problem.outputs)
    constants = [one for one in order if (is_constant(one) and one.ndim) or (is_input(one) and one.boolean)]
    uneven = [seed for seed in case.seeds if seed is not None and seed.size and np.ptp(seed) != 0]
    question = Question(
        command=case.command,
        texts=[(f"output {i}", to_text(one)) for i, one in enumerate(outputs)],
        values={
            name: values[name] if node.shape == () else values[name].ravel()[kept]
            for name, node in inputs_of(outputs).items()
        },
        wrt=[target.label for target in wanted],
        seeds=[seed if seed is None or seed.shape != shape else seed.ravel()[kept] for seed in case.seeds],
        directions=[],
    )
    return Sample(question, kept, alike=not constants and not uneven)


# differences --------------------------------------------------------------------------------------

Function = Callable[[Mapping[str, Any]], Any]
Slope = Callable[[Sequence[Any]], Any]


def _differences(case: Case, made: Answer, why: str | None) -> Verdict:
    """Our derivative against differences along random directions, or along the case's own."""
    total = sum(np.size(array) for array in made.derivative.values())
    if any(target.places is not None for target in case.wanted):
        return Verdict(status="not checked", total=total, reason=why)
    problem = case.problem
    if any(one.op is stop_gradient for one in toposort(problem.outputs)):
        reason = "differences would move what `stop_gradient` holds"
        return Verdict(status="not checked", total=total, reason=reason if why is None else f"{why}; {reason}")
    names = [target.node.attrs["name"] for target in case.wanted]
    point = [problem.values[name] for name in names]
    function, slope = _DIFFERENCES[case.command](case, made)

    def moving(function: Function) -> Callable[[float, Sequence[Any]], Any]:
        def moved(h: float, direction: Sequence[Any]) -> Any:
            with np.errstate(all="ignore"):
                new = [at + h * v for at, v in zip(point, direction, strict=True)]
            return function({**problem.values, **dict(zip(names, new, strict=True))})

        return moved

    anywhere = random_directions(point, numbers_in(problem.outputs))
    if case.command in ("hessian", "hvp"):  # they are differenced from our gradient, so it must be right itself
        value, gradient = _gradient(case, _gradient_arrays(case))
        first = along(anywhere, moving(value), gradient, total, why)
        if first.status != "agree":
            return first
    return along([case.directions] if case.directions else anywhere, moving(function), slope, total, why)


def _grad(case: Case, made: Answer) -> tuple[Function, Slope]:
    return _gradient(case, [made.derivative[target.label] for target in case.wanted])


def _gradient(case: Case, arrays: Sequence[Any]) -> tuple[Function, Slope]:
    """The sum of the outputs, each weighed by its seed."""
    planned = plan(case.problem.outputs)

    def weighed(values: Mapping[str, Any]) -> Any:
        pairs = zip(execute(planned, values), case.seeds, strict=True)
        return sum(float(np.sum(y if seed is None else y * seed)) for y, seed in pairs)

    return weighed, lambda direction: sum(float(np.sum(g * v)) for g, v in zip(arrays, direction, strict=True))


def _jacobian(case: Case, made: Answer) -> tuple[Function, Slope]:
    arrays = [made.derivative[target.label] for target in case.wanted]
    return _output(case), lambda v: sum(_product(j, part) for j, part in zip(arrays, v, strict=True))


def _product(derivative: Any, direction: Any) -> Any:
    """A derivative of shape out + in times a direction of shape in."""
    return np.tensordot(derivative, direction, direction.ndim)


def _hessian(case: Case, made: Answer) -> tuple[Function, Slope]:
    labels = [target.label for target in case.wanted]
    blocks = made.derivative

    def slope(direction: Sequence[Any]) -> Any:
        rows = [sum(_product(blocks[a, b], v) for b, v in zip(labels, direction, strict=True)) for a in labels]
        return _joined(rows)

    return _flat_gradient(case), slope


def _jvp(case: Case, made: Answer) -> tuple[Function, Slope]:
    return _output(case), lambda _: made.derivative["jvp"]


def _hvp(case: Case, made: Answer) -> tuple[Function, Slope]:
    return _flat_gradient(case), lambda _: _joined([made.derivative[target.label] for target in case.wanted])


def _output(case: Case) -> Function:
    planned = plan(case.problem.outputs)
    return lambda values: execute(planned, values)[0]


def _flat_gradient(case: Case) -> Function:
    """The gradient of the seeded output, all entries in one row."""
    planned = _gradient_plan(case)
    return lambda values: _joined(execute(planned, values))


def _gradient_arrays(case: Case) -> list[Any]:
    return execute(_gradient_plan(case), case.problem.values)


def _gradient_plan(case: Case) -> Plan:
    (seed,) = case.seeds
    weight = None if seed is None else as_input(case.problem, "seed 0", seed)
    nodes = [target.node for target in case.wanted]
    return plan(derivatives.gradient(case.problem.outputs[0], weight, nodes))


def _joined(arrays: Sequence[Any]) -> Any:
    return np.concatenate([np.ravel(array) for array in arrays])


_DIFFERENCES: dict[str, Callable[[Case, Answer], tuple[Function, Slope]]] = {
    "grad": _grad,
    "vjp": _grad,
    "jacobian": _jacobian,
    "hessian": _hessian,
    "jvp": _jvp,
    "hvp": _hvp,
}
