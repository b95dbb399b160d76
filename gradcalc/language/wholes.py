"""Which texts make arrays of whole numbers in NumPy and PyTorch: a list of them, `arange(3)`, `dtype=int`."""

from __future__ import annotations

from typing import Any

from .syntax import Attribute, Call, Name, Number, Sequence, Text, Unary

_OF_CONTENTS = {"array", "asarray", "tensor", "as_tensor"}
_OF_LENGTHS = {"arange"}
_TYPED = {*_OF_CONTENTS, *_OF_LENGTHS, "zeros", "ones", "full", "empty", "eye", "identity", "zeros_like", "ones_like"}
_TYPES = {"int", "int64", "int32", "int16", "int8", "uint8", "long", "intp", "int_"}


def is_whole(expression: Any) -> bool:
    """Whether an expression makes a new array that can hold whole numbers only."""
    if not isinstance(expression, Call):
        return False
    name = getattr(expression.function, "name", "")
    types = [_type(one.value) for one in expression.arguments if one.name == "dtype"]
    if name in _TYPED and types:
        return types[0] in _TYPES
    plain = [one.value for one in expression.arguments if one.name is None]
    if len(plain) > 1 and name in _TYPED - _OF_LENGTHS and _type(plain[-1]) in _TYPES:
        return True
    return bool(plain) and name in _OF_CONTENTS | _OF_LENGTHS and all(map(_written_whole, plain))


def _type(expression: Any) -> str:
    if isinstance(expression, Text):
        return expression.value
    return expression.name if isinstance(expression, (Name, Attribute)) else ""


def _written_whole(expression: Any) -> bool:
    """Whether a number, or every number in a list, is written without a point or an exponent."""
    if isinstance(expression, Sequence):
        return bool(expression.items) and all(map(_written_whole, expression.items))
    if isinstance(expression, Unary):
        return _written_whole(expression.operand)
    return isinstance(expression, Number) and expression.span.text.strip("()").replace("_", "").isdigit()
