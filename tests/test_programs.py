"""Programs: what Python with NumPy makes of the same text, loops, functions and all, is what gradcalc makes of it."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

import gradcalc
from gradcalc.errors import GradcalcError, Source
from gradcalc.language import programs
from gradcalc.language.names import used_names
from gradcalc.language.parser import parse
from gradcalc.language.values import CONSTANTS

X = np.array([0.3, -1.2, 0.7])
A = np.array([[1.0, 0.5, -0.2], [0.1, 2.0, 0.4], [-0.3, 0.2, 1.5]])

PROGRAMS = {
    "a recurrence": """
        h = 0.0
        for i in range(3):
            h = np.tanh(A @ x + h)
        np.sum(h)
    """,
    "one line after a colon": "s = 0\nfor a in x: s = s*0.5 + a**2\ns",
    "rows of a matrix": """
        s = 0
        for row in A:
            s = s + np.exp(row @ x)
        s
    """,
    "enumerate and zip": """
        s = 0
        for i, (a, b) in enumerate(zip(x, A[0])):
            s += (i + 1) * a * b
        s
    """,
    "break, continue and else": """
        s = 0
        for i in range(10):
            if i == 2:
                continue
            if i > 4:
                break
            s = s + x[i % 3] ** i
        else:
            s = 1e9
        for i in range(2):
            s = s * 2
        else:
            s = s + x[0]
        s
    """,
    "a function with a default": """
        def f(z, n=2):
            '''Power.'''
            return z**n

        np.sum(f(x) + f(x, 3) + f(n=1, z=x))
    """,
    "functions as values": """
        def twice(f, z):
            return f(f(z))

        square = lambda z: z**2
        np.sum(twice(square, x)) + twice(np.sin, x[0])
    """,
    "recursion": """
        def power(z, n):
            if n == 0:
                return 1.0
            return z * power(z, n - 1)

        power(x[0], 5)
    """,
    "a closure": """
        def outer(k):
            def inner(z):
                return k * z
            return inner

        np.sum(outer(3)(x)) + outer(x[1])(x[2])
    """,
    "starred arguments": """
        def f(a, *rest, scale=1.0):
            total = a
            for r in rest:
                total = total + r**2
            return scale * total

        args = (x[1], x[2])
        f(x[0], *args, scale=2.0)
    """,
    "keyword arguments from a dictionary": """
        def f(a, b=0, **more):
            return a * b + more["c"]

        options = {"b": x[1], "c": x[2]**2}
        f(x[0], **options)
    """,
    "comprehensions": "np.sum(np.array([a*b for a in x for b in x if True]))",
    "a comprehension with a condition on places": "sum([x[i]**2 for i in range(3) if i % 2 == 0])",
    "nested comprehensions": "np.sum(np.array([[a*b + i for i, a in enumerate(x)] for b in x]))",
    "a generator": "sum(a*b for a, b in zip(x, A[1]))",
    "a generator of arrays": "np.prod(sum(row * x for row in A))",
    "a list that grows": """
        hs = []
        h = x
        for i in range(3):
            h = np.tanh(A @ h)
            hs.append(h)
        np.sum(np.stack(hs)**2) + hs[-1][0]
    """,
    "lists joined and repeated": """
        import numpy as np
        parts = [x[0]] + [x[1], x[2]]
        parts = parts * 2
        out = [0.0] * 3
        out[1] = parts[4] ** 2
        sum(out) + sum(parts)
    """,
    "a dictionary of parameters": """
        params = {"w": A, "b": x}
        h = np.tanh(params["w"] @ x + params["b"])
        for name, value in params.items():
            h = h + np.sum(value)
        np.sum(h)
    """,
    "elements of an array": """
        out = np.zeros((3, 3))
        for i in range(3):
            for j in range(i + 1):
                out[i, j] = x[i] * A[i, j]
            out[i][i] += 1.0
        np.sum(out @ out)
    """,
    "augmented assignments": """
        y = x * 1.0
        y += 2
        y *= x
        y -= 1
        y /= 3
        y **= 2
        np.sum(y)
    """,
    "tuples unpacked": """
        (a, b), *rest = (x[0], x[1]), x[2], 3.0
        first, *middle, last = [a, b, a*b, 2.0]
        a, b = b, a
        c = d = a * 2
        a + 2*b + rest[0] + middle[1] + last + c*d
    """,
    "conditions on shapes": """
        if x.ndim == 2:
            y = x.sum(axis=1)
        elif x.ndim == 1 and x.shape == (3,):
            y = x**2
        else:
            y = None
        if y is not None and not y.size == 0:
            y = y + 1
        np.sum(y)
    """,
    "a choice by name": """
        def loss(r, reduction="mean"):
            if reduction == "mean":
                return r.mean()
            elif reduction in ("sum", "total"):
                return r.sum()
            raise ValueError(f"no reduction {reduction!r}")

        loss(x**2) + loss(x**3, "sum") + loss(x, reduction="total")
    """,
    "a condition on numbers": """
        s = 0
        for a in x:
            if a > 0:
                s = s + a**2
            else:
                s = s - a
        s
    """,
    "a loop until it is small": """
        y = x[0]
        while abs(y) > 0.01:
            y = y * x[2] / 2
        y
    """,
    "numbers of Python": """
        s = 0.0
        for i, a in enumerate(reversed(list(x)), start=1):
            s = s + float(a) / int(i)
        s + max(x[0], x[1]) + min(x[0], 0.5, x[2])
    """,
    "annotations and what says nothing": """
        n: int = 2
        total: float
        assert n > 1
        pass
        def f(z: "np.ndarray", k: float = 2.0) -> float:
            return k * z.sum()
        f(x) * n
    """,
    "imports": """
        import math
        import numpy.linalg as la
        from numpy import exp as e_to, sin
        from math import pi
        la.norm(x) + e_to(x[0]) + sin(pi * x[1]) + math.sqrt(2) * x[2]
    """,
    "names are local": """
        s = 2.0
        def f(z):
            s = z * 3
            return s
        y = f(x[0])
        [s * 2 for s in (1, 2)]
        y * s
    """,
    "a dictionary made in several ways": """
        d = dict(a=x[0], b=2.0)
        d.update({"c": x[1]})
        d["a"] * d["b"] + d.get("c")
    """,
    "whole numbers and real ones": """
        a = np.array([1, 2, 3])
        a[0] = 5
        b = np.array([1.0, 2, 3])
        b[1] = x[0]
        np.sum(a * b * x)
    """,
    "a lambda's default": "f = lambda z, k=x[1]: z*k\nf(x[0]) + f(x[0], 2)",
    "map": "sum(list(map(lambda a, b: a*b, x, A[2])))",
    "short circuits": """
        mask = None
        y = x
        if mask is None or mask.sum() > 0:
            y = y * 2
        np.sum(y)
    """,
    "a comment, a docstring, a blank line": '''
        """Computes something."""

        # a comment
        y = x * 2  # another

        def f(z):
            # first in a block

            return z + y
        np.sum(f(x))
    ''',
    "a chained loop of loops": """
        total = 0
        for i in range(2):
            for j in range(2):
                if j > i: break
                total = total + x[i] * A[i, j]
        total
    """,
    "a vector that is made of parts": """
        def f(t, y):
            return np.array([y[1], -x[0] * y[0]])

        y = np.array([1.0, x[1]])
        for i in range(4):
            k1 = f(0, y)
            k2 = f(0, y + 0.05 * k1)
            y = y + 0.1 * k2
        np.sum(y**2)
    """,
}


def dedented(text: str) -> str:
    from textwrap import dedent

    return dedent(text).strip("\n")


def python_value(text: str, values: dict[str, Any]) -> Any:
    """What Python makes of a program: its last expression."""
    tree = ast.parse(text)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    names = {"np": np, **{name: np.array(value) for name, value in values.items()}}
    exec(compile(tree, "program", "exec"), names)
    return np.asarray(eval(compile(ast.Expression(last.value), "program", "eval"), names))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    text = dedented(PROGRAMS[name])
    used = set(used_names(parse(Source("program", text)))) - CONSTANTS.keys()
    values = {one: value for one, value in {"x": X, "A": A}.items() if one in used}
    assert used == set(values)
    value, gradients = gradcalc.value_and_grad(text, values)
    np.testing.assert_allclose(value, python_value(text, values), rtol=1e-13)
    for one, gradient in gradients.items():
        np.testing.assert_allclose(gradient, slopes(text, values, one), rtol=1e-6, atol=1e-8)


def slopes(text: str, values: dict[str, Any], name: str, step: float = 1e-6) -> Any:
    """Central differences of Python's value by each entry of an input."""
    found = np.zeros_like(values[name])
    for place in np.ndindex(found.shape):
        ends = []
        for sign in (1, -1):
            moved = values[name].copy()
            moved[place] += sign * step
            ends.append(python_value(text, {**values, name: moved}))
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found


