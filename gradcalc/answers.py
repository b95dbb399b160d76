"""A request to an answer: what every command that differentiates does.

`answer` computes the numbers and starts the check; `Answer.settle` waits for it, so that a caller may show
the numbers first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import derivatives
from .cross_check import Case, start
from .errors import GradcalcError, Label
from .graph import Node
from .language.syntax import Program
from .ops.shape import moveaxis
from .problem import Problem, located_evaluate, pose
from .results import Answer, Part, evaluated, one_expression
from .simplifier import simplify
from .solver import Solver
from .targets import Target, as_input, direction_arrays, entries, seed_arrays, targets

COMMANDS = ("eval", "grad", "vjp", "jacobian", "hessian", "jvp", "hvp")
BUDGET = 5.0
"""Seconds that SymPy may take, unless told otherwise."""


def answer(
    command: str,
    programs: list[Program],
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
        programs: the expressions, read; only `grad`, `vjp` take several.
        inputs: arrays by name, float64 or bool.
        wrt: names, or entries such as `x[0]`; None is every differentiable input.
        seeds: cotangents, one for each expression or for each that is not a scalar.
        direction: the tangent of a jvp or the vector of an hvp: an array, or arrays by name.
        solver: the process that derives with SymPy; None: no check.
        budget: how many seconds SymPy may take.
    """
    if command not in COMMANDS:
        raise GradcalcError("usage", f"there is no command `{command}`", helps=[f"it may be {', '.join(COMMANDS)}"])
    if command == "eval":
        return evaluated(programs, inputs)
    problem = pose(programs, inputs)
    made = Answer(command=command, expressions=[program.source.text for program in programs], notes=problem.notes)
    request = _Request(command, problem, made)
    wanted = targets(problem, wrt)
    _no_truth_values(problem)
    _COMPUTE[command](request, wanted, seeds, direction)
    if solver is not None:
        case = Case(problem, command, wanted, request.seeds, request.directions, request.graphs)
        made.pending = start(case, made, solver, budget)
    return made


@dataclass
class _Request:
    """A command being answered."""

    command: str
    problem: Problem
    made: Answer
    seeds: list[Any] = field(default_factory=list)
    directions: list[Any] = field(default_factory=list)
    graphs: Mapping[Any, Node] = field(default_factory=dict)

    def run(self, graphs: Mapping[Any, Node], before: Sequence[Node]) -> list[Any]:
        """Compute the values and the derivative's graphs in one plan; the rest of the results is returned."""
        self.graphs = graphs
        outputs = self.problem.outputs
        found = located_evaluate([*outputs, *graphs.values(), *before], self.problem.values, self.problem.places)
        count = len(outputs)
        if count == 1:
            self.made.value, self.made.output_shape = found[0], outputs[0].shape
        self.made.derivative = dict(zip(graphs, found[count:], strict=False))
        return found[:count] + found[count + len(graphs) :]

    def set_seeds(self, seeds: Sequence[Any] | None) -> list[Node | None]:
        what = "Hessian" if self.command in ("hessian", "hvp") else "gradient"
        self.seeds = seed_arrays(self.problem, seeds, what)
        return [None if one is None else as_input(self.problem, f"seed {i}", one) for i, one in enumerate(self.seeds)]

    def set_directions(self, wanted: Sequence[Target], given: Any, what: str) -> list[Node]:
        self.directions = direction_arrays(self.problem, wanted, given, what)
        return [as_input(self.problem, f"{what} {i}", one) for i, one in enumerate(self.directions)]


def _no_truth_values(problem: Problem) -> None:
    for output, span in zip(problem.outputs, problem.spans, strict=True):
        if output.boolean:
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
    columns = sum(target.node.size for target in wanted)
    if output.size > 1 or columns > 1:
        request.made.notes.append(
            f"{found.mode} mode, {found.passes} passes at once (reverse: {output.size}, forward: {columns})"
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
