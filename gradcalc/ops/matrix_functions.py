"""The exponential of matrices, and Sylvester's equation; batched over leading axes as in NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, constant
from .indexing import segment
from .joining import concatenate
from .kinds import derived, general, reshape, with_shape, zeros
from .linalg import einsum
from .matrices import matrixwise, one_square, square_matrix, transposed
from .solving import solve

_PADE = 13
_NUMERATOR = [math.factorial(2 * _PADE - k) / (math.factorial(k) * math.factorial(_PADE - k)) for k in range(_PADE + 1)]
_NEAR = 5.37  # the norm up to which that fraction is exact to a float's last digit: Higham (2005)


def _expm(x: Any) -> Any:
    out = np.empty(x.shape)
    for place in np.ndindex(x.shape[:-2]):
        out[place] = _one_expm(x[place])
    return out


def _one_expm(a: Any) -> Any:
    """Scaling and squaring, with Padé's fraction of order 13."""
    size = float(np.max(np.sum(np.abs(a), 0), initial=0.0))
    if not math.isfinite(size):
        return np.full(a.shape, np.nan)
    halvings = max(0, math.ceil(math.log2(size / _NEAR))) if size > _NEAR else 0
    square = (a / 2.0**halvings) @ (a / 2.0**halvings)
    odd, even, power = np.zeros(a.shape), np.zeros(a.shape), np.eye(len(a))
    for k in range(0, _PADE + 1, 2):
        even = even + _NUMERATOR[k] * power
        odd = odd + _NUMERATOR[k + 1] * power
        power = power @ square
    odd = (a / 2.0**halvings) @ odd
    out = np.linalg.solve(even - odd, even + odd)
    for _ in range(halvings):
        out = out @ out
    return out


def _blocks(a: Node, e: Node) -> Node:
    """[[a, e], [0, a]]"""
    top = concatenate([a, e], -1)
    return concatenate([top, concatenate([zeros(a.shape), a], -1)], -2)


def _along(a: Node, e: Node) -> Node:
    """The derivative of the exponential of a along e."""
    n = a.shape[-1]
    return segment(segment(expm(_blocks(a, e)), -2, 0, n), -1, n, 2 * n)


@general(
    kernel=_expm,
    shape=lambda a: a.shape,
    vjp=lambda g, y, a: (_along(transposed(a), g),),
    jvp=lambda ts, y, a: _along(a, ts[0]),
    exact=lambda m, a: matrixwise(m.expm, a, 2),
    source="Najfeld and Havel (1995): the exponential of [[a, e], [0, a]] has the derivative along e in its corner",
    examples=("expm(A) | A=2,2", "expm(A) | A=3,3", "expm(4*A) | A=2,2", "matrix_exp(A) | A=2,2,2"),
    spellings=("matrix_exp",),
)
def expm(A: Node) -> Any:
    """Matrix exponential: the sum of all powers A @ A @ … @ A, each divided by k! of its k factors."""
    return one_square(A, "expm")


@derived(
    "expm_frechet(A, B)[1] | A=2,2 B=2,2",
    "expm_frechet(A, B)[0] | A=2,2 B=2,2",
    "expm_frechet(A, B, compute_expm=False) | A=2,2 B=2,2",
)
def expm_frechet(A: Node, E: Node, compute_expm: bool = True) -> Node | tuple[Node, Node]:
    """Matrix exponential of A, and its derivative along E."""
    square_matrix(A, "expm_frechet")
    if E.shape != A.shape:
        raise GradcalcError("shape", f"`expm_frechet` needs two shapes alike, got {A.shape} and {E.shape}")
    return (expm(A), _along(A, E)) if compute_expm else _along(A, E)


@derived("solve_sylvester(A, B, C) | A=2,2 B=1,1 C=2,1", "solve_sylvester(A, B, C) | A=2,2 B=2,2 C=2,2")
def solve_sylvester(a: Node, b: Node, q: Node) -> Node:
    """The x for which a @ x + x @ b is q."""
    rows, columns = square_matrix(a, "solve_sylvester").shape[-1], square_matrix(b, "solve_sylvester").shape[-1]
    if a.ndim != 2 or b.ndim != 2 or q.shape != (rows, columns):
        raise GradcalcError(
            "shape",
            f"`solve_sylvester` cannot take shapes {a.shape}, {b.shape} and {q.shape}",
            operands=[with_shape(q)],
        )
    left = einsum("ij,kl->ikjl", a, constant(np.eye(columns)))
    right = einsum("ij,kl->ikjl", constant(np.eye(rows)), transposed(b))
    size = rows * columns
    return reshape(solve(reshape(left + right, (size, size)), reshape(q, (size,))), q.shape)


def _sqrtm(a: Any) -> Any:
    out = np.empty(a.shape)
    for place in np.ndindex(a.shape[:-2]):
        out[place] = _one_sqrtm(a[place])
    return out


def _one_sqrtm(a: Any) -> Any:
    """Denman and Beavers' iteration, in the form whose rounding errors do not grow (Cheng et al. 2001)."""
    root, product = a, a
    eye = np.eye(len(a))
    for _ in range(60):
        inverse = np.linalg.inv(product)
        root = root @ (eye + inverse) / 2
        product = (eye + (product + inverse) / 2) / 2
        if np.max(np.abs(product - eye), initial=0.0) < 4 * np.finfo(float).eps * len(a):
            return root
    if not np.allclose(root @ root, a, rtol=1e-9, atol=0):
        raise ValueError("it has no real square root without negative eigenvalues")
    return root


@general(
    kernel=_sqrtm,
    shape=lambda a: a.shape,
    vjp=lambda g, y, a: (solve_sylvester(transposed(y), transposed(y), g),),
    exact=lambda m, a: matrixwise(m.sqrtm, a, 2),
    source="y @ y = a, differentiated",
    examples=("sqrtm(A @ A.T + 0.5*eye(2)) | A=2,2", "sqrtm(A) | A=1,1", "sqrtm(A + 3*eye(2)) | A=2,2"),
    domain=((0.1, 2),),
)
def sqrtm(A: Node) -> Any:
    """The matrix whose square is A and whose eigenvalues are not negative."""
    if A.ndim != 2:
        raise GradcalcError("shape", f"`sqrtm` needs one square matrix, got shape {A.shape}")
    return one_square(A, "sqrtm")
