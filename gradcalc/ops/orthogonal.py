"""Orthogonal factors of matrices: QR, Householder's reflections, the polar decomposition; batched as in NumPy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, constant
from .indexing import element, segment
from .joining import concatenate
from .kinds import broadcast_to, derived, general, zeros
from .matrices import EPS, each, first, identity, matrixwise, mean_of_halves, square_matrix, symmetric, transposed
from .shape import as_matrix, expand_dims, tril, triu
from .singular import completed
from .solving import solve
from .spectra import independent

# QR ---------------------------------------------------------------------------------------------


def _signs(x: Any) -> Any:
    r = np.linalg.qr(np.asarray(x, np.float64), "r")
    return np.where(np.diagonal(r, 0, -2, -1) < 0, -1.0, 1.0)


@general(
    kernel=_signs,
    shape=lambda x: (*x.shape[:-2], min(x.shape[-2:])),
    vjp=lambda g, y, x: (None,),
    flat=(0,),
    examples=("qr_signs(A) | A=3,2", "qr_signs(A) | A=2,2,3"),
)
def qr_signs(x: Node) -> Any:
    """Signs of the diagonal of R as LAPACK's QR decomposition has it."""
    return (as_matrix(x, "qr_signs"),), {}


def _positive_qr(x: Any) -> tuple[Any, Any]:
    q, r = np.linalg.qr(x)
    signs = np.where(np.diagonal(r, 0, -2, -1) < 0, -1.0, 1.0)
    return q * signs[..., None, :], r * signs[..., :, None]


def _orthonormalised(m: Any, x: Any) -> tuple[Any, Any]:
    """Gram and Schmidt's columns and triangle, of exact numbers or symbols."""
    count = x.shape[-1]
    q = np.array(x, object)
    r = np.full((count, count), m.number(0.0), object)
    for j in range(count):
        for i in range(j):
            r[i, j] = np.sum(q[:, i] * x[:, j])
            q[:, j] = q[:, j] - q[:, i] * r[i, j]
        r[j, j] = m.sqrt(np.sum(q[:, j] * q[:, j]))
        q[:, j] = q[:, j] / r[j, j]
    return q, r


def _tall(x: Node, what: str) -> Any:
    if as_matrix(x, what).shape[-2] < x.shape[-1]:
        raise GradcalcError("shape", f"`{what}` needs at least as many rows as columns, got shape {x.shape}")
    return (x,), {}


def _qr_back(inner: Node, x: Node, beside: Node | None = None) -> Node:
    """(beside + Q @ S) @ inv(R).T, where S is symmetric and has the lower triangle of `inner`."""
    q, r = orthonormal(x), triangular(x)
    turned = q @ (tril(inner) + transposed(tril(inner, -1)))
    back = transposed(solve(r, transposed(turned if beside is None else beside + turned)))
    return back * each(independent(x, x.shape[-2] * EPS))


_WALTER = "Walter and Lehmann, Algorithmic differentiation of linear algebra functions (2010); full column rank"


@general(
    kernel=lambda x: _positive_qr(x)[0],
    shape=lambda x: x.shape,
    vjp=lambda g, y, x: (_qr_back(-(transposed(g) @ y), x, g),),
    exact=lambda m, x: matrixwise(lambda one: _orthonormalised(m, one)[0], x, 2),
    source=_WALTER,
    examples=("orthonormal(A) | A=3,2", "orthonormal(A) | A=2,2", "orthonormal(A) | A=2,2,1"),
)
def orthonormal(x: Node) -> Any:
    """The Q of x = Q @ R, where R has a positive diagonal; x has full column rank."""
    return _tall(x, "orthonormal")


@general(
    kernel=lambda x: _positive_qr(x)[1],
    shape=lambda x: (*x.shape[:-2], x.shape[-1], x.shape[-1]),
    vjp=lambda g, y, x: (_qr_back(y @ transposed(triu(g)), x),),
    exact=lambda m, x: matrixwise(lambda one: _orthonormalised(m, one)[1], x, 2),
    source=_WALTER,
    examples=("triangular(A) | A=3,2", "triangular(A) | A=2,2", "triangular(A) | A=2,3,1"),
)
def triangular(x: Node) -> Any:
    """The R of x = Q @ R, with a positive diagonal; x has full column rank."""
    return _tall(x, "triangular")


class Qr(NamedTuple):
    """x = Q @ R, with orthonormal columns and a triangle."""

    Q: Node
    R: Node


def _qr(x: Node, what: str = "qr") -> Qr:
    """Q has as many columns as the shorter axis is long; signs as LAPACK's."""
    rows, columns = as_matrix(x, what).shape[-2:]
    least = min(rows, columns)
    signs = qr_signs(x)
    left = first(x, -1, least)
    q = orthonormal(left) * expand_dims(signs, -2)
    r = triangular(left) * expand_dims(signs, -1)
    if columns > least:
        r = concatenate([r, transposed(q) @ segment(x, -1, least, columns)], -1)
    return Qr(q, r)


