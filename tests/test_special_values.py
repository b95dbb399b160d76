"""The special functions, by each route against mpmath at 50 digits; and the check itself, with planted faults."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

from gradcalc.ops import special_values
from gradcalc.ops.special_values import Special, digamma, erf, erfc, gamma, lgamma, polygamma, polygamma_of_order

DIGITS = 50
ULPS = 4
RELATIVE = 1e-13
TINIEST = 5e-324
"""The last bit of a subnormal float64."""

mp = mpmath.MPContext()
mp.dps = DIGITS


class Case(NamedTuple):
    """A function, what it exactly is, and the points of interest beyond the common ones."""

    function: Special
    exact: Callable[[Any], Any]
    centres: tuple[float, ...]
    lowest: float = -math.inf


def exact_polygamma(n: int, x: Any) -> Any:
    """Polygamma by mpmath's own steps from x upwards; far below 0, where they are many, by reflection."""
    if x > -200:
        with mp.workdps(DIGITS + 2 * n if x < 0 else DIGITS):  # half-way between poles, large terms cancel
            return mp.psi(n, x)
    cotangent = {1: mp.pi**2 / mp.sinpi(x) ** 2, 2: -2 * mp.pi**3 * mp.cospi(x) / mp.sinpi(x) ** 3}
    return cotangent[n] - (-1) ** (n + 1) * mp.psi(n, 1 - x)


def case_of_order(n: int, *centres: float, lowest: float = -200) -> Case:
    edges = (10 ** (290 / n), 10 ** (308 / n), 10 ** (-308 / (n + 1)), 10 ** (308 / (n + 1)))
    return Case(polygamma_of_order(n), lambda x: exact_polygamma(n, x), (*edges, *centres), lowest)


CASES = {
    "erf": Case(erf, mp.erf, (0.5, 1.0, 6.0)),
    "erfc": Case(erfc, lambda x: mp.erfc(min(x, 100)), (0.5, 1.0, 6.0, 26.5, 26.543, 26.6417, 27.226, 28.0)),
    "gamma": Case(gamma, mp.gamma, (1.4616321449683623, 171.62437695630272, -170.5, -170.830293, -177.8, -184.0)),
    "lgamma": Case(
        lgamma,
        lambda x: mp.log(abs(mp.gamma(x))),
        (1.0, 2.0, -2.4570247382208006, -2.747682646727413, -3.1435808883499798, 2.5563484e305, 5.6e-309),
    ),
    "digamma": Case(
        digamma,
        lambda x: mp.psi(0, x),
        (1.4616321449683623, -0.5040830082644554, -1.5734984731623904, -2.610720868444145, -10.687285, -(2.0**40)),
    ),
    "polygamma 1": case_of_order(1, -1000.5, -(2.0**40), lowest=-math.inf),
    "polygamma 2": case_of_order(2, -0.3951, -1.4455, -1000.5, -(2.0**40), lowest=-math.inf),
    "polygamma 3": case_of_order(3, -20.5),
    "polygamma 8": case_of_order(8, -1.4999, -20.5),
    "polygamma 50": case_of_order(50, -20.5),
    "polygamma 172": case_of_order(172, 60.0, 70.0, lowest=0),
}

each_case = pytest.mark.parametrize("name", CASES)


