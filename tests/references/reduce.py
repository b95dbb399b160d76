"""What the libraries' reductions, orders, differences and integrals mean, by loops over rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _rows(function: Callable[..., Any], x: Any, axis: int, keepdims: bool = False) -> Any:
    """A function of lists applied along an axis; it may return a number, a list, or a tuple of either."""
    x = np.moveaxis(np.asarray(x, float), axis, -1) if np.ndim(x) else np.reshape(x, (1,))
    flat = [function(list(row)) for row in x.reshape(-1, x.shape[-1])]
    if isinstance(flat[0], tuple):
        return tuple(_packed([one[i] for one in flat], x, axis, keepdims) for i in range(len(flat[0])))
    return _packed(flat, x, axis, keepdims)


def _packed(flat: list[Any], x: Any, axis: int, keepdims: bool) -> Any:
    made = np.array(flat, float)
    if made.ndim == 2:
        return np.moveaxis(made.reshape(*x.shape[:-1], -1), -1, axis)
    made = made.reshape(x.shape[:-1])
    return np.expand_dims(made, axis) if keepdims else made


def _order(row: list[float], descending: bool = False) -> list[int]:
    return sorted(range(len(row)), key=lambda i: -row[i] if descending else row[i])


def _taken(row: list[float], places: list[int]) -> tuple[list[float], list[int]]:
    return [row[i] for i in places], places


def _sort(x: Any, dim: int = -1, descending: bool = False) -> Any:
    return _rows(lambda row: _taken(row, _order(row, descending)), x, dim)


def _topk(x: Any, k: int, dim: int = -1, largest: bool = True) -> Any:
    return _rows(lambda row: _taken(row, _order(row, largest)[:k]), x, dim)


def _kth(row: list[float], k: int) -> tuple[float, int]:
    place = _order(row)[k]
    return row[place], place


def _mode(row: list[float]) -> tuple[float, int]:
    value = min(row, key=lambda one: (-row.count(one), one))
    return value, max(i for i, one in enumerate(row) if one == value)


def _median(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        return sorted(np.ravel(x))[(np.size(x) - 1) // 2]
    return _selection(lambda row: _kth(row, (len(row) - 1) // 2), x, dim, keepdim)


def _nanmedian(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        return _median([one for one in np.ravel(x) if one == one])

    def lower(row: list[float]) -> tuple[float, int]:
        numbers = [one for one in row if one == one]
        value = sorted(numbers)[(len(numbers) - 1) // 2] if numbers else np.nan
        return value, row.index(value) if numbers else 0

    return _selection(lower, x, dim, keepdim)


class _Selection(tuple):
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])
    min = property(lambda self: self[0])
    max = property(lambda self: self[1])


def _selection(function: Callable[..., Any], x: Any, dim: int, keepdim: bool = False) -> _Selection:
    return _Selection(_rows(function, x, dim, keepdim))


def _quantile(skip: bool, lower_half: bool = False) -> Callable[..., Any]:
    def one(row: list[float], q: float, method: str) -> float:
        numbers = sorted(one for one in row if one == one) if skip else sorted(row)
        if not numbers:
            return np.nan
        at = q * (len(numbers) - 1)
        low, high = numbers[int(np.floor(at))], numbers[int(np.ceil(at))]
        if method == "nearest" and lower_half and at % 1 == 0.5:
            return low
        rest = {"lower": 0, "higher": 1, "midpoint": 0.5, "nearest": round(at) - np.floor(at)}.get(method, at % 1)
        return low * (1 - rest) + high * rest

    def quantile(
        x: Any, q: Any, axis: int | None = None, keepdims: bool = False, method: str = "linear", **named: Any
    ) -> Any:
        axis, keepdims = named.get("dim", axis), named.get("keepdim", keepdims)
        method = named.get("interpolation", method)
        rows = np.ravel(x) if axis is None else x
        each = [_rows(lambda row, q=q: one(row, q, method), rows, axis or 0, keepdims) for q in np.ravel(q)]
        return np.array(each).reshape((*np.shape(q), *np.shape(each[0])))

    return quantile


def _percentile(quantile: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, q, axis=None, method="linear": quantile(x, q / 100, axis, method=method)


def _running(better: Callable[..., bool]) -> Callable[..., Any]:
    def running(row: list[float]) -> tuple[list[float], list[int]]:
        places = [0]
        for i in range(1, len(row)):
            places.append(i if better(row[i], row[places[-1]]) else places[-1])
        return _taken(row, places)

    return lambda x, dim: _selection(running, x, dim)


def _log_running(x: Any, axis: int) -> Any:
    return _rows(lambda row: [np.log(sum(np.exp(one) for one in row[: i + 1])) for i in range(len(row))], x, axis)


def _both_ways(running: Callable[..., Any]) -> Callable[..., Any]:
    def way(x: Any, axis: int = 0, reverse: bool = False) -> Any:
        return _rows(lambda row: list(running(np.array(row[::-1])))[::-1] if reverse else list(running(row)), x, axis)

    return way


def _variance(x: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, correction: float = 1) -> Any:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    dim = tuple(dim) if isinstance(dim, list) else dim
    return np.var(x, axis=dim, ddof=correction if unbiased else 0, keepdims=keepdim)


def _with_mean(function: Callable[..., Any]) -> Callable[..., Any]:
    def both(x: Any, dim: Any = None, keepdim: bool = False, **named: Any) -> Any:
        return function(_variance(x, dim, keepdim=keepdim, **named)), np.mean(x, axis=dim, keepdims=keepdim)

    return both


def _search(a: Any, x: Any, right: bool = False, side: str = "left") -> Any:
    a, x = np.asarray(a), np.asarray(x)
    if a.ndim > 1:
        return np.stack([_search(one, other, right, side) for one, other in zip(a, x, strict=True)])
    passed = a <= x[..., None] if right or side == "right" else a < x[..., None]
    return np.sum(passed, -1).astype(float)


def _norm(x: Any, p: float = 2, dim: Any = None, keepdim: bool = False) -> Any:
    sizes = np.abs(x)
    if p == np.inf:
        return np.max(sizes, axis=dim, keepdims=keepdim)
    if p == 0:
        return np.sum(sizes != 0, axis=dim, keepdims=keepdim)
    return np.sum(sizes**p, axis=dim, keepdims=keepdim) ** (1 / p)


def _gradient(x: Any, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> Any:
    each = spacing if isinstance(spacing, list) else [spacing]
    found = np.gradient(x, *each, axis=dim, edge_order=edge_order)
    return found if isinstance(found, (list, tuple)) else (found,)


def _areas(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1, initial: float | None = None) -> Any:
    y = np.moveaxis(y, axis, -1)
    x = np.arange(y.shape[-1]) * dx if x is None else np.moveaxis(x, axis, -1) if np.ndim(x) > 1 else x
    panels = [(y[..., i] + y[..., i + 1]) / 2 * (x[..., i + 1] - x[..., i]) for i in range(y.shape[-1] - 1)]
    sums = [sum(panels[: i + 1]) for i in range(len(panels))]
    return np.stack(([0 * sums[0]] if initial == 0 else []) + sums, axis)


def _logsumexp(
    a: Any, axis: Any = None, b: Any = 1.0, keepdims: bool = False, return_sign: bool = False, **more: Any
) -> Any:
    terms = np.where(more.get("where", True), b * np.exp(a), 0)
    total = np.sum(terms, axis=axis, keepdims=keepdims)
    return (np.log(np.abs(total)), np.sign(total)) if return_sign else np.log(total)


def _argmode(x: Any) -> Any:
    return _rows(_mode, x, -1)[1]


def _rank(x: Any, rank: Any, propagate: bool = False) -> Any:
    x = np.asarray(x)
    return np.take_along_axis(np.argsort(x, -1), np.broadcast_to(rank, x.shape[:-1])[..., None], -1)[..., 0]


def _add_along(x: Any, places: Any, axis: int, length: int) -> Any:
    hits = np.moveaxis(np.asarray(places), axis, -1)[..., None] == np.arange(length)
    return np.moveaxis(np.sum(np.moveaxis(x, axis, -1)[..., None] * hits, -2), -1, axis)


def _cumulative(function: Any) -> Any:
    """NumPy's `cumulative_sum` and `cumulative_prod`, which it has from 2.1 on."""

    def running(x: Any, axis: int | None = None, include_initial: bool = False) -> Any:
        x = np.moveaxis(x, -1 if axis is None else axis, 0)
        parts = [function.reduce(x[: i + 1], axis=0) for i in range(len(x))]
        first = [np.full(x.shape[1:], function.identity)] if include_initial else []
        whole = np.array(first + parts) if first or parts else np.zeros(x.shape)
        return np.moveaxis(whole, 0, -1 if axis is None else axis)

    return running


