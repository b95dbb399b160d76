"""An answer as plain data that any renderer can show, and the one that needs no derivative: the value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import GradcalcError, Label
from .graph import Node
from .language.syntax import Program
from .problem import Problem, located_evaluate, pose

if TYPE_CHECKING:
    from .checker import Verdict
    from .solver import Formula


@dataclass(frozen=True, kw_only=True)
class Part:
    """One of several expressions that accumulate: its text, value and gradients."""

    expression: str
    value: Any
    gradients: dict[str, Any]


@dataclass(kw_only=True)
class Answer:
    """All that a command shows.

    Attributes:
        command: the verb.
        expressions: the texts.
        value: the value of the one expression; None where several accumulate.
        parts: where several accumulate, each by itself.
        derivative: arrays by label: gradients of the inputs' shapes (grad, vjp, hvp), Jacobians of shape
            out + in, the tangent under the label `jvp`; for a Hessian by pairs of labels, of shape in + in.
        output_shape: the shape of the one expression's value.
        symbolic: SymPy's formulas, by the same labels.
        check: the verdict; None until settled, or where there is nothing to check.
        points: special points of the inputs.
        notes: what the reader should know about how the answer came about.
    """

    command: str
    expressions: list[str]
    value: Any = None
    parts: list[Part] = field(default_factory=list)
    derivative: dict[Any, Any] = field(default_factory=dict)
    output_shape: tuple[int, ...] = ()
    symbolic: dict[Any, Formula] = field(default_factory=dict)
    check: Verdict | None = None
    points: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pending: Callable[[], None] | None = None

    def has_nan_value(self) -> bool:
        """Whether the expression itself, or one of several, is nan somewhere."""
        return any(bool(np.isnan(value).any()) for value in self._values())

    def has_infinite_value(self) -> bool:
        """Whether the expression itself, or one of several, is infinite somewhere."""
        return any(bool(np.isinf(value).any()) for value in self._values())

    def _values(self) -> list[Any]:
        return [part.value for part in self.parts] if self.parts else [self.value]

    def settle(self) -> Answer:
        """Wait for the check, if there is one under way."""
        pending, self.pending = self.pending, None
        if pending is not None:
            pending()
        return self


def evaluated(programs: list[Program], inputs: Mapping[str, Any]) -> Answer:
    """The value of one expression."""
    problem = pose(programs, inputs)
    output = one_expression(problem, "eval")
    (value,) = located_evaluate([output], problem.values, problem.places)
    texts = [program.source.text for program in programs]
    return Answer(command="eval", expressions=texts, value=value, output_shape=output.shape, notes=problem.notes)


def one_expression(problem: Problem, command: str) -> Node:
    """The output of a problem that may have one only."""
    if len(problem.outputs) > 1:
        span = problem.spans[1]
        raise GradcalcError(
            "too-many-expressions",
            f"`{command}` takes one expression, got {len(problem.outputs)}",
            labels=[Label(span)],
            helps=["`grad` adds up the gradients of several"],
        )
    return problem.outputs[0]
