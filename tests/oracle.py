"""What operations are tested against: exact numbers and their differences, Python itself, and SymPy.

Each `check_…` takes a problem (a graph that an example denotes) and mostly a point (numbers for its
inputs), and raises AssertionError where gradcalc disagrees. None of the references shares a derivative
rule with gradcalc: mpmath differentiates the value alone, by differences at 50 digits; Python and NumPy
read the example's own text; SymPy differentiates on its own.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, NamedTuple
from zlib import crc32

import mpmath
import numpy as np
from references import FUNCTIONS, Library

from gradcalc import derivatives
from gradcalc.autodiff import jvp, vjp
from gradcalc.engine import evaluate, execute, plan
from gradcalc.errors import GradcalcError, Source
from gradcalc.exact import evaluate_exact, steps_of
from gradcalc.graph import CATALOGUE, Derived, Node, Op, Shape, variable
from gradcalc.language.builder import build
from gradcalc.language.calls import signature_of
from gradcalc.language.names import used_names
from gradcalc.language.parser import parse
from gradcalc.language.printer import to_text
from gradcalc.language.values import CONSTANTS, node_of
from gradcalc.ops import mpmath_values
from gradcalc.simplifier import simplify
from gradcalc.symbolic import NoFormula

Entry = Op | Derived
Values = dict[str, Any]

# exact numbers ----------------------------------------------------------------------------------


class MpMath:
    """The namespace `m` of `evaluate_exact` in real numbers of 50 digits.

    Outside a function's real domain the value is nan, as NumPy's is; it has a precision of its own, so
    that nothing else that uses mpmath notices.
    """

    def __init__(self, digits: int = 50) -> None:
        self.ctx = mpmath.mp.clone()
        self.ctx.dps = digits
        names = "exp log sqrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh"
        for name in f"{names} erf erfc gamma floor ceil sign".split():
            setattr(self, name, self._real(getattr(self.ctx, name)))
        self.round = self._real(self.ctx.nint)  # halves go to the even number, as in NumPy
        self.loggamma = self._real(lambda x: self.ctx.loggamma(x) if x > 0 else self.ctx.log(abs(self.ctx.gamma(x))))
        self.power = self._real(self._power)

    def _real(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def real(*xs: Any) -> Any:
            numbers = [self.number(x) for x in xs]
            if any(map(self.isnan, numbers)):
                return self.ctx.nan
            try:
                value = function(*numbers)
            except (ValueError, ZeroDivisionError):  # a pole
                return self.ctx.nan
            return self.ctx.nan if isinstance(value, self.ctx.mpc) else value

        return real

    def number(self, x: Any) -> Any:
        return x if isinstance(x, self.ctx.mpf) else self.ctx.mpf(x)

    # truth values

    def truth(self, x: Any) -> bool:
        return bool(x != 0)

    def real(self, x: Any) -> Any:
        return self.number(x)

    def less(self, a: Any, b: Any) -> bool:
        return bool(a < b)

    def less_equal(self, a: Any, b: Any) -> bool:
        return bool(a <= b)

    def equal(self, a: Any, b: Any) -> bool:
        return bool(a == b)

    def logical_and(self, a: bool, b: bool) -> bool:
        return a and b

    def logical_or(self, a: bool, b: bool) -> bool:
        return a or b

    def logical_xor(self, a: bool, b: bool) -> bool:
        return a is not b

    def logical_not(self, a: bool) -> bool:
        return not a

    def isnan(self, x: Any) -> bool:
        return bool(self.ctx.isnan(x))

    def isinf(self, x: Any) -> bool:
        return bool(self.ctx.isinf(x))

    def isfinite(self, x: Any) -> bool:
        return bool(self.ctx.isfinite(x))

    # selection and steps

    def where(self, condition: bool, a: Any, b: Any) -> Any:
        return a if condition else b

    def maximum(self, a: Any, b: Any) -> Any:
        return b if b > a or self.isnan(b) else a

    def minimum(self, a: Any, b: Any) -> Any:
        return b if b < a or self.isnan(b) else a

    def abs(self, x: Any) -> Any:
        return abs(x)

    def trunc(self, x: Any) -> Any:
        return self.ctx.floor(x) if x > 0 else self.ctx.ceil(x)

    # arithmetic that NumPy defines where mpmath does not

    def divide(self, a: Any, b: Any) -> Any:
        a, b = self.number(a), self.number(b)
        if b != 0:
            return a / b
        return self.ctx.nan if a == 0 or self.isnan(a) else self.ctx.inf * self.ctx.sign(a)

    def _power(self, x: Any, p: Any) -> Any:
        if p == 0:
            return self.ctx.mpf(1)
        if x == 0:
            return self.ctx.mpf(0) if p > 0 else self.ctx.inf
        return self.ctx.power(x, int(p) if self.ctx.isint(p) else p)

    def cbrt(self, x: Any) -> Any:
        return self.ctx.sign(x) * self.ctx.cbrt(abs(x))  # mpmath's own takes the complex root of a negative number

    def polygamma(self, n: int, x: Any) -> Any:
        return self._real(lambda at: self.ctx.psi(n, at))(x)

    def special(self, name: str, xs: Sequence[Any], orders: tuple[int, ...]) -> Any:
        free = [x if isinstance(x, int) else self.number(x) for x in xs]
        return mpmath_values.value(self.ctx, name, tuple(free), orders)

    # matrices, by expansion along the first row: exact for singular ones too

    def det(self, x: Any) -> Any:
        if not len(x):
            return self.ctx.mpf(1)
        return sum((-1) ** j * x[0, j] * self.det(np.delete(x[1:], j, 1)) for j in range(len(x)))

    def cofactor(self, x: Any) -> Any:
        out = np.empty(x.shape, object)
        for i, j in np.ndindex(*x.shape):
            out[i, j] = (-1) ** (i + j) * self.det(np.delete(np.delete(x, i, 0), j, 1))
        return out

    # values and vectors of matrices; vectors have the signs that LAPACK gives them

    def _matrix(self, x: Any) -> Any:
        return self.ctx.matrix([[self.number(one) for one in row] for row in x.tolist()])

    def _array(self, x: Any) -> Any:
        return np.array(x.tolist(), object).reshape(x.rows, x.cols)

    def eigvalsh(self, x: Any) -> Any:
        values = self.ctx.eigsy(self._matrix(x), eigvals_only=True)
        return self._array(values)[:, 0]

    def eigenvectors(self, x: Any) -> Any:
        _, vectors = self.ctx.eigsy(self._matrix(x))
        return _as_signed(self._array(vectors), np.linalg.eigh(as_floats(x))[1])

    def _eig(self, x: Any) -> tuple[Any, Any]:
        """In LAPACK's order, which is no order."""
        near = np.linalg.eig(as_floats(x))
        values, vectors = self.ctx.eig(self._matrix(x))
        if np.iscomplexobj(near[0]):
            return np.full(len(x), self.ctx.nan), np.full(x.shape, self.ctx.nan)
        order = [min(range(len(values)), key=lambda i, w=w: abs(values[i] - w)) for w in near[0]]
        columns = self._array(vectors.apply(self.ctx.re))[:, order]
        columns = columns / np.array([self.ctx.sqrt(np.sum(one * one)) for one in columns.T], object)
        return np.array([self.ctx.re(values[i]) for i in order], object), _as_signed(columns, near[1])

    def eigvals(self, x: Any) -> Any:
        return self._eig(x)[0]

    def eig_vectors(self, x: Any) -> Any:
        return self._eig(x)[1]

    def svd(self, x: Any) -> tuple[Any, Any, Any]:
        u, s, v = self.ctx.svd_r(self._matrix(x))
        left, _, right = np.linalg.svd(as_floats(x), full_matrices=False)
        u, v = _as_signed(self._array(u), left), _as_signed(self._array(v.T), right.T)
        return u, self._array(s)[:, 0], v

    def svdvals(self, x: Any) -> Any:
        return self._array(self.ctx.svd_r(self._matrix(x), compute_uv=False))[:, 0]

    def pinv(self, x: Any, rcond: float, atol: float) -> Any:
        square = x.T @ x if x.shape[0] >= x.shape[1] else x @ x.T
        det = self.det(square)
        if abs(det) > 1e-9:  # of full rank
            inverse = self.cofactor(square).T / det
            return inverse @ x.T if x.shape[0] >= x.shape[1] else x.T @ inverse
        u, s, v = self.svd(x)
        inverse = [1 / one if one > max(rcond * s[0], atol) else self.number(0.0) for one in s]
        return (v * np.array(inverse, object)) @ u.T

    def polar(self, x: Any) -> Any:
        u, _, v = self.svd(x)
        return u @ v.T

    def complement(self, x: Any, by: str) -> Any:
        """By Gram and Schmidt from the columns that LAPACK gives."""
        x = x.T if by == "right" else x
        full = np.linalg.qr(as_floats(x), "complete")[0] if by == "qr" else np.linalg.svd(as_floats(x))[0]
        if by == "right":
            full = np.linalg.svd(as_floats(x).T)[2].T
        count = min(x.shape)
        columns = [x[:, j] for j in range(count)] + [_exact(full[:, j]) for j in range(count, len(x))]
        for j, one in enumerate(columns):
            for other in columns[:j]:
                one = one - other * np.sum(one * other)
            columns[j] = one / self.ctx.sqrt(np.sum(one * one))
        return np.array(columns[count:], object).reshape(len(x) - count, len(x)).T

    def lyapunov(self, h: Any, c: Any) -> Any:
        w, v = self.ctx.eigsy(self._matrix((h + h.T) / 2))
        w, v = self._array(w)[:, 0], self._array(v)
        return v @ ((v.T @ c @ v) / (w[:, None] + w[None, :])) @ v.T

    def sqrtm(self, x: Any) -> Any:
        return self._array(self.ctx.sqrtm(self._matrix(x)).apply(self.ctx.re))

    def expm(self, x: Any) -> Any:
        return self._array(self.ctx.expm(self._matrix(x)))


