"""Operations that move elements without changing them: reshaping, stretching, reordering, diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, constant, node
from .arithmetic import logical_and, where
from .kinds import Lengths, derived, linear, moved_kind, negative_axes, negative_axis, pad_rank, with_shape

# reshaping --------------------------------------------------------------------------------------


def _reshaped(x: Node, shape: Shape) -> Shape:
    if prod(shape) != x.size:
        raise GradcalcError(
            "shape",
            f"cannot reshape shape {x.shape}, {x.size} elements, into {shape}, {prod(shape)} elements",
            operands=[with_shape(x)],
        )
    return shape


def resolved(x: Node, shape: int | Sequence[int]) -> Shape:
    """A shape with its one -1, if any, replaced by what is left over."""
    wanted = (shape,) if isinstance(shape, int) else tuple(shape)
    if wanted.count(-1) > 1:
        raise GradcalcError("arguments", f"only one length of a shape may be -1, got {wanted}")
    if any(n < -1 for n in wanted):
        raise GradcalcError("arguments", f"a shape cannot have negative lengths, got {wanted}")
    if -1 not in wanted:
        return wanted
    rest = prod(n for n in wanted if n != -1)
    if rest == 0 or x.size % rest:
        raise GradcalcError(
            "shape",
            f"cannot reshape shape {x.shape} into {wanted}: {x.size} elements do not divide by {rest}",
            operands=[with_shape(x)],
        )
    return tuple(x.size // rest if n == -1 else n for n in wanted)


def _batch_shape(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    return node(old.op, inputs, {"shape": (inputs[0].shape[0], *old.shape)})


@linear(
    kernel=lambda x, shape: np.reshape(x, shape),
    shape=_reshaped,
    transpose=lambda g, x, shape: reshape(g, x.shape),
    batch=_batch_shape,
    boolean=moved_kind,
    examples=(
        "reshape(x, (3, 2)) | x=2,3",
        "reshape(x, (-1,)) | x=2,3",
        "x.reshape(3, 2) | x=2,3",
        "reshape(x, (3, -1), order='F') | x=2,3",
    ),
    spellings=("view",),
)
def reshape(x: Node, shape: Lengths, order: str = "C") -> Any:
    """The same elements, row by row (with order 'F' column by column), in another shape."""
    wanted = resolved(x, shape)
    if _by_columns(order):
        return transpose(reshape(transpose(x), wanted[::-1]))
    return (x,), {"shape": wanted}


def _by_columns(order: str) -> bool:
    if order not in ("C", "F"):
        raise GradcalcError(
            "arguments", f"order={order!r} reads an array as its memory lies", helps=["say `order='C'` or `order='F'`"]
        )
    return order == "F"


def _stretched(x: Node, shape: Shape) -> Shape:
    pairs = zip(reversed(x.shape), reversed(shape), strict=False)
    if x.ndim > len(shape) or any(a not in (1, b) for a, b in pairs):
        raise GradcalcError("shape", f"cannot stretch shape {x.shape} to {shape}", operands=[with_shape(x)])
    return shape


def _batch_stretch(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    padded = pad_rank(inputs[0], old.ndim - old.inputs[0].ndim)
    return broadcast_to(padded, (padded.shape[0], *old.shape))


@linear(
    kernel=lambda x, shape: np.broadcast_to(x, shape),
    shape=_stretched,
    transpose=lambda g, x, shape: g,  # the reverse walk sums it back to the shape of x
    batch=_batch_stretch,
    boolean=moved_kind,
    examples=("broadcast_to(x, (2, 3)) | x=3", "broadcast_to(x, (4,)) | x=", "broadcast_to(x, (2, 3)) | x=2,1"),
)
def broadcast_to(x: Node, shape: Lengths) -> Any:
    """The array stretched to a shape, as broadcasting would."""
    return (x,), {"shape": (shape,) if isinstance(shape, int) else tuple(shape)}


@derived("ravel(x) | x=2,3", "ravel(x, order='F') | x=2,3", spellings=("flatten",))
def ravel(x: Node, order: str = "C") -> Node:
    """All elements as a vector, row by row, or with order 'F' column by column."""
    return reshape(x, (x.size,), order)


@derived("squeeze(x) | x=1,3,1", "squeeze(x, axis=0) | x=1,3,1")
def squeeze(x: Node, axis: Lengths | None = None) -> Node:
    """The array without its axes of length 1, or without the given ones."""
    ones = tuple(i - x.ndim for i, n in enumerate(x.shape) if n == 1)
    axes = ones if axis is None else negative_axes(axis, x.ndim)
    if any(a not in ones for a in axes):
        raise GradcalcError(
            "shape", f"cannot squeeze axis {axis} of shape {x.shape}: its length is not 1", operands=[with_shape(x)]
        )
    return reshape(x, tuple(n for i, n in enumerate(x.shape) if i - x.ndim not in axes))


@derived(
    "expand_dims(x, 0) | x=3", "expand_dims(x, -1) | x=3", "expand_dims(x, (0, 2)) | x=3", spellings=("unsqueeze",)
)
def expand_dims(x: Node, axis: int | tuple[int, ...]) -> Node:
    """The array with new axes of length 1, at the given places of the result."""
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = negative_axes(given, x.ndim + len(given))
    rest = iter(x.shape)
    ndim = x.ndim + len(given)
    return reshape(x, tuple(1 if i - ndim in axes else next(rest) for i in range(ndim)))


# reordering -------------------------------------------------------------------------------------


def _permute(x: Any, axes: tuple[int, ...]) -> Any:
    ndim = np.ndim(x)
    return np.transpose(x, (*range(ndim - len(axes)), *(axis + ndim for axis in axes)))


def _permuted_shape(x: Node, axes: tuple[int, ...]) -> Shape:
    return x.shape[: x.ndim - len(axes)] + tuple(x.shape[axis] for axis in axes)


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    places = {axis: place for place, axis in enumerate(axes)}
    return tuple(places[axis] - len(axes) for axis in range(-len(axes), 0))


@linear(
    kernel=_permute,
    shape=_permuted_shape,
    transpose=lambda g, x, axes: permuted(g, _inverse(axes)),
    boolean=moved_kind,
    examples=("transpose(x) | x=2,3", "x.T | x=2,3", "transpose(x, (1, 2, 0)) | x=2,3,4", "transpose(x) | x=3"),
    spellings=("permute", "permute_dims"),
)
def transpose(x: Node, axes: Lengths | None = None) -> Any:
    """The array with its axes reversed, or in the given order."""
    given = (axes,) if isinstance(axes, int) else axes
    order = tuple(range(-1, -x.ndim - 1, -1)) if given is None else tuple(negative_axis(a, x.ndim) for a in given)
    if sorted(order) != list(range(-x.ndim, 0)):
        raise GradcalcError(
            "arguments", f"axes {axes} do not name each of the {x.ndim} axes once", operands=[with_shape(x)]
        )
    return permuted(x, order)


def permuted(x: Node, axes: tuple[int, ...]) -> Node:
    """The array with its last axes, counted from the right, in another order.

    Leading axes that stay are left out, so that one more of them (a batch) changes nothing.
    """
    while axes and axes[0] == -len(axes):
        axes = axes[1:]
    return node(transpose, (x,), {"axes": axes})


@derived("t(x) | x=2,3", "t(x) | x=3")
def t(x: Node) -> Node:
    """A matrix transposed; a vector as it is."""
    if x.ndim > 2:
        raise GradcalcError("shape", f"`t` needs a matrix, got shape {x.shape}", operands=[with_shape(x)])
    return transpose(x)


@derived(
    "matrix_transpose(x) | x=2,3",
    "matrix_transpose(x) | x=2,1,3",
    "x.mT | x=2,3",
    spellings=("adjoint",),
)
def matrix_transpose(x: Node) -> Node:
    """The array with its last two axes exchanged: each matrix transposed."""
    return swapaxes(as_matrix(x, "matrix_transpose"), -2, -1)


@derived("swapaxes(x, 0, 1) | x=2,3", "swapaxes(x, 0, -1) | x=2,3,4")
def swapaxes(x: Node, axis1: int, axis2: int) -> Node:
    """The array with two axes exchanged."""
    order = list(range(-x.ndim, 0))
    a, b = negative_axis(axis1, x.ndim) + x.ndim, negative_axis(axis2, x.ndim) + x.ndim
    order[a], order[b] = order[b], order[a]
    return transpose(x, tuple(order))


@derived("moveaxis(x, 0, -1) | x=2,3,4", "moveaxis(x, (0, 1), (2, 0)) | x=2,3,4", spellings=("movedim",))
def moveaxis(x: Node, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Node:
    """The array with some axes moved to other places, the rest in their order."""
    sources = [negative_axis(a, x.ndim) for a in ((source,) if isinstance(source, int) else source)]
    places = [negative_axis(a, x.ndim) for a in ((destination,) if isinstance(destination, int) else destination)]
    if len(sources) != len(places) or len(set(sources)) < len(sources) or len(set(places)) < len(places):
        raise GradcalcError("arguments", f"source {source} and destination {destination} do not pair up")
    if places == sources:
        return x
    moved = dict(zip(places, sources, strict=True))
    rest = iter(axis for axis in range(-x.ndim, 0) if axis not in sources)
    return transpose(x, tuple(moved[place] if place in moved else next(rest) for place in range(-x.ndim, 0)))


@derived("rollaxis(x, 2) | x=2,3,2", "rollaxis(x, 0, 3) | x=2,3,2", "rollaxis(x, 1, start=-2) | x=2,3,2")
def rollaxis(x: Node, axis: int, start: int = 0) -> Node:
    """The array with one axis moved to stand before another."""
    source = negative_axis(axis, x.ndim) + x.ndim
    if not -x.ndim <= start <= x.ndim:
        raise GradcalcError("arguments", f"start {start} is out of range: it may be 0 to {x.ndim}")
    place = start + x.ndim if start < 0 else start
    return moveaxis(x, source, place - 1 if source < place else place)


@linear(
    kernel=lambda x, axis: np.flip(x, axis),
    shape=lambda x, axis: x.shape,
    transpose=lambda g, x, axis: flip(g, axis),
    boolean=moved_kind,
    examples=("flip(x) | x=2,3", "flip(x, axis=0) | x=2,3", "flip(x, axis=(0, 1)) | x=2,3"),
)
def flip(x: Node, axis: Lengths | None = None) -> Any:
    """The elements in reverse order, along all axes or the given ones."""
    return (x,), {"axis": negative_axes(axis, x.ndim)}


@derived("fliplr(x) | x=2,3")
def fliplr(x: Node) -> Node:
    """The elements in reverse order along axis 1: left and right exchanged."""
    return flip(as_matrix(x, "fliplr"), 1)


@derived("flipud(x) | x=2,3", "flipud(x) | x=3")
def flipud(x: Node) -> Node:
    """The elements in reverse order along axis 0: up and down exchanged."""
    return flip(x, 0)


@derived("rot90(x) | x=2,3", "rot90(x, 2) | x=2,3", "rot90(x, -1, (1, 2)) | x=2,2,3", "rot90(x, k=4) | x=2,3")
def rot90(x: Node, k: int = 1, axes: tuple[int, ...] = (0, 1)) -> Node:
    """The array turned k times by a quarter, from the first axis given towards the second."""
    if len(axes) != 2:
        raise GradcalcError("arguments", f"`rot90` turns two axes, got {axes}")
    first, second = (negative_axis(one, as_matrix(x, "rot90").ndim) for one in axes)
    if first == second:
        raise GradcalcError("arguments", f"`rot90` turns two different axes, got {axes}")
    if k % 4 == 0:
        return x
    if k % 4 == 2:
        return flip(x, axes)
    return swapaxes(flip(x, second), first, second) if k % 4 == 1 else flip(swapaxes(x, first, second), second)


@linear(
    kernel=lambda x, shift, axis: np.roll(x, shift, axis),
    shape=lambda x, shift, axis: x.shape,
    transpose=lambda g, x, shift, axis: roll(g, tuple(-by for by in shift), axis),
    boolean=moved_kind,
    examples=(
        "roll(x, 1) | x=2,3",
        "roll(x, -1, axis=0) | x=2,3",
        "roll(x, (1, 2), axis=(0, 1)) | x=2,3",
        "roll(x, (1, 1)) | x=2,2",
    ),
)
def roll(x: Node, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Any:
    """The elements shifted along an axis, or along the raveled array; the last come round to the front."""
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    axes = tuple(negative_axis(one, x.ndim) for one in ((axis,) if isinstance(axis, int) else axis))
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    if len(axes) == 1:
        shifts = (sum(shifts),)  # several along one axis follow one another
    if len(shifts) != len(axes):
        raise GradcalcError("arguments", f"shift {shift} and axis {axis} do not pair up")
    return (x,), {"shift": shifts, "axis": axes}


# triangles and diagonals ------------------------------------------------------------------------


def as_matrix(x: Node, what: str) -> Node:
    """The node itself, if it has two axes at least."""
    if x.ndim < 2:
        raise GradcalcError("shape", f"`{what}` needs a matrix, got shape {x.shape}", operands=[with_shape(x)])
    return x


def _triangle(x: Node, lower: bool, k: int) -> Node:
    ones = np.ones(x.shape[-2:], bool)
    inside = constant(np.tril(ones, k) if lower else np.triu(ones, k))
    return logical_and(inside, x) if x.boolean else where(inside, x, 0.0)


@derived("tril(x) | x=3,3", "tril(x, -1) | x=2,3", "tril(x, k=1) | x=2,3,3", "where(tril(x > 0), x, 2) | x=3,3")
def tril(x: Node, k: int = 0) -> Node:
    """The lower triangle of a matrix, zero elsewhere; k moves the diagonal up."""
    return _triangle(as_matrix(x, "tril"), True, k)


@derived("triu(x) | x=3,3", "triu(x, 1) | x=2,3", "triu(x, k=-1) | x=2,3,3")
def triu(x: Node, k: int = 0) -> Node:
    """The upper triangle of a matrix, zero elsewhere; k moves the diagonal up."""
    return _triangle(as_matrix(x, "triu"), False, k)


def _diagonal_length(shape: Shape, offset: int) -> int:
    rows, columns = shape[-2:]
    return max(0, min(rows + min(offset, 0), columns - max(offset, 0)))


def _embed_diagonal(g: Any, rows: int, columns: int, offset: int) -> Any:
    out = np.zeros((*g.shape[:-1], rows, columns), g.dtype)
    steps = np.arange(g.shape[-1])
    out[..., steps - min(offset, 0), steps + max(offset, 0)] = g
    return out


@linear(
    kernel=lambda x, offset, axis1, axis2: np.diagonal(x, offset, -2, -1),
    shape=lambda x, offset, axis1, axis2: (*x.shape[:-2], _diagonal_length(x.shape, offset)),
    transpose=lambda g, x, offset, axis1, axis2: diagonal_matrix(g, *x.shape[-2:], offset),
    boolean=moved_kind,
    examples=("diagonal(x) | x=3,3", "diagonal(x, -1) | x=2,3", "diagonal(x, axis1=0, axis2=2) | x=2,3,4"),
)
def diagonal(x: Node, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonal over two axes, which becomes the last axis."""
    pair = negative_axis(axis1, as_matrix(x, "diagonal").ndim), negative_axis(axis2, x.ndim)
    return (moveaxis(x, pair, (-2, -1)),), {"offset": offset, "axis1": -2, "axis2": -1}


