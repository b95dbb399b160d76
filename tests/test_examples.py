"""The programs of examples/: what gradcalc makes of each is what Python, executing it, makes of it."""

from __future__ import annotations

import builtins
import importlib
import math
import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from gradcalc.answers import answer
from gradcalc.errors import Source
from gradcalc.problem import read_programs
from gradcalc.results import Answer
from gradcalc.solver import Solver

EXAMPLES = Path(__file__).parent.parent / "examples"
MOST_GAP = 1e-7  # between a derivative and differences of executed Python


class Example(NamedTuple):
    """A function of a file, its inputs, and what to differentiate by."""

    function: str
    inputs: dict[str, Any]
    wrt: str
    torch: bool = False


def numbers(*shape: int, scale: float = 1.0) -> Any:
    """The same numbers in every run."""
    return scale * np.random.default_rng(math.prod(shape)).standard_normal(shape)


POINTS = np.loadtxt(EXAMPLES / "points.csv", delimiter=",", skiprows=1)
CAMERAS = np.loadtxt(EXAMPLES / "cameras.csv", delimiter=",", skiprows=1)
SEEN = np.loadtxt(EXAMPLES / "seen.csv", delimiter=",", skiprows=1)

PROGRAMS = {
    "logistic.py": Example("loss", {"w": numbers(2), "b": 0.2, "X": POINTS, "y": [0, 1, 1, 0, 1]}, "w,b,X"),
    "gmm.py": Example(
        "log_likelihood",
        {"weights": numbers(3), "means": numbers(3, 2), "Ls": numbers(3, 2, 2, scale=0.4), "X": POINTS},
        "weights,means,Ls",
    ),
    "kmeans.py": Example("cost", {"centres": numbers(3, 2), "X": POINTS}, "centres,X"),
    "kalman.py": Example("log_likelihood", {"log_q": -1.0, "log_r": 0.3, "ys": [0.1, 0.9, 2.2, 2.8]}, "log_q,log_r,ys"),
    "pendulum.py": Example(
        "loss",
        {"length": 1.1, "damping": 0.2, "y0": [0.5, -0.1], "measured": numbers(10, scale=0.3)},
        "length,damping,y0",
    ),
    "bundle.py": Example(
        "error", {"cameras": CAMERAS, "points": numbers(3, 3, scale=0.5), "seen": SEEN}, "cameras,points"
    ),
    "attention.py": Example(
        "loss",
        {
            "x": numbers(3, 2),
            "Wq": numbers(2, 4),
            "Wk": numbers(4, 2).T,
            "Wv": numbers(2, 4, scale=0.5),
            "target": numbers(3, 4),
        },
        "x,Wq,Wk,Wv",
        torch=True,
    ),
    "layer_norm.py": Example(
        "loss",
        {"x": numbers(2, 3), "weight": numbers(3), "bias": numbers(3, scale=0.1), "W": numbers(3, 3)},
        "x,weight,bias,W",
        torch=True,
    ),
    "lstm.py": Example(
        "loss",
        {
            "W": numbers(8, 3),
            "U": numbers(8, 2),
            "b": numbers(8),
            "v": numbers(2),
            "xs": numbers(4, 3),
            "target": 0.7,
        },
        "W,U,b,v,xs",
        torch=True,
    ),
}
NUMPY = [name for name, example in PROGRAMS.items() if not example.torch]
TORCH = [name for name, example in PROGRAMS.items() if example.torch]


def arrays(example: Example) -> dict[str, Any]:
    return {name: np.asarray(value, float) for name, value in example.inputs.items()}


def ours(name: str, solver: Solver | None = None, **options: Any) -> Answer:
    """What gradcalc answers to `grad -f NAME:FUNCTION`."""
    example = PROGRAMS[name]
    source = Source(name, (EXAMPLES / name).read_text(encoding="utf-8"), example.function)
    values = arrays(example)
    made = answer("grad", read_programs([source], values), values, wrt=example.wrt, solver=solver, **options)
    return made.settle() if solver is not None else made


def executed(name: str) -> Callable[..., Any]:
    """The function, as Python makes it of the file."""
    function: Callable[..., Any] = runpy.run_path(str(EXAMPLES / name))[PROGRAMS[name].function]
    return function


def slopes(function: Callable[..., Any], values: Mapping[str, Any], name: str, step: float = 1e-3) -> Any:
    """Differences by each entry of an input, of sixth order: three central ones, by Richardson's extrapolation."""
    found = np.zeros_like(values[name])
    for place in np.ndindex(found.shape):

        def central(width: float, place: tuple[int, ...] = place) -> float:
            ends = []
            for sign in (1, -1):
                moved = values[name].copy()
                moved[place] += sign * width
                ends.append(float(function(**{**values, name: moved})))
            return (ends[0] - ends[1]) / (2 * width)

        wide, middle, narrow = (central(step / 2**i) for i in range(3))
        first, second = (4 * middle - wide) / 3, (4 * narrow - middle) / 3
        found[place] = (16 * second - first) / 15
    return found


