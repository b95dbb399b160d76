"""Sliding windows over the last axes and their transpose, in which overlapping windows add up.

The pair carries convolution, pooling, and what the libraries have of it under names of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape
from .kinds import PerAxis, derived, linear, moved_kind, negative_axis, reshape, with_shape
from .padding import bordered
from .shape import moveaxis

# arguments that PyTorch's functions on images share --------------------------------------------


def each(value: PerAxis, count: int, what: str, least: int = 1) -> tuple[int, ...]:
    """A number for each of `count` axes: one for all, or as many as there are axes."""
    given = (value,) if isinstance(value, int) else tuple(value)
    if len(given) not in (1, count):
        raise GradcalcError("arguments", f"`{what}` must be one number or {count}, got {len(given)}")
    if any(n < least for n in given):
        raise GradcalcError("arguments", f"`{what}` must be {least} or more, got {value}")
    return given * count if len(given) == 1 else given


def image(x: Node, axes: int, what: str) -> Node:
    """An array of channels and `axes` more axes, or a batch of them; itself."""
    if x.ndim not in (axes + 1, axes + 2):
        raise GradcalcError(
            "shape",
            f"`{what}` needs an array with {axes + 1} axes, or {axes + 2} with a batch in front, got shape {x.shape}",
            operands=[with_shape(x)],
        )
    return x


# the two primitives -----------------------------------------------------------------------------


def spans(size: Sequence[int], dilation: Sequence[int]) -> tuple[int, ...]:
    """How far a window reaches along each axis."""
    return tuple(d * (k - 1) + 1 for k, d in zip(size, dilation, strict=True))


def _windows(x: Any, size: Shape, step: Shape, dilation: Shape) -> Any:
    axes = tuple(range(-len(size), 0))
    view: Any = np.lib.stride_tricks.sliding_window_view(x, spans(size, dilation), axes)
    return view[(..., *(slice(None, None, by) for by in (*step, *dilation)))]


def _windows_shape(x: Node, size: Shape, step: Shape, dilation: Shape) -> Shape:
    lengths = x.shape[x.ndim - len(size) :]
    reach = spans(size, dilation)
    if any(far > n for far, n in zip(reach, lengths, strict=True)):
        raise GradcalcError(
            "shape", f"windows that reach over {reach} do not fit into lengths {lengths}", operands=[with_shape(x)]
        )
    counts = tuple((n - far) // by + 1 for n, far, by in zip(lengths, reach, step, strict=True))
    return (*x.shape[: x.ndim - len(size)], *counts, *size)


@linear(
    kernel=_windows,
    shape=_windows_shape,
    transpose=lambda g, x, size, step, dilation: add_windows(g, x.shape[x.ndim - len(size) :], step, dilation),
    boolean=moved_kind,
    examples=(
        "windows(x, (3,), (1,), (1,)) | x=5",
        "windows(x, (2,), (2,), (2,)) | x=2,6",
        "windows(x, (2, 2), (1, 2), (2, 1)) | x=4,5",
    ),
)
def windows(x: Node, size: tuple[int, ...], step: tuple[int, ...], dilation: tuple[int, ...]) -> Any:
    """Sliding windows over the last axes: those count the windows, as many new ones run through each."""
    if not len(size) == len(step) == len(dilation) <= x.ndim or min((1, *size, *step, *dilation)) < 1:
        raise GradcalcError("arguments", "`windows` needs a positive size, step and dilation for each axis")
    return (x,), {"size": size, "step": step, "dilation": dilation}


def _add_windows(g: Any, lengths: Shape, step: Shape, dilation: Shape) -> Any:
    """One axis of windows after the other, the last first: it is the last but the rest of the n axes of windows."""
    n = len(lengths)
    rest = (slice(None),) * (n - 1)
    for length, by, hole in zip(reversed(lengths), reversed(step), reversed(dilation), strict=True):
        count, size = g.shape[-1 - n], g.shape[-1]
        out: Any = np.zeros((*g.shape[: -1 - n], length, *g.shape[-n:-1]), g.dtype)
        if size <= count:
            for i in range(size):
                out[(..., slice(i * hole, i * hole + (count - 1) * by + 1, by), *rest)] += g[..., i]
        else:
            across = np.moveaxis(g, -1, -n)
            for i in range(count):
                place = slice(i * by, i * by + (size - 1) * hole + 1, hole)
                out[(..., place, *rest)] += across[(..., i, slice(None), *rest)]
        g = out
    return g


@linear(
    kernel=_add_windows,
    shape=lambda g, lengths, step, dilation: (*g.shape[: g.ndim - 2 * len(lengths)], *lengths),
    transpose=lambda g, x, lengths, step, dilation: windows(g, x.shape[x.ndim - len(lengths) :], step, dilation),
    examples=(
        "add_windows(x, (6,), (1,), (2,)) | x=4,2",
        "add_windows(x, (6,), (2,), (1,)) | x=2,4",
        "add_windows(x, (4, 6), (2, 1), (1, 2)) | x=2,4,2,2",
        "add_windows(x, (3, 5), (1, 2), (1, 1)) | x=2,2,2,2,3",
    ),
)
def add_windows(x: Node, lengths: tuple[int, ...], step: tuple[int, ...], dilation: tuple[int, ...]) -> Any:
    """Sliding windows put back where they were taken from, into axes of the given lengths; overlaps add up."""
    n = len(lengths)
    if not n == len(step) == len(dilation) <= x.ndim // 2:
        raise GradcalcError("arguments", "`add_windows` needs a length, step and dilation for each axis of windows")
    counts, size = x.shape[x.ndim - 2 * n : x.ndim - n], x.shape[x.ndim - n :]
    fit = tuple((m - far) // by + 1 for m, far, by in zip(lengths, spans(size, dilation), step, strict=True))
    if counts != fit:
        raise GradcalcError(
            "shape", f"axes of lengths {lengths} have {fit} such windows, not {counts}", operands=[with_shape(x)]
        )
    return (x,), {"lengths": lengths, "step": step, "dilation": dilation}


# the libraries' names for them --------------------------------------------------------------------


@derived(
    "sliding_window_view(x, 3) | x=5",
    "sliding_window_view(x, (2, 2)) | x=3,4",
    "sliding_window_view(x, 2, axis=0) | x=3,2",
    "sliding_window_view(x, (2, 2), axis=(1, 0)) | x=3,4",
    spellings=("numpy.lib.stride_tricks.sliding_window_view",),
)
def sliding_window_view(x: Node, window_shape: PerAxis, axis: PerAxis | None = None) -> Node:
    """All windows of the given lengths along all axes or the given ones; new axes at the end run through each."""
    size = (window_shape,) if isinstance(window_shape, int) else tuple(window_shape)
    given = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if len(size) != len(given):
        raise GradcalcError("arguments", f"window_shape {window_shape} has no length for each of the axes {given}")
    places = [negative_axis(one, x.ndim) for one in given]
    for i, (place, length) in enumerate(zip(places, size, strict=True)):
        x = _windows_along(x, place - i, length, 1)
    return x


def _windows_along(x: Node, axis: int, size: int, step: int) -> Node:
    """Windows along one axis counted from the right; the new axis is the last."""
    if axis == -1:
        return windows(x, (size,), (step,), (1,))
    return moveaxis(windows(moveaxis(x, axis, -1), (size,), (step,), (1,)), -2, axis - 1)


@derived(
    "torch.unfold(x, 0, 3, 1) | x=5",
    "torch.unfold(x, 0, 2, 2) | x=5,2",
    "torch.unfold(x, -1, 2, 1) | x=2,3",
    name="torch.unfold",
    spellings=("torch.unfold_copy",),
)
def unfold(input: Node, dimension: int, size: int, step: int) -> Node:
    """PyTorch's method `x.unfold`: windows along an axis, `step` apart; a new last axis runs through each."""
    if size < 1 or step < 1:
        raise GradcalcError("arguments", f"`unfold` needs a positive size and step, got {size} and {step}")
    return _windows_along(input, negative_axis(dimension, input.ndim, "dimension"), size, step)


