"""The names that a program reads: the inputs it needs, known before any shape is."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from ..errors import Span
from ..graph import SPELLINGS
from . import dialects
from .syntax import Argument, Assign, Attribute, Call, Expression, Name, Program, Sequence, Subscript, Text


def used_names(program: Program, given: Container[str] = ()) -> dict[str, Span]:
    """The names that a program reads without having assigned them, with their first places.

    A name before `(` is a function, and a library's prefix before `.` is one only where it is `given`.
    """
    assigned: set[str] = {"s_"}
    used: dict[str, Span] = {}
    for statement in program.statements:
        for name in _names_in(statement.value, given):
            if name.name not in assigned:
                used.setdefault(name.name, name.span)
        if isinstance(statement, Assign):
            parts = statement.target.items if isinstance(statement.target, Sequence) else (statement.target,)
            for part in parts:
                for name in _read_by(part, statement.operator, given):
                    if name.name not in assigned:
                        used.setdefault(name.name, name.span)
                name_node = part.value if isinstance(part, Subscript) else part
                if isinstance(name_node, Name):
                    assigned.add(name_node.name)
    return used


def _read_by(target: Expression, operator: str | None, given: Container[str]) -> list[Name]:
    """The names that an assignment reads on its left side: indices, and what an operator adds to.

    An array whose elements are assigned must have been made by the text, so it is none it reads.
    """
    if isinstance(target, Subscript):
        inside = [name for part in target.parts for name in _names_in(part, given)]
        owner = target.value
        return inside + ([owner] if isinstance(owner, Name) and owner.name in given else [])
    return _names_in(target, given) if operator is not None else []


def assigned_names(program: Program) -> set[str]:
    """The names that a program gives a value itself."""
    targets = [statement.target for statement in program.statements if isinstance(statement, Assign)]
    parts = [part for target in targets for part in (target.items if isinstance(target, Sequence) else (target,))]
    return {part.name for part in parts if isinstance(part, Name)}


def uses(program: Program, given: Container[str]) -> dict[str, list[tuple[int, bool]]]:
    """For each name the statements that read it (True) or give it a new value (False), in order."""
    found: dict[str, list[tuple[int, bool]]] = {}
    for at, statement in enumerate(program.statements):
        reads = _names_in(statement.value, given)
        writes: list[Name] = []
        if isinstance(statement, Assign):
            target = statement.target
            parts = target.items if isinstance(target, Sequence) else (target,)
            reads += [name for part in parts for name in _read_by(part, statement.operator, given)]
            writes = [part for part in parts if isinstance(part, Name)]
        for names, is_read in ((reads, True), (writes, False)):
            for name in names:
                found.setdefault(name.name, []).append((at, is_read))
    return found


def _names_in(expression: Expression, given: Container[str]) -> list[Name]:
    found: list[Name] = []
    stack: list[Any] = [expression]
    while stack:
        current = stack.pop()
        if isinstance(current, Name):
            found.append(current)
        elif isinstance(current, Argument) and current.name == "dtype":
            continue
        elif isinstance(current, Call) and isinstance(current.function, Name):
            if current.function.name in given and current.function.name not in SPELLINGS:
                found.append(current.function)  # not a function: the builder says so
            stack += reversed(_read_arguments(current, given))
        elif isinstance(current, Call):
            stack += [*reversed(_read_arguments(current, given)), current.function]
        elif isinstance(current, Span) or (isinstance(current, Attribute) and _is_library(current.value, given)):
            continue
        elif isinstance(current, tuple):
            stack += [part for part in reversed(current) if isinstance(part, tuple)]
    return found


def _read_arguments(call: Call, given: Container[str]) -> list[Argument]:
    """The arguments of a call but for names of types of numbers, as in `x.astype(float)`."""
    if not is_cast(call):
        return list(call.arguments)
    return [one for one in call.arguments if number_type(one.value, given) is None]


def is_cast(call: Call) -> bool:
    """Whether a call is of a function that takes the name of a type of number."""
    return getattr(call.function, "name", "") in dialects.CASTS


def number_type(expression: Expression, given: Container[str]) -> str | None:
    """The type of number that `float`, `torch.float64` or `'int64'` names; None for anything else."""
    if isinstance(expression, Text):
        return dialects.TYPES.get(expression.value.rpartition(".")[2].partition(":")[0])
    is_name = isinstance(expression, Name) and expression.name not in given
    if is_name or (isinstance(expression, Attribute) and _is_library(expression.value, given)):
        return dialects.TYPES.get(getattr(expression, "name", ""))
    return None


def _is_library(expression: Expression, given: Container[str]) -> bool:
    return isinstance(expression, Name) and expression.name in dialects.PREFIXES and expression.name not in given
