"""Syntax tree to graph: names become inputs, calls become nodes, and every shape is known at once.

Nothing is ever executed as Python. What must be a number before shapes are decided (an axis, a size, a
mask) is evaluated at the inputs given, by the function that the caller passes in.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError, Label, Span, nearest
from ..graph import SPELLINGS, Entry, Node, constant, inputs_of, is_constant, scalar_value
from ..ops import indexing, shape
from ..ops.arithmetic import logical_and, logical_not, logical_or
from . import dialects
from .calls import Arguments, bound, signature_of
from .forms import FORMS, Context
from .names import assigned_names
from .parser import OPERATORS
from .refusals import LEAVE_OUT, helps_for, just_refused, refusal_of
from .sharing import Memory
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
    Subscript,
    Text,
    Unary,
)
from .trampoline import Steps, run
from .values import CONSTANTS, Key, Library, Method, Value, node_of, plain, short

_NEW_AXIS = {"newaxis"}


class Built(NamedTuple):
    """What a program says about its inputs: its value, where each node stands in the text, and notes."""

    value: Value
    places: dict[Node, Span]
    notes: list[str]


def build(
    program: Program,
    inputs: Mapping[str, Node],
    value_of: Callable[[Node], Any],
    *,
    extra: Mapping[str, Callable[..., Any]] | None = None,
) -> Built:
    """The graph of a program whose names stand for the given input nodes.

    `value_of` evaluates a node at the given inputs, or raises. `extra` are functions known besides the
    catalogue's; they take evaluated arguments and return an array.
    """
    return _Builder(program, inputs, value_of, extra or {}).program_value()


def index_key(item: Subscript, inputs: Mapping[str, Node], value_of: Callable[[Node], Any]) -> list[Any]:
    """The index of a subscript standing by itself, as `indexing` takes it."""
    builder = _Builder(Program(item.span.source, (), frozenset(), ()), inputs, value_of, {})
    key: list[Any] = run(builder.key(item.parts))
    return key


class _Builder:
    def __init__(
        self,
        program: Program,
        inputs: Mapping[str, Node],
        value_of: Callable[[Node], Any],
        extra: Mapping[str, Callable[..., Any]],
    ) -> None:
        self.program = program
        self.inputs = inputs
        self.value_of = value_of
        self.extra = extra
        self.locals: dict[str, Value] = {}
        self.places: dict[Node, Span] = {}  # where each node was made
        self.latest: dict[Node, Span] = {}  # where each was last mentioned: the operands of what comes next
        self.memory = Memory(program, inputs)
        self.notes: list[str] = list(program.notes)
        own = {*inputs, *assigned_names(program)}
        self.libraries = {dialects.PREFIXES[word] for word in program.prefixes if word not in own}

    # programs -----------------------------------------------------------------------------------

    def program_value(self) -> Built:
        value: Value = None
        last: Any = None
        for at, last in enumerate(self.program.statements):
            if isinstance(last, Assign):
                self.assign(last, at)
                continue
            if last is not self.program.statements[-1] and not isinstance(last.value, Text):
                self.note(f"`{short(last.span.text)}` has no effect: only the last expression counts")
            value = run(self.value(last.value))
        if not isinstance(last, Evaluate):
            raise GradcalcError(
                "syntax",
                "the text ends with an assignment, so it has no value",
                labels=[Label(last.span)],
                helps=[f"end with the result: `{last.target.span.text}`"],
            )
        if isinstance(value, list):
            value = self.located(lambda: node_of(value), last.value.span)
        return Built(value, self.places, self.notes)

    def assign(self, statement: Assign, at: int) -> None:
        value = run(self.value(statement.value))
        target = statement.target
        name = target.value if isinstance(target, Subscript) else target
        if isinstance(name, Name) and (statement.operator is not None or isinstance(target, Subscript)):
            self.memory.refuse_shared(name, at)
        if statement.operator is not None:
            old = run(self.value(target))
            value = self.operate(statement.operator, old, value, statement.span, statement.span)
        if isinstance(target, Sequence):
            self.unpack(target, value, statement)
        else:
            self.bind(target, value, statement.span)
        if statement.operator is None:
            self.memory.share(target, statement.value, {**self.inputs, **self.locals})

    def bind(self, target: Any, value: Value, span: Span) -> None:
        if isinstance(target, Name):
            self.locals[target.name] = value
            return
        name = target.value.name
        if name not in self.locals:
            helps = (
                [f"copy it first: `y = {name} + 0; y[…] = …`"]
                if name in self.inputs
                else [f"make it first: `{name} = zeros((2, 2))`"]
            )
            raise GradcalcError(
                "name",
                f"`{name}` is not an array made here, so its elements cannot be assigned",
                labels=[Label(target.value.span)],
                helps=helps,
            )
        key = run(self.key(target.parts))
        old = self.array(self.locals[name], target.value.span)
        self.locals[name] = self.located(lambda: indexing.put(old, key, node_of(value), self.known), span)

    def unpack(self, target: Sequence, value: Value, statement: Assign) -> None:
        items = list(value) if isinstance(value, (list, tuple)) else None
        if items is None and isinstance(value, Node) and value.ndim:
            items = [indexing.element(value, -value.ndim, i) for i in range(value.shape[0])]
        if items is None or len(items) != len(target.items):
            count = "one value" if items is None else f"{len(items)} values"
            raise GradcalcError(
                "type",
                f"cannot unpack {count} into {len(target.items)} names",
                labels=[Label(statement.value.span, count)],
            )
        for part, item in zip(target.items, items, strict=True):
            self.bind(part, item, statement.span)

    # errors with places -------------------------------------------------------------------------

    def located(self, make: Callable[[], Any], span: Span) -> Any:
        """What `make` returns; an error inside it is drawn at its operands, or at `span`."""
        try:
            made = make()
        except GradcalcError as error:
            raise error.locate(span, self.latest.get) from None  # type: ignore[arg-type]
        return self.placed(made, span)

    def placed(self, made: Any, span: Span) -> Any:
        """Remember where a node is made and mentioned."""
        if isinstance(made, Node):
            self.places.setdefault(made, span)
            self.latest[made] = span
        return made

    def array(self, value: Value, span: Span) -> Node:
        if isinstance(value, Node):
            return value
        if isinstance(value, Method):
            message = f"`{value.name}` is a method and is not called"
            raise GradcalcError("type", message, labels=[Label(span)], helps=[f"call it: `{span.text}()`"])
        made: Node = self.located(lambda: node_of(value), span)
        return made

    def known(self, node: Node) -> Any:
        """The numbers of a node at the given inputs."""
        return node.attrs["value"].data if is_constant(node) else self.value_of(node)

    def fixed(self, value: Value) -> Any:
        """A value as plain Python: a number, text, None, or tuples of them."""
        if isinstance(value, Node):
            return plain(np.asarray(self.known(value)))
        if isinstance(value, (list, tuple)):
            return tuple(self.fixed(item) for item in value)
        return value

    # expressions --------------------------------------------------------------------------------

    def value(self, expression: Expression) -> Any:
        """An expression's value, or the steps that lead to it."""
        return _VALUES[type(expression)](self, expression)

    def number(self, expression: Number) -> Node:
        made: Node = self.placed(constant(expression.value), expression.span)
        return made

    def text(self, expression: Text) -> str:
        return expression.value

    def dots(self, expression: Dots) -> Value:
        return Ellipsis

    def name(self, expression: Name) -> Value:
        name = expression.name
        if name in self.locals:
            value = self.locals[name]
        elif name in self.inputs:
            value = self.inputs[name]
        elif name in CONSTANTS:
            value = CONSTANTS[name]
            value = None if value is None else constant(value)
        elif name in dialects.PREFIXES:
            return Library([name])
        else:
            raise unknown_name(expression, [*self.locals, *self.inputs])
        return self.placed(value, expression.span)

    def unary(self, expression: Unary) -> Steps:
        operand = self.array((yield self.value(expression.operand)), expression.operand.span)
        if expression.operator == "+":
            return operand
        if (
            expression.operator == "-"
            and isinstance(expression.operand, (Number, Name))
            and (number := scalar_value(operand)) is not None
        ):
            return self.located(lambda: constant(-number), expression.span)
        if operand.boolean == (expression.operator == "-"):
            what = "a condition" if operand.boolean else "a number"
            helps = ["count with `real(…)`"] if operand.boolean else ["compare first: `x == 0`"]
            message = f"`{expression.operator}` of {what} is not defined"
            raise GradcalcError("type", message, labels=[Label(expression.span)], helps=helps)
        make = (lambda: -operand) if expression.operator == "-" else (lambda: logical_not(operand))
        return self.located(make, expression.span)

    def binary(self, expression: Binary) -> Steps:
        left = yield self.value(expression.left)
        right = yield self.value(expression.right)
        return self.operate(expression.operator, left, right, expression.span, expression.place, expression)

    def operate(
        self, operator: str, left: Value, right: Value, span: Span, place: Span, binary: Binary | None = None
    ) -> Node:
        if operator in ("+", "*") and _python_would_join(left, right):
            raise _list_arithmetic(operator, span, place)
        a = self.array(left, binary.left.span if binary else span)
        b = self.array(right, binary.right.span if binary else span)
        op = {"and": logical_and, "or": logical_or}.get(operator) or OPERATORS[operator]
        _check_truth(operator, a, b, span, binary)
        try:
            made = op(a, b)
        except GradcalcError as error:
            if binary is not None:
                self.latest[a], self.latest[b] = binary.left.span, binary.right.span
            error.locate(span, self.latest.get)  # type: ignore[arg-type]
            if error.kind == "shape" and binary is not None:
                error.message += f" in `{short(span.text)}`"
                error.args = (error.message,)
                error.labels.append(Label(place, "", primary=False))
                error.helps += _columns(binary, a, b)
            raise
        self.placed(made, span)
        if op.elementwise and a.shape != made.shape and b.shape != made.shape and a.ndim and b.ndim:
            self.note(f"`{short(span.text)}` stretches both operands, {a.shape} and {b.shape}, to {made.shape}")
        return made

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def comparison(self, expression: Comparison) -> Steps:
        left, left_expression = (yield self.value(expression.first)), expression.first
        result: Node | None = None
        for operator, right_expression, place in expression.rest:
            right = yield self.value(right_expression)
            pair = Binary(
                left_expression.span.to(right_expression.span), operator, left_expression, right_expression, place
            )
            made = self.operate(
                operator,
                self.array(left, left_expression.span),
                self.array(right, right_expression.span),
                pair.span,
                place,
                pair,
            )
            result = made if result is None else logical_and(result, made)
            left, left_expression = right, right_expression
        return self.located(lambda: result, expression.span)

    def conditional(self, expression: Conditional) -> Steps:
        condition = yield self.value(expression.condition)
        if isinstance(condition, Node):
            if condition.size != 1:
                raise GradcalcError(
                    "type",
                    f"the condition has shape {condition.shape}, so it chooses no branch",
                    labels=[Label(expression.condition.span)],
                    helps=[f"choose element by element: `where({short(expression.condition.span.text)}, …, …)`"],
                )
            if inputs_of([condition]):
                text = short(expression.condition.span.text)
                self.note(f"`{text}` was decided at these inputs; `where` keeps both branches")
            condition = bool(np.asarray(self.known(condition)).item())
        return (yield self.value(expression.then if condition else expression.otherwise))

    def sequence(self, expression: Sequence) -> Steps:
        items: list[Value] = []
        for item in expression.items:
            items.append((yield self.value(item)))
        if expression.bracket == "(":
            return tuple(items)
        items = [self.row(item, one.span) for item, one in zip(items, expression.items, strict=True)]
        for item, one in reversed(list(zip(items, expression.items, strict=True))):
            if isinstance(item, Node):
                self.latest[item] = one.span
        return items

    def row(self, item: Value, span: Span) -> Value:
        """An item of a list: of numbers, a list inside it is an array."""
        if not isinstance(item, (list, tuple)):
            return item
        try:
            return self.array(item, span)
        except GradcalcError as error:
            if error.kind == "type":
                return item
            raise

    def slice(self, expression: Slice) -> Steps:
        bounds: list[int | None] = []
        for end in (expression.start, expression.stop, expression.step):
            value = None if end is None else self.fixed((yield self.value(end)))
            if end is not None and value is not None and not isinstance(value, int):
                raise GradcalcError("index", f"a slice needs whole numbers, got {value}", labels=[Label(end.span)])
            bounds.append(value)
        if bounds[2] == 0:
            raise GradcalcError("index", "a slice cannot step by 0", labels=[Label(expression.span)])
        return slice(*bounds)

    def key(self, parts: Iterable[Expression]) -> Steps:
        """The parts of an index, ready for `indexing`: nodes, slices, None and `...`."""
        ready: list[Any] = []
        for part in parts:
            value = yield self.value(part)
            if isinstance(value, Key):
                ready += value.parts
            elif isinstance(value, tuple):
                ready += [
                    one if one is None or one is Ellipsis or isinstance(one, slice) else node_of(one) for one in value
                ]
            elif value is None or value is Ellipsis or isinstance(value, slice):
                ready.append(value)
            elif isinstance(value, Library) and value.words[-1] in _NEW_AXIS:
                ready.append(None)
            else:
                ready.append(self.array(value, part.span))
        return ready

    def subscript(self, expression: Subscript) -> Steps:
        if isinstance(expression.value, Name) and expression.value.name == "s_" and "s_" not in self.inputs:
            return Key((yield self.key(expression.parts)))
        owner = yield self.value(expression.value)
        key = yield self.key(expression.parts)
        if isinstance(owner, tuple) and len(key) == 1 and isinstance(key[0], (slice, Node)):
            return self.pick(owner, key[0], expression)
        array = self.array(owner, expression.value.span)
        return self.located(lambda: indexing.get(array, key, self.known), expression.span)

    def pick(self, owner: tuple[Value, ...], place: Any, expression: Subscript) -> Value:
        """An element or slice of a tuple, such as `x.shape[0]` or `slogdet(A)[1]`."""
        at = place if isinstance(place, slice) else self.fixed(place)
        try:
            return owner[at]
        except (IndexError, TypeError):
            raise GradcalcError(
                "index", f"index {at} is out of range for {len(owner)} values", labels=[Label(expression.span)]
            ) from None

    def attribute(self, expression: Attribute, *, called: bool = False) -> Steps:
        owner = yield self.value(expression.value)
        name = expression.name
        if isinstance(owner, Library):
            words = [*owner.words, name]
            if name in CONSTANTS:
                value = CONSTANTS[name]
                return self.located(lambda: constant(value), expression.span)
            return None if name in _NEW_AXIS else Library(words)
        if isinstance(owner, tuple) and name in getattr(owner, "_fields", ()):
            return getattr(owner, name)
        array = self.array(owner, expression.value.span)
        if name == "T" or (name == "mT" and array.ndim >= 2):
            return self.located(
                lambda: shape.transpose(array) if name == "T" else shape.swapaxes(array, -1, -2), expression.span
            )
        if name == "shape":
            return tuple(constant(length) for length in array.shape)
        if name == "ndim":
            return constant(array.ndim)
        if name == "size" and not called:
            return constant(array.size)
        if not called and name not in SPELLINGS and name not in FORMS:
            place = [Label(expression.place, "no attribute gradcalc knows")]
            raise GradcalcError("unknown-name", f"an array has no attribute `{name}`", labels=place)
        return Method(array, name)

    # calls --------------------------------------------------------------------------------------

    def call(self, expression: Call) -> Steps:
        function = expression.function
        owner: Value = None
        words: list[str]
        if isinstance(function, Name):
            words = [function.name]
        elif isinstance(function, Attribute):
            target = yield self.attribute(function, called=True)
            if isinstance(target, Library):
                words = target.words
            elif isinstance(target, Method):
                owner, words = target.owner, [target.name]
            else:
                raise GradcalcError(
                    "type", f"`{short(function.span.text)}` is not a function", labels=[Label(function.span)]
                )
        else:
            raise self.not_a_function(function, expression)
        positional: list[Value] = [] if owner is None else [owner]
        named: dict[str, tuple[Value, Span]] = {}
        for argument in expression.arguments:
            if argument.name == "dtype":
                _check_dtype(argument)
                continue
            if argument.name in dialects.HARMLESS and not self.takes(words[-1], argument.name):
                _check_harmless(argument)
                continue
            value = yield self.value(argument.value)
            if argument.name is None:
                if named:
                    raise GradcalcError(
                        "syntax", "an argument without a name follows one with a name", labels=[Label(argument.span)]
                    )
                positional.append(value)
            elif argument.name in named:
                raise GradcalcError("arguments", f"`{argument.name}` is given twice", labels=[Label(argument.span)])
            else:
                named[argument.name] = (value, argument.span)
        return self.apply(words, function, positional, named, expression, is_method=owner is not None)

    def takes(self, name: str, argument: str) -> bool:
        """Whether some library's function of that name has a meaning for the argument."""
        entries = [
            SPELLINGS[one] for one in (name, *(f"{where}{name}" for where in dialects.FALLBACK)) if one in SPELLINGS
        ]
        return any(argument in signature_of(one).names for one in entries)

    def not_a_function(self, function: Expression, call: Call) -> GradcalcError:
        arguments = ", ".join(argument.span.text for argument in call.arguments)
        helps = [f"to multiply, write `*`: `{short(function.span.text)}*({short(arguments)})`"]
        return GradcalcError(
            "type", f"`{short(function.span.text)}` is not a function", labels=[Label(function.span)], helps=helps
        )

    def apply(
        self,
        words: list[str],
        function: Expression,
        positional: list[Value],
        named: dict[str, tuple[Value, Span]],
        expression: Call,
        *,
        is_method: bool,
    ) -> Value:
        """The value of a call whose arguments have values."""
        named_library = dialects.library_of(words)
        dialect, room, name = named_library or (self.dialect(words[-1], function, named), "", words[-1])
        strict = named_library is not None or self.libraries
        method_of = dialect if is_method else ""
        if just_refused(words, method_of) is not None:  # though another library's function of that name may be known
            raise self.unknown_function(words, name, expression, method_of)
        given = Arguments(positional, named, expression.span, dialect if strict else "", is_method)
        if name in FORMS:
            context = Context(".".join(words), is_method, "torch" in self.libraries, self.known, self.fixed)
            return self.located(lambda: FORMS[name](given, context), expression.span)
        if name in self.extra:
            return self.located(lambda: self.from_extra(name, positional, named), expression.span)
        entry = dialects.find(dialect, room, name)
        if entry is None:
            raise self.unknown_function(words, name, expression, method_of)
        if name in ("max", "min", "amax", "amin") and not is_method and len(words) == 1 and len(positional) > 1:
            raise _two_operands(name, positional, expression)
        value = self.located(lambda: _applied(entry, name, bound(entry, name, given, self.fixed)), expression.span)
        if not strict:
            self.compare_libraries(entry, name, given, value)
        return value

    def compare_libraries(self, entry: Entry, name: str, given: Arguments, value: Value) -> None:
        """Say so where another library means something else by a name that was written without one."""
        for dialect, library in (("torch", "PyTorch"), ("jax", "JAX")):
            other = SPELLINGS.get(f"{dialect}.{name}")
            if other is None or other is entry:
                continue
            try:
                meant = other(*bound(other, name, given, self.fixed))
            except (GradcalcError, TypeError, ValueError, OverflowError, IndexError):
                continue  # not a call that it would take
            if not _same(meant, value):
                self.note(f"`{name}` was read as NumPy's; {library}'s differs: write `{dialect}.{name}` for it")

    def from_extra(self, name: str, positional: list[Value], named: dict[str, tuple[Value, Span]]) -> Node:
        """The array that a function from outside the catalogue makes of plain numbers."""
        try:
            return constant(
                self.extra[name](
                    *map(self.fixed, positional), **{word: self.fixed(value) for word, (value, _) in named.items()}
                )
            )
        except (TypeError, ValueError, OverflowError, IndexError) as error:
            raise _cannot_take(name, error) from None

    def dialect(self, name: str, function: Expression, named: Container[str]) -> str:
        """Whose meaning a bare name or method has: the text's own library, else NumPy's."""
        if not dialects.differs(name):
            return "torch" if "torch" in self.libraries else "numpy"
        if {"torch", "numpy"} <= self.libraries:
            raise GradcalcError(
                "ambiguous",
                f"`{name}` means different things in NumPy and PyTorch, and this text uses both",
                labels=[Label(function.span)],
                helps=[f"write `np.{name}(…)` or `torch.{name}(…)`"],
            )
        return "torch" if "torch" in self.libraries or "dim" in named or "keepdim" in named else "numpy"

    def unknown_function(self, words: list[str], name: str, call: Call, method_of: str) -> GradcalcError:
        function = call.function
        called = ".".join(words)
        if isinstance(function, Name) and (name in self.inputs or name in self.locals):
            return self.not_a_function(function, call)
        place = function.place if isinstance(function, Attribute) else function.span
        if name not in LEAVE_OUT and (refusal := refusal_of(words, method_of)) is not None:
            labels, helps = [Label(place, refusal.kind)], helps_for(refusal, words, call)
            return GradcalcError("unknown-function", f"`{called}` {refusal.reason}", labels=labels, helps=helps)
        found = nearest(name, [known for known, entry in SPELLINGS.items() if entry.shown and "." not in known])
        if name in LEAVE_OUT:
            helps = [LEAVE_OUT[name]]
        else:
            helps = ([f"did you mean `{found}`?"] if found else []) + ["`gradcalc ops` lists every function"]
        what = "method" if method_of else "function"
        return GradcalcError(
            "unknown-function",
            f"unknown {what} `{called}`",
            labels=[Label(place, f"not a {what} gradcalc knows")],
            helps=helps,
        )


