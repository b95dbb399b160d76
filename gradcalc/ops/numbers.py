"""What numbers are made of and whether they are of a kind: parts, types, tests, and what takes their place."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, Op, constant
from .arithmetic import (
    abs,
    clip,
    equal,
    floor_divide,
    greater,
    greater_equal,
    isfinite,
    isnan,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    mod,
    round,
    sign,
    signbit,
    trunc,
    where,
)
from .elementwise import exp2
from .kinds import batch_broadcasting, broadcast_shape, broadcast_to, derived, elementwise, general, zeros

# the same numbers -------------------------------------------------------------------------------


@derived(
    "positive(x)",
    "conj(x)",
    spellings=("conj", "conjugate", "conj_physical"),
)
def positive(x: Node) -> Node:
    """The array as it is."""
    return x


@derived("imag(x)")
def imag(x: Node) -> Node:
    """The imaginary part, which of real numbers is 0."""
    return zeros(x.shape)


@derived("angle(x)", "angle(x, deg=True)", domain=((0.5, 2),))
def angle(z: Node, deg: bool = False) -> Node:
    """The angle of a real number in the complex plane: 0, and of negative ones pi."""
    return where(isnan(z), z, where(signbit(z), 180.0 if deg else math.pi, 0.0))


# parts ------------------------------------------------------------------------------------------


@derived("frac(x)", domain=((0.1, 0.9),), kink=Kink(at="x is whole, except 0", takes="1"))
def frac(x: Node) -> Node:
    """The part after the point, with the sign of x."""
    return x - trunc(x)


class Modf(NamedTuple):
    """The part after the point and the whole part."""

    fractional: Node
    integral: Node


@derived("modf(x)[0]", "modf(x)[1]", domain=((0.1, 0.9),))
def modf(x: Node) -> Modf:
    """The part after the point and the whole part, both with the sign of x."""
    return Modf(x - trunc(x), trunc(x))


class Divmod(NamedTuple):
    """A quotient rounded down and the remainder."""

    quotient: Node
    remainder: Node


@derived("divmod(x, y)[0]", "divmod(x, y)[1]", domain=((2.1, 2.9), (1, 1.05)))
def divmod(x: Node, y: Node) -> Divmod:
    """The quotient rounded down, and the remainder with the divisor's sign."""
    return Divmod(floor_divide(x, y), mod(x, y))


exponent: Op = elementwise(
    "exponent",
    lambda x: np.frexp(x)[1].astype(np.float64),
    doc="The whole number n for which x is a number between 1/2 and 1 times 2**n.",
    exact=lambda m, x: m.floor(m.log(m.abs(x)) / m.log(2)) + 1,
    kink=Kink(at="x is a power of 2", takes="0"),
    domain=((0.51, 0.99),),
)


class Frexp(NamedTuple):
    """A number as mantissa times a power of two."""

    mantissa: Node
    exponent: Node


@derived("frexp(x)[0]", "frexp(3 * x)[1]", domain=((0.7, 0.95),))
def frexp(x: Node) -> Frexp:
    """Mantissa, between 1/2 and 1, and the power of two that it is multiplied by."""
    power = exponent(x)
    return Frexp(ldexp(x, -power), power)


def _ldexp(x: Any, n: Any) -> Any:
    half = np.floor(np.asarray(n) / 2)  # in two steps, as 2**n alone may leave the range
    return x * np.exp2(half) * np.exp2(n - half)


ldexp: Op = elementwise(
    "ldexp",
    _ldexp,
    doc="x times 2 to the power y.",
    partials=lambda y, x, n: (exp2(n), math.log(2) * y),
    exact=lambda m, x, n: x * m.power(2, n),
)
copysign: Op = elementwise(
    "copysign",
    np.copysign,
    doc="The size of the first with the sign of the second.",
    partials=lambda y, a, b: (sign(a) * where(signbit(b), -1.0, 1.0), None),
    flat=(1,),
    exact=lambda m, a, b: m.where(m.less(b, 0), -m.abs(a), m.abs(a)),
    kink=Kink(at="x = 0 or y = 0", takes="0"),
    domain=((0.5, 2), (0.5, 2)),
)


@derived("rint(x)", domain=((0.6, 1.4),))
def rint(x: Node) -> Node:
    """The nearest whole number; halves go to the even one."""
    return round(x)


@derived("heaviside(x, y)", "heaviside(x - x, y)")
def heaviside(x: Node, y: Node) -> Node:
    """0 for negative numbers, 1 for positive ones, and the second array at 0."""
    return where(less(x, 0.0), 0.0, where(greater(x, 0.0), 1.0, where(equal(x, 0.0), y, math.nan)))


# whole numbers ----------------------------------------------------------------------------------


def _of_whole(function: Any) -> Any:
    """A function of integers; of numbers that are not whole, nan."""

    def kernel(x: Any, y: Any) -> Any:
        x, y = (np.asarray(one, dtype=np.float64) for one in (x, y))
        whole = (np.rint(x) == x) & (np.rint(y) == y)
        a, b = (np.where(whole, one, 0).astype(np.int64) for one in (x, y))
        return np.where(whole, function(a, b), np.nan)

    return kernel


_WHOLE = {
    "shape": broadcast_shape,
    "vjp": lambda g, y, a, b: (None, None),
    "batch": batch_broadcasting,
    "flat": (0, 1),
}


