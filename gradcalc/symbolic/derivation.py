"""One question derived: the graph over symbols, its derivatives, their numbers and formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..engine import evaluate
from ..exact import evaluate_exact, steps_of
from ..graph import toposort
from ..labels import pair_label
from ..solver import Formula, Question, Reply
from .mathematics import SympyMath, Watch

_MOST_SYMBOLS = 64  # entries of all inputs together, up to which each is a symbol
_MOST_ENTRIES = 400  # partial derivatives taken; of more, a sample
_DIGITS = 30  # to which SymPy's formula is evaluated
_LONGEST = 2_000  # characters of a formula that is still sent back


class Derivation:
    """One question being answered."""

    def __init__(self, question: Question, problem: Any, wanted: Sequence[Any]) -> None:
        self.m = SympyMath()
        self.question, self.problem, self.wanted = question, problem, wanted
        self.symbols: dict[Any, tuple[str, tuple[int, ...]]] = {}
        self.point: dict[Any, float] = {}
        self.values = self.symbolic_inputs()
        self.outputs = self.evaluated()

    def symbolic_inputs(self) -> dict[str, Any]:
        """Every entry of every input a symbol; of many, only those differentiated by, the others numbers."""
        problem = self.problem
        names = {target.node.attrs["name"] for target in self.wanted}
        used = {name: problem.values[name] for name in problem.inputs}
        few = sum(array.size for array in used.values()) <= _MOST_SYMBOLS
        values: dict[str, Any] = {}
        for name, array in used.items():
            made = np.empty(array.shape, object)
            symbolic = array.dtype != bool and (few or name in names) and name not in self.fixed()
            for place in np.ndindex(array.shape):
                finite = symbolic and np.isfinite(array[place])  # a symbol stands for a finite number
                made[place] = self.symbol(name, place, float(array[place])) if finite else self.number(array[place])
            values[name] = made
        return values

    def fixed(self) -> set[str]:
        """Inputs that decide shapes or places, so that they must stay numbers."""
        return {name for name, node in self.problem.inputs.items() if _is_place(node, self.problem.outputs)}

    def symbol(self, name: str, place: tuple[int, ...], value: float) -> Any:
        """The symbol of an entry, and where the derivative will be wanted."""
        text = f"{name}[{', '.join(map(str, place))}]" if place else name
        made = self.m.sp.Symbol(text, real=True)
        self.symbols[made] = (name, place)
        self.point[made] = value
        return made

    def number(self, value: Any) -> Any:
        """An input's number as it is, to the last bit."""
        return bool(value) if isinstance(value, (bool, np.bool_)) else self.m.exact(float(value))

    def evaluated(self) -> list[Any]:
        """The outputs as arrays of expressions; conditions in them count as 0 and 1."""
        steps = steps_of(self.problem.outputs)
        known = dict(zip(steps, evaluate(steps, self.problem.values), strict=True))
        outputs = evaluate_exact(self.problem.outputs, self.values, self.m, known)
        as_number = np.frompyfunc(lambda one: self.m.sp.sympify(self.m.real(one)), 1, 1)
        return [np.asarray(as_number(output), object) for output in outputs]

    # what is asked ------------------------------------------------------------------------------

    def reply(self) -> Reply:
        """The formulas and numbers of the derivative asked for."""
        formulas: dict[str, Formula] = {}
        numbers: dict[str, dict[int, float]] = {}
        special: dict[str, dict[int, str]] = {}
        for label, derivative in self.derivatives().items():
            chosen = self.chosen(len(derivative))
            exprs = {place: derivative[place]() for place in chosen}
            numbers[label], special[label] = self.evaluate(exprs)
            formula = self.formula(label, exprs, len(derivative))
            if formula is not None:
                formulas[label] = formula
        return Reply(formulas, numbers, special)

    def chosen(self, count: int) -> list[int]:
        """All places, or a sample spread by a fixed generator."""
        if count <= _MOST_ENTRIES:
            return list(range(count))
        picked = np.random.default_rng(0).choice(count, size=_MOST_ENTRIES // 8, replace=False)
        return sorted(map(int, picked))

    def derivatives(self) -> dict[str, list[Callable[[], Any]]]:
        """For each label its entries in row-major order, as functions so that a sample costs a sample."""
        command = self.question.command
        if command == "jacobian":
            output = self.outputs[0].ravel()
            return {t.label: [_diff(y, s) for y in output for s in self.entries(t)] for t in self.wanted}
        if command == "jvp":
            return {"jvp": [self.directional(y) for y in self.outputs[0].ravel()]}
        total = self.total()
        if command == "hessian":
            return {
                pair_label(a.label, b.label): [_diff(total, s, t) for s in self.entries(a) for t in self.entries(b)]
                for a in self.wanted
                for b in self.wanted
            }
        if command == "hvp":
            return {t.label: [self.directional(total, s) for s in self.entries(t)] for t in self.wanted}
        return {t.label: [_diff(total, s) for s in self.entries(t)] for t in self.wanted}

    def entries(self, target: Any) -> list[Any]:
        """The symbols of a target, in row-major order."""
        flat = self.values[target.node.attrs["name"]].ravel()
        return list(flat) if target.places is None else [flat[int(place)] for place in target.places.ravel()]

    def total(self) -> Any:
        """The sum of all outputs, each weighed by its seed."""
        parts = []
        for output, seed in zip(self.outputs, self.question.seeds, strict=True):
            weights = np.ones(output.shape) if seed is None else seed
            parts += [
                y if w == 1 else self.m.number(float(w)) * y
                for y, w in zip(output.ravel(), weights.ravel(), strict=True)
            ]
        return self.m.sp.Add(*parts)

    def directional(self, expression: Any, first: Any = None) -> Callable[[], Any]:
        """The derivative of an expression (first by one symbol, if given) along the question's directions."""
        sp = self.m.sp

        def make() -> Any:
            inner = expression if first is None else sp.diff(expression, first)
            return sp.Add(
                *(
                    self.m.number(float(weight)) * sp.diff(inner, s)
                    for target, direction in zip(self.wanted, self.question.directions, strict=True)
                    for s, weight in zip(self.entries(target), direction.ravel(), strict=True)
                    if weight != 0 and s.is_Symbol
                )
            )

        return make

    # numbers and formulas -----------------------------------------------------------------------

    def evaluate(self, exprs: Mapping[int, Any]) -> tuple[dict[int, float], dict[int, str]]:
        """The expressions at the inputs, with mpmath at 30 digits."""
        numbers: dict[int, float] = {}
        special: dict[int, str] = {}
        for place, expression in exprs.items():
            value = self.value(expression)
            if isinstance(value, str):
                special[place] = value
            else:
                numbers[place] = value
        return numbers, special

    def value(self, expression: Any) -> float | str:
        """One number, or why there is none."""
        if expression is None:
            return "an input that is not finite"
        if self.on_boundary(expression):
            return "a kink"
        if expression.has(*self.m.kinked):
            return self.watched_value(expression)
        exact = {s: self.m.exact(self.point[s]) for s in expression.free_symbols}
        try:
            return self.as_float(expression.evalf(_DIGITS, subs=exact))
        except (ZeroDivisionError, OverflowError, TypeError, ValueError):
            return "SymPy's formula has no value here"

    def as_float(self, value: Any) -> float | str:
        """A SymPy number as a float; or what kind of other thing it is."""
        if value.is_Float and value._prec == 1:  # SymPy's way to say that it found no digit that is not 0
            return 0.0
        if value.is_Float or value.is_Rational:
            number = float(value)
            return number if math.isfinite(number) else "SymPy's number is too large for a float"
        real, imaginary = value.as_real_imag()
        if imaginary.is_Float and imaginary != 0:
            return "SymPy's formula is complex here"
        return float(real) if real.is_Float else "SymPy's formula is not finite here"

    def watched_value(self, expression: Any) -> float | str:
        """The value of a formula of `sign` and the like, unless one of them is at its jump."""
        symbols = sorted(expression.free_symbols, key=str)
        names = [self.m.sp.Symbol(f"v_{i}", real=True) for i in range(len(symbols))]  # never a function's name
        renamed = expression.xreplace(dict(zip(symbols, names, strict=True)))
        watch = Watch(self.m.sp)
        function = self.m.sp.lambdify(names, renamed, modules=[watch.functions, "mpmath"], cse=True)
        mp = watch.mp
        with mp.workdps(_DIGITS):
            try:
                value = mp.mpmathify(function(*(mp.mpf(self.point[s]) for s in symbols)))
            except (ZeroDivisionError, ValueError, TypeError, OverflowError):
                return "SymPy's formula has no value here"
            if watch.kink:
                return "a kink"
            return self.as_float(self.m.sp.sympify(value))

    def on_boundary(self, expression: Any) -> bool:
        """Whether the point lies where a condition in the expression flips."""
        sp = self.m.sp
        for relation in expression.atoms(sp.core.relational.Relational):
            gap = (relation.lhs - relation.rhs).subs({s: self.m.exact(self.point[s]) for s in relation.free_symbols})
            if gap == 0 or gap.evalf(30) == 0:
                return True
        return False

    def formula(self, label: str, exprs: Mapping[int, Any], count: int) -> Formula | None:
        """One formula where all entries are alike but for their place; else a list of them, if short."""
        if not exprs or len(exprs) < count or any(one is None for one in exprs.values()):
            return None
        alike = self.alike(label, exprs)
        if alike is not None:
            return Formula(_text(alike), self.latex(alike))
        shape = self.shape(label)
        texts = [_text(exprs[i]) for i in range(count)]
        if sum(map(len, texts)) > _LONGEST:
            return None
        whole = self.m.sp.Array([exprs[i] for i in range(count)], shape) if shape else exprs[0]
        return Formula(_nested(texts, shape), self.latex(whole))

    def latex(self, expression: Any) -> str:
        """LaTeX in which entries are subscripts: `x_{0, 1}`."""
        names = {s: f"{name}_{{{', '.join(map(str, place))}}}" for s, (name, place) in self.symbols.items() if place}
        each = getattr(expression, "applyfunc", lambda function: function(expression))
        text: str = self.m.sp.latex(each(_readable), symbol_names=names)
        return text

    def shape(self, label: str) -> tuple[int, ...]:
        """The shape of the derivative with that label."""
        shapes = {t.label: (t.node.shape if t.places is None else t.places.shape) for t in self.wanted}
        out = self.problem.outputs[0].shape
        if self.question.command == "jvp":
            return tuple(out)
        if self.question.command == "jacobian":
            return (*out, *shapes[label])
        if self.question.command == "hessian":
            return next((*shapes[a], *shapes[b]) for a in shapes for b in shapes if pair_label(a, b) == label)
        return tuple(shapes[label])

    def alike(self, label: str, exprs: Mapping[int, Any]) -> Any | None:
        """The formula common to all entries, written with the inputs' names, if each uses only its own place."""
        if self.question.command not in ("grad", "vjp"):
            return None
        target = next(t for t in self.wanted if t.label == label)
        if target.places is not None or target.node.ndim == 0:
            return None
        common = None
        for place, expression in exprs.items():
            index = tuple(map(int, np.unravel_index(place, target.node.shape)))
            own = {s: self.symbols[s] for s in expression.free_symbols}
            if any(where not in ((), index) for _, where in own.values()):
                return None
            renamed = expression.xreplace({s: self.m.sp.Symbol(name, real=True) for s, (name, _) in own.items()})
            if common is not None and renamed != common:
                return None
            common = renamed
        return common


def _diff(expression: Any, *symbols: Any) -> Callable[[], Any]:
    """The derivative, when it is asked for; None by what is no symbol, since its number is not finite."""
    if not all(symbol.is_Symbol for symbol in symbols):
        return lambda: None
    return lambda: expression.diff(*symbols)


def _is_place(node: Any, outputs: Sequence[Any]) -> bool:
    """Whether an input is used as an index somewhere."""
    return any(
        node in below.inputs[i:]
        for below in toposort(outputs)
        for i in below.op.flat[:1]
        if below.op.name in ("gather", "add_gather", "put_gather")
    )


def _readable(expression: Any) -> Any:
    """Fractions that stand for floats as decimals again."""
    import sympy as sp

    floats = [r for r in expression.atoms(sp.Rational) if r.q > 64]
    return expression.xreplace({r: sp.Float(repr(float(r)), 17) for r in floats}) if floats else expression


def _text(expression: Any) -> str:
    import sympy as sp

    return str(sp.sstr(_readable(expression), full_prec=False)).replace("flat_", "")


def _nested(texts: Sequence[str], shape: tuple[int, ...]) -> str:
    """Texts as nested lists of a shape."""
    parts = list(texts)
    for length in reversed(shape):
        parts = [f"[{', '.join(parts[i : i + length])}]" for i in range(0, len(parts), length)]
    return parts[0] if parts else "[]"
