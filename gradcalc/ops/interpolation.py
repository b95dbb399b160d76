"""Values between given ones: piecewise linear functions, and images in another size."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, constant
from .adaptive import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from .arithmetic import abs, equal, greater, less, mod, where
from .indexing import element, gather, pick, segment
from .joining import concatenate
from .kinds import Factors, PerAxis, derived, reshape, with_shape
from .ordering import knot_above, order, place
from .reduce import sum
from .windows import each

# a function of one variable, by its knots -----------------------------------------------------------


@derived(
    "interp(x, [-2, -1, 1, 2], y) | x=3 y=4",
    "interp(x, p, y) | x= p=1 y=1",
    "interp(x, array([0, 1, 3]) + z, y) | x=2,2 y=3 z=",
    "interp(x, [-1, 0, 1], y, left=z, right=7) | x=4 y=3 z=",
    "interp(x, [0.5, 2, 1.2], y, period=z) | x=4 y=3 z=",
    domain=((-2, 2), (-2, 2), (2.2, 2.9)),
    kink=Kink(at="x is on a knot", takes="the slope on its right; of the last knot, on its left"),
)
def interp(
    x: Node,
    xp: Node,
    fp: Node,
    left: Node | None = None,
    right: Node | None = None,
    period: Node | None = None,
) -> Node:
    """The piecewise linear function through the knots (xp, fp) at x; xp must rise."""
    if xp.ndim != 1 or fp.shape != xp.shape or xp.size == 0:
        raise GradcalcError(
            "shape",
            f"`interp` needs as many knots as values at them, in two vectors, got {xp.shape} and {fp.shape}",
            operands=[with_shape(xp), with_shape(fp)],
        )
    if x.ndim == 0:
        return reshape(interp(reshape(x, (1,)), xp, fp, left, right, period), ())
    if period is not None:
        x, xp, fp = _unrolled(x, xp, fp, period)
        left = right = None
    (start, end), (first, last) = ((element(one, -1, 0), element(one, -1, one.size - 1)) for one in (xp, fp))
    low, high = first if left is None else left, last if right is None else right
    if xp.size == 1:
        inside = where(equal(x, start), first, x)
    else:
        above = knot_above(x, xp)
        sides = place(above - 1.0, xp.size), place(above, xp.size)
        (x0, x1), (y0, y1) = ([gather(one, (side,)) for side in sides] for one in (xp, fp))
        same = equal(x0, x1)
        inside = y0 + where(same, 0.0, (x - x0) / where(same, 1.0, x1 - x0)) * (y1 - y0)
    return where(less(x, start), low, where(greater(x, end), high, inside))


def _unrolled(x: Node, xp: Node, fp: Node, period: Node) -> tuple[Node, Node, Node]:
    """Within one period, and one more knot on each side of it."""
    length = abs(period)
    x, xp = mod(x, length), mod(xp, length)
    places = place(order(xp), xp.size)
    xp, fp = gather(xp, (places,)), gather(fp, (places,))
    n = xp.size
    (a, b), (c, d) = ((segment(one, -1, n - 1, n), segment(one, -1, 0, 1)) for one in (xp, fp))
    return x, concatenate([a - length, xp, b + length], 0), concatenate([c, fp, d], 0)


# images in another size -----------------------------------------------------------------------------

Taps = tuple[Any, Any]
"""For each new place the old places it is made of, and their weights."""


def _resampled(x: Node, axis: int, taps: Taps) -> Node:
    """The array with an axis (counted from the left) at new places, each a weighted sum of old ones."""
    places, weights = taps
    if places.shape[1] == 1:
        return pick(x, axis, places[:, 0])
    column = (*places.shape, *(1,) * (x.ndim - axis - 1))
    return sum(pick(x, axis, places) * constant(weights.reshape(column)), axis + 1)


def _scale(n: int, size: int, factor: float | None, align: bool) -> float:
    """How many old places one new place is wide."""
    if align:
        return (n - 1) / (size - 1) if size > 1 else 0.0
    return n / size if factor is None else 1 / factor


def _nearest(middle: float) -> Callable[..., Taps]:
    """The place that each new place falls into. PyTorch rounds to 32 bits here, so on a boundary that decides."""

    def taps(n: int, size: int, factor: float | None, align: bool) -> Taps:
        at = (np.arange(size) + middle) * _scale(n, size, factor, False)
        return np.minimum(np.floor(at.astype(np.float32)), n - 1)[:, None], np.ones((size, 1))

    return taps


def _nearest_of_image(middle: float) -> Callable[..., Taps]:
    """The same with two axes, for which PyTorch has other code: all in 32 bits, and simple sizes by themselves."""

    def taps(n: int, size: int, factor: float | None, align: bool) -> Taps:
        scale = np.float32(n) / np.float32(size) if factor is None else np.float32(1 / factor)
        places = np.floor((np.arange(size, dtype=np.float32) + np.float32(middle)) * scale)
        if middle == 0 and size in (n, 2 * n):
            places = np.arange(size) // (size // n)
        return np.minimum(places, n - 1)[:, None], np.ones((size, 1))

    return taps


def _coordinates(n: int, size: int, factor: float | None, align: bool) -> Any:
    scale = _scale(n, size, factor, align)
    return np.arange(size) * scale if align else (np.arange(size) + 0.5) * scale - 0.5


def _linear(n: int, size: int, factor: float | None, align: bool) -> Taps:
    at = np.maximum(_coordinates(n, size, factor, align), 0)
    low = np.minimum(np.floor(at), n - 1)
    part = np.clip(at - low, 0, 1)
    return np.stack([low, np.minimum(low + 1, n - 1)], 1), np.stack([1 - part, part], 1)


def cubic(distance: Any, a: float) -> Any:
    """Keys's kernel of cubic convolution."""
    d = np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((d - 5) * d + 8) * d * a - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def _cubic(n: int, size: int, factor: float | None, align: bool) -> Taps:
    at = _coordinates(n, size, factor, align)
    low = np.floor(at)[:, None] + np.arange(-1, 3)
    return np.clip(low, 0, n - 1), cubic(at[:, None] - low, -0.75)


