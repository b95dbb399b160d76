"""Medians and quantiles: elements by rank, and means of two that are neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, as_node, constant, is_constant
from . import arithmetic
from .arithmetic import floor_divide, isnan, logical_and, logical_not, where
from .indexing import index
from .joining import stack
from .kinds import Axis, derived, negative_axes, negative_axis, reduced_shape, reshape
from .order import Selected, of_rank, ranked, rows_of
from .reduce import some, sum
from .shape import ravel

_SHARED = Kink(at="several elements have the chosen value", takes="an even share for each")
Rank = Any
"""A rank, or a number of elements: a plain number, or a node where it depends on what is nan."""


def _valid(rows: Node) -> Node:
    """How many elements of each row are not nan."""
    count: Node = sum(logical_not(isnan(rows)), -1)
    return count


def _middle(x: Node, axis: Axis, keepdims: bool, skip: bool, what: str) -> Node:
    """The median, of all elements or of those that are not nan."""
    rows = rows_of(some(x, axis, what), axis)
    count: Rank = _valid(rows) if skip else rows.shape[-1]
    if skip:
        ends = [ranked(rows, floor_divide(count - 1 + extra, 2), False) for extra in (0, 1)]
        value = (ends[0] + ends[1]) / 2
    elif count % 2:
        value = ranked(rows, count // 2, True)
    else:
        value = (ranked(rows, count // 2 - 1, True) + ranked(rows, count // 2, True)) / 2
    return reshape(value, reduced_shape(x.shape, negative_axes(axis, x.ndim), keepdims))


@derived(
    "median(x) | x=3",
    "median(x) | x=2,2",
    "median(x, axis=0) | x=3,2",
    "median(x, axis=(0, 1), keepdims=True) | x=2,3",
    kink=_SHARED,
)
def median(x: Node, axis: Axis = None, overwrite_input: bool = False, keepdims: bool = False) -> Node:
    """The middle element in order, or the mean of the middle two."""
    return _middle(x, axis, keepdims, False, "median")


@derived(
    "nanmedian(x) | x=3",
    "nanmedian(where(x > 0, x, nan), axis=1) | x=2,4",
    "nanmedian(x, axis=0, keepdims=True) | x=3,2",
    kink=_SHARED,
)
def nanmedian(x: Node, axis: Axis = None, overwrite_input: bool = False, keepdims: bool = False) -> Node:
    """The median of the elements that are not nan."""
    return _middle(x, axis, keepdims, True, "nanmedian")


def _lower_middle(x: Node, dim: int | None, keepdim: bool, skip: bool) -> Node | Selected:
    """PyTorch's median: the lower of the middle two; along an axis with its place."""
    if x.size == 0:
        raise GradcalcError("empty", "`median` of no elements has no value")
    whole = ravel(x)
    axis = -1 if dim is None or x.ndim == 0 else negative_axis(dim, x.ndim, "dim")
    part = whole if dim is None or x.ndim == 0 else x
    rank: Rank = floor_divide(_valid(rows_of(part, axis)) - 1, 2) if skip else (part.shape[axis] - 1) // 2
    found = of_rank(part, axis, rank, keepdim and x.ndim > 0 and dim is not None, not skip)
    return found.values if dim is None else found


@derived(
    "torch.median(x) | x=4",
    "torch.median(x) | x=2,3",
    "torch.median(x, dim=0)[0] | x=4,2",
    "torch.median(x, 1, True).values | x=2,3",
    name="torch.median",
    kink=_SHARED,
)
def torch_median(input: Node, dim: int | None = None, keepdim: bool = False) -> Node | Selected:
    """The middle element in order, the lower of two; along an axis, with its place."""
    return _lower_middle(input, dim, keepdim, False)


@derived(
    "torch.nanmedian(x) | x=4",
    "torch.nanmedian(where(x > 0, x, nan), dim=1)[0] | x=2,4",
    "torch.nanmedian(x, 0, True).indices | x=2,3",
    name="torch.nanmedian",
    kink=_SHARED,
)
def torch_nanmedian(input: Node, dim: int | None = None, keepdim: bool = False) -> Node | Selected:
    """The middle of the elements that are not nan, the lower of two; along an axis, with its place."""
    return _lower_middle(input, dim, keepdim, True)


# quantiles --------------------------------------------------------------------------------------

_PLOTTING = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
"""Hyndman and Fan's continuous methods: the constants alpha and beta of their plotting positions."""

_STEPS = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest", "nearest_below")
_SIMPLE = ("linear", "lower", "higher", "nearest", "midpoint")
_METHODS = (*_SIMPLE, *_PLOTTING, "inverted_cdf", "closest_observation", "averaged_inverted_cdf")


def _position(method: str, n: Rank, q: Rank) -> Rank:
    """Where a quantile lies among the ranks, in NumPy's own order of operations: ties are decided by equality."""
    if method in _PLOTTING:
        alpha, beta = _PLOTTING[method]
        return n * q + (alpha + q * (1 - alpha - beta)) - 1
    if method in ("inverted_cdf", "averaged_inverted_cdf"):
        return n * q - 1
    if method == "closest_observation":
        return n * q - 1 - 0.5
    return (n - 1) * q


