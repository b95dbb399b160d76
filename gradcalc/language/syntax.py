"""The syntax tree: what a text says, before anything is known about shapes or numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from ..errors import GradcalcError, Source, Span


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


class Starred(NamedTuple):
    """`*rows` among arguments, items or targets."""

    span: Span
    value: Expression


class Dictionary(NamedTuple):
    """`{"w": w, **more}`; keys and values in order, without a key what is spread out."""

    span: Span
    items: tuple[tuple[Expression | None, Expression], ...]


class Formatted(NamedTuple):
    """`f"w{i}"`; texts and expressions in order."""

    span: Span
    parts: tuple[Expression, ...]


class Parameter(NamedTuple):
    """A parameter of a function; `kind` is `*` or `**` where it takes all that is left, `=` where it must be named."""

    name: str
    default: Expression | None
    kind: str
    span: Span


class Lambda(NamedTuple):
    """`lambda x, n=2: x**n`."""

    span: Span
    parameters: tuple[Parameter, ...]
    body: Expression


class Clause(NamedTuple):
    """`for i in range(3) if i > 0` of a comprehension."""

    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]


class Comprehension(NamedTuple):
    """`[f(x) for x in xs]`, in round brackets a generator, in braces a dictionary whose element is a pair."""

    span: Span
    element: Expression
    clauses: tuple[Clause, ...]
    bracket: str


class Unread(NamedTuple):
    """Something that Python knows and gradcalc does not: an error, once it is to be evaluated; and names it assigns."""

    span: Span
    error: GradcalcError
    names: tuple[str, ...] = ()


Expression: TypeAlias = (
    "Number | Text | Name | Dots | Unary | Binary | Comparison | Conditional | Call | Attribute | Slice"
    " | Subscript | Sequence | Starred | Dictionary | Formatted | Lambda | Comprehension | Unread"
)


class Assign(NamedTuple):
    """`a = …`, `a = b = …`, `a, b = …`, `n[0] = …`, `a += …` (operator `+`)."""

    span: Span
    targets: tuple[Expression, ...]
    operator: str | None
    value: Expression


class Evaluate(NamedTuple):
    """An expression standing alone; the last one of a program is its value."""

    span: Span
    value: Expression


class Return(NamedTuple):
    """`return …`."""

    span: Span
    value: Expression | None


class Jump(NamedTuple):
    """`break`, `continue`."""

    span: Span
    word: str


class If(NamedTuple):
    """`if …: … elif …: … else: …`; the last branch's condition may be None."""

    span: Span
    branches: tuple[tuple[Expression | None, Block], ...]


class For(NamedTuple):
    """`for target in iterable: … else: …`."""

    span: Span
    target: Expression
    iterable: Expression
    body: Block
    otherwise: Block


class While(NamedTuple):
    """`while condition: … else: …`."""

    span: Span
    condition: Expression
    body: Block
    otherwise: Block


class Define(NamedTuple):
    """`def f(x): …`; the span is that of its first line."""

    span: Span
    name: str
    parameters: tuple[Parameter, ...]
    body: Block


Statement: TypeAlias = "Assign | Evaluate | Return | Jump | If | For | While | Define"
Block: TypeAlias = tuple[Statement, ...]


class Program(NamedTuple):
    """A whole text.

    Attributes:
        statements: in order; imports and docstrings are no statements.
        prefixes: words before a point that may be libraries.
        aliases: names that imports gave to libraries and their functions, with the words they stand for.
        imported: the libraries that are imported.
        notes: on how the text was read.
    """

    source: Source
    statements: Block
    prefixes: frozenset[str]
    aliases: Mapping[str, tuple[str, ...]]
    imported: frozenset[str]
    notes: tuple[str, ...]
