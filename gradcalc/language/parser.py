"""Tokens to syntax tree: a Pratt parser whose operators come from the operations' own records.

program     statement ((";" | newline) statement)*
statement   ("return"? expression) | (target ("=" | "+=" | …) expression)
expression  prefix (infix expression | "if" expression "else" expression | postfix)*
prefix      number | string | name | "(" … ")" | "[" … "]" | ("-" | "+" | "~" | "not") expression
postfix     "(" arguments ")" | "[" index "]" | "." name
"""

from __future__ import annotations

from typing import Any

from .. import ops  # noqa: F401  (fills the catalogue that the operators below are read from)
from ..errors import GradcalcError, Label, Source, Span
from ..graph import CATALOGUE, SPELLINGS, Op
from .dialects import PREFIXES, prefixes_in
from .syntax import (
    Argument,
    Assign,
    Attribute,
    Binary,
    Call,
    Comparison,
    Conditional,
    Dots,
    Evaluate,
    Expression,
    Name,
    Number,
    Program,
    Sequence,
    Slice,
    Statement,
    Subscript,
    Text,
    Unary,
)
from .tokens import Token, tokenize
from .trampoline import Steps, run

OPERATORS: dict[str, Op] = {entry.infix: entry for entry in CATALOGUE.values() if isinstance(entry, Op) and entry.infix}
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_RIGHT_TO_LEFT = {"**"}
_TERNARY, _OR, _AND, _NOT = 10, 20, 25, 30
_UNARY = CATALOGUE["negative"].binds  # type: ignore[union-attr]
_BINDS = {symbol: op.binds for symbol, op in OPERATORS.items()} | {"or": _OR, "and": _AND, "^": OPERATORS["**"].binds}
_NOT_READ = {
    "for": ("loops and comprehensions are not read", "write it with whole arrays: `sum(x**2)`"),
    "while": ("loops are not read", "write it with whole arrays"),
    "def": ("functions cannot be defined", "write the body as statements: `y = x**2; sum(y)`"),
    "lambda": ("functions cannot be defined", "write the expression itself"),
    "class": ("classes cannot be defined", "write the expression itself"),
    "if": ("`if` statements are not read", "choose with `where(condition, a, b)`, or `a if condition else b`"),
    "with": ("`with` is not read", "write the expression itself"),
    "yield": ("`yield` is not read", "write the expression itself"),
    "del": ("`del` is not read", "leave it out"),
    "assert": ("`assert` is not read", "leave it out"),
    "raise": ("`raise` is not read", "leave it out"),
    "global": ("`global` is not read", "leave it out"),
    "pass": ("`pass` is not read", "leave it out"),
    "try": ("`try` is not read", "write the expression itself"),
    "await": ("`await` is not read", "write the expression itself"),
    "is": ("`is` does not compare numbers", "write `==`"),
    "in": ("`in` is not read", "compare with `==`"),
}
"""Words of Python that the language has no use for, and what to write instead."""
_KEYWORDS = {"and", "or", "not", "else", "return", "import", "from", *_NOT_READ}
POWER_NOTE = "`^` was read as a power, as `**` is"


def parse(source: Source) -> Program:
    """The syntax tree of a text; raises GradcalcError(kind="syntax") with the place."""
    return _Parser(source).program()


