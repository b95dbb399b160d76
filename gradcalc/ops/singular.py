"""Singular values and their vectors; batched over leading axes as in NumPy.

What `spectra` says of repeated values holds for singular ones too, and one that is 0, to within rounding of the
largest, is as undetermined: its sign could be either. Signs of vectors are those that LAPACK gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, constant
from .arithmetic import abs
from .indexing import element, segment
from .joining import concatenate
from .kinds import derived, general, zeros
from .matrices import each, matrixwise, square_matrix, symmetric, transposed
from .reduce import max
from .shape import as_matrix, expand_dims
from .solving import pinverse
from .spectra import ALIKE, alike, inverse_gaps, weighted


def _least(shape: Shape) -> int:
    return min(shape[-2:])


def _svdvals_vjp(g: Node, y: Node, x: Node) -> tuple[Node]:
    return (weighted(left_vectors(x), alike(g, y, True), right_vectors(x)),)


@general(
    kernel=lambda x: np.linalg.svd(x, compute_uv=False),
    shape=lambda x: (*x.shape[:-2], _least(x.shape)),
    vjp=_svdvals_vjp,
    exact=lambda m, x: matrixwise(m.svdvals, x, 1),
    source="Townsend, Differentiating the singular value decomposition (2016)",
    examples=("svdvals(A) | A=3,2", "svdvals(A) | A=2,3", "svdvals(A)[1] | A=2,2", "svdvals(A) | A=2,2,2"),
)
def svdvals(x: Node) -> Any:
    """Singular values, the largest first."""
    return (as_matrix(x, "svdvals"),), {}


def _turned(g: Node, u: Node, s: Node, v: Node) -> Node:
    """The cotangent of u @ diag(s) @ v.T, from that of the orthonormal columns u alone."""
    # The two factors of s[j]**2 - s[i]**2 keep the digits that squares would lose; on the diagonal 0 stays 0.
    sums = expand_dims(s, -1) + expand_dims(s, -2) + constant(np.eye(s.shape[-1]))
    inner = inverse_gaps(s) / sums * (transposed(u) @ g)
    back = weighted(u @ (inner + transposed(inner)), s, v)
    if u.shape[-2] == u.shape[-1]:
        return back
    with_zero = concatenate([s, zeros((*s.shape[:-1], 1))], -1)
    inverse = -segment(element(inverse_gaps(with_zero), -1, s.shape[-1]), -1, 0, s.shape[-1])
    return back + weighted(g - u @ (transposed(u) @ g), inverse, v)


@general(
    kernel=lambda x: np.linalg.svd(x, full_matrices=False)[0],
    shape=lambda x: (*x.shape[:-1], _least(x.shape)),
    vjp=lambda g, y, x: (_turned(g, y, svdvals(x), right_vectors(x)),),
    exact=lambda m, x: matrixwise(lambda one: m.svd(one)[0], x, 2),
    source="Townsend, Differentiating the singular value decomposition (2016)",
    examples=("left_vectors(A) | A=3,2", "left_vectors(A) | A=2,3", "left_vectors(A)[:, 0]**2 | A=2,2"),
)
def left_vectors(x: Node) -> Any:
    """Left singular vectors as columns: as many as the shorter axis is long."""
    return (as_matrix(x, "left_vectors"),), {}


@general(
    kernel=lambda x: np.swapaxes(np.linalg.svd(x, full_matrices=False)[2], -1, -2),
    shape=lambda x: (*x.shape[:-2], x.shape[-1], _least(x.shape)),
    vjp=lambda g, y, x: (transposed(_turned(g, y, svdvals(x), left_vectors(x))),),
    exact=lambda m, x: matrixwise(lambda one: m.svd(one)[2], x, 2),
    source="Townsend, Differentiating the singular value decomposition (2016)",
    examples=("right_vectors(A) | A=3,2", "right_vectors(A) | A=2,3", "right_vectors(A)[:, 0]**2 | A=2,2,2"),
)
def right_vectors(x: Node) -> Any:
    """Right singular vectors as columns: as many as the shorter axis is long."""
    return (as_matrix(x, "right_vectors"),), {}


def _symmetry(x: Any, size: Any) -> Any:
    x, size = np.asarray(x, np.float64), np.asarray(size, np.float64)
    off = np.max(np.abs(x - np.swapaxes(x, -1, -2)), (-2, -1), initial=0.0)
    return np.where(off <= ALIKE * size, 1.0, np.nan)


@general(
    kernel=_symmetry,
    shape=lambda x, size: x.shape[:-2],
    vjp=lambda g, y, x, size: (None, None),
    flat=(0, 1),
    domain=((0.5, 2),),
    examples=("symmetry(A + A.T, x) | A=2,2 x=", "symmetry(A + transpose(A, (0, 2, 1)), x) | A=2,2,2 x=2"),
)
def symmetry(x: Node, size: Node) -> Any:
    """1 for each matrix that is symmetric to within rounding of a size, else nan."""
    return (square_matrix(x, "symmetry"), size), {}


_COMPLEMENTS = {
    "left": lambda x: np.linalg.svd(x)[0][..., min(x.shape[-2:]) :],
    "right": lambda x: np.swapaxes(np.linalg.svd(x)[2][..., min(x.shape[-2:]) :, :], -1, -2),
    "qr": lambda x: np.linalg.qr(x, "complete")[0][..., min(x.shape[-2:]) :],
}


def _complement_shape(x: Node, by: str) -> Shape:
    length = x.shape[-1] if by == "right" else x.shape[-2]
    return (*x.shape[:-2], length, length - _least(x.shape))


def _complement_vjp(g: Node, y: Node, x: Node, by: str) -> tuple[Node]:
    # y stays orthogonal to the columns of x: dy = -pinv(x).T @ dx.T @ y. How it turns in itself is nowhere said,
    # so only what does not depend on that has a derivative: g is then symmetric along y.
    if y.shape[-1] > 1:
        g = g * each(symmetry(transposed(y) @ g, max(abs(g), (-2, -1))))
    back = y @ transposed(g) @ transposed(pinverse(transposed(x) if by == "right" else x, 0.0))
    return (-(transposed(back) if by == "right" else back),)


def _complement_jvp(ts: Sequence[Node | None], y: Node, x: Node, by: str) -> Node | None:
    (t,) = ts
    if t is None:
        return None
    wide = by == "right"
    return -(transposed(pinverse(transposed(x) if wide else x, 0.0)) @ (t if wide else transposed(t)) @ y)


@general(
    kernel=lambda x, by: _COMPLEMENTS[by](x),
    shape=_complement_shape,
    vjp=_complement_vjp,
    jvp=_complement_jvp,
    exact=lambda m, x, by: matrixwise(lambda one: m.complement(one, by), x, 2),
    source="columns that stay orthogonal to those of x",
    examples=(
        "complement(A) | A=3,2",
        "complement(A, 'right') | A=2,3",
        "complement(A, 'qr') | A=2,2,1",
        "complement(A) @ complement(A).T | A=3,1",
        "complement(A, 'qr') @ complement(A, 'qr').T | A=3,1",
        "complement(A) | A=2,2",
    ),
)
def complement(x: Node, by: str = "left") -> Any:
    """Orthonormal columns that complete the left or right singular vectors, or the Q of x, to a basis."""
    if by not in _COMPLEMENTS:
        raise GradcalcError("arguments", f"`by` must be 'left', 'right' or 'qr', got {by!r}")
    return (as_matrix(x, "complement"),), {"by": by}


def completed(columns: Node, x: Node, by: str) -> Node:
    """Orthonormal columns made a basis."""
    rest: Node = complement(x, by)
    return columns if rest.shape[-1] == 0 else concatenate([columns, rest], -1)


class Svd(NamedTuple):
    """A singular value decomposition."""

    U: Node
    S: Node
    Vh: Node


@derived(
    "svd(A)[1] | A=3,2",
    "svd(A, full_matrices=False)[0]**2 | A=3,2",
    "svd(A, full_matrices=False).Vh**2 | A=2,3",
    "svd(A).U**2 | A=3,2",
    "svd(A, False)[0] @ diag(sin(svd(A)[1])) @ svd(A, False)[2] | A=2,2",
    "svd(A, compute_uv=False) | A=2,2,2",
    "svd(A @ A.T, hermitian=True, compute_uv=False) | A=2,2",
)
def svd(a: Node, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Node | Svd:
    """Singular value decomposition: left vectors as columns, values, right vectors as rows."""
    as_matrix(a, "svd")
    if hermitian:
        if compute_uv:
            raise GradcalcError("arguments", "`svd` has no vectors with hermitian=True here", helps=["leave it out"])
        a = symmetric(square_matrix(a, "svd"))
    if not compute_uv:
        return svdvals(a)
    u, v = left_vectors(a), right_vectors(a)
    if full_matrices:
        u, v = completed(u, a, "left"), completed(v, a, "right")
    return Svd(u, svdvals(a), transposed(v))


class TorchSvd(NamedTuple):
    """A singular value decomposition whose right vectors are columns."""

    U: Node
    S: Node
    V: Node


@derived(
    "torch.svd(A)[1] | A=3,2",
    "torch.svd(A).V**2 | A=2,3",
    "torch.svd(A, some=False).U**2 | A=3,2",
    "torch.svd(A, compute_uv=False).S | A=2,2",
    name="torch.svd",
)
def torch_svd(input: Node, some: bool = True, compute_uv: bool = True) -> TorchSvd:
    """Singular value decomposition: left vectors, values, right vectors, both as columns."""
    if not compute_uv:
        rows, columns = as_matrix(input, "svd").shape[-2:]
        empty = [zeros((*input.shape[:-2], n, n)) for n in (rows, columns)]
        return TorchSvd(empty[0], svdvals(input), empty[1])
    found = svd(input, not some)
    assert isinstance(found, Svd)
    return TorchSvd(found.U, found.S, transposed(found.Vh))
