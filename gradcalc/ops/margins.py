"""Losses of PyTorch that ask for a margin: between a score and 0, two scores, two vectors, or two distances."""

from __future__ import annotations

from ..errors import GradcalcError
from ..graph import Kink, Node
from .arithmetic import clip, equal, minimum, where
from .elementwise import softplus, sqrt, square
from .kinds import derived, with_shape
from .losses import reduced
from .norms import vector_norm
from .reduce import sum

_SLACK = "the derivative where the loss is positive"


@derived(
    "soft_margin_loss(x, y) | x=3 y=3",
    "soft_margin_loss(x, [1, -1, 1], reduction='none') | x=3",
    "soft_margin_loss(x, y, reduction='sum') | x=2,3 y=2,3",
)
def soft_margin_loss(
    input: Node,
    target: Node,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """log(1 + exp(-target*x)), without overflow, for targets 1 and -1."""
    return reduced(softplus(-target * input), reduction, size_average, reduce)


@derived(
    "hinge_embedding_loss(x, [1, -1, -1]) | x=3",
    "F.hinge_embedding_loss(x, [[1, -1], [-1, 1]], margin=0.5, reduction='none') | x=2,2",
    "F.hinge_embedding_loss(x, [1, -1, 0], 2, reduction='sum') | x=3",
    name="F.hinge_embedding_loss",
    kink=Kink(at="x is the margin", takes=_SLACK),
)
def hinge_embedding_loss(
    input: Node,
    target: Node,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """x where target is 1, and where it is -1 what x falls short of the margin."""
    losses = where(equal(target, 1.0), 0.0, clip(margin - input, 0.0)) + where(equal(target, -1.0), 0.0, input)
    return reduced(losses, reduction, size_average, reduce)


@derived(
    "margin_ranking_loss(x, y, [1, -1, 1]) | x=3 y=3",
    "F.margin_ranking_loss(x, y, [[1, -1, 1]], margin=0.5, reduction='none') | x=2,3 y=2,3",
    "F.margin_ranking_loss(x, y, t, 1, reduction='sum') | x=3 y=3 t=3",
    name="F.margin_ranking_loss",
    kink=Kink(at="target*(x - y) is the margin", takes=_SLACK),
)
def margin_ranking_loss(
    input1: Node,
    input2: Node,
    target: Node,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """What target*(x - y) falls short of the margin, for targets 1 and -1."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise GradcalcError(
            "shape",
            "`margin_ranking_loss` needs inputs and a target with as many axes as each other",
            operands=[with_shape(input1), with_shape(input2), with_shape(target)],
        )
    return reduced(clip(-target * (input1 - input2) + margin, 0.0), reduction, size_average, reduce)


@derived(
    "cosine_embedding_loss(x, y, [1, -1]) | x=2,3 y=2,3",
    "F.cosine_embedding_loss(x, y, [1, -1], margin=-0.5, reduction='none') | x=2,3 y=2,3",
    "F.cosine_embedding_loss(x, y, -1, -0.9, reduction='sum') | x=3 y=3",
    name="F.cosine_embedding_loss",
    kink=Kink(at="the cosine is the margin", takes=_SLACK),
    domain=((0.5, 2),),
)
def cosine_embedding_loss(
    input1: Node,
    input2: Node,
    target: Node,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """1 - cosine where target is 1, and where it is -1 what the cosine exceeds the margin by."""
    if target.ndim > 1 or not input1.ndim == input2.ndim == target.ndim + 1:
        raise GradcalcError(
            "shape",
            "`cosine_embedding_loss` needs two matrices and a vector of targets, or two vectors and one target",
            operands=[with_shape(input1), with_shape(input2), with_shape(target)],
        )
    sizes = (sum(square(input1), -1) + 1e-12) * (sum(square(input2), -1) + 1e-12)
    cosine = sum(input1 * input2, -1) / sqrt(sizes)
    losses = where(equal(target, 1.0), 1 - cosine, 0.0)
    losses = losses + where(equal(target, -1.0), clip(cosine - margin, 0.0), 0.0)
    return reduced(losses, reduction, size_average, reduce)


@derived(
    "triplet_margin_loss(x, y, z) | x=2,2 y=2,2 z=2,2",
    "F.triplet_margin_loss(x, y, z, margin=3, p=1, reduction='none') | x=1,2 y=1,2 z=1,2",
    "F.triplet_margin_loss(x, y, z, 9, 3, 0.1, reduction='sum') | x=1,2 y=1,2 z=1,2",
    "F.triplet_margin_loss(x, y, z, swap=True, margin=5) | x=3 y=3 z=3",
    name="F.triplet_margin_loss",
    kink=Kink(at="the distances differ by the margin", takes=_SLACK),
)
def triplet_margin_loss(
    anchor: Node,
    positive: Node,
    negative: Node,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """What the distance to the negative falls short of that to the positive plus the margin."""
    if margin <= 0:
        raise GradcalcError("arguments", f"`margin` of a triplet loss must be positive, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise GradcalcError(
            "shape",
            "a triplet loss needs three arrays with as many axes as each other",
            operands=[with_shape(anchor), with_shape(positive), with_shape(negative)],
        )
    far = _distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, _distance(positive, negative, p, eps))
    return reduced(clip(margin + _distance(anchor, positive, p, eps) - far, 0.0), reduction, size_average, reduce)


def _distance(a: Node, b: Node, p: float, eps: float) -> Node:
    return vector_norm(a - b + eps, p, -1)


@derived(
    "triplet_margin_with_distance_loss(x, y, z) | x=2,3 y=2,3 z=2,3",
    "triplet_margin_with_distance_loss(x, y, z, margin=4, swap=True, reduction='none') | x=2,3 y=2,3 z=2,3",
    kink=Kink(at="the distances differ by the margin", takes=_SLACK),
)
def triplet_margin_with_distance_loss(
    anchor: Node,
    positive: Node,
    negative: Node,
    distance_function: object = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Node:
    """The triplet loss with the Euclidean distance, the only one that it can be given here."""
    if distance_function is not None:
        raise GradcalcError(
            "arguments",
            "`distance_function` would be a function, which cannot be an argument here",
            helps=["leave it out for the Euclidean distance", "or write the loss out: `relu(margin + d_pos - d_neg)`"],
        )
    return triplet_margin_loss(anchor, positive, negative, margin, swap=swap, reduction=reduction)
