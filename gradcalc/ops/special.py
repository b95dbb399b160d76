"""The error function, the gamma function, and what is made of them.

Their numbers come from `special_values`, which says which library gives each and how exact it is.
"""

from __future__ import annotations

import math
from typing import Any

from ..errors import GradcalcError
from ..graph import Node, Op
from . import special_values as values
from .elementwise import exp, sigmoid
from .kinds import derived, elementwise

erf: Op = elementwise(
    "erf",
    values.erf.__call__,
    doc="Error function.",
    partials=lambda y, x: (2 / math.sqrt(math.pi) * exp(-(x**2)),),
    exact=lambda m, x: m.erf(x),
)
erfc: Op = elementwise(
    "erfc",
    values.erfc.__call__,
    doc="1 - erf(x), exact where erf is near 1.",
    partials=lambda y, x: (-2 / math.sqrt(math.pi) * exp(-(x**2)),),
    exact=lambda m, x: m.erfc(x),
)


digamma: Op = elementwise(
    "digamma",
    values.digamma.__call__,
    doc="Derivative of log(gamma(x)).",
    partials=lambda y, x: (polygamma(1, x),),
    exact=lambda m, x: m.polygamma(0, x),
    domain=((0.5, 4),),
    spellings=("psi",),
)


def _polygamma_call(n: int, x: Node) -> Any:
    if n < 0:
        raise GradcalcError("arguments", f"the order of `polygamma` must not be negative, got {n}")
    return (x,), {"n": n}


polygamma: Op = elementwise(
    "polygamma",
    values.polygamma,
    doc="Derivative of order n + 1 of log(gamma(x)); n comes first, as in SciPy.",
    partials=lambda y, x, n: (polygamma(n + 1, x),),
    exact=lambda m, x, n: m.polygamma(n, x),
    call=_polygamma_call,
    domain=((0.5, 4),),
    examples=("polygamma(1, x)", "polygamma(2, x)"),
)
gamma: Op = elementwise(
    "gamma",
    values.gamma.__call__,
    doc="Gamma function: (x - 1)! carried over to the reals.",
    partials=lambda y, x: (y * digamma(x),),
    exact=lambda m, x: m.gamma(x),
    domain=((0.5, 4),),
)
lgamma: Op = elementwise(
    "lgamma",
    values.lgamma.__call__,
    doc="log(abs(gamma(x))).",
    partials=lambda y, x: (digamma(x),),
    exact=lambda m, x: m.loggamma(x),
    domain=((0.5, 4),),
    spellings=("gammaln",),
)


@derived("gelu(x)", "gelu(x, 'tanh')")
def gelu(x: Node, approximate: str = "none") -> Node:
    """x times the normal distribution's probability below x, exact or by tanh."""
    if approximate not in ("none", "tanh"):
        raise GradcalcError("arguments", f"`approximate` of `gelu` must be 'none' or 'tanh', got {approximate!r}")
    if approximate == "tanh":
        # (1 + tanh(u))/2, which has no digits left for large negative u, is sigmoid(2*u).
        return x * sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return 0.5 * x * erfc(-x / math.sqrt(2))
