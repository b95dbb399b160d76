"""Sums, products, extremes and what is made of them, over all axes or the given ones."""

from __future__ import annotations

import builtins
import math
from math import prod as product
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import CATALOGUE, Cotangents, Kink, Node, Op, Shape, constant
from .arithmetic import equal, maximum, minimum
from .arithmetic import where as select
from .elementwise import sqrt
from .indexing import segment
from .joining import concatenate
from .kinds import (
    Axis,
    broadcast_to,
    derived,
    general,
    linear,
    negative_axes,
    negative_axis,
    reduced_shape,
    reshape,
    spread,
    with_shape,
)
from .shape import flip, ravel


def _shape(x: Node, axis: tuple[int, ...], keepdims: bool) -> Shape:
    return reduced_shape(x.shape, axis, keepdims)


def _call(x: Node, axis: Axis = None, keepdims: bool = False) -> Any:
    return (x,), {"axis": negative_axes(axis, x.ndim), "keepdims": keepdims}


def _count(x: Node, axis: Axis) -> int:
    """How many elements each reduced one stands for."""
    return product(x.shape[i] for i in negative_axes(axis, x.ndim))


def masked(x: Node, mask: Node | None, fill: float) -> Node:
    """The array with a number where a mask is false; itself without a mask."""
    return x if mask is None else select(broadcast_to(mask, x.shape), x, fill)


def counted(x: Node, axis: Axis, keepdims: bool, mask: Node | None, ddof: float = 0) -> Node | float:
    """How many elements each reduced one stands for, of those that a mask marks; ddof less, but not below 0."""
    if mask is None:
        return builtins.max(_count(x, axis) - ddof, 0)
    return maximum(sum(broadcast_to(mask, x.shape), axis, keepdims) - ddof, 0.0)


# sums -------------------------------------------------------------------------------------------


@linear(
    kernel=lambda x, axis, keepdims: np.add.reduce(x, axis, keepdims=keepdims),
    shape=_shape,
    transpose=lambda g, x, axis, keepdims: spread(g, x, axis, keepdims),
    examples=(
        "sum(x)",
        "sum(x, axis=0) | x=2,3",
        "sum(x, axis=(0, -1), keepdims=True) | x=2,3,2",
        "x.sum(-1) | x=2,3",
        "sum([[x, 1]]) | x=",
        "sum(x, axis=1, initial=y, where=[True, False, True]) | x=2,3 y=",
    ),
)
def sum(
    x: Node, axis: Axis = None, keepdims: bool = False, initial: Node | None = None, where: Node | None = None
) -> Any:
    """Sum of elements, over all axes or the given ones; of those only that `where` marks."""
    if initial is None and where is None:
        return _call(x, axis, keepdims)
    total = sum(masked(x, where, 0.0), axis, keepdims)
    return total if initial is None else total + initial


@derived("mean(x)", "mean(x, axis=1, keepdims=True) | x=2,3", "mean(x, axis=0, where=y > -2) | x=2,3 y=2,3")
def mean(x: Node, axis: Axis = None, keepdims: bool = False, where: Node | None = None) -> Node:
    """Mean of elements, over all axes or the given ones; of those only that `where` marks."""
    count = counted(some(x, axis, "mean"), axis, keepdims, where)
    return sum(masked(x, where, 0.0), axis, keepdims) / count


def some(x: Node, axis: Axis, what: str) -> Node:
    """The array, if there are elements to reduce."""
    if _count(x, axis) == 0:
        raise GradcalcError("empty", f"`{what}` of no elements has no value", operands=[with_shape(x)])
    return x


