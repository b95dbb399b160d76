"""Functions of matrices that SciPy's `linalg`, or JAX's, means differently from NumPy's, or that only they have."""

from __future__ import annotations

from ..errors import GradcalcError
from ..graph import Node
from .factors import cholesky
from .kinds import derived, reshape
from .least_squares import LeastSquares, lstsq
from .matrices import square_matrix
from .shape import diagonal_matrix
from .spectra import Eigen, eigenvectors, eigh, symmetric_eigenvalues


@derived(
    "scipy.linalg.eigh(A + A.T)[0] | A=2,2",
    "scipy.linalg.eigh(A + A.T, lower=False)[1]**2 | A=2,2",
    "scipy.linalg.eigh(A + A.T, eigvals_only=True) | A=3,3",
    name="scipy.linalg.eigh",
)
def scipy_eigh(a: Node, b: Node | None = None, lower: bool = True, eigvals_only: bool = False) -> Node | Eigen:
    """Eigenvalues and eigenvectors of a symmetric matrix, of whose two halves it takes the mean."""
    if b is not None:
        helps = ["of `inv(L) @ a @ inv(L).T`, where L is `cholesky(b)`, they are the same"]
        raise GradcalcError("arguments", "`eigh` with a second matrix is not known here", helps=helps)
    return symmetric_eigenvalues(a) if eigvals_only else eigh(a)


@derived(
    "scipy.linalg.eigvalsh(A + A.T) | A=2,2",
    "scipy.linalg.eigvalsh(A + A.T, lower=False) | A=2,2",
    name="scipy.linalg.eigvalsh",
)
def scipy_eigvalsh(a: Node, b: Node | None = None, lower: bool = True) -> Node:
    """Eigenvalues of a symmetric matrix, of whose two halves it takes the mean."""
    found = scipy_eigh(a, b, lower, True)
    assert isinstance(found, Node)
    return found


@derived(
    "eigh_tridiagonal(x, y)[0] | x=3 y=2",
    "eigh_tridiagonal(x, y)[1]**2 | x=2 y=1",
    "eigh_tridiagonal(x, y, eigvals_only=True) | x=2 y=1",
)
def eigh_tridiagonal(d: Node, e: Node, eigvals_only: bool = False) -> Node | Eigen:
    """Eigenvalues and eigenvectors of a symmetric matrix, given its diagonal and the one beside it."""
    if d.ndim != 1 or e.shape != (max(d.size - 1, 0),):
        raise GradcalcError("shape", f"`eigh_tridiagonal` cannot take diagonals of shapes {d.shape} and {e.shape}")
    n = d.size
    matrix = diagonal_matrix(d, n, n) + diagonal_matrix(e, n, n, 1) + diagonal_matrix(e, n, n, -1)
    values = symmetric_eigenvalues(matrix)
    return values if eigvals_only else Eigen(values, eigenvectors(matrix))


def _symmetrized(symmetrize_input: bool, what: str) -> None:
    if not symmetrize_input:
        message = f"`{what}` takes the mean of both halves of a matrix: symmetrize_input=False is not known here"
        raise GradcalcError("arguments", message, helps=["leave `symmetrize_input` out"])


@derived(
    "jax.linalg.eigh(A + A.T)[0] | A=2,2",
    "jax.linalg.eigh(A + A.T, symmetrize_input=True).eigenvectors**2 | A=2,2",
    name="jax.linalg.eigh",
)
def jax_eigh(a: Node, UPLO: str | None = None, symmetrize_input: bool = True) -> Eigen:
    """Eigenvalues and eigenvectors of a symmetric matrix, of whose two halves it takes the mean."""
    _symmetrized(symmetrize_input, "eigh")
    return eigh(a, UPLO)


@derived("jax.linalg.eigvalsh(A + A.T) | A=2,2", name="jax.linalg.eigvalsh")
def jax_eigvalsh(a: Node, UPLO: str | None = "L", symmetrize_input: bool = True) -> Node:
    """Eigenvalues of a symmetric matrix, of whose two halves it takes the mean."""
    _symmetrized(symmetrize_input, "eigvalsh")
    return symmetric_eigenvalues(square_matrix(a, "eigvalsh"))


@derived(
    "jax.linalg.cholesky(A @ A.T + eye(2)) | A=2,2",
    "jax.linalg.cholesky(A @ A.T + eye(2), upper=True, symmetrize_input=True) | A=2,2",
    name="jax.linalg.cholesky",
)
def jax_cholesky(a: Node, upper: bool = False, symmetrize_input: bool = True) -> Node:
    """Triangular factor of a positive definite matrix, of whose two halves it takes the mean; lower unless `upper`."""
    _symmetrized(symmetrize_input, "cholesky")
    return cholesky(a, upper)


@derived(
    "scipy.linalg.lstsq(A, x)[0] | A=3,2 x=3",
    "scipy.linalg.lstsq(A, x)[1] | A=3,2 x=3",
    "scipy.linalg.lstsq(A, B, cond=1e-9)[1] | A=3,2 B=3,2",
    name="scipy.linalg.lstsq",
)
def scipy_lstsq(a: Node, b: Node, cond: float | None = None) -> LeastSquares:
    """Least-squares solution of smallest norm; then squared residuals, of one right side a number."""
    found = lstsq(a, b, -1.0 if cond is None else cond)
    one_side = b.ndim == 1 and found.residuals.size == 1
    return found._replace(residuals=reshape(found.residuals, ())) if one_side else found
