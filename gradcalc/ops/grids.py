"""Several arrays stretched to meet, every combination of their elements, and the places of grids."""

from __future__ import annotations

from itertools import combinations as _tuples
from itertools import combinations_with_replacement
from math import prod
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, as_node, constant
from .indexing import gather
from .joining import stack
from .kinds import Arrays, Index, broadcast_shape, broadcast_to, derived, with_shape
from .selecting import numbers, within
from .shape import ravel, reshape


@derived("broadcast_arrays(x, y)[0] | x=3 y=2,1", "broadcast_arrays(x, y)[1] | x=3 y=2,1",
         spellings=("broadcast_tensors",))  # fmt: skip
def broadcast_arrays(arrays: Arrays) -> tuple[Node, ...]:
    """Each of the arrays stretched to the shape that they have together."""
    nodes = [as_node(one) for one in arrays]
    return tuple(broadcast_to(one, broadcast_shape(*nodes)) for one in nodes) if nodes else ()


@derived(
    "meshgrid(x, y)[0] | x=3 y=2",
    "meshgrid(x, y)[1] | x=3 y=2",
    "meshgrid(x, y, sparse=True)[1] | x=3 y=2",
    "meshgrid(x, y, 3, indexing='ij')[0] | x=3 y=2",
)
def meshgrid(xi: Arrays, sparse: bool = False, indexing: str = "xy") -> tuple[Node, ...]:
    """For each vector an array of its elements along an axis of its own; 'xy' exchanges the first two axes."""
    if indexing not in ("xy", "ij"):
        raise GradcalcError("arguments", f"indexing may be 'xy' or 'ij', not {indexing!r}")
    nodes = [ravel(as_node(one)) for one in xi]
    axes = [1, 0, *range(2, len(nodes))] if indexing == "xy" and len(nodes) > 1 else range(len(nodes))
    rows = [
        reshape(one, (1,) * axis + (one.size,) + (1,) * (len(nodes) - axis - 1))
        for one, axis in zip(nodes, axes, strict=True)
    ]
    return tuple(rows) if sparse or not rows else broadcast_arrays(rows)


@derived("torch.meshgrid(x, y)[0] | x=3 y=2", "torch.meshgrid([x, y], indexing='xy')[1] | x=3 y=2",
         name="torch.meshgrid")  # fmt: skip
def meshgrid_ij(tensors: Arrays, indexing: str = "ij") -> tuple[Node, ...]:
    """For each vector an array of its elements along an axis of its own; 'xy' exchanges the first two axes."""
    if any(as_node(one).ndim > 1 for one in tensors):
        raise GradcalcError("shape", "`torch.meshgrid` takes vectors and numbers")
    return meshgrid(tensors, False, indexing)


@derived("cartesian_prod(x, y) | x=3 y=2", "cartesian_prod(x) | x=3")
def cartesian_prod(tensors: Arrays) -> Node:
    """Every choice of one element from each vector, as the rows of a matrix."""
    nodes = [as_node(one) for one in tensors]
    if not nodes or any(one.ndim != 1 for one in nodes):
        raise GradcalcError("shape", "`cartesian_prod` takes vectors")
    if len(nodes) == 1:
        return nodes[0]
    return stack([ravel(one) for one in meshgrid(nodes, False, "ij")], 1)


@derived("combinations(x) | x=3", "combinations(x, 3) | x=4", "combinations(x, with_replacement=True) | x=3")
def combinations(input: Node, r: int = 2, with_replacement: bool = False) -> Node:
    """Every choice of r elements of a vector, as the rows of a matrix."""
    if input.ndim != 1:
        raise GradcalcError(
            "shape", f"`combinations` needs a vector, got shape {input.shape}", operands=[with_shape(input)]
        )
    if r < 0:
        raise GradcalcError("arguments", f"the length of a combination cannot be negative, got {r}")
    choose = combinations_with_replacement if with_replacement else _tuples
    rows = np.array(list(choose(range(input.size), r)), np.float64).reshape(-1, r)
    return gather(input, (constant(rows if r else np.zeros(0)),))


def _checked(order: str) -> Any:
    if order not in ("C", "F"):
        raise GradcalcError("arguments", f"order may be 'C' or 'F', not {order!r}")
    return order


# the places of grids --------------------------------------------------------------------------------


@derived("indices((2, 3))", "indices((2, 3), sparse=True)[1]")
def indices(dimensions: tuple[int, ...], sparse: bool = False) -> Any:
    """The places of a grid: for each axis an array of the numbers along it."""
    found = np.meshgrid(*(np.arange(n, dtype=np.float64) for n in dimensions), indexing="ij", sparse=sparse)
    return tuple(map(constant, found)) if sparse else constant(np.reshape(found, (len(dimensions), *dimensions)))


@derived("unravel_index([5, 1], (2, 3))[0]", "unravel_index([5, 1], (2, 3), order='F')[1]", "unravel_index(4, 6)[0]")
def unravel_index(indices: Index, shape: int | tuple[int, ...], order: str = "C") -> tuple[Node, ...]:
    """The places along each axis of elements that are counted through row by row (or with 'F' column by column)."""
    lengths = (shape,) if isinstance(shape, int) else shape
    within(indices, prod(lengths), negative=False)
    return tuple(numbers(one) for one in np.unravel_index(indices.numbers, lengths, _checked(order)))


@derived("ravel_multi_index([[1, 0], [2, 1]], (2, 3))", "ravel_multi_index([[3], [-1]], (2, 3), mode='wrap')",
         "ravel_multi_index([[1, 0], [2, 1]], (2, 3), order='F')")  # fmt: skip
def ravel_multi_index(multi_index: Index, dims: tuple[int, ...], mode: str = "raise", order: str = "C") -> Node:
    """The numbers of places, counted through row by row (or with 'F' column by column)."""
    rows = [Index(numbers(row), row) for row in multi_index.numbers]
    if len(rows) != len(dims):
        raise GradcalcError("arguments", f"{len(rows)} rows of places do not fit {len(dims)} axes")
    placed = [within(row, n, mode, negative=mode != "raise") for row, n in zip(rows, dims, strict=True)]
    found = [one.attrs["value"].data.astype(np.intp) for one in placed]
    return numbers(np.ravel_multi_index(found, dims, order=_checked(order)))
