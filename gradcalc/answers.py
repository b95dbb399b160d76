"""A request to an answer: what every command that differentiates does.

`answer` computes the numbers and starts the check; `Answer.settle` waits for it, so that a caller may show
the numbers first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import derivatives
from .checker import Verdict, along, compare, random_directions
from .engine import execute, plan
from .errors import GradcalcError, Label, Source
from .graph import Node
from .ops.shape import moveaxis
from .problem import Problem, located_evaluate, pose
from .results import Answer, Part, evaluated, one_expression
from .simplifier import simplify
from .solver import Question, Reply, Solver, failed
from .symbolic import numbers_in, too_large
from .targets import Target, as_input, direction_arrays, entries, seed_arrays, targets

COMMANDS = ("eval", "grad", "vjp", "jacobian", "hessian", "jvp", "hvp")
BUDGET = 5.0
"""Seconds that SymPy may take, unless told otherwise."""


def answer(
    command: str,
    expressions: Sequence[Source],
    inputs: Mapping[str, Any],
    *,
    wrt: str | Sequence[str] | None = None,
    seeds: Sequence[Any] | None = None,
    direction: Any = None,
    solver: Solver | None = None,
    budget: float = BUDGET,
) -> Answer:
    """The numbers of a command, and a check of them under way.

    Args:
        command: one of `COMMANDS`.
        expressions: the texts; only `grad`, `vjp` take several.
        inputs: arrays by name, float64 or bool.
        wrt: names, or entries such as `x[0]`; None is every differentiable input.
        seeds: cotangents, one for each expression or for each that is not a scalar.
        direction: the tangent of a jvp or the vector of an hvp: an array, or arrays by name.
        solver: the process that derives with SymPy; None: no check.
        budget: how many seconds SymPy may take.
    """
    if command == "eval":
        return evaluated(expressions, inputs)
    problem = pose(expressions, inputs)
    made = Answer(command=command, expressions=[source.text for source in expressions], notes=problem.notes)
    request = _Request(command, problem, made)
    wanted = targets(problem, wrt)
    _no_truth_values(problem)
    _COMPUTE[command](request, wanted, seeds, direction)
    if solver is not None:
        request.check(solver, wanted, budget)
    return made


@dataclass
class _Request:
    """A command being answered."""

    command: str
    problem: Problem
    made: Answer
    seeds: list[Any] = field(default_factory=list)
    directions: list[Any] = field(default_factory=list)

    def run(self, graphs: Mapping[Any, Node], before: Sequence[Node]) -> list[Any]:
        """Compute the values and the derivative's graphs in one plan; the rest of the results is returned."""
        outputs = self.problem.outputs
        found = located_evaluate([*outputs, *graphs.values(), *before], self.problem.values, self.problem.places)
        found = [np.array(one) for one in found]
        count = len(outputs)
        if count == 1:
            self.made.value, self.made.output_shape = found[0], outputs[0].shape
        self.made.derivative = dict(zip(graphs, found[count:], strict=False))
        return found[:count] + found[count + len(graphs) :]

    def set_seeds(self, seeds: Sequence[Any] | None) -> list[Node | None]:
        self.seeds = seed_arrays(self.problem, seeds)
        return [None if one is None else as_input(self.problem, f"seed {i}", one) for i, one in enumerate(self.seeds)]

    def set_directions(self, wanted: Sequence[Target], given: Any, what: str) -> list[Node]:
        self.directions = direction_arrays(self.problem, wanted, given, what)
        return [as_input(self.problem, f"{what} {i}", one) for i, one in enumerate(self.directions)]

    # the check ----------------------------------------------------------------------------------

    def check(self, solver: Solver, wanted: Sequence[Target], budget: float) -> None:
        problem = self.problem
        if (why := too_large(problem.outputs)) is not None:
            self.made.pending = lambda: self.settle(wanted, failed(why))
            return
        question = Question(
            command=self.command,
            texts=[(program.source.name, program.source.text) for program in problem.programs],
            values={name: problem.values[name] for name in problem.inputs},
            wrt=[target.label for target in wanted],
            seeds=self.seeds,
            directions=self.directions,
        )
        solver.ask(question, budget)
        self.made.pending = lambda: self.settle(wanted, solver.reply())

    def settle(self, wanted: Sequence[Target], reply: Reply) -> None:
        """Compare with SymPy's reply, or where it has none with differences."""
        labels = {key: _label(key) for key in self.made.derivative}
        verdict = compare({labels[key]: array for key, array in self.made.derivative.items()}, reply)
        if reply.failure is not None:
            verdict = self.differences(wanted, reply.failure)
        self.made.check = verdict
        self.made.symbolic = {key: reply.formulas[label] for key, label in labels.items() if label in reply.formulas}

    def differences(self, wanted: Sequence[Target], why: str) -> Verdict:
        """Where SymPy could not help: our derivative against differences along random directions."""
        problem = self.problem
        total = sum(np.size(array) for array in self.made.derivative.values())
        if any(target.places is not None for target in wanted):
            return Verdict(status="not checked", total=total, reason=why)
        names = [target.node.attrs["name"] for target in wanted]
        point = [problem.values[name] for name in names]
        function, slope = _DIFFERENCES[self.command](self, wanted)

        def moved(h: float, direction: Sequence[Any]) -> Any:
            values = dict(problem.values)
            values.update({name: at + h * v for name, at, v in zip(names, point, direction, strict=True)})
            return function(values)

        directions = [self.directions] if self.directions else random_directions(point, numbers_in(problem.outputs))
        return along(directions, moved, slope, total, why)