@derived(
    "var(x) | x=3",
    "var(x, axis=1, ddof=1) | x=2,3",
    "var(x, axis=0, keepdims=True) | x=2,3",
    "var(x, axis=1, where=[True, False, True], ddof=1) | x=2,3",
    "var(x, axis=1, mean=y) | x=2,3 y=2,1",
    "var(x, correction=1) | x=3",
)
def var(
    x: Node,
    axis: Axis = None,
    ddof: float = 0,
    keepdims: bool = False,
    where: Node | None = None,
    mean: Node | None = None,
    correction: float | None = None,
) -> Node:
    """Variance: the mean squared distance from the mean; ddof is taken off the count."""
    away = _distances(some(x, axis, "var"), axis, where, mean)
    return sum(away**2, axis, keepdims) / counted(x, axis, keepdims, where, ddof if correction is None else correction)


def _distances(x: Node, axis: Axis, mask: Node | None, center: Node | None) -> Node:
    """How far each element is from the mean; 0 for those that a mask leaves out."""
    return masked(x - (mean(x, axis, True, mask) if center is None else center), mask, 0.0)


@linear(
    kernel=lambda x, axis: np.add.accumulate(x, axis),
    shape=lambda x, axis: x.shape,
    transpose=lambda g, x, axis: flip(cumsum(flip(g, axis), axis), axis),
    examples=("cumsum(x) | x=3", "cumsum(x) | x=2,3", "cumsum(x, axis=0) | x=2,3"),
)
def cumsum(x: Node, axis: int | None = None) -> Any:
    """Running sum along an axis, or of the raveled array."""
    if axis is None and x.ndim != 1:
        return cumsum(ravel(x), 0)
    return (x,), {"axis": negative_axis(axis or 0, x.ndim)}


# products ---------------------------------------------------------------------------------------


def _before(x: Node, axis: int) -> Node:
    """At each place of an axis the product of all earlier elements: 1 at the first."""
    return _shifted(cumprod(x, axis), axis, 1.0)


def _shifted(x: Node, axis: int, first: float) -> Node:
    """Every element one place later; a number comes in at the front."""
    if x.shape[axis] == 0:
        return x
    head = broadcast_to(constant(first), _with_length(x, axis, 1))
    return concatenate([head, segment(x, axis, 0, x.shape[axis] - 1)], axis)


def _with_length(x: Node, axis: int, length: int) -> Shape:
    return tuple(length if i - x.ndim == axis else n for i, n in enumerate(x.shape))


def _recurrence(a: Any, b: Any, axis: int) -> Any:
    out = np.array(np.broadcast_to(b, np.broadcast_shapes(np.shape(a), np.shape(b))))
    a, steps = np.moveaxis(np.broadcast_to(a, out.shape), axis, 0), np.moveaxis(out, axis, 0)
    for i in range(1, len(steps)):
        steps[i] += a[i] * steps[i - 1]
    return out


def _recurrence_shape(a: Node, b: Node, axis: int) -> Shape:
    if a.shape != b.shape:
        message = f"`recurrence` needs factors and terms of one shape, got {a.shape} and {b.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(a), with_shape(b)])
    return b.shape


def _recurrence_vjp(g: Node, y: Node, a: Node, b: Node, axis: int) -> Cotangents:
    # The adjoint of s[i] = a[i]*s[i-1] + b[i] runs backwards: c[i] = g[i] + a[i+1]*c[i+1].
    factors = _shifted(flip(a, axis), axis, 0.0)
    back = flip(recurrence(factors, flip(g, axis), axis), axis)
    return back * _shifted(y, axis, 0.0), back


@general(
    kernel=_recurrence,
    shape=_recurrence_shape,
    vjp=_recurrence_vjp,
    examples=("recurrence(x, y, 0) | x=4 y=4", "recurrence(x, y, 1) | x=2,3 y=2,3"),
)
def recurrence(a: Node, b: Node, axis: int) -> Any:
    """The sequence s[i] = a[i]*s[i-1] + b[i] along an axis, which running products differentiate to."""
    return (a, b), {"axis": negative_axis(axis, a.ndim)}


