"""Products of vectors and matrices that are made of `matmul`, `einsum` and elementwise products.

NumPy's take any number of axes where they can; PyTorch's, mostly, exactly those that their names say.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ..errors import GradcalcError
from ..graph import Node, as_node, scalar_value
from . import linalg
from .indexing import element
from .joining import at_least, concatenate
from .kinds import broadcast_to, derived, negative_axis, reshape, with_shape, zeros
from .reduce import sum
from .shape import expand_dims, moveaxis, ravel, roll, squeeze

_KINDS = {0: "a number", 1: "a vector", 2: "a matrix", 3: "a batch of matrices (three axes)"}


def of_rank(x: Node, ndim: int, what: str) -> Node:
    """The node itself, if it has as many axes as the function takes."""
    if x.ndim != ndim:
        raise GradcalcError(
            "shape", f"`{what}` needs {_KINDS[ndim]} here, got shape {x.shape}", operands=[with_shape(x)]
        )
    return x


# matrices -----------------------------------------------------------------------------------------


@derived("mm(A, B) | A=2,3 B=3,2")
def mm(input: Node, mat2: Node) -> Node:
    """Product of two matrices."""
    return of_rank(input, 2, "mm") @ of_rank(mat2, 2, "mm")


@derived("mv(A, x) | A=2,3 x=3")
def mv(input: Node, vec: Node) -> Node:
    """Product of a matrix and a vector."""
    return of_rank(input, 2, "mv") @ of_rank(vec, 1, "mv")


@derived("bmm(A, B) | A=2,2,3 B=2,3,2")
def bmm(input: Node, mat2: Node) -> Node:
    """Products of as many matrices as the first axis of both counts."""
    if of_rank(input, 3, "bmm").shape[0] != of_rank(mat2, 3, "bmm").shape[0]:
        message = f"`bmm` needs equally many matrices, got shapes {input.shape} and {mat2.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(input), with_shape(mat2)])
    return input @ mat2


@derived(
    "addmm(C, A, B) | C=2,2 A=2,3 B=3,2",
    "addmm(y, A, B, beta=0.5, alpha=2) | y=2 A=2,3 B=3,2",
    "addmm(C, A, B, beta=b, alpha=a) | C=2,2 A=2,3 B=3,2 b= a=",
    "addmm(nan, A, B, beta=0) | A=2,3 B=3,2",
)
def addmm(input: Node, mat1: Node, mat2: Node, beta: Node | float = 1, alpha: Node | float = 1) -> Node:
    """beta*input + alpha*(mat1 @ mat2)."""
    return _added(input, mm(mat1, mat2), beta, alpha)


@derived("addmv(y, A, x) | y=2 A=2,3 x=3", "addmv(y, A, x, beta=0.5, alpha=2) | y=2 A=2,3 x=3")
def addmv(input: Node, mat: Node, vec: Node, beta: Node | float = 1, alpha: Node | float = 1) -> Node:
    """beta*input + alpha*(mat @ vec)."""
    return _added(input, mv(mat, vec), beta, alpha)


@derived("addbmm(C, A, B) | C=2,2 A=2,2,3 B=2,3,2", "addbmm(C, A, B, beta=0.5, alpha=2) | C=2 A=2,2,3 B=2,3,2")
def addbmm(input: Node, batch1: Node, batch2: Node, beta: Node | float = 1, alpha: Node | float = 1) -> Node:
    """beta*input + alpha*(the sum of the matrix products)."""
    return _added(input, sum(bmm(batch1, batch2), 0), beta, alpha)


@derived("baddbmm(C, A, B) | C=2,2,2 A=2,2,3 B=2,3,2", "baddbmm(C, A, B, beta=0.5, alpha=2) | C=2,1 A=2,2,3 B=2,3,2")
def baddbmm(input: Node, batch1: Node, batch2: Node, beta: Node | float = 1, alpha: Node | float = 1) -> Node:
    """beta*input + alpha*(each of the matrix products)."""
    return _added(input, bmm(batch1, batch2), beta, alpha)


@derived("addr(C, x, y) | C=2,3 x=2 y=3", "addr(C, x, y, beta=0.5, alpha=2) | C=3 x=2 y=3")
def addr(input: Node, vec1: Node, vec2: Node, beta: Node | float = 1, alpha: Node | float = 1) -> Node:
    """beta*input + alpha*(the outer product of the vectors)."""
    return _added(input, vector_outer(vec1, vec2), beta, alpha)


def _added(old: Node, product: Node, beta: Node | float, alpha: Node | float) -> Node:
    """With beta = 0 the old array is left out altogether, even where it is nan."""
    old = broadcast_to(old, product.shape)
    if scalar_value(as_node(alpha)) != 1:
        product = alpha * product
    factor = scalar_value(as_node(beta))
    return product if factor == 0 else old + product if factor == 1 else beta * old + product


@derived(
    "multi_dot([A, B, C]) | A=2,3 B=3,2 C=2,2",
    "multi_dot([x, A, y]) | x=2 A=2,3 y=3",
)
def multi_dot(arrays: Sequence[Node]) -> Node:
    """Product of two or more matrices; the first and the last may be vectors."""
    if len(arrays) < 2:
        raise GradcalcError("arguments", "`multi_dot` needs at least two arrays")
    for place, one in enumerate(arrays):
        if one.ndim != 1 or 0 < place < len(arrays) - 1:
            of_rank(one, 2, "multi_dot")
    return reduce(linalg.matmul, arrays)


@derived("chain_matmul(A, B, C) | A=2,3 B=3,2 C=2,2", "chain_matmul(A) | A=2,2")
def chain_matmul(*matrices: Node) -> Node:
    """Product of matrices."""
    if not matrices:
        raise GradcalcError("arguments", "`chain_matmul` needs at least one matrix")
    return reduce(linalg.matmul, [of_rank(one, 2, "chain_matmul") for one in matrices])


@derived("matvec(A, x) | A=2,3 x=3", "matvec(A, x) | A=2,2,3 x=2,3", "matvec(A, x) | A=2,3 x=4,3")
def matvec(x: Node, y: Node) -> Node:
    """Matrix times vector, for each matrix and vector over leading axes."""
    return squeeze(x @ expand_dims(_with_axes(y, "matvec"), -1), -1)


@derived("vecmat(x, A) | x=2 A=2,3", "vecmat(x, A) | x=2,2 A=2,2,3", "vecmat(x, A) | x=4,2 A=2,3")
def vecmat(x: Node, y: Node) -> Node:
    """Vector times matrix, for each vector and matrix over leading axes."""
    return squeeze(expand_dims(_with_axes(x, "vecmat"), -2) @ y, -2)


def _with_axes(x: Node, what: str) -> Node:
    if x.ndim == 0:
        raise GradcalcError("shape", f"`{what}` needs arrays with axes, got a number", operands=[with_shape(x)])
    return x


# vectors ------------------------------------------------------------------------------------------


@derived("vdot(x, y) | x=3 y=3", "vdot(x, y) | x=2,3 y=3,2")
def vdot(x: Node, y: Node) -> Node:
    """Sum of products of all elements."""
    return ravel(x) @ ravel(y)


@derived("torch.dot(x, y) | x=3 y=3", name="torch.dot", spellings=("torch.vdot",))
def dot(input: Node, tensor: Node) -> Node:
    """Sum of products of two vectors."""
    return of_rank(input, 1, "dot") @ of_rank(tensor, 1, "dot")


@derived(
    "vecdot(x, y) | x=3 y=3",
    "vecdot(x, y) | x=2,3 y=3",
    "vecdot(x, y, axis=0) | x=3,2 y=3,2",
    "vecdot(x, y, axis=0) | x=3 y=3,2",
)
def vecdot(x: Node, y: Node, axis: int = -1) -> Node:
    """Sum of products along an axis of each, over the other axes one by one."""
    a, b = (moveaxis(one, negative_axis(axis, one.ndim), -1) for one in (x, y))
    if a.shape[-1] != b.shape[-1]:
        message = f"`vecdot` needs vectors of one length, got {a.shape[-1]} and {b.shape[-1]}"
        raise GradcalcError("shape", message, operands=[with_shape(x), with_shape(y)])
    return sum(a * b, -1)


@derived(
    "torch.linalg.vecdot(x, y) | x=2,3 y=3",
    "torch.linalg.vecdot(x, y, dim=0) | x=3 y=2,3",
    name="torch.linalg.vecdot",
)
def broadcast_vecdot(x: Node, y: Node, dim: int = -1) -> Node:
    """Sum of products along an axis, after broadcasting."""
    return sum(x * y, dim)


@derived("torch.outer(x, y) | x=3 y=2", name="torch.outer", spellings=("torch.ger", "linalg.outer"))
def vector_outer(input: Node, vec2: Node) -> Node:
    """Every element of one vector times every element of another, as a matrix."""
    return linalg.outer(of_rank(input, 1, "outer"), of_rank(vec2, 1, "outer"))


@derived("kron(A, B) | A=2,2 B=1,3", "kron(x, A) | x=2 A=2,2", "kron(x, y) | x=2 y=3", "kron(A, x) | A=2,1,2 x=")
def kron(x: Node, y: Node) -> Node:
    """Kronecker product: the first array with each element replaced by it times the second."""
    ndim = max(x.ndim, y.ndim)
    a, b = at_least(x, ndim).shape, at_least(y, ndim).shape
    wide = reshape(x, tuple(n for length in a for n in (length, 1)))
    return reshape(
        wide * reshape(y, tuple(n for length in b for n in (1, length))),
        tuple(m * n for m, n in zip(a, b, strict=True)),
    )


# cross products -----------------------------------------------------------------------------------


@derived(
    "cross(x, y) | x=3 y=3",
    "cross(x, y) | x=2,3 y=3",
    "cross(x, y) | x=2 y=3",
    "cross(x, y) | x=3 y=2",
    "cross(x, y) | x=4,2 y=2",
    "cross(x, y, axis=0) | x=3,2 y=3,2",
    "cross(x, y, axisa=0, axisc=0) | x=3,2 y=2,3",
    "cross(x, y, 0, 1, 0) | x=3,2 y=2,3",
)
def cross(x: Node, y: Node, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Node:
    """Cross product of vectors of length 3; a vector of length 2 lies in the plane, and two of them give a number."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = (moveaxis(one, negative_axis(along, one.ndim), -1) for one, along in ((x, axisa), (y, axisb)))
    if not {a.shape[-1], b.shape[-1]} <= {2, 3}:
        message = f"`cross` needs vectors of length 2 or 3, got {a.shape[-1]} and {b.shape[-1]}"
        raise GradcalcError("shape", message, operands=[with_shape(x), with_shape(y)])
    if a.shape[-1] == b.shape[-1] == 2:
        return element(a, -1, 0) * element(b, -1, 1) - element(a, -1, 1) * element(b, -1, 0)
    made = _cross(_in_space(a), _in_space(b), -1)
    return moveaxis(made, -1, negative_axis(axisc, made.ndim))


