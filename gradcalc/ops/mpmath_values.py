"""Functions that few need: what each is in mpmath's terms, and its values and slopes by mpmath.

A value is SciPy's own where SciPy is installed and the record names a route, to SciPy's accuracy (1e-14 to 1e-12
relative, away from zeros); else, and for every slope that has no closed form, mpmath's at 30 digits, rounded to
float64. That takes some 0.1 to 10 ms an element. Outside a function's real domain the value is nan.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .special_values import _MPMATH_LOCK, scipy_special

DIGITS = 30

Formula = Callable[..., Any]


def _ndtri(mp: Any, p: Any) -> Any:
    if not 0 < p < 1:
        return -mp.inf if p == 0 else mp.inf if p == 1 else mp.nan
    with mp.workprec(mp.prec + abs(mp.mag(min(p, 1 - p)))):
        return mp.sqrt(2) * mp.erfinv(2 * p - 1)


def _erfc_integral(mp: Any, n: int, x: Any) -> Any:
    """exp(x**2) times the integral of order n of erfc, by the parabolic cylinder function."""
    return mp.exp(x * x / 2) * mp.pcfd(-n - 1, x * mp.sqrt(2)) / mp.sqrt(2 ** mp.mpf(n - 1) * mp.pi)


def _owens_t(mp: Any, h: Any, a: Any) -> Any:
    return mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * mp.pi)


def _bessel_k(mp: Any, n: int, x: Any) -> Any:
    """K_n by the series of K_0, the Wronskian and the recurrence; for large x by the integral."""
    if not 0 < x < 30:
        return mp.exp(-x) * _scaled_k(mp, n, 0, x)
    with mp.workprec(
        mp.prec + 20 + int(4 * x)
    ):  # the terms of either sign are as large as exp(x), their sum as exp(-x)
        square, term, harmonic, k = x * x / 4, mp.one, mp.zero, 0
        i0, i1, rest = mp.one, mp.one, mp.zero
        while term > mp.eps * mp.eps:
            k += 1
            term *= square / (k * k)
            harmonic += mp.one / k
            i0, i1, rest = i0 + term, i1 + term / (k + 1), rest + term * harmonic
        low = rest - (mp.log(x / 2) + mp.euler) * i0
        high = (1 / x - i1 * x / 2 * low) / i0
        for order in range(1, n):
            low, high = high, low + 2 * order / x * high
        return low if n == 0 else high


def _scaled_k(mp: Any, n: int, m: int, x: Any) -> Any:
    """exp(x)*K_n(x), or up to its sign the derivative of order m, by its integral.

    The trapezoidal rule leaves off exp(-pi**2/step) of it.
    """
    if not x > 0:
        return mp.inf if x == 0 and not m else mp.nan
    accuracy = mp.prec * mp.ln2
    end = mp.acosh(1 + (accuracy + (n + 2 * m) * 10) / x)
    steps = int(mp.ceil(end * max(accuracy / mp.pi**2, 3 / end * mp.sqrt(accuracy))))
    factor, power, total = mp.exp(end / steps), mp.one, mp.mpf(m == 0) / 2
    for _ in range(steps):
        power *= factor
        cosh = (power + 1 / power) / 2
        term = mp.exp(-x * (cosh - 1)) * (cosh - 1) ** m
        total += term if n == 0 else term * (cosh if n == 1 else (power**n + power**-n) / 2)
    return total * end / steps


FORMULAS: dict[str, Formula] = {
    "bessel_j": lambda mp, n, x: mp.besselj(n, x),
    "bessel_y": lambda mp, n, x: mp.bessely(n, x),
    "bessel_i": lambda mp, n, x: mp.besseli(n, x),
    "bessel_k": lambda mp, n, x: _bessel_k(mp, n, x),
    "scaled_i0": lambda mp, x: mp.exp(-x) * mp.besseli(0, x),
    "scaled_i1": lambda mp, x: mp.exp(-x) * mp.besseli(1, x),
    "scaled_bessel_k": lambda mp, n, m, x: _scaled_k(mp, n, m, x) if m else mp.exp(x) * _bessel_k(mp, n, x),
    "spherical_bessel": lambda mp, n, x: mp.mpf(n == 0) if x == 0 else _spherical(mp, n, x),
    "airy_ai": lambda mp, x: mp.airyai(x),
    "airy_ai_prime": lambda mp, x: mp.airyai(x, derivative=1),
    "erfinv": lambda mp, x: mp.erfinv(x),
    "ndtri": _ndtri,
    "erfc_integral": _erfc_integral,
    "dawsn": lambda mp, x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x),
    "owens_t": _owens_t,
    "beta": lambda mp, a, b: mp.beta(a, b),
    "betaln": lambda mp, a, b: mp.log(abs(mp.beta(a, b))),
    "betainc": lambda mp, a, b, x: mp.betainc(a, b, 0, x, regularized=True),
    "gammainc": lambda mp, a, x: mp.gammainc(a, 0, x, regularized=True),
    "gammaincc": lambda mp, a, x: mp.gammainc(a, x, mp.inf, regularized=True),
    "zeta": lambda mp, s, q: mp.zeta(s, q) if s > 1 else mp.nan,
    "poch": lambda mp, z, m: mp.rf(z, m),
    "expn": lambda mp, n, x: mp.expint(n, x),
    "expi": lambda mp, x: mp.ei(x),
    "sine_integral": lambda mp, x: mp.si(x),
    "cosine_integral": lambda mp, x: mp.ci(abs(x)),
    "fresnel_s": lambda mp, x: mp.fresnels(x),
    "fresnel_c": lambda mp, x: mp.fresnelc(x),
    "spence": lambda mp, x: mp.polylog(2, 1 - x),
    "hyp1f1": lambda mp, a, b, x: mp.hyp1f1(a, b, x),
    "hyp2f1": lambda mp, a, b, c, x: mp.hyp2f1(a, b, c, x),
}
"""What each function is, given mpmath's context: the one definition that values, exact numbers and SymPy share."""