def _as_signed(vectors: Any, near: Any) -> Any:
    """Columns with the signs of others that are nearly the same."""
    return vectors * np.where(np.sum(as_floats(vectors) * near, 0) < 0, -1, 1)


M = MpMath()
STEP = M.ctx.mpf(10) ** -15  # first differences are then right to 30 digits, second ones to 20


def exact_value(output: Node, values: Values) -> Any:
    """The output in exact numbers, as an object array."""
    return evaluate_exact([output], {name: _exact(array) for name, array in values.items()}, M)[0]


def _exact(array: Any) -> Any:
    array = np.asarray(array)
    return array.astype(object) if array.dtype == bool else np.asarray(np.frompyfunc(M.number, 1, 1)(array), object)


@cache
def differences(problem: Problem, point: Point) -> tuple[Any, Any]:
    """The exact first derivative along `a`, and the second along `a` and `b`, by central differences of the value."""
    base, a, b = ({name: _exact(array) for name, array in way.items()} for way in (point.values, point.a, point.b))

    def value(i: int, j: int) -> Any:
        moved = {name: base[name] + (a[name] * i + b[name] * j) * STEP for name in a}
        return exact_value(problem.real, {**base, **moved})

    ahead, behind = [[value(i, j) for j in (1, -1)] for i in (1, -1)]
    slope = (ahead[0] + ahead[1] - behind[0] - behind[1]) / (4 * STEP)
    bend = (ahead[0] - ahead[1] - behind[0] + behind[1]) / (4 * STEP**2)
    return as_floats(slope), as_floats(bend)


