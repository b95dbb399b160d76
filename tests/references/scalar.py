"""Arithmetic, exponentials, special functions and polynomials, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

_gamma = np.vectorize(math.gamma, otypes=[float])
_lgamma = np.vectorize(math.lgamma, otypes=[float])


def _divide(x: Any, y: Any, rounding_mode: str | None = None) -> Any:
    quotient = x / y
    return {None: lambda q: q, "floor": np.floor, "trunc": np.trunc}[rounding_mode](quotient)


def _nan_to_num(x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def _finite(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    """What NumPy's `nan_to_num` does; before 2.1 its own took no arrays."""
    largest = np.finfo(np.float64).max
    x = np.where(np.isnan(x), nan, x)
    x = np.where(np.isposinf(x), largest if posinf is None else posinf, x)
    return np.where(np.isneginf(x), -largest if neginf is None else neginf, x)


def _logit(x: Any, eps: float | None = None) -> Any:
    inside = x if eps is None else np.minimum(np.maximum(x, eps), 1 - eps)
    return np.log(inside / (1 - inside))


def _box_cox(x: Any, power: Any) -> Any:
    return (x**power - 1) / power


def _dist(x: Any, y: Any, p: float = 2) -> Any:
    return np.sum(abs(x - y) ** p) ** (1 / p)


def _comb(n: Any, k: Any, exact: bool = False, repetition: bool = False) -> Any:
    n = n + k - 1 if repetition else n
    with np.errstate(all="ignore"):
        ways = _gamma(n + 1) / (_gamma(k + 1) * _gamma(np.maximum(n - k, 0) + 1))
    return np.where(k > n, 0, ways)


def _isclose(a: float, b: float, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> bool:
    return math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)


def _multigammaln(a: Any, d: int) -> Any:
    return math.log(math.pi) * d * (d - 1) / 4 + sum(_lgamma(a - j / 2) for j in range(d))


def _polynomial(rule: Callable[[Any, int], Any]) -> Callable[[Any, int], Any]:
    """A polynomial of degree n from its coefficients, lowest first, as exact fractions of whole numbers."""
    return lambda x, n: sum((c * x**k for k, c in enumerate(rule(None, n))), 0 * x) if n >= 0 else 0 * x


def _series(kind: Any, n: int) -> Any:
    return kind.basis(n).convert(kind=np.polynomial.Polynomial).coef


def _classic(kind: Any) -> Callable[[Any, int], Any]:
    return _polynomial(lambda _, n: _series(kind, n))


def _angle_of(kind: str) -> Callable[[Any, int], Any]:
    """Chebyshev's polynomials by their definition in angles; beyond -1 to 1, in complex ones."""

    def polynomial(x: Any, n: int) -> Any:
        if n < 0:
            return np.zeros(np.shape(x))  # as PyTorch has it
        t = np.arccos(np.asarray(x, complex))
        if kind == "t":
            return np.cos(n * t).real
        if kind == "u":
            return (np.sin((n + 1) * t) / np.sin(t)).real
        if kind == "v":
            return (np.cos((n + 0.5) * t) / np.cos(t / 2)).real
        return (np.sin((n + 0.5) * t) / np.sin(t / 2)).real

    return polynomial


def _shifted(function: Callable[[Any, int], Any]) -> Callable[[Any, int], Any]:
    return lambda x, n: function(2 * x - 1, n)


_gauss = cache(np.polynomial.legendre.leggauss)


def _integral(function: Callable[[Any], Any], low: Any, high: Any, steps: int = 60) -> Any:
    """Gauss's rule, which is exact to all digits for smooth functions."""
    at, weights = _gauss(steps)
    middle, half = (low + high) / 2, (high - low) / 2
    return sum(w * half * function(middle + half * t) for t, w in zip(at, weights, strict=True))


def _bessel_j(n: int, x: Any) -> Any:
    return _integral(lambda t: np.cos(n * t - x * np.sin(t)), 0, math.pi) / math.pi


def _bessel_i(n: int, x: Any, scale: Any = 0) -> Any:
    return _integral(lambda t: np.exp(x * np.cos(t) - scale) * np.cos(n * t), 0, math.pi) / math.pi


def _to_infinity(function: Callable[[Any], Any]) -> Any:
    """From 0 to 7, where the functions here have vanished."""
    return _integral(function, 0, 1) + _integral(function, 1, 3) + _integral(function, 3, 7)


def _bessel_y(n: int, x: Any) -> Any:
    inner = _integral(lambda t: np.sin(x * np.sin(t) - n * t), 0, math.pi)
    tail = _to_infinity(lambda t: (np.exp(n * t) + (-1) ** n * np.exp(-n * t)) * np.exp(-x * np.sinh(t)))
    return (inner - tail) / math.pi


def _bessel_k(n: int, x: Any, scale: Any = 0) -> Any:
    return _to_infinity(lambda t: np.exp(scale - x * np.cosh(t)) * np.cosh(n * t))


def _lower_gamma(a: float, x: Any) -> Any:
    """The integral of t**(a - 1)*exp(-t) with t = s**2, which is smooth for half-integral a."""
    return _integral(lambda s: 2 * s ** (2 * a - 1) * np.exp(-s * s), 0, np.sqrt(x)) / math.gamma(a)


def _zeta_2(q: Any) -> Any:
    """The sum of 1/(k + q)**2, the far end of it by Euler and Maclaurin."""
    far = 200 + q
    return sum((k + q) ** -2 for k in range(200)) + 1 / far + far**-2 / 2 + far**-3 / 6 - far**-5 / 30


def _erf(x: Any) -> Any:
    return np.vectorize(math.erf, otypes=[float])(x)


