"""Derivatives as graphs: which mode they take, how many passes that is, and in which layout they come.

Every result is a graph over the same inputs, simplified, ready for the engine or the printer. A
Jacobian has shape out + in, a Hessian in + in.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from .autodiff import batch, jvp, vjp
from .graph import Node, Shape, constant, variable
from .ops.kinds import broadcast_to, reshape, zeros
from .ops.making import eye
from .ops.shape import moveaxis
from .simplifier import simplify


class Jacobian(NamedTuple):
    """The partials of an output, one array of shape out + in for each input, and how they were found."""

    partials: list[Node]
    mode: str
    passes: int


def gradient(output: Node, seed: Node | None, wrt: Sequence[Node]) -> list[Node]:
    """The gradients of sum(seed * output); of the output itself where it is a scalar and the seed None."""
    return simplify(vjp([output], [ones_like(output) if seed is None else seed], wrt))


def ones_like(output: Node) -> Node:
    """The cotangent of a scalar: the number 1 in its shape."""
    return broadcast_to(constant(1.0), output.shape)


def tangent(output: Node, wrt: Sequence[Node], tangents: Sequence[Node]) -> Node:
    """The directional derivative of the output along the tangents: Jacobian times tangent."""
    return simplify(jvp([output], wrt, tangents))[0]


def jacobian(output: Node, wrt: Sequence[Node]) -> Jacobian:
    """Every partial of the output, all seeds pushed through at once in the mode that needs fewer."""
    columns = sum(one.size for one in wrt)
    if columns <= output.size:
        partials = [_forward(output, one) for one in wrt]
        return Jacobian(simplify(partials), "forward", columns)
    return Jacobian(simplify(_reverse(output, wrt)), "reverse", output.size)


def _units(shape: Shape) -> Node:
    """All unit arrays of a shape, one after the other along a new leading axis."""
    size = prod(shape)
    return reshape(eye(size), (size, *shape))


def _reverse(output: Node, wrt: Sequence[Node]) -> list[Node]:
    seed = variable(_SEED, output.shape)
    pulled = vjp([output], [seed], wrt)
    if output.size == 0:
        return [zeros(output.shape + one.shape) for one in wrt]
    rows = batch(pulled, {seed: _units(output.shape)})
    return [reshape(row, output.shape + one.shape) for row, one in zip(rows, wrt, strict=True)]


def _forward(output: Node, one: Node) -> Node:
    if one.size == 0:
        return zeros(output.shape + one.shape)
    seed = variable(_SEED, one.shape)
    pushed = jvp([output], [one], [seed])
    (columns,) = batch(pushed, {seed: _units(one.shape)})
    return reshape(moveaxis(columns, 0, -1), output.shape + one.shape)


_SEED = "unit seed"
"""The stand-in that the batch replaces by all unit seeds; a space keeps it apart from any input."""


def hessian(output: Node, seed: Node | None, wrt: Sequence[Node]) -> dict[tuple[int, int], Node]:
    """Second derivatives of sum(seed * output) for every pair of inputs, of shape in + in."""
    first = gradient(output, seed, wrt)
    blocks: dict[tuple[int, int], Node] = {}
    for i, row in enumerate(first):
        for j, partial in enumerate(jacobian(row, wrt).partials):
            blocks[i, j] = partial
    return blocks


def hessian_product(output: Node, seed: Node | None, wrt: Sequence[Node], vectors: Sequence[Node]) -> list[Node]:
    """The Hessian of sum(seed * output) times a vector: the gradient's directional derivative."""
    return simplify(jvp(gradient(output, seed, wrt), wrt, vectors))
