"""Matrices made of a vector, as SciPy's and JAX's `linalg` have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, constant
from .arithmetic import abs
from .indexing import gather, segment
from .joining import concatenate
from .kinds import derived, reshape, with_shape, zeros
from .shape import diagonal_matrix, expand_dims, flip


def _vector(x: Node, what: str) -> Node:
    if x.ndim != 1 or not x.size:
        raise GradcalcError("shape", f"`{what}` needs a vector, got shape {x.shape}", operands=[with_shape(x)])
    return x


def _picked(x: Node, places: Any) -> Node:
    return gather(x, (constant(np.asarray(places, np.float64)),))


@derived("toeplitz(x) | x=3", "toeplitz(x, y) | x=3 y=2", "toeplitz(x, y) | x=1 y=3")
def toeplitz(c: Node, r: Node | None = None) -> Node:
    """Matrix with one number along each diagonal: first column c, first row r, whose first element is not read."""
    r = _vector(c if r is None else r, "toeplitz")
    along = concatenate([flip(segment(r, -1, 1, r.size), 0), _vector(c, "toeplitz")], 0) if r.size > 1 else c
    return _picked(along, np.subtract.outer(np.arange(c.size), np.arange(r.size)) + r.size - 1)


@derived("hankel(x) | x=3", "hankel(x, y) | x=2 y=3")
def hankel(c: Node, r: Node | None = None) -> Node:
    """Matrix with one number along each line up to the right: first column c, last row r but for its first element."""
    r = zeros(_vector(c, "hankel").shape) if r is None else _vector(r, "hankel")
    along = concatenate([_vector(c, "hankel"), segment(r, -1, 1, r.size)], 0) if r.size > 1 else c
    return _picked(along, np.add.outer(np.arange(c.size), np.arange(r.size)))


@derived("circulant(x) | x=3")
def circulant(c: Node) -> Node:
    """Matrix whose columns are a vector, moved round by one place each time."""
    n = _vector(c, "circulant").size
    return _picked(c, np.subtract.outer(np.arange(n), np.arange(n)) % n)


@derived("fiedler(x) | x=3")
def fiedler(a: Node) -> Node:
    """Matrix of the distances between each two numbers."""
    return abs(expand_dims(_vector(a, "fiedler"), 1) - expand_dims(a, 0))


def _under_row(row: Node, below: Node) -> Node:
    """A first row, and numbers below the diagonal."""
    n = row.size
    first = reshape(row, (1, n))
    return (
        first
        if n == 1
        else concatenate([first, concatenate([diagonal_matrix(below, n - 1, n - 1), zeros((n - 1, 1))], 1)], 0)
    )


@derived("companion(x) | x=3", "companion(x) | x=2", domain=((0.5, 2),))
def companion(a: Node) -> Node:
    """Matrix whose eigenvalues are the roots of the polynomial with these coefficients, the highest power first."""
    if _vector(a, "companion").size < 2:
        raise GradcalcError("shape", f"`companion` needs two coefficients at least, got shape {a.shape}")
    n = a.size - 1
    return _under_row(-segment(a, -1, 1, n + 1) / segment(a, -1, 0, 1), constant(np.ones(n - 1)))


@derived("leslie(x, y) | x=3 y=2")
def leslie(f: Node, s: Node) -> Node:
    """Matrix with the first row f and s below the diagonal."""
    if _vector(f, "leslie").size != _vector(s, "leslie").size + 1:
        raise GradcalcError("shape", f"`leslie` cannot take shapes {f.shape} and {s.shape}: s is shorter by one")
    return _under_row(f, s)


@derived(
    "convolution_matrix(x, 3) | x=2",
    "convolution_matrix(x, 3, 'same') | x=2",
    "convolution_matrix(x, 2, mode='valid') | x=3",
)
def convolution_matrix(a: Node, n: int, mode: str = "full") -> Node:
    """Matrix whose product with a vector of length n is its convolution with a."""
    if mode not in ("full", "same", "valid") or n < 1:
        raise GradcalcError("arguments", "`mode` must be 'full', 'same' or 'valid', and n positive")
    m = _vector(a, "convolution_matrix").size
    trim = min(m, n) - 1
    start, stop = {"full": (0, 0), "same": (trim // 2, trim - trim // 2), "valid": (trim, trim)}[mode]
    places = np.subtract.outer(np.arange(start, m + n - 1 - stop), np.arange(n))
    padded = concatenate([a, zeros((1,))], 0)
    return _picked(padded, np.where((places < 0) | (places >= m), m, places))
