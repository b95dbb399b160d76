"""What a person gives for an input, as a NumPy array: a file, standard input, a literal, an expression.

`read` decides which of them a text is; a room each does the reading:

    literal   numbers and brackets, as people write them and NumPy, PyTorch, JAX and JSON print them
    tables    rows of numbers: .csv, .tsv, .txt, standard input, several lines without brackets
    objects   our own output form, {"shape": [...], "data": [...]}
    files     the file named, opened and taken apart; .npy and .npz
    values    arrays made elsewhere: refuse what is not made of real numbers

Every array is float64, or bool where each element is a truth value.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TextIO

from gradcalc.errors import GradcalcError, Label, Source, Span
from gradcalc.reader import files, literal, objects, tables
from gradcalc.reader.values import Array
from gradcalc.reader.values import as_array as as_array
from gradcalc.reader.words import STDIN, empty, not_a_number, plain_name, whole

__all__ = ["as_array", "read"]


def read(source: Source, *, evaluate: Callable[[Source], Any], stdin: TextIO | None = None) -> Array:
    """The array that `source` names or spells.

    Args:
        source: what was typed, and the option it was typed after.
        evaluate: the expression language, for texts that are no literal; it returns an array-like or
            raises a GradcalcError, of kind `syntax` or `unknown-…` where it cannot read the text.
        stdin: what `-` reads, if not the process's standard input.
    """
    text = source.text.strip()
    if not text:
        raise empty(source, source.name)
    if text == "-":
        return _standard_input(source, stdin or sys.stdin)
    if (array := files.read(source)) is not None:
        return array
    if text[0] == "{":
        return objects.read(source)
    if tables.is_table(text):
        return tables.read(source)
    array, strays = literal.parse(source)
    return _evaluated(source, evaluate, strays) if array is None else array


def _standard_input(source: Source, stdin: TextIO) -> Array:
    """JSON or another literal where it opens like one, else a table; never an expression."""
    try:
        text = stdin.read()
    except UnicodeDecodeError:
        raise GradcalcError(
            "unreadable-file",
            f"standard input, given for `{plain_name(source)}`, is not UTF-8 text",
            labels=[Label(whole(source))],
            helps=[f"give a NumPy file by its name: `{source.name} x.npy`"],
        ) from None
    content = Source(source.name + STDIN, text.removeprefix("\ufeff"))
    if not content.text.strip():
        raise empty(content, source.name)
    return objects.read_document(content) if literal.opens(content.text) else tables.read(content)


def _evaluated(source: Source, evaluate: Callable[[Source], Any], strays: list[Span]) -> Array:
    """The value of an expression; where the language cannot read the only strange word, that is no number.

    The language is asked first, for `[1, pi]` and a seed's `[1, m]` look no different from `[1, abc]`.
    """
    if quoted := [span for span in strays if span.text[0] in "'\""]:
        raise not_a_number(quoted[0])
    try:
        value = evaluate(source)
    except GradcalcError as error:
        if strays and (error.kind == "syntax" or error.kind.startswith("unknown")):
            raise literal.stray(strays, error) from None
        raise
    try:
        return as_array(value, plain_name(source))
    except GradcalcError as error:
        raise error.locate(whole(source)) from None
