"""Relatives of the gamma function: incomplete, of two or more variables, factorials and the zeta function."""

from __future__ import annotations

import math
from typing import Any

from ..errors import GradcalcError
from ..graph import Node, Op, constant
from .arithmetic import equal, floor, greater, greater_equal, less, less_equal, logical_and, mod, where
from .elementwise import exp
from .exponential import xlog1py, xlogy
from .kinds import derived
from .rare import SLOPE, special
from .special import digamma, gamma, lgamma, polygamma


def _two(a: Node, b: Node) -> Any:
    return (a, b), {}


def _incomplete_call(a: Node, x: Node) -> Any:
    return (a, x), {}


def _poch_call(z: Node, m: Node) -> Any:
    return (z, m), {}


# beta functions -----------------------------------------------------------------------------------

beta: Op = special(
    "beta",
    doc="Beta function: gamma(a)*gamma(b)/gamma(a + b).",
    call=_two,
    partials=lambda y, a, b: (y * (digamma(a) - digamma(a + b)), y * (digamma(b) - digamma(a + b))),
    scipy=lambda sp, a, b: sp.beta(a, b),
    domain=((0.5, 3),),
    examples=("beta(x, y)",),
)
betaln: Op = special(
    "betaln",
    doc="log(abs(beta(a, b))).",
    call=_two,
    partials=lambda y, a, b: (digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)),
    scipy=lambda sp, a, b: sp.betaln(a, b),
    domain=((0.5, 3),),
    examples=("betaln(x, y)",),
)


def _betainc_call(a: Node, b: Node, x: Node) -> Any:
    return (a, b, x), {}


betainc: Op = special(
    "betainc",
    doc="Regularised incomplete beta function: the beta distribution's probability below x.",
    call=_betainc_call,
    partials=lambda y, a, b, x: (SLOPE, SLOPE, exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b))),
    scipy=lambda sp, a, b, x: sp.betainc(a, b, x),
    domain=((0.1, 0.9),),
    examples=("betainc(1.5, 2, x) | x=3", "betainc(a, 2 * b, x) | a= b= x="),
)

# incomplete gamma functions -------------------------------------------------------------------------


def _density(a: Node, x: Node) -> Node:
    return exp(xlogy(a - 1, x) - x - lgamma(a))


gammainc: Op = special(
    "gammainc",
    doc="Regularised lower incomplete gamma function: the gamma distribution's probability below x.",
    call=_incomplete_call,
    partials=lambda y, a, x: (SLOPE, _density(a, x)),
    scipy=lambda sp, a, x: sp.gammainc(a, x),
    domain=((0.5, 3),),
    examples=("gammainc(2.5, x) | x=2,3", "gammainc(a, x) | a=2 x=2"),
)
gammaincc: Op = special(
    "gammaincc",
    doc="Regularised upper incomplete gamma function: the gamma distribution's probability above x.",
    call=_incomplete_call,
    partials=lambda y, a, x: (SLOPE, -_density(a, x)),
    scipy=lambda sp, a, x: sp.gammaincc(a, x),
    domain=((0.5, 3),),
    examples=("gammaincc(2.5, x) | x=2,3", "gammaincc(a, x) | a=2 x=2"),
)

# more of gamma ------------------------------------------------------------------------------------


@derived("loggamma(x)", domain=((0.5, 4),))
def loggamma(x: Node) -> Node:
    """log(gamma(x)), of positive numbers."""
    return where(less(x, 0.0), math.nan, lgamma(x))


@derived("gammasgn(x)")
def gammasgn(x: Node) -> Node:
    """The sign of the gamma function."""
    below = where(equal(mod(floor(x), 2.0), 0.0), 1.0, -1.0)
    return where(greater_equal(x, 0.0), 1.0, where(equal(floor(x), x), math.nan, below))


