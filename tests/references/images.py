"""Convolutions, pooling, padding, resizing and sampling of images, as documented: one element at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

PLACES = np.ndindex
"""Every place of an array with the given lengths."""


def _each(value: Any, axes: int) -> tuple[Any, ...]:
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return given if len(given) == axes else given * axes


def _batched(function: Callable[..., Any], axes: int, x: Any, *rest: Any) -> Any:
    """A function of one image (channels and `axes` more) for each image of a batch, if there is one."""
    if x.ndim == axes + 1:
        return function(x, *rest)
    return np.stack([function(one, *rest) for one in x])


def _at(x: Any, place: Any, outside: float = 0.0) -> Any:
    """The element of each channel at a place, which may be outside."""
    if all(0 <= p < n for p, n in zip(place, x.shape[1:], strict=True)):
        return x[(slice(None), *place)]
    return np.full(x.shape[0], outside)


# windows ----------------------------------------------------------------------------------------------


def _windows(x: Any, size: Any, step: Any, dilation: Any) -> Any:
    n = len(size)
    lead, lengths = x.shape[: x.ndim - n], x.shape[x.ndim - n :]
    counts = [(m - d * (k - 1) - 1) // s + 1 for m, k, s, d in zip(lengths, size, step, dilation, strict=True)]
    out = np.zeros((*lead, *counts, *size))
    for o in PLACES(*counts):
        for k in PLACES(*size):
            out[(..., *o, *k)] = x[(..., *(a * s + b * d for a, s, b, d in zip(o, step, k, dilation, strict=True)))]
    return out


def _add_windows(x: Any, lengths: Any, step: Any, dilation: Any) -> Any:
    n = len(lengths)
    counts, size = x.shape[-2 * n : -n], x.shape[-n:]
    out = np.zeros((*x.shape[: -2 * n], *lengths))
    for o in PLACES(*counts):
        for k in PLACES(*size):
            out[(..., *(a * s + b * d for a, s, b, d in zip(o, step, k, dilation, strict=True)))] += x[(..., *o, *k)]
    return out


def _method_unfold(x: Any, dimension: int, size: int, step: int) -> Any:
    rows = np.moveaxis(x, dimension, 0)
    cuts = [np.moveaxis(rows[i : i + size], 0, -1) for i in range(0, len(rows) - size + 1, step)]
    return np.stack(cuts, dimension if dimension >= 0 else dimension + x.ndim)


def _unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    k, d, p, s = (_each(value, 2) for value in (kernel_size, dilation, padding, stride))

    def columns(one: Any) -> Any:
        counts = [(one.shape[i + 1] + 2 * p[i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)]
        made = []
        for o in PLACES(*counts):
            parts = [_at(one, [o[i] * s[i] - p[i] + j[i] * d[i] for i in range(2)]) for j in PLACES(*k)]
            made.append(np.stack(parts, -1).ravel())
        return np.stack(made, -1)

    return _batched(columns, 2, x)


def _fold(x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    size, k, d, p, s = (_each(value, 2) for value in (output_size, kernel_size, dilation, padding, stride))

    def image(one: Any) -> Any:
        channels = one.shape[0] // math.prod(k)
        out = np.zeros((channels, *size))
        counts = [(size[i] + 2 * p[i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)]
        for column, o in enumerate(PLACES(*counts)):
            for c, *j in PLACES(channels, *k):
                at = [o[i] * s[i] - p[i] + j[i] * d[i] for i in range(2)]
                if all(0 <= at[i] < size[i] for i in range(2)):
                    out[c, at[0], at[1]] += one[(c * k[0] + j[0]) * k[1] + j[1], column]
        return out

    return image(x) if x.ndim == 2 else np.stack([image(one) for one in x])


# convolutions -------------------------------------------------------------------------------------------


def _conv(axes: int) -> Callable[..., Any]:
    def conv(
        x: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        s, d, k = _each(stride, axes), _each(dilation, axes), weight.shape[2:]
        total = [d[i] * (k[i] - 1) for i in range(axes)]
        if padding == "same":
            before, after = [n // 2 for n in total], [n - n // 2 for n in total]
        else:
            before = after = list(_each(0 if padding == "valid" else padding, axes))
        out, per_group = weight.shape[0], weight.shape[1]

        def one(image: Any) -> Any:
            counts = [(image.shape[i + 1] + before[i] + after[i] - total[i] - 1) // s[i] + 1 for i in range(axes)]
            y = np.zeros((out, *counts))
            for o in range(out):
                first = o // (out // groups) * per_group
                for place in PLACES(*counts):
                    for j in PLACES(*k):
                        at = [place[i] * s[i] - before[i] + j[i] * d[i] for i in range(axes)]
                        y[(o, *place)] += weight[(o, slice(None), *j)] @ _at(image, at)[first : first + per_group]
                y[o] += 0 if bias is None else bias[o]
            return y

        return _batched(one, axes, x)

    return conv


def _conv_transpose(axes: int) -> Callable[..., Any]:
    def conv_transpose(
        x: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Any:
        s, p, more, d = (_each(value, axes) for value in (stride, padding, output_padding, dilation))
        k, out = weight.shape[2:], weight.shape[1]

        def one(image: Any) -> Any:
            counts = image.shape[1:]
            sizes = [(counts[i] - 1) * s[i] - 2 * p[i] + d[i] * (k[i] - 1) + more[i] + 1 for i in range(axes)]
            y = np.zeros((out * groups, *sizes))
            for c, *place in PLACES(*image.shape):
                group = c // (image.shape[0] // groups)
                for o, *j in PLACES(out, *k):
                    at = [place[i] * s[i] - p[i] + j[i] * d[i] for i in range(axes)]
                    if all(0 <= at[i] < sizes[i] for i in range(axes)):
                        y[(group * out + o, *at)] += image[(c, *place)] * weight[(c, o, *j)]
            return y if bias is None else y + np.reshape(bias, (-1, *(1,) * axes))

        return _batched(one, axes, x)

    return conv_transpose


def _convolution(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, more: Any, groups: int
) -> Any:
    if transposed:
        return _conv_transpose(w.ndim - 2)(x, w, b, stride, padding, more, groups, dilation)
    return _conv(w.ndim - 2)(x, w, b, stride, padding, dilation, groups)


def _conv_tbc(x: Any, weight: Any, bias: Any, pad: int = 0) -> Any:
    time, batch, _ = x.shape
    y = np.zeros((time + 2 * pad - len(weight) + 1, batch, weight.shape[2]))
    for t, b in PLACES(*y.shape[:2]):
        y[t, b] = bias
        for j in range(len(weight)):
            if 0 <= t + j - pad < time:
                y[t, b] += x[t + j - pad, b] @ weight[j]
    return y


def _stretches(x: Any, y: Any) -> Any:
    n = y.shape[-1]
    return np.stack([np.sum(x[..., i : i + n] * y, -1) for i in range(x.shape[-1] - n + 1)], -1)


# pooling ------------------------------------------------------------------------------------------------


def _count(n: int, k: int, s: int, p: int, d: int, ceil_mode: bool) -> int:
    exact = (n + 2 * p - d * (k - 1) - 1) / s + 1
    count = math.ceil(exact) if ceil_mode else math.floor(exact)
    return count - 1 if ceil_mode and (count - 1) * s >= n + p else count


def _avg_pool(axes: int) -> Callable[..., Any]:
    def avg_pool(
        x: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        k, p = _each(kernel_size, axes), _each(padding, axes)
        s = k if stride is None else _each(stride, axes)

        def one(image: Any) -> Any:
            n = image.shape[1:]
            counts = [_count(n[i], k[i], s[i], p[i], 1, ceil_mode) for i in range(axes)]
            y = np.zeros((image.shape[0], *counts))
            for o in PLACES(*counts):
                starts = [o[i] * s[i] - p[i] for i in range(axes)]
                places = list(itertools.product(*(range(starts[i], starts[i] + k[i]) for i in range(axes))))
                inside = [at for at in places if all(0 <= at[i] < n[i] for i in range(axes))]
                padded = [at for at in places if all(at[i] < n[i] + p[i] for i in range(axes))]
                divisor = divisor_override or len(padded if count_include_pad else inside)
                y[(slice(None), *o)] = sum(_at(image, at) for at in inside) / divisor
            return y

        return _batched(one, axes, x)

    return avg_pool


def _best(image: Any, places: Any) -> tuple[Any, Any]:
    """The largest of each channel among some places, and the number of its place."""
    values = np.stack([_at(image, at, -math.inf) for at in places])
    numbers = [sum(at[i] * math.prod(image.shape[i + 2 :]) for i in range(len(at))) for at in places]
    return values.max(0), np.asarray(numbers, float)[values.argmax(0)]


def _pair(x: Any, axes: int, one: Callable[[Any], tuple[Any, Any]]) -> tuple[Any, Any]:
    if x.ndim == axes + 1:
        return one(x)
    both = [one(image) for image in x]
    return np.stack([y for y, _ in both]), np.stack([i for _, i in both])


def _max_pool(axes: int, always: bool = False) -> Callable[..., Any]:
    def max_pool(
        x: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        k, p, d = (_each(value, axes) for value in (kernel_size, padding, dilation))
        s = k if stride is None else _each(stride, axes)

        def one(image: Any) -> tuple[Any, Any]:
            counts = [_count(image.shape[i + 1], k[i], s[i], p[i], d[i], ceil_mode) for i in range(axes)]
            y = np.zeros((2, image.shape[0], *counts))
            for o in PLACES(*counts):
                places = [[o[i] * s[i] - p[i] + j[i] * d[i] for i in range(axes)] for j in PLACES(*k)]
                y[(0, slice(None), *o)], y[(1, slice(None), *o)] = _best(image, places)
            return y[0], y[1]

        found = _pair(x, axes, one)
        return found if return_indices or always else found[0]

    return max_pool


def _shares(n: int, count: int, i: int) -> range:
    return range(math.floor(i * n / count), math.ceil((i + 1) * n / count))


def _adaptive(axes: int, kind: str) -> Callable[..., Any]:
    def adaptive(x: Any, output_size: Any, return_indices: bool = False) -> Any:
        n = x.shape[-axes:]
        sizes = [n[i] if m is None else m for i, m in enumerate(_each(output_size, axes))]

        def one(image: Any) -> tuple[Any, Any]:
            y = np.zeros((2, image.shape[0], *sizes))
            for o in PLACES(*sizes):
                places = list(itertools.product(*(_shares(n[i], sizes[i], o[i]) for i in range(axes))))
                best = _best(image, places)
                mean = sum(_at(image, at) for at in places) / len(places)
                y[(0, slice(None), *o)] = mean if kind == "mean" else best[0]
                y[(1, slice(None), *o)] = best[1]
            return y[0], y[1]

        found = _pair(x, axes, one)
        return found if return_indices or kind == "both" else found[0]

    return adaptive


def _lp_pool(axes: int) -> Callable[..., Any]:
    def lp_pool(x: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
        means = _avg_pool(axes)(x**norm_type, kernel_size, stride, 0, ceil_mode)
        return (means * math.prod(_each(kernel_size, axes))) ** (1 / norm_type)

    return lp_pool


def _max_unpool(axes: int) -> Callable[..., Any]:
    def max_unpool(
        x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Any:
        k, p = _each(kernel_size, axes), _each(padding, axes)
        s = k if stride is None else _each(stride, axes)
        n, lead = x.shape[-axes:], x.shape[:-axes]
        sizes = [(n[i] - 1) * s[i] - 2 * p[i] + k[i] for i in range(axes)]
        sizes = sizes if output_size is None else list(output_size)[-axes:]
        out = np.zeros((math.prod(lead), math.prod(sizes)))
        for row, (values, places) in enumerate(
            zip(x.reshape(len(out), -1), np.reshape(indices, (len(out), -1)), strict=True)
        ):
            for value, at in zip(values, places, strict=True):
                out[row, int(at)] = value
        return out.reshape(*lead, *sizes)

    return max_unpool


# pixels and channels --------------------------------------------------------------------------------------


def _pixel_shuffle(x: Any, r: int) -> Any:
    *lead, channels, height, width = x.shape
    out = np.zeros((*lead, channels // r**2, height * r, width * r))
    for c, h, w in PLACES(*out.shape[-3:]):
        out[..., c, h, w] = x[..., c * r**2 + (h % r) * r + w % r, h // r, w // r]
    return out


def _pixel_unshuffle(x: Any, r: int) -> Any:
    *lead, channels, height, width = x.shape
    out = np.zeros((*lead, channels * r**2, height // r, width // r))
    for c, h, w in PLACES(channels, height, width):
        out[..., c * r**2 + (h % r) * r + w % r, h // r, w // r] = x[..., c, h, w]
    return out


def _channel_shuffle(x: Any, groups: int) -> Any:
    size = x.shape[1] // groups
    return np.stack([x[:, c % groups * size + c // groups] for c in range(x.shape[1])], 1)


# padding ------------------------------------------------------------------------------------------------


def _pad(x: Any, pad_width: Any, mode: str = "constant", **options: Any) -> Any:
    """NumPy's own; the values that it takes may be arrays of arrays in an example."""
    return np.pad(x, pad_width, mode, **{name: value for name, value in options.items() if value is not None})


