"""A large elementwise problem cut down to a few places, so that it can be derived symbol by symbol.

Where every array is combined place by place, and only sums and their multiples follow, the derivative by
one entry involves that entry's place alone. Then the same expression on a few places has the same
derivatives there: `sum(f(x))` over millions of entries is checked at eight.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from .graph import Node, Shape, constant, is_constant, is_input, node, toposort, variable
from .ops.arithmetic import add, divide, multiply, negative, subtract
from .ops.reduce import sum
from .ops.shape import broadcast_to as stretch

COUNT = 8
"""How many places are kept."""


def places(size: int) -> Any:
    """The places of a raveled array that are kept: both ends, and some between by a fixed generator."""
    inside = np.random.default_rng(0).choice(size - 2, size=COUNT - 2, replace=False) + 1
    return np.sort(np.concatenate([[0], inside, [size - 1]]))


def thinned(outputs: Sequence[Node], shape: Shape, kept: Any) -> list[Node] | None:
    """The outputs with arrays of `shape` cut down to the places `kept`; None if places do not stay apart.

    Inputs of that shape become inputs of shape `kept.shape` under the same names. Sums become partial
    sums, so values change, but derivatives at the kept places do not.
    """
    new: dict[Node, Node] = {}
    totals: set[Node] = set()  # scalars that sums over the places have entered, so far only by addition
    for one in toposort(outputs):
        made = _thinned(one, shape, kept, new, totals)
        if made is None:
            return None
        new[one] = made
    return [new[one] for one in outputs]


def _thinned(one: Node, shape: Shape, kept: Any, new: Mapping[Node, Node], totals: set[Node]) -> Node | None:
    inputs = [new[below] for below in one.inputs]
    if one.shape not in ((), shape):
        return None
    if is_input(one):
        return one if one.shape == () else variable(one.attrs["name"], kept.shape, boolean=one.boolean)
    if is_constant(one):
        return one if one.shape == () else constant(one.attrs["value"].data.ravel()[kept])
    if one.op is sum and one.inputs[0].shape == shape and one.shape == ():
        totals.add(one)
        return sum(inputs[0])
    if one.op is stretch and one.inputs[0].shape == () and one.inputs[0] not in totals:
        return stretch(inputs[0], kept.shape)
    if not one.op.elementwise:
        return None
    if any(below in totals for below in one.inputs):
        if not _is_multiple_or_sum(one, totals):
            return None
        totals.add(one)
    return node(one.op, inputs, one.attrs)


def _is_multiple_or_sum(one: Node, totals: Collection[Node]) -> bool:
    """Whether a scalar made of totals changes with each in proportion, by a factor that no entry enters."""
    if one.op in (add, subtract, negative):
        return one.shape == ()
    if one.op is multiply:
        factor = next((below for below in one.inputs if below not in totals), None)
        return factor is not None and is_constant(factor)
    return one.op is divide and is_constant(one.inputs[1])