def _spherical(mp: Any, n: int, x: Any) -> Any:
    size = abs(x)  # a half-integral order is real for positive arguments only; j_n is even or odd as n is
    return (mp.sign(x) if n % 2 else 1) * mp.sqrt(mp.pi / (2 * size)) * mp.besselj(n + mp.mpf(1) / 2, size)


def value(mp: Any, name: str, xs: tuple[Any, ...], orders: tuple[int, ...] = ()) -> Any:
    """A function of real numbers in a context of mpmath, or its derivative of these orders; nan outside its domain.

    `orders` belong to the last arguments; those before them are whole numbers that stay as they are.
    """
    formula = FORMULAS[name]
    try:
        if not any(orders):
            found = formula(mp, *xs)
        else:
            fixed, free = xs[: len(xs) - len(orders)], xs[len(xs) - len(orders) :]
            found = mp.diff(lambda *at: formula(mp, *fixed, *at), free, orders)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError, mp.NoConvergence):
        return mp.nan
    if isinstance(found, mp.mpc):
        return found.real if found.imag == 0 else mp.nan
    return mp.mpf(found)


@cache
def _context() -> Any:
    mp = importlib.import_module("mpmath").MPContext()
    mp.dps = DIGITS
    return mp


def by_mpmath(name: str, xs: tuple[Any, ...], orders: tuple[int, ...] = (), fixed: tuple[int, ...] = ()) -> Any:
    """The values at each element of the arrays, broadcast against one another."""
    mp = _context()

    def at(*numbers: Any) -> float:
        if any(number != number for number in numbers):
            return np.nan
        return float(value(mp, name, (*fixed, *(mp.mpf(float(number)) for number in numbers)), orders))

    with _MPMATH_LOCK:
        return np.asarray(np.frompyfunc(at, len(xs), 1)(*xs)).astype(np.float64)


def by_scipy(name: str, route: Formula | None, xs: tuple[Any, ...], fixed: tuple[int, ...] = ()) -> Any:
    """The values by SciPy's function, where it is there, else by mpmath."""
    special = scipy_special()
    if route is None or special is None:
        return by_mpmath(name, xs, (), fixed)
    with np.errstate(all="ignore"):
        return np.asarray(route(special, *fixed, *xs))
