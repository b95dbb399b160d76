"""Plain definitions of the catalogue's functions, one module a family, written from what the libraries document.

Each module's `FUNCTIONS` maps a name, with its library where one differs (`sort`, `torch.sort`, `F.embedding`), to
a function of NumPy arrays. They are what the catalogue's values are compared with where neither NumPy nor an exact
form has them, so they share no code with it: loops and sums, as simple as they can be.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any

FUNCTIONS: dict[str, Callable[..., Any]] = {}

for _module in pkgutil.iter_modules(__path__):
    FUNCTIONS.update(import_module(f"{__name__}.{_module.name}").FUNCTIONS)


class Library:
    """A library as a text sees it: its own meaning of a name, else the one that all share."""

    def __init__(self, name: str, shared: dict[str, Any]) -> None:
        self._name, self._shared = name, shared

    def __getattr__(self, name: str) -> Any:
        if name in _ROOMS:
            return Library(_ROOMS[name].format(self._name), self._with_room(name))
        places = [f"{self._name}.{name}", *([f"torch.{name}"] if self._name == "F" else []), name]
        found = next((FUNCTIONS[place] for place in places if place in FUNCTIONS), self._shared.get(name))
        if found is None:
            raise AttributeError(f"define {self._name}.{name} in tests/references")
        return found

    def _with_room(self, name: str) -> dict[str, Any]:
        return {**self._shared, **vars(self._shared["linalg"])} if name == "linalg" else self._shared


_ROOMS = {"functional": "F", "scipy": "scipy", "linalg": "{}.linalg", "lax": "{}.lax"} | dict.fromkeys(
    ("nn", "special", "numpy"), "{}"
)
