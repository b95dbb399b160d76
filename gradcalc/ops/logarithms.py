"""Logarithms of sums of exponentials with factors, as SciPy and JAX have them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import Node, as_node
from .arithmetic import abs, minimum, not_equal, sign
from .arithmetic import where as select
from .elementwise import exp, log
from .kinds import Axis, broadcast_shape, broadcast_to, derived, general, negative_axes, reduced_shape, reshape
from .reduce import logsumexp, masked, sum


class SignedLog(NamedTuple):
    """The logarithm of a sum's size, and its sign."""

    value: Node
    sign: Node


def _peak(x: Any, axis: tuple[int, ...]) -> Any:
    top = np.maximum.reduce(np.asarray(x).astype(np.float64), axis, keepdims=True, initial=-np.inf)
    return np.where(np.isfinite(top), np.ceil(top), 0.0)


@general(
    kernel=_peak,
    shape=lambda x, axis: reduced_shape(x.shape, axis, True),
    vjp=lambda g, y, x, axis: (None,),
    flat=(0,),
    examples=("peak(x, 0) | x=2,3", "peak(x, (0, 1)) | x=2,3"),
)
def peak(x: Node, axis: Axis) -> Any:
    """The largest element along axes, rounded up (so without derivative) or 0 where it is infinite: a scale."""
    return (x,), {"axis": negative_axes(axis, x.ndim)}


@derived(
    "scipy.special.logsumexp(x) | x=3",
    "scipy.special.logsumexp(x, 0, y) | x=2,3 y=3",
    "scipy.special.logsumexp(x, axis=1, keepdims=True) | x=2,3",
    "scipy.special.logsumexp(x, b=[1, -2, 0], axis=1, return_sign=True)[0] | x=2,3",
    "jax.nn.logsumexp(x, 1, where=y > -1) | x=2,3 y=2,3",
    "jax.nn.logsumexp(x, (0, 1), [1, 2, 3], True, True)[1] | x=2,3",
    name="scipy.logsumexp",
    spellings=("jax.logsumexp",),
    domain=((-2, 2), (0.5, 2)),
)
def scaled_logsumexp(
    a: Node,
    axis: Axis = None,
    b: Node | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
    where: Node | None = None,
) -> Node | SignedLog:
    """log(sum(b*exp(a))), without overflow; with `return_sign`, of the sum's size, and its sign."""
    if b is None and not return_sign:
        total: Node = logsumexp(masked(a, where, -np.inf), axis, keepdims)
        return total
    factors = as_node(1.0 if b is None else b)
    shape = broadcast_shape(a, factors)
    a, factors = broadcast_to(a, shape), broadcast_to(factors, shape)
    axes = negative_axes(axis, len(shape))
    counts = not_equal(factors, 0)  # what counts for nothing must not set the scale nor overflow, but has a derivative
    scale = peak(masked(select(counts, a, -np.inf), where, -np.inf), axes)
    sums = sum(masked(factors * exp(minimum(a - scale, 709.0)), where, 0.0), axes, True)
    kept = reduced_shape(shape, axes, keepdims)
    value = reshape(scale + log(abs(sums) if return_sign else sums), kept)
    return SignedLog(value, reshape(sign(sums), kept)) if return_sign else value
