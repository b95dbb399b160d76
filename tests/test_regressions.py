"""What once came out wrong, each as it was found; the right answers are NumPy's or PyTorch's, or worked by hand."""

import math

import numpy as np
import pytest

import gradcalc
from gradcalc.cli.main import run

X = np.array([1.0, 2.0, 3.0])
A = np.array([[1.0, 2.0, 7.0], [3.0, -4.0, 5.0]])
B = np.random.default_rng(0).standard_normal((2, 3, 4))
S = np.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[9.0, 1.0], [2.0, 3.0]]])
M = np.array([[1.0, 2.0, 7.0], [3.0, -4.0, 50.0]])

VALUES = [
    # a kernel that may return its own input must not have it written over
    ("float(2*x)*exp(2*x)", {"x": X}, 2 * X * np.exp(2 * X)),
    ("y=exp(x); r=float(y); w=y*3; r+w", {"x": X}, 4 * np.exp(X)),
    # the axes of a matrix norm are rows, then columns
    ("norm(B, 1, axis=(2,0))", {"B": B}, np.linalg.norm(B, 1, axis=(2, 0))),
    ("norm(A, inf, axis=(1,0))", {"A": A}, np.linalg.norm(A, np.inf, axis=(1, 0))),
    # NumPy counts a written `...` as a separator even where it covers no axis
    ("A[None,[0,1],...,1]", {"A": M}, M[None, [0, 1], ..., 1]),
    # an input called F is no library
    ("std(F.T @ x)", {"F": A, "x": np.array([1.0, 2.0])}, np.std(A.T @ [1, 2])),
    ("F = x + 1; F.std()", {"x": X}, np.std(X)),
    # the rooms of the libraries
    ("torch.linalg.norm(A, 1)", {"A": A}, 12.0),
    ("torch.linalg.norm(A, inf)", {"A": A}, 12.0),
    ("torch.norm(A, p=1, dim=(0,1))", {"A": A}, 22.0),
    ("np.linalg.vector_norm(A, ord=1)", {"A": A}, 22.0),
    ("np.linalg.trace(S)", {"S": S}, np.trace(S, axis1=1, axis2=2)),
    ("np.linalg.diagonal(S)", {"S": S}, np.diagonal(S, axis1=1, axis2=2)),
    ("jax.nn.softmax(A)", {"A": A}, np.exp(A) / np.exp(A).sum(-1, keepdims=True)),
    ("scipy.linalg.cholesky(S)", {"S": S[0] + S[0].T}, None),
    # PyTorch takes single numbers of an index first, NumPy counts them among the arrays
    ("torch.sum(S)*0 + S[0, :, [0, 1, 1]]", {"S": S}, S[0][:, [0, 1, 1]]),
    ("S[0, :, [0, 1, 1]]", {"S": S}, S[0, :, [0, 1, 1]]),
    (
        "z = torch.zeros((2, 2, 3)); z[0, :, [0, 2]] = S[0]; z",
        {"S": S},
        np.array([[[1, 0, 2], [3, 0, 4]], np.zeros((2, 3))]),
    ),
    ("argmax(A, keepdims=True)", {"A": A}, np.array([[2.0]])),
    # what only PyTorch has is PyTorch's
    ("A.max(dim=1)[0]", {"A": A}, np.array([7.0, 5.0])),
    ("x.std(dim=0)", {"x": X}, 1.0),
    # y comes first
    ("arctan2(y=1, x=2)", {}, math.atan2(1, 2)),
    # sharing counts only where the other name is read afterwards
    ("H=zeros((3,2)); H[0]=x[:2]; p=H[0]; H[1]=p*2; p=H[1]; H[2]=p*2; sum(H)", {"x": X}, 21.0),
    ("y = x.copy(); y[0] = 9; sum(y) + sum(x)", {"x": X}, 20.0),
    ("y=x*2; m=y>2; z=y[m]; z[0]=5; sum(z) + sum(y)", {"x": X}, 23.0),
    ("from torch import std\nstd(x)", {"x": X}, 1.0),
    ("math.remainder(3, 2)", {}, -1.0),
    ("jax.scipy.special.softmax(A)", {"A": A}, np.exp(A) / np.exp(A).sum()),
    ("'''doc'''\nimport numpy as np\nnp.sum(x, dtype=float)", {"x": X}, 6.0),
    # advanced indexing copies
    ("z = A[[0,1]]; z[0] = 9; sum(A)", {"A": A}, A.sum()),
]


