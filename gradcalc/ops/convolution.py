"""Convolutions: sliding windows times a kernel, and their transposes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape
from .kinds import PerAxis, batch_trailing, bilinear, derived, reshape, with_shape
from .linalg import einsum
from .padding import bordered
from .shape import flip, moveaxis
from .windows import add_windows, each, image, spans, windows

# PyTorch's convolutions -------------------------------------------------------------------------


def _checked(x: Node, weight: Node, groups: int, axes: int, what: str, channels: int) -> None:
    """The shapes that a convolution needs; `channels` is the weight's axis that meets the input's channels."""
    image(x, axes, what)
    if weight.ndim != axes + 2:
        raise GradcalcError(
            "shape",
            f"`{what}` needs a weight with {axes + 2} axes, got shape {weight.shape}",
            operands=[with_shape(weight)],
        )
    if groups < 1 or weight.shape[0] % groups:
        raise GradcalcError(
            "arguments",
            f"{groups} groups do not divide a weight of shape {weight.shape}",
            operands=[with_shape(weight)],
        )
    expected = weight.shape[0] if channels == 0 else weight.shape[1] * groups
    if x.shape[-axes - 1] != expected:
        raise GradcalcError(
            "shape",
            f"`{what}`: the input has {x.shape[-axes - 1]} channels, but the weight takes {expected}",
            operands=[with_shape(x), with_shape(weight)],
        )


def _grouped(x: Node, axis: int, groups: int) -> Node:
    """The array with an axis, counted from the right, split into groups."""
    at = axis + x.ndim
    return reshape(x, (*x.shape[:at], groups, x.shape[at] // groups, *x.shape[at + 1 :]))


def _merged(x: Node, axis: int) -> Node:
    """The array with an axis, counted from the right, joined to the next."""
    at = axis + x.ndim
    return reshape(x, (*x.shape[:at], x.shape[at] * x.shape[at + 1], *x.shape[at + 2 :]))


_OUTER, _INNER = "xyz", "ijk"
"""Letters for places of windows, and places in a window."""


def _with_bias(y: Node, bias: Node | None, axes: int) -> Node:
    if bias is None:
        return y
    if bias.shape != (y.shape[-axes - 1],):
        raise GradcalcError(
            "shape",
            f"a bias of shape {bias.shape} does not fit {y.shape[-axes - 1]} channels",
            operands=[with_shape(bias)],
        )
    return y + reshape(bias, (bias.size,) + (1,) * axes)


def _convolved(
    x: Node,
    weight: Node,
    bias: Node | None,
    stride: PerAxis,
    padding: PerAxis | str,
    dilation: PerAxis,
    groups: int,
    axes: int,
) -> Node:
    what = f"conv{axes}d"
    _checked(x, weight, groups, axes, what, 1)
    size, step, holes = weight.shape[2:], each(stride, axes, "stride"), each(dilation, axes, "dilation")
    view = windows(bordered(x, _edges(padding, size, step, holes)), size, step, holes)
    outer, inner = _OUTER[:axes], _INNER[:axes]
    if groups == 1:
        y = einsum(f"...c{outer}{inner},oc{inner}->...o{outer}", view, weight)
    else:
        view, weight = _grouped(view, -2 * axes - 1, groups), _grouped(weight, -axes - 2, groups)
        y = _merged(einsum(f"...gc{outer}{inner},goc{inner}->...go{outer}", view, weight), -axes - 2)
    return _with_bias(y, bias, axes)


def _edges(padding: PerAxis | str, size: Shape, step: Shape, holes: Shape) -> list[tuple[int, int]]:
    if not isinstance(padding, str):
        return [(n, n) for n in each(padding, len(size), "padding", 0)]
    if padding == "valid":
        return [(0, 0)] * len(size)
    if padding != "same":
        raise GradcalcError("arguments", f"`padding` may be numbers, 'same' or 'valid', not {padding!r}")
    if any(by != 1 for by in step):
        raise GradcalcError("arguments", "`padding='same'` needs a stride of 1")
    return [((far - 1) // 2, far // 2) for far in spans(size, holes)]


def _transposed(
    x: Node,
    weight: Node,
    bias: Node | None,
    stride: PerAxis,
    padding: PerAxis,
    output_padding: PerAxis,
    groups: int,
    dilation: PerAxis,
    axes: int,
) -> Node:
    _checked(x, weight, groups, axes, f"conv_transpose{axes}d", 0)
    size, step, holes = weight.shape[2:], each(stride, axes, "stride"), each(dilation, axes, "dilation")
    edges, more = each(padding, axes, "padding", 0), each(output_padding, axes, "output_padding", 0)
    if any(n >= max(by, hole) for n, by, hole in zip(more, step, holes, strict=True)):
        raise GradcalcError("arguments", f"`output_padding` {output_padding} must be below the stride or the dilation")
    outer, inner = _OUTER[:axes], _INNER[:axes]
    if groups == 1:
        y = einsum(f"...c{outer},co{inner}->...o{outer}{inner}", x, weight)
    else:
        split, kernel = _grouped(x, -axes - 1, groups), _grouped(weight, -axes - 2, groups)
        y = _merged(einsum(f"...gc{outer},gco{inner}->...go{outer}{inner}", split, kernel), -2 * axes - 2)
    counts, reach = x.shape[-axes:], spans(size, holes)
    lengths = tuple((n - 1) * by + far for n, by, far in zip(counts, step, reach, strict=True))
    if any(n + m <= 2 * edge for n, m, edge in zip(lengths, more, edges, strict=True)):
        raise GradcalcError("arguments", f"`padding` {padding} takes all of the result away", operands=[with_shape(x)])
    whole = bordered(add_windows(y, lengths, step, holes), [(-n, m - n) for n, m in zip(edges, more, strict=True)])
    return _with_bias(whole, bias, axes)


@derived(
    "conv1d(x, w) | x=2,4 w=2,2,2",
    "conv1d(x, w, b, stride=2, padding=1) | x=1,1,4 w=2,1,2 b=2",
    "conv1d(x, w, padding='same', dilation=2) | x=1,4 w=1,1,2",
    "conv1d(x, w, None, 1, 'valid', 1, 2) | x=2,3 w=2,1,2",
)
def conv1d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: PerAxis = 1,
    padding: PerAxis | str = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Node:
    """Kernels (out, in, size) slid over (batch, in, length); not turned over, as in every neural network."""
    return _convolved(input, weight, bias, stride, padding, dilation, groups, 1)


@derived(
    "conv2d(x, w, b) | x=1,3,3 w=2,1,2,2 b=2",
    "conv2d(x, w, stride=(2, 1), padding=(1, 0), dilation=(1, 2)) | x=1,1,3,3 w=1,1,2,2",
    "conv2d(x, w, padding='same') | x=1,2,3 w=1,1,2,3",
    "conv2d(x, w, groups=2) | x=1,4,2,2 w=2,2,2,1",
)
def conv2d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: PerAxis = 1,
    padding: PerAxis | str = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Node:
    """Kernels (out, in, height, width) slid over images (batch, in, height, width)."""
    return _convolved(input, weight, bias, stride, padding, dilation, groups, 2)


@derived(
    "conv3d(x, w) | x=1,2,2,3 w=1,1,1,2,2",
    "conv3d(x, w, b, (1, 2, 1), (1, 0, 0), 1, 2) | x=1,2,1,2,2 w=2,1,2,1,2 b=2",
)
def conv3d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: PerAxis = 1,
    padding: PerAxis | str = 0,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Node:
    """Kernels (out, in, depth, height, width) slid over volumes (batch, in, depth, height, width)."""
    return _convolved(input, weight, bias, stride, padding, dilation, groups, 3)


@derived(
    "conv_transpose1d(x, w) | x=2,3 w=2,1,2",
    "conv_transpose1d(x, w, b, 2, 1, 1) | x=1,1,3 w=1,2,2 b=2",
    "conv_transpose1d(x, w, output_padding=2, dilation=3, groups=2) | x=2,2 w=2,1,2",
)
def conv_transpose1d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: PerAxis = 1,
    padding: PerAxis = 0,
    output_padding: PerAxis = 0,
    groups: int = 1,
    dilation: PerAxis = 1,
) -> Node:
    """The transpose of `conv1d`: each element spreads a kernel of (in, out, size)."""
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 1)


@derived(
    "conv_transpose2d(x, w, b) | x=1,2,2 w=1,1,2,2 b=1",
    "conv_transpose2d(x, w, stride=(2, 1), padding=(0, 1), output_padding=(1, 0)) | x=1,1,2,3 w=1,2,1,2",
    "conv_transpose2d(x, w, groups=2, dilation=2) | x=2,2,1 w=2,1,2,2",
)
def conv_transpose2d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: PerAxis = 1,
    padding: PerAxis = 0,
    output_padding: PerAxis = 0,
    groups: int = 1,
    dilation: PerAxis = 1,
) -> Node:
    """The transpose of `conv2d`: each element spreads a kernel of (in, out, height, width)."""
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 2)


@derived(
    "conv_transpose3d(x, w, stride=2) | x=1,1,2,2 w=1,1,1,2,2",
    "conv_transpose3d(x, w, b, (1, 2, 1), 0, (0, 1, 0), 2) | x=1,2,1,1,2 w=2,1,2,1,2 b=2",
)
def conv_transpose3d(
    input: Node,
    weight: Node,
    bias: Node | None = None,
    stride: PerAxis = 1,
    padding: PerAxis = 0,
    output_padding: PerAxis = 0,
    groups: int = 1,
    dilation: PerAxis = 1,
) -> Node:
    """The transpose of `conv3d`: each element spreads a kernel of (in, out, depth, height, width)."""
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 3)


@derived(
    "torch.convolution(x, w, b, [2], [1], [1], False, [0], 1) | x=1,1,4 w=1,1,2 b=1",
    "torch.convolution(x, w, None, [2, 1], [0, 0], [1, 1], True, [1, 0], 1) | x=1,1,2,2 w=1,1,1,2",
    name="torch.convolution",
)
def convolution(
    input: Node,
    weight: Node,
    bias: Node | None,
    stride: PerAxis,
    padding: PerAxis,
    dilation: PerAxis,
    transposed: bool,
    output_padding: PerAxis,
    groups: int,
) -> Node:
    """A convolution of one to three axes, or its transpose, with every argument given."""
    axes = weight.ndim - 2
    if axes not in (1, 2, 3):
        raise GradcalcError(
            "shape",
            f"`convolution` needs a weight with 3 to 5 axes, got shape {weight.shape}",
            operands=[with_shape(weight)],
        )
    if transposed:
        return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, axes)
    return _convolved(input, weight, bias, stride, padding, dilation, groups, axes)


@derived("conv_tbc(x, w, b) | x=3,1,2 w=2,2,1 b=1", "conv_tbc(x, w, b, pad=1) | x=2,2,1 w=2,1,2 b=2")
def conv_tbc(input: Node, weight: Node, bias: Node, pad: int = 0) -> Node:
    """Kernels (size, in, out) slid over (time, batch, in)."""
    if input.ndim != 3 or weight.ndim != 3 or input.shape[2] != weight.shape[1]:
        raise GradcalcError(
            "shape",
            f"`conv_tbc` needs (time, batch, in) and (size, in, out), got {input.shape} and {weight.shape}",
            operands=[with_shape(input), with_shape(weight)],
        )
    kernels = moveaxis(weight, 0, 2)
    y = _convolved(moveaxis(input, 0, 2), moveaxis(kernels, 0, 1), bias, 1, pad, 1, 1, 1)
    return moveaxis(y, 2, 0)


# NumPy's convolutions ---------------------------------------------------------------------------


def _stretches(x: Any, y: Any) -> Any:
    if x.ndim == 1:
        return np.correlate(x, y, "valid")
    rows = [np.correlate(a, b, "valid") for a, b in zip(_rows(x), _rows(y), strict=True)]
    return np.reshape(rows, (*x.shape[:-1], x.shape[-1] - y.shape[-1] + 1))


def _rows(x: Any) -> Any:
    return np.reshape(x, (-1, x.shape[-1]))


def _stretches_shape(x: Node, y: Node) -> Shape:
    if x.shape[:-1] != y.shape[:-1] or not 0 < y.shape[-1] <= x.shape[-1]:
        raise GradcalcError(
            "shape", f"`stretches` of shapes {x.shape} and {y.shape}", operands=[with_shape(x), with_shape(y)]
        )
    return (*x.shape[:-1], x.shape[-1] - y.shape[-1] + 1)


def _stretches_transposes(g: Node, x: Node, y: Node) -> tuple[Node, Node]:
    around = y.shape[-1] - 1
    return stretches(bordered(g, [(around, around)]), flip(y, -1)), stretches(x, g)


@bilinear(
    kernel=_stretches,
    shape=_stretches_shape,
    transposes=_stretches_transposes,
    batch=batch_trailing,
    source="the windows of a long vector, were they an array, would be as large as both vectors' product",
    examples=("stretches(x, y) | x=5 y=2", "stretches(x, y) | x=2,3 y=2,3"),
)
def stretches(x: Node, y: Node) -> Any:
    """Sums of products of a vector with every stretch of another that is as long as it is."""
    return (x, y), {}


@derived(
    "convolve(x, y) | x=4 y=2",
    "convolve(x, y) | x=2 y=3",
    "convolve(x, y, 'same') | x=4 y=2",
    "convolve(x, y, mode='valid') | x=2 y=4",
)
def convolve(a: Node, v: Node, mode: str = "full") -> Node:
    """Discrete convolution of two vectors, one of which is turned over and slid along the other."""
    _check_vectors(a, v, "convolve")
    a, v = (a, v) if a.size >= v.size else (v, a)
    return _slid(a, flip(v), mode, "convolve")


@derived(
    "correlate(x, y) | x=4 y=2",
    "correlate(x, y, 'full') | x=2 y=3",
    "correlate(x, y, 'same') | x=3 y=2",
    "correlate(x, y, mode='same') | x=3 y=4",
)
def correlate(a: Node, v: Node, mode: str = "valid") -> Node:
    """Sums of products of two vectors, the second slid along the first."""
    _check_vectors(a, v, "correlate")
    if a.size >= v.size:
        return _slid(a, v, mode, "correlate")
    turned: Node = flip(_slid(v, a, mode, "correlate"))
    return turned


def _check_vectors(a: Node, v: Node, what: str) -> None:
    for one in (a, v):
        if one.ndim > 1 or one.size == 0:
            raise GradcalcError(
                "shape", f"`{what}` needs two vectors with elements, got shape {one.shape}", operands=[with_shape(one)]
            )


def _slid(long: Node, short: Node, mode: str, what: str) -> Node:
    """Sums of products with a vector that is no longer: at every place it meets the other, or at fewer."""
    long, short = reshape(long, (long.size,)), reshape(short, (short.size,))
    m, n = long.size, short.size
    first, last = {"full": (0, m + n - 1), "same": ((n - 1) // 2, (n - 1) // 2 + m), "valid": (n - 1, m)}.get(
        mode, (0, -1)
    )
    if last < 0:
        raise GradcalcError("arguments", f"`{what}` may have mode 'full', 'same' or 'valid', not {mode!r}")
    edges = n - 1 - first, last - m  # what is not asked for is not computed
    made: Node = stretches(bordered(long, [edges]), short)
    return made
