"""Averages with weights, covariances and correlations."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import GradcalcError
from ..graph import Node, as_node
from . import reduce
from .joining import at_least, concatenate
from .kinds import Axis, broadcast_to, derived, negative_axes, negative_axis, reshape, with_shape
from .linalg import matmul
from .norms import norm
from .reduce import mean, sum
from .shape import swapaxes, transpose


class Average(NamedTuple):
    """A weighted mean, and the sum of the weights."""

    average: Node
    sum_of_weights: Node


@derived(
    "average(x) | x=2,3",
    "average(x, axis=1, weights=y**2 + 1) | x=2,3 y=3",
    "average(x, weights=y**2 + 1, keepdims=True) | x=2,2 y=2,2",
    "average(x, 0, [1, 2], True)[1] | x=2,3",
    "average(x, axis=(0, 2), weights=[[1, 2], [3, 4]]) | x=2,3,2",
    domain=((0.5, 2),),
)
def average(
    x: Node, axis: Axis = None, weights: Node | None = None, returned: bool = False, keepdims: bool = False
) -> Node | Average:
    """Mean of elements by weights, over all axes or the given ones; with `returned`, the sum of the weights too."""
    if weights is None:
        middle = mean(x, axis, keepdims)
        count = reduce.counted(x, axis, keepdims, None)
        total = broadcast_to(as_node(count), middle.shape)
    else:
        each = broadcast_to(_weights(weights, x, axis), x.shape)
        total = sum(each, axis, keepdims)
        middle = sum(x * each, axis, keepdims) / total
    return Average(middle, total) if returned else middle


def _weights(weights: Node, x: Node, axis: Axis) -> Node:
    """Weights for the whole array, or for the given axes, so that they meet the array."""
    if weights.shape == x.shape:
        return weights
    given = None if axis is None else (axis,) if isinstance(axis, int) else axis
    if given is None or weights.shape != tuple(x.shape[one] for one in given):
        raise GradcalcError(
            "shape",
            f"weights of shape {weights.shape} do not fit an array of shape {x.shape} over axis={axis}",
            operands=[with_shape(weights), with_shape(x)],
        )
    places = [negative_axis(one, x.ndim) for one in given]
    order = sorted(range(len(places)), key=lambda i: places[i])
    sorted_weights = transpose(weights, tuple(order)) if len(order) > 1 else weights
    axes = negative_axes(axis, x.ndim)
    return reshape(sorted_weights, tuple(n if i - x.ndim in axes else 1 for i, n in enumerate(x.shape)))


# covariance -------------------------------------------------------------------------------------


def _variables(x: Node, y: Node | None, rowvar: bool, what: str) -> Node:
    """One row for each variable, from one array or two."""
    rows = []
    for one in (x, y):
        if one is None:
            continue
        if one.ndim > 2:
            message = f"`{what}` needs a vector or a matrix, got shape {one.shape}"
            raise GradcalcError("shape", message, operands=[with_shape(one)])
        matrix = at_least(one, 2)
        rows.append(swapaxes(matrix, 0, 1) if not rowvar and one.ndim == 2 else matrix)
    return concatenate(rows, 0) if len(rows) > 1 else rows[0]


def _squeezed(matrix: Node) -> Node:
    """One variable's variance as a number."""
    return reshape(matrix, ()) if matrix.shape == (1, 1) else matrix


def _covariance(rows: Node, ddof: float, fweights: Node | None, aweights: Node | None) -> Node:
    both = [one for one in (fweights, aweights) if one is not None]
    if any(one.shape != rows.shape[1:] for one in both):
        raise GradcalcError("shape", f"`cov` needs {rows.shape[1]} weights, one for each observation")
    if not both:
        away = rows - mean(rows, 1, True)
        return _squeezed(matmul(away, swapaxes(away, 0, 1)) / max(rows.shape[1] - ddof, 0))
    weights = both[0] if len(both) == 1 else both[0] * both[1]
    total: Node = sum(weights)
    away = rows - sum(rows * weights, 1, True) / total
    count = total - ddof if aweights is None else total - ddof * sum(weights * aweights) / total
    if ddof == 0:
        count = total
    return _squeezed(matmul(away, swapaxes(away * weights, 0, 1)) / count)


@derived(
    "cov(x) | x=2,3",
    "cov(x) | x=4",
    "cov(x, y, ddof=0) | x=3 y=3",
    "cov(x, rowvar=False, bias=True) | x=3,2",
    "cov(x, aweights=y**2 + 1) | x=2,3 y=3",
    "cov(x, fweights=[1, 2, 1], aweights=[1, 2, 3], ddof=1) | x=2,3",
)
def cov(
    x: Node,
    y: Node | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights: Node | None = None,
    aweights: Node | None = None,
) -> Node:
    """Covariances of the variables in the rows; of one variable, its variance."""
    off = (0 if bias else 1) if ddof is None else ddof
    return _covariance(_variables(x, y, rowvar, "cov"), off, fweights, aweights)


@derived(
    "torch.cov(x) | x=2,3",
    "torch.cov(x, correction=0) | x=4",
    "torch.cov(x, fweights=[1, 2, 1], aweights=y**2 + 1) | x=2,3 y=3",
    name="torch.cov",
)
def torch_cov(input: Node, correction: float = 1, fweights: Node | None = None, aweights: Node | None = None) -> Node:
    """Covariances of the variables in the rows; of one variable, its variance."""
    return _covariance(_variables(input, None, True, "cov"), correction, fweights, aweights)


@derived("corrcoef(x) | x=2,3", "corrcoef(x, y) | x=3 y=3", "corrcoef(x, rowvar=False) | x=3,2", "corrcoef(x) | x=4")
def corrcoef(x: Node, y: Node | None = None, rowvar: bool = True) -> Node:
    """Correlations of the variables in the rows; of one variable, 1."""
    rows = _variables(x, y, rowvar, "corrcoef")
    away = rows - mean(rows, 1, True)
    unit = away / norm(away, None, 1, True)
    return _squeezed(matmul(unit, swapaxes(unit, 0, 1)))
