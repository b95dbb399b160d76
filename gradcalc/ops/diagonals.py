"""Diagonals made, replaced and numbered; powers side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, as_node, constant
from .arithmetic import where
from .elementwise import power
from .indexing import put, put_gather, put_index
from .joining import stack
from .kinds import derived, negative_axis, with_shape, zeros
from .shape import as_matrix, broadcast_to, diagonal, diagonal_matrix, moveaxis, ravel, reshape
from .views import axis_of, place_in

# making and replacing ---------------------------------------------------------------------------


@derived("torch.linalg.diagonal(x) | x=2,3,3", "torch.linalg.diagonal(x, offset=-1, dim1=0, dim2=1) | x=2,3,3",
         name="torch.linalg.diagonal")  # fmt: skip
def diagonal_of_last(A: Node, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Node:
    """The diagonal over two axes, the last unless told otherwise; it becomes the last axis."""
    return diagonal(A, offset, dim1, dim2)


@derived("diagflat(x) | x=3", "diagflat(x, -1) | x=2,2", "diagflat(x) | x=")
def diagflat(v: Node, k: int = 0) -> Node:
    """All elements as the diagonal of a matrix."""
    side = v.size + abs(k)
    return diagonal_matrix(ravel(v), side, side, k)


@derived("diag_embed(x) | x=2,3", "diag_embed(x, 1) | x=2", "diag_embed(x, offset=-1, dim1=0, dim2=2) | x=2,2")
def diag_embed(input: Node, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Node:
    """The last axis as diagonals of matrices, which stand on the given axes of the result."""
    if input.ndim == 0:
        raise GradcalcError("shape", "`diag_embed` needs an axis to make a diagonal of")
    side = input.shape[-1] + abs(offset)
    first, second = (negative_axis(dim, input.ndim + 1, "dim") for dim in (dim1, dim2))
    if first == second:
        raise GradcalcError("arguments", f"dim1 {dim1} and dim2 {dim2} are the same axis")
    return moveaxis(diagonal_matrix(input, side, side, offset), (-2, -1), (first, second))


@derived(
    "diagonal_scatter(x, y) | x=3,3 y=3",
    "diagonal_scatter(x, y, 1) | x=2,3 y=2",
    "diagonal_scatter(x, y, -1, dim1=0, dim2=2) | x=3,2,2 y=2,2",
)
def diagonal_scatter(input: Node, src: Node, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Node:
    """The array with a diagonal replaced."""
    axes = tuple(negative_axis(dim, as_matrix(input, "diagonal_scatter").ndim, "dim") for dim in (dim1, dim2))
    moved = moveaxis(input, axes, (-2, -1))
    rows, columns = moved.shape[-2:]
    place = diagonal(moved, offset, -2, -1).shape
    _same_shape(src, place)
    on_diagonal = constant(np.eye(rows, columns, offset) == 1)
    changed = where(on_diagonal, diagonal_matrix(src, rows, columns, offset), moved)
    return moveaxis(changed, (-2, -1), axes)


def _same_shape(src: Node, place: Shape) -> None:
    if src.shape != place:
        raise GradcalcError("shape", f"the place has shape {place}, not {src.shape}", operands=[with_shape(src)])


@derived("select_scatter(x, y, 0, 1) | x=2,3 y=3", "select_scatter(x, y, dim=1, index=-1) | x=2,3 y=2")
def select_scatter(input: Node, src: Node, dim: int, index: int) -> Node:
    """The array with the slice of an axis at one place replaced."""
    axis = negative_axis(dim, input.ndim, "dim")
    spec = (place_in(input, axis, index), *(slice(None),) * (-axis - 1))
    _same_shape(src, input.shape[:axis] + input.shape[axis:][1:])
    return put_index(input, src, spec)


@derived(
    "slice_scatter(x, y, 0, 1, 3) | x=4,2 y=2,2",
    "slice_scatter(x, y, dim=1, start=-3, step=2) | x=2,3 y=2,2",
    "slice_scatter(x, y, 0, end=9) | x=2 y=2",
)
def slice_scatter(
    input: Node, src: Node, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Node:
    """The array with a slice along an axis replaced."""
    axis = axis_of(input, dim)
    if step < 1:
        raise GradcalcError("arguments", f"the step of a slice must be positive, got {step}")
    count = len(range(*slice(start, end, step).indices(input.shape[axis])))
    _same_shape(src, (*input.shape[:axis], count, *input.shape[axis + 1 :]))
    return put(input, [slice(None)] * axis + [slice(start, end, step)], src, lambda _: None)


@derived("jax.fill_diagonal(x, 7, inplace=False) | x=2,2", "jax.fill_diagonal(x, y, inplace=False) | x=3,2 y=2",
         "jax.fill_diagonal(x, y, wrap=True, inplace=False) | x=5,2 y=", name="jax.fill_diagonal")  # fmt: skip
def fill_diagonal(a: Node, val: Node, wrap: bool = False, inplace: bool = True) -> Node:
    """The array with its main diagonal replaced: the places whose numbers are all equal."""
    if inplace:
        raise GradcalcError("arguments", "`fill_diagonal` writes in place", helps=["say `inplace=False`"])
    marks = np.zeros(a.shape, bool)
    np.fill_diagonal(marks, True, wrap)
    places = np.flatnonzero(marks)
    values = ravel(as_node(val))
    if values.size not in (1, places.size):
        raise GradcalcError("shape", f"the diagonal has {places.size} places, not {values.size}")
    written = put_gather(ravel(a), broadcast_to(values, (places.size,)), [constant(places.astype(np.float64))])
    return reshape(written, a.shape)


# powers -----------------------------------------------------------------------------------------


@derived("vander(x) | x=3", "vander(x, 2) | x=3", "vander(x, 4, increasing=True) | x=2")
def vander(x: Node, N: int | None = None, increasing: bool = False) -> Node:
    """Powers of a vector's elements as rows, the highest first unless `increasing`."""
    if x.ndim != 1:
        raise GradcalcError("shape", f"`vander` needs a vector, got shape {x.shape}", operands=[with_shape(x)])
    return _powers(x, N, increasing)


