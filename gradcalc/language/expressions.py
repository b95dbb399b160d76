"""Tokens to expressions: a Pratt parser whose operators come from the operations' own records.

expression  prefix (infix expression | "if" expression "else" expression | postfix)*
prefix      number | string | name | "(" … ")" | "[" … "]" | "{" … "}" | ("-" | "+" | "~" | "not") expression
            | "lambda" parameters ":" expression
postfix     "(" arguments ")" | "[" index "]" | "." name
inside "(" and "[": items, or expression ("for" targets "in" expression ("if" expression)*)+
"""

from __future__ import annotations

import re

from .. import ops  # noqa: F401  (fills the catalogue that the operators below are read from)
from ..errors import GradcalcError, Label, Source, Span
from ..graph import CATALOGUE, SPELLINGS, Op
from .syntax import (
    Argument,
    Attribute,
    Binary,
    Call,
    Clause,
    Comparison,
    Comprehension,
    Conditional,
    Dictionary,
    Dots,
    Expression,
    Formatted,
    Lambda,
    Name,
    Number,
    Parameter,
    Sequence,
    Slice,
    Starred,
    Subscript,
    Text,
    Unary,
    Unread,
)
from .tokens import Token, tokenize
from .trampoline import Steps

OPERATORS: dict[str, Op] = {one.infix: one for one in CATALOGUE.loaded() if isinstance(one, Op) and one.infix}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_MEMBERSHIP = {"in", "is"}
_RIGHT_TO_LEFT = {"**"}
_STRING_PREFIXES = {"f", "r", "b", "u", "rf", "fr", "rb", "br"}
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}
_TERNARY, _OR, _AND, _NOT = 10, 20, 25, 30
_UNARY = CATALOGUE["negative"].binds  # type: ignore[union-attr]
_BINDS = {symbol: op.binds for symbol, op in OPERATORS.items()} | {"or": _OR, "and": _AND, "^": OPERATORS["**"].binds}
_NOT_READ = {
    "for": ("a loop does not belong here", "begin a line with it, or write `[f(x) for x in xs]`"),
    "while": ("a loop does not belong here", "begin a line with it"),
    "def": ("a function is not defined here", "begin a line with it, or write `lambda x: x**2`"),
    "class": ("classes are not read", "write what it computes as a function of all its arrays: `def loss(x, W, b): …`"),
    "if": ("a condition does not belong here", "choose with `where(condition, a, b)`, or `a if condition else b`"),
    "elif": ("`elif` follows the lines of an `if`", "begin with `if`"),
    "with": ("`with` is not read", "leave it out, and indent its lines less"),
    "yield": ("generators are not read", "collect what it yields in a list, and return that"),
    "del": ("`del` does not belong here", "begin a line with it"),
    "assert": ("`assert` does not belong here", "begin a line with it"),
    "raise": ("`raise` does not belong here", "begin a line with it"),
    "global": ("`global` is not read", "pass the value as an argument, and return it"),
    "nonlocal": ("`nonlocal` is not read", "pass the value as an argument, and return it"),
    "pass": ("`pass` does not belong here", "leave it out"),
    "try": ("`try` is not read", "keep what it tries, without `try`"),
    "except": ("`except` is not read", "leave it out"),
    "finally": ("`finally` is not read", "leave it out"),
    "await": ("`await` is not read", "leave it out"),
    "async": ("`async` is not read", "leave it out"),
    "return": ("`return` does not belong here", "begin a line with it"),
    "break": ("`break` does not belong here", "begin a line with it"),
    "continue": ("`continue` does not belong here", "begin a line with it"),
    "is": ("`is` has nothing to compare here", "write `x is None`"),
    ":=": ("`:=` is not read", "give the name its value on a line before: `n = …`"),
    "in": ("`in` has nothing to look for here", "write `for x in xs` or `x in xs`"),
}
"""Words of Python in a place where they cannot stand, and what to write instead."""
_BRACES = re.compile(r"\{\{|\{[^{}]*\}|(?:[^{]|\}\})+|\{")
KEYWORDS = {"and", "or", "not", "else", "import", "from", "lambda", *_NOT_READ}
FORMATTED = "formatted strings are not read"
POWER_NOTE = "`^` was read as a power, as `**` is"


