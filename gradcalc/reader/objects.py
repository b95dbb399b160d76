"""JSON objects: `{"shape": [2, 3], "data": [...]}`, the form in which gradcalc itself prints an array."""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

from gradcalc.errors import GradcalcError, Label, Source, Span
from gradcalc.reader import literal
from gradcalc.reader.builder import MOST_AXES
from gradcalc.reader.values import Array, Shape
from gradcalc.reader.words import plain_name, whole

_DATA = re.compile(r'"data"\s*:\s*')
_KEYS = {"shape", "data", "dtype"}


def read_document(source: Source) -> Array:
    """A whole text that is an object or a literal."""
    return read(source) if source.text.lstrip()[:1] == "{" else literal.parse_only(source)


def read(source: Source) -> Array:
    """The array that the object describes; `data` may be nested or flat, and without `shape` says all."""
    if (answer := _own_answer(source)) is not None:
        return answer
    fields, (start, stop) = _fields(source)
    array = literal.parse_only(source, start, stop)
    if "shape" not in fields:
        return array
    shape = _shape(fields["shape"], source)
    if prod(shape) != array.size or (array.ndim > 1 and array.shape != shape):
        raise GradcalcError(
            "shape",
            f"`{plain_name(source)}` has the shape {shape}, but its data has the shape {array.shape}",
            labels=[Label(Span(source, start, stop), f"shape {array.shape}")],
            helps=["give the data flat, or nested as the shape says"],
        )
    return array.reshape(shape)


def _own_answer(source: Source) -> Array | None:
    """The one array of an answer that gradcalc printed as JSON; None if the object is something else."""
    import json

    try:
        fields = json.loads(source.text)
    except (ValueError, RecursionError):  # what is wrong with it is said elsewhere
        return None
    if not isinstance(fields, dict) or "gradcalc" not in fields:
        return None
    groups = [fields[key] for key in ("gradients", "jacobian", "hvp") if isinstance(fields.get(key), dict)]
    found = {name: one["data"] for group in groups for name, one in group.items()}
    if "tangent" in fields:
        found["jvp"] = fields["tangent"]["data"]
    if fields.get("command") == "eval":
        found["value"] = fields["value"]
    if len(found) != 1:
        what = f"{len(found)} arrays ({', '.join(found)})" if found else "no array of its own"
        helps = ["write one alone: `--wrt x --output g.npy`"]
        raise GradcalcError("needs-key", f"`{plain_name(source)}` is an answer with {what}", helps=helps)
    return np.array(next(iter(found.values())), dtype=object).astype(np.float64)


def _fields(source: Source) -> tuple[dict[str, Any], tuple[int, int]]:
    """The object, and where its data is in the text."""
    import json

    try:
        fields = json.loads(source.text, parse_int=float)  # float: an integer of any length
        start = max(match.end() for match in _DATA.finditer(source.text)) if set(fields) <= _KEYS else 0
        stop = json.JSONDecoder(parse_int=float).raw_decode(source.text, start)[1]
    except json.JSONDecodeError as error:
        raise _not_json(source, error.pos, error.msg) from None
    except (ValueError, RecursionError):  # no data; or brackets too deep for it to be any
        fields = {}
    if "data" not in fields or not set(fields) <= _KEYS:
        raise _no_data(source, fields)
    return fields, (start, stop)


def _shape(given: Any, source: Source) -> Shape:
    sizes = given if isinstance(given, list) else [None]
    if len(sizes) > MOST_AXES or not all(isinstance(n, float) and n.is_integer() and 0 <= n < 2**40 for n in sizes):
        raise GradcalcError(
            "shape",
            f"the `shape` in `{plain_name(source)}` is not a list of sizes",
            labels=[Label(whole(source))],
            helps=['write it as in `{"shape": [2, 1], "data": [3, 4]}`'],
        )
    return tuple(map(int, sizes))


def _not_json(source: Source, place: int, said: str) -> GradcalcError:
    return GradcalcError(
        "syntax",
        f"`{plain_name(source)}` is not a JSON object",
        labels=[Label(Span(source, place, place + 1), said[:1].lower() + said[1:])],
    )


def _no_data(source: Source, fields: dict[str, Any]) -> GradcalcError:
    helps = ['write it as in `{"shape": [2], "data": [3, 4]}`']
    if isinstance(inner := fields.get("gradients"), dict) and inner:
        helps.insert(0, f"to use an answer of gradcalc, take its array out: `jq .gradients.{next(iter(inner))}`")
    return GradcalcError(
        "syntax",
        f"`{plain_name(source)}` is an object that does not describe an array",
        labels=[Label(whole(source), "expected `shape` and `data`")],
        helps=helps,
    )
