"""Calls that are no operations: wrappers read as their contents, lengths, and writing into an array."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError, Label
from ..graph import Node, constant
from ..ops import indexing, joining
from ..ops.arithmetic import maximum, minimum
from ..ops.kinds import broadcast_shape, reshape, zeros
from .calls import Arguments
from .values import Key, Value, node_of


class Context(NamedTuple):
    """What a form may need to know: its name as written, whether it is a method, whether the text is PyTorch's.

    `known` gives a node's numbers, `fixed` a value as plain Python.
    """

    name: str
    is_method: bool
    torch: bool
    known: Callable[[Node], Any]
    fixed: Callable[[Value], Any]


def _one_array(given: Arguments, context: Context, allowed: Container[str] = ()) -> Node:
    """The one array that a call takes, by place or by name; other names must be allowed."""
    named = dict(given.named)
    first = [named.pop(word)[0] for word in [*named] if word in _FIRST and not given.positional]
    for word, (_, span) in named.items():
        if word not in allowed:
            raise GradcalcError("arguments", f"`{context.name}` has no argument `{word}`", labels=[Label(span)])
    values = [*given.positional, *first]
    if len(values) != 1:
        raise GradcalcError("arguments", f"`{context.name}` takes one array, got {len(values)}")
    return node_of(values[0])


_FIRST = {"a", "x", "obj", "object", "data", "input", "array", "arr", "ary"}
"""What libraries call the array that these calls take."""


def _wrapped(given: Arguments, context: Context, least: int = 0) -> Node:
    """`array(…)`, `torch.tensor(…, requires_grad=True)`, `x.copy()`: read as their contents."""
    array = _one_array(given, context, {"requires_grad", "device", "copy", "order", "ndmin"})
    if "ndmin" in given.named:
        least = context.fixed(given.named["ndmin"][0])
        if not isinstance(least, int):
            raise GradcalcError("arguments", f"`ndmin` must be a whole number, got {least}")
    return joining.at_least(array, least)


def _length(given: Arguments, context: Context) -> Node:
    """`len(x)`."""
    if len(given.positional) != 1 or given.named:
        raise GradcalcError("arguments", "`len` takes one array")
    value = given.positional[0]
    if isinstance(value, (list, tuple)):
        return constant(len(value))
    if not isinstance(value, Node) or value.ndim == 0:
        raise GradcalcError("type", "`len` of a number is not defined")
    return constant(value.shape[0])


def _size(given: Arguments, context: Context) -> Value:
    """`size(x)`, `size(x, axis)`; PyTorch's `x.size()` is the shape."""
    values = [*given.positional, *(value for word, (value, _) in given.named.items() if word in ("axis", "dim"))]
    if not 1 <= len(values) <= 2 or len(values) < len(given.positional) + len(given.named):
        raise GradcalcError("arguments", f"`{context.name}` takes an array and perhaps an axis")
    array = node_of(values[0])
    if len(values) == 1:
        return _lengths(array.shape) if context.torch and context.is_method else constant(array.size)
    axis = context.fixed(values[1])
    if not isinstance(axis, int) or not -array.ndim <= axis < array.ndim:
        raise GradcalcError("arguments", f"axis {axis} is out of range for shape {array.shape}")
    return constant(array.shape[axis])


def _lengths(shape: Sequence[int]) -> tuple[Node, ...]:
    return tuple(constant(length) for length in shape)


def _about(fact: Callable[[Node], Value]) -> Form:
    """A call that says something about an array, such as `np.ndim(x)` and `x.dim()`."""
    return lambda given, context: fact(_one_array(given, context))


def _common_shape(given: Arguments, context: Context) -> Value:
    """`broadcast_shapes((2, 1), (3,))`."""
    shapes = [context.fixed(value) for value in given.positional]
    stretched = [zeros((one,) if isinstance(one, int) else one) for one in shapes]
    return _lengths(broadcast_shape(*stretched) if stretched else ())


def _slice(given: Arguments, context: Context) -> Value:
    """`slice(0, 2)`: what `0:2` is in an index."""
    bounds = [context.fixed(value) for value in given.positional]
    if not 1 <= len(bounds) <= 3 or given.named or not all(one is None or isinstance(one, int) for one in bounds):
        raise GradcalcError("arguments", "`slice` takes one to three whole numbers")
    if bounds[2:] == [0]:
        raise GradcalcError("index", "a slice cannot step by 0")
    return slice(*bounds)


def _crossed(given: Arguments, context: Context) -> Value:
    """`ix_([0, 2], [True, False])`: indices that meet each other, masks as the places where they are true."""
    vectors = [node_of(value) for value in given.positional]
    if any(one.ndim != 1 for one in vectors) or given.named:
        raise GradcalcError("arguments", f"`{context.name}` takes vectors of places, or masks")
    places = [constant(np.flatnonzero(context.known(one)).astype(float)) if one.boolean else one for one in vectors]
    ndim = len(places)
    return tuple(reshape(one, (1,) * i + (one.size,) + (1,) * (ndim - i - 1)) for i, one in enumerate(places))


def _block(given: Arguments, context: Context) -> Value:
    """`block([[A, B], [C, D]])`: innermost lists are joined along the last axis, those around them before it."""
    if len(given.positional) != 1 or given.named:
        raise GradcalcError("arguments", f"`{context.name}` takes one nested list of arrays")
    depths, ranks = _measured(given.positional[0])
    if len(depths) != 1:
        raise GradcalcError("arguments", f"the lists of `{context.name}` must be nested equally deep, and not empty")
    return _blocks(given.positional[0], max(*depths, *ranks), -max(depths))


