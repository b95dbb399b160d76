"""Determinants and cofactors, to any rank and without overflow; batched over leading axes as in NumPy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import Node, constant
from .arithmetic import less, where
from .indexing import add_gather, gather
from .kinds import derived, general, zeros
from .matrices import each, matrixwise, one_square, square_matrix, transposed
from .reduce import sum
from .solving import inv


@general(
    kernel=np.linalg.det,
    shape=lambda x: x.shape[:-2],
    # The gradient of det is the cofactor matrix, which exists for singular matrices too (Jacobi's formula).
    vjp=lambda g, y, x: (each(g) * cofactor(x),),
    exact=lambda m, x: matrixwise(m.det, x, 0),
    examples=("det(A) | A=3,3", "det(A) | A=1,1", "det(A) | A=2,2,2"),
)
def det(x: Node) -> Any:
    """Determinant."""
    return one_square(x, "det")


def _cofactor(x: Any) -> Any:
    """Through the singular value decomposition, which does not divide by small singular values."""
    n = x.shape[-1]
    u, s, vh = np.linalg.svd(x)
    others = np.repeat(s[..., None, :], n, -2)
    others[..., np.arange(n), np.arange(n)] = 1.0
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return sign[..., None, None] * ((u * np.prod(others, -1)[..., None, :]) @ vh)


def _minors(n: int) -> tuple[Any, Any]:
    """Index arrays of shape (n, n, n-1, n-1) that pick every minor of an n by n matrix."""
    rest = np.array([[j for j in range(n) if j != i] for i in range(n)], np.float64).reshape(n, n - 1)
    shape = (n, n, n - 1, n - 1)
    return np.broadcast_to(rest[:, None, :, None], shape), np.broadcast_to(rest[None, :, None, :], shape)


_MINORS_UP_TO = 32  # the minors of an n by n matrix take n**4 numbers


def _cofactor_vjp(g: Node, y: Node, x: Node) -> tuple[Node | None]:
    n = x.shape[-1]
    if n == 1:  # the cofactor of a number is 1
        return (None,)
    if n <= _MINORS_UP_TO:  # each cofactor is a signed determinant of a minor: right for any rank, to any order
        rows, columns = _minors(n)
        signs = constant((-1.0) ** np.add.outer(np.arange(n), np.arange(n)))
        places = constant(rows), constant(columns)
        back = each(g * signs) * cofactor(gather(x, places))
        return (add_gather(zeros(x.shape), back, places),)
    # From C = det(X) inv(X)': dC = (tr(C'dX) C - C dX' C) / det(X).
    scale = each(1 / det(x))
    return (scale * (each(sum(g * y, (-2, -1))) * y - y @ transposed(g) @ y),)


@general(
    kernel=_cofactor,
    shape=lambda x: x.shape,
    vjp=_cofactor_vjp,
    exact=lambda m, x: matrixwise(m.cofactor, x, 2),
    examples=("cofactor(A) | A=3,3", "cofactor(A) | A=2,2"),
    source="Jacobi's formula; singular values for the numbers",
)
def cofactor(x: Node) -> Any:
    """Matrix of cofactors: det(x) * inv(x).T where the inverse exists, and defined where it does not."""
    return one_square(x, "cofactor")


@general(
    kernel=lambda x: np.linalg.slogdet(x)[1],
    shape=lambda x: x.shape[:-2],
    vjp=lambda g, y, x: (each(g) * transposed(inv(x)),),
    exact=lambda m, x: np.frompyfunc(lambda d: m.log(m.abs(d)), 1, 1)(matrixwise(m.det, x, 0)),
    examples=("logabsdet(A) | A=3,3", "logabsdet(A) | A=2,2,2"),
)
def logabsdet(x: Node) -> Any:
    """log(abs(det(x))), without overflow."""
    return one_square(x, "logabsdet")


@general(
    kernel=lambda x: np.linalg.slogdet(np.asarray(x, np.float64))[0],
    shape=lambda x: x.shape[:-2],
    vjp=lambda g, y, x: (None,),
    flat=(0,),
    examples=("signdet(A) | A=3,3", "signdet(A) | A=2,2,2"),
)
def signdet(x: Node) -> Any:
    """Sign of the determinant, where that itself may over- or underflow."""
    return one_square(x, "signdet")


class SignedLog(NamedTuple):
    """A determinant taken apart."""

    sign: Node
    logabsdet: Node


@derived("slogdet(A)[1] | A=3,3", "slogdet(A)[0] | A=3,3", "slogdet(A).logabsdet | A=2,2,2")
def slogdet(x: Node) -> SignedLog:
    """Sign of the determinant, and the logarithm of its size."""
    return SignedLog(signdet(square_matrix(x, "slogdet")), logabsdet(x))


@derived("logdet(A) | A=3,3", "logdet(A @ transpose(A, (0, 2, 1))) | A=2,2,2")
def logdet(x: Node) -> Node:
    """log(det(x)), without overflow; nan where the determinant is negative."""
    sign, size = slogdet(square_matrix(x, "logdet"))
    return where(less(sign, 0.0), np.nan, size)
