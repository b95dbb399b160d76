"""Places that numbers decide: the order of an array, the knots around a point, the cell a coordinate is in.

They are indices, so they have no derivative; what is gathered with them has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node
from .kinds import general, with_shape


@general(
    kernel=lambda x: np.argsort(x, -1, kind="stable").astype(np.float64),
    shape=lambda x: x.shape,
    vjp=lambda g, y, x: (None,),
    flat=(0,),
    examples=("order(x) | x=3", "order(x) | x=2,4"),
)
def order(x: Node) -> Any:
    """The places of the elements from the smallest to the largest, along the last axis."""
    if x.ndim == 0:
        raise GradcalcError("shape", "a number has no order", operands=[with_shape(x)])
    return (x,), {}


@general(
    kernel=lambda x, knots: np.clip(np.searchsorted(knots, x, "right"), 1, len(knots) - 1).astype(np.float64),
    shape=lambda x, knots: x.shape,
    vjp=lambda g, y, x, knots: (None, None),
    flat=(0, 1),
    examples=("knot_above(x, [-1, 0, 1]) | x=3",),
)
def knot_above(x: Node, knots: Node) -> Any:
    """The first of at least two rising knots above each element; the second or last outside them."""
    if knots.ndim != 1 or knots.size < 2:
        raise GradcalcError("shape", "`knot_above` needs two knots or more", operands=[with_shape(knots)])
    return (x, knots), {}


@general(
    # What is no number is in no cell; outside any array it is, as a large number is.
    kernel=lambda x: np.where(np.abs(x) < 2.0**52, np.floor(x), -(2.0**52)),
    shape=lambda x: x.shape,
    vjp=lambda g, y, x: (None,),
    flat=(0,),
    examples=("cell(x)",),
)
def cell(x: Node) -> Any:
    """The largest whole number not above a coordinate, as an index."""
    return (x,), {}


@general(
    kernel=lambda x, length: np.clip(np.nan_to_num(np.floor(x)), 0.0, length - 1.0),
    shape=lambda x, length: x.shape,
    vjp=lambda g, y, x, length: (None,),
    flat=(0,),
    examples=("place(x, 3)", "place(10*x, 4) | x=6"),
)
def place(x: Node, length: int) -> Any:
    """The whole number below each element, or the nearest that is a place of an axis of a length: a safe index."""
    if length < 1:
        raise GradcalcError("shape", "an axis of length 0 has no places", operands=[with_shape(x)])
    return (x,), {"length": length}
