"""Losses of PyTorch for classes: cross entropy and its relatives, and margins between classes.

The axis of classes is moved to the end; targets that number classes become masks along it, read at the given inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, constant, is_constant
from .arithmetic import equal, greater_equal, logical_and, where
from .elementwise import relu, softplus, square
from .kinds import derived, general, reshape, with_shape
from .losses import alike, chosen, reduced
from .reduce import cumprod, log_softmax, mean, softmax, sum
from .reduce import max as largest
from .shape import moveaxis, swapaxes

# classes by number --------------------------------------------------------------------------------


def _checked(target: Any, count: int, ignored: int | None) -> Any:
    """Numbers of classes as they are, but -1 for the ignored one; anything else is refused."""
    numbers = np.asarray(target, np.float64)
    skipped = np.zeros(numbers.shape, bool) if ignored is None else numbers == ignored
    wrong = ~skipped & ((numbers != np.floor(numbers)) | (numbers < 0) | (numbers >= count))
    if np.any(wrong):
        found = f"{numbers[wrong].ravel()[0]:g}"
        raise GradcalcError("index", f"{found} is not the number of a class: there are classes 0 to {count - 1}")
    return np.where(skipped, -1.0, numbers)


@general(
    kernel=_checked,
    shape=lambda target, count, ignored: target.shape,
    vjp=lambda g, y, target, count, ignored: (None,),
    flat=(0,),
    examples=("classes([0, 2, 1], 3) + x | x=3", "classes([[0, -100]], 3, -100) + x | x=2"),
)
def classes(target: Node, count: int, ignored: int | None = None) -> Any:
    """Numbers of classes below a count, checked; -1 where they are the number that is to be ignored."""
    if is_constant(target):
        return constant(_checked(target.attrs["value"].data, count, ignored))
    return (target,), {"count": count, "ignored": ignored}


def _mask(places: Node, count: int) -> Node:
    """Along a new last axis, where the class is the one at a place; -1 is none."""
    return equal(reshape(places, (*places.shape, 1)), constant(np.arange(count, dtype=np.float64)))


def _at(mask: Node, values: Node) -> Node:
    """The value of the class that a mask says, 0 where it says none."""
    return sum(where(mask, values, 0.0), -1)


# softmax_nll: the loss of one class ---------------------------------------------------------------


def _softmax_nll(x: Any, places: Any) -> Any:
    mask = np.arange(x.shape[-1]) == np.asarray(places)[..., None]
    others = np.where(mask, -np.inf, x)
    top = np.maximum.reduce(others, -1, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0)
    rest = top[..., 0] + np.log(np.sum(np.exp(others - top), -1))
    return np.logaddexp(rest - np.sum(np.where(mask, x, 0.0), -1), 0.0)


def _softmax_nll_vjp(g: Node, y: Node, x: Node, places: Node) -> tuple[Node, None]:
    mask, shares = _mask(places, x.shape[-1]), softmax(x, -1)
    # 1 minus the share of a class that has nearly all is the sum of the others.
    others = where(mask, 0.0, shares)
    back = where(mask, -sum(others, -1, True), shares)
    return reshape(g, (*g.shape, 1)) * back, None


def _exact_softmax_nll(m: Any, x: Any, places: Any) -> Any:
    own = np.take_along_axis(x, places.astype(float).astype(int)[..., None], -1)[..., 0]
    return np.frompyfunc(m.log, 1, 1)(np.sum(np.frompyfunc(m.exp, 1, 1)(x), axis=-1)) - own


def _class_shape(x: Node, places: Node) -> tuple[int, ...]:
    if x.ndim == 0 or places.shape != x.shape[:-1]:
        raise GradcalcError(
            "shape",
            f"shape {places.shape} does not give a class for each row of shape {x.shape}",
            operands=[with_shape(x), with_shape(places)],
        )
    return places.shape


@general(
    kernel=_softmax_nll,
    shape=_class_shape,
    vjp=_softmax_nll_vjp,
    exact=_exact_softmax_nll,
    flat=(1,),
    examples=("softmax_nll(x, [2, 0]) | x=2,3", "softmax_nll(x, 1) | x=3"),
    source="softplus of logsumexp of the other classes minus this one: keeps its digits where the loss is tiny",
)
def softmax_nll(x: Node, places: Node) -> Any:
    """-log(softmax(x)) at one class for each row along the last axis."""
    return (x, places), {}


# cross entropy ------------------------------------------------------------------------------------


def _rows(name: str, input: Node) -> Node:
    """The input with its axis of classes, 1 or the only one, at the end."""
    if input.ndim == 0:
        raise GradcalcError("shape", f"`{name}` needs an axis of classes, got a number", operands=[with_shape(input)])
    return moveaxis(input, 1, -1) if input.ndim > 2 else input


def _targets(name: str, rows: Node, target: Node, ignored: int | None) -> Node:
    if target.shape != rows.shape[:-1]:
        raise GradcalcError(
            "shape",
            f"`{name}` needs a class for each row, of shape {rows.shape[:-1]}, got a target of shape {target.shape}",
            operands=[with_shape(target)],
        )
    return classes(target, rows.shape[-1], ignored)


def _class_weights(name: str, weight: Node | None, count: int) -> Node:
    if weight is None:
        return constant(np.ones(count))
    if weight.shape != (count,):
        message = f"`{name}` needs a weight for each of {count} classes, got shape {weight.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(weight)])
    return weight


def _averaged(losses: Node, shares: Node, way: str) -> Node:
    """Weighted losses reduced; their mean is by weight."""
    return sum(losses) / sum(shares) if way == "mean" else reduced(losses, way)


@derived(
    "nll_loss(x, [2, 0]) | x=2,3",
    "nll_loss(x, 1) | x=3",
    "nll_loss(x, [2, 0], weight=w) | x=2,3 w=3",
    "nll_loss(x, [2, -100, 0], reduction='sum') | x=3,3",
    "nll_loss(x, [2, 1, 0], ignore_index=1) | x=3,3",
    "nll_loss(x, [[2, 0]], w, reduction='none', ignore_index=2) | x=1,3,2 w=3",
    "nll_loss(x, [[[1], [0]]], reduction='none') | x=1,2,2,1",
    "nll_loss(log_softmax(x, 1), [2, 0], size_average=False) | x=2,3",
)
def nll_loss(
    input: Node,
    target: Node,
    weight: Node | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """Minus the log-probability of the class that target numbers, along axis 1 of (N, C, …) or of (C,)."""
    rows = _rows("nll_loss", input)
    mask = _mask(_targets("nll_loss", rows, target, ignore_index), rows.shape[-1])
    shares = _at(mask, _class_weights("nll_loss", weight, rows.shape[-1]))
    return _averaged(-shares * _at(mask, rows), shares, chosen(reduction, size_average, reduce))


@derived(
    "cross_entropy(x, [2, 0]) | x=2,3",
    "cross_entropy(x, 1) | x=3",
    "cross_entropy(x, [2, 0], weight=w) | x=2,3 w=3",
    "cross_entropy(x, [2, -100], reduction='sum') | x=2,3",
    "cross_entropy(x, [2, 1], w, ignore_index=1, label_smoothing=0.1) | x=2,3 w=3",
    "cross_entropy(x, [2, 1], ignore_index=1, label_smoothing=0.1, reduction='none') | x=2,3",
    "cross_entropy(x, [[1, 0]], reduction='none') | x=1,2,2",
    "cross_entropy(x, [[1, 0]], label_smoothing=0.2) | x=1,2,2",
    "cross_entropy(x, y) | x=2,3 y=2,3",
    "cross_entropy(x, y, w, reduction='none') | x=1,2,2 y=1,2,2 w=2",
    "cross_entropy(x, y, reduction='sum', label_smoothing=0.1) | x=3 y=3",
)
def cross_entropy(
    input: Node,
    target: Node,
    weight: Node | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Node:
    """Cross entropy of softmax(x) along axis 1 of (N, C, …) or of (C,); target numbers classes, or has their shares."""
    if not 0 <= label_smoothing <= 1:
        raise GradcalcError("arguments", f"`label_smoothing` must be between 0 and 1, got {label_smoothing}")
    rows, way = _rows("cross_entropy", input), chosen(reduction, size_average, reduce)
    count = rows.shape[-1]
    weights = _class_weights("cross_entropy", weight, count)
    if target.shape == input.shape:
        if ignore_index >= 0:
            raise GradcalcError("arguments", "`ignore_index` is for targets that number classes, not for shares")
        shares = (1 - label_smoothing) * _rows("cross_entropy", target) + label_smoothing / count
        losses = -sum(shares * weights * log_softmax(rows, -1), -1)
        return reduced(losses, way)
    places = _targets("cross_entropy", rows, target, ignore_index)
    own = _at(_mask(places, count), weights)
    losses = own * softmax_nll(rows, places)
    if label_smoothing:
        others = -mean(weights * log_softmax(rows, -1), -1)
        others = where(greater_equal(places, 0.0), others, 0.0)
        losses = (1 - label_smoothing) * losses + label_smoothing * others
    return _averaged(losses, own, way)


@derived(
    "linear_cross_entropy(x, A, [1, 0]) | x=2,2 A=2,2",
    "linear_cross_entropy(x, A, 1, linear_bias=b, weight=w) | x=2 A=2,2 b=2 w=2",
    "linear_cross_entropy(x, A, [[1, 0]], linear_bias=b, reduction='none') | x=1,2 A=2,2,2 b=2,2",
    "linear_cross_entropy(x, A, y, reduction='sum', label_smoothing=0.1) | x=1,2 A=2,2 y=1,2",
    "linear_cross_entropy(x, A, [1, 0], ignore_index=0) | x=2,2 A=2,2",
)
def linear_cross_entropy(
    input: Node,
    linear_weight: Node,
    target: Node,
    linear_bias: Node | None = None,
    weight: Node | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: object = None,
) -> Node:
    """cross_entropy of x @ A.T + b; A of shape (C, …, in), b of shape (C, …)."""
    if options is not None:
        message = "`options` says how much memory is used, which changes no value"
        raise GradcalcError("arguments", message, helps=["leave it out"])
    outputs = linear_weight.shape[:-1]
    if input.ndim not in (1, 2) or not outputs or (len(outputs) > 1 and input.ndim == 1):
        raise GradcalcError(
            "shape",
            "`linear_cross_entropy` needs an input of shape (in,) or (N, in) and weights of shape (C, …, in)",
            operands=[with_shape(input), with_shape(linear_weight)],
        )
    flat = reshape(linear_weight, (-1, linear_weight.shape[-1])) if len(outputs) > 1 else linear_weight
    logits = reshape(input @ swapaxes(flat, 0, 1), (*input.shape[:-1], *outputs))
    if linear_bias is not None:
        if linear_bias.shape != outputs:
            message = f"`linear_bias` needs the shape {outputs}, got {linear_bias.shape}"
            raise GradcalcError("shape", message, operands=[with_shape(linear_bias)])
        logits = logits + linear_bias
    if target.shape == logits.shape and ignore_index is not None:
        raise GradcalcError("arguments", "`ignore_index` is for targets that number classes, not for shares")
    index = -100 if ignore_index is None else ignore_index
    return cross_entropy(logits, target, weight, None, index, None, reduction, label_smoothing)


# margins between classes --------------------------------------------------------------------------


def _one_or_more(name: str, input: Node) -> None:
    if input.ndim not in (1, 2):
        message = f"`{name}` needs an input of shape (C,) or (N, C), got {input.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(input)])


@derived(
    "multi_margin_loss(x, [2, 0]) | x=2,3",
    "multi_margin_loss(x, 1, p=2) | x=3",
    "multi_margin_loss(x, [2, 0], 2, 3, w, reduction='none') | x=2,3 w=3",
    "multi_margin_loss(x, [2, 0], margin=0.5, weight=w, reduction='sum') | x=2,3 w=3",
    kink=Kink(at="a class is short of the margin by 0", takes="0"),
)
def multi_margin_loss(
    input: Node,
    target: Node,
    p: int = 1,
    margin: float = 1.0,
    weight: Node | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """Mean over classes of what the target's x is short of the margin above theirs, or of its square."""
    _one_or_more("multi_margin_loss", input)
    if p not in (1, 2):
        raise GradcalcError("arguments", f"`p` of `multi_margin_loss` may be 1 or 2, got {p}")
    count = input.shape[-1]
    if input.ndim == 1 and target.shape == (1,):
        target = reshape(target, ())
    mask = _mask(_targets("multi_margin_loss", input, target, None), count)
    own = reshape(_at(mask, input), (*input.shape[:-1], 1))
    short = where(mask, 0.0, relu(margin - own + input))
    losses = mean(short if p == 1 else square(short), -1)
    if weight is not None:
        losses = _at(mask, _class_weights("multi_margin_loss", weight, count)) * losses
    return reduced(losses, reduction, size_average, reduce)


