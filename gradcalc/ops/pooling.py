"""Pooling: means, norms and largest elements of sliding windows, or of as many windows as are asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, constant
from . import reduce
from .indexing import gather, put_gather
from .kinds import PerAxis, derived, reshape, with_shape, zeros
from .ordering import place
from .padding import bordered
from .windows import each, image, spans, windows

_TIES = Kink(at="several elements of a window are largest", takes="an even share for each")

Both = tuple[Node, Node]

# windows of one size ------------------------------------------------------------------------------


class Pool:
    """The windows of a pooling function: their size, step and holes, and how far they reach over the edges."""

    def __init__(
        self,
        x: Node,
        axes: int,
        what: str,
        kernel_size: PerAxis,
        stride: PerAxis | None,
        padding: PerAxis = 0,
        dilation: PerAxis = 1,
        ceil_mode: bool = False,
    ) -> None:
        image(x, axes, what)
        self.lengths = x.shape[-axes:]
        self.size = each(kernel_size, axes, "kernel_size")
        self.step = self.size if stride is None or stride == () else each(stride, axes, "stride")
        self.edges, self.holes = each(padding, axes, "padding", 0), each(dilation, axes, "dilation")
        if any(edge > k // 2 for edge, k in zip(self.edges, self.size, strict=True)):
            raise GradcalcError("arguments", f"`{what}`: `padding` {padding} may be at most half of `kernel_size`")
        pairs = zip(self.lengths, self.size, self.step, self.edges, self.holes, strict=True)
        self.counts = tuple(_count(*numbers, ceil_mode) for numbers in pairs)
        too_large = axes == 3 and any(k > n for k, n in zip(self.size, self.lengths, strict=True))  # even with padding
        if min(self.counts) < 1 or (too_large and not what.startswith("max")):
            raise GradcalcError(
                "shape", f"`{what}`: windows of {self.size} do not fit into {self.lengths}", operands=[with_shape(x)]
            )

    def view(self, x: Node, outside: float) -> Node:
        """The windows, with a value at the places over the edges."""
        ends = [
            (n - 1) * by + far for n, by, far in zip(self.counts, self.step, spans(self.size, self.holes), strict=True)
        ]
        widths = [(edge, end - edge - n) for edge, end, n in zip(self.edges, ends, self.lengths, strict=True)]
        return windows(bordered(x, widths, outside), self.size, self.step, self.holes)

    def places(self) -> list[Any]:
        """For each axis which place of it stands at each window's places, some of them over the edges."""
        return [
            np.arange(n)[:, None] * by + np.arange(k) * hole - edge
            for n, by, k, hole, edge in zip(self.counts, self.step, self.size, self.holes, self.edges, strict=True)
        ]


