"""Padding: borders of numbers, of an array's own elements again, or of what they say on the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, as_node, constant
from . import indexing, reduce
from .indexing import gather, index, pick, segment
from .joining import concatenate
from .kinds import Widths, broadcast_to, derived, with_shape
from .ordering import order, place
from .shape import flip, moveaxis

Pairs = Sequence[tuple[int, int]]
"""How many places come before and after each of the last axes; negative ones go away."""


def bordered(x: Node, widths: Pairs, value: Node | float = 0.0) -> Node:
    """The array with a border of one value around its last axes."""
    lengths = x.shape[x.ndim - len(widths) :]
    grown = tuple(n + before + after for n, (before, after) in zip(lengths, widths, strict=True))
    if any(n < 0 for n in grown):
        raise GradcalcError(
            "arguments", f"a padding of {tuple(widths)} takes away more than there is", operands=[with_shape(x)]
        )
    pairs = list(zip(lengths, widths, strict=True))
    kept = [slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in pairs]
    inner = indexing.get(x, (..., *kept), _no_numbers)
    if all(before <= 0 and after <= 0 for before, after in widths):
        return inner
    place = [slice(max(before, 0), n + before + min(after, 0)) for n, (before, after) in pairs]
    around = broadcast_to(as_node(value), (*x.shape[: x.ndim - len(widths)], *grown))
    return indexing.put(around, (..., *place), inner, _no_numbers)


def _no_numbers(_: Node) -> Any:
    raise AssertionError("slices need no numbers")


# NumPy's pad ------------------------------------------------------------------------------------


@derived(
    "pad(x, 2) | x=3",
    "pad(x, (1, 2), constant_values=(y, 5)) | x=2 y=",
    "pad(x, ((1, 0), (0, 2)), 'constant', constant_values=y) | x=2,2 y=2,2",
    "pad(x, ((1, 0), (2, 1)), 'edge') | x=2,2",
    "pad(x, 2, 'linear_ramp', end_values=(y, 1)) | x=3 y=",
    "pad(x, (2, 1), 'maximum', stat_length=2) | x=4",
    "pad(x, 1, 'minimum') | x=2,2",
    "pad(x, 1, 'mean', stat_length=(2, 3)) | x=4",
    "pad(x, (1, 2), 'median') | x=3",
    "pad(x, (0, 1), 'median', stat_length=2) | x=4",
    "pad(x, (2, 7), 'reflect') | x=3",
    "pad(x, (5, 3), 'reflect', reflect_type='odd') | x=3",
    "pad(x, (4, 1), mode='symmetric') | x=3",
    "pad(x, 3, 'symmetric', reflect_type='odd') | x=2",
    "pad(x, ((0, 3), (4, 1)), 'wrap') | x=2,3",
)
def pad(
    array: Node,
    pad_width: Widths,
    mode: str = "constant",
    stat_length: Widths | None = None,
    constant_values: Node | None = None,
    end_values: Node | None = None,
    reflect_type: str | None = None,
) -> Node:
    """The array with a border: of a value, its edge, a ramp, a statistic, or itself reflected or repeated."""
    given = {
        "stat_length": stat_length,
        "constant_values": constant_values,
        "end_values": end_values,
        "reflect_type": reflect_type,
    }
    _check_mode(mode, {name for name, value in given.items() if value is not None})
    widths = _whole_pairs(pad_width, array.ndim, "pad_width", 0)
    if mode in _SHIFTED:
        _check_not_empty(array, widths, mode)
        return _padded_by_places(array, widths, mode, reflect_type or "even")
    if mode == "constant" and (constant_values is None or constant_values.ndim == 0):
        return bordered(array, widths, 0.0 if constant_values is None else constant_values)
    values = _pairs_of_nodes(constant_values if mode == "constant" else end_values, array.ndim)
    lengths = None if stat_length is None else _whole_pairs(stat_length, array.ndim, "stat_length", 1)
    if mode != "constant":
        _check_not_empty(array, widths, mode)
    for axis, (before, after) in enumerate(widths):
        if mode == "constant":
            first, last = (
                _block(array, axis, n, value) for n, value in zip((before, after), values[axis], strict=True)
            )
        elif mode == "linear_ramp":
            first, last = _ramps(array, axis, (before, after), values[axis])
        else:
            most = (None, None) if lengths is None else lengths[axis]
            ends = [_statistic(array, axis, mode, length, side) for side, length in enumerate(most)]
            first, last = (_block(array, axis, n, end) for n, end in zip((before, after), ends, strict=True))
        parts = [first, array, last]
        array = concatenate([one for one in parts if one is array or one.shape[axis]], axis)
    return array


_TAKES = {
    "constant": {"constant_values"},
    "linear_ramp": {"end_values"},
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    "edge": set(),
    "wrap": set(),
    **{name: {"stat_length"} for name in ("maximum", "minimum", "mean", "median")},
}
_SHIFTED = {"edge", "reflect", "symmetric", "wrap"}


def _check_mode(mode: str, given: set[str]) -> None:
    if mode == "empty":
        raise GradcalcError(
            "arguments", "`pad` with mode 'empty' leaves the border undefined", helps=["leave `mode` out"]
        )
    if mode not in _TAKES:
        raise GradcalcError("arguments", f"`pad` knows no mode {mode!r}", helps=[f"modes: {', '.join(_TAKES)}"])
    for name in sorted(given - _TAKES[mode]):
        raise GradcalcError("arguments", f"`pad` with mode {mode!r} takes no `{name}`", helps=["leave it out"])


def _whole_pairs(value: Widths, ndim: int, what: str, least: int) -> list[tuple[int, int]]:
    try:
        pairs = np.broadcast_to(np.asarray(value), (ndim, 2)).tolist()
    except ValueError:
        raise GradcalcError("arguments", f"`{what}` must be a number, a pair, or {ndim} pairs, got {value}") from None
    if np.min(pairs, initial=least) < least:
        raise GradcalcError("arguments", f"`{what}` must be {least} or more, got {value}")
    return [(before, after) for before, after in pairs]


def _pairs_of_nodes(value: Node | None, ndim: int) -> list[tuple[Node, Node]]:
    both = broadcast_to(constant(0.0) if value is None else value, (ndim, 2))
    return [(index(both, (i, 0)), index(both, (i, 1))) for i in range(ndim)]


def _check_not_empty(x: Node, widths: Pairs, mode: str) -> None:
    if any(n == 0 and sum(pair) for n, pair in zip(x.shape, widths, strict=True)):
        raise GradcalcError(
            "empty", f"`pad` with mode {mode!r} cannot extend an axis of length 0", operands=[with_shape(x)]
        )


def _length(x: Node, axis: int, length: int) -> Shape:
    return (*x.shape[:axis], length, *x.shape[axis + 1 :])


def _block(x: Node, axis: int, length: int, value: Node) -> Node:
    """One value, or one for each place of the other axes, along a length of an axis."""
    return broadcast_to(value, _length(x, axis, length))


def _ramps(x: Node, axis: int, widths: tuple[int, int], ends: tuple[Node, Node]) -> list[Node]:
    """Straight lines from the end values, which are included, to the edges, which are not."""
    n = x.shape[axis]
    edges = segment(x, axis - x.ndim, 0, 1), segment(x, axis - x.ndim, n - 1, n)
    lines = []
    for edge, end, width in zip(edges, ends, widths, strict=True):
        column = (width,) + (1,) * (x.ndim - axis - 1)
        way = constant(np.reshape(np.arange(width) / max(width, 1), column))
        lines.append(end + (edge - end) * way)
    return [lines[0], flip(lines[1], axis)]


def _statistic(x: Node, axis: int, mode: str, length: int | None, side: int) -> Node:
    """What stands for the first (side 0) or last `length` places of an axis."""
    n = x.shape[axis]
    most = n if length is None else min(length, n)
    part = segment(x, axis - x.ndim, 0, most) if side == 0 else segment(x, axis - x.ndim, n - most, n)
    made: Node = _STATISTICS[mode](part, axis, keepdims=True)
    return made


def _median(x: Node, axis: int, keepdims: bool) -> Node:
    rows = moveaxis(x, axis, -1)
    n = rows.shape[-1]
    grids = np.indices((*rows.shape[:-1], 1), np.float64)[:-1]
    places = place(segment(order(rows), -1, (n - 1) // 2, n // 2 + 1), n)
    middle = gather(rows, (*(constant(grid) for grid in grids), places))
    return moveaxis(reduce.mean(middle, -1, keepdims), -1, axis)


_STATISTICS: dict[str, Callable[..., Node]] = {
    "maximum": reduce.max,
    "minimum": reduce.min,
    "mean": reduce.mean,
    "median": _median,
}


# borders of the array's own elements ----------------------------------------------------------------


def _source(at: Any, n: int, mode: str) -> Any:
    """Which place of an axis of length n stands at places that may be outside it."""
    if mode == "wrap" or n == 0:
        return at % max(n, 1)
    if mode == "edge" or (mode == "reflect" and n == 1):
        return np.clip(at, 0, n - 1)
    period = 2 * n - 2 if mode == "reflect" else 2 * n
    turned = at % period
    return np.where(turned < n, turned, period - turned - (mode == "symmetric"))


def _padded_by_places(x: Node, widths: Pairs, mode: str, reflect_type: str = "even") -> Node:
    """Borders of the array's own elements along its last axes."""
    if reflect_type not in ("even", "odd"):
        raise GradcalcError("arguments", f"`reflect_type` may be 'even' or 'odd', not {reflect_type!r}")
    for axis, (before, after) in enumerate(widths, x.ndim - len(widths)):
        if before == after == 0:
            continue
        n = x.shape[axis]
        at = np.arange(-before, n + after)
        if reflect_type == "odd" and (n > 1 or mode == "symmetric"):
            x = _odd(x, axis, at, mode)
        else:
            x = pick(x, axis, _source(at, n, mode))
    return x


