"""Sorting and selecting by rank.

Which element goes where is a whole number, found by operations without derivative (`argsort`, `argrank`);
the elements are then gathered, so a derivative follows the element that was taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Cotangents, Kink, Node, as_node
from .arithmetic import equal, where
from .indexing import segment
from .joining import concatenate
from .kinds import Axis, broadcast_to, derived, general, linear, negative_axes, negative_axis, reshape
from .reduce import sum
from .shape import moveaxis, ravel

_TIES = Kink(at="elements are equal", takes="each place's derivative for one of them, in their order")
_SHARED = Kink(at="several elements have the chosen value", takes="an even share for each")


class Selected(NamedTuple):
    """Elements chosen along an axis, and their places."""

    values: Node
    indices: Node


# places -----------------------------------------------------------------------------------------


def _order(x: Any, axis: int) -> Any:
    """The places in ascending order, nan last: among exact numbers too, which NumPy would not know."""
    return np.argsort(np.where(x != x, np.inf, x) if x.dtype == object else x, axis, kind="stable")


def _argsort(x: Any, axis: int, descending: bool) -> Any:
    if not descending:
        return _order(x, axis).astype(np.float64)
    # From the end, so that equal elements keep their order, and nan comes first.
    back = np.flip(_order(np.flip(x, axis), axis), axis)
    return (np.shape(x)[axis] - 1 - back).astype(np.float64)


@general(
    kernel=_argsort,
    shape=lambda x, axis, descending: x.shape,
    vjp=lambda g, y, x, axis, descending: (None,),
    flat=(0,),
    kink=_TIES,
    examples=(
        "argsort(x) | x=4",
        "argsort(x, axis=0) | x=3,2",
        "argsort(x, axis=None) | x=2,2",
    ),
)
def argsort(
    x: Node, axis: int | None = -1, kind: str | None = None, stable: bool | None = None, descending: bool = False
) -> Any:
    """The places of the elements in ascending order along an axis; equal ones stay in their order."""
    x, axis = _with_axis(x, axis)
    return (x,), {"axis": negative_axis(axis, x.ndim), "descending": descending}


def _with_axis(x: Node, axis: int | None) -> tuple[Node, int]:
    """The array and the axis to sort along: None is the raveled array, a number by itself an axis of one."""
    return (ravel(x), -1) if axis is None else (x, axis)


def _put_along(g: Any, places: Any, axis: int, length: int) -> Any:
    shape = list(np.shape(g))
    shape[axis] = length
    out = np.zeros(shape, g.dtype)
    grids = list(np.ogrid[tuple(slice(n) for n in np.shape(g))])
    grids[axis] = np.asarray(places).astype(np.intp)
    np.add.at(out, tuple(grids), g)
    return out


@linear(
    kernel=lambda x, places, axis: np.take_along_axis(x, np.asarray(places).astype(np.intp), axis),
    shape=lambda x, places, axis: places.shape,
    transpose=lambda g, x, places, axis: (add_along(g, places, axis, x.shape[axis]), None),
    boolean=lambda x, *_, **__: x.boolean,
    flat=(1,),
    examples=(
        "along(x, argsort(y), 0) | x=3 y=3",
        "along(x, argsort(x, axis=0), 0) | x=3,2",
        "along(x, [[1]], 1) | x=1,2",
    ),
)
def along(x: Node, places: Node, axis: int) -> Any:
    """The elements at places of an axis, one for each place; the other axes of both are alike."""
    return (x, places), {"axis": negative_axis(axis, x.ndim)}


@linear(
    kernel=_put_along,
    shape=lambda g, places, axis, length: tuple(length if i - g.ndim == axis else n for i, n in _axes(g)),
    transpose=lambda g, x, places, axis, length: (along(g, places, axis), None),
    flat=(1,),
    examples=("add_along(x, argsort(y), 0, 3) | x=3 y=3", "add_along(x, [[1, 1]], 1, 3) | x=1,2"),
)
def add_along(x: Node, places: Node, axis: int, length: int) -> Any:
    """Zeros, with elements added at places of an axis of the given length: the transpose of `along`."""
    return (x, places), {"axis": negative_axis(axis, x.ndim), "length": length}


def _axes(x: Node) -> Sequence[tuple[int, int]]:
    return list(enumerate(x.shape))


def _argrank(x: Any, rank: Any, propagate: bool) -> Any:
    order = _order(x, -1)
    ranks = np.nan_to_num(np.clip(np.asarray(rank).astype(np.float64), 0, np.shape(x)[-1] - 1)).astype(np.intp)
    places = np.take_along_axis(order, ranks[..., None], -1)
    if propagate:  # nan is sorted last, so one anywhere is there
        last = order[..., -1:]
        top = np.take_along_axis(x, last, -1)
        places = np.where(top == top, places, last)
    return places[..., 0].astype(np.float64)


@general(
    kernel=_argrank,
    shape=lambda x, rank, propagate: x.shape[:-1],
    vjp=lambda g, y, x, rank, propagate: (None, None),
    flat=(0, 1),
    examples=("argrank(x, 0) | x=3", "argrank(x, [1, 2], propagate=True) | x=2,3"),
)
def argrank(x: Node, rank: Node, propagate: bool = False) -> Any:
    """The place of the element of a rank (0: the smallest) along the last axis; with `propagate`, of a nan if any."""
    return (x, broadcast_to(as_node(rank), x.shape[:-1])), {"propagate": propagate}


def _chosen_vjp(g: Node, y: Node, x: Node, place: Node) -> Cotangents:
    attained = equal(x, reshape(y, (*y.shape, 1)))
    ties = sum(attained, -1, True)
    return where(attained, reshape(g, (*g.shape, 1)) / ties, 0.0), None


@general(
    kernel=lambda x, place: np.take_along_axis(x, np.asarray(place).astype(np.intp)[..., None], -1)[..., 0],
    shape=lambda x, place: x.shape[:-1],
    vjp=_chosen_vjp,
    flat=(1,),
    kink=_SHARED,
    examples=("chosen(x, 1) | x=3", "chosen(x, argrank(x, 1)) | x=2,3"),
)
def chosen(x: Node, place: Node) -> Any:
    """The element at a place along the last axis; its derivative is shared with those equal to it."""
    return (x, broadcast_to(as_node(place), x.shape[:-1])), {}


def ranked(x: Node, rank: Node | float, propagate: bool) -> Node:
    """The element of a rank (0: the smallest) along the last axis."""
    found: Node = chosen(x, argrank(x, as_node(rank), propagate))
    return found


def rows_of(x: Node, axis: Axis) -> Node:
    """The array with the given axes made one, which comes last."""
    axes = negative_axes(axis, x.ndim)
    if axes == (-1,):
        return x
    moved = moveaxis(x, axes, tuple(range(-len(axes), 0))) if axes else x
    kept = moved.shape[: x.ndim - len(axes)]
    return reshape(moved, (*kept, math.prod(moved.shape[len(kept) :])))


# sorting ----------------------------------------------------------------------------------------


@derived(
    "sort(x) | x=4",
    "sort(x, axis=0) | x=3,2",
    "sort(x, axis=None) | x=2,2",
    "sort(x, kind='stable') | x=2,3",
    "sort(x, stable=True) | x=3",
    kink=_TIES,
)
def sort(
    x: Node, axis: int | None = -1, kind: str | None = None, stable: bool | None = None, descending: bool = False
) -> Node:
    """The elements in ascending order along an axis, or all of them."""
    x, axis = _with_axis(x, axis)
    return along(x, argsort(x, axis, kind, stable, descending), negative_axis(axis, x.ndim))


@derived("torch.msort(x) | x=3,2", name="torch.msort", kink=_TIES)
def msort(input: Node) -> Node:
    """The elements in ascending order along the first axis."""
    return sort(input, 0)


def _as_row(x: Node) -> Node:
    """PyTorch reads a number as a row of one where it needs an axis."""
    return reshape(x, (1,)) if x.ndim == 0 else x


def _selected(x: Node, places: Node, axis: int, keepdim: bool = True) -> Selected:
    """Elements at places of an axis, of an array that may have been a number."""
    values = along(_as_row(x), places, axis)
    if x.ndim == 0:
        return Selected(reshape(values, ()), reshape(places, ()))
    if keepdim:
        return Selected(values, places)
    shape = tuple(n for i, n in _axes(values) if i - x.ndim != axis)
    return Selected(reshape(values, shape), reshape(places, shape))


@derived(
    "torch.sort(x)[0] | x=4",
    "torch.sort(x, dim=0, descending=True).values | x=3,2",
    "torch.sort(x, 1, True)[1] | x=2,3",
    name="torch.sort",
    kink=_TIES,
)
def torch_sort(input: Node, dim: int = -1, descending: bool = False, stable: bool | None = False) -> Selected:
    """The elements in order along an axis, and the places they come from."""
    x = _as_row(input)
    axis = negative_axis(dim, x.ndim, "dim")
    return _selected(input, argsort(x, axis, descending=descending), axis)


@derived("torch.argsort(x, 0, True) | x=3,2", "torch.argsort(x, descending=True) | x=4", name="torch.argsort")
def torch_argsort(input: Node, dim: int = -1, descending: bool = False, stable: bool | None = False) -> Node:
    """The places of the elements in order along an axis; equal ones stay in their order."""
    return torch_sort(input, dim, descending).indices


@derived("lexsort([x, y]) | x=3 y=3", "lexsort(x, axis=0) | x=2,3,2")
def lexsort(keys: Sequence[Node], axis: int = -1) -> Node:
    """The places of the elements in the order of the last key, then of the one before where equal, and so on."""
    nodes = [as_node(key) for key in keys]
    if not nodes or any(key.shape != nodes[0].shape for key in nodes):
        raise GradcalcError("shape", "`lexsort` needs keys of one shape")
    along_axis = negative_axis(axis, nodes[0].ndim)
    order: Node | None = None
    for key in nodes:
        rank = argsort(key if order is None else along(key, order, along_axis), along_axis)
        order = rank if order is None else along(order, rank, along_axis)
    assert order is not None
    return order


# the first few ----------------------------------------------------------------------------------


@derived(
    "torch.topk(x, 2)[0] | x=4",
    "torch.topk(x, 1, dim=0, largest=False).values | x=3,2",
    "torch.topk(x, 2, 1)[1] | x=2,3",
    name="torch.topk",
    kink=_TIES,
)
def topk(input: Node, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Selected:
    """The k largest or smallest elements along an axis, in order, and their places."""
    if not sorted:
        raise GradcalcError(
            "arguments", "`topk` with `sorted=False` leaves the order open", helps=["leave `sorted` out"]
        )
    x = _as_row(input)
    axis = negative_axis(dim, x.ndim, "dim")
    if not 0 <= k <= x.shape[axis]:
        raise GradcalcError("arguments", f"`topk` cannot choose {k} of {x.shape[axis]} elements")
    return _selected(input, segment(argsort(x, axis, descending=largest), axis, 0, k), axis)


@derived("jax.lax.top_k(x, 2)[0] | x=2,3", name="jax.lax.top_k", kink=_TIES)
def top_k(operand: Node, k: int, axis: int = -1) -> tuple[Node, Node]:
    """The k largest elements along an axis, in descending order, and their places."""
    return (*topk(operand, k, axis),)


@derived(
    "torch.kthvalue(x, 2)[0] | x=4",
    "torch.kthvalue(x, 1, dim=0, keepdim=True).values | x=3,2",
    "torch.kthvalue(x, 3, 1)[1] | x=2,3",
    name="torch.kthvalue",
    kink=_SHARED,
)
def kthvalue(input: Node, k: int, dim: int = -1, keepdim: bool = False) -> Selected:
    """The k-th smallest element along an axis (1: the smallest), and its place."""
    x = _as_row(input)
    axis = negative_axis(dim, x.ndim, "dim")
    if not 1 <= k <= x.shape[axis]:
        raise GradcalcError("arguments", f"`kthvalue` has no element {k} of {x.shape[axis]}: `k` counts from 1")
    return of_rank(x, axis, k - 1, keepdim and input.ndim > 0, False)


def of_rank(x: Node, axis: int, rank: Node | float, keepdim: bool, propagate: bool) -> Selected:
    """The elements of a rank along an axis, and their places."""
    rows = rows_of(x, axis)
    places = argrank(rows, as_node(rank), propagate)
    shape = tuple(1 if i - x.ndim == axis else n for i, n in _axes(x)) if keepdim else places.shape
    return Selected(reshape(chosen(rows, places), shape), reshape(places, shape))


def _argmode(x: Any) -> Any:
    """The place of the last of the most frequent elements; of several as frequent, the smallest."""
    out = np.zeros(np.shape(x)[:-1])
    for at in np.ndindex(*out.shape):
        row = list(x[at])
        most = max(row.count(one) for one in row)
        value = min(one for one in row if row.count(one) == most)
        out[at] = len(row) - 1 - row[::-1].index(value)
    return out


@general(
    kernel=_argmode,
    shape=lambda x: x.shape[:-1],
    vjp=lambda g, y, x: (None,),
    flat=(0,),
    examples=("argmode(x) | x=2,3",),
)
def argmode(x: Node) -> Any:
    """The place of the most frequent element along the last axis: the last of them, the smallest of several."""
    return (x,), {}


@derived(
    "torch.mode(x)[0] | x=4",
    "torch.mode(x, dim=0, keepdim=True).values | x=3,2",
    "torch.mode(x, 1)[1] | x=2,3",
    name="torch.mode",
    kink=Kink(at="several elements are equal", takes="all of it for the last of the most frequent"),
)
def mode(input: Node, dim: int = -1, keepdim: bool = False) -> Selected:
    """The most frequent element along an axis (the smallest of several), and its place."""
    x = _as_row(input)
    axis = negative_axis(dim, x.ndim, "dim")
    if x.shape[axis] == 0:
        raise GradcalcError("empty", "`mode` of no elements has no value")
    places = argmode(moveaxis(x, axis, -1))
    return _selected(input, reshape(places, tuple(1 if i - x.ndim == axis else n for i, n in _axes(x))), axis, keepdim)


# partitions -------------------------------------------------------------------------------------


def _argpartition(x: Any, kth: tuple[int, ...], by_value: bool) -> Any:
    if not by_value:
        return np.argpartition(x, kth, axis=-1).astype(np.float64)
    order = _order(x, -1)
    ranks = np.argsort(np.argsort(np.partition(x, kth, axis=-1), axis=-1, kind="stable"), axis=-1)
    return np.take_along_axis(order, ranks, -1).astype(np.float64)


@general(
    kernel=_argpartition,
    shape=lambda x, kth, by_value: x.shape,
    vjp=lambda g, y, x, kth, by_value: (None,),
    flat=(0,),
    examples=("argpartition(x, 1) | x=4", "argpartition(x, (0, 2), axis=0) | x=3,2"),
)
def argpartition(x: Node, kth: int | tuple[int, ...], axis: int | None = -1, by_value: bool = False) -> Any:
    """Places that put the k-th smallest element in order, smaller ones before it; the rest as NumPy leaves it."""
    x, axis = _with_axis(x, axis)
    last = negative_axis(axis, x.ndim)
    if last != -1:
        return moveaxis(argpartition(moveaxis(x, last, -1), kth, -1, by_value), -1, last)
    return (x,), {"kth": _ranks(kth, x.shape[-1]), "by_value": by_value}


def _ranks(kth: int | tuple[int, ...], n: int) -> tuple[int, ...]:
    ranks = (kth,) if isinstance(kth, int) else tuple(kth)
    if any(not -n <= k < n for k in ranks):
        raise GradcalcError("arguments", f"kth={kth} is out of range for {n} elements")
    return tuple(k % n for k in ranks)


@derived("partition(x, 1) | x=4", "partition(x, (0, 2), axis=0) | x=3,2", "partition(x, 1, axis=None) | x=2,2")
def partition(x: Node, kth: int | tuple[int, ...], axis: int | None = -1) -> Node:
    """The array with the k-th smallest element in its place, smaller ones before it; the rest as NumPy leaves it."""
    x, axis = _with_axis(x, axis)
    return along(x, argpartition(x, kth, axis, True), negative_axis(axis, x.ndim))


@derived("jax.numpy.partition(x, 1) | x=4", "jax.numpy.partition(x, 0, axis=0) | x=3,2", name="jax.partition")
def jax_partition(a: Node, kth: int, axis: int = -1) -> Node:
    """The k + 1 smallest elements in ascending order, then the others in descending order, as JAX has them."""
    last = negative_axis(axis, a.ndim)
    n = a.shape[last]
    (first,) = _ranks(kth, n)
    up, down = sort(a, last), sort(a, last, descending=True)
    return concatenate([segment(up, last, 0, first + 1), segment(down, last, 0, n - first - 1)], last)
