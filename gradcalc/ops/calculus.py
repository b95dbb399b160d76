"""Differences, derivatives by differences, and integrals of sampled functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..errors import GradcalcError
from ..graph import Kink, Node, as_node, constant
from .arithmetic import abs, equal, floor_divide, greater, less, logical_and, mod, not_equal, where
from .indexing import segment
from .joining import concatenate
from .kinds import Axis, broadcast_to, derived, negative_axis, reshape, with_shape
from .reduce import cumsum, sum
from .shape import ravel

# differences ------------------------------------------------------------------------------------


def _steps(x: Node, axis: int) -> Node:
    """The differences of neighbours along an axis counted from the right; of truth values, whether they differ."""
    n = x.shape[axis]
    later, earlier = segment(x, axis, min(1, n), n), segment(x, axis, 0, max(n - 1, 0))
    return not_equal(later, earlier) if x.boolean else later - earlier


def _end(value: Node, x: Node, axis: int) -> Node:
    """What `diff` puts before or after: a number once for each row."""
    value = as_node(value)
    return value if value.ndim else broadcast_to(value, tuple(1 if i - x.ndim == axis else n for i, n in _lengths(x)))


def _lengths(x: Node) -> Sequence[tuple[int, int]]:
    return list(enumerate(x.shape))


@derived(
    "diff(x) | x=4",
    "diff(x, 2, axis=0) | x=4,2",
    "diff(x, prepend=y, append=0) | x=2,2 y=2,1",
    "diff(x, n=0) | x=3",
    "diff(x > 0) | x=4",
)
def diff(x: Node, n: int = 1, axis: int = -1, prepend: Node | None = None, append: Node | None = None) -> Node:
    """The differences of neighbours along an axis, taken n times."""
    if n < 0:
        raise GradcalcError("arguments", f"`diff` cannot take differences {n} times")
    if n == 0:
        return x
    along = negative_axis(axis, x.ndim)
    parts = [x if one is x else _end(one, x, along) for one in (prepend, x, append) if one is not None]
    x = concatenate(parts, along) if len(parts) > 1 else x
    for _ in range(n):
        x = _steps(x, along)
    return x


@derived("ediff1d(x) | x=4", "ediff1d(x, to_end=[y, 1], to_begin=0) | x=2,2 y=")
def ediff1d(x: Node, to_end: Node | None = None, to_begin: Node | None = None) -> Node:
    """The differences of neighbours in the raveled array, with what is put before and after them."""
    ends = [None if one is None else ravel(as_node(one)) for one in (to_begin, to_end)]
    parts = [one for one in (ends[0], _steps(ravel(x), -1), ends[1]) if one is not None]
    return concatenate(parts) if len(parts) > 1 else parts[0]


@derived(
    "unwrap(x) | x=5",
    "unwrap(x, axis=0, period=3) | x=3,2",
    "unwrap(x, discont=4) | x=4",
    domain=((-6, 6),),
    kink=Kink(at="a step is half a period", takes="the derivative on either side, which is 1"),
)
def unwrap(x: Node, discont: float | None = None, axis: int = -1, period: float = 2 * math.pi) -> Node:
    """Angles without jumps: whole periods are added so that steps along an axis are at most half of one."""
    along = negative_axis(axis, x.ndim)
    n = x.shape[along]
    step = _steps(x, along)
    turns = floor_divide(step + period / 2, period)
    on_edge = logical_and(equal(mod(step + period / 2, period), 0), greater(step, 0))
    turns = where(less(abs(step), period / 2 if discont is None else discont), 0.0, where(on_edge, turns - 1, turns))
    moved = segment(x, along, min(1, n), n) - period * cumsum(turns, along)
    return concatenate([segment(x, along, 0, min(1, n)), moved], along)


# derivatives ------------------------------------------------------------------------------------


def _slope(f: Node, axis: int, spacing: Node, edge_order: int) -> Node:
    """The derivative along an axis: second order inside, first or second at the edges."""
    n = f.shape[axis]
    if n < edge_order + 1:
        raise GradcalcError(
            "shape",
            f"`gradient` needs {edge_order + 1} elements along each axis, got shape {f.shape}",
            operands=[with_shape(f)],
        )
    if spacing.ndim > 1 or (spacing.ndim == 1 and spacing.shape != (n,)):
        message = f"`gradient` needs a spacing, or {n} coordinates, for an axis of {n}, got shape {spacing.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(spacing)])
    parts = [_edge(f, axis, spacing, edge_order, first=True), _edge(f, axis, spacing, edge_order, first=False)]
    if n > 2:
        parts.insert(1, _inside(f, axis, spacing))
    return concatenate(parts, axis)


def _gaps(spacing: Node, axis: int, start: int, stop: int) -> Node:
    """The distances between the coordinates from `start` to `stop`, along the given axis."""
    gaps = _steps(segment(spacing, -1, start, stop), -1)
    return reshape(gaps, (gaps.size, *(1,) * (-axis - 1)))


def _inside(f: Node, axis: int, spacing: Node) -> Node:
    n = f.shape[axis]
    low, mid, high = (segment(f, axis, i, n - 2 + i) for i in range(3))
    if spacing.ndim == 0:
        return (high - low) / (2 * spacing)
    before, after = _gaps(spacing, axis, 0, n - 1), _gaps(spacing, axis, 1, n)
    ahead, behind = (high - mid) / after, (mid - low) / before
    return (ahead * before + behind * after) / (before + after)


def _edge(f: Node, axis: int, spacing: Node, order: int, *, first: bool) -> Node:
    n = f.shape[axis]
    ends = [0, 1, 2] if first else [n - 1, n - 2, n - 3]
    near, next_, *rest = (segment(f, axis, i, i + 1) for i in ends[: order + 1])

    def slope(a: Node, b: Node, i: int, j: int) -> Node:
        if spacing.ndim == 0:
            return (b - a) / (spacing if first else -spacing)
        return (b - a) / (_coordinate(spacing, axis, j) - _coordinate(spacing, axis, i))

    here = slope(near, next_, ends[0], ends[1])
    if order == 1:
        return here
    # The parabola through three points: its slope at the end is the first chord's, moved on by half its bend.
    there = slope(next_, rest[0], ends[1], ends[2])
    if spacing.ndim == 0:
        return here + (here - there) / 2
    x0, x1, x2 = (_coordinate(spacing, axis, i) for i in ends)
    return here + (here - there) * (x1 - x0) / (x2 - x0)


def _coordinate(spacing: Node, axis: int, i: int) -> Node:
    return reshape(segment(spacing, -1, i, i + 1), (1,) * -axis)


def _slopes(f: Node, spacings: Sequence[Node], axis: Axis, edge_order: int) -> list[Node]:
    """The derivatives along the axes, in the order in which they are given."""
    given = range(f.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = [negative_axis(one, f.ndim) for one in given]
    if len(set(axes)) < len(axes):
        raise GradcalcError("arguments", f"the same axis is given twice in axis={axis}")
    if edge_order not in (1, 2):
        raise GradcalcError("arguments", f"`edge_order` is 1 or 2, not {edge_order}")
    if len(spacings) not in (0, 1, len(axes)):
        raise GradcalcError("arguments", f"`gradient` takes one spacing or {len(axes)}, got {len(spacings)}")
    each = [as_node(one) for one in spacings] or [constant(1.0)]
    if len(each) == 1:
        if each[0].ndim and len(axes) > 1:
            raise GradcalcError("arguments", f"`gradient` needs coordinates for each of {len(axes)} axes")
        each *= len(axes)
    return [_slope(f, one, spacing, edge_order) for one, spacing in zip(axes, each, strict=True)]


@derived(
    "gradient(x) | x=4",
    "gradient(x, 0.5, edge_order=2) | x=4",
    "gradient(x, y) | x=4 y=",
    "gradient(x, [0, 1, 1.5, 3]) | x=4",
    "gradient(x, cumsum(y**2 + 1), edge_order=2) | x=4 y=4",
    "gradient(x, axis=0, edge_order=2) | x=3,2",
    "gradient(x)[1] | x=2,3",
    "gradient(x, 2, [0, 1, 3], axis=(1, 0))[1] | x=3,2",
)
def gradient(f: Node, *varargs: Node, axis: Axis = None, edge_order: int = 1) -> Node | tuple[Node, ...]:
    """The derivative of samples along an axis by differences; for several axes, one array each."""
    found = _slopes(f, varargs, axis, edge_order)
    return found[0] if len(found) == 1 else tuple(found)


@derived(
    "torch.gradient(x)[0] | x=4",
    "torch.gradient(x, spacing=0.5, edge_order=2)[0] | x=4",
    "torch.gradient(x, spacing=[[0., 1, 1.5, 3]])[0] | x=4",
    "torch.gradient(x, spacing=[2., 3.], dim=(1, 0))[1] | x=3,2",
    name="torch.gradient",
)
def torch_gradient(
    input: Node, spacing: Sequence[Node] = (), dim: Axis = None, edge_order: int = 1
) -> tuple[Node, ...]:
    """The derivatives of samples along axes by differences, as a tuple."""
    return tuple(_slopes(input, spacing, dim, edge_order))


# integrals --------------------------------------------------------------------------------------


def _panels(y: Node, x: Node | None, dx: Node | float, axis: int) -> Node:
    """The area between each two neighbours along an axis counted from the right."""
    n = y.shape[axis]
    sums = segment(y, axis, min(1, n), n) + segment(y, axis, 0, max(n - 1, 0))
    if x is None:
        return sums * dx / 2
    if x.ndim == 1:
        gaps = _steps(x, -1)
        return reshape(gaps, (gaps.size, *(1,) * (-axis - 1))) * sums / 2
    if x.ndim < -axis:
        raise GradcalcError("shape", f"`x` of shape {x.shape} has no axis to go with that of {y.shape}")
    return _steps(x, axis) * sums / 2


@derived(
    "trapezoid(x) | x=4",
    "trapezoid(x, dx=0.5, axis=0) | x=3,2",
    "trapezoid(x, y) | x=2,3 y=3",
    "trapezoid(x, x=y, axis=0) | x=3,2 y=3",
    "trapezoid(x, y, axis=-1) | x=2,3 y=2,3",
    spellings=("trapz", "integrate.trapezoid"),
)
def trapezoid(y: Node, x: Node | None = None, dx: Node | float = 1.0, axis: int = -1) -> Node:
    """The integral of samples along an axis by the trapezoidal rule."""
    along = _sampled(y, x, axis)
    area: Node = sum(_panels(y, x, dx, along), along)
    return area


def _sampled(y: Node, x: Node | None, axis: int) -> int:
    if x is not None and 1 < x.ndim < y.ndim and axis >= 0:
        raise GradcalcError(
            "arguments",
            f"axis {axis} means different axes of `x` and `y`: their shapes are {x.shape} and {y.shape}",
            helps=["count the axis from the right: `axis=-1`"],
        )
    return negative_axis(axis, y.ndim)


@derived(
    "cumulative_trapezoid(x) | x=4",
    "cumulative_trapezoid(x, dx=0.5, axis=0) | x=3,2",
    "cumulative_trapezoid(x, y, initial=0) | x=2,3 y=3",
    "cumulative_trapezoid(x, y) | x=2,3 y=2,3",
    spellings=("integrate.cumulative_trapezoid",),
)
def cumulative_trapezoid(
    y: Node, x: Node | None = None, dx: Node | float = 1.0, axis: int = -1, initial: float | None = None
) -> Node:
    """The running integral of samples along an axis by the trapezoidal rule."""
    along = _sampled(y, x, axis)
    area: Node = cumsum(_panels(y, x, dx, along), along)
    if initial is None:
        return area
    if initial != 0:
        raise GradcalcError("arguments", f"`initial` is 0 or None, not {initial:g}")
    return concatenate([_end(constant(0.0), area, along), area], along)