def _label(key: Any) -> str:
    return ", ".join(key) if isinstance(key, tuple) else str(key)


def _no_truth_values(problem: Problem) -> None:
    for output, program in zip(problem.outputs, problem.programs, strict=True):
        if output.boolean:
            span = program.statements[-1].span
            raise GradcalcError(
                "not-a-number",
                "the expression is true or false, so it has no derivative",
                labels=[Label(span)],
                helps=[f"count with it: `sum({span.text})`", "or choose with it: `where(condition, a, b)`"],
            )


# one function a command ---------------------------------------------------------------------------


def _grad(request: _Request, wanted: Sequence[Target], seeds: Sequence[Any] | None, _: Any) -> None:
    problem, made = request.problem, request.made
    cotangents = request.set_seeds(seeds)
    nodes = [target.node for target in wanted]
    each = [derivatives.gradient(output, seed, nodes) for output, seed in zip(problem.outputs, cotangents, strict=True)]
    parts = [[entries(g, target) for g, target in zip(row, wanted, strict=True)] for row in each]
    totals = parts[0] if len(parts) == 1 else [_total(column) for column in zip(*parts, strict=True)]
    labels = [target.label for target in wanted]
    count = len(problem.outputs)
    extra = [node for row in parts for node in row] if count > 1 else []
    found = request.run(dict(zip(labels, totals, strict=True)), extra)
    if count > 1:
        rows = [found[count + i * len(labels) : count + (i + 1) * len(labels)] for i in range(count)]
        made.parts = [
            Part(expression=text, value=value, gradients=dict(zip(labels, row, strict=True)))
            for text, value, row in zip(made.expressions, found, rows, strict=False)
        ]


def _total(nodes: Sequence[Node]) -> Node:
    total = nodes[0]
    for node in nodes[1:]:
        total = total + node
    return simplify([total])[0]


def _jacobian(request: _Request, wanted: Sequence[Target], seeds: Sequence[Any] | None, _: Any) -> None:
    output = one_expression(request.problem, request.command)
    found = derivatives.jacobian(output, [target.node for target in wanted])
    request.run({t.label: entries(partial, t) for t, partial in zip(wanted, found.partials, strict=True)}, [])
    passes = f"{found.passes} {found.mode} pass{'es' * (found.passes != 1)}"
    request.made.notes.append(
        f"{passes} at once, the fewer of {output.size} reverse and {sum(t.node.size for t in wanted)} forward"
    )


def _hessian(request: _Request, wanted: Sequence[Target], seeds: Sequence[Any] | None, _: Any) -> None:
    output = one_expression(request.problem, request.command)
    (seed,) = request.set_seeds(seeds)
    blocks = derivatives.hessian(output, seed, [target.node for target in wanted])
    graphs = {}
    for (i, j), block in blocks.items():
        a, b = wanted[i], wanted[j]
        columns = entries(block, b)
        graphs[a.label, b.label] = columns if a.places is None else _first_entries(columns, a)
    request.run(graphs, [])


def _first_entries(block: Node, target: Target) -> Node:
    """The rows of a Hessian block that belong to a target's entries."""
    ndim, rest = target.node.ndim, block.ndim - target.node.ndim
    turned = moveaxis(block, tuple(range(ndim)), tuple(range(rest, rest + ndim)))
    chosen = entries(turned, target)
    count = chosen.ndim - rest
    return moveaxis(chosen, tuple(range(rest, rest + count)), tuple(range(count)))


