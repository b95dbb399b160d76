"""Products of vectors, matrices and more; batched over leading axes as in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, node
from .kinds import bilinear, broadcast_to, derived, general, pad_rank, with_shape
from .matrices import leading_shape
from .reduce import sum
from .shape import as_matrix, diagonal, expand_dims, ravel, reshape, squeeze, swapaxes

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
    leading = leading_shape(a.shape[:-2], b.shape[:-2])
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


@derived("outer(x, y) | x=3 y=2", "outer(A, x) | A=2,2 x=3")
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
