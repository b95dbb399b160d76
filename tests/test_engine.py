"""Plans and their execution, against the same graphs evaluated node by node, every value kept to the end."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradcalc.engine import evaluate, execute, plan
from gradcalc.errors import GradcalcError, Source
from gradcalc.graph import CATALOGUE, Node, constant, is_constant, is_input, toposort, variable
from gradcalc.problem import pose, read_programs

nan, inf = np.nan, np.inf
SHAPES = {"x": (3, 3), "y": (3,), "z": (), "w": (1, 3)}


def read(text: str, **values: Any) -> Node:
    arrays = {name: np.asarray(value, float) for name, value in values.items()}
    return pose(read_programs([Source("expression", text)], arrays), arrays).outputs[0]


def node_by_node(outputs: Sequence[Node], values: dict[str, Any]) -> list[Any]:
    """The reference: no buffer is used twice, since nothing is told where to write."""
    found: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for one in toposort(outputs):
            if is_input(one):
                made = values[one.attrs["name"]]
            elif is_constant(one):
                made = one.attrs["value"].data
            else:
                made = one.op.kernel(*(found[below] for below in one.inputs), **one.attrs)
            found[one] = np.asarray(made)
    return [found[one] for one in outputs]


def same(found: Sequence[Any], expected: Sequence[Any]) -> None:
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-12)  # a buffer's layout may choose another loop of NumPy's


# random graphs ----------------------------------------------------------------------------------------


def numbers() -> dict[str, Any]:
    generator = np.random.default_rng(11)
    values = {name: np.asarray(generator.uniform(-2, 2, shape)) for name, shape in SHAPES.items()}
    for one in values.values():
        one.flags.writeable = False  # a plan that writes over an input fails at once
    return values


VALUES = numbers()
LEAVES = [*(variable(name, shape) for name, shape in SHAPES.items()), constant(2.0), constant([1.0, -1.0, 3.0])]
ELEMENTWISE = ["negative", "exp", "sin", "tanh", "abs", "sign"]
VIEWS = ["transpose", "row", "reverse", "stretch", "diagonal", "first"]
BINARY = ["add", "subtract", "multiply", "maximum", "where"]


def unary(name: str, x: Node) -> Node:
    """An elementwise operation, or one whose kernel may give a view of its input's memory."""
    if name in ELEMENTWISE:
        return CATALOGUE[name](x)
    if name == "transpose":
        return CATALOGUE["transpose"](x)
    if name == "row":
        return CATALOGUE["reshape"](x, (x.size,)) if x.size <= 9 else x
    if name == "stretch":
        return CATALOGUE["broadcast_to"](x, (3, 3)) if x.shape in ((), (3,), (1, 3), (3, 1)) else x
    if name == "reverse" and x.ndim:
        return CATALOGUE["flip"](x, -1)
    if name == "diagonal" and x.ndim == 2:
        return CATALOGUE["diagonal"](x)
    if name == "first" and x.ndim:
        return CATALOGUE["sum"](x, axis=-1)
    return -x


def binary(name: str, x: Node, y: Node) -> Node:
    if any(a != b and 1 not in (a, b) for a, b in zip(x.shape[::-1], y.shape[::-1], strict=False)):
        return x + CATALOGUE["sum"](y)
    return CATALOGUE["where"](x > y, x, y) if name == "where" else CATALOGUE[name](x, y)


def grown(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return (
        st.builds(unary, st.sampled_from(ELEMENTWISE + VIEWS), below)
        | st.builds(binary, st.sampled_from(BINARY), below, below)
        | below.map(lambda x: x * CATALOGUE["exp"](-x))  # one value, read twice
    )


graphs = st.recursive(st.sampled_from(LEAVES), grown, max_leaves=20)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_plans_give_what_node_by_node_gives(data):
    outputs = data.draw(st.lists(graphs, min_size=1, max_size=3))
    within = toposort(outputs)
    outputs += [within[i] for i in data.draw(st.lists(st.integers(0, len(within) - 1), max_size=3))]
    planned = plan(outputs)
    same(execute(planned, VALUES), node_by_node(outputs, VALUES))
    same(execute(planned, VALUES), node_by_node(outputs, VALUES))


# shared memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "exp(x).T + exp(-exp(x))",
        "exp(x).T*2 + (exp(x) + 1)*3",
        "(x + 1).reshape(9)[:3] * exp((x + 1)[0])",
        "sin((x*2)[0]) + exp((x*2)[1]) + (x*2)[0]",
        "broadcast_to((x*2)[0], (3, 3)) + exp(x*2)",
        "exp(flip(x + 1)) - (x + 1)",
        "diagonal(x*2) + exp(diagonal(x*2))",
        "where(x > 0, x*2, -x) + (x*2)",
    ],
)
def test_views_of_what_is_computed_keep_their_numbers(text):
    output = read(text, x=VALUES["x"])
    same(evaluate([output], VALUES), node_by_node([output], VALUES))