@derived("torch.linalg.vander(x) | x=3", "torch.linalg.vander(x, N=2) | x=2,2", name="torch.linalg.vander")
def increasing_vander(x: Node, N: int | None = None) -> Node:
    """Powers 0, 1, 2, … of the elements along a new last axis."""
    return _powers(x, N, True)


def _powers(x: Node, count: int | None, increasing: bool) -> Node:
    exponents = list(range(x.shape[-1] if count is None else count))
    if not exponents:
        return zeros((*x.shape, 0))
    return stack([power(x, float(n)) for n in (exponents if increasing else exponents[::-1])], -1)


# the places of triangles and diagonals ------------------------------------------------------------


def _places(found: tuple[Any, ...]) -> tuple[Node, ...]:
    return tuple(constant(np.asarray(one, np.float64)) for one in found)


@derived("x[tril_indices(2)] | x=2,2", "tril_indices(3, -1)[0]", "tril_indices(2, 1, 3)[1]")
def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Node, ...]:
    """Rows and columns of the places in a matrix's lower triangle."""
    return _places(np.tril_indices(n, k, m))


@derived("x[triu_indices(2)] | x=2,2", "triu_indices(3, 1)[0]", "triu_indices(2, -1, 3)[1]")
def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Node, ...]:
    """Rows and columns of the places in a matrix's upper triangle."""
    return _places(np.triu_indices(n, k, m))


@derived("x[tril_indices_from(x, 1)] | x=2,3")
def tril_indices_from(arr: Node, k: int = 0) -> tuple[Node, ...]:
    """Rows and columns of the places in this matrix's lower triangle."""
    return _places(np.tril_indices(as_matrix(arr, "tril_indices_from").shape[-2], k, arr.shape[-1]))


@derived("x[triu_indices_from(x)] | x=2,3")
def triu_indices_from(arr: Node, k: int = 0) -> tuple[Node, ...]:
    """Rows and columns of the places in this matrix's upper triangle."""
    return _places(np.triu_indices(as_matrix(arr, "triu_indices_from").shape[-2], k, arr.shape[-1]))


@derived("torch.tril_indices(3, 2)", "torch.tril_indices(2, 3, offset=-1)", name="torch.tril_indices")
def tril_rows(row: int, col: int, offset: int = 0) -> Node:
    """Rows and columns, as the rows of a matrix, of the places in a matrix's lower triangle."""
    return constant(np.asarray(np.tril_indices(row, offset, col), np.float64))


@derived("torch.triu_indices(3, 2)", "torch.triu_indices(2, 3, offset=1)", name="torch.triu_indices")
def triu_rows(row: int, col: int, offset: int = 0) -> Node:
    """Rows and columns, as the rows of a matrix, of the places in a matrix's upper triangle."""
    return constant(np.asarray(np.triu_indices(row, offset, col), np.float64))


@derived("x[diag_indices(2)] | x=2,2", "x[diag_indices(2, 3)] | x=2,2,2")
def diag_indices(n: int, ndim: int = 2) -> tuple[Node, ...]:
    """The places on the main diagonal of an array with equal lengths."""
    return _places((np.arange(n),) * ndim)


@derived("x[diag_indices_from(x)] | x=2,2")
def diag_indices_from(arr: Node) -> tuple[Node, ...]:
    """The places on this array's main diagonal."""
    if len(set(arr.shape)) > 1 or arr.ndim < 2:
        message = f"the axes must have equal lengths, got shape {arr.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(arr)])
    return diag_indices(arr.shape[0], arr.ndim)