def _in_space(x: Node) -> Node:
    """Vectors in the plane with a third coordinate 0."""
    return x if x.shape[-1] == 3 else concatenate([x, zeros((*x.shape[:-1], 1))], -1)


def _cross(a: Node, b: Node, axis: int) -> Node:
    return roll(a, -1, axis) * roll(b, -2, axis) - roll(a, -2, axis) * roll(b, -1, axis)


@derived("linalg.cross(x, y) | x=2,3 y=3", "linalg.cross(x, y, axis=0) | x=3,2 y=3,2", name="linalg.cross")
def cross_in_space(x: Node, y: Node, axis: int = -1) -> Node:
    """Cross product of vectors of length 3 along an axis."""
    for one in (x, y):
        _check_length(one, negative_axis(axis, one.ndim))
    made = _cross(moveaxis(x, axis, -1), moveaxis(y, axis, -1), -1)
    return moveaxis(made, -1, negative_axis(axis, made.ndim))


@derived(
    "torch.cross(x, y) | x=2,3 y=2,3",
    "torch.cross(x, y) | x=3,3 y=3,3",
    "torch.cross(x, y, dim=0) | x=3,2 y=3,1",
    name="torch.cross",
)
def cross_somewhere(input: Node, other: Node, dim: int | None = None) -> Node:
    """Cross product of vectors of length 3 along an axis: unless it is named, the first that is so long."""
    places = [i for i, length in enumerate(input.shape) if length == 3]
    if dim is None and not places:
        raise GradcalcError("shape", f"`cross` needs an axis of length 3, got shape {input.shape}")
    return cross_along(input, other, places[0] if dim is None else dim)


@derived(
    "torch.linalg.cross(x, y) | x=3,3 y=3,3", "torch.linalg.cross(x, y, dim=0) | x=3,2 y=3,1", name="torch.linalg.cross"
)
def cross_along(input: Node, other: Node, dim: int = -1) -> Node:
    """Cross product of vectors of length 3 along an axis; both arrays have the same number of axes."""
    if input.ndim != other.ndim:
        message = f"`cross` needs equally many axes, got shapes {input.shape} and {other.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(input), with_shape(other)])
    axis = negative_axis(dim, input.ndim, "dim")
    return _cross(_check_length(input, axis), _check_length(other, axis), axis)


def _check_length(x: Node, axis: int) -> Node:
    if x.shape[axis] != 3:
        message = f"`cross` needs vectors of length 3, got {x.shape[axis]}"
        raise GradcalcError("shape", message, operands=[with_shape(x)])
    return x
