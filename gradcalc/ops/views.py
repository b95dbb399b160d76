"""Shapes and parts of an array as PyTorch asks for them, and arrays that derivatives do not pass."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, constant, is_constant, is_input
from . import reduce
from .indexing import element, gather, put_gather, segment
from .kinds import Lengths, derived, general, negative_axis, with_shape, zeros
from .shape import broadcast_to, ravel, reshape, resolved, swapaxes

# shapes -----------------------------------------------------------------------------------------


@derived("torch.squeeze(x) | x=1,3,1", "torch.squeeze(x, 0) | x=1,3", "torch.squeeze(x, (0, 1)) | x=1,3,1",
         name="torch.squeeze")  # fmt: skip
def squeeze(input: Node, dim: Lengths | None = None) -> Node:
    """The array without its axes of length 1, or without those given that are of length 1."""
    given = range(input.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    left_out = {axis_of(input, one) for one in given}
    return reshape(input, tuple(n for i, n in enumerate(input.shape) if n != 1 or i not in left_out))


def axis_of(x: Node, dim: int, what: str = "dim") -> int:
    """An axis counted from the left."""
    return negative_axis(dim, x.ndim, what) + x.ndim


@derived("unflatten(x, 0, (2, 3)) | x=6", "unflatten(x, -1, (2, -1)) | x=2,6")
def unflatten(input: Node, dim: int, sizes: Lengths) -> Node:
    """The array with one axis taken apart into several."""
    axis = axis_of(input, dim)
    wanted = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    rest = prod(n for n in wanted if n != -1)
    if wanted.count(-1) == 1 and rest:
        wanted = tuple(input.shape[axis] // rest if n == -1 else n for n in wanted)
    if prod(wanted) != input.shape[axis] or -1 in wanted:
        raise GradcalcError(
            "shape",
            f"an axis of length {input.shape[axis]} does not unflatten into {sizes}",
            operands=[with_shape(input)],
        )
    return reshape(input, (*input.shape[:axis], *wanted, *input.shape[axis + 1 :]))


@derived("expand(x, (2, 3)) | x=2,1", "expand(x, (2, -1, 3)) | x=2,1")
def expand(input: Node, size: Lengths) -> Node:
    """The array stretched to a shape, in which -1 keeps a length."""
    wanted = (size,) if isinstance(size, int) else tuple(size)
    new = len(wanted) - input.ndim
    if new < 0 or any(n < -1 or (n == -1 and i < new) for i, n in enumerate(wanted)):
        raise GradcalcError("shape", f"cannot expand shape {input.shape} to {wanted}", operands=[with_shape(input)])
    return broadcast_to(input, tuple(input.shape[i - new] if n == -1 else n for i, n in enumerate(wanted)))


@derived("expand_as(x, y) | x=3 y=2,3")
def expand_as(input: Node, other: Node) -> Node:
    """The array stretched to another's shape."""
    return broadcast_to(input, other.shape)


@derived("reshape_as(x, y) | x=6 y=2,3", spellings=("view_as",))
def reshape_as(input: Node, other: Node) -> Node:
    """The same elements, row by row, in another array's shape."""
    return reshape(input, resolved(input, other.shape))


@derived("contiguous(x) | x=2,3", spellings=("resolve_conj", "resolve_neg", "type_as"), shown=True)
def contiguous(input: Node, other: Node | None = None) -> Node:
    """The array itself: how it lies in memory changes no value."""
    return input


@derived("torch.swapaxes(x, 0, axis1=1) | x=2,3", name="torch.swapaxes")
def swap(input: Node, axis0: int, axis1: int) -> Node:
    """The array with two axes exchanged."""
    return swapaxes(input, axis0, axis1)


@derived("swapdims(x, 0, dim1=1) | x=2,3")
def swapdims(input: Node, dim0: int, dim1: int) -> Node:
    """The array with two axes exchanged."""
    return swapaxes(input, dim0, dim1)


# parts ------------------------------------------------------------------------------------------


@derived("narrow(x, 0, 1, 2) | x=4", "narrow(x, -1, -3, length=2) | x=2,4", spellings=("narrow_copy",))
def narrow(input: Node, dim: int, start: int, length: int) -> Node:
    """So many places of an axis, from `start` on."""
    axis = negative_axis(dim, input.ndim, "dim")
    first = start + input.shape[axis] if start < 0 else start
    if not (first >= 0 and length >= 0 and first + length <= input.shape[axis]):
        message = f"places {start} to {start + length} leave an axis of length {input.shape[axis]}"
        raise GradcalcError("index", message, operands=[with_shape(input)])
    return segment(input, axis, first, first + length)