@general(kernel=_of_whole(np.gcd), examples=("gcd(12, 18)", "gcd(round(x), [4, 6, 9]) | x=2,3"), **_WHOLE)
def gcd(x: Node, y: Node) -> Any:
    """Greatest common divisor of whole numbers."""
    return (x, y), {}


@general(kernel=_of_whole(np.lcm), examples=("lcm(4, 6)", "lcm(round(x), [4, 6, 9]) | x=2,3"), **_WHOLE)
def lcm(x: Node, y: Node) -> Any:
    """Least common multiple of whole numbers."""
    return (x, y), {}


# tests ------------------------------------------------------------------------------------------


@derived("isposinf(x)")
def isposinf(x: Node) -> Node:
    """Where it is infinite and positive."""
    return equal(x, math.inf)


@derived("isneginf(x)")
def isneginf(x: Node) -> Node:
    """Where it is infinite and negative."""
    return equal(x, -math.inf)


@derived("isreal(x)")
def isreal(x: Node) -> Node:
    """True everywhere: there are only real numbers here."""
    return broadcast_to(constant(True), x.shape)


@derived("iscomplex(x)")
def iscomplex(x: Node) -> Node:
    """False everywhere: there are only real numbers here."""
    return broadcast_to(constant(False), x.shape)


@derived("isclose(x, y)", "isclose(x, 1.1 * x, rtol=0.2)", "isclose(x, y, 0, 1.5)", "isclose(x, y, equal_nan=True)")
def isclose(x: Node, y: Node, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Node:
    """Where two arrays differ by at most atol + rtol*abs(y)."""
    near = logical_and(isfinite(y), less_equal(abs(x - y), atol + rtol * abs(y)))
    close = logical_or(equal(x, y), near)
    return logical_or(close, logical_and(isnan(x), isnan(y))) if equal_nan else close


@derived("math.isclose(x, y) | x= y=", "math.isclose(x, y, abs_tol=1.5) | x= y=", name="math.isclose")
def isclose_by_larger(a: Node, b: Node, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Node:
    """Whether two numbers differ by at most a part of the larger, or by abs_tol."""
    size = clip(rel_tol * clip(abs(a), abs(b), None), abs_tol, None)
    return logical_or(equal(a, b), logical_and(isfinite(a - b), less_equal(abs(a - b), size)))


# what takes their place ---------------------------------------------------------------------------

_LARGEST = float(np.finfo(np.float64).max)


def _without_nan(x: Node, nan: Node, posinf: Node | None, neginf: Node | None) -> Node:
    high = constant(_LARGEST) if posinf is None else posinf
    low = constant(-_LARGEST) if neginf is None else neginf
    return where(isnan(x), nan, where(equal(x, math.inf), high, where(equal(x, -math.inf), low, x)))


@derived(
    "nan_to_num(x)", "nan_to_num([nan, inf, -inf, 1], nan=1, posinf=y, neginf=-2 * y) | y=", "nan_to_num([nan], nan=y)"
)
def nan_to_num(
    x: Node, copy: bool = True, nan: Node | None = None, posinf: Node | None = None, neginf: Node | None = None
) -> Node:
    """The array with nan replaced by 0 and infinities by the largest numbers, or by what is given."""
    return _without_nan(x, constant(0.0) if nan is None else nan, posinf, neginf)


@derived("torch.nan_to_num(x)", "x * torch.nan_to_num([nan, inf, -inf], 1, 3, -2) | x=3", name="torch.nan_to_num")
def nan_to_num_torch(
    input: Node, nan: Node | None = None, posinf: Node | None = None, neginf: Node | None = None
) -> Node:
    """The array with nan replaced by 0 and infinities by the largest numbers, or by what is given."""
    return _without_nan(input, constant(0.0) if nan is None else nan, posinf, neginf)


@derived("fmax(x, y)", kink=Kink(at="x = y", takes="1 for x"))
def fmax(x: Node, y: Node) -> Node:
    """The larger of two arrays, element by element; a number rather than nan."""
    return where(logical_or(greater_equal(x, y), isnan(y)), x, y)


@derived("fmin(x, y)", kink=Kink(at="x = y", takes="1 for x"))
def fmin(x: Node, y: Node) -> Node:
    """The smaller of two arrays, element by element; a number rather than nan."""
    return where(logical_or(less_equal(x, y), isnan(y)), x, y)


# bits of truth values -----------------------------------------------------------------------------


def _truths(name: str, *values: Node) -> None:
    if not all(one.boolean for one in values):
        raise GradcalcError("type", f"`{name}` combines conditions here, not numbers")


@derived("bitwise_and(x > 0, y > 0)")
def bitwise_and(x: Node, y: Node) -> Node:
    """Where both conditions hold."""
    _truths("bitwise_and", x, y)
    return logical_and(x, y)


@derived("bitwise_or(x > 0, y > 0)")
def bitwise_or(x: Node, y: Node) -> Node:
    """Where either condition holds."""
    _truths("bitwise_or", x, y)
    return logical_or(x, y)


@derived("bitwise_xor(x > 0, y > 0)")
def bitwise_xor(x: Node, y: Node) -> Node:
    """Where exactly one condition holds."""
    _truths("bitwise_xor", x, y)
    return logical_xor(x, y)


@derived("invert(x > 0)", spellings=("bitwise_not", "bitwise_invert"))
def invert(x: Node) -> Node:
    """Where a condition does not hold."""
    _truths("invert", x)
    return logical_not(x)
