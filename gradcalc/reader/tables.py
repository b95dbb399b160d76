"""Tables of numbers as text: one row a line.

- Cells are separated by semicolons, tabs, commas or space: the first of these that the first line has.
- `#` starts a comment; blank lines are skipped; so is a first line without a number, the header.
- An empty cell is an error, not nan.
- Several rows and columns make a 2-D array; one row or one column a 1-D array; a single number a scalar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf

import numpy as np

from gradcalc.errors import GradcalcError, Label, Source, Span
from gradcalc.reader.values import Array
from gradcalc.reader.words import NUMBER, TRUTHS, extent, is_missing, not_a_number, number, overflow, plain_name, whole

_CELLS = rf"(?:[\s,;]++|(?:{NUMBER}|True|true|False|false)(?![^\s,;]))*+"


def is_table(text: str) -> bool:
    """Whether a text is several lines of bare numbers."""
    return "\n" in text and re.fullmatch(_CELLS, text) is not None


def read(source: Source) -> Array:
    """The numbers of a table."""
    rows: list[list[float]] = []
    separator: str | None = None
    header: Span | None = None
    first = Span(source, 0, 0)
    truths = 0
    for start, text in _lines(source.text):
        if not rows:
            separator = next((mark for mark in ";\t," if mark in text), None)
            first = Span(source, start, start + len(text))
            if header is None and _is_header(text.split(separator)):
                header = first
                continue
        row = _finite(text.split(separator))
        if row is None:
            row, found = _any_numbers(Span(source, start, start + len(text)), separator)
            truths += found
        if rows and len(row) != len(rows[0]):
            raise _ragged(first, len(rows[0]), Span(source, start, start + len(text)), len(row))
        rows.append(row)
    if not rows:
        raise _no_numbers(source, header)
    array = np.array(rows)
    return array.astype(bool if truths == array.size else float).reshape([n for n in array.shape if n > 1])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold something, without comments and the space around them, and where they start."""
    offset = 0
    for line in text.split("\n"):
        body = line.partition("#")[0] if "#" in line else line
        if body and not body.isspace():
            body = body.rstrip(" \r")  # not a tab: it may end an empty cell
            yield offset + len(body) - len(body.lstrip(" ")), body.lstrip(" ")
        offset += len(line) + 1


def _is_header(cells: list[str]) -> bool:
    """Whether no cell is a number, nor meant as one: a broken first row must not go unnoticed."""
    words = filter(None, map(_unquoted, cells))
    return not any(number(word) is not None or word[0] in "+-.0123456789" or is_missing(word) for word in words)


def _unquoted(cell: str) -> str:
    word = cell.strip()
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word  # spreadsheets may quote all


def _finite(cells: list[str]) -> list[float] | None:
    """The numbers of a row; None where there is more to say about it."""
    try:
        row = list(map(float, cells))
    except ValueError:
        return None
    return None if inf in row or -inf in row else row


def _any_numbers(line: Span, separator: str | None) -> tuple[list[float], int]:
    """The numbers of a row, and how many of them are truth values; else the error under the first bad cell."""
    row, truths = [], 0
    for index, cell in enumerate(line.text.split(separator)):
        word = _unquoted(cell)
        value = number(word)
        if value is None:
            raise not_a_number(_place(line, index, separator))
        if value in (inf, -inf) and "n" not in word.lower():
            raise overflow(_place(line, index, separator))
        row.append(value)
        truths += word in TRUTHS
    return row, truths


def _place(line: Span, index: int, separator: str | None) -> Span:
    """Where a cell is, without the space around it."""
    text = line.text
    if separator is None:
        start, stop = [match.span() for match in re.finditer(r"\S+", text)][index]
    else:
        ends = [match.start() for match in re.finditer(separator, text)] + [len(text)]
        start, stop = ends[index - 1] + 1 if index else 0, ends[index]
    word = text[start:stop]
    start += len(word) - len(word.lstrip()) if word.strip() else 0
    return Span(line.source, line.start + start, line.start + start + len(word.strip()))


def _ragged(first: Span, expected: int, line: Span, found: int) -> GradcalcError:
    return GradcalcError(
        "ragged-input",
        f"rows of `{plain_name(line.source)}` differ in length",
        labels=[Label(line, extent((found,))), Label(first, extent((expected,)), primary=False)],
        helps=["give every row the same number of elements"],
    )


def _no_numbers(source: Source, header: Span | None) -> GradcalcError:
    return GradcalcError(
        "empty-input",
        f"`{plain_name(source)}` holds no numbers",
        labels=[Label(header or whole(source), "a header, but no rows" if header else "")],
    )