@derived("torch.select(x, 0, 1) | x=2,3", "torch.select(x, dim=-1, index=-1) | x=2,3", name="torch.select")
def select(input: Node, dim: int, index: int) -> Node:
    """The slice of an axis at one place, without that axis."""
    axis = negative_axis(dim, input.ndim, "dim")
    return element(input, axis, place_in(input, axis, index))


def place_in(x: Node, axis: int, index: int) -> int:
    """A place of an axis, counted from the front."""
    length = x.shape[axis]
    if not -length <= index < length:
        raise GradcalcError("index", f"index {index} is out of range for an axis of length {length}")
    return index + length if index < 0 else index


@derived("as_strided(x, (2, 2), (1, 2)) | x=3,3", "as_strided(x, (3,), (0,), 1) | x=2,3")
def as_strided(input: Node, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None = None) -> Node:
    """The elements at strides counted in elements of an input's own memory, row by row."""
    if not (is_input(input) or is_constant(input)):
        raise GradcalcError(
            "arguments", "`as_strided` reads memory as it lies, which is known of inputs alone", helps=["index it"]
        )
    return gather(ravel(input), (constant(_strided(input, size, stride, storage_offset or 0)),))


@derived("as_strided_scatter(x, y, (2, 2), (1, 2)) | x=3,3 y=2,2", "as_strided_scatter(x, y, (2,), (2,), 1) | x=4 y=2")
def as_strided_scatter(
    input: Node, src: Node, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None = None
) -> Node:
    """The array with the elements at strides, counted in elements row by row, replaced."""
    places = _strided(input, size, stride, storage_offset or 0)
    if np.unique(places).size < places.size:
        raise GradcalcError("arguments", "`as_strided_scatter` would write several values to one place")
    if src.shape != places.shape:
        raise GradcalcError("shape", f"the place has shape {places.shape}, not {src.shape}", operands=[with_shape(src)])
    return reshape(put_gather(ravel(input), src, (constant(places),)), input.shape)


def _strided(x: Node, size: tuple[int, ...], stride: tuple[int, ...], start: int) -> Any:
    """The places of an array's elements, counted row by row, that strides lead to."""
    if len(size) != len(stride) or any(n < 0 for n in (*size, *stride)):
        raise GradcalcError("arguments", f"size {size} and stride {stride} do not pair up")
    places = np.full(size, float(start))
    for axis, (n, step) in enumerate(zip(size, stride, strict=True)):
        places += (np.arange(n) * step).reshape((n,) + (1,) * (len(size) - axis - 1))
    if places.size and not 0 <= start <= np.max(places) < x.size:
        raise GradcalcError("index", f"place {np.max(places):g} is out of range: the array has {x.size} elements")
    return places


@derived("sum_to_size(x, (3,)) | x=2,3", "sum_to_size(x, (2, 1)) | x=2,3", "sum_to_size(x, ()) | x=2")
def sum_to_size(input: Node, size: Lengths) -> Node:
    """The array summed to a shape that stretches to its own."""
    wanted = (size,) if isinstance(size, int) else tuple(size)
    broadcast_to(zeros(wanted), input.shape)  # refuses a shape that does not
    new = input.ndim - len(wanted)
    axes = tuple(i for i, n in enumerate(input.shape) if i < new or (wanted[i - new] == 1 and n != 1))
    return reshape(reduce.sum(input, axes), wanted) if axes else input


@derived("resize(x, (2, 3)) | x=4", "resize(x, 2) | x=2,2")
def resize(a: Node, new_shape: int | tuple[int, ...]) -> Node:
    """The elements row by row in another shape, over again where it is larger."""
    shape = (new_shape,) if isinstance(new_shape, int) else new_shape
    count: int = prod(shape)
    if a.size == 0 and count:
        raise GradcalcError("shape", f"an array without elements cannot fill shape {shape}", operands=[with_shape(a)])
    places = np.arange(count, dtype=np.float64) % max(a.size, 1)
    return gather(ravel(a), (constant(places.reshape(shape)),))


# what derivatives do not pass -------------------------------------------------------------------


@general(
    # Not elementwise, so that SymPy takes it for the numbers that it is at the inputs.
    kernel=lambda x: x,
    shape=lambda x: x.shape,
    vjp=lambda g, y, x: (None,),
    jvp=lambda ts, y, x: None,
    boolean=lambda x: x.boolean,
    flat=(0,),
    examples=("x*sign(stop_gradient(x)) | x=3", "x + floor(stop_gradient(x)) | x=2,2"),
    spellings=("detach",),
)
def stop_gradient(x: Node) -> Any:
    """The array itself, taken as constant: its derivative is 0."""
    return (x,), {}
