"""Graph to text: the parser's inverse, so that what is printed can be pasted back and is the same graph.

An operation prints as its operator or as a call by its own signature; only what the grammar writes in a
way of its own (constants, indexing, lists, signs) is spelled out here. Sub-expressions that are used
several times and are not short get a name, so that the text is never longer than the graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from itertools import count
from typing import Any, NamedTuple

from ..errors import GradcalcError
from ..graph import Node, inputs_of, is_constant, scalar_value, toposort
from .calls import signature_of
from .expressions import OPERATORS
from .values import CONSTANTS

_ATOM = 100  # binds as a number or a name: never needs brackets
_POSTFIX = 90
_SHORT = 12  # characters below which a repeated sub-expression is repeated
_LONG = 400  # characters above which even a sub-expression used once gets a name


class _Piece(NamedTuple):
    text: str
    binds: int


def to_text(*outputs: Node, names: bool = True) -> str:
    """The outputs as one text; several as a tuple. With `names`, repeated parts are assigned first."""
    users: dict[Node, int] = {}
    order = toposort(outputs)
    for one in order:
        for below in one.inputs:
            users[below] = users.get(below, 0) + 1
    taken = inputs_of(outputs)
    fresh = (name for name in map("t{}".format, count(1)) if name not in taken)
    pieces: dict[Node, _Piece] = {}
    lines: list[str] = []
    for one in order:
        piece = _constant(one, taken) if is_constant(one) else _piece(one, pieces)
        repeated = users.get(one, 0) > 1 and len(piece.text) > _SHORT
        if names and one.inputs and users.get(one) and (repeated or len(piece.text) > _LONG):
            name = next(fresh)
            lines.append(f"{name} = {_as_array(piece).text}")
            piece = _Piece(name, _ATOM)
        pieces[one] = piece
    lines.append(", ".join(pieces[one].text for one in outputs))
    return "; ".join(lines)


def number_text(value: float, taken: Container[str] = ()) -> str:
    """A number as it is typed: `3`, `0.1`, `pi`, `inf`; by no name that is `taken`."""
    for name in ("pi", "e", "inf"):
        if abs(value) == CONSTANTS[name] and name not in taken:
            return f"-{name}" if value < 0 else name
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    if math.isnan(value):
        return "nan" if "nan" not in taken else "(1e999 - 1e999)"
    if value.is_integer() and abs(value) < 1e16 and not (value == 0 and math.copysign(1, value) < 0):
        return str(int(value))
    return repr(value)


def _piece(node: Node, pieces: dict[Node, _Piece]) -> _Piece:
    special = _FORMS.get(node.op.name)
    inputs = [pieces[below] for below in node.inputs]
    if special is not None:
        return special(node, inputs)
    if node.op.infix:
        return _operator(node.op.infix, inputs[0], inputs[1])
    return _Piece(_called(node, inputs), _POSTFIX)


def _wrapped(piece: _Piece, binds: int) -> str:
    """The text of an operand, in brackets where it binds more loosely than it must."""
    return piece.text if piece.binds >= binds else f"({piece.text})"


def _operator(symbol: str, left: _Piece, right: _Piece) -> _Piece:
    left, right = _as_array(left), _as_array(right)
    binds = OPERATORS[symbol].binds
    if symbol == "**":
        return _Piece(f"{_wrapped(left, binds + 1)}**{_wrapped(right, binds)}", binds)
    tight = symbol in ("*", "/", "**")
    space = "" if tight else " "
    least = binds + 1 if OPERATORS[symbol].boolean and binds == 40 else binds  # a < b < c means something else
    return _Piece(f"{_wrapped(left, least)}{space}{symbol}{space}{_wrapped(right, binds + 1)}", binds)


def _as_array(piece: _Piece) -> _Piece:
    """A list that an operator may meet: a bare one it would join or repeat, as Python does."""
    return _Piece(f"array({piece.text})", _POSTFIX) if piece.text.startswith("[") and piece.binds == _ATOM else piece


def _called(node: Node, inputs: list[_Piece]) -> str:
    """A call by the operation's signature: arrays and what precedes them by place, the rest by name."""
    signature = signature_of(node.op)
    values = _arguments(node)
    queue = list(inputs)
    arguments: list[str] = []
    for name in signature.names:
        kind = signature.kinds[name]
        if "Sequence[Node]" in kind:
            arguments.append(f"[{', '.join(piece.text for piece in queue)}]")
            queue = []
        elif "Node" in kind:
            arguments += [queue.pop(0).text] if queue else []  # one that made another node is not there
        elif name not in signature.defaults:
            arguments.append(_attribute_text(node, name))
        elif name in node.attrs and not _implied(node, values, name):
            arguments.append(f"{name}={_attribute_text(node, name)}")
        else:
            values.pop(name, None)
    arguments += [piece.text for piece in queue]
    return f"{node.op.name}({', '.join(arguments)})"