def _jvp(request: _Request, wanted: Sequence[Target], seeds: Sequence[Any] | None, direction: Any) -> None:
    output = one_expression(request.problem, request.command)
    tangents = request.set_directions(wanted, direction, "tangent")
    request.run({"jvp": derivatives.tangent(output, [target.node for target in wanted], tangents)}, [])


def _hvp(request: _Request, wanted: Sequence[Target], seeds: Sequence[Any] | None, direction: Any) -> None:
    output = one_expression(request.problem, request.command)
    (seed,) = request.set_seeds(seeds)
    vectors = request.set_directions(wanted, direction, "vector")
    products = derivatives.hessian_product(output, seed, [target.node for target in wanted], vectors)
    request.run(dict(zip((target.label for target in wanted), products, strict=True)), [])


_COMPUTE: dict[str, Callable[[_Request, Sequence[Target], Sequence[Any] | None, Any], None]] = {
    "grad": _grad,
    "vjp": _grad,
    "jacobian": _jacobian,
    "hessian": _hessian,
    "jvp": _jvp,
    "hvp": _hvp,
}

# what differences are taken of, and the slope they should have ------------------------------------

Function = Callable[[Mapping[str, Any]], Any]
Slope = Callable[[Sequence[Any]], Any]


def _weighed(request: _Request) -> Function:
    """The sum of the outputs, each weighed by its seed."""

    planned = plan(request.problem.outputs)

    def function(values: Mapping[str, Any]) -> Any:
        found = execute(planned, values)
        return sum(float(np.sum(y if seed is None else y * seed)) for y, seed in zip(found, request.seeds, strict=True))

    return function


def _pairing(request: _Request, wanted: Sequence[Target]) -> tuple[Function, Slope]:
    arrays = [request.made.derivative[target.label] for target in wanted]
    return _weighed(request), lambda direction: sum(
        float(np.sum(g * v)) for g, v in zip(arrays, direction, strict=True)
    )


def _output_function(request: _Request) -> Function:
    planned = plan(request.problem.outputs)
    return lambda values: execute(planned, values)[0]


def _rows(request: _Request, wanted: Sequence[Target]) -> tuple[Function, Slope]:
    arrays = [request.made.derivative[target.label] for target in wanted]

    def slope(direction: Sequence[Any]) -> Any:
        return sum(np.tensordot(j, v, v.ndim) for j, v in zip(arrays, direction, strict=True))

    return _output_function(request), slope


def _gradient_function(request: _Request, wanted: Sequence[Target]) -> Callable[[Mapping[str, Any]], list[Any]]:
    seed = None if request.seeds[0] is None else as_input(request.problem, "seed 0", request.seeds[0])
    graphs = derivatives.gradient(request.problem.outputs[0], seed, [target.node for target in wanted])
    planned = plan(graphs)
    return lambda values: execute(planned, values)


def _second(request: _Request, wanted: Sequence[Target]) -> tuple[Function, Slope]:
    """Differences of the gradient, flattened."""
    gradient = _gradient_function(request, wanted)
    blocks = request.made.derivative

    def slope(direction: Sequence[Any]) -> Any:
        rows = [
            sum(np.tensordot(blocks[a.label, b.label], v, v.ndim) for b, v in zip(wanted, direction, strict=True))
            for a in wanted
        ]
        return np.concatenate([np.ravel(row) for row in rows])

    return lambda values: np.concatenate([np.ravel(g) for g in gradient(values)]), slope


def _along_own(request: _Request, wanted: Sequence[Target]) -> tuple[Function, Slope]:
    """The outputs, whose slope along the request's own direction is the answer itself."""
    return _output_function(request), lambda direction: request.made.derivative["jvp"]


def _second_along_own(request: _Request, wanted: Sequence[Target]) -> tuple[Function, Slope]:
    """The gradient, whose slope along the request's own direction is the answer itself."""
    products = np.concatenate([np.ravel(request.made.derivative[target.label]) for target in wanted])
    gradient = _gradient_function(request, wanted)
    return lambda values: np.concatenate([np.ravel(g) for g in gradient(values)]), lambda direction: products


_DIFFERENCES: dict[str, Callable[[_Request, Sequence[Target]], tuple[Function, Slope]]] = {
    "grad": _pairing,
    "vjp": _pairing,
    "jacobian": _rows,
    "hessian": _second,
    "jvp": _along_own,
    "hvp": _second_along_own,
}
