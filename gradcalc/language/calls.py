"""A call's arguments: which parameter each belongs to, and as what kind of value the function takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError, Label, Span, nearest
from ..graph import Entry, Node, inputs_of
from ..ops import indexing
from ..ops.kinds import Index, Known
from . import dialects
from .values import Key, Value, node_of


class Signature(NamedTuple):
    """A function's parameters: names, annotations, defaults, and the name under which more arrays may follow.

    After such arrays stand parameters that are given by name only; `by_place` counts those before.
    """

    names: list[str]
    kinds: dict[str, str]
    defaults: dict[str, Any]
    rest: str | None
    by_place: int


@cache
def signature_of(entry: Entry) -> Signature:
    """The parameters of an operation, read off its `call`, which is a plain function."""
    call: Any = entry.call
    code, defaults = call.__code__, call.__defaults__ or ()
    by_place, count = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[:count])
    takes_more = code.co_flags & 0x04  # CO_VARARGS
    rest = code.co_varnames[count] if takes_more else None
    known = dict(zip(names[by_place - len(defaults) : by_place], defaults, strict=True))
    return Signature(names, call.__annotations__, known | (call.__kwdefaults__ or {}), rest, by_place)


def shown_signature(entry: Entry, dialect: str = "") -> str:
    """How a call looks: `sum(x, axis=None, keepdims=False)`, with the names that a library gives its arguments."""
    own, kinds, own_defaults, rest, by_place = signature_of(entry)
    names = [dialects.library_name(one, dialect) for one in own]
    defaults = {dialects.library_name(one, dialect): value for one, value in own_defaults.items()}
    parts = [f"{one}={defaults[one]!r}" if one in defaults else one for one in names]
    parts[by_place:by_place] = [f"*{rest}"] if rest else []
    parts = [f"*{part}" if kinds.get(part) == "Arrays" else part for part in parts]
    return f"{entry.name}({', '.join(parts)})"


class Arguments(NamedTuple):
    """What a call was given: values by place, then values by name with their places in the text."""

    positional: Sequence[Value]
    named: Mapping[str, tuple[Value, Span]]
    span: Span
    dialect: str = ""
    is_method: bool = False


class Bound(NamedTuple):
    """Arguments as a function takes them: those by place, and those that it takes by name only."""

    by_place: list[Any]
    by_name: dict[str, Any]
    held: Sequence[str] = ()


def bound(entry: Entry, name: str, given: Arguments, fixed: Callable[[Value], Any]) -> Bound:
    """The arguments in the order of the function's parameters, each as the kind it takes.

    `fixed` turns a value into plain Python numbers, for parameters that are no arrays.
    """
    signature = signature_of(entry)
    count = signature.by_place
    given = given._replace(positional=_one_by_one(signature, given))
    if given.is_method or given.dialect in ("torch", ""):
        given = given._replace(positional=_collected(signature, given.positional))
    if len(given.positional) > count and signature.rest is None:
        raise _wrong(
            f"`{name}` takes at most {_counted(count, 'argument')}, got {len(given.positional)}", entry, given.span
        )
    values = dict(zip(signature.names[:count], given.positional, strict=False))
    for parameter, value in _named(entry, name, given):
        values[parameter] = value
    missing = [f"`{one}`" for one in signature.names if one not in values and one not in signature.defaults]
    if missing:
        raise _wrong(f"`{name}` needs {' and '.join(missing)}", entry, given.span, (), given.dialect)
    if given.dialect == "torch":
        values = {one: _all_axes(signature.kinds[one], value) for one, value in values.items()}
    ready = {
        one: _converted(one, signature.kinds[one], values.get(one, signature.defaults.get(one)), name, fixed)
        for one in signature.names
    }
    held = [
        dialects.library_name(one, given.dialect) for one, value in values.items() if _is_held(signature, one, value)
    ]
    by_place = [ready.pop(one) for one in signature.names[:count]]
    return Bound(by_place + [node_of(value) for value in given.positional[count:]], ready, held)


def _is_held(signature: Signature, parameter: str, value: Value) -> bool:
    """Whether a parameter that is a plain number was given one that depends on the inputs."""
    kind = signature.kinds[parameter]
    return "float" in kind and "Node" not in kind and isinstance(value, Node) and bool(inputs_of([value]))


def _all_axes(kind: str, value: Value) -> Value:
    """No axes at all: PyTorch reduces over every axis then, where NumPy reduces over none."""
    return None if "Axis" in kind and isinstance(value, (list, tuple)) and not value else value


def _one_by_one(signature: Signature, given: Arguments) -> Sequence[Value]:
    """Arrays given one by one, as in `meshgrid(x, y)`, gathered into one list; PyTorch takes a list of them too."""
    positional = given.positional
    place = next((i for i, one in enumerate(signature.names) if signature.kinds[one] == "Arrays"), None)
    if place is None:
        return positional
    rest = list(positional[place:])
    if given.dialect == "torch" and len(rest) == 1 and isinstance(rest[0], (list, tuple)):
        rest = list(rest[0])
    return [*positional[:place], rest]


def _collected(signature: Signature, positional: Sequence[Value]) -> Sequence[Value]:
    """Lengths or axes given one by one, as in `x.reshape(2, -1)` or `torch.zeros(2, 3)`, gathered into one tuple."""
    place = next((i for i, one in enumerate(signature.names) if "Lengths" in signature.kinds[one]), None)
    if place is None or len(positional) <= place + 1:
        return positional
    end = place
    while end < len(positional) and isinstance(positional[end], Node) and positional[end].ndim == 0:
        end += 1
    return positional if end == place else [*positional[:place], tuple(positional[place:end]), *positional[end:]]


def _named(entry: Entry, name: str, given: Arguments) -> Iterator[tuple[str, Value]]:
    """The named arguments under the catalogue's names."""
    names = signature_of(entry).names
    taken = set(names[: min(len(given.positional), signature_of(entry).by_place)])
    for word, (value, span) in given.named.items():
        parameter = dialects.argument_name(word, names, given.dialect)
        if parameter not in names:
            raise _unknown_argument(entry, name, word, span, given.dialect)
        if parameter in taken:
            raise _wrong(f"`{name}` got `{word}` twice", entry, span)
        taken.add(parameter)
        yield parameter, value