@linear(
    kernel=_embed_diagonal,
    shape=lambda x, rows, columns, offset: (*x.shape[:-1], rows, columns),
    transpose=lambda g, x, rows, columns, offset: diagonal(g, offset, -2, -1),
    examples=("diagonal_matrix(x, 3, 3) | x=3", "diagonal_matrix(x, 3, 4, 1) | x=2,3"),
)
def diagonal_matrix(x: Node, rows: int, columns: int, offset: int = 0) -> Any:
    """A matrix of the given size that is zero but for a diagonal."""
    if x.ndim < 1 or _diagonal_length((rows, columns), offset) != x.shape[-1]:
        raise GradcalcError(
            "shape", f"shape {x.shape} does not fit the diagonal {offset} of a {rows} by {columns} matrix"
        )
    return (x,), {"rows": rows, "columns": columns, "offset": offset}


@derived("diag(x) | x=3", "diag(x) | x=3,3", "diag(x, 1) | x=3", "diag(x, -1) | x=2,3")
def diag(x: Node, k: int = 0) -> Node:
    """A vector as the diagonal of a matrix, or the diagonal of a matrix."""
    if x.ndim == 1:
        side = x.size + (k if k > 0 else -k)
        return diagonal_matrix(x, side, side, k)
    if x.ndim == 2:
        return diagonal(x, k)
    raise GradcalcError("shape", f"`diag` needs a vector or a matrix, got shape {x.shape}", operands=[with_shape(x)])
