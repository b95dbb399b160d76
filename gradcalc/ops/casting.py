"""Numbers as another type, which here they can only be without being rounded: float64, whole numbers, truth values."""

from __future__ import annotations

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, is_constant
from .arithmetic import not_equal, real, trunc
from .kinds import derived


@derived("astype(x, 'float64')", "(x > 0).astype('float64') | x=3", "x.astype('int') | x=", "x.astype('bool') | x=2,3")
def astype(x: Node, dtype: str) -> Node:
    """The numbers as another type: float64 as they are, int without what is after the point, bool where not 0."""
    if dtype == "float64":
        return double(x)
    if dtype == "bool":
        return truth(x)
    if dtype == "int":
        return whole(x)
    if dtype in ("float32", "int8") and x.boolean:
        return real(x)
    raise _no_such_type(dtype)


def _no_such_type(dtype: str) -> GradcalcError:
    reasons = {
        "float32": "with fewer than 64 bits every number would be rounded",
        "int8": "with 8 bits a number may wrap round",
        "complex": "complex numbers are not read here",
    }
    if dtype in reasons:
        return GradcalcError(
            "arguments", f"{reasons[dtype]}: numbers are float64 here", helps=["leave it out, or say float64"]
        )
    helps = ["`astype(x, 'float64')`, or 'int', or 'bool'"]
    return GradcalcError("arguments", f"`{dtype}` is no type of number that is known here", helps=helps)


@derived("double(x)", "double(x > 0)", spellings=("float",))
def double(x: Node) -> Node:
    """The numbers as float64, which they are; truth values become 0 and 1."""
    return real(x) if x.boolean else x


@derived("int(x)", "int(x > 0)", name="int", spellings=("long", "short"), domain=((0.1, 0.9),))
def whole(x: Node) -> Node:
    """The whole part, towards zero; truth values become 0 and 1."""
    return real(x) if x.boolean else trunc(x)


@derived("bool(x)", "bool(x > 0)", name="bool")
def truth(x: Node) -> Node:
    """Where it is not 0."""
    return x if x.boolean else not_equal(x, 0.0)


@derived(
    "(x > 0).float() * x | x=3",
    "(x > 0).half() | x=2,3",
    name="method.float",
    spellings=("method.half", "method.bfloat16"),
)
def single(x: Node) -> Node:
    """Truth values as 0 and 1; other numbers would be rounded, which is refused."""
    if is_constant(x) and np.array_equal(data := x.attrs["value"].data, data.astype(np.float16)):
        return double(x)
    return astype(x, "float32")


@derived(
    "x.to('float64') | x=3",
    "x.to('cpu') | x=3",
    "x.to('cpu', 'float64') | x=3",
    "x.to('bool') | x=3",
    "x.to() | x=2",
    name="method.to",
    spellings=("to",),
)
def to(x: Node, dtype: str = "device", other: str = "device") -> Node:
    """The numbers as another type; where they are kept changes nothing."""
    for one in (dtype, other):
        x = x if one == "device" else astype(x, one)
    return x


@derived("x.type('float64') | x=3", "x.type('int') | x=3", name="method.type", domain=((0.1, 0.9),))
def type_(x: Node, dtype: str) -> Node:
    """The numbers as another type."""
    return astype(x, dtype)


@derived("x.type_as(y) | x=3 y=2", "(x > 0).type_as(y) | x=3 y=2", "x.type_as(y > 0) | x=3 y=2", name="method.type_as")
def type_as(x: Node, other: Node) -> Node:
    """The numbers as the type of another array's."""
    return truth(x) if other.boolean else double(x)
