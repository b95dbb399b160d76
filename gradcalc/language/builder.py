"""Syntax tree to graph: names become inputs, calls become nodes, and every shape is known at once.

Nothing is ever executed as Python. What must be a number before shapes are decided (an axis, a size, a
mask) is evaluated at the inputs given, by the function that the caller passes in.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import GradcalcError, Label, Span, nearest
from ..graph import SPELLINGS, Entry, Node, constant, inputs_of, is_constant, scalar_value
from ..ops import indexing, shape
from ..ops.arithmetic import logical_and, logical_not, logical_or
from . import dialects, dtypes, programs
from .brackets import BRACKETS
from .builtins import BUILTINS, METHODS, compared, is_static, python_takes, truth_of, would_join
from .calls import Arguments, Bound, bound, signature_of
from .expressions import OPERATORS
from .forms import FORMS, NESTED, Context
from .mistakes import (
    cannot_take,
    check_harmless,
    check_truth,
    columns,
    layer_function,
    list_arithmetic,
    no_value,
    not_a_function,
    refuse_texts,
    two_operands,
    unknown_function,
    unknown_name,
)
from .names import assigned_names, entry_of, every, needed
from .refusals import just_refused
from .scopes import Scope
from .sharing import Memory
from .syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    Comparison,
    Comprehension,
    Conditional,
    Dictionary,
    Dots,
    Evaluate,
    Expression,
    Formatted,
    Lambda,
    Name,
    Number,
    Program,
    Return,
    Slice,
    Starred,
    Subscript,
    Text,
    Unary,
    Unread,
)
from .syntax import Sequence as Syntax
from .trampoline import Steps, run
from .values import CONSTANTS, Function, Items, Key, Layer, Library, Method, Place, Value, node_of, plain, short

_NEW_AXIS = {"newaxis"}


class Built(NamedTuple):
    """What a program says about its inputs: its value, where that and each node stand in the text, and notes."""

    value: Value
    span: Span
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
    try:
        return Builder(program, inputs, value_of, extra or {}).program_value()
    except RecursionError:
        raise GradcalcError("too-deep", "a list contains itself, or lists are nested too deep", limit=True) from None
    except MemoryError:
        raise GradcalcError("too-large", "there is not enough memory for what the text makes", limit=True) from None


def index_key(item: Subscript, inputs: Mapping[str, Node], value_of: Callable[[Node], Any]) -> list[Any]:
    """The index of a subscript standing by itself, as `indexing` takes it."""
    program = Program(item.span.source, (), frozenset(), {}, frozenset(), ())
    builder = Builder(program, inputs, value_of, {})
    key: list[Any] = run(builder.key(item.parts))
    refuse_texts(key, item)
    return key


class Builder:
    """A program being evaluated to a graph: expressions here, statements in `programs`."""

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
        self.scope = Scope()
        self.ran = self.depth = 0  # statements so far, and calls around the present one
        self.places: dict[Node, Span] = {}  # where each node was made
        self.latest: dict[Node, Span] = {}  # where each was last mentioned: the operands of what comes next
        self.memory = Memory(program, inputs)
        self.handed_on: Span | None = None  # the last call, if it returned an array that it was given
        self.notes: list[str] = list(program.notes)
        self.libraries = _libraries(program, {*inputs, *assigned_names(program)})
        self.is_python = bool(program.imported) or any(
            not isinstance(one, (Assign, Evaluate)) for one in program.statements
        )

    # programs -----------------------------------------------------------------------------------

    def program_value(self) -> Built:
        value, span = self.called() if self.program.source.entry is not None else self.last_value()
        if isinstance(value, list):
            value = self.located(lambda: node_of(value), span)
        return Built(value, span, self.places, self.notes)

    def last_value(self) -> tuple[Value, Span]:
        """The value of the last expression, or of a `return`."""
        value: Value = None
        last: Any = None
        for last in self.program.statements:
            if isinstance(last, Evaluate):
                self.ran += 1
                if last is not self.program.statements[-1] and self.passes_over(last.value):
                    continue
                value = run(self.value(last.value))
                if last is not self.program.statements[-1] and not isinstance(last.value, Text) and value is not None:
                    self.note(f"`{short(last.span.text)}` has no effect: only the last expression counts")
                continue
            signal = run(programs.run_statement(self, last))
            if isinstance(signal, programs.Returned):
                return signal.value, signal.span
        if not isinstance(last, Evaluate) or value is None:
            raise no_value(last)
        return value, last.value.span

    def called(self) -> tuple[Value, Span]:
        """The value of the one function that is asked for; its parameters stand for the inputs."""
        entry = entry_of(self.program)
        assert entry is not None  # the names that it needs were read before
        for statement in needed(self.program, self.inputs):
            run(programs.run_statement(self, statement))
        function = self.scope.find(entry.name)
        given = {one.name: (self.inputs[one.name], one.span) for one in entry.parameters if one.name in self.inputs}
        value = run(programs.call_function(self, function, (), given, entry.span))
        if value is None:
            message = f"`{entry.name}` returns nothing"
            raise GradcalcError("not-a-number", message, labels=[Label(entry.span)], helps=["end it with `return …`"])
        returns = [one.value.span for one in every(entry.body) if isinstance(one, Return) and one.value is not None]
        return value, returns[-1]

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

    def decided(self, expression: Expression) -> Steps:
        """Whether a condition holds, at the given inputs if it depends on them."""
        condition = yield self.value(expression)
        if not isinstance(condition, Node):
            return bool(condition)
        text = short(expression.span.text)
        if condition.size != 1:
            raise GradcalcError(
                "type",
                f"the condition has shape {condition.shape}, so it chooses no branch",
                labels=[Label(expression.span)],
                helps=[f"choose element by element: `where({text}, …, …)`"],
            )
        if inputs_of([condition]):
            self.note(f"`{text}` was decided at these inputs; `where` keeps both branches")
        return bool(np.asarray(self.known(condition)).item())

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
        if name in self.scope:
            value = self.scope.find(name)
        elif name in self.inputs:
            value = self.inputs[name]
        elif name in self.program.aliases:
            value = self.imported(self.program.aliases[name], expression)
        elif name in CONSTANTS:
            value = CONSTANTS[name]
            value = None if value is None else constant(value)
        elif name in dialects.PREFIXES or name in dtypes.OWN or (name in BUILTINS and name not in SPELLINGS):
            return Library([name])
        else:
            raise unknown_name(expression, [*self.scope.all(), *self.inputs])
        return self.placed(value, expression.span)

    def imported(self, words: Iterable[str], expression: Name) -> Value:
        """What an import made a name stand for: a library, a function of one, or a constant."""
        words = list(words)
        if words[0] not in dialects.PREFIXES:
            message = f"`{'.'.join(words)}` is not a library that gradcalc knows"
            helps = ["write what it computes with NumPy's or PyTorch's functions"]
            raise GradcalcError("unknown-name", message, labels=[Label(expression.span)], helps=helps)
        return constant(CONSTANTS[words[-1]]) if len(words) > 1 and words[-1] in CONSTANTS else Library(words)

    def unary(self, expression: Unary) -> Steps:
        value = yield self.value(expression.operand)
        if expression.operator == "not" and not isinstance(value, Node):
            return constant(not value)
        operand = self.array(value, expression.operand.span)
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
        if expression.operator in ("and", "or"):
            known = truth_of(left)
            if known is not None and known == (expression.operator == "or"):
                return left  # as in Python, the right side is not looked at
            right = yield self.value(expression.right)
            if known is not None and truth_of(right) is not None:
                return right
        else:
            right = yield self.value(expression.right)
        return self.operate(expression.operator, left, right, expression.span, expression.place, expression)

    def operate(
        self, operator: str, left: Value, right: Value, span: Span, place: Span, binary: Binary | None = None
    ) -> Value:
        if isinstance(left, str) or isinstance(right, str):
            message = f"`{operator}` of texts is not read"
            raise GradcalcError("type", message, labels=[Label(span)], helps=["write the text itself"])
        if operator in ("+", "*") and would_join(left, right):
            if not self.is_python:
                raise list_arithmetic(operator, span, place)
            return self.joined(operator, left, right, span)
        a = self.array(left, binary.left.span if binary else span)
        b = self.array(right, binary.right.span if binary else span)
        op = {"and": logical_and, "or": logical_or}.get(operator) or OPERATORS[operator]
        check_truth(operator, a, b, span, binary)
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
                error.helps += columns(binary, a, b)
            raise
        self.placed(made, span)
        stretched = op.elementwise and a.shape != made.shape and b.shape != made.shape and a.ndim and b.ndim
        if stretched and not (binary and _has_new_axis(binary.left) and _has_new_axis(binary.right)):
            self.note(f"`{short(span.text)}` stretches both operands, {a.shape} and {b.shape}, to {made.shape}")
        return made

    def joined(self, operator: str, left: Value, right: Value, span: Span) -> Value:
        """Lists as Python has them: `+` joins two, `*` repeats one."""
        one, other = (left, right) if isinstance(left, (list, tuple)) else (right, left)
        if operator == "+" and isinstance(other, type(one)):
            return left + right
        count = self.fixed(other) if isinstance(other, Node) else None
        if operator == "*" and isinstance(count, int):
            return one * count
        raise GradcalcError("type", f"`{operator}` of a list and something else", labels=[Label(span)])

    def passes_over(self, expression: Expression) -> bool:
        """Whether a statement only calls something of a module that is no library here, as `time.sleep(1)` does."""
        root: Any = expression.function if isinstance(expression, Call) else None
        while isinstance(root, (Attribute, Call)):
            root = root.value if isinstance(root, Attribute) else root.function
        words = self.program.aliases.get(root.name) if isinstance(root, Name) and root.name not in self.scope else None
        if words is None or words[0] in dialects.PREFIXES:
            return False
        self.note(f"`{short(expression.span.text)}` is passed over: `{words[0]}` computes nothing here")
        return True

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def comparison(self, expression: Comparison) -> Steps:
        left, left_expression = (yield self.value(expression.first)), expression.first
        result: Node | None = None
        for operator, right_expression, place in expression.rest:
            right = yield self.value(right_expression)
            span = left_expression.span.to(right_expression.span)
            if is_static(operator, left, right):
                made = constant(compared(operator, self.fixed_items(left), self.fixed_items(right), span))
            else:
                a, b = self.array(left, left_expression.span), self.array(right, right_expression.span)
                pair = Binary(span, operator, left_expression, right_expression, place)
                made = self.operate(operator, a, b, span, place, pair)
            result = made if result is None else logical_and(result, made)
            left, left_expression = right, right_expression
        return self.located(lambda: result, expression.span)

    def fixed_items(self, value: Value) -> Any:
        """A value to be compared as Python compares it: texts, None, and shapes."""
        return dict.fromkeys(value) if isinstance(value, dict) else self.fixed(value)

    def conditional(self, expression: Conditional) -> Steps:
        holds = yield self.decided(expression.condition)
        return (yield self.value(expression.then if holds else expression.otherwise))

    def sequence(self, expression: Syntax) -> Steps:
        items: list[Value] = []
        for item in expression.items:
            if isinstance(item, Starred):
                items += yield self.starred(item)
            else:
                items.append((yield self.value(item)))
        if expression.bracket == "(":
            return tuple(items)
        if any(isinstance(item, Starred) for item in expression.items):
            return items
        if self.is_python and any(isinstance(one, list) and not one for one in items):
            return items  # lists that will grow
        items = [self.row(item, one.span) for item, one in zip(items, expression.items, strict=True)]
        for item, one in reversed(list(zip(items, expression.items, strict=True))):
            if isinstance(item, Node):
                self.latest[item] = one.span
        return items

    def starred(self, expression: Starred) -> Steps:
        """The items of `*rows`."""
        value = yield self.value(expression.value)
        items = programs.items_of(value)
        if items is None:
            raise GradcalcError("type", "`*` needs several values to spread out", labels=[Label(expression.span)])
        return list(items)

    def dictionary(self, expression: Dictionary) -> Steps:
        found: dict[Any, Value] = {}
        for key, value in expression.items:
            if key is None:
                found |= _spread((yield self.value(value)), value.span)
            else:
                found[self.fixed((yield self.value(key)))] = yield self.value(value)
        return found

    def formatted(self, expression: Formatted) -> Steps:
        """The text that `f"w{i}"` makes."""
        text = ""
        for part in expression.parts:
            value = yield self.value(part)
            text += value if isinstance(value, str) else str(self.fixed(value))
        return text

    def dictionary_key(self, key: list[Any], expression: Subscript) -> Any:
        """The key that a subscript of a dictionary asks for."""
        return self.fixed(tuple(key) if len(key) > 1 else key[0])

    def alone(self, expression: Starred) -> Value:
        message = "`*` spreads several values out, which has no place here"
        raise GradcalcError("syntax", message, labels=[Label(expression.span)])

    def unread(self, expression: Unread) -> Value:
        raise expression.error

    def function(self, expression: Lambda) -> Steps:
        return programs.function_of(self, expression, "lambda")

    def comprehension(self, expression: Comprehension) -> Steps:
        return programs.comprehend(self, expression)

    def row(self, item: Value, span: Span) -> Value:
        """An item of a list: of numbers, a list inside it is an array."""
        if not isinstance(item, (list, tuple)):
            return item
        try:
            return self.array(item, span)
        except GradcalcError as error:
            if error.kind == "type" or (error.kind == "shape" and self.is_python and not _is_ragged(item)):
                return item  # such as the weights and biases of a layer
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
            elif value is None or value is Ellipsis or isinstance(value, (slice, str)):
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
        if isinstance(owner, Library) and owner.words[-1] in BRACKETS:
            return (yield self.bracketed(owner.words[-1], expression))
        key = yield self.key(expression.parts)
        if isinstance(owner, Place) and owner.parts is None:
            return Place(owner.array, key)
        if isinstance(owner, dict):
            return self.looked_up(owner, key, expression)
        if isinstance(owner, (tuple, list)) and len(key) == 1 and _is_place(key[0]):
            return self.pick(owner, key[0], expression)
        refuse_texts(key, expression)
        array = self.array(owner, expression.value.span)
        return self.located(lambda: self.indexed(array, key), expression.span)

    def indexed(self, array: Node, key: list[Any]) -> Node:
        """`x[key]`. PyTorch takes the places that are single numbers first, NumPy counts them among the arrays."""
        if "torch" in self.libraries and (parts := indexing.numbers_first(key)) is not None:
            for part in parts:
                array = indexing.get(array, part, self.known)
            return array
        return indexing.get(array, key, self.known)

    def bracketed(self, name: str, expression: Subscript) -> Steps:
        """What NumPy makes of an index alone: `np.r_[x, 1, 0:3]`, `np.mgrid[0:2, 0:3]`."""
        parts: list[Any] = []
        for part in expression.parts:
            value = yield self.value(part)
            parts.append(value if value is None or isinstance(value, slice) else self.array(value, part.span))
        return self.located(lambda: BRACKETS[name](parts), expression.span)

    def written(self, array: Node, key: list[Any], value: Node) -> Node:
        """The array after `x[key] = value`, places chosen as in `indexed`."""
        if "torch" in self.libraries and (parts := indexing.numbers_first(key)) is not None:
            first, rest = parts
            inner = indexing.put(indexing.get(array, first, self.known), rest, value, self.known)
            return indexing.put(array, first, inner, self.known)
        return indexing.put(array, key, value, self.known)

    def looked_up(self, owner: dict[Any, Value], key: list[Any], expression: Subscript) -> Value:
        """The value of a dictionary under a key."""
        wanted = self.dictionary_key(key, expression)
        if wanted not in owner:
            found = nearest(str(wanted), map(str, owner))
            helps = [f"did you mean `{found}`?"] if found else []
            message = f"the dictionary has no `{wanted}`"
            raise GradcalcError("index", message, labels=[Label(expression.span)], helps=helps)
        return owner[wanted]

    def pick(self, owner: tuple[Value, ...] | list[Value], place: Any, expression: Subscript) -> Value:
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
        if isinstance(owner, (list, dict)) and name in METHODS[type(owner) if type(owner) is dict else list]:
            return Method(owner, name)
        if isinstance(owner, Place) and owner.parts is not None:
            return Method(owner, f"at.{name}")
        array = self.array(owner, expression.value.span)
        if name == "T":
            return self.located(lambda: shape.transpose(array), expression.span)
        if (name in ("mT", "mH") and array.ndim >= 2) or (name == "H" and array.ndim == 2):
            return self.located(lambda: shape.swapaxes(array, -1, -2), expression.span)
        if name == "at" and not called:
            return Place(array)
        if name == "shape":
            return tuple(constant(length) for length in array.shape)
        if name == "real" and not called:
            return array
        if name == "dtype":
            return dtypes.type_of(array)
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
        if isinstance(expression.function, Name) and expression.function.name == "print" and "print" not in self.scope:
            return None  # what is shown to a reader of the running program
        target = yield self.callee(expression)
        positional, named = yield self.arguments(expression, target)
        if isinstance(target, Layer):
            return self.apply(target.words, expression, positional, {**target.named, **named}, is_method=False)
        if isinstance(target, Function):
            return (yield programs.call_function(self, target, positional, named, expression.span))
        if isinstance(target, Method):
            if isinstance(target.owner, (list, dict)):
                if isinstance(expression.function, Attribute) and isinstance(expression.function.value, Name):
                    for argument in expression.arguments:
                        self.memory.hold(expression.function.value, argument.value, self.scope)
                return METHODS[type(target.owner) if type(target.owner) is dict else list][target.name](
                    self, target.owner, positional, expression.span
                )
            return self.apply([target.name], expression, [target.owner, *positional], named, is_method=True)
        if (
            len(target.words) == 1
            and target.words[0] in BUILTINS
            and self.is_builtin(target.words[0], positional, named)
        ):
            given = [*positional, *(value for word, (value, _) in named.items() if word == "start")]
            if target.words[0] == "dict" and not positional:
                given = [{word: value for word, (value, _) in named.items()}]
            return (yield BUILTINS[target.words[0]](self, given, expression.span))
        return self.apply(target.words, expression, positional, named, is_method=False)

    def callee(self, expression: Call) -> Steps:
        """What is called: a function of the text, a method, or the words of a library's function."""
        function = expression.function
        target: Value
        if isinstance(function, Name):
            name = function.name
            if name in self.scope:
                target = self.scope.find(name)
                if isinstance(target, Node) and name in SPELLINGS:
                    return Library([name])  # a name before a bracket is a function
            elif name in self.program.aliases:
                target = self.imported(self.program.aliases[name], function)
            else:
                return Library([name])
        elif isinstance(function, Attribute):
            target = yield self.attribute(function, called=True)
        else:
            target = yield self.value(function)
        if not isinstance(target, (Library, Layer, Method, Function)):
            raise not_a_function(function, expression)
        return target

    def arguments(self, expression: Call, target: Value) -> Steps:
        """The values of a call's arguments, by place and by name."""
        positional: list[Value] = []
        named: dict[str, tuple[Value, Span]] = {}
        words = [] if isinstance(target, Function) else [target.name] if isinstance(target, Method) else target.words
        for argument in expression.arguments:
            if words and argument.name == "dtype" and words[-1] not in dtypes.MAKERS:
                dtypes.check_computed((yield self.value(argument.value)), argument.span)
                continue
            if words and argument.name in dialects.HARMLESS and not self.takes(words, argument.name):
                check_harmless(argument)
                continue
            if isinstance(argument.value, Starred):
                positional += yield self.starred(argument.value)
                continue
            nested = bool(words) and words[-1] in NESTED
            value = yield self.nested(argument.value) if nested else self.value(argument.value)
            if argument.name == "**":
                for word, item in _spread(value, argument.span).items():
                    named[word] = (item, argument.span)
            elif argument.name is None:
                if named:
                    raise GradcalcError(
                        "syntax", "an argument without a name follows one with a name", labels=[Label(argument.span)]
                    )
                positional.append(value)
            elif argument.name in named:
                raise GradcalcError("arguments", f"`{argument.name}` is given twice", labels=[Label(argument.span)])
            else:
                named[argument.name] = (value, argument.span)
        return positional, named

    def nested(self, expression: Expression) -> Steps:
        """A list whose lists stay lists, however alike their items are: `block([[A, B], [C, D]])`."""
        if not isinstance(expression, Syntax):
            return (yield self.value(expression))
        items: list[Value] = []
        for item in expression.items:
            items.append((yield self.nested(item)))
        return items

    def is_builtin(self, name: str, positional: Sequence[Value], named: Mapping[str, Any]) -> bool:
        """Whether Python's own function of a name is meant, which the catalogue may have as well.

        It is for what only Python can go through or read, and for lists and numbers in a text that imports its
        libraries.
        """
        if name in self.inputs or not (named.keys() <= {"start", "strict"} or name == "dict"):
            return False
        if name not in SPELLINGS or any(isinstance(one, (Items, str)) for one in positional):
            return True
        return self.is_python and bool(positional) and python_takes(name, positional)

    def called_by_words(self, words: list[str], given: Sequence[Value], span: Span) -> Value:
        """The value of a library's function that was passed as a value."""
        return self.apply(words, Call(span, Name(span, words[-1]), ()), list(given), {}, is_method=False)

    def takes(self, words: list[str], argument: str) -> bool:
        """Whether some library's function of that name has a meaning for the argument."""
        name = words[-1]
        places = (".".join(words[-2:]), name, *(f"{where}{name}" for where in dialects.FALLBACK))
        entries = [SPELLINGS[one] for one in places if one in SPELLINGS]
        return any(argument in signature_of(one).names for one in entries)

    def apply(
        self,
        words: list[str],
        expression: Call,
        positional: list[Value],
        named: dict[str, tuple[Value, Span]],
        *,
        is_method: bool,
    ) -> Value:
        """The value of a call whose arguments have values."""
        if words[-1] in dtypes.MAKERS and (kind := dtypes.taken(positional, named)) is not None:
            cast = words[-1] in ("astype", "to", "type") and len(positional) == 1
            made = positional[0] if cast else self.apply(words, expression, positional, named, is_method=is_method)
            return self.located(lambda: dtypes.converted(made, kind), expression.span)
        named_library = dialects.library_of(words)
        dialect, room, name = named_library or (
            self.dialect(words[-1], expression.function, named, is_method),
            "",
            words[-1],
        )
        if named_library is None and not is_method and dialect == "torch":
            room = "F"  # what is written without a library is mostly imported from there
        strict = named_library is not None or self.libraries
        # Another library's function of that name may be known, so this is asked first.
        method_of = dialect if is_method else ""
        if just_refused(words, method_of) is not None:
            raise self.unknown(words, name, expression, method_of)
        if is_method and name in dialects.SECOND:
            positional[:2] = reversed(positional[:2])
        given = Arguments(positional, named, expression.span, dialect if strict else "", is_method)
        if name in FORMS:
            context = Context(".".join(words), is_method, "torch" in self.libraries, self.known, self.fixed)
            return self.located(lambda: FORMS[name](given, context), expression.span)
        if name in self.extra:
            return self.located(lambda: self.from_extra(name, positional, named), expression.span)
        entry = dialects.find(dialect, room, name, is_method=is_method)
        is_layer = entry is None and not positional and words[0] in ("nn", "torch") and name[:1].isupper()
        if is_layer and (function := layer_function(name)) is not None:
            return Layer(["F", function], named)
        if entry is None:
            raise self.unknown(words, name, expression, method_of)
        if name in ("max", "min", "amax", "amin") and not is_method and len(words) == 1 and len(positional) > 1:
            raise two_operands(name, positional, expression)
        arguments = self.located(lambda: bound(entry, name, given, self.fixed), expression.span)
        for one in arguments.held:
            self.note(f"`{one}` of `{name}` is taken as a number here: there is no derivative by it")
        value = self.located(lambda: _applied(entry, name, arguments), expression.span)
        if not strict and not entry.name.startswith("F."):
            self.compare_libraries(entry, name, given, value)
        return value

    def compare_libraries(self, entry: Entry, name: str, given: Arguments, value: Value) -> None:
        """Say so where another library means something else by a name that was written without one."""
        for dialect, library in (("torch", "PyTorch"), ("jax", "JAX")):
            other = SPELLINGS.get(f"{dialect}.{name}")
            if other is None or other is entry or entry.name.startswith("method."):
                continue
            try:
                meant = _called(other, bound(other, name, given, self.fixed))
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
            raise cannot_take(name, error) from None

    def dialect(self, name: str, function: Expression, named: Iterable[str], is_method: bool) -> str:
        """Whose meaning a bare name or method has: the text's own library, else NumPy's, if it has such a one."""
        if not dialects.differs(name):
            return "torch" if "torch" in self.libraries else "numpy"
        if {"torch", "numpy"} <= self.libraries:
            raise GradcalcError(
                "ambiguous",
                f"`{name}` means different things in NumPy and PyTorch, and this text uses both",
                labels=[Label(function.span)],
                helps=[f"write `np.{name}(…)` or `torch.{name}(…)`"],
            )
        if is_method and not hasattr(np.ndarray, name) and "numpy" not in self.libraries:
            return "torch"
        own, other = (signature_of(SPELLINGS[one]).names for one in (f"torch.{name}", name))
        is_torch = any(word in ("dim", "keepdim") or (word in own and word not in other) for word in named)
        return "torch" if "torch" in self.libraries or is_torch else "numpy"

    def unknown(self, words: list[str], name: str, call: Call, method_of: str) -> GradcalcError:
        if isinstance(call.function, Name) and (name in self.inputs or name in self.scope):
            return not_a_function(call.function, call)
        return unknown_function(words, name, call, method_of)


