"""Types of numbers as values: `float`, `torch.float64`, `'int64'`, `x.dtype`; and the arguments that ask for one.

Here an array holds real numbers or truth values, and whole numbers are real ones. So `float64` changes nothing, `bool`
asks whether a number is not 0, `int` cuts off what follows the point; fewer digits would change the answer.
"""

from __future__ import annotations

from ..errors import GradcalcError, Label, Span
from ..graph import CATALOGUE, Node
from .values import Library, Value, node_of

_KINDS = {
    **dict.fromkeys(("float", "float64", "float_", "double", "DoubleTensor", "f8", "d"), "float64"),
    **dict.fromkeys(("float32", "float16", "bfloat16", "half", "single", "FloatTensor", "HalfTensor"), "float32"),
    **dict.fromkeys(("int", "int64", "int32", "int16", "int_", "intp", "long", "short", "i8", "LongTensor"), "int"),
    **dict.fromkeys(("int8", "uint8", "byte", "char", "ByteTensor", "CharTensor"), "int8"),
    **dict.fromkeys(("bool", "bool_", "BoolTensor"), "bool"),
    **dict.fromkeys(("complex", "complex64", "complex128", "cfloat", "cdouble"), "complex"),
    **dict.fromkeys(("cpu", "cuda", "mps"), "device"),
}
"""What libraries call types of numbers, and places to keep them -> the one of each kind that `astype` knows."""

OWN = {"float", "int", "bool", "complex"}
"""Types that have a name without a library."""

MAKERS = {
    *("array", "asarray", "asanyarray", "tensor", "as_tensor", "zeros", "ones", "empty", "full", "eye", "identity"),
    *("arange", "range", "linspace", "tri", "indices", "tril_indices", "triu_indices", "new_zeros", "new_ones"),
    *("zeros_like", "ones_like", "full_like", "empty_like", "new_full", "new_tensor", "astype", "to", "type"),
}
"""Functions whose result has the type that they are given; others would compute with it."""


def type_of(array: Node) -> Library:
    """`x.dtype`: a value that `dtype=` takes."""
    return Library(["np", "bool" if array.boolean else "float64"])


def kind_of(value: Value) -> str | None:
    """The kind of type that a value is; None for what is no type."""
    name = value.words[-1] if isinstance(value, Library) else value
    return _KINDS.get(name.partition(":")[0].rpartition(".")[2]) if isinstance(name, str) else None


def taken(positional: list[Value], named: dict[str, tuple[Value, Span]]) -> str | None:
    """The kind that a call asks for, by name or in the last place; it is no argument any more."""
    if "dtype" in named:
        value, span = named.pop("dtype")
        if value is not None and kind_of(value) is None:
            raise GradcalcError("arguments", f"`{span.text}` is no type that is known here", labels=[Label(span)])
        return kind_of(value)
    kind = kind_of(positional[-1]) if positional else None
    if kind is not None:
        positional.pop()
    return kind


def converted(made: Value, kind: str) -> Node:
    """An array as one of a kind."""
    array = node_of(made)
    return array if kind == "device" else CATALOGUE["astype"](array, kind)


def check_computed(value: Value, span: Span) -> None:
    """Refuse a type that a function would compute with, unless it is the one that there is."""
    if value is not None and kind_of(value) != "float64":
        message = f"`{span.text}` would change the answer: numbers are float64 here"
        raise GradcalcError("arguments", message, labels=[Label(span)], helps=["leave it out"])
