"""The Python API: the same answers as the command line's, as NumPy arrays.

`expr` is a text, or for `value_and_grad`, `grad` and `vjp` a list of texts, whose gradients add up.
`inputs` maps names to array-likes. A `seed` (cotangent) has the shape of its expression's value; a text may
use the inputs. Where `wrt` is one name the derivative is an array, where it is a list or None a dict of
arrays by name. Errors are `GradcalcError`, with `.kind`, `.span` and `.help`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import derivatives
from .answers import BUDGET
from .answers import answer as _answer
from .checker import Verdict
from .engine import execute, plan
from .errors import GradcalcError, Source
from .graph import variable
from .language.builder import build
from .language.parser import parse, single
from .language.syntax import Sequence as Sequence_
from .language.values import node_of
from .problem import read_programs
from .reader import as_array
from .results import Answer
from .solver import Solver

Array: TypeAlias = NDArray[Any]
Expr: TypeAlias = str | Sequence[str]
Wrt: TypeAlias = str | Sequence[str] | None
Gradients: TypeAlias = dict[str, Array]


def value_and_grad(
    expr: Expr, inputs: Mapping[str, Any], *, wrt: Wrt = None, seed: Any = None
) -> tuple[Any, Gradients | Array]:
    """The value (a list where `expr` is one) and the gradients, each of its input's shape."""
    made = _computed("grad", expr, inputs, wrt=wrt, seeds=_seeds(expr, seed))
    value = made.value if isinstance(expr, str) else [part.value for part in made.parts] or [made.value]
    return value, _by_name(made.derivative, wrt)


def grad(expr: Expr, inputs: Mapping[str, Any], *, wrt: Wrt = None, seed: Any = None) -> Gradients | Array:
    """The gradients of a scalar, or of the sum of seed times output."""
    return value_and_grad(expr, inputs, wrt=wrt, seed=seed)[1]


def vjp(expr: Expr, inputs: Mapping[str, Any], seed: Any, *, wrt: Wrt = None) -> Gradients | Array:
    """Seed times Jacobian: the gradients of the sum of seed times output."""
    return grad(expr, inputs, wrt=wrt, seed=seed)


def jacobian(expr: str, inputs: Mapping[str, Any], *, wrt: Wrt = None) -> Gradients | Array:
    """Every partial derivative, of shape out + in."""
    return _by_name(_computed("jacobian", expr, inputs, wrt=wrt).derivative, wrt)


def hessian(expr: str, inputs: Mapping[str, Any], *, wrt: Wrt = None, seed: Any = None) -> dict[str, Gradients] | Array:
    """Every second derivative, of shape in + in; nested dicts by name where `wrt` is not one name."""
    found = _computed("hessian", expr, inputs, wrt=wrt, seeds=_seeds(expr, seed)).derivative
    if _is_one(wrt):
        only: Array = next(iter(found.values()))
        return only
    nested: dict[str, Gradients] = {}
    for (first, second), block in found.items():
        nested.setdefault(first, {})[second] = block
    return nested


def jvp(expr: str, inputs: Mapping[str, Any], tangents: Any) -> Array:
    """Jacobian times tangents: an array for the one input, or arrays by name (others do not move)."""
    wrt = list(tangents) if isinstance(tangents, Mapping) else None
    found: Array = _computed("jvp", expr, inputs, wrt=wrt, direction=tangents).derivative["jvp"]
    return found


def hvp(expr: str, inputs: Mapping[str, Any], vector: Any, *, wrt: Wrt = None, seed: Any = None) -> Gradients | Array:
    """Hessian times vector: an array for the one input, or arrays by name."""
    made = _computed("hvp", expr, inputs, wrt=wrt, seeds=_seeds(expr, seed), direction=vector)
    return _by_name(made.derivative, wrt)


def evaluate(expr: str, inputs: Mapping[str, Any]) -> Array:
    """The value."""
    found: Array = _computed("eval", expr, inputs).value
    return found


def check(
    expr: Expr, inputs: Mapping[str, Any], *, wrt: Wrt = None, seed: Any = None, budget: float = BUDGET
) -> Verdict:
    """Whether the gradient agrees with SymPy's, within the budget (seconds)."""
    verdict = answer("grad", expr, inputs, wrt=wrt, seed=seed, budget=budget).check
    assert verdict is not None
    return verdict


def answer(
    command: str,
    expr: Expr,
    inputs: Mapping[str, Any],
    *,
    wrt: Wrt = None,
    seed: Any = None,
    direction: Any = None,
    symbolic: bool = True,
    budget: float = BUDGET,
) -> Answer:
    """All that the command line shows: derivative, SymPy's formulas, verdict, points, notes.

    `direction` is the tangent of a jvp or the vector of an hvp; without `symbolic` nothing is checked.
    """
    solver = Solver() if symbolic and command != "eval" else None
    try:
        made = _computed(
            command, expr, inputs, wrt=wrt, seeds=_seeds(expr, seed), direction=direction, solver=solver, budget=budget
        )
        return made.settle()
    finally:
        if solver is not None:
            solver.stop()


