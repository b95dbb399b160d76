"""Recursion without the call stack, so that a formula may nest or chain as deep as memory allows.

A recursive function is written as a generator: where it would call itself it yields the call, and the
answer comes back as the value of the `yield`. A call that needs no recursion may yield its answer itself.
"""

from __future__ import annotations

from collections.abc import Generator
from types import GeneratorType
from typing import Any, TypeAlias

Steps: TypeAlias = Generator[Any, Any, Any]


def run(steps: Any) -> Any:
    """The value that a generator of this kind returns; anything else is its own value."""
    if not isinstance(steps, GeneratorType):
        return steps
    waiting: list[Steps] = []
    value: Any = None
    error: Exception | None = None
    while True:
        try:
            inner = steps.send(value) if error is None else steps.throw(error)
        except StopIteration as done:
            value, error = done.value, None
            if not waiting:
                return value
            steps = waiting.pop()
        except Exception as raised:  # the caller may have a use for it
            if not waiting:
                raise
            steps, error = waiting.pop(), raised
        else:
            error = None
            if isinstance(inner, GeneratorType):
                waiting.append(steps)
                steps, value = inner, None
            else:
                value = inner