def _smoothed(kernel: Callable[[Any], Any], reach: int) -> Callable[..., Taps]:
    """Weights that widen where an image shrinks, so that every old element counts."""

    def taps(n: int, size: int, factor: float | None, align: bool) -> Taps:
        if n == size:  # nothing to do, whatever the factor
            return np.arange(n)[:, None], np.ones((n, 1))
        scale = _scale(n, size, factor, align)
        wide = max(scale, 1.0)
        centres = scale * (np.arange(size) + 0.5)
        first = np.maximum(np.trunc(centres - reach * wide + 0.5), 0)
        count = np.minimum(np.trunc(centres + reach * wide + 0.5), n) - first
        steps = np.arange(max(int(count.max()), 1))
        places = first[:, None] + steps
        weights = np.where(steps < count[:, None], kernel((places - centres[:, None] + 0.5) / wide), 0.0)
        return np.minimum(places, n - 1), weights / weights.sum(1, keepdims=True)

    return taps


_SMOOTH = {
    "bilinear": _smoothed(lambda d: np.maximum(1 - np.abs(d), 0), 1),
    "bicubic": _smoothed(lambda d: cubic(d, -0.5), 2),
}
_TAPS: dict[str, tuple[Callable[..., Taps], tuple[int, ...]]] = {
    "nearest": (_nearest(0.0), (1, 2, 3)),
    "nearest-exact": (_nearest(0.5), (1, 2, 3)),
    "linear": (_linear, (1,)),
    "bilinear": (_linear, (2,)),
    "bicubic": (_cubic, (2,)),
    "trilinear": (_linear, (3,)),
}
"""Each mode's taps, and for how many axes it is."""


