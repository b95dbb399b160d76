"""The language: how texts are read, what they mean, and that graphs print as texts that read as them.

Python is the reference throughout: its own parser for the syntax, its evaluator with NumPy's functions for
the meaning. Neither shares any code with gradcalc.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gradcalc.autodiff import vjp
from gradcalc.engine import evaluate
from gradcalc.errors import GradcalcError, Source, Span
from gradcalc.graph import Node, constant, toposort, variable
from gradcalc.language import syntax
from gradcalc.language.builder import Built, build
from gradcalc.language.parser import parse
from gradcalc.language.printer import to_text
from gradcalc.language.tokens import tokenize
from gradcalc.language.values import node_of
from gradcalc.simplifier import simplify

Arrays = dict[str, Any]
thorough = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# reading texts ------------------------------------------------------------------------------------


def nodes_of(arrays: Arrays) -> dict[str, Node]:
    return {name: variable(name, np.shape(a), boolean=np.asarray(a).dtype == bool) for name, a in arrays.items()}


def built(text: str, **arrays: Any) -> Built:
    values = {name: np.asarray(array) for name, array in arrays.items()}
    return build(parse(Source("test", text)), nodes_of(values), lambda one: evaluate([one], values)[0])


def graph(text: str, **arrays: Any) -> Node:
    return node_of(built(text, **arrays).value)


def value(text: str, **arrays: Any) -> Any:
    return evaluate([graph(text, **arrays)], {name: np.asarray(array) for name, array in arrays.items()})[0]


def gradient(text: str, wrt: str, **arrays: Any) -> Any:
    """The gradient of the sum of a text's elements."""
    values = {name: np.asarray(array) for name, array in arrays.items()}
    output = graph(text, **values)
    (found,) = vjp([output], [constant(np.ones(output.shape))], [nodes_of(values)[wrt]])
    return evaluate([found], values)[0]


def refusal(text: str, **arrays: Any) -> GradcalcError:
    with pytest.raises(GradcalcError) as caught:
        graph(text, **arrays)
    return caught.value


def same(found: Any, expected: Any, tolerance: float = 0.0) -> None:
    """Equal shapes and numbers; nan is equal to itself."""
    expected = np.asarray(expected)
    assert np.shape(found) == expected.shape
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def expression(text: str) -> Any:
    (statement,) = parse(Source("test", text)).statements
    return statement.value


# trees, ours and Python's, with every operation in brackets ------------------------------------------


def ours(node: Any) -> str:
    """A syntax tree of gradcalc's as text."""
    match node:
        case syntax.Number():
            return repr(node.value)
        case syntax.Text():
            return repr(node.value)
        case syntax.Name():
            return node.name
        case syntax.Dots():
            return "..."
        case syntax.Unary():
            return f"({node.operator} {ours(node.operand)})"
        case syntax.Binary():
            return f"({ours(node.left)} {node.operator} {ours(node.right)})"
        case syntax.Comparison():
            return f"({ours(node.first)} {' '.join(f'{word} {ours(one)}' for word, one, _ in node.rest)})"
        case syntax.Conditional():
            return f"({ours(node.then)} if {ours(node.condition)} else {ours(node.otherwise)})"
        case syntax.Call():
            inner = [f"{one.name}={ours(one.value)}" if one.name else ours(one.value) for one in node.arguments]
            return f"{ours(node.function)}({', '.join(inner)})"
        case syntax.Attribute():
            return f"{ours(node.value)}.{node.name}"
        case syntax.Slice():
            return ":".join("" if one is None else ours(one) for one in (node.start, node.stop, node.step))
        case syntax.Subscript():
            return f"{ours(node.value)}[{', '.join(map(ours, node.parts))}]"
        case syntax.Sequence():
            return f"{node.bracket}{', '.join(map(ours, node.items))}]"
    raise AssertionError(node)


SYMBOLS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.UAdd: "+",
    ast.USub: "-",
    ast.Invert: "~",
    ast.Not: "not",
    ast.And: "and",
    ast.Or: "or",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def pythons(node: ast.AST) -> str:
    """A syntax tree of Python's as the same text."""

    def symbol(operator: ast.AST) -> str:
        return SYMBOLS[type(operator)]

    match node:
        case ast.Expression(body):
            return pythons(body)
        case ast.Constant(number):
            return "..." if number is ... else repr(number if isinstance(number, str) else float(number))
        case ast.Name(name):
            return name
        case ast.UnaryOp(operator, operand):
            return f"({symbol(operator)} {pythons(operand)})"
        case ast.BinOp(left, operator, right):
            return f"({pythons(left)} {symbol(operator)} {pythons(right)})"
        case ast.BoolOp(operator, [first, *rest]):
            text = pythons(first)
            for one in rest:
                text = f"({text} {symbol(operator)} {pythons(one)})"
            return text
        case ast.Compare(first, operators, rest):
            pairs = [f"{symbol(word)} {pythons(one)}" for word, one in zip(operators, rest, strict=True)]
            return f"({pythons(first)} {' '.join(pairs)})"
        case ast.IfExp(condition, then, otherwise):
            return f"({pythons(then)} if {pythons(condition)} else {pythons(otherwise)})"
        case ast.Call(function, arguments, named):
            inner = [*map(pythons, arguments), *(f"{one.arg}={pythons(one.value)}" for one in named)]
            return f"{pythons(function)}({', '.join(inner)})"
        case ast.Attribute(owner, name):
            return f"{pythons(owner)}.{name}"
        case ast.Slice(start, stop, step):
            return ":".join("" if one is None else pythons(one) for one in (start, stop, step))
        case ast.Subscript(owner, index):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            return f"{pythons(owner)}[{', '.join(map(pythons, parts))}]"
        case ast.List(items):
            return f"[{', '.join(map(pythons, items))}]"
        case ast.Tuple(items):
            return f"({', '.join(map(pythons, items))}]"
    raise AssertionError(ast.dump(node))


def python_tree(text: str) -> str:
    return pythons(ast.parse(text, mode="eval"))


