"""Functions that take elements out of arrays: at places, where a mask is true, or by choice among arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, as_node, constant
from .arithmetic import where
from .indexing import from_front, gather
from .joining import append, stack
from .kinds import Cuts, Index, Mask, broadcast_shape, derived, negative_axis, with_shape
from .shape import broadcast_to, moveaxis, ravel, reshape

# places -------------------------------------------------------------------------------------------


def within(index: Index, length: int, mode: str = "raise", *, negative: bool = True) -> Node:
    """Places on an axis, counted from the front; those outside it are refused, or brought in as `mode` says."""
    if mode == "raise":
        if not negative and np.any(index.numbers < 0):
            raise GradcalcError("index", f"index {index.numbers[index.numbers < 0][0]} is out of range: it is negative")
        return from_front(index.node, length, lambda _: index.numbers)
    if mode not in ("wrap", "clip"):
        raise GradcalcError("arguments", f"no mode {mode!r} is known", helps=["it may be 'raise', 'wrap' or 'clip'"])
    if length == 0 and index.numbers.size:
        raise GradcalcError("index", "an axis of length 0 has no elements to take")
    inside = index.numbers % max(length, 1) if mode == "wrap" else np.clip(index.numbers, 0, length - 1)
    return index.node if np.array_equal(inside, index.numbers) else numbers(inside)


def numbers(places: Any) -> Node:
    """Places as a constant."""
    return constant(np.asarray(places, np.float64))


def raveled(x: Node, axis: int | None) -> tuple[Node, int]:
    """The array and an axis counted from the left; without one, all elements as a vector and its only axis."""
    return (ravel(x), 0) if axis is None else (x, negative_axis(axis, x.ndim) + x.ndim)


@derived(
    "take(x, [0, 2, -1]) | x=2,2",
    "take(x, [[0], [1]], axis=1) | x=2,3",
    "take(x, [-1, 5], mode='wrap') | x=3",
    "take(x, [-1, 5], 0, mode='clip') | x=3,2",
)
def take(a: Node, indices: Index, axis: int | None = None, mode: str = "raise") -> Node:
    """The elements at places of an axis, or of the raveled array."""
    a, along = raveled(a, axis)
    return gather(a, (within(indices, a.shape[along], mode),), a.ndim - along - 1)


@derived("jax.take(x, [0, 2, -1]) | x=3", "jax.take(x, [3, 0], 0, mode='clip') | x=2,3",
         "jax.take(x, [1, 5], fill_value=7) | x=3", name="jax.take")  # fmt: skip
def take_or_fill(
    a: Node,
    indices: Index,
    axis: int | None = None,
    mode: str | None = None,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    fill_value: Node | None = None,
) -> Node:
    """The elements at places of an axis, or of the raveled array; nan, or `fill_value`, for places outside it."""
    if mode not in (None, "fill"):
        return take(a, indices, axis, mode)
    a, along = raveled(a, axis)
    length = a.shape[along]
    outside = (indices.numbers < -length) | (indices.numbers >= length)
    if not np.any(outside):
        return take(a, indices, along)
    inside = Index(numbers(np.where(outside, 0, indices.numbers)), np.where(outside, 0, indices.numbers))
    flags = constant(outside.reshape(outside.shape + (1,) * (a.ndim - along - 1)))
    return where(flags, constant(np.nan) if fill_value is None else fill_value, take(a, inside, along))


@derived("torch.take(x, [0, -1, 2]) | x=2,3", "torch.take(x, [[0], [1]]) | x=2,3", name="torch.take")
def take_flat(input: Node, index: Index) -> Node:
    """The elements at places of the raveled array."""
    return take(input, index)


@derived("index_select(x, 0, [1, 1, 0]) | x=2,3", "index_select(x, dim=1, index=[2]) | x=2,3")
def index_select(input: Node, dim: int, index: Index) -> Node:
    """The slices of an axis at the given places."""
    if index.node.ndim > 1:
        raise GradcalcError("shape", f"`index` must be a vector, got shape {index.node.shape}")
    flat = Index(reshape(index.node, (index.node.size,)), index.numbers.reshape(-1))
    axis = negative_axis(dim, input.ndim, "dim") + input.ndim
    return gather(input, (within(flat, input.shape[axis], negative=False),), input.ndim - axis - 1)


def along_axis(places: Node, axis: int, shape: Shape) -> list[Node]:
    """Places along one axis (from the left) as arrays for every axis: elsewhere each stays where it is."""
    own = [np.arange(n, dtype=np.float64).reshape((n,) + (1,) * (len(shape) - i - 1)) for i, n in enumerate(shape)]
    return [places if i == axis else constant(one) for i, one in enumerate(own)]


@derived(
    "take_along_axis(x, [[0], [2]], 1) | x=2,3",
    "take_along_axis(x, [[1, 0, -1]], axis=0) | x=2,3",
    "take_along_axis(x, [3, 0], None) | x=2,2",
    "take_along_axis(x, [[0, 1]]) | x=1,2",
)
def take_along_axis(arr: Node, indices: Index, axis: int | None = -1) -> Node:
    """The elements at places along an axis, given for each of the others (or stretched to them)."""
    arr, along = raveled(arr, axis)
    if indices.node.ndim != arr.ndim:
        raise GradcalcError(
            "shape", f"indices of shape {indices.node.shape} need as many axes as shape {arr.shape}",
            operands=[with_shape(arr)]
        )  # fmt: skip
    return gather(arr, along_axis(within(indices, arr.shape[along]), along, arr.shape))


@derived("take_along_dim(x, [[0], [2]], 1) | x=2,3", "take_along_dim(x, [3, 0]) | x=2,2")
def take_along_dim(input: Node, indices: Index, dim: int | None = None) -> Node:
    """The elements at places along an axis, given for each of the others (or stretched to them)."""
    if dim is None:
        indices = Index(ravel(indices.node), indices.numbers.reshape(-1))
    return take_along_axis(input, indices, dim)


@derived("torch.gather(x, 1, [[0, 2], [1, 1]]) | x=2,3", "torch.gather(x, dim=0, index=[[1, 0]]) | x=2,3",
         name="torch.gather")  # fmt: skip
def gather_along(input: Node, dim: int, index: Index, sparse_grad: bool = False) -> Node:
    """The elements at places along an axis, one for each element of `index`, which may be smaller elsewhere."""
    axis = negative_axis(dim, input.ndim, "dim") + input.ndim
    places = within(index, input.shape[axis], negative=False)
    return gather(input, along_axis(places, axis, smaller(index, input.shape, axis)))


def smaller(index: Index, shape: Shape, axis: int) -> Shape:
    """The shape of places along an axis, which may not be larger than an array's elsewhere."""
    found = index.node.shape
    if len(found) != len(shape) or any(a > b for i, (a, b) in enumerate(zip(found, shape, strict=True)) if i != axis):
        raise GradcalcError(
            "shape",
            f"index of shape {found} does not fit shape {shape}",
            notes=[f"it needs as many axes, none but axis {axis} longer"],
        )
    return found