def _measured(value: Value, depth: int = 0) -> tuple[set[int], set[int]]:
    """How deep arrays lie in nested lists, and how many axes they have; an empty list lies at no depth."""
    if not isinstance(value, (list, tuple)):
        return {depth}, {node_of(value).ndim}
    found = [_measured(item, depth + 1) for item in value]
    depths = {one for depths, _ in found for one in depths} if found else {-1, depth}
    return depths, {one for _, ranks in found for one in ranks}


def _blocks(value: Value, ndim: int, axis: int) -> Node:
    if not isinstance(value, (list, tuple)):
        return joining.at_least(node_of(value), ndim)
    return joining.concatenate([_blocks(item, ndim, axis + 1) for item in value], axis)


# writing ------------------------------------------------------------------------------------------


def _written(given: Arguments, context: Context, *, add: bool) -> Node:
    """`set_at(x, s_[0, 1:], y)`: what `x` is after `x[0, 1:] = y`; `add_at` adds."""
    if len(given.positional) != 3 or given.named or not isinstance(given.positional[1], Key):
        helps = [f"`{context.name}(x, s_[0, 1:], y)`"]
        raise GradcalcError("arguments", f"`{context.name}` takes an array, an index and a value", helps=helps)
    array, key, value = given.positional
    return indexing.put(node_of(array), key.parts, node_of(value), context.known, add=add)


def _index_put(given: Arguments, context: Context) -> Node:
    """`torch.index_put(x, (i, j), v, accumulate=False)`."""
    names = ("input", "indices", "values", "accumulate")
    values = dict(zip(names, given.positional, strict=False)) | {one: value for one, (value, _) in given.named.items()}
    if not {"input", "indices", "values"} <= values.keys() <= {*names}:
        raise GradcalcError("arguments", f"`{context.name}` takes an array, a tuple of places and values")
    array, value = node_of(values["input"]), node_of(values["values"])
    places = values["indices"] if isinstance(values["indices"], (list, tuple)) else [values["indices"]]
    key = [one if one is None else node_of(one) for one in places]
    add = "accumulate" in values and bool(context.fixed(values["accumulate"]))
    if not add and value.size > 1:
        _refuse_twice(array, key, context)
    return indexing.put(array, key, value, context.known, add=add)


def _refuse_twice(array: Node, key: Sequence[Any], context: Context) -> None:
    """Refuse an index that names a place twice: what happens there the libraries leave open."""
    counted = constant(np.arange(array.size, dtype=np.float64).reshape(array.shape))
    cells = np.asarray(context.known(indexing.get(counted, key, context.known)))
    if np.unique(cells).size < cells.size:
        raise GradcalcError(
            "index", f"`{context.name}` would write several values to one place, and which stays is not defined"
        )


_UPDATES: dict[str, Callable[[Node, Node], Node]] = {
    "multiply": lambda old, new: old * new,
    "mul": lambda old, new: old * new,
    "divide": lambda old, new: old / new,
    "power": lambda old, new: old**new,
    "min": minimum,
    "max": maximum,
}
"""JAX's `x.at[i].multiply(v)` and its like: what is written at the place of the old elements."""


def _updated(given: Arguments, context: Context) -> Node:
    """`x.at[1:].set(v)`: what the array is after `x[1:] = v`."""
    (place, *values), what = given.positional, context.name.removeprefix("at.")
    values += [value for word, (value, _) in given.named.items() if word == "values"]
    for word, (_, span) in given.named.items():
        if word not in ("values", "indices_are_sorted", "unique_indices", "mode", "fill_value"):
            raise GradcalcError("arguments", f"`{context.name}` has no argument `{word}`", labels=[Label(span)])
    array, key = place.array, place.parts
    if len(values) != (what != "get"):
        raise GradcalcError("arguments", f"`.{what}` takes {'no' if what == 'get' else 'one'} array")
    if what == "get":
        return indexing.get(array, key, context.known)
    value = node_of(values[0])
    if what in ("add", "subtract"):
        return indexing.put(array, key, value if what == "add" else -value, context.known, add=True)
    if what in _UPDATES or value.size > 1:
        _refuse_twice(array, key, context)
    if what in _UPDATES:
        value = _UPDATES[what](indexing.get(array, key, context.known), value)
    return indexing.put(array, key, value, context.known)


Form = Callable[[Arguments, Context], Value]

NESTED = {"block"}
"""Forms whose lists of lists are no arrays."""

_CONTENTS = (
    *("array", "asarray", "asanyarray", "asfortranarray", "asarray_chkfinite", "require", "copy", "clone", "item"),
    *("tensor", "as_tensor", "from_numpy", "scalar_tensor", "float64", "DoubleTensor", "Tensor"),
)

FORMS: dict[str, Form] = {
    **dict.fromkeys(_CONTENTS, _wrapped),
    "ascontiguousarray": lambda given, context: _wrapped(given, context, least=1),
    "len": _length,
    "size": _size,
    **dict.fromkeys(("numel", "nelement"), _about(lambda x: constant(x.size))),
    **dict.fromkeys(("ndim", "dim", "ndimension"), _about(lambda x: constant(x.ndim))),
    "shape": _about(lambda x: _lengths(x.shape)),
    "is_floating_point": _about(lambda x: constant(not x.boolean)),
    "isrealobj": _about(lambda x: constant(True)),
    **dict.fromkeys(("is_complex", "iscomplexobj"), _about(lambda x: constant(False))),
    "broadcast_shapes": _common_shape,
    "ix_": _crossed,
    "slice": _slice,
    "block": _block,
    "index_put": _index_put,
    "set_at": lambda given, context: _written(given, context, add=False),
    "add_at": lambda given, context: _written(given, context, add=True),
    **dict.fromkeys([f"at.{one}" for one in ("get", "set", "add", "subtract", *_UPDATES)], _updated),
}
