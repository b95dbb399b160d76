"""Texts and arrays to a problem: graphs whose inputs have shapes and numbers, and what is asked of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .engine import Known, evaluate
from .errors import GradcalcError, Label, Source, Span, nearest
from .graph import Node, variable
from .language.builder import build
from .language.mistakes import no_value, unknown_calls, unknown_name
from .language.names import assigned_names, used_names
from .language.parser import parse, single
from .language.syntax import Define, Name, Program
from .language.tokens import tokenize
from .language.values import CONSTANTS, Method, node_of


class Problem(NamedTuple):
    """One or several expressions over the same inputs, with the inputs' numbers."""

    programs: list[Program]
    inputs: dict[str, Node]
    values: dict[str, Any]
    outputs: list[Node]
    spans: list[Span]
    places: dict[Node, Span]
    notes: list[str]


def read_programs(sources: Sequence[Source], names: Collection[str], elsewhere: Iterable[Source] = ()) -> list[Program]:
    """The expressions' syntax trees; every name in them must be given a value.

    Every name given must be used, in an expression or in another text `elsewhere`, such as a seed.
    """
    programs = [parse(source) for source in sources]
    used: dict[str, Span] = {}
    for program in programs:
        for name, span in used_names(program, names).items():
            used.setdefault(name, span)
    spare = [name for name in names if name not in used]
    if spare:
        others = {token.text for source in elsewhere for token in tokenize(source)}
        spare = [name for name in spare if name not in others]
    missing = [name for name in used if name not in names and name not in CONSTANTS]
    for program in programs if missing or spare else ():
        for error in unknown_calls(program, names):
            raise error
    if spare and (unfinished := next((one for one in programs if _defines_only(one)), None)) is not None:
        raise no_value(unfinished.statements[-1])
    if missing:
        raise _missing(missing[0], used[missing[0]], spare)
    if spare:
        raise _unused(spare[0], used, any(spare[0] in assigned_names(program) for program in programs))
    return programs


def _defines_only(program: Program) -> bool:
    """Whether a text ends with a function that nobody asks for."""
    return program.source.entry is None and isinstance(program.statements[-1], Define)


def _missing(name: str, span: Span, spare: Sequence[str]) -> GradcalcError:
    error = unknown_name(Name(span, name), spare)
    if error.message.endswith("has no value"):
        error.kind, error.origin = "missing-input", name
        error.notes += [
            f"`--{one}` was given: upper and lower case differ" for one in spare if one.lower() == name.lower()
        ]
    return error


def _unused(name: str, used: Iterable[str], assigned: bool) -> GradcalcError:
    if assigned:
        message = f"`{name}` is given, but the expression assigns it before reading it"
        return GradcalcError("unused-input", message, helps=[f"leave it out: drop `--{name}`"], origin=name)
    found = nearest(name, used)
    helps = [f"did you mean `--{found}`?"] if found else []
    helps.append(f"leave it out: drop `--{name}`")
    return GradcalcError("unused-input", f"`{name}` is not in the expression", helps=helps, origin=name)


def pose(programs: list[Program], arrays: Mapping[str, Any]) -> Problem:
    """The expressions as graphs at the given arrays."""
    inputs = {name: variable(name, array.shape, boolean=array.dtype == bool) for name, array in arrays.items()}
    outputs: list[Node] = []
    spans: list[Span] = []
    places: dict[Node, Span] = {}
    notes: list[str] = []
    known = Known(arrays)
    for program in programs:
        built = build(program, inputs, lambda one: located(lambda: known(one), places))
        outputs.append(_single(built.value, built.span))
        spans.append(built.span)
        places.update(built.places)
        notes += [note for note in built.notes if note not in notes]
    notes += [note for name, array in arrays.items() if (note := _not_finite(name, array))]
    return Problem(programs, inputs, dict(arrays), outputs, spans, places, notes)


def located_evaluate(outputs: Sequence[Node], values: Mapping[str, Any], places: Mapping[Node, Span]) -> list[Any]:
    """The outputs' numbers; an error while computing them is drawn at the text it came from."""
    return located(lambda: evaluate(outputs, values), places)


Numbers = TypeVar("Numbers")