def compile(
    expr: str, shapes: Mapping[str, Sequence[int]], *, wrt: Wrt = None, derivative: str = "grad"
) -> Callable[..., tuple[Array, Any]]:
    """Plan once, run often: a function of (inputs, seed=None) that returns the value and the derivative.

    Args:
        expr: a text; what depends on numbers before shapes are known (masks, sizes) is refused.
        shapes: the shape of each input.
        wrt: as everywhere; None is every input.
        derivative: `grad`, `jacobian` or `hessian`.
    """
    nodes = {name: variable(name, tuple(shape)) for name, shape in shapes.items()}
    output = node_of(build(parse(Source("expression", expr)), nodes, _unknown).value)
    names = _names(wrt, nodes)
    wanted = [nodes[name] for name in names]
    seeded = variable("seed 0", output.shape)
    if derivative == "jacobian":
        graphs: dict[Any, Any] = dict(zip(names, derivatives.jacobian(output, wanted).partials, strict=True))
    elif derivative == "hessian":
        blocks = derivatives.hessian(output, seeded, wanted)
        graphs = {(names[i], names[j]): block for (i, j), block in blocks.items()}
    elif derivative == "grad":
        graphs = dict(zip(names, derivatives.gradient(output, seeded, wanted), strict=True))
    else:
        raise GradcalcError("arguments", f"`derivative` may be grad, jacobian or hessian, not `{derivative}`")
    planned = plan([output, *graphs.values()])

    def run(inputs: Mapping[str, Any], seed: Any = None) -> tuple[Array, Any]:
        missing = [name for name in nodes if name not in inputs]
        if missing:
            raise GradcalcError("missing-input", f"`{missing[0]}` has no value")
        arrays = {name: _shaped(as_array(inputs[name], name), nodes[name].shape, "shape", name) for name in nodes}
        if derivative != "jacobian":
            if seed is None and output.size != 1:
                raise GradcalcError(
                    "needs-seed",
                    f"the gradient needs a scalar, but the expression has shape {output.shape}",
                    helps=["give a seed of that shape"],
                )
            arrays["seed 0"] = (
                np.ones(output.shape)
                if seed is None or (isinstance(seed, str) and seed == "ones")
                else _shaped(as_array(seed, "seed"), output.shape, "seed-shape", "seed")
            )
        value, *found = execute(planned, arrays)
        results = dict(zip(graphs, found, strict=True))
        if _is_one(wrt):
            return value, next(iter(results.values()))
        if derivative != "hessian":
            return value, results
        nested: dict[str, Gradients] = {}
        for (first, second), block in results.items():
            nested.setdefault(first, {})[second] = block
        return value, nested

    return run


def _unknown(_: object) -> Any:
    raise GradcalcError(
        "needs-values",
        "this depends on the inputs' numbers, which are not known when compiling",
        helps=["use `gradcalc.grad`, which knows them"],
    )


def _names(wrt: Wrt, nodes: Mapping[str, object]) -> list[str]:
    """The inputs that a compiled derivative is taken by."""
    texts = nodes if wrt is None else wrt.split(",") if isinstance(wrt, str) else wrt
    names = [text.strip() for text in texts]
    for name in names:
        if name not in nodes:
            raise GradcalcError("wrt", f"`{name}` is not an input", helps=[f"the inputs are {', '.join(nodes)}"])
    return names


def _shaped(array: Array, shape: tuple[int, ...], kind: str, name: str) -> Array:
    if array.shape != shape:
        raise GradcalcError(kind, f"`{name}` has shape {array.shape}, but {shape} was compiled")
    return array


def _computed(command: str, expr: Expr, inputs: Mapping[str, Any], **options: Any) -> Answer:
    texts = [expr] if isinstance(expr, str) else list(expr)
    sources = [Source("expression" if len(texts) == 1 else f"expression {i}", text) for i, text in enumerate(texts, 1)]
    arrays = {name: as_array(value, name) for name, value in inputs.items()}
    return _answer(command, read_programs(sources, arrays), arrays, **options)


def _seeds(expr: Expr, seed: Any) -> list[Any] | None:
    """One seed for one expression; a list of them for several."""
    if seed is None:
        return None
    return [seed] if isinstance(expr, str) else list(seed)


def _is_one(wrt: Wrt) -> bool:
    """Whether `wrt` names one input, or entries of one: a comma inside an index does not count."""
    if not isinstance(wrt, str):
        return False
    return not isinstance(single(parse(Source("wrt", wrt))), Sequence_)


def _by_name(found: Mapping[str, Array], wrt: Wrt) -> Gradients | Array:
    return next(iter(found.values())) if _is_one(wrt) else dict(found)
