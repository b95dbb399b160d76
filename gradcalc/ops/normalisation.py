"""Normalisation layers: an array less its mean, divided by its spread, over the axes that each layer is named for."""

from __future__ import annotations

import sys
from math import prod
from typing import NamedTuple

from ..errors import GradcalcError
from ..graph import Node, Shape
from .elementwise import sqrt
from .indexing import segment
from .joining import concatenate
from .kinds import derived, reshape, with_shape, zeros
from .reduce import mean, var
from .views import stop_gradient


def _refused(what: str, x: Node, why: str) -> GradcalcError:
    return GradcalcError("shape", f"`{what}` {why}, got shape {x.shape}", operands=[with_shape(x)])


def _scaled(x: Node, weight: Node | None, bias: Node | None) -> Node:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _last_axes(input: Node, shape: int | Shape, what: str, *scales: Node | None) -> tuple[int, ...]:
    """The axes that a layer normalises over: as many as the shape has, which must be the array's last lengths."""
    if isinstance(shape, int):
        helps = [f"write it as one: `({shape},)`"]
        raise GradcalcError("arguments", f"`normalized_shape` of `{what}` must be a tuple, got {shape}", helps=helps)
    if not shape or input.shape[-len(shape) :] != shape:
        raise _refused(what, input, f"over shape {shape} needs an array that ends with it")
    for one in scales:
        if one is not None and one.shape != shape:
            raise _refused(what, one, f"needs weights of shape {shape}")
    return tuple(range(-len(shape), 0))


def _channels(x: Node | None, input: Node, what: str) -> Node | None:
    """One number a channel, lined up with the channels: axis 1."""
    if x is None:
        return None
    if x.shape != (input.shape[1],):
        raise _refused(what, x, f"needs a number for each of {input.shape[1]} channels")
    return reshape(x, (input.shape[1],) + (1,) * (input.ndim - 2))


# over the last axes -------------------------------------------------------------------------------


@derived(
    "layer_norm(x, (3,)) | x=2,3",
    "layer_norm(x, [2, 3], W, B) | x=2,2,3 W=2,3 B=2,3",
    "layer_norm(x, (3,), w, b, 0.5) | x=2,3 w=3 b=3",
    "layer_norm(x, (3,), eps=s**2) | x=2,3 s=",
)
def layer_norm(
    input: Node,
    normalized_shape: int | tuple[int, ...],
    weight: Node | None = None,
    bias: Node | None = None,
    eps: Node | float = 1e-5,
    cudnn_enable: bool = True,
) -> Node:
    """(x - mean)/sqrt(variance + eps) over the last axes, times weight, plus bias."""
    return native_layer_norm(input, normalized_shape, weight, bias, eps).output


class Normalised(NamedTuple):
    """A normalised array, and the mean and the inverse spread that made it so.

    PyTorch keeps these two for its own backward pass: they count as constants there, and so here.
    """

    output: Node
    mean: Node
    rstd: Node


@derived(
    "native_layer_norm(x, (3,), w, None, 0.1)[0] | x=2,3 w=3",
    "native_layer_norm(x, (3,), None, None, 0.1)[0] | x=2,3",
)
def native_layer_norm(
    input: Node, normalized_shape: int | tuple[int, ...], weight: Node | None, bias: Node | None, eps: Node | float
) -> Normalised:
    """`layer_norm`, with the means and the inverse spreads it used."""
    axes = _last_axes(input, normalized_shape, "layer_norm", weight, bias)
    middle, inverse = mean(input, axes, True), 1 / sqrt(var(input, axes, 0, True) + eps)
    return _kept(_scaled((input - middle) * inverse, weight, bias), middle, inverse)


def _kept(made: Node, middle: Node, inverse: Node) -> Normalised:
    return Normalised(made, stop_gradient(middle), stop_gradient(inverse))


@derived(
    "rms_norm(x, (3,)) | x=2,3",
    "rms_norm(x, [2, 3], W) | x=2,2,3 W=2,3",
    "rms_norm(x, (3,), w, 0.5) | x=2,3 w=3",
)
def rms_norm(
    input: Node, normalized_shape: int | tuple[int, ...], weight: Node | None = None, eps: Node | None = None
) -> Node:
    """x/sqrt(mean(x**2) + eps) over the last axes, times weight; eps is 2.2e-16 unless it is given."""
    axes = _last_axes(input, normalized_shape, "rms_norm", weight)
    size = mean(input**2, axes, True) + (sys.float_info.epsilon if eps is None else eps)
    return _scaled(input / sqrt(size), weight, None)