# precedence ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "bracketed"),
    [
        ("-x**2", "-(x**2)"),
        ("2**-1", "2**(-1)"),
        ("2**3**2", "2**(3**2)"),
        ("2**-x**2", "2**(-(x**2))"),
        ("-2**2", "-(2**2)"),
        ("--x", "-(-x)"),
        ("-+~x", "-(+(~x))"),
        ("-x*y", "(-x)*y"),
        ("x*-y", "x*(-y)"),
        ("-x.T @ y", "(-(x.T)) @ y"),
        ("x[0].T", "(x[0]).T"),
        ("x.T[0]", "(x.T)[0]"),
        ("-x[0]**2", "-((x[0])**2)"),
        ("f(x)[0].T(y)", "(((f(x))[0]).T)(y)"),
        ("a - b - c", "(a - b) - c"),
        ("a / b * c", "(a / b) * c"),
        ("a @ b * c", "(a @ b) * c"),
        ("a * b @ c", "(a * b) @ c"),
        ("a // b % c", "(a // b) % c"),
        ("a + b * c ** d", "a + (b * (c ** d))"),
        ("a < b + c", "a < (b + c)"),
        ("a & b == c", "(a & b) == c"),
        ("a | b & c", "a | (b & c)"),
        ("~(x>0) & (y>0)", "(~(x>0)) & (y>0)"),
        ("~x & y", "(~x) & y"),
        ("not a and b", "(not a) and b"),
        ("not a == b", "not (a == b)"),
        ("not not a", "not (not a)"),
        ("a or b and c", "a or (b and c)"),
        ("a and b or c", "(a and b) or c"),
        ("a if c else b", "(a) if (c) else (b)"),
        ("a if b else c if d else e", "a if b else (c if d else e)"),
        ("a + 1 if c or d else b * 2", "(a + 1) if (c or d) else (b * 2)"),
        ("x^2", "x**2"),
        ("2^3^2", "2**(3**2)"),
        ("-x^2*y", "(-(x**2))*y"),
        ("x⁻¹", "x**(-1)"),
        ("x¹²", "x**12"),
        ("x²", "x**2"),
        ("2*x²*y³ + 1", "2*(x**2)*(y**3) + 1"),
        ("-x²", "-(x**2)"),
        ("a − b", "a - b"),
        ("−x", "-x"),
        ("a·b × c ÷ d", "((a*b)*c)/d"),
        ("a ≤ b ≠ c", "a <= b != c"),
    ],
)
def test_precedence(text: str, bracketed: str) -> None:
    assert ours(expression(text)).replace("-1.0", "(- 1.0)") == ours(expression(bracketed))


def test_comparisons_chain() -> None:
    assert ours(expression("a < b == c")) == "(a < b == c)"
    assert ours(expression("(a < b) == c")) == "((a < b) == c)"
    same(value("0 < x < 2", x=[-1.0, 1.0, 3.0]), [False, True, False])
    same(value("0 < x < 2 == 2", x=[-1.0, 1.0, 3.0]), [False, True, False])
    assert graph("0 < s < 1", s=2.0) is graph("(0 < s) & (s < 1)", s=2.0)


def test_a_hat_is_a_power_and_a_note_says_so_once() -> None:
    made = built("x^2 + x^3", x=2.0)
    assert graph("x^2 + x^3", x=2.0) is graph("x**2 + x**3", x=2.0)
    assert [note for note in made.notes if "`^`" in note] == ["`^` was read as a power, as `**` is"]
    assert not built("x**2", x=2.0).notes


OPERATORS = ["+", "-", "*", "/", "//", "%", "@", "**", "&", "|"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]


@st.composite
def operand(draw: Any, inner: Any) -> str:
    """A name, a number or something in brackets, perhaps called, indexed or asked for an attribute."""
    kind = draw(st.sampled_from(["name", "name", "number", "brackets", "list", "tuple"]))
    if kind == "number":
        return str(draw(st.sampled_from(["0", "1", "2.5", ".5", "3.", "1e3", "1.5E-3", "1_000", "0x1f"])))
    text = {
        "name": lambda: draw(st.sampled_from(["a", "b", "x1", "_y", "é"])),
        "brackets": lambda: f"({draw(inner)})",
        "list": lambda: f"[{', '.join(draw(st.lists(inner, max_size=3)))}]",
        "tuple": lambda: f"({draw(inner)}, {draw(inner)})",
    }[kind]()
    for _ in range(draw(st.integers(0, 2))):
        bounds = st.sampled_from(["", "1", "-1", "n"])
        text += draw(
            st.sampled_from(
                [
                    ".T",
                    "()",
                    f"({draw(inner)}, axis={draw(inner)},)",
                    f"[{draw(inner)}]",
                    f"[{draw(bounds)}:{draw(bounds)}:{draw(bounds)}, ...]",
                    f"[{draw(bounds)}:{draw(bounds)}]",
                ]
            )
        )
    return str(text)


def joined(parts: Any, separators: list[str], most: int) -> Any:
    """Parts with separators between them."""
    rest = st.lists(st.tuples(st.sampled_from(separators), parts), max_size=most)
    return st.tuples(parts, rest).map(lambda one: " ".join([one[0], *(word for pair in one[1] for word in pair)]))


def grammar(inner: Any) -> Any:
    """Python's grammar from the loosest operator to the tightest."""
    signed = st.tuples(st.text("-+~", max_size=2), operand(inner)).map("".join)
    compared = joined(joined(signed, OPERATORS, 3), COMPARISONS, 2)
    negated = st.tuples(st.sampled_from(["", "", "not ", "not not "]), compared).map("".join)
    ored = joined(joined(negated, ["and"], 1), ["or"], 1)
    return ored | st.tuples(ored, ored, ored).map(lambda one: "{} if {} else {}".format(*one))


syntaxes = st.recursive(st.sampled_from(["a", "b", "1"]), grammar, max_leaves=8)


@thorough
@given(syntaxes)
def test_syntax_is_grouped_as_by_python(text: str) -> None:
    assert ours(expression(text)) == python_tree(text)


# places --------------------------------------------------------------------------------------------


def parts_of(node: Any) -> Iterator[Any]:
    """The expressions in a syntax tree, outermost first."""
    if isinstance(node, tuple) and not isinstance(node, Span):
        if type(node).__module__ == syntax.__name__ and not isinstance(node, syntax.Argument):
            yield node
        for part in node:
            yield from parts_of(part)


def test_every_node_knows_its_place() -> None:
    tree = expression("sum( -x**2 + w[0, 1:] ,axis = 0).T*(a  if c else 'ij')")
    assert [part.span.text for part in parts_of(tree)] == [
        "sum( -x**2 + w[0, 1:] ,axis = 0).T*(a  if c else 'ij')",
        "sum( -x**2 + w[0, 1:] ,axis = 0).T",
        "sum( -x**2 + w[0, 1:] ,axis = 0)",
        "sum",
        "-x**2 + w[0, 1:]",
        "-x**2",
        "x**2",
        "x",
        "2",
        "w[0, 1:]",
        "w",
        "0",
        "1:",
        "1",
        "0",
        "(a  if c else 'ij')",
        "c",
        "a",
        "'ij'",
    ]


