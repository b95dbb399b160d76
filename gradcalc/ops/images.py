"""Images: pixels moved between channels and places, and images looked up at any coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, Shape, constant
from .arithmetic import abs, greater_equal, less_equal, logical_and, mod, round, where
from .indexing import element, gather
from .joining import stack
from .kinds import derived, reshape, with_shape
from .linalg import einsum
from .ordering import cell, place
from .shape import expand_dims, moveaxis, swapaxes

# pixels and channels ----------------------------------------------------------------------------


def _refuse(message: str, x: Node) -> GradcalcError:
    return GradcalcError("shape", f"{message}, got shape {x.shape}", operands=[with_shape(x)])


@derived("pixel_shuffle(x, 2) | x=4,1,2", "pixel_shuffle(x, 2) | x=1,4,2,1")
def pixel_shuffle(input: Node, upscale_factor: int) -> Node:
    """Channels as pixels: (…, c*r*r, height, width) becomes (…, c, height*r, width*r)."""
    r = upscale_factor
    if input.ndim < 3 or r < 1 or input.shape[-3] % (r * r):
        raise _refuse(f"`pixel_shuffle` needs an image whose channels divide by {r * r}", input)
    *batch, channels, height, width = input.shape
    split = reshape(input, (*batch, channels // (r * r), r, r, height, width))
    return reshape(moveaxis(split, (-4, -3), (-3, -1)), (*batch, channels // (r * r), height * r, width * r))


@derived("pixel_unshuffle(x, 2) | x=1,2,4", "pixel_unshuffle(x, 2) | x=1,2,2,2")
def pixel_unshuffle(input: Node, downscale_factor: int) -> Node:
    """Pixels as channels: (…, c, height*r, width*r) becomes (…, c*r*r, height, width)."""
    r = downscale_factor
    if input.ndim < 3 or r < 1 or input.shape[-1] % r or input.shape[-2] % r:
        raise _refuse(f"`pixel_unshuffle` needs an image whose sides divide by {r}", input)
    *batch, channels, height, width = input.shape
    split = reshape(input, (*batch, channels, height // r, r, width // r, r))
    return reshape(moveaxis(split, (-3, -1), (-4, -3)), (*batch, channels * r * r, height // r, width // r))


@derived("channel_shuffle(x, 2) | x=1,4,2", "channel_shuffle(x, 3) | x=1,6,1,1", spellings=("native_channel_shuffle",))
def channel_shuffle(input: Node, groups: int) -> Node:
    """Groups of channels dealt out: the first of each group come first, then the second ones."""
    if input.ndim < 3 or groups < 1 or input.shape[1] % groups:
        raise _refuse(f"`channel_shuffle` needs a batch whose channels divide into {groups} groups", input)
    batch, channels, *rest = input.shape
    split = reshape(input, (batch, groups, channels // groups, *rest))
    return reshape(swapaxes(split, 1, 2), input.shape)


# images at coordinates --------------------------------------------------------------------------

# A coordinate is compared with the ends of its axis by the cell it is in, which is flat: so no condition hangs on it.

Into = Callable[[Node, int], Node]
"""A coordinate, and the length of its axis, to the coordinate where padding finds it."""

Taps = tuple[Node, Node]
"""The places around a coordinate and their weights, along a last axis."""


def _kept(at: Node, n: int) -> Node:
    """Within the axis; on its ends, as outside, a coordinate that moves changes nothing."""
    return where(cell(-at) >= 0.0, 0.0, where(cell(at) >= n - 1.0, n - 1.0, at))


def _turned_back(low: float, span: float) -> Callable[[Node], Node]:
    def turned(at: Node) -> Node:
        far = abs(at - low)
        turns = cell(far / span)
        rest = far - turns * span
        return low + where(mod(turns, 2.0) < 0.5, rest, span - rest)

    return turned


def _reflected(at: Node, n: int, align: bool) -> Node:
    low, span = (0.0, n - 1.0) if align else (-0.5, float(n))
    return constant(np.zeros(at.shape)) if span == 0 else _kept(_turned_back(low, span)(at), n)


def _into(padding: str, align: bool) -> Into:
    return {
        "zeros": lambda at, n: at,
        "border": _kept,
        "reflection": lambda at, n: _reflected(at, n, align),
    }[padding]


def _looked_up(pixels: Node, places: Sequence[Node], lengths: Shape) -> Node:
    """The elements at whole places, with channels last; 0 outside."""
    pairs = list(zip(places, lengths, strict=True))
    inside = reduce(logical_and, [logical_and(greater_equal(at, 0.0), less_equal(at, n - 1.0)) for at, n in pairs])
    found = [place(at, n) for at, n in pairs]
    rows = np.arange(pixels.shape[0], dtype=np.float64).reshape(-1, *(1,) * (inside.ndim - 1))
    return where(expand_dims(inside, -1), gather(pixels, (constant(rows), *found), 1), 0.0)


def _blended(pixels: Node, lengths: Shape, taps: Sequence[Taps]) -> Node:
    """The sum over all combinations of each axis's places, times their weights."""
    axes = len(taps)
    apart = [
        expand_dims(places, tuple(-1 - k for k in range(axes) if k != axes - 1 - i))
        for i, (places, _) in enumerate(taps)
    ]
    letters = "ijk"[:axes]
    terms = ",".join([f"...{letters}c", *(f"...{letter}" for letter in letters)])
    return einsum(f"{terms}->...c", _looked_up(pixels, apart, lengths), *(weights for _, weights in taps))