MODEL = '''
"""A model in a file that does other things as well."""
import numpy as np
import matplotlib.pyplot as plt
from typing import Optional

SCALE = 2.0
data = np.load("data.npy")


class Model:
    def forward(self, x):
        return {f"{x}" for x in range(3)}


def predict(w, x):
    return np.tanh(x @ w)


@jit
def loss(w, x, y=1.0, weight: Optional[float] = None):
    """Mean squared error."""
    r = predict(w, x) - y
    if weight is not None:
        r = r * weight
    return SCALE * np.mean(r**2)


with open("log.txt") as file:
    file.write("x")

if __name__ == "__main__":
    print(loss(1, 2))
'''


def function_of(text: str, entry: str, **values: Any) -> Any:
    from gradcalc.answers import answer
    from gradcalc.problem import read_programs

    arrays = {name: np.asarray(value, float) for name, value in values.items()}
    return answer("grad", read_programs([Source("model.py", text, entry)], arrays), arrays, solver=None)


def test_one_function_of_a_file() -> None:
    w, x = np.array([0.5, -0.2]), np.array([[1.0, 2.0], [0.3, -1.0]])
    made = function_of(MODEL, "loss", w=w, x=x)
    r = np.tanh(x @ w) - 1
    np.testing.assert_allclose(made.value, 2 * np.mean(r**2))
    np.testing.assert_allclose(made.derivative["w"], 2 * x.T @ (r * (1 - np.tanh(x @ w) ** 2)))
    np.testing.assert_allclose(function_of(MODEL, "loss", w=w, x=x, weight=3.0).value, 18 * np.mean(r**2))