def test_places_of_operators_attributes_and_statements() -> None:
    first, second = parse(Source("test", "y += x @ w.T ;\n y < 2")).statements
    assert (first.span.text, second.span.text) == ("y += x @ w.T", "y < 2")
    assert first.value.place.text == "@"
    assert first.value.right.place.text == "T"
    assert second.value.rest[0][2].text == "<"


@settings(thorough, max_examples=100)
@given(syntaxes)
def test_a_node_is_what_its_place_says(text: str) -> None:
    for part in parts_of(expression(text)):
        if not isinstance(part, syntax.Slice):
            assert ours(expression(part.span.text)) == ours(part)


def test_places_of_graph_nodes() -> None:
    made = built("y = x*2; sum(exp(y) + 1)", x=[1.0, 2.0])
    texts = {node.op.name: span.text for node, span in made.places.items()}
    # A variable's node is where it is made: an error in it is the maker's fault, not the reader's.
    assert texts["multiply"] == "x*2"
    assert texts["exp"] == "exp(y)"
    assert texts["add"] == "exp(y) + 1"
    assert texts["sum"] == "sum(exp(y) + 1)"


# tokens --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3.0),
        ("3.", 3.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        ("1_000", 1000.0),
        ("0x10", 16.0),
        ("0b101", 5.0),
        ("007", 7.0),
        ("1e400", math.inf),
        ("123456789012345678901234567890", 1.2345678901234568e29),
    ],
)
def test_numbers(text: str, number: float) -> None:
    assert expression(text).value == number


def test_tokens_and_their_places() -> None:
    tokens = tokenize(Source("test", "x_1 **= 2.5 # note\n[ 'a' ,\n...]"))
    assert [(one.kind, one.text) for one in tokens] == [
        ("name", "x_1"),
        ("operator", "**="),
        ("number", "2.5"),
        ("newline", "\n"),
        ("operator", "["),
        ("string", "'a'"),
        ("operator", ","),
        ("operator", "..."),
        ("operator", "]"),
        ("end", ""),
    ]
    assert [one.start for one in tokens] == [0, 4, 8, 18, 19, 21, 25, 27, 30, 31]


@pytest.mark.parametrize(
    "text",
    ["0x", "0b", "0b2", "0xg", "1.2.3", "1..2", "1e", "1e+", "3x", "2(x", "x⁻", "x⁻²⁻", "⁻", "²", "x²²⁻", "3j"],
)
def test_broken_numbers_are_refused_with_a_place(text: str) -> None:
    error = refusal(text, x=1.0)
    assert error.kind == "syntax"
    assert error.span is not None


WORDS = r"""
** // == <= ... -> := += ² ⁻ − · … 😀 é # if else for in not and or lambda return None True nan 1 0 2. 0x 1e
'a' x A m s_ np. torch. axis= .T .shape [0] [:,0] sum( where( max reshape(x,
"""
TOKENS = [*"+-*/%@<>=&|~^()[]{},:.;!?$'\"\\`| \n\t\0", *WORDS.split()]


@settings(thorough, max_examples=400)
@given(st.lists(st.sampled_from(TOKENS), max_size=12).map("".join) | st.text(max_size=12))
def test_no_text_makes_a_traceback(text: str) -> None:
    try:
        built(text, x=[1.0, 2.0], A=[[1.0, 2.0], [3.0, 4.0]], m=[True, False])
    except GradcalcError as error:
        assert error.labels, "an error in a text has a place in it"


# programs ------------------------------------------------------------------------------------------


def python_value(text: str, arrays: Arrays) -> Any:
    """The value of a program as Python and NumPy run it."""
    *before, last = ast.parse(text).body
    names = {**NUMPY, **{name: np.array(array) for name, array in arrays.items()}}
    assert isinstance(last, ast.Expr)
    with np.errstate(all="ignore"):
        exec(compile(ast.Module(before, []), "test", "exec"), names)
        return np.asarray(eval(compile(ast.Expression(last.value), "test", "eval"), names))


NUMPY: Arrays = {**vars(np), "np": np, "numpy": np}
MATRIX = np.arange(12.0).reshape(3, 4) / 4 - 1
VECTOR = np.array([0.5, -1.5, 2.0])

