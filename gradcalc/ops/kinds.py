"""Kinds of operation: constructors that say what an operation is and fill in its derivative fields.

`elementwise` takes partial derivatives, `linear` a transpose, `bilinear` both transposes; `derived`
functions are made of other operations and have no rule. A rule is written as the graph it builds, so
it can be printed, simplified and differentiated again.

Kernels act on trailing axes and accept any leading ones: attributes count axes from the right
(`axis=-1`), so a batched node is, for nearly every operation, the same node on batched inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import CATALOGUE, Cotangents, Derived, Node, Op, P, R, Shape, constant, node

Partials = Callable[..., tuple["Node | float | None", ...]]


# shapes ---------------------------------------------------------------------------------------


def broadcast_shape(*inputs: Node) -> Shape:
    """The common shape of broadcast inputs, as NumPy's rules give it."""
    shape = inputs[0].shape
    if all([one.shape == shape for one in inputs]):  # noqa: C419  (a list is twice as fast, and this is the hot path)
        return shape
    for place, one in enumerate(inputs):
        if one.shape == shape or not one.shape:
            continue
        rank = max(len(shape), one.ndim)
        left = (1,) * (rank - len(shape)) + shape
        right = (1,) * (rank - one.ndim) + one.shape
        if any(a != b and 1 not in (a, b) for a, b in zip(left, right, strict=True)):
            raise _cannot_broadcast(inputs, place, shape)
        shape = tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))
    return shape


def _cannot_broadcast(inputs: Sequence[Node], place: int, shape: Shape) -> GradcalcError:
    one = inputs[place]
    earlier = next((other for other in inputs[:place] if other.shape == shape), inputs[0])
    return GradcalcError(
        "shape",
        f"cannot broadcast shapes {shape} and {one.shape}",
        operands=[with_shape(earlier), with_shape(one)],
        notes=["axes pair from the right; each pair must be equal or contain a 1"],
    )


def with_shape(x: Node) -> tuple[Node, str]:
    """An operand of a shape error, and what to say under it."""
    return x, f"shape {x.shape}"


def moved_kind(*xs: Node, **_: Any) -> bool:
    """Truth values that are only moved stay truth values."""
    return all(x.boolean for x in xs)


# small graph pieces that rules share ------------------------------------------------------------


def reshape(x: Node, shape: Shape) -> Node:
    """`x` with another shape; itself where that is the shape it has."""
    return x if x.shape == shape else CATALOGUE["reshape"](x, shape)


def broadcast_to(x: Node, shape: Shape) -> Node:
    """`x` stretched to a shape; itself where that is the shape it has."""
    return x if x.shape == shape else CATALOGUE["broadcast_to"](x, shape)


def zeros(shape: Shape) -> Node:
    """Zeros as a graph: a stretched scalar, so that they cost nothing and are easy to recognise."""
    return broadcast_to(constant(0.0), shape)


def scaled(g: Node, partial: Node | float | None) -> Node | None:
    """A cotangent or tangent times a partial derivative; None is a derivative that is zero everywhere."""
    if partial is None:
        return None
    if isinstance(partial, Node):
        return g * partial
    return g if partial == 1 else -g if partial == -1 else g * partial


def added(terms: Sequence[Node | None]) -> Node | None:
    """The sum of the terms that are there."""
    total: Node | None = None
    for term in terms:
        if term is not None:
            total = term if total is None else total + term
    return total


# batching ---------------------------------------------------------------------------------------


def pad_rank(x: Node, missing: int) -> Node:
    """A batched node with axes of length 1 after the batch axis, so that trailing axes line up."""
    return reshape(x, x.shape[:1] + (1,) * missing + x.shape[1:])


