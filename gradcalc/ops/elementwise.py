"""Powers, exponentials and logarithms, trigonometric and hyperbolic functions, and smooth activations.

Each rule is written so that it keeps its digits where the function saturates, has a pole or cancels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..graph import Kink, Node, Op, scalar_value
from .arithmetic import equal, greater, logical_and, where
from .kinds import derived, elementwise

# powers and roots -------------------------------------------------------------------------------


def _power_partials(y: Node, x: Node, p: Node) -> tuple[Node | float | None, ...]:
    exponent = scalar_value(p)
    if exponent is not None:  # the rule a person would write, for a number that is known
        to_base: Node | float | None
        to_base = None if exponent == 0 else 1 if exponent == 1 else exponent * x ** (exponent - 1)
        return to_base, y * log(x)
    # x**0 is 1 everywhere, at 0 too, where p * x**(p - 1) would be 0 * inf.
    to_base = where(equal(p, 0.0), 0.0, p * x ** (p - 1))
    # 0**p is 0 around a positive p, where y * log(x) would be 0 * -inf.
    to_exponent = where(logical_and(equal(x, 0.0), greater(p, 0.0)), 0.0, y * log(x))
    return to_base, to_exponent


power: Op = elementwise(
    "power",
    np.power,
    doc="First array to the power of the second, element by element.",
    partials=_power_partials,
    exact=lambda m, x, p: m.power(x, p),
    infix="**",
    binds=80,
    domain=((0.5, 2), (-2, 2)),
    examples=("x ** y", "x ** 2", "x ** 3", "x ** -1", "x ** 0.5", "x ** 1", "x ** 0", "2 ** x"),
    spellings=("pow", "float_power"),
)

square: Op = elementwise("square", np.square, doc="Square.", partials=lambda y, x: (2 * x,), exact=lambda m, x: x * x)
sqrt: Op = elementwise(
    "sqrt",
    np.sqrt,
    doc="Square root.",
    partials=lambda y, x: (0.5 / y,),
    exact=lambda m, x: m.sqrt(x),
    kink=Kink(at="x = 0, the edge of the domain", takes="inf"),
    domain=((0.1, 4),),
)
cbrt: Op = elementwise(
    "cbrt",
    np.cbrt,
    doc="Cube root, of negative numbers too.",
    partials=lambda y, x: (1 / (3 * y**2),),
    exact=lambda m, x: m.cbrt(x),
    kink=Kink(at="x = 0", takes="inf"),
    domain=((0.1, 4),),
)


@derived("rsqrt(x)", domain=((0.1, 4),))
def rsqrt(x: Node) -> Node:
    """One divided by the square root."""
    return 1 / sqrt(x)


reciprocal: Op = elementwise(
    "reciprocal",
    np.reciprocal,
    doc="One divided by x.",
    partials=lambda y, x: (-(y**2),),
    exact=lambda m, x: m.divide(1, x),
    domain=((0.5, 2),),
)
hypot: Op = elementwise(
    "hypot",
    np.hypot,
    doc="sqrt(x**2 + y**2), without overflow.",
    partials=lambda y, a, b: (_share(a, y), _share(b, y)),
    exact=lambda m, a, b: m.sqrt(a * a + b * b),
    kink=Kink(at="x = y = 0", takes="0 for both"),
    domain=((0.5, 2), (0.5, 2)),
)


def _share(part: Node, whole: Node) -> Node:
    """part/whole, and 0 where the whole is 0: the value used at the tip of a norm's cone."""
    return where(equal(whole, 0.0), 0.0, part / whole)


# exponentials and logarithms --------------------------------------------------------------------

