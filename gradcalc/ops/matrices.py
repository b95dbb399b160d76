"""What the functions of matrices share: they act on the last two axes, over any leading ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, constant
from .indexing import segment
from .kinds import broadcast_to, with_shape
from .shape import expand_dims, swapaxes

EPS = float(np.finfo(np.float64).eps)


def square_matrix(x: Node, what: str) -> Node:
    """The node itself, if its last two axes are equally long."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise GradcalcError("shape", f"`{what}` needs a square matrix, got shape {x.shape}", operands=[with_shape(x)])
    return x


def one_square(x: Node, what: str) -> Any:
    """The arguments of an operation on square matrices."""
    return (square_matrix(x, what),), {}


def leading_shape(a: Shape, b: Shape) -> Shape | None:
    """The common leading axes of two operands; None where they do not pair up."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


def transposed(x: Node) -> Node:
    """The matrices transposed."""
    return swapaxes(x, -1, -2)


def each(x: Node) -> Node:
    """One number a matrix, lined up with the matrices."""
    return expand_dims(x, (-2, -1))


def symmetric(x: Node) -> Node:
    """The mean of a matrix and its transpose."""
    return 0.5 * (x + transposed(x))


def mean_of_halves(x: Any) -> Any:
    """The same of an array."""
    return (x + np.swapaxes(x, -1, -2)) / 2


def identity(shape: Shape) -> Node:
    """Matrices of a shape with ones on the diagonal."""
    return broadcast_to(constant(np.eye(shape[-2], shape[-1])), shape)


def first(x: Node, axis: int, count: int) -> Node:
    """The first places of an axis; all of them where it has no more."""
    return x if x.shape[axis] == count else segment(x, axis, 0, count)


def no_errors(x: Node) -> Node:
    """What PyTorch's `…_ex` functions say of success: a zero for each matrix; failure is an error here."""
    return broadcast_to(constant(0.0), x.shape[:-2])


def matrixwise(function: Any, x: Any, ndim: int) -> Any:
    """Apply a function of one object matrix over leading axes; its value has `ndim` axes."""
    x = np.asarray(x, object)
    if x.ndim == 2:
        return function(x)
    values = [matrixwise(function, part, ndim) for part in x]
    out = np.empty((len(values), *np.shape(values[0])), object)
    for i, value in enumerate(values):
        out[i] = value
    return out
