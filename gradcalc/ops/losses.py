"""Losses of PyTorch that compare numbers: distances and likelihoods.

Each is a loss of elements, then reduced: `reduction` is 'mean', 'sum' or 'none'. PyTorch's older way to say the same,
`size_average` and `reduce`, is read as PyTorch reads it. Margins are in `margins`, classes in
`classification`.
"""

from __future__ import annotations

import math

from ..errors import GradcalcError
from ..graph import Kink, Node, Op
from .arithmetic import abs, clip, equal, greater_equal, less, less_equal, logical_and, where
from .elementwise import exp, log, log1p, softplus, square
from .kinds import derived, elementwise, reshape, with_shape
from .reduce import mean, sum

_NUMBERED = {0: "none", 1: "mean", 2: "sum"}
"""How `torch.…` itself, unlike `F.…`, writes a reduction."""


def reduced(losses: Node, reduction: str | int, size_average: bool | None = None, reduce: bool | None = None) -> Node:
    """The losses of elements as one number, or as they are."""
    way = chosen(reduction, size_average, reduce)
    return losses if way == "none" else sum(losses) if way == "sum" else mean(losses)


def chosen(reduction: str | int, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """Which of 'mean', 'sum' and 'none' is asked for."""
    if size_average is not None or reduce is not None:
        return "none" if reduce is False else "sum" if size_average is False else "mean"
    way = _NUMBERED.get(reduction) if isinstance(reduction, int) else reduction
    if way not in _NUMBERED.values():
        known = "0, 1 or 2" if isinstance(reduction, int) else "'mean', 'sum' or 'none'"
        raise GradcalcError("arguments", f"`reduction` may be {known}, got {reduction!r}")
    return str(way)


def alike(name: str, input: Node, other: Node, what: str = "target") -> None:
    """Refuse a second array that has not the first one's shape, as PyTorch does."""
    if other.shape != input.shape:
        raise GradcalcError(
            "shape",
            f"`{name}` needs a {what} of the input's shape {input.shape}, got {other.shape}",
            operands=[with_shape(input), with_shape(other)],
        )


# distances ----------------------------------------------------------------------------------------


def _weighted(name: str, losses: Node, input: Node, weight: Node | None, reduction: str) -> Node:
    """The losses times weights; their mean is by weight."""
    if weight is None:
        return reduced(losses, reduction)
    alike(name, input, weight, "weight")
    total = reduced(losses * weight, "sum" if reduction == "mean" else reduction)
    return total / sum(weight) if reduction == "mean" else total


@derived(
    "mse_loss(x, y) | x=3 y=3",
    "mse_loss(x, y, reduction='sum') | x=2,3 y=3",
    "F.mse_loss(x, y, reduction='none') | x=3 y=3",
    "mse_loss(x, y, weight=w**2) | x=3 y=3 w=3",
    "mse_loss(x, y, weight=w, reduction='none') | x=3 y=3 w=3",
    "mse_loss(x, y, size_average=False) | x=3 y=3",
    "mse_loss(x, y, reduce=False) | x=3 y=3",
)
def mse_loss(
    input: Node,
    target: Node,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Node | None = None,
) -> Node:
    """Mean squared error."""
    return _weighted("mse_loss", square(input - target), input, weight, chosen(reduction, size_average, reduce))


@derived(
    "l1_loss(x, y) | x=3 y=3",
    "l1_loss(x, y, reduction='sum') | x=2,3 y=3",
    "l1_loss(x, y, weight=w**2, reduction='mean') | x=3 y=3 w=3",
    "l1_loss(x, y, None, None, 'none') | x=3 y=3",
    kink=Kink(at="input = target", takes="0"),
)
def l1_loss(
    input: Node,
    target: Node,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Node | None = None,
) -> Node:
    """Mean absolute error."""
    return _weighted("l1_loss", abs(input - target), input, weight, chosen(reduction, size_average, reduce))


def _rounded(error: Node, width: float) -> Node:
    """A parabola within a width of 0, and the lines that touch it there: width times as steep as abs."""
    size = abs(error)
    return where(less_equal(size, width), square(error) / 2, width * (size - width / 2))


@derived(
    "smooth_l1_loss(x, y) | x=3 y=3",
    "smooth_l1_loss(x, y, reduction='none', beta=0.5) | x=5 y=5",
    "smooth_l1_loss(x, y, reduction='sum', beta=0) | x=3 y=3",
    "smooth_l1_loss(x, y, reduction='sum', beta=2) | x=2,3 y=3",
)
def smooth_l1_loss(
    input: Node,
    target: Node,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Node:
    """Absolute error, with a parabola in place of the kink where it is below beta."""
    if beta < 0:
        raise GradcalcError("arguments", f"`beta` of `smooth_l1_loss` must not be negative, got {beta}")
    losses = _rounded(input - target, beta) / beta if beta else abs(input - target)
    return reduced(losses, reduction, size_average, reduce)


@derived(
    "huber_loss(x, y) | x=3 y=3",
    "huber_loss(x, y, 'none', 0.5) | x=5 y=5",
    "huber_loss(x, y, reduction='sum', delta=2) | x=2,3 y=3",
    "huber_loss(x, y, weight=w) | x=3 y=3 w=3",
)
def huber_loss(
    input: Node, target: Node, reduction: str = "mean", delta: float = 1.0, weight: Node | None = None
) -> Node:
    """Half the squared error up to delta, delta times the absolute error beyond, less what makes them meet."""
    if delta <= 0:
        raise GradcalcError("arguments", f"`delta` of `huber_loss` must be positive, got {delta}")
    losses = _rounded(input - target, delta)
    if weight is not None:
        alike("huber_loss", input, weight, "weight")
        losses = losses * weight
    return reduced(losses, reduction)


# likelihoods --------------------------------------------------------------------------------------


@derived(
    "binary_cross_entropy(x, y) | x=3 y=3",
    "binary_cross_entropy(x, y, weight=w) | x=2,3 y=2,3 w=3",
    "binary_cross_entropy(x, [1, 0, 1], reduction='none') | x=3",
    "binary_cross_entropy(x, [1, 0.5], reduction='sum') | x=2",
    kink=Kink(at="a probability of 0, where its logarithm is -100", takes="0"),
    domain=((0.1, 0.9),),
)
def binary_cross_entropy(
    input: Node,
    target: Node,
    weight: Node | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """-(target*log(x) + (1 - target)*log(1 - x)) of probabilities x; logarithms are at least -100."""
    alike("binary_cross_entropy", input, target)
    # Where a logarithm is kept at -100, it is taken of 1: so that no derivative divides by 0.
    never = logical_and(greater_equal(input, 0.0), less(input, math.exp(-100)))
    sure = equal(input, 1.0)
    yes = where(never, -100.0, log(where(never, 1.0, input)))
    no = where(sure, -100.0, log1p(-where(sure, 0.0, input)))
    losses = -(target * yes + (1 - target) * no)
    return reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)


@derived(
    "binary_cross_entropy_with_logits(x, y) | x=3 y=3",
    "F.binary_cross_entropy_with_logits(x, y, w, reduction='sum') | x=2,3 y=2,3 w=3",
    "F.binary_cross_entropy_with_logits(x, y, pos_weight=p, reduction='none') | x=2,3 y=2,3 p=3",
    "F.binary_cross_entropy_with_logits(x, [1, 0], None, None, None, 'mean', p) | x=2 p=2",
    name="F.binary_cross_entropy_with_logits",
)
def binary_cross_entropy_with_logits(
    input: Node,
    target: Node,
    weight: Node | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Node | None = None,
) -> Node:
    """Binary cross entropy of sigmoid(x), without overflow; `pos_weight` multiplies the part of target."""
    alike("binary_cross_entropy_with_logits", input, target)
    yes = target * softplus(-input)
    losses = (yes if pos_weight is None else pos_weight * yes) + (1 - target) * softplus(input)
    return reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)


xlogx: Op = elementwise(
    "xlogx",
    lambda x: x * log.kernel(where.kernel(equal.kernel(x, 0), 1.0, x)),
    doc="x*log(x), and 0 at 0.",
    partials=lambda y, x: (log(x) + 1,),
    exact=lambda m, x: m.where(m.equal(x, 0), m.number(0), x * m.log(x)),
    kink=Kink(at="x = 0, the edge of the domain", takes="-inf"),
    domain=((0.1, 2),),
)


@derived(
    "F.kl_div(x, y) | x=3 y=3",
    "F.kl_div(x, y, reduction='batchmean') | x=2,3 y=2,3",
    "F.kl_div(x, [[0, 1], [0.5, 0.5]], reduction='sum') | x=2,2",
    "F.kl_div(x, y, reduction='none', log_target=True) | x=3 y=3",
    "F.kl_div(x, y, log_target=True, reduction='batchmean') | x=2,3 y=2,3",
    name="F.kl_div",
    domain=((0.1, 2),),
)
def kl_div(
    input: Node,
    target: Node,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Node:
    """target*(log(target) - x) of log-probabilities x; `log_target`: of the logarithm of target too."""
    batches = reduction == "batchmean" and size_average is None and reduce is None
    total = reduced(_divergence(input, target, log_target), "sum" if batches else reduction, size_average, reduce)
    return total / input.shape[0] if batches and input.ndim else total


def _divergence(input: Node, target: Node, log_target: bool) -> Node:
    return exp(target) * (target - input) if log_target else xlogx(target) - target * input


@derived(
    "poisson_nll_loss(x, y) | x=3 y=3",
    "F.poisson_nll_loss(x, y, log_input=False) | x=3 y=3",
    "F.poisson_nll_loss(x, y, full=True, reduction='none') | x=4 y=4",
    "F.poisson_nll_loss(x, y, False, False, None, 0.1, None, 'sum') | x=3 y=3",
    "F.poisson_nll_loss(x, [0, 1, 2, 7], full=True) | x=4",
    name="F.poisson_nll_loss",
    kink=Kink(at="target = 1, where `full` sets in", takes="the derivative from the left"),
    domain=((0.2, 2), (0.2, 4)),
)
def poisson_nll_loss(
    input: Node,
    target: Node,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Node:
    """exp(x) - target*x; without `log_input` x - target*log(x + eps); `full` adds Stirling's log(target!)."""
    losses = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        large = where(less_equal(target, 1.0), 1.0, target)  # so that no branch has the logarithm of 0
        stirling = target * log(large) - target + 0.5 * log(2 * math.pi * large)
        losses = losses + where(less_equal(target, 1.0), 0.0, stirling)
    return reduced(losses, reduction, size_average, reduce)


@derived(
    "gaussian_nll_loss(x, y, v) | x=3 y=3 v=3",
    "gaussian_nll_loss(x, y, v, full=True, reduction='sum') | x=2,3 y=2,3 v=2",
    "gaussian_nll_loss(x, y, v, eps=0.7, reduction='none') | x=2,3 y=2,3 v=2,1",
    "gaussian_nll_loss(x, y, 0.5) | x=2,3 y=2,3",
    kink=Kink(at="var = eps, below which it counts as eps", takes="1, and 0 below"),
    domain=((-2, 2), (-2, 2), (0.5, 2)),
)
def gaussian_nll_loss(
    input: Node, target: Node, var: Node, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Node:
    """(log(var) + (x - target)**2/var)/2, with a variance of at least eps; `full` adds log(2*pi)/2."""
    spread = _variance(input, var)
    # PyTorch refuses a negative variance; here its loss is nan.
    spread = where(less(spread, 0.0), math.nan, clip(spread, eps))
    losses = 0.5 * (log(spread) + square(input - target) / spread)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def _variance(input: Node, var: Node) -> Node:
    """The variance in a shape that broadcasts: the input's, or one for each place but those of one axis."""
    if var.shape in ((), input.shape):
        return var
    if var.shape == input.shape[:-1]:
        return reshape(var, (*var.shape, 1))
    others = [b for a, b in zip(input.shape, var.shape, strict=False) if a != b]
    if input.ndim == var.ndim and others == [1]:
        return var
    raise GradcalcError(
        "shape",
        f"`gaussian_nll_loss` needs one variance or one for each place, got shape {var.shape} for {input.shape}",
        operands=[with_shape(input), with_shape(var)],
    )
