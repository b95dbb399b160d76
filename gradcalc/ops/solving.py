"""Inverses and systems of equations; batched over leading axes as in NumPy.

The rules are those of Giles, "An extended collection of matrix derivative results for forward and
reverse mode algorithmic differentiation" (2008).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, Shape
from .kinds import derived, general, pad_rank, with_shape
from .matrices import (
    identity,
    leading_shape,
    matrixwise,
    no_errors,
    one_square,
    square_matrix,
    symmetric,
    transposed,
)
from .shape import as_matrix, expand_dims, moveaxis, ravel, reshape, squeeze, swapaxes, tril, triu


@general(
    kernel=np.linalg.inv,
    shape=lambda x: x.shape,
    vjp=lambda g, y, x: (-(transposed(y) @ g @ transposed(y)),),
    exact=lambda m, x: matrixwise(lambda a: m.cofactor(a).T / m.det(a), x, 2),
    examples=("inv(A) | A=3,3", "inv(A) | A=2,2,2"),
    spellings=("inverse",),
)
def inv(x: Node) -> Any:
    """Inverse matrix."""
    return one_square(x, "inv")


def _solve_shape(a: Node, b: Node) -> Shape:
    inner = b.shape[0] if b.ndim == 1 else b.shape[-2] if b.ndim else None
    leading = leading_shape(a.shape[:-2], b.shape[:-2] if b.ndim > 1 else ())
    if inner != a.shape[-1] or leading is None:
        raise GradcalcError(
            "shape",
            f"cannot solve a system of shape {a.shape} for a right side of shape {b.shape}",
            operands=[with_shape(a), with_shape(b)],
        )
    return leading + (a.shape[-1:] if b.ndim == 1 else (a.shape[-1], b.shape[-1]))


def _solve_vjp(g: Node, y: Node, a: Node, b: Node) -> tuple[Node, Node]:
    if b.ndim > 1:
        back = solve(transposed(a), g)
        return -(back @ transposed(y)), back
    back = solve(transposed(a), g) if g.ndim == 1 else squeeze(solve(transposed(a), expand_dims(g, -1)), -1)
    return -(expand_dims(back, -1) * expand_dims(y, -2)), back


def _batch_solve(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    a, b = inputs
    if old.inputs[1].ndim == 1:
        if batched == (False, True) and a.ndim == 2:  # one system, many right sides: its columns
            return swapaxes(solve(a, swapaxes(b, 0, 1)), 0, 1)
        column = expand_dims(b, -1)
        column = pad_rank(column, old.inputs[0].ndim - 2) if batched[1] else column
        return squeeze(solve(a, column), -1)
    rank = max(one.ndim for one in old.inputs)
    aligned = [
        pad_rank(new, rank - one.ndim) if is_batched else new
        for new, one, is_batched in zip(inputs, old.inputs, batched, strict=True)
    ]
    return solve(*aligned)


def _solve(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b) if b.ndim > 1 else np.linalg.solve(a, b[..., None])[..., 0]


def _exact_solve(m: Any, a: Any, b: Any) -> Any:
    inverse = matrixwise(lambda one: m.cofactor(one).T / m.det(one), a, 2)
    return inverse @ b if b.ndim > 1 else (inverse @ b[:, None])[..., 0]


@general(
    kernel=_solve,
    shape=_solve_shape,
    vjp=_solve_vjp,
    batch=_batch_solve,
    exact=_exact_solve,
    examples=(
        "solve(A, x) | A=3,3 x=3",
        "solve(A, B) | A=3,3 B=3,2",
        "solve(A, x) | A=2,2,2 x=2",
        "solve(A, B) | A=2,2 B=3,2,2",
    ),
)
def solve(a: Node, b: Node) -> Any:
    """The x for which a @ x is b; b is a vector if it has one axis, else matrices."""
    return (square_matrix(a, "solve"), b), {}


def vector_side(a: Node, b: Node) -> bool:
    """Whether PyTorch reads a right side as one vector for each matrix."""
    return b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])


@derived(
    "torch.linalg.solve(A, x) | A=2,2 x=2",
    "torch.linalg.solve(A, x) | A=2,2,2 x=2,2",
    "torch.linalg.solve(A, B) | A=2,2,2 B=2,3",
    "torch.linalg.solve(A, B, left=False) | A=2,2 B=3,2",
    name="torch.linalg.solve",
)
def torch_solve(A: Node, B: Node, left: bool = True) -> Node:
    """The X for which A @ X is B, or X @ A with left=False; B may hold one vector for each matrix."""
    if not left:
        return transposed(solve(transposed(square_matrix(A, "solve")), transposed(as_matrix(B, "solve"))))
    if B.ndim > 1 and vector_side(A, B):
        return squeeze(solve(A, expand_dims(B, -1)), -1)
    return solve(A, B)


class Solved(NamedTuple):
    """A solution, and zeros that say that it was found."""

    result: Node
    info: Node


@derived("solve_ex(A, B)[0] | A=2,2 B=2,2", "solve_ex(A, B, left=False).result | A=2,2 B=3,2")
def solve_ex(A: Node, B: Node, left: bool = True, check_errors: bool = False) -> Solved:
    """The X for which A @ X is B, and zeros; a singular A is an error."""
    return Solved(torch_solve(A, B, left), no_errors(A))


class Inverted(NamedTuple):
    """An inverse, and zeros that say that it was found."""

    inverse: Node
    info: Node


@derived("inv_ex(A)[0] | A=2,2", "inv_ex(A).inverse | A=2,2,2")
def inv_ex(A: Node, check_errors: bool = False) -> Inverted:
    """Inverse matrix, and zeros; a singular matrix is an error."""
    return Inverted(inv(A), no_errors(A))


@derived(
    "scipy.linalg.solve(A, x) | A=2,2 x=2",
    "scipy.linalg.solve(A, B, transposed=True) | A=2,2 B=2,2",
    "scipy.linalg.solve(A @ A.T + eye(2), x, assume_a='pos') | A=2,2 x=2",
    name="scipy.linalg.solve",
)
def scipy_solve(a: Node, b: Node, lower: bool = False, assume_a: str | None = None, transposed: bool = False) -> Node:
    """The x for which a @ x is b; of a matrix that is assumed symmetric it takes the mean of both halves."""
    if assume_a in ("sym", "symmetric", "her", "hermitian", "pos", "positive definite"):
        a = symmetric(square_matrix(a, "solve"))
    elif assume_a not in (None, "gen", "general"):
        raise GradcalcError(
            "arguments", f"`assume_a={assume_a!r}` is not known here", helps=["leave it out, or use `solve_triangular`"]
        )
    return solve(swapaxes(a, -1, -2) if transposed else a, b)


# triangles --------------------------------------------------------------------------------------


def triangle(a: Node, lower: bool, unit_diagonal: bool = False) -> Node:
    """One triangle of square matrices, of which nothing else is read."""
    if unit_diagonal:
        return (tril(a, -1) if lower else triu(a, 1)) + identity(a.shape)
    return tril(a) if lower else triu(a)


@derived(
    "solve_triangular(A, x) | A=2,2 x=2",
    "solve_triangular(A, B, lower=True) | A=3,3 B=3,2",
    "solve_triangular(A, x, trans='T') | A=2,2 x=2",
    "solve_triangular(A, x, 1, True) | A=3,3 x=3",
    "solve_triangular(A, x, unit_diagonal=True) | A=3,3 x=3",
    domain=((0.5, 2),),
)
def solve_triangular(a: Node, b: Node, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False) -> Node:
    """The x for which a @ x is b, where only the upper triangle of a is read (or the lower one)."""
    known = {0: False, 1: True, 2: True, "N": False, "T": True, "C": True}
    if trans not in known:
        raise GradcalcError("arguments", f"`trans` must be 0, 1, 2, 'N', 'T' or 'C', got {trans!r}")
    a = triangle(square_matrix(a, "solve_triangular"), lower, unit_diagonal)
    return solve(transposed(a) if known[trans] else a, b)


@derived(
    "torch.linalg.solve_triangular(A, B, upper=True) | A=2,2 B=2,3",
    "torch.linalg.solve_triangular(A, B, upper=False, unitriangular=True) | A=3,3 B=3,1",
    "torch.linalg.solve_triangular(A, B, upper=False, left=False) | A=2,2 B=3,2",
    "torch.linalg.solve_triangular(A, B, upper=True) | A=2,2,2 B=2,1",
    name="torch.linalg.solve_triangular",
    domain=((0.5, 2),),
)
def torch_solve_triangular(
    A: Node,
    B: Node,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Node:
    """The X for which A @ X is B (X @ A with left=False), where only one triangle of A is read."""
    a = triangle(square_matrix(A, "solve_triangular"), not upper, unitriangular)
    return torch_solve(a, as_matrix(B, "solve_triangular"), left)


class Triangular(NamedTuple):
    """A solution, and the matrix that it is of."""

    solution: Node
    cloned_coefficient: Node


@derived(
    "torch.triangular_solve(B, A)[0] | B=2,3 A=2,2",
    "torch.triangular_solve(B, A, upper=False, transpose=True).solution | B=2,1 A=2,2",
    "torch.triangular_solve(B, A, unitriangular=True).solution | B=2,1 A=2,2",
    name="torch.triangular_solve",
    domain=((0.5, 2),),
)
def triangular_solve(
    b: Node,
    A: Node,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Triangular:
    """The X for which A @ X is b, where only one triangle of A is read; and A."""
    a = triangle(square_matrix(A, "triangular_solve"), not upper, unitriangular)
    return Triangular(solve(transposed(a) if transpose else a, as_matrix(b, "triangular_solve")), A)


# pseudoinverses ----------------------------------------------------------------------------------


def _pinv(x: Any, rcond: float, atol: float) -> Any:
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    cutoff = np.maximum(rcond * np.max(s, -1, keepdims=True, initial=0.0), atol)
    inverse = np.divide(1.0, s, out=np.zeros_like(s), where=s > cutoff)
    return (np.swapaxes(vh, -1, -2) * inverse[..., None, :]) @ np.swapaxes(u, -1, -2)


def _pinv_vjp(g: Node, y: Node, x: Node, rcond: float, atol: float) -> tuple[Node]:
    yt, gt = transposed(y), transposed(g)
    rows, columns = x.shape[-2:]
    beside = (identity((rows, rows)) - x @ y) @ gt @ y @ yt
    below = yt @ y @ gt @ (identity((columns, columns)) - y @ x)
    return (beside + below - yt @ g @ yt,)


@general(
    kernel=_pinv,
    shape=lambda x, rcond, atol: (*x.shape[:-2], x.shape[-1], x.shape[-2]),
    vjp=_pinv_vjp,
    exact=lambda m, x, rcond, atol: matrixwise(lambda one: m.pinv(one, rcond, atol), x, 2),
    examples=(
        "pinverse(A) | A=3,2",
        "pinverse(A) | A=2,3",
        "pinverse(A) | A=2,2",
        "pinverse(A) | A=2,3,2",
        "pinverse(A, 0.0) | A=2,2",
    ),
    kink=Kink(at="the rank is short", takes="the derivative among matrices of the same rank"),
    source="Golub and Pereyra, The differentiation of pseudo-inverses (1973)",
)
def pinverse(input: Node, rcond: float = 1e-15, atol: float = 0.0) -> Any:
    """Pseudoinverse; singular values up to rcond times the largest, or up to atol, count as 0."""
    return (as_matrix(input, "pinverse"),), {"rcond": float(rcond), "atol": float(atol)}


# systems of more axes ---------------------------------------------------------------------------


@derived("tensorinv(A, ind=1) | A=4,2,2", "tensorinv(A) | A=2,1,1,2")
def tensorinv(a: Node, ind: int = 2) -> Node:
    """Inverse of an array read as a matrix whose rows are the first `ind` axes."""
    if ind < 1:
        raise GradcalcError("arguments", f"`ind` of `tensorinv` must be positive, got {ind}")
    rows, columns = a.shape[:ind], a.shape[ind:]
    flat = reshape(a, (math.prod(rows), math.prod(columns)))
    return reshape(inv(square_matrix(flat, "tensorinv")), (*columns, *rows))


@derived(
    "tensorsolve(A, B) | A=2,1,1,2 B=2,1",
    "tensorsolve(A, x) | A=4,2,2 x=4",
    "tensorsolve(A, x, axes=(0,)) | A=2,4,2 x=4",
)
def tensorsolve(a: Node, b: Node, axes: int | tuple[int, ...] | None = None) -> Node:
    """The x for which tensordot(a, x, x.ndim) is b; `axes` of a are moved to its end first."""
    if axes is not None:
        moved = (axes,) if isinstance(axes, int) else axes
        a = moveaxis(a, moved, tuple(range(a.ndim - len(moved), a.ndim)))
    shape = a.shape[b.ndim :]
    flat = square_matrix(reshape(a, (math.prod(a.shape[: b.ndim]), math.prod(shape))), "tensorsolve")
    return reshape(solve(flat, ravel(b)), shape)


@derived(
    "matrix_power(A, 3) | A=2,2",
    "matrix_power(A, -2) | A=2,2",
    "matrix_power(A, 0) | A=2,2",
    "matrix_power(A, 2) | A=2,2,2",
    "matrix_power(A, 1) | A=2,2",
    "matrix_power(A, 5) | A=2,2",
)
def matrix_power(a: Node, n: int) -> Node:
    """A square matrix multiplied by itself n times; by its inverse if n is negative."""
    square_matrix(a, "matrix_power")
    if n == 0:
        return identity(a.shape)
    power, left, total = (inv(a), -n, None) if n < 0 else (a, n, None)
    while left:
        if left % 2:
            total = power if total is None else total @ power
        left //= 2
        power = power @ power if left else power
    assert total is not None
    return total
