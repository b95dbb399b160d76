"""A graph evaluated over numbers or symbols that NumPy does not know, by arrays of objects.

Structural operations reuse their NumPy kernels, which move and add objects as they do floats;
elementwise ones, and those whose kernel needs real floats, use the `exact` function of their record with
a namespace `m` that has the field's usual names: `exp log sqrt sin … less equal where maximum floor det
cofactor`. One namespace speaks SymPy, another mpmath.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .graph import Node, is_constant, is_input, toposort


def evaluate_exact(
    outputs: Sequence[Node], values: Mapping[str, Any], m: Any, known: Mapping[Node, Any] | None = None
) -> list[Any]:
    """The outputs as object arrays.

    `values` holds an object array for each input by name; `m.number(x)` turns a constant's float into
    a number of the namespace. Nodes `known` as arrays of numbers are not evaluated.
    """
    found: dict[Node, Any] = {one: _each(m.number, array) for one, array in (known or {}).items()}
    with np.errstate(all="ignore"):  # NumPy looks at the objects' floats where it can, nan among them
        for one in toposort(outputs, lambda one: one not in found):
            if one not in found:
                found[one] = _evaluated(one, found, values, m)
    return [found[one] for one in outputs]


def steps_of(outputs: Sequence[Node]) -> list[Node]:
    """Nodes that no symbol can stand for, such as the order of an array: flat in all that they are made of."""
    return [one for one in toposort(outputs) if one.op.exact is None and _is_step(one)]


def _is_step(one: Node) -> bool:
    return bool(one.inputs) and not one.op.elementwise and all(i in one.op.flat for i in range(len(one.inputs)))


def _evaluated(one: Node, found: Mapping[Node, Any], values: Mapping[str, Any], m: Any) -> Any:
    if is_input(one):
        return _objects(values[one.attrs["name"]])
    if is_constant(one):
        data = one.attrs["value"].data
        return _objects(data) if one.boolean else _each(m.number, data)
    return _applied(one, [found[below] for below in one.inputs], m)


def _applied(one: Node, inputs: list[Any], m: Any) -> Any:
    op = one.op
    if op.elementwise and op.exact is not None:
        rule = op.exact
        return _each(lambda *xs: rule(m, *xs, **one.attrs), *inputs)
    if op.exact is not None:
        return _objects(op.exact(m, *inputs, **one.attrs))
    made = op.kernel(*inputs, **one.attrs)
    return _objects(made if np.asarray(made).dtype == object else _each(m.number, made))


def _each(function: Callable[..., Any], *arrays: Any) -> Any:
    """A function of scalars applied element by element, with broadcasting; always an object array."""
    return _objects(np.frompyfunc(function, len(arrays), 1)(*arrays))


def _objects(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value if value.dtype == object else value.astype(object)
    out = np.empty((), object)
    out[()] = value
    return out
