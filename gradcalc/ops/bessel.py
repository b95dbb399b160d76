"""Bessel functions and their relatives: cylindrical, modified, spherical, Airy's, and sinc.

An order is a whole number, written as an argument that is not differentiated; derivatives are functions of the
neighbouring orders, none of which is divided by x.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, Op
from .arithmetic import abs, less, where
from .joining import stack
from .kinds import derived
from .rare import SLOPE, special


def _one(x: Node) -> Any:
    return (x,), {}


def _of_order(op: Any, odd: bool) -> Any:
    """The caller's arguments of a function that is even, or odd as its order is, under a change of the order's sign."""

    def call(n: int, x: Node) -> Any:
        if n >= 0:
            return (x,), {"n": n}
        return -op()(-n, x) if odd and n % 2 else op()(-n, x)

    return call


def _difference(op: Any) -> Any:
    return lambda y, x, n: (-op()(1, x) if n == 0 else (op()(n - 1, x) - op()(n + 1, x)) / 2,)


bessel_j: Op = special(
    "bessel_j",
    doc="Bessel function of the first kind and the whole order n.",
    call=_of_order(lambda: bessel_j, True),
    partials=_difference(lambda: bessel_j),
    scipy=lambda sp, n, x: sp.j0(x) if n == 0 else sp.j1(x) if n == 1 else sp.jv(n, x),
    domain=((-3, 3),),
    examples=("bessel_j(0, x)", "bessel_j(2, x)", "bessel_j(-3, x)"),
)
bessel_y: Op = special(
    "bessel_y",
    doc="Bessel function of the second kind and the whole order n.",
    call=_of_order(lambda: bessel_y, True),
    partials=_difference(lambda: bessel_y),
    scipy=lambda sp, n, x: sp.y0(x) if n == 0 else sp.y1(x) if n == 1 else sp.yn(n, x),
    domain=((0.5, 3),),
    examples=("bessel_y(0, x)", "bessel_y(-1, x)", "bessel_y(2, x)"),
)
bessel_i: Op = special(
    "bessel_i",
    doc="Modified Bessel function of the first kind and the whole order n.",
    call=_of_order(lambda: bessel_i, False),
    partials=lambda y, x, n: (bessel_i(1, x) if n == 0 else (bessel_i(n - 1, x) + bessel_i(n + 1, x)) / 2,),
    scipy=lambda sp, n, x: sp.i0(x) if n == 0 else sp.i1(x) if n == 1 else sp.iv(n, x),
    examples=("bessel_i(0, x)", "bessel_i(2, x)", "bessel_i(-1, x)"),
)
bessel_k: Op = special(
    "bessel_k",
    doc="Modified Bessel function of the second kind and the whole order n.",
    call=_of_order(lambda: bessel_k, False),
    partials=lambda y, x, n: (-bessel_k(1, x) if n == 0 else (bessel_k(n - 1, x) + bessel_k(n + 1, x)) / -2,),
    scipy=lambda sp, n, x: sp.k0(x) if n == 0 else sp.k1(x) if n == 1 else sp.kn(n, x),
    domain=((0.5, 3),),
    examples=("bessel_k(0, x)", "bessel_k(2, x)", "bessel_k(-1, x)"),
)

# of the orders 0 and 1 ----------------------------------------------------------------------------


@derived("bessel_j0(x)", spellings=("j0",))
def bessel_j0(x: Node) -> Node:
    """Bessel function of the first kind and order 0."""
    return bessel_j(0, x)


@derived("bessel_j1(x)", spellings=("j1",))
def bessel_j1(x: Node) -> Node:
    """Bessel function of the first kind and order 1."""
    return bessel_j(1, x)


@derived("bessel_y0(x)", spellings=("y0",), domain=((0.5, 3),))
def bessel_y0(x: Node) -> Node:
    """Bessel function of the second kind and order 0."""
    return bessel_y(0, x)


@derived("bessel_y1(x)", spellings=("y1",), domain=((0.5, 3),))
def bessel_y1(x: Node) -> Node:
    """Bessel function of the second kind and order 1."""
    return bessel_y(1, x)


@derived("i0(x)", spellings=("modified_bessel_i0",))
def i0(x: Node) -> Node:
    """Modified Bessel function of the first kind and order 0."""
    return bessel_i(0, x)


@derived("i1(x)", spellings=("modified_bessel_i1",))
def i1(x: Node) -> Node:
    """Modified Bessel function of the first kind and order 1."""
    return bessel_i(1, x)


@derived("modified_bessel_k0(x)", spellings=("k0",), domain=((0.5, 3),))
def modified_bessel_k0(x: Node) -> Node:
    """Modified Bessel function of the second kind and order 0."""
    return bessel_k(0, x)


@derived("modified_bessel_k1(x)", spellings=("k1",), domain=((0.5, 3),))
def modified_bessel_k1(x: Node) -> Node:
    """Modified Bessel function of the second kind and order 1."""
    return bessel_k(1, x)


@derived("bessel_jn(x, v=3) | x=2", "bessel_jn(x, v=0) | x=2,3", domain=((0.5, 2),))
def bessel_jn(z: Node, v: int, n_iter: int = 50) -> Node:
    """Bessel functions of the first kind and the orders 0 to v, along a new first axis."""
    return stack([bessel_j(n, z) for n in range(v + 1)])


# scaled: by the neighbouring orders the derivatives would be small differences of large terms --------------

scaled_i0: Op = special(
    "scaled_i0",
    doc="exp(-x) times the modified Bessel function of the first kind and order 0, of x >= 0.",
    call=_one,
    partials=lambda y, x: (SLOPE,),
    scipy=lambda sp, x: sp.i0e(x),
    domain=((0.1, 3),),
    examples=("scaled_i0(x)",),
)
scaled_i1: Op = special(
    "scaled_i1",
    doc="exp(-x) times the modified Bessel function of the first kind and order 1, of x >= 0.",
    call=_one,
    partials=lambda y, x: (SLOPE,),
    scipy=lambda sp, x: sp.i1e(x),
    domain=((0.1, 3),),
    examples=("scaled_i1(x)",),
)


def _scaled_k_kernel(x: Any, n: int, order: int) -> Any:
    """The integral of (cosh(t) - 1)**order * exp(x - x*cosh(t)) * cosh(n*t) by the trapezoidal rule."""
    x = np.asarray(x, dtype=np.float64)
    positive = np.where((x > 0) & np.isfinite(x), x, 1.0)
    end = np.arccosh(1 + 750 / positive)
    steps = 100 + int(np.max(end, initial=0.0) / 0.15)
    total = np.full(x.shape, 0.5 * (order == 0))
    for k in range(1, steps + 1):
        rise = 2 * np.sinh(end * k / steps / 2) ** 2
        total = total + rise**order * np.exp(-positive * rise) * np.cosh(n * end * k / steps)
    edge = np.where(x == 0, np.inf, np.where(x == np.inf, 0.0, np.nan))
    return np.where((x > 0) & (x < np.inf), total * end / steps, edge)


def _scaled_k_call(n: int, order: int, x: Node) -> Any:
    return (x,), {"n": n, "order": order}


scaled_bessel_k: Op = special(
    "scaled_bessel_k",
    doc="exp(x) times the modified Bessel function of the second kind and order n, or the size of a derivative of it.",
    call=_scaled_k_call,
    kernel=_scaled_k_kernel,
    partials=lambda y, x, n, order: (-scaled_bessel_k(n, order + 1, x),),
    domain=((0.5, 3),),
    examples=("scaled_bessel_k(0, 0, x)", "scaled_bessel_k(2, 0, x)"),
)


@derived("scaled_modified_bessel_k0(x)", spellings=("k0e",), domain=((0.5, 3),))
def scaled_modified_bessel_k0(x: Node) -> Node:
    """exp(x) times the modified Bessel function of the second kind and order 0."""
    return scaled_bessel_k(0, 0, x)


@derived("scaled_modified_bessel_k1(x)", spellings=("k1e",), domain=((0.5, 3),))
def scaled_modified_bessel_k1(x: Node) -> Node:
    """exp(x) times the modified Bessel function of the second kind and order 1."""
    return scaled_bessel_k(1, 0, x)


@derived("i0e(x)", kink=Kink(at="x = 0", takes="0"))
def i0e(x: Node) -> Node:
    """exp(-abs(x))*i0(x)."""
    return scaled_i0(abs(x))


@derived("i1e(x)")
def i1e(x: Node) -> Node:
    """exp(-abs(x))*i1(x)."""
    size = where(less(x, 0.0), -x, x)  # not abs(x), whose derivative at 0 is 0
    value = scaled_i1(size)
    return where(less(x, 0.0), -value, value)


# spherical, sinc and Airy's -----------------------------------------------------------------------


def _spherical_call(n: int, x: Node) -> Any:
    if n < 0:
        raise GradcalcError("arguments", f"the order of `spherical_bessel` must not be negative, got {n}")
    return (x,), {"n": n}


def _spherical_partials(y: Node, x: Node, n: int) -> tuple[Node]:
    if n == 0:
        return (-spherical_bessel(1, x),)
    return ((n * spherical_bessel(n - 1, x) - (n + 1) * spherical_bessel(n + 1, x)) / (2 * n + 1),)


spherical_bessel: Op = special(
    "spherical_bessel",
    doc="Spherical Bessel function of the first kind and the order n, 0 or more; of order 0 it is sin(x)/x.",
    call=_spherical_call,
    partials=_spherical_partials,
    scipy=lambda sp, n, x: sp.spherical_jn(n, x),
    domain=((-3, 3),),
    examples=("spherical_bessel(0, x)", "spherical_bessel(1, x)", "spherical_bessel(3, x)"),
)


@derived("spherical_bessel_j0(x)")
def spherical_bessel_j0(x: Node) -> Node:
    """sin(x)/x, and 1 at 0."""
    return spherical_bessel(0, x)


@derived("sinc(x)")
def sinc(x: Node) -> Node:
    """sin(pi*x)/(pi*x), and 1 at 0."""
    return spherical_bessel(0, math.pi * x)


airy_ai: Op = special(
    "airy_ai",
    doc="Airy function Ai.",
    call=_one,
    partials=lambda y, x: (airy_ai_prime(x),),
    scipy=lambda sp, x: np.where(x > 1000, 0.0, sp.airy(x)[0]),  # SciPy gives up where it has long vanished
    domain=((-1.5, 3),),
    examples=("airy_ai(x)",),
)
airy_ai_prime: Op = special(
    "airy_ai_prime",
    doc="Derivative of the Airy function Ai.",
    call=_one,
    partials=lambda y, x: (x * airy_ai(x),),
    scipy=lambda sp, x: np.where(x > 1000, 0.0, sp.airy(x)[1]),
    domain=((-1.5, 3),),
    examples=("airy_ai_prime(x)",),
)