def _odd(x: Node, axis: int, at: Any, mode: str) -> Node:
    """The array reflected at its ends and turned over: 2*end - x, whichever end was passed last."""
    n = x.shape[axis]
    period = 2 * n - 2 if mode == "reflect" else 2 * n
    turns, within = at // period, at % period
    back = within >= n
    first, last = (segment(x, axis - x.ndim, i, i + 1) for i in (0, n - 1))
    column = (len(at),) + (1,) * (x.ndim - axis - 1)
    sign, ends, drift = (constant(np.reshape(one, column)) for one in (1 - 2 * back, 2 * back, 2 * turns))
    return sign * pick(x, axis, _source(at, n, mode)) + ends * last + drift * (last - first)


# PyTorch's pad ----------------------------------------------------------------------------------

_TORCH_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@derived(
    "F.pad(x, (1, 2)) | x=2,3",
    "F.pad(x, (1, 0, 0, 2), value=y) | x=2,2 y=",
    "F.pad(x, (-1, 1, 0, -1), 'constant', 3) | x=2,3",
    "F.pad(x, (2, 1), mode='reflect') | x=2,3",
    "F.pad(x, (1, 1, 0, 2), mode='replicate') | x=1,2,2",
    "F.pad(x, (2, 1, 0, 1), mode='circular') | x=1,1,2,3",
    name="F.pad",
    spellings=("torch.pad",),
)
def pad_last(input: Node, pad: tuple[int, ...], mode: str = "constant", value: Node | None = None) -> Node:
    """The array with a border around its last axes: two widths an axis, the last axis first."""
    widths = _last_first(input, pad)
    if mode == "constant":
        return bordered(input, widths, 0.0 if value is None else value)
    if mode not in _TORCH_MODES:
        names = "', '".join(["constant", *_TORCH_MODES])
        raise GradcalcError("arguments", f"`pad` knows no mode {mode!r}", helps=[f"PyTorch has '{names}'"])
    if value is not None and not _is_zero(value):
        raise GradcalcError("arguments", f"`pad` with mode {mode!r} takes no `value`", helps=["leave it out"])
    _check_own_elements(input, widths, mode)
    if mode == "circular":  # what negative widths take away does not come round again
        input = bordered(input, [(min(before, 0), min(after, 0)) for before, after in widths])
        widths = [(max(before, 0), max(after, 0)) for before, after in widths]
        _check_not_empty(input, [(0, 0)] * (input.ndim - len(widths)) + widths, mode)
    return _padded_by_places(input, widths, _TORCH_MODES[mode])


