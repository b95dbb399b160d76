"""Matrix products, determinants, inverses and factorisations; batched over leading axes as in NumPy.

The rules are those of Giles, "An extended collection of matrix derivative results for forward and
reverse mode algorithmic differentiation" (2008), except where a comment says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, constant, node
from .arithmetic import less, where
from .arithmetic import sign as _sign
from .indexing import add_gather, gather
from .kinds import bilinear, broadcast_to, derived, general, pad_rank, with_shape, zeros
from .reduce import sum
from .shape import as_matrix, diagonal, expand_dims, ravel, reshape, squeeze, swapaxes, tril

# products ---------------------------------------------------------------------------------------


def _matmul_shape(a: Node, b: Node) -> Shape:
    if a.ndim == 0 or b.ndim == 0:
        raise GradcalcError(
            "shape",
            "`@` needs arrays with axes, got a number",
            operands=[with_shape(a if a.ndim == 0 else b)],
            helps=["multiply by a number with `*`"],
        )
    inner = b.shape[0] if b.ndim == 1 else b.shape[-2]
    leading = _leading(a.shape[:-2], b.shape[:-2])
    if a.shape[-1] != inner or leading is None:
        why = (
            f"the inner lengths {a.shape[-1]} and {inner} differ"
            if a.shape[-1] != inner
            else "their leading axes do not pair up"
        )
        helps = []
        if b.ndim > 1 and a.shape[-1] == b.shape[-1]:
            helps.append("transpose the second: `… @ ….T`")
        elif a.ndim > 1 and a.shape[-2] == inner:
            helps.append("transpose the first: `….T @ …`")
        raise GradcalcError(
            "shape",
            f"cannot multiply shapes {a.shape} and {b.shape}",
            operands=[with_shape(a), with_shape(b)],
            notes=[why],
            helps=helps,
        )
    return leading + (a.shape[-2:-1] if a.ndim > 1 else ()) + (b.shape[-1:] if b.ndim > 1 else ())


def _leading(a: Shape, b: Shape) -> Shape | None:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


def _matmul_transposes(g: Node, a: Node, b: Node) -> tuple[Node, Node]:
    if a.ndim == 1 and b.ndim == 1:
        return g * b, g * a
    if b.ndim == 1:  # (…, m, n) @ (n,): g is (…, m)
        return expand_dims(g, -1) * b, _vector(swapaxes(a, -1, -2), g)
    if a.ndim == 1:  # (n,) @ (…, n, p): g is (…, p)
        return _vector(b, g), expand_dims(a, -1) * expand_dims(g, -2)
    return g @ swapaxes(b, -1, -2), swapaxes(a, -1, -2) @ g


def _vector(matrix: Node, vector: Node) -> Node:
    """Matrix times vector, where the vector may have the matrix's leading axes."""
    return matrix @ vector if vector.ndim == 1 else squeeze(matrix @ expand_dims(vector, -1), -1)