def error(text: str, entry: str | None = None, **values: Any) -> GradcalcError:
    with pytest.raises(GradcalcError) as caught:
        function_of(dedented(text), entry, **values)
    return caught.value


def test_a_function_that_is_not_there() -> None:
    assert "`model.py` defines no function `los`" in error(MODEL, "los", w=1, x=2).message


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("nn.MSELoss()(x, 2*x)", "F.mse_loss(x, 2*x)"),
        (
            "criterion = nn.CrossEntropyLoss(label_smoothing=0.1)\ncriterion(x[None], [2])",
            "F.cross_entropy(x[None], [2], label_smoothing=0.1)",
        ),
        (
            "torch.nn.BCEWithLogitsLoss(reduction='sum')(x, x > 0)",
            "F.binary_cross_entropy_with_logits(x, x > 0, reduction='sum')",
        ),
        ("act = nn.LeakyReLU(negative_slope=0.2)\nsum(act(x))", "sum(F.leaky_relu(x, 0.2))"),
        ("nn.Softmax(dim=0)(x)[1]", "F.softmax(x, 0)[1]"),
        ("losses = [x.sum().item()]\nlosses[0]", "x.sum()"),
    ],
)
def test_layers_without_parameters_are_functions(text: str, same: str) -> None:
    assert gradcalc.evaluate(text, {"x": X}) == gradcalc.evaluate(same, {"x": X})


RUN = """
import torch
torch.manual_seed(0)
dtype = torch.float64
data = np.loadtxt("data.csv")

def f(w, data):
    return (w * data).sum() + torch.zeros(2, dtype=dtype).sum() + scale

scale = 2.0
if __name__ == "__main__":
    w = 3.0
    print(f(w, data))
"""


def test_what_a_file_does_when_it_is_run_is_not_read() -> None:
    made = function_of(RUN, "f", w=2, data=[1, 2])
    assert made.value == 8
    assert function_of(RUN, "f", w=2, data=[1, 2], scale=5).value == 11
    assert "`w` has no value" in error(RUN, "f", data=[1, 2]).message


