"""Arrays cut into parts along an axis: the value of each function is a tuple."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..errors import GradcalcError
from ..graph import Node
from .indexing import element, segment
from .kinds import derived, negative_axis, with_shape

Parts = tuple[Node, ...]


def cut(x: Node, axis: int, bounds: list[int]) -> Parts:
    """The parts of an axis between each bound and the next, as slices have them."""
    along = negative_axis(axis, x.ndim)
    parts = []
    for start, stop in pairwise(bounds):
        first, last, _ = slice(start, stop).indices(x.shape[along])
        parts.append(segment(x, along, first, max(first, last)))
    return tuple(parts)


def _length(x: Node, axis: int) -> int:
    return x.shape[negative_axis(axis, x.ndim)]


def _sums(lengths: tuple[int, ...] | list[int]) -> list[int]:
    return [int(end) for end in np.cumsum([0, *lengths])]


def _even(length: int, parts: int) -> list[int]:
    """The lengths of so many parts, the first of them one longer where it does not divide."""
    if parts <= 0:
        raise GradcalcError("arguments", f"there must be one part at least, got {parts}")
    return [length // parts + (i < length % parts) for i in range(parts)]


@derived(
    "split(x, 2)[1] | x=4",
    "split(x, (1, 3))[1] | x=4",
    "split(x, (1, 9), axis=1)[1] | x=2,3",
    "split(x, (-1,))[1] | x=4",
)
def split(ary: Node, indices_or_sections: int | tuple[int, ...], axis: int = 0) -> Parts:
    """Equal parts, so many of them, or the parts between the given places."""
    length = _length(ary, axis)
    if isinstance(indices_or_sections, int) and (indices_or_sections <= 0 or length % indices_or_sections):
        raise GradcalcError(
            "shape",
            f"an axis of length {length} does not divide into {indices_or_sections} equal parts",
            operands=[with_shape(ary)],
            helps=["parts that differ by one: `array_split`"],
        )
    return array_split(ary, indices_or_sections, axis)


@derived("array_split(x, 3)[0] | x=4", "array_split(x, 3)[2] | x=4", "array_split(x, (1,), axis=1)[1] | x=2,3")
def array_split(ary: Node, indices_or_sections: int | tuple[int, ...], axis: int = 0) -> Parts:
    """So many parts, the first of them one longer where that does not divide, or those between the given places."""
    length = _length(ary, axis)
    if isinstance(indices_or_sections, int):
        return cut(ary, axis, _sums(_even(length, indices_or_sections)))
    return cut(ary, axis, [0, *indices_or_sections, length])


@derived("tensor_split(x, 3)[0] | x=4", "tensor_split(x, (1, 2), dim=1)[2] | x=2,3")
def tensor_split(input: Node, indices_or_sections: int | tuple[int, ...], dim: int = 0) -> Parts:
    """So many parts, the first of them one longer where that does not divide, or those between the given places."""
    return array_split(input, indices_or_sections, dim)


@derived(
    "torch.split(x, 2)[1] | x=5",
    "torch.split(x, 2)[2] | x=5",
    "torch.split(x, (1, 2), dim=1)[1] | x=2,3",
    name="torch.split",
    spellings=("unsafe_split", "split_with_sizes", "unsafe_split_with_sizes"),
)
def split_by_size(tensor: Node, split_size_or_sections: int | tuple[int, ...], dim: int = 0) -> Parts:
    """Parts of a length, the last of them shorter where that does not divide, or of each length given."""
    length = _length(tensor, dim)
    if isinstance(split_size_or_sections, int):
        return _pieces(tensor, dim, split_size_or_sections)
    if sum(split_size_or_sections) != length or any(n < 0 for n in split_size_or_sections):
        raise GradcalcError(
            "shape",
            f"parts of lengths {split_size_or_sections} do not make up an axis of length {length}",
            operands=[with_shape(tensor)],
        )
    return cut(tensor, dim, _sums(split_size_or_sections))


def _pieces(x: Node, dim: int, size: int) -> Parts:
    length = _length(x, dim)
    if size < 0 or (size == 0 and length):
        raise GradcalcError("arguments", f"parts must have a positive length, got {size}")
    return cut(x, dim, [*range(0, length, max(size, 1)), length] if length else [0, 0])


@derived("chunk(x, 2)[1] | x=5", "chunk(x, 4, dim=1)[2] | x=2,5", spellings=("unsafe_chunk",))
def chunk(input: Node, chunks: int, dim: int = 0) -> Parts:
    """At most so many parts of one length, the last of them shorter where that does not divide."""
    if chunks <= 0:
        raise GradcalcError("arguments", f"there must be one part at least, got {chunks}")
    length = _length(input, dim)
    return _pieces(input, dim, -(-length // chunks)) if length else (input,) * chunks


@derived("hsplit(x, 2)[1] | x=4", "hsplit(x, (1,))[1] | x=2,3")
def hsplit(ary: Node, indices_or_sections: int | tuple[int, ...]) -> Parts:
    """Parts side by side: along axis 1, or of a vector along its only axis."""
    return split(_deep(ary, 1, "hsplit"), indices_or_sections, 0 if ary.ndim == 1 else 1)


@derived("vsplit(x, 2)[1] | x=4,2", "vsplit(x, (1,))[1] | x=3,2")
def vsplit(ary: Node, indices_or_sections: int | tuple[int, ...]) -> Parts:
    """Parts one below the other: along axis 0."""
    return split(_deep(ary, 2, "vsplit"), indices_or_sections, 0)


@derived("dsplit(x, 2)[1] | x=1,2,4", "dsplit(x, (1,))[1] | x=1,2,3")
def dsplit(ary: Node, indices_or_sections: int | tuple[int, ...]) -> Parts:
    """Parts one behind the other: along axis 2."""
    return split(_deep(ary, 3, "dsplit"), indices_or_sections, 2)


def _deep(x: Node, least: int, what: str) -> Node:
    if x.ndim < least:
        message = f"`{what}` needs {least} ax{'e' if least > 1 else 'i'}s or more, got shape {x.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(x)])
    return x


@derived("unstack(x)[1] | x=2,3", "unstack(x, axis=-1)[2] | x=2,3", spellings=("unbind",))
def unstack(x: Node, axis: int = 0) -> Parts:
    """The slices of an axis, one by one, without that axis."""
    along = negative_axis(axis, x.ndim)
    return tuple(element(x, along, i) for i in range(x.shape[along]))