FUNCTIONS = {
    "cumulative_sum": _cumulative(np.add),
    "cumulative_prod": _cumulative(np.multiply),
    "along": lambda x, places, axis: np.take_along_axis(x, np.asarray(places).astype(int), axis),
    "add_along": _add_along,
    "argrank": _rank,
    "chosen": lambda x, place: np.take_along_axis(x, np.broadcast_to(place, x.shape[:-1])[..., None].astype(int), -1)[
        ..., 0
    ],
    "argmode": _argmode,
    "argcummax": lambda x, axis, sign=1: _running(lambda a, b: a * sign >= b * sign)(x, axis)[1],
    "cummax": _running(lambda a, b: a >= b),
    "cummin": _running(lambda a, b: a <= b),
    "logcumsumexp": _log_running,
    "torch.sort": lambda *args, **named: _Selection(_sort(*args, **named)),
    "torch.msort": lambda x: np.sort(x, 0),
    "torch.argsort": lambda *args, **named: _sort(*args, **named)[1],
    "torch.topk": lambda *args, **named: _Selection(_topk(*args, **named)),
    "jax.lax.top_k": _topk,
    "torch.kthvalue": lambda x, k, dim=-1, keepdim=False: _selection(lambda row: _kth(row, k - 1), x, dim, keepdim),
    "torch.mode": lambda x, dim=-1, keepdim=False: _selection(_mode, x, dim, keepdim),
    "jax.partition": lambda x, k, axis=-1: _rows(
        lambda row: sorted(row)[: k + 1] + sorted(row, reverse=True)[: len(row) - k - 1], x, axis
    ),
    "torch.searchsorted": _search,
    "bucketize": lambda x, bounds, right=False: _search(bounds, x, right),
    "torch.median": _median,
    "torch.nanmedian": _nanmedian,
    "torch.quantile": _quantile(skip=False),
    "torch.nanquantile": _quantile(skip=True),
    "jax.quantile": _quantile(skip=False, lower_half=True),
    "jax.nanquantile": _quantile(skip=True, lower_half=True),
    "jax.percentile": _percentile(_quantile(skip=False, lower_half=True)),
    "jax.nanpercentile": _percentile(_quantile(skip=True, lower_half=True)),
    "jax.lax.cumsum": _both_ways(np.add.accumulate),
    "jax.lax.cumprod": _both_ways(np.multiply.accumulate),
    "jax.lax.cummax": _both_ways(np.maximum.accumulate),
    "jax.lax.cummin": _both_ways(np.minimum.accumulate),
    "jax.lax.cumlogsumexp": _both_ways(lambda row: np.log(np.cumsum(np.exp(row)))),
    "torch.var": _variance,
    "torch.std": lambda *args, **named: np.sqrt(_variance(*args, **named)),
    "torch.var_mean": _with_mean(lambda variance: variance),
    "torch.std_mean": _with_mean(np.sqrt),
    "torch.aminmax": lambda x, dim=None, keepdim=False: _Selection(
        (np.min(x, axis=dim, keepdims=keepdim), np.max(x, axis=dim, keepdims=keepdim))
    ),
    "torch.logsumexp": lambda x, dim, keepdim=False: _logsumexp(x, dim, keepdims=keepdim),
    "peak": lambda x, axis: np.ceil(np.max(x, axis=axis, keepdims=True)),
    "scipy.logsumexp": _logsumexp,
    "jax.logsumexp": _logsumexp,
    "torch.norm": _norm,
    "torch.gradient": _gradient,
    "cumulative_trapezoid": _areas,
    "torch.cov": lambda x, correction=1, fweights=None, aweights=None: np.cov(
        x, ddof=correction, fweights=fweights, aweights=aweights
    ),
    "jax.polymul": np.convolve,
}
