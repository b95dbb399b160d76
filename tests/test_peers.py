"""gradcalc held against PyTorch, JAX, NumPy and SciPy themselves: `pytest -m peers`, where they are installed.

`pytest -m peers -k losses` compares the lines of `tests/peers/losses.txt`, `-k "record and std"` what is derived from
the catalogue's records with `std` in their names; `-s` shows the table of all functions at the end.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from functools import cache, reduce
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
from peers import cases, libraries, names
from peers.cases import Case, Input, cases_in, derived_from
from peers.compare import Outcome, outcome
from peers.wrong import WRONG, Wrong

import gradcalc
from gradcalc.graph import CATALOGUE
from gradcalc.language.refusals import REFUSED

pytestmark = pytest.mark.peers

LINES = cases.lines()
LIST = Path(__file__).parent.parent / "gradcalc" / "render" / "libraries.txt"


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


Report = Callable[[str, object], None]


def compared(found: list[Case], report: Report, function: str = "") -> dict[Case, Outcome]:
    """The outcomes of cases, which the table at the end counts."""
    outcomes = {case: outcome(case) for case in found}
    report("peers", [[function or _function(case), case.library, one.status] for case, one in outcomes.items()])
    return outcomes


def _function(case: Case) -> str:
    return next(iter(cases.calls(case.text)), case.text).rpartition(".")[2]


@pytest.mark.parametrize(("origin", "line"), LINES, ids=[origin for origin, _ in LINES])
def test_line(origin: str, line: str, world: dict[str, Any], record_property: Report) -> None:
    found = compared(cases_in(line, origin), record_property)
    if problems := failures(found, explicit=True):
        pytest.fail(problems, pytrace=False)


@pytest.mark.parametrize("name", cases.RECORDS)
def test_record(name: str, world: dict[str, Any], record_property: Report) -> None:
    found = compared(derived_from(CATALOGUE[name], libraries.modules(), libraries.methods()), record_property, name)
    if problems := failures(found, explicit=False):
        pytest.fail(problems, pytrace=False)


# where the library is wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize("one", WRONG, ids=[f"{one.library}: {one.text}" for one in WRONG])
def test_the_library_is_wrong_and_gradcalc_right(one: Wrong, world: dict[str, Any]) -> None:
    values = {name: np.array(value) for name, value in one.inputs.items()}
    case = Case(one.text, one.library, tuple(Input(name, value.shape) for name, value in values.items()), "wrong")
    shapes = tuple((name, value.shape) for name, value in values.items())
    expected = oracle.exact_gradient(oracle.pose(oracle.Case(one.text, shapes)), values)
    (member,) = libraries.results(case, values)
    assert member.pull is not None
    seed = np.ones(member.value.shape)
    theirs, ours = member.pull(seed), gradcalc.vjp(one.text, values, seed)
    assert error(ours, expected) < 1e-9, f"gradcalc {ours}, but it is {expected}"
    assert not error(theirs, expected) < 1e-9, "it is right by now, and no longer belongs in the list"


def error(found: dict[str, Any], expected: dict[str, Any]) -> float:
    """The largest difference as a part of the largest expected number; nan where a number is."""
    numbers, right = (np.concatenate([np.ravel(one[name]) for name in sorted(expected)]) for one in (found, expected))
    return float(np.max(np.abs(numbers - right)) / (np.max(np.abs(right)) or 1))


# every function of every namespace ---------------------------------------------------------------------


@cache
def cases_by_function() -> dict[str, list[Case]]:
    """All cases that call each function."""
    found: dict[str, list[Case]] = {}
    every = [case for origin, line in LINES for case in cases_in(line, origin)]
    for name in cases.RECORDS:
        every += derived_from(CATALOGUE[name], libraries.modules(), libraries.methods())
    for case in every:
        for function in cases.called_in(case):
            found.setdefault(function, []).append(case)
    return found


def is_compared(function: str) -> bool:
    """Whether a library answers some case that calls the function."""
    return any(outcome(case).status != "dropped" for case in cases_by_function().get(function, ()))


@pytest.mark.parametrize("namespace", names.NAMESPACES)
def test_names(namespace: str, world: dict[str, Any], record_property: Report) -> None:
    """Every function is accepted, and then some case compares it, or refused for a reason."""
    prefix = names.NAMESPACES[namespace]
    standings = {name: names.standing(prefix, name) for name in names.functions(prefix)}
    record_property("peers names", [namespace, standings])
    unknown = [name for name, one in standings.items() if one == names.UNKNOWN]
    accepted = [name for name, one in standings.items() if one == names.ACCEPTED]
    alone = [name for name in accepted if not is_compared(f"{prefix}.{name}")]
    assert not unknown and not alone, (
        f"{namespace}: {len(unknown)} neither accepted nor refused: {' '.join(unknown)}\n"
        f"{len(alone)} accepted, but compared by no case: {' '.join(alone)}"
    )


def test_refused_names_are_those_of_libraries(world: dict[str, Any]) -> None:
    every = {name for prefix in names.NAMESPACES.values() for name in names.functions(prefix)}
    np, torch, jax = world["np"], world["torch"], world["jax"]
    rooms = [np.fft, np.random, np.ufunc, torch.fft, torch.random, jax, jax.lax, jax.random]
    every.update(name for room in rooms for name in dir(room))
    roots = {"numpy": np, "torch": torch, "jax": jax}
    dotted = [name.split(".") for name in REFUSED if "." in name]
    for library, *words in dotted:
        assert callable(reduce(getattr, words, roots[library]))
    assert sorted({name for name in REFUSED if "." not in name} - every) == []


# the list of the libraries' functions, which the catalogue's tables are made from -------------------------


def listed() -> str:
    """The functions of every module, as `gradcalc/render/libraries.txt` has them."""
    from importlib.metadata import version

    versions = ", ".join(f"{name} {version(name).partition('+')[0]}" for name in ("numpy", "torch", "jax"))
    paragraphs = [f"# {versions}; written by `python tests/test_peers.py --update`"]
    for prefix in names.NAMESPACES.values():
        if prefix not in names.METHODS:
            words = f"{prefix}: {' '.join(names.functions(prefix))}"
            paragraphs.append(textwrap.fill(words, 120, break_long_words=False, break_on_hyphens=False))
    return "\n\n".join(paragraphs) + "\n"


def test_the_list_of_functions_is_the_libraries_own(world: dict[str, Any]) -> None:
    assert LIST.read_text(encoding="utf-8") == listed()


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python tests/test_peers.py --update")
    LIST.write_text(listed(), encoding="utf-8")