# masks and choices ----------------------------------------------------------------------------------


@derived(
    "compress([True, False, True], x) | x=3",
    "compress([False, True], x, axis=1) | x=2,3",
    "compress([0, 1, 1], x) | x=2,2",
)
def compress(condition: Mask, a: Node, axis: int | None = None) -> Node:
    """The slices of an axis, or elements of the raveled array, where the condition is true at the inputs."""
    a, along = raveled(a, axis)
    if condition.ndim != 1:
        raise GradcalcError("shape", f"the condition must be a vector, got shape {condition.shape}")
    found = np.nonzero(condition)[0]
    if found.size and found[-1] >= a.shape[along]:
        raise GradcalcError("index", f"index {found[-1]} is out of range for an axis of length {a.shape[along]}")
    return gather(a, (numbers(found),), a.ndim - along - 1)


@derived("extract([[True, False], [True, True]], x) | x=2,2")
def extract(condition: Mask, arr: Node) -> Node:
    """The elements, row by row, where the condition is true at the inputs."""
    return compress(condition.reshape(-1), arr)


@derived("masked_select(x, [True, False, True]) | x=2,3", "masked_select(x, [[True], [False]]) | x=2,3")
def masked_select(input: Node, mask: Mask) -> Node:
    """The elements, row by row, where the mask is true at the inputs; both are stretched to one shape."""
    shape = broadcast_shape(input, constant(mask))
    return compress(np.broadcast_to(mask, shape).reshape(-1), broadcast_to(input, shape))


