"""Activation functions of PyTorch and JAX, element by element or along an axis.

At a kink they take the value that PyTorch's users know. `inplace` says where a result is kept, which changes no value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradcalcError
from ..graph import Kink, Node, Op, as_node, constant
from . import reduce
from .arithmetic import abs, clip, greater, greater_equal, less_equal, logical_and, where
from .elementwise import expm1, log, relu, sigmoid, silu, softplus, sqrt, square, tanh
from .indexing import segment
from .kinds import Axis, derived, elementwise, negative_axis, reshape, with_shape

# bent lines ---------------------------------------------------------------------------------------


@derived("F.relu(x)", "F.relu(x, True)", "F.relu(x, inplace=True)", name="F.relu", kink=Kink(at="x = 0", takes="0"))
def _relu(input: Node, inplace: bool = False) -> Node:
    """The array with negative numbers replaced by 0."""
    return relu(input)


@derived(
    "relu6(x)",
    "relu6(x, inplace=True)",
    kink=Kink(at="x = 0 or x = 6", takes="0"),
    domain=((-4, 9),),
)
def relu6(x: Node, inplace: bool = False) -> Node:
    """The array kept between 0 and 6."""
    return _between(x, 0.0, 6.0)


def _between(x: Node, low: float, high: float) -> Node:
    """An array kept between limits; unlike `clip`, with derivative 0 at them."""
    return where(less_equal(x, low), low, where(greater_equal(x, high), high, x))


@derived(
    "hardtanh(x)",
    "hardtanh(x, -0.5, 1.5) | x=5",
    "hardtanh(x, min_val=0, max_val=1) | x=3",
    kink=Kink(at="x is on a limit", takes="0"),
)
def hardtanh(x: Node, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Node:
    """The array kept between two limits."""
    if min_val > max_val:
        raise GradcalcError("arguments", f"`min_val` of `hardtanh` is greater than `max_val`: {min_val} > {max_val}")
    return _between(x, min_val, max_val)


@derived("hard_tanh(x)", kink=Kink(at="x = -1 or x = 1", takes="1"))
def hard_tanh(x: Node) -> Node:
    """The array kept between -1 and 1."""
    return clip(x, -1.0, 1.0)


@derived(
    "hardsigmoid(x)",
    "hard_sigmoid(x) | x=4",
    spellings=("hard_sigmoid",),
    kink=Kink(at="x = -3 or x = 3", takes="0"),
    domain=((-5, 5),),
)
def hardsigmoid(x: Node, inplace: bool = False) -> Node:
    """relu6(x + 3)/6: a line between 0 and 1."""
    return relu6(x + 3) / 6


@derived(
    "hardswish(x)",
    "hard_swish(x) | x=4",
    "hard_silu(x) | x=4",
    spellings=("hard_swish", "hard_silu"),
    kink=Kink(at="x = -3 or x = 3", takes="0 or 1, the slope outside"),
    domain=((-5, 5),),
)
def hardswish(x: Node, inplace: bool = False) -> Node:
    """x*relu6(x + 3)/6."""
    return x * hardsigmoid(x)


@derived(
    "leaky_relu(x)",
    "leaky_relu(x, 0.2) | x=5",
    "leaky_relu(x, negative_slope=y) | x=2,3 y=3",
    kink=Kink(at="x = 0", takes="the negative slope"),
)
def leaky_relu(x: Node, negative_slope: Node | float = 0.01, inplace: bool = False) -> Node:
    """x where it is positive, else a slope times x."""
    return where(greater(x, 0.0), x, negative_slope * x)


@derived(
    "rrelu(x)",
    "rrelu(x, 0.1, 0.5, False) | x=5",
    kink=Kink(at="x = 0", takes="the negative slope"),
)
def rrelu(
    input: Node, lower: float = 0.125, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Node:
    """x where it is positive, else the mean of two slopes times x."""
    if training:
        raise GradcalcError(
            "arguments", "`rrelu` draws its slopes at random in training", helps=["leave out `training=True`"]
        )
    return leaky_relu(input, (lower + upper) / 2)


@derived(
    "prelu(x, y) | x=3 y=",
    "prelu(x, y) | x=2,3 y=1",
    "prelu(x, y) | x=2,3 y=3",
    "prelu(x, weight=y) | x=2,3,2 y=3",
    kink=Kink(at="x = 0", takes="the slope, the weight"),
)
def prelu(input: Node, weight: Node) -> Node:
    """x where it is positive, else a weight times x: one weight, or one for each channel (axis 1)."""
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.ndim > 1 or weight.size not in (1, channels):
        raise GradcalcError(
            "shape",
            f"`prelu` needs one weight or one for each of {channels} channels, got shape {weight.shape}",
            operands=[with_shape(input), with_shape(weight)],
        )
    by_channel = reshape(weight, () if weight.size == 1 else (channels, *(1,) * (input.ndim - 2)))
    return leaky_relu(input, by_channel)


@derived(
    "threshold(x, 0.5, 2)",
    "threshold(x, threshold=-1, value=0, inplace=True) | x=3",
    kink=Kink(at="x is the threshold", takes="0"),
)
def threshold(input: Node, threshold: float, value: float, inplace: bool = False) -> Node:
    """x where it is above a threshold, else a value."""
    return where(greater(input, threshold), input, value)


@derived("hardshrink(x)", "hardshrink(x, 1) | x=4", kink=Kink(at="x is -lambd or lambd", takes="0"))
def hardshrink(input: Node, lambd: float = 0.5) -> Node:
    """x, but 0 between -lambd and lambd."""
    return where(logical_and(greater_equal(input, -lambd), less_equal(input, lambd)), 0.0, input)


@derived("softshrink(x)", "softshrink(x, lambd=1) | x=4", kink=Kink(at="x is -lambd or lambd", takes="0"))
def softshrink(input: Node, lambd: float = 0.5) -> Node:
    """x brought nearer to 0 by lambd, and 0 between -lambd and lambd."""
    if lambd < 0:
        raise GradcalcError("arguments", f"`lambd` of `softshrink` must not be negative, got {lambd}")
    return input - clip(input, -lambd, lambd)


@derived("sparse_plus(x)")
def sparse_plus(x: Node) -> Node:
    """(x + 1)**2/4 between -1 and 1, 0 below, x above."""
    return where(less_equal(x, -1.0), 0.0, where(greater_equal(x, 1.0), x, square(x + 1) / 4))


@derived("sparse_sigmoid(x)", kink=Kink(at="x = -1 or x = 1", takes="1/2, the slope inside"))
def sparse_sigmoid(x: Node) -> Node:
    """(x + 1)/2, kept between 0 and 1."""
    return 0.5 * clip(x + 1, 0.0, 2.0)


# exponential units --------------------------------------------------------------------------------


def _not_positive(x: Node) -> Node:
    """x where it is not positive, else 0: so that the branch not taken neither overflows nor counts at 0."""
    return where(greater(x, 0.0), 0.0, x)


@derived(
    "elu(x)",
    "elu(x, 0.5) | x=5",
    "elu(x, alpha=y) | x=2,3 y=3",
    kink=Kink(at="x = 0, if alpha is not 1", takes="alpha"),
)
def elu(x: Node, alpha: Node | float = 1.0, inplace: bool = False) -> Node:
    """x where it is positive, else alpha*(exp(x) - 1)."""
    return where(greater(x, 0.0), x, alpha * expm1(_not_positive(x)))


@derived("celu(x)", "celu(x, 0.5) | x=5", "celu(x, alpha=y**2 + 1) | x=2,3 y=3")
def celu(x: Node, alpha: Node | float = 1.0, inplace: bool = False) -> Node:
    """x where it is positive, else alpha*(exp(x/alpha) - 1)."""
    return where(greater(x, 0.0), x, alpha * expm1(_not_positive(x) / alpha))


_SCALE, _ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717


@derived("selu(x)", "selu(x, inplace=True) | x=3", kink=Kink(at="x = 0", takes="the slope from below, 1.7581"))
def selu(x: Node, inplace: bool = False) -> Node:
    """The exponential linear unit scaled so that means 0 and variances 1 stay."""
    return _SCALE * elu(x, _ALPHA)


@derived("F.silu(x)", "F.silu(x, inplace=True) | x=3", name="F.silu")
def _silu(input: Node, inplace: bool = False) -> Node:
    """x*sigmoid(x), also called swish."""
    return silu(input)


@derived("mish(x)", "mish(x, inplace=True) | x=3")
def mish(x: Node, inplace: bool = False) -> Node:
    """x*tanh(softplus(x))."""
    return x * tanh(softplus(x))


@derived("log_sigmoid(x)", "logsigmoid(x) | x=3", spellings=("logsigmoid",))
def log_sigmoid(x: Node) -> Node:
    """log(sigmoid(x)), without overflow."""
    return -softplus(-x)


@derived(
    "F.softplus(x)",
    "F.softplus(x, 2) | x=3",
    "F.softplus(x, beta=3, threshold=2) | x=5",
    name="F.softplus",
    kink=Kink(at="beta*x is the threshold", takes="the derivative from the left"),
)
def _softplus(input: Node, beta: float = 1, threshold: float = 20) -> Node:
    """log(1 + exp(beta*x))/beta, and x where beta*x is above a threshold."""
    scaled = beta * input
    return where(greater(scaled, threshold), input, softplus(scaled) / beta)


@derived("glu(x) | x=4", "glu(x, 0) | x=4,3", "glu(x, axis=1) | x=2,4,2")
def glu(x: Node, axis: int = -1) -> Node:
    """The first half of an axis times the sigmoid of the second half."""
    along = negative_axis(axis, x.ndim)
    length = x.shape[along]
    if length % 2:
        raise GradcalcError(
            "shape", f"`glu` halves an axis, and axis {axis} has odd length {length}", operands=[with_shape(x)]
        )
    return segment(x, along, 0, length // 2) * sigmoid(segment(x, along, length // 2, length))


# rational and other smooth ones -------------------------------------------------------------------

softsign: Op = elementwise(
    "softsign",
    lambda x: x / (1 + np.abs(x)),
    doc="x/(1 + abs(x)).",
    partials=lambda y, x: (1 / (1 + abs(x)) ** 2,),  # the quotient rule would subtract nearly equal numbers
    exact=lambda m, x: m.divide(x, 1 + m.abs(x)),
    spellings=("soft_sign",),
)

_SHRINK = [1 / 3, 1 / 30, 1 / 840, 1 / 45360, 1 / 3991680, 1 / 518918400, 1 / 93405312000, 1 / 22230464256000]


def _tanhshrink(x: Any) -> Any:
    # Near 0 x and tanh(x) cancel; x*cosh(x) - sinh(x) is the series of x**(2*k + 1) * 2*k/(2*k + 1)!.
    near = np.clip(x, -1, 1)
    series = near**3 * np.polynomial.polynomial.polyval(near**2, _SHRINK) / np.cosh(near)
    return np.where(np.abs(x) < 1, series, x - np.tanh(x))


tanhshrink: Op = elementwise(
    "tanhshrink",
    _tanhshrink,
    doc="x - tanh(x), exact for small x.",
    partials=lambda y, x: (tanh(x) ** 2,),
    exact=lambda m, x: x - m.tanh(x),
)


def _squareplus(x: Any, b: Any) -> Any:
    root = np.where(b < 0, np.sqrt(x * x + b), np.hypot(x, np.sqrt(np.abs(b))))
    return np.where(x > 0, (x + root) / 2, b / (2 * (root - x)))  # x + root cancels for negative x


def _squareplus_call(x: Node, b: Node | float = 4) -> Any:
    return (x, b), {}


squareplus: Op = elementwise(
    "squareplus",
    _squareplus,
    doc="(x + sqrt(x**2 + b))/2.",
    partials=lambda y, x, b: (y / (2 * y - x), 0.25 / (2 * y - x)),  # 2*y - x is the root, without overflow
    exact=lambda m, x, b: m.divide(x + m.sqrt(x * x + b), 2),
    call=_squareplus_call,
    domain=((-2, 2), (0.5, 4)),
    examples=("squareplus(x)", "squareplus(x, y)", "squareplus(x, b=2) | x=3"),
)


def _log1mexp(x: Any) -> Any:
    return np.where(x < np.log(2), np.log(-np.expm1(-x)), np.log1p(-np.exp(-x)))


log1mexp: Op = elementwise(
    "log1mexp",
    _log1mexp,
    doc="log(1 - exp(-x)), for positive x.",
    partials=lambda y, x: (1 / expm1(x),),
    exact=lambda m, x: m.log(1 - m.exp(-x)),
    domain=((0.1, 4),),
    source="M. Maechler, Accurately computing log(1 - exp(-|a|)): one form below log(2), the other above.",
)


@derived("jax.nn.identity(x)", name="jax.nn.identity")
def identity(x: Node) -> Node:
    """The array as it is."""
    return x


# along an axis ------------------------------------------------------------------------------------


def _implied(x: Node, dim: int | None) -> int:
    """The axis that PyTorch takes where none is named, which depends on the number of axes."""
    return dim if dim is not None else 0 if x.ndim in (0, 1, 3) else 1


@derived("F.softmax(x, 0) | x=2,3", "F.softmax(x, dim=-1) | x=2,3", "F.softmax(x) | x=2,3", name="F.softmax")
def softmax(input: Node, dim: int | None = None, _stacklevel: int = 3) -> Node:
    """exp(x)/sum(exp(x)) along an axis; unnamed, axis 0 of one or three, else axis 1."""
    return reduce.softmax(input, _implied(input, dim))


@derived("F.log_softmax(x, 0) | x=2,3", "F.log_softmax(x) | x=3", name="F.log_softmax")
def log_softmax(input: Node, dim: int | None = None, _stacklevel: int = 3) -> Node:
    """log(softmax(x)) along an axis; unnamed, axis 0 of one or three, else axis 1."""
    return reduce.log_softmax(input, _implied(input, dim))


@derived("softmin(x, 0) | x=2,3", "softmin(x, dim=-1) | x=2,3", "softmin(x) | x=1,2,3")
def softmin(input: Node, dim: int | None = None, _stacklevel: int = 3) -> Node:
    """softmax(-x) along an axis; unnamed, axis 0 of one or three, else axis 1."""
    return reduce.softmax(-input, _implied(input, dim))


@derived(
    "logmeanexp(x) | x=2,3",
    "logmeanexp(x, axis=0, keepdims=True) | x=2,3",
    "logmeanexp(x, 1, where=[[True, False, True], [False, True, True]]) | x=2,3",
)
def logmeanexp(x: Node, axis: Axis = None, where: Node | None = None, keepdims: bool = False) -> Node:
    """log(mean(exp(x))), without overflow, over all axes or the given ones; of the elements where a mask is true."""
    total: Node = reduce.logsumexp(_where(where, x, -np.inf), axis, keepdims)
    return total - log(_counts(where, x, axis, keepdims))


def _where(mask: Node | None, x: Node, other: float) -> Node:
    return x if mask is None else where(mask, x, other)


def _counts(mask: Node | None, x: Node, axis: Axis, keepdims: bool) -> Node:
    """How many elements a reduction takes where a mask is true."""
    ones = reduce.sum(_where(mask, constant(np.ones(x.shape)), 0.0), axis, keepdims)
    return ones if mask is not None else constant(float(x.size / max(ones.size, 1)))


@derived(
    "standardize(x) | x=2,3",
    "standardize(x, axis=(0, 1), epsilon=0.1) | x=2,3",
    "standardize(x, axis=0, mean=y, variance=y**2) | x=3,2 y=2",
    "standardize(x, mean=y, epsilon=6) | x=3 y=",
    "standardize(x, mean=y, algorithm='stable') | x=3 y=",
    "standardize(x, where=[True, True, False]) | x=2,3",
)
def standardize(
    x: Node,
    axis: Axis = -1,
    mean: Node | None = None,
    variance: Node | None = None,
    epsilon: Node | float = 1e-5,
    where: Node | None = None,
    algorithm: str = "fast",
) -> Node:
    """(x - mean)/sqrt(variance + epsilon), with the mean and variance along axes where they are not given."""
    if algorithm not in ("fast", "stable"):
        raise GradcalcError("arguments", f"`algorithm` may be 'fast' or 'stable', got {algorithm!r}")
    counts = _counts(where, x, axis, keepdims=True)

    def averaged(values: Node) -> Node:
        return reduce.sum(_where(where, values, 0.0), axis, True) / counts

    middle = averaged(x) if mean is None else mean
    if variance is None and mean is not None and algorithm == "fast":  # which is another number for another mean
        variance = clip(averaged(square(x)) - square(mean), 0.0)
    if variance is None:
        variance = averaged(square(x - middle))
    return (x - middle) / sqrt(variance + as_node(epsilon))
