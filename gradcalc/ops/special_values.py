"""Values of the functions that NumPy lacks: erf, erfc, gamma, lgamma, digamma and polygamma.

Nothing is approximated here: a value is SciPy's where SciPy is installed, else the standard library's,
else mpmath's. It is the exact one for an argument moved by at most 4 ulp, or within 1e-13 relative (or,
where subnormal, within its last bit). Where a route misses this its record says so, and mpmath, which
rounds to nearest, takes those elements. The records hold what was measured with SciPy 1.17 and CPython
3.11 against mpmath at 260 bits, at 100,000 points a function or more, dense beside zeros and poles
(polygamma: 800 to 20,000 points for each of 13 orders up to 170).

At a pole the value is the limit where both sides agree, else nan; but gamma(0.0) is inf, gamma(-0.0) -inf.
"""

from __future__ import annotations

import importlib
import math
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:  # numpy.typing takes a while to load
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

BITS = 128  # of mpmath's precision; beside a zero some 60 of them cancel
HIGH_ORDER = 170  # of polygamma; above it n! is beyond float64

# mpmath replaces its cached constants in two steps, and a thread between them would read a wrong one.
_MPMATH_LOCK = threading.Lock()


def nowhere(x: Floats) -> Mask:
    """No element."""
    return np.zeros(x.shape, dtype=np.bool_)


class Special(NamedTuple):
    """A function from array to array: its routes, and where each is not good enough.

    Attributes:
        scipy: its values, given the module `scipy.special`; None where that has no such function.
        math: its value at one float, from the standard library; or None.
        mpmath: its value at one float as a raw mpmath number, given the module `mpmath.libmp`.
        limits: its values at -inf and at inf.
        at_poles: its values at the integers up to 0; None if it has no poles there.
        scipy_misses: the elements where SciPy misses the bound.
        math_misses: those where the standard library does.
    """

    scipy: Callable[[Any, Floats], Floats] | None
    math: Callable[[float], float] | None
    mpmath: Callable[[Any, float], Any]
    limits: tuple[float, float]
    at_poles: Callable[[Floats], ArrayLike] | None = None
    scipy_misses: Callable[[Floats], Mask] = nowhere
    math_misses: Callable[[Floats], Mask] = nowhere

    def __call__(self, given: ArrayLike) -> Floats:
        """The values at any float64: limits and poles from the record, the rest by the best route."""
        x = np.asarray(given, dtype=np.float64)
        with np.errstate(all="ignore"):
            pole = (x <= 0) & (x == np.floor(x)) if self.at_poles else nowhere(x)
            ordinary = np.isfinite(x) & ~pole
            if ordinary.all():
                return _by_best_route(self, x)
            y = np.full(x.shape, np.nan)
            if self.at_poles:
                y[pole] = self.at_poles(x[pole])
            y[x == -np.inf], y[x == np.inf] = self.limits
            y[ordinary] = _by_best_route(self, x[ordinary])
        return y


erf = Special(
    scipy=lambda sp, x: sp.erf(x),
    math=math.erf,
    mpmath=lambda mp, x: mp.mpf_erf(mp.from_float(x), BITS),
    limits=(-1.0, 1.0),
)
erfc = Special(
    scipy=lambda sp, x: sp.erfc(x),
    math=math.erfc,
    mpmath=lambda mp, x: mp.mpf_erfc(mp.from_float(x), BITS),
    limits=(2.0, 0.0),
    scipy_misses=lambda x: (x > 26.5) & (x < 28),  # 0 from 26.642 on, though not below 5e-324 until 27.226
)
gamma = Special(
    scipy=lambda sp, x: sp.gamma(x),
    math=math.gamma,
    mpmath=lambda mp, x: mp.mpf_gamma(mp.from_float(x), BITS),
    limits=(math.nan, math.inf),
    at_poles=lambda x: np.where(x == 0, np.copysign(np.inf, x), np.nan),
    scipy_misses=lambda x: x < -170,  # 0 below -170.83, though subnormal down to -184; below that, 0 of the wrong sign
)
lgamma = Special(
    scipy=lambda sp, x: sp.gammaln(x),
    math=math.lgamma,
    mpmath=lambda mp, x: mp.mpf_gamma(mp.from_float(x), BITS, "n", 3),  # 3: log of the absolute value
    limits=(math.inf, math.inf),
    at_poles=lambda x: np.inf,
    # beside its zeros, by 0.0074 at 1 and 1.5e-5 at 2; inf within 5.6e-309 of 0 and at the last finite values
    scipy_misses=lambda x: (abs(x - 1) < 0.01) | (abs(x - 2) < 1e-3) | (abs(x) < 1e-307) | (x > 2.5e305),
    math_misses=lambda x: (abs(x - 1) < 0.02) | (abs(x - 2) < 0.03),  # by 0.0143 and 0.0242
)
digamma = Special(
    scipy=lambda sp, x: sp.digamma(x),
    math=None,
    mpmath=lambda mp, x: mp.mpf_psi(0, mp.from_float(x), BITS),
    limits=(math.nan, math.inf),
    at_poles=lambda x: np.nan,
    # 0.1% off at the float above -5, and at others beside a pole
    scipy_misses=lambda x: (x < 0) & (abs(x - np.rint(x)) <= 4 * np.spacing(abs(x))),
)


