"""Losses under `torch.` itself: their arguments stand elsewhere than in `torch.nn.functional`, and nothing is reduced
unless `reduction` is 1, for the mean, or 2, for the sum.
"""

from __future__ import annotations

from ..graph import Node
from . import ctc, losses, margins
from .ctc import Labels
from .kinds import derived
from .losses import chosen


@derived(
    "torch.binary_cross_entropy_with_logits(x, y) | x=3 y=3",
    "torch.binary_cross_entropy_with_logits(x, y, w, p, 2) | x=2,3 y=2,3 w=3 p=3",
    name="torch.binary_cross_entropy_with_logits",
)
def binary_cross_entropy_with_logits(
    input: Node,
    target: Node,
    weight: Node | None = None,
    pos_weight: Node | None = None,
    reduction: int = 0,
) -> Node:
    """Binary cross entropy of sigmoid(x); `reduction` 0, 1 or 2 is none, mean or sum."""
    way = chosen(reduction)
    return losses.binary_cross_entropy_with_logits(input, target, weight, reduction=way, pos_weight=pos_weight)


@derived("torch.kl_div(x, y, 2) | x=3 y=3", "torch.kl_div(x, y, log_target=True) | x=3 y=3", name="torch.kl_div")
def kl_div(input: Node, target: Node, reduction: int = 0, log_target: bool = False) -> Node:
    """target*(log(target) - x) of log-probabilities x; `reduction` 0, 1 or 2 is none, mean or sum."""
    return losses.kl_div(input, target, reduction=chosen(reduction), log_target=log_target)


@derived("torch.poisson_nll_loss(x, y, False, False, 0.1, 0) | x=3 y=3", name="torch.poisson_nll_loss")
def poisson_nll_loss(
    input: Node,
    target: Node,
    log_input: bool,
    full: bool,
    eps: float,
    reduction: int,
) -> Node:
    """exp(x) - target*x, or x - target*log(x + eps); `reduction` 0, 1 or 2 is none, mean or sum."""
    return losses.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=chosen(reduction))


@derived("torch.hinge_embedding_loss(x, [1, -1, -1], 0.5, 2) | x=3", name="torch.hinge_embedding_loss")
def hinge_embedding_loss(input: Node, target: Node, margin: float = 1.0, reduction: int = 0) -> Node:
    """x where target is 1, and where it is -1 what x falls short of the margin; `reduction` 0, 1 or 2."""
    return margins.hinge_embedding_loss(input, target, margin, reduction=chosen(reduction))


@derived("torch.margin_ranking_loss(x, y, [1, -1, 1], 0.5, 0) | x=3 y=3", name="torch.margin_ranking_loss")
def margin_ranking_loss(input1: Node, input2: Node, target: Node, margin: float = 0, reduction: int = 0) -> Node:
    """What target*(x - y) falls short of the margin; `reduction` 0, 1 or 2 is none, mean or sum."""
    return margins.margin_ranking_loss(input1, input2, target, margin, reduction=chosen(reduction))


@derived("torch.cosine_embedding_loss(x, y, [1, -1], -0.5, 0) | x=2,3 y=2,3", name="torch.cosine_embedding_loss")
def cosine_embedding_loss(input1: Node, input2: Node, target: Node, margin: float = 0, reduction: int = 0) -> Node:
    """1 - cosine where target is 1, else what it exceeds the margin by; `reduction` 0, 1 or 2."""
    return margins.cosine_embedding_loss(input1, input2, target, margin, reduction=chosen(reduction))


@derived(
    "torch.triplet_margin_loss(x, y, z, 5, 2, 1e-6, True, 0) | x=2,3 y=2,3 z=2,3", name="torch.triplet_margin_loss"
)
def triplet_margin_loss(
    anchor: Node,
    positive: Node,
    negative: Node,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 0,
) -> Node:
    """What the distance to the negative falls short of that to the positive plus the margin; `reduction` 0, 1 or 2."""
    return margins.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=chosen(reduction))


@derived("torch.ctc_loss(x, [[1], [2]], [2, 2], [1, 1]) | x=2,2,3", name="torch.ctc_loss", domain=((-2, -0.5),))
def ctc_loss(
    log_probs: Node,
    targets: Labels,
    input_lengths: int | tuple[int, ...],
    target_lengths: int | tuple[int, ...],
    blank: int = 0,
    reduction: int = 0,
    zero_infinity: bool = False,
) -> Node:
    """Minus the log-probability of sequences of labels; `reduction` 0, 1 or 2 is none, mean or sum."""
    way = chosen(reduction)
    return ctc.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, way, zero_infinity)