class _Parser:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokenize(source)
        self.at = 0
        self.notes: list[str] = []
        self.prefixes = set(prefixes_in(self.tokens))

    # tokens -------------------------------------------------------------------------------------

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def sees(self, *texts: str) -> bool:
        token = self.tokens[self.at]
        return token.text in texts and token.kind in ("operator", "name")

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.sees(*texts) else None

    def span(self, start: int, end: int | None = None) -> Span:
        return Span(self.source, start, self.tokens[self.at - 1].end if end is None else end)

    def place(self, token: Token) -> Span:
        """Where a token is; the end of the text is shown as one place behind it."""
        return Span(self.source, token.start, max(token.end, token.start + (token.kind == "end")))

    def foreign(self) -> GradcalcError | None:
        """The error for a word of Python that is not read here, if that is what comes next."""
        token = self.next
        if token.kind == "string" and self.at and self.tokens[self.at - 1].text == "f":
            return GradcalcError("syntax", "formatted strings are not read", labels=[Label(self.place(token))])
        if token.kind != "name" or token.text not in _NOT_READ:
            return None
        message, help = _NOT_READ[token.text]
        return GradcalcError("syntax", message, labels=[Label(self.place(token))], helps=[help])

    def expect(self, text: str, opened: Token, what: str) -> Token:
        """The closing bracket, or an error that shows both where it was opened and where it is missing."""
        token = self.accept(text)
        if token is None:
            if (foreign := self.foreign()) is not None:
                raise foreign
            labels = [Label(self.place(self.next), f"expected `{text}`"), Label(self.place(opened), "", primary=False)]
            raise GradcalcError("syntax", f"{what} is not closed", labels=labels, helps=self.juxtaposed())
        return token

    def juxtaposed(self) -> list[str]:
        """Help for two things side by side, as in `2x` or `(a)(b)`, which mathematics multiplies."""
        before = self.tokens[self.at - 1] if self.at else self.next
        left = before.kind in ("number", "name") or before.text in (")", "]")
        right = self.next.kind in ("number", "name") or self.next.text in ("(", "[")
        if before.kind == "number" and self.next.kind == "number" and self.next.text.startswith("."):
            return ["a number has one point"]
        if before.kind == "name" and self.next.kind in ("number", "name") and before.text in SPELLINGS:
            return [f"call it with brackets: `{before.text}({self.next.text})`"]
        if left and right and before.text not in _KEYWORDS and self.next.text not in _KEYWORDS:
            between = f": `{before.text}*{self.next.text}`" if before.kind in ("number", "name") else " between them"
            return [f"to multiply, write `*`{between}"]
        if self.next.text == "=":
            return ["to compare, write `==`"]
        return []

    def unexpected(self, expected: str) -> GradcalcError:
        token = self.next
        if (foreign := self.foreign()) is not None:
            return foreign
        before = self.tokens[self.at - 1] if self.at else None
        labels = [Label(self.place(token), f"expected {expected}")]
        if before is not None and before.kind == "operator":
            labels.append(Label(self.place(before), "", primary=False))
            return GradcalcError("syntax", f"expected {expected} after `{before.text}`", labels=labels)
        shown = (
            f"`{token.text}`"
            if token.kind not in ("end", "newline")
            else "the end of the text"
            if token.kind == "end"
            else "the end of the line"
        )
        return GradcalcError("syntax", f"expected {expected}, found {shown}", labels=labels, helps=self.juxtaposed())

    # statements ---------------------------------------------------------------------------------

    def program(self) -> Program:
        statements: list[Statement] = []
        while True:
            while self.next.kind == "newline" or self.sees(";"):
                self.take()
            if self.next.kind == "end":
                break
            if self.next.kind == "name" and self.next.text in ("import", "from"):
                self.imported()
                continue
            statements.append(run(self.statement()))
            if self.next.kind not in ("end", "newline") and not self.sees(";"):
                raise self.trailing()
        if not statements:
            raise GradcalcError(
                "syntax",
                "there is no expression",
                labels=[Label(Span(self.source, 0, 1))],
                helps=['write one: `gradcalc grad "x**2" --x 3`'],
            )
        return Program(self.source, tuple(statements), frozenset(self.prefixes), tuple(self.notes))

    def imported(self) -> None:
        """An import line: passed over where it gives names the meaning that they have here, else refused."""
        start = self.at
        while self.next.kind not in ("newline", "end") and not self.sees(";"):
            self.take()
        tokens = self.tokens[start : self.at]
        words = [token.text for token in tokens if token.kind == "name"]
        span = Span(self.source, tokens[0].start, tokens[-1].end)
        module = words[1] if len(words) > 1 else ""
        alias = words[words.index("as") + 1] if "as" in words[:-1] else None
        if words[0] == "from" and PREFIXES.get(module) == "torch":
            self.prefixes.add("torch")
        if alias is not None and (words[0] == "from" or PREFIXES.get(alias) != PREFIXES.get(module)):
            known = ", ".join(
                f"`{word}`" for word, meant in PREFIXES.items() if meant and meant == PREFIXES.get(module)
            )
            helps = [f"use the usual name: {known}"] if known else ["leave it out, and use the functions' own names"]
            message = f"`{alias}` cannot stand for this here"
            raise GradcalcError("syntax", message, labels=[Label(span)], helps=helps)

    def trailing(self) -> GradcalcError:
        token = self.next
        if token.text in (")", "]", "}"):
            return GradcalcError("syntax", f"`{token.text}` closes nothing", labels=[Label(self.place(token))])
        if (foreign := self.foreign()) is not None:
            return foreign
        helps = self.juxtaposed()
        shown = f"`{token.text}`"
        return GradcalcError(
            "syntax", f"unexpected {shown} after a complete expression", labels=[Label(self.place(token))], helps=helps
        )

    def statement(self) -> Steps:
        start = self.next.start
        if self.next.kind == "name" and self.next.text == "return":
            self.take()
        target = yield self.listed()
        if self.sees("="):
            self.take()
            value = yield self.listed()
            self.check_target(target)
            return Assign(self.span(start), target, None, value)
        if (
            self.next.kind == "operator"
            and self.next.text.endswith("=")
            and self.next.text[:-1] in OPERATORS
            and self.next.text not in _COMPARISONS
        ):
            operator = self.take().text[:-1]
            value = yield self.listed()
            self.check_target(target)
            return Assign(self.span(start), target, operator, value)
        return Evaluate(self.span(start), target)

    def check_target(self, target: Expression) -> None:
        parts: list[Any] = list(target.items) if isinstance(target, Sequence) else [target]
        for part in parts:
            if isinstance(part, Name) and part.name in ("True", "False", "None"):
                raise GradcalcError("syntax", f"`{part.name}` cannot be given another value", labels=[Label(part.span)])
            if not isinstance(part, Name) and not (isinstance(part, Subscript) and isinstance(part.value, Name)):
                raise GradcalcError(
                    "syntax",
                    "only a name or an element of one can be assigned to",
                    labels=[Label(part.span)],
                    helps=["to compare, write `==`"],
                )

    def listed(self) -> Steps:
        """An expression, or several with commas between them: a tuple."""
        start = self.next.start
        first = yield self.expression(0)
        if not self.sees(","):
            return first
        items = [first]
        while self.accept(","):
            if self.next.kind in ("end", "newline") or self.sees("=", ";"):
                break
            items.append((yield self.expression(0)))
        return Sequence(self.span(start), tuple(items), "(")

    # expressions --------------------------------------------------------------------------------

    def expression(self, minimum: int) -> Steps:
        """An expression whose operators bind tighter than `minimum`."""
        start = self.next.start
        left = yield self.prefix()
        while True:
            token = self.next
            text = token.text
            if token.kind == "operator" and text in ("(", "[", "."):
                left = yield self.postfix(left, start)
                continue
            if token.kind == "name" and text == "if" and minimum < _TERNARY:
                left = yield self.conditional(left, start)
                continue
            binds = _BINDS.get(text) if token.kind in ("operator", "name") else None
            if binds is None or binds <= minimum:
                return left
            if text in _COMPARISONS:
                left = yield self.comparison(left, start)
                continue
            self.take()
            if text == "^":
                text = "**"
                if POWER_NOTE not in self.notes:
                    self.notes.append(POWER_NOTE)
            place = self.span(token.start)
            right = yield self.expression(_UNARY - 1 if text in _RIGHT_TO_LEFT else binds)
            left = Binary(self.span(start), text, left, right, place)

    def prefix(self) -> Steps:
        token = self.next
        if token.kind == "number":
            self.take()
            return Number(self.span(token.start), self.number(token))
        if token.kind == "string":
            self.take()
            quotes = 3 if token.text[:3] in ("'''", '"""') and len(token.text) > 5 else 1
            return Text(self.span(token.start), token.text[quotes:-quotes])
        if token.kind == "name" and token.text == "not":
            self.take()
            operand = yield self.expression(_NOT)
            return Unary(self.span(token.start), "not", operand)
        if token.kind == "name" and token.text not in _KEYWORDS:
            self.take()
            return Name(self.span(token.start), token.text)
        if token.text in ("-", "+", "~") and token.kind == "operator":
            self.take()
            operand = yield self.expression(_UNARY)
            return Unary(self.span(token.start), token.text, operand)
        if token.kind == "operator" and token.text in ("(", "["):
            return (yield self.bracketed())
        if token.kind == "operator" and token.text == "...":
            self.take()
            return Dots(self.span(token.start))
        if token.text == "|":
            raise GradcalcError(
                "syntax",
                "bars do not mean a size here",
                labels=[Label(self.place(token))],
                helps=["write `abs(x)` or `norm(x)`"],
            )
        raise self.unexpected("a number, a name, or `(`")

    def number(self, token: Token) -> float:
        text = token.text.replace("_", "")
        value = float(int(text, 0)) if text[:2].lower() in ("0x", "0b") else float(text)
        if self.next.kind == "name" and self.next.start == token.end and self.next.text in ("j", "J"):
            raise GradcalcError(
                "syntax", "complex numbers are not read here", labels=[Label(self.span(token.start, self.next.end))]
            )
        return value

    def bracketed(self) -> Steps:
        """`(a)`, `(a, b)`, `[a, b]`."""
        opened = self.take()
        close = {"(": ")", "[": "]"}[opened.text]
        what = "a bracket" if opened.text == "(" else "a list"
        items: list[Expression] = []
        comma = False
        while not self.sees(close):
            if self.next.kind == "end":
                self.expect(close, opened, what)
            items.append((yield self.expression(0)))
            if not self.accept(","):
                comma = False
                break
            comma = True
        self.expect(close, opened, what)
        if opened.text == "(" and len(items) == 1 and not comma:
            return _widened(items[0], self.span(opened.start))
        return Sequence(self.span(opened.start), tuple(items), opened.text)

    def conditional(self, then: Expression, start: int) -> Steps:
        opened = self.take()
        condition = yield self.expression(_TERNARY)
        if not self.accept("else"):
            labels = [Label(self.place(self.next), "expected `else`"), Label(self.place(opened), "", primary=False)]
            raise GradcalcError("syntax", "a condition needs both branches: `a if condition else b`", labels=labels)
        otherwise = yield self.expression(_TERNARY - 1)
        return Conditional(self.span(start), condition, then, otherwise)

    def comparison(self, first: Expression, start: int) -> Steps:
        rest: list[tuple[str, Expression, Span]] = []
        while self.sees(*_COMPARISONS):
            token = self.take()
            place = self.span(token.start)
            rest.append((token.text, (yield self.expression(_BINDS[token.text])), place))
        return Comparison(self.span(start), first, tuple(rest))

    def postfix(self, left: Expression, start: int) -> Steps:
        opened = self.take()
        if opened.text == ".":
            token = self.take() if self.next.kind == "name" else None
            if token is None:
                raise self.unexpected("a name")
            return Attribute(self.span(start), left, token.text, self.span(token.start))
        if opened.text == "(":
            arguments: list[Argument] = []
            while not self.sees(")"):
                arguments.append((yield self.argument(opened)))
                if not self.accept(","):
                    break
            self.expect(")", opened, "a call")
            return Call(self.span(start), left, tuple(arguments))
        parts: list[Expression] = []
        while not self.sees("]"):
            parts.append((yield self.index_part(opened)))
            if not self.accept(","):
                break
        self.expect("]", opened, "an index")
        if not parts:
            raise GradcalcError(
                "syntax",
                "an index is empty",
                labels=[Label(self.span(opened.start))],
                helps=["write `x[0]`, or `x[:]` for all of it"],
            )
        return Subscript(self.span(start), left, tuple(parts))

    def argument(self, opened: Token) -> Steps:
        token = self.next
        if token.kind == "end":
            self.expect(")", opened, "a call")
        after = self.tokens[self.at + 1] if token.kind == "name" else token
        name = None
        if token.kind == "name" and after.kind == "operator" and after.text == "=":
            name = self.take().text
            self.take()
        value = yield self.expression(0)
        return Argument(name, value, self.span(token.start))

    def index_part(self, opened: Token) -> Steps:
        """One part of an index: an expression or a slice."""
        start = self.next.start
        if self.next.kind == "end":
            self.expect("]", opened, "an index")
        bounds: list[Expression | None] = [None, None, None]
        count = 0
        while True:
            if not self.sees(":", ",", "]"):
                bounds[count] = yield self.expression(0)
            if count == 2 or not self.accept(":"):
                break
            count += 1
        if count == 0:
            if bounds[0] is None:
                raise self.unexpected("an index")
            return bounds[0]
        return Slice(self.span(start), *bounds)


def _widened(inner: Expression, span: Span) -> Expression:
    """An expression in brackets: the same, but underlined with its brackets."""
    return inner._replace(span=span)