def polygamma(x: ArrayLike, n: int) -> Floats:
    """The derivative of order n >= 0 of digamma. mpmath takes about 1 ms an element."""
    return polygamma_of_order(n)(x) if n else digamma(x)


def polygamma_of_order(n: int) -> Special:
    """The record of polygamma for one n >= 1.

    SciPy takes n! times a zeta function, either of which may leave the range of float64 where the product
    does not; and for x < 0 it sums a term for every integer between x and 0.
    """
    return Special(
        scipy=None if n > HIGH_ORDER else lambda sp, x: sp.polygamma(n, x),
        math=None,
        mpmath=lambda mp, x: _polygamma(mp, n, x),
        limits=(math.nan, 0.0 if n % 2 else -0.0),
        at_poles=lambda x: np.inf if n % 2 else np.nan,
        scipy_misses=lambda x: (x < -1000) | (x > 10.0 ** (290 / n)),
    )


def _polygamma(mp: Any, n: int, x: float) -> Any:
    """Polygamma from arguments above -1/2, as mpmath too sums a term for every integer between x and 0.

    The sum of 1/(x + k)**(n + 1) over all integers k is the same for x and for f = x + an integer. Split at
    0, this says: polygamma(x) = polygamma(f) + s (polygamma(1 - f) - polygamma(1 - x)), with s = (-1)**(n + 1).
    """
    if x > -0.5:
        return _psi(mp, n, mp.from_float(x))
    f = mp.from_float(0.5 if x % 1 == 0.5 else math.remainder(x, 1.0))  # 1/2, not -1/2: there f = 1 - f cancels exactly
    around = [_psi(mp, n, one) for one in (f, mp.mpf_sub(mp.fone, f), mp.mpf_sub(mp.fone, mp.from_float(x)))]
    add, subtract = (mp.mpf_add, mp.mpf_sub) if n % 2 else (mp.mpf_sub, mp.mpf_add)
    return subtract(add(around[0], around[1], BITS), around[2], BITS)


def _psi(mp: Any, n: int, x: Any) -> Any:
    """mpmath's psi; but where that takes 4 n steps, its definition, of which at most some 400 terms count."""
    if n <= HIGH_ORDER or mp.to_float(x) > 4 * n + BITS:
        return mp.mpf_psi(n, x, BITS)
    total = term = mp.mpf_pow_int(x, -n - 1, BITS)
    while term[2] + term[3] > total[2] + total[3] - BITS:  # their binary exponents
        x = mp.mpf_add(x, mp.fone)
        term = mp.mpf_pow_int(x, -n - 1, BITS)
        total = mp.mpf_add(total, term, BITS)
    size = mp.mpf_mul(total, mp.mpf_gamma(mp.from_int(n + 1), BITS), BITS)
    return size if n % 2 else mp.mpf_neg(size)


@cache
def scipy_special() -> Any:
    """The module `scipy.special`, or None without SciPy."""
    try:
        return importlib.import_module("scipy.special")
    except ImportError:
        return None


def _by_best_route(function: Special, x: Floats) -> Floats:
    fast: Callable[[Floats], Floats]
    if function.scipy and (special := scipy_special()):
        fast, missed = partial(function.scipy, special), function.scipy_misses(x)
    elif function.math:
        fast, missed = partial(_by_math, function.math), function.math_misses(x)
    else:
        return by_mpmath(function, x)
    if not missed.any():
        return np.asarray(fast(x))
    y = np.empty(x.shape)
    y[~missed] = fast(x[~missed])
    y[missed] = by_mpmath(function, x[missed])
    return y


def _by_math(value: Callable[[float], float], x: Floats) -> Floats:
    def signed(one: float) -> float:
        try:
            return value(one)
        except OverflowError:  # of gamma or lgamma at a large argument, or of gamma beside 0
            return math.copysign(math.inf, one)

    return np.array([signed(one) for one in x.ravel().tolist()], dtype=np.float64).reshape(x.shape)


def by_mpmath(function: Special, x: Floats) -> Floats:
    """mpmath's values to the nearest float64, at each distinct argument once; its global precision is not used."""
    mp = importlib.import_module("mpmath.libmp")
    distinct, places = np.unique(x.ravel(), return_inverse=True)
    with _MPMATH_LOCK:
        y = [mp.to_float(function.mpmath(mp, one), rnd="n") for one in distinct.tolist()]
    return np.array(y, dtype=np.float64)[places].reshape(x.shape)