def _called(entry: Entry, arguments: Bound) -> Any:
    return entry(*arguments.by_place, **arguments.by_name)


def _applied(entry: Entry, name: str, arguments: Bound) -> Any:
    """A function's value; what NumPy itself refuses (a negative length, say) becomes an error of ours."""
    try:
        return _called(entry, arguments)
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        raise cannot_take(name, error) from None


def _same(one: Value, other: Value) -> bool:
    """Whether two values are the same nodes."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return one is other


def _has_new_axis(expression: Expression) -> bool:
    """Whether an operand is given an axis of length 1 on purpose: `x[:, None]`."""
    if not isinstance(expression, Subscript):
        return False
    return any(getattr(part, "name", "") in ("None", "newaxis") for part in expression.parts)


def _libraries(program: Program, own: Container[str]) -> set[str]:
    """The libraries whose names a text has: those that it uses by a prefix, else those that it imports."""
    used = {dialects.PREFIXES[word] for word in program.prefixes if word not in own}
    used |= program.imported - {"numpy", "math"}
    if not used - {"math"}:
        used |= program.imported
    dialect = program.source.dialect
    return used if used - {"math"} or dialect is None else {dialect}


def _is_ragged(item: Value) -> bool:
    """Whether a list's lists of plain numbers are of different lengths, so that it is no matrix."""
    rows = item if isinstance(item, (list, tuple)) else []
    return all(isinstance(one, (list, tuple)) or is_constant(one) for one in rows)


def _is_place(key: Any) -> bool:
    return isinstance(key, slice) or (isinstance(key, Node) and key.ndim == 0 and not key.boolean)


def _spread(value: Value, span: Span) -> dict[str, Value]:
    if not isinstance(value, dict):
        raise GradcalcError("type", "`**` needs a dictionary to spread out", labels=[Label(span)])
    return value


_VALUES: dict[type, Callable[[Builder, Any], Any]] = {
    Number: Builder.number,
    Text: Builder.text,
    Dots: Builder.dots,
    Name: Builder.name,
    Unary: Builder.unary,
    Binary: Builder.binary,
    Comparison: Builder.comparison,
    Conditional: Builder.conditional,
    Call: Builder.call,
    Attribute: Builder.attribute,
    Slice: Builder.slice,
    Subscript: Builder.subscript,
    Syntax: Builder.sequence,
    Dictionary: Builder.dictionary,
    Formatted: Builder.formatted,
    Lambda: Builder.function,
    Comprehension: Builder.comprehension,
    Unread: Builder.unread,
    Starred: Builder.alone,
}
