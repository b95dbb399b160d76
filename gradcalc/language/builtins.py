"""Python's own functions and methods that programs use on lists, ranges and dictionaries."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import GradcalcError, Label, Span
from ..graph import CATALOGUE, Node, constant, is_constant
from . import programs
from .trampoline import Steps
from .values import Items, Library, Value, node_of

if TYPE_CHECKING:
    from .builder import Builder

Builtin = Callable[["Builder", Sequence[Value], Span], Any]


def _whole(builder: Builder, value: Value, span: Span) -> int:
    number = builder.fixed(value)
    if not isinstance(number, int) or isinstance(number, bool):
        raise GradcalcError("type", f"a whole number is needed here, got {number}", labels=[Label(span)])
    return number


def _items(value: Value, span: Span) -> list[Value]:
    items = programs.items_of(value)
    if items is None:
        raise GradcalcError("type", "several values are needed here", labels=[Label(span)])
    return list(items)


def _count(name: str, given: Sequence[Value], least: int, most: int, span: Span) -> None:
    if not least <= len(given) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        message = f"`{name}` takes {wanted} argument{'s' * (most != 1)}, got {len(given)}"
        raise GradcalcError("arguments", message, labels=[Label(span)])


def _range(builder: Builder, given: Sequence[Value], span: Span) -> Items:
    _count("range", given, 1, 3, span)
    bounds = [_whole(builder, one, span) for one in given]
    if len(bounds) == 3 and bounds[2] == 0:
        raise GradcalcError("arguments", "`range` cannot step by 0", labels=[Label(span)])
    numbers = range(*bounds)
    count = max(0, -((numbers.start - numbers.stop) // numbers.step))  # `len` has a limit
    if count > programs.MOST_STATEMENTS:
        message = f"`range` of {count:,} numbers"
        raise GradcalcError("too-long", message, labels=[Label(span)], helps=["use `arange(n)`"], limit=True)
    return Items(constant(number) for number in numbers)


def _enumerate(builder: Builder, given: Sequence[Value], span: Span) -> Items:
    _count("enumerate", given, 1, 2, span)
    start = _whole(builder, given[1], span) if len(given) > 1 else 0
    return Items((constant(i), one) for i, one in enumerate(_items(given[0], span), start))


def _zip(builder: Builder, given: Sequence[Value], span: Span) -> Items:
    return Items(zip(*[_items(one, span) for one in given], strict=False))


def _reversed(builder: Builder, given: Sequence[Value], span: Span) -> Items:
    _count("reversed", given, 1, 1, span)
    return Items(reversed(_items(given[0], span)))


def _list(builder: Builder, given: Sequence[Value], span: Span) -> list[Value]:
    _count("list", given, 0, 1, span)
    return _items(given[0], span) if given else []


def _tuple(builder: Builder, given: Sequence[Value], span: Span) -> tuple[Value, ...]:
    _count("tuple", given, 0, 1, span)
    return tuple(_items(given[0], span)) if given else ()


def _dict(builder: Builder, given: Sequence[Value], span: Span) -> dict[Any, Value]:
    _count("dict", given, 0, 1, span)
    if given and isinstance(given[0], dict):
        return dict(given[0])
    pairs = [_items(one, span) for one in _items(given[0], span)] if given else []
    if any(len(pair) != 2 for pair in pairs):
        raise GradcalcError("type", "`dict` takes pairs", labels=[Label(span)])
    return {builder.fixed(key): value for key, value in pairs}


def _map(builder: Builder, given: Sequence[Value], span: Span) -> Steps:
    if len(given) < 2:
        raise GradcalcError("arguments", "`map` takes a function and what it goes through", labels=[Label(span)])
    found = Items()
    for row in zip(*[_items(one, span) for one in given[1:]], strict=False):
        found.append((yield called(builder, given[0], row, span)))
    return found


def called(builder: Builder, function: Value, given: Sequence[Value], span: Span) -> Any:
    """The value of a function that is itself a value: one of the text's, or a library's."""
    if isinstance(function, Library):
        return builder.called_by_words(function.words, given, span)
    return programs.call_function(builder, function, given, {}, span)


def _number(builder: Builder, given: Sequence[Value], span: Span) -> Node:
    _count("float", given, 1, 1, span)
    if isinstance(given[0], str):
        return _read(given[0], span)
    value = node_of(given[0])
    if value.size != 1:
        raise GradcalcError("type", f"`float` of shape {value.shape}: it takes one number", labels=[Label(span)])
    return CATALOGUE["real"](value) if value.boolean else CATALOGUE["reshape"](value, ()) if value.ndim else value


def _read(text: str, span: Span) -> Node:
    """`float("inf")`."""
    try:
        return constant(float(text))
    except ValueError:
        raise GradcalcError("type", f"`{text}` is not a number", labels=[Label(span)]) from None


def _int(builder: Builder, given: Sequence[Value], span: Span) -> Node:
    made: Node = CATALOGUE["trunc"](_number(builder, given, span))
    return made


def _bool(builder: Builder, given: Sequence[Value], span: Span) -> Node:
    _count("bool", given, 1, 1, span)
    value = given[0]
    if not isinstance(value, Node):
        return constant(bool(value))
    return value if value.boolean else CATALOGUE["not_equal"](value, 0.0)


def _sum(builder: Builder, given: Sequence[Value], span: Span) -> Node:
    """Python's sum: one after the other, so that arrays in a list are added element by element."""
    _count("sum", given, 1, 2, span)
    terms = [node_of(one) for one in _items(given[0], span)]
    total = node_of(given[1]) if len(given) > 1 else None
    for term in terms:
        term = CATALOGUE["real"](term) if term.boolean else term
        total = term if total is None else total + term
    return constant(0.0) if total is None else total


