"""Which names stand for one array in memory, as NumPy and PyTorch would have it.

Here arrays never change: an assignment to an element makes a new array for that name alone. Where the
libraries would let a second name see the change, the text is refused rather than read otherwise.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from ..errors import GradcalcError, Label
from ..graph import Node
from . import dialects
from .names import Uses
from .scopes import Scope
from .syntax import (
    Attribute,
    Binary,
    Call,
    Comparison,
    Conditional,
    Dictionary,
    Expression,
    Name,
    Program,
    Sequence,
    Statement,
    Subscript,
    Unary,
)

_VIEWS = {
    "reshape",
    "real",
    "diag",
    "ravel",
    "view",
    "transpose",
    "permute",
    "swapaxes",
    "moveaxis",
    "squeeze",
    "unsqueeze",
    "expand_dims",
    "flip",
    "asarray",
    "as_tensor",
    "t",
    "broadcast_to",
    "expand",
    "diagonal",
    *("atleast_1d", "atleast_2d", "atleast_3d", "split", "array_split", "tensor_split", "hsplit", "vsplit", "dsplit"),
    *(
        "chunk",
        "unbind",
        "narrow",
        "movedim",
        "swapdims",
        "fliplr",
        "flipud",
        "rot90",
        "contiguous",
        "detach",
        "view_as",
    ),
}
"""Functions whose result shares its memory with their array, in NumPy or PyTorch."""


class Owner:
    """A piece of memory, and those of the arrays that it has as items, if it is a list or the like."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        self.parts: set[Owner] = set()


def reached(owner: Owner | None) -> set[Owner]:
    """An owner and all that can be reached through it."""
    found: set[Owner] = set()
    waiting = [] if owner is None else [owner]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += one.parts
    return found


def is_changeable(value: Any) -> bool:
    """Whether a value may be written into: an array, or what may have arrays as items."""
    return isinstance(value, (list, tuple, dict)) or (isinstance(value, Node) and value.ndim > 0)


class Memory:
    """Whose memory each name stands for."""

    def __init__(self, program: Program, inputs: Container[str]) -> None:
        self.inputs = inputs
        self.uses = Uses(program, inputs)

    def refuse_shared(self, name: Name, statement: Statement, scope: Scope) -> None:
        """Raise if an array that a statement writes into has another name, under which it is read later."""
        if name.name in scope.borrowed and isinstance(scope.names[name.name], Node) and scope.names[name.name].ndim:
            raise GradcalcError(
                "shared",
                f"writing into `{name.name}` would change the array that it was taken from as well",
                labels=[Label(name.span)],
                helps=[f"copy it first: `{name.name} = {name.name} + 0`"],
            )
        mine = reached(scope.owners.get(name.name))
        others = [
            other
            for other, owner in scope.owners.items()
            if other != name.name and not mine.isdisjoint(reached(owner)) and self.uses.is_read_after(other, statement)
        ]
        if others:
            one, other = name.name, others[0]
            raise GradcalcError(
                "shared",
                f"`{one}` and `{other}` are one array in NumPy, so writing into one would change both",
                labels=[Label(name.span)],
                helps=["where the second name is assigned, make a copy: `b = a.copy()`"],
            )

    def share(self, target: Expression, expression: Expression, scope: Scope) -> None:
        """Enter what a name was given: the memory of another, if it is that name or a view of it."""
        if isinstance(target, Sequence):
            items = expression.items if isinstance(expression, Sequence) else (expression,) * len(target.items)
            for part, item in zip(target.items, items, strict=False):
                self.share(part, item, scope)
        if isinstance(target, Name):
            value = scope.names.get(target.name)
            shared = self.owner(expression, scope) if isinstance(value, Node) and value.ndim else None
            scope.owners[target.name] = Owner() if shared is None else shared
            if isinstance(value, (list, tuple, dict)):
                self.hold(target, expression, scope)
        elif (
            isinstance(target, Subscript)
            and isinstance(target.value, Name)
            and isinstance(scope.names.get(target.value.name), (list, dict))
        ):
            self.hold(target.value, expression, scope)

    def hold(self, container: Name, expression: Any, scope: Scope) -> None:
        """Enter which arrays a list, tuple or dictionary has among its items, from what they were written as."""
        value = scope.names.get(container.name)
        held = scope.owners.setdefault(container.name, Owner())
        waiting = [expression]
        while waiting:
            one = waiting.pop()
            if isinstance(one, Sequence):
                waiting += one.items
            elif isinstance(one, Dictionary):
                waiting += [item for _, item in one.items]
            elif isinstance(one, Binary):
                waiting += [one.left, one.right]
            elif isinstance(one, Name) and one.name in scope and is_changeable(scope.find(one.name)):
                if scope.find(one.name) is value:
                    continue
                around = self.owner(one, scope)
                if around is None:
                    around = scope.owners.setdefault(one.name, Owner())
                held.parts.add(around)

    def owner(self, expression: Any, scope: Scope) -> Owner | None:
        """The memory that an expression is a view of; None if it makes an array of its own."""
        while not isinstance(expression, Name):
            if isinstance(expression, Conditional):
                return self.owner(expression.then, scope) or self.owner(expression.otherwise, scope)
            expression = self.viewed(expression, scope)
            if expression is None:
                return None
        if expression.name in self.inputs:
            scope.owners.setdefault(expression.name, Owner())
        around: Scope | None = scope
        while around is not None and expression.name not in around.owners:
            around = around.outer
        return None if around is None else around.owners[expression.name]

    def viewed(self, expression: Any, scope: Scope) -> Expression | None:
        """What an expression is directly a view of."""
        if isinstance(expression, Subscript):
            return None if any(_is_advanced(part, scope) for part in expression.parts) else expression.value
        if isinstance(expression, Attribute):
            return expression.value if expression.name in ("T", "mT") else None
        if isinstance(expression, Call) and expression.function.span.text.rpartition(".")[2] in _VIEWS:
            function = expression.function
            if isinstance(function, Attribute) and not _is_library(function.value, self.inputs):
                return function.value
            return expression.arguments[0].value if expression.arguments else None
        return None


def _is_advanced(part: Expression, scope: Scope) -> bool:
    """Whether a part of an index is an array, so that indexing copies."""
    if isinstance(part, Name):
        value = scope.find(part.name) if part.name in scope else None
        return isinstance(value, Node) and value.ndim > 0
    return isinstance(part, (Sequence, Comparison, Unary, Call)) and not (
        isinstance(part, Unary) and part.operator == "-"
    )


def _is_library(expression: Expression, inputs: Container[str]) -> bool:
    while isinstance(expression, Attribute):
        expression = expression.value
    return isinstance(expression, Name) and expression.name in dialects.PREFIXES and expression.name not in inputs