@pytest.mark.parametrize(("text", "inputs", "right"), VALUES, ids=lambda one: one if isinstance(one, str) else "")
def test_value(text, inputs, right):
    if right is None:
        with pytest.raises(gradcalc.GradcalcError) as refused:
            gradcalc.evaluate(text, inputs)
        assert refused.value.kind == "not-positive-definite"
        return
    found = gradcalc.evaluate(text, inputs)
    assert found.shape == np.shape(right)
    np.testing.assert_allclose(found, right, rtol=1e-14)


GRADIENTS = [
    ("y = 2*x; sum(float(y)*exp(y))", {"x": X}, 2 * np.exp(2 * X) * (1 + 2 * X)),
    ("+".join(f"x/{k}" for k in range(3, 203)), {"x": 1.0}, sum(1 / k for k in range(3, 203))),
    ("x/3e77+x/7e78+x/9e79+x/11e76+x/13e75", {"x": 1.0}, 1 / 3e77 + 1 / 7e78 + 1 / 9e79 + 1 / 11e76 + 1 / 13e75),
    ("1e300*x*z*z*z*z*z*z*z*1e300*1e-10", {"x": 1e-300, "z": 1.0}, math.inf),
    ("fmod(1, b)", {"b": 0.1}, -9.0),
]


@pytest.mark.parametrize(
    ("text", "inputs", "right"), GRADIENTS, ids=lambda one: one[:40] if isinstance(one, str) else ""
)
def test_gradient(text, inputs, right):
    found = gradcalc.grad(text, inputs, wrt=next(iter(inputs)))
    np.testing.assert_allclose(found, right, rtol=1e-12)


def test_second_derivative_of_a_singular_determinant():
    # the second derivatives of det are minors of order n - 2, all 0 for a matrix of ones
    found = gradcalc.hvp("det(A)", {"A": np.ones((13, 13))}, np.eye(13), wrt="A")
    np.testing.assert_allclose(found, np.zeros((13, 13)), atol=1e-12)


AGREE = [
    ("cos(x)", {"x": math.pi}),  # -1.2e-16 is right: the float is not pi
    ("x**3 - 3*x", {"x": 1.0}),
    ("sum((x - mean(x))**2)", {"x": [3.0, 3.0, 3.0]}),
    ("sum(softmax(x))", {"x": X}),
    ("norm(x/norm(x))", {"x": [3.0, 4.0]}),
    ("sum((A@x-b)**2)", {"A": [[0.1, 0.7], [0.3, 0.2]], "x": [0.3, 0.6], "b": [0.45, 0.21]}),
    ("x + 0.09/x", {"x": 0.3}),
    ("sum(where(isnan(x), 0, x))", {"x": [1.0, math.nan]}),
    ("sum(where(isfinite(x), x, 0))", {"x": [1.0, math.inf]}),
    ("abs(x)*exp*np.exp(x)", {"x": 2.0, "exp": 3.0}),
    ("sum(pi*sin(x*3.141592653589793))", {"x": np.linspace(-1, 2, 3000), "pi": 3.0}),
    ("sum(where(m, x**2, x**3))", {"x": np.linspace(1, 2, 2000), "m": np.arange(2000) != 777}),
]


@pytest.mark.parametrize(("text", "inputs"), AGREE, ids=lambda one: one if isinstance(one, str) else "")
def test_right_gradients_are_not_called_wrong(text, inputs):
    assert gradcalc.check(text, inputs).status == "agree"


def test_rounding_excuses_no_wrong_rule(wrong_sine):
    wrong_sine(1 + 1e-6)
    assert gradcalc.check("sum(sin(x))", {"x": X}).status == "disagree"


UNRESOLVED = [
    ("1e13*y + sin(x)", {"x": 0.5, "y": 1.0}, "disagree"),
    ("y + 1e-13*sin(x)", {"x": 0.5, "y": 1.0}, "disagree"),
    ("sin(x)", {"x": 1e16}, "not checked"),
]


