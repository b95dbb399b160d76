"""How a function is entered whose values `mpmath_values` knows: with rules where there are any, else by its slope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import GradcalcError
from ..graph import Node, Op
from . import mpmath_values
from .kinds import added, batch_broadcasting, broadcast_shape, scaled

SLOPE = "slope"
"""In the place of a partial derivative: it has no closed form here, and mpmath finds its numbers."""


def special(
    name: str,
    *,
    doc: str,
    call: Callable[..., Any],
    partials: Callable[..., tuple[Any, ...]],
    scipy: Callable[..., Any] | None = None,
    kernel: Callable[..., Any] | None = None,
    **rest: Any,
) -> Op:
    """An elementwise operation that `mpmath_values.FORMULAS` defines under its name.

    `partials(y, *xs, **attrs)` gives a factor for each input, or SLOPE. Attributes, if any, are whole numbers that
    come first. `scipy(special, *attrs, *xs)` are the values where SciPy is installed.
    """
    formula = rest.pop("formula", name)

    def factors(y: Node, xs: tuple[Node, ...], attrs: dict[str, Any]) -> list[Any]:
        given = partials(y, *xs, **attrs)
        units = [tuple(int(i == j) for j in range(len(xs))) for i in range(len(xs))]
        return [
            slope(formula, unit, *xs) if isinstance(one, str) else one for one, unit in zip(given, units, strict=True)
        ]

    def jvp(ts: Any, y: Node, *xs: Node, **attrs: Any) -> Node | None:
        parts = zip(ts, factors(y, xs, attrs), strict=True)
        return added([None if t is None else scaled(t, p) for t, p in parts])

    return Op(
        name=name,
        doc=doc,
        call=call,
        kernel=kernel or (lambda *xs, **attrs: mpmath_values.by_scipy(formula, scipy, xs, tuple(attrs.values()))),
        shape=lambda *xs, **_: broadcast_shape(*xs),
        vjp=lambda g, y, *xs, **attrs: tuple(scaled(g, p) for p in factors(y, xs, attrs)),
        jvp=jvp,
        batch=batch_broadcasting,
        exact=lambda m, *xs, **attrs: m.special(formula, (*attrs.values(), *xs), (0,) * len(xs)),
        elementwise=True,
        **rest,
    )


def _slope_call(function: str, orders: tuple[int, ...], *operands: Node) -> Any:
    if function not in mpmath_values.FORMULAS or len(orders) != len(operands) or min(orders, default=0) < 0:
        message = f"`slope` takes a function's name, an order for each argument and the arguments, got {function!r}"
        raise GradcalcError("arguments", message, helps=["`slope('gammainc', (1, 0), a, x)`"])
    return operands, {"function": function, "orders": orders}


def _steeper(y: Node, *xs: Node, function: str, orders: tuple[int, ...]) -> tuple[Node, ...]:
    return tuple(slope(function, tuple(n + (i == j) for j, n in enumerate(orders)), *xs) for i in range(len(xs)))


slope: Op = Op(
    name="slope",
    doc="The derivative, of an order for each argument, of a function that has no closed form for it; by mpmath.",
    call=_slope_call,
    kernel=lambda *xs, function, orders: mpmath_values.by_mpmath(function, xs, orders),
    shape=lambda *xs, **_: broadcast_shape(*xs),
    vjp=lambda g, y, *xs, **attrs: tuple(scaled(g, p) for p in _steeper(y, *xs, **attrs)),
    jvp=lambda ts, y, *xs, **attrs: added(
        [None if t is None else t * p for t, p in zip(ts, _steeper(y, *xs, **attrs), strict=True)]
    ),
    batch=batch_broadcasting,
    exact=lambda m, *xs, function, orders: m.special(function, xs, orders),
    elementwise=True,
    domain=((0.5, 2), (0.5, 2)),
    examples=("slope('gammainc', (1, 0), x, y) | x=2 y=2", "slope('dawsn', (1,), x) | x=3"),
)
