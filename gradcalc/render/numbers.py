"""Numbers and arrays as people read them, and as the reader takes them back."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

_MOST = 200  # elements up to which an array is shown whole
_EDGE = 3  # elements shown at each end of a longer axis


def number(value: Any, precision: int) -> str:
    """A number with so many significant digits; whole ones without a point."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    value = float(value)
    if value.is_integer() and abs(value) < 10 ** max(precision, 15):
        return str(int(value))
    return f"{value:.{precision}g}"


def array(value: Any, precision: int, *, whole: bool = False) -> str:
    """An array as nested lists, its columns lined up; a long one with `...` in the middle unless `whole`."""
    value = np.asarray(value)
    if value.ndim == 0:
        return number(value[()], precision)
    if value.size == 0:
        return "[]" if value.ndim == 1 else f"[] (shape {value.shape})"
    most = value.size if whole else _MOST
    shown = value if value.size <= most else _edges(value)
    width = max(len(number(one, precision)) for one in shown.ravel())
    written = {"bool" if value.dtype == bool else "float_kind": lambda one: number(one, precision).rjust(width)}
    text: str = np.array2string(
        value,
        separator=", ",
        max_line_width=10**6 if whole else 88,
        threshold=most,
        edgeitems=_EDGE,
        formatter=cast(Any, written),
    )
    return text


def _edges(value: Any) -> Any:
    """The elements that a shortened array shows."""
    for axis, length in enumerate(value.shape):
        if length > 2 * _EDGE:
            ends = [*range(_EDGE), *range(length - _EDGE, length)]
            value = np.take(value, ends, axis)
    return value


def plain(value: Any) -> Any:
    """An array as nested Python lists for JSON: whole numbers as int, others at full precision, nan and inf as text."""
    value = np.asarray(value)
    if value.dtype == bool:
        return value.tolist()
    if value.ndim == 0:
        return _json_number(value.item())
    flat = [_json_number(one) for one in value.ravel().tolist()]
    return _nested(flat, value.shape)


def _json_number(value: float) -> float | int | str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 2**53 and str(value) != "-0.0" else value


def _nested(flat: list[Any], shape: tuple[int, ...]) -> Any:
    if 0 in shape:
        return np.empty(shape).tolist()
    for length in reversed(shape[1:]):
        flat = [flat[i : i + length] for i in range(0, len(flat), length)]
    return flat