def exact_gradient(problem: Problem, values: Values) -> Values:
    """The exact derivative of the sum of the outputs by every entry, by central differences of the value."""
    found = {name: np.zeros(np.shape(array)) for name, array in values.items()}
    for name, array in values.items():
        for place in np.ndindex(*np.shape(array)):
            ahead, behind = _exact(array), _exact(array)
            step = STEP * (abs(ahead[place]) or 1)
            ahead[place], behind[place] = ahead[place] + step, behind[place] - step
            up, down = (np.sum(exact_value(problem.real, {**values, name: one})) for one in (ahead, behind))
            found[name][place] = float((up - down) / (2 * step))
    return found


def as_floats(array: Any) -> Any:
    return np.asarray(array).astype(np.float64)


# problems: what an example says, as a graph -----------------------------------------------------


class Case(NamedTuple):
    """An expression and the shape of each of its inputs, in the order of first use."""

    text: str
    shapes: tuple[tuple[str, Shape], ...]


@dataclass(frozen=True, eq=False)
class Problem:
    """A case as a graph, with its derivatives: graphs over the inputs and over the other numbers of a point.

    Those are the cotangent `seed`, and for each input `x` the directions `a_x` and `b_x`.
    """

    case: Case
    inputs: dict[str, Node]
    output: Node

    @cached_property
    def wrt(self) -> list[Node]:
        return [one for one in self.inputs.values() if not one.boolean]

    @cached_property
    def size(self) -> int:
        """The number of elements that vary."""
        return sum(one.size for one in self.wrt)

    @cached_property
    def real(self) -> Node:
        """The output as numbers: of truth values, 0 and 1."""
        return CATALOGUE["real"](self.output) if self.output.boolean else self.output

    @cached_property
    def seed(self) -> Node:
        return variable("seed", self.output.shape)

    @cached_property
    def a(self) -> list[Node]:
        return [variable(f"a_{one.attrs['name']}", one.shape) for one in self.wrt]

    @cached_property
    def b(self) -> list[Node]:
        return [variable(f"b_{one.attrs['name']}", one.shape) for one in self.wrt]

    @cached_property
    def gradient(self) -> list[Node]:
        return vjp([self.real], [self.seed], self.wrt)

    @cached_property
    def tangent(self) -> Node:
        return jvp([self.real], self.wrt, self.a)[0]

    @cached_property
    def tangent_of_tangent(self) -> Node:
        return jvp([self.tangent], self.wrt, self.b)[0]

    @cached_property
    def tangent_of_gradient(self) -> list[Node]:
        return jvp(self.gradient, self.wrt, self.b)

    @cached_property
    def gradient_of_gradient(self) -> list[Node]:
        return vjp(self.gradient, self.a, self.wrt)

    @cached_property
    def graphs(self) -> list[list[Node]]:
        """The output and its derivatives of both orders in every mode; a Jacobian holds batched operations too."""
        if not self.wrt:
            return [[self.output]]
        first = [[self.output], self.gradient, [self.tangent], derivatives._reverse(self.real, self.wrt)]
        forward = [derivatives._forward(self.real, one) for one in self.wrt]
        return [*first, forward, [self.tangent_of_tangent], self.tangent_of_gradient, self.gradient_of_gradient]


