"""Hypergeometric functions and the dilogarithm. Their values are mpmath's, since SciPy's miss digits in places."""

from __future__ import annotations

from typing import Any

from ..graph import Node, Op
from .rare import SLOPE, special


def _hyp1f1(a: Node, b: Node, x: Node) -> Any:
    return (a, b, x), {}


def _hyp2f1(a: Node, b: Node, c: Node, x: Node) -> Any:
    return (a, b, c, x), {}


def _spence(x: Node) -> Any:
    return (x,), {}


hyp1f1: Op = special(
    "hyp1f1",
    doc="Confluent hypergeometric function 1F1(a; b; x).",
    call=_hyp1f1,
    partials=lambda y, a, b, x: (SLOPE, SLOPE, a / b * hyp1f1(a + 1, b + 1, x)),
    domain=((0.5, 2), (0.5, 2), (-2, 2)),
    examples=("hyp1f1(0.5, 1.5, x) | x=3", "hyp1f1(a, b, x) | a=2 b=2 x=2"),
)
hyp2f1: Op = special(
    "hyp2f1",
    doc="Gauss's hypergeometric function 2F1(a, b; c; x).",
    call=_hyp2f1,
    partials=lambda y, a, b, c, x: (SLOPE, SLOPE, SLOPE, a * b / c * hyp2f1(a + 1, b + 1, c + 1, x)),
    domain=((0.5, 2), (0.5, 2), (0.5, 2), (-0.8, 0.8)),
    examples=("hyp2f1(0.5, 1.5, 1.2, x / 3) | x=3", "hyp2f1(a, b, c, x) | a=1 b=1 c=1 x=1"),
)
spence: Op = special(
    "spence",
    doc="Dilogarithm in SciPy's form: the integral of log(t)/(1 - t) from 1 to x.",
    call=_spence,
    partials=lambda y, x: (-hyp2f1(1.0, 1.0, 2.0, 1 - x),),  # log(x)/(1 - x), which is 0/0 at 1
    scipy=lambda sp, x: sp.spence(x),
    domain=((0.4, 1.6),),
    examples=("spence(x) | x=3",),
)
