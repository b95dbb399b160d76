"""What NumPy makes of an index alone: `r_[x, 1]`, `c_[x, y]`, `mgrid[0:2, 0:3]`, `ogrid[0:2]`, `s_[1:]`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, constant
from ..ops.joining import at_least, concatenate
from ..ops.kinds import reshape
from .values import Key, Value


def _numbers(part: slice) -> Any:
    """The numbers that a slice goes through."""
    if part.stop is None:
        raise GradcalcError("index", "this slice needs an end: `0:3`")
    return np.arange(part.start or 0, part.stop, part.step or 1, dtype=np.float64)


def _array(part: Any) -> Node:
    if isinstance(part, slice):
        return constant(_numbers(part))
    if isinstance(part, Node):
        return part
    raise GradcalcError("type", "only arrays, numbers and slices can stand here")


def _column(x: Node) -> Node:
    return reshape(x, (x.size, 1)) if x.ndim < 2 else x


def _rows(parts: Sequence[Any]) -> Value:
    return concatenate([at_least(_array(part), 1) for part in parts], 0)


def _columns(parts: Sequence[Any]) -> Value:
    return concatenate([_column(_array(part)) for part in parts], -1)


def _slices(parts: Sequence[Any]) -> list[Any]:
    if not all(isinstance(part, slice) for part in parts):
        raise GradcalcError("index", "a grid is made of slices: `mgrid[0:2, 0:3]`")
    return [_numbers(part) for part in parts]


def _grid(parts: Sequence[Any]) -> Value:
    vectors = _slices(parts)
    if len(vectors) == 1:
        return constant(vectors[0])
    return constant(np.stack(np.meshgrid(*vectors, indexing="ij")))


def _open_grid(parts: Sequence[Any]) -> Value:
    vectors = _slices(parts)
    if len(vectors) == 1:
        return constant(vectors[0])
    return tuple(map(constant, np.meshgrid(*vectors, indexing="ij", sparse=True)))


def _key(parts: Sequence[Any]) -> Value:
    return Key(list(parts))


BRACKETS: dict[str, Callable[[Sequence[Any]], Value]] = {
    "r_": _rows,
    "c_": _columns,
    "mgrid": _grid,
    "ogrid": _open_grid,
    "s_": _key,
    "index_exp": _key,
}
"""Names of NumPy and JAX that are followed by an index, and what each makes of its parts."""