def compare(name: str, function: Callable[..., Any]) -> None:
    """Compare gradcalc's value and gradients with those of a function of arrays."""
    made, values = ours(name), arrays(PROGRAMS[name])
    np.testing.assert_allclose(made.value, function(**values), rtol=1e-12)
    for one, gradient in made.derivative.items():
        expected = slopes(function, values, one)
        np.testing.assert_allclose(gradient, expected, rtol=MOST_GAP, atol=MOST_GAP * np.max(np.abs(expected)))


def needs(*modules: str) -> None:
    for module in modules:
        pytest.importorskip(module)


@pytest.mark.parametrize("name", NUMPY)
def test_numpy(name: str) -> None:
    if name == "gmm.py":
        needs("scipy")
    compare(name, executed(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_verdict(name: str) -> None:
    solver = Solver()
    try:
        verdict = ours(name, solver, budget=0.5).check
    finally:
        solver.stop()
    assert verdict is not None
    assert verdict.status == "agree"


def test_all_are_there() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {*PROGRAMS}
    page = (EXAMPLES / "programs.md").read_text(encoding="utf-8")
    for name, example in PROGRAMS.items():
        assert f"-f {name}:{example.function} " in page


# PyTorch's, written again in NumPy --------------------------------------------------------------------


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def attention(x: Any, Wq: Any, Wk: Any, Wv: Any, target: Any) -> Any:
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    total = 0.0
    for i in range(len(x)):
        scores = np.array([q[i] @ k[j] for j in range(i + 1)]) / math.sqrt(q.shape[1])
        weights = np.exp(scores) / np.exp(scores).sum()
        total += np.sum((weights @ v[: i + 1] - target[i]) ** 2)
    return total / target.size


def layer_norm(x: Any, weight: Any, bias: Any, W: Any) -> Any:
    total = 0.0
    for row in x:
        normal = (row - row.mean()) / np.sqrt(row.var() + 1e-5) * weight + bias
        z = normal @ W
        gelu = np.array([0.5 * one * (1 + math.erf(one / math.sqrt(2))) for one in z])
        total += np.sum((row + gelu) ** 2)
    return 0.5 * total / x.size


def lstm(W: Any, U: Any, b: Any, v: Any, xs: Any, target: Any) -> Any:
    n = len(v)
    h, c = np.zeros(n), np.zeros(n)
    for x in xs:
        z = W @ x + U @ h + b
        c = sigmoid(z[n : 2 * n]) * c + sigmoid(z[:n]) * np.tanh(z[2 * n : 3 * n])
        h = sigmoid(z[3 * n :]) * np.tanh(c)
    gap = abs(v @ h - target)
    return gap**2 / 2 if gap < 1 else gap - 0.5


IN_NUMPY = {"attention.py": attention, "layer_norm.py": layer_norm, "lstm.py": lstm}


@pytest.mark.parametrize("name", TORCH)
def test_torch_in_numpy(name: str) -> None:
    compare(name, IN_NUMPY[name])


# the libraries themselves -----------------------------------------------------------------------------


@pytest.mark.peers
@pytest.mark.parametrize("name", TORCH)
def test_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    made = ours(name)
    tensors = {one: torch.tensor(value, requires_grad=True) for one, value in arrays(PROGRAMS[name]).items()}
    value = executed(name)(**tensors)
    value.backward()
    np.testing.assert_allclose(made.value, value.item(), rtol=1e-12)
    for one, gradient in made.derivative.items():
        expected = tensors[one].grad.numpy()
        np.testing.assert_allclose(gradient, expected, rtol=1e-10, atol=1e-12 * np.max(np.abs(expected)))


@pytest.mark.peers
@pytest.mark.parametrize("name", [name for name in NUMPY if name != "bundle.py"])  # JAX cannot trace its masks
def test_jax(name: str) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    special = importlib.import_module("jax.scipy.special")
    known = {"numpy": jax.numpy, "scipy.special": special}
    text = (EXAMPLES / name).read_text(encoding="utf-8")

    def imported(wanted: str, *rest: Any) -> Any:
        return known[wanted] if wanted in known else original(wanted, *rest)

    original = builtins.__import__
    names: dict[str, Any] = {"__builtins__": {**vars(builtins), "__import__": imported}}
    exec(compile(text, name, "exec"), names)
    values, made = arrays(PROGRAMS[name]), ours(name)
    value, gradients = jax.value_and_grad(lambda values: names[PROGRAMS[name].function](**values))(values)
    np.testing.assert_allclose(made.value, value, rtol=1e-12)
    for one, gradient in made.derivative.items():
        np.testing.assert_allclose(gradient, gradients[one], rtol=1e-10, atol=1e-12)
