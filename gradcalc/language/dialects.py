"""Whose function is meant: the prefixes of the libraries, and what each calls an argument.

Spellings and meanings that are a function's own live in its record (`torch.std`); here is only what
holds for a whole library.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    "autograd": "numpy",
}
"""First word of a dotted name -> the library it stands for."""

_ROOMS = {"linalg": "linalg", "special": "special", "nn": "nn", "functional": "F", "F": "F", "lax": "lax"}
"""Words that may stand before a function, and the room of the library that each is."""

LAX = {
    *("argmax", "argmin", "broadcast", "cond", "conv", "gather", "max", "min", "pad", "reduce", "round", "scatter"),
    *("select", "slice", "split", "switch", "map"),
}
"""Functions of `jax.lax` that mean something else than those of the same name elsewhere."""

_PASSED_OVER = {"numpy", "scipy"}
"""Words between the prefix and the function that name no room of their own here."""

_NUMPY = {
    "a_min": ("min",),
    "a_max": ("max",),
    "newshape": ("shape",),
    "size": ("shape",),
    "diagonal": ("k", "offset"),
    "tup": ("arrays",),
    "b": ("y",),
    "n": ("N",),
    "x1": ("x",),
    "x2": ("y",),
    "interpolation": ("method",),
}
_TORCH = {
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
    "mat2": ("y",),
    "vec2": ("y",),
    "axis": ("dim", "dims"),
    "keepdims": ("keepdim",),
    "dim1": ("axis1",),
    "dim2": ("axis2",),
    "split_size": ("split_size_or_sections",),
    "split_sizes": ("split_size_or_sections",),
    "sections": ("indices_or_sections",),
}
ARGUMENTS: dict[str, dict[str, tuple[str, ...]]] = {
    "numpy": _NUMPY,
    "jax": _NUMPY,
    "scipy": _NUMPY,
    "math": {},
    "torch": _TORCH,
    "": {**_NUMPY, **_TORCH},
}
"""What a library calls an argument -> what the catalogue may call it, where the function has no such argument itself.

Under no name in particular are those that a text without a prefix may use.
"""

FIRST = {"a", "x", "m", "v", "input", "array", "arr", "ary", "A", "tensors", "self", "x1", "y", "val", "p"}
"""What libraries call the first argument."""

SECOND = {"compress"}
"""Methods whose array is the second argument of the function of that name."""

HARMLESS = {
    "out": "None",
    "device": None,
    "requires_grad": None,
    "layout": None,
    "optimize": None,
    "pin_memory": None,
    "memory_format": None,
    "order": None,
    "copy": None,
    "subok": None,
    "casting": None,
    "like": None,
    "non_blocking": None,
    "overwrite_a": None,
    "overwrite_b": None,
    "check_finite": None,
    "driver": None,
    "lapack_driver": None,
    "generator": "None",
    "names": "None",
    "where": "True",
    "precision": None,
    "preferred_element_type": "None",
}
"""Arguments that say where or how numbers are kept, which changes no value; with the one text each may have, if any."""

FALLBACK = ("F.", "torch.", "jax.", "scipy.")
"""Where a name is looked for that NumPy does not have and no prefix explains."""


def library_of(words: list[str]) -> tuple[str, str, str] | None:
    """The library, the room in it and the function of a dotted name such as `np.linalg.inv`; None without a prefix."""
    if len(words) < 2 or words[0] not in PREFIXES:
        return None
    dialect = "scipy" if "scipy" in words[:2] else PREFIXES[words[0]]
    rooms = [_ROOMS[word] for word in words[:-1] if word in _ROOMS]
    unknown = [word for word in words[1:-1] if word not in _ROOMS and word not in _PASSED_OVER]
    return dialect, rooms[-1] if rooms else "", ".".join([*unknown, words[-1]])


def find(dialect: str, room: str, name: str, *, is_method: bool = False) -> Entry | None:
    """The function that a library means by a name; `method.X` is what `x.X(…)` means where the function `X` differs.

    `linalg` is apart from the rest of each library; PyTorch's `F` is what the rest of it is, where it has no
    function of its own. A name without a prefix may be any library's that has it, NumPy's first; a function that
    only PyTorch has is imported from `F`, a method is a tensor's.
    """
    own = [f"method.{name}"] if is_method else []
    if room == "linalg":
        places = [f"{dialect}.linalg.{name}", f"linalg.{name}", name]
    elif room == "lax" and name in LAX:
        places = [f"{dialect}.lax.{name}"]
    else:
        own += [f"F.{name}"] if room == "F" else []
        fallback = FALLBACK if is_method else ("F.", *FALLBACK)
        places = [*own, f"{dialect}.{room}.{name}", f"{dialect}.{name}", name, *(f"{one}{name}" for one in fallback)]
    return next((SPELLINGS[place] for place in places if place in SPELLINGS and SPELLINGS[place].shown), None)


def differs(name: str) -> bool:
    """Whether PyTorch means another function by a name than NumPy does."""
    return f"torch.{name}" in SPELLINGS and name in SPELLINGS and SPELLINGS[name].shown


def prefixes_in(tokens: Iterable[Token], aliases: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The words of a text that stand before a point and may be libraries: `np`, or an input called `F`."""
    found: set[str] = set()
    before = None
    for token in tokens:
        if token.text == "." and before is not None and before.kind == "name":
            word = aliases.get(before.text, [before.text])[0]
            if PREFIXES.get(word):
                found.add(word)
        before = token
    return frozenset(found)


def argument_name(name: str, parameters: list[str], dialect: str = "") -> str:
    """The catalogue's name for a named argument, as a library calls it; PyTorch knows NumPy's names as well."""
    if name in parameters:
        return name
    if name in FIRST and parameters:
        return parameters[0]
    return next((one for one in ARGUMENTS[dialect].get(name, ()) if one in parameters), name)


def library_name(parameter: str, dialect: str) -> str:
    """What a library calls the argument that the catalogue knows under this name."""
    if dialect != "torch":
        return parameter
    own = [(name, meant) for name, meant in reversed(_TORCH.items()) if name not in ("axis", "keepdims")]
    return {one: name for name, meant in own for one in meant}.get(parameter, parameter)
