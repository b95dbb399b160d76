"""NumPy's indexing, and writing into an array as a function of old array and new elements.

An index is split in two: a basic part (numbers, slices, new axes), which is one `index` node, and an
advanced part (integer arrays on axes that stand together), which is one `gather` node; a transposition
between them where NumPy would move axes. Boolean arrays become the integers of their true places.
Each of the two has its writing twin: `put_index` and `put_gather`, and `add_gather`, the transpose of
`gather`, in which elements read twice add up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Cotangents, Node, Shape, as_node, constant, is_constant, node
from .arithmetic import equal, where
from .kinds import broadcast_shape, broadcast_to, general, linear, moved_kind, reshape, with_shape, zeros
from .shape import moveaxis, transpose

Spec = tuple[int | slice | None, ...]
"""A basic index of the last axes: a place from the front, a slice, or None for a new axis."""

ValueOf = Callable[[Node], Any]

# the basic part ---------------------------------------------------------------------------------


def _basic_shape(x: Node, spec: Spec) -> Shape:
    taken = sum(part is not None for part in spec)
    lengths = iter(x.shape[x.ndim - taken :])
    shape = list(x.shape[: x.ndim - taken])
    for part in spec:
        if part is None:
            shape.append(1)
            continue
        length = next(lengths)
        if isinstance(part, slice):
            shape.append(len(range(*part.indices(length))))
    return tuple(shape)


@linear(
    kernel=lambda x, spec: x[(..., *spec)],
    shape=_basic_shape,
    transpose=lambda g, x, spec: put_index(zeros(x.shape), g, spec),
    boolean=moved_kind,
    examples=(
        "x[0] | x=3",
        "x[-1] | x=2,3",
        "x[1, 2] | x=2,3",
        "x[::-1] | x=3",
        "x[:, 1:] | x=2,3",
        "x[None, ..., 0] | x=2,3",
        "x[2:0:-1, None] | x=4,2",
        "x[1:1] | x=3",
    ),
    shown=False,
)
def index(x: Node, spec: Spec) -> Any:
    """The elements at a basic index."""
    return (x,), {"spec": spec}


def _put(x: Any, value: Any, spec: Spec) -> Any:
    out = np.array(x, dtype=np.result_type(x, value))
    out[(..., *spec)] = value
    return out


@linear(
    kernel=_put,
    shape=lambda x, value, spec: x.shape,
    transpose=lambda g, x, value, spec: (put_index(g, zeros(value.shape), spec), index(g, spec)),
    boolean=moved_kind,
    examples=(
        "set_at(x, s_[0], y) | x=3 y=",
        "set_at(x, s_[:, 1:], y) | x=2,3 y=2,2",
        "set_at(x, s_[::2], y) | x=4 y=2",
    ),
    shown=False,
)
def put_index(x: Node, value: Node, spec: Spec) -> Any:
    """The array with the elements at a basic index replaced."""
    place = _basic_shape(x, spec)
    return (x, fitted(value, place)), {"spec": spec}


def fitted(value: Node, place: Shape) -> Node:
    """A value stretched to the place it is written to; NumPy drops leading axes of length 1 there."""
    value = as_node(value)
    while value.ndim > len(place) and value.shape[0] == 1:
        value = reshape(value, value.shape[1:])
    pairs = zip(reversed(value.shape), reversed(place), strict=False)
    if value.ndim > len(place) or any(a not in (1, b) for a, b in pairs):
        raise GradcalcError(
            "shape", f"cannot put shape {value.shape} into a place of shape {place}", operands=[with_shape(value)]
        )
    return broadcast_to(value, place)


def element(x: Node, axis: int, place: int) -> Node:
    """The slice of an axis (counted from the right) at one place, without that axis."""
    return index(x, (place,) + (slice(None),) * (-axis - 1))


def segment(x: Node, axis: int, start: int, stop: int) -> Node:
    """The places `start` to `stop` of an axis counted from the right."""
    if (start, stop) == (0, x.shape[axis]):
        return x
    return index(x, (slice(start, stop, 1),) + (slice(None),) * (-axis - 1))


# the advanced part ------------------------------------------------------------------------------


def _places(indices: Sequence[Any], after: int) -> tuple[Any, ...]:
    return (..., *(np.asarray(one).astype(np.intp) for one in indices), *(slice(None),) * after)


def _gathered_shape(x: Node, *indices: Node, after: int) -> Shape:
    end = x.ndim - after
    return x.shape[: end - len(indices)] + broadcast_shape(*indices) + x.shape[end:]


def _batch_gather(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    return node(old.op, inputs, old.attrs)  # the arrays that say where are never batched


@general(
    kernel=lambda x, *indices, after: x[_places(indices, after)],
    shape=_gathered_shape,
    vjp=lambda g, y, x, *indices, after: (add_gather(zeros(x.shape), g, indices, after), *(None for _ in indices)),
    jvp=lambda ts, y, x, *indices, after: gather(ts[0], indices, after),
    batch=_batch_gather,
    exact=lambda m, x, *indices, after: x[_places(indices, after)],
    boolean=lambda x, *_, **__: x.boolean,
    flat=tuple(range(1, 33)),
    examples=(
        "x[[0, 2, 0]] | x=3",
        "x[[0, 1], [2, 0]] | x=2,3",
        "x[:, [[0], [1]]] | x=2,3",
        "x[[0, 1], :, [1, 0]] | x=2,3,2",
        "x[[True, False, True]] | x=3",
        "x[0, [1, 1]] | x=2,3",
    ),
    shown=False,
)
def gather(x: Node, indices: Sequence[Node], after: int = 0) -> Any:
    """The elements at integer arrays, one for each of the axes before the last `after`."""
    return (x, *indices), {"after": after}


def _add_at(x: Any, value: Any, *indices: Any, after: int) -> Any:
    out = np.array(x, dtype=np.result_type(x, value))
    np.add.at(out, _places(indices, after), value)
    return out


def _add_at_batch(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    length = next(new.shape[0] for new, is_batched in zip(inputs, batched, strict=True) if is_batched)
    x, value = (
        new if is_batched else broadcast_to(new, (length, *new.shape))
        for new, is_batched in zip(inputs[:2], batched[:2], strict=True)
    )
    return node(old.op, (x, value, *inputs[2:]), old.attrs)


@general(
    kernel=_add_at,
    shape=lambda x, value, *indices, after: x.shape,
    vjp=lambda g, y, x, value, *indices, after: (g, gather(g, indices, after), *(None for _ in indices)),
    batch=_add_at_batch,
    flat=tuple(range(2, 34)),
    examples=("add_at(x, s_[[0, 2, 0]], y) | x=3 y=3", "add_at(x, s_[[0, 1]], y) | x=2,3 y=2,3"),
    shown=False,
)
def add_gather(x: Node, value: Node, indices: Sequence[Node], after: int = 0) -> Any:
    """The array with values added at integer arrays; those for the same place add up."""
    return (x, value, *indices), {"after": after}


def _put_at(x: Any, value: Any, *indices: Any, after: int) -> Any:
    out = np.array(x, dtype=np.result_type(x, value))
    out[_places(indices, after)] = value
    return out


def _put_gather_vjp(g: Node, y: Node, x: Node, value: Node, *indices: Node, after: int) -> Cotangents:
    # Of two values for one place the last stays; which that is, the kernel itself says.
    count = constant(np.arange(value.size, dtype=np.float64).reshape(value.shape))
    winners = gather(put_gather(zeros(x.shape), count, indices, after), indices, after)
    return (
        put_gather(g, zeros(value.shape), indices, after),
        where(equal(winners, count), gather(g, indices, after), 0.0),
        *(None for _ in indices),
    )


@general(
    kernel=_put_at,
    shape=lambda x, value, *indices, after: x.shape,
    vjp=_put_gather_vjp,
    batch=_add_at_batch,
    flat=tuple(range(2, 34)),
    boolean=lambda x, value, *_, **__: x.boolean and value.boolean,
    examples=("set_at(x, s_[[0, 2]], y) | x=3 y=2", "set_at(x, s_[:, [1, 1]], y) | x=2,3 y=2,2"),
    shown=False,
)
def put_gather(x: Node, value: Node, indices: Sequence[Node], after: int = 0) -> Any:
    """The array with the elements at integer arrays replaced; of several for one place the last stays."""
    return (x, value, *indices), {"after": after}


def pick(x: Node, axis: int, places: Any) -> Node:
    """The given places of an axis (counted from the left), in that order."""
    return gather(x, (constant(np.asarray(places, np.float64)),), x.ndim - axis - 1)


# a whole index ----------------------------------------------------------------------------------


class Split(NamedTuple):
    """A NumPy index taken apart: the basic part, then the arrays and how many axes follow them.

    Where NumPy would move the arrays' axes to the front, `order` is the transposition that does it.
    """

    spec: Spec
    arrays: tuple[Node, ...]
    after: int
    order: tuple[int, ...] | None


def split_index(shape: Shape, key: Sequence[Any], value_of: ValueOf) -> Split:
    """Take an index apart. `value_of` evaluates the nodes in it; masks are read as they are now.

    Numbers are checked against the lengths of their axes; negative ones count from the end.
    """
    parts = _whole(shape, key, value_of)
    advanced = any(isinstance(part, Node) and part.ndim for part in parts)
    spec: list[int | slice | None] = []
    arrays: list[tuple[int, Node]] = []  # with the axis of the basic result on which each array stands
    lengths = iter(shape)
    separated = apart = False  # whether a `...` stands between arrays: NumPy counts one that covers no axis too
    for part in parts:
        if part is Ellipsis:
            apart = apart or bool(arrays)
        elif part is None:
            spec.append(None)
        elif isinstance(part, slice):
            spec.append(_canonical(part, next(lengths)))
        elif advanced:
            separated = separated or apart
            arrays.append((len(spec), from_front(part, next(lengths), value_of)))
            spec.append(slice(None))
        else:
            spec.append(int(value_of(from_front(part, next(lengths), value_of))))
    ndim = sum(not isinstance(part, int) for part in spec)
    while spec and spec[0] == slice(None):
        spec.pop(0)
    axes = [axis for axis, _ in arrays]
    together = not separated and (not axes or axes == list(range(axes[0], axes[0] + len(axes))))
    return Split(
        spec=tuple(spec),
        arrays=tuple(array for _, array in arrays),
        after=ndim - (axes[-1] + 1 if axes and together else len(axes)),
        order=None if together else (*axes, *(i for i in range(ndim) if i not in axes)),
    )


def _whole(shape: Shape, key: Sequence[Any], value_of: ValueOf) -> list[Any]:
    """The index with full slices after its `...`, and masks as the integers of their true places."""
    if sum(part is Ellipsis for part in key) > 1:
        raise GradcalcError("index", "an index may contain `...` once")
    key = list(key) if any(part is Ellipsis for part in key) else [*key, Ellipsis]
    missing = len(shape) - sum(_axes_taken(part) for part in key)
    if missing < 0:
        if not shape:
            raise GradcalcError("index", "a number has no elements to index")
        has = f"{len(shape)} axes" if len(shape) != 1 else "one axis"
        raise GradcalcError(
            "index",
            f"too many indices: shape {shape} has {has}, but {len(shape) - missing} were given",
        )
    parts: list[Any] = []
    axis = 0
    for part in key:
        if part is Ellipsis:
            parts += [Ellipsis] + [slice(None)] * missing
            axis += missing
        elif isinstance(part, Node) and part.boolean:
            parts += _true_places(part, shape[axis : axis + part.ndim], value_of)
        else:
            parts.append(part)
        axis += _axes_taken(part)
    return parts


def _axes_taken(part: Any) -> int:
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, Node) and part.boolean else 1


def _true_places(mask: Node, lengths: Shape, value_of: ValueOf) -> list[Node]:
    if mask.ndim == 0:
        raise GradcalcError("index", "a single truth value cannot be an index", helps=["use `where(condition, x, 0)`"])
    if mask.shape != lengths:
        raise GradcalcError("index", f"a mask of shape {mask.shape} does not fit axes of lengths {lengths}")
    return [constant(np.asarray(found, np.float64)) for found in np.nonzero(value_of(mask))]


def _canonical(part: slice, length: int) -> slice:
    """The one way to write a slice of an axis of a known length; all of it is `:`."""
    start, stop, step = part.indices(length)
    count = len(range(start, stop, step))
    if (start, count, step) == (0, length, 1):
        return slice(None)
    if count == 0:
        return slice(0, 0, 1)
    stop = start + count * step
    return slice(start, None if stop < 0 else stop, step)


def from_front(place: Node, length: int, value_of: ValueOf) -> Node:
    """An index, checked to be whole and within its axis; counted from the front if negative numbers are in it."""
    if place.op.name == "place" and place.attrs["length"] <= length:  # whatever its numbers are
        return place
    numbers = np.asarray(value_of(place))
    fraction = numbers != np.floor(numbers)
    if np.any(fraction):
        raise GradcalcError("index", f"an index must be whole, got {_first(numbers, fraction)}")
    outside = (numbers < -length) | (numbers >= length)
    if np.any(outside):
        raise GradcalcError("index", f"index {_first(numbers, outside)} is out of range for an axis of length {length}")
    if not np.any(numbers < 0):
        return place
    if is_constant(place):
        return constant(np.where(numbers < 0, numbers + length, numbers))
    return where(place < 0, place + length, place)


def _first(numbers: Any, wrong: Any) -> str:
    return f"{np.asarray(numbers)[wrong].ravel()[0]:g}"


def numbers_first(key: Sequence[Any]) -> tuple[list[Any], list[Any]] | None:
    """An index in which numbers and arrays are mixed, as two: that of the numbers, then of what is left."""
    numbers = [isinstance(part, Node) and part.ndim == 0 and not part.boolean for part in key]
    if not any(numbers) or not any(isinstance(part, Node) and part.ndim for part in key):
        return None
    first: list[Any] = []
    for part, is_number in zip(key, numbers, strict=True):
        if is_number or part is Ellipsis:
            first.append(part)
        elif part is not None:
            first += [slice(None)] * _axes_taken(part)
    return first, [part for part, is_number in zip(key, numbers, strict=True) if not is_number]


def get(x: Node, key: Sequence[Any], value_of: Callable[[Node], Any]) -> Node:
    """`x[key]`, as NumPy reads it; `key` holds nodes, slices, None and `...`."""
    split = split_index(x.shape, key, value_of)
    if split.spec:
        x = index(x, split.spec)
    if split.order:
        x = transpose(x, split.order)
    return gather(x, split.arrays, split.after) if split.arrays else x


def put(x: Node, key: Sequence[Any], value: Node, value_of: ValueOf, *, add: bool = False) -> Node:
    """`x` after `x[key] = value`, as NumPy would write it; with `add`, after `np.add.at(x, key, value)`."""
    split = split_index(x.shape, key, value_of)
    if x.boolean and not value.boolean:
        raise GradcalcError(
            "type", "numbers cannot be put into an array of truth values", helps=["make it numbers: `real(m)`"]
        )
    part = index(x, split.spec) if split.spec else x
    if not split.arrays:
        new = part + value if add else value
        whole = not split.spec and new.boolean == x.boolean
        return fitted(new, x.shape) if whole else put_index(x, new, split.spec)
    moved = transpose(part, split.order) if split.order else part
    place = _gathered_shape(moved, *split.arrays, after=split.after)
    write = add_gather if add else put_gather
    written = write(moved, fitted(value, place), split.arrays, split.after)
    if split.order:
        written = moveaxis(written, tuple(range(written.ndim)), split.order)
    return put_index(x, written, split.spec) if split.spec else written