@general(
    kernel=lambda x, axis: np.multiply.accumulate(x, axis),
    shape=lambda x, axis: x.shape,
    # d cumprod[i] / d x[j] is (the product before j) * (the product from j+1 to i): nothing divides by zeros.
    vjp=lambda g, y, x, axis: (
        _before(x, axis) * flip(recurrence(_shifted(flip(x, axis), axis, 0.0), flip(g, axis), axis), axis),
    ),
    examples=("cumprod(x) | x=3", "cumprod(x) | x=2,3", "cumprod(x, axis=0) | x=2,3"),
)
def cumprod(x: Node, axis: int | None = None) -> Any:
    """Running product along an axis, or of the raveled array."""
    if axis is None and x.ndim != 1:
        return cumprod(ravel(x), 0)
    return (x,), {"axis": negative_axis(axis or 0, x.ndim)}


@general(
    kernel=lambda x, axis, keepdims: np.multiply.reduce(x, axis, keepdims=keepdims),
    shape=_shape,
    # Each element's partial is the product of those before it and those after it: no division by it.
    vjp=lambda g, y, x, axis, keepdims: (
        spread(g, x, axis, keepdims) * (_before(x, axis[0]) * flip(_before(flip(x, axis), axis[0]), axis)),
    ),
    examples=(
        "prod(x) | x=3",
        "prod(x) | x=2,3",
        "prod(x, axis=0) | x=2,3",
        "prod(x, axis=1, keepdims=True) | x=2,3",
        "prod(x, axis=(0, 2)) | x=2,3,2",
        "prod(x, axis=1, initial=y, where=[True, False, True]) | x=2,3 y=",
    ),
)
def prod(
    x: Node, axis: Axis = None, keepdims: bool = False, initial: Node | None = None, where: Node | None = None
) -> Any:
    """Product of elements, over all axes or the given ones; of those only that `where` marks."""
    if initial is not None or where is not None:
        whole: Node = prod(masked(x, where, 1.0), axis, keepdims)
        return whole if initial is None else whole * initial
    axes = negative_axes(axis, x.ndim)
    if len(axes) == 1:
        return (x,), {"axis": axes, "keepdims": keepdims}
    shape = reduced_shape(x.shape, axes, keepdims)
    if axes == tuple(range(-x.ndim, 0)):
        return reshape(prod(ravel(x), 0), shape)
    for one in axes:
        x = prod(x, one, True)
    return reshape(x, shape)


# extremes ---------------------------------------------------------------------------------------


def _shared(g: Node, y: Node, x: Node, axis: tuple[int, ...], keepdims: bool) -> Cotangents:
    """The cotangent of an extreme: shared evenly among the elements that attain it."""
    attained = equal(x, spread(y, x, axis, keepdims))
    ties = sum(attained, axis, keepdims)
    return (select(attained, spread(g / ties, x, axis, keepdims), 0.0),)


def _extreme_within(whole: Op, x: Node, axis: Axis, keepdims: bool, initial: Node | None, mask: Node | None) -> Node:
    """The extreme of `initial` and the elements that a mask marks."""
    if initial is None:
        raise GradcalcError(
            "arguments",
            f"`{whole.name}` with `where` needs `initial`, as in NumPy: it is the value where nothing is marked",
            helps=["give one that no element passes: `initial=-inf` for `max`, `initial=inf` for `min`"],
        )
    fill = -np.inf if whole is max else np.inf
    pair = maximum if whole is max else minimum
    if _count(x, axis) == 0:
        return broadcast_to(initial, reduced_shape(x.shape, negative_axes(axis, x.ndim), keepdims))
    return pair(whole(masked(x, mask, fill), axis, keepdims), initial)


def _folded(x: Any, axis: tuple[int, ...], keepdims: bool, pair: Any) -> Any:
    """A reduction of objects by a function of two, for exact numbers and symbols."""
    for one in axis:
        x = np.frompyfunc(pair, 2, 1).reduce(x, axis=one, keepdims=True)
    return x if keepdims else np.reshape(x, tuple(n for i, n in enumerate(np.shape(x)) if i - np.ndim(x) not in axis))