@pytest.fixture
def wrong_sine(monkeypatch):
    """A derivative of sin that is wrong by a factor."""
    from gradcalc.graph import CATALOGUE

    def plant(factor):
        right = CATALOGUE["sin"].vjp
        wrong = lambda g, y, *xs: tuple(factor * one for one in right(g, y, *xs))  # noqa: E731
        monkeypatch.setitem(CATALOGUE["sin"].__dict__, "vjp", wrong)

    return plant


@pytest.mark.parametrize(("text", "inputs", "status"), UNRESOLVED, ids=lambda one: one if isinstance(one, str) else "")
def test_a_wrong_entry_hides_behind_no_other_and_no_rounding(text, inputs, status, wrong_sine):
    wrong_sine(2)
    assert gradcalc.check(text, inputs).status == status


def test_a_wrong_gradient_does_not_vouch_for_its_own_hessian(wrong_sine):
    wrong_sine(1.5)
    made = gradcalc.answer("hessian", "sum(sin(x))", {"x": [0.3, 0.7]}, budget=0)
    assert made.check.status == "disagree"


SMOOTH = [
    ("sum(x**3)", [3e-9, 8e-9, 3e-9, -1e-8]),
    ("sum(cos(x) - 1)", [1e-5, 2e-5]),
    ("sum(tanh(x))", [-954.7493221007403, -240.2187042132269, 1150.103445227886, 699.8591122961901]),
    ("sum(erf(x))", [-5.521805444373124, 9.794640983022951, 9.081386160811059, -7.367647047513904]),
    ("sum(tanh(1e4*x))", [0.5861102302728448, 0.011670015280174513, -0.36423896126387356, -1.5330492077567413]),
]


@pytest.mark.parametrize(("text", "x"), SMOOTH, ids=lambda one: one if isinstance(one, str) else "")
def test_differences_raise_no_false_alarm(text, x):
    assert gradcalc.check(text, {"x": x}, budget=0).status != "disagree"


def test_a_formula_of_a_sample_is_for_all_places_or_none():
    made = gradcalc.answer(
        "grad", "sum(where(m, x**2, x**3))", {"x": np.linspace(1, 2, 2000), "m": np.arange(2000) != 777}, wrt="x"
    )
    assert made.symbolic == {}


REFUSED = [
    ("x>3 & x<5", "type"),
    ("(x>1) + (x>2)", "type"),
    ("-(x>1)", "type"),
    ("6 | 1", "type"),
    ("m = x>0; m[0] = 5; m*x", "type"),
    ("y = zeros(4); z = y.reshape(2,2); z[0,0] = 5; y", "shared"),
    ("a = zeros(3); b = a; b[0] = 1; sum(a)", "shared"),
    ("a = zeros(3); b = a if 1 else x; a[0] = 5; b", "shared"),
    ("z = x; z += 1; sum(x)", "shared"),
    ("y = zeros((2,2)); a, b = y; a[0] = 5; y", "shared"),
    ("torch.softmax(x)", "arguments"),
    ("((x>1) ^ (x<3))*x", "type"),
    ("zeros((10**6, 10**6))", "too-large"),
]


@pytest.mark.parametrize(("text", "kind"), REFUSED, ids=lambda one: one)
def test_what_would_mean_something_else_is_refused(text, kind):
    with pytest.raises(gradcalc.GradcalcError) as refused:
        gradcalc.evaluate(text, {"x": X} if "x" in text.replace("exp", "").replace("max", "") else {})
    assert refused.value.kind == kind


def test_the_nan_of_a_value_is_never_agreed_with(capsys):
    assert run(["grad", "log(x)", "--x", "-1"]) == 0
    assert "not checked: the value is nan at these inputs" in capsys.readouterr().out


def test_differences_that_meet_nan_say_so_without_a_warning():
    found = gradcalc.check("sum(exp(x)*x)", {"x": [1e4, 1.0]}, budget=0)
    assert found.status == "not checked"
    assert "not finite" in found.reason


def test_an_infinite_value_is_no_disagreement() -> None:
    check = gradcalc.answer("grad", "sum(x**2) + inf", {"x": X}).check
    assert check is not None
    assert check.status == "not checked"


def test_an_argument_that_is_taken_as_a_number_is_noted() -> None:
    notes = gradcalc.answer("grad", "sum(F.softplus(x, b))", {"x": X, "b": 2.0}, wrt="x").notes
    assert "`beta` of `softplus` is taken as a number here: there is no derivative by it" in notes
