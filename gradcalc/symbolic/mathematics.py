"""SymPy as a namespace of exact mathematics, and what becomes of it at a kink."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..ops import mpmath_values


class NoFormula(Exception):
    """SymPy has no formula for this function that would be of any use."""


class SympyMath:
    """The namespace of exact mathematics that operations' `exact` functions speak, in SymPy."""

    def __init__(self) -> None:
        import sympy

        self.sp = sympy
        for name in (
            "exp",
            "log",
            "sqrt",
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "atan2",
            "sinh",
            "cosh",
            "tanh",
        ):
            setattr(self, name, getattr(sympy, name))
        for name in ("asinh", "acosh", "atanh", "erf", "erfc", "gamma", "loggamma", "polygamma"):
            setattr(self, name, getattr(sympy, name))
        self.abs = sympy.Abs
        self.sign = sympy.sign
        self.floor, self.ceil, self.trunc, self.round = (
            _flat(sympy, name) for name in ("floor", "ceil", "trunc", "round")
        )
        self.power = sympy.Pow
        names = {"bessel_j": "besselj", "bessel_y": "bessely", "bessel_i": "besseli", "bessel_k": "besselk"}
        names |= {"airy_ai": "airyai", "airy_ai_prime": "airyaiprime", "erfinv": "erfinv", "expn": "expint"}
        names |= {"expi": "Ei", "sine_integral": "Si", "fresnel_s": "fresnels", "fresnel_c": "fresnelc"}
        self.known = {name: getattr(sympy, known) for name, known in names.items()}
        self.kinked = (sympy.Heaviside, sympy.sign, sympy.DiracDelta, self.floor, self.ceil, self.trunc, self.round)

    def number(self, value: float) -> Any:
        """A constant of the text: pi and e as themselves, any other float as the exact rational it is."""
        for known, exact in ((self.sp.pi, 3.141592653589793), (self.sp.E, 2.718281828459045)):
            if abs(value) == exact:
                return known if value > 0 else -known
        return self.exact(value)

    def exact(self, value: float) -> Any:
        """A float as the exact rational it is."""
        sp = self.sp
        value = float(value)
        if value != value:
            return sp.nan
        if value in (float("inf"), float("-inf")):
            return sp.oo if value > 0 else -sp.oo
        return sp.Integer(int(value)) if value.is_integer() else sp.Rational(*value.as_integer_ratio())

    def real(self, value: Any) -> Any:
        """A truth value as 0 or 1."""
        if isinstance(value, (bool, self.sp.logic.boolalg.BooleanAtom)):
            return self.sp.Integer(bool(value))
        return self.where(value, self.sp.Integer(1), self.sp.Integer(0)) if self.is_condition(value) else value

    def is_condition(self, value: Any) -> bool:
        """Whether a value is true or false, or a condition on symbols."""
        boolean = self.sp.logic.boolalg.Boolean  # which SymPy's symbols are too
        return isinstance(value, bool) or (isinstance(value, boolean) and not isinstance(value, self.sp.Expr))

    def truth(self, value: Any) -> Any:
        """A number as a condition: whether it is not 0."""
        return value if self.is_condition(value) else self.logical_not(self.equal(value, 0))

    def divide(self, a: Any, b: Any) -> Any:
        """a/b of numbers or symbols."""
        return self.sp.sympify(a) / b

    def cbrt(self, x: Any) -> Any:
        """The real cube root."""
        return self.sign(x) * self.abs(x) ** self.sp.Rational(1, 3)

    def maximum(self, a: Any, b: Any) -> Any:
        """The larger of two."""
        return self.sp.Max(a, b)

    def minimum(self, a: Any, b: Any) -> Any:
        """The smaller of two."""
        return self.sp.Min(a, b)

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """a where the condition holds, else b."""
        return self.sp.Piecewise((a, condition), (b, True))

    def less(self, a: Any, b: Any) -> Any:
        """a < b."""
        return self.sp.Lt(a, b)

    def less_equal(self, a: Any, b: Any) -> Any:
        """a <= b."""
        return self.sp.Le(a, b)

    def equal(self, a: Any, b: Any) -> Any:
        """a == b, of numbers or of conditions."""
        return self.sp.Eq(self.real(a), self.real(b))

    def logical_and(self, a: Any, b: Any) -> Any:
        """Both conditions."""
        return self.sp.And(a, b)

    def logical_or(self, a: Any, b: Any) -> Any:
        """Either condition."""
        return self.sp.Or(a, b)

    def logical_xor(self, a: Any, b: Any) -> Any:
        """One condition but not the other."""
        return self.sp.Xor(a, b)

    def logical_not(self, a: Any) -> Any:
        """The condition reversed."""
        return self.sp.Not(a)

    def isnan(self, x: Any) -> Any:
        """Whether a number is nan; a symbol stands for a real number."""
        return x is self.sp.nan

    def isfinite(self, x: Any) -> Any:
        """Whether a number is finite; a symbol stands for a real number."""
        return x not in (self.sp.nan, self.sp.oo, -self.sp.oo)

    def isinf(self, x: Any) -> Any:
        """Whether a number is infinite; a symbol stands for a real number."""
        return x in (self.sp.oo, -self.sp.oo)

    def special(self, name: str, xs: Sequence[Any], orders: tuple[int, ...]) -> Any:
        """A function that `mpmath_values` defines: SymPy's own where it has it, else one whose numbers are mpmath's."""
        known = self.known.get(name)
        if known is not None and not any(orders):
            return known(*xs)
        return _by_mpmath(name, len(xs) - len(orders), orders)(*xs)

    def det(self, matrix: Any) -> Any:
        """The determinant, without divisions (Berkowitz)."""
        return self.sp.Matrix(matrix.tolist()).det(method="berkowitz") if len(matrix) else self.sp.Integer(1)

    def cofactor(self, matrix: Any) -> Any:
        """The matrix of cofactors, as an object array."""
        if len(matrix) == 1:
            return np.array([[self.sp.Integer(1)]], object)
        found = self.sp.Matrix(matrix.tolist()).cofactor_matrix(method="berkowitz")
        return np.array(found.tolist(), object).reshape(matrix.shape)

    def eigvalsh(self, matrix: Any) -> Any:
        """The eigenvalues of a symmetric matrix with at most two rows, the least first."""
        if len(matrix) < 2:
            return matrix.diagonal()
        if len(matrix) > 2:
            raise NoFormula("eigenvalues of more than two rows")
        (a, b), (_, d) = matrix
        middle, half = (a + d) / 2, self.sp.sqrt((a - d) ** 2 / 4 + b**2)
        return np.array([middle - half, middle + half], object)

    def svdvals(self, matrix: Any) -> Any:
        """The singular values of a matrix with at most two rows or columns, the largest first."""
        tall = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
        if tall.shape[1] > 2:
            raise NoFormula("singular values of more than two rows and columns")
        squares, product = np.sum(matrix * matrix), self.sp.sqrt(self.det(tall.T @ tall))
        if tall.shape[1] < 2:
            return np.array([product], object)[: tall.shape[1]]
        total, gap = self.sp.sqrt(squares + 2 * product), self.sp.sqrt(squares - 2 * product)
        return np.array([(total + gap) / 2, (total - gap) / 2], object)

    def pinv(self, matrix: Any, rcond: float, atol: float) -> Any:
        """The pseudoinverse of a matrix of full rank."""
        if matrix.shape[0] < matrix.shape[1]:
            return self.pinv(matrix.T, rcond, atol).T
        square = matrix.T @ matrix
        return self.cofactor(square).T / self.det(square) @ matrix.T

    def no_formula(self, *_: Any) -> Any:
        """What has no formula in SymPy, or none that is short enough to be of use."""
        raise NoFormula("vectors and functions of a matrix")

    eigenvectors = eigvals = eig_vectors = svd = complement = polar = lyapunov = expm = sqrtm = no_formula


