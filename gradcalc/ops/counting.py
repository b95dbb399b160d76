"""Reductions of truth values, and the range from the smallest element to the largest."""

from __future__ import annotations

from ..graph import Kink, Node
from .arithmetic import equal, greater, logical_and, logical_not, logical_or, not_equal
from .kinds import Axis, broadcast_to, derived
from .reduce import max, min, sum


def _truth(x: Node, mask: Node | None = None, fill: bool = False) -> Node:
    """Where elements are true: not 0; those that a mask leaves out count as `fill` says."""
    true = x if x.boolean else not_equal(x, 0)
    if mask is None:
        return true
    mask = broadcast_to(mask, x.shape)
    return logical_or(true, logical_not(mask)) if fill else logical_and(true, mask)


@derived("any(x > 0)", "any(x > 1, axis=1) | x=2,3", "any(x, axis=0, keepdims=True, where=y > 0) | x=2,3 y=2,3")
def any(x: Node, axis: Axis = None, keepdims: bool = False, where: Node | None = None) -> Node:
    """Whether an element is true (not 0), over all axes or the given ones."""
    return greater(sum(_truth(x, where), axis, keepdims), 0)


@derived("all(x > 0)", "all(x > -1, axis=1) | x=2,3", "all(x, axis=0, keepdims=True, where=y > 0) | x=2,3 y=2,3")
def all(x: Node, axis: Axis = None, keepdims: bool = False, where: Node | None = None) -> Node:
    """Whether every element is true (not 0), over all axes or the given ones."""
    return equal(sum(logical_not(_truth(x, where, True)), axis, keepdims), 0)


@derived("count_nonzero(x > 0) | x=2,3", "count_nonzero(x, axis=1, keepdims=True) | x=2,3")
def count_nonzero(x: Node, axis: Axis = None, keepdims: bool = False) -> Node:
    """How many elements are not 0; a whole number, so without derivative."""
    counted: Node = sum(_truth(x), axis, keepdims)
    return counted


@derived(
    "ptp(x) | x=2,3",
    "ptp(x, axis=1, keepdims=True) | x=2,3",
    kink=Kink(at="several elements are largest or smallest", takes="an even share for each"),
)
def ptp(x: Node, axis: Axis = None, keepdims: bool = False) -> Node:
    """The largest element less the smallest, over all axes or the given ones."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)
