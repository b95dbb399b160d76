"""Arithmetic, comparisons, logic, and selection between arrays, element by element."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from ..graph import Cotangents, Kink, Node, Op
from .kinds import elementwise, relation

# operators --------------------------------------------------------------------------------------

add: Op = elementwise(
    "add",
    np.add,
    doc="Sum of two arrays.",
    partials=lambda y, a, b: (1, 1),
    exact=lambda m, a, b: a + b,
    infix="+",
    binds=50,
    examples=("x + y",),
)
subtract: Op = elementwise(
    "subtract",
    np.subtract,
    doc="Difference of two arrays.",
    partials=lambda y, a, b: (1, -1),
    exact=lambda m, a, b: a - b,
    infix="-",
    binds=50,
    examples=("x - y",),
    spellings=("sub",),
)
multiply: Op = elementwise(
    "multiply",
    np.multiply,
    doc="Product of two arrays, element by element.",
    partials=lambda y, a, b: (b, a),
    exact=lambda m, a, b: a * b,
    infix="*",
    binds=60,
    examples=("x * y",),
    spellings=("mul",),
)
divide: Op = elementwise(
    "divide",
    np.divide,
    doc="Quotient of two arrays, element by element.",
    partials=lambda y, a, b: (1 / b, -y / b),  # y/b rather than a/b**2: a tiny b would underflow when squared
    exact=lambda m, a, b: m.divide(a, b),
    infix="/",
    binds=60,
    domain=((-2, 2), (0.5, 2)),
    examples=("x / y",),
    spellings=("true_divide", "div"),
)
negative: Op = elementwise(
    "negative",
    np.negative,
    doc="The array with its signs changed.",
    partials=lambda y, x: (-1,),
    exact=lambda m, x: -x,
    binds=70,
    examples=("-x",),
    spellings=("neg",),
)
floor_divide: Op = elementwise(
    "floor_divide",
    np.floor_divide,
    doc="The largest whole number not above the quotient.",
    exact=lambda m, a, b: m.floor(m.divide(a, b)),
    kink=Kink(at="a/b is whole", takes="0"),
    infix="//",
    binds=60,
    domain=((0.1, 0.9), (1, 2)),
    examples=("x // y",),
)
mod: Op = elementwise(
    "mod",
    np.mod,
    doc="Remainder with the divisor's sign: a - b*floor(a/b).",
    partials=lambda y, a, b: (1, -floor_divide(a, b)),
    exact=lambda m, a, b: a - b * m.floor(m.divide(a, b)),
    kink=Kink(at="a/b is whole", takes="the derivative from the right"),
    infix="%",
    binds=60,
    domain=((2.1, 2.9), (1, 1.05)),
    examples=("x % y",),
    spellings=("remainder",),
)
fmod: Op = elementwise(
    "fmod",
    np.fmod,
    doc="Remainder with the dividend's sign: a - b*trunc(a/b).",
    partials=lambda y, a, b: (1, -round((a - y) / b)),  # a/b itself may have been rounded up to a whole number
    exact=lambda m, a, b: a - b * m.trunc(m.divide(a, b)),
    kink=Kink(at="a/b is whole", takes="the derivative from the right"),
    domain=((-2.9, -2.1), (1, 1.05)),
    spellings=("jax.rem",),
)


# comparisons and logic --------------------------------------------------------------------------

less: Op = relation(
    "less",
    np.less,
    doc="Where a < b.",
    exact=lambda m, a, b: m.less(a, b),
    infix="<",
    binds=40,
    examples=("x < y",),
    spellings=("lt",),
)
less_equal: Op = relation(
    "less_equal",
    np.less_equal,
    doc="Where a <= b.",
    exact=lambda m, a, b: m.less_equal(a, b),
    infix="<=",
    binds=40,
    examples=("x <= y",),
    spellings=("le",),
)
greater: Op = relation(
    "greater",
    np.greater,
    doc="Where a > b.",
    exact=lambda m, a, b: m.less(b, a),
    infix=">",
    binds=40,
    examples=("x > y",),
    spellings=("gt",),
)
greater_equal: Op = relation(
    "greater_equal",
    np.greater_equal,
    doc="Where a >= b.",
    exact=lambda m, a, b: m.less_equal(b, a),
    infix=">=",
    binds=40,
    examples=("x >= y",),
    spellings=("ge",),
)
equal: Op = relation(
    "equal",
    np.equal,
    doc="Where a == b.",
    exact=lambda m, a, b: m.equal(a, b),
    infix="==",
    binds=40,
    examples=("x == y",),
    spellings=("eq",),
)
not_equal: Op = relation(
    "not_equal",
    np.not_equal,
    doc="Where a != b.",
    exact=lambda m, a, b: m.logical_not(m.equal(a, b)),
    infix="!=",
    binds=40,
    examples=("x != y",),
    spellings=("ne",),
)
logical_and: Op = relation(
    "logical_and",
    np.logical_and,
    doc="Where both are true.",
    exact=lambda m, a, b: m.logical_and(m.truth(a), m.truth(b)),
    conditions=(0, 1),
    infix="&",
    binds=46,
    examples=("(x > 0) & (y > 0)",),
)
logical_xor: Op = relation(
    "logical_xor",
    np.logical_xor,
    doc="Where exactly one is true.",
    exact=lambda m, a, b: m.logical_xor(m.truth(a), m.truth(b)),
    conditions=(0, 1),
    examples=("logical_xor(x > 0, y > 0)",),
)
logical_or: Op = relation(
    "logical_or",
    np.logical_or,
    doc="Where either is true.",
    exact=lambda m, a, b: m.logical_or(m.truth(a), m.truth(b)),
    conditions=(0, 1),
    infix="|",
    binds=44,
    examples=("(x > 0) | (y > 0)",),
)
logical_not: Op = relation(
    "logical_not",
    np.logical_not,
    doc="Where it is false.",
    exact=lambda m, a: m.logical_not(m.truth(a)),
    conditions=(0,),
    binds=70,
    examples=("~(x > 0)",),
)
isnan: Op = relation("isnan", np.isnan, doc="Where it is not a number.", exact=lambda m, x: m.isnan(x))
isfinite: Op = relation(
    "isfinite", np.isfinite, doc="Where it is neither infinite nor nan.", exact=lambda m, x: m.isfinite(x)
)
isinf: Op = relation("isinf", np.isinf, doc="Where it is infinite.", exact=lambda m, x: m.isinf(x))
signbit: Op = relation("signbit", np.signbit, doc="Where the sign is minus.", exact=lambda m, x: m.less(x, 0))

real: Op = elementwise(
    "real",
    lambda x: np.asarray(x, np.float64),
    doc="The real part, which of real numbers is all of them; truth values become 0 and 1.",
    partials=lambda y, x: (1,),
    exact=lambda m, x: m.real(x),
    conditions=(0,),
    examples=("real(x > 0)", "(x > 0) * x"),
)

# selection --------------------------------------------------------------------------------------


def _where_vjp(g: Node, y: Node, c: Node, a: Node, b: Node) -> Cotangents:
    return None, where(c, g, 0.0), where(c, 0.0, g)


where: Op = elementwise(
    "where",
    np.where,
    doc="Elements of the first array where the condition is true, else of the second.",
    vjp=_where_vjp,
    exact=lambda m, c, a, b: m.where(m.truth(c), a, b),
    conditions=(0,),
    flat=(0,),
    kink=Kink(at="the condition flips", takes="the branch that the condition selects"),
    examples=("where(x > 0, x, y)", "where(x > 0, x**2, 3)"),
    spellings=("jax.lax.select",),
)


def _larger_vjp(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    half = where(equal(a, b), 0.5 * g, 0.0)
    return where(greater(a, b), g, half), where(less(a, b), g, half)


def _smaller_vjp(g: Node, y: Node, a: Node, b: Node) -> Cotangents:
    half = where(equal(a, b), 0.5 * g, 0.0)
    return where(less(a, b), g, half), where(greater(a, b), g, half)


maximum: Op = elementwise(
    "maximum",
    np.maximum,
    doc="The larger of two arrays, element by element.",
    vjp=_larger_vjp,
    exact=lambda m, a, b: m.maximum(a, b),
    spellings=("jax.lax.max",),
    kink=Kink(at="a = b", takes="half for each"),
)
minimum: Op = elementwise(
    "minimum",
    np.minimum,
    doc="The smaller of two arrays, element by element.",
    vjp=_smaller_vjp,
    exact=lambda m, a, b: m.minimum(a, b),
    spellings=("jax.lax.min",),
    kink=Kink(at="a = b", takes="half for each"),
)


def _clip_call(x: Node, min: Node | None = None, max: Node | None = None) -> Any:
    return (x, -np.inf if min is None else min, np.inf if max is None else max), {}


def _clip_vjp(g: Node, y: Node, x: Node, low: Node, high: Node) -> Cotangents:
    inside = logical_and(greater_equal(x, low), less_equal(x, high))
    # NumPy gives `high` where the limits cross, so the upper limit wins there.
    at_high = logical_or(greater(x, high), greater(low, high))
    at_low = logical_and(less(x, low), less_equal(low, high))
    return where(inside, g, 0.0), where(at_low, g, 0.0), where(at_high, g, 0.0)


clip: Op = elementwise(
    "clip",
    np.clip,
    doc="The array kept between a lower and an upper limit; either may be left out.",
    vjp=_clip_vjp,
    call=_clip_call,
    exact=lambda m, x, low, high: m.minimum(m.maximum(x, low), high),
    kink=Kink(at="x is on a limit", takes="1 for x, 0 for the limit"),
    examples=("clip(x, -1, 1)", "clip(x, min=0)", "clip(x, max=1)", "clip(x, y, 1)", "clip(x, -1, y)"),
    spellings=("clamp",),
)
abs: Op = elementwise(
    "abs",
    np.abs,
    doc="Absolute value.",
    partials=lambda y, x: (sign(x),),
    exact=lambda m, x: m.abs(x),
    kink=Kink(at="x = 0", takes="0"),
    domain=((0.5, 2),),
    spellings=("absolute", "fabs"),
)
sign: Op = elementwise(
    "sign",
    np.sign,
    doc="-1, 0 or 1, as the sign says.",
    exact=lambda m, x: m.sign(x),
    kink=Kink(at="x = 0", takes="0"),
    domain=((0.5, 2),),
    spellings=("sgn",),
)
floor: Op = elementwise(
    "floor",
    np.floor,
    doc="The largest whole number not above x.",
    exact=lambda m, x: m.floor(x),
    kink=Kink(at="x is whole", takes="0"),
    domain=((0.1, 0.9),),
)
ceil: Op = elementwise(
    "ceil",
    np.ceil,
    doc="The smallest whole number not below x.",
    exact=lambda m, x: m.ceil(x),
    kink=Kink(at="x is whole", takes="0"),
    domain=((0.1, 0.9),),
)
trunc: Op = elementwise(
    "trunc",
    np.trunc,
    doc="The whole part, towards zero.",
    exact=lambda m, x: m.trunc(x),
    kink=Kink(at="x is whole, except 0", takes="0"),
    domain=((0.1, 0.9),),
    spellings=("fix",),
)


def _round_call(x: Node, decimals: int = 0) -> Any:
    if decimals == 0:
        return (x,), {}
    power = 10.0 ** builtins.abs(decimals)
    return round(x * power) / power if decimals > 0 else round(x / power) * power


round: Op = elementwise(
    "round",
    np.rint,
    doc="The nearest whole number, or the nearest with so many decimals; halves go to the even one.",
    exact=lambda m, x: m.round(x),
    call=_round_call,
    kink=Kink(at="x is half-way", takes="0"),
    domain=((0.61, 0.64),),
    examples=("round(x)", "round(x, decimals=1)", "round(100 * x, -1)"),
    spellings=("around",),
)