def test_outputs_that_others_are_made_of_are_kept():
    x = variable("x", (3, 3))
    one = CATALOGUE["exp"](x)
    two = -one
    outputs = [one, two, CATALOGUE["sin"](two), CATALOGUE["transpose"](one), one]
    same(evaluate(outputs, VALUES), node_by_node(outputs, VALUES))


@pytest.mark.parametrize(
    "text", ["x", "x.T", "x.reshape(9)", "x[0]", "x[::-1]", "x[:, None]", "x + 0*x", "-(-x)", "x*1"]
)
def test_results_share_no_memory_with_inputs(text):
    given = {"x": np.arange(9.0).reshape(3, 3)}
    (found,) = evaluate([read(text, **given)], given)
    assert not np.shares_memory(found, given["x"])
    found[...] = 77
    np.testing.assert_array_equal(given["x"], np.arange(9.0).reshape(3, 3))


@pytest.mark.parametrize("text", ["ones(3)", "[1, 2, 3]", "2", "broadcast_to(sum(x), (4,))", "x.T", "x"])
def test_results_are_writable_and_do_not_change_the_next(text):
    used = {"x": VALUES["x"]} if "x" in text else {}
    planned = plan([read(text, **used)])
    (first,) = execute(planned, used)
    before = first.copy()
    first[...] = -1
    np.testing.assert_array_equal(execute(planned, used)[0], before)


def test_the_same_output_twice_is_two_arrays():
    x = variable("x", (3, 3))
    first, second = evaluate([-x, -x], VALUES)
    first[...] = 0
    np.testing.assert_array_equal(second, -VALUES["x"])


