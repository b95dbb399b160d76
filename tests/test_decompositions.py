"""Decompositions where derivatives are hard to come by: repeated values, short ranks, bases that may turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcalc
from gradcalc.errors import GradcalcError

EYE = np.eye(2)
SHORT = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
TALL = np.array([[1.0], [2.0], [3.0]])
TURNED = np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 2 % 7)[0]
REPEATED = TURNED @ np.diag([1.0, 1.0, 2.0]) @ TURNED.T
"""Two of its eigenvalues are equal but for rounding."""


def gradient(text: str, a: Any) -> Any:
    found = gradcalc.grad(text, {"A": np.asarray(a, float)}, wrt="A")
    assert isinstance(found, np.ndarray)
    return found


@pytest.mark.parametrize(
    ("text", "a", "expected"),
    [
        ("sum(eigvalsh(A)**2)", EYE, 2 * EYE),
        ("sum(eigvalsh(A)**3)", REPEATED, 3 * REPEATED @ REPEATED),
        ("eigvalsh(A)[2]", REPEATED, np.outer(TURNED[:, 2], TURNED[:, 2])),
        ("sum(log(eigvalsh(A)))", REPEATED, np.linalg.inv(REPEATED)),
        ("sum(svdvals(A))", EYE, EYE),
        ("sum(svdvals(A)**2)", np.zeros((2, 2)), np.zeros((2, 2))),
        ("svdvals(A)[0]", np.diag([1.0, 0.0]), np.diag([1.0, 0.0])),
        ("norm(A, 'nuc')", EYE, EYE),
        ("norm(A, 'nuc')", np.zeros((2, 2)), np.zeros((2, 2))),
        ("norm(A, 2)", EYE, EYE / 2),
        ("sum(eigvals(A)**2)", EYE, 2 * EYE),
        ("sum(A * (svd(A)[0] @ svd(A)[0].T))", TALL, np.ones((3, 1))),
        ("logdet(A)", 1e-200 * EYE, 1e200 * EYE),
        ("norm(A, 3)", np.zeros(2), np.zeros(2)),
        ("norm(A, 3)", [1e200, 0.0], [1.0, 0.0]),
        ("sum(matrix_power(A, 0))", EYE, np.zeros((2, 2))),
    ],
)
def test_what_is_smooth_has_its_derivative(text: str, a: Any, expected: Any) -> None:
    np.testing.assert_allclose(gradient(text, a), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "a"),
    [
        ("eigvalsh(A)[0]", EYE),
        ("eigvalsh(A)[0]", REPEATED),
        ("sum(eigh(A)[1]**3)", REPEATED),
        ("svdvals(A)[0]", EYE),
        ("sum(svdvals(A))", np.diag([1.0, 0.0])),
        ("svd(A, full_matrices=False)[0][0, 1]", SHORT),
        ("sum(svd(A)[0])", TALL),
        ("sum(qr(A, 'complete')[0])", TALL),
        ("sum(qr(A)[0])", SHORT),
        ("qr(A)[1][0, 1]", SHORT),
        ("sum(eigvals(A)**2)", [[1.0, 1.0], [0.0, 1.0]]),
        ("eigvals(A)[0]", EYE),
        ("lstsq(A, [1, 0, 1])[1][0]", SHORT),
    ],
)
def test_what_is_not_is_no_number(text: str, a: Any) -> None:
    assert np.isnan(gradient(text, a)).any()


@pytest.mark.parametrize("text", ["norm(A, 'nuc')", "sum(A * scipy.linalg.polar(A)[0])"])
def test_repeated_singular_values_have_second_derivatives_where_there_are(text: str) -> None:
    found = gradcalc.hessian(text, {"A": EYE}, wrt="A")
    turn = np.array([0.0, 1.0, -1.0, 0.0])
    expected = np.outer(turn, turn).reshape(2, 2, 2, 2) / 2
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_complex_eigenvalues_are_refused() -> None:
    with pytest.raises(GradcalcError) as caught:
        gradient("eigvals(A)[0]", [[0.0, 1.0], [-1.0, 0.0]])
    assert "complex" in str(caught.value.notes)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("svd(A, hermitian=True)[0]", "hermitian"),
        ("qr(A, mode='raw')", "raw"),
        ("scipy.linalg.qr(A, pivoting=True)", "pivoting"),
        ("eigh(A, UPLO='X')", "UPLO"),
        ("scipy.linalg.eigh(A, A)", "second matrix"),
        ("jnp.linalg.eigh(A, symmetrize_input=False)", "symmetrize_input"),
        ("norm(A, 3)", "order 3"),
        ("torch.linalg.lu(A, pivot=False)", "pivots"),
        ("scipy.linalg.solve(A, A, assume_a='banded')", "banded"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(text: str, word: str) -> None:
    with pytest.raises(GradcalcError) as caught:
        gradcalc.evaluate(text, {"A": EYE})
    assert word in caught.value.message
