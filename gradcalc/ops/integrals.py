"""Integrals that have names: exponential, sine and cosine integrals, Fresnel's and Dawson's."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..graph import Node, Op
from .bessel import spherical_bessel
from .elementwise import cos, exp, sin
from .kinds import derived
from .rare import SLOPE, special


def _one(x: Node) -> Any:
    return (x,), {}


# exponential --------------------------------------------------------------------------------------

expi: Op = special(
    "expi",
    doc="Exponential integral Ei: of exp(t)/t up to x.",
    call=_one,
    partials=lambda y, x: (exp(x) / x,),
    scipy=lambda sp, x: sp.expi(x),
    domain=((0.5, 3),),
    examples=("expi(x)", "expi(-x)"),
)


def _expn_call(n: int, x: Node) -> Any:
    if n == 0:
        return exp(-x) / x
    return (exp(-x) - n * expn(n + 1, x)) / x if n < 0 else ((x,), {"n": n})


expn: Op = special(
    "expn",
    doc="Exponential integral of the whole order n: of exp(-x*t)/t**n from 1 on.",
    call=_expn_call,
    partials=lambda y, x, n: (-expn(n - 1, x),),
    scipy=lambda sp, n, x: sp.exp1(x) if n == 1 else sp.expn(n, x),
    domain=((0.2, 3),),
    examples=("expn(1, x)", "expn(3, x)", "expn(0, x)"),
)


@derived("exp1(x)", domain=((0.2, 3),))
def exp1(x: Node) -> Node:
    """Exponential integral of order 1: of exp(-t)/t from x on."""
    return expn(1, x)


# sine and cosine ------------------------------------------------------------------------------------

sine_integral: Op = special(
    "sine_integral",
    doc="Integral of sin(t)/t from 0 to x.",
    call=_one,
    partials=lambda y, x: (spherical_bessel(0, x),),
    scipy=lambda sp, x: sp.sici(x)[0],
    examples=("sine_integral(x)",),
)
cosine_integral: Op = special(
    "cosine_integral",
    doc="Integral of cos(t)/t up to x, of abs(x).",
    call=_one,
    partials=lambda y, x: (cos(x) / x,),
    scipy=lambda sp, x: sp.sici(abs(x))[1],
    domain=((0.3, 3),),
    examples=("cosine_integral(x)", "cosine_integral(-x)"),
)


class SineAndCosine(NamedTuple):
    """The sine and the cosine integral."""

    si: Node
    ci: Node


@derived("sici(x)[0]", "sici(x)[1]", domain=((0.3, 3),))
def sici(x: Node) -> SineAndCosine:
    """The sine and the cosine integral."""
    return SineAndCosine(sine_integral(x), cosine_integral(x))


# Fresnel's and Dawson's -----------------------------------------------------------------------------

fresnel_s: Op = special(
    "fresnel_s",
    doc="Integral of sin(pi*t**2/2) from 0 to x.",
    call=_one,
    partials=lambda y, x: (sin(math.pi / 2 * x**2),),
    scipy=lambda sp, x: sp.fresnel(x)[0],
    examples=("fresnel_s(x)",),
)
fresnel_c: Op = special(
    "fresnel_c",
    doc="Integral of cos(pi*t**2/2) from 0 to x.",
    call=_one,
    partials=lambda y, x: (cos(math.pi / 2 * x**2),),
    scipy=lambda sp, x: sp.fresnel(x)[1],
    examples=("fresnel_c(x)",),
)


class Fresnel(NamedTuple):
    """Fresnel's sine and cosine integrals."""

    S: Node
    C: Node


@derived("fresnel(x)[0]", "fresnel(x)[1]")
def fresnel(x: Node) -> Fresnel:
    """Fresnel's sine and cosine integrals."""
    return Fresnel(fresnel_s(x), fresnel_c(x))


dawsn: Op = special(
    "dawsn",
    doc="Dawson's integral: exp(-x**2) times the integral of exp(t**2) from 0 to x.",
    call=_one,
    partials=lambda y, x: (SLOPE,),  # 1 - 2*x*y has no digits left for large x
    scipy=lambda sp, x: sp.dawsn(x),
    examples=("dawsn(x)",),
)
