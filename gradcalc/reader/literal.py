"""Literals: numbers in brackets, as people write them and as NumPy, PyTorch, JAX and JSON print them."""

from __future__ import annotations

import re

import numpy as np

from gradcalc.errors import GradcalcError, Label, Source, Span
from gradcalc.reader.builder import TOKEN, WRAPPER, Builder, NotLiteralError
from gradcalc.reader.values import Array
from gradcalc.reader.words import not_a_number, plain_name

_LONG = 100_000  # characters from which on JSON's reader, written in C, is worth its import


def opens(text: str) -> bool:
    """Whether a text starts as a literal in brackets, or a JSON object, does."""
    return re.match(rf"\s*+(?:[\[({{]|{WRAPPER}\()", text, re.VERBOSE) is not None


def parse(source: Source, start: int = 0, stop: int | None = None) -> tuple[Array | None, list[Span]]:
    """The array that these characters spell; None where they are an expression.

    Where only words without operators and calls are in the way of a literal, these come with the None:
    they may be names that the expression language knows.
    """
    text = source.text[start:stop].rstrip()  # so that every match of TOKEN is a token
    stop = start + len(text)
    if len(text) >= _LONG and (plain := _plain(text)) is not None:
        return plain, []
    builder = Builder(source, start)
    try:
        array = builder.build(stop)
    except NotLiteralError:
        return None, []
    except GradcalcError as error:
        if error.kind != "not-a-number" and _words(Span(source, start, stop)):
            return None, []  # an expression, whose own errors say more
        raise
    return array, builder.words


def parse_only(source: Source, start: int = 0, stop: int | None = None) -> Array:
    """As `parse`, where an expression is no answer: in files and on standard input."""
    array, strays = parse(source, start, stop)
    if array is not None:
        return array
    place = Span(source, start, len(source.text) if stop is None else stop)
    if strays := strays or _words(place):
        raise not_a_number(strays[0])
    message = f"`{plain_name(source)}` is an expression"
    raise GradcalcError("syntax", message, labels=[Label(place, "expected numbers and brackets only")])


def stray(strays: list[Span], cause: GradcalcError) -> GradcalcError:
    """The error for the word that the expression language stumbled over, with its advice."""
    place = cause.span
    hit = [s for s in strays if place and place.source == s.source and s.start <= place.start < s.end]
    span = (hit or strays)[0]
    helps = cause.helps if hit else []
    if re.fullmatch(r".*\.[A-Za-z]\w*", span.text):
        helps = ["a file's name must end in .npy, .npz, .csv, .tsv, .txt or .json"]
    elif "." in span.text:  # `1.2.3`: the language would multiply 1.2 by .3
        helps = []
    return not_a_number(span, helps)


def _words(place: Span) -> list[Span]:
    matches = TOKEN.finditer(place.source.text, place.start, place.end)
    return [Span(place.source, *match.span("word")) for match in matches if match["word"]]


def _plain(text: str) -> Array | None:
    """A JSON array of nothing but finite numbers; None where it is not quite that, or is wrong."""
    if re.search(r"[^0-9eE.+\-,\[\]\s]", text):
        return None
    import json

    try:
        array = np.array(json.loads(text), dtype=np.float64)
    except (ValueError, OverflowError, RecursionError):
        return None
    return array if np.isfinite(array).all() else None
