"""The names that a program reads: the inputs it needs, known before any shape is; and in which order it uses them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any, NamedTuple

from ..errors import GradcalcError, Span, nearest
from ..graph import SPELLINGS
from . import dialects
from .syntax import (
    Assign,
    Attribute,
    Block,
    Call,
    Comprehension,
    Define,
    Evaluate,
    Expression,
    For,
    If,
    Lambda,
    Name,
    Program,
    Sequence,
    Starred,
    Statement,
    Subscript,
    Unread,
    While,
)

OWN = frozenset(
    {
        "s_",
        "__name__",
        "range",
        "enumerate",
        "zip",
        "reversed",
        "map",
        "float",
        "int",
        "bool",
        "complex",
        "list",
        "tuple",
    }
)
"""Names that a text may read without giving them a value."""


def used_names(program: Program, given: Container[str] = ()) -> dict[str, Span]:
    """The names that a program reads without having assigned them, with their first places.

    A name before `(` is a function, and a library's prefix before `.` is one only where it is `given`. Where one
    function is asked for, these are its parameters, those that have a default if they are `given`, and what else it
    needs.
    """
    reader = _Reader(program, given)
    entry = entry_of(program)
    if entry is None and program.source.entry is not None:
        raise _no_function(program)
    if entry is None:
        reader.block(program.statements, set())
    else:
        for one in entry.parameters:
            if one.name in given or (one.default is None and one.kind not in ("*", "**")):
                reader.used.setdefault(one.name, one.span)
        reader.block(needed(program, given), set())
    reader.later({name for name in assigned_names(program) if entry is None or name not in given})
    return reader.used


class _Reader:
    def __init__(self, program: Program, given: Container[str]) -> None:
        self.given = given
        self.own = {*OWN, *program.aliases}
        self.used: dict[str, Span] = {}
        self.inside_functions: list[Name] = []

    def block(self, block: Block, assigned: set[str]) -> None:
        """Read a block's statements in order; what they assign joins `assigned`."""
        for statement in block:
            for name in _read_by_itself(statement, self.given):
                self.read(name, assigned)
            for target in _targets(statement):
                assigned.update(name.name for name in target_names(target))
            if isinstance(statement, Evaluate) and isinstance(statement.value, Unread):
                assigned.update(statement.value.names)
            if isinstance(statement, Define):
                assigned.add(statement.name)
                self.inside_functions += _free_names(statement, self.given)
            for inner in _blocks(statement):
                self.block(inner, assigned)

    def read(self, name: Name, assigned: Container[str]) -> None:
        if name.name not in assigned and name.name not in self.own:
            self.used.setdefault(name.name, name.span)

    def later(self, assigned: Container[str]) -> None:
        """Read what functions need from outside: whatever has a value by the time that they are called."""
        for name in self.inside_functions:
            self.read(name, assigned)


def _free_names(function: Define, given: Container[str]) -> list[Name]:
    """The names that a function reads from outside itself."""
    local = {one.name for one in function.parameters} | set(assigned_in(function.body)) | _unread_names(function.body)
    found: list[Name] = []
    for statement in every(function.body):
        found += _read_by_itself(statement, given)
        if isinstance(statement, Define):
            found += _free_names(statement, given)
    return [name for name in found if name.name not in local]


def _unread_names(block: Block) -> set[str]:
    """The names that get a value in what is not read, such as a `try`: the error is that it is not read."""
    values = [one.value for one in every(block) if isinstance(one, Evaluate)]
    return {name for value in values if isinstance(value, Unread) for name in value.names}


# parts of statements ----------------------------------------------------------------------------------


def every(block: Block) -> Iterator[Statement]:
    """A block's statements and those of the blocks inside it, in order; not those of functions."""
    for statement in block:
        yield statement
        for inner in _blocks(statement):
            yield from every(inner)


def _blocks(statement: Statement) -> list[Block]:
    if isinstance(statement, If):
        return [block for _, block in statement.branches]
    return [statement.body, statement.otherwise] if isinstance(statement, (For, While)) else []


def _targets(statement: Statement) -> tuple[Expression, ...]:
    if isinstance(statement, Assign):
        return statement.targets
    return (statement.target,) if isinstance(statement, For) else ()


