"""Polynomials given by their coefficients, the highest power first, as in NumPy."""

from __future__ import annotations

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, as_node, constant, is_constant
from .indexing import add_gather, element, segment
from .joining import at_least, concatenate
from .kinds import derived, reshape, with_shape, zeros
from .linalg import outer
from .shape import ravel


def _coefficients(p: Node, what: str) -> Node:
    p = at_least(as_node(p), 1)
    if p.ndim != 1:
        raise GradcalcError(
            "shape", f"`{what}` needs a vector of coefficients, got shape {p.shape}", operands=[with_shape(p)]
        )
    return p


@derived("polyval(x, y) | x=4 y=3", "polyval([3, 0, 1], x) | x=2,2", "polyval(x, 2) | x=1", "polyval(x, y) | x=2,3 y=3")
def polyval(p: Node, x: Node) -> Node:
    """The value of a polynomial, by Horner's scheme."""
    p = at_least(p, 1)
    value = zeros(x.shape) if p.shape[0] == 0 else element(p, -p.ndim, 0) + zeros(x.shape)
    for i in range(1, p.shape[0]):
        value = value * x + element(p, -p.ndim, i)
    return value


@derived("polyder(x) | x=4", "polyder(x, 2) | x=4", "polyder(x, m=0) | x=3", "polyder(x) | x=1")
def polyder(p: Node, m: int = 1) -> Node:
    """The coefficients of a polynomial's m-th derivative."""
    if m < 0:
        raise GradcalcError("arguments", f"a polynomial has no derivative of order {m}")
    p = _coefficients(p, "polyder")
    for _ in range(m):
        n = p.size
        p = segment(p, -1, 0, max(n - 1, 0)) * constant(np.arange(n - 1, 0, -1.0))
    return p


@derived("polyint(x) | x=3", "polyint(x, 2, k=[1, y]) | x=2 y=", "polyint(x, m=2, k=3) | x=2")
def polyint(p: Node, m: int = 1, k: Node | None = None) -> Node:
    """The coefficients of a polynomial's m-th integral; k are the integration constants, the first one's first."""
    if m < 0:
        raise GradcalcError("arguments", f"a polynomial has no integral of order {m}")
    p = _coefficients(p, "polyint")
    given = zeros((m,)) if k is None else ravel(as_node(k))
    if given.size not in (1, m):
        raise GradcalcError("arguments", f"`polyint` needs one constant for each of {m} integrals, got {given.size}")
    for i in range(m):
        place = i if given.size == m else 0
        p = concatenate([p / constant(np.arange(p.size, 0, -1.0)), segment(given, -1, place, place + 1)])
    return p


@derived("polyadd(x, y) | x=3 y=2", "polyadd(x, 1) | x=3")
def polyadd(a1: Node, a2: Node) -> Node:
    """The coefficients of the sum of two polynomials."""
    one, other = _same_length(a1, a2, "polyadd")
    return one + other


@derived("polysub(x, y) | x=3 y=2", "polysub(1, x) | x=3")
def polysub(a1: Node, a2: Node) -> Node:
    """The coefficients of the difference of two polynomials."""
    one, other = _same_length(a1, a2, "polysub")
    return one - other


def _same_length(a1: Node, a2: Node, what: str) -> list[Node]:
    """Both coefficient vectors with zeros in front, so that they are equally long."""
    both = [_coefficients(one, what) for one in (a1, a2)]
    longest = max(one.size for one in both)
    return [concatenate([zeros((longest - one.size,)), one]) if one.size < longest else one for one in both]


@derived("polymul(x, y) | x=3 y=2", "polymul([1, 2], x) | x=3", "polymul(2, x) | x=2")
def polymul(a1: Node, a2: Node) -> Node:
    """The coefficients of the product of two polynomials."""
    return _product(*(_trimmed(_coefficients(one, "polymul")) for one in (a1, a2)))


@derived("jax.numpy.polymul(x, y) | x=3 y=2", "jax.numpy.polymul([0, 1], x) | x=2", name="jax.polymul")
def jax_polymul(a1: Node, a2: Node, trim_leading_zeros: bool = False) -> Node:
    """The coefficients of the product of two polynomials, those of leading zeros too."""
    if trim_leading_zeros:
        return polymul(a1, a2)
    return _product(_coefficients(a1, "polymul"), _coefficients(a2, "polymul"))


def _trimmed(p: Node) -> Node:
    """Coefficients without leading zeros, which NumPy drops; only of numbers is it known which those are."""
    if not is_constant(p):
        return p
    found = np.flatnonzero(p.attrs["value"].data)
    return segment(p, -1, int(found[0]) if found.size else max(p.size - 1, 0), p.size)


def _product(p: Node, q: Node) -> Node:
    powers = np.add.outer(np.arange(p.size), np.arange(q.size)).astype(np.float64)
    if p.size * q.size == 0:
        raise GradcalcError("empty", "a polynomial needs a coefficient at least")
    return add_gather(zeros((p.size + q.size - 1,)), outer(p, q), (constant(powers),))


@derived("poly(x) | x=3", "poly([1, x]) | x=")
def poly(seq_of_zeros: Node) -> Node:
    """The coefficients of the polynomial that has the given zeros and begins with 1."""
    if seq_of_zeros.ndim > 1:
        message = "`poly` of a matrix would need its eigenvalues, which may be complex"
        raise GradcalcError("arguments", message, helps=["give the zeros as a vector"])
    product: Node = constant(np.ones(1))
    roots = reshape(seq_of_zeros, (seq_of_zeros.size,))
    for i in range(roots.size):
        product = _product(product, concatenate([constant(np.ones(1)), -segment(roots, -1, i, i + 1)]))
    return product
