"""Connectionist temporal classification: the loss of a sequence of labels over all the ways to spread it in time.

The labels stand apart by blanks, and a path stays on a state, goes to the next, or skips a blank between two
different labels. Which states a path can be on at a time depends on labels and lengths alone, so it is known when the
graph is built; only those take part, and no derivative meets the logarithm of 0.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, constant
from .arithmetic import equal, where
from .indexing import element, gather, segment
from .joining import concatenate, stack
from .kinds import broadcast_to, derived, reshape, with_shape
from .losses import chosen, reduced
from .reduce import logsumexp

Labels = int | tuple[Any, ...]
"""Numbers of classes, or rows of them."""


class States(NamedTuple):
    """Of each sequence of a batch (row): the class of each state, and whether the blank before it may be skipped."""

    classes: Any
    skips: Any
    lengths: Any
    ends: Any


def _states(rows: list[tuple[int, ...]], blank: int) -> States:
    width = 2 * max(map(len, rows)) + 1
    classes, ends = np.full((len(rows), width), blank), np.zeros((len(rows), width), bool)
    for i, labels in enumerate(rows):
        classes[i, 1 : 2 * len(labels) : 2] = labels
        ends[i, max(2 * len(labels) - 1, 0) : 2 * len(labels) + 1] = True
    skips = np.zeros(classes.shape, bool)
    skips[:, 2:] = classes[:, 2:] != classes[:, :-2]
    return States(classes, skips, np.array([2 * len(labels) + 1 for labels in rows]), ends)


def _reached(states: States, steps: int) -> Any:
    """Whether a path can be on a state at each time."""
    width = states.classes.shape[1]
    inside = np.arange(width) < states.lengths[:, None]
    found = [inside & (np.arange(width) < 2)]
    for _ in range(1, steps):
        before = found[-1]
        after = before.copy()
        after[:, 1:] |= before[:, :-1]
        after[:, 2:] |= before[:, :-2] & states.skips[:, 2:]
        found.append(after & inside)
    return np.array(found)


def _shifted(alpha: Node, by: int) -> Node:
    """What each state gets from the one so many before it."""
    rows, width = alpha.shape
    if by >= width:
        return broadcast_to(constant(-np.inf), alpha.shape)
    return concatenate([broadcast_to(constant(-np.inf), (rows, by)), segment(alpha, -1, 0, width - by)], -1)


def _log_likelihoods(log_probs: Node, rows: list[tuple[int, ...]], steps: list[int], blank: int) -> Node:
    """The logarithm of the probability of each sequence, -inf where there is no time for it."""
    states = _states(rows, blank)
    most = max(max(steps), 1)
    reached = _reached(states, most)
    batch = constant(np.arange(len(rows), dtype=np.float64)[:, None])
    emitted = gather(log_probs, (batch, constant(states.classes)))  # (time, batch, state)
    alpha = where(constant(reached[0]), element(emitted, -3, 0), -np.inf)
    for t in range(1, most):
        skipping = where(constant(states.skips), _shifted(alpha, 2), -np.inf)
        ways = where(constant(reached[t]), stack([alpha, _shifted(alpha, 1), skipping]), 0.0)
        on = where(constant(reached[t]), logsumexp(ways, 0) + element(emitted, -3, t), -np.inf)
        alpha = where(constant(np.array([[t < length] for length in steps])), on, alpha)
    last = np.array([reached[max(length, 1) - 1, i] & (length > 0) for i, length in enumerate(steps)])
    ends = last & states.ends
    possible = np.any(ends, -1)
    at_end = where(constant(ends | ~possible[:, None]), where(constant(ends), alpha, 0.0), -np.inf)
    empty = np.array([length == 0 and not labels for labels, length in zip(rows, steps, strict=True)])
    return where(constant(possible), logsumexp(at_end, -1), constant(np.where(empty, 0.0, -np.inf)))


@derived(
    "ctc_loss(x, [[1]], [2], [1]) | x=2,1,2",
    "F.ctc_loss(x, [[1, 1], [1, 0]], [3, 2], [2, 1], reduction='none') | x=3,2,2",
    "F.ctc_loss(x, [0, 2, 0], (3, 2), (2, 1), blank=1, reduction='sum') | x=3,2,3",
    "F.ctc_loss(x, [1, 2], 2, 2) | x=2,3",
    "F.ctc_loss(x, [[1, 1], [1, 2]], [2, 2], [2, 2], zero_infinity=True) | x=2,2,3",
    "F.ctc_loss(x, [[1], [1]], [2, 2], [0, 1]) | x=2,2,2",
    name="F.ctc_loss",
    kink=Kink(at="no path has time for the labels", takes="0"),
    domain=((-2, -0.5),),
)
def ctc_loss(
    log_probs: Node,
    targets: Labels,
    input_lengths: int | tuple[int, ...],
    target_lengths: int | tuple[int, ...],
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Node:
    """Minus the log-probability of sequences of labels; (T, N, C) or (T, C) log-probabilities, time by time."""
    if log_probs.ndim not in (2, 3) or log_probs.size == 0:
        message = f"`ctc_loss` needs log-probabilities of shape (T, N, C) or (T, C), got {log_probs.shape}"
        raise GradcalcError("shape", message, operands=[with_shape(log_probs)])
    time, classes = log_probs.shape[0], log_probs.shape[-1]
    batched = log_probs if log_probs.ndim == 3 else reshape(log_probs, (time, 1, classes))
    count = batched.shape[1]
    steps = _lengths("input_lengths", input_lengths, count, time)
    rows = _label_rows(targets, _lengths("target_lengths", target_lengths, count), classes)
    if not 0 <= blank < classes or any(blank in row for row in rows):
        raise GradcalcError("arguments", f"`blank` of `ctc_loss` must be a class that is no target, got {blank}")
    losses = -_log_likelihoods(batched, rows, steps, blank)
    if zero_infinity:
        losses = where(equal(losses, np.inf), 0.0, losses)
    way = chosen(reduction)
    if way == "mean":
        losses = losses / constant(np.array([max(len(labels), 1) for labels in rows], np.float64))
    return reduced(losses if log_probs.ndim == 3 else reshape(losses, ()), way)


def _lengths(name: str, given: int | tuple[int, ...], count: int, most: int | None = None) -> list[int]:
    lengths = [given] if isinstance(given, int) else list(given)
    if len(lengths) != count:
        raise GradcalcError("arguments", f"`{name}` of `ctc_loss` needs {count} numbers, got {len(lengths)}")
    wrong = [one for one in lengths if one < 0 or (most is not None and one > most)]
    if wrong:
        limit = "" if most is None else f" and at most {most}"
        raise GradcalcError("arguments", f"`{name}` of `ctc_loss` must be at least 0{limit}, got {wrong[0]}")
    return lengths


def _label_rows(targets: Labels, lengths: list[int], classes: int) -> list[tuple[int, ...]]:
    """The labels of each sequence: of rows the first so many, of one row what follows the sequence before."""
    given = (targets,) if isinstance(targets, int) else targets
    if any(isinstance(row, tuple) for row in given):
        if len(given) != len(lengths) or any(not isinstance(row, tuple) for row in given):
            raise GradcalcError("arguments", f"`targets` of `ctc_loss` needs {len(lengths)} rows, got {len(given)}")
        if any(len(row) < length for row, length in zip(given, lengths, strict=True)):
            raise GradcalcError("arguments", "`target_lengths` of `ctc_loss` exceed the rows of `targets`")
        rows = [row[:length] for row, length in zip(given, lengths, strict=True)]
    else:
        if len(given) != sum(lengths):
            message = f"`targets` of `ctc_loss` has {len(given)} labels, but `target_lengths` add up to {sum(lengths)}"
            raise GradcalcError("arguments", message)
        ends = np.cumsum([0, *lengths])
        rows = [given[start:end] for start, end in pairwise(ends)]
    wrong = [label for row in rows for label in row if not (isinstance(label, int) and 0 <= label < classes)]
    if wrong:
        raise GradcalcError("arguments", f"label {wrong[0]} of `ctc_loss` is no class: there are 0 to {classes - 1}")
    return rows