def _torch_pad(x: Any, pad: Any, mode: str = "constant", value: Any = 0.0) -> Any:
    widths = [(0, 0)] * (x.ndim - len(pad) // 2) + [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    grown = [n + a + b for n, (a, b) in zip(x.shape, widths, strict=True)]
    out = np.zeros(grown)
    for place in PLACES(*grown):
        at = [p - a for p, (a, _) in zip(place, widths, strict=True)]
        if mode == "replicate":
            at = [min(max(p, 0), n - 1) for p, n in zip(at, x.shape, strict=True)]
        elif mode == "circular":
            at = [p % n for p, n in zip(at, x.shape, strict=True)]
        elif mode == "reflect":
            at = [n - 1 - abs(n - 1 - abs(p)) for p, n in zip(at, x.shape, strict=True)]
        inside = all(0 <= p < n for p, n in zip(at, x.shape, strict=True))
        out[place] = x[tuple(at)] if inside else value
    return out


# values between others --------------------------------------------------------------------------------------


def _order(x: Any) -> Any:
    """For each element the number of smaller ones is its place in the order."""
    rows = [sorted(range(len(row)), key=row.__getitem__) for row in np.reshape(x, (-1, x.shape[-1])).tolist()]
    return np.reshape(rows, x.shape).astype(float)


def _knot_above(x: Any, knots: Any) -> Any:
    def above(one: float) -> float:
        return float(min(max(sum(knot <= one for knot in knots), 1), len(knots) - 1))

    return np.vectorize(above, otypes=[float])(x)


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    xp, fp = np.asarray(xp, float), np.asarray(fp, float)
    return np.interp(x, xp, fp, left=left, right=right, period=None if period is None else float(period))


def _kernel(mode: str, antialias: bool) -> tuple[Callable[[float], float], int]:
    """Weight by distance, and how far it reaches."""
    a = -0.5 if antialias else -0.75

    def cubic(d: float) -> float:
        d = abs(d)
        if d <= 1:
            return (a + 2) * d**3 - (a + 3) * d**2 + 1
        return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0

    return (cubic, 2) if mode == "bicubic" else (lambda d: max(1 - abs(d), 0), 1)


def _weights(n: int, size: int, factor: float | None, mode: str, align: bool, antialias: bool) -> Any:
    """The matrix that makes the new elements of an axis from the old ones."""
    made = np.zeros((size, n))
    for i in range(size):
        scale = n / size if factor is None else 1 / factor
        if align:
            scale = (n - 1) / (size - 1) if size > 1 else 0.0
        if mode.startswith("nearest"):
            made[i, min(math.floor((i + (mode == "nearest-exact") / 2) * scale), n - 1)] = 1
        elif mode == "area":
            made[i, list(_shares(n, size, i))] = 1 / len(_shares(n, size, i))
        elif antialias:
            kernel, _ = _kernel(mode, True)
            row = [kernel((j + 0.5 - (i + 0.5) * scale) / max(scale, 1)) for j in range(n)]
            made[i] = np.array(row) / sum(row)
        else:
            kernel, reach = _kernel(mode, False)
            at = i * scale if align else (i + 0.5) * scale - 0.5
            at = at if mode == "bicubic" else min(max(at, 0), n - 1)
            for j in range(math.floor(at) - reach, math.floor(at) + reach + 2):
                made[i, min(max(j, 0), n - 1)] += kernel(at - j)
    return made


def _interpolate(
    x: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool = False,
    antialias: bool = False,
) -> Any:
    axes = x.ndim - 2
    factors = _each(scale_factor, axes)
    for axis in range(axes):
        n, factor = x.shape[axis + 2], factors[axis]
        new = _each(size, axes)[axis] if factor is None else math.floor(n * factor)
        used = None if recompute_scale_factor else factor
        matrix = _weights(n, new, used, mode, bool(align_corners), antialias)
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis + 2)), 0, axis + 2)
    return x