SHAPES: tuple[Shape, ...] = ((), (0,), (1,), (3,), (2, 3))
PAIRS: tuple[tuple[Shape, Shape], ...] = (
    ((), ()),
    ((3,), ()),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((2, 3), (2, 3)),
    ((0,), (0,)),
    ((1,), (3,)),
)


def cases_of(entry: Entry) -> list[Case]:
    """Every case of an operation: its examples, in all shapes where they leave them open, and along all axes."""
    cases = [case for example in entry.examples for case in _cases(example)]
    return [*dict.fromkeys(cases + list(_along_axes(entry)))]


def _cases(example: str) -> list[Case]:
    text, given = _parted(example)
    names = names_in(text)
    if given or not names:
        shapes = {name: _shape(lengths) for name, _, lengths in (word.partition("=") for word in given.split())}
        return [Case(text, tuple((name, shapes[name]) for name in names))]
    open_shapes = [(shape,) for shape in SHAPES] if len(names) == 1 else PAIRS
    return [Case(text, tuple(zip(names, shapes * len(names), strict=False))) for shapes in open_shapes]


def _parted(example: str) -> tuple[str, str]:
    """An example's text and its shapes, which follow the last `|` if anything does: `|` is an operator too."""
    found = re.fullmatch(r"(.*?)\s*\|((?:\s+\w+=[\d,]*)+)", example)
    return (found[1], found[2]) if found else (example, "")


