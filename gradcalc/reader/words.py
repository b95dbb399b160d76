"""How the reader's messages call things, and the words that stand for numbers."""

from __future__ import annotations

import re

from gradcalc.errors import GradcalcError, Label, Source, Span

STDIN = " (standard input)"  # after an option's name: the text came from there
MINUS = "\u2212"
TRUTHS = {"True": 1.0, "true": 1.0, "np.True_": 1.0, "False": 0.0, "false": 0.0, "np.False_": 0.0}

_DIGITS = r"[0-9]++(?:_[0-9]++)*+"  # possessive: a broken number of any length fails in linear time
_SPECIAL = r"[+\-\u2212]?(?i:infinity|inf|nan)"  # u2212: the minus sign of typeset text
NUMBER = rf"(?:[+\-\u2212]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+\-\u2212]?[0-9]++)?|{_SPECIAL})"
QUOTED = rf"""(?:"{_SPECIAL}"|'{_SPECIAL}')"""  # JSON has no other way to write them

_MISSING = {"null", "none", "na", "n/a", "<na>", "nil", "-", "?", ""}


def plain_name(source: Source) -> str:
    """What a message calls the input: `x` for `--x`."""
    return shown(source.name.removesuffix(STDIN).lstrip("-")) or source.name


def whole(source: Source) -> Span:
    """All of a text, without the space around it."""
    text = source.text
    start = len(text) - len(text.lstrip())
    return Span(source, start, max(start, len(text.rstrip())))


def shown(text: str) -> str:
    """A piece of a person's text, short enough and safe to print inside a message."""
    text = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text[:60])
    return text if len(text) <= 40 else text[:39] + "…"


def extent(shape: tuple[int, ...]) -> str:
    """What a message says under a row of a ragged array."""
    if len(shape) == 1:
        return "1 element" if shape == (1,) else f"{shape[0]} elements"
    return f"shape {shape}" if shape else "a number"


def number(word: str) -> float | None:
    """The number or truth value that one word spells; None where it spells none."""
    if word in TRUTHS:
        return TRUTHS[word]
    if re.fullmatch(QUOTED, word):
        word = word[1:-1]
    return to_float(word) if re.fullmatch(NUMBER, word) else None


def to_float(word: str) -> float:
    """The number that a match of NUMBER spells."""
    return float(word.replace(MINUS, "-"))


def is_complex(word: str) -> bool:
    """Whether the word is a complex number, as `1.+2.j`."""
    # The last letter first: compiling the pattern costs a millisecond.
    return word[-1:] in ("j", "J") and re.fullmatch(rf"{NUMBER}(?:[+\-]{NUMBER})?[jJ]", word) is not None


def is_missing(word: str) -> bool:
    """Whether the word says that a number is not there."""
    return word.lower() in _MISSING


def not_a_number(span: Span, helps: list[str] | None = None) -> GradcalcError:
    """The error for a word that stands where a number should."""
    word, name = span.text, plain_name(span.source)
    if is_complex(word):
        return GradcalcError(
            "not-a-number",
            f"`{shown(word)}` in `{name}` is a complex number",
            labels=[Label(span, "expected a real number")],
            helps=["give the real and the imaginary part as two inputs"],
        )
    return GradcalcError(
        "not-a-number",
        f"`{shown(word)}` in `{name}` is not a number" if word else f"a number is missing in `{name}`",
        labels=[Label(span, "expected a number")],
        helps=_advice(word) or helps or [],
    )


def _advice(word: str) -> list[str]:
    if is_missing(word):
        return ["write a missing number as `nan`"]
    inner = word.strip("\"'")
    if inner != word and number(inner) is not None:
        return [f"leave out the quotes: `{shown(inner)}`"]
    if (pointed := word.replace(",", ".")) != word and number(pointed) is not None:
        return [f"write a decimal with a point: `{shown(pointed)}`"]
    return []


def empty(content: Source, option: str) -> GradcalcError:
    """The error for a text without anything in it; `option` is what to type before a better one."""
    return GradcalcError(
        "empty-input",
        f"`{plain_name(content)}` is empty",
        labels=[Label(whole(content), "expected numbers")],
        helps=[f'give a number or a list: `{option} "[1, 2, 3]"`'],
    )


def overflow(span: Span) -> GradcalcError:
    """The error for a finite number that float64 would hold as infinity."""
    return GradcalcError(
        "overflow",
        f"`{shown(span.text)}` in `{plain_name(span.source)}` is too large for float64",
        labels=[Label(span, "larger than 1.797e308")],
        helps=["write infinity, if that is meant, as `inf`"],
    )
