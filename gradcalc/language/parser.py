"""Text to syntax tree: statements and their blocks, made of expressions.

program     statement*
statement   simple (";" statement)* newline | compound
simple      "return" expression? | target ("=" target)* "=" expression | target "+=" expression | expression
            | "break" | "continue" | "pass" | "import" … | "assert" … | "del" … | "raise" …
compound    "def" name "(" parameters ")" block | "for" targets "in" expression block ("else" block)?
            | "while" expression block ("else" block)? | "if" expression block ("elif" …)* ("else" block)?
block       ":" statement | ":" newline, and all following lines that are indented more

What Python knows and this language does not is an error only once it is evaluated, so that a function can be
read from a file in which other things stand as well.
"""

from __future__ import annotations

from typing import Any

from ..errors import GradcalcError, Label, Source, Span
from .dialects import PREFIXES, prefixes_in
from .expressions import COMPARISONS, OPERATORS, Expressions
from .syntax import (
    Assign,
    Block,
    Define,
    Evaluate,
    Expression,
    For,
    If,
    Jump,
    Name,
    Parameter,
    Program,
    Return,
    Sequence,
    Starred,
    Statement,
    Subscript,
    Unary,
    Unread,
    While,
)
from .tokens import Token
from .trampoline import Steps, run

_COMPOUND = {"with", "class", "try", "async"}
_JUMPS = {"break", "continue"}
_HARMLESS_DECORATORS = {
    "jit",
    "njit",
    "compile",
    "script",
    "staticmethod",
    "cache",
    "lru_cache",
    "typechecked",
    "jaxtyped",
}
"""Decorators that change how fast a function is, or nothing, but not what it computes."""


def parse(source: Source) -> Program:
    """The syntax tree of a text; raises GradcalcError(kind="syntax") with the place."""
    return _Statements(source).program()