def test_calls_of_other_modules_are_passed_over() -> None:
    made = function_of("import time\ntime.sleep(1)\nx**2", None, x=3)
    assert made.value == 9
    assert made.notes == ["`time.sleep(1)` is passed over: `time` computes nothing here"]


def test_a_condition_on_numbers_is_noted() -> None:
    made = function_of("if x > 0:\n    y = x**2\nelse:\n    y = -x\ny", None, x=2)
    assert made.notes == ["`x > 0` was decided at these inputs; `where` keeps both branches"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = array([1, 2])\na[0] = x\nsum(a)", "`a` holds whole numbers, which cut off"),
        ("a = zeros(2, dtype=int)\na[0] = x\nsum(a)", "`a` holds whole numbers, which cut off"),
        ("assert x < 0, 'no'\nx", "what the text asserts does not hold here"),
        ("y = x**2\nprint(y)", "the text ends with something that has no value"),
        ("range(10**30)\nx", "numbers"),
        ("class Model:\n    def forward(self, x):\n        return x\nx", "classes are not read"),
        ("with torch.no_grad():\n    y = x\ny", "`with` is not read"),
        ("with torch.no_grad():\n    s = 2\ns * x", "`with` is not read"),
        ("try:\n    y = x\nexcept ValueError:\n    y = 2\ny", "`try` is not read"),
        ('y = f"{x:.3f}"\nx', "formatted strings are not read"),
        ("if x > 0:\n    raise ValueError('no')\nx", "the text raises an error here"),
        ("def f(z):\n    return z\n", "the text ends with a function, which is not called"),
        ("for i in range(3):\n    y = x\n", "the text ends with a loop or a condition, so it has no value"),
        ("for i in range(3):\ny = x", "nothing belongs to this `for`"),
        ("for i in range(3):\n    y = x\n      z = 2\ny", "this line is indented differently from those before it"),
        ("def f(z):\n    return f(z)\nf(x)", "`f` calls itself more than 1,000 times deep"),
        (
            "def f(a):\n    a[0] = 2\n    return a\nsum(f(array([x, x])))",
            "writing into `a` would change the array that it was taken from",
        ),
        (
            "A = array([[x, x], [x, 1]])\nfor row in A:\n    row += 1\nsum(A)",
            "writing into `row` would change the array",
        ),
        ("a = zeros(2)\nrows = [a, a]\nrows[0][1] = x\nsum(rows)", "`rows[0]` and `a` are one array in NumPy"),
        ("for i in x:\n    y = i\ny", "a loop cannot go through a number"),
        ("def f(a, b):\n    return a\nf(x)", "`f` needs `b`"),
        ("def f(a):\n    return a\nf(x, x)", "`f` takes 1 argument, got 2"),
        ("def f(a):\n    return a\nf(x, b=2)", "`f` has no argument `b`"),
        ("@vectorize\ndef f(a):\n    return a\nf(x)", "a function that `@vectorize` changes is not read"),
        ("import os\nos.path.join(x, 'a')", "`os` is not a library that gradcalc knows"),
        ("global y\ny = x\ny", "`global` is not read"),
        ("{x, 2}", "sets are not read"),
        ("d = {'a': x}\nd['b']", "the dictionary has no `b`"),
        ("range(10**9)\nx", "`range` of 1,000,000,000 numbers"),
        ("f(x) for x in y", "a loop does not belong here"),
        ("x if", "expected a number"),
        ("[i for i in]", "expected a number"),
        ("lambda x", "`lambda` is not closed"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    found = error(text, **dict.fromkeys(used_or_none(text), 2.0))
    assert message in found.message
    assert found.labels


def test_a_loop_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_STATEMENTS", 1000)
    assert "the text runs through more than 1,000 statements" in error("while x > 0:\n    y = x\ny", x=1).message


def test_a_list_that_contains_itself() -> None:
    assert "a list contains itself" in error("a = [x]\na.append(a)\na", x=1).message


def used_or_none(text: str) -> list[str]:
    try:
        return [name for name in used_names(parse(Source("program", dedented(text)))) if name not in CONSTANTS]
    except GradcalcError:
        return ["x"]


def test_a_long_recurrence() -> None:
    text = "y = x\nfor i in range(2000):\n    y = y + 0.001*sin(y)\ny"
    value, gradient = gradcalc.value_and_grad(text, {"x": 0.5})
    y, slope = 0.5, 1.0
    for _ in range(2000):
        y, slope = y + 0.001 * np.sin(y), slope * (1 + 0.001 * np.cos(y))
    np.testing.assert_allclose([value, gradient["x"]], [y, slope], rtol=1e-12)


def test_equal_steps_are_one_node() -> None:
    text = "s = 0\nfor i in range(1000):\n    s = tanh(x) * 2\ns"
    assert gradcalc.grad(text, {"x": 0.5}, wrt="x") == pytest.approx(2 / np.cosh(0.5) ** 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.astype(float)", [1.5, 2, -3.5]),
        ("x.astype(np.int64)", [1, 2, -3]),
        ("x.astype('int')", [1, 2, -3]),
        ("np.array(x, float)", [1.5, 2, -3.5]),
        ("np.zeros(3, int) + x", [1.5, 2, -3.5]),
        ("np.where(~np.zeros(3, dtype=bool), x, 0)", [1.5, 2, -3.5]),
        ("np.where(np.tril(np.ones((1, 3), bool)), x, 0)", [[1.5, 0, 0]]),
        ("np.zeros(3, dtype=x.dtype) + x", [1.5, 2, -3.5]),
        ("kind = torch.float64\ntorch.zeros(3, dtype=kind) + x", [1.5, 2, -3.5]),
        ("torch.tensor([0, 2, 1], dtype=torch.long) * x", [0, 4, -3.5]),
        ("(x > 0).to(x.dtype)", [1, 1, 0]),
        ("(x > 0).double() * x.long()", [1, 2, 0]),
        ("np.where(x > 0, x, float('-inf'))", [1.5, 2, -np.inf]),
    ],
)
def test_types_of_numbers(text: str, expected: Any) -> None:
    found = gradcalc.evaluate(text, {"x": [1.5, 2, -3.5]})
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("text", ["np.sum(x, dtype=int)", "x.astype(np.float32)", "np.zeros(3, dtype=np.uint8) + x"])
def test_types_that_would_change_the_answer(text: str) -> None:
    with pytest.raises(GradcalcError, match="numbers are float64 here"):
        gradcalc.evaluate(text, {"x": [1.5, 2, -3.5]})


@pytest.mark.parametrize(
    "other",
    [
        "def g(x):\n    yield 1",
        "def g(x):\n    if (n := len(x)) > 2:\n        return n",
        "match x:\n    case 1:\n        pass\n    case [a, *b]:\n        pass",
        "async def g():\n    await h()",
        "@decorator(a, b=[1, 2])\n@other\ndef g(): pass",
        "class A(B, metaclass=C):\n    x: int = 3\n\n    @property\n    def y(self): return 1",
        "def g[T](x: T) -> T: return x",
        "self.x = 3\na.b += 1j",
        r"""s = 'it\'s' + "a \" b" + r'\d' """,
        'text = """\ndef loss(w):\n    return \\""" broken(\n"""',
        'print(f"{x!r:>{10}} {y:.3f}")',
        "a >>= 1\nb = a << 2",
        "n = 0o17 + 1j",
    ],
)
def test_what_else_stands_in_a_file(other: str) -> None:
    function = "def loss(w):\n    return np.sum(w**2)\n"
    for text in (f"import numpy as np\n{other}\n\n{function}", f"import numpy as np\n{function}\n{other}\n"):
        assert function_of(text, "loss", w=[1, 2]).value == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(w):\n    n = (m := 2)\n    return w", "`:=` is not read"),
        ("@vectorize\ndef f(w):\n    return w", "a function that `@vectorize` changes is not read"),
        ("@vectorize\ndef g(w):\n    return w\n\ndef f(w):\n    return g(w)", "`@vectorize` changes is not read"),
        ("class P:\n    x = 3\n\ndef f(w):\n    return P()", "classes are not read"),
        ("def f(w):\n    try:\n        c = w\n    except E:\n        c = 2\n    return c", "`try` is not read"),
        ("def f(w):\n    with open('x') as f, g() as h:\n        s = w\n    return s * h", "`with` is not read"),
    ],
)
def test_what_a_function_needs_must_be_read(text: str, message: str) -> None:
    assert message in error(text, "f", w=1).message


