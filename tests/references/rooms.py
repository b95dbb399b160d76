"""What the libraries' rooms mean differently from the bare name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def _softmax(x: Any, axis: int = -1, where: Any = True) -> Any:
    weights = np.exp(x) * np.asarray(where)
    return weights / np.sum(weights, axis=axis, keepdims=True)


def _gelu(x: Any, approximate: bool = True) -> Any:
    if approximate:
        return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return x / 2 * (1 + np.vectorize(math.erf, otypes=[float])(x / np.sqrt(2)))


def _cholesky(a: Any, lower: bool = False) -> Any:
    factor = np.linalg.cholesky(a)
    return factor if lower else factor.T


FUNCTIONS = {
    "math.remainder": np.vectorize(math.remainder, otypes=[float]),
    "jax.softmax": _softmax,
    "jax.log_softmax": lambda x, axis=-1, where=True: np.log(_softmax(x, axis, where)),
    "jax.gelu": _gelu,
    "scipy.linalg.cholesky": _cholesky,
}
