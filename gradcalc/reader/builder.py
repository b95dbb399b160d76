"""The grammar of literals, and the builder that makes arrays of their tokens.

    literal  = items                                  several items: one array of them
    item     = NUMBER | True | False | "nan" | [items] | (items) | WRAPPER(item, KEYWORD=…)
    items    = item {, item} [,] | item {SPACE item}

A wrapper is `array`, `torch.tensor`, `np.float64` and the like. As in Python, `(3)` is a number and
`(3,)` a list; `1 -2` is a subtraction, unless in `[1 -2]`, which is how NumPy prints two numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite, prod
from typing import TypeAlias

import numpy as np

from gradcalc.errors import GradcalcError, Label, Source, Span
from gradcalc.reader.values import Array, Shape
from gradcalc.reader.words import (
    MINUS,
    NUMBER,
    QUOTED,
    TRUTHS,
    extent,
    is_complex,
    not_a_number,
    overflow,
    plain_name,
    shown,
    to_float,
)

Token: TypeAlias = re.Match[str]

MOST_AXES = 64  # NumPy's limit

_END = r"(?![^\s\[\](),;])"
WRAPPER = (
    r"(?:Parameter\ containing:\s*+)?"
    r"(?:(?:np|numpy|jnp|jax\.numpy|cp|cupy|torch|(?:torch\.)?nn|(?:torch\.)?autograd)\.)?"
    r"(?:array|asarray|as_tensor|from_numpy|matrix|memmap|Array|DeviceArray|Variable|Parameter"
    r"|tensor|(?:Float|Double|Half|Int|Long|Bool)?Tensor"
    r"|float(?:16|32|64)?|double|u?int(?:8|16|32|64)|bool_?)"
)
_ITEM = rf"{NUMBER}{_END}"
# A run of numbers, with its brackets where it is all that they hold, is one token: large arrays are
# made of these.
TOKEN = re.compile(
    rf"""\s*+(?:
      (?P<numbers> (?P<bracket> \[\s*+)? {_ITEM} (?:(?:\s*+,\s*+|\s++){_ITEM})*+ (?(bracket) \s*+\]) )
    | (?P<truth> (?:{"|".join(map(re.escape, TRUTHS))}){_END} )
    | (?P<quoted> {QUOTED}{_END} )
    | (?P<keyword> ,\s*+(?P<key>dtype|shape|size|requires_grad|device|grad_fn|weak_type|copy)\s*+=\s*+
        (?P<given> "[^"]*"|'[^']*'|<[^<>]*>|device\([^()]*\)|\([0-9,\s]*\)|[\w.]+) )
    | (?P<comma> , )
    | (?P<open> \[ | (?:{WRAPPER})?\( )
    | (?P<close> [\])] )
    | (?P<cut> (?:\.\.\.|…){_END} )
    | (?P<semicolon> ; )
    | (?P<word> [^\s\[\](),;]+ )
    )""",
    re.VERBOSE,
)
_GAP = re.compile(r"(?<![\s,\[])\s+([^\s,\]])")  # space that separates, and what follows it
_SIGNS = "+-" + MINUS
_OPERATOR = re.compile(r"""[^\w.'"$]""")
_PYTHON = {"and", "else", "for", "if", "in", "is", "lambda", "not", "or"}


class NotLiteralError(Exception):
    """The text is an expression."""


@dataclass(slots=True)
class _Frame:
    """An open bracket (or the whole text, whose opener is empty) and what has come inside it so far."""

    start: int
    opener: str
    values: int  # how many came before it
    truths: int
    count: int = 0
    commas: int = 0
    gaps: int = 0  # items that only space separates from the one before
    signed: int = 0  # those of them that begin with a sign
    gap: int = -1  # where the first of them is
    full: bool = False  # an item has come since the last comma
    shape: Shape | None = None  # of each item
    first: tuple[int, int] = (0, 0)  # where the first item is
    dtype: str = ""
    given: Shape | None = None  # the shape that a keyword states

    def space(self, place: int, following: str) -> None:
        """Note that nothing but space, at this place, separates two items."""
        self.gap = self.gap if self.gaps else place
        self.gaps += 1
        self.signed += following in _SIGNS


class Builder:
    """The array so far: its elements in order, and the brackets still open.

    A stack, not recursion; shapes are compared as brackets close, so an array that is finished needs no
    second look.
    """

    def __init__(self, source: Source, start: int) -> None:
        self.source = source
        self.text = source.text
        self.start = start
        self.values: list[float] = []
        self.truths = 0
        self.words: list[Span] = []
        self.last = -1  # where the last item ended
        self.stack = [_Frame(start, "", 0, 0)]

    def build(self, stop: int) -> Array | None:
        """Read the characters up to `stop`; None where there are words among them."""
        read = {kind: getattr(self, kind) for kind in TOKEN.groupindex if hasattr(self, kind)}
        for match in TOKEN.finditer(self.text, self.start, stop):
            kind = match.lastgroup or ""
            read[kind](match, *match.span(kind))
        if len(self.stack) > 1:
            raise self.unclosed(self.stack[-1])
        self.separators(self.stack[0])
        shape = self.shape(self.stack[0], stop)
        if self.words:
            return None
        array = np.array(self.values)
        if np.isinf(array).any():
            self.overflowed(stop)
        return (array.astype(bool) if 0 < self.truths == len(array) else array).reshape(shape)

    # Tokens, by their name in TOKEN.

    def numbers(self, match: Token, start: int, stop: int) -> None:
        """A run of numbers, perhaps with the brackets around it."""
        run = match["numbers"].strip("[]").replace(MINUS, "-")
        parts = run.replace(",", " ").split()
        commas = run.count(",")
        gaps = len(parts) - 1 - commas
        self.values.extend(map(float, parts))
        if match["bracket"]:
            frame = _Frame(start, "[", 0, 0) if gaps and commas else None  # a list that may be wrong
            self.item(start, stop, (len(parts),))
        else:
            frame = self.stack[-1]
            self.item(start, stop, (), len(parts))
        if frame is not None:
            frame.commas += commas
            for gap in _GAP.finditer(self.text, start, stop) if gaps else ():
                frame.space(gap.start(), gap[1])
            if match["bracket"]:
                self.separators(frame)

    def truth(self, match: Token, start: int, stop: int) -> None:
        """A truth value, in Python's spelling, NumPy's or JSON's."""
        self.values.append(TRUTHS[match["truth"]])
        self.truths += 1
        self.item(start, stop, ())

    def quoted(self, match: Token, start: int, stop: int) -> None:
        """A number that JSON has no other way to write."""
        self.values.append(to_float(match["quoted"][1:-1]))
        self.item(start, stop, ())

    def word(self, match: Token, start: int, stop: int) -> None:
        """Anything else: keep its place, as the rest may still show the text to be an expression."""
        word = match["word"]
        span = Span(self.source, start, stop)
        if is_complex(word):
            raise not_a_number(span)
        if _OPERATOR.search(word) or word in _PYTHON:
            raise NotLiteralError
        self.words.append(span)
        self.values.append(0.0)
        self.item(start, stop, ())

    def keyword(self, match: Token, start: int, stop: int) -> None:
        """What a repr says besides the numbers; of that, the element type and the shape matter."""
        frame = self.stack[-1]
        if len(frame.opener) < 2 or not frame.full:
            raise NotLiteralError
        if match["key"] == "dtype":
            frame.dtype = match["given"]
        elif match["key"] in ("shape", "size"):
            frame.given = tuple(map(int, re.findall("[0-9]{1,9}", match["given"])))
        self.last = stop

    def comma(self, match: Token, start: int, stop: int) -> None:
        """The end of an item."""
        frame = self.stack[-1]
        if not frame.full:
            raise self.error("expected a number before `,`", start, stop, "leave out the comma")
        frame.full = False
        frame.commas += 1

    def open(self, match: Token, start: int, stop: int) -> None:
        """A bracket, or a wrapper with its bracket."""
        if self.words and self.words[-1].end == self.last and self.stack[-1].full and match["open"] != "[":
            raise NotLiteralError  # a call
        if self.last == start and self.stack[-1].full:
            self.touching(start, stop)
        self.stack.append(_Frame(start, match["open"], len(self.values), self.truths))

    def close(self, match: Token, start: int, stop: int) -> None:
        """The end of a bracket: its shape is known, and is that of an item of the one around it."""
        frame = self.stack[-1]
        if not frame.opener:
            raise self.error(f"`{match['close']}` closes nothing", start, stop, "remove it")
        if (frame.opener == "[") != (match["close"] == "]"):
            raise self.unclosed(frame, (start, stop))
        self.stack.pop()
        self.separators(frame)
        shape = self.shape(frame, stop)
        if len(frame.opener) > 1:
            self.cast(frame)
            shape = self.stated(frame, shape, stop)
        self.item(frame.start, stop, shape)

    def cut(self, match: Token, start: int, stop: int) -> None:
        """The dots that NumPy and PyTorch print in place of the middle of a large array."""
        name = plain_name(self.source)
        name = name if name.isidentifier() else "x"
        torch, numpy = 'torch.set_printoptions(profile="full")', "np.set_printoptions(threshold=np.inf)"
        raise GradcalcError(
            "truncated-input",
            f"the print of `{name}` leaves out the middle of the array",
            labels=[Label(Span(self.source, start, stop), "elements left out")],
            helps=[
                f'save it whole, `np.save("{name}.npy", {name})`, and give the file: `--{name} {name}.npy`',
                f"print it whole: `{torch if 'tensor(' in self.text else numpy}`",
            ],
        )

    def semicolon(self, match: Token, start: int, stop: int) -> None:
        """MATLAB's row separator; outside of brackets it ends a statement of the language."""
        if len(self.stack) == 1:
            raise NotLiteralError
        advice = "give each row its own brackets: `[[1, 2], [3, 4]]`"
        raise self.error("`;` does not separate rows", start, stop, advice)

    # What the tokens have in common.

    def item(self, start: int, stop: int, shape: Shape, count: int = 1) -> None:
        """Count items of the innermost open bracket, which must all have one shape."""
        frame = self.stack[-1]
        if frame.full:
            if self.last == start:
                self.touching(start, stop)
            frame.space(self.last, self.text[start])
        if frame.shape is None:
            frame.shape, frame.first = shape, (start, stop)
        elif frame.shape != shape:
            raise self.ragged(frame, start, stop, shape)
        frame.count += count
        frame.full = True
        self.last = stop

    def touching(self, start: int, stop: int) -> None:
        """`x[0]` and `f(x)` are expressions, but a row that touches another one lacks a comma."""
        if self.text[start - 1 : start + 1] == "][" and len(self.stack) > 1:
            raise self.error("expected a comma between two rows", start, stop, "separate them: `], [`")
        raise NotLiteralError

    def separators(self, frame: _Frame) -> None:
        """Refuse commas and spaces in one list; tell a subtraction from two numbers."""
        if frame.gaps == 0 or (frame.opener == "[" and not frame.commas):
            return
        if frame.gaps == frame.signed:
            raise NotLiteralError
        if frame.commas:
            advice = "separate all elements by commas, or all by spaces"
            raise self.error("expected a comma between two elements", frame.gap, frame.gap + 1, advice)

    def shape(self, frame: _Frame, stop: int) -> Shape:
        """The shape of a bracket's contents."""
        if frame.opener != "[" and frame.count == 1 and (not frame.commas or len(frame.opener) > 1):
            return frame.shape or ()
        if len(frame.opener) > 1:
            opener = shown(frame.opener)
            advice = f"put the numbers in brackets: `{opener}[1, 2])`"
            raise self.error(f"`{opener}…)` takes one array, not {frame.count}", frame.start, stop, advice)
        shape = (frame.count, *(frame.shape or ()))
        if len(shape) > MOST_AXES:
            message = f"the brackets of `{plain_name(self.source)}` nest deeper than {MOST_AXES} levels"
            raise self.error(message, frame.start, frame.start + 1, "an array has at most that many axes")
        return shape

    def cast(self, frame: _Frame) -> None:
        """Do to the elements what a dtype, or a wrapper such as `np.int64`, does to them."""
        word = (frame.dtype or frame.opener).lower()
        begin = frame.values
        if "bool" in word:
            self.values[begin:] = [float(value != 0) for value in self.values[begin:]]
            self.truths = frame.truths + len(self.values) - begin
        elif "int" in word or "long" in word:
            self.values[begin:] = [float(int(v)) if isfinite(v) else v for v in self.values[begin:]]
            self.truths = frame.truths
        elif "float" in word or "double" in word or "half" in word:
            self.truths = frame.truths

    def stated(self, frame: _Frame, shape: Shape, stop: int) -> Shape:
        """The shape that a repr states; only an empty array's brackets say less."""
        if frame.given is None or frame.given == shape:
            return shape
        if prod(frame.given) != prod(shape) or len(frame.given) > MOST_AXES:
            message = f"the shape stated is {frame.given}, but the numbers have the shape {shape}"
            raise self.error(message, frame.start, stop, f"leave out `shape={frame.given}`")
        return frame.given

    # Errors.

    def error(self, message: str, start: int, stop: int, advice: str) -> GradcalcError:
        """A syntax error at some characters."""
        return GradcalcError("syntax", message, labels=[Label(Span(self.source, start, stop))], helps=[advice])

    def unclosed(self, frame: _Frame, place: tuple[int, int] | None = None) -> GradcalcError:
        """The error for a bracket without its partner; `place` is where another kind closes it."""
        closer = "]" if frame.opener == "[" else ")"
        start, stop = frame.start, frame.start + len(frame.opener)
        if place is None:
            return self.error(f"`{shown(frame.opener)}` is never closed", start, stop, f"add the missing `{closer}`")
        error = self.error(f"expected `{closer}`, not `{self.text[place[0]]}`", *place, f"write `{closer}` here")
        error.labels.append(Label(Span(self.source, start, stop), "to close this", primary=False))
        return error

    def ragged(self, frame: _Frame, start: int, stop: int, shape: Shape) -> GradcalcError:
        """The error for an item whose shape is not that of the first one beside it."""
        name, first = plain_name(self.source), frame.shape or ()
        if not (shape and first):
            message, advice = f"`{name}` mixes numbers and lists", "put the numbers into brackets of their own"
        elif len(shape) == len(first) == 1:
            message, advice = f"rows of `{name}` differ in length", "give every row the same number of elements"
        else:
            message, advice = f"parts of `{name}` differ in shape", "give every part the same shape"
        return GradcalcError(
            "ragged-input",
            message,
            labels=[
                Label(Span(self.source, start, stop), extent(shape)),
                Label(Span(self.source, *frame.first), extent(first), primary=False),
            ],
            helps=[advice],
        )

    def overflowed(self, stop: int) -> None:
        """Raise, if an infinity among the values was written as a finite number."""
        for match in re.compile(NUMBER).finditer(self.text, self.start, stop):
            if "n" not in match[0].lower() and np.isinf(to_float(match[0])):
                raise overflow(Span(self.source, *match.span()))