@derived(
    "select([x > 0, x > -1], [x, x**2], 7) | x=4",
    "select([x > 0], [2*x]) | x=3",
    "select([x > y, x > 0], [x, 3]) | x=2,3 y=3",
)
def select(condlist: Sequence[Node], choicelist: Sequence[Node], default: Node | None = None) -> Node:
    """From the first choice whose condition holds, element by element; else the default, 0."""
    if len(condlist) != len(choicelist) or not condlist:
        raise GradcalcError("arguments", f"{len(condlist)} conditions do not go with {len(choicelist)} choices")
    if not all(condition.boolean for condition in condlist):
        raise GradcalcError("type", "the conditions of `select` must be true or false", helps=["compare: `x > 0`"])
    chosen = constant(0.0) if default is None else default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        chosen = where(condition, choice, chosen)
    return broadcast_to(chosen, broadcast_shape(*condlist, *choicelist, chosen))


@derived(
    "choose([0, 1, 0], [x, y]) | x=3 y=3",
    "choose([[2], [0]], [x, 7, y], mode='clip') | x=3 y=",
    "choose([3, -1], [x, 2*x], mode='wrap') | x=2",
)
def choose(a: Index, choices: Sequence[Node], mode: str = "raise") -> Node:
    """For each element the choice that its number names, all stretched to one shape."""
    if not choices:
        raise GradcalcError("arguments", "`choose` needs choices: the list is empty")
    shape = broadcast_shape(a.node, *choices)
    rows = stack([broadcast_to(as_node(one), shape) for one in choices], 0)
    places = broadcast_to(within(a, len(choices), mode, negative=False), shape)
    return gather(rows, [places, *along_axis(places, -1, shape)])


# leaving out and putting in -------------------------------------------------------------------------


@derived(
    "delete(x, 1) | x=3",
    "delete(x, [0, -1], axis=1) | x=2,4",
    "delete(x, s_[::2]) | x=5",
    "delete(x, [True, False, True], 0) | x=3,2",
)
def delete(arr: Node, obj: Cuts, axis: int | None = None) -> Node:
    """The array without the given places of an axis, or of the raveled array."""
    arr, along = raveled(arr, axis)
    length = arr.shape[along]
    kept = np.delete(np.arange(length), _checked(obj, length))
    return gather(arr, (numbers(kept),), arr.ndim - along - 1)


def _checked(obj: Any, length: int) -> Any:
    if isinstance(obj, slice):
        return obj
    if obj.dtype == bool:
        if obj.shape != (length,):
            raise GradcalcError("index", f"a mask of shape {obj.shape} does not fit an axis of length {length}")
        return obj
    outside = (obj < -length) | (obj >= length)
    if np.any(outside):
        raise GradcalcError("index", f"index {obj[outside][0]} is out of range for an axis of length {length}")
    return obj if obj.ndim else int(obj)


@derived(
    "insert(x, 1, y) | x=3 y=",
    "insert(x, [0, 2], y) | x=3 y=2",
    "insert(x, [1, 1, -1], y, axis=1) | x=2,3 y=2,3",
    "insert(x, 1, y, axis=1) | x=2,3 y=2",
    "insert(x, s_[::2], 5) | x=4",
)
def insert(arr: Node, obj: Cuts, values: Node, axis: int | None = None) -> Node:
    """The array with values put in before the given places of an axis, or of the raveled array."""
    arr, along = raveled(arr, axis)
    length = arr.shape[along]
    places = np.arange(length)[obj] if isinstance(obj, slice) or obj.dtype == bool else obj
    outside = (places < -length) | (places > length)
    if np.any(outside) or places.ndim > 1:
        raise GradcalcError("index", f"{places[outside].tolist()} is no place to insert at: there are 0 to {length}")
    values = as_node(values)
    if places.size == 1:  # as many as there are values
        values = reshape(values, (1,) * (arr.ndim - values.ndim) + values.shape)
        values = values if places.ndim else moveaxis(values, 0, along)
        places = np.repeat(places.reshape(1), values.shape[along])
    new = (*arr.shape[:along], places.size, *arr.shape[along + 1 :])
    joined = append(arr, broadcast_to(values, new), along)
    order = np.insert(np.arange(length), places, length + np.arange(places.size))
    return gather(joined, (numbers(order),), arr.ndim - along - 1)