# over groups of channels --------------------------------------------------------------------------


@derived(
    "group_norm(x, 2) | x=2,4",
    "group_norm(x, 1, w, b) | x=2,2,2 w=2 b=2",
    "group_norm(x, 2, w, b, eps=0.5) | x=1,4,2 w=4 b=4",
)
def group_norm(
    input: Node,
    num_groups: int,
    weight: Node | None = None,
    bias: Node | None = None,
    eps: Node | float = 1e-5,
    cudnn_enabled: bool = True,
) -> Node:
    """(x - mean)/sqrt(variance + eps) over groups of channels (axis 1) and all later axes; weight, bias a channel."""
    if input.ndim < 2 or num_groups < 1 or input.shape[1] % num_groups:
        raise _refused("group_norm", input, f"needs channels, on axis 1, that divide into {num_groups} groups")
    return _by_groups(input, num_groups, weight, bias, eps).output


def _by_groups(input: Node, groups: int, weight: Node | None, bias: Node | None, eps: Node | float) -> Normalised:
    grouped = reshape(input, (input.shape[0], groups, input.size // max(input.shape[0] * groups, 1)))
    made, *spread = native_layer_norm(grouped, grouped.shape[-1:], None, None, eps)
    scales = [_channels(one, input, "group_norm") for one in (weight, bias)]
    middle, inverse = (reshape(one, grouped.shape[:2]) for one in spread)
    return Normalised(_scaled(reshape(made, input.shape), *scales), middle, inverse)


@derived(
    "native_group_norm(x, w, b, 1, 4, 2, 2, 0.1)[0] | x=1,4,2 w=4 b=4",
    "native_group_norm(x, None, None, 1, 4, 2, 2, 0.1)[0] | x=1,4,2",
)
def native_group_norm(
    input: Node, weight: Node | None, bias: Node | None, N: int, C: int, HxW: int, group: int, eps: Node | float
) -> Normalised:
    """`group_norm`, with the means and the inverse spreads it used."""
    if input.ndim < 2 or input.shape[:2] != (N, C) or prod(input.shape[2:]) != HxW or group < 1 or C % group:
        raise _refused("native_group_norm", input, f"of N={N}, C={C}, HxW={HxW}, group={group} needs such an array")
    return _by_groups(input, group, weight, bias, eps)


@derived(
    "instance_norm(x) | x=2,2,3",
    "instance_norm(x, weight=w, bias=b, eps=0.5) | x=1,2,3 w=2 b=2",
    "instance_norm(x, m, v**2, w, b, False) | x=1,2,3 m=2 v=2 w=2 b=2",
    spellings=("F.instance_norm",),
)
def instance_norm(
    input: Node,
    running_mean: Node | None = None,
    running_var: Node | None = None,
    weight: Node | None = None,
    bias: Node | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: Node | float = 1e-5,
) -> Node:
    """(x - mean)/sqrt(variance + eps) over each channel (axis 1) of an instance (axis 0), or by running statistics."""
    if input.ndim < 2:
        raise _refused("instance_norm", input, "needs instances and channels on axes 0 and 1")
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if prod(input.shape[2:]) == 1:
        raise _refused("instance_norm", input, "needs more than one element a channel")
    return _by_groups(input, input.shape[1], weight, bias, eps).output


@derived(
    "torch.instance_norm(x, w, b, None, None, True, 0.1, 0.5, False) | x=1,2,3 w=2 b=2",
    "torch.instance_norm(x, None, None, m, v**2, False, 0.1, 0.5, False) | x=1,2,3 m=2 v=2",
    name="torch.instance_norm",
)
def instance_norm_of(
    input: Node,
    weight: Node | None,
    bias: Node | None,
    running_mean: Node | None,
    running_var: Node | None,
    use_input_stats: bool,
    momentum: float,
    eps: Node | float,
    cudnn_enabled: bool,
) -> Node:
    """`F.instance_norm` with its arguments in another order."""
    return instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


# over the batch -----------------------------------------------------------------------------------


@derived(
    "batch_norm(x, m, v**2) | x=2,3 m=3 v=3",
    "batch_norm(x, m, v**2, w, b, eps=0.5) | x=2,3,2 m=3 v=3 w=3 b=3",
    "batch_norm(x, None, None, w, b, True) | x=3,2 w=2 b=2",
    "batch_norm(x, zeros(2), ones(2), training=True, eps=0.5) | x=2,2,2",
    spellings=("F.batch_norm",),
)
def batch_norm(
    input: Node,
    running_mean: Node | None,
    running_var: Node | None,
    weight: Node | None = None,
    bias: Node | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: Node | float = 1e-5,
) -> Node:
    """(x - mean)/sqrt(variance + eps) for each channel (axis 1): by running statistics, or in training by its own."""
    return _by_channels(input, weight, bias, running_mean, running_var, training, eps).output


def _by_channels(
    input: Node,
    weight: Node | None,
    bias: Node | None,
    running_mean: Node | None,
    running_var: Node | None,
    training: bool,
    eps: Node | float,
) -> Normalised:
    if input.ndim < 2:
        raise _refused("batch_norm", input, "needs channels on axis 1")
    given = [_channels(one, input, "batch_norm") for one in (running_mean, running_var, weight, bias)]
    middle, size, *scales = given
    if training:
        if input.size <= input.shape[1]:
            raise _refused("batch_norm", input, "in training needs more than one element a channel")
        axes = tuple(i for i in range(-input.ndim, 0) if i != 1 - input.ndim)
        middle, size = mean(input, axes, True), var(input, axes, 0, True)
    if middle is None or size is None:
        raise GradcalcError(
            "arguments",
            "`batch_norm` needs the running mean and variance",
            helps=["or `training=True`, to use its own"],
        )
    inverse = 1 / sqrt(size + eps)
    return _kept(_scaled((input - middle) * inverse, *scales), middle, inverse)


@derived(
    "torch.batch_norm(x, w, b, m, v**2, False, 0.1, 0.5, False) | x=2,3 w=3 b=3 m=3 v=3",
    "torch.batch_norm(x, None, None, None, None, True, 0.1, 0.5, False) | x=3,2",
    name="torch.batch_norm",
)
def batch_norm_of(
    input: Node,
    weight: Node | None,
    bias: Node | None,
    running_mean: Node | None,
    running_var: Node | None,
    training: bool,
    momentum: float,
    eps: Node | float,
    cudnn_enabled: bool,
) -> Node:
    """`F.batch_norm` with its arguments in another order."""
    return batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


@derived(
    "native_batch_norm(x, w, b, None, None, True, 0.1, 0.5)[0] | x=3,2 w=2 b=2",
    "native_batch_norm(x, w, b, m, v**2, False, 0.1, 0.5)[0] | x=2,3 w=3 b=3 m=3 v=3",
)
def native_batch_norm(
    input: Node,
    weight: Node | None,
    bias: Node | None,
    running_mean: Node | None,
    running_var: Node | None,
    training: bool,
    momentum: float,
    eps: Node | float,
) -> Normalised:
    """`batch_norm`, with the means and the inverse spreads that it used in training (none otherwise)."""
    made, *spread = _by_channels(input, weight, bias, running_mean, running_var, training, eps)
    middle, inverse = (reshape(one, (one.size,)) if training else zeros((0,)) for one in spread)
    return Normalised(made, middle, inverse)


# over neighbouring channels -----------------------------------------------------------------------


@derived(
    "local_response_norm(x, 2) | x=1,3,2",
    "local_response_norm(x, 3, 0.5, 0.6, 2) | x=1,4,2",
    "local_response_norm(x, size=5, alpha=a**2) | x=1,2,1,1 a=",
)
def local_response_norm(
    input: Node, size: int, alpha: Node | float = 1e-4, beta: Node | float = 0.75, k: Node | float = 1.0
) -> Node:
    """x/(k + alpha*m)**beta, where m is the mean square of `size` neighbouring channels (axis 1), zero outside."""
    if input.ndim < 3:
        raise _refused("local_response_norm", input, "needs three axes at least")
    if size < 1:
        raise GradcalcError("arguments", f"`size` of `local_response_norm` must be positive, got {size}")
    axis, channels = 1 - input.ndim, input.shape[1]
    around = [zeros((input.shape[0], n, *input.shape[2:])) for n in (size // 2, (size - 1) // 2)]
    padded = concatenate([around[0], input**2, around[1]], axis)
    total = segment(padded, axis, 0, channels)
    for start in range(1, size):
        total = total + segment(padded, axis, start, start + channels)
    return input / (total / size * alpha + k) ** beta