def _complete(found: Qr, x: Node) -> Qr:
    """Q made a basis, and R as many rows of zeros."""
    missing = x.shape[-2] - found.R.shape[-2]
    if not missing:
        return found
    nothing = zeros((*x.shape[:-2], missing, x.shape[-1]))
    return Qr(completed(found.Q, x, "qr"), concatenate([found.R, nothing], -2))


@derived(
    "qr(A)[0] @ qr(A)[1] | A=3,2",
    "qr(A).Q**2 | A=3,2",
    "qr(A)[1]**2 | A=3,2",
    "qr(A).R**2 | A=2,3",
    "qr(A, 'complete')[0]**2 | A=3,2",
    "qr(A, mode='complete').R**2 | A=2,1",
    "qr(A, mode='r')**2 | A=3,2",
    "qr(A)[1]**2 | A=2,3,2",
)
def qr(a: Node, mode: str = "reduced") -> Node | Qr:
    """Orthonormal columns and a triangle whose product is the matrix, whose first columns are independent."""
    mode = "reduced" if mode == "full" else mode  # which NumPy once called it
    if mode == "raw":
        message = "`qr` with mode='raw' gives LAPACK's own form, which has no derivative here"
        raise GradcalcError("arguments", message, helps=["mode='reduced', 'complete' or 'r'"])
    if mode not in ("reduced", "complete", "r"):
        raise GradcalcError("arguments", f"`mode` of `qr` must be 'reduced', 'complete' or 'r', got {mode!r}")
    found = _qr(a)
    return found.R if mode == "r" else _complete(found, a) if mode == "complete" else found


@derived(
    "torch.linalg.qr(A)[0]**2 | A=3,2",
    "torch.linalg.qr(A, 'complete').Q**2 | A=3,2",
    "torch.linalg.qr(A, mode='r').R**2 | A=2,2",
    name="torch.linalg.qr",
)
def torch_qr(A: Node, mode: str = "reduced") -> Qr:
    """Orthonormal columns and a triangle whose product is the matrix; with mode='r' the first are empty."""
    if mode == "r":
        return Qr(broadcast_to(constant(0.0), (0,)), _qr(A).R)
    if mode == "full":
        raise GradcalcError("arguments", "`mode` of `qr` must be 'reduced', 'complete' or 'r', got 'full'")
    found = qr(A, mode)
    assert isinstance(found, Qr)
    return found


@derived("torch.qr(A).R**2 | A=3,2", "torch.qr(A, some=False)[0]**2 | A=3,2", name="torch.qr")
def old_qr(input: Node, some: bool = True) -> Qr:
    """Orthonormal columns and a triangle whose product is the matrix; with some=False the columns are a basis."""
    return torch_qr(input, "reduced" if some else "complete")


@derived(
    "scipy.linalg.qr(A)[1]**2 | A=2,2",
    "scipy.linalg.qr(A, mode='economic', check_finite=False)[0]**2 | A=3,2",
    "scipy.linalg.qr(A, mode='full')[0]**2 | A=3,2",
    "scipy.linalg.qr(A, mode='r')[0]**2 | A=2,2",
    name="scipy.linalg.qr",
)
def scipy_qr(a: Node, mode: str = "full", pivoting: bool = False) -> tuple[Node, ...]:
    """Orthonormal columns, as many as there are rows unless mode='economic', and a triangle."""
    if pivoting:
        raise GradcalcError("arguments", "`qr` with pivoting is not known here", helps=["leave `pivoting` out"])
    if mode not in ("full", "economic", "r"):
        raise GradcalcError("arguments", f"`mode` of `qr` must be 'full', 'economic' or 'r', got {mode!r}")
    found = _qr(a)
    whole = found if mode == "economic" else _complete(found, a)
    return (whole.R,) if mode == "r" else tuple(whole)


# Householder's reflections ------------------------------------------------------------------------


def _reflect(A: Node, tau: Node, other: Node, backwards: bool) -> Node:
    """The product of reflections, the last first if `backwards`, times other matrices."""
    vectors = tril(A, -1) + identity(A.shape)
    order = range(tau.shape[-1])
    for i in reversed(order) if backwards else order:
        v = expand_dims(element(vectors, -1, i), -1)
        other = other - each(element(tau, -1, i)) * (v @ (transposed(v) @ other))
    return other


def _check_reflectors(A: Node, tau: Node, what: str) -> None:
    if as_matrix(A, what).ndim != tau.ndim + 1 or tau.shape[-1] > A.shape[-1] or A.shape[-1] > A.shape[-2]:
        raise GradcalcError("shape", f"`{what}` cannot take shapes {A.shape} and {tau.shape}")


@derived(
    "householder_product(A, x) | A=3,2 x=2",
    "householder_product(A, x) | A=3,2 x=1",
    "orgqr(A, x) | A=2,3,2 x=2,2",
    spellings=("orgqr",),
)
def householder_product(A: Node, tau: Node) -> Node:
    """First columns of the product of reflections, whose vectors lie below the diagonal of A."""
    _check_reflectors(A, tau, "householder_product")
    start = identity(A.shape)
    return _reflect(A, tau, start, True)