@derived(
    "multilabel_margin_loss(x, [2, 0, -1, 1]) | x=4",
    "multilabel_margin_loss(x, [[2, 0, -1], [-1, 0, 1]], reduction='none') | x=2,3",
    "multilabel_margin_loss(x, [[2, 0, 1], [1, -1, 0]], reduction='sum') | x=2,3",
    kink=Kink(at="a class is short of the margin by 0", takes="0"),
)
def multilabel_margin_loss(
    input: Node,
    target: Node,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """What each target's x is short of 1 above each other class's, over the classes; -1 ends a row of targets."""
    _one_or_more("multilabel_margin_loss", input)
    alike("multilabel_margin_loss", input, target)
    count = input.shape[-1]
    places = classes(target, count, -1)
    given = cumprod(where(greater_equal(places, 0.0), 1.0, 0.0), -1)  # 1 up to the first -1
    mask = logical_and(_mask(places, count), equal(reshape(given, (*given.shape, 1)), 1.0))  # (…, target, class)
    own = reshape(_at(mask, reshape(input, (*input.shape[:-1], 1, count))), (*input.shape, 1))
    short = relu(1 - own + reshape(input, (*input.shape[:-1], 1, count)))
    is_target = largest(where(mask, 1.0, 0.0), -2, True)
    counted = logical_and(equal(is_target, 0.0), equal(reshape(given, (*given.shape, 1)), 1.0))
    return reduced(sum(where(counted, short, 0.0), (-2, -1)) / count, reduction, size_average, reduce)


@derived(
    "multilabel_soft_margin_loss(x, y) | x=2,3 y=2,3",
    "multilabel_soft_margin_loss(x, [1, 0, 1], reduction='sum') | x=3",
    "multilabel_soft_margin_loss(x, y, w, reduction='none') | x=2,3 y=2,3 w=3",
)
def multilabel_soft_margin_loss(
    input: Node,
    target: Node,
    weight: Node | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """Mean over the last axis of the binary cross entropy of sigmoid(x)."""
    losses = target * softplus(-input) + (1 - target) * softplus(input)
    return reduced(mean(losses if weight is None else losses * weight, -1), reduction, size_average, reduce)
