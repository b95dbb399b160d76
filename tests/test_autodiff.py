"""Derivatives as graphs: the three transformations, and what is made of them, against numbers known otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gradcalc import derivatives
from gradcalc.autodiff import batch, jvp, reaching, substitute, summed_to, vjp
from gradcalc.engine import evaluate
from gradcalc.errors import Source
from gradcalc.graph import CATALOGUE, Node, constant, toposort, variable
from gradcalc.problem import pose, read_programs
from gradcalc.simplifier import simplify

ONE = constant(1.0)


def inputs(**shapes: tuple[int, ...]) -> list[Node]:
    return [variable(name, shape) for name, shape in shapes.items()]


def read(text: str, **shapes: tuple[int, ...]) -> Node:
    """The graph of a text over inputs of these shapes."""
    values = {name: np.ones(shape) for name, shape in shapes.items()}
    return pose(read_programs([Source("expression", text)], values), values).outputs[0]


def numbers(nodes: Sequence[Node], **values: Any) -> list[np.ndarray]:
    return evaluate(nodes, {name: np.asarray(value, np.float64) for name, value in values.items()})


def is_zero(one: Node) -> bool:
    return simplify([one]) == [derivatives.zeros(one.shape)]


# reverse mode ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shape", "expected"),
    [
        ("sum(x**2 + 2*x + 1)", (2, 2), lambda x: 2 * x + 2),
        ("x**2", (), lambda x: 2 * x),
        ("sum(3*x)", (2,), lambda x: derivatives.broadcast_to(constant(3.0), (2,))),
        ("sum(x*x*x)", (3,), lambda x: 3 * x**2),
        ("sum(exp(x))", (3,), lambda x: CATALOGUE["exp"](x)),
        ("sum(-x/2)", (3,), lambda x: derivatives.broadcast_to(constant(-0.5), (3,))),
        ("x - x", (), lambda x: constant(0.0)),
    ],
)
def test_gradient_is_the_graph_that_a_book_gives(text, shape, expected):
    x = variable("x", shape)
    (found,) = derivatives.gradient(read(text, x=shape), None, [x])
    assert found is expected(x)


def test_gradients_are_nodes_of_the_inputs_shapes():
    shapes = {"x": (3, 1), "y": (4,), "z": ()}
    output = read("sum(x*y + z*exp(x))", **shapes)
    assert [one.shape for one in vjp([output], [ONE], inputs(**shapes))] == list(shapes.values())


def test_cotangents_of_several_outputs_add_up():
    (x,) = inputs(x=(2,))
    u, v = variable("u", (2,)), variable("v", (2,))
    (found,) = vjp([x * x, 3 * x], [u, v], [x])
    np.testing.assert_allclose(*numbers([found], x=[1, 2], u=[1, 10], v=[1, 1]), [5, 43])


def test_the_same_output_twice_counts_twice():
    (x,) = inputs(x=())
    assert simplify(vjp([x, x], [ONE, constant(2.0)], [x])) == [constant(3.0)]


def test_unused_inputs_have_zeros():
    x, y = inputs(x=(2,), y=(3, 1))
    assert is_zero(vjp([read("sum(x)", x=(2,))], [ONE], [x, y])[1])
    assert vjp([x], [x], [y])[0].shape == (3, 1)
    assert is_zero(jvp([x], [y], [y])[0])


def test_intermediate_nodes_can_be_differentiated_by():
    (x,) = inputs(x=())
    inner = x * x
    assert derivatives.gradient(inner * inner * x, None, [inner]) == simplify([2 * inner * x])


def test_conditions_are_no_path():
    x, y = inputs(x=(3,), y=(3,))
    output = CATALOGUE["sum"](CATALOGUE["where"](x > 0, y, 2 * y))
    assert reaching([output], [x]) == [x]
    assert output in reaching([output], [y])
    assert is_zero(vjp([output], [ONE], [x])[0])


@pytest.mark.parametrize(
    ("text", "shapes", "expected"),
    [
        ("sum(x + y)", {"x": (3, 1), "y": (4,)}, ([[4], [4], [4]], [3, 3, 3, 3])),
        ("sum(x * y)", {"x": (), "y": (2, 2)}, (4, np.ones((2, 2)))),
        ("sum(x / y)", {"x": (1, 2), "y": (3, 1)}, ([[3, 3]], [[-2], [-2], [-2]])),
        ("sum(x - y)", {"x": (1,), "y": (1, 1, 2)}, ([2], [[[-1, -1]]])),
        ("sum(x ** y)", {"x": (2, 1), "y": (1,)}, ([[1], [1]], [0])),
    ],
)
def test_broadcasting_is_summed_out(text, shapes, expected):
    found = numbers(vjp([read(text, **shapes)], [ONE], inputs(**shapes)), **{n: np.ones(s) for n, s in shapes.items()})
    for one, right, shape in zip(found, expected, shapes.values(), strict=True):
        assert one.shape == shape
        np.testing.assert_array_equal(one, right)


@pytest.mark.parametrize(
    ("shape", "to"),
    [((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), ()), ((2, 3), (1, 1)), ((3,), (2, 3)), ((1, 0), (1, 1))],
)
def test_summed_to_shape(shape, to):
    (found,) = numbers([summed_to(variable("g", shape), to)], g=np.ones(shape))
    assert found.shape == to
    stretched = math.prod(to) > math.prod(shape)
    assert found.sum() == (math.prod(to) if stretched and shape == (3,) else math.prod(shape))


# forward mode ---------------------------------------------------------------------------------------


def test_tangent_has_the_outputs_shape_though_only_a_scalar_moves():
    x, y = inputs(x=(), y=(2, 3))
    (found,) = jvp([x + y], [x], [ONE])
    assert found.shape == (2, 3)
    np.testing.assert_array_equal(*numbers([found], x=1, y=np.ones((2, 3))), np.ones((2, 3)))


TEXTS = [
    ("sum(x*y, axis=0) @ y.T", {"x": (2, 3), "y": (2, 3)}),
    ("x @ y", {"x": (2, 3), "y": (3, 2)}),
    ("where(x > y, x*y, exp(y))", {"x": (3,), "y": (2, 1)}),
    ("maximum(x, y)**2", {"x": (2, 2), "y": ()}),
    ("cumsum(x)[::2] / y", {"x": (4,), "y": (2,)}),
    ("prod(x, axis=1) - x.T[0]*y", {"x": (2, 2), "y": (2,)}),
    ("concatenate([sin(x), y[::-1]])", {"x": (2,), "y": (3,)}),
    ("inv(x) @ y", {"x": (2, 2), "y": (2,)}),
]
each_text = pytest.mark.parametrize(("text", "shapes"), TEXTS, ids=[text for text, _ in TEXTS])


def point(shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(7)
    return {name: generator.uniform(0.5, 2.0, shape) for name, shape in shapes.items()}


def differences(output: Node, values: dict[str, np.ndarray], moved: dict[str, np.ndarray], h: float = 1e-5) -> Any:
    ahead, behind = (
        numbers([output], **{name: x + sign * h * moved.get(name, 0.0) for name, x in values.items()})[0]
        for sign in (1, -1)
    )
    return (ahead - behind) / (2 * h)


@each_text
def test_jvp_is_the_slope_and_vjp_its_transpose(text, shapes):
    output, values, tangents = read(text, **shapes), point(shapes), point(shapes)
    seed = np.random.default_rng(1).standard_normal(output.shape)
    wrt = inputs(**shapes)
    ts = [constant(tangents[name]) for name in shapes]
    (tangent,) = numbers(jvp([output], wrt, ts), **values)
    cotangents = numbers(vjp([output], [constant(seed)], wrt), **values)
    np.testing.assert_allclose(tangent, differences(output, values, tangents), rtol=1e-7, atol=1e-8)
    pairing = sum(np.sum(g * tangents[name]) for g, name in zip(cotangents, shapes, strict=True))
    assert np.sum(seed * tangent) == pytest.approx(pairing, rel=1e-12)


@each_text
def test_transposed_vjp_is_the_jvp(text, shapes, monkeypatch):
    output, values = read(text, **shapes), point(shapes)
    ts = [constant(one) for one in point(shapes).values()]
    own = numbers(jvp([output], inputs(**shapes), ts), **values)
    for one in toposort([output]):
        monkeypatch.setitem(one.op.__dict__, "jvp", None)
    assert all(one.op.jvp is None for one in toposort([output]))
    transposed = jvp([output], inputs(**shapes), ts)
    assert not any(one.attrs.get("name") == "cotangent" for one in toposort(transposed))
    np.testing.assert_allclose(numbers(transposed, **values), own, rtol=1e-12, atol=1e-14)


# batches and substitution ---------------------------------------------------------------------------


@each_text
def test_batch_is_a_stack_of_single_runs(text, shapes):
    output, values = read(text, **shapes), point(shapes)
    x = variable("x", shapes["x"])
    many = np.stack([values["x"], values["x"] + 1.0, values["x"] * 0.5])
    (batched,) = numbers(batch([output], {x: variable("many", many.shape)}), many=many, y=values["y"])
    assert batched.shape == (3, *output.shape)
    for row, one in zip(batched, many, strict=True):
        np.testing.assert_allclose(row, *numbers([output], x=one, y=values["y"]), rtol=1e-12)


def test_batch_leaves_alone_what_does_not_depend_on_it():
    x, y = inputs(x=(2,), y=(2,))
    still = CATALOGUE["exp"](y)
    moved, kept = batch([x * still, still], {x: variable("xs", (5, 2))})
    assert still in toposort([moved])
    assert kept.shape == (5, 2)


def test_substitute_replaces_everywhere_and_nothing_else():
    x, y = inputs(x=(2,), y=(2,))
    inner = CATALOGUE["exp"](y)
    assert substitute([x * inner + x, inner], {x: 3 * y}) == [(3 * y) * inner + 3 * y, inner]
    assert substitute([x], {x: y}) == [y]
    assert substitute([inner + 1], {inner: x}) == [x + 1]


def test_long_chains_are_transformed_without_recursion():
    (x,) = inputs(x=())
    y = x
    for _ in range(10_000):
        y = -y
    assert simplify(vjp([y], [ONE], [x])) == [ONE]
    assert simplify(jvp([y], [x], [ONE])) == [ONE]
    assert batch([y], {x: variable("xs", (2,))})[0].shape == (2,)


# Jacobians ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shapes", "mode", "passes"),
    [
        ("sum(x**2)", {"x": (5,)}, "reverse", 1),
        ("x[:2]*x[2]", {"x": (5,)}, "reverse", 2),
        ("x**2", {"x": (3,)}, "forward", 3),
        ("x*ones(7)", {"x": ()}, "forward", 1),
        ("x + y", {"x": (2,), "y": (3, 1)}, "forward", 5),
        ("sum(x*y, axis=0)", {"x": (2,), "y": (3, 1)}, "reverse", 2),
    ],
)
def test_jacobian_takes_the_mode_with_fewer_passes(text, shapes, mode, passes):
    found = derivatives.jacobian(read(text, **shapes), inputs(**shapes))
    assert (found.mode, found.passes) == (mode, passes)


@each_text
def test_both_modes_give_the_same_jacobian(text, shapes):
    output, values, wrt = read(text, **shapes), point(shapes), inputs(**shapes)
    forward = [derivatives._forward(output, one) for one in wrt]
    reverse = derivatives._reverse(output, wrt)
    chosen = derivatives.jacobian(output, wrt).partials
    for name, a, b, c in zip(
        shapes, numbers(forward, **values), numbers(reverse, **values), numbers(chosen, **values), strict=True
    ):
        assert a.shape == b.shape == c.shape == output.shape + shapes[name]
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(c, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("x**2", (0,)),
        ("sum(x)", (0,)),
        ("x[:0]", (3,)),
        ("sum(x, axis=0)", (0, 2)),
        ("x**2", (1,)),
        ("x", (1, 1, 1)),
        ("x", ()),
    ],
)
def test_jacobians_of_sizes_0_and_1(text, shape):
    output, x = read(text, x=shape), variable("x", shape)
    (found,) = numbers(derivatives.jacobian(output, [x]).partials, x=np.ones(shape))
    assert found.shape == output.shape + shape
    assert found.size == 0 or found.item() == (2 if "2" in text else 1)


@pytest.mark.parametrize("shape", [(0,), (1,), (), (2, 0)])
def test_gradients_and_hessians_of_sizes_0_and_1(shape):
    output, x = read("sum(x**3)", x=shape), variable("x", shape)
    first = derivatives.gradient(output, None, [x])
    second = derivatives.hessian(output, None, [x])[0, 0]
    found = numbers([*first, second], x=np.full(shape, 2.0))
    np.testing.assert_array_equal(found[0], np.full(shape, 12.0))
    np.testing.assert_array_equal(found[1], np.full(shape + shape, 12.0))


# second order ---------------------------------------------------------------------------------------


SCALARS = [
    ("sum(x**2 @ y) * y[0]", {"x": (2, 3), "y": (3,)}),
    ("sum(exp(x[:, None]*y))", {"x": (2,), "y": (3,)}),
    ("log(sum(x)) * sum(y**3)", {"x": (2, 2), "y": ()}),
    ("sum(inv(x) @ y)", {"x": (2, 2), "y": (2,)}),
]
each_scalar = pytest.mark.parametrize(("text", "shapes"), SCALARS, ids=[text for text, _ in SCALARS])


@each_scalar
def test_hessian_blocks_are_symmetric_and_second_differences(text, shapes):
    output, values, wrt = read(text, **shapes), point(shapes), inputs(**shapes)
    gradient = derivatives.gradient(output, None, wrt)
    blocks = derivatives.hessian(output, None, wrt)
    assert set(blocks) == {(i, j) for i in range(len(wrt)) for j in range(len(wrt))}
    found = dict(zip(blocks, numbers(list(blocks.values()), **values), strict=True))
    direction = point(shapes)
    for i, a in enumerate(wrt):
        row = sum(np.tensordot(found[i, j], direction[b.attrs["name"]], b.ndim) for j, b in enumerate(wrt))
        np.testing.assert_allclose(row, differences(gradient[i], values, direction), rtol=1e-6, atol=1e-7)
        for j, b in enumerate(wrt):
            assert found[i, j].shape == a.shape + b.shape
            swapped = np.moveaxis(found[j, i], range(b.ndim), range(a.ndim, a.ndim + b.ndim))
            np.testing.assert_allclose(found[i, j], swapped, rtol=1e-10, atol=1e-12)


@each_scalar
def test_hessian_product_is_hessian_times_vector(text, shapes):
    output, values, wrt = read(text, **shapes), point(shapes), inputs(**shapes)
    vectors = [np.random.default_rng(3).standard_normal(shape) for shape in shapes.values()]
    products = derivatives.hessian_product(output, None, wrt, [constant(v) for v in vectors])
    blocks = derivatives.hessian(output, None, wrt)
    found = numbers([*products, *blocks.values()], **values)
    full = dict(zip(blocks, found[len(wrt) :], strict=True))
    for i, product in enumerate(found[: len(wrt)]):
        right = sum(np.tensordot(full[i, j], v, v.ndim) for j, v in enumerate(vectors))
        np.testing.assert_allclose(product, right, rtol=1e-10, atol=1e-12)


def test_seed_weighs_the_outputs_of_a_hessian():
    (x,) = inputs(x=(2,))
    (block,) = numbers(list(derivatives.hessian(x**3, constant([1, 10]), [x]).values()), x=[1, 2])
    np.testing.assert_array_equal(block, [[6, 0], [0, 120]])


# higher order ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "at", "derivatives_there"),
    [
        ("x**5", 2.0, [80, 160, 240, 240, 120, 0]),
        ("exp(2*x)", 0.5, [2**n * math.e for n in range(1, 6)]),
        ("sin(x)", 0.3, [math.cos(0.3), -math.sin(0.3), -math.cos(0.3), math.sin(0.3), math.cos(0.3)]),
        ("1/x", 2.0, [(-1) ** n * math.factorial(n) / 2.0 ** (n + 1) for n in range(1, 6)]),
        ("log(x)", 3.0, [-((-1) ** n) * math.factorial(n - 1) / 3.0**n for n in range(1, 6)]),
        ("tanh(x)", 0.0, [1, 0, -2, 0, 16]),
    ],
)
def test_nested_gradients_are_higher_derivatives(text, at, derivatives_there):
    x = variable("x", ())
    current = read(text, x=())
    for order, right in enumerate(derivatives_there, 1):
        (current,) = derivatives.gradient(current, None, [x])
        assert numbers([current], x=at)[0] == pytest.approx(right, rel=1e-12, abs=1e-12), f"order {order}"