def _extreme(name: str, pair: str) -> Builtin:
    def extreme(builder: Builder, given: Sequence[Value], span: Span) -> Node:
        items = [node_of(one) for one in (_items(given[0], span) if len(given) == 1 else given)]
        if not items:
            raise GradcalcError("empty", f"`{name}` of nothing has no value", labels=[Label(span)])
        if any(one.ndim for one in items):
            helps = [f"element by element: `np.{pair}(a, b)`"]
            raise GradcalcError(
                "type", f"Python's `{name}` compares numbers, not arrays", labels=[Label(span)], helps=helps
            )
        best = items[0]
        for one in items[1:]:
            best = CATALOGUE[pair](best, one)
        return best

    return extreme


def _every(pair: str, start: bool) -> Builtin:
    def every(builder: Builder, given: Sequence[Value], span: Span) -> Node:
        result = constant(start)
        for one in _items(given[0], span):
            truth = _bool(builder, [one], span)
            result = truth if result is constant(start) else CATALOGUE[pair](result, truth)
        return result

    return every


def _print(builder: Builder, given: Sequence[Value], span: Span) -> None:
    return None


BUILTINS: dict[str, Builtin] = {
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "reversed": _reversed,
    "list": _list,
    "tuple": _tuple,
    "map": _map,
    "dict": _dict,
    "float": _number,
    "int": _int,
    "bool": _bool,
    "sum": _sum,
    "max": _extreme("max", "maximum"),
    "min": _extreme("min", "minimum"),
    "all": _every("logical_and", True),
    "any": _every("logical_or", False),
    "print": _print,
}
"""Python's functions; those that the catalogue has as well are meant only where NumPy's would not do."""


# methods of lists and dictionaries --------------------------------------------------------------------


def _append(builder: Builder, owner: list[Value], given: Sequence[Value], span: Span) -> None:
    _count("append", given, 1, 1, span)
    owner.append(given[0])


def _extend(builder: Builder, owner: list[Value], given: Sequence[Value], span: Span) -> None:
    _count("extend", given, 1, 1, span)
    owner.extend(_items(given[0], span))


def _insert(builder: Builder, owner: list[Value], given: Sequence[Value], span: Span) -> None:
    _count("insert", given, 2, 2, span)
    owner.insert(_whole(builder, given[0], span), given[1])


