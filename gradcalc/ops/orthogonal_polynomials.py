"""Orthogonal polynomials of a fixed degree, by their recurrences, as PyTorch names them."""

from __future__ import annotations

from collections.abc import Callable

from ..graph import Node, constant
from .kinds import broadcast_to, derived, zeros


def _by_recurrence(x: Node, n: int, first: Node, step: Callable[[int, Node, Node], Node]) -> Node:
    """The polynomial of degree n: 1, `first`, then `step(k, p[k], p[k - 1])` for degree k + 1; 0 below degree 0."""
    if n < 0:
        return zeros(x.shape)
    before = broadcast_to(constant(1.0), x.shape)
    if n == 0:
        return before
    now = first
    for k in range(1, n):
        before, now = now, step(k, now, before)
    return now


def _chebyshev(x: Node, n: int, first: Node) -> Node:
    return _by_recurrence(x, n, first, lambda k, now, before: 2 * x * now - before)


@derived(*(f"chebyshev_polynomial_t(x, {n})" for n in (-1, 0, 1, 4)))
def chebyshev_polynomial_t(input: Node, n: int) -> Node:
    """Chebyshev polynomial of the first kind, T."""
    return _chebyshev(input, n, input)


@derived(*(f"chebyshev_polynomial_u(x, {n})" for n in (0, 1, 4)))
def chebyshev_polynomial_u(input: Node, n: int) -> Node:
    """Chebyshev polynomial of the second kind, U."""
    return _chebyshev(input, n, 2 * input)


@derived(*(f"chebyshev_polynomial_v(x, {n})" for n in (0, 1, 4)))
def chebyshev_polynomial_v(input: Node, n: int) -> Node:
    """Chebyshev polynomial of the third kind, V."""
    return _chebyshev(input, n, 2 * input - 1)


@derived(*(f"chebyshev_polynomial_w(x, {n})" for n in (0, 1, 4)))
def chebyshev_polynomial_w(input: Node, n: int) -> Node:
    """Chebyshev polynomial of the fourth kind, W."""
    return _chebyshev(input, n, 2 * input + 1)


@derived(*(f"shifted_chebyshev_polynomial_t(x, {n})" for n in (0, 1, 3)))
def shifted_chebyshev_polynomial_t(input: Node, n: int) -> Node:
    """Chebyshev polynomial T of 2*x - 1."""
    return chebyshev_polynomial_t(2 * input - 1, n)


@derived(*(f"shifted_chebyshev_polynomial_u(x, {n})" for n in (0, 1, 3)))
def shifted_chebyshev_polynomial_u(input: Node, n: int) -> Node:
    """Chebyshev polynomial U of 2*x - 1."""
    return chebyshev_polynomial_u(2 * input - 1, n)


@derived(*(f"shifted_chebyshev_polynomial_v(x, {n})" for n in (0, 1, 3)))
def shifted_chebyshev_polynomial_v(input: Node, n: int) -> Node:
    """Chebyshev polynomial V of 2*x - 1."""
    return chebyshev_polynomial_v(2 * input - 1, n)


@derived(*(f"shifted_chebyshev_polynomial_w(x, {n})" for n in (0, 1, 3)))
def shifted_chebyshev_polynomial_w(input: Node, n: int) -> Node:
    """Chebyshev polynomial W of 2*x - 1."""
    return chebyshev_polynomial_w(2 * input - 1, n)


@derived(*(f"hermite_polynomial_h(x, {n})" for n in (0, 1, 4)))
def hermite_polynomial_h(input: Node, n: int) -> Node:
    """Hermite polynomial as physicists scale it, H."""
    return _by_recurrence(input, n, 2 * input, lambda k, now, before: 2 * input * now - 2 * k * before)


@derived(*(f"hermite_polynomial_he(x, {n})" for n in (0, 1, 4)))
def hermite_polynomial_he(input: Node, n: int) -> Node:
    """Hermite polynomial as statisticians scale it, He."""
    return _by_recurrence(input, n, input, lambda k, now, before: input * now - k * before)


@derived(*(f"laguerre_polynomial_l(x, {n})" for n in (0, 1, 4)))
def laguerre_polynomial_l(input: Node, n: int) -> Node:
    """Laguerre polynomial, L."""
    return _by_recurrence(
        input, n, 1 - input, lambda k, now, before: ((2 * k + 1 - input) * now - k * before) / (k + 1)
    )


@derived(*(f"legendre_polynomial_p(x, {n})" for n in (0, 1, 4)))
def legendre_polynomial_p(input: Node, n: int) -> Node:
    """Legendre polynomial, P."""
    return _by_recurrence(input, n, input, lambda k, now, before: ((2 * k + 1) * input * now - k * before) / (k + 1))