def names_in(text: str) -> list[str]:
    return [name for name in used_names(parse(Source("example", text))) if name not in CONSTANTS]


def _shape(lengths: str) -> Shape:
    return tuple(int(length) for length in lengths.split(",") if length)


def _along_axes(entry: Entry) -> Iterable[Case]:
    """`name(x)` for a matrix along each axis, and both where the function takes several, with and without keepdims."""
    signature = signature_of(entry)
    over_matrices = any(_takes_matrix(entry.name, example) for example in entry.examples)
    if "axis" not in signature.names or not over_matrices:
        return
    one_axis = signature.kinds["axis"] in ("int", "int | None")
    for axis in ["0", "1", "-1"] if one_axis else ["0", "1", "-1", "(0, 1)"]:
        for keepdims in ["", ", keepdims=True"] if "keepdims" in signature.names else [""]:
            yield Case(f"{entry.name}(x, axis={axis}{keepdims})", (("x", (2, 3)),))


def _takes_matrix(name: str, example: str) -> bool:
    text, given = _parted(example)
    return text.startswith((f"{name}(x)", f"{name}(x, axis")) and given.strip() in ("", "x=2,3")


def pose(case: Case, booleans: Sequence[str] = ()) -> Problem:
    """The graph of a case."""
    inputs = {name: variable(name, shape, boolean=name in booleans) for name, shape in case.shapes}
    return Problem(case, inputs, node_of(read(case.text, inputs)))


def problems_of(entry: Entry) -> list[Problem]:
    """The graphs of all cases that have a value: the mean of no elements has none."""
    found = []
    for case in cases_of(entry):
        try:
            found.append(pose(case))
        except GradcalcError as error:
            if error.kind != "empty" or all(math.prod(shape) for _, shape in case.shapes):
                raise
    return found


def read(text: str, inputs: dict[str, Node]) -> Any:
    return build(parse(Source("text", text)), inputs, lambda one: evaluate([one], {})[0]).value


# points: numbers for the inputs -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Point:
    """Values of the inputs, the output's exact one, a cotangent for it, and two directions to move in."""

    values: Values
    exact: Any
    seed: Any
    a: Values
    b: Values


def draw(
    problem: Problem, domain: Sequence[tuple[float, float]] = (), number: int = 0, *, finite: bool = True
) -> Point:
    """A random point inside an operation's domain, the same for the same number each time."""
    rng = np.random.default_rng([crc32(repr(problem.case).encode()), number])
    intervals = list(domain) or [(-2.0, 2.0)]
    intervals += intervals[-1:] * len(problem.inputs)
    for _ in range(100):
        values = {
            name: _random(rng, one, *interval)
            for (name, one), interval in zip(problem.inputs.items(), intervals, strict=False)
        }
        # What is defined is for the exact value to say, not for the code under test (log(det(A)) needs a positive one).
        exact = exact_value(problem.real, values) if finite else np.zeros(0)
        if all(map(M.isfinite, exact.flat)):
            a, b = ({one.attrs["name"]: _random(rng, one, -1, 1) for one in problem.wrt} for _ in range(2))
            return Point(values, as_floats(exact), _random(rng, problem.seed, -2, 2), a, b)
    raise AssertionError(f"{problem.case} is defined at none of 100 points in {intervals}")


def _random(rng: np.random.Generator, one: Node, low: float, high: float) -> Any:
    """Numbers, or truth values, for a node's shape."""
    return np.asarray(rng.integers(0, 2, one.shape) == 1 if one.boolean else rng.uniform(low, high, one.shape))


# checks -----------------------------------------------------------------------------------------