def _linear_taps(at: Node) -> Taps:
    low = cell(at)
    part = at - low
    return expand_dims(low, -1) + constant(np.arange(2)), stack([1.0 - part, part], -1)


def _cubic_taps(at: Node, n: int, into: Into) -> Taps:
    low = cell(at)
    part, a = at - low, -0.75
    rest = 1.0 - part
    weights = [_far(1.0 + part, a), _near(part, a), _near(rest, a), _far(1.0 + rest, a)]
    return cell(into(expand_dims(low, -1) + constant(np.arange(-1, 3)), n) + 0.25), stack(weights, -1)


def _near(d: Node, a: float) -> Node:
    return ((a + 2) * d - (a + 3)) * d * d + 1.0


def _far(d: Node, a: float) -> Node:
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a


def _sampled(x: Node, grid: Node, mode: str, padding: str, align: bool, what: str) -> Node:
    axes = x.ndim - 2
    if axes not in (2, 3) or grid.ndim != x.ndim or grid.shape[-1] != axes or grid.shape[0] != x.shape[0]:
        raise GradcalcError(
            "shape",
            f"`{what}` needs images (batch, channels, height, width) and a grid (batch, rows, columns, 2), or one axis "
            f"and coordinate more, got {x.shape} and {grid.shape}",
            operands=[with_shape(x), with_shape(grid)],
        )
    lengths = x.shape[2:]
    if min(lengths) < 1:
        raise _refuse(f"`{what}` needs images that are not empty", x)
    if mode == "bicubic" and axes == 3:
        raise GradcalcError("arguments", f"`{what}` has no mode 'bicubic' for volumes")
    into = _into(padding, align)
    pixels = moveaxis(x, 1, -1)
    coordinates = [_unscaled(element(grid, -1, axes - 1 - i), n, align) for i, n in enumerate(lengths)]
    if mode == "bicubic":
        taps = [_cubic_taps(at, n, into) for at, n in zip(coordinates, lengths, strict=True)]
        return moveaxis(_blended(pixels, lengths, taps), -1, 1)
    coordinates = [into(at, n) for at, n in zip(coordinates, lengths, strict=True)]
    if mode == "nearest":
        return moveaxis(_looked_up(pixels, [cell(round(at)) for at in coordinates], lengths), -1, 1)
    return moveaxis(_blended(pixels, lengths, [_linear_taps(at) for at in coordinates]), -1, 1)


def _unscaled(at: Node, n: int, align: bool) -> Node:
    """From -1 to 1 across the image, to places of its pixels."""
    return (at + 1.0) * ((n - 1) / 2) if align else ((at + 1.0) * float(n) - 1.0) / 2.0


