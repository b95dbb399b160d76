"""Arrays made from nothing but sizes and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, as_node, constant, is_constant
from .kinds import Lengths, broadcast_to, derived, general

_MOST = 10**8  # elements of a constant that is held as numbers; stretched scalars have no limit


def _shape(shape: int | tuple[int, ...]) -> Shape:
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(n < 0 for n in lengths):
        raise GradcalcError("arguments", f"a shape cannot have negative lengths, got {lengths}")
    return lengths


@derived("zeros(3)", "zeros((2, 3))")
def zeros(shape: Lengths) -> Node:
    """An array of zeros."""
    return broadcast_to(constant(0.0), _shape(shape))


@derived("ones(3)", "ones((2, 3))")
def ones(shape: Lengths) -> Node:
    """An array of ones."""
    return broadcast_to(constant(1.0), _shape(shape))


@derived("full((2, 3), 7)", "full(3, x) | x=")
def full(shape: int | tuple[int, ...], fill_value: Node) -> Node:
    """An array in which every element is the same."""
    return broadcast_to(as_node(fill_value), _shape(shape))


@derived("zeros_like(x) + x")
def zeros_like(x: Node) -> Node:
    """Zeros in the shape of an array."""
    return zeros(x.shape)


@derived("ones_like(x) + x")
def ones_like(x: Node) -> Node:
    """Ones in the shape of an array."""
    return ones(x.shape)


@derived("full_like(x, 7) + x")
def full_like(x: Node, fill_value: Node) -> Node:
    """An array in the shape of another in which every element is the same."""
    return full(x.shape, fill_value)


@general(
    kernel=lambda N, M, k: np.eye(N, M, k),
    shape=lambda N, M, k: (N, M),
    vjp=lambda g, y, **_: (),
    examples=("eye(3)", "eye(2, 3, 1)"),
    spellings=("identity",),
)
def eye(N: int, M: int | None = None, k: int = 0) -> Any:
    """Matrix with ones on a diagonal and zeros elsewhere."""
    rows, columns = _shape((N, N if M is None else M))
    return (), {"N": rows, "M": columns, "k": k}


@derived("arange(4)", "arange(1, 4)", "arange(0, 1, 0.25)")
def arange(start: float, stop: float | None = None, step: float = 1) -> Node:
    """Numbers from start up to, not including, stop, a step apart."""
    first, last = (0, start) if stop is None else (start, stop)
    if step == 0:
        raise GradcalcError("arguments", "the step of `arange` cannot be 0")
    if not all(map(np.isfinite, (first, last, step))):
        raise GradcalcError("arguments", f"`arange` needs finite numbers, got {start}, {stop}, {step}")
    if (last - first) / step > _MOST:
        raise GradcalcError(
            "too-large",
            f"`arange` would make {(last - first) / step:.3g} numbers, over the limit of {_MOST:.0g}",
            limit=True,
        )
    return constant(np.arange(first, last, step))


@derived("linspace(0, 1, 5)", "linspace(0, x, 3) | x=", "linspace(0, 1, 4, endpoint=False)")
def linspace(start: Node, stop: Node, num: int = 50, endpoint: bool = True) -> Node:
    """Numbers from start to stop at equal distances."""
    if not 0 <= num <= _MOST:
        raise GradcalcError("arguments", f"`linspace` can make 0 to {_MOST:.0g} numbers, not {num}")
    first, last = as_node(start), as_node(stop)
    if is_constant(first) and is_constant(last):
        return constant(np.linspace(first.attrs["value"].data, last.attrs["value"].data, num, endpoint=endpoint))
    steps = np.arange(num) / max(num - 1 if endpoint else num, 1)
    return first + (last - first) * constant(steps.reshape((num,) + (1,) * max(first.ndim, last.ndim)))