PROGRAMS = [
    "y = x + 1; y*2",
    "y = x\nz = y*x\n\nz - 1\n",
    "y = x; y ;",
    "# first\ny = x  # then\n\ty + 1  # last",
    "y = (x +\n     1)\nsum(y,\n    axis=0)",
    "y = x + \\\n  1\ny",
    "y = x*1; y += 1; y -= x; y *= 3; y /= 2; y **= 2; y",
    "y = A @ A.T; y @= y; y",
    "y = x*1; y //= 0.5; y %= 2; y",
    "a, b, c = x; a*b - c",
    "(a, b) = (x, 2); a*b",
    "[a, b] = [x, 2]; a*b",
    "a, b = x, x.sum(); a*b",
    "r, s, t = A; r*s + t",
    "n, k = A.shape; A.sum()/(n*k)",
    "a = x; a = a*a; a = a + x; a",
    "y = zeros(3); y[0] = x[1]**3; y[-1] = 2; y",
    "y = zeros((3, 4)); y[0, 1] = x[1]; y[2] = A[0]; y[:, 3] = x; y",
    "y = zeros((3, 4)); y[1:, ::2] = A[:2, 1:3]; y",
    "y = zeros(5); y[[0, 2, 0]] = x; y",
    "y = zeros(5); y[::-2] = x; y[1:3] = x[0]; y",
    "y = ones((3, 3)); y[[0, 1, 2], [2, 1, 0]] = x; y",
    "y = A*1; y[A > 0] = 7; y",
    "y = A*1; y[y < 0] *= -2; y",
    "y = A*1; y[0] += x[0]; y[..., -1] -= 1; y[:, [0, 0]] += 1; y",
    "y = x*1; y[x > 0] = x[x > 0]**2; y",
    "y = zeros((2, 3)); y[...] = x; y[None, 0] = x*2; y",
    "array([x[0]**2, x[1]*x[2], 3])",
    "array([[x[0], 1], [2, x[1]]])",
    "array([x, 2*x, [1, 2, x[0]]])",
    "x[0] if x[0] > 0 else x[1]",
    "A.T.shape[0] + A.ndim + x.shape[-1] + len(A)",
    "A.sum(axis=0).mean() + A.T.max() + x.reshape(3, 1).sum()",
    "A.reshape(2, -1) @ A.reshape((6, 2))",
    "where(x > 0, x, -x) + maximum(x, 0.25)",
    "np.sum(np.abs(x)) + numpy.exp(x) + np.linalg.norm(A, axis=1)",
    "pi*x + e + np.pi + np.e",
    "concatenate([x, A[0]]) * stack([x, x]).sum()",
    "x[np.newaxis, :] + A[:, :3]",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_program_means_what_python_makes_of_it(text: str) -> None:
    arrays = {name: array for name, array in (("x", VECTOR), ("A", MATRIX)) if name in text}
    same(value(text, **arrays), python_value(text.replace("\ty", "y"), arrays), 1e-13)


def test_return_and_lists_as_results() -> None:
    same(value("y = x*2\nreturn y + 1", x=3.0), 7.0)
    same(value("[x, 2*x]", x=3.0), [3.0, 6.0])
    same(value("[[x, 1], [2, x]]", x=3.0), [[3.0, 1.0], [2.0, 3.0]])


def test_the_last_statement_must_be_an_expression() -> None:
    error = refusal("y = x + 1", x=1.0)
    assert (error.kind, error.span.text) == ("syntax", "y = x + 1")
    assert error.help == "end with the result: `y`"


def test_writing_into_an_input_is_refused() -> None:
    assert refusal("x[0] = 1; x", x=[1.0, 2.0]).span.text == "x"


def test_lists_do_not_add_as_in_python() -> None:
    for text in ("[1, 2] + [3, 4]", "[1, 2]*2", "2*[x, 1]", "(1, 2) + (3, 4)"):
        assert refusal(text, x=1.0).kind == "type"
    same(value("[1, 2]*x", x=[3.0, 4.0]), [3.0, 8.0])
    same(value("array([1, 2])*2"), [2.0, 4.0])


# indexing ------------------------------------------------------------------------------------------

CUBE = np.arange(24.0).reshape(2, 3, 4) / 8 - 1

INDICES = [
    ("0", VECTOR),
    ("-1", VECTOR),
    (":", VECTOR),
    ("1:", VECTOR),
    (":-1", VECTOR),
    ("::-1", VECTOR),
    ("::2", VECTOR),
    ("5:1:-1", VECTOR),
    ("-1:-3:-1", VECTOR),
    ("1:1", VECTOR),
    ("10:", VECTOR),
    ("...", VECTOR),
    ("None", VECTOR),
    (":, None", VECTOR),
    ("None, 0, None", VECTOR),
    ("[0, 2, 0]", VECTOR),
    ("[-1, -3]", VECTOR),
    ("[]", VECTOR),
    ("[[0, 1], [2, 0]]", VECTOR),
    ("[[0, 1], [2, 0]], None", VECTOR),
    ("[True, False, True]", VECTOR),
    ("x > 0", VECTOR),
    ("x > 100", VECTOR),
    ("(x > 0) & (x < 1)", VECTOR),
    ("~(x > 0)", VECTOR),
    ("(0,)", VECTOR),
    ("()", VECTOR),
    ("1, 2", MATRIX),
    ("-1, ::-2", MATRIX),
    ("..., 0", MATRIX),
    ("0, ...", MATRIX),
    ("[0, 2, 0]", MATRIX),
    (":, [3, 0, 3]", MATRIX),
    ("[0, 1], [2, 3]", MATRIX),
    ("[[0], [1]], [2, 3, 3]", MATRIX),
    ("[0, 1], 2", MATRIX),
    ("1, [2, 2, 0]", MATRIX),
    ("[0, 0], 1:", MATRIX),
    ("None, [0, 0], 1:", MATRIX),
    ("[2, 1], None", MATRIX),
    ("[2, 1], None, [0, 3]", MATRIX),
    ("x > 0", MATRIX),
    ("[True, False, True]", MATRIX),
    ("[True, False, True], 1:3", MATRIX),
    (":, [True, False, False, True]", MATRIX),
    ("[True, False, True], [1, 3]", MATRIX),
    ("x[:, 0] > -0.5, 0", MATRIX),
    ("1", CUBE),
    ("0, 1, 2", CUBE),
    ("..., None, ::2, -1", CUBE),
    ("[0, 1], :, [1, 0]", CUBE),
    (":, [0, 2], [1, 1]", CUBE),
    ("[1, 0], [0, 2], :", CUBE),
    ("0, :, [1, 0]", CUBE),
    ("[0, 1], ..., 2", CUBE),
    ("[[0], [1]], :, [3, 0]", CUBE),
    ("0, [0, 2]", CUBE),
    (":, 1, [0, 2]", CUBE),
    ("1, ..., [0, 2]", CUBE),
    ("None, 1, :, [0, 2]", CUBE),
    ("x > 1", CUBE),
    ("0, x[0] > -0.5", CUBE),
    ("x[:, :, 0] > 0", CUBE),
    (":, x[0] > -0.7", CUBE),
    ("[True, False], :, [0, 3]", CUBE),
    ("::-1, [2, 0], None, 1:3", CUBE),
    ("..., [[0, 1], [1, 0]]", CUBE),
]


def taken(key: str, x: Any) -> tuple[Any, Any]:
    """What NumPy takes at an index, and the gradient of its weighed sum."""
    places = eval(f"s_[{key}]", {**NUMPY, "x": x})
    found = x[places]
    spread = np.zeros_like(x)
    np.add.at(spread, places, weights(found.shape))
    return found, spread


def weights(shape: tuple[int, ...]) -> Any:
    return np.arange(1.0, math.prod(shape) + 1).reshape(shape)


@pytest.mark.parametrize(("key", "x"), INDICES)
def test_indexing_is_numpys(key: str, x: Any) -> None:
    found, spread = taken(key, x)
    same(value(f"x[{key}]", x=x), found)
    same(gradient(f"w*x[{key}]", "x", x=x, w=weights(found.shape)), spread)


@pytest.mark.parametrize(("key", "x"), INDICES)
def test_indexed_assignment_is_numpys(key: str, x: Any) -> None:
    places = eval(f"s_[{key}]", {**NUMPY, "x": x})
    put = -weights(x[places].shape)
    expected = x.copy()
    expected[places] = put
    given = {"x": x, "v": put, "w": weights(x.shape)}
    text = f"y = x*1; y[{key}] = v; w*y"
    same(value(text, **given), expected * given["w"])
    same(gradient(text, "x", **given), kept(x, places))
    same(gradient(text, "v", **given), winning(x, places, put))


def kept(x: Any, places: Any) -> Any:
    """The weights where an assignment leaves the old elements."""
    out = weights(x.shape)
    out[places] = 0
    return out


def winning(x: Any, places: Any, put: Any) -> Any:
    """The weight of the place at which each new element ends up; 0 for those that another one replaced."""
    order = np.full(x.shape, -1)
    order[places] = np.arange(put.size).reshape(put.shape)
    out = np.zeros(put.size)
    for place, which in np.ndenumerate(order):
        if which >= 0:
            out[which] = weights(x.shape)[place]
    return out.reshape(put.shape)


LENGTHS = {1: (5,), 2: (3, 4), 3: (2, 3, 4)}


@st.composite
def indices(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A valid index of every kind that NumPy knows, but for the truth values that add an axis."""
    common = draw(st.sampled_from([(), (2,), (2, 3), (1, 2)]))
    parts: list[Any] = []
    axis = 0
    while axis < len(shape):
        length = shape[axis]
        kind = draw(st.sampled_from(["number", "slice", "slice", "array", "mask", "new", "rest"]))
        if kind == "number":
            parts.append(draw(st.integers(-length, length - 1)))
        elif kind == "slice":
            ends = st.none() | st.integers(-length - 2, length + 2)
            parts.append(slice(draw(ends), draw(ends), draw(st.sampled_from([None, 1, 2, -1, -3]))))
        elif kind == "array":
            count = math.prod(common)
            numbers = draw(st.lists(st.integers(-length, length - 1), min_size=count, max_size=count))
            parts.append(np.array(numbers, np.intp).reshape(common))
        elif kind == "mask":
            # As many true places as a vector among the other arrays has, or one, so that they fit together.
            true = draw(st.sets(st.integers(0, length - 1), min_size=1, max_size=1))
            parts.append(np.isin(np.arange(length), list(true)))
        elif kind == "new":
            parts.append(None)
            continue
        else:
            if not any(part is Ellipsis for part in parts):
                parts.append(Ellipsis)
            break
        axis += 1
    return tuple(parts)


def key_text(parts: tuple[Any, ...]) -> str:
    """An index as it is typed."""

    def one(part: Any) -> str:
        if isinstance(part, slice):
            return ":".join("" if end is None else str(end) for end in (part.start, part.stop, part.step))
        return "..." if part is Ellipsis else str(part.tolist() if isinstance(part, np.ndarray) else part)

    return ", ".join(map(one, parts)) or "()"


@thorough
@given(st.integers(1, 3).flatmap(lambda ndim: st.tuples(st.just(LENGTHS[ndim]), indices(LENGTHS[ndim]))))
def test_random_indices_are_numpys(case: tuple[tuple[int, ...], tuple[Any, ...]]) -> None:
    shape, parts = case
    x = weights(shape) / 8
    key = key_text(parts)
    assume("[]" not in key)
    found = x[parts]
    spread = np.zeros(shape)
    np.add.at(spread, parts, weights(found.shape))
    same(value(f"x[{key}]", x=x), found)
    same(gradient(f"w*x[{key}]", "x", x=x, w=weights(found.shape)), spread)


def test_inputs_as_indices() -> None:
    same(value("x[i]", x=VECTOR, i=[2.0, 0.0]), VECTOR[[2, 0]])
    same(value("x[m]", x=VECTOR, m=[True, False, True]), VECTOR[[0, 2]])
    same(value("x[n]", x=VECTOR, n=1.0), VECTOR[1])
    same(value("x[n:]", x=VECTOR, n=1.0), VECTOR[1:])
    same(gradient("x[i]**2", "x", x=VECTOR, i=[2.0, 2.0, 0.0]), [1.0, 0.0, 8.0])
    same(gradient("x[i]**2", "i", x=VECTOR, i=[2.0, 2.0, 0.0]), [0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("x[3]", "out of range"),
        ("x[-4]", "out of range"),
        ("x[[0, 3]]", "out of range"),
        ("x[0, 0]", "too many"),
        ("x[0][0]", "no elements to index"),
        ("x[0.5]", "whole"),
        ("x[[0, 0.5]]", "whole"),
        ("x[nan]", "whole"),
        ("x[1.5:]", "whole"),
        ("x[::0]", "step"),
        ("x[..., ...]", "once"),
        ("x[[True, False]]", "mask"),
        ("x[True]", "truth value"),
    ],
)
def test_wrong_indices(text: str, word: str) -> None:
    error = refusal(text, x=VECTOR)
    assert error.kind == "index"
    assert word in error.message


# libraries and names ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "np.exp(x)",
        "numpy.exp(x)",
        "torch.exp(x)",
        "jnp.exp(x)",
        "jax.numpy.exp(x)",
        "math.exp(x)",
        "x.exp()",
        "(x).exp()",
    ],
)
def test_prefixes_of_libraries(text: str) -> None:
    assert graph(text, x=VECTOR) is graph("exp(x)", x=VECTOR)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("np.linalg.inv(A)", "inv(A)"),
        ("linalg.inv(A)", "inv(A)"),
        ("torch.linalg.inv(A)", "inv(A)"),
        ("jnp.linalg.inv(A)", "inv(A)"),
        ("F.relu(A)", "relu(A)"),
        ("torch.nn.functional.relu(A)", "relu(A)"),
        ("nn.functional.relu(A)", "relu(A)"),
        ("jax.nn.relu(A)", "relu(A)"),
        ("scipy.special.erf(A)", "erf(A)"),
        ("jax.scipy.special.erf(A)", "erf(A)"),
        ("torch.sum(A, dim=0, keepdim=True)", "sum(A, axis=0, keepdims=True)"),
        ("A.sum(dim=0)", "sum(A, axis=0)"),
        ("sum(a=A)", "sum(A)"),
        ("torch.sum(input=A)", "sum(A)"),
        ("torch.tensor([1.0, 2.0], requires_grad=True) @ A", "array([1, 2]) @ A"),
        ("np.array([1.0, 2.0], dtype=np.float64) @ A", "array([1, 2]) @ A"),
        ("A.reshape(4)", "reshape(A, 4)"),
        ("A.reshape(1, -1)", "reshape(A, (1, -1))"),
        ("A.transpose(1, 0)", "A.T"),
        ("A.mT", "A.T"),
        ("torch.asin(A)", "arcsin(A)"),
        ("torch.mm(A, A)", "A @ A"),
    ],
)
def test_spellings(text: str, plain: str) -> None:
    square = [[0.5, 0.25], [0.125, 1.0]]
    assert graph(text, A=square) is graph(plain, A=square)


def test_torch_and_numpy_mean_different_things() -> None:
    x = np.array([1.0, 2.0, 4.0])
    same(value("np.std(x)", x=x), np.std(x), 1e-15)
    same(value("std(x)", x=x), np.std(x), 1e-15)
    same(value("x.std()", x=x), np.std(x), 1e-15)
    same(value("torch.std(x)", x=x), np.std(x, ddof=1), 1e-15)
    same(value("torch.exp(x).std()", x=x), np.std(np.exp(x), ddof=1), 1e-14)
    same(value("torch.var(x, unbiased=False)", x=x), np.var(x), 1e-15)
    same(value("torch.var(x, correction=0)", x=x), np.var(x), 1e-15)
    same(value("torch.max(A, dim=1)[0]", A=MATRIX), MATRIX.max(1))
    same(value("torch.max(A, dim=1)[1]", A=MATRIX), MATRIX.argmax(1))
    same(value("torch.max(A, -A)", A=MATRIX), np.maximum(MATRIX, -MATRIX))
    same(value("max(A, axis=1)", A=MATRIX), MATRIX.max(1))
    same(value("torch.transpose(A, 0, 1)", A=MATRIX), MATRIX.T)
    same(value("torch.tensor(x).repeat(2)", x=x), np.tile(x, 2))
    same(value("x.repeat(2)", x=x), np.repeat(x, 2))


def test_a_text_of_both_libraries_must_say_which() -> None:
    error = refusal("np.exp(x) + torch.sin(x).std()", x=VECTOR)
    assert error.kind == "ambiguous"
    assert "np.std" in str(error.help)
    assert "torch.std" in str(error.help)
    same(value("np.exp(x) + torch.sin(x).sum()", x=VECTOR), np.exp(VECTOR) + np.sin(VECTOR).sum(), 1e-15)


def test_a_bare_max_of_two_operands_is_refused() -> None:
    error = refusal("max(x, 0)", x=VECTOR)
    assert error.kind == "ambiguous"
    assert error.helps == ["element by element: `maximum(x, 0)`", "along an axis: `max(x, axis=0)`"]
    same(value(error.helps[0].split("`")[1], x=VECTOR), np.maximum(VECTOR, 0))
    same(value(error.helps[1].split("`")[1], x=VECTOR), np.max(VECTOR, axis=0))


def test_constants() -> None:
    same(
        value("[pi, e, inf, -inf, nan, np.pi, math.inf]"),
        [math.pi, math.e, math.inf, -math.inf, math.nan, math.pi, math.inf],
    )
    assert value("True").dtype == bool
    same(value("[True, False, true, false]"), [True, False, True, False])


@pytest.mark.parametrize("name", ["e", "pi", "inf", "gamma", "beta", "sum", "np", "torch", "T", "s_", "exp"])
def test_an_input_shadows_what_has_its_name(name: str) -> None:
    same(value(f"{name}*2 + exp(0)", **{name: 3.0}), 7.0)
    same(gradient(f"{name}**2", name, **{name: 3.0}), 6.0)


def test_a_name_before_a_bracket_is_a_function() -> None:
    same(value("gamma(gamma) + gamma", gamma=4.0), 10.0)
    same(value("exp = x; exp(exp)", x=1.0), math.e)


@pytest.mark.parametrize(
    ("text", "kind", "message", "place"),
    [
        ("x + sqtr(x)", "unknown-function", "unknown function `sqtr`", "sqtr"),
        ("x.sqtr()", "unknown-function", "unknown method `sqtr`", "sqtr"),
        ("np.sqtr(x)", "unknown-function", "unknown function `np.sqtr`", "sqtr"),
        ("x + xx", "unknown-name", "`xx` has no value", "xx"),
        ("sum", "unknown-name", "`sum` is a function: it needs brackets", "sum"),
        ("(x + 1)(x)", "type", "`(x + 1)` is not a function", "(x + 1)"),
        ("x(3)", "type", "`x` is not a function", "x"),
        ("sum(x, foo=1)", "arguments", "`sum` has no argument `foo`", "foo=1"),
        ("sum(x, axis=0, axis=0)", "arguments", "`axis` is given twice", "axis=0"),
        ("sum(x, 0, axis=0)", "arguments", "`sum` got `axis` twice", "axis=0"),
        ("sum()", "arguments", "`sum` needs `x`", "sum()"),
        ("sum(axis=0, x)", "syntax", "an argument without a name follows one with a name", "x"),
        ("1 + np.sin", "type", "expected an array, got the library name `np.sin`", "np.sin"),
        ("x.sum + 1", "type", "`sum` is a method and is not called", "x.sum"),
    ],
)
def test_errors_of_names_and_arguments(text: str, kind: str, message: str, place: str) -> None:
    error = refusal(text, x=2.0)
    assert (error.kind, error.message) == (kind, message)
    assert error.span is not None
    assert error.span.text == place


def test_shape_errors_point_at_both_operands() -> None:
    error = refusal("sum(2*x + y*exp(x))", x=[1.0, 2.0, 3.0], y=[1.0, 2.0])
    assert error.message == "cannot broadcast shapes (2,) and (3,) in `y*exp(x)`"
    assert {label.span.text: label.text for label in error.labels if label.primary} == {
        "y": "shape (2,)",
        "exp(x)": "shape (3,)",
    }


def test_conditions_are_decided_at_the_inputs_and_a_note_says_so() -> None:
    made = built("x**2 if x > 0 else -x", x=3.0)
    assert len(made.notes) == 1
    assert "`x > 0` was decided at these inputs" in made.notes[0]
    assert refusal("1 if x > 0 else 2", x=[1.0, 2.0]).span.text == "x > 0"


def test_broadcasting_that_stretches_both_operands_gets_a_note() -> None:
    assert built("c + x", c=np.ones((3, 1)), x=np.ones(3)).notes
    assert not built("A + x", A=np.ones((2, 3)), x=np.ones(3)).notes


# an independent evaluator ---------------------------------------------------------------------------

INPUTS: Arrays = {  # quarters, so that sums and products are exact and cancel alike in any order
    "s": np.array(0.75),
    "x": np.array([0.5, -1.25, 2.0]),
    "y": np.array([-0.75, 1.5]),
    "A": np.array([[0.25, -1.0, 1.5], [2.0, 0.75, -0.5]]),
    "B": np.array([[1.0, -0.25], [0.5, 1.75], [-1.5, 0.25]]),
    "S": np.array([[1.25, 0.5], [-0.75, 2.0]]),
    "Q": np.array([[0.5, 1.0, -0.25], [-1.5, 0.75, 2.0], [1.25, -2.0, 0.25]]),
    "r": np.array([[1.0, -0.5, 0.25]]),
    "c": np.array([[0.5], [-1.75]]),
}
NAMED = {array.shape: name for name, array in INPUTS.items()}
Shape = tuple[int, ...]


def broadcast(*shapes: Shape) -> Shape | None:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


PAIRS = {one: [(a, b) for a in NAMED for b in NAMED if broadcast(a, b) == one] for one in NAMED}
"""For each shape, the pairs of shapes that broadcast to it."""

PRODUCTS: dict[Shape, list[tuple[Shape, Shape]]] = {one: [] for one in NAMED}
for _left in NAMED:
    for _right in NAMED:
        if _left and _right and _left[-1] == _right[-2 if len(_right) > 1 else 0]:
            PRODUCTS.setdefault((*_left[:-1], *_right[:-2], *_right[1:][-1:]), []).append((_left, _right))

TAKEN: dict[Shape, list[str]] = {one: [] for one in NAMED}
"""For each shape, texts that take it from an input by an index."""
_TEXTS = r"""
x[1] x[-1] A[0,-1] x[::-1] x[[2,0,0]] x[:2] x[x<1] A[0] A[:,2] Q[:,1] Q[1,[2,0,2]] A[::-1] Q[:2] Q[[0,2]]
Q[[2,0]][:,::-1] B[:,[1,1]] Q[1:,1:] Q[[0,1],1:] x[None] x[None,:] y[:,None] A[:,1:2] Q[...,0] Q[Q[:,0]>0,1]
Q.T[1] A.T[::-1] S[S>0.6]
"""
for _text in _TEXTS.split():
    _found = eval(_text, dict(INPUTS))
    TAKEN.setdefault(_found.shape, []).append(_text)

FUNCTIONS = ["tanh", "sin", "cos", "sigmoid", "arctan", "sign", "floor", "abs", "exp", "sqrt", "log1p", "square"]
NUMPY["sigmoid"] = lambda z: 1 / (1 + np.exp(-z))
REDUCTIONS = ["sum", "mean", "max", "min", "var", "std", "prod"]


def leaves(shape: Shape) -> Any:
    texts = [NAMED[shape], *TAKEN[shape], *(["2", "0.5", "3", "-1.5", "pi"] if not shape else [])]
    return st.sampled_from(texts)


@st.composite
def expressions(draw: Any, shape: Shape, depth: int = 3) -> str:
    """A text of that shape, which Python with NumPy's names reads too."""
    if depth == 0:
        return str(draw(leaves(shape)))

    def inner(of: Shape) -> str:
        return str(draw(expressions(of, draw(st.integers(0, depth - 1)))))

    def operator() -> str:
        a, b = draw(st.sampled_from(PAIRS[shape]))
        return f"({inner(a)} {draw(st.sampled_from('+-*/'))} {inner(b)})"

    def function() -> str:
        return f"{draw(st.sampled_from(FUNCTIONS))}({inner(shape)})"

    def power() -> str:
        return draw(st.sampled_from(["({})**2", "({})**-1", "-({})**3", "abs({})**0.5", "2**tanh({})"])).format(
            inner(shape)
        )

    def choice() -> str:
        a, b = draw(st.sampled_from(PAIRS[shape]))
        name = draw(st.sampled_from(["maximum", "minimum", "where"]))
        tested = f"({draw(leaves(shape))} {draw(st.sampled_from(COMPARISONS))} {draw(leaves(shape))})"
        more = draw(st.sampled_from(["", f" & ({NAMED[shape]} > 0)", f" | ~({NAMED[shape]} <= 0.5)"]))
        return f"{name}({f'{tested}{more}, ' if name == 'where' else ''}{inner(a)}, {inner(b)})"

    def conditional() -> str:
        return f"({inner(shape)} if s {draw(st.sampled_from(COMPARISONS))} 0.75 else {inner(shape)})"

    def reduction() -> str:
        name = draw(st.sampled_from(REDUCTIONS))
        ways = [(of, axis, keep) for of in NAMED if of for axis in (None, *range(-len(of), len(of))) for keep in (0, 1)]
        fits = [way for way in ways if np.zeros(way[0]).sum(way[1], keepdims=bool(way[2])).shape == shape]
        if not fits:
            return function()
        of, axis, keep = draw(st.sampled_from(fits))
        rest = (f", axis={axis}" if axis is not None else "") + (", keepdims=True" if keep else "")
        return f"{name}({inner(of)}{rest})"

    def product() -> str:
        if not PRODUCTS[shape]:
            return operator()
        a, b = draw(st.sampled_from(PRODUCTS[shape]))
        return f"({inner(a)} @ {inner(b)})"

    def moved() -> str:
        if len(shape) == 2:
            return f"({inner(shape[::-1])}).T" if shape[::-1] in NAMED else f"({inner(shape)})[::-1]"
        return f"array([{', '.join(inner(()) for _ in range(shape[0]))}])" if shape else f"({inner((3,))}).sum()"

    ways = [operator, operator, function, power, choice, conditional, reduction, product, moved]
    return str(draw(st.sampled_from(ways))())


texts = st.sampled_from(list(NAMED)).flatmap(expressions)


def used(text: str) -> Arrays:
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    return {name: array for name, array in INPUTS.items() if name in names}


@settings(thorough, max_examples=300)
@given(texts)
def test_values_are_those_of_python_with_numpy(text: str) -> None:
    with np.errstate(all="ignore"):
        expected = np.asarray(eval(text, {**NUMPY, **INPUTS}))
    assume(not np.any(np.abs(expected) > 1e100))
    found = value(text, **used(text))
    assert found.shape == expected.shape
    largest = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * max(1.0, largest), equal_nan=True)


# printing -------------------------------------------------------------------------------------------


def reads_as(outputs: list[Node], known: dict[str, Node]) -> None:
    """The outputs' text is read as the very same nodes."""
    text = to_text(*outputs)
    found = build(parse(Source("printed", text)), known, lambda one: evaluate([one], {})[0]).value
    found = found if isinstance(found, tuple) and len(outputs) > 1 else (found,)
    wrong = [to_text(a) for a, b in zip(map(node_of, found), outputs, strict=True) if a is not b]
    assert not wrong, f"{text} is read as {wrong}"


@settings(thorough, max_examples=150)
@given(texts)
def test_printed_graphs_are_read_as_the_same_graphs(text: str) -> None:
    arrays = used(text)
    inputs = nodes_of(arrays)
    output = graph(text, **arrays)
    seed = variable("seed", output.shape)
    gradients = vjp([output], [seed], list(inputs.values()))
    known = {**inputs, "seed": seed}
    reads_as([output], known)
    reads_as(gradients, known) if gradients else None
    reads_as(list(simplify([output, *gradients])), known)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("x**2+3", "x**2 + 3"),
        ("-(x**2)", "-x**2"),
        ("(-x)**2", "(-x)**2"),
        ("x-(y-x)", "x - (y - x)"),
        ("(x-y)-x", "x - y - x"),
        ("x/(y*x)", "x/(y*x)"),
        ("2**(3**x)", "2**3**x"),
        ("(2**3)**x", "(2**3)**x"),
        ("x*(-y)", "x*-y"),
        ("x*(-3)", "x*-3"),
        ("(-3)*x", "-3*x"),
        ("(-3)**x", "(-3)**x"),
        ("-(3**x)", "-3**x"),
        ("x**(-1)", "x**(-1)"),
        ("(x<y)<1", "real(x < y) < 1"),
        ("~((x>0)&(y>0))", "~((x > 0) & (y > 0))"),
        ("A.T@A", "A.T @ A"),
        ("(A@A).T", "(A @ A).T"),
        ("A@(A@A)", "A @ (A @ A)"),
        ("A[:,0]", "A[:, 0]"),
        ("A[None, ..., 1]", "A[None, :, 1]"),
        ("A[[0,1],[1,0]]", "A[[0, 1], [1, 0]]"),
        ("[x, 2*y]", "[x, 2*y]"),
        ("array([1,2])*x", "array([1, 2])*x"),
        ("sum(A,axis=0)", "sum(A, axis=0)"),
        ("sum(A,axis=-1,keepdims=True)", "sum(A, axis=1, keepdims=True)"),
        ("0.1*x", "0.1*x"),
        ("1e300*x", "1e+300*x"),
        ("pi*x - e", "pi*x - e"),
        ("x*inf - nan", "x*inf - nan"),
        ("x + 0.0", "x + 0"),
        ("where(x>0, x, 0)", "where(x > 0, x, 0)"),
        ("True & (x > 0)", "True & (x > 0)"),
    ],
)
def test_how_graphs_are_printed(text: str, printed: str) -> None:
    arrays = {"x": 2.0, "y": 3.0, "A": [[1.0, 2.0], [3.0, 4.0]]}
    made = graph(text, **arrays)
    assert to_text(made) == printed
    reads_as([made], nodes_of({name: np.asarray(array) for name, array in arrays.items()}))


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False) | st.just(math.nan))
def test_printed_numbers_keep_every_bit(number: float) -> None:
    for shape in ((), (1,)):
        reads_as([constant(np.full(shape, number))], {})