_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")
_CELLS = Kink(
    at="a coordinate is on a pixel, on the edge, or for 'nearest' half-way", takes="the slope on its right, 0"
)


@derived(
    "grid_sample(x, g) | x=1,1,2,3 g=1,2,1,2",
    "grid_sample(x, g, align_corners=True) | x=1,2,2,2 g=1,1,2,2",
    "grid_sample(x, g, 'nearest', 'border') | x=1,1,2,2 g=1,1,2,2",
    "grid_sample(x, g, padding_mode='border', align_corners=True) | x=1,1,3,2 g=1,1,2,2",
    "grid_sample(x, g, padding_mode='reflection') | x=1,1,3,2 g=1,1,2,2",
    "grid_sample(x, g, padding_mode='reflection', align_corners=True) | x=1,1,2,3 g=1,1,2,2",
    "grid_sample(x, g, 'bicubic') | x=1,1,2,2 g=1,1,1,2",
    "grid_sample(x, g) | x=1,1,2,2,2 g=1,1,1,1,3",
    "grid_sample(x, g, 'nearest', align_corners=True) | x=1,1,2,2,1 g=1,1,1,2,3",
    domain=((-2, 2), (-1.9, 1.9)),
    kink=_CELLS,
)
def grid_sample(
    input: Node,
    grid: Node,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Node:
    """Images looked up at a grid's coordinates (…, 2 or 3), x first, which go from -1 to 1 across them."""
    for given, known, what in ((mode, _MODES, "mode"), (padding_mode, _PADDINGS, "padding_mode")):
        if given not in known:
            raise GradcalcError(
                "arguments", f"`grid_sample` knows no {what} {given!r}", helps=[f"`{what}` may be {', '.join(known)}"]
            )
    return _sampled(input, grid, mode, padding_mode, bool(align_corners), "grid_sample")


@derived(
    "grid_sampler(x, g, 0, 0, False) | x=1,1,2,2 g=1,1,2,2",
    "grid_sampler(x, g, 1, 2, True) | x=1,1,2,2,2 g=1,1,1,1,3",
    spellings=("grid_sampler_2d", "grid_sampler_3d"),
    domain=((-2, 2), (-1.9, 1.9)),
    kink=_CELLS,
)
def grid_sampler(input: Node, grid: Node, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Node:
    """`grid_sample` with its modes by number: bilinear, nearest, bicubic; zeros, border, reflection."""
    if not 0 <= interpolation_mode <= 2 or not 0 <= padding_mode <= 2:
        raise GradcalcError("arguments", "the modes of `grid_sampler` are 0, 1 or 2")
    return _sampled(input, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners, "grid_sampler")


def _steps(n: int, align: bool) -> Any:
    if n <= 1:
        return np.zeros(n)
    return np.linspace(-1, 1, n) if align else np.linspace(-1, 1, n) * (n - 1) / n


@derived(
    "affine_grid(x, (1, 1, 2, 3)) | x=1,2,3",
    "affine_grid(x, [2, 1, 3, 1], align_corners=True) | x=2,2,3",
    "affine_grid(x, (1, 1, 2, 1, 2), align_corners=False) | x=1,3,4",
    spellings=("affine_grid_generator",),
)
def affine_grid(theta: Node, size: tuple[int, ...], align_corners: bool | None = None) -> Node:
    """The grid for `grid_sample` that matrices (batch, 2, 3), or (batch, 3, 4), map an image of a size to."""
    axes = len(size) - 2
    if axes not in (2, 3) or min(size) < 1 or theta.shape != (size[0], axes, axes + 1):
        raise GradcalcError(
            "shape",
            f"`affine_grid` needs matrices (batch, 2, 3) and a size of 4, or (batch, 3, 4) and 5, "
            f"got {theta.shape} and {tuple(size)}",
            operands=[with_shape(theta)],
        )
    steps = [_steps(n, bool(align_corners)) for n in size[2:]]
    places = np.meshgrid(*steps, indexing="ij")
    flat = np.stack([*(one.ravel() for one in reversed(places)), np.ones(places[0].size)], -1)
    return reshape(constant(flat) @ swapaxes(theta, -1, -2), (size[0], *size[2:], axes))