def target_names(target: Expression) -> list[Name]:
    """The names that an assignment to a target gives a value, or an element."""
    if isinstance(target, Sequence):
        return [name for part in target.items for name in target_names(part)]
    while isinstance(target, (Subscript, Starred)):
        target = target.value
    return [target] if isinstance(target, Name) else []


def assigned_in(block: Block) -> list[str]:
    """The names that a block gives a value itself, in order."""
    found = []
    for statement in every(block):
        found += [name.name for target in _targets(statement) for name in target_names(target)]
        if isinstance(statement, Define):
            found.append(statement.name)
    return found


def assigned_names(program: Program) -> set[str]:
    """The names that a program gives a value itself, outside its functions."""
    return set(assigned_in(program.statements))


def entry_of(program: Program) -> Define | None:
    """The function of a program that is asked for."""
    defined = [one for one in program.statements if isinstance(one, Define) and one.name == program.source.entry]
    return defined[-1] if defined else None


def _no_function(program: Program) -> GradcalcError:
    """The error for a function that is asked for and not there."""
    wanted = program.source.entry or ""
    for one in program.statements:
        if isinstance(one, Assign) and isinstance(one.value, Unread) and wanted in assigned_in((one,)):
            return one.value.error
    known = [one.name for one in program.statements if isinstance(one, Define)]
    found = nearest(wanted, known)
    helps = [f"did you mean `{found}`?"] if found else [f"it defines {', '.join(known)}"] if known else []
    return GradcalcError("missing-function", f"`{program.source.name}` defines no function `{wanted}`", helps=helps)


def needed(program: Program, given: Container[str]) -> Block:
    """Of a program in which one function is asked for, the statements that the function needs, and itself.

    What is `given` a value is an input, whatever the text gives it.
    """
    entry = entry_of(program)
    if entry is None:
        return program.statements
    wanted = {entry.name}
    chosen: set[int] = set()
    grown = True
    while grown:
        grown = False
        for at, statement in enumerate(program.statements):
            own = assigned_in((statement,))
            replaced = bool(own) and not isinstance(statement, Define) and all(name in given for name in own)
            if at not in chosen and not replaced and not wanted.isdisjoint(own):
                chosen.add(at)
                wanted |= _reads_all(statement, given)
                grown = True
    return tuple(program.statements[at] for at in sorted(chosen))


def _reads_all(statement: Statement, given: Container[str]) -> set[str]:
    """Every name that a statement reads, the functions it calls among them."""
    names: set[str] = set()
    for one in every((statement,)):
        names |= {name.name for name in _read_by_itself(one, given, functions=True)}
        if isinstance(one, Define):
            local = {parameter.name for parameter in one.parameters} | set(assigned_in(one.body))
            for inner in one.body:
                names |= _reads_all(inner, given) - local
    return names


def _read_by_itself(statement: Statement, given: Container[str], *, functions: bool = False) -> list[Name]:
    """The names that a statement reads, not counting the blocks inside it."""
    read = [part for part in _expressions(statement) for part in _names_in(part, given, functions)]
    if isinstance(statement, Assign):
        for target in statement.targets:
            read += _read_by_target(target, statement.operator, given)
    return read


def _expressions(statement: Statement) -> list[Any]:
    if isinstance(statement, If):
        return [condition for condition, _ in statement.branches if condition is not None]
    if isinstance(statement, For):
        return [statement.iterable]
    if isinstance(statement, While):
        return [statement.condition]
    if isinstance(statement, Define):
        return [one.default for one in statement.parameters if one.default is not None]
    value = getattr(statement, "value", None)
    return [] if value is None else [value]


def _read_by_target(target: Expression, operator: str | None, given: Container[str]) -> list[Name]:
    """The names that an assignment reads on its left side: indices, and what an operator adds to.

    An array whose elements are assigned must have been made by the text, so it is none it reads.
    """
    if isinstance(target, Sequence):
        return [name for part in target.items for name in _read_by_target(part, operator, given)]
    found: list[Name] = []
    inner: Any = target
    while isinstance(inner, Subscript):
        found += [name for part in inner.parts for name in _names_in(part, given)]
        inner = inner.value
    if isinstance(target, Subscript):
        return found + ([inner] if isinstance(inner, Name) and inner.name in given else [])
    return _names_in(target, given) if operator is not None else []


