"""Pseudoinverses, ranks and least squares; batched over leading axes as in NumPy."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, constant
from .arithmetic import equal, where
from .diagonals import vander
from .kinds import broadcast_to, derived, general, with_shape
from .matrices import EPS, square_matrix, symmetric
from .norms import vector_norm
from .reduce import sum
from .shape import as_matrix, expand_dims, reshape, squeeze
from .singular import svdvals
from .solving import pinverse, vector_side


def rounding(x: Node) -> float:
    """The size, in parts of the largest, below which a singular value counts as 0."""
    return max(x.shape[-2:]) * EPS


@derived(
    "pinv(A) | A=3,2", "pinv(A, 1e-10) | A=2,3", "pinv(A + A.T, hermitian=True) | A=2,2", "pinv(A, rtol=1e-9) | A=2,2"
)
def pinv(a: Node, rcond: float | None = None, hermitian: bool = False, rtol: float | None = None) -> Node:
    """Pseudoinverse; singular values up to rcond (or rtol) times the largest count as 0."""
    cutoff = next((one for one in (rcond, rtol) if one is not None), 1e-15)
    return pinverse(_as_told(a, hermitian, "pinv"), cutoff)


@derived(
    "torch.linalg.pinv(A) | A=3,2",
    "torch.linalg.pinv(A, atol=0.1, rtol=1e-3) | A=2,3",
    "torch.linalg.pinv(A + A.T, hermitian=True) | A=2,2",
    name="torch.linalg.pinv",
)
def torch_pinv(
    A: Node,
    rcond: float | None = None,
    hermitian: bool = False,
    atol: float | None = None,
    rtol: float | None = None,
) -> Node:
    """Pseudoinverse; singular values up to rtol times the largest, or up to atol, count as 0."""
    cutoffs = [one for one in (rcond, rtol) if one is not None]
    default = 0.0 if atol else rounding(as_matrix(A, "pinv"))
    return pinverse(_as_told(A, hermitian, "pinv"), [*cutoffs, default][0], atol or 0.0)


@derived("jax.linalg.pinv(A) | A=3,2", "jax.linalg.pinv(A, 1e-9) | A=2,2,3", name="jax.linalg.pinv")
def jax_pinv(a: Node, rtol: float | None = None, hermitian: bool = False, rcond: float | None = None) -> Node:
    """Pseudoinverse; singular values up to rtol times the largest count as 0."""
    return pinv(a, next((one for one in (rtol, rcond) if one is not None), 10 * rounding(a)), hermitian)


def _as_told(a: Node, hermitian: bool, what: str) -> Node:
    """A matrix; of one said to be symmetric the mean of both halves."""
    return symmetric(square_matrix(a, what)) if hermitian else as_matrix(a, what)


def _rank(x: Any, rtol: float, atol: float) -> Any:
    s = np.linalg.svd(np.asarray(x, np.float64), compute_uv=False)
    cutoff = np.maximum(rtol * np.max(s, -1, keepdims=True, initial=0.0), atol)
    return np.sum(s > cutoff, -1).astype(np.float64)


@general(
    kernel=_rank,
    shape=lambda x, rtol, atol: x.shape[:-2],
    vjp=lambda g, y, x, rtol, atol: (None,),
    flat=(0,),
    examples=("rank_of(A, 1e-9, 0.0) | A=3,2", "rank_of(A, 0.0, 0.9) | A=2,2,2"),
)
def rank_of(x: Node, rtol: float, atol: float) -> Any:
    """How many singular values are greater than both atol and rtol times the largest."""
    return (as_matrix(x, "rank_of"),), {"rtol": float(rtol), "atol": float(atol)}


@derived(
    "matrix_rank(A) | A=3,2",
    "matrix_rank(A, 0.7) | A=2,2",
    "matrix_rank(outer(x, y)) | x=3 y=2",
    "matrix_rank(A + A.T, hermitian=True) | A=2,2",
    "matrix_rank(A, rtol=0.3) | A=2,2,2",
    "matrix_rank(x) | x=3",
)
def matrix_rank(
    A: Node,
    tol: float | None = None,
    hermitian: bool = False,
    rtol: float | None = None,
) -> Node:
    """How many singular values are greater than tol, or than rtol times the largest; without derivative."""
    if A.ndim < 2:
        return rank_of(reshape(A, (1, A.size)), 0.0, 0.0)
    x = _as_told(A, hermitian, "matrix_rank")
    if tol is not None:
        return rank_of(x, 0.0, tol)
    return rank_of(x, rounding(x) if rtol is None else rtol, 0.0)


@derived(
    "torch.linalg.matrix_rank(A) | A=3,2",
    "torch.linalg.matrix_rank(A, atol=0.5, rtol=0.1) | A=2,2,2",
    "torch.linalg.matrix_rank(A + A.T, atol=0.5, hermitian=True) | A=2,2",
    "torch.linalg.matrix_rank(A, 0.5) | A=2,2",
    name="torch.linalg.matrix_rank",
)
def torch_matrix_rank(
    A: Node,
    tol: float | None = None,
    hermitian: bool = False,
    atol: float | None = None,
    rtol: float | None = None,
) -> Node:
    """How many singular values are greater than both atol and rtol times the largest; without derivative."""
    x = _as_told(A, hermitian, "matrix_rank")
    least = next((one for one in (tol, atol) if one is not None), None)
    default = 0.0 if least else rounding(x)
    return rank_of(x, default if rtol is None else rtol, least or 0.0)


@derived("jax.linalg.matrix_rank(A, 0.3) | A=2,2", "jax.linalg.matrix_rank(A) | A=3,2", name="jax.linalg.matrix_rank")
def jax_matrix_rank(M: Node, rtol: float | None = None, hermitian: bool = False) -> Node:
    """How many singular values are greater than rtol, which JAX does not take relative to the largest."""
    return matrix_rank(M, rtol, hermitian)


class LeastSquares(NamedTuple):
    """A solution, its squared residuals, and the matrix' rank and singular values."""

    solution: Node
    residuals: Node
    rank: Node
    singular_values: Node


