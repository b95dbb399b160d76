"""What people write that is not read, or not as they mean it: the errors that say so, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from ..errors import GradcalcError, Label, Span, nearest
from ..graph import SPELLINGS, Node
from . import dialects
from .names import every, needed
from .refusals import LEAVE_OUT, helps_for, refusal_of
from .syntax import (
    Argument,
    Assign,
    Attribute,
    Binary,
    Call,
    Define,
    Evaluate,
    Expression,
    Name,
    Program,
    Statement,
    Subscript,
    Text,
)
from .values import CONSTANTS, Value, short

# names and functions ------------------------------------------------------------------------------------


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


def not_a_function(function: Expression, call: Call) -> GradcalcError:
    """The error for a call of something that is none."""
    arguments = ", ".join(argument.span.text for argument in call.arguments)
    text = short(function.span.text)
    helps = [
        f"to multiply, write `*`: `{text}*({short(arguments)})`" if arguments else f"leave the brackets out: `{text}`"
    ]
    return GradcalcError(
        "type", f"`{short(function.span.text)}` is not a function", labels=[Label(function.span)], helps=helps
    )


def unknown_function(words: Sequence[str], name: str, call: Call, method_of: str) -> GradcalcError:
    """The error for a function that is not known: why it is refused, or which was probably meant."""
    function = call.function
    called, what = ".".join(words), "method" if method_of else "function"
    place = function.place if isinstance(function, Attribute) else function.span
    if name in LEAVE_OUT:
        labels = [Label(place, f"not a {what} gradcalc knows")]
        helps = [LEAVE_OUT[name]]
        if name == "backward" and isinstance(function, Attribute):
            helps.insert(0, f"end with what it differentiates: `{short(function.value.span.text)}`")
        return GradcalcError("unknown-function", f"unknown {what} `{called}`", labels=labels, helps=helps)
    if (refusal := refusal_of(words, method_of)) is not None:
        labels, helps = [Label(place, refusal.kind)], helps_for(refusal, words, call)
        return GradcalcError("unknown-function", f"`{called}` {refusal.reason}", labels=labels, helps=helps)
    if name.isidentifier() and name[:1].isupper() and dialects.PREFIXES.get(words[0]) == "torch":
        return _layer(called, name, place)
    found = nearest(name, [known for known, entry in SPELLINGS.items() if entry.shown and "." not in known], 0.75)
    helps = [f"did you mean `{found}`?"] if found else []
    if len(words) == 1 and not method_of and found is None:
        arguments = ", ".join(short(one.span.text, 20) for one in call.arguments)
        helps += [f"define it above: `def {name}(…): …`, or write what `{name}({arguments})` computes"]
    helps.append("`gradcalc ops` lists every function")
    labels = [Label(place, f"not a {what} gradcalc knows")]
    return GradcalcError("unknown-function", f"unknown {what} `{called}`", labels=labels, helps=helps)


_WITHOUT_PARAMETERS = {
    *("relu", "relu6", "leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish", "sigmoid", "tanh", "softplus"),
    *("softsign", "softmax", "log_softmax", "softmin", "hardtanh", "hardswish", "hardsigmoid", "softshrink"),
    *("hardshrink", "tanhshrink", "logsigmoid", "glu"),
}
_RENAMED = {"BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits"}


def layer_function(name: str) -> str | None:
    """The function of a layer that has no parameters of its own: `cross_entropy` for `CrossEntropyLoss`."""
    wanted = name.lower()
    if wanted.endswith("loss"):
        known = [one for one in SPELLINGS if one.replace("_", "") in (wanted, wanted.removesuffix("loss"))]
        return _RENAMED.get(name) or next(iter(known), None)
    return next((one for one in _WITHOUT_PARAMETERS if one.replace("_", "") == wanted), None)


def _layer(called: str, name: str, place: Span) -> GradcalcError:
    """The error for a class such as `nn.Linear`, which keeps its parameters to itself."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    function = next((one for one in (plain, plain.removesuffix("_loss"), name.lower()) if _is_known(one)), None)
    helps = [f"its function takes them as arguments: `F.{function}(…)`"] if function else ["write what it computes"]
    message = f"`{called}` is a layer that keeps its own parameters"
    return GradcalcError(
        "unknown-function", message, labels=[Label(place, "not a function gradcalc knows")], helps=helps
    )


def _is_known(name: str) -> bool:
    entry = dialects.find("torch", "F", name)
    return entry is not None