def _applied(entry: Entry, name: str, arguments: list[Any]) -> Any:
    """A function's value; what NumPy itself refuses (a negative length, say) becomes an error of ours."""
    try:
        return entry(*arguments)
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        raise _cannot_take(name, error) from None


def _cannot_take(name: str, error: Exception) -> GradcalcError:
    return GradcalcError("arguments", f"`{name}` cannot take these arguments", notes=[str(error).rstrip(".")])


def _check_dtype(argument: Argument) -> None:
    """All numbers are float64: to ask for that is harmless, to ask for another would change the answer."""
    text = argument.value.span.text.strip("'\"").rpartition(".")[2]
    if text not in ("float", "float64", "double"):
        message = f"`dtype={argument.value.span.text}` would change the answer: numbers are float64 here"
        raise GradcalcError("arguments", message, labels=[Label(argument.span)], helps=["leave it out"])


def _check_harmless(argument: Argument) -> None:
    """Where numbers are kept changes no value; what `out` overwrites, or `where` leaves out, is another matter."""
    text = argument.value.span.text
    needed = dialects.HARMLESS[argument.name or ""]
    if needed is not None and text != needed:
        message = f"`{argument.name}={short(text)}` is not read here"
        raise GradcalcError("arguments", message, labels=[Label(argument.span)], helps=["leave it out"])


