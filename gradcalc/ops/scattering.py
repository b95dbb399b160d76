"""Functions that write into an array at places, or gather up what belongs to each of several groups.

The places are known at the inputs, so products and extremes of groups are those of a table that holds a row of
elements for each place: its rules are those of `prod` and `max`, and need no division by an element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, as_node, constant
from . import reduce
from .arithmetic import add, maximum, minimum, multiply, where
from .indexing import add_gather, fitted, gather, put_gather
from .joining import concatenate, stack
from .kinds import Index, Mask, broadcast_to, derived, negative_axis, with_shape, zeros
from .selecting import along_axis, numbers, smaller, within
from .shape import ravel, reshape
from .splitting import cut

# groups of elements -------------------------------------------------------------------------------

_EMPTY = {"prod": 1.0, "amax": -np.inf, "amin": np.inf}
_FOLDS: dict[str, Callable[..., Node]] = {"prod": reduce.prod, "amax": reduce.max, "amin": reduce.min}


def grouped(x: Node, groups: Any, count: int, reduction: str) -> Node:
    """The product or an extreme of the elements of a vector that belong to each of so many groups."""
    sizes = np.bincount(groups, minlength=count)
    order = np.argsort(groups, kind="stable")
    starts = np.cumsum(sizes) - sizes
    table = np.full((count, int(np.max(sizes, initial=0)) or 1), x.size)  # the place of what fills a row up
    table[groups[order], np.arange(groups.size) - starts[groups[order]]] = order
    filled = concatenate([x, constant([_EMPTY[reduction]])])
    return _FOLDS[reduction](gather(filled, (numbers(table),)), -1)


@derived(
    "torch.segment_reduce(x, 'sum', lengths=[2, 1]) | x=3,2",
    "torch.segment_reduce(x, 'mean', lengths=[1, 3]) | x=4",
    "torch.segment_reduce(x, 'max', offsets=[0, 2, 3]) | x=3",
    "torch.segment_reduce(x, 'min', lengths=[2, 0], initial=0.5) | x=2",
    "torch.segment_reduce(x, 'prod', lengths=[2, 2], axis=0) | x=4,2",
    name="torch.segment_reduce",
)
def segment_reduce(
    data: Node,
    reduce: str,
    lengths: tuple[int, ...] | None = None,
    indices: tuple[int, ...] | None = None,
    offsets: tuple[int, ...] | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Node:
    """Sums, means, products or extremes of segments of the first axis, given by their lengths or bounds."""
    if reduce not in _SEGMENTS:
        helps = ["`reduce` may be 'sum', 'mean', 'prod', 'max' or 'min'"]
        raise GradcalcError("arguments", f"segments cannot be reduced by {reduce!r}", helps=helps)
    if axis != 0 or indices is not None or (lengths is None) == (offsets is None):
        raise GradcalcError("arguments", "`segment_reduce` needs lengths or offsets, of segments of axis 0")
    bounds = [0, *np.cumsum(lengths).tolist()] if lengths is not None else list(offsets or ())
    if not bounds or bounds[-1] != data.shape[0]:
        message = f"the segments end at {bounds[-1] if bounds else 0}, but there are {data.shape[0]} rows"
        raise GradcalcError("shape", message, operands=[with_shape(data)])
    return stack([_segment(part, reduce, initial) for part in cut(data, 0, bounds)])


_SEGMENTS: dict[str, tuple[Callable[..., Node], Callable[..., Node], float]] = {
    "sum": (reduce.sum, add, 0.0),
    "mean": (reduce.sum, add, np.nan),
    "prod": (reduce.prod, multiply, 1.0),
    "max": (reduce.max, maximum, -np.inf),
    "min": (reduce.min, minimum, np.inf),
}
"""How a segment is reduced, how that is joined with the initial value, and what no elements give."""


def _segment(part: Node, reduction: str, initial: float | None) -> Node:
    fold, join, nothing = _SEGMENTS[reduction]
    if not part.shape[0]:
        return broadcast_to(constant(nothing if initial is None else initial), part.shape[1:])
    found = fold(part, 0) if initial is None else join(fold(part, 0), initial)
    return found / float(part.shape[0]) if reduction == "mean" else found


def _raveled_places(index: Any, axis: int, shape: Shape) -> Any:
    """The places of an array's raveled elements that places along one axis stand for."""
    own = [np.arange(n).reshape((n,) + (1,) * (index.ndim - i - 1)) for i, n in enumerate(index.shape)]
    found = [index if i == axis else one for i, one in enumerate(own)]
    return np.ravel_multi_index([np.broadcast_to(one, index.shape) for one in found], shape)