def unknown_calls(program: Program, own: Container[str]) -> Iterator[GradcalcError]:
    """The errors for library functions, and methods to be left out, that a program calls and nobody knows.

    They say more than that the names in them have no value.
    """
    stack: list[Any] = list(reversed(needed(program, own)))
    known = {*(one.name for one in every(program.statements) if isinstance(one, Define))}
    while stack:
        current = stack.pop()
        if isinstance(current, Call):
            words = _words(current.function)
            library = dialects.library_of(words) if words and words[0] not in known and words[0] not in own else None
            if library is not None and dialects.find(*library) is None and refusal_of(words) is not None:
                yield unknown_function(words, words[-1], current, "")
            elif isinstance(current.function, Attribute) and current.function.name in LEAVE_OUT:
                yield unknown_function([current.function.name], current.function.name, current, "numpy")
        if isinstance(current, tuple) and not isinstance(current, Span):
            stack += [part for part in reversed(current) if isinstance(part, tuple)]


def _words(function: Any) -> list[str]:
    """The words of a dotted name; none of anything else."""
    words: list[str] = []
    while isinstance(function, Attribute):
        words.append(function.name)
        function = function.value
    return [function.name, *reversed(words)] if isinstance(function, Name) and words else []


def cannot_take(name: str, error: Exception) -> GradcalcError:
    """The error for arguments that NumPy itself refuses."""
    return GradcalcError("arguments", f"`{name}` cannot take these arguments", notes=[str(error).rstrip(".")])


def no_value(last: Statement) -> GradcalcError:
    """The error for a text that ends with something that is no value."""
    if isinstance(last, Assign):
        helps = [f"end with the result: `{last.targets[0].span.text}`"]
        message = "the text ends with an assignment, so it has no value"
    elif isinstance(last, Evaluate):
        printed = last.value.arguments if isinstance(last.value, Call) else ()
        helps = [f"end with the result: `{short(one.span.text)}`" for one in printed[-1:]] or ["end with the result"]
        message = "the text ends with something that has no value"
    elif isinstance(last, Define):
        names = ", ".join(one.name for one in last.parameters)
        helps = [f"call it: `{last.name}({names})`", f"or ask for it: `-f FILE:{last.name}`"]
        message = "the text ends with a function, which is not called"
    else:
        helps = ["end with the result"]
        message = "the text ends with a loop or a condition, so it has no value"
    return GradcalcError("syntax", message, labels=[Label(last.span)], helps=helps)


# arguments ----------------------------------------------------------------------------------------------


def check_harmless(argument: Argument) -> None:
    """Where numbers are kept changes no value; what `out` overwrites, or `where` leaves out, is another matter."""
    text = argument.value.span.text
    needed = dialects.HARMLESS[argument.name or ""]
    if needed is not None and text != needed:
        message = f"`{argument.name}={short(text)}` is not read here"
        raise GradcalcError("arguments", message, labels=[Label(argument.span)], helps=["leave it out"])


def two_operands(name: str, positional: list[Value], expression: Call) -> GradcalcError:
    """The error for `max(x, 0)`, which might mean either of two things."""
    texts = [short(argument.value.span.text, 20) for argument in expression.arguments]
    both = {"max": "maximum", "amax": "maximum"}.get(name, "minimum")
    return GradcalcError(
        "ambiguous",
        f"`{name}` of two operands: the second would be read as an axis",
        labels=[Label(expression.span)],
        helps=[f"element by element: `{both}({texts[0]}, {texts[1]})`", f"along an axis: `{name}({texts[0]}, axis=0)`"],
    )


# operators ----------------------------------------------------------------------------------------------


def columns(binary: Binary, a: Node, b: Node) -> list[str]:
    """The vector that would pair up if it were a column, and how to make it one."""
    for one, other, operand in ((b, a, binary.right), (a, b, binary.left)):
        if one.ndim == 1 and other.ndim == 2 and other.shape[0] == one.size:
            text = short(operand.span.text)
            return [f"to pair it with the rows, make `{text}` a column: `reshape({text}, ({one.size}, 1))`"]
    if a.ndim == b.ndim == 1:
        text = short(binary.left.span.text)
        return [f"to combine every pair, make `{text}` a column: `reshape({text}, ({a.size}, 1))`"]
    return []


def check_truth(operator: str, a: Node, b: Node, span: Span, binary: Binary | None) -> None:
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


def list_arithmetic(operator: str, span: Span, place: Span) -> GradcalcError:
    """The error for lists that are added up or multiplied in a text that is no program."""
    return GradcalcError(
        "type",
        f"`{operator}` between lists joins or repeats them in Python, but not arrays",
        labels=[Label(span), Label(place, "", primary=False)],
        helps=["say that it is an array: `array([1, 2])`"],
    )


def refuse_texts(key: Sequence[Any], expression: Subscript) -> None:
    """Raise if an array is indexed with a text."""
    if any(isinstance(part, str) for part in key):
        places = [part.span for part in expression.parts if isinstance(part, Text)] or [expression.span]
        raise GradcalcError("index", "only a dictionary has texts as keys", labels=[Label(places[0])])
