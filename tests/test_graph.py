"""Nodes: equal ones are the same object, shapes are known at once, and no walk recurses."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from gradcalc import graph, ops  # noqa: F401  (importing the operations fills the catalogue)
from gradcalc.errors import GradcalcError
from gradcalc.graph import CATALOGUE, Array, Derived, Op, constant, inputs_of, node, toposort, variable

nan, inf = np.nan, np.inf
LONG = 100_000


def op(name: str) -> Op | Derived:
    return CATALOGUE[name]


# interning ------------------------------------------------------------------------------------------


def test_equal_expressions_are_the_same_object():
    x = variable("x", (2, 3))
    assert variable("x", (2, 3)) is x
    assert 2 * x + 1 is 2 * x + 1
    assert op("sum")(x, axis=0) is op("sum")(x, axis=-2)
    assert x**2 is op("power")(x, constant(2.0))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (True, 1),
        (False, 0.0),
        (0.0, -0.0),
        (nan, inf),
        (1.0, [1.0]),
        ([1, 2], [2, 1]),
        ([[1, 2]], [[1], [2]]),
        ([True, False], [1, 0]),
        ([0.0], [-0.0]),
        (1.0, np.nextafter(1.0, 2.0)),
    ],
)
def test_unequal_constants_are_different_nodes(a, b):
    assert constant(a) is not constant(b)


@pytest.mark.parametrize("value", [1, -0.0, nan, inf, True, [1, 2], [nan, -0.0], [[True, False]], np.zeros((0, 3))])
def test_equal_constants_are_the_same_node(value):
    assert constant(value) is constant(np.array(value))


def test_whole_numbers_and_floats_are_the_same_constant():
    assert constant(1) is constant(1.0)
    assert constant(1.0) is not constant(True)


@pytest.mark.parametrize(
    ("a", "b"), [(True, 1), (1, 1.0), (True, 1.0), (0.0, -0.0), ((1, 2), (1.0, 2)), ((True,), (1,))]
)
def test_attributes_that_python_calls_equal_stay_apart(a, b):
    assert graph._key(a) != graph._key(b)


def test_nan_attributes_meet():
    assert graph._key(nan) == graph._key(inf - inf)


def test_inputs_differ_by_name_shape_and_kind():
    x = variable("x", (2,))
    assert len({x, variable("y", (2,)), variable("x", (2, 1)), variable("x", (2,), boolean=True)}) == 4


def test_slices_can_be_attributes():
    assert hash(graph._key(slice(0, 3, 2))) == hash(graph._key(slice(0, 3, 2)))
    assert graph._key(slice(0, 3)) != graph._key(slice(0, 4))


def test_constants_are_copies_that_nobody_can_write_to():
    given = np.arange(3.0)
    held = constant(given)
    given[0] = 7
    assert held is constant([0, 1, 2])
    with pytest.raises(ValueError, match="read-only"):
        held.attrs["value"].data[0] = 7


def test_arrays_compare_with_arrays_only():
    assert Array([1, 2]) == Array([1.0, 2.0])
    assert Array([1, 2]) != [1, 2]


def test_table_forgets_nodes_that_nobody_holds():
    gc.collect()
    before = len(graph._interned)
    x = variable("a name of its own", (7,))
    y = sum((op("sin")(x * i) for i in range(50)), constant(0.125))
    assert len(graph._interned) > before + 100
    del x, y
    gc.collect()
    assert len(graph._interned) == before


# shapes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda a, b: a + b, (3, 2)),
        (lambda a, b: a * 2, (3, 1)),
        (lambda a, b: a @ op("reshape")(b, (1, 2)), (3, 2)),
        (lambda a, b: op("sum")(a + b, axis=0), (2,)),
        (lambda a, b: op("sum")(a + b), ()),
        (lambda a, b: (a + b) > 0, (3, 2)),
    ],
)
def test_shapes_are_known_at_build_time(make, shape):
    made = make(variable("a", (3, 1)), variable("b", (2,)))
    assert (made.shape, made.ndim, made.size) == (shape, len(shape), int(np.prod(shape)))


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b: a + b,
        lambda a, b: a @ b,
        lambda a, b: op("reshape")(a, (5,)),
        lambda a, b: op("concatenate")([op("reshape")(a, (3, 1)), op("reshape")(b, (1, 2))]),
    ],
)
def test_shape_errors_are_raised_where_the_node_is_built(make):
    with pytest.raises(GradcalcError) as caught:
        make(variable("a", (3,)), variable("b", (2,)))
    assert caught.value.kind == "shape"


# operators ------------------------------------------------------------------------------------------


X, TWO = variable("x", ()), constant(2)


@pytest.mark.parametrize(
    ("made", "name", "operands"),
    [
        (X + 2, "add", (X, TWO)),
        (2 + X, "add", (TWO, X)),
        (X - 2, "subtract", (X, TWO)),
        (2 - X, "subtract", (TWO, X)),
        (X * 2, "multiply", (X, TWO)),
        (2 * X, "multiply", (TWO, X)),
        (X / 2, "divide", (X, TWO)),
        (2 / X, "divide", (TWO, X)),
        (X**2, "power", (X, TWO)),
        (2**X, "power", (TWO, X)),
        (X < 2, "less", (X, TWO)),
        (X <= 2, "less_equal", (X, TWO)),
        (X > 2, "greater", (X, TWO)),
        (X >= 2, "greater_equal", (X, TWO)),
    ],
)
def test_operators_keep_the_order_of_their_operands(made, name, operands):
    assert (made.op, made.inputs) == (op(name), operands)


def test_negative_and_matmul():
    a = variable("a", (2, 2))
    assert (-a).op is op("negative")
    assert (a @ a).op is op("matmul")


def test_array_on_the_left_stays_whole():
    x = variable("x", (2,))
    assert np.array([3.0, 4.0]) + x is constant([3, 4]) + x


def test_truth_values_count_as_numbers_in_arithmetic_only():
    x = variable("x", (3,))
    assert ((x > 0) + 1).inputs[0].op is op("real")
    assert op("where")(x > 0, x, 0).inputs[0] is (x > 0)
    assert not ((x > 0) * 2).boolean


# walks ----------------------------------------------------------------------------------------------


def test_order_has_inputs_before_users_and_each_node_once():
    x, y = variable("x", ()), variable("y", ())
    shared = x * y
    outputs = [shared + x, shared * shared]
    order = toposort(outputs)
    place = {one: i for i, one in enumerate(order)}
    assert len(place) == len(order) == 5
    assert all(place[below] < place[one] for one in order for below in one.inputs)


def test_order_stops_where_told():
    x = variable("x", ())
    y = op("exp")(x)
    assert toposort([y + 1], through=lambda one: one is not y) == [y, constant(1), y + 1]


def test_inputs_in_the_order_of_first_use():
    x, y = variable("x", ()), variable("y", ())
    assert list(inputs_of([y * x, x])) == ["y", "x"]


def test_long_chains_build_walk_and_free_without_recursion():
    y = variable("x", ())
    for _ in range(LONG):
        y = -y
    assert len(toposort([y])) == LONG + 1
    before = len(graph._interned)
    del y
    gc.collect()
    assert len(graph._interned) <= before - LONG


def test_diamonds_are_walked_once():
    y = variable("x", ())
    for _ in range(200):  # 2**200 paths
        y = y + y
    assert len(toposort([y])) == 201


# the catalogue --------------------------------------------------------------------------------------


def test_a_name_taken_twice_is_a_mistake():
    taken = dict(graph.CATALOGUE), dict(graph.SPELLINGS)
    try:
        with pytest.raises(ValueError, match="two operations are called exp"):
            Derived(name="exp", doc="Another.", call=lambda x: x)
    finally:
        for table, old in zip((graph.CATALOGUE, graph.SPELLINGS), taken, strict=True):
            table.clear()
            table.update(old)


def test_calling_an_operation_builds_its_node():
    x = variable("x", (2,))
    assert op("exp")(x) is node(op("exp"), (x,), {})
    assert repr(op("exp")(x)) == "<exp (2,)>"