def numbers(outputs: Sequence[Node], point: Point) -> list[Any]:
    """The outputs' values from the engine; shapes and types must be those that the graph promises."""
    ways = {f"{which}_{name}": array for which, way in (("a", point.a), ("b", point.b)) for name, array in way.items()}
    values = execute(_plan(tuple(outputs)), {**point.values, **ways, "seed": point.seed})
    for output, value in zip(outputs, values, strict=True):
        assert value.shape == output.shape, f"{to_text(output)} has shape {value.shape}, not {output.shape}"
        assert (value.dtype == bool) == output.boolean, f"{to_text(output)} is of type {value.dtype}"
    return values


_plan = cache(plan)


def assert_close(found: Any, expected: Any, tolerance: float, *, scale: float = 0.0) -> None:
    """Equal but for a part of the largest expected number, or of `scale` where terms may cancel."""
    found, expected = as_floats(found), as_floats(expected)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    finite = np.abs(expected[np.isfinite(expected)])
    allowed = tolerance * max(scale, float(np.max(finite, initial=0.0))) + 1e-14
    off = float(np.max(np.abs(np.where(same, 0.0, found) - np.where(same, 0.0, expected)), initial=0.0))
    assert off <= allowed, f"{found} is not {expected}: off by {off:.3g}, where {allowed:.3g} is allowed"


def inner(one: Values | Sequence[Any], other: Sequence[Any]) -> tuple[float, float]:
    """The sum of products of two lists of arrays, and of their sizes: the scale of what may cancel."""
    parts = one.values() if isinstance(one, dict) else one
    terms = [np.asarray(a * b) for a, b in zip(parts, other, strict=True)]
    return float(sum(np.sum(term) for term in terms)), float(sum(np.sum(np.abs(term)) for term in terms))


def check_value(problem: Problem, point: Point) -> None:
    """The value is the exact one."""
    (value,) = numbers([problem.output], point)
    assert value.shape == point.exact.shape
    assert_close(value, point.exact, 1e-12)


def check_python(problem: Problem, point: Point) -> None:
    """The value is what Python makes of the same text with NumPy's functions."""
    (value,) = numbers([problem.output], point)
    expected = python_value(problem.case.text, point.values)
    assert expected.shape == value.shape
    assert_close(value, expected, 1e-12)


def check_first(problem: Problem, point: Point) -> None:
    """Both modes give the exact slope."""
    forward, *back = numbers([problem.tangent, *problem.gradient], point)
    exact, _ = differences(problem, point)
    assert_close(forward, exact, 1e-10)
    found, scale = inner(point.a, back)
    assert_close(found, inner([point.seed], [exact])[0], 1e-10, scale=scale)


def check_transposed(problem: Problem, point: Point) -> None:
    """The two modes are each other's transpose: <seed, jvp(a)> = <vjp(seed), a>."""
    forward, *back = numbers([problem.tangent, *problem.gradient], point)
    (left, scale), (right, _) = inner([point.seed], [forward]), inner(point.a, back)
    assert_close(right, left, 1e-12, scale=scale)


def check_second(problem: Problem, point: Point) -> None:
    """Second derivatives in every order of the modes give the exact bend, from values alone."""
    pushed, pulled = problem.tangent_of_gradient, problem.gradient_of_gradient
    both, *rest = numbers([problem.tangent_of_tangent, *pushed, *pulled], point)
    _, exact = differences(problem, point)
    assert_close(both, exact, 1e-9)
    expected, scale = inner([point.seed], [exact])
    for way, found in ((point.a, rest[: len(pushed)]), (point.b, rest[len(pushed) :])):
        total, size = inner(way, found)
        assert_close(total, expected, 1e-9, scale=max(scale, size))


def check_round_trip(problem: Problem, outputs: Sequence[Node]) -> None:
    """What is printed reads as the very same nodes."""
    known = [problem.seed, *problem.a, *problem.b]
    text = to_text(*outputs)
    value = read(text, {**problem.inputs, **{one.attrs["name"]: one for one in known}})
    found = list(map(node_of, value)) if len(outputs) > 1 else [node_of(value)]
    wrong = [to_text(a) for a, b in zip(found, outputs, strict=True) if a is not b]
    assert not wrong, f"{text} reads as {wrong}"


