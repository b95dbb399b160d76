"""What the libraries' rooms mean differently from the bare name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def _softmax(x: Any, axis: int = -1) -> Any:
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)


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
    "jax.log_softmax": lambda x, axis=-1: np.log(_softmax(x, axis)),
    "jax.gelu": _gelu,
    "scipy.linalg.cholesky": _cholesky,
}
