"""Names of derivatives and of their entries, as answers and verdicts give them."""

from __future__ import annotations


def pair_label(first: str, second: str) -> str:
    """The label of a Hessian's block."""
    return f"{first}, {second}"


def entry_name(label: str, shape: tuple[int, ...], place: int) -> str:
    """The name of an entry of a raveled array: `x[2, 1]`, or the label alone for a number."""
    index: list[int] = []
    for length in reversed(shape):
        place, within = divmod(place, length)
        index.insert(0, within)
    return f"{label}[{', '.join(map(str, index))}]" if index else label
