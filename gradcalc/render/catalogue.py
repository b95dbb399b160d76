"""The catalogue of functions as text: what each computes, its rule, and where it is not smooth."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ..autodiff import vjp
from ..errors import GradcalcError, Source, nearest
from ..graph import CATALOGUE, SPELLINGS, Entry, Node, Op, variable
from ..language.builder import build
from ..language.calls import shown_signature
from ..language.names import used_names
from ..language.parser import parse
from ..language.printer import to_text
from ..language.values import CONSTANTS, node_of
from ..simplifier import simplify


def as_text(names: Sequence[str]) -> str:
    """The whole catalogue with rules and kinks, `g` being the cotangent; or all about the functions named."""
    if names:
        return "\n\n".join(_page(_found(name)) for name in names)
    return "\n".join(_summary(one) for one in _shown())


_LONGEST_RULE = 100  # characters of a rule that the list shows; `ops NAME` shows it whole


def _summary(entry: Entry) -> str:
    """An entry of the list: its call and what it is, then its rule and its kink."""
    rule = "; ".join(f"{label}: {text}" for label, text in _rules(entry) if label.startswith("to "))
    lines = [f"{shown_signature(entry)}  {entry.doc}"]
    if rule:
        lines.append(rule if len(rule) <= _LONGEST_RULE else f"rule: see `gradcalc ops {entry.name}`")
    if entry.kink is not None:
        lines.append(f"kink where {entry.kink.at}: {entry.kink.takes}")
    return "\n    ".join(lines)


def as_json(names: Sequence[str]) -> str:
    """The same as JSON: a list of objects."""
    entries = [_found(name) for name in names] if names else _shown()
    return json.dumps([_record(one) for one in entries], ensure_ascii=False)


def _shown() -> list[Entry]:
    return sorted((one for one in CATALOGUE.values() if one.shown), key=lambda one: one.name)


def _found(name: str) -> Entry:
    entry = SPELLINGS.get(name) or SPELLINGS.get(name.rpartition(".")[2]) or _by_operator(name)
    if entry is None or not entry.shown:
        found = nearest(name, [known for known, one in SPELLINGS.items() if one.shown])
        helps = [f"did you mean `{found}`?"] if found else []
        raise GradcalcError(
            "unknown-function", f"unknown function `{name}`", helps=[*helps, "`gradcalc ops` lists every function"]
        )
    return entry


def _by_operator(name: str) -> Entry | None:
    return next((one for one in CATALOGUE.values() if isinstance(one, Op) and one.infix == name), None)


def _record(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "signature": shown_signature(entry),
        "doc": entry.doc,
        "spellings": list(entry.spellings),
        "kink": None if entry.kink is None else {"at": entry.kink.at, "takes": entry.kink.takes},
        "examples": [_parted(example)[0] for example in entry.examples],
        "rule": [text for _, text in _rules(entry)],
    }


def _page(entry: Entry) -> str:
    lines = [shown_signature(entry), f"    {entry.doc}"]
    facts: list[tuple[str, str]] = []
    if isinstance(entry, Op) and entry.infix:
        facts.append(("operator", entry.infix))
    if entry.spellings:
        facts.append(("also", ", ".join(entry.spellings)))
    facts += _rules(entry)
    if entry.kink is not None:
        facts.append(("kink", f"where {entry.kink.at}; the derivative used there: {entry.kink.takes}"))
    if isinstance(entry, Op) and entry.source:
        facts.append(("source", entry.source))
    examples = dict.fromkeys(_parted(example)[0] for example in entry.examples)
    facts += [("example", example) for example in list(examples)[:3]]
    width = max(len(label) for label, _ in facts)
    return "\n".join([*lines, *(f"    {label.ljust(width)}  {text}" for label, text in facts)])


def _parted(example: str) -> tuple[str, dict[str, str]]:
    """An example's text, and the shapes after its last `|`, which is an operator too."""
    found = re.fullmatch(r"(.*?)\s*\|((?:\s+\w+=[\d,]*)+)", example)
    if found is None:
        return example, {}
    return found[1], dict(part.split("=") for part in found[2].split())


def _rules(entry: Entry) -> list[tuple[str, str]]:
    """What the reverse walk does at the first example, `g` standing for the cotangent that comes in."""
    text, shapes = _parted(entry.examples[0])
    program = parse(Source("example", text))
    names = [name for name in used_names(program) if name not in CONSTANTS]
    inputs = {name: variable(name, _shape(shapes.get(name), entry)) for name in names}
    output = node_of(build(program, inputs, _number).value)
    if output.boolean:
        return [("rule", "flat: no derivative passes through a condition")]
    rules = [] if isinstance(entry, Op) else [("is", to_text(*simplify([output])))]
    g = variable("g", output.shape)
    for name, cotangent in zip(names, simplify(vjp([output], [g], list(inputs.values()))), strict=True):
        rules.append((f"to {name}", to_text(cotangent)))
    return rules


def _shape(declared: str | None, entry: Entry) -> tuple[int, ...]:
    """The shape that an example declares; where it declares none, a vector for reductions, else a number."""
    if declared is None:
        return () if isinstance(entry, Op) and entry.elementwise else (3,)
    return tuple(int(length) for length in declared.split(",") if length)


def _number(node: Node) -> Any:
    from ..engine import evaluate

    return evaluate([node], {})[0]
