"""Losses, from what PyTorch's pages say of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

# losses of numbers ------------------------------------------------------------------------------------

_OLD = {(None, None): None, (False, None): "sum", (None, False): "none"}


def _reduced(losses: Any, reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> Any:
    way = _OLD[size_average, reduce] or reduction
    return {"mean": np.mean, "sum": np.sum, "none": np.asarray}[way](losses)


def _pairwise(loss: Callable[..., float], by_weight: bool = True) -> Callable[..., Any]:
    """A loss of two numbers over arrays; its weighted mean is by weight, or by count."""

    def apply(
        input: Any,
        target: Any,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        weight: Any = None,
        **named: Any,
    ) -> Any:
        losses = np.vectorize(lambda x, t: loss(x, t, **named), otypes=[float])(input, target)
        if weight is not None and by_weight and reduction == "mean":
            return np.sum(losses * weight) / np.sum(weight)
        return _reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)

    return apply


def _smooth_l1(x: float, t: float, beta: float = 1) -> float:
    return 0.5 * (x - t) ** 2 / beta if abs(x - t) < beta else abs(x - t) - 0.5 * beta


def _huber(input: Any, target: Any, reduction: str = "mean", delta: float = 1, weight: Any = None) -> Any:
    def loss(x: float, t: float) -> float:
        return 0.5 * (x - t) ** 2 if abs(x - t) <= delta else delta * (abs(x - t) - 0.5 * delta)

    return _pairwise(loss, by_weight=False)(input, target, reduction=reduction, weight=weight)


def _log(x: float) -> float:
    return max(math.log(x), -100) if x > 0 else -100


def _bce(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Any = 1,
) -> Any:
    def loss(x: float, t: float, p: float) -> float:
        return -p * t * _log(x) - (1 - t) * _log(1 - x)

    losses = np.vectorize(loss, otypes=[float])(input, target, pos_weight) * (1 if weight is None else weight)
    return _reduced(losses, reduction, size_average, reduce)


def _with_logits(input: Any, *rest: Any, **named: Any) -> Any:
    names = ("target", "weight", "size_average", "reduce", "reduction", "pos_weight")
    return _bce(1 / (1 + np.exp(-input)), **dict(zip(names, rest, strict=False)), **named)


def _kl_div(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    def loss(x: float, t: float) -> float:
        if log_target:
            return math.exp(t) * (t - x)
        return t * (math.log(t) - x) if t > 0 else 0

    losses = np.vectorize(loss, otypes=[float])(input, target)
    if reduction == "batchmean":
        return np.sum(losses) / len(input)
    return _reduced(losses, reduction, size_average, reduce)


def _poisson(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    def loss(x: float, t: float) -> float:
        first = math.exp(x) - t * x if log_input else x - t * math.log(x + eps)
        return first + (t * math.log(t) - t + 0.5 * math.log(2 * math.pi * t) if full and t > 1 else 0)

    return _reduced(np.vectorize(loss, otypes=[float])(input, target), reduction, size_average, reduce)


def _gaussian(input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Any:
    var = np.asarray(var)
    var = np.maximum(var[..., None] if var.shape == input.shape[:-1] and var.shape != input.shape else var, eps)
    losses = 0.5 * (np.log(var) + (input - target) ** 2 / var) + (0.5 * math.log(2 * math.pi) if full else 0)
    return _reduced(losses, reduction)


def _soft_margin(input: Any, target: Any, reduction: str = "mean") -> Any:
    return _reduced(np.log(1 + np.exp(-np.asarray(target) * input)), reduction)


def _hinge_embedding(input: Any, target: Any, margin: float = 1, reduction: str = "mean") -> Any:
    def loss(x: float, t: float) -> float:
        return {1: x, -1: max(0, margin - x)}.get(int(t), x + max(0, margin - x))

    return _reduced(np.vectorize(loss, otypes=[float])(input, target), reduction)


def _margin_ranking(input1: Any, input2: Any, target: Any, margin: float = 0, reduction: str = "mean") -> Any:
    return _reduced(np.maximum(0, -np.asarray(target) * (input1 - input2) + margin), reduction)


def _cosine_embedding(input1: Any, input2: Any, target: Any, margin: float = 0, reduction: str = "mean") -> Any:
    def loss(a: Any, b: Any, t: int) -> float:
        cosine = np.sum(a * b) / np.sqrt((np.sum(a * a) + 1e-12) * (np.sum(b * b) + 1e-12))
        return 1 - cosine if t == 1 else max(0, cosine - margin)

    if input1.ndim == 1:
        return _reduced(np.asarray(loss(input1, input2, target)), reduction)
    return _reduced(np.array([loss(a, b, t) for a, b, t in zip(input1, input2, target, strict=True)]), reduction)


def _triplet(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    def distance(a: Any, b: Any) -> Any:
        return np.sum(np.abs(a - b + eps) ** p, -1) ** (1 / p)

    far = distance(anchor, negative)
    if swap:
        far = np.minimum(far, distance(positive, negative))
    return _reduced(np.maximum(0, distance(anchor, positive) - far + margin), reduction)


# losses of classes -------------------------------------------------------------------------------------


def _log_softmax(row: Any) -> Any:
    return np.log(np.exp(row) / np.sum(np.exp(row)))


def _softmax_nll(x: Any, places: Any) -> Any:
    rows = x.reshape(-1, x.shape[-1])
    losses = [-_log_softmax(row)[int(place)] for row, place in zip(rows, np.ravel(places), strict=True)]
    return np.reshape(losses, x.shape[:-1])


def _by_class(
    input: Any,
    target: Any,
    weight: Any,
    size_average: bool | None,
    ignore_index: int,
    reduce: bool | None,
    reduction: str,
    loss: Callable[[Any, int, Any], float],
) -> Any:
    """Row by row the loss of a class; the mean is by the weights of the classes that are not ignored."""
    rows = np.moveaxis(input, 1, -1) if input.ndim > 1 else input
    target, weight = np.asarray(target), np.ones(rows.shape[-1]) if weight is None else weight
    losses, shares = np.zeros(target.shape), np.zeros(target.shape)
    for place in np.ndindex(*target.shape):
        label = int(target[place])
        if label != ignore_index:
            losses[place], shares[place] = loss(rows[place], label, weight), weight[label]
    if reduction == "mean" and size_average is None and reduce is None:
        return np.sum(losses) / np.sum(shares)
    return _reduced(losses, reduction, size_average, reduce)


def _nll(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Any:
    def loss(row: Any, label: int, weights: Any) -> float:
        return float(-weights[label] * row[label])

    return _by_class(input, target, weight, size_average, ignore_index, reduce, reduction, loss)


def _cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0,
) -> Any:
    def mixed(row: Any, label: int, weights: Any) -> float:
        shares = np.full(row.shape, label_smoothing / row.size)
        shares[label] += 1 - label_smoothing
        # PyTorch weighs the smoothed part class by class, and the rest by the class of the target.
        return float(-np.sum(shares * weights * _log_softmax(row)))

    if np.shape(target) != input.shape:
        return _by_class(input, target, weight, size_average, ignore_index, reduce, reduction, mixed)
    rows, shares = (np.moveaxis(one, 1, -1) if one.ndim > 1 else one for one in (input, target))
    losses = np.zeros(rows.shape[:-1])
    for place in np.ndindex(*losses.shape):
        smooth = (1 - label_smoothing) * shares[place] + label_smoothing / rows.shape[-1]
        losses[place] = -np.sum(smooth * (1 if weight is None else weight) * _log_softmax(rows[place]))
    return _reduced(losses, reduction)


def _linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    linear_bias: Any = 0,
    weight: Any = None,
    reduction: str = "mean",
    ignore_index: int = -100,
    label_smoothing: float = 0,
) -> Any:
    logits = np.tensordot(input, linear_weight, (-1, -1)) + linear_bias
    return _cross_entropy(logits, target, weight, None, ignore_index, None, reduction, label_smoothing)


def _multi_margin(
    input: Any, target: Any, p: int = 1, margin: float = 1, weight: Any = None, reduction: str = "mean"
) -> Any:
    def loss(row: Any, label: int) -> float:
        terms = [max(0, margin - row[label] + x) ** p for i, x in enumerate(row) if i != label]
        return float(np.sum(terms) / len(row) * (1 if weight is None else weight[label]))

    if input.ndim == 1:
        return loss(input, target)
    return _reduced(np.array([loss(row, label) for row, label in zip(input, target, strict=True)]), reduction)


def _multilabel_margin(input: Any, target: Any, reduction: str = "mean") -> Any:
    def loss(row: Any, labels: Any) -> float:
        given = list(labels)
        given = given[: given.index(-1)] if -1 in given else given
        others = [i for i in range(len(row)) if i not in given]
        return sum(max(0, 1 - (row[j] - row[i])) for j, i in product(given, others)) / len(row)

    if input.ndim == 1:
        return loss(input, target)
    return _reduced(np.array([loss(row, labels) for row, labels in zip(input, target, strict=True)]), reduction)


def _multilabel_soft_margin(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    t, share = np.asarray(target), 1 / (1 + np.exp(-input))
    losses = -(t * np.log(share) + (1 - t) * np.log(1 - share)) * (1 if weight is None else weight)
    return _reduced(np.mean(losses, -1), reduction)


def _ctc(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """Every way to name a class at each time is tried: those count that say the labels."""
    probs = np.exp(log_probs if log_probs.ndim == 3 else log_probs[:, None])
    steps, counts = np.atleast_1d(input_lengths), np.atleast_1d(target_lengths)
    rows = list(targets) if np.ndim(targets) == 2 else np.split(np.asarray(targets), np.cumsum(counts)[:-1])
    losses = []
    for i, (row, count) in enumerate(zip(rows, counts, strict=True)):
        total = 0.0
        for path in product(range(probs.shape[-1]), repeat=steps[i]):
            said = [c for t, c in enumerate(path) if c != blank and (t == 0 or path[t - 1] != c)]
            if said == list(row[:count]):
                total += math.prod(probs[t, i, c] for t, c in enumerate(path))
        losses.append(-math.log(total) if total else 0 if zero_infinity else math.inf)
    if reduction == "mean":
        return np.mean(np.array(losses) / np.maximum(counts, 1))
    return _reduced(np.array(losses) if log_probs.ndim == 3 else losses[0], reduction)


# the same under `torch.`, with a number for the reduction ------------------------------------------------

_WAYS = ("none", "mean", "sum")


def _numbered(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """A loss whose arguments after the arrays have these names, in this order, `reduction` as a number."""

    def apply(*given: Any, **named: Any) -> Any:
        arrays = len(given) - len(names)
        found = {**dict(zip(names, given[arrays:], strict=True)), **named}
        return function(*given[:arrays], **{**found, "reduction": _WAYS[found.get("reduction", 0)]})

    return apply


LOSSES = {
    "mse_loss": _pairwise(lambda x, t: (x - t) ** 2),
    "l1_loss": _pairwise(lambda x, t: abs(x - t)),
    "smooth_l1_loss": lambda x, t, beta=1, **named: _pairwise(
        lambda a, b: _smooth_l1(a, b, beta) if beta else abs(a - b)
    )(x, t, **named),
    "huber_loss": _huber,
    "binary_cross_entropy": _bce,
    "binary_cross_entropy_with_logits": _with_logits,
    "poisson_nll_loss": _poisson,
    "gaussian_nll_loss": _gaussian,
    "soft_margin_loss": _soft_margin,
    "hinge_embedding_loss": _hinge_embedding,
    "margin_ranking_loss": _margin_ranking,
    "cosine_embedding_loss": _cosine_embedding,
    "triplet_margin_loss": _triplet,
    "triplet_margin_with_distance_loss": _triplet,
    "classes": lambda target, count, ignored=None: np.where(np.asarray(target) == ignored, -1, target),
    "softmax_nll": _softmax_nll,
    "nll_loss": _nll,
    "cross_entropy": _cross_entropy,
    "linear_cross_entropy": _linear_cross_entropy,
    "multi_margin_loss": _multi_margin,
    "multilabel_margin_loss": _multilabel_margin,
    "multilabel_soft_margin_loss": _multilabel_soft_margin,
    "ctc_loss": _ctc,
    "xlogx": np.vectorize(lambda x: x * math.log(x), otypes=[float]),
}

NUMBERED = {
    "torch.binary_cross_entropy_with_logits": lambda x, y, w=None, p=1, way=0: _with_logits(
        x, y, w, reduction=_WAYS[way], pos_weight=p
    ),
    "torch.kl_div": lambda x, y, way=0, log_target=False: _kl_div(x, y, reduction=_WAYS[way], log_target=log_target),
    "torch.poisson_nll_loss": _numbered(_poisson, "log_input", "full", "eps", "reduction"),
    "torch.hinge_embedding_loss": _numbered(_hinge_embedding, "margin", "reduction"),
    "torch.margin_ranking_loss": _numbered(_margin_ranking, "margin", "reduction"),
    "torch.cosine_embedding_loss": _numbered(_cosine_embedding, "margin", "reduction"),
    "torch.ctc_loss": _numbered(_ctc, "targets", "input_lengths", "target_lengths"),
    "torch.triplet_margin_loss": _numbered(_triplet, "margin", "p", "eps", "swap", "reduction"),
}

FUNCTIONS = {
    **LOSSES,
    **{f"F.{name}": function for name, function in LOSSES.items()},
    "F.kl_div": _kl_div,
    **NUMBERED,
}
