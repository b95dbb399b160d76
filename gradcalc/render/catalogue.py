"""The catalogue of functions as text: what each computes, its rule, and where it is not smooth."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ..autodiff import vjp
from ..errors import GradcalcError, Source, nearest
from ..graph import CATALOGUE, HOMES, SPELLINGS, Entry, Node, Op, variable
from ..language import dialects
from ..language.builder import build
from ..language.calls import shown_signature
from ..language.names import used_names
from ..language.parser import parse
from ..language.printer import to_text
from ..language.refusals import refusal_of
from ..language.values import CONSTANTS, node_of
from ..simplifier import simplify
from .libraries import spelled


def as_text(names: Sequence[str]) -> str:
    """The whole catalogue with rules and kinks, `g` being the cotangent; or all about the functions named."""
    if names:
        return "\n\n".join(_page(entry) for name in names for entry in _found(name))
    return "\n".join(_summary(one) for one in _shown())


def as_markdown(names: Sequence[str]) -> str:
    """The catalogue, or the functions named, as tables by family: who has them, what they compute, and kinks."""
    chosen = dict.fromkeys(entry for name in names for entry in _found(name)) if names else dict.fromkeys(_shown())
    families: dict[str, list[Entry]] = {family: [] for family in _FAMILIES}
    for entry in chosen:
        families.setdefault(_family(entry), []).append(entry)
    return "\n\n".join(_table(family, members) for family, members in families.items() if members)


_FAMILIES = {
    "Arithmetic and comparisons": "arithmetic torch_arithmetic numbers casting",
    "Exponentials, angles and other functions of a number": "elementwise exponential logarithms",
    "Special functions": "special special_values probability gammas bessel integrals hypergeometric orthogonal",
    "Activations": "activations",
    "Losses": "losses torch_losses classification margins ctc",
    "Layers and normalisation": "layers normalisation attention recurrent distances",
    "Convolution, pooling and images": "convolution pooling adaptive windows padding images interpolation",
    "Reductions": "reduce nans counting quantiles statistics running ufuncs torch",
    "Sorting and searching": "order ordering searching",
    "Shapes": "shape views joining splitting diagonals grids",
    "Selecting and writing": "indexing selecting scattering",
    "Linear algebra": (
        "linalg products determinants solving factors least_squares matrix_functions norms spectra singular rooms"
    ),
    "Calculus and polynomials": "calculus polynomials",
    "Making arrays": "making special_matrices",
}
"""The headings of the tables, and the modules of the catalogue whose operations stand under each."""

_HEADINGS = {module: heading for heading, modules in _FAMILIES.items() for module in modules.split()}


def _family(entry: Entry) -> str:
    """An operation's heading; a library's own meaning of a name stands next to the name."""
    module = HOMES[SPELLINGS.get(_last(entry), entry)].rpartition(".")[2]
    return _HEADINGS.get(module, module.replace("_", " ").capitalize())


def _last(entry: Entry) -> str:
    return entry.name.rpartition(".")[2]


def _table(title: str, members: Sequence[Entry]) -> str:
    lines = ["| Function | Libraries | What it computes | Kinks |", "| --- | --- | --- | --- |"]
    lines += [f"| {' | '.join(_cells(entry))} |" for entry in sorted(members, key=lambda one: (_last(one), one.name))]
    return "\n".join([f"## {title}", "", *lines])


def _cells(entry: Entry) -> list[str]:
    libraries = spelled().get(entry, {})
    names = "<br>".join(f"{one}: {', '.join(f'`{name}`' for name in names)}" for one, names in libraries.items())
    kink = "" if entry.kink is None else f"{entry.kink.at}: {entry.kink.takes}"
    operator = f"<br>`{entry.infix}`" if isinstance(entry, Op) and entry.infix else ""
    cells = [f"`{shown_signature(entry)}`{operator}", names, entry.doc, kink]
    return [cell.replace("|", "\\|") for cell in cells]


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
    entries = [entry for name in names for entry in _found(name)] if names else _shown()
    return json.dumps([_record(one) for one in entries], ensure_ascii=False)


def _shown() -> list[Entry]:
    return sorted((one for one in CATALOGUE.values() if one.shown), key=lambda one: one.name)


def _found(name: str) -> list[Entry]:
    """The functions of a name: the one of a library that is named, else every library's."""
    exact = SPELLINGS.get(name) if "." in name else None
    last = name.rpartition(".")[2]
    words = [known for known in SPELLINGS if known.rpartition(".")[2] == last and SPELLINGS[known].shown]
    entries = list(dict.fromkeys([exact] if exact is not None else [SPELLINGS[known] for known in words]))
    if not entries and (operator := _by_operator(name)) is not None:
        entries = [operator]
    if not entries or not entries[0].shown:
        raise _unknown(name)
    if exact is None and (place := dialects.library_of(name.split("."))) is not None:
        meant = dialects.find(*place)
        entries = [meant] if meant is not None else entries
    return sorted(entries, key=lambda one: "." in one.name)


def _unknown(name: str) -> GradcalcError:
    refusal = refusal_of(name.split("."))
    if refusal is not None:
        helps = [refusal.help] if refusal.help else []
        return GradcalcError("unknown-function", f"`{name}` {refusal.reason}", helps=helps)
    found = nearest(name, [known for known, one in SPELLINGS.items() if one.shown])
    helps = [f"did you mean `{found}`?"] if found else []
    return GradcalcError(
        "unknown-function", f"unknown function `{name}`", helps=[*helps, "`gradcalc ops` lists every function"]
    )


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
