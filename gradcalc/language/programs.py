"""Statements: what an assignment, a loop, a condition or a call of a text's own function does to the names.

A loop is unrolled and a function's body put in the place of its call; equal expressions are one node, so the
graph is as small as what is computed. Conditions on numbers are decided at the given inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import GradcalcError, Label, Span
from ..graph import Node, is_constant
from ..ops import indexing
from .scopes import Scope
from .syntax import (
    Assign,
    Block,
    Comprehension,
    Define,
    Evaluate,
    Expression,
    For,
    If,
    Jump,
    Lambda,
    Name,
    Return,
    Starred,
    Statement,
    Subscript,
    While,
)
from .syntax import Sequence as Listed
from .trampoline import Steps
from .values import Function, Items, Value, node_of, short
from .wholes import is_whole

if TYPE_CHECKING:
    from .builder import Builder

MOST_STATEMENTS = 1_000_000
"""Statements that a text may run through, loops unrolled: some ten seconds of them."""

DEEPEST = 1_000
"""Calls inside calls, as many as Python itself allows."""


class Returned(NamedTuple):
    """What a block says by `return`: a value, and where it stands."""

    value: Value
    span: Span
    written: Expression | None = None


Signal = Returned | str | None
"""How a block ended: by `return`, `break` or `continue`, or (None) at its end."""


def run_block(builder: Builder, block: Block) -> Steps:
    """Run the statements of a block in order; its value is a Signal."""
    for statement in block:
        signal = yield run_statement(builder, statement)
        if signal is not None:
            return signal
    return None


def run_statement(builder: Builder, statement: Statement) -> Any:
    """The steps of one statement, which end in a Signal."""
    builder.ran += 1
    if builder.ran > MOST_STATEMENTS:
        raise GradcalcError(
            "too-long",
            f"the text runs through more than {MOST_STATEMENTS:,} statements",
            labels=[Label(statement.span)],
            helps=["write the loop with whole arrays, or make it end earlier"],
            limit=True,
        )
    return _RUN[type(statement)](builder, statement)


# assignments ------------------------------------------------------------------------------------------


def _assign(builder: Builder, statement: Assign) -> Steps:
    value = yield builder.value(statement.value)
    source = statement.value
    for target in statement.targets:
        owner = _owner(target)
        if owner is not None and _writes(builder, statement, target):
            builder.memory.refuse_shared(owner, statement, builder.scope)
        if statement.operator is not None:
            old = yield builder.value(target)
            grown = _extended(old, value, statement)
            span = statement.span
            value = builder.operate(statement.operator, old, value, span, span) if grown is None else grown
        span = statement.value.span if isinstance(target, Listed) else statement.span
        handed_on = isinstance(target, Name) and builder.handed_on == source.span
        yield store(builder, target, value, span, borrowed=handed_on)
        if isinstance(target, Name):
            (builder.scope.whole.add if is_whole(statement.value) else builder.scope.whole.discard)(target.name)
        if statement.operator is None:
            builder.memory.share(target, source, builder.scope)
            source = target if isinstance(target, Name) else source  # in `a = b = …` both are one array
    return None


def _writes(builder: Builder, statement: Assign, target: Expression) -> bool:
    """Whether an assignment writes into memory; one to an item of a list or dictionary only puts another there."""
    if statement.operator is None and isinstance(target, Subscript) and isinstance(target.value, Name):
        value = builder.scope.find(target.value.name) if target.value.name in builder.scope else None
        return not isinstance(value, (list, dict))
    return statement.operator is not None or isinstance(target, Subscript)


def _owner(target: Any) -> Name | None:
    """The name whose value an assignment to a target changes."""
    while isinstance(target, Subscript):
        target = target.value
    return target if isinstance(target, Name) else None


def _extended(old: Value, value: Value, statement: Assign) -> Value:
    """`rows += [row]`: Python's list grows in its place."""
    if type(old) is not list or statement.operator != "+" or not isinstance(value, (list, tuple)):
        return None
    old.extend(value)
    return old