def test_repeated_parts_get_a_name() -> None:
    made = graph("sin(x*y + 10)*exp(sin(x*y + 10))/sin(x*y + 10)", x=1.0, y=2.0)
    assert to_text(made) == "t1 = sin(x*y + 10); t1*exp(t1)/t1"
    named = graph("sin(t1*y + 10)*exp(sin(t1*y + 10))", t1=1.0, y=2.0)
    assert to_text(named) == "t2 = sin(t1*y + 10); t2*exp(t2)"


def test_a_text_is_never_much_longer_than_its_graph() -> None:
    x = variable("x", ())
    for _ in range(100):
        x = x * x + 1
    assert len(to_text(x)) < 5_000
    reads_as([x], {"x": variable("x", ())})


# depth and length ------------------------------------------------------------------------------------

DEEP = {
    "brackets": ("(" * 1_000 + "x" + ")" * 1_000, 0.5),
    "many brackets": ("(" * 5_000 + "x" + ")" * 5_000, 0.5),
    "calls": ("sin(" * 5_000 + "x" + ")" * 5_000, None),
    "signs": ("-" * 5_000 + "x", 0.5),
    "powers": ("**".join(["x"] * 5_000), None),
    "indices": ("x" + "[...]" * 5_000, 0.5),
    "attributes": ("x" + ".T" * 5_000, 0.5),
    "methods": ("x" + ".abs()" * 5_000, 0.5),
    "conditions": ("2 if x < 0 else " * 5_000 + "x", 0.5),
    "negations": ("not " * 5_000 + "(x > 0)", 1.0),
    "comparisons": ("<".join(map(str, range(2_000))), 1.0),
    "lists": ("[" * 30 + "x" + "]" * 30, None),
    "statements": ("y = x;" + "y = y*1;" * 5_000 + "y", 0.5),
    "assignments": ("y = x*1;" + "y += 1;" * 5_000 + "y", 5000.5),
    "lines": ("y = x\n" * 5_000 + "y", 0.5),
}