FUNCTIONS = {
    "torch.add": lambda x, y, alpha=1: x + alpha * y,
    "torch.sub": lambda x, y, alpha=1: x - alpha * y,
    "rsub": lambda x, y, alpha=1: y - alpha * x,
    "torch.div": _divide,
    "addcmul": lambda x, a, b, value=1: x + value * a * b,
    "addcdiv": lambda x, a, b, value=1: x + value * a / b,
    "lerp": lambda x, end, weight: x + weight * (end - x),
    "clamp_min": lambda x, low: np.where(x < low, low, x),
    "clamp_max": lambda x, high: np.where(x > high, high, x),
    "masked_fill": lambda x, mask, value: np.where(mask, value, x),
    "fill": lambda x, value: np.full(np.shape(x), value),
    "dist": _dist,
    "method.where": lambda x, condition, y: np.where(condition, x, y),
    "torch.where": lambda condition, input, other: np.where(condition, input, other),
    "torch.heaviside": lambda x, values: np.heaviside(x, values),
    "torch.gammainc": lambda a, x: _lower_gamma(a, x),
    "torch.gammaincc": lambda a, x: 1 - _lower_gamma(a, x),
    "torch.zeta": lambda s, q: _zeta_2(q) if s == 2 else None,
    "torch.mvlgamma": lambda x, p: _multigammaln(x, p),
    "torch.equal": lambda x, y: np.shape(x) == np.shape(y) and bool(np.all(x == y)),
    "nan_to_num": lambda x, copy=True, nan=0.0, posinf=None, neginf=None: _finite(x, nan, posinf, neginf),
    "jax.lax.clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "jax.clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "torch.arctan2": np.arctan2,
    "torch.atan2": np.arctan2,
    "rsqrt": lambda x: x**-0.5,
    "conj": np.conj,
    "gcd": lambda x, y: np.gcd(np.asarray(x, int), np.asarray(y, int)),
    "lcm": lambda x, y: np.lcm(np.asarray(x, int), np.asarray(y, int)),
    "ldexp": lambda x, n: x * 2**n,
    "frac": lambda x: np.modf(x)[0],
    "torch.nan_to_num": _nan_to_num,
    "math.isclose": _isclose,
    "float": lambda x: np.asarray(x, float),
    "double": lambda x: np.asarray(x, float),
    "int": lambda x: np.trunc(np.asarray(x, float)),
    "bool": lambda x: np.asarray(x) != 0,
    "astype": lambda x, kind: np.asarray(x).astype(kind),
    "method.float": lambda x: np.asarray(x, float),
    "method.half": lambda x: np.asarray(x, float),
    "method.to": lambda x, *where: np.asarray(x).astype(bool if "bool" in where else float),
    "method.type": lambda x, kind: np.asarray(x).astype(kind),
    "method.type_as": lambda x, y: np.asarray(x).astype(y.dtype),
    "math.log": lambda x, base=math.e: np.log(x) / np.log(base),
    "math.hypot": math.hypot,
    "torch.logit": _logit,
    "logit": _logit,
    "boxcox": _box_cox,
    "boxcox1p": lambda x, power: _box_cox(1 + x, power),
    "scipy.kl_div": lambda x, y: x * np.log(x / y) - x + y,
    "bessel_j0": lambda x: _bessel_j(0, x),
    "bessel_j1": lambda x: _bessel_j(1, x),
    "bessel_y0": lambda x: _bessel_y(0, x),
    "bessel_y1": lambda x: _bessel_y(1, x),
    "i0": lambda x: _bessel_i(0, x),
    "i1": lambda x: _bessel_i(1, x),
    "i0e": lambda x: _bessel_i(0, x, abs(x)),
    "i1e": lambda x: _bessel_i(1, x, abs(x)),
    "modified_bessel_k0": lambda x: _bessel_k(0, x),
    "modified_bessel_k1": lambda x: _bessel_k(1, x),
    "scaled_modified_bessel_k0": lambda x: _bessel_k(0, x, x),
    "scaled_modified_bessel_k1": lambda x: _bessel_k(1, x, x),
    "bessel_jn": lambda x, v, n_iter=50: np.stack([_bessel_j(n, x) for n in range(v + 1)]),
    "spherical_bessel_j0": lambda x: np.sin(x) / x,
    "erfcx": lambda x: np.exp(x * x) * (1 - _erf(x)),
    "ndtr": lambda x: (1 + _erf(x / math.sqrt(2))) / 2,
    "loggamma": _lgamma,
    "gammasgn": lambda x: np.sign(_gamma(x)),
    "multigammaln": _multigammaln,
    "factorial": lambda n, exact=False: _gamma(n + 1),
    "comb": _comb,
    "method.polygamma": lambda x, n: _zeta_2(x),
    "exp1": lambda x: _to_infinity(lambda t: np.exp(-x * np.exp(t))),
    "sici": lambda x: (
        _integral(lambda t: np.sin(t) / t, 0, x),
        np.euler_gamma + np.log(x) + _integral(lambda t: (np.cos(t) - 1) / t, 0, x),
    ),
    "fresnel": lambda x: (
        _integral(lambda t: np.sin(math.pi * t * t / 2), 0, x),
        _integral(lambda t: np.cos(math.pi * t * t / 2), 0, x),
    ),
    **{f"chebyshev_polynomial_{kind}": _angle_of(kind) for kind in "tuvw"},
    **{f"shifted_chebyshev_polynomial_{kind}": _shifted(_angle_of(kind)) for kind in "tuvw"},
    "hermite_polynomial_h": _classic(np.polynomial.Hermite),
    "hermite_polynomial_he": _classic(np.polynomial.HermiteE),
    "laguerre_polynomial_l": _classic(np.polynomial.Laguerre),
    "legendre_polynomial_p": _classic(np.polynomial.Legendre),
}
