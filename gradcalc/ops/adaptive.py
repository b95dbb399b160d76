"""Pooling to a size that is asked for, and pooling by norms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, constant
from . import reduce
from .arithmetic import equal, where
from .elementwise import power
from .indexing import pick
from .kinds import PerAxis, Sizes, derived, with_shape
from .pooling import Both, Pool, averaged, largest
from .shape import moveaxis
from .windows import image, windows

_TIES = Kink(at="several elements of a window are largest", takes="an even share for each")


def _sizes(x: Node, output_size: Sizes, axes: int, what: str) -> tuple[int, ...]:
    given = output_size if isinstance(output_size, tuple) else (output_size,) * axes
    if len(given) not in (1, axes):
        raise GradcalcError("arguments", f"`output_size` of `{what}` must be one number or {axes}, got {output_size}")
    given = given * axes if len(given) == 1 else given
    lengths = image(x, axes, what).shape[-axes:]
    sizes = tuple(n if m is None else m for n, m in zip(lengths, given, strict=True))
    if min(sizes) < 1 or min(lengths) < 1:
        raise GradcalcError(
            "arguments",
            f"`{what}` cannot make {sizes} of lengths {lengths}: all must be 1 or more",
            operands=[with_shape(x)],
        )
    return sizes


def _shares(n: int, count: int) -> Any:
    """For each of `count` windows the places of an axis of length n that it covers; -1 where it has no more."""
    starts = np.arange(count) * n // count
    ends = -(-(np.arange(count) + 1) * n // count)
    places = starts[:, None] + np.arange((ends - starts).max())
    return np.where(places < ends[:, None], places, -1)


def _ragged(x: Node, all_places: list[Any], outside: float) -> Node:
    """The windows at the given places of the last axes: they are counted there, new axes run through each."""
    size = tuple(places.shape[1] for places in all_places)
    step = tuple(int(places[1, 0]) if len(places) > 1 else 1 for places in all_places)
    starts = zip(all_places, step, strict=True)
    if all(by > 0 and np.array_equal(places[:, 0], np.arange(len(places)) * by) for places, by in starts) and all(
        (places >= 0).all() for places in all_places
    ):
        return windows(x, size, step, (1,) * len(size))
    for at, places in enumerate(all_places, x.ndim - len(all_places)):
        x = pick(x, at, np.maximum(places, 0))
        column = (*places.shape, *(1,) * (x.ndim - at - 2))
        if (places < 0).any():
            x = where(constant((places >= 0).reshape(column)), x, outside)
        x = moveaxis(x, at + 1, -1)
    return x


def _adaptive_mean(x: Node, output_size: Sizes, axes: int) -> Node:
    sizes = _sizes(x, output_size, axes, f"adaptive_avg_pool{axes}d")
    all_places = [_shares(n, count) for n, count in zip(x.shape[-axes:], sizes, strict=True)]
    total: Node = reduce.sum(_ragged(x, all_places, 0.0), tuple(range(-axes, 0)))
    counts: Any = np.ones(())
    for places in all_places:
        counts = counts[..., None] * (places >= 0).sum(1)
    return total / (float(counts.flat[0]) if np.ptp(counts) == 0 else constant(counts))


@derived("adaptive_avg_pool1d(x, 2) | x=1,4", "adaptive_avg_pool1d(x, 3) | x=1,1,5")
def adaptive_avg_pool1d(input: Node, output_size: Sizes) -> Node:
    """Means of as many windows as asked for, which together cover the last axis."""
    return _adaptive_mean(input, output_size, 1)


@derived(
    "adaptive_avg_pool2d(x, 2) | x=1,3,4",
    "adaptive_avg_pool2d(x, (1, None)) | x=1,1,2,3",
    "adaptive_avg_pool2d(x, (2, 1)) | x=1,4,2",
)
def adaptive_avg_pool2d(input: Node, output_size: Sizes) -> Node:
    """Means of as many windows as asked for, which together cover the last two axes."""
    return _adaptive_mean(input, output_size, 2)


@derived("adaptive_avg_pool3d(x, (1, 2, 2)) | x=1,2,3,2", "adaptive_avg_pool3d(x, 1) | x=1,1,2,2,2")
def adaptive_avg_pool3d(input: Node, output_size: Sizes) -> Node:
    """Means of as many windows as asked for, which together cover the last three axes."""
    return _adaptive_mean(input, output_size, 3)


def _adaptive_max(x: Node, output_size: Sizes, axes: int, indices: bool) -> Node | Both:
    sizes = _sizes(x, output_size, axes, f"adaptive_max_pool{axes}d")
    lengths = x.shape[-axes:]
    all_places = [_shares(n, count) for n, count in zip(lengths, sizes, strict=True)]
    return largest(_ragged(x, all_places, -math.inf), all_places, lengths, indices)


@derived(
    "adaptive_max_pool1d(x, 2) | x=1,4",
    "adaptive_max_pool1d(x, 3, return_indices=True)[0] | x=1,1,5",
    "adaptive_max_pool1d(x, 3, True)[1] | x=2,5",
    spellings=("F.adaptive_max_pool1d",),
    kink=_TIES,
)
def adaptive_max_pool1d(input: Node, output_size: Sizes, return_indices: bool = False) -> Node | Both:
    """Largest elements of as many windows as asked for, which together cover the last axis; perhaps their places."""
    return _adaptive_max(input, output_size, 1, return_indices)


@derived(
    "adaptive_max_pool2d(x, 2) | x=1,1,2,4",
    "adaptive_max_pool2d(x, (2, None)) | x=1,3,2",
    "adaptive_max_pool2d(x, (2, 2), return_indices=True)[1] | x=1,3,4",
    kink=_TIES,
)
def adaptive_max_pool2d(input: Node, output_size: Sizes, return_indices: bool = False) -> Node | Both:
    """Largest elements of as many windows as asked for, which together cover the last two axes; perhaps places."""
    return _adaptive_max(input, output_size, 2, return_indices)


@derived(
    "adaptive_max_pool3d(x, (1, 2, 2)) | x=1,2,3,2",
    "adaptive_max_pool3d(x, 1, return_indices=True)[1] | x=1,1,2,2,2",
    kink=_TIES,
)
def adaptive_max_pool3d(input: Node, output_size: Sizes, return_indices: bool = False) -> Node | Both:
    """Largest elements of as many windows as asked for, which together cover the last three axes; perhaps places."""
    return _adaptive_max(input, output_size, 3, return_indices)


@derived(
    "torch.adaptive_max_pool1d(x, 2)[0] | x=1,4",
    "torch.adaptive_max_pool1d(x, (3,))[1] | x=1,4",
    name="torch.adaptive_max_pool1d",
    kink=_TIES,
)
def torch_adaptive_max_pool1d(input: Node, output_size: Sizes) -> Node | Both:
    """Largest elements of as many windows as asked for over the last axis, and their places."""
    return _adaptive_max(input, output_size, 1, True)


@derived("adaptive_max_pool1d_with_indices(x, 2)[0] | x=1,4", kink=_TIES)
def adaptive_max_pool1d_with_indices(input: Node, output_size: Sizes, return_indices: bool = False) -> Node | Both:
    """Largest elements of as many windows as asked for over the last axis, and their places."""
    return _adaptive_max(input, output_size, 1, True)


@derived("adaptive_max_pool2d_with_indices(x, 2)[1] | x=1,2,3", kink=_TIES)
def adaptive_max_pool2d_with_indices(input: Node, output_size: Sizes, return_indices: bool = False) -> Node | Both:
    """Largest elements of as many windows as asked for over the last two axes, and their places."""
    return _adaptive_max(input, output_size, 2, True)


@derived("adaptive_max_pool3d_with_indices(x, (1, 2, 1))[0] | x=1,2,2,2", kink=_TIES)
def adaptive_max_pool3d_with_indices(input: Node, output_size: Sizes, return_indices: bool = False) -> Node | Both:
    """Largest elements of as many windows as asked for over the last three axes, and their places."""
    return _adaptive_max(input, output_size, 3, True)


# norms ------------------------------------------------------------------------------------------


def _norm_pool(
    x: Node, axes: int, norm_type: float, kernel_size: PerAxis, stride: PerAxis | None, ceil_mode: bool
) -> Node:
    if norm_type == 0 or not math.isfinite(norm_type):
        raise GradcalcError("arguments", f"`lp_pool{axes}d` needs a finite norm other than 0, got {norm_type:g}")
    pool = Pool(x, axes, f"lp_pool{axes}d", kernel_size, stride, ceil_mode=ceil_mode)
    # PyTorch takes the mean of the powers times the size of a whole window, also where it reaches over the edge.
    powers = x * x if norm_type == 2 else power(x, norm_type)
    total = averaged(powers, pool, True, None) * math.prod(pool.size)
    # At 0 the root has no slope, and 0 is taken: the inner `where` keeps its infinity out of the product.
    none = equal(total, 0.0)
    return where(none, 0.0, power(where(none, 1.0, total), 1 / norm_type))


_AT_ZERO = Kink(at="every element of a window is 0", takes="0")


@derived(
    "lp_pool1d(x, 2, 2) | x=1,4",
    "lp_pool1d(x, 3, 2, stride=1, ceil_mode=True) | x=1,2,3",
    "lp_pool1d(x, 1.5, 2, 2, True) | x=1,3",
    domain=((0.5, 2),),
    kink=_AT_ZERO,
)
def lp_pool1d(
    input: Node, norm_type: float, kernel_size: int, stride: PerAxis | None = None, ceil_mode: bool = False
) -> Node:
    """Roots of sums of powers of windows over the last axis; powers of the elements themselves, not of their sizes."""
    return _norm_pool(input, 1, norm_type, kernel_size, stride, ceil_mode)


@derived(
    "lp_pool2d(x, 2, 2, 1) | x=1,2,3",
    "lp_pool2d(x, 3, (1, 2), ceil_mode=True) | x=1,1,2,3",
    domain=((0.5, 2),),
    kink=_AT_ZERO,
)
def lp_pool2d(
    input: Node, norm_type: float, kernel_size: PerAxis, stride: PerAxis | None = None, ceil_mode: bool = False
) -> Node:
    """Roots of sums of powers of windows over the last two axes."""
    return _norm_pool(input, 2, norm_type, kernel_size, stride, ceil_mode)


@derived("lp_pool3d(x, 2, 2) | x=1,2,2,2", domain=((0.5, 2),), kink=_AT_ZERO)
def lp_pool3d(
    input: Node, norm_type: float, kernel_size: PerAxis, stride: PerAxis | None = None, ceil_mode: bool = False
) -> Node:
    """Roots of sums of powers of windows over the last three axes."""
    return _norm_pool(input, 3, norm_type, kernel_size, stride, ceil_mode)