def _batch_matmul(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    """Vectors become one-column or one-row matrices while they carry the batch axis."""
    (a, b), (old_a, old_b) = inputs, old.inputs
    row, column = old_a.ndim == 1, old_b.ndim == 1
    if row and column and not all(batched):  # a batch of vectors is a matrix
        return a @ b if batched[0] else b @ a
    if column and batched == (False, True) and old_a.ndim == 2:
        return b @ swapaxes(a, -1, -2)
    if row and batched == (True, False) and old_b.ndim == 2:
        return a @ b
    a = expand_dims(a, -2) if row else a
    b = expand_dims(b, -1) if column else b
    rank = max(old_a.ndim + row, old_b.ndim + column)
    a = pad_rank(a, rank - old_a.ndim - row) if batched[0] else a
    b = pad_rank(b, rank - old_b.ndim - column) if batched[1] else b
    dropped = [axis for axis, gone in ((-1, column), (-2, row)) if gone]
    return squeeze(a @ b, tuple(dropped)) if dropped else a @ b


@bilinear(
    kernel=np.matmul,
    shape=_matmul_shape,
    transposes=_matmul_transposes,
    batch=_batch_matmul,
    infix="@",
    binds=60,
    examples=(
        "A @ B | A=2,3 B=3,2",
        "A @ x | A=2,3 x=3",
        "x @ A | A=3,2 x=3",
        "x @ y | x=3 y=3",
        "A @ B | A=2,2,3 B=3,2",
        "A @ x | A=2,2,3 x=3",
        "x @ A | A=2,3,2 x=3",
        "A @ B | A=2,3 B=4,3,2",
    ),
    spellings=("mm", "mv", "bmm"),
)
def matmul(x: Node, y: Node) -> Any:
    """Matrix product; of vectors the inner product; over leading axes one product each."""
    return (x, y), {}


@derived("dot(x, y) | x=3 y=3", "dot(A, x) | A=2,3 x=3", "dot(x, A) | A=3 x=", "dot(A, B) | A=2,3 B=4,3,2")
def dot(x: Node, y: Node) -> Node:
    """NumPy's dot: last axis of the first with the last but one of the second; numbers multiply."""
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    return x @ y if y.ndim <= 2 and x.ndim <= 2 else tensordot(x, y, ((-1,), (-min(y.ndim, 2),)))


@derived("inner(x, y) | x=3 y=3", "inner(A, B) | A=2,3 B=4,3")
def inner(x: Node, y: Node) -> Node:
    """Sum of products over the last axis of both."""
    return x * y if x.ndim == 0 or y.ndim == 0 else tensordot(x, y, ((-1,), (-1,)))


@derived("outer(x, y) | x=3 y=2", "outer(A, x) | A=2,2 x=3", spellings=("ger",))
def outer(x: Node, y: Node) -> Node:
    """Every element of the first times every element of the second, as a matrix."""
    return expand_dims(ravel(x), 1) * expand_dims(ravel(y), 0)


@derived(
    "tensordot(A, B, 1) | A=2,3 B=3,2",
    "tensordot(A, B, ((0, 1), (1, 0))) | A=2,3 B=3,2",
    "tensordot(A, B, 0) | A=2 B=3",
)
def tensordot(x: Node, y: Node, axes: int | tuple[tuple[int, ...], tuple[int, ...]] = 2) -> Node:
    """Sum of products over pairs of axes: the last of one with the first of the other, or those given."""
    if isinstance(axes, int):
        axes = tuple(range(-axes, 0)), tuple(range(axes))
    left, right = ((pair,) if isinstance(pair, int) else tuple(pair) for pair in axes)
    letters = [chr(ord("a") + i) for i in range(x.ndim + y.ndim)]
    mine, theirs = letters[: x.ndim], letters[x.ndim :]
    for i, j in zip(left, right, strict=True):
        theirs[j] = mine[i]
    kept = [c for c in mine if c not in theirs] + [c for c in theirs if c not in mine]
    return einsum(f"{''.join(mine)},{''.join(theirs)}->{''.join(kept)}", x, y)


@derived("trace(A) | A=3,3", "trace(A, 1) | A=2,3", "trace(A) | A=2,2,3")
def trace(x: Node, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Node:
    """Sum of a diagonal."""
    return sum(diagonal(as_matrix(x, "trace"), offset, axis1, axis2), -1)


# einsum -----------------------------------------------------------------------------------------


def _einsum_shape(*xs: Node, subscripts: str) -> Shape:
    terms, out = _terms(subscripts)
    lengths = {c: n for term, x in zip(terms, xs, strict=True) for c, n in zip(term, x.shape, strict=True)}
    return tuple(lengths[c] for c in out)


def _terms(subscripts: str) -> tuple[list[str], str]:
    left, out = subscripts.split("->")
    return left.split(","), out


def _einsum_vjp(g: Node, y: Node, *xs: Node, subscripts: str) -> tuple[Node, ...]:
    terms, out = _terms(subscripts)
    return tuple(_einsum_cotangent(g, out, i, terms, xs) for i in range(len(xs)))


def _einsum_cotangent(g: Node, out: str, place: int, terms: list[str], xs: Sequence[Node]) -> Node:
    """The same product with the cotangent in one operand's stead; letters only it has are stretched."""
    others = [i for i in range(len(xs)) if i != place]
    seen = set(out).union(*(terms[i] for i in others))
    kept = "".join(c for c in terms[place] if c in seen)
    text = ",".join([out, *(terms[i] for i in others)]) + "->" + kept
    back = einsum(text, g, *(xs[i] for i in others))
    column = tuple(n if c in seen else 1 for c, n in zip(terms[place], xs[place].shape, strict=True))
    return broadcast_to(reshape(back, column), xs[place].shape)


def _einsum_jvp(ts: Sequence[Node | None], y: Node, *xs: Node, subscripts: str) -> Node | None:
    parts = [einsum(subscripts, *xs[:i], t, *xs[i + 1 :]) for i, t in enumerate(ts) if t is not None]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _batch_einsum(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    terms, out = _terms(old.attrs["subscripts"])
    free = next(c for c in _LETTERS if c not in out and all(c not in term for term in terms))
    terms = [free + term if is_batched else term for term, is_batched in zip(terms, batched, strict=True)]
    return node(old.op, inputs, {"subscripts": ",".join(terms) + "->" + free + out})


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _spelled_out(subscripts: str, xs: Sequence[Node]) -> tuple[list[str], str]:
    """Subscripts with `...` as letters and the output written; repeated letters stay as they are."""
    text = subscripts.replace(" ", "")
    left, arrow, out = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(xs):
        raise GradcalcError("arguments", f"`{subscripts}` names {len(terms)} operands, but {len(xs)} were given")
    free = [c for c in reversed(_LETTERS) if c not in text]
    most = max(
        (x.ndim - len(term.replace("...", "")) for term, x in zip(terms, xs, strict=True) if "..." in term), default=0
    )
    dots = "".join(free.pop() for _ in range(max(most, 0)))
    full = []
    for term, x in zip(terms, xs, strict=True):
        missing = x.ndim - len(term.replace("...", ""))
        term = term.replace("...", dots[len(dots) - missing :] if missing > 0 else "")
        if len(term) != x.ndim or not all(c in _LETTERS for c in term):
            raise GradcalcError("arguments", f"`{term}` of `{subscripts}` does not fit an array with {x.ndim} axes")
        full.append(term)
    if arrow:
        out = out.replace("...", dots)
    else:
        joined = "".join(full)
        out = dots + "".join(sorted(c for c in set(joined) if joined.count(c) == 1 and c not in dots))
    if len(set(out)) < len(out) or any(all(c not in term for term in full) for c in out):
        raise GradcalcError(
            "arguments", f"the output `{out}` of `{subscripts}` must name letters of the operands, each once"
        )
    return full, out


def _without_repeats(term: str, x: Node) -> tuple[str, Node]:
    """An operand whose letters are distinct: a repeated letter is a diagonal."""
    for letter in term:
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            if x.shape[first] != x.shape[second]:
                raise GradcalcError(
                    "shape", f"letter `{letter}` stands for lengths {x.shape[first]} and {x.shape[second]}"
                )
            x = diagonal(x, 0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return term, x


@general(
    kernel=lambda *xs, subscripts: np.einsum(subscripts, *xs, optimize=len(xs) > 2 or max(map(np.size, xs)) > 10_000),
    exact=lambda m, *xs, subscripts: np.einsum(subscripts, *xs),
    shape=_einsum_shape,
    vjp=_einsum_vjp,
    jvp=_einsum_jvp,
    batch=_batch_einsum,
    source="linear in each operand: the cotangent takes the operand's place",
    examples=(
        "einsum('ij,jk->ik', A, B) | A=2,3 B=3,2",
        "einsum('ij,ij', A, B) | A=2,3 B=2,3",
        "einsum('ii->i', A) | A=3,3",
        "einsum('ii', A) | A=3,3",
        "einsum('ij->j', A) | A=2,3",
        "einsum('...ij,...j->...i', A, x) | A=2,2,3 x=3",
        "einsum('i,i,i->', x, y, x) | x=3 y=3",
        "einsum('ij->ji', A) | A=2,3",
        "einsum('i,j', x, y) | x=2 y=3",
    ),
)
def einsum(subscripts: str, *operands: Node) -> Any:
    """Sum of products over the letters that the output does not name."""
    terms, out = _spelled_out(subscripts, operands)
    pairs = [_without_repeats(term, x) for term, x in zip(terms, operands, strict=True)]
    lengths: dict[str, int] = {}
    for term, x in pairs:
        for letter, n in zip(term, x.shape, strict=True):
            lengths[letter] = max(n, lengths.get(letter, n)) if 0 not in (n, lengths.get(letter, n)) else 0
    stretched = [broadcast_to(x, _letter_shape(subscripts, term, x, lengths)) for term, x in pairs]
    return stretched, {"subscripts": ",".join(term for term, _ in pairs) + "->" + out}


def _letter_shape(subscripts: str, term: str, x: Node, lengths: dict[str, int]) -> Shape:
    for letter, n in zip(term, x.shape, strict=True):
        if n not in (1, lengths[letter]):
            raise GradcalcError(
                "shape", f"letter `{letter}` of `{subscripts}` stands for lengths {lengths[letter]} and {n}"
            )
    return tuple(lengths[letter] for letter in term)


# determinants and inverses ----------------------------------------------------------------------


def square_matrix(x: Node, what: str) -> Node:
    """The node itself, if its last two axes are equally long."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise GradcalcError("shape", f"`{what}` needs a square matrix, got shape {x.shape}", operands=[with_shape(x)])
    return x


def _one_square(x: Node, what: str) -> Any:
    return (square_matrix(x, what),), {}


def _t(x: Node) -> Node:
    return swapaxes(x, -1, -2)


def _each(x: Node) -> Node:
    """One number a matrix, lined up with the matrices."""
    return expand_dims(x, (-2, -1))


@general(
    kernel=np.linalg.det,
    shape=lambda x: x.shape[:-2],
    # The gradient of det is the cofactor matrix, which exists for singular matrices too (Jacobi's formula).
    vjp=lambda g, y, x: (_each(g) * cofactor(x),),
    exact=lambda m, x: _matrixwise(m.det, x, 0),
    examples=("det(A) | A=3,3", "det(A) | A=1,1", "det(A) | A=2,2,2"),
)
def det(x: Node) -> Any:
    """Determinant."""
    return _one_square(x, "det")


def _matrixwise(function: Any, x: Any, ndim: int) -> Any:
    """Apply a function of one object matrix over leading axes; its value has `ndim` axes."""
    x = np.asarray(x, object)
    if x.ndim == 2:
        return function(x)
    values = [_matrixwise(function, part, ndim) for part in x]
    out = np.empty((len(values), *np.shape(values[0])), object)
    for i, value in enumerate(values):
        out[i] = value
    return out


def _cofactor(x: Any) -> Any:
    """Through the singular value decomposition, which does not divide by small singular values."""
    n = x.shape[-1]
    u, s, vh = np.linalg.svd(x)
    others = np.repeat(s[..., None, :], n, -2)
    others[..., np.arange(n), np.arange(n)] = 1.0
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return sign[..., None, None] * ((u * np.prod(others, -1)[..., None, :]) @ vh)


def _minors(n: int) -> tuple[Any, Any]:
    """Index arrays of shape (n, n, n-1, n-1) that pick every minor of an n by n matrix."""
    rest = np.array([[j for j in range(n) if j != i] for i in range(n)], np.float64).reshape(n, n - 1)
    shape = (n, n, n - 1, n - 1)
    return np.broadcast_to(rest[:, None, :, None], shape), np.broadcast_to(rest[None, :, None, :], shape)


_MINORS_UP_TO = 32  # the minors of an n by n matrix take n**4 numbers


def _cofactor_vjp(g: Node, y: Node, x: Node) -> tuple[Node | None]:
    n = x.shape[-1]
    if n == 1:  # the cofactor of a number is 1
        return (None,)
    if n <= _MINORS_UP_TO:  # each cofactor is a signed determinant of a minor: right for any rank, to any order
        rows, columns = _minors(n)
        signs = constant((-1.0) ** np.add.outer(np.arange(n), np.arange(n)))
        places = constant(rows), constant(columns)
        back = _each(g * signs) * cofactor(gather(x, places))
        return (add_gather(zeros(x.shape), back, places),)
    # From C = det(X) inv(X)': dC = (tr(C'dX) C - C dX' C) / det(X).
    scale = _each(1 / det(x))
    return (scale * (_each(sum(g * y, (-2, -1))) * y - y @ _t(g) @ y),)


@general(
    kernel=_cofactor,
    shape=lambda x: x.shape,
    vjp=_cofactor_vjp,
    exact=lambda m, x: _matrixwise(m.cofactor, x, 2),
    examples=("cofactor(A) | A=3,3", "cofactor(A) | A=2,2"),
    source="Jacobi's formula; singular values for the numbers",
)
def cofactor(x: Node) -> Any:
    """Matrix of cofactors: det(x) * inv(x).T where the inverse exists, and defined where it does not."""
    return _one_square(x, "cofactor")


@general(
    kernel=lambda x: np.linalg.slogdet(x)[1],
    shape=lambda x: x.shape[:-2],
    vjp=lambda g, y, x: (_each(g) * _t(inv(x)),),
    exact=lambda m, x: np.frompyfunc(lambda d: m.log(m.abs(d)), 1, 1)(_matrixwise(m.det, x, 0)),
    examples=("logabsdet(A) | A=3,3", "logabsdet(A) | A=2,2,2"),
)
def logabsdet(x: Node) -> Any:
    """log(abs(det(x))), without overflow."""
    return _one_square(x, "logabsdet")


class SignedLog(NamedTuple):
    """A determinant taken apart."""

    sign: Node
    logabsdet: Node


@derived("slogdet(A)[1] | A=3,3")
def slogdet(x: Node) -> SignedLog:
    """Sign of the determinant, and the logarithm of its size."""
    return SignedLog(_sign(det(square_matrix(x, "slogdet"))), logabsdet(x))


@derived("logdet(A) | A=3,3")
def logdet(x: Node) -> Node:
    """log(det(x)), without overflow; nan where the determinant is negative."""
    sign, size = slogdet(square_matrix(x, "logdet"))
    return where(less(sign, 0.0), np.nan, size)


@general(
    kernel=np.linalg.inv,
    shape=lambda x: x.shape,
    vjp=lambda g, y, x: (-(_t(y) @ g @ _t(y)),),
    exact=lambda m, x: _matrixwise(lambda a: m.cofactor(a).T / m.det(a), x, 2),
    examples=("inv(A) | A=3,3", "inv(A) | A=2,2,2"),
    spellings=("inverse",),
)
def inv(x: Node) -> Any:
    """Inverse matrix."""
    return _one_square(x, "inv")


def _solve_shape(a: Node, b: Node) -> Shape:
    inner = b.shape[0] if b.ndim == 1 else b.shape[-2] if b.ndim else None
    leading = _leading(a.shape[:-2], b.shape[:-2] if b.ndim > 1 else ())
    if inner != a.shape[-1] or leading is None:
        raise GradcalcError(
            "shape",
            f"cannot solve a system of shape {a.shape} for a right side of shape {b.shape}",
            operands=[with_shape(a), with_shape(b)],
        )
    return leading + (a.shape[-1:] if b.ndim == 1 else (a.shape[-1], b.shape[-1]))


def _solve_vjp(g: Node, y: Node, a: Node, b: Node) -> tuple[Node, Node]:
    if b.ndim > 1:
        back = solve(_t(a), g)
        return -(back @ _t(y)), back
    back = solve(_t(a), g) if g.ndim == 1 else squeeze(solve(_t(a), expand_dims(g, -1)), -1)
    return -(expand_dims(back, -1) * expand_dims(y, -2)), back


def _batch_solve(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    a, b = inputs
    if old.inputs[1].ndim == 1:
        if batched == (False, True) and a.ndim == 2:  # one system, many right sides: its columns
            return swapaxes(solve(a, swapaxes(b, 0, 1)), 0, 1)
        column = expand_dims(b, -1)
        column = pad_rank(column, old.inputs[0].ndim - 2) if batched[1] else column
        return squeeze(solve(a, column), -1)
    rank = max(one.ndim for one in old.inputs)
    aligned = [
        pad_rank(new, rank - one.ndim) if is_batched else new
        for new, one, is_batched in zip(inputs, old.inputs, batched, strict=True)
    ]
    return solve(*aligned)


def _solve(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b) if b.ndim > 1 else np.linalg.solve(a, b[..., None])[..., 0]


def _exact_solve(m: Any, a: Any, b: Any) -> Any:
    inverse = _matrixwise(lambda one: m.cofactor(one).T / m.det(one), a, 2)
    return inverse @ b if b.ndim > 1 else (inverse @ b[:, None])[..., 0]


@general(
    kernel=_solve,
    shape=_solve_shape,
    vjp=_solve_vjp,
    batch=_batch_solve,
    exact=_exact_solve,
    examples=(
        "solve(A, x) | A=3,3 x=3",
        "solve(A, B) | A=3,3 B=3,2",
        "solve(A, x) | A=2,2,2 x=2",
        "solve(A, B) | A=2,2 B=3,2,2",
    ),
)
def solve(a: Node, b: Node) -> Any:
    """The x for which a @ x is b; b is a vector if it has one axis, else matrices."""
    return (square_matrix(a, "solve"), b), {}


def _cholesky_vjp(g: Node, y: Node, x: Node) -> tuple[Node]:
    # Murray, "Differentiation of the Cholesky decomposition" (2016), eq. 10: with Phi halving the diagonal of
    # the lower triangle, the cotangent is L^-T Phi(L' G) L^-1, made symmetric.
    inner = _t(y) @ tril(g)
    halved = tril(inner) - 0.5 * tril(inner) * constant(np.eye(x.shape[-1]))
    middle = solve(_t(y), _t(solve(_t(y), _t(halved))))
    return (0.5 * (middle + _t(middle)),)


def _exact_cholesky(m: Any, x: Any) -> Any:
    n = len(x)
    x = (x + x.T) / 2
    low = np.full((n, n), m.number(0.0), object)
    for j in range(n):
        low[j, j] = m.sqrt(x[j, j] - np.sum(low[j, :j] * low[j, :j]))
        for i in range(j + 1, n):
            low[i, j] = (x[i, j] - np.sum(low[i, :j] * low[j, :j])) / low[j, j]
    return low


@general(
    kernel=lambda x: np.linalg.cholesky((x + np.swapaxes(x, -1, -2)) / 2),
    shape=lambda x: x.shape,
    vjp=_cholesky_vjp,
    exact=lambda m, x: _matrixwise(lambda one: _exact_cholesky(m, one), x, 2),
    source="Murray, Differentiation of the Cholesky decomposition (2016)",
    examples=("cholesky(A @ A.T + 3*eye(3)) | A=3,3", "cholesky(A @ transpose(A, (0, 2, 1)) + 3*eye(2)) | A=2,2,2"),
)
def cholesky(x: Node) -> Any:
    """Lower triangular factor of a positive definite matrix, of whose two halves it takes the mean."""
    return _one_square(x, "cholesky")
