"""Arithmetic as PyTorch has it: with factors, rounding modes and limits of its own."""

from __future__ import annotations

from ..errors import GradcalcError
from ..graph import Kink, Node, constant
from . import arithmetic
from .arithmetic import clip, equal, floor_divide, trunc, where
from .kinds import broadcast_to, derived
from .norms import vector_norm
from .numbers import heaviside
from .reduce import sum


@derived("torch.add(x, y)", "torch.add(x, y, alpha=3)", name="torch.add")
def add(input: Node, other: Node, *, alpha: Node | None = None) -> Node:
    """Sum of two arrays, the second times alpha."""
    return input + (other if alpha is None else alpha * other)


@derived("torch.sub(x, y)", "torch.sub(x, y, alpha=3)", name="torch.sub", spellings=("torch.subtract",))
def subtract(input: Node, other: Node, *, alpha: Node | None = None) -> Node:
    """Difference of two arrays, the second times alpha."""
    return input - (other if alpha is None else alpha * other)


@derived("rsub(x, y)", "rsub(x, y, alpha=3)")
def rsub(input: Node, other: Node, *, alpha: Node | None = None) -> Node:
    """The second array minus the first, the first times alpha."""
    return other - (input if alpha is None else alpha * input)


@derived(
    "torch.div(x, y)",
    "torch.div(x, y, rounding_mode='floor')",
    "torch.div(x, y, rounding_mode='trunc')",
    name="torch.div",
    spellings=("torch.divide",),
    domain=((-0.9, -0.1), (1, 2)),
    kink=Kink(at="the quotient is whole, where it is rounded", takes="0"),
)
def divide(input: Node, other: Node, *, rounding_mode: str | None = None) -> Node:
    """Quotient of two arrays; rounded down with 'floor', towards zero with 'trunc'."""
    if rounding_mode is None:
        return input / other
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode == "trunc":
        return trunc(input / other)
    raise GradcalcError("arguments", f"`rounding_mode` may be None, 'floor' or 'trunc', not {rounding_mode!r}")


@derived("addcmul(x, y, y)", "addcmul(x, x, y, value=3)")
def addcmul(input: Node, tensor1: Node, tensor2: Node, *, value: Node | None = None) -> Node:
    """input + value * tensor1 * tensor2, element by element."""
    product = tensor1 * tensor2
    return input + (product if value is None else value * product)


@derived(
    "addcdiv(x, y, y**2)",
    "addcdiv(x, x, y, value=3)",
    domain=((-2, 2), (0.5, 2)),
)
def addcdiv(input: Node, tensor1: Node, tensor2: Node, *, value: Node | None = None) -> Node:
    """input + value * tensor1 / tensor2, element by element."""
    quotient = tensor1 / tensor2
    return input + (quotient if value is None else value * quotient)


@derived("lerp(x, y, 0.3)", "lerp(x, y, w) | x=2,3 y=3 w=2,1")
def lerp(input: Node, end: Node, weight: Node) -> Node:
    """The point between two arrays that is a part, the weight, of the way from the first to the second."""
    return input * (1 - weight) + end * weight


@derived("clamp_min(x, -1)", "clamp_min(x, y)", kink=Kink(at="x is on the limit", takes="1 for x, 0 for the limit"))
def clamp_min(input: Node, min: Node) -> Node:
    """The array kept above a limit."""
    return clip(input, min, None)


@derived("clamp_max(x, 1)", "clamp_max(x, y)", kink=Kink(at="x is on the limit", takes="1 for x, 0 for the limit"))
def clamp_max(input: Node, max: Node) -> Node:
    """The array kept below a limit."""
    return clip(input, None, max)


@derived("masked_fill(x, x > 0, y) | x=2,3 y=", "masked_fill(x, x > y, 0) | x=2,3 y=3")
def masked_fill(input: Node, mask: Node, value: Node) -> Node:
    """The array with one number put where the mask is true."""
    return where(mask, _one_number(value, "masked_fill"), input)


@derived("fill(x, 2)", "fill(x, y) | x=2,3 y=")
def fill(input: Node, value: Node) -> Node:
    """An array of the same shape that is the same number everywhere."""
    return broadcast_to(_one_number(value, "fill"), input.shape)


def _one_number(value: Node, name: str) -> Node:
    if value.ndim:
        message = f"`{name}` puts one number in, got an array of shape {value.shape}"
        raise GradcalcError("shape", message, helps=["`where(mask, value, x)` takes arrays"])
    return value


@derived(
    "dist(x, y) | x=2,3 y=2,3",
    "dist(x, y, 1) | x=3 y=3",
    "dist(x, y, p=3) | x=2,3 y=3",
    kink=Kink(at="the arrays are equal", takes="0"),
)
def dist(input: Node, other: Node, p: float = 2) -> Node:
    """Norm of the difference of two arrays, as one vector."""
    return vector_norm(input - other, p)


@derived("x.where(x > y, y) | x=2,3 y=3", name="method.where")
def where_method(input: Node, condition: Node, other: Node) -> Node:
    """The array where the condition is true, else the other."""
    return arithmetic.where(condition, input, other)


@derived("torch.where(x > y, x, other=y) | x=2,3 y=3", "torch.where(x > 0, input=x, other=0)", name="torch.where")
def where_torch(condition: Node, input: Node, other: Node) -> Node:
    """Elements of the first array where the condition is true, else of the second."""
    return arithmetic.where(condition, input, other)


@derived("torch.heaviside(x, values=y)", name="torch.heaviside")
def heaviside_torch(input: Node, values: Node) -> Node:
    """0 for negative numbers, 1 for positive ones, and the second array at 0."""
    return heaviside(input, values)


@derived("torch.equal(x, y) | x=3 y=3", "torch.equal(x, x) | x=3", "torch.equal(x, y) | x=3 y=", name="torch.equal")
def equal_whole(input: Node, other: Node) -> Node:
    """Whether two arrays have one shape and the same elements."""
    if input.shape != other.shape:
        return constant(False)
    return equal(sum(arithmetic.not_equal(input, other)), 0.0)


@derived("jax.lax.clamp(-1, x, y) | x=3 y=", "jax.lax.clamp(-1, x, 1)", name="jax.clamp")
def clamp(min: Node, x: Node, max: Node) -> Node:
    """The array kept between limits, which stand before and after it."""
    return clip(x, min, max)
