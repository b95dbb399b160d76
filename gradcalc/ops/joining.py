"""Joining arrays, along an axis they have or a new one, and repeating them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, as_node
from .indexing import element, pick, segment
from .kinds import Lengths, derived, linear, moved_kind, negative_axis, with_shape
from .shape import broadcast_to, ravel, reshape


def _joined(*xs: Node, axis: int) -> Shape:
    first = xs[0]
    for x in xs:
        same_rank = x.ndim == first.ndim
        if not same_rank or any(
            a != b for i, (a, b) in enumerate(zip(first.shape, x.shape, strict=True)) if i - x.ndim != axis
        ):
            raise GradcalcError(
                "shape",
                f"cannot join shapes {first.shape} and {x.shape} along axis {axis + first.ndim}",
                operands=[with_shape(first), with_shape(x)],
                notes=["all axes but the joined one must have equal lengths"],
            )
    length = sum(x.shape[axis] for x in xs)
    return tuple(length if i - first.ndim == axis else n for i, n in enumerate(first.shape))


def _split(g: Node, *xs: Node, axis: int) -> tuple[Node, ...]:
    parts, start = [], 0
    for x in xs:
        parts.append(segment(g, axis, start, start + x.shape[axis]))
        start += x.shape[axis]
    return tuple(parts)


@linear(
    kernel=lambda *xs, axis: np.concatenate(xs, axis),
    shape=_joined,
    transpose=_split,
    boolean=moved_kind,
    examples=("concatenate([x, y]) | x=3 y=2", "concatenate([x, y], axis=1) | x=2,3 y=2,1"),
    spellings=("concat", "cat"),
)
def concatenate(arrays: Sequence[Node], axis: int | None = 0) -> Any:
    """Arrays joined along an axis that they have."""
    nodes = [as_node(one) for one in arrays]
    if not nodes:
        raise GradcalcError("arguments", "there is nothing to join: the list is empty")
    if axis is None:
        nodes, axis = [ravel(one) for one in nodes], 0
    if nodes[0].ndim == 0:
        raise GradcalcError("shape", "numbers without an axis cannot be joined", helps=["put them in a list: `[x, y]`"])
    return nodes, {"axis": negative_axis(axis, nodes[0].ndim)}


def _stacked(*xs: Node, axis: int) -> Shape:
    first = xs[0]
    for x in xs:
        if x.shape != first.shape:
            raise GradcalcError(
                "shape",
                f"cannot stack shapes {first.shape} and {x.shape}: all must be equal",
                operands=[with_shape(first), with_shape(x)],
            )
    place = axis + first.ndim + 1
    return (*first.shape[:place], len(xs), *first.shape[place:])


@linear(
    kernel=lambda *xs, axis: np.stack(xs, axis),
    shape=_stacked,
    transpose=lambda g, *xs, axis: tuple(element(g, axis, i) for i in range(len(xs))),
    boolean=moved_kind,
    examples=(
        "stack([x, y]) | x=3 y=3",
        "stack([x, y], axis=1) | x=2,3 y=2,3",
        "[x, 2*x] | x=3",
        "[[x, y], [y, 1]] | x= y=",
    ),
)
def stack(arrays: Sequence[Node], axis: int = 0) -> Any:
    """Arrays of one shape joined along a new axis."""
    nodes = [as_node(one) for one in arrays]
    if not nodes:
        raise GradcalcError("arguments", "there is nothing to stack: the list is empty")
    return nodes, {"axis": negative_axis(axis, nodes[0].ndim + 1)}


def at_least(x: Node, ndim: int) -> Node:
    """An array with axes of length 1 in front, so that it has at least so many."""
    return x if x.ndim >= ndim else reshape(x, (1,) * (ndim - x.ndim) + x.shape)


@derived("hstack([x, y]) | x=3 y=2", "hstack([x, y]) | x=2,3 y=2,1")
def hstack(arrays: Sequence[Node]) -> Node:
    """Arrays joined side by side: along axis 1, or end to end for vectors."""
    nodes = [at_least(as_node(one), 1) for one in arrays]
    return concatenate(nodes, axis=0 if nodes and nodes[0].ndim == 1 else 1)


@derived("vstack([x, y]) | x=3 y=3", "vstack([x, y]) | x=2,3 y=1,3", spellings=("row_stack",))
def vstack(arrays: Sequence[Node]) -> Node:
    """Arrays joined one below the other; vectors become rows."""
    return concatenate([at_least(as_node(one), 2) for one in arrays], axis=0)


@derived("tile(x, 2) | x=3", "tile(x, (2, 3)) | x=2,3", "tile(x, (2, 1)) | x=3")
def tile(x: Node, reps: Lengths) -> Node:
    """The array repeated as a whole, along each axis as often as told."""
    times = (reps,) if isinstance(reps, int) else tuple(reps)
    x = at_least(x, len(times))
    times = (1,) * (x.ndim - len(times)) + times
    paired = reshape(x, tuple(n for length in x.shape for n in (1, length)))
    wide = broadcast_to(paired, tuple(n for pair in zip(times, x.shape, strict=True) for n in pair))
    return reshape(wide, tuple(t * n for t, n in zip(times, x.shape, strict=True)))


@derived(
    "repeat(x, 2) | x=2,3",
    "repeat(x, 3, axis=0) | x=2,3",
    "repeat(x, (1, 0, 2)) | x=3",
    "repeat(x, (2, 1), axis=0) | x=2,3",
    spellings=("repeat_interleave",),
)
def repeat(x: Node, repeats: int | tuple[int, ...], axis: int | None = None) -> Node:
    """Each element repeated in place, along an axis or along the raveled array."""
    if axis is None:
        x, axis = ravel(x), 0
    along = negative_axis(axis, x.ndim) + x.ndim
    times = np.broadcast_to(repeats, x.shape[along])
    places = np.repeat(np.arange(x.shape[along]), times)
    return pick(x, along, places)