def _flat(sp: Any, name: str) -> Any:
    """A step function whose derivative is 0: SymPy leaves that of `floor` undone."""
    exact = {
        "floor": sp.floor,
        "ceil": sp.ceiling,
        "trunc": lambda x: sp.sign(x) * sp.floor(abs(x)),
        "round": lambda x: sp.Integer(round(x)),
    }[name]

    def evaluate(cls: Any, x: Any) -> Any:
        return exact(x) if x.is_number and x.is_finite else None

    fields = {
        "eval": classmethod(evaluate),
        "fdiff": lambda self, argindex=1: sp.Integer(0),
        "is_real": True,
        "_latex": lambda self, printer: rf"\operatorname{{{name}}}\left({printer._print(self.args[0])}\right)",
    }
    return type(f"flat_{name}", (sp.Function,), fields)


@cache
def _by_mpmath(name: str, fixed: int, orders: tuple[int, ...]) -> Any:
    """A function of `mpmath_values` as SymPy's: it knows its numbers, and its derivatives as more of its kind."""
    import mpmath
    import sympy as sp

    def number(*xs: Any) -> Any:
        return mpmath_values.value(mpmath.mp, name, (*map(int, xs[:fixed]), *xs[fixed:]), orders)

    def steeper(self: Any, argindex: int = 1) -> Any:
        place = argindex - 1 - fixed
        more = tuple(n + (i == place) for i, n in enumerate(orders))
        return _by_mpmath(name, fixed, more)(*self.args)

    def evaluate(self: Any, precision: int) -> Any:
        with mpmath.mp.workprec(precision):
            xs = [sp.sympify(x)._eval_evalf(precision)._to_mpmath(precision) for x in self.args]
            return sp.Float(number(*xs), precision=precision)

    fields = {"fdiff": steeper, "is_real": True, "_eval_evalf": evaluate, "_imp_": staticmethod(number)}
    return type(name + "".join(f"_{n}" for n in orders if any(orders)), (sp.Function,), fields)


class Watch:
    """The functions that SymPy's derivatives of kinked functions contain, which note when they are at the kink."""

    def __init__(self, sp: Any) -> None:
        import mpmath

        self.mp = mpmath.mp
        self.kink = False
        self.functions = {
            "Heaviside": self.heaviside,
            "sign": self.sign,
            "DiracDelta": self.spike,
            "polygamma": lambda n, x: self.mp.psi(int(n), x),
            "loggamma": self.mp.loggamma,
            "flat_floor": self.step(self.mp.floor),
            "flat_ceil": self.step(self.mp.ceil),
            "flat_trunc": self.step(lambda x: self.mp.floor(x) if x > 0 else self.mp.ceil(x)),
            "flat_round": self.mp.nint,
        }

    def heaviside(self, x: Any, at_zero: Any = None) -> Any:
        """1 for positive numbers, 0 for negative ones."""
        self.kink = self.kink or x == 0
        return self.mp.mpf(x > 0)

    def sign(self, x: Any) -> Any:
        """The sign of a number."""
        self.kink = self.kink or x == 0
        return self.mp.sign(x)

    def spike(self, x: Any, order: int = 0) -> Any:
        """0, but at the jump that it is the derivative of."""
        self.kink = self.kink or x == 0
        return self.mp.mpf(0)

    def step(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A function with steps at the whole numbers."""

        def at(x: Any) -> Any:
            self.kink = self.kink or x == self.mp.nint(x)
            return function(x)

        return at
