"""The syntax tree: what a text says, before anything is known about shapes or numbers."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ..errors import Source, Span


class Number(NamedTuple):
    """`3`, `1e-3`."""

    span: Span
    value: float


class Text(NamedTuple):
    """`'ij,jk->ik'`."""

    span: Span
    value: str


class Name(NamedTuple):
    """`x`, `pi`, `np`."""

    span: Span
    name: str


class Dots(NamedTuple):
    """`...` in an index."""

    span: Span


class Unary(NamedTuple):
    """`-x`, `+x`, `~mask`, `not condition`."""

    span: Span
    operator: str
    operand: Expression


class Binary(NamedTuple):
    """`a + b`, `a and b`."""

    span: Span
    operator: str
    left: Expression
    right: Expression
    place: Span


class Comparison(NamedTuple):
    """`a < b <= c`: every neighbouring pair compared, all of them to hold."""

    span: Span
    first: Expression
    rest: tuple[tuple[str, Expression, Span], ...]


class Conditional(NamedTuple):
    """`a if condition else b`."""

    span: Span
    condition: Expression
    then: Expression
    otherwise: Expression


class Argument(NamedTuple):
    """One argument of a call, perhaps with a name."""

    name: str | None
    value: Expression
    span: Span


class Call(NamedTuple):
    """`sum(x, axis=0)`."""

    span: Span
    function: Expression
    arguments: tuple[Argument, ...]


class Attribute(NamedTuple):
    """`x.T`, `np.sum`."""

    span: Span
    value: Expression
    name: str
    place: Span


class Slice(NamedTuple):
    """`1:n:2` in an index."""

    span: Span
    start: Expression | None
    stop: Expression | None
    step: Expression | None


class Subscript(NamedTuple):
    """`x[i, :]`; the index's parts in order."""

    span: Span
    value: Expression
    parts: tuple[Expression, ...]


class Sequence(NamedTuple):
    """`[a, b]` or `(a, b)`."""

    span: Span
    items: tuple[Expression, ...]
    bracket: str


Expression: TypeAlias = (
    "Number | Text | Name | Dots | Unary | Binary | Comparison | Conditional | Call | Attribute | Slice"
    " | Subscript | Sequence"
)


class Assign(NamedTuple):
    """`a = …`, `a, b = …`, `n[0] = …`, `a += …` (operator `+`)."""

    span: Span
    target: Expression
    operator: str | None
    value: Expression


class Evaluate(NamedTuple):
    """An expression standing alone; the last one of a program is its value."""

    span: Span
    value: Expression


Statement: TypeAlias = Assign | Evaluate


class Program(NamedTuple):
    """A whole text: its statements, words before a point that may be libraries, and notes on how it was read."""

    source: Source
    statements: tuple[Statement, ...]
    prefixes: frozenset[str]
    notes: tuple[str, ...]
