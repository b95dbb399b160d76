"""The Python API: what each function takes and gives back, and the errors it raises."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import gradcalc
from gradcalc.errors import Span

X = np.array([1.0, 2.0])
W = np.array([3.0, 5.0])
BOTH = {"x": X, "w": W}


def same(found: Any, expected: Any) -> None:
    """Equal in form (arrays, dicts, nested dicts) and in numbers."""
    if isinstance(expected, dict):
        assert isinstance(found, dict)
        assert list(found) == list(expected)
        for name in expected:
            same(found[name], expected[name])
        return
    assert isinstance(found, np.ndarray)
    expected = np.asarray(expected, float)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-14)


# signatures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "positional", "keywords"),
    [
        ("value_and_grad", "expr inputs", {"wrt": None, "seed": None}),
        ("grad", "expr inputs", {"wrt": None, "seed": None}),
        ("jacobian", "expr inputs", {"wrt": None}),
        ("hessian", "expr inputs", {"wrt": None}),
        ("vjp", "expr inputs seed", {"wrt": None}),
        ("jvp", "expr inputs tangents", {}),
        ("hvp", "expr inputs vector", {"wrt": None}),
        ("evaluate", "expr inputs", {}),
        ("check", "expr inputs", {"wrt": None}),
        ("answer", "command expr inputs", {"wrt": None, "seed": None}),
        ("compile", "expr shapes", {"wrt": None, "derivative": "grad"}),
    ],
)
def test_signatures(name, positional, keywords):
    parameters = inspect.signature(getattr(gradcalc, name)).parameters.values()
    required = [one.name for one in parameters if one.kind is not one.KEYWORD_ONLY]
    optional = {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY}
    assert required == positional.split()
    assert optional | keywords == optional


def test_the_page_lists_every_name():
    assert set(gradcalc.__all__) <= set(dir(gradcalc))
    assert all(getattr(gradcalc, name) is not None for name in gradcalc.__all__)
    with pytest.raises(AttributeError, match="no attribute 'gradient'"):
        gradcalc.gradient  # noqa: B018


# gradients ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrt", "expected"),
    [
        (None, {"x": [3, 5], "w": [1, 2]}),
        ("x", [3, 5]),
        (["x"], {"x": [3, 5]}),
        (["w", "x"], {"w": [1, 2], "x": [3, 5]}),
        ("w, x", {"w": [1, 2], "x": [3, 5]}),
        ("x[1]", 5),
        (["x[:1]", "w"], {"x[:1]": [3], "w": [1, 2]}),
    ],
)
def test_grad(wrt, expected):
    same(gradcalc.grad("sum(x*w)", BOTH, wrt=wrt), expected)


def test_one_entry_of_a_matrix_is_one():
    same(gradcalc.grad("sum(x**2)", {"x": [[1, 2], [3, 4]]}, wrt="x[0, 1]"), 4)
    same(gradcalc.grad("sum(x**2)", {"x": [[1, 2], [3, 4]]}, wrt="x[0, 1], x[0, 0]"), {"x[0, 1]": 4, "x[0, 0]": 2})


def test_value_and_grad():
    value, found = gradcalc.value_and_grad("sum(x*w)", BOTH, wrt="x")
    same(value, 13)
    same(found, W)


@pytest.mark.parametrize("seed", [[1, 10], (1, 10), np.array([1.0, 10.0]), "[1, 10]", "x**0*[1, 10]"])
def test_seeds(seed):
    same(gradcalc.grad("x**2", {"x": X}, wrt="x", seed=seed), [2, 40])
    same(gradcalc.vjp("x**2", {"x": X}, seed, wrt="x"), [2, 40])


def test_lists_of_expressions_and_seeds_add_up():
    values, found = gradcalc.value_and_grad(["x**2", "sum(x)"], {"x": X}, wrt="x", seed=[[1, 10], 3])
    same(values[0], [1, 4])
    same(values[1], 3)
    assert len(values) == 2
    same(found, [2 + 3, 40 + 3])
    same(gradcalc.grad(["sum(x)", "x**2"], {"x": X}, seed=[[1, 0]]), {"x": [3, 1]})
    same(gradcalc.grad(["x[0]", "x[1]"], {"x": X}), {"x": [1, 1]})


def test_a_list_of_one_expression_gives_a_list_of_one_value():
    values, found = gradcalc.value_and_grad(["sum(x)"], {"x": X})
    assert isinstance(values, list)
    same(values[0], 3)
    same(found, {"x": [1, 1]})


@pytest.mark.parametrize("x", [3, 3.0, np.float64(3), np.int64(3), np.array(3), np.float32(3)])
def test_numbers_of_every_kind(x):
    same(gradcalc.grad("x**2", {"x": x}, wrt="x"), 6)


@pytest.mark.parametrize("x", [[1, 2], (1, 2), np.array([1, 2]), np.array([1, 2], np.int8), [1, 2.0], range(1, 3)])
def test_arrays_of_every_kind(x):
    same(gradcalc.grad("sum(x**3)", {"x": x}, wrt="x"), [3, 12])


# the other verbs ------------------------------------------------------------------------------------------


def test_evaluate():
    same(gradcalc.evaluate("x @ w", BOTH), 13)
    same(gradcalc.evaluate("1 + 1", {}), 2)


def test_jacobian():
    same(gradcalc.jacobian("[x[0]*x[1], x[0], 7]", {"x": X}, wrt="x"), [[2, 1], [1, 0], [0, 0]])
    same(gradcalc.jacobian("x*w", BOTH), {"x": np.diag(W), "w": np.diag(X)})
    same(gradcalc.jacobian("x*w", BOTH, wrt=["w"]), {"w": np.diag(X)})
    assert gradcalc.jacobian("x[:, None]*w", BOTH, wrt="x").shape == (2, 2, 2)


def test_hessian():
    same(gradcalc.hessian("x @ x * w[0]", BOTH, wrt="x"), [[6, 0], [0, 6]])
    same(gradcalc.hessian("sum(x*w)", BOTH, wrt=["x"]), {"x": {"x": np.zeros((2, 2))}})
    zero, one = np.zeros((2, 2)), np.eye(2)
    same(gradcalc.hessian("sum(x*w)", BOTH), {"x": {"x": zero, "w": one}, "w": {"x": one, "w": zero}})
    same(gradcalc.hessian("x**2", {"x": X}, wrt="x", seed=[1, 10]), [[2, 0], [0, 20]])
    assert gradcalc.hessian("sum(x**2)", {"x": np.ones((2, 3))}, wrt="x").shape == (2, 3, 2, 3)


def test_jvp():
    same(gradcalc.jvp("x**2", {"x": X}, [1, 10]), [2, 40])
    same(gradcalc.jvp("x*w", BOTH, {"x": [1, 10]}), [3, 50])
    same(gradcalc.jvp("x*w", BOTH, {"x": [1, 10], "w": [1, 1]}), [4, 52])


def test_hvp():
    same(gradcalc.hvp("sum(x**3)", {"x": X}, [1, 10], wrt="x"), [6, 120])
    same(gradcalc.hvp("sum(x**3)", {"x": X}, [1, 10]), {"x": [6, 120]})
    same(gradcalc.hvp("sum(x*w)", BOTH, {"x": [1, 10]}), {"x": [0, 0], "w": [1, 10]})


def test_answer_and_check():
    made = gradcalc.answer("grad", "sum(x**2)", {"x": X}, budget=60)
    assert isinstance(made, gradcalc.Answer)
    assert (made.command, made.expressions) == ("grad", ["sum(x**2)"])
    same(made.derivative, {"x": [2, 4]})
    assert made.symbolic["x"].text == "2*x"
    assert made.check.status == "agree"
    verdict = gradcalc.check("x**3", {"x": 2}, budget=60)
    assert isinstance(verdict, gradcalc.Verdict)
    assert (verdict.status, verdict.entries, verdict.total) == ("agree", 1, 1)


def test_answer_without_a_check():
    assert gradcalc.answer("grad", "x**2", {"x": 3}, symbolic=False).check is None
    assert gradcalc.answer("eval", "x**2", {"x": 3}).check is None


def test_unknown_commands_are_errors():
    with pytest.raises(gradcalc.GradcalcError, match="differentiate"):
        gradcalc.answer("differentiate", "x**2", {"x": 3}, symbolic=False)


# results --------------------------------------------------------------------------------------------------


CALLS = {
    "evaluate": lambda x: gradcalc.evaluate("x", {"x": x}),
    "evaluate a view": lambda x: gradcalc.evaluate("x[::-1]", {"x": x}),
    "evaluate a constant": lambda x: gradcalc.evaluate("[1, 2]", {}),
    "value": lambda x: gradcalc.value_and_grad("x", {"x": x}, seed="ones")[0],
    "grad that is an input": lambda x: gradcalc.grad("sum(x*w)", {"x": x, "w": x}, wrt="x"),
    "grad that is constant": lambda x: gradcalc.grad("sum(x)", {"x": x}, wrt="x"),
    "grad that is the seed": lambda x: gradcalc.grad("x", {"x": x}, wrt="x", seed=x),
    "part of several": lambda x: gradcalc.grad(["sum(x)", "sum(x)"], {"x": x}, wrt="x"),
    "jacobian": lambda x: gradcalc.jacobian("x", {"x": x}, wrt="x"),
    "hessian": lambda x: gradcalc.hessian("sum(x**2)", {"x": x}, wrt="x"),
    "jvp": lambda x: gradcalc.jvp("x", {"x": x}, x),
    "hvp": lambda x: gradcalc.hvp("sum(x**2)/2", {"x": x}, x, wrt="x"),
    "compiled value": lambda x: gradcalc.compile("x", {"x": (2,)})({"x": x}, seed=x)[0],
    "compiled grad": lambda x: gradcalc.compile("x", {"x": (2,)}, wrt="x")({"x": x}, seed=x)[1],
    "compiled constant": lambda x: gradcalc.compile("sum(x)", {"x": (2,)}, wrt="x")({"x": x})[1],
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_fresh_and_writable(name):
    given = X.copy()
    first = CALLS[name](given)
    before = first.copy()
    assert not np.shares_memory(first, given)
    first[...] = -7
    np.testing.assert_array_equal(given, X)
    np.testing.assert_array_equal(CALLS[name](given), before)


def test_inputs_that_cannot_be_written_to_are_fine():
    fixed = X.copy()
    fixed.flags.writeable = False
    same(gradcalc.grad("sum(exp(x)*x)", {"x": fixed}, wrt="x"), np.exp(X) * (X + 1))


# compile --------------------------------------------------------------------------------------------------


def test_compiled_functions_run_often():
    run = gradcalc.compile("sum(x**2*w)", {"x": (2,), "w": ()})
    for x, w in ((X, 1), (W, -2), ([0, 0], 5)):
        x = np.asarray(x, float)
        value, found = run({"x": x, "w": w})
        same(value, np.sum(x**2 * w))
        same(found, {"x": 2 * x * w, "w": np.sum(x**2)})


def test_compiled_functions_take_seeds():
    run = gradcalc.compile("x**2", {"x": (2,)}, wrt="x")
    same(run({"x": X}, seed=[1, 0])[1], [2, 0])
    same(run({"x": W}, seed=[1, 10])[1], [6, 100])
    same(run({"x": X}, [0, 1])[1], [0, 4])


def test_compiled_jacobian_and_hessian():
    jacobian = gradcalc.compile("x*w", {"x": (2,), "w": (2,)}, derivative="jacobian")
    same(jacobian(BOTH)[1], {"x": np.diag(W), "w": np.diag(X)})
    hessian = gradcalc.compile("sum(x**2)*w", {"x": (2,), "w": ()}, derivative="hessian")
    _, found = hessian({"x": X, "w": 3})
    same(found, {"x": {"x": 6 * np.eye(2), "w": 2 * X}, "w": {"x": 2 * X, "w": 0}})
    same(gradcalc.compile("x**3", {"x": ()}, wrt="x", derivative="hessian")({"x": 2})[1], 12)
    seeded = gradcalc.compile("x**2", {"x": (2,)}, wrt="x", derivative="hessian")
    same(seeded({"x": X}, seed=[1, 10])[1], [[2, 0], [0, 20]])


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: gradcalc.compile("x**2", {"x": (2,)})({"x": X}), "needs-seed"),
        (lambda: gradcalc.compile("x**2", {"x": (2,)})({"x": [1, 2, 3]}, seed="ones"), "shape"),
        (lambda: gradcalc.compile("x**2", {"x": (2,)})({"x": X}, seed=[1]), "seed-shape"),
        (lambda: gradcalc.compile("x**2", {"x": (2,)})({}, seed=[1, 1]), "missing-input"),
        (lambda: gradcalc.compile("x**2", {"x": ()}, wrt="y"), "wrt"),
        (lambda: gradcalc.compile("x**2", {"x": ()}, derivative="third"), "arguments"),
        (lambda: gradcalc.compile("sum(x[x > 0])", {"x": (2,)}), "needs-values"),
        (lambda: gradcalc.compile("x + y", {"x": ()}), "unknown-name"),
    ],
)
def test_compile_errors(call, kind):
    with pytest.raises(gradcalc.GradcalcError) as caught:
        call()
    assert caught.value.kind == kind


def test_compiled_wrt_reads_as_everywhere():
    run = gradcalc.compile("sum(x*w)", {"x": (2,), "w": (2,)}, wrt="w, x")
    same(run(BOTH)[1], {"w": X, "x": W})


# errors ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "span", "help"),
    [
        (lambda: gradcalc.grad("x + sqtr(x)", {"x": 1}), "unknown-function", "sqtr", "did you mean `sqrt`?"),
        (lambda: gradcalc.grad("x + ", {"x": 1}), "syntax", None, None),
        (
            lambda: gradcalc.grad("x**2 + 1", {"x": X}),
            "needs-seed",
            "x**2 + 1",
            "reduce it to a scalar: `sum(x**2 + 1)`",
        ),
        (lambda: gradcalc.grad("x", {"x": 1}, wrt="y"), "wrt", "y", None),
        (lambda: gradcalc.evaluate("x + y", {"x": X, "y": [1, 2, 3]}), "shape", "x", None),
        (lambda: gradcalc.evaluate("2*inv(x)", {"x": [[1, 2], [2, 4]]}), "singular-matrix", "inv(x)", None),
        (lambda: gradcalc.jvp("x*w", BOTH, [1, 2]), "tangent-count", None, 'name it: `--tangent "x=…"`'),
        (lambda: gradcalc.hvp("sum(x)", {"x": X}, [1, 2, 3]), "vector-shape", None, None),
        (lambda: gradcalc.grad("x", {"x": [[1], [2, 3]]}), "ragged-input", None, None),
        (lambda: gradcalc.grad("x > 0", {"x": 1}), "not-a-number", "x > 0", "count with it: `sum(x > 0)`"),
    ],
)
def test_errors_say_what_where_and_what_to_do(call, kind, span, help):
    with pytest.raises(gradcalc.GradcalcError) as caught:
        call()
    error = caught.value
    assert error.kind == kind
    assert str(error) == error.message != ""
    assert error.span is None or isinstance(error.span, Span)
    assert span is None or error.span.text == span
    assert help is None or error.help == help