def test_a_plan_runs_often_and_at_once():
    x = variable("x", (200, 200))
    y = x
    for _ in range(10):
        y = CATALOGUE["tanh"](y * 1.5) + x
    planned = plan([y, CATALOGUE["sum"](y)])
    given = [{"x": np.random.default_rng(seed).standard_normal((200, 200))} for seed in range(4)]
    alone = [execute(planned, values) for values in given]
    found: list[Any] = [None] * 4

    def work(i: int) -> None:
        found[i] = execute(planned, given[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for a, b in zip(found, alone, strict=True):
        same(a, b)


# what a plan says --------------------------------------------------------------------------------------


def test_elementwise_steps_of_a_shape_run_together():
    x = variable("x", (3, 3))
    y = CATALOGUE["sum"](CATALOGUE["exp"](-x) * 2, axis=0)
    runs = plan([CATALOGUE["sin"](y)]).runs
    assert [(run.elementwise, run.shape, len(run.steps)) for run in runs] == [
        (True, (3, 3), 3),
        (False, (3,), 1),
        (True, (3,), 1),
    ]


def test_steps_come_in_order_and_compute_each_node_once():
    x = variable("x", (3, 3))
    planned = plan([x * x + CATALOGUE["exp"](x * x)])
    steps = [step for run in planned.runs for step in run.steps]
    assert [step.node.op.name for step in steps] == ["multiply", "exp", "add"]
    known = {place for place, _ in planned.inputs + planned.constants}
    for step in steps:
        assert known.issuperset(step.reads)
        known.add(step.writes)


def test_values_are_freed_after_their_last_use_and_outputs_never():
    x = variable("x", (3, 3))
    kept = CATALOGUE["exp"](x)
    planned = plan([kept, CATALOGUE["sum"](-kept)])
    steps = [step for run in planned.runs for step in run.steps]
    freed = [place for step in steps for place in step.frees]
    assert len(freed) == len(set(freed))
    assert not set(freed) & set(planned.outputs)
    assert all(
        place not in later.reads for i, step in enumerate(steps) for place in step.frees for later in steps[i + 1 :]
    )
    assert steps[1].writes in steps[2].frees


def test_no_step_writes_over_an_input_a_constant_an_output_or_what_is_read_later():
    output = read("exp(x)*[1, 2, 3] + y - 2", x=VALUES["x"], y=VALUES["y"])
    planned = plan([output, output.inputs[0]])
    steps = [step for run in planned.runs for step in run.steps]
    fixed = {place for place, _ in planned.inputs + planned.constants} | set(planned.outputs)
    over = {step.over for step in steps if step.over is not None}
    assert over and not over & fixed
    for i, step in enumerate(steps):
        assert all(step.over not in later.reads for later in steps[i + 1 :] if step.over is not None)


def test_deep_chain_needs_few_arrays_at_once():
    import tracemalloc

    x = variable("x", (100_000,))
    y = x
    for _ in range(50):
        y = CATALOGUE["sin"](y)
    values = {"x": np.ones(100_000)}
    planned = plan([CATALOGUE["sum"](y)])
    tracemalloc.start()
    execute(planned, values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * values["x"].nbytes


def test_long_plans_are_made_and_run_in_linear_time():
    y = variable("z", ())
    for _ in range(20_000):
        y = -y
    assert evaluate([y], {"z": np.array(3.0)})[0] == 3


# numbers without complaint ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("1/x", [0, -0.0, inf], [inf, -inf, 0]),
        ("log(x)", [0, -1, 1], [-inf, nan, 0]),
        ("exp(x)", [1000, -1000, nan], [inf, 0, nan]),
        ("x - x", [inf, nan, 1], [nan, nan, 0]),
        ("x**0.5", [-1, 0, 4], [nan, 0, 2]),
        ("x/x", [0, inf, 2], [nan, nan, 1]),
        ("x*1e308*10", [1, -1, 0], [inf, -inf, 0]),
    ],
)
def test_infinity_and_nan_come_without_warnings(text, x, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(all="raise"):
            (found,) = evaluate([read(text, x=x)], {"x": np.array(x, float)})
    np.testing.assert_array_equal(found, np.array(expected, float))


def test_the_callers_error_settings_are_left_alone():
    with np.errstate(all="raise"):
        before = np.geterr()
        evaluate([read("1/x", x=0.0)], {"x": np.array(0.0)})
        assert np.geterr() == before


@pytest.mark.parametrize(
    ("text", "shape", "expected"),
    [
        ("x*2 + 1", (), np.array(3.0)),
        ("exp(-x)", (0,), np.zeros(0)),
        ("sum(x)", (0, 3), np.array(0.0)),
        ("sum(x, axis=0)", (0, 3), np.zeros(3)),
        ("prod(x)", (0,), np.array(1.0)),
        ("x.T @ x", (0, 2), np.zeros((2, 2))),
        ("x.reshape(0, 4) + 1", (2, 0), np.zeros((0, 4))),
        ("x > 0", (), np.array(True)),
    ],
)
def test_numbers_and_empty_arrays(text, shape, expected):
    values = {"x": np.ones(shape)}
    (found,) = evaluate([read(text, **values)], values)
    assert isinstance(found, np.ndarray)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(found, expected)


# errors ----------------------------------------------------------------------------------------------


def test_missing_input():
    with pytest.raises(GradcalcError, match="`y` has no value") as caught:
        evaluate([variable("x", ()) + variable("y", ())], {"x": np.array(1.0)})
    assert caught.value.kind == "missing-input"


@pytest.mark.parametrize(
    ("text", "x", "kind", "culprit"),
    [
        ("sum(inv(x*1)) + 1", [[1, 2], [2, 4]], "singular-matrix", "inv"),
        ("2*solve(x, ones(2))", [[0, 0], [0, 0]], "singular-matrix", "solve"),
        ("sum(cholesky(x))", [[1, 0], [0, -1]], "not-positive-definite", "cholesky"),
    ],
)
def test_errors_name_the_node_they_come_from(text, x, kind, culprit):
    with pytest.raises(GradcalcError) as caught:
        evaluate([read(text, x=x)], {"x": np.array(x, float)})
    assert caught.value.kind == kind
    assert culprit in caught.value.message
    assert isinstance(caught.value.origin, Node)


def test_too_little_memory_is_a_limit(monkeypatch):
    def kernel(*_, **__):
        raise MemoryError

    output = CATALOGUE["sum"](variable("x", (3,)))
    monkeypatch.setitem(output.op.__dict__, "kernel", kernel)
    with pytest.raises(GradcalcError) as caught:
        evaluate([output], {"x": np.ones(3)})
    assert (caught.value.kind, caught.value.limit, caught.value.origin) == ("too-large", True, output)
