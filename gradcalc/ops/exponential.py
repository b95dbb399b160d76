"""Logarithms, exponentials and entropies with care at the edges, and angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..graph import Kink, Node, Op
from .arithmetic import clip, equal, less_equal, logical_and, where
from .elementwise import hypot, log, log1p, sigmoid
from .hypergeometric import hyp1f1
from .kinds import derived, elementwise

# logarithms and exponentials --------------------------------------------------------------------

logaddexp2: Op = elementwise(
    "logaddexp2",
    np.logaddexp2,
    doc="log2(2**x + 2**y), without overflow.",
    partials=lambda y, a, b: (sigmoid(math.log(2) * (a - b)), sigmoid(math.log(2) * (b - a))),
    exact=lambda m, a, b: m.log(m.power(2, a) + m.power(2, b)) / m.log(2),
)


def _logit(x: Any) -> Any:
    middle = np.abs(x - 0.5) < 0.25  # where x / (1 - x) is near 1, whose logarithm has lost digits
    near = np.where(middle, 2 * x - 1, 0.0)
    return np.where(middle, np.log1p(near) - np.log1p(-near), np.log(x) - np.log1p(-x))


logit: Op = elementwise(
    "logit",
    _logit,
    doc="log(x/(1 - x)), the inverse of the sigmoid.",
    partials=lambda y, x: (1 / (x * (1 - x)),),
    exact=lambda m, x: m.log(m.divide(x, 1 - x)),
    domain=((0.05, 0.95),),
)


@derived(
    "torch.logit(x)",
    "torch.logit(x, eps=0.3)",
    name="torch.logit",
    domain=((0.05, 0.95),),
    kink=Kink(at="x is eps from 0 or 1", takes="the derivative inside"),
)
def logit_torch(input: Node, eps: float | None = None) -> Node:
    """log(x/(1 - x)) of x kept eps away from 0 and 1."""
    return logit(input if eps is None else clip(input, eps, 1 - eps))


@derived("boxcox1p(x, y)", domain=((0.5, 2), (0.5, 2)))
def boxcox1p(x: Node, lmbda: Node) -> Node:
    """((1 + x)**lmbda - 1)/lmbda, and its limit log(1 + x) where lmbda is 0."""
    return _power_of(log1p(x), lmbda)


@derived("boxcox(x, y)", domain=((0.5, 2), (0.5, 2)))
def boxcox(x: Node, lmbda: Node) -> Node:
    """(x**lmbda - 1)/lmbda, and its limit log(x) where lmbda is 0."""
    return _power_of(log(x), lmbda)


def _power_of(logarithm: Node, power: Node) -> Node:
    return logarithm * exprel(power * logarithm)


def _exprel(x: Any) -> Any:
    return np.where(x == 0, 1.0, np.expm1(x) / np.where(x == 0, 1.0, x))


exprel: Op = elementwise(
    "exprel",
    _exprel,
    doc="(exp(x) - 1)/x, and 1 at 0.",
    partials=lambda y, x: (0.5 * hyp1f1(2.0, 3.0, x),),  # (exp(x) - y)/x has no digits left at 0
    exact=lambda m, x: m.where(m.equal(x, 0), 1, m.divide(m.exp(x) - 1, x)),
)

# entropies --------------------------------------------------------------------------------------


def _xlogy(x: Any, y: Any) -> Any:
    return np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log(np.where(x == 0, 1.0, y)))


def _xlogy_partials(z: Node, x: Node, y: Node) -> tuple[Node, Node]:
    # At x = 0 the value is 0 for every y, also where log(y) or x/y has none.
    edge = logical_and(equal(x, 0.0), less_equal(y, 0.0))
    return where(edge, 0.0, log(y)), where(equal(x, 0.0), 0.0, x / y)


xlogy: Op = elementwise(
    "xlogy",
    _xlogy,
    doc="x*log(y), and 0 where x is 0.",
    partials=_xlogy_partials,
    exact=lambda m, x, y: m.where(m.equal(x, 0), 0, x * m.log(y)),
    domain=((-2, 2), (0.5, 2)),
    kink=Kink(at="x = 0 and y <= 0", takes="0"),
)


def _xlog1py(x: Any, y: Any) -> Any:
    return np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log1p(np.where(x == 0, 0.0, y)))


def _xlog1py_partials(z: Node, x: Node, y: Node) -> tuple[Node, Node]:
    edge = logical_and(equal(x, 0.0), less_equal(y, -1.0))
    return where(edge, 0.0, log1p(y)), where(equal(x, 0.0), 0.0, x / (1 + y))


xlog1py: Op = elementwise(
    "xlog1py",
    _xlog1py,
    doc="x*log(1 + y), and 0 where x is 0.",
    partials=_xlog1py_partials,
    exact=lambda m, x, y: m.where(m.equal(x, 0), 0, x * m.log(1 + y)),
    domain=((-2, 2), (-0.5, 2)),
    kink=Kink(at="x = 0 and y <= -1", takes="0"),
)
entr: Op = elementwise(
    "entr",
    lambda x: np.where(x < 0, -np.inf, -_xlogy(x, x)),
    doc="-x*log(x), 0 at 0, and -inf for negative numbers.",
    partials=lambda y, x: (-(1 + log(x)),),
    exact=lambda m, x: -x * m.log(x),
    domain=((0.05, 2),),
    kink=Kink(at="x = 0", takes="inf"),
)


def _rel_entr(x: Any, y: Any) -> Any:
    """x*log(x/y), by the distance of x from y where that is small: it is exact there, the ratio is not."""
    inside = (x > 0) & (y > 0)
    a, b = np.where(inside, x, 1.0), np.where(inside, y, 1.0)
    near = (a < 2 * b) & (b < 2 * a)
    value = a * np.where(near, np.log1p((a - b) / b), np.log(a) - np.log(b))
    return np.where(inside, value, np.where((x == 0) & (y >= 0), 0.0, np.where(np.isnan(x + y), np.nan, np.inf)))


def _divergence_call(p: Node, q: Node) -> Any:
    return (p, q), {}


rel_entr: Op = elementwise(
    "rel_entr",
    _rel_entr,
    doc="x*log(x/y), 0 where x is 0, and inf outside.",
    partials=lambda z, x, y: (log_ratio(x, y) + 1, -x / y),
    exact=lambda m, x, y: x * m.log(m.divide(x, y)),
    call=_divergence_call,
    domain=((0.1, 2), (0.1, 2)),
)


log_ratio: Op = elementwise(
    "log_ratio",
    lambda x, y: np.where(
        (x < 2 * y) & (y < 2 * x), np.log1p((x - y) / np.where(y == 0, 1.0, y)), np.log(x) - np.log(y)
    ),
    doc="log(x/y), exact where x is near y.",
    partials=lambda z, x, y: (1 / x, -1 / y),
    exact=lambda m, x, y: m.log(m.divide(x, y)),
    domain=((0.1, 2), (0.1, 2)),
)


def _kl_div(x: Any, y: Any) -> Any:
    t = (x - y) / np.where(y == 0, 1.0, y)
    small = (np.abs(t) < 0.05) & (x > 0) & (y > 0)
    s = np.where(small, t, 0.0)
    # (1 + s)*log(1 + s) - s as a series: its terms cancel to the second order
    series = np.zeros(np.shape(s))
    for k in range(14, 1, -1):
        series = s * (series + (-1.0) ** k / (k * (k - 1)))
    return np.where(small, y * s * series, _rel_entr(x, y) - x + y)


kl_div: Op = elementwise(
    "scipy.kl_div",
    _kl_div,
    doc="x*log(x/y) - x + y, 0 or more; element by element.",
    partials=lambda z, x, y: (log_ratio(x, y), (y - x) / y),
    exact=lambda m, x, y: x * m.log(m.divide(x, y)) - x + y,
    call=_divergence_call,
    domain=((0.1, 2), (0.1, 2)),
    examples=("scipy.special.kl_div(x, y)",),
)

# angles -----------------------------------------------------------------------------------------


@derived("deg2rad(x)", spellings=("radians",))
def deg2rad(x: Node) -> Node:
    """Degrees as radians."""
    return x * (math.pi / 180)


@derived("rad2deg(x)", spellings=("degrees",))
def rad2deg(x: Node) -> Node:
    """Radians as degrees."""
    return x * (180 / math.pi)


# the standard library's ---------------------------------------------------------------------------


@derived("math.log(x) | x=", "math.log(x, 2) | x=", "math.log(x, y) | x= y=", name="math.log", domain=((1.5, 4),))
def log_to_base(x: Node, base: Node | None = None) -> Node:
    """Logarithm to a base, or the natural one."""
    return log(x) if base is None else log(x) / log(base)


@derived("math.hypot(x, y) | x= y=", "math.hypot(x, y, 2) | x= y=", name="math.hypot", domain=((0.5, 2),))
def hypot_of(*coordinates: Node) -> Node:
    """Length of the vector with these coordinates."""
    length = coordinates[0]
    for one in coordinates[1:]:
        length = hypot(length, one)
    return length
