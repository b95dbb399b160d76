"""Values of the functions that NumPy lacks: erf, erfc, gamma, lgamma, digamma and polygamma.

None is approximated here: each value is SciPy's where SciPy is installed, else the standard library's,
else mpmath's. The result is the exact one for an argument moved by at most 4 ulp, or within 1e-13
relative (a subnormal result, within its last bit). Where a faster route misses this, its record says so
and mpmath, which rounds correctly, takes those elements. The records hold what was measured with
SciPy 1.17 and CPython 3.11 against mpmath at 260 bits, on 50,000 to 150,000 points a function.

At a pole the value is the limit if both sides agree, else nan; gamma(0.0) is inf and gamma(-0.0) is -inf.
"""

from __future__ import annotations

import importlib
import math
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

BITS = 128  # mpmath's working precision; beside a zero some 60 of them cancel
HIGH_ORDER = 170  # of polygamma: n! is beyond float64 from 171 on

# mpmath fills its tables of constants without a lock, so two threads could read one half written.
_MPMATH_LOCK = threading.Lock()


# where a route misses the bound ---------------------------------------------------------------


def nowhere(x: Floats) -> Mask:
    """No element: the route keeps the bound everywhere."""
    return np.zeros(x.shape, dtype=np.bool_)


def _near_one_or_two(x: Floats) -> Mask:
    """Near the zeros of lgamma at 1 and 2, but not on them: there both routes give 0."""
    return ((abs(x - 1) < 0.03) & (x != 1)) | ((abs(x - 2) < 0.03) & (x != 2))


def _beside_negative_integer(x: Floats) -> Mask:
    return (x < 0) & (abs(x - np.rint(x)) <= 4 * np.spacing(abs(x)))


# records --------------------------------------------------------------------------------------


class Special(NamedTuple):
    """A function, its routes in order of preference, and where each of them is not good enough.

    Attributes:
        scipy: its values, given the module `scipy.special`.
        math: its value at one float, from the standard library; None where that has no such function.
        mpmath: its value as a raw mpmath number, given the module `mpmath.libmp` and a float.
        limits: its values at -inf and at inf.
        at_poles: its values at the integers up to 0; None where it has no poles.
        scipy_misses: the elements where SciPy misses the bound.
        math_misses: those where the standard library does.
    """

    scipy: Callable[[Any, Floats], Floats]
    math: Callable[[float], float] | None
    mpmath: Callable[[Any, float], Any]
    limits: tuple[float, float]
    at_poles: Callable[[Floats], ArrayLike] | None = None
    scipy_misses: Callable[[Floats], Mask] = nowhere
    math_misses: Callable[[Floats], Mask] = nowhere


ERF = Special(
    scipy=lambda sp, x: sp.erf(x),
    math=math.erf,
    mpmath=lambda mp, x: mp.mpf_erf(mp.from_float(x), BITS),
    limits=(-1.0, 1.0),
)
ERFC = Special(
    scipy=lambda sp, x: sp.erfc(x),
    math=math.erfc,
    mpmath=lambda mp, x: mp.mpf_erfc(mp.from_float(x), BITS),
    limits=(2.0, 0.0),
    scipy_misses=lambda x: (x > 26.5) & (x < 28),  # 0 from 26.642 on, where subnormals go on to 27.226
)
GAMMA = Special(
    scipy=lambda sp, x: sp.gamma(x),
    math=math.gamma,
    mpmath=lambda mp, x: mp.mpf_gamma(mp.from_float(x), BITS),
    limits=(math.nan, math.inf),
    at_poles=lambda x: np.where(x == 0, np.copysign(np.inf, x), np.nan),
    scipy_misses=lambda x: x < -170,  # 0 from -170.83 on, where subnormals go on to -184; then 0 with the wrong sign
)
LGAMMA = Special(
    scipy=lambda sp, x: sp.gammaln(x),
    math=math.lgamma,
    mpmath=lambda mp, x: mp.mpf_gamma(mp.from_float(x), BITS, "n", 3),  # 3: the logarithm of its size
    limits=(math.inf, math.inf),
    at_poles=lambda x: np.inf,
    # Beside 1 (by up to 0.0074) and 2; inf within 5.6e-309 of 0, and from just below 2.5563484e305, its last finite value.
    scipy_misses=lambda x: _near_one_or_two(x) | (abs(x) < 1e-307) | (x > 2.5e305),
    math_misses=_near_one_or_two,  # by up to 0.0143 and 0.0242
)
DIGAMMA = Special(
    scipy=lambda sp, x: sp.digamma(x),
    math=None,
    mpmath=lambda mp, x: mp.mpf_psi(0, mp.from_float(x), BITS),
    limits=(math.nan, math.inf),
    at_poles=lambda x: np.nan,
    scipy_misses=_beside_negative_integer,  # 0.1% off at the float above -5
)


def polygamma_of_order(n: int) -> Special:
    """The record of the n-th derivative of digamma, n >= 1.

    SciPy takes n! times a zeta function, either of which can leave the range of float64 where the
    product does not; and for negative x it takes a step for every integer from x to 0.
    """
    return Special(
        scipy=lambda sp, x: sp.polygamma(n, x),
        math=None,
        mpmath=lambda mp, x: _polygamma(mp, n, x),
        limits=(math.nan, 0.0 if n % 2 else -0.0),
        at_poles=lambda x: np.inf if n % 2 else np.nan,
        scipy_misses=lambda x: (x < -1000) | (x > 10.0 ** (290 / n)) | (n > HIGH_ORDER),
    )


