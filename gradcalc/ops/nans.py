"""Reductions that leave out what is not a number."""

from __future__ import annotations

import math

from ..graph import Kink, Node
from .arithmetic import equal, isnan, less_equal, logical_and, logical_not
from .arithmetic import where as select
from .kinds import Axis, broadcast_to, derived
from .reduce import argmax, argmin, cumprod, cumsum, max, mean, min, prod, std, sum, var

_EXTREME = Kink(at="several elements are the extreme", takes="an even share for each")


def _kept(x: Node, mask: Node | None) -> Node:
    """Where elements count: they are numbers, and a mask marks them."""
    numbers: Node = logical_not(isnan(x))
    return numbers if mask is None else logical_and(numbers, broadcast_to(mask, x.shape))


def _without(x: Node, fill: float) -> Node:
    return select(isnan(x), fill, x)


@derived("nansum(x + [0, nan, 0, 0]) | x=4", "nansum(x, axis=1, keepdims=True) | x=2,3")
def nansum(
    x: Node, axis: Axis = None, keepdims: bool = False, initial: Node | None = None, where: Node | None = None
) -> Node:
    """Sum of the elements that are not nan."""
    total: Node = sum(_without(x, 0.0), axis, keepdims, initial, where)
    return total


@derived("nanprod(x + [0, nan, 0, 0]) | x=4", "nanprod(x, axis=1, keepdims=True) | x=2,3")
def nanprod(
    x: Node, axis: Axis = None, keepdims: bool = False, initial: Node | None = None, where: Node | None = None
) -> Node:
    """Product of the elements that are not nan."""
    whole: Node = prod(_without(x, 1.0), axis, keepdims, initial, where)
    return whole


@derived(
    "nanmean(x + [0, nan, 0, 0]) | x=4",
    "nanmean(x, axis=1, keepdims=True) | x=2,3",
    "nanmean(x, where=y > -1) | x=4 y=4",
)
def nanmean(x: Node, axis: Axis = None, keepdims: bool = False, where: Node | None = None) -> Node:
    """Mean of the elements that are not nan."""
    return mean(x, axis, keepdims, _kept(x, where))


def _nan_where_few(value: Node, x: Node, axis: Axis, keepdims: bool, mask: Node, ddof: float) -> Node:
    """NumPy's nan where there are no more numbers than are taken off their count."""
    return select(less_equal(sum(mask, axis, keepdims), ddof), math.nan, value)


@derived(
    "nanvar(x + [0, nan, 0, 0]) | x=4",
    "nanvar(x, axis=1, ddof=1, keepdims=True) | x=2,3",
    "nanvar(x, mean=y, correction=1) | x=3 y=1",
)
def nanvar(
    x: Node,
    axis: Axis = None,
    ddof: float = 0,
    keepdims: bool = False,
    where: Node | None = None,
    mean: Node | None = None,
    correction: float | None = None,
) -> Node:
    """Variance of the elements that are not nan."""
    off = ddof if correction is None else correction
    mask = _kept(x, where)
    return _nan_where_few(var(x, axis, off, keepdims, mask, mean), x, axis, keepdims, mask, off)


@derived(
    "nanstd(x + [0, nan, 0, 0]) | x=4",
    "nanstd(x, axis=1, ddof=1, keepdims=True) | x=2,3",
    "nanstd(x, mean=y, correction=1) | x=3 y=1",
    kink=Kink(at="all elements are equal", takes="0"),
)
def nanstd(
    x: Node,
    axis: Axis = None,
    ddof: float = 0,
    keepdims: bool = False,
    where: Node | None = None,
    mean: Node | None = None,
    correction: float | None = None,
) -> Node:
    """Standard deviation of the elements that are not nan."""
    off = ddof if correction is None else correction
    mask = _kept(x, where)
    return _nan_where_few(std(x, axis, off, keepdims, mask, mean), x, axis, keepdims, mask, off)


def _or_nan(value: Node, x: Node, axis: Axis, keepdims: bool) -> Node:
    """A value, or nan where nothing but nan was reduced."""
    return select(equal(sum(_kept(x, None), axis, keepdims), 0), math.nan, value)


@derived(
    "nanmax(x + [0, nan, 0, 0]) | x=4",
    "nanmax(x, axis=1, keepdims=True) | x=2,3",
    "nanmax(x, initial=1, where=y > 0) | x=3 y=3",
    kink=_EXTREME,
)
def nanmax(
    x: Node, axis: Axis = None, keepdims: bool = False, initial: Node | None = None, where: Node | None = None
) -> Node:
    """The largest of the elements that are not nan."""
    value: Node = max(_without(x, -math.inf), axis, keepdims, initial, where)
    return _or_nan(value, x, axis, keepdims) if initial is None else value


@derived(
    "nanmin(x + [0, nan, 0, 0]) | x=4",
    "nanmin(x, axis=1, keepdims=True) | x=2,3",
    "nanmin(x, initial=1, where=y > 0) | x=3 y=3",
    kink=_EXTREME,
)
def nanmin(
    x: Node, axis: Axis = None, keepdims: bool = False, initial: Node | None = None, where: Node | None = None
) -> Node:
    """The smallest of the elements that are not nan."""
    value: Node = min(_without(x, math.inf), axis, keepdims, initial, where)
    return _or_nan(value, x, axis, keepdims) if initial is None else value


@derived("nanargmax(x + [0, nan, 0, 0]) | x=4", "nanargmax(x, axis=1, keepdims=True) | x=2,3")
def nanargmax(x: Node, axis: int | None = None, keepdims: bool = False) -> Node:
    """The place of the largest element that is not nan; nan where all are."""
    return _or_nan(argmax(_without(x, -math.inf), axis, keepdims), x, axis, keepdims)


@derived("nanargmin(x + [0, nan, 0, 0]) | x=4", "nanargmin(x, axis=1, keepdims=True) | x=2,3")
def nanargmin(x: Node, axis: int | None = None, keepdims: bool = False) -> Node:
    """The place of the smallest element that is not nan; nan where all are."""
    return _or_nan(argmin(_without(x, math.inf), axis, keepdims), x, axis, keepdims)


@derived("nancumsum(x + [0, nan, 0, 0]) | x=4", "nancumsum(x, axis=0) | x=2,3")
def nancumsum(x: Node, axis: int | None = None) -> Node:
    """Running sum of the elements that are not nan."""
    total: Node = cumsum(_without(x, 0.0), axis)
    return total


@derived("nancumprod(x + [0, nan, 0, 0]) | x=4", "nancumprod(x, axis=0) | x=2,3")
def nancumprod(x: Node, axis: int | None = None) -> Node:
    """Running product of the elements that are not nan."""
    whole: Node = cumprod(_without(x, 1.0), axis)
    return whole
