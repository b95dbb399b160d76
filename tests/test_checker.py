"""Verdicts: what agrees, what does not, what could not be checked; and that a wrong rule is found out."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import gradcalc
from gradcalc import api
from gradcalc.checker import Verdict, along, compare
from gradcalc.cli.main import run
from gradcalc.graph import CATALOGUE
from gradcalc.labels import entry_name
from gradcalc.render.text import verdict_line
from gradcalc.solver import Reply

nan, inf = np.nan, np.inf


def reply(*numbers: float, special: dict[int, str] | None = None, label: str = "x") -> Reply:
    places = [i for i in range(len(numbers) + len(special or {})) if i not in (special or {})]
    return Reply({}, {label: dict(zip(places, numbers, strict=True))}, {label: special or {}})


def verdict(ours: Any, *theirs: float) -> Verdict:
    return compare({"x": np.array(ours, float)}, reply(*theirs))


# compare ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs", "status"),
    [
        ([1, 2], [1, 2], "agree"),
        ([1, 2], [1, 2 * (1 + 0.9e-9)], "agree"),
        ([1, 2], [1, 2 * (1 + 2e-9)], "disagree"),
        ([1, 2], [1, -2], "disagree"),
        ([1e3, 1e-13], [1e3, 2e-13], "agree"),  # beside 1e3 a difference of 1e-13 is the last bit …
        ([1e6, 1e-7], [1e6, 2e-7], "disagree"),  # … and beside 1e6 one of 1e-7 is not
        ([1e-6], [5e-6], "disagree"),
        ([1e-300], [2e-300], "disagree"),
        ([0], [0], "agree"),
        ([0], [1e-20], "disagree"),
        ([0.0], [-0.0], "agree"),
        ([nan], [1], "disagree"),
        ([nan, 1], [0, 1], "disagree"),
        ([inf], [1], "disagree"),
        ([-inf], [1e308], "disagree"),
        ([inf, 1], [inf, 1], "agree"),
        ([inf], [-inf], "disagree"),
        ([1], [inf], "disagree"),
        ([], [], "agree"),
        (3.0, [3], "agree"),
    ],
)
def test_status(ours, theirs, status):
    found = verdict(ours, *theirs)
    assert found.status == status
    assert found.method == "SymPy"
    assert found.entries == found.total == len(theirs)
    assert (found.worst is not None) == (status == "disagree")
    assert found.reason is None


def test_inputs_do_not_excuse_each_other():
    ours = {"x": np.array([1e6]), "w": np.array([1e-13])}
    assert compare(ours, Reply({}, {"x": {0: 1e6}, "w": {0: 2e-13}}, {})).status == "disagree"


@pytest.mark.parametrize(
    ("ours", "theirs", "gap"), [([1, 2], [1, 2], 0), ([1, 3], [1, 4], 0.25), ([nan], [1], inf), ([2, 0], [1, 0], 0.5)]
)
def test_largest_relative_difference(ours, theirs, gap):
    assert verdict(ours, *theirs).max_relative_difference == gap


@pytest.mark.parametrize(
    ("ours", "theirs", "worst"),
    [
        ([[1, 2], [3, 5]], [1, 2, 3, 4], ("x[1, 1]", 5, 4)),
        ([[1, 2], [3, 5]], [1.1, 2, 3, 4], ("x[1, 1]", 5, 4)),
        ([[1, 2], [3, 5]], [2, 2, 3, 4], ("x[0, 0]", 1, 2)),
        (7.0, [8], ("x", 7, 8)),
        ([10, 0, 10], [11, 1e-30, 20], ("x[2]", 10, 20)),  # the entry between agrees, 0 beside 1e-30
    ],
)
def test_worst_entry_is_named(ours, theirs, worst):
    assert verdict(ours, *theirs).worst == worst


@pytest.mark.parametrize(
    ("shape", "place", "name"), [((), 0, "w"), ((3,), 2, "w[2]"), ((2, 3), 4, "w[1, 1]"), ((1, 1, 2), 1, "w[0, 0, 1]")]
)
def test_entry_names(shape, place, name):
    assert entry_name("w", shape, place) == name


def test_nothing_compared_is_not_checked():
    ours = {"x": np.array([1.0, 2.0])}
    assert compare(ours, Reply({}, {}, {}, "no time")) == Verdict(status="not checked", total=2, reason="no time")
    both = compare(ours, reply(special={0: "a kink", 1: "a kink"}))
    assert (both.status, both.reason, both.entries, both.method) == ("not checked", "a kink at x[0], x[1]", 0, None)
    none = compare(ours, Reply({}, {}, {}))
    assert none.status == "not checked"
    assert none.reason


def test_what_was_left_out_is_said():
    some = compare({"x": np.array([1.0, 2.0, 3.0])}, reply(1, 2, special={2: "a kink"}))
    assert (some.status, some.entries, some.total, some.reason) == ("agree", 2, 3, "a kink at x[2]")
    wrong = compare({"x": np.array([1.0, 9.0, 3.0])}, reply(1, 2, special={2: "a kink"}))
    assert (wrong.status, wrong.reason) == ("disagree", "a kink at x[2]")
    sample = compare({"x": np.array([1.0, 2.0, 3.0])}, reply(1))
    assert (sample.status, sample.entries, sample.reason) == ("agree", 1, "a sample of the entries")


@pytest.mark.parametrize(
    ("made", "style", "words"),
    [
        (Verdict(status="agree", method="SymPy", entries=2, total=2), "good", "agree: SymPy, both entries"),
        (Verdict(status="not checked", total=2, reason="a kink"), "bad", "not checked: a kink"),
        (
            Verdict(
                status="disagree",
                method="SymPy",
                entries=1,
                total=1,
                max_relative_difference=0.5,
                worst=("x[0]", 1.0, 2.0),
            ),
            "bad",
            "disagree: SymPy, largest relative difference 5.0e-01; worst at x[0]: 1 here, 2 from SymPy",
        ),
    ],
)
def test_verdict_in_words(made, style, words):
    line = verdict_line(made)
    assert (line.style, line.text) == (style, words)


# planted faults -------------------------------------------------------------------------------------------


@pytest.fixture
def wrong_sine(monkeypatch):
    """A derivative of sin that is wrong by a factor."""

    def plant(factor: float) -> None:
        cos, sin = CATALOGUE["cos"], CATALOGUE["sin"]
        monkeypatch.setitem(sin.__dict__, "vjp", lambda g, y, x: (g * cos(x) * factor,))
        monkeypatch.setitem(sin.__dict__, "jvp", lambda ts, y, x: ts[0] * cos(x) * factor)

    return plant


def test_wrong_rule_is_found_by_sympy(wrong_sine):
    wrong_sine(1 + 1e-8)
    made = gradcalc.answer("grad", "sum(sin(x))", {"x": [0.0]}, budget=60)
    found = made.check
    assert found.status == "disagree"
    assert found.worst == ("x[0]", 1 + 1e-8, 1)
    assert found.max_relative_difference == pytest.approx(1e-8, rel=1e-6)
    assert made.symbolic["x"].text == "cos(x)"


@pytest.mark.parametrize("form", ["text", "json"])
def test_wrong_rule_makes_the_command_line_exit_with_1(form, wrong_sine, capsys):
    wrong_sine(1.5)
    command = ["grad", "sum(sin(x))", "--x", "[0,1]", "--format", form, "--symbolic-budget", "60"]
    assert run(command) == 1
    out = capsys.readouterr().out
    if form == "text":
        assert "disagree: SymPy, both entries" in out
        assert "worst at x[" in out
    else:
        check = json.loads(out)["check"]
        assert (check["status"], check["entries"]) == ("disagree", 2)
        assert check["worst"]["ours"] / check["worst"]["theirs"] == pytest.approx(1.5)


# differences -----------------------------------------------------------------------------------------------


class Away:
    """A SymPy that fails."""

    def ask(self, *_: Any) -> None: ...

    def reply(self) -> Reply:
        return Reply({}, {}, {}, "SymPy is away")

    def stop(self) -> None: ...


@pytest.fixture
def by_differences(monkeypatch):
    """The verdict on an answer that SymPy gave no help with."""
    monkeypatch.setattr(api, "Solver", Away)

    def verdict_on(command: str, text: str, **rest: Any) -> Verdict:
        options = {name: rest.pop(name) for name in ("seed", "direction", "wrt") if name in rest}
        found = gradcalc.answer(command, text, rest, **options).check
        assert found is not None
        assert "SymPy" in str(found.reason)
        return found

    return verdict_on


SMOOTH = [
    ("sum(exp(x)*x)", [0.1, -2, 3]),
    ("sum(sin(x))", np.linspace(-5, 5, 50)),
    ("x**3", 1e-3),
    ("x**2", 1e6),
    ("1e-6*sin(x)", 0.3),
    ("1e6*log(x)", 20.0),
    ("sum(abs(x))", [1.5, -2]),
    ("sum(x)*0", [1, 2]),
    ("log(x)", 1e-3),
    ("sum(sqrt(x))", [1e-6, 1e-6]),
    ("sum(x**2)", [1e-6, 2e-6]),
    ("1e9 + sum(sin(x))", [0.5, 1]),
    ("1 + 1e-6*sum(sin(x))", [0.5, 1]),
    ("sum(exp(x)) - 1e5", [0.5, 1]),
    ("sum(sin(100*x))", [0.5, 1]),
    ("sum((x - 1)**8)", [1.001, 1]),
    ("1/x", 0.001),
]


@pytest.mark.parametrize(("text", "x"), SMOOTH, ids=[text for text, _ in SMOOTH])
def test_smooth_functions_never_disagree(text, x, by_differences):
    assert by_differences("grad", text, x=x).status in ("agree", "not checked")


@pytest.mark.parametrize(("text", "x"), SMOOTH[:7], ids=[text for text, _ in SMOOTH[:7]])
def test_smooth_functions_agree(text, x, by_differences):
    found = by_differences("grad", text, x=x)
    assert found.status == "agree"
    assert found.method.startswith("differences along")
    assert found.entries == 0
    assert found.max_relative_difference < 1e-6


COMMANDS = [
    ("grad", "sum(sin(x)*w)", {}),
    ("vjp", "sin(x)*w", {"seed": [1.0, 10.0]}),
    ("jacobian", "sin(x)*w", {}),
    ("hessian", "sum(sin(x)*w)", {}),
    ("jvp", "sin(x)*w", {"direction": {"x": [1.0, 2.0], "w": [0.5, 1.0]}}),
    ("hvp", "sum(sin(x)*w)", {"direction": {"x": [1.0, 2.0]}}),
]


@pytest.mark.parametrize(("command", "text", "rest"), COMMANDS, ids=[command for command, _, _ in COMMANDS])
def test_every_command_can_be_checked_by_differences(command, text, rest, wrong_sine, by_differences):
    values = {"x": [0.5, 2.0], "w": [2.0, 3.0]}
    assert by_differences(command, text, **rest, **values).status == "agree"
    if command not in ("hessian", "hvp"):  # those are checked against differences of the gradient, wrong alike
        wrong_sine(1 + 1e-4)
        assert by_differences(command, text, **rest, **values).status == "disagree"


@pytest.mark.parametrize("factor", [1 + 1e-4, 1 - 1e-4, 5, 0.2, -1, 0])
@pytest.mark.parametrize("text", ["sum(sin(x))", "1e-6*sum(sin(x))", "1 + 1e-6*sum(sin(x))", "sum(sin(x*1e-6))"])
def test_wrong_gradients_are_found_by_differences(text, factor, wrong_sine, by_differences):
    assert by_differences("grad", text, x=[0.5, 1.0]).status == "agree"
    wrong_sine(factor)
    assert by_differences("grad", text, x=[0.5, 1.0]).status == "disagree"


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("abs(x)", 0),
        ("relu(x)", 0),
        ("sum(maximum(x, 1))", [1, 2]),
        ("max(x)", [2, 2, 1]),
        ("norm(x)", [0, 0]),
        ("sqrt(x)", 0),
        ("sum(where(x > 1, 5, x))", [1, 2]),
        ("sum(floor(x))", [2, 2.5]),
    ],
)
def test_at_a_kink_there_is_no_verdict(text, x, by_differences):
    assert by_differences("grad", text, x=x).status == "not checked"


def test_values_that_are_not_finite_give_no_verdict(by_differences):
    assert by_differences("grad", "log(x)", x=0).status == "not checked"
    assert by_differences("grad", "sum(x)", x=[inf, 1]).status == "not checked"


def test_entries_alone_are_not_checked_by_differences(by_differences):
    found = by_differences("grad", "sum(x**2)", x=[1.0, 2.0], wrt="x[0]")
    assert found == Verdict(status="not checked", total=1, reason="SymPy is away")


def test_too_many_numbers_are_said_to_be(by_differences, monkeypatch):
    monkeypatch.setattr(Away, "ask", lambda *_: pytest.fail("SymPy was asked"))
    found = by_differences("jvp", "cumsum(x)", x=np.ones(50_000), direction=np.ones(50_000))
    assert found.status == "agree"
    assert found.reason.startswith("SymPy was not asked: the expression has 100,000 numbers in it")


def test_rough_functions_have_no_verdict():
    generator = np.random.default_rng(0)
    found = along([[np.ones(2)]], lambda h, _: generator.standard_normal(), lambda _: 1.0, 2, "why")
    assert found.status == "not checked"
    assert found.reason.startswith("why; ")
