"""Whose function is meant: the prefixes of the libraries, and what each calls an argument.

Spellings and meanings that are a function's own live in its record (`torch.std`); here is only what
holds for a whole library.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..graph import SPELLINGS, Entry
from .tokens import Token

PREFIXES: dict[str, str] = {
    "np": "numpy",
    "numpy": "numpy",
    "torch": "torch",
    "F": "torch",
    "nn": "torch",
    "jnp": "jax",
    "jax": "jax",
    "scipy": "numpy",
    "math": "math",
    "linalg": "",
}
"""First word of a dotted name -> the library it stands for."""

_ROOMS = {"linalg", "special", "nn", "functional", "numpy", "scipy"}
"""Words that may stand between the prefix and the function: `np.linalg.inv`."""

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "a_min": ("min",),
    "a_max": ("max",),
    "newshape": ("shape",),
    "dim": ("axis", "axes"),
    "dims": ("axis", "axes", "reps"),
    "keepdim": ("keepdims",),
    "correction": ("ddof",),
    "exponent": ("y",),
    "other": ("y",),
    "size": ("shape",),
    "sizes": ("shape",),
    "shifts": ("shift",),
    "tensors": ("arrays",),
    "diagonal": ("k", "offset"),
    "end": ("stop",),
    "steps": ("num",),
}
"""What libraries call an argument -> what the catalogue may call it, where the function has no such argument itself."""

FIRST = {"a", "x", "input", "array", "arr", "A", "tensors"}
"""What libraries call the first argument."""


def library_of(words: list[str]) -> tuple[str, str, str] | None:
    """The library, the room in it and the function of a dotted name such as `np.linalg.inv`; None without a prefix."""
    if len(words) < 2 or words[0] not in PREFIXES:
        return None
    dialect = "scipy" if "scipy" in words[:2] else PREFIXES[words[0]]
    rooms = [word for word in words[:-1] if word in _ROOMS]
    unknown = [word for word in words[1:-1] if word not in _ROOMS]
    return dialect, "linalg" if "linalg" in rooms else "", ".".join([*unknown, words[-1]])


def find(dialect: str, room: str, name: str) -> Entry | None:
    """The function that a library means by a name; `linalg` is alike in all, and apart from the rest of each."""
    places = [f"{dialect}.{room}.{name}", f"{room}.{name}", name] if room else [f"{dialect}.{name}", name]
    entry = next((SPELLINGS[place] for place in places if place in SPELLINGS), None)
    return entry if entry is not None and entry.shown else None


def differs(name: str) -> bool:
    """Whether PyTorch means another function by a name than NumPy does."""
    return f"torch.{name}" in SPELLINGS and name in SPELLINGS


def prefixes_in(tokens: Iterable[Token]) -> frozenset[str]:
    """The words of a text that stand before a point and may be libraries: `np`, or an input called `F`."""
    found: set[str] = set()
    before = None
    for token in tokens:
        if token.text == "." and before is not None and before.kind == "name" and PREFIXES.get(before.text):
            found.add(before.text)
        before = token
    return frozenset(found)


def argument_name(name: str, parameters: list[str]) -> str:
    """The catalogue's name for a named argument."""
    if name in parameters:
        return name
    if name in FIRST and parameters:
        return parameters[0]
    return next((one for one in ARGUMENTS.get(name, ()) if one in parameters), name)