def _count(n: int, k: int, by: int, edge: int, hole: int, ceil_mode: bool) -> int:
    """How many windows an axis has; with `ceil_mode` the last may reach over the edge, but not start there."""
    room = n + 2 * edge - hole * (k - 1) - 1
    if not ceil_mode:
        return room // by + 1
    count = -(-room // by) + 1
    return count - 1 if (count - 1) * by >= n + edge else count


def averaged(x: Node, pool: Pool, include_pad: bool, divisor: int | None) -> Node:
    """The mean of each window, or its sum by a divisor of its own."""
    axes = tuple(range(-len(pool.size), 0))
    total: Node = reduce.sum(pool.view(x, 0.0), axes)
    if divisor is not None:
        if divisor == 0:
            raise GradcalcError("arguments", "`divisor_override` cannot be 0")
        return total / divisor
    counts: Any = np.ones(())
    for places, n, edge in zip(pool.places(), pool.lengths, pool.edges, strict=True):
        # A window over the edge counts the padding that was asked for, but not what `ceil_mode` adds behind it.
        inside = (places < n + edge) if include_pad else (places >= 0) & (places < n)
        counts = counts[..., None] * inside.sum(1)
    return total / (float(counts.flat[0]) if np.ptp(counts) == 0 else constant(counts))


@derived(
    "avg_pool1d(x, 2) | x=1,5",
    "avg_pool1d(x, 3, stride=2, padding=1) | x=1,2,4",
    "avg_pool1d(x, 3, 2, 1, True, False) | x=1,4",
)
def avg_pool1d(
    input: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Node:
    """Means of windows over the last axis of (batch, channels, length)."""
    pool = Pool(input, 1, "avg_pool1d", kernel_size, stride, padding, 1, ceil_mode)
    return averaged(input, pool, count_include_pad, None)


@derived(
    "avg_pool2d(x, 2) | x=1,2,5",
    "avg_pool2d(x, (2, 3), stride=(1, 2), padding=1, count_include_pad=False) | x=1,3,3",
    "avg_pool2d(x, 2, ceil_mode=True, divisor_override=3) | x=1,1,3,3",
    "avg_pool2d(x, 3, 2, 1, ceil_mode=True) | x=1,2,4",
)
def avg_pool2d(
    input: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Node:
    """Means of windows over the last two axes of (batch, channels, height, width)."""
    pool = Pool(input, 2, "avg_pool2d", kernel_size, stride, padding, 1, ceil_mode)
    return averaged(input, pool, count_include_pad, divisor_override)


@derived("avg_pool3d(x, 2) | x=1,2,2,3", "avg_pool3d(x, (1, 2, 2), 1, (0, 1, 1), False, False) | x=1,1,2,2,2")
def avg_pool3d(
    input: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Node:
    """Means of windows over the last three axes of (batch, channels, depth, height, width)."""
    pool = Pool(input, 3, "avg_pool3d", kernel_size, stride, padding, 1, ceil_mode)
    return averaged(input, pool, count_include_pad, divisor_override)


def largest(view: Node, places: Sequence[Any], lengths: Sequence[int], indices: bool) -> Node | Both:
    """The largest of each window, and where it stands among all elements of the axes in row-major order."""
    axes = len(places)
    values: Node = reduce.max(view, tuple(range(-axes, 0)))
    if not indices:
        return values
    table: Any = np.zeros(())
    for n, one in zip(lengths, places, strict=True):
        table = table[..., None, None] * n + one
    table = np.transpose(table, (*range(0, 2 * axes, 2), *range(1, 2 * axes, 2)))
    counts = table.shape[:axes]
    flat = reshape(view, (*view.shape[:-axes], math.prod(view.shape[-axes:])))
    grids = [constant(grid) for grid in np.indices(counts, np.float64)]
    found: Node = reduce.argmax(flat, -1)
    return values, gather(constant(table.reshape(*counts, -1)), (*grids, place(found, flat.shape[-1])))


def _max_pool(
    x: Node,
    axes: int,
    kernel_size: PerAxis,
    stride: PerAxis | None,
    padding: PerAxis,
    dilation: PerAxis,
    ceil_mode: bool,
    indices: bool,
) -> Node | Both:
    pool = Pool(x, axes, f"max_pool{axes}d", kernel_size, stride, padding, dilation, ceil_mode)
    return largest(pool.view(x, -math.inf), pool.places(), pool.lengths, indices)


@derived(
    "max_pool1d(x, 2) | x=1,5",
    "max_pool1d(x, 3, stride=2, padding=1, dilation=2) | x=1,1,6",
    "max_pool1d(x, 2, ceil_mode=True, return_indices=True)[1] | x=2,3",
    kink=_TIES,
)
def max_pool1d(
    input: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    dilation: PerAxis = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Node | Both:
    """Largest elements of windows over the last axis of (batch, channels, length); perhaps their places."""
    return _max_pool(input, 1, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@derived(
    "max_pool2d(x, 2) | x=1,2,5",
    "max_pool2d(x, (2, 3), (1, 2), 1, 1) | x=1,1,3,3",
    "max_pool2d(x, 2, padding=1, ceil_mode=True, return_indices=True)[1] | x=1,3,4",
    kink=_TIES,
)
def max_pool2d(
    input: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    dilation: PerAxis = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Node | Both:
    """Largest elements of windows over the last two axes of (batch, channels, height, width); perhaps their places."""
    return _max_pool(input, 2, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@derived("max_pool3d(x, 2) | x=1,2,2,3", "max_pool3d(x, (1, 2, 2), 1, return_indices=True)[0] | x=1,2,2,3", kink=_TIES)
def max_pool3d(
    input: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    dilation: PerAxis = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Node | Both:
    """Largest elements of windows over the last three axes of (batch, channels, depth, height, width)."""
    return _max_pool(input, 3, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@derived("max_pool1d_with_indices(x, 2)[0] | x=1,4", "max_pool1d_with_indices(x, 3, 1, 1)[1] | x=1,3", kink=_TIES)
def max_pool1d_with_indices(
    input: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    dilation: PerAxis = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Node | Both:
    """Largest elements of windows over the last axis, and their places."""
    return _max_pool(input, 1, kernel_size, stride, padding, dilation, ceil_mode, True)


@derived("max_pool2d_with_indices(x, 2)[0] | x=1,2,4", "max_pool2d_with_indices(x, 2, 1)[1] | x=1,3,3", kink=_TIES)
def max_pool2d_with_indices(
    input: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    dilation: PerAxis = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Node | Both:
    """Largest elements of windows over the last two axes, and their places in row-major order."""
    return _max_pool(input, 2, kernel_size, stride, padding, dilation, ceil_mode, True)


@derived(
    "max_pool3d_with_indices(x, 2)[0] | x=1,2,2,2", "max_pool3d_with_indices(x, (1, 2, 1))[1] | x=1,2,2,1", kink=_TIES
)
def max_pool3d_with_indices(
    input: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    dilation: PerAxis = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Node | Both:
    """Largest elements of windows over the last three axes, and their places in row-major order."""
    return _max_pool(input, 3, kernel_size, stride, padding, dilation, ceil_mode, True)


# undoing max pooling ------------------------------------------------------------------------------


def _unpooled(
    x: Node,
    indices: Node,
    axes: int,
    kernel_size: PerAxis,
    stride: PerAxis | None,
    padding: PerAxis,
    output_size: tuple[int, ...] | None,
) -> Node:
    what = f"max_unpool{axes}d"
    image(x, axes, what)
    if indices.shape != x.shape:
        raise GradcalcError(
            "shape",
            f"`{what}` needs an index for each element, got {indices.shape} for {x.shape}",
            operands=[with_shape(x), with_shape(indices)],
        )
    size = each(kernel_size, axes, "kernel_size")
    step = size if stride is None else each(stride, axes, "stride")
    edges = each(padding, axes, "padding", 0)
    usual = tuple((n - 1) * by - 2 * p + k for n, by, p, k in zip(x.shape[-axes:], step, edges, size, strict=True))
    lengths = usual if output_size is None else tuple(output_size)[-axes:]
    if len(lengths) != axes or any(not u - by < n < u + by for n, u, by in zip(lengths, usual, step, strict=True)):
        raise GradcalcError("arguments", f"`output_size` {output_size} is not within a stride of {usual}")
    rows = math.prod(x.shape[:-axes])
    columns = x.size // max(rows, 1)
    at = constant(np.arange(rows, dtype=np.float64)[:, None])
    flat = put_gather(
        zeros((rows, math.prod(lengths))), reshape(x, (rows, columns)), (at, reshape(indices, (rows, columns)))
    )
    made: Node = reshape(flat, (*x.shape[:-axes], *lengths))
    return made


@derived(
    "max_unpool1d(x, [[1, 2]], 2) | x=1,2",
    "max_unpool1d(x, [[0, 4]], 2, stride=3, output_size=(6,)) | x=1,2",
)
def max_unpool1d(
    input: Node,
    indices: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    output_size: tuple[int, ...] | None = None,
) -> Node:
    """Elements put back where `max_pool1d` found them, zeros elsewhere."""
    return _unpooled(input, indices, 1, kernel_size, stride, padding, output_size)


@derived(
    "max_unpool2d(x, [[[3, 6]]], 2) | x=1,1,2", "max_unpool2d(x, [[[[0]]]], 2, output_size=(1, 1, 3, 2)) | x=1,1,1,1"
)
def max_unpool2d(
    input: Node,
    indices: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    output_size: tuple[int, ...] | None = None,
) -> Node:
    """Elements put back where `max_pool2d` found them, zeros elsewhere."""
    return _unpooled(input, indices, 2, kernel_size, stride, padding, output_size)


@derived("max_unpool3d(x, [[[[5, 2]]]], (2, 2, 1)) | x=1,1,1,2")
def max_unpool3d(
    input: Node,
    indices: Node,
    kernel_size: PerAxis,
    stride: PerAxis | None = None,
    padding: PerAxis = 0,
    output_size: tuple[int, ...] | None = None,
) -> Node:
    """Elements put back where `max_pool3d` found them, zeros elsewhere."""
    return _unpooled(input, indices, 3, kernel_size, stride, padding, output_size)