# mpmath's polygamma, in bounded time --------------------------------------------------------------


def _polygamma(mp: Any, n: int, x: float) -> Any:
    """Polygamma from arguments above -1/2: from others mpmath, too, steps over every integer up to 0.

    The sum of 1/(x + k)**(n + 1) over all integers k is the same for `f`, x moved by an integer to be near 0; so,
    with + for odd n and - for even, polygamma(x) = polygamma(f) ± polygamma(1 - f) ∓ polygamma(1 - x).
    """
    if x > -0.5:
        return _by_order(mp, n, mp.from_float(x))
    near = math.remainder(x, 1.0)
    f = mp.from_float(0.5 if near == -0.5 else near)  # at 1/2, not at -1/2, the first two cancel exactly
    first, second, third = (_by_order(mp, n, a) for a in (f, mp.mpf_sub(mp.fone, f), mp.mpf_sub(mp.fone, mp.from_float(x))))
    plus, minus = (mp.mpf_add, mp.mpf_sub) if n % 2 else (mp.mpf_sub, mp.mpf_add)
    return minus(plus(first, second, BITS), third, BITS)


def _by_order(mp: Any, n: int, x: Any) -> Any:
    """mpmath's own polygamma, but for high orders its definition: some 400 terms at most for x < 4 n.

    There mpmath takes 4 n steps before it begins; the terms n!/(x + k)**(n + 1) fall fast.
    """
    if n <= HIGH_ORDER or mp.to_float(x) > 4 * n + BITS:
        return mp.mpf_psi(n, x, BITS)
    total = term = mp.mpf_pow_int(x, -n - 1, BITS)
    while _magnitude(term) > _magnitude(total) - BITS:
        x = mp.mpf_add(x, mp.fone, BITS)
        term = mp.mpf_pow_int(x, -n - 1, BITS)
        total = mp.mpf_add(total, term, BITS)
    size = mp.mpf_mul(total, mp.mpf_gamma(mp.from_int(n + 1), BITS), BITS)
    return size if n % 2 else mp.mpf_neg(size)


def _magnitude(number: Any) -> int:
    """The binary exponent of a raw mpmath number (sign, mantissa, exponent, bits)."""
    return int(number[2] + number[3])


# evaluation -----------------------------------------------------------------------------------


def erf(x: ArrayLike) -> Floats:
    """The error function."""
    return _evaluate(ERF, x)


def erfc(x: ArrayLike) -> Floats:
    """1 - erf(x), exact where erf is near 1."""
    return _evaluate(ERFC, x)


def gamma(x: ArrayLike) -> Floats:
    """The gamma function."""
    return _evaluate(GAMMA, x)


def lgamma(x: ArrayLike) -> Floats:
    """log(abs(gamma(x)))."""
    return _evaluate(LGAMMA, x)


def digamma(x: ArrayLike) -> Floats:
    """The derivative of log(gamma(x)); without SciPy 0.1 ms an element."""
    return _evaluate(DIGAMMA, x)


def polygamma(x: ArrayLike, n: int) -> Floats:
    """The derivative of order n >= 0 of digamma; without SciPy about 1 ms an element."""
    return _evaluate(polygamma_of_order(n) if n else DIGAMMA, x)


@cache
def scipy_special() -> Any:
    """The module `scipy.special`, or None without SciPy."""
    try:
        return importlib.import_module("scipy.special")
    except ImportError:
        return None


def _evaluate(function: Special, given: ArrayLike) -> Floats:
    x = np.asarray(given, dtype=np.float64)
    with np.errstate(all="ignore"):
        pole = (x <= 0) & (x == np.floor(x)) if function.at_poles else nowhere(x)
        ordinary = np.isfinite(x) & ~pole
        if ordinary.all():
            return _by_best_route(function, x)
        y = np.full(x.shape, np.nan)
        if function.at_poles:
            y[pole] = function.at_poles(x[pole])
        y[x == -np.inf], y[x == np.inf] = function.limits
        y[ordinary] = _by_best_route(function, x[ordinary])
    return y


def _by_best_route(function: Special, x: Floats) -> Floats:
    """Values at finite arguments that are not poles."""
    fast: Callable[[Floats], Floats]
    if special := scipy_special():
        fast, missed = partial(function.scipy, special), function.scipy_misses(x)
    elif function.math:
        fast, missed = partial(_by_math, function.math), function.math_misses(x)
    else:
        return _by_mpmath(function.mpmath, x)
    if not missed.any():
        return np.asarray(fast(x))
    y = np.empty(x.shape)
    y[~missed] = fast(x[~missed])
    y[missed] = _by_mpmath(function.mpmath, x[missed])
    return y


def _by_math(value: Callable[[float], float], x: Floats) -> Floats:
    def signed(one: float) -> float:
        try:
            return value(one)
        except OverflowError:  # gamma or lgamma: beyond the largest float, or gamma beside 0
            return math.copysign(math.inf, one)

    return np.array([signed(one) for one in x.ravel().tolist()], dtype=np.float64).reshape(x.shape)


def _by_mpmath(value: Callable[[Any, float], Any], x: Floats) -> Floats:
    """Rounded to the nearest float64, each distinct argument once; mpmath's own precision is left alone."""
    mp = importlib.import_module("mpmath.libmp")
    distinct, places = np.unique(x.ravel(), return_inverse=True)
    with _MPMATH_LOCK:
        y = [mp.to_float(value(mp, one), rnd="n") for one in distinct.tolist()]
    return np.array(y, dtype=np.float64)[places].reshape(x.shape)