def _share(method: str, position: Rank, below: Rank, m: Any) -> Rank:
    """The weight of the upper neighbour; `m` has the functions of plain numbers or of nodes."""
    rest = position - below
    if method == "lower":
        return 0.0
    if method == "nearest":
        return m.round(position) - below  # halves go to the even rank
    if method == "nearest_below":
        return m.where(rest > 0.5, 1.0, 0.0)
    if method in ("higher", "inverted_cdf"):
        return m.where(rest > 0, 1.0, 0.0)
    if method == "closest_observation":
        return m.where(m.logical_and(m.equal(rest, 0), m.equal(m.mod(below, 2), 1)), 0.0, 1.0)
    if method == "midpoint":
        return m.where(rest > 0, 0.5, 0.0)
    if method == "averaged_inverted_cdf":
        return m.where(rest > 0, 1.0, 0.5)
    return rest


def _one_quantile(rows: Node, q: Rank, method: str, skip: bool) -> Node:
    """The quantile of each row."""
    count: Rank = _valid(rows) if skip else rows.shape[-1]
    plain = not isinstance(q, Node) and not isinstance(count, Node)
    m: Any = np if plain else arithmetic
    position = _position(method, count, q)
    below = m.floor(position)
    share = _share(method, position, below, m)
    top = count - 1
    low, high = (m.minimum(m.maximum(one, 0), top) for one in (below, below + 1))
    if method in _STEPS:
        return ranked(rows, m.minimum(below + share, top), not skip)
    first = ranked(rows, low, not skip)
    if plain and (share == 0 or low == high):
        return first
    value = first + (ranked(rows, high, not skip) - first) * share
    return value if not isinstance(q, Node) else where(logical_and(q >= 0, q <= 1), value, np.nan)


def _quantiles(x: Node, q: Node, axis: Axis, method: str, keepdims: bool, skip: bool) -> Node:
    """The quantiles for each of the given probabilities, which come first in the shape."""
    each: list[Rank]
    if is_constant(q):
        each = q.attrs["value"].data.ravel().tolist()
        if not all(0 <= one <= 1 for one in each):
            raise GradcalcError("arguments", "a quantile must be from 0 to 1 (a percentile from 0 to 100)")
    else:
        each = [index(ravel(q), (i,)) for i in range(q.size)]
    rows = rows_of(some(x, axis, "quantile"), axis)
    parts = [_one_quantile(rows, one, method, skip) for one in each]
    shape = reduced_shape(x.shape, negative_axes(axis, x.ndim), keepdims)
    return reshape(stack(parts) if q.ndim else parts[0], (*q.shape, *shape))


def _known(method: str, methods: Sequence[str]) -> str:
    if method not in methods:
        helps = [f"it may be {', '.join(sorted(methods))}"]
        raise GradcalcError("arguments", f"no method {method!r} of quantiles is known here", helps=helps)
    return method


def _percent(q: Node) -> Node:
    q = as_node(q)
    return constant(q.attrs["value"].data / 100) if is_constant(q) else q / 100


_RANGES = ((-2.0, 2.0), (0.05, 0.95))


