"""Graph to smaller equal graph: ones, zeros, constants, double transposes, stretched scalars, like terms.

One walk, inputs first. At each node the rules of its operation apply until none does; every rule gives
a graph with fewer operations, or the same ones nearer to a canonical order, so the walk ends and is
linear. Sums are collected once, at the top of each chain of additions.

Rules hold for real numbers. They may give a number where the original gave nan (`x - x`), never
another number; a product with an ordinary zero stays, since `0*inf` is not 0.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

import numpy as np

from .graph import CATALOGUE, Node, Op, constant, is_constant, node, scalar_value, toposort
from .ops.arithmetic import add, divide, multiply, negative, subtract
from .ops.elementwise import power
from .ops.kinds import broadcast_shape, broadcast_to
from .ops.shape import permuted, reshape, transpose

Rule = Callable[[Node], Node]
_ADDITIVE: set[Op] = {add, subtract, negative}


def simplify(outputs: Sequence[Node]) -> list[Node]:
    """Equal outputs of the same shapes, with fewer operations.

    A pass may put nodes together that a further one can combine; a large graph has one pass.
    """
    current = list(outputs)
    for _ in range(_MOST_PASSES):
        order = toposort(current)
        simpler = _pass(order, current)
        if len(order) > _LARGE or all(a is b for a, b in zip(simpler, current, strict=True)):
            return simpler
        current = simpler
    return current


_MOST_PASSES = 5
_LARGE = 5_000  # nodes


def _pass(order: Sequence[Node], outputs: Sequence[Node]) -> list[Node]:
    inner = _inside_sums(order, outputs)
    new: dict[Node, Node] = {}
    for one in order:
        inputs = [new[below] for below in one.inputs]
        same = all(a is b for a, b in zip(inputs, one.inputs, strict=True))
        current = one if same else node(one.op, inputs, one.attrs)
        if one in inner:
            new[one] = current  # part of a longer sum: its top collects the terms
            continue
        if one.op in _ADDITIVE and any(below in inner for below in one.inputs):
            current = _collected(one, inner, new)
        new[one] = _rewritten(current)
    return [new[one] for one in outputs]


def _rewritten(current: Node) -> Node:
    """A node whose inputs are simple already, after all rules."""
    while True:
        for rule in _RULES.get(current.op.name, _ELEMENTWISE if current.op.elementwise else ()):
            changed = rule(current)
            if changed is not current:
                current = changed
                break
        else:
            return current


def _inside_sums(order: Iterable[Node], outputs: Sequence[Node]) -> set[Node]:
    """Additions whose only user is another addition of the same shape."""
    users: dict[Node, list[Node]] = {}
    for one in order:
        for below in one.inputs:
            users.setdefault(below, []).append(one)
    kept = set(outputs)
    return {
        one
        for one in users
        if one.op in _ADDITIVE
        and one not in kept
        and len(users[one]) == 1
        and users[one][0].op in _ADDITIVE
        and users[one][0].shape == one.shape
    }


# numeric factors ----------------------------------------------------------------------------------
#
# A product keeps its number at the far left, `2*a*b/c`, and there is one number in it: that is where
# these functions look for it and put it.

_DEEPEST = 8  # factors looked through for a number; a bound, so that long products stay linear

Factor = tuple[float, float, Node | None]
"""A product taken apart: numerator, denominator, and the rest (None: there is none)."""


def _chain(x: Node) -> tuple[Node, list[tuple[Op, Node]]]:
    """The leftmost factor of a product or quotient, and what it is then multiplied with or divided by."""
    steps: list[tuple[Op, Node]] = []
    while x.op in (multiply, divide) and len(steps) < _DEEPEST:
        steps.append((x.op, x.inputs[1]))
        x = x.inputs[0]
    return x, steps[::-1]


def _usable(x: Node) -> float | None:
    value = scalar_value(x)
    return value if value is not None and _moderate(value) else None


def _moderate(value: float) -> bool:
    """Whether a number may change places in a product: not 0 or infinite, nor so large or small that it overflows."""
    return 1e-100 < abs(value) < 1e100


def _factor(x: Node) -> Factor:
    """The number that multiplies a node, as a fraction, and the node without it."""
    if (value := scalar_value(x)) is not None:
        return value, 1.0, None
    leaf, steps = _chain(x)
    top, bottom = 1.0, 1.0
    rest: Node | None = leaf
    if leaf.op is negative:
        top, rest = -1.0, leaf.inputs[0]
    elif (value := _usable(leaf)) is not None:
        top, rest = value, None
    for op, other in steps:
        value = _usable(other)
        if value is not None and op is multiply:
            top *= value
        elif value is not None:
            bottom *= value
        else:
            rest = other if rest is None and op is multiply else op(constant(1.0) if rest is None else rest, other)
    if (top, bottom) == (1.0, 1.0) or not (_moderate(top) and _moderate(bottom)):
        return 1.0, 1.0, x
    return top, bottom, rest


def _scaled(top: float, bottom: float, rest: Node | None) -> Node:
    """top/bottom times the rest, in the one form that every such product takes."""
    if bottom != 1 and bottom != 0 and np.isfinite(top / bottom) and _tidy(top / bottom):
        top, bottom = top / bottom, 1.0
    if rest is None:
        return constant(top) if bottom == 1 else divide(constant(top), constant(bottom))
    if top != 1:
        leaf, steps = _chain(rest)
        number = _usable(leaf)
        if number is not None:
            product = constant(top * number)
        else:
            product = negative(leaf) if top == -1 else multiply(constant(top), leaf)
        for op, other in steps:
            product = op(product, other)
        rest = product
    return rest if bottom == 1 else divide(rest, constant(bottom))


def _tidy(value: float) -> bool:
    """Whether a number is short enough to be written instead of the quotient it came from."""
    return len(repr(value)) <= 8


def _numbers_forward(x: Node) -> Node:
    """Numeric factors of a product or quotient put in front; powers of one base put together."""
    if x.op is multiply and x.inputs[0] is x.inputs[1] and x.inputs[0].op is divide:
        return power(x.inputs[0], constant(2.0))  # taken apart, the quotient would be computed twice
    top, bottom, a = _factor(x.inputs[0])
    other_top, other_bottom, b = _factor(x.inputs[1])
    if x.op is divide:
        other_top, other_bottom = other_bottom, other_top
        rest = a if b is None else divide(constant(1.0) if a is None else a, b)
    else:
        rest = a if b is None else b if a is None else _product(a, b)
    top, bottom = top * other_top, bottom * other_bottom
    if not (_moderate(top) and _moderate(bottom)):
        return x
    return broadcast_to(_scaled(top, bottom, rest), x.shape)


def _product(a: Node, b: Node) -> Node:
    """a*b; as one power where both are positive powers of the same base, as a quotient where one is 1/c."""
    for one, other in ((a, b), (b, a)):
        if one.op is divide and scalar_value(one.inputs[0]) == 1:
            return divide(other, one.inputs[1])
    (base, p), (other, q) = _base(a), _base(b)
    return power(base, constant(p + q)) if base is other and p > 0 and q > 0 else multiply(a, b)


def _base(x: Node) -> tuple[Node, float]:
    exponent = scalar_value(x.inputs[1]) if x.op is power else None
    return (x, 1.0) if exponent is None else (x.inputs[0], exponent)


def _negated(x: Node) -> Node:
    """A sign enters numbers, products and differences."""
    (inside,) = x.inputs
    if inside.op is subtract:
        return subtract(inside.inputs[1], inside.inputs[0])
    if inside.op in (multiply, divide, negative) or scalar_value(inside) is not None:
        top, bottom, rest = _factor(inside)
        return broadcast_to(_scaled(-top, bottom, rest), x.shape)
    return x


# sums ---------------------------------------------------------------------------------------------


def _collected(top: Node, inner: Container[Node], new: Mapping[Node, Node]) -> Node:
    """A chain of additions with like terms put together, in the order of the text, numbers last."""
    terms: dict[Node | None, tuple[float, float]] = {}
    stack: list[tuple[float, Node]] = [(1.0, top)]
    while stack:
        sign, one = stack.pop()
        if one is top or one in inner:
            signs = (-sign,) if one.op is negative else (sign, -sign if one.op is subtract else sign)
            stack += reversed(list(zip(signs, one.inputs, strict=True)))
            continue
        above, below, rest = _factor(_unstretched(new[one]))
        old, under = terms.get(rest, (0.0, below))
        if under == below:
            terms[rest] = (old + sign * above, below)
        elif 1 <= abs(under * below) <= _LARGEST_DENOMINATOR:
            terms[rest] = (old * below + sign * above * under, under * below)
        else:
            terms[rest] = (old / under + sign * above / below, 1.0)
    return broadcast_to(_total(terms), top.shape)


_LARGEST_DENOMINATOR = 1e6


def _unstretched(x: Node) -> Node:
    """A stretched scalar as the scalar; anything else as it is."""
    return x.inputs[0] if x.op is _BROADCAST and x.inputs[0].ndim == 0 else x


def _total(terms: Mapping[Node | None, tuple[float, float]]) -> Node:
    """The sum of terms, a positive one first where there is one and the number (under None) last."""
    parts = [(top, bottom, rest) for rest, (top, bottom) in terms.items() if top != 0]
    leading = [part for part in parts if part[0] > 0 and part[2] is not None]
    leading += [part for part in parts if part[2] is None]  # a number leads rather than a sign: `1 - x`, `-2 - x`
    first = leading[0] if leading else None
    parts.sort(key=lambda part: (part is not first, part[2] is None))
    total: Node | None = None
    for top, bottom, rest in parts:
        if total is None:
            total = _scaled(top, bottom, rest)
        else:
            total = subtract(total, _scaled(-top, bottom, rest)) if top < 0 else add(total, _scaled(top, bottom, rest))
    return constant(0.0) if total is None else total


def _sum_of_two(x: Node) -> Node:
    return _collected(x, (), {below: below for below in x.inputs})


# powers, selection, shapes ------------------------------------------------------------------------


def _simple_power(x: Node) -> Node:
    exponent = scalar_value(x.inputs[1])
    if exponent == 1:
        return broadcast_to(x.inputs[0], x.shape)
    if exponent == 0:
        return broadcast_to(constant(1.0), x.shape)
    return x


def _folded(x: Node) -> Node:
    """Arithmetic on numbers, where the result is no longer to write than the operation."""
    values = [scalar_value(one) for one in x.inputs]
    if None in values:
        return x
    with np.errstate(all="ignore"):
        result = float(x.op.kernel(*values))
    return constant(result) if _tidy(result) and np.isfinite(result) else x


def _known(x: Node) -> Node:
    """A few numbers moved about are a few numbers."""
    small = x.size <= _FEW and all(is_constant(one) and one.size <= _FEW for one in x.inputs)
    return constant(x.op.kernel(*(one.attrs["value"].data for one in x.inputs), **x.attrs)) if small and x.inputs else x


_FEW = 16


def _chosen(x: Node) -> Node:
    condition, a, b = x.inputs
    if a is b:
        return broadcast_to(a, x.shape)
    if is_constant(condition):
        truth = condition.attrs["value"].data
        if truth.all() or not truth.any():
            return broadcast_to(a if truth.all() else b, x.shape)
    return x


def _pulled_stretch(x: Node) -> Node:
    """An elementwise operation on stretched arrays: stretch the result instead, or not at all."""
    if not any(one.op is _BROADCAST for one in x.inputs):
        return x
    inputs = list(x.inputs)
    for i, one in enumerate(inputs):
        if one.op is _BROADCAST:
            bare = [*inputs[:i], one.inputs[0], *inputs[i + 1 :]]
            if broadcast_shape(*bare) == x.shape:
                inputs = bare
    if any(a is not b for a, b in zip(inputs, x.inputs, strict=True)):
        return node(x.op, inputs, x.attrs)
    sources = [one.inputs[0] if one.op is _BROADCAST else one for one in inputs]
    if broadcast_shape(*sources) != x.shape:
        return broadcast_to(_rewritten(node(x.op, sources, x.attrs)), x.shape)
    return x


def _stretched(x: Node) -> Node:
    (inside,) = x.inputs
    if inside.shape == x.shape:
        return inside
    return broadcast_to(inside.inputs[0], x.shape) if inside.op is _BROADCAST else x


def _reshaped(x: Node) -> Node:
    (inside,) = x.inputs
    if inside.shape == x.shape:
        return inside
    if inside.op is reshape:
        return reshape(inside.inputs[0], x.shape)
    scalar = _unstretched(inside)
    if scalar.ndim == 0 and scalar is not inside:
        return broadcast_to(scalar, x.shape)
    if inside.ndim == 0:
        return broadcast_to(inside, x.shape)
    return x


def _transposed(x: Node) -> Node:
    (inside,) = x.inputs
    axes = x.attrs["axes"]
    if not axes:
        return inside
    if inside.op is transpose:
        below = inside.attrs["axes"]
        count = max(len(axes), len(below))
        first, then = _padded(below, count), _padded(axes, count)
        return permuted(inside.inputs[0], tuple(first[axis] for axis in then))
    scalar = _unstretched(inside)
    return broadcast_to(scalar, x.shape) if scalar is not inside else x


def _padded(axes: tuple[int, ...], count: int) -> tuple[int, ...]:
    """An order of so many last axes, of which the first ones may stay."""
    return (*range(-count, -len(axes)), *axes)


def _summed(x: Node) -> Node:
    """A sum over nothing is the array; over a stretched scalar, a multiple of it."""
    (inside,) = x.inputs
    if not x.attrs["axis"]:
        return inside
    scalar = _unstretched(inside)
    if scalar is not inside:
        return (
            broadcast_to(_rewritten(multiply(constant(float(inside.size // x.size)), scalar)), x.shape) if x.size else x
        )
    return x


_BROADCAST = CATALOGUE["broadcast_to"]
_RULES: dict[str, tuple[Rule, ...]] = {
    "add": (_folded, _pulled_stretch, _sum_of_two),
    "subtract": (_folded, _pulled_stretch, _sum_of_two),
    "negative": (_folded, _pulled_stretch, _negated),
    "multiply": (_folded, _pulled_stretch, _numbers_forward),
    "divide": (_folded, _pulled_stretch, _numbers_forward),
    "power": (_folded, _pulled_stretch, _simple_power),
    "where": (_chosen, _pulled_stretch),
    "broadcast_to": (_stretched,),
    "reshape": (_reshaped, _known),
    "transpose": (_transposed, _known),
    "sum": (_summed, _known),
    "index": (_known,),
}
_ELEMENTWISE: tuple[Rule, ...] = (_pulled_stretch,)
