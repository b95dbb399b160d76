"""Comparing derivatives that were found in different ways, and the verdict in words.

A check that could not run is "not checked" with the reason; it never looks like a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .labels import entry_name

if TYPE_CHECKING:
    from .solver import Reply

RELATIVE = 1e-9
"""Two entries agree when they differ by less than this part of the larger one …"""

OF_LARGEST = 1e-15
"""… or by less than this part of the largest entry by the same input: what its last bit is worth …"""


_NOISE = 8.0
"""… or by less than so many times the rounding noise that was measured, …"""

_LEFT = 1e-4
"""… if the noise leaves four digits to compare; else the entry counts as not compared …"""

_ZERO = 1e-10
"""… unless noise and both numbers are below this: then it is a zero that rounding has smeared."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a check found.

    Attributes:
        status: `agree`, `disagree` or `not checked`.
        method: what the numbers were compared with.
        also: what else they were compared with, all entries together.
        entries: how many entries were compared, of `total`.
        max_relative_difference: over the compared entries.
        reason: why not all entries, or none, were compared.
        worst: for a disagreement, the worst entry: its name, our value, the other value.
    """

    status: str
    method: str | None = None
    also: str | None = None
    entries: int = 0
    total: int = 0
    max_relative_difference: float | None = None
    reason: str | None = None
    worst: tuple[str, float, float] | None = None


def compare(ours: Mapping[str, Any], reply: Reply, noise: Mapping[str, Any] | None = None) -> Verdict:
    """Our derivative, arrays by label, against SymPy's numbers at the entries that it gave.

    `noise` says for each entry how far rounding of the inputs alone moves it.
    """
    total = sum(array.size for array in ours.values())
    if reply.failure is not None:
        return Verdict(status="not checked", total=total, reason=reply.failure)
    special = {label: dict(places) for label, places in reply.special.items()}
    compared, wrong = 0, 0
    difference, worst_gap = 0.0, -1.0
    worst: tuple[str, float, float] | None = None
    for label, array in ours.items():
        flat = array.ravel()
        largest = float(np.abs(flat[np.isfinite(flat)]).max(initial=0.0))
        for place, theirs in reply.numbers.get(label, {}).items():
            mine = float(flat[place])
            slack = OF_LARGEST * largest + (0.0 if noise is None else _NOISE * float(noise[label].ravel()[place]))
            outcome, gap = _outcome(mine, theirs, slack)
            if outcome == "lost":
                special.setdefault(label, {})[place] = "rounding leaves no digits"
                continue
            compared += 1
            difference = max(difference, gap)
            if outcome == "wrong":
                wrong += 1
                if gap > worst_gap:
                    worst, worst_gap = (entry_name(label, array.shape, place), mine, theirs), gap
    reason = _uncompared(ours, special, compared, total)
    if compared == 0 and total > 0:
        return Verdict(status="not checked", total=total, reason=reason or "SymPy gave no number to compare with")
    return Verdict(
        status="disagree" if wrong else "agree",
        method="SymPy",
        entries=compared,
        total=total,
        max_relative_difference=difference,
        reason=reason,
        worst=worst,
    )


def both(first: Verdict, second: Verdict) -> Verdict:
    """One verdict of two checks that ran side by side: they must agree to say so."""
    ran = [one for one in (first, second) if one.status != "not checked"]
    if len(ran) < 2:
        return ran[0] if ran else first
    wrong = next((one for one in ran if one.status == "disagree"), None)
    if wrong is not None:
        return wrong
    gaps = [one.max_relative_difference or 0.0 for one in ran]
    return replace(first, also=second.method, max_relative_difference=max(gaps), reason=None)


def _outcome(a: float, b: float, slack: float) -> tuple[str, float]:
    """Whether two numbers are the same (`right`, `wrong`, or `lost` in rounding), and their relative difference."""
    gap = _relative(a, b)
    if a == b or gap <= RELATIVE:
        return "right", gap
    size = max(abs(a), abs(b))
    if not np.isfinite(size) or abs(a - b) > slack:
        return "wrong", gap
    if size <= _ZERO and slack <= _ZERO:
        return "right", 0.0
    return ("right", gap) if slack <= _LEFT * size else ("lost", gap)


def _relative(a: float, b: float) -> float:
    """The difference as a part of the larger number; infinite where one of them is not finite."""
    if a == b:
        return 0.0
    gap = abs(a - b) / max(abs(a), abs(b))
    return gap if np.isfinite(gap) else float("inf")


def _uncompared(
    ours: Mapping[str, Any], special: Mapping[str, Mapping[int, str]], compared: int, total: int
) -> str | None:
    """Why some entries were not compared, with the names of the first few."""
    reasons: dict[str, list[str]] = {}
    for label, places in special.items():
        for place, why in places.items():
            reasons.setdefault(why, []).append(entry_name(label, ours[label].shape, place))
    if not reasons:
        return "a sample of the entries" if compared < total else None
    if total == 1:
        return next(iter(reasons))
    return "; ".join(f"{why} at {_listed(names)}" for why, names in reasons.items())


def _listed(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


# differences --------------------------------------------------------------------------------------

_DIRECTIONS = 4
_FEW_DIRECTIONS = 1
_MANY_NUMBERS = 100_000  # elements and operations from which one direction must do
_STEPS = 8


def random_directions(point: Sequence[Any], cost: int) -> list[list[Any]]:
    """A few directions, scaled to the numbers at the point; one where an evaluation computes many numbers."""
    generator = np.random.default_rng(0)
    many = cost >= _MANY_NUMBERS
    return [
        [generator.standard_normal(array.shape) * np.where(array == 0, 1.0, np.abs(array)) for array in point]
        for _ in range(_FEW_DIRECTIONS if many else _DIRECTIONS)
    ]


def along(
    directions: Sequence[Sequence[Any]],
    function: Callable[[float, Sequence[Any]], Any],
    slope: Callable[[Sequence[Any]], Any],
    total: int,
    why: str | None,
) -> Verdict:
    """A derivative against differences of the function along some directions.

    `function(h, v)` is the value at the point moved by h along v; `slope(v)` the directional derivative
    claimed. The differences are extrapolated to step 0 (Ridders 1982) and carry their own error bar;
    where that is too wide there is no verdict.
    """
    difference = 0.0
    status = "agree"
    for direction in directions:
        moved = lambda h, v=direction: np.asarray(function(h, v), np.float64)  # noqa: E731
        with np.errstate(all="ignore"):  # values on the way may be nan; the verdict says so
            outcome, gap = _along_one(moved, np.asarray(slope(direction), np.float64))
        if outcome not in ("agree", "disagree"):
            return Verdict(status="not checked", total=total, reason=_because(why, outcome))
        difference = max(difference, gap)
        status = "disagree" if outcome == "disagree" else status
    method = f"differences along {len(directions)} direction{'s' * (len(directions) > 1)}"
    return Verdict(status=status, method=method, total=total, max_relative_difference=difference, reason=why)


def _because(*reasons: str | None) -> str:
    return "; ".join(one for one in reasons if one)


def _along_one(function: Callable[[float], Any], claimed: Any) -> tuple[str, float]:
    """`agree`, `disagree` or why neither can be said, and the relative gap; a fault must show at two scales."""
    found = [_ridders(function, 2.0**-6), _ridders(function, 2.0**-13)]
    scale = max(float(np.max(np.abs(one), initial=0.0)) for one in (claimed, *(each.slope for each in found)))
    if not np.isfinite(scale):
        return "differences are not finite here", 0.0
    if all(each.kinked for each in found):
        return "the two sides differ, as at a kink", 0.0
    found = sorted((each for each in found if not each.kinked), key=lambda each: float(np.max(each.error, initial=0.0)))
    best, other = found[0], found[-1]
    error = np.maximum(best.error, 1e-9 * scale)
    if np.max(error, initial=0.0) > 1e-4 * scale:
        return "differences are too rough here", 0.0
    gap = np.abs(claimed - best.slope)
    relative = float(np.max(gap, initial=0.0)) / scale if scale else 0.0
    if np.all(gap <= 10 * error):
        return "agree", relative
    if best is not other and np.all(np.abs(best.slope - other.slope) <= 10 * (error + other.error)):
        return "disagree", relative
    return "differences are too rough here", 0.0


class Slope(NamedTuple):
    """A slope found by differences, its error bar, and whether the slopes of the two sides differ."""

    slope: Any
    error: Any
    kinked: bool


def _ridders(function: Callable[[float], Any], h: float) -> Slope:
    """A central difference at shrinking steps, extrapolated to step 0; the best estimate and its error.

    The error bar is what the extrapolations differ by, and what rounding of the values does at that step.
    """
    middle = function(0.0)
    rounding = _rounding(function, middle)
    rows: list[list[Any]] = []
    jumps: list[Any] = []
    best = error = np.full(np.shape(middle), np.inf)
    for i in range(_STEPS):
        above, below = function(h), function(-h)
        row = [(above - below) / (2 * h)]
        rounding = np.maximum(rounding, np.finfo(np.float64).eps * np.maximum(np.abs(above), np.abs(below)))
        jumps.append(np.abs(above - 2 * middle + below) / h)
        for j in range(i):
            factor = 4.0 ** (j + 1)
            row.append((factor * row[j] - rows[-1][j]) / (factor - 1))
            gap = np.maximum(np.abs(row[-1] - row[j]), np.abs(row[-1] - rows[-1][j])) + rounding / h
            if np.max(gap, initial=0.0) <= np.max(error, initial=0.0):
                best, error = row[-1], gap
        rows.append(row)
        h /= 2
    return Slope(best, error, _is_kinked(jumps, 10 * rounding / h + 1e-6 * np.abs(best)))


def _rounding(function: Callable[[float], Any], middle: Any) -> Any:
    """What rounding does to a value: measured by moving the last bits, at least a last bit of 1."""
    nearby = [np.abs(function(h) - middle) for h in (2.0**-51, -(2.0**-51), 2.0**-50)]
    return np.maximum.reduce([*nearby, np.finfo(np.float64).eps * np.maximum(np.abs(middle), 1e-2)])


def _is_kinked(jumps: Sequence[Any], noise: Any) -> bool:
    """Whether the slopes of the two sides differ by what does not shrink with the step, as curvature does."""
    return bool(np.any((jumps[-1] > 0.75 * jumps[-2]) & (jumps[-1] > noise)))
