"""An answer as data for other programs: JSON, bare numbers, CSV, Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from ..checker import Verdict
from ..results import Answer
from .numbers import array, plain

VERSION = 1
"""Of the JSON's form; it changes when a field changes its meaning."""


def as_json(made: Answer) -> str:
    """One JSON object on one line."""
    return json.dumps(as_dict(made), ensure_ascii=False, allow_nan=False)


def as_dict(made: Answer) -> dict[str, Any]:
    """The answer as plain data; tensors have shape out + in, non-finite numbers are texts."""
    several = len(made.expressions) > 1
    found: dict[str, Any] = {
        "gradcalc": VERSION,
        "command": made.command,
        "expression": made.expressions if several else made.expressions[0],
        "value": None if made.value is None else plain(made.value),
    }
    if made.parts:
        found["parts"] = [
            {"expression": part.expression, "value": plain(part.value), "gradients": _tensors(part.gradients)}
            for part in made.parts
        ]
    found |= _derivative(made)
    if made.symbolic:
        found["symbolic"] = _by_label(
            made, {key: {"text": f.text, "latex": f.latex} for key, f in made.symbolic.items()}
        )
    if made.check is not None:
        found["check"] = _check(made.check)
    return found | {"points": made.points, "notes": made.notes}


def _derivative(made: Answer) -> dict[str, Any]:
    if made.command in ("grad", "vjp"):
        return {"gradients": _tensors(made.derivative)}
    if made.command == "jvp":
        return {"tangent": _tensor(made.derivative["jvp"])}
    if made.command == "eval":
        return {}
    return {made.command: _by_label(made, _tensors(made.derivative))}


def _by_label(made: Answer, found: dict[Any, Any]) -> dict[str, Any]:
    """Results by label; a Hessian's, which are by pairs, nested."""
    if made.command != "hessian":
        return found
    nested: dict[str, Any] = {}
    for (first, second), one in found.items():
        nested.setdefault(first, {})[second] = one
    return nested


def _tensors(arrays: dict[Any, Any]) -> dict[Any, Any]:
    return {label: _tensor(one) for label, one in arrays.items()}


def _tensor(one: Any) -> dict[str, Any]:
    return {"shape": list(np.shape(one)), "data": plain(one)}


def _check(check: Verdict) -> dict[str, Any]:
    gap = check.max_relative_difference
    found: dict[str, Any] = {
        "status": check.status,
        "method": f"{check.method} and {check.also}" if check.also else check.method,
        "max_relative_difference": None if gap is None else plain(gap),
        "entries": check.entries,
        "total": check.total,
        "reason": check.reason,
    }
    if check.worst is not None:
        name, ours, theirs = check.worst
        found["worst"] = {"entry": name, "ours": plain(ours), "theirs": plain(theirs)}
    return found


def results(made: Answer) -> dict[str, Any]:
    """What the command is about, as arrays by label: the derivative, or of `eval` the value."""
    if made.command == "eval":
        return {"value": made.value}
    return {", ".join(key) if isinstance(key, tuple) else key: one for key, one in made.derivative.items()}


def as_plain(made: Answer, precision: int) -> str:
    """The bare number or array; several each after a comment with its name."""
    return _named(made, "\n", lambda one: array(one, precision, whole=True))


def _named(made: Answer, between: str, form: Callable[[Any], str]) -> str:
    found = results(made)
    if len(found) == 1:
        return form(next(iter(found.values())))
    return between.join(f"# {label}\n{form(one)}" for label, one in found.items())


def as_csv(made: Answer, precision: int | None) -> str:
    """Rows of numbers with commas, the last axis in a row; several arrays each after a comment with its name."""
    return _named(made, "\n\n", lambda one: _rows(one, precision))


def _rows(one: Any, precision: int | None) -> str:
    one = np.asarray(one)
    table = one.reshape(-1, 1) if one.ndim < 2 else one.reshape(-1, one.shape[-1])
    return "\n".join(",".join(_cell(value, precision) for value in row) for row in table)


def _cell(value: Any, precision: int | None) -> str:
    return str(plain(value)) if precision is None else array(value, precision)


def as_python(made: Answer, precision: int | None) -> str:
    """A line of Python for each result, to paste beside `from numpy import array, inf, nan`."""
    lines = []
    for label, one in results(made).items():
        word = {"grad": "d_", "vjp": "d_", "hvp": "hvp_", "jacobian": "jacobian_", "hessian": "hessian_"}.get(
            made.command, ""
        )
        name = word + "".join(c if c.isidentifier() or c.isdigit() else "_" for c in label).strip("_")
        lines.append(f"{name} = array({_literal(np.asarray(one), precision)})")
    return "\n".join(lines)


def _literal(one: Any, precision: int | None) -> str:
    if one.size == 0:
        return f"[]).reshape({one.shape}"
    if precision is not None:
        return array(one, precision, whole=True)
    return str(plain(one)).replace("'", "")


def as_latex(made: Answer, precision: int) -> str:
    """SymPy's formulas, and the numbers as matrices, one equation a line."""
    lines = []
    for key, one in made.derivative.items():
        left = _latex_name(made, key)
        if key in made.symbolic:
            lines.append(f"{left} = {made.symbolic[key].latex}")
        lines.append(f"{left} = {_latex_array(np.asarray(one), precision)}")
    if made.command == "eval":
        lines.append(_latex_array(np.asarray(made.value), precision))
    return "\n".join(lines)


def _latex_name(made: Answer, key: Any) -> str:
    if made.command == "hessian":
        return rf"\frac{{\partial^2 f}}{{\partial {key[0]} \, \partial {key[1]}}}"
    if made.command in ("jvp", "hvp"):
        return rf"\mathrm{{{made.command}}}"
    return rf"\frac{{\partial f}}{{\partial {key}}}"


def _latex_array(one: Any, precision: int) -> str:
    if one.ndim == 0:
        return _latex_number(one, precision)
    table = one.reshape(-1, 1) if one.ndim == 1 else one.reshape(-1, one.shape[-1])
    rows = r" \\ ".join(" & ".join(_latex_number(value, precision) for value in row) for row in table)
    return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"


def _latex_number(value: Any, precision: int) -> str:
    return array(value, precision).replace("inf", r"\infty").replace("nan", r"\mathrm{nan}")
