"""gradcalc held against PyTorch, JAX, NumPy and SciPy themselves: `pytest -m peers`, where they are installed.

`pytest -m peers -k losses` compares the lines of `tests/peers/losses.txt`, `-k "record and std"` what is derived from
the catalogue's records with `std` in their names; `-s` shows the table of all functions at the end.
"""

from __future__ import annotations

from typing import Any

import pytest
from peers import cases, libraries
from peers.cases import Case, cases_in, derived_from
from peers.compare import Outcome, outcome

from gradcalc.graph import CATALOGUE

pytestmark = pytest.mark.peers

LINES = cases.lines()


@pytest.fixture(scope="session")
def world() -> dict[str, Any]:
    """The libraries, where they are installed."""
    for name in ("torch", "jax", "scipy"):
        pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)
    return libraries.world()


def failures(found: dict[Case, Outcome], *, explicit: bool) -> str:
    """What went wrong, a paragraph for each case."""
    wrong = ("refused", "disagree", "dropped") if explicit else ("refused", "disagree")
    return "\n\n".join(f"{case}\n{one.status}: {one.problem}" for case, one in found.items() if one.status in wrong)


@pytest.mark.parametrize(("origin", "line"), LINES, ids=[origin for origin, _ in LINES])
def test_line(origin: str, line: str, world: dict[str, Any]) -> None:
    found = {case: outcome(case) for case in cases_in(line, origin)}
    if problems := failures(found, explicit=True):
        pytest.fail(problems, pytrace=False)


@pytest.mark.parametrize("name", cases.RECORDS)
def test_record(name: str, world: dict[str, Any]) -> None:
    found = {case: outcome(case) for case in derived_from(CATALOGUE[name], libraries.modules(), world)}
    if problems := failures(found, explicit=False):
        pytest.fail(problems, pytrace=False)
