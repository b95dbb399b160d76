"""What names stand for, inside a function and around it."""

from __future__ import annotations

from typing import Any

from .values import Value

_NOTHING = object()


class Scope:
    """The names of the text, or of one call of a function, and of what is around it.

    Attributes:
        names: their values.
        outer: the scope around, whose names are seen from here but not assigned to.
        owners: whose memory an array stands for in NumPy (see `sharing`).
        borrowed: names of arrays that belong to a caller, or are part of what a loop goes through.
        whole: names of arrays of whole numbers, which cut off what is written into them.
    """

    __slots__ = ("borrowed", "names", "outer", "owners", "whole")

    def __init__(self, outer: Scope | None = None) -> None:
        self.names: dict[str, Value] = {}
        self.outer = outer
        self.owners: dict[str, Any] = {}
        self.borrowed: set[str] = set()
        self.whole: set[str] = set()

    def find(self, name: str) -> Any:
        """The value of a name, here or around; raises KeyError."""
        scope: Scope | None = self
        while scope is not None:
            value = scope.names.get(name, _NOTHING)
            if value is not _NOTHING:
                return value
            scope = scope.outer
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        try:
            self.find(name)
        except KeyError:
            return False
        return True

    def set(self, name: str, value: Value, *, borrowed: bool = False) -> None:
        """Give a name of this scope a value."""
        self.names[name] = value
        (self.borrowed.add if borrowed else self.borrowed.discard)(name)

    def all(self) -> dict[str, Value]:
        """Every name that is seen from here, with its value."""
        around = {} if self.outer is None else self.outer.all()
        return {**around, **self.names}
