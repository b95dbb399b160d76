"""Functions of the libraries that are refused by name, each with the reason and what may be written instead."""

from __future__ import annotations

from ..errors import GradcalcError

_BY_NUMBERS = "the shape of its result depends on the numbers"
_IN_PLACE = "it writes into an array, which an expression cannot"
_OF_FUNCTIONS = "it takes a function, and functions cannot be defined here"
_COMPLEX = "its result is complex, and numbers are real here"
_FILES = "it reads or writes files or text"

_MASK = "select with a mask: `x[x != 0]`"
_CHOOSE = "choose element by element: `where(mask, v, x)`"
_ASSIGN = "assign to a copy: `y = x + 0; y[i] = v`"
_WHOLE = "write it with whole arrays"

REFUSED: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("nonzero", "flatnonzero", "argwhere", "trim_zeros"), (_BY_NUMBERS, _MASK)),
    **dict.fromkeys(
        ("unique", "unique_consecutive", "unique_values", "unique_counts", "unique_inverse", "unique_all"),
        (_BY_NUMBERS, "leave it out: it has no derivative"),
    ),
    **dict.fromkeys(("union1d", "intersect1d", "setdiff1d", "setxor1d"), (_BY_NUMBERS, "leave it out")),
    **dict.fromkeys(("numpy.put", "numpy.fill_diagonal", "numpy.put_along_axis"), (_IN_PLACE, _ASSIGN)),
    **dict.fromkeys(("numpy.place", "putmask", "copyto"), (_IN_PLACE, _CHOOSE)),
    **dict.fromkeys(
        ("add.at", "subtract.at", "multiply.at", "divide.at", "maximum.at", "minimum.at"),
        (_IN_PLACE, "what it leaves behind is `add_at(x, s_[i], v)`, or `x.at[i].multiply(v)`"),
    ),
    **dict.fromkeys(
        ("fromfunction", "apply_along_axis", "apply_over_axes", "vectorize", "piecewise", "frompyfunc", "mask_indices"),
        (_OF_FUNCTIONS, _WHOLE),
    ),
    **dict.fromkeys(("complex", "polar", "view_as_complex", "view_as_real"), (_COMPLEX, "keep two real arrays")),
    **dict.fromkeys(
        ("fromfile", "fromstring", "frombuffer", "fromiter", "loadtxt", "genfromtxt", "load", "save", "savetxt"),
        (_FILES, "give the array as an input: `--x file.npy`"),
    ),
}
"""A function's name, with its library where only that one's is refused; the reason, and what to do."""


def refused(dialect: str, name: str, called: str, *, is_method: bool) -> GradcalcError | None:
    """The error for a function that is refused by name, if this one is."""
    found = REFUSED.get(f"{dialect}.{name}") or REFUSED.get(name)
    if is_method and dialect != "torch" and name == "resize":
        found = _IN_PLACE, "make a new array: `np.resize(x, shape)`"
    if found is None and is_method and name.endswith("_") and not name.startswith("_") and name not in _NO_EFFECT:
        found = _IN_PLACE, f"what it leaves behind is `{called[:-1]}(…)`: assign that"
    if found is None:
        return None
    reason, instead = found
    return GradcalcError("unknown-function", f"`{called}` is not read here: {reason}", helps=[instead])


_NO_EFFECT = {"requires_grad_", "zero_", "retain_grad_"}
"""Methods that write in place and are answered elsewhere."""
