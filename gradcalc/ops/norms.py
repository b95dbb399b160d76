"""Norms of vectors and matrices, and condition numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Cotangents, Kink, Node, Shape
from .arithmetic import abs, equal, not_equal, real, sign, where
from .kinds import Axis, derived, general, negative_axes, negative_axis, reduced_shape, spread
from .matrices import square_matrix
from .orthogonal import nuclear_norm
from .reduce import max, min, sum
from .shape import as_matrix, expand_dims, moveaxis
from .singular import svdvals
from .solving import inv

# vectors ----------------------------------------------------------------------------------------


def _shape(x: Node, axis: tuple[int, ...], keepdims: bool, **_: Any) -> Shape:
    return reduced_shape(x.shape, axis, keepdims)


def _norm_vjp(g: Node, y: Node, x: Node, axis: tuple[int, ...], keepdims: bool) -> Cotangents:
    whole = spread(y, x, axis, keepdims)
    unit = where(equal(whole, 0.0), 0.0, x / whole)
    return (spread(g, x, axis, keepdims) * unit,)


def _norm(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    y: Any = np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))
    if np.all((y > 1e-140) & (y < 1e150)) or np.size(x) == 0:
        return y
    return _scaled(x, axis, keepdims, lambda one: np.sqrt(np.sum(np.square(one), axis=axis, keepdims=True)))


def _scaled(x: Any, axis: tuple[int, ...], keepdims: bool, norm: Any) -> Any:
    """A norm of numbers whose powers would over- or underflow: those of the numbers divided by the largest."""
    top: Any = np.max(np.abs(x), axis=axis, keepdims=True, initial=0.0)
    top = np.where((top > 0) & np.isfinite(top), top, 1.0)
    y = top * norm(x / top)
    return y if keepdims else np.reshape(y, reduced_shape(np.shape(x), axis, False))


@general(
    kernel=_norm,
    shape=_shape,
    vjp=_norm_vjp,
    exact=lambda m, x, axis, keepdims: np.frompyfunc(m.sqrt, 1, 1)(np.sum(x * x, axis=axis, keepdims=keepdims)),
    kink=Kink(at="every element is 0", takes="0"),
    domain=((0.5, 2),),
    examples=(
        "norm(x) | x=3",
        "norm(x) | x=2,3",
        "norm(x, axis=1, keepdims=True) | x=2,3",
        "norm(x, 'fro') | x=2,3",
        "norm(x, -inf) | x=3",
        "norm(x, 3) | x=3",
        "norm(x, 0) | x=3",
        "norm(x, 1) | x=2,3",
        "norm(x, inf, axis=(0, 1)) | x=2,3",
        "norm(x, 2) | x=2,3",
        "norm(x, 'nuc', axis=(2, 0)) | x=2,2,2",
        "norm(x, -2, keepdims=True) | x=2,2",
    ),
)
def norm(x: Node, ord: float | str | None = None, axis: Axis = None, keepdims: bool = False) -> Any:
    """Euclidean norm, over all axes or the given ones; or the vector or matrix norm that `ord` names."""
    axes = negative_axes(axis, x.ndim)
    if ord is None or (ord == 2 and len(axes) == 1) or (ord == "fro" and len(axes) == 2):
        return (x,), {"axis": axes, "keepdims": keepdims}
    if len(axes) == 1 and not isinstance(ord, str):
        return _vector_norm(x, ord, axes, keepdims)
    if len(axes) != 2:
        raise _unknown(ord, f"over {len(axes)} ax{'is' if len(axes) == 1 else 'es'}")
    return _matrix_norm(x, ord, axis if isinstance(axis, tuple) else (-2, -1), keepdims)


def _unknown(ord: object, of_what: str) -> GradcalcError:
    helps = ["of a matrix it may be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf; of a vector any number"]
    return GradcalcError("arguments", f"no norm of order {ord!r} {of_what} is known", helps=helps)


def _power_norm_vjp(g: Node, y: Node, x: Node, ord: float, axis: tuple[int, ...], keepdims: bool) -> Cotangents:
    # The quotient is formed first, so that no power over- or underflows; a norm of 0 counts as flat.
    whole = spread(y, x, axis, keepdims)
    ratio = where(equal(whole, 0.0), 0.0, sign(x) * (abs(x) / where(equal(whole, 0.0), 1.0, whole)) ** (ord - 1))
    return (spread(g, x, axis, keepdims) * ratio,)


def _power_norm(x: Any, ord: float, axis: tuple[int, ...], keepdims: bool) -> Any:
    return _scaled(x, axis, keepdims, lambda one: np.sum(np.abs(one) ** ord, axis=axis, keepdims=True) ** (1 / ord))


def _exact_power_norm(m: Any, x: Any, ord: float, axis: tuple[int, ...], keepdims: bool) -> Any:
    p = m.number(ord)
    powers = np.frompyfunc(lambda one: m.power(m.abs(one), p), 1, 1)(x)
    return np.frompyfunc(lambda total: m.power(total, 1 / p), 1, 1)(np.sum(powers, axis=axis, keepdims=keepdims))


@general(
    kernel=_power_norm,
    shape=_shape,
    vjp=_power_norm_vjp,
    exact=_exact_power_norm,
    kink=Kink(at="every element is 0", takes="0"),
    domain=((0.5, 2),),
    examples=(
        "power_norm(x, 3) | x=3",
        "power_norm(x, 1.5, 0) | x=2,3",
        "power_norm(x, -2, (0, 1), True) | x=2,3",
        "power_norm(-x, 4, -1) | x=2,2",
        "power_norm(x, 0.5) | x=3",
    ),
)
def power_norm(x: Node, ord: float, axis: Axis = None, keepdims: bool = False) -> Any:
    """sum(abs(x)**ord)**(1/ord) over all axes or the given ones, without overflow."""
    return (x,), {"ord": float(ord), "axis": negative_axes(axis, x.ndim), "keepdims": keepdims}


def _vector_norm(x: Node, ord: float, axes: tuple[int, ...], keepdims: bool) -> Node:
    if ord == 2:
        return norm(x, None, axes, keepdims)
    sizes = abs(x)
    if ord in (math.inf, -math.inf):
        return (max if ord > 0 else min)(sizes, axes, keepdims)
    if ord == 1:
        return sum(sizes, axes, keepdims)
    if ord == 0:
        return sum(real(not_equal(x, 0.0)), axes, keepdims)
    return power_norm(x, ord, axes, keepdims)


@derived(
    "vector_norm(x) | x=2,3",
    "vector_norm(x, ord=1, axis=0) | x=2,3",
    "vector_norm(x, ord=0) | x=2,3",
    "vector_norm(x, ord=-inf, axis=(0, 1), keepdims=True) | x=2,3",
    "vector_norm(x, ord=3) | x=2,3",
    spellings=("linalg.vector_norm",),
    domain=((0.5, 2),),
)
def vector_norm(x: Node, ord: float = 2, axis: Axis = None, keepdims: bool = False) -> Node:
    """Norm of all elements as one vector, or along the given axes."""
    return _vector_norm(x, ord, negative_axes(axis, x.ndim), keepdims)


@derived(
    "np.linalg.vector_norm(x) | x=2,3",
    "np.linalg.vector_norm(x, axis=1, keepdims=True, ord=1) | x=2,3",
    name="numpy.linalg.vector_norm",
    spellings=("jax.linalg.vector_norm",),
    domain=((0.5, 2),),
)
def numpy_vector_norm(x: Node, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Node:
    """Norm of all elements as one vector, or along the given axes."""
    return vector_norm(x, ord, axis, keepdims)


# matrices ---------------------------------------------------------------------------------------


def _matrix_norm(x: Node, ord: float | str | None, axis: tuple[int, ...], keepdims: bool) -> Node:
    """A norm over two axes, of rows and of columns."""
    if len(axis) != 2:
        raise GradcalcError("arguments", f"a matrix norm is over two axes, got axis={axis}")
    rows, columns = pair = tuple(negative_axis(one, as_matrix(x, "norm").ndim) for one in axis)
    if ord in (None, "fro"):
        return norm(x, None, pair, keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        sums = sum(abs(x), rows if ord in (1, -1) else columns, True)
        return (max if ord > 0 else min)(sums, pair, keepdims)
    if ord not in (2, -2, "nuc"):
        raise _unknown(ord, "of a matrix")
    matrices = moveaxis(x, pair, (-2, -1)) if pair != (-2, -1) else x
    if ord == "nuc":
        found: Node = nuclear_norm(matrices)
    else:
        found = (max if ord == 2 else min)(svdvals(matrices), -1)
    return expand_dims(found, tuple(one + x.ndim for one in pair)) if keepdims else found


@derived(
    "matrix_norm(x) | x=2,3",
    "matrix_norm(x, ord=2) | x=2,2,3",
    "matrix_norm(x, ord='nuc', keepdims=True) | x=2,2",
    "matrix_norm(x, keepdims=True, ord=1) | x=2,3,2",
    name="matrix_norm",
)
def matrix_norm(x: Node, keepdims: bool = False, ord: float | str | None = "fro") -> Node:
    """Norm of the matrices over the last two axes."""
    return _matrix_norm(x, ord, (-2, -1), keepdims)


@derived(
    "torch.linalg.matrix_norm(x) | x=2,3",
    "torch.linalg.matrix_norm(x, 2, dim=(0, 2)) | x=2,2,2",
    "torch.linalg.matrix_norm(x, ord=-inf, keepdim=True) | x=2,3",
    "torch.linalg.matrix_norm(x, 'nuc', (0, -1), True) | x=2,2,2",
    name="torch.linalg.matrix_norm",
)
def torch_matrix_norm(
    A: Node,
    ord: float | str = "fro",
    dim: tuple[int, ...] = (-2, -1),
    keepdim: bool = False,
) -> Node:
    """Norm over two axes, of rows and of columns: the last two unless told otherwise."""
    return _matrix_norm(A, ord, dim, keepdim)


@derived(
    "cond(A) | A=2,2",
    "cond(A) | A=3,2",
    "cond(A, -2) | A=2,2",
    "cond(A, 1) | A=2,2",
    "cond(A, 'fro') | A=2,2",
    "cond(A, 'nuc') | A=2,2,2",
    "cond(A, p=inf) | A=2,2,2",
)
def cond(x: Node, p: float | str | None = None) -> Node:
    """Condition number: the norm of a matrix times that of its inverse; the Euclidean one if p is left out."""
    if p in (None, 2, -2):
        values = svdvals(as_matrix(x, "cond"))
        largest, least = max(values, -1), min(values, -1)
        return least / largest if p == -2 else largest / least
    return _matrix_norm(square_matrix(x, "cond"), p, (-2, -1), False) * _matrix_norm(inv(x), p, (-2, -1), False)
