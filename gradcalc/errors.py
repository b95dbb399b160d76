"""Errors as data, and the one function that draws them under the person's own text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Source(NamedTuple):
    """A text somebody wrote, and what to call it: `expression`, `--x`, `model.py`.

    `entry` is the function in it that is asked for, `dialect` the library whose names it has where it does not say.
    """

    name: str
    text: str
    entry: str | None = None
    dialect: str | None = None


class Span(NamedTuple):
    """The characters `start` to `end` (exclusive) of a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of another."""
        return Span(self.source, self.start, max(self.end, other.end))


class Label(NamedTuple):
    """A note under some characters; the primary one is the cause, others are what it concerns."""

    span: Span
    text: str = ""
    primary: bool = True


class GradcalcError(Exception):
    """A request that cannot be answered, with all that its message needs.

    Attributes:
        kind: a short stable word, such as `shape` or `syntax`.
        message: what is wrong, in one line.
        labels: where, in the person's text.
        notes: why.
        helps: what to do about it, ready to paste.
        operands: for an error raised inside an operation, the operands concerned (graph nodes) and
            what to say under each; whoever knows the text turns these into labels with `locate`.
        origin: for an error while numbers are computed, the graph node at which it arose.
        limit: whether a memory or time limit was the cause (exit code 3 instead of 2).
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
        helps: Iterable[str] = (),
        operands: Iterable[tuple[object, str]] = (),
        origin: object = None,
        limit: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.labels = list(labels)
        self.notes = list(notes)
        self.helps = list(helps)
        self.operands = list(operands)
        self.origin = origin
        self.limit = limit

    @property
    def span(self) -> Span | None:
        """Where the cause is, if it has a place in a text."""
        return next((label.span for label in self.labels if label.primary), None)

    @property
    def help(self) -> str | None:
        """The first thing to try, if any is known."""
        return self.helps[0] if self.helps else None

    def locate(self, span: Span, place_of: Callable[[object], Span | None] = lambda _: None) -> GradcalcError:
        """Give an error raised inside an operation its place; an error that has one keeps it.

        The operands it names are marked where `place_of` knows them, else the whole `span` is.
        """
        if not self.labels:
            places = [(place_of(operand), text) for operand, text in self.operands]
            self.labels = [Label(place, text) for place, text in places if place is not None] or [Label(span)]
        return self

    def as_dict(self) -> dict[str, Any]:
        """The fields of the drawn message as plain data, for JSON."""
        return {
            "error": self.kind,
            "message": self.message,
            "labels": [_label_dict(label) for label in self.labels],
            "notes": self.notes,
            "helps": self.helps,
        }


def _label_dict(label: Label) -> dict[str, Any]:
    line, column = position(label.span.source.text, label.span.start)
    return {
        "source": label.span.source.name,
        "line": line,
        "column": column,
        "start": label.span.start,
        "end": label.span.end,
        "text": label.text,
        "primary": label.primary,
    }


def position(text: str, offset: int) -> tuple[int, int]:
    """The line and column, both counted from 1, of a character."""
    line_start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - line_start + 1


def nearest(word: str, candidates: Iterable[str], cutoff: float = 0.7) -> str | None:
    """The candidate most like `word`, or None where nothing is close."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(candidates), 1, cutoff)
    return found[0] if found else None


_WIDTH = 100  # columns of source shown at most; longer lines are cut around the cause
_MARGIN = 30  # columns kept before the cause in a cut line


def draw(error: GradcalcError) -> str:
    """The message as a person reads it: what, where, why, and what to do."""
    lines = [f"error[{error.kind}]: {error.message}"]
    cause = error.span
    gutter = "  "
    if cause is not None:
        line, column = position(cause.source.text, cause.start)
        gutter = " " * (len(str(line)) + 1)
        lines.append(f"{gutter[:-1]}--> {cause.source.name}:{line}:{column}")
        lines.append(f"{gutter}|")
        source, marks = _excerpt(error.labels, cause, line)
        lines.append(f"{line} | {source}")
        lines += [f"{gutter}| {mark}" for mark in marks]
    trailer = [("note", text) for text in error.notes] + [("help", text) for text in error.helps]
    if trailer and cause is not None:
        lines.append(f"{gutter}|")
    for word, text in trailer:
        head = f"{gutter}= {word}: "
        lines.append(head + text.replace("\n", "\n" + " " * len(head)))
    return "\n".join(line.rstrip() for line in lines)


def _excerpt(labels: list[Label], cause: Span, line: int) -> tuple[str, list[str]]:
    """The cause's line, cut to fit, and the rows of marks under it.

    Columns are counted as the terminal shows them: wide characters take two, combining ones none.
    """
    text = cause.source.text
    begin = text.rfind("\n", 0, cause.start) + 1
    stop = text.find("\n", begin)
    stop = len(text) if stop < 0 else stop
    left = max(begin, cause.start - _MARGIN) if stop - begin > _WIDTH else begin
    right = min(stop, left + _WIDTH)
    prefix, suffix = "…" if left > begin else "", "…" if right < stop else ""
    shown = prefix + "".join(_visible(c) for c in text[left:right]) + suffix

    def column(offset: int) -> int:
        inside = text[left : min(max(offset, left), right)]
        return len(prefix) + sum(_columns(_visible(c)) for c in inside)

    here = [
        (column(label.span.start), column(label.span.end), label)
        for label in labels
        if label.span.source == cause.source
        and begin <= label.span.start <= stop
        and position(text, label.span.start)[0] == line
    ]
    return shown, _marks(here)


def _marks(labels: list[tuple[int, int, Label]]) -> list[str]:
    """Rows of `^` and `-` with their texts: the rightmost beside its mark, the others hanging below."""
    row: list[str] = []
    for start, end, label in sorted(labels, key=lambda item: (item[2].primary and -1) or 0):
        mark = "^" if label.primary else "-"
        row += " " * (max(end, start + 1) - len(row))
        row[start : max(end, start + 1)] = mark * (max(end, start + 1) - start)
    spoken = sorted((item for item in labels if item[2].text), key=lambda item: item[0])
    if not spoken:
        return ["".join(row)]
    last = spoken.pop()
    if max(last[1], last[0] + 1) < len(row):  # something is marked to the right of it: hang it too
        spoken.append(last)
        rows = ["".join(row)]
    else:
        rows = ["".join(row) + " " + last[2].text]
    if spoken:
        rows.append(_bars([item[0] for item in spoken]))
    while spoken:
        start, _, label = spoken.pop()
        rows.append(_bars([item[0] for item in spoken], until=start) + label.text)
    return rows


def _bars(columns: list[int], until: int = 0) -> str:
    row = [" "] * max([until, *(column + 1 for column in columns)])
    for column in columns:
        row[column] = "|"
    return "".join(row)


def _visible(character: str) -> str:
    """Tabs and control characters would move the marks or the reader's eye: show a stand-in."""
    if character == "\t":
        return " "
    return character if character.isprintable() else "\ufffd"


def _columns(character: str) -> int:
    from unicodedata import combining, east_asian_width

    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