@general(
    kernel=lambda x, axis, keepdims: np.maximum.reduce(x, axis, keepdims=keepdims),
    shape=_shape,
    vjp=_shared,
    exact=lambda m, x, axis, keepdims: _folded(x, axis, keepdims, m.maximum),
    kink=Kink(at="several elements are largest", takes="an even share for each"),
    examples=(
        "max(x) | x=3",
        "max(x, axis=0) | x=2,3",
        "max(x, axis=1, keepdims=True) | x=2,3",
        "max(x, axis=1, initial=y, where=[True, False, True]) | x=2,3 y=",
    ),
    spellings=("amax",),
)
def max(
    x: Node, axis: Axis = None, keepdims: bool = False, initial: Node | None = None, where: Node | None = None
) -> Any:
    """The largest element, over all axes or the given ones; of those only that `where` marks."""
    if initial is None and where is None:
        return _call(some(x, axis, "max"), axis, keepdims)
    return _extreme_within(max, x, axis, keepdims, initial, where)


@general(
    kernel=lambda x, axis, keepdims: np.minimum.reduce(x, axis, keepdims=keepdims),
    shape=_shape,
    vjp=_shared,
    exact=lambda m, x, axis, keepdims: _folded(x, axis, keepdims, m.minimum),
    kink=Kink(at="several elements are smallest", takes="an even share for each"),
    examples=(
        "min(x) | x=3",
        "min(x, axis=0) | x=2,3",
        "min(x, axis=1, keepdims=True) | x=2,3",
        "min(x, axis=1, initial=y, where=[True, False, True]) | x=2,3 y=",
    ),
    spellings=("amin",),
)
def min(
    x: Node, axis: Axis = None, keepdims: bool = False, initial: Node | None = None, where: Node | None = None
) -> Any:
    """The smallest element, over all axes or the given ones; of those only that `where` marks."""
    if initial is None and where is None:
        return _call(some(x, axis, "min"), axis, keepdims)
    return _extreme_within(min, x, axis, keepdims, initial, where)


def _place_shape(x: Node, axis: int, keepdims: bool) -> Shape:
    return reduced_shape(x.shape, (axis,), keepdims)


def _place_call(x: Node, axis: int | None, keepdims: bool, what: str) -> Any:
    if axis is None and x.ndim != 1:
        place = CATALOGUE[what](ravel(x), 0)
        return reshape(place, (1,) * x.ndim) if keepdims else place
    return (some(x, axis or 0, what),), {"axis": negative_axis(axis or 0, x.ndim), "keepdims": keepdims}


def _exact_place(m: Any, x: Any, axis: int, keepdims: bool, better: Any) -> Any:
    """The place of an extreme among exact numbers or symbols: later ones count only if strictly better."""
    rows = np.moveaxis(x, axis, 0)
    best, place = rows[0], np.frompyfunc(lambda _: m.number(0.0), 1, 1)(rows[0])
    choose, wins = np.frompyfunc(m.where, 3, 1), np.frompyfunc(better, 2, 1)
    for i, row in enumerate(rows[1:], 1):
        won = wins(row, best)
        best, place = choose(won, row, best), choose(won, m.number(float(i)), place)
    return np.expand_dims(place, axis) if keepdims else place


@general(
    kernel=lambda x, axis, keepdims: np.argmax(x, axis, keepdims=keepdims).astype(np.float64),
    shape=_place_shape,
    vjp=lambda g, y, x, axis, keepdims: (None,),
    exact=lambda m, x, axis, keepdims: _exact_place(m, x, axis, keepdims, lambda a, b: m.less(b, a)),
    flat=(0,),
    examples=("argmax(x) | x=3", "argmax(x, axis=1) | x=2,3"),
)
def argmax(x: Node, axis: int | None = None, keepdims: bool = False) -> Any:
    """The place of the largest element, the first if there are several; a whole number, so without derivative."""
    return _place_call(x, axis, keepdims, "argmax")