def _residuals(a: Node, b: Node, x: Node, rank: Node) -> Node:
    """Summed squares of what is left, for each column, where there are more equations than unknowns.

    The libraries leave them out where the rank is short, which is known too late for a shape: they are nan there.
    """
    rows, columns = a.shape[-2:]
    if rows <= columns:
        return broadcast_to(constant(0.0), (0,))
    left = sum((b - a @ x) ** 2, -2)
    return left * where(expand_dims(equal(rank, float(columns)), -1), 1.0, math.nan)


def _least_squares(a: Node, b: Node, rcond: float | None, is_vector: bool) -> tuple[Node, Node, Node]:
    """Solution, residuals and rank."""
    cutoff = rounding(as_matrix(a, "lstsq")) if rcond is None else EPS if rcond < 0 else rcond
    column = expand_dims(b, -1) if is_vector else b
    if column.ndim < 2 or column.shape[-2] != a.shape[-2]:
        message = f"`lstsq` cannot solve a system of shape {a.shape} for a right side of shape {b.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(a), with_shape(b)])
    x = pinverse(a, cutoff) @ column
    rank = rank_of(a, cutoff, 0.0)
    return squeeze(x, -1) if is_vector else x, _residuals(a, column, x, rank), rank


@derived(
    "lstsq(A, x)[0] | A=3,2 x=3",
    "lstsq(A, B, rcond=None)[0] | A=2,3 B=2,2",
    "lstsq(A, x)[1] | A=3,2 x=3",
    "lstsq(A, x)[2] | A=3,2 x=3",
    "lstsq(A, x)[3]**2 | A=2,2 x=2",
)
def lstsq(a: Node, b: Node, rcond: float | None = None) -> LeastSquares:
    """Least-squares solution of smallest norm; then squared residuals, rank and singular values."""
    return LeastSquares(*_least_squares(a, b, rcond, b.ndim == 1), svdvals(a))


@derived(
    "torch.linalg.lstsq(A, x).solution | A=3,2 x=3",
    "torch.linalg.lstsq(A, B).solution | A=2,3,2 B=2,3,1",
    "torch.linalg.lstsq(A, B)[0] | A=2,3 B=2,2",
    "torch.linalg.lstsq(A, B).residuals | A=2,1 B=2,2",
    name="torch.linalg.lstsq",
)
def torch_lstsq(A: Node, B: Node, rcond: float | None = None, driver: str | None = None) -> LeastSquares:
    """Least-squares solution of smallest norm; then squared residuals, rank, singular values of some drivers."""
    found = _least_squares(A, B, rcond, vector_side(A, B))
    values = svdvals(A) if driver in ("gelsd", "gelss") else broadcast_to(constant(0.0), (0,))
    return LeastSquares(*found, values)


@derived(
    "polyfit(x, y, 1) | x=4 y=4",
    "polyfit(x, y, 2, w=w) | x=5 y=5 w=5",
    "polyfit(x, y, deg=1) | x=3 y=3,2",
    "polyfit(x, y, 0) | x=2 y=2",
    domain=((-2, 2), (-2, 2), (0.5, 2)),
)
def polyfit(
    x: Node,
    y: Node,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Node | None = None,
    cov: bool | str = False,
) -> Node:
    """Coefficients, the highest power first, of the polynomial of a degree that fits points best."""
    if full or cov:
        name = "full" if full else "cov"
        raise GradcalcError("arguments", f"`polyfit` gives the coefficients only: `{name}` is not read here")
    if deg < 0 or x.ndim != 1 or not x.size or y.ndim not in (1, 2) or y.shape[0] != x.shape[0]:
        message = f"`polyfit` cannot fit degree {deg} to points of shapes {x.shape} and {y.shape}"
        raise GradcalcError("arguments", message, operands=[with_shape(x), with_shape(y)])
    powers, values = vander(x, deg + 1), y
    if w is not None:
        powers, values = expand_dims(w, -1) * powers, (expand_dims(w, -1) if y.ndim == 2 else w) * y
    # NumPy divides each power by its length; where the points do not decide the polynomial, that decides it.
    lengths = vector_norm(powers, 2, 0)
    found = lstsq(powers / lengths, values, x.shape[0] * EPS if rcond is None else rcond).solution
    return found / (expand_dims(lengths, -1) if y.ndim == 2 else lengths)