@derived(
    "interpolate(x, 5) | x=1,1,3",
    "interpolate(x, scale_factor=1.7, mode='nearest-exact') | x=1,1,3",
    "interpolate(x, size=5, mode='linear') | x=1,2,3",
    "interpolate(x, (2, 3), mode='bilinear', align_corners=True) | x=1,1,3,2",
    "interpolate(x, scale_factor=(1.6, 0.5), mode='bilinear') | x=1,1,2,4",
    "interpolate(x, scale_factor=1.6, mode='bilinear', recompute_scale_factor=True) | x=1,1,2,2",
    "interpolate(x, (3, 4), mode='bicubic') | x=1,1,2,3",
    "interpolate(x, (2, 1), mode='bicubic', align_corners=True) | x=1,1,3,2",
    "interpolate(x, (2, 3), mode='bilinear', antialias=True) | x=1,1,4,2",
    "interpolate(x, (1, 2), mode='bicubic', antialias=True) | x=1,1,2,5",
    "interpolate(x, (1, 2, 3), mode='trilinear') | x=1,1,2,2,2",
    "interpolate(x, (2, 2), mode='area') | x=1,1,3,4",
)
def interpolate(
    input: Node,
    size: PerAxis | None = None,
    scale_factor: Factors | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Node:
    """Images (batch, channels, and one to three axes) in another size, or another size by a factor."""
    axes = input.ndim - 2
    if axes not in (1, 2, 3):
        raise GradcalcError(
            "shape",
            f"`interpolate` needs a batch, channels and 1 to 3 more axes, got {input.shape}",
            operands=[with_shape(input)],
        )
    lengths = input.shape[2:]
    sizes, factors = _new_sizes(lengths, size, scale_factor, bool(recompute_scale_factor))
    _check_interpolation(axes, mode, align_corners, antialias)
    if min(sizes) < 1 or min(lengths) < 1:
        raise GradcalcError(
            "arguments", f"`interpolate` cannot make {sizes} of {lengths}", operands=[with_shape(input)]
        )
    if mode == "area":
        pooled: Node = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[axes - 1](input, sizes)
        return pooled
    make = _SMOOTH[mode] if antialias else _TAPS[mode][0]
    if axes == 2 and mode.startswith("nearest"):
        make = _nearest_of_image(0.5 if mode == "nearest-exact" else 0.0)
    for axis in range(axes):
        taps = make(lengths[axis], sizes[axis], factors[axis], bool(align_corners))
        input = _resampled(input, axis + 2, taps)
    return input


def _new_sizes(
    lengths: tuple[int, ...], size: PerAxis | None, scale_factor: Factors | None, recompute: bool
) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    axes = len(lengths)
    if (size is None) == (scale_factor is None):
        raise GradcalcError("arguments", "`interpolate` needs `size` or `scale_factor`, one of the two")
    if size is not None:
        if recompute:
            raise GradcalcError(
                "arguments", "`recompute_scale_factor` has no meaning with `size`", helps=["leave it out"]
            )
        return each(size, axes, "size"), (None,) * axes
    given = scale_factor if isinstance(scale_factor, tuple) else (scale_factor,) * axes
    if len(given) != axes or not all(isinstance(one, (int, float)) and 0 < one < math.inf for one in given):
        raise GradcalcError("arguments", f"`scale_factor` must be positive, one number or {axes}, got {scale_factor}")
    factors = tuple(float(one) for one in given if one is not None)
    sizes = tuple(math.floor(n * by) for n, by in zip(lengths, factors, strict=True))
    return sizes, (None,) * axes if recompute else factors


def _check_interpolation(axes: int, mode: str, align_corners: bool | None, antialias: bool) -> None:
    fitting = [name for name, (_, fits) in _TAPS.items() if axes in fits] + ["area"]
    if mode not in fitting:
        raise GradcalcError(
            "arguments",
            f"`interpolate` has no mode {mode!r} for {axes} axes behind batch and channels",
            helps=[f"modes: {', '.join(fitting)}"],
        )
    if align_corners is not None and mode in ("nearest", "nearest-exact", "area"):
        raise GradcalcError("arguments", f"`align_corners` has no meaning with mode {mode!r}", helps=["leave it out"])
    if antialias and mode not in _SMOOTH:
        raise GradcalcError("arguments", "`antialias` goes with the modes 'bilinear' and 'bicubic' only")


@derived(
    "upsample(x, 4) | x=1,1,2",
    "upsample(x, scale_factor=2, mode='bilinear', align_corners=True) | x=1,1,2,2",
)
def upsample(
    input: Node,
    size: PerAxis | None = None,
    scale_factor: Factors | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Node:
    """The old name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


@derived("upsample_nearest(x, scale_factor=2) | x=1,1,2", "upsample_nearest(x, (3, 1)) | x=1,1,2,2")
def upsample_nearest(input: Node, size: PerAxis | None = None, scale_factor: Factors | None = None) -> Node:
    """Images in another size, each element that of the place it falls into."""
    return interpolate(input, size, scale_factor, "nearest")


@derived("upsample_bilinear(x, scale_factor=2) | x=1,1,2,2", "upsample_bilinear(x, (3, 1)) | x=1,1,2,2")
def upsample_bilinear(input: Node, size: PerAxis | None = None, scale_factor: Factors | None = None) -> Node:
    """Images in another size by `interpolate` with mode 'bilinear' and aligned corners."""
    return interpolate(input, size, scale_factor, "bilinear", True)