def store(builder: Builder, target: Expression, value: Value, span: Span, *, borrowed: bool = False) -> Steps:
    """Give a target a value: a name, several names, or an element of an array, list or dictionary."""
    if isinstance(target, Name):
        builder.scope.set(target.name, value, borrowed=borrowed)
    elif isinstance(target, Listed):
        for part, item in zip(target.items, _unpacked(builder, target, value, span), strict=True):
            yield store(builder, part, item, span, borrowed=borrowed)
    elif isinstance(target, Starred):
        yield store(builder, target.value, value, span, borrowed=borrowed)
    elif isinstance(target, Subscript):
        yield _store_element(builder, target, value, span)
    return None


def _store_element(builder: Builder, target: Subscript, value: Value, span: Span) -> Steps:
    owner, scope = target.value, builder.scope
    if isinstance(owner, Name) and owner.name not in scope.names:
        around = scope.find(owner.name) if owner.name in scope else None
        if not isinstance(around, (list, dict)):  # those are changed in place, for all who know them
            raise _not_made_here(builder, owner)
    old = yield builder.value(target.value)
    key = yield builder.key(target.parts)
    if isinstance(old, dict):
        old[builder.dictionary_key(key, target)] = value
        return None
    if isinstance(old, list) and len(key) == 1 and isinstance(key[0], Node) and key[0].ndim == 0:
        try:
            old[int(builder.fixed(key[0]))] = value
        except (IndexError, TypeError, ValueError):
            message = f"there is no such place in a list of {len(old)}"
            raise GradcalcError("index", message, labels=[Label(target.span)]) from None
        return None
    if type(old) is list and len(key) == 1 and isinstance(key[0], slice) and isinstance(value, (list, tuple)):
        old[key[0]] = list(value)
        return None
    array = builder.array(old, target.value.span)
    written = _owner(target)
    if written is not None and written.name in builder.scope.whole and not _fits_whole(value):
        raise _cut_off(written)
    if isinstance(target.value, Subscript):
        _check_own_array(builder, array, target)
    made = builder.located(lambda: builder.written(array, key, node_of(value)), span)
    return (yield store(builder, target.value, made, span))


def _fits_whole(value: Value) -> bool:
    """Whether an array of whole numbers keeps a value as it is."""
    if not isinstance(value, Node):
        return False
    return value.boolean or (is_constant(value) and not np.any(value.attrs["value"].data % 1))


def _cut_off(name: Name) -> GradcalcError:
    return GradcalcError(
        "type",
        f"`{name.name}` holds whole numbers, which cut off what is written into them",
        labels=[Label(name.span)],
        helps=["make it an array of real numbers: `np.array([1.0, 2.0])`, or `dtype=float`"],
    )


def _check_own_array(builder: Builder, array: Node, target: Subscript) -> None:
    """`rows[0][1] = …` writes into an array that must have no other name, and no place chosen by an array."""
    names = [name for name, value in builder.scope.all().items() if value is array]
    inner = target.value
    if names and isinstance(inner, Subscript):
        raise GradcalcError(
            "shared",
            f"`{short(inner.span.text, 20)}` and `{names[0]}` are one array in NumPy: writing into one changes both",
            labels=[Label(target.span)],
            helps=["where it enters the list, make a copy: `a.copy()`"],
        )


def _not_made_here(builder: Builder, name: Name) -> GradcalcError:
    helps = (
        [f"copy it first: `y = {name.name} + 0; y[…] = …`"]
        if name.name in builder.inputs or name.name in builder.scope
        else [f"make it first: `{name.name} = zeros((2, 2))`"]
    )
    message = f"`{name.name}` is not an array made here, so its elements cannot be assigned"
    return GradcalcError("name", message, labels=[Label(name.span)], helps=helps)


