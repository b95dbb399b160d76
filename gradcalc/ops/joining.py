"""Joining arrays, along an axis they have or a new one, and repeating them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, as_node
from .indexing import element, pick, segment
from .kinds import Arrays, Lengths, derived, linear, moved_kind, negative_axis, with_shape, zeros
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


@derived("dstack([x, y]) | x=3 y=3", "dstack([x, y]) | x=2,3 y=2,3", "dstack([x, y]) | x=1,2,1 y=1,2,2")
def dstack(arrays: Sequence[Node]) -> Node:
    """Arrays joined one behind the other, along axis 2."""
    return concatenate([atleast_3d([as_node(one)]) for one in arrays], axis=2)


@derived("column_stack([x, y]) | x=3 y=3,2", "column_stack([x, y]) | x= y=")
def column_stack(arrays: Sequence[Node]) -> Node:
    """Arrays joined side by side, vectors as columns."""
    nodes = [as_node(one) for one in arrays]
    return concatenate([reshape(one, (one.size, 1)) if one.ndim < 2 else one for one in nodes], axis=1)


@derived("append(x, y) | x=2,2 y=3", "append(x, y, axis=1) | x=2,2 y=2,1", "append(x, 7) | x=3")
def append(arr: Node, values: Node, axis: int | None = None) -> Node:
    """Values joined to the end of an axis, or of the raveled array."""
    return concatenate([as_node(arr), as_node(values)], axis)


@derived("block_diag(x, y) | x=2,3 y=1,2", "block_diag(x, y, 5) | x=2 y=", spellings=("linalg.block_diag",))
def block_diag(arrays: Arrays) -> Node:
    """A matrix with the arrays on its diagonal, one after the other, and zeros elsewhere."""
    nodes = [at_least(as_node(one), 2) for one in arrays] or [zeros((1, 0))]
    if any(one.ndim > 2 for one in nodes):
        raise GradcalcError("shape", "`block_diag` takes matrices, vectors as rows, and numbers")
    width = sum(one.shape[1] for one in nodes)
    rows, start = [], 0
    for one in nodes:
        height, own = one.shape
        sides = [zeros((height, start)), one, zeros((height, width - start - own))]
        rows.append(concatenate([side for side in sides if side.shape[1] or side is one], 1))
        start += own
    return concatenate(rows, 0)


# at least so many axes ----------------------------------------------------------------------------


def _each(arrays: Arrays, change: Callable[[Node], Node]) -> Node | tuple[Node, ...]:
    changed = tuple(change(as_node(one)) for one in arrays)
    return changed[0] if len(changed) == 1 else changed


@derived("atleast_1d(x) | x=", "atleast_1d(x, 3)[1] + x | x=2")
def atleast_1d(arrays: Arrays) -> Any:
    """The array, or each of several, with one axis at least."""
    return _each(arrays, lambda x: at_least(x, 1))


@derived("atleast_2d(x) | x=3", "atleast_2d(x, y)[1] | x=3 y=")
def atleast_2d(arrays: Arrays) -> Any:
    """The array, or each of several, with two axes at least: a vector becomes a row."""
    return _each(arrays, lambda x: at_least(x, 2))


@derived("atleast_3d(x) | x=3", "atleast_3d(x) | x=2,3", "atleast_3d(x, y)[1] | x=3 y=")
def atleast_3d(arrays: Arrays) -> Any:
    """The array, or each of several, with three axes at least: a matrix of shape (m, n) becomes (m, n, 1)."""
    return _each(arrays, lambda x: x if x.ndim > 2 else reshape(at_least(x, 2), (*at_least(x, 2).shape, 1)))


# repeating ----------------------------------------------------------------------------------------


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
)
def repeat(x: Node, repeats: int | tuple[int, ...], axis: int | None = None) -> Node:
    """Each element repeated in place, along an axis or along the raveled array."""
    if axis is None:
        x, axis = ravel(x), 0
    along = negative_axis(axis, x.ndim) + x.ndim
    times = np.broadcast_to(repeats, x.shape[along])
    places = np.repeat(np.arange(x.shape[along]), times)
    return pick(x, along, places)


@derived("repeat_interleave(x, 2) | x=2,2", "repeat_interleave(x, (1, 2), dim=1) | x=2,2")
def repeat_interleave(
    input: Node, repeats: int | tuple[int, ...], dim: int | None = None, output_size: int | None = None
) -> Node:
    """Each element repeated in place, along an axis or along the raveled array."""
    return _of_length(repeat(input, repeats, dim), dim, output_size)


def _of_length(x: Node, axis: int | None, length: int | None) -> Node:
    if length is not None and x.shape[axis or 0] != length:
        raise GradcalcError("arguments", f"output_size {length} is not the length {x.shape[axis or 0]} of the result")
    return x


@derived(
    "jax.repeat(x, 2) | x=3",
    "jax.repeat(x, (1, 2), axis=0, total_repeat_length=5) | x=2,2",
    "jax.repeat(x, 2, total_repeat_length=3) | x=2",
    name="jax.repeat",
)
def repeat_to_length(
    a: Node, repeats: int | tuple[int, ...], axis: int | None = None, total_repeat_length: int | None = None
) -> Node:
    """Each element repeated in place; cut to a length in all, or filled up with the last."""
    if axis is None:
        a, axis = ravel(a), 0
    along = negative_axis(axis, a.ndim) + a.ndim
    times = np.broadcast_to(repeats, a.shape[along])
    places = np.repeat(np.arange(a.shape[along]), times)
    if total_repeat_length is not None and places.size:
        places = np.append(places, np.repeat(places[-1:], max(0, total_repeat_length - places.size)))
        places = places[:total_repeat_length]
    return pick(a, along, places)
