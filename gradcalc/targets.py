"""What is asked of a problem: what to differentiate by, and with which seeds, tangents or vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .autodiff import reaching
from .engine import evaluate
from .errors import GradcalcError, Label, Source, Span, nearest
from .graph import Node, constant, variable
from .language.builder import index_key
from .language.names import used_names
from .language.parser import parse, single
from .language.syntax import Expression, Name, Subscript
from .language.syntax import Sequence as Listed
from .ops import indexing
from .ops.indexing import gather
from .ops.kinds import broadcast_to, reshape
from .problem import Problem, generator, read_text


class Target(NamedTuple):
    """What a derivative is taken by: an input, or the entries of it at some places of its raveled array."""

    label: str
    node: Node
    places: Any | None


def targets(problem: Problem, wrt: str | Iterable[str] | None) -> list[Target]:
    """The inputs, or entries of them, that a derivative is taken by.

    Without `wrt`: every input from which a differentiable path leads to an output, in order of use.
    """
    if wrt is None:
        return [Target(name, problem.inputs[name], None) for name in _differentiable(problem)]
    text = wrt if isinstance(wrt, str) else ", ".join(wrt)
    source = Source("--wrt", text)
    try:
        expression = single(parse(source))
    except GradcalcError as error:
        error.helps = ["put commas between names: `--wrt x,w`"]
        raise
    if expression is None:
        span = Span(source, 0, len(text))
        raise GradcalcError("syntax", "`--wrt` takes names with commas between them", labels=[Label(span)])
    items = expression.items if isinstance(expression, Listed) and expression.bracket == "(" else (expression,)
    return [_target(problem, item) for item in items]


def _target(problem: Problem, item: Expression) -> Target:
    name = item.value if isinstance(item, Subscript) else item
    if not isinstance(name, Name):
        raise GradcalcError(
            "wrt",
            "only an input, or entries of one, can be differentiated by",
            labels=[Label(item.span)],
            helps=['write `--wrt x` or `--wrt "x[0]"`'],
        )
    if name.name not in problem.inputs:
        found = nearest(name.name, problem.inputs)
        helps = [f"did you mean `{found}`?"] if found else [f"the inputs are {', '.join(problem.inputs)}"]
        raise GradcalcError("wrt", f"`{name.name}` is not an input", labels=[Label(name.span)], helps=helps)
    node = problem.inputs[name.name]
    if node.boolean:
        raise GradcalcError(
            "wrt", f"`{name.name}` is true or false, so it has no derivative", labels=[Label(name.span)]
        )
    if not isinstance(item, Subscript):
        return Target(name.name, node, None)

    def value_of(one: Node) -> Any:
        return evaluate([one], problem.values)[0]

    key = index_key(item, problem.inputs, value_of)
    counted = constant(np.arange(node.size, dtype=np.float64).reshape(node.shape))
    try:
        return Target(item.span.text, node, value_of(indexing.get(counted, key, value_of)))
    except GradcalcError as error:
        raise error.locate(item.span) from None


def _differentiable(problem: Problem) -> list[str]:
    real = {name: node for name, node in problem.inputs.items() if not node.boolean}
    on_path = set(reaching(problem.outputs, real.values()))
    used = [name for one in problem.programs for name in used_names(one, problem.inputs) if name in real]
    order = list(dict.fromkeys(used))
    moving = _starting(problem.outputs, on_path, real)
    chosen = [name for name in order if name in moving] or order
    if not chosen and problem.inputs:
        name = next(iter(problem.inputs))
        message = f"there is nothing to differentiate by: `{name}` is true or false"
        raise GradcalcError("no-input", message, helps=["write 1 and 0 for numbers"])
    if not chosen:
        span = problem.spans[0]
        raise GradcalcError(
            "no-input",
            "there is nothing to differentiate by: the expression uses no input",
            labels=[Label(span)],
            helps=["use a name and give it a value: `--x 3`", "for the value alone: `gradcalc eval`"],
        )
    return chosen


def _starting(outputs: Sequence[Node], on_path: set[Node], real: Mapping[str, Node]) -> set[str]:
    """The inputs from which a path that is differentiable all the way leads to an output."""
    seen: set[Node] = set()
    stack = [one for one in outputs if one in on_path]
    while stack:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        stack += [below for i, below in enumerate(current.inputs) if i not in current.op.flat and below in on_path]
    return {name for name, node in real.items() if node in seen}


def entries(derivative: Node, target: Target) -> Node:
    """The part of a derivative, whose last axes are an input's, that belongs to a target's entries."""
    if target.places is None:
        return derivative
    leading = derivative.shape[: derivative.ndim - target.node.ndim]
    return gather(reshape(derivative, (*leading, target.node.size)), (constant(target.places),))


# seeds, tangents and vectors ----------------------------------------------------------------------


def seed_arrays(problem: Problem, seeds: Sequence[Any] | None, what: str = "gradient") -> list[Any]:
    """A cotangent for each output: None where it is a scalar and needs none.

    Seeds go to the outputs that are not scalars, in order; or there is one for each output.
    """
    given = list(seeds or ())
    needing = [i for i, one in enumerate(problem.outputs) if one.size != 1]
    count = len(problem.outputs)
    if len(given) == count:
        places = list(range(count))
    elif len(given) == len(needing) or not given:
        places = needing[: len(given)]
    else:
        wanted = f"{count}" if count == len(needing) else f"{len(needing)} or {count}"
        need = f"{len(needing)} need{'s' * (len(needing) == 1)} one"
        raise GradcalcError(
            "seed-count",
            f"{_counted(len(given), 'seed')} for {_counted(count, 'expression')}, of which {need}",
            helps=[f"give {wanted}, in the order of the expressions: `{' '.join(['--seed ones'] * len(needing))}`"],
        )
    found: list[Any] = [None] * count
    for place, seed in zip(places, given, strict=True):
        found[place] = _seed(problem, problem.outputs[place], seed, problem.spans[place])
    for i in needing:
        if found[i] is None:
            raise _needs_seed(problem.outputs[i], problem.spans[i], what)
    return found


def _as_array(value: Any, name: str) -> Any:
    from .reader import as_array  # as in `problem.read_text`

    return as_array(value, name)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _seed(problem: Problem, output: Node, seed: Any, place: Span) -> Any:
    if seed is None:
        return None
    if isinstance(seed, str):
        seed = Source("seed", seed)
    if isinstance(seed, Source):
        if seed.text.strip() == "ones":
            return np.ones(output.shape)
        array = read_text(seed, problem.values, generator(0))
    else:
        array = _as_array(seed, "seed")
    array = array.astype(np.float64)
    if array.shape != output.shape:
        span = Span(seed, 0, len(seed.text)) if isinstance(seed, Source) else None
        raise _seed_shape(array.shape, output, place, span)
    return array


def _seed_shape(shape: tuple[int, ...], output: Node, place: Span, span: Span | None) -> GradcalcError:
    text = place.text
    example = _example(output.shape)
    return GradcalcError(
        "seed-shape",
        f"the seed has shape {shape}, but the expression has shape {output.shape}",
        labels=[Label(span, f"shape {shape}")] if span else [],
        notes=[f"the seed weighs each element of `{text if len(text) < 60 else '…'}`"],
        helps=[f'give one number for each element: `--seed "{example}"`']
        if example
        else ["give one number for each element"],
    )


def _needs_seed(output: Node, span: Span, what: str) -> GradcalcError:
    text = " ".join(span.text.split())
    before = span.source.text[: span.start]
    example = _example(output.shape)
    helps = [
        f"reduce it to a scalar: `{before}sum({text})`"
        if len(before + text) < 80
        else "reduce it to a scalar with `sum(…)`"
    ]
    helps.append(
        f'weigh its elements: `--seed "{example}"`' if example else "weigh its elements: `--seed ones`, or a file"
    )
    if what == "gradient":
        helps.append("ask for every derivative: `gradcalc jacobian`")
    return GradcalcError(
        "needs-seed",
        f"the {what} needs a scalar, but the expression has shape {output.shape}",
        labels=[Label(span, f"shape {output.shape}")],
        helps=helps,
    )


def _example(shape: tuple[int, ...]) -> str | None:
    """Ones in a shape, as typed, where that is short."""
    size = int(np.prod(shape))
    return str(np.ones(shape, int).tolist()).replace(" ", "") if 0 < size <= 8 else None


def direction_arrays(problem: Problem, wanted: Sequence[Target], given: Any, what: str) -> list[Any]:
    """A tangent or vector for each target, one array or several by name; zeros where none is given."""
    named = given if isinstance(given, Mapping) else {None: given}
    if None in named and len(wanted) != 1:
        names = ", ".join(target.label for target in wanted)
        raise GradcalcError(
            f"{what}-count",
            f"there are {len(wanted)} inputs ({names}), so say whose {what} it is",
            helps=[f'name it: `--{what} "{wanted[0].label}=…"`', f"or choose one input: `--wrt {wanted[0].label}`"],
        )
    known = {target.label for target in wanted}
    for name in named:
        if name is not None and name not in known:
            raise GradcalcError(
                f"{what}-name",
                f"`{name}` is not among the inputs differentiated by",
                helps=[f"they are: {', '.join(sorted(known))}"],
            )
    return [_direction(problem, target, named.get(None, named.get(target.label)), what) for target in wanted]


def _direction(problem: Problem, target: Target, given: Any, what: str) -> Any:
    shape = target.node.shape
    if target.places is not None:
        raise GradcalcError(
            "wrt",
            f"a {what} belongs to a whole input, not to `{target.label}`",
            helps=["put zeros at the other entries"],
        )
    if given is None:
        return np.zeros(shape)
    if isinstance(given, str):
        given = Source(what, given)
    if isinstance(given, Source):
        array = np.ones(shape) if given.text.strip() == "ones" else read_text(given, problem.values, generator(0))
    else:
        array = _as_array(given, what)
    if array.shape != shape:
        label = [Label(Span(given, 0, len(given.text)), f"shape {array.shape}")] if isinstance(given, Source) else []
        raise GradcalcError(
            f"{what}-shape",
            f"the {what} has shape {array.shape}, but `{target.label}` has shape {shape}",
            labels=label,
            helps=[f"give one number for each entry of `{target.label}`"],
        )
    return array.astype(np.float64)


def as_input(problem: Problem, name: str, array: Any) -> Node:
    """An array as a node: a stretched number where all are equal, else an input under a name of its own."""
    if array.size and np.all(array == array.flat[0]):
        return broadcast_to(constant(float(array.flat[0])), array.shape)
    problem.values[name] = array
    return variable(name, array.shape)