class _Statements:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = Expressions(source)
        self.aliases: dict[str, tuple[str, ...]] = {}
        self.imported: set[str] = set()

    # places -------------------------------------------------------------------------------------

    def column(self, token: Token) -> int:
        """How far a token stands from the start of its line; a tab reaches to the next multiple of 8."""
        line = self.source.text.rfind("\n", 0, token.start) + 1
        return len(self.source.text[line : token.start].expandtabs(8))

    def indentation(self, token: Token) -> int:
        """How far the line that a token is in is indented."""
        line = self.source.text.rfind("\n", 0, token.start) + 1
        blank = len(self.source.text[line:]) - len(self.source.text[line:].lstrip(" \t"))
        return len(self.source.text[line : line + blank].expandtabs(8))

    def skip_blank(self) -> None:
        while self.text.next.kind == "newline" or self.text.sees(";"):
            self.text.take()

    # programs -----------------------------------------------------------------------------------

    def program(self) -> Program:
        statements: list[Statement] = []
        while True:
            self.skip_blank()
            if self.text.next.kind == "end":
                break
            run(self.at_top(statements))
        if not statements:
            raise GradcalcError(
                "syntax",
                "there is no expression",
                labels=[Label(Span(self.source, 0, 1))],
                helps=['write one: `gradcalc grad "x**2" --x 3`'],
            )
        prefixes = prefixes_in(self.text.tokens, self.aliases)
        notes, imported = tuple(self.text.notes), frozenset(self.imported)
        return Program(self.source, tuple(statements), prefixes, self.aliases, imported, notes)

    def at_top(self, statements: list[Statement]) -> Steps:
        """The next statements; where only one function of a file is asked for, others need not be readable."""
        start = self.text.at
        try:
            yield self.statement(statements)
        except GradcalcError as error:
            if self.source.entry is None:
                raise
            self.text.at = start
            first = self.text.next
            column = self.indentation(first)
            self.skip_lines(column)
            while first.text == "@":  # what it changes is not read either
                self.skip_blank()
                first = self.text.next
                self.skip_lines(column)
            statements.append(self.unread(first, error))

    def unread(self, first: Token, error: GradcalcError) -> Statement:
        """What was passed over from a token on to here: an error once it, or the name that it defines, is needed."""
        span = error.labels[0].span
        value = Unread(span, error, self.assigned_since(first))
        tokens = self.text.tokens
        at = tokens.index(first)
        at += first.text == "async"
        if tokens[at].text in ("def", "class") and tokens[at + 1].kind == "name":
            return Assign(span, (Name(span, tokens[at + 1].text),), None, value)
        return Evaluate(span, value)

    def skip_lines(self, column: int) -> None:
        """Pass over this line, and those below it that are indented more than `column`."""
        self.rest_of_line()
        while self.text.next.kind != "end":
            at = self.text.at
            self.skip_blank()
            if self.column(self.text.next) <= column:
                self.text.at = at
                return
            self.rest_of_line()

    # statements ---------------------------------------------------------------------------------

    def statement(self, into: list[Statement]) -> Steps:
        """The next statement, or the several of a line, added to `into`; imports and docstrings are passed over."""
        token = self.text.next
        word = token.text if token.kind == "name" else ""
        if token.text == "@" and token.kind == "operator":
            yield self.decorator()
            return
        compound = {"def": self.define, "for": self.loop, "while": self.repeat, "if": self.choose}.get(word)
        if compound is not None:
            made = yield compound()
            into += [] if made is None else [made]
            return
        if word in _COMPOUND:
            into.append(self.unread_block(token))
            return
        simple = yield self.simple(word)
        if simple is not None:
            into.append(simple)
        if self.text.next.kind not in ("end", "newline") and not self.text.sees(";"):
            raise self.trailing()

    def simple(self, word: str) -> Steps:
        """A statement on one line; None for one that says nothing here."""
        start = self.text.next.start
        if word in ("import", "from"):
            self.imports()
            return None
        if word == "assert":
            return (yield self.asserted())
        if word in ("pass", "del"):
            token = self.text.next
            self.rest_of_line()
            if word == "del" and "[" in self.text.span(start).text:
                return self.unread(token, _element_deleted(self.text.span(start)))
            return None
        if word in ("global", "nonlocal", "raise"):
            return self.unread_line(self.text.next)
        if word in _JUMPS:
            self.text.take()
            return Jump(self.text.span(start), word)
        if word == "return":
            self.text.take()
            empty = self.text.next.kind in ("end", "newline") or self.text.sees(";")
            value = None if empty else (yield self.text.listed())
            return Return(self.text.span(start), value)
        return (yield self.assignment(start))

    def assignment(self, start: int) -> Steps:
        """`a = b = …`, `a += …`, `a: int = …`, or an expression."""
        text = self.text
        first = yield text.listed()
        if text.sees(":") and isinstance(first, Name):
            text.take()
            yield text.expression(0)  # an annotation
            if not text.sees("="):
                return None
        if text.sees("="):
            parts = [first]
            while text.accept("="):
                parts.append((yield text.listed()))
            *targets, value = parts
            for target in targets:
                _check_target(target)
            return Assign(text.span(start), tuple(targets), None, value)
        symbol = text.next.text
        if (
            text.next.kind == "operator"
            and symbol.endswith("=")
            and symbol[:-1] in OPERATORS
            and symbol not in COMPARISONS
        ):
            text.take()
            value = yield text.listed()
            _check_target(first, several=False)
            return Assign(text.span(start), (first,), symbol[:-1], value)
        return Evaluate(text.span(start), first)

    def trailing(self) -> GradcalcError:
        text, token = self.text, self.text.next
        if token.text in (")", "]", "}"):
            return GradcalcError("syntax", f"`{token.text}` closes nothing", labels=[Label(text.place(token))])
        if (foreign := text.foreign()) is not None:
            return foreign
        message = f"unexpected `{token.text}` after a complete expression"
        return GradcalcError("syntax", message, labels=[Label(text.place(token))], helps=text.juxtaposed())

    # compound statements ------------------------------------------------------------------------

    def block(self, opened: Token) -> Steps:
        """The statements after a colon: on the same line, or on lines that are indented more than `opened`."""
        text = self.text
        if not text.accept(":"):
            raise text.unfinished(opened, ":", f"`{opened.text}` needs `:` before what belongs to it")
        found: list[Statement] = []
        if text.next.kind not in ("newline", "end"):
            yield self.statement(found)
            while text.accept(";"):
                if text.next.kind not in ("newline", "end"):
                    yield self.statement(found)
            return tuple(found)
        outer, inner = self.indentation(opened), None
        while True:
            self.skip_blank()
            column = self.column(text.next)
            if text.next.kind == "end" or column <= outer:
                break
            inner = column if inner is None else inner
            if column != inner:
                message = "this line is indented differently from those before it"
                raise GradcalcError("syntax", message, labels=[Label(text.place(text.next))])
            yield self.statement(found)
            while text.accept(";"):
                if text.next.kind not in ("newline", "end"):
                    yield self.statement(found)
        if inner is None:
            labels = [
                Label(text.place(text.next), "expected an indented line"),
                Label(text.place(opened), "", primary=False),
            ]
            raise GradcalcError("syntax", f"nothing belongs to this `{opened.text}`", labels=labels)
        return tuple(found)

    def define(self) -> Steps:
        """`def f(x, n=2) -> float: …`."""
        text = self.text
        opened = text.take()
        if text.next.kind != "name":
            raise text.unexpected("the function's name")
        name = text.take().text
        bracket = text.next
        if not text.accept("("):
            raise text.unexpected("`(` after the function's name")
        parameters: list[Parameter] = yield text.parameters(")", annotated=True)
        text.expect(")", bracket, "the list of parameters")
        if text.accept("->"):
            yield text.expression(0)
        span = text.span(opened.start)
        return Define(span, name, tuple(parameters), (yield self.block(opened)))

    def loop(self) -> Steps:
        """`for i in range(3): …`."""
        text = self.text
        opened = text.take()
        target = yield text.targets()
        if not text.accept("in"):
            raise text.unfinished(opened, "in", "a loop needs what it goes through: `for x in xs:`")
        _check_target(target)
        iterable = yield text.listed()
        span = text.span(opened.start)
        body = yield self.block(opened)
        return For(span, target, iterable, body, (yield self.otherwise(opened)))

    def repeat(self) -> Steps:
        """`while condition: …`."""
        opened = self.text.take()
        condition = yield self.text.expression(0)
        span = self.text.span(opened.start)
        body = yield self.block(opened)
        return While(span, condition, body, (yield self.otherwise(opened)))

    def otherwise(self, opened: Token) -> Steps:
        """The block of an `else` that stands below a loop or condition, if there is one."""
        if not self.continues(opened, "else"):
            return ()
        return (yield self.block(self.text.take()))

    def choose(self) -> Steps:
        """`if a: … elif b: … else: …`."""
        opened = self.text.next
        start = opened.start
        branches: list[tuple[Expression | None, Block]] = []
        span = None
        while not branches or self.continues(opened, "elif"):
            word = self.text.take()
            condition = yield self.text.expression(0)
            span = span or self.text.span(start)
            branches.append((condition, (yield self.block(word))))
        if self.continues(opened, "else"):
            branches.append((None, (yield self.block(self.text.take()))))
        assert span is not None
        if "__name__" in span.text:  # what a file does when it is run is not asked for
            return None
        return If(span, tuple(branches))

    def continues(self, opened: Token, word: str) -> bool:
        """Whether the next line begins with a word that belongs to the statement begun before."""
        at = self.text.at
        self.skip_blank()
        if self.text.sees(word) and self.column(self.text.next) == self.indentation(opened):
            return True
        self.text.at = at
        return False

    # what is passed over ------------------------------------------------------------------------

    def asserted(self) -> Steps:
        """`assert condition, "why"`: an error where it does not hold."""
        opened = self.text.take()
        condition = yield self.text.expression(0)
        span = self.text.span(opened.start)
        if self.text.sees(","):
            self.rest_of_line()
        error = GradcalcError("raised", "what the text asserts does not hold here", labels=[Label(span)])
        return If(span, ((Unary(span, "not", condition), (Evaluate(span, Unread(span, error)),)),))

    def rest_of_line(self) -> None:
        while self.text.next.kind not in ("newline", "end") and not self.text.sees(";"):
            self.text.take()

    def unread_line(self, token: Token) -> Evaluate:
        """A line that is an error once it is reached."""
        self.rest_of_line()
        span = self.text.span(token.start)
        messages = {"raise": ("the text raises an error here", "choose inputs for which it does not")}
        message, help = messages.get(
            token.text, (f"`{token.text}` is not read", "pass it as an argument, and return it")
        )
        error = GradcalcError(
            "raised" if token.text == "raise" else "syntax", message, labels=[Label(span)], helps=[help]
        )
        return Evaluate(span, Unread(span, error))

    def unread_block(self, token: Token) -> Statement:
        """A class and the like with all its lines: an error once it is reached."""
        error = self.text.foreign()
        assert error is not None
        column = self.indentation(token)
        self.text.take()
        if self.text.sees("torch") and self.text.tokens[self.text.at + 2].text in ("no_grad", "inference_mode"):
            error.helps = ["what it computes passes no gradient on: write `(…).detach()`, and indent its lines less"]
        self.skip_lines(column)
        while token.text == "try" and any(self.continues(token, word) for word in ("except", "else", "finally")):
            self.skip_lines(column)
        return self.unread(token, error)

    def assigned_since(self, token: Token) -> tuple[str, ...]:
        """The names that seem to get a value from a token on to here."""
        taken = [one for one in self.text.tokens[: self.text.at + 1] if one.start >= token.start]
        return tuple(
            one.text
            for before, one, after in zip(taken, taken[1:], taken[2:], strict=False)
            if one.kind == "name" and (before.text == "as" or (before.kind == "newline" and after.text in ("=", ",")))
        )

    def decorator(self) -> Steps:
        """`@jax.jit` changes no value; any other might."""
        text = self.text
        start = text.take().start
        yield text.expression(0)
        span = text.span(start)
        words = span.text.lstrip("@").partition("(")
        name = words[0].rpartition(".")[2].strip()
        if name not in _HARMLESS_DECORATORS and not (name == "partial" and "jit" in words[2]):
            message = f"a function that `{span.text}` changes is not read"
            raise GradcalcError("syntax", message, labels=[Label(span)], helps=["leave the line out"])

    # imports ------------------------------------------------------------------------------------

    def imports(self) -> None:
        """`import numpy as np`, `from torch import nn, exp as e`: what the names stand for is remembered."""
        line = self.text
        start = line.at
        depth = 0
        while line.next.kind != "end" and not (depth == 0 and (line.next.kind == "newline" or line.sees(";"))):
            depth += (line.next.text == "(") - (line.next.text == ")")
            line.take()
        tokens = [token for token in line.tokens[start : line.at] if token.text not in ("(", ")")]
        words = [token.text for token in tokens]
        source: list[str] = []
        if words[0] == "from" and "import" in words:
            split = words.index("import")
            source, words = [word for word in words[1:split] if word != "."], words[split:]
        for part in _split(words[1:], ","):
            name, _, alias = _partition(part, "as")
            module = [word for word in name if word != "."]
            self.enter([*source, *module], alias[0] if alias else (module[-1] if source else ""))

    def enter(self, words: list[str], alias: str) -> None:
        """Remember what a name stands for; one that is no library's of ours matters only once it is used."""
        library = PREFIXES.get(words[0]) if words else None
        if library:
            self.imported.add(library)
        name = alias or ("" if library else words[0])
        if name not in ("", "*") and (library is None or PREFIXES.get(name) != library):
            self.aliases[name] = tuple(words)