def check_batching(problem: Problem, point: Point) -> None:
    """A Jacobian is the same in both modes, all at once or row by row."""
    output, wrt = problem.real, problem.wrt
    backward = numbers(derivatives._reverse(output, wrt), point)
    forward = numbers([derivatives._forward(output, one) for one in wrt], point)
    chosen = numbers(derivatives.jacobian(output, wrt).partials, point)
    rows = [numbers(problem.gradient, replace(point, seed=unit)) for unit in _units(output.shape)]
    for i, one in enumerate(wrt):
        row_by_row = np.array([row[i] for row in rows]).reshape(output.shape + one.shape)
        for found in (backward[i], forward[i], chosen[i]):
            assert_close(found, row_by_row, 1e-12)


def _units(shape: Shape) -> Any:
    size = math.prod(shape)
    return np.eye(size).reshape(size, *shape)


def check_simplified(problem: Problem, outputs: Sequence[Node], point: Point) -> None:
    """Simplified graphs have the same numbers."""
    for found, expected in zip(numbers(simplify(outputs), point), numbers(outputs, point), strict=True):
        assert_close(found, expected, 1e-12)


def check_sympy(problem: Problem, point: Point, entries: int = 3) -> None:
    """SymPy's derivative of the weighted sum of outputs is the gradient, at the last entries of each input.

    Of some matrices SymPy has no formula (`NoFormula`): their derivatives are tested with mpmath's differences only.
    """
    with suppress(NoFormula):
        _check_sympy(problem, point, entries)


def _check_sympy(problem: Problem, point: Point, entries: int) -> None:
    for one, back in zip(problem.wrt, numbers(problem.gradient, point), strict=True):
        places = list(np.ndindex(*one.shape))[-entries:]
        expected = [sympy_partial(problem, point, one.attrs["name"], place) for place in places]
        largest = float(np.max(np.abs(back), initial=0.0))
        assert_close([back[place] for place in places], expected, 1e-10, scale=largest)


def sympy_partial(problem: Problem, point: Point, name: str, place: tuple[int, ...]) -> float:
    """The derivative by one entry, the only symbol among numbers: derivatives by others never enter it."""
    import sympy as sp

    def number(x: float) -> Any:
        return sp.Float(float(x), 30)

    values = {one: np.asarray(np.frompyfunc(number, 1, 1)(array), object) for one, array in point.values.items()}
    value, symbol = values[name][place], sp.Symbol(name, real=True)
    values[name][place] = symbol
    steps = steps_of([problem.real])
    known = dict(zip(steps, evaluate(steps, point.values), strict=True))
    (output,) = evaluate_exact([problem.real], values, _sympy_math(), known)
    total = sp.Add(*(number(weight) * element for weight, element in zip(point.seed.flat, output.flat, strict=True)))
    return float(sp.diff(total, symbol).evalf(20, subs={symbol: value}))


@cache
def _sympy_math() -> Any:
    from gradcalc.symbolic import SympyMath  # here, so that SymPy is imported by the tests that use it

    return SympyMath()


# Python as a second reader ------------------------------------------------------------------------


def reads_python(text: str) -> bool:
    """Whether Python knows every name in a text but those of inputs."""
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    return used.difference(names_in(text)) <= NUMPY.keys()


def python_value(text: str, values: Values) -> Any:
    """The value of a text as Python and NumPy compute it."""
    with np.errstate(all="ignore"):
        tree = _Methods().visit(ast.parse(text.strip(), mode="eval"))
        return np.asarray(eval(compile(tree, "text", "eval"), {**NUMPY, **values, "METHODS": METHODS}))


def _written(x: Any, key: Any, value: Any, *, add: bool = False) -> Any:
    out = np.array(x)
    if add:
        np.add.at(out, key, value)
    else:
        out[key] = value
    return out


