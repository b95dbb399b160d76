"""What the libraries have: every public function of their namespaces, and what gradcalc says about it.

A function is whatever can be called, is no class (so no dtype, exception or type) and has a name without a leading
underscore; modules, constants and what the libraries merely import from `typing` are none. Methods that change an
array in place (`add_`) count too.
"""

from __future__ import annotations

import inspect
from typing import Any

import gradcalc
from gradcalc.errors import GradcalcError
from gradcalc.language.refusals import LEAVE_OUT, refusal_of

from . import libraries
from .cases import METHODS

ACCEPTED = "accepted"
LEFT_OUT = "to be left out"
UNKNOWN = "unclassified"

NAMESPACES = {
    "numpy": "np",
    "numpy.linalg": "np.linalg",
    "torch": "torch",
    "torch.linalg": "torch.linalg",
    "torch.special": "torch.special",
    "torch.nn.functional": "F",
    "jax.nn": "jax.nn",
    "jax.scipy.special": "jax.scipy.special",
    "jax.numpy": "jnp",
    "jax.numpy.linalg": "jnp.linalg",
    "torch.Tensor": "Tensor",
    "numpy.ndarray": "ndarray",
}
"""The namespaces whose every function is accounted for, and how their functions are written here."""


def functions(prefix: str) -> list[str]:
    """The public functions of a namespace, or the public methods of a class."""
    owner: Any
    if prefix in METHODS:
        import numpy as np

        owner = libraries.world()["torch"].Tensor if prefix == "Tensor" else np.ndarray
    else:
        owner = libraries.modules()[prefix]
    names = [name for name in dir(owner) if not name.startswith("_")]
    return [name for name in names if _is_function(getattr(owner, name, None))]


def _is_function(value: Any) -> bool:
    return callable(value) and not inspect.isclass(value) and getattr(value, "__module__", "") != "typing"


def standing(prefix: str, name: str) -> str:
    """Whether a function is accepted, or the class of the reason why it is refused, or neither."""
    is_method = prefix in METHODS
    if _is_known(prefix, name):
        return ACCEPTED
    refusal = refusal_of([name], METHODS[prefix]) if is_method else refusal_of([*prefix.split("."), name])
    if name in LEAVE_OUT:
        return LEFT_OUT
    return UNKNOWN if refusal is None else refusal.kind


def _is_known(prefix: str, name: str) -> bool:
    """Whether a call of the function fails for another reason than that nobody knows it."""
    text = f"{prefix}.{name}()" if prefix not in METHODS else f"x.{name}()"
    if prefix == "Tensor":
        text = f"from torch import Tensor\n{text}"
    try:
        gradcalc.evaluate(text, {"x": [0.5, 1.0]} if prefix in METHODS else {})
    except GradcalcError as error:
        return error.kind not in ("unknown-function", "unknown-name")
    return True
