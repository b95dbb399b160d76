"""Arrays made elsewhere, as float64 or bool; everything that is not made of real numbers is refused."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gradcalc.errors import GradcalcError
from gradcalc.reader.words import extent, shown

Array: TypeAlias = NDArray[Any]
Shape: TypeAlias = tuple[int, ...]

_CONTENTS = {"c": "complex numbers", "U": "text", "S": "bytes", "T": "text", "M": "dates", "m": "time spans"}


def as_array(value: object, name: str) -> Array:
    """`value` as a C-contiguous float64 array, or bool where it is one already.

    Takes numbers, nested lists, NumPy arrays and what can become one (tensors of PyTorch, JAX arrays,
    data frames). An array that is as wanted already is returned as it is, not copied: nothing downstream
    writes to it.
    """
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.getmaskarray(value).any():
            raise _refusal(name, "masked elements", ["give them a value: `x.filled(0)`"])
        value = value.data
    array = _convert(value, name)
    if array.dtype.kind == "O":
        array = _numbers(array, name)
    if array.dtype.kind not in "biuf":
        raise _wrong_kind(array, name)
    wanted = np.bool_ if array.dtype.kind == "b" else np.float64
    with np.errstate(all="ignore"):  # a longdouble may overflow
        return np.asarray(array, dtype=wanted, order="C")


def _convert(value: object, name: str) -> Array:
    try:
        array: Any = value
        for method in ("detach", "cpu"):  # a tensor may record gradients, or live on a GPU
            if callable(found := getattr(array, method, None)):
                array = found()
        return np.asarray(array)
    except Exception as error:  # whatever another library's array raises
        if isinstance(value, (list, tuple)) and (ragged := _ragged(value, name)):
            raise ragged from None
        raise GradcalcError(
            "dtype",
            f"`{name}` cannot be read as an array",
            notes=[f"NumPy says of this {type(value).__name__}: {error}"],
        ) from None


def _numbers(array: Array, name: str) -> Array:
    """An array of Python's own numbers, which NumPy makes for integers of over 64 bits."""
    for element in array.flat:
        if not isinstance(element, (int, float, np.number, np.bool_)) or isinstance(element, np.complexfloating):
            raise _refusal(name, f"Python objects (`{type(element).__name__}`)", [])
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise GradcalcError("overflow", f"a number in `{name}` is too large for float64") from None


def _ragged(rows: list[Any] | tuple[Any, ...], name: str) -> GradcalcError | None:
    """The error for the first row whose length differs; None where the fault is not in the outer two levels."""
    shapes: list[Shape] = [(len(row),) if hasattr(row, "__len__") else () for row in rows]
    for index, shape in enumerate(shapes):
        if shape != shapes[0]:
            return GradcalcError(
                "ragged-input",
                f"rows of `{name}` differ in length",
                notes=[f"row 0 is {extent(shapes[0])}, row {index} is {extent(shape)}"],
                helps=["give every row the same number of elements"],
            )
    return None


def _wrong_kind(array: Array, name: str) -> GradcalcError:
    dtype = array.dtype
    contents = "records" if dtype.names else _CONTENTS.get(dtype.kind, "values that are no numbers")
    helps = {
        "c": ["give its parts as two inputs: `x.real`, `x.imag`"],
        "V": [f'give one field of it: `x["{dtype.names[0]}"]`'] if dtype.names else [],
        "U": ["make it numbers: `x.astype(float)`"],
        "S": ["make it numbers: `x.astype(float)`"],
    }
    return _refusal(name, f"{contents} (`{shown(str(dtype))}`)", helps.get(dtype.kind, []))


def _refusal(name: str, contents: str, helps: list[str]) -> GradcalcError:
    return GradcalcError(
        "dtype", f"`{name}` holds {contents}", notes=["gradcalc reads real numbers and truth values"], helps=helps
    )
