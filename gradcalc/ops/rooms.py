"""Functions that NumPy's or SciPy's `linalg`, or JAX's `nn`, mean differently from the bare name."""

from __future__ import annotations

import math

from ..graph import Node
from . import factors, linalg, reduce, shape, special
from .arithmetic import round
from .arithmetic import where as select
from .kinds import Axis, derived


@derived("linalg.trace(x) | x=2,3,3", name="linalg.trace")
def trace(x: Node, offset: int = 0) -> Node:
    """Sum of the diagonal of the last two axes."""
    return linalg.trace(x, offset, -2, -1)


@derived("linalg.diagonal(x) | x=2,3,3", name="linalg.diagonal")
def diagonal(x: Node, offset: int = 0) -> Node:
    """The diagonal of the last two axes, which becomes the last axis."""
    return shape.diagonal(x, offset, -2, -1)


@derived("scipy.linalg.cholesky(A @ A.T + 3*eye(3)) | A=3,3", name="scipy.linalg.cholesky")
def cholesky(a: Node, lower: bool = False) -> Node:
    """Triangular factor of a positive definite matrix: the upper one, unless `lower`."""
    factor: Node = factors.cholesky(a)
    return factor if lower else shape.swapaxes(factor, -1, -2)


@derived("math.remainder(x, y)", name="math.remainder", domain=((2.1, 2.4), (1, 1.05)))
def remainder(x: Node, y: Node) -> Node:
    """Distance from the nearest multiple of y, as the standard library's `math` has it."""
    return x - y * round(x / y)


@derived(
    "jax.softmax(x) | x=2,3",
    "jax.softmax(x, axis=0, where=[[True], [False], [True]]) | x=3,2",
    name="jax.softmax",
)
def softmax(x: Node, axis: Axis = -1, where: Node | None = None) -> Node:
    """exp(x)/sum(exp(x)), along the last axis unless told otherwise; 0 where a mask is false."""
    return reduce.softmax(x if where is None else select(where, x, -math.inf), axis)


@derived(
    "jax.log_softmax(x) | x=2,3",
    "exp(jax.log_softmax(x, where=[True, False, True])) | x=2,3",
    name="jax.log_softmax",
)
def log_softmax(x: Node, axis: Axis = -1, where: Node | None = None) -> Node:
    """log(softmax(x)), along the last axis unless told otherwise; -inf where a mask is false."""
    return reduce.log_softmax(x if where is None else select(where, x, -math.inf), axis)


@derived("jax.gelu(x)", "jax.gelu(x, approximate=False)", name="jax.gelu")
def gelu(x: Node, approximate: bool = True) -> Node:
    """x times the normal distribution's probability below x, by tanh unless told otherwise."""
    return special.gelu(x, "tanh" if approximate else "none")
