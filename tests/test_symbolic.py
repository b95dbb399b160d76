"""SymPy's side: its formulas, its numbers, its doubts, its budget, and that it shares no rule with ours."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from typing import Any

import numpy as np
import pytest

from gradcalc import solver as process
from gradcalc.engine import evaluate
from gradcalc.errors import Source
from gradcalc.graph import CATALOGUE, Op
from gradcalc.problem import pose, read_programs
from gradcalc.solver import Question, Reply, Solver
from gradcalc.symbolic import solve


def question(
    command: str, text: str, wrt: str = "x", seed: Any = None, direction: Any = None, **values: Any
) -> Question:
    return Question(
        command=command,
        texts=[("expression", text)],
        values={name: np.asarray(value, np.float64) for name, value in values.items()},
        wrt=wrt.split(" "),
        seeds=[None if seed is None else np.asarray(seed, float)],
        directions=[] if direction is None else [np.asarray(direction, float)],
    )


def asked(command: str, text: str, **rest: Any) -> Reply:
    reply = solve(question(command, text, **rest))
    assert reply.failure is None
    return reply


# formulas and numbers -----------------------------------------------------------------------------------


ROWS = [
    ("sum(x**2 + 2*x + 1)", [1, 2], "2*x + 2", [4, 6]),
    ("sum(exp(x)*x)", [[0, 1]], "x*exp(x) + exp(x)", [1, 2 * math.e]),
    ("x**3", 2, "3*x**2", [12]),
    ("sum(0.1*x)", [1, 2], "0.1", [0.1, 0.1]),
    ("sum(pi*x)", [1, 2], "pi", [math.pi] * 2),
    ("x[0]*x[1]", [2, 3], "[x[1], x[0]]", [3, 2]),
    ("sum(x.T @ x)", [[1], [2]], "2*x", [2, 4]),
    ("log(det(x))", [[2, 0], [0, 4]], None, [0.5, 0, 0, 0.25]),
    ("sum(where(x > 0, x**2, -x))", [2, -3], "Piecewise((2*x, x > 0), (-1, True))", [4, -1]),
    ("sum(floor(x)*x)", [1.5, 2.5], "floor(x)", [1, 2]),
    ("tanh(x)", 0, "1 - tanh(x)**2", [1]),
    ("x/3", 1, "1/3", [1 / 3]),
    ("prod(x)", [2, 0, 4], "[x[1]*x[2], x[0]*x[2], x[0]*x[1]]", [0, 8, 0]),
    ("sum(x)", [], None, []),
]


@pytest.mark.parametrize(("text", "x", "formula", "numbers"), ROWS, ids=[row[0] for row in ROWS])
def test_gradient(text, x, formula, numbers):
    reply = asked("grad", text, x=x)
    assert reply.special == {"x": {}}
    assert reply.numbers["x"] == pytest.approx(dict(enumerate(numbers)), rel=1e-15)
    if formula is not None:
        assert reply.formulas["x"].text == formula
        assert reply.formulas["x"].latex


def test_several_inputs_have_a_formula_each():
    reply = asked("grad", "sum(x*w)", wrt="x w", x=[1, 2], w=[3, 4])
    assert {label: one.text for label, one in reply.formulas.items()} == {"x": "w", "w": "x"}
    assert reply.numbers == {"x": {0: 3, 1: 4}, "w": {0: 1, 1: 2}}


@pytest.mark.parametrize(
    ("command", "text", "rest", "label", "formula", "numbers"),
    [
        ("jacobian", "[x[0]*x[1], x[0]**2]", {"x": [2, 3]}, "x", "[[x[1], x[0]], [2*x[0], 0]]", [3, 2, 4, 0]),
        ("hessian", "x[0]**2*x[1]", {"x": [2, 3]}, "x, x", "[[2*x[1], 2*x[0]], [2*x[0], 0]]", [6, 4, 4, 0]),
        ("hessian", "x**2", {"x": [2, 3], "seed": [1, 10]}, "x, x", "[[2, 0], [0, 20]]", [2, 0, 0, 20]),
        ("vjp", "x**2", {"x": [2, 3], "seed": [1, 10]}, "x", "[2*x[0], 20*x[1]]", [4, 60]),
        ("jvp", "x**2", {"x": [2, 3], "direction": [1, 10]}, "jvp", "[2*x[0], 20*x[1]]", [4, 60]),
        ("hvp", "sum(x**3)", {"x": [2, 3], "direction": [1, 10]}, "x", "[6*x[0], 60*x[1]]", [12, 180]),
        ("grad", "sum(x**2)", {"x": [2, 3], "wrt": "x[1]"}, "x[1]", "2*x[1]", [6]),
    ],
)
def test_every_command(command, text, rest, label, formula, numbers):
    reply = asked(command, text, **rest)
    assert reply.formulas[label].text == formula
    assert reply.numbers[label] == dict(enumerate(numbers))


def test_numbers_are_exact_to_the_last_digit():
    assert asked("grad", "sin(x)/x", x=1e-5).numbers["x"][0] == pytest.approx(-1e-5 / 3, rel=1e-10)


@pytest.mark.parametrize(
    ("text", "x", "special"),
    [
        ("sum(abs(x))", [0, 1], {0: "a kink"}),
        ("sum(relu(x))", [0, 1, -1], {0: "a kink"}),
        ("sum(maximum(x, 2))", [2, 3], {0: "a kink"}),
        ("max(x)", [2, 2, 1], {0: "a kink", 1: "a kink"}),
        ("sum(floor(x)*x)", [1, 1.5], {0: "a kink"}),
        ("sum(sign(x)*x)", [0, 1], {0: "a kink"}),
        ("sum(where(x > 1, x, x**2))", [1, 2], {0: "a kink"}),
        ("sum(sqrt(x))", [0, 4], {0: "SymPy's formula is not finite here"}),
        ("sum(log(x))", [-1, 4], {}),
    ],
)
def test_kinks_and_the_like_are_special_and_have_no_number(text, x, special):
    reply = asked("grad", text, x=x)
    if special:
        assert {place: why for place, why in reply.special["x"].items() if place in special} == special
    assert not set(reply.special["x"]) & set(reply.numbers["x"])
    assert len(reply.special["x"]) + len(reply.numbers["x"]) == len(x)


def test_many_entries_are_sampled_and_have_no_formula():
    reply = asked("jacobian", "exp(x)", x=np.linspace(0, 1, 30))
    assert not reply.formulas
    assert 0 < len(reply.numbers["x"]) < 900
    values = np.diag(np.exp(np.linspace(0, 1, 30))).ravel()
    assert all(value == pytest.approx(values[place], rel=1e-15) for place, value in reply.numbers["x"].items())


# nothing shared ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["sum(exp(x)*x**2)", "log(det(x @ x))", "sum(where(x > 2, tanh(x), sin(x)))", "prod(x[0])"]
)
def test_broken_rules_leave_sympy_unmoved(text, monkeypatch):
    x = [[1.0, 2.0], [0.5, 3.0]]
    before = asked("grad", text, x=x)

    def broken(*_, **__):
        raise AssertionError("a rule of ours was used")

    for one in CATALOGUE.values():
        if isinstance(one, Op):
            monkeypatch.setitem(one.__dict__, "vjp", broken)
            monkeypatch.setitem(one.__dict__, "jvp", broken)
    assert asked("grad", text, x=x) == before
    assert asked("hessian", text, x=x).numbers["x, x"]
    values = {"x": np.array(x)}
    output = pose(read_programs([Source("expression", text)], values), values).outputs[0]
    assert np.isfinite(evaluate([output], values)[0])


# the child ------------------------------------------------------------------------------------------------


@pytest.fixture
def solver():
    one = Solver()
    yield one
    one.stop()


def gone(process: subprocess.Popen[bytes]) -> bool:
    """Ended, waited for, and its pipes closed: nothing is left over."""
    assert process.stdin is not None and process.stdout is not None
    reaped = process.returncode is not None and not os.path.exists(f"/proc/{process.pid}")
    return reaped and process.stdin.closed and process.stdout.closed


def test_child_answers_as_solve_does(solver):
    asking = question("grad", "sum(x**2)", x=[1, 2])
    solver.ask(asking, 60)
    assert solver.reply() == solve(asking)
    solver.stop()
    assert gone(solver._process)


INVERSE = {"text": "sum(inv(x) @ inv(x.T))", "x": np.eye(6) + 0.1 * np.arange(36).reshape(6, 6) % 1}
TOWER = {"text": "exp(exp(exp(exp(sin(x)*exp(exp(x))))))" + "*exp(exp(exp(x*sin(x))))" * 6, "x": 0.1}


@pytest.mark.parametrize(("command", "asking"), [("hessian", INVERSE), ("hessian", TOWER | {"x": np.full(30, 0.1)})])
def test_monstrous_expressions_end_with_the_budget(command, asking, solver):
    seed = np.ones(30) if np.shape(asking["x"]) == (30,) else None
    start = time.monotonic()
    solver.ask(question(command, asking["text"], seed=seed, x=asking["x"]), 0.5)
    reply = solver.reply()
    assert reply.failure == "SymPy did not finish within its budget of 0.5 s"
    assert not reply.numbers and not reply.formulas
    assert time.monotonic() - start < 5
    assert gone(solver._process)


def test_no_budget_at_all(solver):
    solver.ask(question("grad", "x**2", x=1), 0)
    assert "budget of 0 s" in str(solver.reply().failure)
    assert gone(solver._process)


def test_killed_child_is_said_to_have_ended(solver):
    solver._process.send_signal(signal.SIGKILL)
    solver._process.wait()
    solver.ask(question("grad", "x**2", x=1), 5)
    assert solver.reply() == Reply({}, {}, {}, "the SymPy process ended without an answer")


@pytest.mark.parametrize(
    "code",
    [
        "raise SystemExit(3)",
        "import sys; sys.stdin.buffer.read(); print('not a pickle')",
        "import sys; sys.stdin.buffer.read(); sys.stdout.buffer.write(b'\\x80\\x05\\x95')",
        "import sys, os; sys.stdin.buffer.read(); os.abort()",
    ],
)
def test_crashed_child_is_said_to_have_ended(code, monkeypatch):
    monkeypatch.setattr(process, "_START", code)
    one = Solver()
    one.ask(question("grad", "x**2", x=1), 20)
    assert one.reply().failure == "the SymPy process ended without an answer"
    one.stop()
    assert gone(one._process)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("MemoryError()", "SymPy ran out of memory"),
        ("RecursionError()", "the expression is too deep for SymPy"),
        ("ZeroDivisionError('by zero')", "SymPy could not derive it (ZeroDivisionError: by zero)"),
    ],
)
def test_errors_in_the_child_are_reasons(error, reason, monkeypatch):
    code = f"import gradcalc.symbolic as s\ndef solve(_): raise {error}\ns.solve = solve\ns.serve()"
    monkeypatch.setattr(process, "_START", code)
    one = Solver()
    one.ask(question("grad", "x**2", x=1), 60)
    assert one.reply().failure == reason
    one.stop()


def test_stopping_twice_and_without_a_question():
    one = Solver()
    one.stop()
    one.stop()
    assert gone(one._process)