def _unknown_argument(entry: Entry, name: str, word: str, span: Span, dialect: str) -> GradcalcError:
    """The error for an argument that a function does not have, with the one that was probably meant."""
    names = signature_of(entry).names
    other = dialects.argument_name(word, names)
    if other in names:
        called = {"numpy": "NumPy", "jax": "JAX", "scipy": "SciPy"}.get(dialect, "this library")
        helps = [f"{called} calls it `{other}`: `{other}={span.text.partition('=')[2].strip()}`"]
    else:
        known = [dialects.library_name(one, dialect) for one in names]
        along = [one for one in known if one in ("axis", "dim") and word[:2] in ("ax", "di")]
        found = next(iter(along), None) or nearest(word, known)
        helps = [f"did you mean `{found}`?"] if found else []
    return _wrong(f"`{name}` has no argument `{word}`", entry, span, helps, dialect)


def _wrong(message: str, entry: Entry, span: Span, helps: Sequence[str] = (), dialect: str = "") -> GradcalcError:
    notes = [f"it is called as `{shown_signature(entry, dialect)}`"]
    return GradcalcError("arguments", message, labels=[Label(span)], notes=notes, helps=helps)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


# kinds of parameter -------------------------------------------------------------------------------


def _converted(parameter: str, kind: str, value: Value, name: str, fixed: Callable[[Value], Any]) -> Any:
    """An argument as the kind that its parameter's annotation names."""
    if "Sequence[Node]" in kind or kind == "Arrays":
        return [node_of(one) for one in _rows(value)]
    if "Known" in kind:
        return None if value is None else Known(node_of(value), np.asarray(fixed(value), np.float64))
    if kind in _READ:
        if value is None and "None" not in kind:
            raise GradcalcError("arguments", f"`{parameter}` of `{name}` must be given, got None")
        return None if value is None else _READ[kind](value, parameter, name, fixed)
    if "Node" in kind:
        return None if value is None and "None" in kind else node_of(value)
    plain = fixed(value)
    choices = kind.split(" | ")
    if not any(_FITS[choice](plain) for choice in choices):
        if "bool" in choices and isinstance(plain, int):
            return bool(plain)
        wanted = next(_WANTED[choice] for choice in _WANTED if choice in choices)
        got = repr(plain) if len(repr(plain)) < 40 and _is_plain(plain) else "something else"
        raise GradcalcError("arguments", f"`{parameter}` of `{name}` must be {wanted}, got {got}")
    return plain


