"""Types of numbers: here an array holds real numbers or truth values, and whole numbers are real ones.

`dtype=float` changes nothing, `dtype=bool` asks whether a number is not 0, `dtype=int` cuts its decimals off. Types of
fewer digits or no sign would change the answer.
"""

from __future__ import annotations

import numpy as np

from ..errors import GradcalcError, Label, Span
from ..graph import CATALOGUE, Node, is_constant
from .values import Library, Value

_KINDS: dict[str, str] = {
    **dict.fromkeys(("float", "float64", "float_", "double", "f8", "DoubleTensor"), "float"),
    **dict.fromkeys(("int", "int64", "int32", "int_", "intp", "long", "i8", "LongTensor", "IntTensor"), "int"),
    **dict.fromkeys(("bool", "bool_", "BoolTensor"), "bool"),
}

MAKERS = {
    *("array", "asarray", "tensor", "as_tensor", "zeros", "ones", "empty", "full", "eye", "identity", "arange"),
    *("linspace", "zeros_like", "ones_like", "full_like", "empty_like", "astype", "to", "type"),
}
"""Functions whose result has the type that they are given; others would compute with it."""


def type_of(array: Node) -> Library:
    """`x.dtype`: a name that `dtype=` takes."""
    return Library(["np", "bool" if array.boolean else "float64"])


def kind_of(value: Value) -> str | None:
    """Which of float, int and bool a type is; None for what is no type, or one of other numbers."""
    name = value.words[-1] if isinstance(value, Library) else value
    return _KINDS.get(name.rpartition(".")[2]) if isinstance(name, str) else None


def converted(array: Node, kind: str) -> Node:
    """An array as one of a kind."""
    made: Node
    if kind == "bool":
        made = array if array.boolean else CATALOGUE["not_equal"](array, 0.0)
        return made
    made = CATALOGUE["real"](array) if array.boolean else array
    return CATALOGUE["trunc"](made) if kind == "int" and not _is_whole(made) else made


def _is_whole(array: Node) -> bool:
    return is_constant(array) and bool(np.all(array.attrs["value"].data % 1 == 0))


def taken(positional: list[Value], named: dict[str, tuple[Value, Span]], span: Span) -> str | None:
    """The kind that a call asks for, by name or in the last place; it is no argument any more."""
    if "dtype" in named:
        value, span = named.pop("dtype")
        kind = "" if value is None else kind_of(value)
        if kind is None:
            raise refusal(span.text, span)
        return kind or None
    last = positional[-1] if positional else None
    kind = kind_of(last)
    if kind is not None:
        positional.pop()
    elif isinstance(last, Library):
        raise refusal(".".join(last.words), span)
    return kind


def refusal(text: str, span: Span) -> GradcalcError:
    """The error for a type that is none of these."""
    message = f"`{text}` would change the answer: numbers are float64 here"
    return GradcalcError("arguments", message, labels=[Label(span)], helps=["leave it out"])
