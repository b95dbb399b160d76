"""Which library has an operation, and under which names: from a list of the libraries' public functions.

The list, `libraries.txt`, is made from the libraries themselves (`python tests/test_peers.py --update`), so none of
them need be installed.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..graph import Entry
from ..language import dialects

LIBRARIES = {"np": "NumPy", "torch": "PyTorch", "F": "PyTorch", "jnp": "JAX", "jax": "JAX"}
"""The first word of a prefix -> the library's name."""


@cache
def functions() -> dict[str, tuple[str, ...]]:
    """The public functions of each namespace, by the prefix that is written before them (`np.linalg`)."""
    text = (Path(__file__).parent / "libraries.txt").read_text(encoding="utf-8")
    paragraphs = [one.split(":") for one in text.split("\n\n") if not one.startswith("#")]
    return {prefix: tuple(names.split()) for prefix, names in paragraphs}


@cache
def spelled() -> dict[Entry, dict[str, tuple[str, ...]]]:
    """For each operation the names that each library has for it, as `np.linalg.inv`."""
    found: dict[Entry, dict[str, list[str]]] = {}
    for prefix, names in functions().items():
        for name in names:
            place = dialects.library_of([*prefix.split("."), name])
            entry = dialects.find(*place) if place else None
            if entry is not None:
                library = LIBRARIES[prefix.partition(".")[0]]
                found.setdefault(entry, {}).setdefault(library, []).append(f"{prefix}.{name}")
    return {entry: {library: tuple(names) for library, names in one.items()} for entry, one in found.items()}
