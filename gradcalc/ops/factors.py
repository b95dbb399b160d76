"""Triangular factors of matrices: Cholesky and LU; batched over leading axes as in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, constant, is_constant
from .indexing import segment
from .joining import concatenate
from .kinds import broadcast_to, derived, general
from .matrices import first, identity, matrixwise, no_errors, one_square, square_matrix, transposed
from .shape import as_matrix, expand_dims, squeeze, tril, triu
from .solving import solve, triangle

# Cholesky ---------------------------------------------------------------------------------------


def _cholesky_vjp(g: Node, y: Node, x: Node) -> tuple[Node]:
    # Murray, "Differentiation of the Cholesky decomposition" (2016), eq. 10: with Phi halving the diagonal of
    # the lower triangle, the cotangent is L^-T Phi(L' G) L^-1, made symmetric.
    inner = transposed(y) @ tril(g)
    halved = tril(inner) - 0.5 * tril(inner) * constant(np.eye(x.shape[-1]))
    middle = solve(transposed(y), transposed(solve(transposed(y), transposed(halved))))
    return (0.5 * (middle + transposed(middle)),)


def _exact_cholesky(m: Any, x: Any) -> Any:
    n = len(x)
    x = (x + x.T) / 2
    low = np.full((n, n), m.number(0.0), object)
    for j in range(n):
        low[j, j] = m.sqrt(x[j, j] - np.sum(low[j, :j] * low[j, :j]))
        for i in range(j + 1, n):
            low[i, j] = (x[i, j] - np.sum(low[i, :j] * low[j, :j])) / low[j, j]
    return low


@general(
    kernel=lambda x: np.linalg.cholesky((x + np.swapaxes(x, -1, -2)) / 2),
    shape=lambda x: x.shape,
    vjp=_cholesky_vjp,
    exact=lambda m, x: matrixwise(lambda one: _exact_cholesky(m, one), x, 2),
    source="Murray, Differentiation of the Cholesky decomposition (2016)",
    examples=(
        "cholesky(A @ A.T + 3*eye(3)) | A=3,3",
        "cholesky(A @ transpose(A, (0, 2, 1)) + 3*eye(2)) | A=2,2,2",
        "cholesky(A @ A.T + 3*eye(2), upper=True) | A=2,2",
    ),
)
def cholesky(a: Node, upper: bool = False) -> Any:
    """Triangular factor of a positive definite matrix, of whose two halves it takes the mean; lower unless `upper`."""
    return transposed(cholesky(a)) if upper else one_square(a, "cholesky")


class Factored(NamedTuple):
    """A triangular factor, and zeros that say that it was found."""

    L: Node
    info: Node


@derived("cholesky_ex(A @ A.T + eye(2))[0] | A=2,2", "cholesky_ex(A @ A.T + eye(2), upper=True).L | A=2,2")
def cholesky_ex(input: Node, upper: bool = False, check_errors: bool = False) -> Factored:
    """Triangular factor of a positive definite matrix, and zeros; any other matrix is an error."""
    return Factored(cholesky(input, upper), no_errors(input))


def _from_factor(factor: Node, b: Node, upper: bool, what: str) -> Node:
    """The solution of a system whose matrix is known by its Cholesky factor."""
    lower = triangle(square_matrix(factor, what), True) if not upper else transposed(triangle(factor, False))
    return solve(transposed(lower), solve(lower, b))


@derived(
    "cholesky_solve(B, L) | B=2,3 L=2,2",
    "cholesky_solve(B, L, upper=True) | B=2,1 L=2,2",
    "cholesky_solve(B, L) | B=2,2,1 L=2,2",
    domain=((0.5, 2),),
)
def cholesky_solve(B: Node, L: Node, upper: bool = False) -> Node:
    """The X for which L @ L.T @ X is B, of the lower triangle L; U.T @ U @ X with `upper`."""
    return _from_factor(L, as_matrix(B, "cholesky_solve"), upper, "cholesky_solve")


@derived(
    "cholesky_inverse(L) | L=2,2",
    "cholesky_inverse(L, upper=True) | L=2,2",
    "cholesky_inverse(L) | L=2,2,2",
    domain=((0.5, 2),),
)
def cholesky_inverse(L: Node, upper: bool = False) -> Node:
    """Inverse of L @ L.T, of the lower triangle L; of U.T @ U with `upper`."""
    return _from_factor(L, identity(square_matrix(L, "cholesky_inverse").shape), upper, "cholesky_inverse")


class ToldFactor(NamedTuple):
    """A triangular factor, and whether it is the lower one."""

    c: Node
    lower: bool


@derived(
    "cho_factor(A @ A.T + eye(2))[0] | A=2,2",
    "cho_solve(cho_factor(A @ A.T + eye(2), lower=True), x) | A=2,2 x=2",
)
def cho_factor(a: Node, lower: bool = False) -> ToldFactor:
    """Triangular factor of a positive definite matrix, with zeros beside it, and whether it is the lower one."""
    return ToldFactor(cholesky(a, not lower), lower)


@derived(
    "cho_solve((L, True), x) | L=2,2 x=2",
    "cho_solve((L, False), B) | L=2,2 B=2,2",
    domain=((0.5, 2),),
)
def cho_solve(c_and_lower: Sequence[Node], b: Node) -> Node:
    """The x for which the matrix with this Cholesky factor, given with whether it is lower, times x is b."""
    factor, lower = _pair(c_and_lower, "cho_solve")
    if not is_constant(lower) or lower.ndim:
        raise GradcalcError("arguments", "`cho_solve` needs to know whether the factor is lower: `(c, True)`")
    return _from_factor(factor, b, not bool(lower.attrs["value"].data), "cho_solve")


def _pair(values: Sequence[Node], what: str) -> tuple[Node, Node]:
    if len(values) != 2:
        raise GradcalcError("arguments", f"`{what}` takes a pair first, got {len(values)} values")
    return values[0], values[1]


# LU ---------------------------------------------------------------------------------------------


def _eliminated(x: Any) -> Any:
    out = np.array(x)
    for k in range(out.shape[-1] - 1):
        out[..., k + 1 :, k] = out[..., k + 1 :, k] / out[..., k : k + 1, k]
        out[..., k + 1 :, k + 1 :] = (
            out[..., k + 1 :, k + 1 :] - out[..., k + 1 :, k : k + 1] * out[..., k : k + 1, k + 1 :]
        )
    return out


def _eliminated_vjp(g: Node, y: Node, x: Node) -> tuple[Node]:
    # With P = inv(L) @ dx @ inv(U): dL is L times the part of P below the diagonal, dU the rest of it times U.
    low, up = triangle(y, True, True), triu(y)
    inner = tril(transposed(low) @ tril(g, -1), -1) + triu(triu(g) @ transposed(up))
    return (solve(transposed(low), transposed(solve(up, transposed(inner)))),)


@general(
    kernel=_eliminated,
    shape=lambda x: x.shape,
    vjp=_eliminated_vjp,
    source="Seeger et al., Auto-differentiating linear algebra (2017), for rows in a fixed order",
    domain=((0.5, 2),),
    examples=("eliminated(A + 3*eye(3)) | A=3,3", "eliminated(A) | A=2,2,2"),
)
def eliminated(x: Node) -> Any:
    """L below the diagonal (whose ones are left out) and U, of a square matrix whose rows stay in order."""
    return one_square(x, "eliminated")


def _pivots(x: Any) -> Any:
    left = np.array(x, np.float64)
    count = min(left.shape[-2:])
    found = np.empty((*left.shape[:-2], count))
    for place in np.ndindex(left.shape[:-2]):
        one = left[place]
        for k in range(count):
            best = k + int(np.argmax(np.abs(one[k:, k])))
            found[(*place, k)] = best + 1
            one[[k, best]] = one[[best, k]]
            if one[k, k] != 0:
                one[k + 1 :, k] /= one[k, k]
                one[k + 1 :, k + 1 :] -= np.outer(one[k + 1 :, k], one[k, k + 1 :])
    return found


@general(
    kernel=_pivots,
    shape=lambda x: (*x.shape[:-2], min(x.shape[-2:])),
    vjp=lambda g, y, x: (None,),
    flat=(0,),
    examples=("pivots(A) | A=3,3", "pivots(A) | A=2,2,3"),
)
def pivots(x: Node) -> Any:
    """The row, counted from 1, with which each row is exchanged in turn, so that the largest numbers divide."""
    return (as_matrix(x, "pivots"),), {}


def _permutation(pivots: Any, rows: int) -> Any:
    pivots = np.asarray(pivots, np.float64).astype(np.intp)
    out = np.zeros((*pivots.shape[:-1], rows, rows))
    for place in np.ndindex(pivots.shape[:-1]):
        order = np.arange(rows)
        for k, other in enumerate(pivots[place] - 1):
            order[[k, other]] = order[[other, k]]
        out[(*place, order, np.arange(rows))] = 1.0
    return out


@general(
    kernel=_permutation,
    shape=lambda pivots, rows: (*pivots.shape[:-1], rows, rows),
    vjp=lambda g, y, pivots, rows: (None,),
    flat=(0,),
    examples=("exchanges(pivots(A), 3) | A=3,3", "exchanges(pivots(A), 3) | A=2,3,2"),
)
def exchanges(pivots: Node, rows: int) -> Any:
    """The permutation matrix P with A = P @ L @ U, from the pivots of A."""
    return (pivots,), {"rows": rows}


def _packed(x: Node, order: Node) -> Node:
    """L and U in one matrix, of rows in the order that a permutation matrix says."""
    ordered = transposed(order) @ x
    rows, columns = x.shape[-2:]
    least = min(rows, columns)
    square = eliminated(first(first(ordered, -2, least), -1, least))
    if rows > columns:
        below = segment(ordered, -2, least, rows)
        return concatenate([square, transposed(solve(transposed(triu(square)), transposed(below)))], -2)
    if columns > rows:
        beside = segment(ordered, -1, least, columns)
        return concatenate([square, solve(triangle(square, True, True), beside)], -1)
    return square


def _lower(packed: Node) -> Node:
    least = min(packed.shape[-2:])
    left = first(packed, -1, least)
    return tril(left, -1) + identity(left.shape)


def _upper(packed: Node) -> Node:
    return triu(first(packed, -2, min(packed.shape[-2:])))


class Lu(NamedTuple):
    """A = P @ L @ U."""

    P: Node
    L: Node
    U: Node


class Packed(NamedTuple):
    """L and U in one matrix, and the rows that were exchanged."""

    LU: Node
    pivots: Node


class PackedEx(NamedTuple):
    """The same, and zeros that say that they were found."""

    LU: Node
    pivots: Node
    info: Node


def _only_with_pivots(pivot: bool, what: str) -> None:
    if not pivot:
        raise GradcalcError("arguments", f"`{what}` without pivots is not known here", helps=["leave `pivot` out"])


@derived(
    "lu(A)[1] | A=3,3",
    "lu(A).U | A=3,2",
    "lu(A).L | A=2,3",
    "lu(A)[0] | A=2,2",
    "torch.linalg.lu(A).U | A=2,2,2",
    spellings=("torch.linalg.lu",),
)
def lu(A: Node, pivot: bool = True) -> Lu:
    """Permutation, unit lower and upper triangle whose product is the matrix; where rows go is taken as fixed."""
    _only_with_pivots(pivot, "lu")
    order = exchanges(pivots(A), A.shape[-2])
    packed = _packed(A, order)
    return Lu(order, _lower(packed), _upper(packed))


@derived(
    "scipy.linalg.lu(A)[1] | A=2,2",
    "scipy.linalg.lu(A, permute_l=True)[0] | A=3,2",
    name="scipy.linalg.lu",
)
def scipy_lu(a: Node, permute_l: bool = False) -> tuple[Node, ...]:
    """Permutation, unit lower and upper triangle; with permute_l the first two multiplied."""
    found = lu(a)
    return (found.P @ found.L, found.U) if permute_l else tuple(found)


@derived(
    "torch.linalg.lu_factor(A)[0] | A=3,3",
    "torch.linalg.lu_factor(A).LU | A=2,3",
    "torch.lu(A)[0] | A=3,2",
    "torch.linalg.lu_factor(A)[1] | A=2,2",
    name="torch.linalg.lu_factor",
    spellings=("torch.lu",),
)
def lu_factor(A: Node, pivot: bool = True) -> Packed:
    """Both triangles in one matrix, and pivots counted from 1; where rows go is taken as fixed."""
    _only_with_pivots(pivot, "lu_factor")
    found = pivots(A)
    return Packed(_packed(A, exchanges(found, A.shape[-2])), found)


@derived("lu_factor_ex(A)[0] | A=2,2", "lu_factor_ex(A).LU | A=2,2,2")
def lu_factor_ex(A: Node, pivot: bool = True, check_errors: bool = False) -> PackedEx:
    """Both triangles in one matrix, pivots counted from 1, and zeros."""
    return PackedEx(*lu_factor(A, pivot), no_errors(A))


@derived("scipy.linalg.lu_factor(A)[0] | A=2,2", "scipy.linalg.lu_factor(A)[1] | A=3,3", name="scipy.linalg.lu_factor")
def scipy_lu_factor(a: Node) -> tuple[Node, Node]:
    """Both triangles in one matrix, and pivots counted from 0; where rows go is taken as fixed."""
    packed, found = lu_factor(a)
    return packed, found - 1.0


@derived(
    "lu_unpack(A, pivots(A))[1] | A=3,3",
    "lu_unpack(A, pivots(A)).U | A=2,3",
    "lu_unpack(A, pivots(A)).P | A=3,2",
)
def lu_unpack(LU_data: Node, LU_pivots: Node, unpack_data: bool = True, unpack_pivots: bool = True) -> Lu:
    """Permutation, unit lower and upper triangle, from both in one matrix and the pivots."""
    empty = broadcast_to(constant(0.0), (0,))
    return Lu(
        exchanges(LU_pivots, LU_data.shape[-2]) if unpack_pivots else empty,
        _lower(LU_data) if unpack_data else empty,
        _upper(LU_data) if unpack_data else empty,
    )


@derived(
    "torch.linalg.lu_solve(A, pivots(A), B) | A=2,2 B=2,3",
    "torch.linalg.lu_solve(A, pivots(A), B, adjoint=True) | A=2,2 B=2,1",
    "torch.linalg.lu_solve(A, pivots(A), B, left=False) | A=2,2 B=3,2",
    name="torch.linalg.lu_solve",
    domain=((0.5, 2),),
)
def lu_solve(LU: Node, pivots: Node, B: Node, left: bool = True, adjoint: bool = False) -> Node:
    """The X for which A @ X is B (X @ A with left=False), from both triangles of A in one matrix and its pivots."""
    if not left:
        return transposed(lu_solve(LU, pivots, transposed(B), True, not adjoint))
    low, up = triangle(square_matrix(LU, "lu_solve"), True, True), triu(LU)
    order = exchanges(pivots, LU.shape[-2])
    b = as_matrix(B, "lu_solve")
    if adjoint:
        return order @ solve(transposed(low), solve(transposed(up), b))
    return solve(up, solve(low, transposed(order) @ b))


@derived(
    "torch.lu_solve(B, A, pivots(A)) | B=2,3 A=2,2",
    name="torch.lu_solve",
    domain=((0.5, 2),),
)
def torch_lu_solve(b: Node, LU_data: Node, LU_pivots: Node) -> Node:
    """The X for which A @ X is b, from both triangles of A in one matrix and its pivots."""
    return lu_solve(LU_data, LU_pivots, b)


@derived(
    "scipy.linalg.lu_solve(scipy.linalg.lu_factor(A), x) | A=2,2 x=2",
    "scipy.linalg.lu_solve((A, pivots(A) - 1), B, trans=1) | A=2,2 B=2,1",
    name="scipy.linalg.lu_solve",
    domain=((0.5, 2),),
)
def scipy_lu_solve(lu_and_piv: Sequence[Node], b: Node, trans: int = 0) -> Node:
    """The x for which a @ x is b (a.T @ x with trans=1), from both triangles of a in one matrix and its pivots."""
    packed, found = _pair(lu_and_piv, "lu_solve")
    column = expand_dims(b, -1) if b.ndim == 1 else b
    x = lu_solve(packed, found + 1.0, column, True, trans != 0)
    return squeeze(x, -1) if b.ndim == 1 else x