def reduced(x: Node, source: Node, places: Any, reduction: str, include_self: bool) -> Node:
    """An array's elements together with those of a source that belong to each of its places."""
    into = places.reshape(-1)
    met = np.bincount(into, minlength=x.size)
    source = ravel(source)
    if reduction in ("sum", "mean"):
        kept = ravel(x) if include_self else where(constant(met > 0), 0.0, ravel(x))
        total = add_gather(kept, source, [numbers(into)])
        counts = np.maximum(met + include_self, 1)
        return reshape(total if reduction == "sum" else total / constant(counts.astype(np.float64)), x.shape)
    own = np.arange(x.size) if include_self else np.flatnonzero(met == 0)
    both = concatenate([gather(ravel(x), (numbers(own),)), source])
    return reshape(grouped(both, np.concatenate([own, into]), x.size, reduction), x.shape)


def once(places: Any, value: Node, what: str) -> None:
    """Refuse to write several values to one place: which of them stays, the libraries leave open."""
    if value.size > 1 and np.unique(places).size < places.size:
        raise GradcalcError(
            "arguments", f"`{what}` would write several values to one place, and which of them stays is not defined"
        )


# along an axis, one place for each element --------------------------------------------------------------


def _fits(input: Node, dim: int, index: Index, src: Node) -> tuple[int, Shape, Node]:
    """The axis from the left, the shape of the places, and the part of the source that is read."""
    axis = negative_axis(dim, input.ndim, "dim") + input.ndim
    shape = smaller(index, input.shape, axis)
    if np.any(index.numbers < 0) or np.any(index.numbers >= input.shape[axis]):
        within(index, input.shape[axis], negative=False)
    if src.ndim == 0:
        return axis, shape, broadcast_to(src, shape)
    if src.ndim != len(shape) or any(a > b for a, b in zip(shape, src.shape, strict=True)):
        raise GradcalcError("shape", f"index of shape {shape} needs a source as large, got {src.shape}")
    for i, n in enumerate(shape):
        src = src if src.shape[i] == n else gather(src, (numbers(np.arange(n)),), src.ndim - i - 1)
    return axis, shape, src


@derived(
    "scatter(x, 1, [[0], [2]], y) | x=2,3 y=2,1",
    "scatter(x, 0, [[1, 0, 1]], y) | x=2,3 y=2,3",
    "scatter(x, 0, [1, 1], value=5) | x=3",
    "scatter(x, 0, [1, 1], y, reduce='add') | x=3 y=2",
    "scatter(x, 0, [1, 1, 0], y, reduce='multiply') | x=3 y=3",
)
def scatter(
    input: Node, dim: int, index: Index, src: Node | None = None, reduce: str | None = None, value: Node | None = None
) -> Node:
    """The array with elements at places along an axis replaced, or added to or multiplied."""
    source = value if src is None else src
    if source is None:
        raise GradcalcError("arguments", "`scatter` needs `src` or `value`")
    axis, shape, part = _fits(input, dim, index, source)
    if reduce in ("add", "multiply"):
        places = _raveled_places(index.numbers, axis, input.shape)
        return reduced(input, part, places, "sum" if reduce == "add" else "prod", True)
    if reduce is not None:
        raise GradcalcError("arguments", f"reduce may be 'add' or 'multiply', not {reduce!r}")
    once(_raveled_places(index.numbers, axis, input.shape), source, "scatter")
    return put_gather(input, part, along_axis(index.node, axis, shape))


@derived("scatter_add(x, 1, [[0, 0], [2, 1]], y) | x=2,3 y=2,2", "scatter_add(x, 0, [[1]], y) | x=2,3 y=2,3")
def scatter_add(input: Node, dim: int, index: Index, src: Node) -> Node:
    """The array with values added at places along an axis."""
    axis, shape, part = _fits(input, dim, index, src)
    return add_gather(input, part, along_axis(index.node, axis, shape))


@derived(
    "scatter_reduce(x, 0, [0, 0, 2], y, 'sum') | x=3 y=3",
    "scatter_reduce(x, 0, [0, 0, 2], y, 'prod', include_self=False) | x=3 y=3",
    "scatter_reduce(x, 1, [[0, 0], [2, 0]], y, 'mean') | x=2,3 y=2,2",
    "scatter_reduce(x, 0, [0, 0, 2], y, 'mean', include_self=False) | x=3 y=3",
    "scatter_reduce(x, 0, [[0, 1], [0, 0]], y, reduce='amax') | x=2,2 y=2,2",
    "scatter_reduce(x, 0, [0, 0, 2], y, 'amin', include_self=False) | x=3 y=3",
)
def scatter_reduce(input: Node, dim: int, index: Index, src: Node, reduce: str, include_self: bool = True) -> Node:
    """The array with its elements and those for their places along an axis made one: by sum, prod, mean, amax, amin."""
    axis, _, part = _fits(input, dim, index, src)
    return reduced(input, part, _raveled_places(index.numbers, axis, input.shape), _known(reduce), include_self)


