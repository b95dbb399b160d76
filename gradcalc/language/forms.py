"""Calls that are no operations: wrappers read as their contents, lengths, and writing into an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import GradcalcError, Label
from ..graph import Node, constant
from ..ops import indexing
from . import dtypes
from .calls import Arguments
from .values import Key, Value, node_of


class Context(NamedTuple):
    """What a form may need to know: its name as written, whether it is a method, whether the text is PyTorch's.

    `known` gives a node's numbers, `fixed` a value as plain Python.
    """

    name: str
    is_method: bool
    torch: bool
    known: Callable[[Node], Any]
    fixed: Callable[[Value], Any]


def _wrapped(given: Arguments, context: Context) -> Node:
    """`array(…)`, `torch.tensor(…, requires_grad=True)`, `x.copy()`: read as their contents."""
    if len(given.positional) != 1:
        raise GradcalcError("arguments", f"`{context.name}` takes one array, got {len(given.positional)}")
    for word, (_, span) in given.named.items():
        if word not in ("requires_grad", "device", "copy", "order"):
            raise GradcalcError("arguments", f"`{context.name}` has no argument `{word}`", labels=[Label(span)])
    return node_of(given.positional[0])


def _length(given: Arguments, context: Context) -> Node:
    """`len(x)`."""
    if len(given.positional) != 1 or given.named:
        raise GradcalcError("arguments", "`len` takes one array")
    value = given.positional[0]
    if isinstance(value, (list, tuple)):
        return constant(len(value))
    if not isinstance(value, Node) or value.ndim == 0:
        raise GradcalcError("type", "`len` of a number is not defined")
    return constant(value.shape[0])


def _size(given: Arguments, context: Context) -> Value:
    """`size(x)`, `size(x, axis)`; PyTorch's `x.size()` is the shape."""
    if not 1 <= len(given.positional) <= 2 or given.named:
        raise GradcalcError("arguments", f"`{context.name}` takes an array and perhaps an axis")
    array = node_of(given.positional[0])
    if len(given.positional) == 1:
        lengths = tuple(constant(length) for length in array.shape)
        return lengths if context.torch and context.is_method else constant(array.size)
    axis = context.fixed(given.positional[1])
    if not isinstance(axis, int) or not -array.ndim <= axis < array.ndim:
        raise GradcalcError("arguments", f"axis {axis} is out of range for shape {array.shape}")
    return constant(array.shape[axis])


def _written(given: Arguments, context: Context, *, add: bool) -> Node:
    """`set_at(x, s_[0, 1:], y)`: what `x` is after `x[0, 1:] = y`; `add_at` adds."""
    if len(given.positional) != 3 or given.named or not isinstance(given.positional[1], Key):
        helps = [f"`{context.name}(x, s_[0, 1:], y)`"]
        raise GradcalcError("arguments", f"`{context.name}` takes an array, an index and a value", helps=helps)
    array, key, value = given.positional
    return indexing.put(node_of(array), key.parts, node_of(value), context.known, add=add)


FORMS: dict[str, Callable[[Arguments, Context], Value]] = {
    **dict.fromkeys(("array", "asarray", "tensor", "as_tensor", "float64", "DoubleTensor", "Tensor"), _wrapped),
    "copy": _wrapped,
    "contiguous": _wrapped,
    "long": lambda given, context: dtypes.converted(_wrapped(given, context), "int"),
    "int": lambda given, context: dtypes.converted(_wrapped(given, context), "int"),
    "bool": lambda given, context: dtypes.converted(_wrapped(given, context), "bool"),
    "double": lambda given, context: dtypes.converted(_wrapped(given, context), "float"),
    "clone": _wrapped,
    "len": _length,
    "size": _size,
    "numel": _size,
    "set_at": lambda given, context: _written(given, context, add=False),
    "add_at": lambda given, context: _written(given, context, add=True),
}