@general(
    kernel=lambda x, axis, keepdims: np.argmin(x, axis, keepdims=keepdims).astype(np.float64),
    shape=_place_shape,
    vjp=lambda g, y, x, axis, keepdims: (None,),
    exact=lambda m, x, axis, keepdims: _exact_place(m, x, axis, keepdims, m.less),
    flat=(0,),
    examples=("argmin(x) | x=3", "argmin(x, axis=1) | x=2,3"),
)
def argmin(x: Node, axis: int | None = None, keepdims: bool = False) -> Any:
    """The place of the smallest element, the first if there are several; a whole number, so without derivative."""
    return _place_call(x, axis, keepdims, "argmin")


# spread ------------------------------------------------------------------------------------------


@derived(
    "std(x) | x=3",
    "std(x, axis=1, ddof=1) | x=2,3",
    "std(x, axis=1, where=[True, False, True]) | x=2,3",
    "std(x, axis=1, mean=y, correction=1, keepdims=True) | x=2,3 y=2,1",
    kink=Kink(at="all elements are equal", takes="0"),
)
def std(
    x: Node,
    axis: Axis = None,
    ddof: float = 0,
    keepdims: bool = False,
    where: Node | None = None,
    mean: Node | None = None,
    correction: float | None = None,
) -> Node:
    """Standard deviation: the square root of the variance."""
    size: Node = CATALOGUE["norm"](_distances(some(x, axis, "std"), axis, where, mean), None, axis, keepdims)
    count = counted(x, axis, keepdims, where, ddof if correction is None else correction)
    return size / (sqrt(count) if isinstance(count, Node) else math.sqrt(count))


# softmax and its relatives ----------------------------------------------------------------------


def _logsumexp(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    top = np.maximum.reduce(x, axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0)
    out = top + np.log(np.add.reduce(np.exp(x - top), axis, keepdims=True))
    return out if keepdims else np.reshape(out, reduced_shape(np.shape(x), axis, False))


@general(
    kernel=_logsumexp,
    shape=_shape,
    vjp=lambda g, y, x, axis, keepdims: (spread(g, x, axis, keepdims) * softmax(x, axis),),
    exact=lambda m, x, axis, keepdims: np.frompyfunc(m.log, 1, 1)(
        np.sum(np.frompyfunc(m.exp, 1, 1)(x), axis=axis, keepdims=keepdims)
    ),
    examples=("logsumexp(x) | x=3", "logsumexp(x, axis=0) | x=2,3", "logsumexp(x, axis=1, keepdims=True) | x=2,3"),
)
def logsumexp(x: Node, axis: Axis = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))), without overflow."""
    return _call(x, axis, keepdims)


def _softmax(x: Any, axis: tuple[int, ...]) -> Any:
    weights = np.exp(x - np.maximum.reduce(x, axis, keepdims=True, initial=-np.inf))
    return weights / np.add.reduce(weights, axis, keepdims=True)


def _exact_softmax(m: Any, x: Any, axis: tuple[int, ...]) -> Any:
    weights = np.frompyfunc(m.exp, 1, 1)(x)
    return weights / np.sum(weights, axis=axis, keepdims=True)


@general(
    kernel=_softmax,
    shape=lambda x, axis: x.shape,
    vjp=lambda g, y, x, axis: (y * (g - sum(g * y, axis, True)),),
    exact=_exact_softmax,
    examples=("softmax(x) | x=3", "softmax(x, axis=0) | x=2,3", "softmax(x, axis=-1) | x=2,3"),
)
def softmax(x: Node, axis: Axis = None) -> Any:
    """exp(x)/sum(exp(x)): positive numbers that add up to 1, over all axes or the given ones."""
    return (x,), {"axis": negative_axes(axis, x.ndim)}


@derived("log_softmax(x) | x=3", "log_softmax(x, axis=1) | x=2,3")
def log_softmax(x: Node, axis: Axis = None) -> Node:
    """log(softmax(x)), without overflow."""
    return x - logsumexp(x, axis, True)