def _known(reduction: str) -> str:
    if reduction not in ("sum", "prod", "mean", "amax", "amin"):
        raise GradcalcError("arguments", f"reduce may be 'sum', 'prod', 'mean', 'amax' or 'amin', not {reduction!r}")
    return reduction


# whole slices of an axis ----------------------------------------------------------------------------


def _slices(input: Node, dim: int, index: Index, source: Node, *, negative: bool = False) -> tuple[int, Node]:
    """The axis from the left, and the places; the source must have a slice for each."""
    axis = negative_axis(dim, input.ndim, "dim") + input.ndim
    places = within(index, input.shape[axis], negative=negative)
    if index.node.ndim > 1:
        raise GradcalcError("shape", f"`index` must be a vector, got shape {index.node.shape}")
    places = reshape(places, (places.size,))
    wanted = (*input.shape[:axis], places.size, *input.shape[axis + 1 :])
    if source.ndim and source.shape != wanted:
        raise GradcalcError(
            "shape", f"the source must have shape {wanted}, not {source.shape}", operands=[with_shape(source)]
        )
    return axis, places


@derived("index_add(x, 0, [1, 1], y) | x=3,2 y=2,2", "index_add(x, 1, [0], y, alpha=-2) | x=2,2 y=2,1")
def index_add(input: Node, dim: int, index: Index, source: Node, alpha: float = 1) -> Node:
    """The array with alpha times slices added at places of an axis."""
    axis, places = _slices(input, dim, index, source)
    return add_gather(input, source if alpha == 1 else source * alpha, [places], input.ndim - axis - 1)


@derived("index_copy(x, 0, [2, 0], y) | x=3,2 y=2,2", "index_copy(x, 1, [1], y) | x=2,3 y=2,1")
def index_copy(input: Node, dim: int, index: Index, source: Node) -> Node:
    """The array with slices at places of an axis replaced."""
    axis, places = _slices(input, dim, index, source)
    once(index.numbers, source, "index_copy")
    return put_gather(input, source, [places], input.ndim - axis - 1)


@derived("index_fill(x, 1, [0, -1], 7) | x=2,3", "index_fill(x, 0, [1, 1], y) | x=3 y=")
def index_fill(input: Node, dim: int, index: Index, value: Node) -> Node:
    """The array with every element of the slices at places of an axis replaced by one number."""
    if value.ndim:
        raise GradcalcError("shape", f"`value` must be one number, got shape {value.shape}")
    axis, places = _slices(input, dim, index, value, negative=True)
    wanted = (*input.shape[:axis], places.size, *input.shape[axis + 1 :])
    return put_gather(input, broadcast_to(value, wanted), [places], input.ndim - axis - 1)


@derived(
    "index_reduce(x, 0, [0, 0, 2], y, 'prod') | x=3,2 y=3,2",
    "index_reduce(x, 1, [1, 1], y, 'amax', include_self=False) | x=2,2 y=2,2",
    "index_reduce(x, 0, [0, 2, 0], y, 'mean') | x=3 y=3",
)
def index_reduce(input: Node, dim: int, index: Index, source: Node, reduce: str, include_self: bool = True) -> Node:
    """The array with its slices and those for their places made one: by prod, mean, amax or amin."""
    axis, _ = _slices(input, dim, index, source)
    along = index.numbers.reshape((-1,) + (1,) * (input.ndim - axis - 1))
    places = _raveled_places(np.broadcast_to(along, source.shape), axis, input.shape)
    return reduced(input, source, places, _known(reduce), include_self)


# places of the raveled array, masks ---------------------------------------------------------------------


@derived("torch.put(x, [0, -1], y) | x=2,2 y=2", "torch.put(x, [1, 1], y, accumulate=True) | x=3 y=2", name="torch.put")
def put(input: Node, index: Index, source: Node, accumulate: bool = False) -> Node:
    """The array with the elements at places of the raveled array replaced, or added to."""
    if source.size != index.numbers.size:
        raise GradcalcError("shape", f"{index.numbers.size} places do not fit a source of {source.size} elements")
    places = reshape(within(index, input.size), (index.numbers.size,))
    if not accumulate:
        once(index.numbers % max(input.size, 1), source, "put")
    write = add_gather if accumulate else put_gather
    return reshape(write(ravel(input), ravel(source), [places]), input.shape)