@derived(
    "quantile(x, 0.3) | x=4",
    "quantile(x, y, axis=1) | x=2,3 y=",
    "quantile(x, [0.2, 0.5, 1], axis=0, keepdims=True) | x=3,2",
    "quantile(x, [[0.1], [0.7]], axis=(0, 2)) | x=2,2,2",
    "quantile(x, [0.25, 0.4], method='lower') | x=4",
    "quantile(x, [0.25, 0.4], method='higher') | x=4",
    "quantile(x, [0.25, 0.4], method='nearest') | x=4",
    "quantile(x, [0.25, 0.4], method='midpoint') | x=4",
    "quantile(x, [0.25, 0.4], method='inverted_cdf') | x=4",
    "quantile(x, [0.25, 0.4], method='averaged_inverted_cdf') | x=4",
    "quantile(x, [0.25, 0.4], method='closest_observation') | x=4",
    "quantile(x, [0.25, 0.4], method='interpolated_inverted_cdf') | x=4",
    "quantile(x, [0.25, 0.4], method='hazen') | x=4",
    "quantile(x, [0.25, 0.4], method='weibull') | x=4",
    "quantile(x, [0.25, 0.4], method='median_unbiased') | x=4",
    "quantile(x, [0.25, 0.4], method='normal_unbiased') | x=4",
    domain=_RANGES,
    kink=_SHARED,
)
def quantile(
    x: Node,
    q: Node,
    axis: Axis = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Node:
    """The value below which a part q of the elements lies (0 to 1), by any of NumPy's methods."""
    return _quantiles(x, q, axis, _known(method, _METHODS), keepdims, False)


@derived(
    "percentile(x, 30) | x=4",
    "percentile(x, [20, 75], axis=0, method='nearest') | x=3,2",
    "percentile(x, 50, axis=(0, 1), keepdims=True) | x=2,3",
    kink=_SHARED,
)
def percentile(
    x: Node,
    q: Node,
    axis: Axis = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Node:
    """The value below which q of a hundred elements lie, by any of NumPy's methods."""
    return _quantiles(x, _percent(q), axis, _known(method, _METHODS), keepdims, False)


@derived(
    "nanquantile(x, 0.3) | x=4",
    "nanquantile(where(x > 0, x, nan), [0.2, 0.5], axis=1) | x=2,4",
    "nanquantile(where(x > 0, x, nan), 0.3, method='hazen') | x=6",
    "nanquantile(where(x > 0, x, nan), 0.4, method='nearest') | x=6",
    kink=_SHARED,
)
def nanquantile(
    x: Node,
    q: Node,
    axis: Axis = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Node:
    """The quantile of the elements that are not nan."""
    return _quantiles(x, q, axis, _known(method, _METHODS), keepdims, True)


@derived(
    "nanpercentile(where(x > 0, x, nan), 30) | x=6",
    "nanpercentile(x, [20, 75], axis=0, keepdims=True) | x=3,2",
    kink=_SHARED,
)
def nanpercentile(
    x: Node,
    q: Node,
    axis: Axis = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Node:
    """The percentile of the elements that are not nan."""
    return _quantiles(x, _percent(q), axis, _known(method, _METHODS), keepdims, True)


@derived(
    "torch.quantile(x, 0.3) | x=4",
    "torch.quantile(x, [0.2, 0.5], dim=1, keepdim=True) | x=2,4",
    "torch.quantile(x, [0.25, 0.4], 0, interpolation='lower') | x=4,2",
    "torch.quantile(x, 0.4, interpolation='nearest') | x=4",
    name="torch.quantile",
    kink=_SHARED,
)
def torch_quantile(
    input: Node, q: Node, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear"
) -> Node:
    """The value below which a part q of the elements lies (0 to 1)."""
    return _quantiles(input, q, dim, _known(interpolation, _SIMPLE), keepdim, False)


@derived(
    "torch.nanquantile(x, 0.3) | x=4",
    "torch.nanquantile(where(x > 0, x, nan), [0.2, 0.5], dim=1, keepdim=True) | x=2,4",
    "torch.nanquantile(x, [0.25, 0.4], 0, interpolation='lower') | x=4,2",
    "torch.nanquantile(x, 0.4, interpolation='nearest') | x=4",
    name="torch.nanquantile",
    kink=_SHARED,
)
def torch_nanquantile(
    input: Node, q: Node, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear"
) -> Node:
    """The quantile of the elements that are not nan."""
    return _quantiles(input, q, dim, _known(interpolation, _SIMPLE), keepdim, True)


@derived(
    "jax.quantile(x, 0.3) | x=4",
    "jax.quantile(x, 0.3, axis=0, method='nearest') | x=4,2",
    name="jax.quantile",
    kink=_SHARED,
)
def jax_quantile(
    a: Node,
    q: Node,
    axis: Axis = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Node:
    """The value below which a part q of the elements lies (0 to 1); half-way, JAX's nearest is the lower."""
    return _quantiles(a, q, axis, _below(method), keepdims, False)


@derived(
    "jax.percentile(x, 30) | x=4",
    "jax.percentile(x, 30, axis=0, method='nearest') | x=4,2",
    name="jax.percentile",
    kink=_SHARED,
)
def jax_percentile(
    a: Node,
    q: Node,
    axis: Axis = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Node:
    """The value below which q of a hundred elements lie; half-way, JAX's nearest is the lower."""
    return _quantiles(a, _percent(q), axis, _below(method), keepdims, False)


@derived(
    "jax.nanquantile(x, 0.3) | x=4",
    "jax.nanquantile(x, 0.3, axis=0, method='nearest') | x=4,2",
    name="jax.nanquantile",
    kink=_SHARED,
)
def jax_nanquantile(
    a: Node,
    q: Node,
    axis: Axis = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Node:
    """The quantile of the elements that are not nan; half-way, JAX's nearest is the lower."""
    return _quantiles(a, q, axis, _below(method), keepdims, True)


@derived(
    "jax.nanpercentile(x, 30) | x=4",
    "jax.nanpercentile(x, 30, axis=0, method='nearest') | x=4,2",
    name="jax.nanpercentile",
    kink=_SHARED,
)
def jax_nanpercentile(
    a: Node,
    q: Node,
    axis: Axis = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
) -> Node:
    """The percentile of the elements that are not nan; half-way, JAX's nearest is the lower."""
    return _quantiles(a, _percent(q), axis, _below(method), keepdims, True)


def _below(method: str) -> str:
    return "nearest_below" if _known(method, _SIMPLE) == "nearest" else method