def test_dictionaries_and_texts() -> None:
    text = dedented("""
        def f(w, scale=1.0, **more):
            options = {**{"a": 1, "b": w[0]}, "a": w[1], **more}
            print(f"{w} {w:.3f}", options, end="")
            layers = [(w, options["a"]), (w[1], 2)]
            params = {f"w{i}_{{}}": layer for i, layer in enumerate(layers)}
            squares = {key: value**2 for key, value in options.items() if key != "c"}
            (first, second), _ = params["w0_{}"], params[f"{'w'}1" "_{}"]
            return scale * sum(squares.values()) + np.sum(first) * second
    """)
    made = function_of(text, "f", w=[3, 5])
    assert made.value == 9 + 25 + 8 * 5
    np.testing.assert_allclose(made.derivative["w"], [6 + 5, 10 + 13])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = [1, 2, 3]\ndel a[0]\nsum(a) * x", "`del` of an element is not read"),
        ("a = b = zeros(2)\na[0] = x\nsum(b)", "`a` and `b` are one array in NumPy"),
        (
            "h = zeros(2)\na = []\nfor i in range(2):\n    h += x\n    a.append(h)\nsum(array(a))",
            "`h` and `a` are one array",
        ),
        ("w = zeros(2)\nd = {'w': w}\nw += x\nd['w'].sum()", "`w` and `d` are one array"),
        ("w = zeros(2)\nd = {}\nd['w'] = w\nd['w'] += x\nw.sum()", "`d` and `w` are one array"),
        ("w = zeros(2)\na = (w, 1)\nv = a[0]\nv += x\nw.sum()", "are one array"),
        ("def f(v):\n    return v\nw = zeros(2)\nv = f(w)\nv[0] = x\nw.sum()", "writing into `v` would change"),
        ("f = lambda v: v\nw = zeros(2)\nv = f(w)\nv += x\nw.sum()", "writing into `v` would change"),
        ("w = zeros(2)\na, b = np.split(w, 2)\nb += x\nw.sum()", "are one array"),
        ("c = zeros(2)\ndef f():\n    c[0] = x\n    return c\nsum(f())", "`c` is not an array made here"),
        ("jax.lax.cond(x > 0, lambda z: z, lambda z: -z, x)", "`jax.lax.cond`"),
    ],
)
def test_what_would_be_another_value_is_refused(text: str, message: str) -> None:
    assert message in error(text, x=2).message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import numpy\na = [1, 2, 3, 4]\na[1:3] = [9]\nsum(a) * x[0] + len(a)", 24),
        (
            "def f():\n    c = [0]\n    def g():\n        c[0] += x[0]\n    g()\n    g()\n    return c[0]\nf()",
            3,
        ),
        ("a = b = 2.0\na += x[0]\na + b", 5.5),
        ("a = []\nh = np.zeros(3)\nfor i in range(2):\n    h = h + x\n    a.append(h)\nnp.sum(np.array(a))", 0.75),
        ("a = []\nh = np.zeros(3)\nfor i in range(2):\n    h += x\n    a.append(h.copy())\nnp.sum(np.array(a))", 0.75),
        ("d = {'w': x}\nfor k in d:\n    d[k] = d[k] * 2\nd['w'].sum()", 0.5),
        ("def f(v):\n    return v * 2\ny = f(x)\ny += 1\ny.sum() + x.sum()", 3.75),
        ("import numpy\nrows = [[], []]\nrows[0].append(x[0])\nlen(rows[0]) + len(rows[1])", 1),
        ("jax.lax.select(x > 0, x, -x).sum() + jax.lax.max(x, 0.0).sum()", 10.25),
    ],
)
def test_python_and_jax_have_it_so(text: str, expected: float) -> None:
    assert gradcalc.evaluate(text, {"x": [1.5, 2, -3.25]}) == expected
