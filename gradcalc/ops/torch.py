"""Functions that PyTorch means differently from NumPy under the same name."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..errors import GradcalcError
from ..graph import Kink, Node, as_node
from . import counting, norms, reduce, shape
from .arithmetic import maximum, minimum
from .joining import tile
from .kinds import Axis, Lengths, derived, negative_axis

_EQUAL = Kink(at="all elements are equal", takes="0")


@derived(
    "torch.var(x) | x=3",
    "torch.var(x, dim=1, unbiased=False) | x=2,3",
    "torch.var(x, False) | x=2,2",
    "torch.var(x, [0, 1], correction=2, keepdim=True) | x=2,3",
    name="torch.var",
)
def var(
    input: Node, dim: Axis | bool = None, unbiased: bool | None = None, keepdim: bool = False, correction: float = 1
) -> Node:
    """Variance divided by n - 1, unless `correction` or `unbiased` says otherwise."""
    axis, ddof = _spread_of(dim, unbiased, correction)
    return reduce.var(input, axis, ddof, keepdim)


@derived(
    "torch.std(x) | x=3",
    "torch.std(x, dim=1, correction=0) | x=2,3",
    "torch.std(x, False) | x=2,2",
    name="torch.std",
    kink=_EQUAL,
)
def std(
    input: Node, dim: Axis | bool = None, unbiased: bool | None = None, keepdim: bool = False, correction: float = 1
) -> Node:
    """Standard deviation with n - 1, unless `correction` or `unbiased` says otherwise."""
    axis, ddof = _spread_of(dim, unbiased, correction)
    return reduce.std(input, axis, ddof, keepdim)


def _spread_of(dim: Axis | bool, unbiased: bool | None, correction: float) -> tuple[Axis, float]:
    """The axes, and what is taken off the count: `unbiased` may stand in the place of the axes."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return dim, correction if unbiased is None else float(unbiased)


@derived(
    "torch.var_mean(x)[0] | x=3",
    "torch.var_mean(x, dim=1, unbiased=False)[1] | x=2,3",
    "torch.var_mean(x, 1, correction=2, keepdim=True)[0] | x=2,4",
    name="torch.var_mean",
)
def var_mean(
    input: Node, dim: Axis | bool = None, unbiased: bool | None = None, keepdim: bool = False, correction: float = 1
) -> tuple[Node, Node]:
    """Variance and mean."""
    axis, ddof = _spread_of(dim, unbiased, correction)
    return reduce.var(input, axis, ddof, keepdim), reduce.mean(input, axis, keepdim)


@derived(
    "torch.std_mean(x)[0] | x=3",
    "torch.std_mean(x, dim=1, unbiased=False)[1] | x=2,3",
    "torch.std_mean(x, 1, correction=2, keepdim=True)[0] | x=2,4",
    name="torch.std_mean",
    kink=_EQUAL,
)
def std_mean(
    input: Node, dim: Axis | bool = None, unbiased: bool | None = None, keepdim: bool = False, correction: float = 1
) -> tuple[Node, Node]:
    """Standard deviation and mean."""
    axis, ddof = _spread_of(dim, unbiased, correction)
    return reduce.std(input, axis, ddof, keepdim), reduce.mean(input, axis, keepdim)


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


class Range(NamedTuple):
    """Smallest and largest elements."""

    min: Node
    max: Node


@derived("torch.aminmax(x)[0] | x=2,3", "torch.aminmax(x, dim=1, keepdim=True).max | x=2,3", name="torch.aminmax")
def aminmax(input: Node, dim: int | None = None, keepdim: bool = False) -> Range:
    """The smallest and the largest element, of all or along an axis."""
    return Range(reduce.min(input, dim, keepdim), reduce.max(input, dim, keepdim))


@derived("torch.logsumexp(x, 0) | x=2,3", "torch.logsumexp(x, (0, 1), True) | x=2,3", name="torch.logsumexp")
def logsumexp(input: Node, dim: int | tuple[int, ...], keepdim: bool = False) -> Node:
    """log(sum(exp(x))) along axes, which must be named."""
    total: Node = reduce.logsumexp(input, dim, keepdim)
    return total


def _is_axis(dim: Node) -> bool:
    return not dim.inputs and dim.ndim == 0 and "value" in dim.attrs


def _axis(dim: Node, x: Node) -> int:
    return negative_axis(int(as_node(dim).attrs["value"].data), x.ndim, "dim")


@derived(
    "torch.norm(x) | x=2,3",
    "torch.norm(x, p=1) | x=3",
    "torch.norm(x, dim=1) | x=2,3",
    "torch.norm(x, 3, (0, 1), True) | x=2,3",
    "torch.norm(x, inf, 0) | x=2,3",
    "torch.norm(x, p=0, dim=1) | x=2,3",
    name="torch.norm",
    domain=((0.5, 2),),
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
    if p == 0:
        return counting.count_nonzero(input, dim, keepdim)
    return norms.vector_norm(input, p, dim, keepdim)


@derived("torch.transpose(x, 0, 1) | x=2,3", name="torch.transpose")
def transpose(input: Node, dim0: int, dim1: int) -> Node:
    """The array with two axes exchanged."""
    return shape.swapaxes(input, dim0, dim1)


@derived("torch.flatten(x) | x=2,3", "torch.flatten(x, 1) | x=2,3,2", name="torch.flatten")
def flatten(input: Node, start_dim: int = 0, end_dim: int = -1) -> Node:
    """The array with the axes from the first to the last given made one."""
    if input.ndim == 0:
        return shape.reshape(input, (1,))
    first, last = (negative_axis(dim, input.ndim, "dim") + input.ndim for dim in (start_dim, end_dim))
    middle = math.prod(input.shape[first : last + 1])
    return shape.reshape(input, (*input.shape[:first], middle, *input.shape[last + 1 :]))


@derived("torch.repeat(x, (2, 3)) | x=2", name="torch.repeat")
def repeat(input: Node, repeats: Lengths) -> Node:
    """The array repeated as a whole, along each axis as often as told."""
    if input.ndim > (1 if isinstance(repeats, int) else len(repeats)):
        raise GradcalcError("arguments", f"repeats {repeats} must be given for each axis of shape {input.shape}")
    return tile(input, repeats)


@derived("torch.softmax(x, 0) | x=2,3", name="torch.softmax")
def softmax(input: Node, dim: int) -> Node:
    """exp(x)/sum(exp(x)) along an axis, which must be named."""
    return reduce.softmax(input, dim)


@derived("torch.log_softmax(x, 0) | x=2,3", name="torch.log_softmax")
def log_softmax(input: Node, dim: int) -> Node:
    """log(softmax(x)) along an axis, which must be named."""
    return reduce.log_softmax(input, dim)