@derived("multigammaln(x, 1)", "multigammaln(x, 3)", domain=((1.5, 4),))
def multigammaln(a: Node, d: int) -> Node:
    """Logarithm of the gamma function of d variables, of a > (d - 1)/2."""
    if d < 1:
        raise GradcalcError("arguments", f"the number of variables must be at least 1, got {d}")
    total = constant(d * (d - 1) / 4 * math.log(math.pi))
    for j in range(d):
        total = total + lgamma(a - j / 2)
    return total if d == 1 else where(greater(a, (d - 1) / 2), total, math.nan)


@derived("factorial(x)", domain=((0.5, 4),))
def factorial(n: Node, exact: bool = False) -> Node:
    """n! carried over to the reals as gamma(n + 1); 0 of negative numbers."""
    return where(less(n, 0.0), 0.0, gamma(where(less(n, 0.0), 0.0, n) + 1))


poch: Op = special(
    "poch",
    doc="Rising factorial: gamma(z + m)/gamma(z).",
    call=_poch_call,
    partials=lambda y, z, m: (y * (digamma(z + m) - digamma(z)), y * digamma(z + m)),
    scipy=lambda sp, z, m: sp.poch(z, m),
    domain=((0.5, 3),),
    examples=("poch(x, y)",),
)


@derived("comb(4 * x, x)", "comb(4 * x, x, repetition=True)", domain=((0.5, 2),))
def comb(N: Node, k: Node, exact: bool = False, repetition: bool = False) -> Node:
    """The number of ways to choose k of N things, carried over to the reals; with repetition, k of them again."""
    n = N + k - 1 if repetition else N
    possible = logical_and(greater_equal(n, 0.0), logical_and(greater_equal(k, 0.0), less_equal(k, n)))
    many, few = where(possible, n, 0.0), where(possible, k, 0.0)
    return where(possible, 1 / ((many + 1) * beta(many - few + 1, few + 1)), 0.0)


def _zeta_call(x: Node, q: Node | None = None) -> Any:
    return (x, 1.0 if q is None else q), {}


zeta: Op = special(
    "zeta",
    doc="Hurwitz zeta function: the sum of 1/(k + q)**x, of x > 1; Riemann's where q is left out.",
    call=_zeta_call,
    partials=lambda y, x, q: (SLOPE, -x * zeta(x + 1, q)),
    scipy=lambda sp, x, q: sp.zeta(x, q),
    domain=((1.5, 4), (0.5, 3)),
    examples=("zeta(x, y) | x=2 y=2", "zeta(x) | x=2", "zeta(2, y) | y=3"),
)


@derived("x.polygamma(1) | x=3", name="method.polygamma", domain=((0.5, 4),))
def polygamma_method(x: Node, n: int) -> Node:
    """The derivative of order n of digamma."""
    return polygamma(n, x)


# as PyTorch calls their arguments -------------------------------------------------------------------


@derived(
    "torch.special.gammainc(2.5, x) | x=3",
    name="torch.gammainc",
    spellings=("torch.igamma",),
    domain=((0.5, 3),),
)
def gammainc_torch(input: Node, other: Node) -> Node:
    """Regularised lower incomplete gamma function; the parameter comes first."""
    return gammainc(input, other)


@derived(
    "torch.special.gammaincc(2.5, x) | x=3",
    name="torch.gammaincc",
    spellings=("torch.igammac",),
    domain=((0.5, 3),),
)
def gammaincc_torch(input: Node, other: Node) -> Node:
    """Regularised upper incomplete gamma function; the parameter comes first."""
    return gammaincc(input, other)


@derived("torch.special.zeta(2, x) | x=3", name="torch.zeta", domain=((0.5, 3),))
def zeta_torch(input: Node, other: Node) -> Node:
    """Hurwitz zeta function: the sum of 1/(k + other)**input."""
    return zeta(input, other)


@derived(
    "torch.mvlgamma(x, 3)",
    "torch.mvlgamma(x, p=2)",
    name="torch.mvlgamma",
    spellings=("torch.multigammaln",),
    domain=((1.5, 4),),
)
def mvlgamma(input: Node, p: int) -> Node:
    """Logarithm of the gamma function of p variables, of x > (p - 1)/2."""
    return multigammaln(input, p)
