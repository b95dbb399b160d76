"""Plan to numbers, with NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, is_input, toposort
from .planner import Plan, Step, plan


def evaluate(outputs: Sequence[Node], values: Mapping[str, Any]) -> list[Any]:
    """The outputs as NumPy arrays, given the inputs by name."""
    return execute(plan(outputs), values)


def execute(planned: Plan, values: Mapping[str, Any]) -> list[Any]:
    """Run a plan: the outputs as new NumPy arrays, in order.

    An input without a value, a singular matrix, or too little memory raises GradcalcError; its
    `origin` is the node concerned. Overflow and the like give inf and nan without a word.
    """
    slots: list[Any] = [None] * planned.slots
    for place, data in planned.constants:
        slots[place] = data
    for place, name in planned.inputs:
        if name not in values:
            raise GradcalcError("missing-input", f"`{name}` has no value")
        slots[place] = values[name]
    with np.errstate(all="ignore"):
        for run in planned.runs:
            for step in run.steps:
                slots[step.writes] = _compute(step, slots)
                for place in step.frees:
                    slots[place] = None
    return [np.array(slots[place]) for place in planned.outputs]  # never the caller's memory, nor a view


class Known:
    """The numbers of nodes at given inputs, asked for one after the other: what is known is not computed again."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._found: dict[Node, Any] = {}

    def __call__(self, wanted: Node) -> Any:
        """A node's numbers, which the caller must not change."""
        found = self._found
        with np.errstate(all="ignore"):
            for one in toposort([wanted], lambda one: one not in found):
                if one in found:
                    continue
                if is_input(one):
                    found[one] = self._values[one.attrs["name"]]
                else:
                    found[one] = _applied(one, [found[below] for below in one.inputs], one.attrs)
        return found[wanted]


def _compute(step: Step, slots: list[Any]) -> Any:
    arguments = [slots[place] for place in step.reads]
    return _applied(step.node, arguments, step.node.attrs if step.over is None else {"out": slots[step.over]})


def _applied(node: Node, arguments: list[Any], attrs: Mapping[str, Any]) -> Any:
    """An operation's value; what its kernel refuses only at these numbers becomes an error of ours."""
    try:
        return node.op.kernel(*arguments, **attrs)
    except np.linalg.LinAlgError as error:
        raise _unsolvable(node, str(error)) from None
    except (ValueError, TypeError, IndexError, OverflowError) as error:  # what a kernel refuses only at its numbers
        message = f"`{node.op.name}` cannot be computed here"
        raise GradcalcError("computation", message, notes=[str(error)], origin=node) from None
    except MemoryError:
        raise GradcalcError(
            "too-large", f"there is not enough memory for an array of shape {node.shape}", origin=node, limit=True
        ) from None


def _unsolvable(node: Node, why: str) -> GradcalcError:
    if "positive definite" in why.lower():
        return GradcalcError(
            "not-positive-definite",
            f"`{node.op.name}` needs a positive definite matrix, and this one is not",
            origin=node,
        )
    if "singular" in why.lower():
        notes = ["its rows are linearly dependent, so it has no inverse"]
        return GradcalcError("singular-matrix", f"`{node.op.name}` of a singular matrix", origin=node, notes=notes)
    return GradcalcError("no-convergence", f"`{node.op.name}` did not converge on this matrix", origin=node)
