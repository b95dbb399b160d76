"""gradcalc held against a library: values and vjps of the same text at the same points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

import gradcalc
from gradcalc.errors import GradcalcError

from . import libraries
from .cases import Case, called_in, calls
from .wrong import ODD

POINTS = 3
TRIES = 30  # points drawn for one where the library's answer is finite
TOLERANCE = 1e-9
SMALLEST = 1e-3  # answers smaller than that are compared as if they were of this size: zero has no digits

LOOSE = {
    "F.hardsigmoid": "its slope, 1/6, is rounded to single precision",
    "jax.scipy.linalg.expm": "of large matrices its derivative has nine digits",
    "jax.nn.dot_product_attention": "its softmax is computed in single precision",
}
"""Functions that a library itself computes in lower accuracy, with the reason: compared to six digits."""
LOOSE_TOLERANCE = 1e-6


@dataclass
class Outcome:
    """What came of a case: `agree`, `disagree`, `refused` by gradcalc, or `dropped` by the library; and why not."""

    status: str
    problem: str = ""
    vjps: int = 0
    values: int = 0


@cache
def outcome(case: Case) -> Outcome:
    """Compare gradcalc with the case's library at several points."""
    reason = next((reason for text, reason in ODD.items() if text in case.text), None)
    if reason is not None and not case.is_explicit:
        return Outcome("dropped", reason)
    total = Outcome("agree")
    for number in range(POINTS if any(one.kind == "float" and 0 not in one.shape for one in case.inputs) else 1):
        try:
            values, members, seeds, grads = _point(case, number)
        except Exception as error:
            return Outcome("dropped", f"{case.library} says {type(error).__name__}: {str(error)[:300]}")
        if not members:  # as of a method that changes an array in place
            return Outcome("dropped", f"{case.library} gives nothing")
        for member, seed, grad in zip(members, seeds, grads, strict=True):
            text = gradcalc_text(case) if len(members) == 1 and not member.path else _member(case, member.path)
            try:
                problem = _difference(case, text, values, member.value, seed, grad)
            except GradcalcError as error:
                return Outcome("refused", f"gradcalc says: {error}; {'; '.join(error.helps)}")
            except Exception as error:
                return Outcome("disagree", f"gradcalc breaks down: {type(error).__name__}: {error}")
            if problem:
                inputs = ", ".join(f"{name} = {value.tolist()}" for name, value in values.items())
                return Outcome("disagree", f"{problem}\nat {inputs}")
            total.values += 1
            total.vjps += grad is not None
    return total


def _point(case: Case, number: int) -> tuple[Mapping[str, Any], list[Any], list[Any], list[Any]]:
    """Inputs and what the library answers there, finite if it is so anywhere near."""
    for attempt in range(TRIES):
        values = case.draw(number + POINTS * attempt)
        members = libraries.results(case, values)
        rng = np.random.default_rng([crc32(str(case).encode()), number, attempt])
        seeds = [rng.uniform(-2, 2, member.value.shape) for member in members]
        grads = [_pulled(case, member, seed) for member, seed in zip(members, seeds, strict=True)]
        answers = [member.value for member in members] + [one for grad in grads if grad for one in grad.values()]
        if all(np.all(np.isfinite(one)) for one in answers if one.dtype.kind in "fiub"):
            break
    return values, members, seeds, grads


def _pulled(case: Case, member: Any, seed: Any) -> dict[str, Any] | None:
    if member.pull is None:
        return None
    try:
        with np.errstate(all="ignore"):
            found: dict[str, Any] = member.pull(seed)
            return found
    except Exception:
        if case.library == "numpy":  # JAX, which differentiates for NumPy, may not know the function
            return None
        raise


def gradcalc_text(case: Case) -> str:
    """The text as gradcalc gets it; one of PyTorch that names no library comes with its import."""
    named = any("." in name and not name.startswith(".") for name in calls(case.text))
    return f"from torch import Tensor\n{case.text}" if case.library == "torch" and not named else case.text


def _member(case: Case, path: str) -> str:
    *first, last = gradcalc_text(case).rsplit("\n", 1)
    *before, last = last.rsplit("; ", 1)
    return "\n".join([*first, "; ".join([*before, f"({last}){path}"])])


def _difference(
    case: Case, text: str, values: Mapping[str, Any], value: Any, seed: Any, grad: dict[str, Any] | None
) -> str:
    """How gradcalc's answer differs from the library's; nothing if it does not."""
    tolerance = LOOSE_TOLERANCE if called_in(case) & LOOSE.keys() else TOLERANCE
    found = gradcalc.evaluate(text, values)
    if problem := _unlike("value", found, value, tolerance):
        return problem
    if not grad or np.asarray(found).dtype == bool:
        return ""
    back = gradcalc.vjp(text, values, seed, wrt=list(grad))
    assert isinstance(back, dict)
    largest = max((float(np.max(np.abs(one), initial=0.0)) for one in grad.values()), default=0.0)
    for name, expected in grad.items():
        if problem := _unlike(f"vjp by {name} (seed {seed.tolist()})", back[name], expected, tolerance, largest):
            return problem
    return ""


def _unlike(what: str, found: Any, expected: Any, tolerance: float, scale: float = 0.0) -> str:
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return f"{what} has shape {found.shape}, not {expected.shape}"
    found, expected = found.astype(float), expected.astype(float)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    finite = np.abs(expected[np.isfinite(expected)])
    allowed = tolerance * max(scale if np.isfinite(scale) else 0.0, SMALLEST, float(np.max(finite, initial=0.0)))
    with np.errstate(invalid="ignore"):
        near = np.abs(found - expected) <= allowed
    if np.all(same | near):
        return ""
    return f"{what}: gradcalc {found.tolist()}, the library {expected.tolist()}"
