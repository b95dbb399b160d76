"""Calls that are no operations: JAX's `.at`, nested blocks, indices by themselves, and names refused with a reason."""

from __future__ import annotations

import numpy as np
import pytest

import gradcalc
from gradcalc.errors import GradcalcError, Source
from gradcalc.language.names import used_names
from gradcalc.language.parser import parse

X, Y = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([2.0, 3.0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.at[0, 1].set(y[0])", [[1, 2, 3], [4, 5, 6]]),
        ("x.at[:, 0].add(y)", [[3, 2, 3], [7, 5, 6]]),
        ("x.at[:, 0].subtract(y)", [[-1, 2, 3], [1, 5, 6]]),
        ("x.at[[0, 1], [2, 0]].multiply(y)", [[1, 2, 6], [12, 5, 6]]),
        ("x.at[:, 1].divide(y)", [[1, 1, 3], [4, 5 / 3, 6]]),
        ("x.at[0].power(2)", [[1, 4, 9], [4, 5, 6]]),
        ("x.at[:, 0].min(y)", [[1, 2, 3], [3, 5, 6]]),
        ("x.at[:, 0].max(y)", [[2, 2, 3], [4, 5, 6]]),
        ("x.at[0, ::2].get()", [1, 3]),
        ("x.at[[0, 0]].set(7)", [[7, 7, 7], [4, 5, 6]]),
        ("np.block([[x, x], [np.ones((1, 6))]])", [[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6], [1] * 6]),
        ("np.block([[y, y], [y, y]])", [[2, 3, 2, 3], [2, 3, 2, 3]]),
        ("np.r_[y, 1, 0:2]", [2, 3, 1, 0, 1]),
        ("np.c_[y, y]", [[2, 2], [3, 3]]),
        ("np.mgrid[0:2, 1:3][1] + y", [[3, 5], [3, 5]]),
        ("x[np.ix_([True, False], [2, 0])]", [[3, 1]]),
        ("torch.index_put(y, (torch.tensor([0, 0]),), y, accumulate=True)", [7, 3]),
        ("x[slice(0, 1)]", [[1, 2, 3]]),
        ("y * torch.ones(2, dtype=torch.long)", [2, 3]),
        ("y[np.array([1, 0], dtype=bool)]", [2]),
        ("x.compress([True, False, True], axis=1)", [[1, 3], [4, 6]]),
    ],
)
def test_value(text: str, expected: object) -> None:
    used = used_names(parse(Source("text", text)))
    inputs = {name: array for name, array in (("x", X), ("y", Y)) if name in used}
    assert np.allclose(gradcalc.evaluate(text, inputs), expected)


def test_updates_have_both_gradients() -> None:
    found = gradcalc.grad("sum(x.at[:, 0].multiply(y))", {"x": X, "y": Y})
    assert np.allclose(found["x"], [[2, 1, 1], [3, 1, 1]])
    assert np.allclose(found["y"], [1, 4])


def test_derivatives_stop_where_they_are_told_to() -> None:
    answer = gradcalc.answer("hessian", "sum(stop_gradient(x)*x**2)", {"x": [1.0, 2.0]})
    assert np.allclose(answer.derivative["x", "x"], [[2, 0], [0, 4]])
    assert answer.check is not None and answer.check.status == "agree"
    assert np.allclose(gradcalc.grad("sum((x - x.detach())*x)", {"x": [1.0, 2.0]}, wrt="x"), [1, 2])


def test_differences_do_not_check_what_is_held() -> None:
    verdict = gradcalc.check("sum(cumsum(x)*stop_gradient(x))", {"x": np.ones(30_000)})
    assert verdict.status == "not checked" and "stop_gradient" in (verdict.reason or "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("np.nonzero(x)", "a shape that depends"),
        ("torch.unique(x)", "a shape that depends"),
        ("np.put(x, [0], [1])", "in place"),
        ("np.fill_diagonal(x, 1)", "in place"),
        ("jnp.place(x, x > 1, 2)", "writes in place"),
        ("x.clamp_(0, 1)", "in place"),
        ("x.resize((3, 2))", "in place"),
        ("np.fromfunction(x, (2, 3))", "calls a function that it is given"),
        ("torch.complex(x, x)", "complex"),
        ("torch.scatter(x, 1, torch.tensor([[0, 0]]), x)", "several values to one place"),
        ("torch.index_put(x, (torch.tensor([0, 0]),), x)", "several values to one place"),
        ("x.at[[0, 0]].multiply(2)", "several values to one place"),
        ("torch.gather(x, 1, torch.tensor([[-1]]))", "out of range"),
        ("torch.gather(x, 1, torch.tensor([[0.5]]))", "whole numbers"),
        ("np.take(x, [6])", "out of range"),
        ("np.reshape(x, 6, order='A')", "as its memory lies"),
        ("torch.as_strided(x * 2, (2,), (1,))", "as it lies"),
        ("x.at[0] + 1", r"\.at"),
        ("torch.ones(2, dtype=torch.float32) * x[:, 0]", "numbers are float64 here"),
    ],
)
def test_refused(text: str, words: str) -> None:
    with pytest.raises(GradcalcError, match=words):
        gradcalc.evaluate(text, {"x": X})