def _recurrence(a: Any, b: Any, axis: int) -> Any:
    out, a = np.moveaxis(np.array(b), axis, 0), np.moveaxis(a, axis, 0)
    for i in range(1, len(out)):
        out[i] = a[i] * out[i - 1] + b.take(i, axis)
    return np.moveaxis(out, 0, axis)


def _diagonal_matrix(x: Any, rows: int, columns: int, offset: int = 0) -> Any:
    out = np.zeros((*x.shape[:-1], rows, columns))
    for i in range(x.shape[-1]):
        out[..., i - min(offset, 0), i + max(offset, 0)] = x[..., i]
    return out


def _sum_exp(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(np.exp(x), axis=axis, keepdims=keepdims)


def _gelu(x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + NUMPY["erf"](x / np.sqrt(2)))


def _extreme(whole: Callable[..., Any], place: Callable[..., Any], pair: Callable[..., Any]) -> Callable[..., Any]:
    def extreme(x: Any, other: Any = None, dim: int | None = None) -> Any:
        if other is not None:
            return pair(x, other)
        return whole(x) if dim is None else (whole(x, axis=dim), place(x, axis=dim))

    return extreme


class _Methods(ast.NodeTransformer):
    """Methods that arrays of NumPy lack, as functions: `x.where(c, y)` is what the references call `method.where`."""

    def visit_Call(self, call: ast.Call) -> ast.AST:
        self.generic_visit(call)
        function = call.func
        if not isinstance(function, ast.Attribute) or hasattr(np.ndarray, function.attr):
            return call
        root: Any = function.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and isinstance(NUMPY.get(root.id), (Library, type(np))):
            return call
        found = ast.Subscript(ast.Name("METHODS", ast.Load()), ast.Constant(function.attr), ast.Load())
        return ast.fix_missing_locations(ast.Call(found, [function.value, *call.args], call.keywords))


METHODS = {name.partition(".")[2]: function for name, function in FUNCTIONS.items() if name.startswith("method.")}

NUMPY: dict[str, Any] = {
    **vars(np.linalg),
    **vars(np),
    "clip": lambda x, min=None, max=None: np.clip(x, min, max),  # NumPy 2.0 has no such names
    **{name: np.vectorize(getattr(math, name), otypes=[float]) for name in ("erf", "erfc", "gamma", "lgamma")},
    "np": np,
    "gelu": _gelu,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "relu": lambda x: np.where(x > 0, x, 0),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "logsumexp": lambda x, axis=None, keepdims=False: np.log(_sum_exp(x, axis, keepdims)),
    "softmax": lambda x, axis=None: np.exp(x) / _sum_exp(x, axis, True),
    "log_softmax": lambda x, axis=None: x - np.log(_sum_exp(x, axis, True)),
    "set_at": _written,
    "add_at": lambda x, key, value: _written(x, key, value, add=True),
    "recurrence": _recurrence,
    "diagonal_matrix": _diagonal_matrix,
    "cofactor": lambda x: np.linalg.det(x)[..., None, None] * np.swapaxes(np.linalg.inv(x), -1, -2),
    "logabsdet": lambda x: np.log(np.abs(np.linalg.det(x))),
    "logdet": lambda x: np.log(np.linalg.det(x)),
}
"""NumPy's names, and plain definitions of functions that it lacks."""

FUNCTIONS.update(
    {
        "torch.max": _extreme(np.max, np.argmax, np.maximum),
        "torch.min": _extreme(np.min, np.argmin, np.minimum),
        "torch.transpose": np.swapaxes,
        "torch.repeat": np.tile,
        "torch.softmax": lambda x, dim: np.exp(x) / np.sum(np.exp(x), axis=dim, keepdims=True),
        "torch.log_softmax": lambda x, dim: x - np.log(np.sum(np.exp(x), axis=dim, keepdims=True)),
        "torch.flatten": lambda x, start=0: x.reshape(*x.shape[:start], -1),
    }
)

NUMPY.update({name: function for name, function in FUNCTIONS.items() if "." not in name})
NUMPY.update({name: Library(name, NUMPY) for name in ("torch", "F", "jax", "jnp", "scipy", "math")})
