"""Shapes, parts, joining, splitting, selecting and writing: what the libraries document, element by element."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

# shapes and parts -----------------------------------------------------------------------------------


def _squeeze(x: Any, dim: Any = None) -> Any:
    given = range(x.ndim) if dim is None else np.atleast_1d(dim)
    return np.squeeze(x, tuple(int(one) for one in given if x.shape[one] == 1))


def _unflatten(x: Any, dim: int, sizes: Any) -> Any:
    dim %= x.ndim
    rest = x.shape[dim] // -math.prod(sizes)
    sizes = [rest if n == -1 else n for n in sizes]
    return x.reshape([*x.shape[:dim], *sizes, *x.shape[dim + 1 :]])


def _expand(x: Any, size: Any) -> Any:
    padded = (1,) * (len(size) - x.ndim) + x.shape
    return np.broadcast_to(x, [old if new == -1 else new for old, new in zip(padded, size, strict=True)])


def _narrow(x: Any, dim: int, start: int, length: int) -> Any:
    return np.take(x, [(start % x.shape[dim]) + i for i in range(length)], dim)


def _unfold(x: Any, dimension: int, size: int, step: int) -> Any:
    starts = range(0, x.shape[dimension] - size + 1, step)
    windows = [np.moveaxis(np.take(x, range(at, at + size), dimension), dimension, -1) for at in starts]
    return np.stack(windows, dimension % x.ndim)


def _as_strided(x: Any, size: Any, stride: Any, storage_offset: int = 0) -> Any:
    out = np.zeros(size)
    for place in np.ndindex(*size):
        out[place] = x.flat[storage_offset + sum(i * step for i, step in zip(place, stride, strict=True))]
    return out


def _as_strided_scatter(x: Any, src: Any, size: Any, stride: Any, storage_offset: int = 0) -> Any:
    out = x.copy()
    for place in np.ndindex(*size):
        out.flat[storage_offset + sum(i * step for i, step in zip(place, stride, strict=True))] = src[place]
    return out


def _sum_to_size(x: Any, size: Any) -> Any:
    out = np.zeros(size)
    for place in np.ndindex(*x.shape):
        last = place[x.ndim - len(size) :]
        out[tuple(i if n > 1 else 0 for i, n in zip(last, size, strict=True))] += x[place]
    return out


# splitting ------------------------------------------------------------------------------------------


def _torch_split(x: Any, size: Any, dim: int = 0) -> list[Any]:
    length = x.shape[dim]
    lengths = size if np.ndim(size) else [min(size, length - start) for start in range(0, length, size)]
    parts, start = [], 0
    for one in lengths:
        parts.append(np.take(x, range(start, start + one), dim))
        start += one
    return parts


def _chunk(x: Any, chunks: int, dim: int = 0) -> list[Any]:
    return _torch_split(x, math.ceil(x.shape[dim] / chunks), dim)


def _unstack(x: Any, axis: int = 0) -> list[Any]:
    return [np.take(x, i, axis) for i in range(x.shape[axis])]


# joining and grids ----------------------------------------------------------------------------------


def _block_diag(*arrays: Any) -> Any:
    blocks = [np.atleast_2d(one) for one in arrays]
    out = np.zeros(np.sum([one.shape for one in blocks], 0))
    row = column = 0
    for one in blocks:
        out[row : row + one.shape[0], column : column + one.shape[1]] = one
        row, column = row + one.shape[0], column + one.shape[1]
    return out


def _repeat_to(x: Any, repeats: Any, axis: int | None = None, total_repeat_length: int | None = None) -> Any:
    rows = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    times = np.broadcast_to(repeats, len(rows))
    out = [row for row, count in zip(rows, times, strict=True) for _ in range(count)]
    length = len(out) if total_repeat_length is None else total_repeat_length
    out = [out[min(i, len(out) - 1)] for i in range(length)]
    return np.moveaxis(np.array(out), 0, axis or 0)


def _torch_meshgrid(*arrays: Any, indexing: str = "ij") -> Any:
    given = arrays[0] if isinstance(arrays[0], list) else arrays
    return np.meshgrid(*given, indexing=indexing)


def _cartesian_prod(*vectors: Any) -> Any:
    return vectors[0] if len(vectors) == 1 else np.array(list(itertools.product(*vectors)))


def _combinations(x: Any, r: int = 2, with_replacement: bool = False) -> Any:
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return np.array(list(choose(x, r)))


# diagonals ------------------------------------------------------------------------------------------


def _diag_embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    side = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], side, side))
    for i in range(x.shape[-1]):
        out[..., i - min(offset, 0), i + max(offset, 0)] = x[..., i]
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def _diagonal_scatter(x: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    out = np.moveaxis(x.copy(), (dim1, dim2), (-2, -1))
    for i in range(src.shape[-1]):
        out[..., i - min(offset, 0), i + max(offset, 0)] = src[..., i]
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def _select_scatter(x: Any, src: Any, dim: int, index: int) -> Any:
    out = np.moveaxis(x.copy(), dim, 0)
    out[index] = src
    return np.moveaxis(out, 0, dim)


def _slice_scatter(x: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    out = np.moveaxis(x.copy(), dim, 0)
    out[start:end:step] = np.moveaxis(src, dim, 0)
    return np.moveaxis(out, 0, dim)


def _fill_diagonal(a: Any, val: Any, wrap: bool = False, inplace: bool = True) -> Any:
    out = a.copy()
    np.fill_diagonal(out, val, wrap)
    return out


# selecting ------------------------------------------------------------------------------------------


def _jax_take(a: Any, indices: Any, axis: Any = None, mode: str = "fill", fill_value: float = math.nan) -> Any:
    if mode != "fill":
        return np.take(a, indices, axis, mode=mode)
    return np.array([a[i] if -len(a) <= i < len(a) else fill_value for i in indices])


def _gather(x: Any, dim: int, index: Any) -> Any:
    index = np.asarray(index)
    out = np.zeros(index.shape)
    for place in np.ndindex(*index.shape):
        out[place] = x[(*place[:dim], index[place], *place[dim:][1:])]
    return out


def _masked_select(x: Any, mask: Any) -> Any:
    pairs = zip(*map(np.ravel, np.broadcast_arrays(x, mask)), strict=True)
    return np.array([number for number, chosen in pairs if chosen])


# writing --------------------------------------------------------------------------------------------

_MEETINGS: dict[str, Callable[[list[Any]], Any]] = {
    "sum": sum,
    "mean": lambda numbers: sum(numbers) / len(numbers),
    "prod": math.prod,
    "amax": max,
    "amin": min,
}


def _places(index: Any, dim: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each place of an index, and the place it stands for along an axis."""
    index = np.asarray(index)
    for place in np.ndindex(*index.shape):
        yield place, (*place[:dim], int(index[place]), *place[dim:][1:])


