"""Arrays made from nothing but sizes and numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Node, Shape, as_node, constant, is_constant
from .elementwise import power
from .kinds import Lengths, broadcast_shape, broadcast_to, derived, general
from .shape import moveaxis

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


@derived("set_at(empty(2), s_[:], x) | x=2", "set_at(empty((2, 1)), s_[0], x)[0] | x=1")
def empty(shape: Lengths) -> Node:
    """An array to be filled: its elements are nan until then."""
    return broadcast_to(constant(np.nan), _shape(shape))


@derived("zeros_like(x) + x", "zeros_like(x, shape=(2, 1)) + x | x=3")
def zeros_like(x: Node, shape: Lengths | None = None) -> Node:
    """Zeros in the shape of an array, or in another."""
    return zeros(x.shape if shape is None else shape)


@derived("ones_like(x) + x", "ones_like(x, shape=2) + x | x=")
def ones_like(x: Node, shape: Lengths | None = None) -> Node:
    """Ones in the shape of an array, or in another."""
    return ones(x.shape if shape is None else shape)


@derived("full_like(x, 7) + x", "full_like(x, y, shape=3) + x | x= y=")
def full_like(x: Node, fill_value: Node, shape: int | tuple[int, ...] | None = None) -> Node:
    """An array in the shape of another, or in one of its own, in which every element is the same."""
    return full(x.shape if shape is None else shape, fill_value)


@derived("set_at(empty_like(x), s_[:], 2*x) | x=2")
def empty_like(x: Node, shape: int | tuple[int, ...] | None = None) -> Node:
    """An array in the shape of another to be filled: its elements are nan until then."""
    return empty(x.shape if shape is None else shape)


@derived("new_zeros(x, (2, 1)) + x | x=3")
def new_zeros(input: Node, size: Lengths) -> Node:
    """An array of zeros."""
    return zeros(size)


@derived("new_ones(x, (2, 1)) + x | x=3")
def new_ones(input: Node, size: Lengths) -> Node:
    """An array of ones."""
    return ones(size)


@derived("new_full(x, (2,), y) + sum(x) | x=3 y=")
def new_full(input: Node, size: int | tuple[int, ...], fill_value: Node) -> Node:
    """An array in which every element is the same."""
    return full(size, fill_value)


@derived("set_at(new_empty(x, 2), s_[:], y) + sum(x) | x=3 y=2")
def new_empty(input: Node, size: Lengths) -> Node:
    """An array to be filled: its elements are nan until then."""
    return empty(size)


@derived("new_tensor(x, [1, 2]) + x | x=2")
def new_tensor(input: Node, data: Node) -> Node:
    """The data as an array."""
    return as_node(data)


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


@derived("torch.eye(3)", "torch.eye(2, m=3)", name="torch.eye")
def rectangular_eye(n: int, m: int | None = None) -> Node:
    """Matrix with ones on the main diagonal and zeros elsewhere."""
    return eye(n, m)


@derived("tri(3)", "tri(2, 3, 1)", "tri(3, k=-1)")
def tri(N: int, M: int | None = None, k: int = 0) -> Node:
    """Matrix with ones on and below a diagonal and zeros above it."""
    rows, columns = _shape((N, N if M is None else M))
    if rows * columns > _MOST:
        raise GradcalcError("too-large", f"`tri` would make {rows * columns:.3g} numbers", limit=True)
    return constant(np.tri(rows, columns, k))


# numbers in a row -------------------------------------------------------------------------------


@derived("arange(4)", "arange(1, 4)", "arange(0, 1, 0.25)", "arange(1, -1, -0.5)")
def arange(start: float | None = None, stop: float | None = None, step: float = 1) -> Node:
    """Numbers from start up to, not including, stop, a step apart."""
    if start is None and stop is None:
        raise GradcalcError("arguments", "`arange` needs an end")
    first, last = (0, start) if stop is None else (start or 0, stop)
    assert last is not None
    return constant(np.arange(first, last, _checked_step("arange", first, last, step)))


def _checked_step(name: str, first: float, last: float, step: float) -> float:
    if step == 0:
        raise GradcalcError("arguments", f"the step of `{name}` cannot be 0")
    if not all(map(np.isfinite, (first, last, step))):
        raise GradcalcError("arguments", f"`{name}` needs finite numbers, got {first}, {last}, {step}")
    if (last - first) / step > _MOST:
        raise GradcalcError(
            "too-large",
            f"`{name}` would make {(last - first) / step:.3g} numbers, over the limit of {_MOST:.0g}",
            limit=True,
        )
    return step


@derived("torch.range(1, 4)", "torch.range(0, 1, 0.25)", "torch.range(end=2)", name="torch.range")
def range_with_end(start: float = 0, end: float | None = None, step: float = 1) -> Node:
    """Numbers from start up to end, which is included, a step apart."""
    first, last = (0, start) if end is None else (start, end)
    count = np.floor((last - first) / _checked_step("range", first, last, step)) + 1
    if count < 1:
        raise GradcalcError("arguments", f"`range` from {first} to {last} does not go by steps of {step}")
    return constant(first + step * np.arange(count))


class Spaced(NamedTuple):
    """Numbers at equal distances, and the distance."""

    samples: Node
    step: Node


@derived(
    "linspace(0, 1, 5)",
    "linspace(0, x, 3) | x=",
    "linspace(0, 1, 4, endpoint=False)",
    "linspace(x, y, 3, axis=-1) | x=2 y=2",
    "linspace(x, y, 3, True, True)[1] | x=2 y=",
    "linspace(x, y, 1) | x= y=",
)
def linspace(
    start: Node, stop: Node, num: int = 50, endpoint: bool = True, retstep: bool = False, axis: int = 0
) -> Node | Spaced:
    """Numbers from start to stop at equal distances, along a new axis; with `retstep`, the distance too."""
    first, last, steps = _steps("linspace", start, stop, num, endpoint)
    distance = (last - first) * (1 / gaps) if (gaps := num - 1 if endpoint else num) > 0 else constant(np.nan)
    if is_constant(first) and is_constant(last):
        ends = first.attrs["value"].data, last.attrs["value"].data
        samples = constant(np.linspace(*ends, num, endpoint=endpoint))
    else:
        samples = first + (last - first) * steps
    samples = _along(samples, axis)
    return Spaced(samples, distance) if retstep else samples


def _steps(name: str, start: Node, stop: Node, num: int, endpoint: bool) -> tuple[Node, Node, Node]:
    """The ends, and for each number the part of the way from one to the other, along a new first axis."""
    if not 0 <= num <= _MOST:
        raise GradcalcError("arguments", f"`{name}` can make 0 to {_MOST:.0g} numbers, not {num}")
    first, last = as_node(start), as_node(stop)
    ndim = len(broadcast_shape(first, last))
    parts = np.arange(num) / max(num - 1 if endpoint else num, 1)
    return first, last, constant(parts.reshape((num,) + (1,) * ndim))


def _along(x: Node, axis: int) -> Node:
    """The array with its first axis moved to its place."""
    return moveaxis(x, 0, axis)


@derived(
    "logspace(0, 2, 3)",
    "logspace(x, y, 3) | x= y=",
    "logspace(x, 1, 3, endpoint=False, base=2, axis=1) | x=2",
)
def logspace(start: Node, stop: Node, num: int = 50, endpoint: bool = True, base: Node = 10.0, axis: int = 0) -> Node:  # type: ignore[assignment]
    """Powers of the base, from base**start to base**stop, at equal ratios along a new axis."""
    base = as_node(base)
    exponents = linspace(start + zeros(base.shape) if base.ndim else start, stop, num, endpoint, False, 0)
    assert isinstance(exponents, Node)
    return _along(power(as_node(base), exponents), axis)


@derived("torch.logspace(0, x, 3) | x=", "torch.logspace(0, x, 3, 2) | x=", name="torch.logspace")
def logspace_by_base(start: Node, end: Node, steps: int, base: float = 10.0) -> Node:
    """Powers of the base, from base**start to base**end, at equal ratios."""
    return logspace(start, end, steps, True, constant(base), 0)


@derived(
    "geomspace(1, 8, 4)",
    "geomspace(x, y, 3) | x= y=2",
    "geomspace(-x, -y, 2, endpoint=False, axis=1) | x=2 y=2",
    domain=((1, 2), (3, 4)),
)
def geomspace(start: Node, stop: Node, num: int = 50, endpoint: bool = True, axis: int = 0) -> Node:
    """Numbers from start to stop at equal ratios, along a new axis."""
    first, last, steps = _steps("geomspace", start, stop, num, endpoint)
    return _along(first * power(last / first, steps), axis)