@pytest.fixture(params=["scipy", "no scipy"])
def route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with SciPy, and with SciPy hidden."""
    if request.param == "scipy":
        pytest.importorskip("scipy")
    else:
        monkeypatch.setattr(special_values, "scipy_special", lambda: None)


# the check ------------------------------------------------------------------------------------


@cache
def exact(name: str, x: float) -> Any:
    return CASES[name].exact(mp.mpf(x))


def is_pole(name: str, x: float) -> bool:
    return CASES[name].function.at_poles is not None and x <= 0 and x.is_integer()


def moved(name: str, x: float) -> Iterator[float]:
    """The floats within 4 ulp of x, up to the nearest pole on each side."""
    for towards in (-math.inf, math.inf):
        near = x
        for _ in range(ULPS):
            near = math.nextafter(near, towards)
            if is_pole(name, near) or math.isinf(near):
                break
            yield near


def keeps_bound(name: str, x: float, y: float) -> bool:
    """Whether y is exact for an argument within 4 ulp of x, or within 1e-13 relative, or a subnormal's last bit."""
    value = exact(name, x)
    if math.isnan(y) or (value and math.copysign(1, y) != mp.sign(value) and not y):
        return False
    if y == float(value) or (math.isfinite(y) and abs(value - y) <= max(RELATIVE * abs(value), TINIEST)):
        return True
    reached = [exact(name, near) for near in moved(name, x)]
    return float(min(reached)) <= y <= float(max(reached))


def violations(name: str, x: np.ndarray, y: np.ndarray) -> list[tuple[float, float, float]]:
    """Where values miss the bound: the argument, the value, the exact one."""
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return [(one, value, float(exact(name, one))) for one, value in pairs if not keeps_bound(name, one, value)]


# points ---------------------------------------------------------------------------------------


def beside(centres: Any, steps: int) -> np.ndarray:
    """The centres, and their nearest floats on each side."""
    below = above = np.asarray(centres, dtype=np.float64)
    found = [below]
    for _ in range(steps):
        below, above = np.nextafter(below, -np.inf), np.nextafter(above, np.inf)
        found += [below, above]
    return np.concatenate(found)


