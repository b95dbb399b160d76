"""Norms of any order, and what is measured with them: distances, similarities, arrays scaled to length 1."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Cotangents, Kink, Node, constant
from . import norms, reduce
from .arithmetic import abs, clip, equal, greater, sign, where
from .indexing import gather
from .kinds import (
    Axis,
    derived,
    general,
    negative_axes,
    negative_axis,
    reduced_shape,
    spread,
    with_shape,
)
from .reduce import sum
from .shape import as_matrix, expand_dims

# norms ------------------------------------------------------------------------------------------


def _p_norm(x: Any, p: float, axis: tuple[int, ...], keepdims: bool) -> Any:
    sizes = np.abs(x)
    top: Any = np.max(sizes, axis=axis, keepdims=True, initial=0.0)
    top = np.where((top > 0) & np.isfinite(top), top, 1.0)
    y = top * np.sum((sizes / top) ** p, axis=axis, keepdims=True) ** (1 / p)
    return y if keepdims else np.reshape(y, reduced_shape(np.shape(x), axis, False))


def _p_norm_vjp(g: Node, y: Node, x: Node, p: float, axis: tuple[int, ...], keepdims: bool) -> Cotangents:
    whole = spread(y, x, axis, keepdims)
    part = abs(x) / where(equal(whole, 0.0), 1.0, whole)
    # The sign is 0 where the part is: there the power must only be finite (p may be below 1).
    # Of a negative p one 0 makes the whole 0, whatever the others are.
    way = sign(x) if p > 0 else where(equal(whole, 0.0), 0.0, sign(x))
    return (spread(g, x, axis, keepdims) * way * where(equal(x, 0.0), 1.0, part) ** (p - 1),)


def _exact_p_norm(m: Any, x: Any, p: float, axis: tuple[int, ...], keepdims: bool) -> Any:
    powers = np.frompyfunc(lambda one: m.power(m.abs(one), m.number(p)), 1, 1)(x)
    total = np.sum(powers, axis=axis, keepdims=keepdims)
    return np.frompyfunc(lambda one: m.power(one, m.number(1.0) / m.number(p)), 1, 1)(total)


@general(
    kernel=_p_norm,
    shape=lambda x, p, axis, keepdims: reduced_shape(x.shape, axis, keepdims),
    vjp=_p_norm_vjp,
    exact=_exact_p_norm,
    kink=Kink(at="an element is 0, where p is not above 1; every element is 0", takes="0"),
    domain=((0.5, 2),),
    examples=(
        "p_norm(x, 3) | x=3",
        "p_norm(x, 1.5, axis=0) | x=2,3",
        "p_norm(x, 0.5, axis=(0, 1), keepdims=True) | x=2,2",
        "p_norm(x, -2) | x=3",
        "p_norm(x, 1) | x=3",
        "p_norm(x, 2, axis=1) | x=2,3",
        "p_norm(x, inf, axis=1) | x=2,3",
        "p_norm(x, -inf) | x=3",
    ),
    source="the part of the whole to the power p - 1: neither over- nor underflows, and is 0 at the zero vector",
)
def p_norm(x: Node, p: float, axis: Axis = None, keepdims: bool = False) -> Any:
    """sum(abs(x)**p)**(1/p) over all axes or the given ones, for any p but 0; p = inf is the largest size."""
    axes = negative_axes(axis, x.ndim)
    if p == 0:
        raise GradcalcError("arguments", "the norm of order 0 counts elements: it has no derivative")
    if p == 2:
        return norms.norm(x, None, axes, keepdims)
    if p == 1:
        return sum(abs(x), axes, keepdims)
    if p in (inf, -inf):
        return (reduce.max if p > 0 else reduce.min)(abs(x), axes, keepdims)
    return (x,), {"p": float(p), "axis": axes, "keepdims": keepdims}


@derived(
    "normalize(x) | x=2,3",
    "normalize(x, dim=0) | x=3",
    "normalize(x, 3, -1) | x=2,3",
    "normalize(x, p=1, dim=0, eps=10) | x=2,3",
    "normalize(x, inf) | x=2,3",
    domain=((0.5, 2),),
    kink=Kink(at="a norm is eps", takes="the derivative where it is larger"),
)
def normalize(input: Node, p: float = 2.0, dim: Axis = 1, eps: Node | float = 1e-12) -> Node:
    """The array divided by its norms along an axis, or by eps where they are smaller."""
    return input / clip(p_norm(input, p, dim, True), eps, None)


@derived(
    "renorm(x, 2, 0, 1) | x=2,3",
    "renorm(x, 3, 1, 0.5) | x=2,3",
    "renorm(x, 1, -1, 20) | x=2,3",
    domain=((0.5, 2),),
    kink=Kink(at="a norm is maxnorm", takes="the derivative where it is smaller"),
)
def renorm(input: Node, p: float, dim: int, maxnorm: Node) -> Node:
    """The array with each slice along an axis scaled down to norm maxnorm, where its norm is larger."""
    as_matrix(input, "renorm")
    if p <= 0:
        raise GradcalcError("arguments", f"`renorm` needs a positive p, got {p:g}")
    kept = negative_axis(dim, input.ndim, "dim")
    norms = p_norm(input, p, tuple(i for i in range(-input.ndim, 0) if i != kept), True)
    # PyTorch's own definition has this 1e-7, so that its norms end a little below maxnorm.
    return where(greater(norms, maxnorm), input * (maxnorm / (norms + 1e-7)), input)


@derived(
    "norm_except_dim(x, 2, 0) | x=2,3",
    "norm_except_dim(x, 3, 1) | x=2,3",
    "norm_except_dim(x, dim=-1) | x=2,3",
    domain=((0.5, 2),),
)
def norm_except_dim(v: Node, pow: int = 2, dim: int = 0) -> Node:
    """Norms over all axes but one, which stays; over all axes where `dim` is -1."""
    if dim == -1:
        return p_norm(v, pow)
    kept = negative_axis(dim, v.ndim, "dim")
    return p_norm(v, pow, tuple(i for i in range(-v.ndim, 0) if i != kept), True)


# distances --------------------------------------------------------------------------------------


@derived(
    "pairwise_distance(x, y) | x=2,3 y=2,3",
    "pairwise_distance(x, y, 1, keepdim=True) | x=2,3 y=3",
    "pairwise_distance(x, y, p=3, eps=0.1) | x=2,1,3 y=2,3",
    "pairwise_distance(x, y, p=inf) | x=3 y=3",
    domain=((0.5, 1), (1.5, 2)),
)
def pairwise_distance(x1: Node, x2: Node, p: float = 2.0, eps: Node | float = 1e-6, keepdim: bool = False) -> Node:
    """Norms of x1 - x2 + eps along the last axis."""
    return p_norm(x1 - x2 + eps, p, -1, keepdim)


@derived(
    "cosine_similarity(x, y) | x=2,3 y=2,3",
    "cosine_similarity(x, y, dim=-1) | x=2,1,3 y=2,3",
    "cosine_similarity(x, y, 0, 0.01) | x=3 y=3",
    kink=Kink(at="a norm is eps", takes="the derivative where it is larger"),
)
def cosine_similarity(x1: Node, x2: Node, dim: int = 1, eps: Node | float = 1e-8) -> Node:
    """Cosine of the angle between vectors along an axis; norms below eps count as eps."""
    ndim = max(x1.ndim, x2.ndim)
    axis = negative_axis(dim, ndim, "dim")
    units = [one / clip(norms.norm(one, None, axis, True), eps, None) for one in _of_one_rank(x1, x2)]
    return sum(units[0] * units[1], axis)


def _of_one_rank(*xs: Node) -> list[Node]:
    ndim = max(x.ndim for x in xs)
    return [expand_dims(x, tuple(range(ndim - x.ndim))) if x.ndim < ndim else x for x in xs]


@derived(
    "pdist(x) | x=3,2",
    "pdist(x, 1) | x=3,2",
    "pdist(x, p=3) | x=4,2",
    "pdist(x, inf) | x=3,2",
    kink=Kink(at="two rows are equal", takes="0"),
)
def pdist(input: Node, p: float = 2) -> Node:
    """Distances between the rows of a matrix, each pair once: first with second, first with third, and so on."""
    if input.ndim != 2:
        raise GradcalcError("shape", f"`pdist` needs a matrix, got shape {input.shape}", operands=[with_shape(input)])
    if p < 0:
        raise GradcalcError("arguments", f"`pdist` needs a positive p, got {p:g}")
    first, second = (constant(rows.astype(np.float64)) for rows in np.triu_indices(input.shape[0], 1))
    return p_norm(gather(input, (first,), 1) - gather(input, (second,), 1), p, -1)


_COMPUTE_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


@derived(
    "cdist(x, y) | x=3,2 y=2,2",
    "cdist(x, y, 1) | x=2,2,2 y=2,1,2",
    "cdist(x, y, p=3) | x=1,2,2 y=2,2,2",
    "cdist(x, y, inf, 'donot_use_mm_for_euclid_dist') | x=2,2 y=2,2",
    kink=Kink(at="two rows are equal", takes="0"),
)
def cdist(x1: Node, x2: Node, p: float = 2.0, compute_mode: str | None = None) -> Node:
    """Distances of every row of one matrix from every row of another, over leading axes."""
    if compute_mode is not None and compute_mode not in _COMPUTE_MODES:
        raise GradcalcError("arguments", f"`compute_mode` of `cdist` may be {', '.join(_COMPUTE_MODES)}")
    if p < 0:
        raise GradcalcError("arguments", f"`cdist` needs a positive p, got {p:g}")
    if as_matrix(x1, "cdist").shape[-1] != as_matrix(x2, "cdist").shape[-1]:
        message = f"`cdist` needs rows of one length, got {x1.shape[-1]} and {x2.shape[-1]}"
        raise GradcalcError("shape", message, operands=[with_shape(x1), with_shape(x2)])
    return p_norm(expand_dims(x1, -2) - expand_dims(x2, -3), p, -1)