def _unpacked(builder: Builder, target: Listed, value: Value, span: Span) -> list[Value]:
    """The values of several targets: as many as there are, or one `*rest` takes what is left."""
    items = None if isinstance(value, str) else items_of(value)
    stars = [i for i, part in enumerate(target.items) if isinstance(part, Starred)]
    count = len(target.items)
    if items is not None:
        found = list(items)
        if len(stars) == 1 and len(found) >= count - 1:
            start, end = stars[0], len(found) - (count - stars[0] - 1)
            return [*found[:start], found[start:end], *found[end:]]
        if not stars and len(found) == count:
            return found
    given = "one value" if items is None else f"{len(list(items))} values"
    message = f"cannot unpack {given} into {count} names"
    raise GradcalcError("type", message, labels=[Label(span, given)])


def items_of(value: Value) -> Iterable[Value] | None:
    """What a loop over a value goes through: items, rows, keys; None for what has none."""
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, Node) and value.ndim:
        return [indexing.element(value, -value.ndim, i) for i in range(value.shape[0])]
    return None


def _each(value: Value, span: Span) -> Iterable[Value]:
    items = items_of(value)
    if items is None:
        what = "a number" if isinstance(value, Node) else "this"
        helps = ["count with `range(…)`"] if isinstance(value, Node) else []
        raise GradcalcError("type", f"a loop cannot go through {what}", labels=[Label(span)], helps=helps)
    return items


# control ----------------------------------------------------------------------------------------------


def _evaluate(builder: Builder, statement: Evaluate) -> Steps:
    if not builder.passes_over(statement.value):
        yield builder.value(statement.value)
    return None


def _return(builder: Builder, statement: Return) -> Steps:
    if statement.value is None:
        return Returned(None, statement.span)
    return Returned((yield builder.value(statement.value)), statement.value.span, statement.value)


def _jump(builder: Builder, statement: Jump) -> str:
    return statement.word


def _choose(builder: Builder, statement: If) -> Steps:
    for condition, block in statement.branches:
        if condition is None or (yield builder.decided(condition)):
            return (yield run_block(builder, block))
    return None


def _loop(builder: Builder, statement: For) -> Steps:
    iterable = yield builder.value(statement.iterable)
    for item in _each(iterable, statement.iterable.span):
        yield store(builder, statement.target, item, statement.span, borrowed=True)
        signal = yield run_block(builder, statement.body)
        if signal == "break":
            return None
        if isinstance(signal, Returned):
            return signal
        builder.ran += 1
    return (yield run_block(builder, statement.otherwise))


def _repeat(builder: Builder, statement: While) -> Steps:
    while (yield builder.decided(statement.condition)):
        signal = yield run_block(builder, statement.body)
        if signal == "break":
            return None
        if isinstance(signal, Returned):
            return signal
        builder.ran += 1
        if builder.ran > MOST_STATEMENTS:
            run_statement(builder, statement)
    return (yield run_block(builder, statement.otherwise))


# functions --------------------------------------------------------------------------------------------


def _define(builder: Builder, statement: Define) -> Steps:
    made = yield function_of(builder, statement, statement.name)
    builder.scope.set(statement.name, made)
    return None


def function_of(builder: Builder, written: Define | Lambda, name: str) -> Steps:
    """A function as a value; defaults are evaluated now, as in Python."""
    defaults: dict[str, Value] = {}
    for one in written.parameters:
        if one.default is not None:
            defaults[one.name] = yield builder.value(one.default)
    return Function(name, written.parameters, defaults, written.body, builder.scope, written.span)


