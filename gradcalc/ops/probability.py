"""The error function's relatives and the normal distribution's: scaled, inverted, in logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..graph import Node, Op
from . import special_values as values
from .arithmetic import greater, where
from .elementwise import exp
from .kinds import derived, elementwise
from .rare import special
from .special import erf, erfc


def _one(x: Node) -> Any:
    return (x,), {}


# scaled -----------------------------------------------------------------------------------------

_STEPS = 500
"""Of the continued fraction: from 1/2 on they give all digits."""


def _erfc_integral_kernel(x: Any, n: int) -> Any:
    """The functions of the orders 0, 1, 2, … by the recurrence 2 (k + 1) w[k + 1] = w[k - 1] - 2 x w[k].

    Upwards it is stable where x is below 1/2; above, the ratios w[k]/w[k - 1] are a continued fraction.
    """
    x = np.asarray(x, dtype=np.float64)
    low = np.minimum(x, 0.5)
    before, below = np.full(x.shape, 2 / math.sqrt(math.pi)), np.exp(low * low) * values.erfc(low)
    for k in range(n):
        before, below = below, (before - 2 * low * below) / (2 * (k + 1))
    high = np.maximum(x, 0.5)
    ratio = 1 / (high + np.sqrt(high * high + 2 * (n + _STEPS)))
    above = np.full(x.shape, 2 / math.sqrt(math.pi))
    for k in range(n + _STEPS, -1, -1):
        ratio = 1 / (2 * high + 2 * (k + 1) * ratio)
        if k <= n:
            above = above * ratio
    return np.where(np.isnan(x), np.nan, np.where(x < 0.5, below, above))


def _erfc_integral_call(n: int, x: Node) -> Any:
    return (x,), {"n": n}


erfc_integral: Op = special(
    "erfc_integral",
    doc="exp(x**2) times the integral of order n of erfc; of order 0 it is erfcx.",
    call=_erfc_integral_call,
    kernel=_erfc_integral_kernel,
    # 2*x*erfcx(x) - 2/sqrt(pi) has no digits left for large x
    partials=lambda y, x, n: (-2 * (n + 1) * erfc_integral(n + 1, x),),
    examples=("erfc_integral(0, x)", "erfc_integral(2, x)", "erfc_integral(0, 3 * x)"),
)


@derived("erfcx(x)")
def erfcx(x: Node) -> Node:
    """exp(x**2)*erfc(x), without overflow."""
    return erfc_integral(0, x)


# the normal distribution --------------------------------------------------------------------------


@derived("ndtr(x)")
def ndtr(x: Node) -> Node:
    """The normal distribution's probability below x."""
    return 0.5 * erfc(-x / math.sqrt(2))


def _log_ndtr_kernel(x: Any) -> Any:
    x = np.asarray(x, dtype=np.float64)
    left, right = np.minimum(x, -1.0), np.maximum(x, -1.0)
    below = np.log(_erfc_integral_kernel(-left / math.sqrt(2), 0) / 2) - left * left / 2
    return np.where(x < -1, below, np.log1p(-0.5 * values.erfc(right / math.sqrt(2))))


def _log_ndtr_partials(y: Node, x: Node) -> tuple[Node]:
    """Density by probability: a quotient of exponentials, but for negative x, where both vanish, by erfcx."""
    positive = greater(x, 0.0)
    left = where(positive, 0.0, -x)
    right = where(positive, x, 0.0)
    by_exp = exp(-(right**2) / 2 - where(positive, y, 0.0)) / math.sqrt(2 * math.pi)
    return (where(positive, by_exp, math.sqrt(2 / math.pi) / erfcx(left / math.sqrt(2))),)


log_ndtr: Op = elementwise(
    "log_ndtr",
    _log_ndtr_kernel,
    doc="Logarithm of the normal distribution's probability below x.",
    partials=_log_ndtr_partials,
    exact=lambda m, x: m.log(m.erfc(-x / m.sqrt(2)) / 2),
    examples=("log_ndtr(x)", "log_ndtr(5 * x)"),
)
erfinv: Op = special(
    "erfinv",
    doc="Inverse of the error function, of numbers between -1 and 1.",
    call=_one,
    partials=lambda y, x: (math.sqrt(math.pi) / 2 * exp(y**2),),
    scipy=lambda sp, x: sp.erfinv(x),
    domain=((-0.95, 0.95),),
    examples=("erfinv(x)",),
)
ndtri: Op = special(
    "ndtri",
    doc="Inverse of ndtr: the point below which the normal distribution's probability is x.",
    call=_one,
    partials=lambda y, x: (math.sqrt(2 * math.pi) * exp(y**2 / 2),),
    scipy=lambda sp, x: sp.ndtri(x),
    domain=((0.05, 0.95),),
    examples=("ndtri(x)",),
)


def _owens_t_call(h: Node, a: Node) -> Any:
    return (h, a), {}


owens_t: Op = special(
    "owens_t",
    doc="Owen's T function: the probability that X > h and 0 < Y < a*X, of normal X and Y.",
    call=_owens_t_call,
    partials=lambda y, h, a: (
        exp(-(h**2) / 2) * erf(a * h / math.sqrt(2)) / (-2 * math.sqrt(2 * math.pi)),
        exp(-(h**2) * (1 + a**2) / 2) / (2 * math.pi * (1 + a**2)),
    ),
    scipy=lambda sp, h, a: sp.owens_t(h, a),
    examples=("owens_t(x, y) | x=2 y=2",),
)
