"""Layers of networks: weighted sums, tables looked up, and dropout that drops nothing or everything."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, constant
from . import reduce
from .arithmetic import where
from .indexing import add_gather, gather, get, segment
from .joining import stack
from .kinds import (
    Known,
    broadcast_to,
    derived,
    known_places,
    negative_axis,
    reshape,
    with_shape,
    zeros,
)
from .linalg import einsum
from .making import eye
from .shape import expand_dims, moveaxis, swapaxes
from .views import stop_gradient


def _refused_shape(what: str, x: Node, why: str) -> GradcalcError:
    return GradcalcError("shape", f"`{what}` {why}, got shape {x.shape}", operands=[with_shape(x)])


# weighted sums ------------------------------------------------------------------------------------


@derived(
    "linear(x, W) | x=2,3 W=2,3",
    "linear(x, W, b) | x=3 W=2,3 b=2",
    "linear(x, W, b) | x=2,2,3 W=2,3 b=2",
    "linear(x, w, b) | x=2,3 w=3 b=",
    name="linear",
)
def linear_layer(input: Node, weight: Node, bias: Node | None = None) -> Node:
    """x @ weight.T + bias: weight has a row for each output."""
    if not 1 <= weight.ndim <= 2 or input.ndim == 0:
        raise _refused_shape("linear", weight if input.ndim else input, "needs axes, and a matrix as weight")
    made = input @ (swapaxes(weight, 0, 1) if weight.ndim == 2 else weight)
    return made if bias is None else made + bias


@derived(
    "bilinear(x, y, W) | x=2,2 y=2,3 W=2,2,3",
    "bilinear(x, y, W, b) | x=2 y=3 W=2,2,3 b=2",
)
def bilinear(input1: Node, input2: Node, weight: Node, bias: Node | None = None) -> Node:
    """x @ weight[k] @ y + bias[k] for each k."""
    if weight.ndim != 3:
        raise _refused_shape("bilinear", weight, "needs a weight with three axes")
    made = einsum("...i,kij,...j->...k", input1, weight, input2)
    return made if bias is None else made + bias


# tables -------------------------------------------------------------------------------------------


@derived(
    "embedding([0, 2, 0], W) | W=3,2",
    "embedding([[0, 1], [1, 1]], W) | W=2,2",
    "embedding(1, W, padding_idx=0) | W=3,2",
    "embedding([0, 1], W, padding_idx=-1) | W=3,2",
    spellings=("F.embedding",),
)
def embedding(
    input: Known,
    weight: Node,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Node:
    """Rows of a table; the row at `padding_idx` counts as constant for derivatives."""
    _check_table("embedding", weight, max_norm, scale_grad_by_freq)
    if padding_idx is not None:
        row = negative_axis(padding_idx, weight.shape[0], "padding_idx") % weight.shape[0]
        padded = constant(np.arange(weight.shape[0]).reshape(-1, 1) == row)
        weight = where(padded, stop_gradient(weight), weight)
    return get(weight, (known_places(input, weight.shape[0], "embedding"),), lambda _: input.numbers)


@derived(
    "torch.embedding(W, [0, 2, 0]) | W=3,2",
    "torch.embedding(W, [0, 1], 2) | W=3,2",
    name="torch.embedding",
)
def embedding_of(
    weight: Node, indices: Known, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Node:
    """Rows of a table; a row at a `padding_idx` that is not negative counts as constant for derivatives."""
    return embedding(
        indices, weight, padding_idx if padding_idx >= 0 else None, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse
    )


def _check_table(what: str, weight: Node, max_norm: float | None, by_frequency: bool) -> None:
    if weight.ndim != 2:
        raise _refused_shape(what, weight, "needs a matrix as weight")
    if max_norm is not None:
        raise GradcalcError(
            "arguments",
            f"`max_norm` of `{what}` changes the weight in place",
            helps=["scale it first: `renorm(W, 2, 0, 1.0)`"],
        )
    if by_frequency:
        message = f"`scale_grad_by_freq` of `{what}` asks for something other than the derivative"
        raise GradcalcError("arguments", message, helps=["leave it out"])


@derived(
    "embedding_bag([0, 2, 0], W, [0, 1]) | W=3,2",
    "embedding_bag([[0, 1], [1, 1]], W, mode='sum') | W=2,2",
    "embedding_bag([[0, 1], [1, 1]], W, mode='sum', per_sample_weights=p) | W=2,2 p=2,2",
    "embedding_bag([0, 2, 1], W, [0, 1, 1], mode='max') | W=3,2",
    "embedding_bag([0, 2, 1], W, [0, 2, 3], mode='sum', include_last_offset=True) | W=3,2",
    "embedding_bag([0, 2, 1], W, [0, 2], padding_idx=2) | W=3,2",
    spellings=("F.embedding_bag",),
)
def embedding_bag(
    input: Known,
    weight: Node,
    offsets: tuple[int, ...] | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Node | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Node:
    """Sums, means or largest elements of rows of a table, a bag for each offset, or for each row of a matrix."""
    _check_table("embedding_bag", weight, max_norm, scale_grad_by_freq)
    if mode not in ("sum", "mean", "max"):
        raise GradcalcError("arguments", f"`mode` of `embedding_bag` may be 'sum', 'mean' or 'max', not {mode!r}")
    if per_sample_weights is not None and mode != "sum":
        raise GradcalcError("arguments", "`embedding_bag` takes `per_sample_weights` with mode='sum' only")
    places = known_places(input, weight.shape[0], "embedding_bag")
    starts = _bag_starts(places, offsets, include_last_offset)
    row = None if padding_idx is None else negative_axis(padding_idx, weight.shape[0], "padding_idx") % weight.shape[0]
    counted = [i for i, place in enumerate(input.numbers.flat) if place != row]
    bags = np.searchsorted(starts, counted, "right") - 1
    order = np.array(counted, np.float64)
    rows = gather(weight, (constant(input.numbers.reshape(-1)[counted]),), 1)
    if per_sample_weights is not None:
        if per_sample_weights.shape != places.shape:
            raise _refused_shape("embedding_bag", per_sample_weights, "needs a weight for each index")
        rows = expand_dims(gather(reshape(per_sample_weights, (places.size,)), (constant(order),)), -1) * rows
    if mode == "max":
        return _largest_of_bags(rows, bags, len(starts))
    total = add_gather(zeros((len(starts), weight.shape[1])), rows, (constant(bags.astype(np.float64)),), 1)
    if mode == "sum":
        return total
    return total / constant(np.maximum(np.bincount(bags, minlength=len(starts)), 1).reshape(-1, 1))


def _bag_starts(places: Node, offsets: tuple[int, ...] | None, has_end: bool) -> Any:
    """Where each bag begins among all indices."""
    if places.ndim == 2 and offsets is None:
        return np.arange(places.shape[0]) * places.shape[1]
    if places.ndim != 1 or offsets is None:
        why = "needs a vector of indices with offsets, or a matrix without"
        raise _refused_shape("embedding_bag", places, why)
    starts = np.array(offsets[:-1] if has_end else offsets)
    if not offsets or offsets[0] != 0 or offsets[-1] > places.size or np.any(np.diff(offsets) < 0):
        raise GradcalcError("arguments", f"`offsets` must rise from 0 to {places.size} at most, got {offsets}")
    return starts


def _largest_of_bags(rows: Node, bags: Any, count: int) -> Node:
    """The largest of each bag's rows; of an empty bag 0."""
    ends = np.searchsorted(bags, np.arange(count + 1)).tolist()
    width = rows.shape[1:]
    return stack(
        [
            reduce.max(segment(rows, -2, start, stop), 0) if stop > start else zeros(width)
            for start, stop in pairwise(ends)
        ]
    )