@cache
def points(name: str) -> np.ndarray:
    """Finite points without poles: all decades of both signs, and dense beside whatever is special."""
    costly = name.startswith("polygamma")  # a value to 50 digits takes milliseconds
    count, steps, last = (12, 2, 3) if costly else (200, 16, 8)
    random = np.random.default_rng(0)
    sizes = 10.0 ** np.concatenate([random.uniform(-323, 308, count), random.uniform(-2, 3, count)])
    ends = np.array([TINIEST, 2.0**-1022, 1e-300, 1e300, 2.0**1023])
    poles = -np.arange(1.0, last)
    centres = np.concatenate([poles, poles + 0.5, CASES[name].centres])
    close = np.repeat(centres, count // 8)
    close = close * (1 + random.choice([-1, 1], len(close)) * 10 ** random.uniform(-15, -1, len(close)))
    middle = random.uniform(-6, 6, 2 * count)
    x = np.concatenate([sizes, -sizes, middle, beside([0.0, *ends, *-ends], 1), beside(centres, steps), close])
    usable = [one for one in np.unique(x[x > CASES[name].lowest]).tolist() if math.isfinite(one)]
    return np.array([one for one in usable if not is_pole(name, one)])


# tests ----------------------------------------------------------------------------------------


@each_case
@pytest.mark.usefixtures("route")
def test_every_value_keeps_the_bound(name: str) -> None:
    x = points(name)
    assert violations(name, x, CASES[name].function(x)) == []


@each_case
def test_the_check_catches_one_wrong_value(name: str) -> None:
    x = np.array([0.3, 2.6, 3.3])
    y = CASES[name].function(x)
    y[1] *= 1 + 2e-12
    assert [one for one, _, _ in violations(name, x, y)] == [2.6]


@pytest.mark.parametrize(("name", "x"), [("erfc", 20.0), ("lgamma", 2.0 - 1e-9), ("digamma", -10.0 + 1e-9)])
def test_the_check_moves_the_argument_by_four_ulp_and_no_more(name: str, x: float) -> None:
    assert keeps_bound(name, x, float(exact(name, x + 3 * math.ulp(x))))
    assert not keeps_bound(name, x, float(exact(name, x + 5 * math.ulp(x))))


def test_the_check_sees_nan_inf_and_the_sign_of_zero() -> None:
    assert keeps_bound("gamma", -200.5, -0.0)
    assert not keeps_bound("gamma", -200.5, 0.0)
    assert not keeps_bound("gamma", 3.5, math.nan)
    assert not keeps_bound("gamma", 3.5, math.inf)
    assert not keeps_bound("erfc", 27.0, 0.0)


INF, NAN = math.inf, math.nan
EDGES = {
    #               -inf  inf  0.0  -0.0  -1    -2
    "erf": (erf, [-1.0, 1.0, 0.0, -0.0, None, None]),
    "erfc": (erfc, [2.0, 0.0, 1.0, 1.0, None, None]),
    "gamma": (gamma, [NAN, INF, INF, -INF, NAN, NAN]),
    "lgamma": (lgamma, [INF, INF, INF, INF, INF, INF]),
    "digamma": (digamma, [NAN, INF, NAN, NAN, NAN, NAN]),
    "polygamma 1": (lambda x: polygamma(x, 1), [NAN, 0.0, INF, INF, INF, INF]),
    "polygamma 2": (lambda x: polygamma(x, 2), [NAN, -0.0, NAN, NAN, NAN, NAN]),
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.usefixtures("route")
def test_limits_and_poles(name: str) -> None:
    function, expected = EDGES[name]
    with np.errstate(all="raise"):
        values = function([-INF, INF, 0.0, -0.0, -1.0, -2.0]).tolist()
        assert math.isnan(function(NAN))
    assert [repr(y) for y, right in zip(values, expected, strict=True) if right is not None] == [
        repr(right) for right in expected if right is not None
    ]


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.usefixtures("route")
def test_any_shape(name: str) -> None:
    function, _ = EDGES[name]
    x = np.array([[1.005, 26.9, 0.25], [-171.25, -0.5, NAN]])  # some by mpmath, some not
    flat = function(x.ravel())
    assert np.array_equal(function(x.T), flat.reshape(2, 3).T, equal_nan=True)
    for shape in ((), (0,), (2, 0, 3), (1, 1)):
        y = function(np.full(shape, 1.005))
        assert isinstance(y, np.ndarray)
        assert (y.shape, y.dtype) == (shape, np.float64)
        assert np.all(y == flat[0])


def test_order_0_is_digamma() -> None:
    x = np.array([0.5, 2.5, -3.25, -4.0])
    assert np.array_equal(polygamma(x, 0), digamma(x), equal_nan=True)


@pytest.mark.parametrize("n", [1, 2, 170, 171, 10**6, 10**6 + 1, 10**20])
@pytest.mark.usefixtures("route")
def test_no_order_or_argument_takes_long(n: int) -> None:
    """With 10**15 integers between x and 0; where n! is beyond float64; and where no loop to n would end."""
    y = polygamma([0.25, 1e300, -1e9 - 0.25, -1e15 - 0.25], n)
    assert np.sign(y).tolist() == [1 if n % 2 else -1, 1 if n == 1 else 0, 1, 1]


def test_a_high_order_below_0() -> None:
    """Half-way between two poles the largest terms, 2**173 times n!, cancel and leave 21.5**-173."""
    for x in (-2.5, -2.25, -20.5):
        with mp.workdps(400):
            assert polygamma(x, 172) == float(mp.psi(172, x))


def test_a_very_high_order_is_finite_in_a_narrow_range() -> None:
    n = 10**5
    y = polygamma([36_000.0, 37_000.0, 40_000.0], n)
    assert (y[0], y[2]) == (-INF, 0)
    assert y[1] == float(-mp.factorial(n) * mp.fsum(mp.mpf(37_000 + k) ** -(n + 1) for k in range(200)))


def test_libraries_are_imported_only_for_a_value() -> None:
    program = """
import sys
from gradcalc.ops import special_values
assert not {"scipy", "mpmath"} & set(sys.modules)
special_values.erf([0.5, float("inf")])
assert "mpmath" not in sys.modules
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_mpmath_precision_is_left_alone() -> None:
    before = mpmath.mp.prec
    mpmath.mp.prec = 20
    try:
        assert keeps_bound("erfc", 27.0, float(erfc(27.0)))
        assert mpmath.mp.prec == 20
    finally:
        mpmath.mp.prec = before