def call_function(
    builder: Builder,
    function: Function,
    positional: Sequence[Value],
    named: Mapping[str, tuple[Value, Span]],
    span: Span,
) -> Steps:
    """The value of a function's body, with its parameters standing for the arguments."""
    if builder.depth >= DEEPEST:
        message = f"`{function.name}` calls itself more than {DEEPEST:,} times deep"
        raise GradcalcError("too-long", message, labels=[Label(span)], helps=["let it end earlier"], limit=True)
    inner = Scope(function.scope)
    for name, value in _arguments(function, positional, named, span).items():
        inner.set(name, value, borrowed=True)
    outer, builder.scope = builder.scope, inner
    builder.depth += 1
    try:
        if hasattr(function.body, "span"):  # a lambda's, one expression
            value = yield builder.value(function.body)
            builder.handed_on = span if _is_from_outside(function.body, inner) else None
            return value
        signal = yield run_block(builder, function.body)
        is_returned = isinstance(signal, Returned)
        builder.handed_on = span if is_returned and _is_from_outside(signal.written, inner) else None
        return signal.value if is_returned else None
    finally:
        builder.scope = outer
        builder.depth -= 1


def _is_from_outside(expression: Expression | None, scope: Scope) -> bool:
    """Whether what a function returns is an array that it was given, or that stands around it."""
    name = expression.name if isinstance(expression, Name) else None
    return name is not None and (name in scope.borrowed or name not in scope.names)


def _arguments(
    function: Function, positional: Sequence[Value], named: Mapping[str, tuple[Value, Span]], span: Span
) -> dict[str, Value]:
    """The values of a function's parameters."""
    plain = [one.name for one in function.parameters if not one.kind]
    values: dict[str, Value] = dict(zip(plain, positional, strict=False))
    rest = [one for one in function.parameters if one.kind == "*"]
    left = list(positional[len(plain) :])
    known = [*plain, *(one.name for one in function.parameters if one.kind == "=")]
    if rest:
        values[rest[0].name] = tuple(left)
    elif left:
        message = f"`{function.name}` takes {len(plain)} argument{'s' * (len(plain) != 1)}, got {len(positional)}"
        raise GradcalcError("arguments", message, labels=[Label(span)])
    extra: dict[str, Value] = {}
    for name, (value, place) in named.items():
        if name in values or (name not in known and not any(one.kind == "**" for one in function.parameters)):
            message = (
                f"`{function.name}` got `{name}` twice"
                if name in values
                else f"`{function.name}` has no argument `{name}`"
            )
            raise GradcalcError("arguments", message, labels=[Label(place)])
        (values if name in known else extra)[name] = value
    values |= {one.name: extra for one in function.parameters if one.kind == "**"}
    missing = [f"`{name}`" for name in known if name not in values and name not in function.defaults]
    if missing:
        raise GradcalcError("arguments", f"`{function.name}` needs {' and '.join(missing)}", labels=[Label(span)])
    return {**function.defaults, **values}


def comprehend(builder: Builder, expression: Comprehension) -> Steps:
    """The list or dictionary that a comprehension makes, or the items that a generator goes through."""
    found: list[Value] = [] if expression.bracket == "[" else Items()
    outer, builder.scope = builder.scope, Scope(builder.scope)
    try:
        yield _clause(builder, expression, 0, found)
    finally:
        builder.scope = outer
    return {builder.fixed(key): value for key, value in found} if expression.bracket == "{" else found


def _clause(builder: Builder, expression: Comprehension, at: int, found: list[Value]) -> Steps:
    if at == len(expression.clauses):
        found.append((yield builder.value(expression.element)))
        return None
    clause = expression.clauses[at]
    iterable = yield builder.value(clause.iterable)
    for item in _each(iterable, clause.iterable.span):
        builder.ran += 1
        yield store(builder, clause.target, item, clause.target.span, borrowed=True)
        for condition in clause.conditions:
            if not (yield builder.decided(condition)):
                break
        else:
            yield _clause(builder, expression, at + 1, found)
    return None


_RUN: dict[type, Callable[[Builder, Any], Any]] = {
    Assign: _assign,
    Evaluate: _evaluate,
    Return: _return,
    Jump: _jump,
    If: _choose,
    For: _loop,
    While: _repeat,
    Define: _define,
}
