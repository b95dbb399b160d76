"""Three transformations of graphs: vjp (reverse mode), jvp (forward mode), and batch.

Each is a walk over the graph that asks every operation for its rule and returns nodes, so derivatives
can be printed, simplified, run, and differentiated again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .graph import Node, Shape, node, toposort, variable
from .ops.kinds import added, broadcast_to, reshape, zeros
from .ops.reduce import sum

_SEED = "cotangent"
"""The name of the stand-in cotangent when a vjp is transposed; it never reaches a result."""


def reaching(outputs: Sequence[Node], sources: Collection[Node]) -> list[Node]:
    """The nodes on a differentiable path from a source to an output, inputs before users."""
    found = set(sources)
    order = toposort(outputs)
    for one in order:
        if one not in found and any(i not in one.op.flat and below in found for i, below in enumerate(one.inputs)):
            found.add(one)
    return [one for one in order if one in found]


def vjp(outputs: Sequence[Node], cotangents: Sequence[Node], wrt: Sequence[Node]) -> list[Node]:
    """Cotangents of `wrt`, given those of the outputs: each has the shape of its node.

    The sum over outputs of cotangent times output, differentiated. A node of `wrt` that does not
    reach an output has zeros.
    """
    collected: dict[Node, list[Node]] = {}
    for output, cotangent in zip(outputs, cotangents, strict=True):
        collected.setdefault(output, []).append(cotangent)
    path = reaching(outputs, wrt)
    on_path = set(path)
    sources = set(wrt)
    found: dict[Node, Node] = {}
    for current in reversed(path):
        g = added(collected.pop(current, ())[::-1])  # in the order of the text
        if g is None:
            continue
        if current in sources:
            found[current] = g
        if not any(below in on_path for below in current.inputs):
            continue
        for below, part in zip(
            current.inputs, current.op.vjp(g, current, *current.inputs, **current.attrs), strict=True
        ):
            if part is not None and below in on_path:
                collected.setdefault(below, []).append(summed_to(part, below.shape))
    return [found.get(one, zeros(one.shape)) for one in wrt]


def summed_to(g: Node, shape: Shape) -> Node:
    """A cotangent summed over the axes along which broadcasting stretched its node."""
    if g.shape == shape:
        return g
    missing = g.ndim - len(shape)
    stretched = [i - g.ndim for i in range(g.ndim) if i < missing or (shape[i - missing] == 1 and g.shape[i] != 1)]
    if stretched:
        g = sum(g, tuple(stretched), True)
    return broadcast_to(reshape(g, g.shape[missing:]), shape) if missing >= 0 else broadcast_to(g, shape)


def jvp(outputs: Sequence[Node], wrt: Sequence[Node], tangents: Sequence[Node]) -> list[Node]:
    """Tangents of the outputs, given those of `wrt`: each has the shape of its node."""
    moving: dict[Node, Node] = dict(zip(wrt, tangents, strict=True))
    for current in reaching(outputs, wrt):
        if current in moving:
            continue
        op = current.op
        below = [None if i in op.flat else moving.get(one) for i, one in enumerate(current.inputs)]
        if all(one is None for one in below):
            continue
        rule = op.jvp or _transposed
        tangent = rule(below, current, *current.inputs, **current.attrs)
        if tangent is not None:
            moving[current] = broadcast_to(tangent, current.shape)
    return [moving.get(one, zeros(one.shape)) for one in outputs]


def _transposed(tangents: Sequence[Node | None], y: Node, *inputs: Node, **attrs: object) -> Node | None:
    """The jvp of one node from its vjp alone.

    A vjp is linear in its cotangent, so pulling the tangents back through it gives the jvp: the
    value of the stand-in cotangent never matters.
    """
    stand_in = variable(_SEED, y.shape)
    pulled = y.op.vjp(stand_in, y, *inputs, **attrs)
    pairs = [
        (summed_to(part, below.shape), tangent)
        for part, below, tangent in zip(pulled, inputs, tangents, strict=True)
        if part is not None and tangent is not None
    ]
    if not pairs:
        return None
    return vjp([part for part, _ in pairs], [tangent for _, tangent in pairs], [stand_in])[0]


def batch(outputs: Sequence[Node], replaced: dict[Node, Node]) -> list[Node]:
    """The outputs with one more leading axis, when each node of `replaced` is given with that axis.

    Nodes that do not depend on any of them stay as they are and are computed once.
    """
    length = next(iter(replaced.values())).shape[0]
    new = dict(replaced)
    for current in toposort(outputs, through=lambda one: one not in replaced):
        if current in new or not any(below in new for below in current.inputs):
            continue
        batched = tuple(below in new for below in current.inputs)
        inputs = [new.get(below, below) for below in current.inputs]
        made = current.op.batch(current, inputs, batched)
        new[current] = broadcast_to(made, (length, *current.shape))
    return [new[one] if one in new else broadcast_to(one, (length, *one.shape)) for one in outputs]


def substitute(outputs: Sequence[Node], replaced: dict[Node, Node]) -> list[Node]:
    """The outputs with some nodes replaced by others of the same shapes."""
    new = dict(replaced)
    for current in toposort(outputs, through=lambda one: one not in replaced):
        if current not in new and any(new.get(below, below) is not below for below in current.inputs):
            new[current] = node(current.op, [new.get(below, below) for below in current.inputs], current.attrs)
    return [new.get(one, one) for one in outputs]
