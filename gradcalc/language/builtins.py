"""Python's own functions and methods that programs use on lists, ranges and dictionaries; and JAX's `x.at`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import GradcalcError, Label, Span
from ..graph import CATALOGUE, Node, as_node, constant
from ..ops import indexing
from . import programs
from .trampoline import Steps
from .values import At, Items, Library, Method, Value, node_of

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
    if len(numbers) > programs.MOST_STATEMENTS:
        message = f"`range` of {len(numbers):,} numbers"
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
        return _spelled(given[0], span)
    value = node_of(given[0])
    if value.size != 1:
        raise GradcalcError("type", f"`float` of shape {value.shape}: it takes one number", labels=[Label(span)])
    return CATALOGUE["real"](value) if value.boolean else CATALOGUE["reshape"](value, ()) if value.ndim else value


def _spelled(text: str, span: Span) -> Node:
    """`float("-inf")`."""
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
        "keys": lambda builder, owner, given, span: Items(owner),
        "values": lambda builder, owner, given, span: Items(owner.values()),
    },
}
"""Methods of lists and dictionaries."""


# JAX's updates ------------------------------------------------------------------------------------------

_UPDATES: dict[str, Callable[[Node, Node], Node]] = {
    "set": lambda old, new: new,
    "add": lambda old, new: old + new,
    "subtract": lambda old, new: old - new,
    "multiply": lambda old, new: old * new,
    "mul": lambda old, new: old * new,
    "divide": lambda old, new: old / new,
    "power": lambda old, new: old**new,
    "min": lambda old, new: CATALOGUE["minimum"](old, new),
    "max": lambda old, new: CATALOGUE["maximum"](old, new),
}


def updated(method: Method, given: Sequence[Value], known: Callable[[Node], Any]) -> Node:
    """`x.at[key].set(y)` and its relatives: a new array, in which elements named twice count twice for `add`."""
    at: At = method.owner
    if at.key is None:
        raise GradcalcError("index", "`at` needs an index", helps=["write `x.at[0].set(3)`"])
    if method.name == "get":
        return indexing.get(at.owner, at.key, known)
    if method.name not in _UPDATES:
        raise GradcalcError(
            "unknown-function", f"`at[…]` has no `{method.name}`", helps=[f"it has {', '.join(_UPDATES)}"]
        )
    if len(given) != 1:
        raise GradcalcError("arguments", f"`{method.name}` takes one value, got {len(given)}")
    value = as_node(node_of(given[0]))
    if method.name == "add":
        return indexing.put(at.owner, at.key, value, known, add=True)
    _refuse_repeated(at, method.name, known)
    old = indexing.get(at.owner, at.key, known)
    return indexing.put(at.owner, at.key, _UPDATES[method.name](old, value), known)


def _refuse_repeated(at: At, name: str, known: Callable[[Node], Any]) -> None:
    """An element named twice would be changed twice in JAX."""
    import numpy as np

    places = constant(np.arange(at.owner.size, dtype=np.float64).reshape(at.owner.shape))
    chosen = np.asarray(known(indexing.get(places, at.key or [], known)))
    if name != "set" and np.unique(chosen).size < chosen.size:
        raise GradcalcError("index", f"an index that names an element twice is not read before `{name}`")