class Bags(NamedTuple):
    """What the bags add up to; PyTorch's other three results are its own bookkeeping."""

    output: Node


@derived(
    "torch.embedding_bag(W, [0, 2, 0], [0, 1])[0] | W=3,2",
    "torch.embedding_bag(W, [0, 2, 0], [0, 1], mode=1)[0] | W=3,2",
    name="torch.embedding_bag",
)
def embedding_bag_of(
    weight: Node,
    indices: Known,
    offsets: tuple[int, ...],
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Node | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Bags:
    """Sums (mode 0), means (1) or largest elements (2) of rows of a table, as the first of a tuple."""
    if mode not in (0, 1, 2):
        raise GradcalcError("arguments", f"`mode` of `torch.embedding_bag` may be 0, 1 or 2, not {mode}")
    made = embedding_bag(
        indices,
        weight,
        offsets,
        scale_grad_by_freq=scale_grad_by_freq,
        mode=("sum", "mean", "max")[mode],
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
    return Bags(made)


@derived(
    "x * one_hot([0, 2, 0], 3) | x=3",
    "x * one_hot([[0, 1], [2, 1]]) | x=3",
    "x * one_hot(1, num_classes=3) | x=3",
)
def one_hot(tensor: Known, num_classes: int = -1) -> Node:
    """A row of zeros with a 1 at the class, for each class; without `num_classes`, up to the largest class given."""
    if num_classes == -1:
        if tensor.numbers.size == 0:
            raise GradcalcError("empty", "`one_hot` of no classes cannot tell how many there are")
        num_classes = int(np.max(tensor.numbers)) + 1
    known_places(tensor, num_classes, "one_hot")
    return _indicators(tensor, num_classes)


def _indicators(classes: Known, count: int) -> Node:
    """Rows of the identity: a comparison with each class would look like a kink at every class."""
    return get(eye(count), (classes.node,), lambda _: classes.numbers)


@derived(
    "x * jax.one_hot([0, 2, 5, -1], 3) | x=3",
    "x * jax.one_hot([[0, 2], [1, 1]], 3, axis=0) | x=2",
    name="jax.one_hot",
)
def jax_one_hot(x: Known, num_classes: int, axis: int = -1) -> Node:
    """A new axis of zeros with a 1 at the class, for each class; all zeros where there is no such class."""
    place = negative_axis(axis, x.node.ndim + 1)
    inside = (x.numbers == np.floor(x.numbers)) & (x.numbers >= 0) & (x.numbers < num_classes)
    if not np.all(inside):
        found = (x.numbers[..., None] == np.arange(num_classes)).astype(np.float64)
        return moveaxis(constant(found), -1, place)
    return moveaxis(_indicators(x, num_classes), -1, place)


# dropout ------------------------------------------------------------------------------------------


def _dropped(x: Node, p: float, training: bool, name: str) -> Node:
    if not 0 <= p <= 1:
        raise GradcalcError("arguments", f"the probability of `{name}` must be between 0 and 1, got {p:g}")
    if not training or p == 0:
        return x
    if p == 1:
        return 0.0 * x
    raise GradcalcError(
        "random",
        f"`{name}` in training draws random numbers",
        helps=[
            "switch it off: `training=False`",
            f"or draw the mask yourself and multiply: `x * mask / (1 - {p:g})`",
        ],
    )


@derived(
    "dropout(x, 0.5, False) | x=2,3",
    "dropout(x, p=0) | x=3",
    "dropout(x, 1.0) | x=3",
    spellings=("F.dropout",),
)
def dropout(input: Node, p: float = 0.5, training: bool = True, inplace: bool = False) -> Node:
    """The array itself where `training` is False or p is 0; otherwise refused, for it is random."""
    return _dropped(input, p, training, "dropout")


@derived("torch.dropout(x, 0.5, False) | x=2,3", "torch.dropout(x, 0.0, True) | x=3", name="torch.dropout")
def dropout_of(input: Node, p: float, train: bool) -> Node:
    """The array itself where `train` is False or p is 0; otherwise refused, for it is random."""
    return _dropped(input, p, train, "dropout")


@derived(
    "dropout2d(x, training=False) | x=1,2,2,1",
    "dropout1d(x, 0, True) | x=1,2,2",
    spellings=("dropout1d", "dropout3d"),
)
def dropout2d(input: Node, p: float = 0.5, training: bool = True, inplace: bool = False) -> Node:
    """The array itself where `training` is False or p is 0; otherwise refused, for it is random."""
    return _dropped(input, p, training, "dropout2d")


@derived(
    "alpha_dropout(x) | x=2,3",
    "alpha_dropout(x, 1, True) | x=2,3",
    spellings=("feature_alpha_dropout", "F.alpha_dropout", "F.feature_alpha_dropout"),
)
def alpha_dropout(input: Node, p: float = 0.5, training: bool = False, inplace: bool = False) -> Node:
    """The array itself where `training` is False or p is 0; otherwise refused, for it is random."""
    return _dropped(input, p, training, "alpha_dropout")


@derived(
    "torch.alpha_dropout(x, 0.5, False) | x=2,3",
    name="torch.alpha_dropout",
    spellings=("torch.feature_alpha_dropout", "torch.feature_dropout"),
)
def alpha_dropout_of(input: Node, p: float, train: bool) -> Node:
    """The array itself where `train` is False or p is 0; otherwise refused, for it is random."""
    return _dropped(input, p, train, "dropout")


class Dropped(NamedTuple):
    """What is left, and where."""

    output: Node
    mask: Node


@derived("torch.native_dropout(x, 0.5, False)[0] | x=2,3", name="torch.native_dropout")
def native_dropout(input: Node, p: float, train: bool | None) -> Dropped:
    """The array itself and where it is kept, which is everywhere unless it is random."""
    made = _dropped(input, p, train is not False, "native_dropout")
    return Dropped(made, broadcast_to(constant(made is input), input.shape))