def _same(one: Value, other: Value) -> bool:
    """Whether two values are the same nodes."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return one is other


def _two_operands(name: str, positional: list[Value], expression: Call) -> GradcalcError:
    texts = [short(argument.value.span.text, 20) for argument in expression.arguments]
    both = {"max": "maximum", "amax": "maximum"}.get(name, "minimum")
    return GradcalcError(
        "ambiguous",
        f"`{name}` of two operands: the second would be read as an axis",
        labels=[Label(expression.span)],
        helps=[f"element by element: `{both}({texts[0]}, {texts[1]})`", f"along an axis: `{name}({texts[0]}, axis=0)`"],
    )


def _columns(binary: Binary, a: Node, b: Node) -> list[str]:
    """The vector that would pair up if it were a column, and how to make it one."""
    for one, other, operand in ((b, a, binary.right), (a, b, binary.left)):
        if one.ndim == 1 and other.ndim == 2 and other.shape[0] == one.size:
            text = short(operand.span.text)
            return [f"to pair it with the rows, make `{text}` a column: `reshape({text}, ({one.size}, 1))`"]
    if a.ndim == b.ndim == 1:
        text = short(binary.left.span.text)
        return [f"to combine every pair, make `{text}` a column: `reshape({text}, ({a.size}, 1))`"]
    return []


def _check_truth(operator: str, a: Node, b: Node, span: Span, binary: Binary | None) -> None:
    """Refuse what NumPy and Python mean otherwise: conditions added up, and logic on numbers."""
    if operator in ("+", "-") and a.boolean and b.boolean:
        raise GradcalcError(
            "type",
            f"`{operator}` of two conditions is not a number in NumPy",
            labels=[Label(span)],
            helps=["count with `real(a) + real(b)`", "combine with `&` and `|`"],
        )
    if operator == "**" and a.boolean and b.boolean:
        helps = ["either but not both: `logical_xor(a, b)`"]
        raise GradcalcError("type", "a power of conditions is not defined", labels=[Label(span)], helps=helps)
    if operator in ("&", "|", "and", "or") and not (a.boolean and b.boolean):
        helps = ["put brackets round each comparison: `(x > 1) & (x < 3)`"]
        if binary is not None and a.boolean != b.boolean:
            number = binary.right if a.boolean else binary.left
            helps.append(f"or compare: `{short(number.span.text)} != 0`")
        raise GradcalcError("type", f"`{operator}` combines conditions, not numbers", labels=[Label(span)], helps=helps)


def _python_would_join(left: Value, right: Value) -> bool:
    """Whether a list meets a list or a number: NumPy adds them, but in Python `+` joins and `*` repeats."""
    lists = [one for one in (left, right) if isinstance(one, (list, tuple))]
    others = [one for one in (left, right) if isinstance(one, Node) and one.ndim]
    return bool(lists) and not others


def _list_arithmetic(operator: str, span: Span, place: Span) -> GradcalcError:
    return GradcalcError(
        "type",
        f"`{operator}` between lists joins or repeats them in Python, but not arrays",
        labels=[Label(span), Label(place, "", primary=False)],
        helps=["say that it is an array: `array([1, 2])`"],
    )


def unknown_name(expression: Name, known: Iterable[str]) -> GradcalcError:
    """The error for a name that has no value, with the nearest one that has."""
    name = expression.name
    entry = SPELLINGS.get(name)
    if entry is not None and entry.shown:
        return GradcalcError(
            "unknown-name",
            f"`{name}` is a function: it needs brackets",
            labels=[Label(expression.span)],
            helps=[f"call it: `{name}(…)`", f"or give an input of that name: `--{name} …`"],
        )
    found = nearest(name, [*known, *CONSTANTS])
    helps = ([f"did you mean `{found}`?"] if found else []) + [f"give it a value: `--{name} 3`"]
    return GradcalcError("unknown-name", f"`{name}` has no value", labels=[Label(expression.span)], helps=helps)


_VALUES: dict[type, Callable[[_Builder, Any], Any]] = {
    Number: _Builder.number,
    Text: _Builder.text,
    Dots: _Builder.dots,
    Name: _Builder.name,
    Unary: _Builder.unary,
    Binary: _Builder.binary,
    Comparison: _Builder.comparison,
    Conditional: _Builder.conditional,
    Call: _Builder.call,
    Attribute: _Builder.attribute,
    Slice: _Builder.slice,
    Subscript: _Builder.subscript,
    Sequence: _Builder.sequence,
}