@derived("jax.put(x, [0, -1], y, inplace=False) | x=2,2 y=2", "jax.put(x, [0, 5], 7, mode='wrap', inplace=False) | x=3",
         "jax.put(x, [0, 2, 1], y, inplace=False) | x=3 y=2", name="jax.put")  # fmt: skip
def put_flat(a: Node, ind: Index, v: Node, mode: str | None = None, inplace: bool = True) -> Node:
    """The array with the elements at places of the raveled array replaced; values are repeated to fill them."""
    _no_inplace("put", inplace)
    places = within(Index(ravel(ind.node), ind.numbers.reshape(-1)), a.size, mode or "raise")
    source = ravel(as_node(v))
    if source.size == 0 and ind.numbers.size:
        raise GradcalcError("shape", "there are no values to put")
    once(ind.numbers % max(a.size, 1), source, "put")
    values = gather(source, (numbers(np.arange(ind.numbers.size) % max(source.size, 1)),))
    return reshape(put_gather(ravel(a), values, [places]), a.shape)


def _no_inplace(what: str, inplace: bool) -> None:
    if inplace:
        raise GradcalcError(
            "arguments",
            f"`{what}` writes in place, which an expression cannot",
            helps=["assign: `x[i] = v`", f"with JAX, `jnp.{what}(…, inplace=False)`"],
        )


@derived("jax.put_along_axis(x, [[0], [2]], y, 1, inplace=False) | x=2,3 y=2,1",
         "jax.put_along_axis(x, [[0, 1]], 5, axis=0, inplace=False) | x=2,2", name="jax.put_along_axis")  # fmt: skip
def put_along_axis(arr: Node, indices: Index, values: Node, axis: int | None, inplace: bool = True,
                   mode: str | None = None) -> Node:  # fmt: skip
    """The array with elements at places along an axis replaced."""
    _no_inplace("put_along_axis", inplace)
    if mode is not None:
        raise GradcalcError("arguments", "`mode` is not read here: the places must be inside the axis")
    x = ravel(arr) if axis is None else arr
    along = negative_axis(axis or 0, x.ndim) + x.ndim
    index = along_axis(within(indices, x.shape[along]), along, x.shape)
    place = np.broadcast_shapes(*(one.shape for one in index))
    once(
        _raveled_places(np.broadcast_to(indices.numbers % x.shape[along], place), along, x.shape),
        values,
        "put_along_axis",
    )
    return reshape(put_gather(x, fitted(values, place), index), arr.shape)


@derived("jax.place(x, [True, False, True], y, inplace=False) | x=3 y=1",
         "jax.place(x, [[True, True], [False, True]], y, inplace=False) | x=2,2 y=2", name="jax.place")  # fmt: skip
def place(arr: Node, mask: Mask, vals: Node, inplace: bool = True) -> Node:
    """The array with elements where a mask is true at the inputs replaced by values in turn."""
    _no_inplace("place", inplace)
    where_true = np.flatnonzero(mask)
    if mask.size != arr.size or (where_true.size and not vals.size):
        raise GradcalcError("shape", f"a mask of shape {mask.shape} does not fit shape {arr.shape}")
    values = gather(ravel(vals), (numbers(np.arange(where_true.size) % max(vals.size, 1)),))
    return reshape(put_gather(ravel(arr), values, [numbers(where_true)]), arr.shape)


@derived("masked_scatter(x, [True, False, True], y) | x=3 y=3", "masked_scatter(x, [[True], [False]], y) | x=2,2 y=2,2")
def masked_scatter(input: Node, mask: Mask, source: Node) -> Node:
    """The array with elements where a mask is true at the inputs replaced by the source's, in order."""
    shape = np.broadcast_shapes(mask.shape, input.shape)
    places = np.flatnonzero(np.broadcast_to(mask, shape))
    if source.size < places.size:
        raise GradcalcError("shape", f"the mask is true at {places.size} places, but there are {source.size} values")
    values = gather(ravel(source), (numbers(np.arange(places.size)),))
    return reshape(put_gather(ravel(broadcast_to(input, shape)), values, [numbers(places)]), shape)


# groups -------------------------------------------------------------------------------------------------


