"""gradcalc: gradients, Jacobians and Hessians of NumPy-like expressions, checked against SymPy.

    >>> import gradcalc
    >>> gradcalc.grad("sum(x**2 + 2*x + 1)", {"x": [[1, 2], [3, 4]]}, wrt="x")
    array([[ 4.,  6.],
           [ 8., 10.]])

The public names live in `gradcalc.api` and are loaded when first used, so that the command line can start
SymPy's process before NumPy is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import answer as answer
    from .api import check as check
    from .api import compile as compile
    from .api import evaluate as evaluate
    from .api import grad as grad
    from .api import hessian as hessian
    from .api import hvp as hvp
    from .api import jacobian as jacobian
    from .api import jvp as jvp
    from .api import value_and_grad as value_and_grad
    from .api import vjp as vjp
    from .checker import Verdict as Verdict
    from .errors import GradcalcError as GradcalcError
    from .results import Answer as Answer

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "GradcalcError",
    "Verdict",
    "__version__",
    "answer",
    "check",
    "compile",
    "evaluate",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "value_and_grad",
    "vjp",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'gradcalc' has no attribute '{name}'")
    from . import api

    value = globals()[name] = getattr(api, name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
