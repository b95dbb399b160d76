"""Text to tokens, each with its place in the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..errors import GradcalcError, Label, Source, Span


class Token(NamedTuple):
    """A piece of text: its kind is `number`, `name`, `string`, `operator`, `newline` or `end`."""

    kind: str
    text: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""
    (?P<blank>[^\S\n]+ | \#[^\n]* | \\\r?\n)
  | (?P<number>0[xX][0-9a-fA-F]+ | 0[bB][01]+
              | (?:[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)? | \.[0-9]+(?:_[0-9]+)*) (?:[eE][+-]?[0-9]+)?)
  | (?P<name>[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹][^\W⁰¹²³⁴⁵⁶⁷⁸⁹]*)
  | (?P<string>\'\'\'(?:[^\\] | \\[\s\S])*?\'\'\' | \"\"\"(?:[^\\] | \\[\s\S])*?\"\"\"
              | '(?:[^'\\\n] | \\[\s\S])*' | "(?:[^"\\\n] | \\[\s\S])*")
  | (?P<power>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
  | (?P<foreign>\|\| | && | <> | === | =>)
  | (?P<operator>\*\*= | //= | \.\.\. | \*\* | // | == | != | <= | >= | -> | := | [-+*/%@]=
                | [-+*/%@<>=&|~^()\[\]{},:.;−–·⋅×÷≤≥≠])
  | (?P<newline>\n)
    """,
    re.VERBOSE,
)
_SAME_AS = {"−": "-", "–": "-", "·": "*", "⋅": "*", "×": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!="}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_HINTS = {
    "'": ("`'` does not transpose here", "`.T` transposes a matrix: `A.T`"),
    "√": ("`√` is not read here", "write `sqrt(x)`"),
    "!": ("`!` is not read here", "write `not`, `!=`, or `gamma(n + 1)` for a factorial"),
    "?": ("`?` is not read here", "write `a if condition else b`"),
    "$": ("`$` is not read here", "leave it out"),
    "∑": ("`∑` is not read here", "write `sum(x)`"),
    "∏": ("`∏` is not read here", "write `prod(x)`"),
    "…": ("`…` is not read here", "write three dots: `...`"),
    "“": ("curly quotes are not read here", "use straight quotes: `'`"),
    "‘": ("curly quotes are not read here", "use straight quotes: `'`"),
    "’": ("`’` does not transpose here", "`.T` transposes a matrix: `A.T`"),
}


_FOREIGN = {
    "||": "`or`, or `|` with brackets round each side",
    "&&": "`and`, or `&` with brackets round each side",
    "<>": "`!=`",
    "===": "`==`",
    "=>": "`>=`",
}
"""Operators of other languages, and what to write instead."""


def tokenize(source: Source) -> list[Token]:
    """All tokens of a text. Newlines inside brackets do not count; the last token is an `end`."""
    text = source.text
    tokens: list[Token] = []
    depth = at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unreadable(source, at)
        kind, piece, start, at = match.lastgroup or "", match.group(), match.start(), match.end()
        if kind == "foreign":
            labels = [Label(Span(source, start, at))]
            raise GradcalcError(
                "syntax", f"`{piece}` is not read here", labels=labels, helps=[f"write {_FOREIGN[piece]}"]
            )
        if kind == "blank" or (kind == "newline" and depth > 0):
            continue
        if kind == "operator":
            piece = _SAME_AS.get(piece, piece)
            depth += (piece in "([{") - (piece in ")]}" and depth > 0)
        if kind == "power":
            tokens.append(Token("operator", "**", start, start))
            kind, piece = "number", piece.translate(_SUPERSCRIPTS)
        tokens.append(Token(kind, piece, start, at))
    tokens.append(Token("end", "", len(text), len(text)))
    return tokens


def _unreadable(source: Source, at: int) -> GradcalcError:
    character = source.text[at]
    span = Span(source, at, at + 1)
    if character == '"':
        return GradcalcError("syntax", "a string is not closed", labels=[Label(span, "opened here")])
    if character == "'" and (at == 0 or not (source.text[at - 1].isalnum() or source.text[at - 1] in "_)]'")):
        return GradcalcError("syntax", "a string is not closed", labels=[Label(span, "opened here")])
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    message, help = _HINTS.get(character, (f"unexpected character `{shown}`", ""))
    return GradcalcError("syntax", message, labels=[Label(span)], helps=[help] if help else [])
