"""An answer as lines for a terminal or a file: a label, then what it labels.

The lines come in two halves, the numbers and what was found out about them, so that the numbers can be
shown while a check still runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..labels import entry_name
from ..results import Answer
from .numbers import array, number

if TYPE_CHECKING:
    from ..checker import Verdict


class Line(NamedTuple):
    """A labelled text; `style` is a word for the terminal: `plain`, `good`, `bad` or `dim`."""

    label: str
    text: str
    style: str = "plain"


class Options(NamedTuple):
    """How an answer is shown."""

    precision: int = 6
    tensor: bool = False
    layout: str = "numerator"


_MOST_COLUMNS = 12  # of a Jacobian shown as a table; a wider one is shown as an array
_MOST_ROWS = 40


def numbers(made: Answer, options: Options) -> Iterator[Line]:
    """The first half: values and derivatives."""
    for i, part in enumerate(made.parts, 1):
        yield Line(f"part {i}", part.expression)
        yield Line("  value", array(part.value, options.precision))
        for label, gradient in part.gradients.items():
            yield Line(f"  gradient by {label}", _shaped(gradient, options))
    if made.value is not None:
        yield Line("value", array(made.value, options.precision))
    for key, derivative in made.derivative.items():
        yield from _DERIVATIVES[made.command](made, key, derivative, options)


def findings(made: Answer) -> Iterator[Line]:
    """The second half: SymPy's formulas, the verdict, notes."""
    for key, formula in made.symbolic.items():
        name = "SymPy" if len(made.derivative) == 1 else f"SymPy by {_by(key)}"
        yield Line(name, _formula(formula.text))
    if made.check is not None:
        yield verdict_line(made.check)
    for note in made.notes:
        yield Line("note", note, "dim")


_LONGEST = 600  # characters of a formula shown in text


def _formula(text: str) -> str:
    """A formula on one line; one for each entry, if long, a row a line; a very long one is left to JSON."""
    if len(text) > _LONGEST:
        return f"{len(text)} characters long; `--format json` has it"
    return text if len(text) <= 80 or not text.startswith("[[") else text.replace("], [", "],\n [")


def verdict_line(check: Verdict) -> Line:
    """The verdict in words."""
    if check.status == "not checked":
        return Line("check", f"not checked: {check.reason}", "bad")
    style = "good" if check.status == "agree" else "bad"
    whole = {1: "", 2: ", both entries"}.get(check.total, f", all {check.total} entries")
    count = whole if check.entries == check.total else f", {check.entries} of {check.total} entries"
    count = count if check.entries else ""
    gap = f", largest relative difference {check.max_relative_difference:.1e}" if check.max_relative_difference else ""
    also = f", and {check.also}" if check.also else ""
    text = f"{check.status}: {check.method}{count}{also}{gap}"
    if check.worst is not None:
        name, ours, theirs = check.worst
        text += f"; worst at {name}: {number(ours, 12)} here, {number(theirs, 12)} from {check.method}"
    return Line("check", f"{text} ({check.reason})" if check.reason else text, style)


def layout(lines: list[Line], width: int) -> list[str]:
    """Lines as text, labels in a column of the given width; further lines of a text hang under the first."""
    shown = []
    for line in lines:
        first, *rest = line.text.split("\n")
        shown.append(f"{line.label.ljust(width)}  {first}".rstrip())
        shown += [f"{' ' * width}  {one}" for one in rest]
    return shown


def label_width(made: Answer) -> int:
    """The width of the label column, known before the check is there."""
    labels = [line.label for line in numbers(made, Options())] + ["value", "check", "SymPy"]
    if len(made.derivative) > 1:
        labels += [f"SymPy by {_by(key)}" for key in made.derivative]
    return max(map(len, labels))


def _by(key: Any) -> str:
    return " and ".join(dict.fromkeys(key)) if isinstance(key, tuple) else str(key)


def _shaped(value: Any, options: Options) -> str:
    """An array and its shape, which is left out for a number."""
    text = array(value, options.precision)
    return f"{text}  shape {np.shape(value)}" if np.ndim(value) else text


# one function a kind of derivative ----------------------------------------------------------------


def _gradient(made: Answer, key: str, derivative: Any, options: Options) -> Iterator[Line]:
    word = "total" if made.parts else "gradient"
    yield Line(f"{word} by {key}", _shaped(derivative, options))


def _tangent(made: Answer, key: str, derivative: Any, options: Options) -> Iterator[Line]:
    yield Line("jvp", _shaped(derivative, options))


def _product(made: Answer, key: str, derivative: Any, options: Options) -> Iterator[Line]:
    yield Line(f"hvp by {key}", _shaped(derivative, options))


def _jacobian(made: Answer, key: str, derivative: Any, options: Options) -> Iterator[Line]:
    name = next(name for name in ("y", "f", "out", "output") if name not in made.derivative)
    yield from _matrix("Jacobian", key, name, made.output_shape, key, derivative, options)


def _hessian(made: Answer, key: tuple[str, str], derivative: Any, options: Options) -> Iterator[Line]:
    rows, columns = key
    split = _row_axes(made, key, derivative)
    yield from _matrix("Hessian", _by(key), rows, derivative.shape[:split], columns, derivative, options)


def _row_axes(made: Answer, key: tuple[str, str], derivative: Any) -> int:
    """How many axes of a Hessian block are the first input's: half of the diagonal block's."""
    return int(made.derivative[key[0], key[0]].ndim // 2)


def _matrix(
    what: str, by: str, row_name: str, row_shape: tuple[int, ...], column_name: str, derivative: Any, options: Options
) -> Iterator[Line]:
    """A derivative of shape rows + columns, as a table with both named."""
    column_shape = derivative.shape[len(row_shape) :]
    rows, columns = int(np.prod(row_shape)), int(np.prod(column_shape))
    label = f"{what} by {by}"
    small = 0 < rows <= _MOST_ROWS and 0 < columns <= _MOST_COLUMNS
    if options.tensor or not small or derivative.ndim == 0:
        yield Line(label, _shaped(derivative, options))
        return
    table = derivative.reshape(rows, columns)
    names = (
        [entry_name(row_name, row_shape, i) for i in range(rows)],
        [entry_name(column_name, column_shape, i) for i in range(columns)],
    )
    if options.layout == "denominator":
        table, names = table.T, names[::-1]
    yield Line(label, _table(table, *names, options.precision))
    if options.layout == "denominator":
        yield Line("", f"rows are entries of {column_name}, columns entries of {row_name} (denominator layout)", "dim")
    else:
        yield Line("", f"rows are entries of {row_name}, columns entries of {column_name} (numerator layout)", "dim")


def _table(table: Any, rows: list[str], columns: list[str], precision: int) -> str:
    cells = [
        ["", *columns],
        *([name, *(number(one, precision) for one in row)] for name, row in zip(rows, table, strict=True)),
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
        for row in cells
    ]
    return "\n".join(lines)


_DERIVATIVES: dict[str, Any] = {
    "grad": _gradient,
    "vjp": _gradient,
    "jacobian": _jacobian,
    "hessian": _hessian,
    "jvp": _tangent,
    "hvp": _product,
}