@derived(
    "F.unfold(x, 2) | x=1,2,3,3",
    "F.unfold(x, (2, 1), dilation=(1, 2), padding=(1, 0), stride=2) | x=1,3,4",
    name="F.unfold",
)
def columns(
    input: Node, kernel_size: PerAxis, dilation: PerAxis = 1, padding: PerAxis = 0, stride: PerAxis = 1
) -> Node:
    """Every window of an image as a column: shape (batch, channels * window, windows)."""
    x = image(input, 2, "unfold")
    size, holes, edges, step = _window_arguments(kernel_size, dilation, padding, stride)
    view = windows(bordered(x, [(n, n) for n in edges]), size, step, holes)
    batch, channels, counts = x.shape[:-3], x.shape[-3], view.shape[-4:-2]
    return reshape(moveaxis(view, (-2, -1), (-4, -3)), (*batch, channels * prod(size), prod(counts)))


@derived(
    "F.fold(x, (3, 3), 2) | x=1,4,4",
    "F.fold(x, (4, 3), (2, 1), dilation=(1, 2), padding=(1, 0), stride=2) | x=2,6",
    "F.fold(x, 2, (1, 2)) | x=1,4,2",
    name="F.fold",
    spellings=("fold",),
)
def fold(
    input: Node,
    output_size: PerAxis,
    kernel_size: PerAxis,
    dilation: PerAxis = 1,
    padding: PerAxis = 0,
    stride: PerAxis = 1,
) -> Node:
    """Columns put back as windows of an image of the given size; overlaps add up."""
    if input.ndim not in (2, 3):
        raise GradcalcError(
            "shape",
            f"`fold` needs columns, (batch, channels * window, windows), got {input.shape}",
            operands=[with_shape(input)],
        )
    size, holes, edges, step = _window_arguments(kernel_size, dilation, padding, stride)
    lengths = tuple(n + 2 * m for n, m in zip(each(output_size, 2, "output_size"), edges, strict=True))
    counts = tuple((n - far) // by + 1 for n, far, by in zip(lengths, spans(size, holes), step, strict=True))
    if input.shape[-2] % prod(size) or input.shape[-1] != prod(counts) or min(counts) < 1:
        raise GradcalcError(
            "shape",
            f"`fold` of shape {input.shape}: windows of {size} need a multiple of {prod(size)} rows, and "
            f"{prod(counts)} columns",
            operands=[with_shape(input)],
        )
    parts = reshape(input, (*input.shape[:-2], input.shape[-2] // prod(size), *size, *counts))
    whole = add_windows(moveaxis(parts, (-4, -3), (-2, -1)), lengths, step, holes)
    return bordered(whole, [(-n, -n) for n in edges])


def _window_arguments(kernel_size: PerAxis, dilation: PerAxis, padding: PerAxis, stride: PerAxis) -> tuple[Shape, ...]:
    return (
        each(kernel_size, 2, "kernel_size"),
        each(dilation, 2, "dilation"),
        each(padding, 2, "padding", 0),
        each(stride, 2, "stride"),
    )