def _arguments(node: Node) -> dict[str, Any]:
    """The arguments that a caller would name to get this node."""
    signature = signature_of(node.op)
    queue = list(node.inputs)
    values: dict[str, Any] = {}
    for name in signature.names:
        kind = signature.kinds[name]
        if "Sequence[Node]" in kind:
            values[name] = queue
        elif "Node" in kind and queue:
            values[name] = queue.pop(0)
        elif name in node.attrs:
            values[name] = node.attrs[name]
    return values


def _implied(node: Node, values: dict[str, Any], name: str) -> bool:
    """Whether an argument may be left out: the call without it is the same node."""
    try:
        made = node.op(**{key: value for key, value in values.items() if key != name})
    except GradcalcError:
        return False
    return made is node


def _attribute_text(node: Node, name: str) -> str:
    value = node.attrs[name]
    if name == "axis":
        return _axis_text(value, node.inputs[0].ndim + (node.op.name == "stack"))
    return _plain_text(value)


def _axis_text(axis: Any, ndim: int) -> str:
    """Axes counted from the left, as people do."""
    if isinstance(axis, int):
        return str(axis + ndim)
    counted = tuple(one + ndim for one in axis)
    return str(counted[0]) if len(counted) == 1 else repr(counted)


def _plain_text(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else repr(value)


# forms of their own -------------------------------------------------------------------------------


def _constant(node: Node, taken: Container[str]) -> _Piece:
    data = node.attrs["value"].data
    if data.ndim:
        return _Piece(_list_text(data, taken), _ATOM)
    if data.dtype == bool:
        return _Piece(str(bool(data)), _ATOM)
    text = number_text(float(data), taken)
    return _Piece(text, OPERATORS["**"].binds - 10 if text.startswith("-") else _ATOM)


def _list_text(data: Any, taken: Container[str]) -> str:
    """A constant array as nested lists; of one without elements, its shape."""
    if data.size == 0:
        return "[]" if data.shape == (0,) else f"zeros({data.shape!r})"
    flat = [str(bool(v)) if data.dtype == bool else number_text(float(v), taken) for v in data.ravel()]
    for length in reversed(data.shape):
        flat = [f"[{', '.join(flat[i : i + length])}]" for i in range(0, len(flat), length)]
    return flat[0]


def _input(node: Node, inputs: Sequence[_Piece]) -> _Piece:
    return _Piece(node.attrs["name"], _ATOM)


def _negative(node: Node, inputs: Sequence[_Piece]) -> _Piece:
    (operand,) = inputs
    if is_constant(node.inputs[0]) and node.inputs[0].ndim == 0:
        return _Piece(f"negative({operand.text})", _POSTFIX)  # `-3` is the constant
    return _Piece(f"-{_wrapped(operand, node.op.binds)}", node.op.binds)


def _not(node: Node, inputs: Sequence[_Piece]) -> _Piece:
    return _Piece(f"~{_wrapped(inputs[0], node.op.binds)}", node.op.binds)


def _transposed(node: Node, inputs: Sequence[_Piece]) -> _Piece:
    ndim = node.ndim
    moved = tuple(axis + ndim for axis in node.attrs["axes"])
    axes = (*range(ndim - len(moved)), *moved)
    if ndim > 1 and axes == tuple(reversed(range(ndim))):
        return _Piece(f"{_wrapped(inputs[0], _POSTFIX)}.T", _POSTFIX)
    return _Piece(f"transpose({inputs[0].text}, {axes!r})", _POSTFIX)


def _stack(node: Node, inputs: Sequence[_Piece]) -> _Piece:
    inner = ", ".join(piece.text for piece in inputs)
    if node.attrs["axis"] == -node.ndim and not all(is_constant(one) for one in node.inputs):
        return _Piece(f"[{inner}]", _ATOM)
    return _Piece(f"stack([{inner}], axis={node.attrs['axis'] + node.ndim})", _POSTFIX)


def _stretched(node: Node, inputs: Sequence[_Piece]) -> _Piece:
    value = scalar_value(node.inputs[0])
    word = {"0.0": "zeros", "1.0": "ones"}.get(repr(value))
    shape = node.shape[0] if node.ndim == 1 else node.shape
    text = f"{word}({shape!r})" if word else f"broadcast_to({inputs[0].text}, {node.shape!r})"
    return _Piece(text, _POSTFIX)


def _spec_parts(node: Node) -> list[str]:
    """A basic index as it is typed; leading axes that it leaves alone are written `:` or `...`."""
    spec = node.attrs["spec"]
    untouched = node.inputs[0].ndim - sum(part is not None for part in spec)
    return [":"] * untouched + [_part_text(part) for part in spec]


def _part_text(part: Any) -> str:
    if part is None:
        return "None"
    if isinstance(part, slice):
        ends = ["" if one is None else str(one) for one in (part.start, part.stop)]
        return ":".join(ends + ([str(part.step)] if part.step not in (None, 1) else []))
    return str(part)


def _gather_parts(node: Node, inputs: Sequence[_Piece], first: int) -> list[str]:
    after = node.attrs["after"]
    before = node.inputs[0].ndim - after - (len(inputs) - first)
    return [":"] * before + [piece.text for piece in inputs[first:]]


def _index(node: Node, inputs: Sequence[_Piece]) -> _Piece:
    return _Piece(f"{_owner(inputs[0])}[{', '.join(_spec_parts(node))}]", _POSTFIX)


def _gather(node: Node, inputs: Sequence[_Piece]) -> _Piece:
    return _Piece(f"{_owner(inputs[0])}[{', '.join(_gather_parts(node, inputs, 1))}]", _POSTFIX)


def _owner(piece: _Piece) -> str:
    """What is indexed; of a list, an item would be taken, as Python does."""
    return _wrapped(_as_array(piece), _POSTFIX)


def _writing(word: str, parts_of: Callable[..., list[str]]) -> Callable[[Node, Sequence[_Piece]], _Piece]:
    def form(node: Node, inputs: Sequence[_Piece]) -> _Piece:
        parts = parts_of(node) if parts_of is _spec_parts else parts_of(node, inputs, 2)
        return _Piece(f"{word}({inputs[0].text}, s_[{', '.join(parts)}], {inputs[1].text})", _POSTFIX)

    return form


_FORMS: dict[str, Callable[[Node, Sequence[_Piece]], _Piece]] = {
    "input": _input,
    "negative": _negative,
    "logical_not": _not,
    "transpose": _transposed,
    "stack": _stack,
    "broadcast_to": _stretched,
    "index": _index,
    "gather": _gather,
    "put_index": _writing("set_at", _spec_parts),
    "put_gather": _writing("set_at", _gather_parts),
    "add_gather": _writing("add_at", _gather_parts),
}