# images at coordinates ----------------------------------------------------------------------------------------


def _inward(at: float, n: int, padding: str, align: bool) -> float:
    """Where padding finds a coordinate."""
    if padding == "border":
        return min(max(at, 0), n - 1)
    if padding == "reflection":
        low, high = (0.0, n - 1.0) if align else (-0.5, n - 0.5)
        while high > low and not low <= at <= high:
            at = 2 * low - at if at < low else 2 * high - at
        return min(max(at, 0), n - 1)
    return at


def _grid_sample(
    x: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Any:
    axes, align = x.ndim - 2, bool(align_corners)
    out = np.zeros((x.shape[0], x.shape[1], *grid.shape[1:-1]))
    kernel, reach = _kernel(mode, False)
    for b, *place in PLACES(x.shape[0], *grid.shape[1:-1]):
        at = []
        for i, n in enumerate(x.shape[2:]):
            g = grid[(b, *place, axes - 1 - i)]
            one = (g + 1) / 2 * (n - 1) if align else ((g + 1) * n - 1) / 2
            at.append(one if mode == "bicubic" else _inward(one, n, padding_mode, align))
        if mode == "nearest":
            out[(b, slice(None), *place)] = _at(x[b], [round(one) for one in at])
            continue
        near = [range(math.floor(one) - reach + 1, math.floor(one) + reach + 1) for one in at]
        for corner in itertools.product(*near):
            weight = math.prod(kernel(one - j) for one, j in zip(at, corner, strict=True))
            found = [
                round(_inward(j, n, padding_mode, align)) if mode == "bicubic" else j
                for j, n in zip(corner, x.shape[2:], strict=True)
            ]
            out[(b, slice(None), *place)] += weight * _at(x[b], found)
    return out


def _grid_sampler(x: Any, grid: Any, mode: int, padding: int, align: bool) -> Any:
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    return _grid_sample(x, grid, modes[mode], paddings[padding], align)


def _affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    lengths = tuple(size)[2:]

    def coordinate(i: int, n: int) -> float:
        if n == 1:
            return 0.0
        return -1 + 2 * i / (n - 1) if align_corners else (2 * i + 1) / n - 1

    out = np.zeros((size[0], *lengths, len(lengths)))
    for b, *place in PLACES(size[0], *lengths):
        at = [coordinate(i, n) for i, n in zip(place, lengths, strict=True)]
        out[(b, *place)] = theta[b] @ [*reversed(at), 1.0]
    return out


_RANKS = (1, 2, 3)
FUNCTIONS = {
    "windows": _windows,
    "add_windows": _add_windows,
    "sliding_window_view": np.lib.stride_tricks.sliding_window_view,
    "torch.unfold": _method_unfold,
    "F.unfold": _unfold,
    "F.fold": _fold,
    **{f"conv{n}d": _conv(n) for n in _RANKS},
    **{f"conv_transpose{n}d": _conv_transpose(n) for n in _RANKS},
    "stretches": _stretches,
    "torch.convolution": _convolution,
    "conv_tbc": _conv_tbc,
    **{f"avg_pool{n}d": _avg_pool(n) for n in _RANKS},
    **{f"max_pool{n}d": _max_pool(n) for n in _RANKS},
    **{f"max_pool{n}d_with_indices": _max_pool(n, always=True) for n in _RANKS},
    **{f"max_unpool{n}d": _max_unpool(n) for n in _RANKS},
    **{f"adaptive_avg_pool{n}d": _adaptive(n, "mean") for n in _RANKS},
    **{f"adaptive_max_pool{n}d": _adaptive(n, "max") for n in _RANKS},
    **{f"adaptive_max_pool{n}d_with_indices": _adaptive(n, "both") for n in _RANKS},
    "torch.adaptive_max_pool1d": _adaptive(1, "both"),
    **{f"lp_pool{n}d": _lp_pool(n) for n in _RANKS},
    "pixel_shuffle": _pixel_shuffle,
    "pixel_unshuffle": _pixel_unshuffle,
    "channel_shuffle": _channel_shuffle,
    "pad": _pad,
    "F.pad": _torch_pad,
    "torch.constant_pad_nd": lambda x, pad, value=0.0: _torch_pad(x, pad, value=value),
    "order": _order,
    "knot_above": _knot_above,
    "cell": np.floor,
    "place": lambda x, length: np.vectorize(lambda one: float(min(max(one // 1, 0), length - 1)), otypes=[float])(x),
    "interp": _interp,
    "interpolate": _interpolate,
    "upsample": _interpolate,
    "upsample_nearest": lambda x, size=None, scale_factor=None: _interpolate(x, size, scale_factor),
    "upsample_bilinear": lambda x, size=None, scale_factor=None: _interpolate(x, size, scale_factor, "bilinear", True),
    "grid_sample": _grid_sample,
    "grid_sampler": _grid_sampler,
    "affine_grid": _affine_grid,
}
