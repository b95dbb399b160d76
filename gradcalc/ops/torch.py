"""Functions that PyTorch means differently from NumPy under the same name."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..errors import GradcalcError
from ..graph import Node, as_node
from . import norms, reduce, shape
from .arithmetic import maximum, minimum
from .joining import tile
from .kinds import Axis, Lengths, derived, negative_axis


@derived("torch.var(x) | x=3", "torch.var(x, dim=1, unbiased=False) | x=2,3", name="torch.var")
def var(
    input: Node, dim: Axis = None, unbiased: bool | None = None, keepdim: bool = False, correction: float = 1
) -> Node:
    """Variance divided by n - 1, unless `correction` or `unbiased` says otherwise."""
    return reduce.var(input, dim, _correction(unbiased, correction), keepdim)


@derived("torch.std(x) | x=3", "torch.std(x, dim=1, correction=0) | x=2,3", name="torch.std")
def std(
    input: Node, dim: Axis = None, unbiased: bool | None = None, keepdim: bool = False, correction: float = 1
) -> Node:
    """Standard deviation with n - 1, unless `correction` or `unbiased` says otherwise."""
    return reduce.std(input, dim, _correction(unbiased, correction), keepdim)


def _correction(unbiased: bool | None, correction: float) -> float:
    return correction if unbiased is None else float(unbiased)


class Extreme(NamedTuple):
    """Largest or smallest elements along an axis, and their places."""

    values: Node
    indices: Node


@derived("torch.max(x) | x=3", "torch.max(x, dim=1)[0] | x=2,3", "torch.max(x, y) | x=3 y=3", name="torch.max")
def max(input: Node, dim: Node | None = None, keepdim: bool = False) -> Node | Extreme:
    """The largest element; along an axis, largest elements and their places; of two arrays, the larger."""
    if dim is None:
        return reduce.max(input)
    if not _is_axis(dim):
        return maximum(input, dim)
    axis = _axis(dim, input)
    return Extreme(reduce.max(input, axis, keepdim), reduce.argmax(input, axis, keepdim))


@derived("torch.min(x) | x=3", "torch.min(x, dim=1)[0] | x=2,3", "torch.min(x, y) | x=3 y=3", name="torch.min")
def min(input: Node, dim: Node | None = None, keepdim: bool = False) -> Node | Extreme:
    """The smallest element; along an axis, smallest elements and their places; of two arrays, the smaller."""
    if dim is None:
        return reduce.min(input)
    if not _is_axis(dim):
        return minimum(input, dim)
    axis = _axis(dim, input)
    return Extreme(reduce.min(input, axis, keepdim), reduce.argmin(input, axis, keepdim))


def _is_axis(dim: Node) -> bool:
    return not dim.inputs and dim.ndim == 0 and "value" in dim.attrs


def _axis(dim: Node, x: Node) -> int:
    return negative_axis(int(as_node(dim).attrs["value"].data), x.ndim, "dim")


@derived(
    "torch.norm(x) | x=2,3",
    "torch.norm(x, p=1) | x=3",
    "torch.norm(x, dim=1) | x=2,3",
    name="torch.norm",
)
def norm(input: Node, p: float | str = "fro", dim: Axis = None, keepdim: bool = False) -> Node:
    """Norm of all elements as one vector, or along the given axes."""
    if p in ("fro", 2):
        return norms.norm(input, None, dim, keepdim)
    if p == "nuc":
        return norms.torch_matrix_norm(input, p, dim if isinstance(dim, tuple) else (-2, -1), keepdim)
    if isinstance(p, str):
        raise GradcalcError(
            "arguments", f"no norm of order {p!r} is known here", helps=["`p` may be a number, 'fro' or 'nuc'"]
        )
    return norms.vector_norm(input, p, dim, keepdim)


@derived("torch.transpose(x, 0, 1) | x=2,3", name="torch.transpose")
def transpose(input: Node, dim0: int, dim1: int) -> Node:
    """The array with two axes exchanged."""
    return shape.swapaxes(input, dim0, dim1)


@derived("torch.flatten(x) | x=2,3", "torch.flatten(x, 1) | x=2,3,2", name="torch.flatten")
def flatten(input: Node, start_dim: int = 0, end_dim: int = -1) -> Node:
    """The array with the axes from the first to the last given made one."""
    first, last = (negative_axis(dim, input.ndim, "dim") + input.ndim for dim in (start_dim, end_dim))
    middle = math.prod(input.shape[first : last + 1])
    return shape.reshape(input, (*input.shape[:first], middle, *input.shape[last + 1 :]))


@derived("torch.repeat(x, (2, 3)) | x=2", name="torch.repeat")
def repeat(input: Node, repeats: Lengths) -> Node:
    """The array repeated as a whole, along each axis as often as told."""
    return tile(input, repeats)


@derived("torch.softmax(x, 0) | x=2,3", name="torch.softmax")
def softmax(input: Node, dim: int) -> Node:
    """exp(x)/sum(exp(x)) along an axis, which must be named."""
    return reduce.softmax(input, dim)


@derived("torch.log_softmax(x, 0) | x=2,3", name="torch.log_softmax")
def log_softmax(input: Node, dim: int) -> Node:
    """log(softmax(x)) along an axis, which must be named."""
    return reduce.log_softmax(input, dim)
