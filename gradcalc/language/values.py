"""What an expression's value may be besides a node, and how it becomes one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import GradcalcError, Span
from ..graph import Node, as_node, constant, is_constant
from ..ops import joining
from .syntax import Parameter

CONSTANTS: dict[str, Any] = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "True": True,
    "False": False,
    "true": True,
    "false": False,
    "None": None,
}
Value = Any
"""A node, a list or tuple of values, text, None, a slice, or a library's name on its way to a call."""


@dataclass(frozen=True, slots=True)
class Library:
    """A dotted name that begins with a library's prefix, on its way to a call."""

    words: list[str]


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer without parameters of its own, such as `nn.Softmax(dim=1)`: a function, and arguments that it has."""

    words: list[str]
    named: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Method:
    """A function looked up on an array, which becomes its first argument."""

    owner: Any
    name: str


@dataclass(frozen=True, slots=True)
class Key:
    """An index by itself: `s_[1:, 0]`."""

    parts: list[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function that the text defines: its parameters, the values of their defaults, its body, what is around it."""

    name: str
    parameters: tuple[Parameter, ...]
    defaults: dict[str, Any]
    body: Any
    scope: Any
    span: Span


class Items(list[Any]):
    """What a generator, `range`, `zip` or `map` goes through: Python's functions take it, as they do a list."""


@dataclass(frozen=True, slots=True)
class Place:
    """JAX's `x.at`, and with an index `x.at[1:, 0]`, on its way to `.set(…)`."""

    array: Node
    parts: list[Any] | None = None


def node_of(value: Value) -> Node:
    """A value as one array: lists become stacked, numbers constants."""
    if isinstance(value, Node):
        return value
    if isinstance(value, (list, tuple)):
        return _stacked(list(value))
    if isinstance(value, (int, float)):
        return as_node(value)
    raise GradcalcError("type", f"expected an array, got {_described(value)}")


def _stacked(items: list[Value]) -> Node:
    if not items:
        return constant(np.zeros(0))
    nodes = [node_of(item) for item in items]
    if all(is_constant(one) and one.shape == nodes[0].shape for one in nodes):
        return constant(np.stack([one.attrs["value"].data for one in nodes]))
    return joining.stack(nodes)


def _described(value: Value) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the text `{value}`"
    if isinstance(value, (slice, Key)):
        return "a slice"
    if value is Ellipsis:
        return "`...`"
    if isinstance(value, Library):
        return f"the library name `{'.'.join(value.words)}`"
    if isinstance(value, Place):
        return "`.at`, which is followed by an index and `.set(…)`"
    if isinstance(value, Method):
        return f"the function `{value.name}`, which is not called"
    if isinstance(value, dict):
        return "a dictionary"
    if isinstance(value, Function):
        return f"the function `{value.name}`, which is not called"
    return "no array"


def plain(array: Any) -> Any:
    """A NumPy array as Python numbers: whole ones as int, arrays as tuples."""
    if array.ndim:
        return tuple(plain(part) for part in array)
    number = array.item()
    return int(number) if isinstance(number, float) and number.is_integer() else number


def short(text: str, most: int = 40) -> str:
    """A text on one line, cut where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