@derived(
    "ormqr(A, x, B) | A=3,2 x=2 B=3,2",
    "ormqr(A, x, B, transpose=True) | A=2,2 x=2 B=2,1",
    "ormqr(A, x, B, left=False) | A=2,2 x=2 B=1,2",
    "ormqr(A, x, B, False, True) | A=2,2 x=2 B=1,2",
)
def ormqr(input: Node, tau: Node, other: Node, left: bool = True, transpose: bool = False) -> Node:
    """The product of reflections (or its transpose) times other matrices; those times it with left=False."""
    _check_reflectors(input, tau, "ormqr")
    if left:
        return _reflect(input, tau, other, not transpose)
    return transposed(_reflect(input, tau, transposed(other), transpose))


# the polar decomposition, and the nuclear norm, whose derivative it is -----------------------------


def _lyapunov(h: Any, c: Any) -> Any:
    w, v = np.linalg.eigh(mean_of_halves(h))
    vt = np.swapaxes(v, -1, -2)
    return v @ ((vt @ c @ v) / (w[..., :, None] + w[..., None, :])) @ vt


def _lyapunov_vjp(g: Node, y: Node, h: Node, c: Node) -> tuple[Node, Node]:
    back = lyapunov(h, g)
    return -symmetric(back @ transposed(y) + transposed(y) @ back), back


@general(
    kernel=_lyapunov,
    shape=lambda h, c: c.shape,
    vjp=_lyapunov_vjp,
    exact=lambda m, h, c: matrixwise(
        lambda one: m.lyapunov(one[: h.shape[-1]], one[h.shape[-1] :]), np.concatenate([h, c], -2), 2
    ),
    source="the equation itself, differentiated",
    examples=("lyapunov(A @ A.T + eye(2), C) | A=2,2 C=2,2",),
)
def lyapunov(h: Node, c: Node) -> Any:
    """The x for which h @ x + x @ h is c, of a symmetric h, of whose two halves it takes the mean."""
    return (square_matrix(h, "lyapunov"), c), {}


def _polar(x: Any) -> Any:
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    some = s > max(x.shape[-2:]) * EPS * np.max(s, -1, keepdims=True, initial=0.0)
    return (u * some[..., None, :]) @ vh


def _polar_vjp(g: Node, y: Node, x: Node) -> tuple[Node]:
    # y is x @ inv(h), h = y.T @ x: y turns as far as h, which stays symmetric, makes it, and follows what leaves
    # its columns. No difference of singular values divides, so repeated ones are like any others.
    if x.shape[-2] < x.shape[-1]:
        return (transposed(_polar_vjp(transposed(g), transposed(y), transposed(x))[0]),)
    h = symmetric(transposed(y) @ x)
    inner = transposed(y) @ g
    back = y @ lyapunov(h, inner - transposed(inner))
    if x.shape[-2] == x.shape[-1]:
        return (back,)
    return (back + transposed(solve(h, transposed(g - y @ inner))),)


@general(
    kernel=_polar,
    shape=lambda x: x.shape,
    vjp=_polar_vjp,
    exact=lambda m, x: matrixwise(m.polar, x, 2),
    source="x = y @ h with y.T @ y = I and h symmetric, differentiated",
    examples=("orthogonal_part(A) | A=2,2", "orthogonal_part(A) | A=3,2", "orthogonal_part(A) | A=2,1,2"),
)
def orthogonal_part(x: Node) -> Any:
    """The nearest matrix with orthonormal columns or rows: U @ Vh of the singular value decomposition."""
    return (as_matrix(x, "orthogonal_part"),), {}


@general(
    kernel=lambda x: np.sum(np.linalg.svd(x, compute_uv=False), -1),
    shape=lambda x: x.shape[:-2],
    vjp=lambda g, y, x: (each(g) * orthogonal_part(x),),
    exact=lambda m, x: matrixwise(lambda one: np.sum(m.svdvals(one)), x, 0),
    kink=Kink(at="the rank is short", takes="the sum of u @ v.T for singular values that are not 0"),
    source="U @ Vh, which repeated singular values leave as it is",
    examples=("nuclear_norm(A) | A=2,2", "nuclear_norm(A) | A=3,2", "nuclear_norm(A) | A=2,2,2"),
)
def nuclear_norm(x: Node) -> Any:
    """Sum of singular values."""
    return (as_matrix(x, "nuclear_norm"),), {}


class Polar(NamedTuple):
    """A matrix with orthonormal columns or rows, and a symmetric one."""

    unitary: Node
    posdef: Node


@derived(
    "scipy.linalg.polar(A)[0] | A=3,2",
    "scipy.linalg.polar(A)[1] | A=2,2",
    "scipy.linalg.polar(A, 'left')[1] | A=2,2",
    name="scipy.linalg.polar",
)
def polar(a: Node, side: str = "right") -> Polar:
    """Orthonormal columns or rows times a symmetric matrix, or with side='left' the other way round."""
    if side not in ("right", "left"):
        raise GradcalcError("arguments", f"`side` of `polar` must be 'right' or 'left', got {side!r}")
    u = orthogonal_part(a)
    return Polar(u, symmetric(transposed(u) @ a if side == "right" else a @ transposed(u)))
