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
    "math": "numpy",
    "linalg": "",
}
"""First word of a dotted name -> the library it stands for."""

_ROOMS = {"linalg", "special", "nn", "functional", "numpy", "scipy"}
"""Words between the prefix and the function that change nothing: `np.linalg.inv`."""

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


def library_of(words: list[str]) -> tuple[str, str] | None:
    """The library and the function's own name of a dotted name such as `np.linalg.inv`; None if it has no prefix."""
    if len(words) < 2 or words[0] not in PREFIXES:
        return None
    dialect = PREFIXES[words[0]]
    if words[:2] in (["jax", "scipy"], ["jax", "numpy"], ["jax", "nn"]):
        dialect = "jax"
    inner = [word for word in words[1:-1] if word not in _ROOMS]
    return dialect, ".".join([*inner, words[-1]])


def find(dialect: str, name: str) -> Entry | None:
    """The function that a library means by a name."""
    entry = SPELLINGS.get(f"{dialect}.{name}") or SPELLINGS.get(name)
    return entry if entry is not None and entry.shown else None


def differs(name: str) -> bool:
    """Whether PyTorch means another function by a name than NumPy does."""
    return f"torch.{name}" in SPELLINGS and name in SPELLINGS


def dialects_in(tokens: Iterable[Token]) -> frozenset[str]:
    """The libraries that a text names by their prefixes."""
    found: set[str] = set()
    before = None
    for token in tokens:
        if token.text == "." and before is not None and before.kind == "name" and PREFIXES.get(before.text):
            found.add(PREFIXES[before.text])
        before = token
    return frozenset(found)


def argument_name(name: str, parameters: list[str]) -> str:
    """The catalogue's name for a named argument."""
    if name in parameters:
        return name
    if name in FIRST and parameters:
        return parameters[0]
    return next((one for one in ARGUMENTS.get(name, ()) if one in parameters), name)
