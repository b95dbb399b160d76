"""Running extremes, sums and logarithms of sums along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Cotangents, Kink, Node, constant
from .arithmetic import equal, where
from .elementwise import exp
from .indexing import segment
from .joining import concatenate
from .kinds import broadcast_to, derived, general, negative_axis
from .order import Selected, along
from .reduce import cumprod, cumsum, recurrence
from .shape import flip

_LATEST = Kink(at="the extreme is reached again", takes="all of it for the latest")


def _places(x: Any, axis: int, sign: int) -> Any:
    """Where each running extreme is: the latest place that attains it; once a nan, always a nan."""
    best = (np.maximum if sign > 0 else np.minimum).accumulate(x, axis)
    steps = np.arange(np.shape(x)[axis]).reshape(-1, *(1,) * (-axis - 1))
    reached: Any = np.where((x == best) | (x != x), steps, 0)
    return np.maximum.accumulate(reached, axis).astype(np.float64)


@general(
    kernel=_places,
    shape=lambda x, axis, sign: x.shape,
    vjp=lambda g, y, x, axis, sign: (None,),
    flat=(0,),
    examples=("argcummax(x, 0) | x=4", "argcummax(x, 1, -1) | x=2,3"),
)
def argcummax(x: Node, axis: int, sign: int = 1) -> Any:
    """The place of the largest element so far along an axis, the latest of several; with sign -1, of the smallest."""
    return (x,), {"axis": negative_axis(axis, x.ndim), "sign": sign}


def _running(x: Node, dim: int, sign: int) -> Selected:
    if x.ndim == 0:
        return Selected(x, 0 * x)
    places = argcummax(x, dim, sign)
    return Selected(along(x, places, negative_axis(dim, x.ndim, "dim")), places)


@derived("cummax(x, 0)[0] | x=4", "cummax(x, dim=1).values | x=2,3", "cummax(x, 0).indices | x=3,2", kink=_LATEST)
def cummax(x: Node, dim: int) -> Selected:
    """The largest element so far along an axis, and its place."""
    return _running(x, dim, 1)


@derived("cummin(x, 0)[0] | x=4", "cummin(x, dim=1).values | x=2,3", "cummin(x, 0).indices | x=3,2", kink=_LATEST)
def cummin(x: Node, dim: int) -> Selected:
    """The smallest element so far along an axis, and its place."""
    return _running(x, dim, -1)


def _log_running(x: Any, axis: int) -> Any:
    return np.logaddexp.accumulate(x, axis)


def _exact_log_running(m: Any, x: Any, axis: int) -> Any:
    each = np.frompyfunc(m.exp, 1, 1), np.frompyfunc(m.log, 1, 1)
    return each[1](np.add.accumulate(each[0](x), axis))


def _exp_of_difference(a: Node, b: Node) -> Node:
    """exp(a - b) for a <= b; 1 where they are equal, infinite ones too."""
    return exp(where(equal(a, b), 0.0, a - b))


def _log_running_vjp(g: Node, y: Node, x: Node, axis: int) -> Cotangents:
    # With r[j] = sum over i >= j of g[i]*exp(y[j] - y[i]), which runs backwards by factors of at most 1,
    # the cotangent is exp(x[j] - y[j])*r[j]: nothing over- or underflows that the result does not.
    if x.shape[axis] == 0:
        return (g,)
    n = x.shape[axis]
    steps = _exp_of_difference(segment(y, axis, 0, n - 1), segment(y, axis, 1, n))
    last = broadcast_to(constant(0.0), tuple(1 if i - x.ndim == axis else k for i, k in enumerate(x.shape)))
    factors = flip(concatenate([steps, last], axis), axis)
    return (_exp_of_difference(x, y) * flip(recurrence(factors, flip(g, axis), axis), axis),)


@general(
    kernel=_log_running,
    shape=lambda x, axis: x.shape,
    vjp=_log_running_vjp,
    exact=_exact_log_running,
    examples=("logcumsumexp(x, 0) | x=4", "logcumsumexp(x, axis=1) | x=2,3"),
)
def logcumsumexp(x: Node, axis: int) -> Any:
    """Running log(sum(exp(x))) along an axis, without overflow."""
    return (x,), {"axis": negative_axis(axis, x.ndim)}


def _with_first(x: Node, running: Node, axis: int, first: float, include: bool) -> Node:
    if not include:
        return running
    head = broadcast_to(constant(first), tuple(1 if i - x.ndim == axis else n for i, n in enumerate(x.shape)))
    return concatenate([head, running], axis)


def _only_axis(x: Node, axis: int | None, what: str) -> int:
    if axis is None and x.ndim != 1:
        raise GradcalcError("arguments", f"`{what}` needs an `axis` unless the array is a vector")
    return negative_axis(axis or 0, x.ndim)


@derived("cumulative_sum(x) | x=3", "cumulative_sum(x, axis=1, include_initial=True) | x=2,3")
def cumulative_sum(x: Node, axis: int | None = None, include_initial: bool = False) -> Node:
    """Running sum along an axis; with `include_initial` it begins with 0."""
    along_axis = _only_axis(x, axis, "cumulative_sum")
    return _with_first(x, cumsum(x, along_axis), along_axis, 0.0, include_initial)


@derived("cumulative_prod(x) | x=3", "cumulative_prod(x, axis=1, include_initial=True) | x=2,3")
def cumulative_prod(x: Node, axis: int | None = None, include_initial: bool = False) -> Node:
    """Running product along an axis; with `include_initial` it begins with 1."""
    along_axis = _only_axis(x, axis, "cumulative_prod")
    return _with_first(x, cumprod(x, along_axis), along_axis, 1.0, include_initial)


# jax.lax ----------------------------------------------------------------------------------------


def _either_way(running: Any, x: Node, axis: int, reverse: bool) -> Node:
    """A running function along an axis, from the end with `reverse`."""
    made: Node = running(flip(x, axis) if reverse else x, axis)
    return flip(made, axis) if reverse else made


@derived("jax.lax.cumsum(x) | x=2,3", "jax.lax.cumsum(x, axis=1, reverse=True) | x=2,3", name="jax.lax.cumsum")
def lax_cumsum(operand: Node, axis: int = 0, reverse: bool = False) -> Node:
    """Running sum along an axis, from the end with `reverse`."""
    return _either_way(cumsum, operand, axis, reverse)


@derived("jax.lax.cumprod(x) | x=2,3", "jax.lax.cumprod(x, axis=1, reverse=True) | x=2,3", name="jax.lax.cumprod")
def lax_cumprod(operand: Node, axis: int = 0, reverse: bool = False) -> Node:
    """Running product along an axis, from the end with `reverse`."""
    return _either_way(cumprod, operand, axis, reverse)


@derived(
    "jax.lax.cumlogsumexp(x) | x=2,3",
    "jax.lax.cumlogsumexp(x, axis=1, reverse=True) | x=2,3",
    name="jax.lax.cumlogsumexp",
)
def lax_cumlogsumexp(operand: Node, axis: int = 0, reverse: bool = False) -> Node:
    """Running log(sum(exp(x))) along an axis, from the end with `reverse`."""
    return _either_way(logcumsumexp, operand, axis, reverse)


@derived(
    "jax.lax.cummax(x) | x=3,2", "jax.lax.cummax(x, axis=1, reverse=True) | x=2,3", name="jax.lax.cummax", kink=_LATEST
)
def lax_cummax(operand: Node, axis: int = 0, reverse: bool = False) -> Node:
    """The largest element so far along an axis, from the end with `reverse`."""
    return _either_way(lambda x, along_axis: _running(x, along_axis, 1).values, operand, axis, reverse)


@derived(
    "jax.lax.cummin(x) | x=3,2", "jax.lax.cummin(x, axis=1, reverse=True) | x=2,3", name="jax.lax.cummin", kink=_LATEST
)
def lax_cummin(operand: Node, axis: int = 0, reverse: bool = False) -> Node:
    """The smallest element so far along an axis, from the end with `reverse`."""
    return _either_way(lambda x, along_axis: _running(x, along_axis, -1).values, operand, axis, reverse)