def _names_in(expression: Any, given: Container[str], functions: bool = False) -> list[Name]:
    """The names in an expression that it does not bind itself; of functions that are called, where asked for."""
    found: list[Name] = []
    stack: list[tuple[Any, frozenset[str]]] = [(expression, frozenset())]
    while stack:
        current, bound = stack.pop()
        if isinstance(current, Name):
            if current.name not in bound:
                found.append(current)
        elif isinstance(current, (Lambda, Comprehension)):
            inside = bound | _bound_by(current)
            parts = [current.body] if isinstance(current, Lambda) else [current.element, *current.clauses]
            stack += [(part, inside) for part in parts]
            if isinstance(current, Lambda):
                stack += [(one.default, bound) for one in current.parameters if one.default is not None]
        elif isinstance(current, Call) and isinstance(current.function, Name):
            name = current.function.name
            if functions or (name in given and name not in SPELLINGS):
                found.append(current.function)  # not a function: the builder says so
            stack += [(one, bound) for one in reversed(current.arguments)]
        elif isinstance(current, Span) or (isinstance(current, Attribute) and _is_library(current.value, given)):
            continue
        elif isinstance(current, tuple):
            stack += [(part, bound) for part in reversed(current) if isinstance(part, tuple)]
    return found


def _bound_by(expression: Lambda | Comprehension) -> set[str]:
    if isinstance(expression, Lambda):
        return {one.name for one in expression.parameters}
    return {name.name for clause in expression.clauses for name in target_names(clause.target)}


def _is_library(expression: Expression, given: Container[str]) -> bool:
    return isinstance(expression, Name) and expression.name in dialects.PREFIXES and expression.name not in given


# in which order names are used ------------------------------------------------------------------------


class Event(NamedTuple):
    """A use of a name: at which statement, in which function, whether it is read or gets a new value."""

    at: int
    function: int
    is_read: bool


class Uses:
    """Every use of every name, in the order of the text; and which statements a loop repeats."""

    def __init__(self, program: Program, given: Container[str]) -> None:
        self.given = given
        self.place: dict[int, int] = {}  # a statement's identity -> its number
        self.function: dict[int, int] = {}  # its number -> its function's
        self.events: dict[str, list[Event]] = {}
        self.loops: list[tuple[int, int]] = []
        self.inside: dict[int, int] = {}  # a function's number -> the one around it
        self.walk(program.statements, 0)

    def walk(self, block: Iterable[Statement], function: int) -> None:
        for statement in block:
            at = len(self.place)
            self.place[id(statement)], self.function[at] = at, function
            self.enter(_read_by_itself(statement, self.given), at, function, is_read=True)
            written = [
                name
                for target in _targets(statement)
                if not isinstance(target, Subscript)
                for name in target_names(target)
            ]
            self.enter(written, at, function, is_read=False)
            if isinstance(statement, Define):
                self.inside[at + 1] = function
                self.walk(statement.body, at + 1)
            for inner in _blocks(statement):
                self.walk(inner, function)
            if isinstance(statement, (For, While)):
                self.loops.append((at, len(self.place) - 1))

    def enter(self, names: Iterable[Name], at: int, function: int, *, is_read: bool) -> None:
        for name in names:
            self.events.setdefault(name.name, []).append(Event(at, function, is_read))

    def is_read_after(self, name: str, statement: Statement) -> bool:
        """Whether the name is read after a statement before it has another value, in a loop's next turn too."""
        at = self.place[id(statement)]
        mine = self.function[at]
        events = self.events.get(name, [])
        if any(one.is_read and one.function != mine and self.is_inside(one.function, mine) for one in events):
            return True
        own = [one for one in events if one.function == mine]
        after = [one for one in own if one.at > at]
        for start, end in sorted(self.loops, reverse=True):  # the innermost first
            if start <= at <= end:
                again = [one for one in own if start <= one.at <= at]
                after = [one for one in after if one.at <= end] + again + [one for one in after if one.at > end]
        return bool(after) and after[0].is_read

    def is_inside(self, function: int, outer: int) -> bool:
        while function in self.inside:
            function = self.inside[function]
            if function == outer:
                return True
        return False