def _segments(data: Node, segment_ids: Index, num_segments: int | None, reduction: str) -> Node:
    ids = segment_ids.numbers
    if ids.shape != data.shape[:1] or ids.ndim != 1:
        raise GradcalcError("shape", f"ids of shape {ids.shape} do not number the first axis of shape {data.shape}")
    count = int(np.max(ids, initial=-1)) + 1 if num_segments is None else num_segments
    if count < 0:
        raise GradcalcError("arguments", f"there cannot be {count} segments")
    kept = np.flatnonzero((ids >= 0) & (ids < count))  # others are left out, as JAX does
    part = data if kept.size == ids.size else gather(data, (numbers(kept),), data.ndim - 1)
    if reduction == "sum":
        return add_gather(zeros((count, *data.shape[1:])), part, [numbers(ids[kept])], data.ndim - 1)
    shape = (count, *data.shape[1:])
    along = np.broadcast_to(ids[kept].reshape((-1,) + (1,) * (data.ndim - 1)), part.shape)
    places = _raveled_places(along, 0, shape) if part.size else np.zeros(0, np.intp)
    return reshape(grouped(ravel(part), places.reshape(-1), int(np.prod(shape)), reduction), shape)


@derived("segment_sum(x, [0, 2, 0]) | x=3", "segment_sum(x, [0, 5, -1], num_segments=2) | x=3,2",
         spellings=("ops.segment_sum", "jax.ops.segment_sum"))  # fmt: skip
def segment_sum(data: Node, segment_ids: Index, num_segments: int | None = None, indices_are_sorted: bool = False,
                unique_indices: bool = False, bucket_size: int | None = None) -> Node:  # fmt: skip
    """Sums of the slices along the first axis that have the same number."""
    return _segments(data, segment_ids, num_segments, "sum")


@derived("segment_prod(x, [0, 1, 0]) | x=3", "segment_prod(x, [0, 1, 1], num_segments=3) | x=3,2",
         spellings=("ops.segment_prod", "jax.ops.segment_prod"))  # fmt: skip
def segment_prod(data: Node, segment_ids: Index, num_segments: int | None = None, indices_are_sorted: bool = False,
                 unique_indices: bool = False, bucket_size: int | None = None) -> Node:  # fmt: skip
    """Products of the slices along the first axis that have the same number; 1 where there is none."""
    return _segments(data, segment_ids, num_segments, "prod")


@derived("segment_max(x, [0, 1, 0]) | x=3", "segment_max(x, [0, 1, 1], num_segments=2) | x=3,2",
         spellings=("ops.segment_max", "jax.ops.segment_max"))  # fmt: skip
def segment_max(data: Node, segment_ids: Index, num_segments: int | None = None, indices_are_sorted: bool = False,
                unique_indices: bool = False, bucket_size: int | None = None) -> Node:  # fmt: skip
    """Largest of the slices along the first axis that have the same number; -inf where there is none."""
    return _segments(data, segment_ids, num_segments, "amax")


@derived("segment_min(x, [0, 1, 0]) | x=3", "segment_min(x, [0, 1, 1], num_segments=2) | x=3,2",
         spellings=("ops.segment_min", "jax.ops.segment_min"))  # fmt: skip
def segment_min(data: Node, segment_ids: Index, num_segments: int | None = None, indices_are_sorted: bool = False,
                unique_indices: bool = False, bucket_size: int | None = None) -> Node:  # fmt: skip
    """Smallest of the slices along the first axis that have the same number; inf where there is none."""
    return _segments(data, segment_ids, num_segments, "amin")


@derived(
    "bincount([0, 2, 0], x) | x=3", "bincount([1, 1], weights=x, minlength=4) | x=2", "bincount([1, 1, 3]) + x | x="
)
def bincount(x: Index, weights: Node | None = None, minlength: int = 0, length: int | None = None) -> Node:
    """How often each whole number occurs, or the sum of the weights that go with it."""
    if x.node.ndim != 1 or np.any(x.numbers < 0):
        raise GradcalcError("arguments", "`bincount` counts a vector of whole numbers that are not negative")
    if length is not None:
        raise GradcalcError("arguments", "`length` is not read here", helps=["say `minlength`"])
    if weights is not None and weights.shape != x.node.shape:
        raise GradcalcError("shape", f"weights of shape {weights.shape} do not go with numbers of shape {x.node.shape}")
    count = max(int(np.max(x.numbers, initial=-1)) + 1, minlength)
    if weights is None:
        return constant(np.bincount(x.numbers, minlength=count).astype(np.float64))
    return add_gather(zeros((count,)), weights, [x.node])