class Expressions:
    """A place in a text, from which expressions are read; raises GradcalcError(kind="syntax") with the place."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokenize(source)
        self.at = 0
        self.notes: list[str] = []

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
        if token.text not in _NOT_READ or token.kind not in ("name", "operator"):
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
        if left and right and before.text not in KEYWORDS and self.next.text not in KEYWORDS:
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

    def listed(self) -> Steps:
        """An expression, or several with commas between them: a tuple."""
        start = self.next.start
        first = yield self.item()
        if not self.sees(","):
            return first
        items = [first]
        while self.accept(","):
            if self.next.kind in ("end", "newline") or self.sees("=", ";"):
                break
            items.append((yield self.item()))
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
            binds = self.binds(token)
            if binds is None or binds <= minimum:
                return left
            if text in COMPARISONS or text in _MEMBERSHIP or text == "not":
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

    def binds(self, token: Token) -> int | None:
        """How tightly an infix operator binds; None for anything else."""
        if token.kind not in ("operator", "name"):
            return None
        after = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if token.text in _MEMBERSHIP or (token.text == "not" and after.text == "in"):
            return _BINDS["<"]
        return _BINDS.get(token.text)

    def prefix(self) -> Steps:
        token = self.next
        if token.kind == "number":
            self.take()
            return Number(self.span(token.start), self.number(token))
        after = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if token.kind == "string" or (
            after.kind == "string" and after.start == token.end and token.text.lower() in _STRING_PREFIXES
        ):
            return (yield self.string())
        if token.kind == "name" and token.text == "lambda":
            return (yield self.anonymous())
        if token.kind == "name" and token.text == "not":
            self.take()
            operand = yield self.expression(_NOT)
            return Unary(self.span(token.start), "not", operand)
        if token.kind == "name" and token.text not in KEYWORDS:
            self.take()
            return Name(self.span(token.start), token.text)
        if token.text in ("-", "+", "~") and token.kind == "operator":
            self.take()
            operand = yield self.expression(_UNARY)
            return Unary(self.span(token.start), token.text, operand)
        if token.kind == "operator" and token.text in ("(", "["):
            return (yield self.bracketed())
        if token.kind == "operator" and token.text == "{":
            return (yield self.dictionary())
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

    def string(self) -> Steps:
        """A string, or several side by side, which are one."""
        start = self.next.start
        parts: list[Expression] | None = []
        while self.next.kind == "string" or self.next.text.lower() in _STRING_PREFIXES:
            formatted = "f" in self.next.text.lower() and self.next.kind == "name"
            if self.next.kind == "name":
                self.take()
            if self.next.kind != "string":
                break
            piece = self.take()
            quotes = 3 if piece.text[:3] in ("'''", '"""') and len(piece.text) > 5 else 1
            inside = Span(self.source, piece.start + quotes, piece.end - quotes)
            found = (yield self.formatted(inside)) if formatted else [Text(inside, inside.text)]
            parts = None if parts is None or found is None else parts + found
        span = self.span(start)
        if parts is None:
            helps = ["write the text itself, or leave it out"]
            return Unread(span, GradcalcError("syntax", FORMATTED, labels=[Label(span)], helps=helps))
        if all(isinstance(one, Text) for one in parts):
            return Text(span, "".join(one.value for one in parts if isinstance(one, Text)))
        return Formatted(span, tuple(parts))

    def formatted(self, inside: Span) -> Steps:
        """The texts and expressions of `f"w{i}"`; None if it says how to write a number, or is not understood."""
        found: list[Expression] = []
        for piece in _BRACES.finditer(inside.text):
            start, end = inside.start + piece.start(), inside.start + piece.end()
            if not piece[0].startswith("{") or piece[0] == "{{":
                found.append(Text(Span(self.source, start, end), piece[0].replace("{{", "{").replace("}}", "}")))
                continue
            blank = " " * (start + 1)  # so that places are those in the whole text
            inner = Expressions(Source(self.source.name, blank + piece[0][1:-1]))
            inner.source = self.source
            try:
                found.append((yield inner.expression(0)))
            except GradcalcError:
                return None
            if inner.next.kind != "end":
                return None
        return found

    def anonymous(self) -> Steps:
        """`lambda x, n=2: x**n`."""
        opened = self.take()
        parameters = yield self.parameters(":", annotated=False)
        self.expect(":", opened, "`lambda`")
        body = yield self.expression(0)
        return Lambda(self.span(opened.start), tuple(parameters), body)

    def parameters(self, close: str, *, annotated: bool) -> Steps:
        """The parameters of a function up to `close`, which is left; annotations are passed over."""
        found: list[Parameter] = []
        by_name = ""
        while not self.sees(close):
            start = self.next.start
            if self.accept("/"):
                self.accept(",")
                continue
            kind = self.take().text if self.sees("*", "**") else ""
            by_name = "=" if kind == "*" else by_name
            if kind == "*" and self.sees(","):
                self.take()
                continue
            if self.next.kind != "name" or self.next.text in KEYWORDS:
                raise self.unexpected("a parameter")
            name = self.take().text
            if annotated and self.accept(":"):
                yield self.expression(0)
            default = None
            if self.accept("="):
                default = yield self.expression(0)
            found.append(Parameter(name, default, kind or by_name, self.span(start)))
            if not self.accept(","):
                break
        return found

    def dictionary(self) -> Steps:
        """`{"w": w, "b": b, **more}`, or `{name: f(p) for name, p in …}`."""
        opened = self.take()
        items: list[tuple[Expression | None, Expression]] = []
        while not self.sees("}"):
            if self.accept("**"):
                items.append((None, (yield self.expression(0))))
                if not self.accept(","):
                    break
                continue
            start = self.next.start
            key = yield self.expression(0)
            if not self.accept(":"):
                return self.unread(opened, "sets are not read", "write a list: `[1, 2]`")
            value = yield self.expression(0)
            if self.sees("for") and not items:
                pair = Sequence(self.span(start), (key, value), "(")
                clauses = yield self.clauses()
                self.expect("}", opened, "a dictionary")
                return Comprehension(self.span(opened.start), pair, clauses, "{")
            items.append((key, value))
            if not self.accept(","):
                break
        self.expect("}", opened, "a dictionary")
        return Dictionary(self.span(opened.start), tuple(items))

    def unread(self, opened: Token, message: str, help: str) -> Unread:
        """What follows up to the end of its brackets, or of the line: not read, which is an error once it is needed."""
        depth = self.depth_before(opened)
        while self.next.kind != "end" and not (depth == 0 and self.next.kind == "newline"):
            depth += (self.next.text in _OPENING) - (self.next.text in _CLOSING)
            self.take()
            if depth <= 0 and opened.text in _OPENING:
                break
        span = self.span(opened.start)
        return Unread(span, GradcalcError("syntax", message, labels=[Label(span)], helps=[help]))

    def depth_before(self, opened: Token) -> int:
        """How many brackets are open here that were not before a token, counting itself."""
        taken = [
            token.text for token in self.tokens[: self.at] if token.start >= opened.start and token.kind == "operator"
        ]
        return sum(text in _OPENING for text in taken) - sum(text in _CLOSING for text in taken)

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
            items.append((yield self.item()))
            if self.sees("for") and len(items) == 1:
                clauses = yield self.clauses()
                self.expect(close, opened, what)
                return Comprehension(self.span(opened.start), items[0], clauses, opened.text)
            if not self.accept(","):
                comma = False
                break
            comma = True
        self.expect(close, opened, what)
        if opened.text == "(" and len(items) == 1 and not comma:
            return _widened(items[0], self.span(opened.start))
        return Sequence(self.span(opened.start), tuple(items), opened.text)

    def item(self) -> Steps:
        """An item of a list, or `*several`."""
        if not self.sees("*"):
            return (yield self.expression(0))
        start = self.take().start
        value = yield self.expression(0)
        return Starred(self.span(start), value)

    def clauses(self) -> Steps:
        """`for i in range(3) if i > 0`, as often as it stands there."""
        found: list[Clause] = []
        while opened := self.accept("for"):
            target = yield self.targets()
            if not self.accept("in"):
                raise self.unfinished(opened, "in", "a loop needs what it goes through: `for x in xs`")
            iterable = yield self.expression(_TERNARY)
            conditions: list[Expression] = []
            while self.accept("if"):
                conditions.append((yield self.expression(_TERNARY)))
            found.append(Clause(target, iterable, tuple(conditions)))
        return tuple(found)

    def unfinished(self, opened: Token, expected: str, message: str) -> GradcalcError:
        """The error for a word that should follow, with the place where it was begun."""
        if (foreign := self.foreign()) is not None and self.next.text != expected:
            return foreign
        labels = [Label(self.place(self.next), f"expected `{expected}`"), Label(self.place(opened), "", primary=False)]
        return GradcalcError("syntax", message, labels=labels)

    def targets(self) -> Steps:
        """What a loop assigns to: `i`, or `i, (a, b)`."""
        start = self.next.start
        items = [(yield self.target())]
        while self.accept(","):
            if self.sees("in"):
                break
            items.append((yield self.target()))
        return items[0] if len(items) == 1 else Sequence(self.span(start), tuple(items), "(")

    def target(self) -> Steps:
        """One thing that is assigned to: `i`, `n[0]`, `*rest`, or several in brackets."""
        if self.sees("*"):
            start = self.take().start
            return Starred(self.span(start), (yield self.target()))
        return (yield self.expression(_BINDS["<"]))

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
        while self.sees(*COMPARISONS) or (self.binds(self.next) == _BINDS["<"] and self.next.kind == "name"):
            start_of_operator = self.next.start
            operator = self.take().text
            if operator in ("is", "not") and self.sees({"is": "not", "not": "in"}[operator]):
                operator += f" {self.take().text}"
            place = self.span(start_of_operator)
            rest.append((operator, (yield self.expression(_BINDS["<"])), place))
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
        stars = self.take().text if name is None and self.sees("*", "**") else ""
        value = yield self.expression(0)
        if self.sees("for") and not stars and name is None:
            clauses = yield self.clauses()
            value = Comprehension(self.span(token.start), value, clauses, "(")
        value = Starred(self.span(token.start), value) if stars == "*" else value
        return Argument("**" if stars == "**" else name, value, self.span(token.start))

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
