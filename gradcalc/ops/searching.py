"""Places in sorted arrays: whole numbers, so without derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node
from .kinds import derived, general
from .order import along


def _search(a: Any, v: Any, side: Any) -> Any:
    if np.ndim(a) == 1:
        return np.asarray(np.searchsorted(a, v, side), np.float64)
    out = np.zeros(np.shape(v))
    for at in np.ndindex(*np.shape(a)[:-1]):
        out[at] = np.searchsorted(a[at], v[at], side)
    return out


@general(
    kernel=_search,
    shape=lambda a, v, side: v.shape,
    vjp=lambda g, y, a, v, side: (None, None),
    flat=(0, 1),
    kink=Kink(at="an element equals one of the sorted", takes="0"),
    examples=(
        "searchsorted([-1, 0, 1], x) | x=3",
        "searchsorted([-1, 0, 1], x, side='right') | x=2,2",
        "searchsorted(sort(y), x) | y=3 x=",
        "searchsorted(y, x, sorter=argsort(y)) | y=3 x=",
    ),
)
def searchsorted(a: Node, v: Node, side: str = "left", sorter: Node | None = None) -> Any:
    """Where elements would be put into a sorted array to keep it sorted; whole numbers, so without derivative."""
    if side not in ("left", "right"):
        raise GradcalcError("arguments", f"`side` is 'left' or 'right', not {side!r}")
    if sorter is not None:
        a = along(a, sorter, -1)
    if a.ndim < 1 or (a.ndim > 1 and a.shape[:-1] != v.shape[:-1]):
        message = f"cannot search an array of shape {a.shape} for elements of shape {v.shape}"
        raise GradcalcError("shape", message, notes=["all axes but the last must be equal, or the array a vector"])
    return (a, v), {"side": side}


@derived(
    "torch.searchsorted([-1., 0, 1], x) | x=3",
    "torch.searchsorted([[-1., 0, 1], [0, 1, 2]], x, right=True) | x=2,2",
    name="torch.searchsorted",
)
def torch_searchsorted(
    sorted_sequence: Node,
    input: Node,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Node | None = None,
) -> Node:
    """Where elements would be put into a sorted array (or each row of one) to keep it sorted."""
    return searchsorted(sorted_sequence, input, side or ("right" if right else "left"), sorter)


@derived(
    "torch.bucketize(x, [-1., 0, 1]) | x=3", "torch.bucketize(x, [-1., 0, 1], right=True) | x=2,2", name="bucketize"
)
def bucketize(input: Node, boundaries: Node, out_int32: bool = False, right: bool = False) -> Node:
    """The number of the interval between boundaries in which each element lies; a whole number, so flat."""
    return searchsorted(boundaries, input, "right" if right else "left")


@general(
    kernel=lambda x, bins, right: np.asarray(np.digitize(np.asarray(x, float), np.asarray(bins, float), right), float),
    shape=lambda x, bins, right: x.shape,
    vjp=lambda g, y, x, bins, right: (None, None),
    flat=(0, 1),
    examples=("digitize(x, [-1, 0, 1]) | x=3", "digitize(x, [1, 0, -1], right=True) | x=2,2"),
)
def digitize(x: Node, bins: Node, right: bool = False) -> Any:
    """The number of the bin, of bins that rise or fall, in which each element lies; a whole number, so flat."""
    return (x, bins), {"right": right}