def located(compute: Callable[[], Numbers], places: Mapping[Node, Span]) -> Numbers:
    """What `compute` returns; an error while computing is drawn at the text that its node came from."""
    try:
        return compute()
    except GradcalcError as error:
        place = places.get(error.origin)  # type: ignore[call-overload]
        raise error if place is None else error.locate(place) from None


def _single(value: Any, last: Span) -> Node:
    """A program's value as one array; several values ask which."""
    if isinstance(value, Method):
        call = f"{last.text}()"
        raise GradcalcError(
            "not-a-number", f"`{last.text}` is a method", labels=[Label(last)], helps=[f"call it: `{call}`"]
        )
    if isinstance(value, tuple):
        text = last.text if len(last.text) < 40 else "…"
        raise GradcalcError(
            "several-outputs",
            f"the expression has {len(value)} result{'s' * (len(value) != 1)}",
            labels=[Label(last)],
            helps=[f"choose one: `({text})[0]`", f"or put them in a list, if their shapes are equal: `[{text}]`"],
        )
    if not isinstance(value, (Node, list)):
        raise GradcalcError("not-a-number", "the expression is not a number or an array", labels=[Label(last)])
    try:
        return node_of(value)
    except GradcalcError as error:
        raise error.locate(last) from None


def _not_finite(name: str, array: Any) -> str | None:
    count = int(array.size - np.count_nonzero(np.isfinite(array)))
    if count == 0:
        return None
    return (
        f"`{name}` has {count} elements that are not finite"
        if count > 1
        else f"`{name}` has an element that is not finite"
    )


# inputs from texts -------------------------------------------------------------------------------

Generator = Callable[[], Any]
"""What gives the one NumPy generator that all inputs of a command draw from, made when first needed."""


def generator(seed: int) -> Generator:
    """NumPy's default generator (PCG64) with a seed, so that the same command draws the same numbers."""
    return cache(lambda: np.random.default_rng(seed))


def read_text(source: Source, values: Mapping[str, Any], random: Generator) -> Any:
    """The array that a text names or spells; an expression may use the given arrays and random numbers."""
    from . import reader  # its patterns take a while to compile, and SymPy's process needs none

    return reader.read(source, evaluate=lambda inner: evaluate_text(inner, values, random))


def evaluate_text(source: Source, values: Mapping[str, Any], random: Generator) -> Any:
    """The numbers of an expression of given arrays and random numbers."""
    program = parse(source)
    for name, span in used_names(program, values).items():
        if name not in values and name not in CONSTANTS:
            raise _not_an_input(name, span, values)
    if single(program) is None:
        extra = program.statements[-1].span
        raise GradcalcError("syntax", "a value is one expression", labels=[Label(extra, "a second one")])
    inputs = {name: variable(name, array.shape, boolean=array.dtype == bool) for name, array in values.items()}
    built = build(program, inputs, lambda one: evaluate([one], values)[0], extra=_random(random))
    return located_evaluate([_single(built.value, built.span)], values, built.places)[0]


def _not_an_input(name: str, span: Span, values: Mapping[str, Any]) -> GradcalcError:
    found = nearest(name, values)
    helps = [f"did you mean `{found}`?"] if found else []
    helps.append("give numbers, as `3` or `[1, 2]`, or a file: .npy, .npz:key, .csv, .json")
    notes = [] if values else ["an input's value cannot use other inputs"]
    message = f"`{name}` has no value here"
    return GradcalcError("unknown-name", message, labels=[Label(span)], notes=notes, helps=helps)


def _random(made: Generator) -> dict[str, Callable[..., Any]]:
    """The random functions that an input may use."""
    return {
        "randn": lambda *shape: made().standard_normal(_lengths(shape)),
        "rand": lambda *shape: made().random(_lengths(shape)),
        "normal": lambda mean=0.0, deviation=1.0, shape=(): made().normal(mean, deviation, shape),
        "uniform": lambda low=0.0, high=1.0, shape=(): made().uniform(low, high, shape),
        "randint": lambda low, high, shape=(): made().integers(low, high, shape).astype(np.float64),
    }


def _lengths(shape: tuple[Any, ...]) -> tuple[int, ...]:
    return shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