@derived(
    "torch.constant_pad_nd(x, (1, 2)) | x=2,3",
    "torch.constant_pad_nd(x, (0, 1, 1, 0), y) | x=2,2 y=",
    name="torch.constant_pad_nd",
)
def constant_pad_nd(input: Node, pad: tuple[int, ...], value: Node | None = None) -> Node:
    """The array with a border of one value around its last axes: two widths an axis, the last axis first."""
    return bordered(input, _last_first(input, pad), 0.0 if value is None else value)


def _is_zero(value: Node) -> bool:
    return value.ndim == 0 and not value.inputs and "value" in value.attrs and float(value.attrs["value"].data) == 0


def _last_first(x: Node, pad: tuple[int, ...]) -> list[tuple[int, int]]:
    if len(pad) % 2 or len(pad) > 2 * x.ndim:
        raise GradcalcError(
            "arguments",
            f"`pad` needs two widths for each of at most {x.ndim} axes, the last axis first, got {pad}",
            operands=[with_shape(x)],
        )
    return [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]


def _check_own_elements(x: Node, widths: Pairs, mode: str) -> None:
    """PyTorch's limits: one to three axes, which with channels, or channels and a batch, are all there are."""
    axes = len(widths)
    if axes not in (1, 2, 3) or x.ndim not in (axes + 1, axes + 2):
        raise GradcalcError(
            "shape",
            f"`pad` with mode {mode!r} pads 1 to 3 axes behind one or two others, not {axes} of shape {x.shape}",
            operands=[with_shape(x)],
        )
    lengths = x.shape[-axes:]
    most = {"reflect": -1, "circular": 0}.get(mode)
    if most is not None and any(max(pair) > n + most for n, pair in zip(lengths, widths, strict=True)):
        raise GradcalcError(
            "arguments",
            f"`pad` with mode {mode!r} needs widths {'below' if most else 'up to'} the lengths {lengths}",
            operands=[with_shape(x)],
        )
    if any(n + before + after < 1 for n, (before, after) in zip(lengths, widths, strict=True)):
        raise GradcalcError("arguments", f"`pad` by {widths} takes away all of the lengths {lengths}")
    if prod(lengths) == 0:
        raise GradcalcError(
            "empty", f"`pad` with mode {mode!r} cannot extend an axis of length 0", operands=[with_shape(x)]
        )
