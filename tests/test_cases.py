"""The cases that define the project, through the command line and through the API."""

import json
from pathlib import Path

import numpy as np
import pytest

import gradcalc
from gradcalc.cli.main import run

SEEDS = json.loads((Path(__file__).parent / "cases" / "seeds.json").read_text())
ERRORS = [case for case in SEEDS if isinstance(case["right"], str)]
ANSWERS = [case for case in SEEDS if not isinstance(case["right"], str)]


def command_line(case: dict) -> list[str]:
    expressions = case["expr"] if isinstance(case["expr"], list) else [case["expr"]]
    words = [case["command"], *expressions, "--wrt", case["wrt"], "--format", "json"]
    for name, value in case["inputs"].items():
        words += [f"--{name}", json.dumps(value)]
    seeds = case["seed"] if isinstance(case["expr"], list) else [case["seed"]]
    for seed in seeds:
        if seed is not None:
            words += ["--seed", seed if isinstance(seed, str) else json.dumps(seed)]
    return words


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case["id"])
def test_command_line(case, capsys):
    assert run(command_line(case)) == 0
    found = json.loads(capsys.readouterr().out)
    group = "gradients" if case["command"] == "grad" else case["command"]
    data = found[group][case["wrt"]]
    np.testing.assert_allclose(np.reshape(data["data"], np.shape(case["right"])), case["right"], rtol=1e-14)
    assert found["check"]["status"] == "agree"
    assert found["check"]["entries"] == found["check"]["total"] == np.size(case["right"])
    if "value" in case:
        assert found["value"] == case["value"]
    if "formula" in case:
        assert found["symbolic"]["x"]["text"] == case["formula"]


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case["id"])
def test_api(case):
    if case["command"] == "jacobian":
        found = gradcalc.jacobian(case["expr"], case["inputs"], wrt=case["wrt"])
        assert found.shape == (1, 2, 2)
        found = found.reshape(2, 2)
    else:
        found = gradcalc.grad(case["expr"], case["inputs"], wrt=case["wrt"], seed=case["seed"])
    np.testing.assert_allclose(found, case["right"], rtol=1e-14)


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case["id"])
def test_error(case, capsys):
    words = command_line(case)
    assert run([word for word in words if word not in ("--format", "json")]) == 2
    message = capsys.readouterr().err
    assert "shape (2, 2)" in message
    for help in ('--seed "[[1,1],[1,1]]"', "sum(x**2 + 2*x + 1)", "gradcalc jacobian"):
        assert help in message
    assert len(message.splitlines()) < 10


def test_parts_of_accumulated_gradients(capsys):
    case = next(case for case in SEEDS if isinstance(case["expr"], list))
    assert run(command_line(case)) == 0
    found = json.loads(capsys.readouterr().out)
    assert [part["gradients"]["x"]["data"] for part in found["parts"]] == [[[4, 6], [8, 10]]] * 2
