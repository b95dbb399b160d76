"""The methods of NumPy's functions of two arrays: `np.add.reduce`, `np.maximum.accumulate`, `np.multiply.outer`.

A dotted name such as `add.reduce` is the function's after a prefix; without one it is not read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph import CATALOGUE, Derived, Kink, Node
from .counting import all, any
from .kinds import Axis, reshape
from .reduce import cumprod, cumsum, logsumexp, max, min, prod, sum
from .running import cummax, cummin, logcumsumexp

_KINK = Kink(at="several elements are the extreme", takes="as the reduction does")


def _first_axis(name: str, reduction: Callable[..., Any], extreme: bool) -> None:
    def reduce(
        array: Node, axis: Axis = 0, keepdims: bool = False, initial: Node | None = None, where: Node | None = None
    ) -> Node:
        made: Node = reduction(array, axis, keepdims, initial, where)
        return made

    Derived(
        name=f"{name}.reduce",
        doc=f"`{name}` of all elements along an axis, the first unless told otherwise.",
        call=reduce,
        examples=(
            f"np.{name}.reduce(x) | x=2,3",
            f"np.{name}.reduce(x, axis=(0, 1), keepdims=True) | x=2,3",
            f"np.{name}.reduce(x, 1, initial=2, where=[True, False, True]) | x=2,3",
        ),
        kink=_KINK if extreme else None,
    )


for _name, _reduction in {"add": sum, "multiply": prod, "maximum": max, "minimum": min}.items():
    _first_axis(_name, _reduction, _name in ("maximum", "minimum"))


def _truth_reduce(name: str, reduction: Callable[..., Any]) -> None:
    def reduce(array: Node, axis: Axis = 0, keepdims: bool = False, where: Node | None = None) -> Node:
        made: Node = reduction(array, axis, keepdims, where)
        return made

    Derived(
        name=f"{name}.reduce",
        doc=f"`{name}` of all elements along an axis, the first unless told otherwise.",
        call=reduce,
        examples=(f"np.{name}.reduce(x > 0) | x=2,3", f"np.{name}.reduce(x > 0, axis=1, keepdims=True) | x=2,3"),
    )


_truth_reduce("logical_and", all)
_truth_reduce("logical_or", any)


def _log_reduce(array: Node, axis: Axis = 0, keepdims: bool = False) -> Node:
    total: Node = logsumexp(array, axis, keepdims)
    return total


Derived(
    name="logaddexp.reduce",
    doc="log(sum(exp(x))) along an axis, the first unless told otherwise.",
    call=_log_reduce,
    examples=("np.logaddexp.reduce(x) | x=2,3", "np.logaddexp.reduce(x, axis=1, keepdims=True) | x=2,3"),
)


def _accumulate(name: str, running: Callable[[Node, int], Node], extreme: bool) -> None:
    def accumulate(array: Node, axis: int = 0) -> Node:
        return running(array, axis)

    Derived(
        name=f"{name}.accumulate",
        doc=f"`{name}` of all elements so far along an axis, the first unless told otherwise.",
        call=accumulate,
        examples=(f"np.{name}.accumulate(x) | x=3,2", f"np.{name}.accumulate(x, axis=1) | x=2,3"),
        kink=Kink(at="the extreme is reached again", takes="all of it for the latest") if extreme else None,
    )


_RUNNING: dict[str, Callable[[Node, int], Node]] = {
    "add": cumsum,
    "multiply": cumprod,
    "maximum": lambda x, axis: cummax(x, axis).values,
    "minimum": lambda x, axis: cummin(x, axis).values,
    "logaddexp": logcumsumexp,
}
for _name, _step in _RUNNING.items():
    _accumulate(_name, _step, _name in ("maximum", "minimum"))


def _outer(name: str, low: float) -> None:
    function = CATALOGUE[name]

    def outer(A: Node, B: Node) -> Node:
        made: Node = function(reshape(A, A.shape + (1,) * B.ndim), B)
        return made

    Derived(
        name=f"{name}.outer",
        doc=f"`{name}` of every element of one array with every element of another.",
        call=outer,
        examples=(f"np.{name}.outer(x, y) | x=2 y=1,2",),
        domain=((low, 2.0),),
        kink=function.kink,
    )


for _name in ("add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "arctan2"):
    _outer(_name, 0.5)
for _name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
    _outer(_name, -2.0)