def _pop(builder: Builder, owner: list[Value], given: Sequence[Value], span: Span) -> Value:
    _count("pop", given, 0, 1, span)
    place = _whole(builder, given[0], span) if given else -1
    if not -len(owner) <= place < len(owner):
        raise GradcalcError("index", f"there is no such place in a list of {len(owner)}", labels=[Label(span)])
    return owner.pop(place)


def _reverse(builder: Builder, owner: list[Value], given: Sequence[Value], span: Span) -> None:
    owner.reverse()


def _list_copy(builder: Builder, owner: list[Value], given: Sequence[Value], span: Span) -> list[Value]:
    return list(owner)


def _get(builder: Builder, owner: dict[Any, Value], given: Sequence[Value], span: Span) -> Value:
    _count("get", given, 1, 2, span)
    return owner.get(builder.fixed(given[0]), given[1] if len(given) > 1 else None)


def _update(builder: Builder, owner: dict[Any, Value], given: Sequence[Value], span: Span) -> None:
    _count("update", given, 1, 1, span)
    owner.update(_dict(builder, given, span))


METHODS: dict[type, dict[str, Callable[[Any, Any, Sequence[Value], Span], Value]]] = {
    list: {
        "append": _append,
        "extend": _extend,
        "insert": _insert,
        "pop": _pop,
        "reverse": _reverse,
        "copy": _list_copy,
    },
    dict: {
        "get": _get,
        "items": lambda builder, owner, given, span: Items(owner.items()),
        "update": _update,
        "keys": lambda builder, owner, given, span: Items(owner),
        "values": lambda builder, owner, given, span: Items(owner.values()),
    },
}
"""Methods of lists and dictionaries."""


# what Python's operators do with what is no array --------------------------------------------------------


def truth_of(value: Value) -> bool | None:
    """Whether a value counts as true, where that is known without any inputs; None where not."""
    if not isinstance(value, Node):
        return bool(value)
    return bool(value.attrs["value"].data) if is_constant(value) and value.size == 1 else None


def would_join(left: Value, right: Value) -> bool:
    """Whether a list meets a list or a number: NumPy adds them, but in Python `+` joins and `*` repeats."""
    lists = [one for one in (left, right) if isinstance(one, (list, tuple))]
    others = [one for one in (left, right) if isinstance(one, Node) and one.ndim]
    return bool(lists) and not others


def is_static(operator: str, left: Value, right: Value) -> bool:
    """Whether a comparison is Python's own: of texts, of None, of shapes, or of what something is among."""
    if operator in ("in", "not in", "is", "is not"):
        return True
    if any(one is None or isinstance(one, (str, dict)) for one in (left, right)):
        return True
    return isinstance(left, tuple) and isinstance(right, tuple)


def compared(operator: str, left: Any, right: Any, span: Span) -> bool:
    """Whether Python's comparison of two values that are no arrays holds."""
    if operator in ("is", "is not"):
        if left is not None and right is not None and not isinstance(left, bool) and not isinstance(right, bool):
            helps = ["compare with `==`"]
            raise GradcalcError("type", "`is` does not compare numbers", labels=[Label(span)], helps=helps)
        return (left is right) == (operator == "is")
    try:
        if operator in ("in", "not in"):
            return (left in right) == (operator == "in")
        return bool(_PYTHONS[operator](left, right))
    except TypeError:
        raise GradcalcError("type", f"`{operator}` does not compare these", labels=[Label(span)]) from None


_PYTHONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def python_takes(name: str, positional: Sequence[Value]) -> bool:
    """Whether Python's `sum`, `max` or `min` would do with these in a file, where NumPy's would be written `np.sum`."""
    if len(positional) == 1:
        return isinstance(positional[0], (list, tuple)) or (
            name == "sum" and isinstance(positional[0], Node) and positional[0].ndim > 1
        )
    return all(not isinstance(one, Node) or one.ndim == 0 for one in positional)