def _split(words: list[str], separator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == separator:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _partition(words: list[str], separator: str) -> tuple[list[str], bool, list[str]]:
    at = words.index(separator) if separator in words else len(words)
    return words[:at], at < len(words), words[at + 1 :]


def _element_deleted(span: Span) -> GradcalcError:
    helps = ["make a list without it: `a = a[1:]`"]
    return GradcalcError("syntax", "`del` of an element is not read", labels=[Label(span)], helps=helps)


def _check_target(target: Expression, *, several: bool = True) -> None:
    """What stands on the left of `=` must be something that can have a value."""
    if isinstance(target, (Sequence, Starred)) and several:
        for part in target.items if isinstance(target, Sequence) else (target.value,):
            _check_target(part)
        return
    if isinstance(target, Name) and target.name in ("True", "False", "None"):
        raise GradcalcError("syntax", f"`{target.name}` cannot be given another value", labels=[Label(target.span)])
    owner: Any = target
    while isinstance(owner, Subscript):
        owner = owner.value
    if not isinstance(owner, Name):
        raise GradcalcError(
            "syntax",
            "only a name or an element of one can be assigned to",
            labels=[Label(target.span)],
            helps=["to compare, write `==`"],
        )


def single(program: Program) -> Expression | None:
    """The expression of a text that is one and nothing else; None of any other."""
    (statement, *rest) = program.statements
    return statement.value if isinstance(statement, Evaluate) and not rest else None