def _scatter_reduce(x: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> Any:
    meeting: dict[Any, list[Any]] = {}
    for place, into in _places(index, dim):
        meeting.setdefault(into, [x[into]] if include_self else []).append(src[place])
    out = x.copy()
    for into, numbers in meeting.items():
        out[into] = _MEETINGS[reduce](numbers)
    return out


def _scatter(x: Any, dim: int, index: Any, src: Any = None, reduce: str = "", value: Any = None) -> Any:
    if reduce:
        return _scatter_reduce(x, dim, index, src, {"add": "sum", "multiply": "prod"}[reduce])
    out = x.copy()
    for place, into in _places(index, dim):
        out[into] = value if src is None else src[place]
    return out


def _whole(index: Any, dim: int, shape: Any) -> Any:
    """Places for every element of slices along an axis."""
    return np.broadcast_to(np.reshape(index, (-1,) + (1,) * (len(shape) - dim - 1)), shape)


def _index_reduce(x: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> Any:
    return _scatter_reduce(x, dim, _whole(index, dim, src.shape), src, reduce, include_self)


def _index_add(x: Any, dim: int, index: Any, src: Any, alpha: float = 1) -> Any:
    return _index_reduce(x, dim, index, alpha * src, "sum")


def _index_copy(x: Any, dim: int, index: Any, src: Any) -> Any:
    return _scatter(x, dim, _whole(index, dim, src.shape), src)


def _index_fill(x: Any, dim: int, index: Any, value: Any) -> Any:
    out = np.moveaxis(x.copy(), dim, 0)
    for i in index:
        out[i] = value
    return np.moveaxis(out, 0, dim)


def _torch_put(x: Any, index: Any, src: Any, accumulate: bool = False) -> Any:
    out = x.copy()
    for i, number in zip(np.ravel(index), np.ravel(src), strict=True):
        out.flat[i] = number + accumulate * out.flat[i]
    return out


def _jax_put(x: Any, ind: Any, v: Any, mode: str = "raise", inplace: bool = True) -> Any:
    out = x.copy()
    np.put(out, ind, v, mode)
    return out


def _jax_put_along(x: Any, indices: Any, values: Any, axis: int, inplace: bool = True) -> Any:
    out = x.copy()
    np.put_along_axis(out, np.array(indices), values, axis)
    return out


def _jax_place(x: Any, mask: Any, vals: Any, inplace: bool = True) -> Any:
    out = x.copy()
    np.place(out, np.array(mask), vals)
    return out


def _masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    out, queue = x.copy(), iter(np.ravel(source))
    for place in np.argwhere(np.broadcast_to(mask, x.shape)):
        out[tuple(place)] = next(queue)
    return out


def _segments(empty: float, meet: Callable[[Any], Any]) -> Callable[..., Any]:
    def segment(data: Any, ids: Any, num_segments: int | None = None) -> Any:
        count = max(ids) + 1 if num_segments is None else num_segments
        rows = [[row for row, one in zip(data, ids, strict=True) if one == i] for i in range(count)]
        return np.array([meet(np.array(row)) if row else np.full(data.shape[1:], empty) for row in rows])

    return segment


# windows, and arrays made from nothing ----------------------------------------------------------------


def _cosines(*weights: float) -> Callable[..., Any]:
    def window(length: int, periodic: bool = True, *own: float) -> Any:
        turn = 2 * math.pi / max(length if periodic else length - 1, 1)
        used = (own[0], -own[1]) if own else weights
        numbers = [sum(w * math.cos(k * turn * i) for k, w in enumerate(used)) for i in range(length)]
        return np.array(numbers) if length > 1 else np.ones(length)

    return window


def _bartlett(length: int, periodic: bool = True) -> Any:
    last = length if periodic else length - 1
    return np.array([1 - abs(2 * i / last - 1) for i in range(length)])


def _bessel(x: float) -> float:
    return sum((x / 2) ** (2 * k) / math.factorial(k) ** 2 for k in range(60))


def _kaiser(length: int, periodic: bool = True, beta: float = 12.0) -> Any:
    last = length if periodic else length - 1
    return np.array([_bessel(beta * math.sqrt(1 - (2 * i / last - 1) ** 2)) / _bessel(beta) for i in range(length)])


def _torch_range(start: float = 0, end: float = 0, step: float = 1) -> Any:
    return np.array([start + i * step for i in range(math.floor((end - start) / step) + 1)])


_FOLDS = {"sum": sum, "mean": sum, "prod": math.prod, "max": np.maximum.reduce, "min": np.minimum.reduce}


def _segment_reduce(x: Any, reduce: str, lengths: Any = None, offsets: Any = None, axis: int = 0, initial: Any = None):
    bounds = offsets if lengths is None else [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    rows = []
    for start, stop in itertools.pairwise(bounds):
        part = list(x[start:stop]) + ([] if initial is None else [np.full(x.shape[1:], initial)])
        rows.append(_FOLDS[reduce](part) / (stop - start if reduce == "mean" else 1))
    return np.array(rows)


FUNCTIONS = {
    "stop_gradient": lambda x: x,
    "t": np.transpose,
    "torch.squeeze": _squeeze,
    "unflatten": _unflatten,
    "expand": _expand,
    "expand_as": lambda x, y: np.broadcast_to(x, y.shape),
    "reshape_as": lambda x, y: np.reshape(x, y.shape),
    "contiguous": lambda x: x,
    "torch.swapaxes": lambda x, axis0, axis1: np.swapaxes(x, axis0, axis1),
    "swapdims": lambda x, dim0, dim1: np.swapaxes(x, dim0, dim1),
    "narrow": _narrow,
    "torch.select": lambda x, dim, index: np.take(x, index, dim),
    "torch.unfold": _unfold,
    "sliding_window_view": np.lib.stride_tricks.sliding_window_view,
    "as_strided": _as_strided,
    "as_strided_scatter": _as_strided_scatter,
    "sum_to_size": _sum_to_size,
    "torch.split": _torch_split,
    "tensor_split": lambda x, where, dim=0: np.array_split(x, where, dim),
    "chunk": _chunk,
    "unstack": _unstack,
    "block_diag": _block_diag,
    "repeat_interleave": lambda x, repeats, dim=None: _repeat_to(x, repeats, dim),
    "jax.repeat": _repeat_to,
    "torch.meshgrid": _torch_meshgrid,
    "cartesian_prod": _cartesian_prod,
    "combinations": _combinations,
    "torch.linalg.diagonal": lambda x, offset=0, dim1=-2, dim2=-1: np.diagonal(x, offset, dim1, dim2),
    "diag_embed": _diag_embed,
    "diagonal_scatter": _diagonal_scatter,
    "select_scatter": _select_scatter,
    "slice_scatter": _slice_scatter,
    "jax.fill_diagonal": _fill_diagonal,
    "torch.linalg.vander": lambda x, N=None: np.stack([x**n for n in range(N or x.shape[-1])], -1),
    "torch.tril_indices": lambda row, col, offset=0: np.array(np.tril_indices(row, offset, col)),
    "torch.triu_indices": lambda row, col, offset=0: np.array(np.triu_indices(row, offset, col)),
    "jax.take": _jax_take,
    "torch.take": lambda x, index: np.ravel(x)[np.array(index)],
    "index_select": lambda x, dim, index: np.stack([np.take(x, i, dim) for i in index], dim),
    "take_along_axis": lambda x, at, axis=-1: np.take_along_axis(x, np.array(at), axis),
    "take_along_dim": lambda x, at, dim=None: np.take_along_axis(x, np.array(at), dim),
    "torch.gather": _gather,
    "masked_select": _masked_select,
    "scatter": _scatter,
    "scatter_add": lambda x, dim, index, src: _scatter_reduce(x, dim, index, src, "sum"),
    "scatter_reduce": _scatter_reduce,
    "index_add": _index_add,
    "index_copy": _index_copy,
    "index_fill": _index_fill,
    "index_reduce": _index_reduce,
    "torch.put": _torch_put,
    "jax.put": _jax_put,
    "jax.put_along_axis": _jax_put_along,
    "jax.place": _jax_place,
    "masked_scatter": _masked_scatter,
    "torch.segment_reduce": _segment_reduce,
    "segment_sum": _segments(0, lambda rows: rows.sum(0)),
    "segment_prod": _segments(1, lambda rows: rows.prod(0)),
    "segment_max": _segments(-math.inf, lambda rows: rows.max(0)),
    "segment_min": _segments(math.inf, lambda rows: rows.min(0)),
    "new_zeros": lambda x, size: np.zeros(size),
    "new_ones": lambda x, size: np.ones(size),
    "new_full": lambda x, size, fill_value: np.full(size, fill_value),
    "new_empty": lambda x, size: np.empty(size),
    "new_tensor": lambda x, data: np.array(data),
    "torch.eye": lambda n, m=None: np.array([[i == j for j in range(m or n)] for i in range(n)], float),
    "torch.range": _torch_range,
    "torch.logspace": lambda start, end, steps, base=10.0: base ** np.linspace(start, end, steps),
    "bartlett_window": _bartlett,
    "blackman_window": _cosines(0.42, -0.5, 0.08),
    "hann_window": _cosines(0.5, -0.5),
    "hamming_window": _cosines(0.54, -0.46),
    "kaiser_window": _kaiser,
}