def batch_broadcasting(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    """Batch an operation that broadcasts: leading axes pair up by themselves once ranks are equal."""
    aligned = [
        pad_rank(new, old.ndim - before.ndim) if is_batched else new
        for before, new, is_batched in zip(old.inputs, inputs, batched, strict=True)
    ]
    return node(old.op, aligned, old.attrs)


def batch_trailing(old: Node, inputs: Sequence[Node], batched: Sequence[bool]) -> Node:
    """Batch an operation on trailing axes: apply it to inputs that all have the new leading axis."""
    length = next(new.shape[0] for new, is_batched in zip(inputs, batched, strict=True) if is_batched)
    stretched = [
        new if is_batched else broadcast_to(new, (length, *new.shape))
        for new, is_batched in zip(inputs, batched, strict=True)
    ]
    return node(old.op, stretched, old.attrs)


# kinds ------------------------------------------------------------------------------------------


def _unary(x: Node) -> Any:
    return (x,), {}


def _binary(x: Node, y: Node) -> Any:
    return (x, y), {}


def _ternary(condition: Node, x: Node, y: Node) -> Any:
    return (condition, x, y), {}


_CALLS: dict[int, Callable[..., Any]] = {1: _unary, 2: _binary, 3: _ternary}


def elementwise(
    name: str,
    kernel: Callable[..., Any],
    *,
    doc: str,
    exact: Callable[..., Any],
    partials: Partials | None = None,
    vjp: Callable[..., Cotangents] | None = None,
    call: Callable[..., Any] | None = None,
    **rest: Any,
) -> Op:
    """An elementwise operation, given its partial derivatives as graphs.

    `partials(y, *xs)` gives one factor an input: a node, a number, or None where it is flat. An
    operation that selects (`where`, `maximum`) gives a `vjp` instead, so that what was not selected
    is never multiplied. With neither, it is flat in every input. `exact(m, *xs)` is the function of
    exact numbers or symbols.
    """
    count = exact.__code__.co_argcount - 1
    flat = rest.pop("flat", ())
    jvp: Callable[..., Node | None] | None = None
    if partials is not None:
        factors = partials

        def vjp(g: Node, y: Node, *xs: Node, **attrs: Any) -> Cotangents:
            return tuple(scaled(g, p) for p in factors(y, *xs, **attrs))

        def jvp(ts: Sequence[Node | None], y: Node, *xs: Node, **attrs: Any) -> Node | None:
            parts = zip(ts, factors(y, *xs, **attrs), strict=True)
            return added([None if t is None else scaled(t, p) for t, p in parts])
    elif vjp is None:

        def vjp(g: Node, y: Node, *xs: Node, **attrs: Any) -> Cotangents:
            return (None,) * len(xs)

    arguments = "(x)" if count == 1 else "(x, y)"
    return Op(
        name=name,
        doc=doc,
        kernel=kernel,
        exact=exact,
        shape=lambda *xs, **_: broadcast_shape(*xs),
        call=call or _CALLS[count],
        vjp=vjp,
        jvp=jvp,
        batch=batch_broadcasting,
        elementwise=True,
        flat=flat,
        examples=rest.pop("examples", (name + arguments,)),
        **rest,
    )


def relation(name: str, kernel: Callable[..., Any], *, doc: str, exact: Callable[..., Any], **rest: Any) -> Op:
    """An elementwise operation whose value is true or false: flat, and never a path for a derivative."""
    count = exact.__code__.co_argcount - 1
    return elementwise(name, kernel, doc=doc, exact=exact, boolean=True, flat=tuple(range(count)), **rest)


def linear(
    *,
    kernel: Callable[..., Any],
    shape: Callable[..., Shape],
    transpose: Callable[..., Node | Cotangents],
    batch: Callable[..., Node] = batch_trailing,
    boolean: bool | Callable[..., bool] = False,
    name: str | None = None,
    **rest: Any,
) -> Callable[[Callable[..., Any]], Op]:
    """A linear operation: its tangent is itself applied to the tangents, its cotangent the transpose's.

    Decorates the function that turns a caller's arguments into `(inputs, attrs)`: its name, signature
    and docstring become the operation's. `transpose(g, *inputs, **attrs)` gives a cotangent for each.
    """

    def make(call: Callable[..., Any]) -> Op:
        def vjp(g: Node, y: Node, *xs: Node, **attrs: Any) -> Cotangents:
            back = transpose(g, *xs, **attrs)
            return back if isinstance(back, tuple) else (back,)

        def jvp(ts: Sequence[Node | None], y: Node, *xs: Node, **attrs: Any) -> Node | None:
            moved = [
                x if i in op.flat else (zeros(x.shape) if t is None else t)
                for i, (t, x) in enumerate(zip(ts, xs, strict=True))
            ]
            return node(op, moved, attrs)

        op = Op(
            name=name or call.__name__,
            doc=summary(call),
            call=call,
            shape=shape,
            kernel=kernel,
            vjp=vjp,
            jvp=jvp,
            batch=batch,
            boolean=boolean,
            **rest,
        )
        return op

    return make


def bilinear(
    *,
    kernel: Callable[..., Any],
    shape: Callable[..., Shape],
    transposes: Callable[..., tuple[Node, Node]],
    batch: Callable[..., Node],
    **rest: Any,
) -> Callable[[Callable[..., Any]], Op]:
    """An operation linear in each of two inputs: `transposes(g, a, b)` gives both cotangents."""

    def make(call: Callable[..., Any]) -> Op:
        def vjp(g: Node, y: Node, a: Node, b: Node, **attrs: Any) -> Cotangents:
            return transposes(g, a, b, **attrs)

        def jvp(ts: Sequence[Node | None], y: Node, a: Node, b: Node, **attrs: Any) -> Node | None:
            ta, tb = ts
            return added(
                [
                    None if ta is None else node(op, (ta, b), attrs),
                    None if tb is None else node(op, (a, tb), attrs),
                ]
            )

        op = Op(
            name=call.__name__,
            doc=summary(call),
            call=call,
            shape=shape,
            kernel=kernel,
            vjp=vjp,
            jvp=jvp,
            batch=batch,
            **rest,
        )
        return op

    return make


def general(**fields: Any) -> Callable[[Callable[..., Any]], Op]:
    """Any other operation: gives its `shape`, `kernel` and `vjp`; its jvp is the transposed vjp."""

    def make(call: Callable[..., Any]) -> Op:
        return Op(**{"name": call.__name__, "doc": summary(call), "call": call, "batch": batch_trailing, **fields})

    return make


def derived(
    *examples: str, spellings: tuple[str, ...] = (), name: str | None = None, **rest: Any
) -> Callable[[Callable[P, R]], Derived[P, R]]:
    """A function of nodes that other operations express. Decorates it; the docstring's first line is its doc."""

    def make(call: Callable[P, R]) -> Derived[P, R]:
        return Derived(
            name=name or call.__name__, doc=summary(call), call=call, examples=examples, spellings=spellings, **rest
        )

    return make


def summary(call: Callable[..., Any]) -> str:
    """The first line of a docstring; an operation without one is a mistake in the catalogue."""
    if not call.__doc__:
        raise TypeError(f"{call.__name__} has no docstring")
    return call.__doc__.strip().splitlines()[0]


# arguments --------------------------------------------------------------------------------------

Axis = int | tuple[int, ...] | None
Lengths = int | tuple[int, ...]
"""Lengths or axes that PyTorch, and methods, also take one by one: `x.reshape(2, -1)`."""
PerAxis = int | tuple[int, ...]
"""A whole number for all axes of an image, or one for each; never one by one."""
Sizes = int | tuple[int | None, ...] | None
"""As `PerAxis`, but None stands for the length that is there."""
Factors = float | tuple[float, ...]
"""A number for all axes of an image, or one for each."""
Widths = int | tuple[int | tuple[int, ...], ...]
"""A whole number, a pair, or a pair for each axis."""


Arrays = Sequence[Node]
"""Arrays that are given one by one: `meshgrid(x, y)`."""
Mask = Any
"""Truth values as a NumPy array, read at the inputs: what they select decides shapes."""

Cuts = Any
"""A place, several (as a NumPy array), a slice or a mask: where something is put in or left out."""


class Index(NamedTuple):
    """Whole numbers that say where: the node, and what it is at the inputs."""

    node: Node
    numbers: Any


class Known(NamedTuple):
    """An array whose numbers are looked at before there is a graph of it: classes, places, lengths."""

    node: Node
    numbers: Any


def known_places(given: Known, length: int, name: str) -> Node:
    """An array of places in an axis of the given length, as it was given; PyTorch counts from the front only."""
    numbers = given.numbers
    wrong = (numbers != np.floor(numbers)) | (numbers < 0) | (numbers >= length)
    if np.any(wrong):
        message = f"`{name}` takes whole numbers from 0 to {length - 1}, got {numbers[wrong].flat[0]:g}"
        raise GradcalcError("index", message, operands=[(given.node, "")])
    return given.node


def negative_axis(axis: int, ndim: int, what: str = "axis") -> int:
    """An axis counted from the right; an error names the axes there are."""
    if not -ndim <= axis < ndim:
        has = "no axes" if ndim == 0 else f"axes 0 to {ndim - 1}" if ndim > 1 else "only axis 0"
        raise GradcalcError("arguments", f"{what} {axis} is out of range: the array has {has}")
    return axis if axis < 0 else axis - ndim


def negative_axes(axis: Axis, ndim: int) -> tuple[int, ...]:
    """Axes counted from the right, in order; None is all of them."""
    if axis is None:
        return tuple(range(-ndim, 0))
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(sorted(negative_axis(one, ndim) for one in given))
    if len(set(axes)) < len(axes):
        raise GradcalcError("arguments", f"the same axis is given twice in axis={axis}")
    return axes


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """The shape after a reduction over axes counted from the right."""
    ndim = len(shape)
    if keepdims:
        return tuple(1 if i - ndim in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i - ndim not in axes)


def spread(g: Node, x: Node, axes: tuple[int, ...], keepdims: bool = False) -> Node:
    """A reduced array put back along the axes that were reduced, so that it meets `x` again."""
    return broadcast_to(g if keepdims else reshape(g, reduced_shape(x.shape, axes, True)), x.shape)