def _index(value: Value, parameter: str, name: str, fixed: Callable[[Value], Any]) -> Index:
    """Places as a node, with the numbers that they are at the inputs."""
    places = node_of(value)
    numbers = _numbers(places, fixed)
    if places.boolean or np.any(numbers != np.floor(numbers)):
        raise GradcalcError("index", f"`{parameter}` of `{name}` must be whole numbers")
    return Index(places, numbers.astype(np.intp))


def _mask(value: Value, parameter: str, name: str, fixed: Callable[[Value], Any]) -> Any:
    """Truth values as they are at the inputs; numbers other than 0 are true."""
    return _numbers(node_of(value), fixed) != 0


def _numbers(given: Node, fixed: Callable[[Value], Any]) -> Any:
    return np.reshape(np.asarray(fixed(given), np.float64), given.shape)


def _cuts(value: Value, parameter: str, name: str, fixed: Callable[[Value], Any]) -> Any:
    """A place, a slice, several places, or a mask, in plain Python or NumPy."""
    if isinstance(value, Key) and len(value.parts) == 1:
        value = value.parts[0]
    if isinstance(value, slice):
        return value
    places = node_of(value)
    return _mask(places, parameter, name, fixed) if places.boolean else _index(places, parameter, name, fixed).numbers


_READ: dict[str, Callable[..., Any]] = {
    "Index": _index,
    "Index | None": _index,
    "Mask": _mask,
    "Mask | None": _mask,
    "Cuts": _cuts,
}
"""Annotations of arguments that are read at the inputs, because they say where or which."""


def _rows(value: Value) -> Sequence[Value]:
    """A list of arrays; of one array, its slices along the first axis."""
    if not isinstance(value, Node):
        return value if isinstance(value, (list, tuple)) else [value]
    return [indexing.element(value, -value.ndim, i) for i in range(value.shape[0])] if value.ndim else [value]


def _is_plain(plain: Any) -> bool:
    return plain is None or isinstance(plain, (bool, int, float, str, tuple))


def _is_whole(plain: Any) -> bool:
    return isinstance(plain, int) and not isinstance(plain, bool)


def _are_whole(plain: Any) -> bool:
    return isinstance(plain, tuple) and all(map(_is_whole, plain))


def _is_axis(plain: Any) -> bool:
    return plain is None or _is_whole(plain) or _are_whole(plain)


def _are_pairs(plain: Any) -> bool:
    return isinstance(plain, tuple) and len(plain) == 2 and all(_is_whole(one) or _are_whole(one) for one in plain)


def _is_number(plain: Any) -> bool:
    return isinstance(plain, (int, float)) and not isinstance(plain, bool)


def _each(plain: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(plain, tuple) and all(map(fits, plain))


_FITS: dict[str, Callable[[Any], bool]] = {
    "bool": lambda plain: isinstance(plain, bool),
    "int": _is_whole,
    "float": lambda plain: _is_number(plain),
    "str": lambda plain: isinstance(plain, str),
    "None": lambda plain: plain is None,
    "tuple[int, ...]": _are_whole,
    "tuple[tuple[int, ...], tuple[int, ...]]": _are_pairs,
    "Axis": _is_axis,
    "Lengths": lambda plain: _is_whole(plain) or _are_whole(plain),
    "Labels": lambda plain: _is_whole(plain) or (isinstance(plain, tuple) and all(map(_FITS["Labels"], plain))),
    "object": lambda plain: True,
    "PerAxis": lambda plain: _is_whole(plain) or _are_whole(plain),
    "Sizes": lambda plain: _is_axis(plain) or _each(plain, lambda one: one is None or _is_whole(one)),
    "Factors": lambda plain: _is_number(plain) or _each(plain, _is_number),
    "Widths": lambda plain: _is_whole(plain) or _each(plain, lambda one: _is_whole(one) or _are_whole(one)),
}
"""The annotations that parameters have, and whether a plain value is what each says."""

_WANTED = {
    "tuple[tuple[int, ...], tuple[int, ...]]": "a pair of axes or lists of axes",
    "tuple[int, ...]": "whole numbers",
    "Axis": "whole numbers",
    "Lengths": "whole numbers",
    "Labels": "whole numbers",
    "PerAxis": "whole numbers",
    "Sizes": "whole numbers",
    "Widths": "whole numbers or pairs of them",
    "Factors": "numbers",
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
    "str": "text",
}