exp: Op = elementwise("exp", np.exp, doc="Exponential.", partials=lambda y, x: (y,), exact=lambda m, x: m.exp(x))
exp2: Op = elementwise(
    "exp2",
    np.exp2,
    doc="2 to the power x.",
    partials=lambda y, x: (math.log(2) * y,),
    exact=lambda m, x: m.power(2, x),
)
expm1: Op = elementwise(
    "expm1",
    np.expm1,
    doc="exp(x) - 1, exact for small x.",
    partials=lambda y, x: (exp(x),),  # not y + 1: for x below -37 that is 0 to the last digit
    exact=lambda m, x: m.exp(x) - 1,
)
log: Op = elementwise(
    "log",
    np.log,
    doc="Natural logarithm.",
    partials=lambda y, x: (1 / x,),
    exact=lambda m, x: m.log(x),
    domain=((0.1, 4),),
    spellings=("ln",),
)
log2: Op = elementwise(
    "log2",
    np.log2,
    doc="Logarithm to base 2.",
    partials=lambda y, x: (1 / math.log(2) / x,),
    exact=lambda m, x: m.log(x) / m.log(2),
    domain=((0.1, 4),),
)
log10: Op = elementwise(
    "log10",
    np.log10,
    doc="Logarithm to base 10.",
    partials=lambda y, x: (1 / math.log(10) / x,),
    exact=lambda m, x: m.log(x) / m.log(10),
    domain=((0.1, 4),),
)
log1p: Op = elementwise(
    "log1p",
    np.log1p,
    doc="log(1 + x), exact for small x.",
    partials=lambda y, x: (1 / (1 + x),),
    exact=lambda m, x: m.log(1 + x),
    domain=((-0.5, 2),),
)
logaddexp: Op = elementwise(
    "logaddexp",
    np.logaddexp,
    doc="log(exp(x) + exp(y)), without overflow.",
    partials=lambda y, a, b: (sigmoid(a - b), sigmoid(b - a)),
    exact=lambda m, a, b: m.log(m.exp(a) + m.exp(b)),
)

# trigonometric ----------------------------------------------------------------------------------

sin: Op = elementwise(
    "sin", np.sin, doc="Sine, of radians.", partials=lambda y, x: (cos(x),), exact=lambda m, x: m.sin(x)
)
cos: Op = elementwise(
    "cos", np.cos, doc="Cosine, of radians.", partials=lambda y, x: (-sin(x),), exact=lambda m, x: m.cos(x)
)
tan: Op = elementwise(
    "tan",
    np.tan,
    doc="Tangent, of radians.",
    partials=lambda y, x: (1 + y**2,),
    exact=lambda m, x: m.tan(x),
    domain=((-1, 1),),
)
arcsin: Op = elementwise(
    "arcsin",
    np.arcsin,
    doc="Inverse sine, between -pi/2 and pi/2.",
    partials=lambda y, x: (1 / _leg(x),),
    exact=lambda m, x: m.asin(x),
    domain=((-0.9, 0.9),),
    spellings=("asin",),
)
arccos: Op = elementwise(
    "arccos",
    np.arccos,
    doc="Inverse cosine, between 0 and pi.",
    partials=lambda y, x: (-1 / _leg(x),),
    exact=lambda m, x: m.acos(x),
    domain=((-0.9, 0.9),),
    spellings=("acos",),
)


def _leg(x: Node) -> Node:
    """sqrt(1 - x**2) in the form that keeps its digits near 1."""
    return sqrt((1 - x) * (1 + x))


arctan: Op = elementwise(
    "arctan",
    np.arctan,
    doc="Inverse tangent, between -pi/2 and pi/2.",
    partials=lambda y, x: (1 / (1 + x**2),),
    exact=lambda m, x: m.atan(x),
    spellings=("atan",),
)


def _arctan2_partials(t: Node, y: Node, x: Node) -> tuple[Node, Node]:
    length = hypot(x, y)  # dividing by it twice: its square may overflow or vanish
    return x / length / length, -(y / length / length)


def _arctan2_call(y: Node, x: Node) -> Any:
    return (y, x), {}


