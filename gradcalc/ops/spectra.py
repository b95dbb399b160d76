"""Eigenvalues and eigenvectors; batched over leading axes as in NumPy.

Values and vectors are operations apart, so that what needs no vectors has a derivative where those have none.
Where values are repeated, to within rounding of the largest, single vectors are not differentiable: what
depends on how they turn within the space that they share is nan. So is the derivative by one of several equal
values; what treats them alike (their sum, their squares) has its own.

Signs of vectors are those that LAPACK gives.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Node
from .kinds import derived, general, linear
from .matrices import EPS, each, matrixwise, mean_of_halves, one_square, square_matrix, symmetric, transposed
from .reduce import sum
from .shape import as_matrix, expand_dims
from .solving import solve

# repeated values --------------------------------------------------------------------------------


def _repeated(w: Any) -> Any:
    """For each pair of values whether they are equal, to within rounding of the largest."""
    close = w.shape[-1] * EPS * np.max(np.abs(w), -1, initial=0.0)
    return np.abs(w[..., :, None] - w[..., None, :]) <= close[..., None, None]


def _inverse_gaps(w: Any) -> Any:
    gaps = w[..., None, :] - w[..., :, None]
    repeated = _repeated(w)
    out = np.divide(1.0, gaps, out=np.full(gaps.shape, np.nan), where=~repeated)
    places = np.arange(w.shape[-1])
    out[..., places, places] = 0.0
    return out


def _exact_gaps(m: Any, w: Any) -> Any:
    out = np.empty((*w.shape, w.shape[-1]), object)
    for place in np.ndindex(out.shape):
        i, j = place[:-1], (*place[:-2], place[-1])
        out[place] = m.number(0.0) if i == j else 1 / (w[j] - w[i])
    return out


def _inverse_gaps_vjp(g: Node, y: Node, w: Node) -> tuple[Node]:
    back = g * y * y
    return (sum(back, -1) - sum(back, -2),)


@general(
    kernel=_inverse_gaps,
    shape=lambda w: (*w.shape, w.shape[-1]),
    vjp=_inverse_gaps_vjp,
    exact=_exact_gaps,
    examples=("inverse_gaps(w) | w=3", "inverse_gaps(w) | w=2,2"),
)
def inverse_gaps(w: Node) -> Any:
    """1/(w[j] - w[i]) for each pair of values, 0 for one with itself; nan where they are equal within rounding."""
    return (w,), {}


ALIKE = EPS**0.5
"""The part of the largest within which cotangents of equal values count as equal."""


def _alike(g: Any, w: Any, at_zero: bool) -> Any:
    w = np.asarray(w, np.float64)
    large = ALIKE * np.max(np.abs(g), -1, initial=0.0)
    unlike = np.abs(g[..., :, None] - g[..., None, :]) > large[..., None, None]
    lost = np.any(unlike & _repeated(w), -1)
    if at_zero:
        zero = w.shape[-1] * EPS * np.max(w, -1, keepdims=True, initial=0.0)
        lost |= (np.abs(g) > large[..., None]) & (w <= zero)
    return np.where(lost, np.nan, g)


@linear(
    kernel=_alike,
    shape=lambda g, w, at_zero: g.shape,
    transpose=lambda g, x, w, at_zero: (alike(g, w, at_zero), None),
    exact=lambda m, g, w, at_zero: g,
    flat=(1,),
    domain=((-2, 2), (0.5, 2)),
    examples=("alike(x, w) | x=3 w=3", "alike(x, w, True) | x=2,3 w=2,3"),
)
def alike(g: Node, w: Node, at_zero: bool = False) -> Any:
    """The numbers as they are, but nan where equal values of w come with unlike ones; or, at_zero, a 0 with any."""
    return (g, w), {"at_zero": at_zero}


# symmetric matrices -----------------------------------------------------------------------------


def weighted(u: Node, weights: Node, v: Node) -> Node:
    """u @ diag(weights) @ v.T"""
    return (u * expand_dims(weights, -2)) @ transposed(v)


def _eigvalsh_vjp(g: Node, y: Node, x: Node) -> tuple[Node]:
    v = eigenvectors(x)
    return (weighted(v, alike(g, y), v),)


@general(
    kernel=lambda x: np.linalg.eigvalsh(mean_of_halves(x)),
    shape=lambda x: x.shape[:-1],
    vjp=_eigvalsh_vjp,
    exact=lambda m, x: matrixwise(m.eigvalsh, mean_of_halves(x), 1),
    source="Giles (2008), section 3.1",
    examples=(
        "symmetric_eigenvalues(A) | A=3,3",
        "symmetric_eigenvalues(A) | A=2,2,2",
        "symmetric_eigenvalues(A)[0]**2 | A=2,2",
    ),
)
def symmetric_eigenvalues(x: Node) -> Any:
    """Eigenvalues in ascending order of a symmetric matrix, of whose two halves it takes the mean."""
    return one_square(x, "symmetric_eigenvalues")


def _eigenvectors_vjp(g: Node, y: Node, x: Node) -> tuple[Node]:
    inner = inverse_gaps(symmetric_eigenvalues(x)) * (transposed(y) @ g)
    return (symmetric(y @ inner @ transposed(y)),)


@general(
    kernel=lambda x: np.linalg.eigh(mean_of_halves(x))[1],
    shape=lambda x: x.shape,
    vjp=_eigenvectors_vjp,
    exact=lambda m, x: matrixwise(m.eigenvectors, mean_of_halves(x), 2),
    source="Giles (2008), section 3.1",
    examples=("eigenvectors(A) | A=3,3", "eigenvectors(A) | A=2,2,2", "eigenvectors(A)[:, 0]**2 | A=2,2"),
)
def eigenvectors(x: Node) -> Any:
    """Eigenvectors, as columns, of a symmetric matrix, of whose two halves it takes the mean."""
    return one_square(x, "eigenvectors")


class Eigen(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Node
    eigenvectors: Node


def _check_half(half: str | None) -> None:
    if half not in (None, "L", "U", "l", "u"):
        raise GradcalcError("arguments", f"`UPLO` must be 'L' or 'U', got {half!r}")


@derived("eigvalsh(A + A.T) | A=3,3", "eigvalsh(A @ A.T, 'U')[1] | A=2,2", "eigvalsh(A @ A.mT) | A=2,2,2")
def eigvalsh(a: Node, UPLO: str | None = "L") -> Node:
    """Eigenvalues in ascending order of a symmetric matrix, of whose two halves it takes the mean."""
    _check_half(UPLO)
    return symmetric_eigenvalues(square_matrix(a, "eigvalsh"))


@derived(
    "eigh(A + A.T)[0] | A=3,3",
    "eigh(A + A.T).eigenvectors[:, -1]**2 | A=3,3",
    "eigh(A @ A.mT, UPLO='U')[1]**2 | A=2,2,2",
    "eigh(A + A.T)[1] @ diag(exp(eigh(A + A.T)[0])) @ eigh(A + A.T)[1].T | A=2,2",
)
def eigh(a: Node, UPLO: str | None = "L") -> Eigen:
    """Eigenvalues and eigenvectors of a symmetric matrix, of whose two halves it takes the mean."""
    _check_half(UPLO)
    return Eigen(symmetric_eigenvalues(square_matrix(a, "eigh")), eigenvectors(a))


# any square matrices with real eigenvalues --------------------------------------------------------


def _real(found: Any) -> Any:
    if np.iscomplexobj(found):
        raise ValueError("it has complex eigenvalues here, and only real numbers are known")
    return found


def _independent(x: Any, rtol: float) -> Any:
    x = np.asarray(x, np.float64)
    lengths = np.sqrt(np.sum(np.square(x), -2, keepdims=True))
    s = np.linalg.svd(np.divide(x, lengths, out=np.zeros_like(x), where=lengths > 0), compute_uv=False)
    return np.where(np.min(s, -1, initial=np.inf) > rtol * np.max(s, -1, initial=0.0), 1.0, np.nan)


@general(
    kernel=_independent,
    shape=lambda x, rtol: x.shape[:-2],
    vjp=lambda g, y, x, rtol: (None,),
    flat=(0,),
    examples=("independent(A, 1e-9) | A=3,2", "independent(A, 1e-9) | A=2,2,2"),
)
def independent(x: Node, rtol: float) -> Any:
    """1 for each matrix whose columns, made equally long, are independent to within a part rtol, else nan."""
    return (as_matrix(x, "independent"),), {"rtol": float(rtol)}


def _eigvals_vjp(g: Node, y: Node, x: Node) -> tuple[Node]:
    # Where vectors fall together the values have no derivative, though rounding may hide it.
    v = eig_vectors(x)
    back = solve(transposed(v), expand_dims(alike(g, y), -1) * transposed(v))
    return (back * each(independent(v, ALIKE)),)


@general(
    kernel=lambda a: _real(np.linalg.eig(a)[0]),
    shape=lambda a: a.shape[:-1],
    vjp=_eigvals_vjp,
    exact=lambda m, a: matrixwise(m.eigvals, a, 1),
    source="Giles (2008), section 3.1",
    domain=((0.1, 2),),
    examples=("eigvals(A) | A=2,2", "eigvals(A + diag([0, 4, 9])) | A=3,3", "eigvals(A) | A=2,2,2"),
)
def eigvals(a: Node) -> Any:
    """Eigenvalues of a square matrix, which must be real; distinct ones have derivatives."""
    return one_square(a, "eigvals")


def _eig_vectors_vjp(g: Node, y: Node, x: Node) -> tuple[Node]:
    # Columns keep length 1, so what would stretch them is taken off first.
    yt = transposed(y)
    across = g - y * expand_dims(sum(g * y, -2), -2)
    return (solve(yt, inverse_gaps(eigvals(x)) * (yt @ across)) @ yt,)


@general(
    kernel=lambda a: _real(np.linalg.eig(a)[1]),
    shape=lambda a: a.shape,
    vjp=_eig_vectors_vjp,
    exact=lambda m, a: matrixwise(m.eig_vectors, a, 2),
    source="Giles (2008), section 3.1, for columns of length 1",
    domain=((0.1, 2),),
    examples=("eig_vectors(A) | A=2,2", "eig_vectors(A + diag([0, 4, 9])) | A=3,3", "eig_vectors(A) | A=2,2,2"),
)
def eig_vectors(a: Node) -> Any:
    """Eigenvectors, as columns of length 1, of a square matrix whose eigenvalues are real."""
    return one_square(a, "eig_vectors")


@derived(
    "eig(A)[0] | A=2,2",
    "eig(A).eigenvectors**2 | A=2,2",
    "eig(A)[1] @ diag(eig(A)[0]**2) @ inv(eig(A)[1]) | A=2,2",
    domain=((0.1, 2),),
)
def eig(a: Node) -> Eigen:
    """Eigenvalues and eigenvectors of a square matrix whose eigenvalues are real."""
    return Eigen(eigvals(square_matrix(a, "eig")), eig_vectors(a))
