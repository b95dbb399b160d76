"""Graph to plan: the order of steps, which of them form elementwise runs, and when each buffer is free.

A plan knows shapes, never numbers. Every value lives in a slot; a step reads slots and writes one. An
elementwise step may write over the buffer of an input that nobody needs any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..graph import Node, Shape, is_constant, is_input, toposort


class Step(NamedTuple):
    """One operation: the node it computes, the slots it reads and writes, the slots free afterwards.

    `over` is the slot whose buffer it may write over, or None.
    """

    node: Node
    reads: tuple[int, ...]
    writes: int
    frees: tuple[int, ...]
    over: int | None


class Run(NamedTuple):
    """Steps that follow each other; of an elementwise run all have the same shape."""

    steps: tuple[Step, ...]
    elementwise: bool
    shape: Shape


class Plan(NamedTuple):
    """All that is needed to compute some outputs from named inputs, any number of times."""

    runs: tuple[Run, ...]
    slots: int
    constants: tuple[tuple[int, Any], ...]
    inputs: tuple[tuple[int, str], ...]
    outputs: tuple[int, ...]


def plan(outputs: Sequence[Node]) -> Plan:
    """The plan that computes the outputs, in linear time."""
    order = toposort(outputs)
    slot = {one: i for i, one in enumerate(order)}
    last_use = {below: i for i, one in enumerate(order) for below in one.inputs}
    last_use.update((one, len(order)) for one in outputs)
    private = _private(order, outputs)
    steps: list[Step] = []
    for i, one in enumerate(order):
        if is_constant(one) or is_input(one):
            continue
        dying = [below for below in dict.fromkeys(one.inputs) if last_use[below] == i]
        over = next((slot[below] for below in dying if _fits(one, below, private)), None)
        steps.append(
            Step(
                one, tuple(slot[below] for below in one.inputs), slot[one], tuple(slot[below] for below in dying), over
            )
        )
    return Plan(
        runs=tuple(_runs(steps)),
        slots=len(order),
        constants=tuple((slot[one], one.attrs["value"].data) for one in order if is_constant(one)),
        inputs=tuple((slot[one], one.attrs["name"]) for one in order if is_input(one)),
        outputs=tuple(slot[one] for one in outputs),
    )


def _private(order: Sequence[Node], outputs: Sequence[Node]) -> set[Node]:
    """Nodes whose buffer is a ufunc's own and which only ufuncs read: nothing else shares its memory."""
    private = {one for one in order if one.op.elementwise and isinstance(one.op.kernel, np.ufunc)}
    private.difference_update(outputs)
    for one in order:
        if not (one.op.elementwise and isinstance(one.op.kernel, np.ufunc)):  # it may return its input, or a view
            private.difference_update(one.inputs)
    return private


def _fits(one: Node, below: Node, private: set[Node]) -> bool:
    """Whether a step may write over the buffer of an input: same shape and kind, an array, shared with nobody."""
    return (
        below in private
        and isinstance(one.op.kernel, np.ufunc)
        and one.shape == below.shape != ()
        and not one.boolean
        and not below.boolean
    )


def _runs(steps: Sequence[Step]) -> list[Run]:
    runs: list[Run] = []
    group: list[Step] = []
    for step in steps:
        node = step.node
        if group and not (node.op.elementwise and group[-1].node.op.elementwise and node.shape == group[-1].node.shape):
            runs.append(_run(group))
            group = []
        group.append(step)
    return [*runs, _run(group)] if group else runs


def _run(group: list[Step]) -> Run:
    first = group[0].node
    return Run(tuple(group), first.op.elementwise, first.shape)