@pytest.mark.parametrize("name", DEEP)
def test_depth(name: str) -> None:
    text, expected = DEEP[name]
    found = value(text, **({"x": 0.5} if "x" in text else {}))
    if expected is not None:
        same(found, expected)


@pytest.mark.parametrize(
    "text", ["(" * 5_000 + "x", "x" + ")" * 5_000, "[" * 5_000, "sin(" * 5_000, "-" * 5_000, "x" + "**x" * 5_000 + "**"]
)
def test_depth_of_what_is_wrong(text: str) -> None:
    assert refusal(text, x=1.0).kind == "syntax"


def test_a_sum_of_100_000_terms() -> None:
    text = "+".join(["x"] * 100_000)
    output = graph(text, x=3.0)
    x = variable("x", ())
    (found,) = vjp([output], [constant(1.0)], [x])
    same(evaluate([output, found], {"x": np.array(3.0)}), [300_000.0, 100_000.0])


def test_a_chain_of_200_000_nodes_builds_differentiates_and_frees() -> None:
    x = one = variable("chained", ())
    for _ in range(200_000):
        one = -one
    (found,) = vjp([one], [variable("seed", ())], [x])
    assert len(toposort([found])) == 200_001
    del one, found  # a deep graph must not overflow the stack when it is freed