arctan2: Op = elementwise(
    "arctan2",
    np.arctan2,
    doc="Angle of the point (x, y) from the positive x axis; y comes first.",
    partials=_arctan2_partials,
    call=_arctan2_call,
    examples=("arctan2(y, x)",),
    exact=lambda m, y, x: m.atan2(y, x),
    domain=((0.5, 2), (0.5, 2)),
    spellings=("atan2",),
)


@derived("torch.atan2(y, x)", name="torch.arctan2", spellings=("torch.atan2",), domain=((0.5, 2), (0.5, 2)))
def arctan2_torch(input: Node, other: Node) -> Node:
    """Angle of the point (other, input) from the positive x axis."""
    return arctan2(input, other)


# hyperbolic -------------------------------------------------------------------------------------

sinh: Op = elementwise(
    "sinh", np.sinh, doc="Hyperbolic sine.", partials=lambda y, x: (cosh(x),), exact=lambda m, x: m.sinh(x)
)
cosh: Op = elementwise(
    "cosh", np.cosh, doc="Hyperbolic cosine.", partials=lambda y, x: (sinh(x),), exact=lambda m, x: m.cosh(x)
)
sech: Op = elementwise(
    "sech",
    lambda x: np.reciprocal(np.cosh(x)),
    doc="Hyperbolic secant, 1/cosh(x).",
    partials=lambda y, x: (-y * tanh(x),),
    exact=lambda m, x: m.divide(1, m.cosh(x)),
)
tanh: Op = elementwise(
    "tanh",
    np.tanh,
    doc="Hyperbolic tangent.",
    partials=lambda y, x: (sech(x) ** 2,),  # 1 - tanh**2 has no correct digit left at x = 20
    exact=lambda m, x: m.tanh(x),
)
arcsinh: Op = elementwise(
    "arcsinh",
    np.arcsinh,
    doc="Inverse hyperbolic sine.",
    partials=lambda y, x: (1 / hypot(1.0, x),),
    exact=lambda m, x: m.asinh(x),
    spellings=("asinh",),
)
arccosh: Op = elementwise(
    "arccosh",
    np.arccosh,
    doc="Inverse hyperbolic cosine.",
    partials=lambda y, x: (1 / (sqrt(x - 1) * sqrt(x + 1)),),
    exact=lambda m, x: m.acosh(x),
    domain=((1.5, 4),),
    spellings=("acosh",),
)
arctanh: Op = elementwise(
    "arctanh",
    np.arctanh,
    doc="Inverse hyperbolic tangent.",
    partials=lambda y, x: (1 / ((1 - x) * (1 + x)),),
    exact=lambda m, x: m.atanh(x),
    domain=((-0.9, 0.9),),
    spellings=("atanh",),
)

# activations ------------------------------------------------------------------------------------


def _sigmoid_kernel(x: Any) -> Any:
    return np.reciprocal(1.0 + np.exp(np.negative(x)))  # for x below -709 exp is inf, and 1/inf the right 0


sigmoid: Op = elementwise(
    "sigmoid",
    _sigmoid_kernel,
    doc="1/(1 + exp(-x)).",
    partials=lambda y, x: (y * sigmoid(-x),),  # 1 - y has no digits left for large x
    exact=lambda m, x: m.divide(1, 1 + m.exp(-x)),
    spellings=("expit", "jax.logistic"),
)
softplus: Op = elementwise(
    "softplus",
    lambda x: np.logaddexp(x, 0.0),
    doc="log(1 + exp(x)), without overflow.",
    partials=lambda y, x: (sigmoid(x),),
    exact=lambda m, x: m.log(1 + m.exp(x)),
)
relu: Op = elementwise(
    "relu",
    lambda x: np.maximum(x, 0.0),
    doc="The array with negative numbers replaced by 0.",
    vjp=lambda g, y, x: (where(greater(x, 0.0), g, 0.0),),
    exact=lambda m, x: m.maximum(x, 0),
    kink=Kink(at="x = 0", takes="0"),
)


@derived("silu(x)", spellings=("swish",))
def silu(x: Node) -> Node:
    """x*sigmoid(x), also called swish."""
    return x * sigmoid(x)
