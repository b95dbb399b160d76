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

OF_LARGEST = 1e-12
"""… or by less than this part of the largest entry of the whole derivative."""


_NOISE = 8.0
"""Multiples of the measured rounding noise that are put down to it."""


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
    largest = max((np.abs(array[np.isfinite(array)]).max(initial=0.0) for array in ours.values()), default=0.0)
    compared, wrong = 0, 0
    difference, worst_gap = 0.0, -1.0
    worst: tuple[str, float, float] | None = None
    for label, array in ours.items():
        flat = array.ravel()
        for place, theirs in reply.numbers.get(label, {}).items():
            mine = float(flat[place])
            compared += 1
            slack = OF_LARGEST * largest + (0.0 if noise is None else _NOISE * float(noise[label].ravel()[place]))
            gap = 0.0 if abs(mine - theirs) <= slack else _relative(mine, theirs)
            difference = max(difference, gap)
            if not _agree(mine, theirs, slack):
                wrong += 1
                if gap > worst_gap:
                    worst, worst_gap = (entry_name(label, array.shape, place), mine, theirs), gap
    reason = _uncompared(ours, reply, compared, total)
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


def _agree(a: float, b: float, slack: float) -> bool:
    if not (np.isfinite(a) and np.isfinite(b)):
        return a == b
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b)) + slack


def _relative(a: float, b: float) -> float:
    """The difference as a part of the larger number; infinite where one of them is not finite."""
    if a == b:
        return 0.0
    gap = abs(a - b) / max(abs(a), abs(b))
    return gap if np.isfinite(gap) else float("inf")


def _uncompared(ours: Mapping[str, Any], reply: Reply, compared: int, total: int) -> str | None:
    """Why some entries were not compared, with the names of the first few."""
    reasons: dict[str, list[str]] = {}
    for label, places in reply.special.items():
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
        [generator.standard_normal(array.shape) * np.maximum(np.abs(array), 1.0) for array in point]
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
        claimed = np.asarray(slope(direction), np.float64)
        with np.errstate(all="ignore"):
            found = _ridders(lambda h, v=direction: np.asarray(function(h, v), np.float64))  # type: ignore[misc]
        scale = max(float(np.max(np.abs(one), initial=0.0)) for one in (claimed, found.slope))
        if not np.isfinite(scale):
            return Verdict(status="not checked", total=total, reason=_because(why, "differences are not finite here"))
        if found.kinked:
            return Verdict(
                status="not checked", total=total, reason=_because(why, "the two sides differ, as at a kink")
            )
        error = np.maximum(found.error, 1e-9 * scale)
        if np.max(error, initial=0.0) > 1e-4 * scale:
            return Verdict(status="not checked", total=total, reason=_because(why, "differences are too rough here"))
        gap = np.abs(claimed - found.slope)
        difference = max(difference, float(np.max(gap, initial=0.0)) / scale if scale else 0.0)
        if np.any(gap > 10 * error):
            status = "disagree"
    method = f"differences along {len(directions)} direction{'s' * (len(directions) > 1)}"
    return Verdict(status=status, method=method, total=total, max_relative_difference=difference, reason=why)


def _because(*reasons: str | None) -> str:
    return "; ".join(one for one in reasons if one)


class Slope(NamedTuple):
    """A slope found by differences, its error bar, and whether the slopes of the two sides differ."""

    slope: Any
    error: Any
    kinked: bool


def _ridders(function: Callable[[float], Any]) -> Slope:
    """A central difference at shrinking steps, extrapolated to step 0; the best estimate and its error.

    The error bar is what the extrapolations differ by, and what rounding of the values does at that step.
    """
    middle = function(0.0)
    rounding = np.finfo(np.float64).eps * np.abs(middle)
    h = 2.0**-6
    rows: list[list[Any]] = []
    jumps: list[Any] = []
    best = error = np.full(np.shape(middle), np.inf)
    for i in range(_STEPS):
        above, below = function(h), function(-h)
        row = [(above - below) / (2 * h)]
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


def _is_kinked(jumps: Sequence[Any], noise: Any) -> bool:
    """Whether the slopes of the two sides differ by what does not shrink with the step, as curvature does."""
    return bool(np.any((jumps[-1] > 0.75 * jumps[-2]) & (jumps[-1] > noise)))
