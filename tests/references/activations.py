"""Activations, from what PyTorch's and JAX's pages say of them: mostly functions of one number."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def _elementwise(function: Callable[..., float]) -> Callable[..., Any]:
    """A function of numbers over arrays; what else it takes is broadcast, but for words and truth values."""
    over = np.vectorize(function, otypes=[float])

    def apply(x: Any, *rest: Any, inplace: bool = False, **named: Any) -> Any:
        return over(x, *(one for one in rest if not isinstance(one, bool)), **named) if np.size(x) else np.zeros_like(x)

    return apply


def _relu6(x: float) -> float:
    return min(max(x, 0), 6)


def _elu(x: float, alpha: float = 1) -> float:
    return x if x > 0 else alpha * (math.exp(x) - 1)


def _celu(x: float, alpha: float = 1) -> float:
    return max(0, x) + min(0, alpha * (math.exp(x / alpha) - 1))


def _softplus(x: float, beta: float = 1, threshold: float = 20) -> float:
    return x if x * beta > threshold else math.log(1 + math.exp(beta * x)) / beta


def _softshrink(x: float, lambd: float = 0.5) -> float:
    return x - lambd if x > lambd else x + lambd if x < -lambd else 0


def _sparse_plus(x: float) -> float:
    return 0 if x <= -1 else x if x >= 1 else (x + 1) ** 2 / 4


def _prelu(input: Any, weight: Any) -> Any:
    slopes = np.moveaxis(np.ones(input.shape), min(1, input.ndim - 1), -1) * weight if weight.size > 1 else weight
    slopes = np.moveaxis(slopes, -1, 1) if weight.size > 1 else slopes
    return np.maximum(input, 0) + slopes * np.minimum(input, 0)


def _glu(x: Any, axis: int = -1) -> Any:
    a, b = np.split(x, 2, axis)
    return a / (1 + np.exp(-b))


def _softmax(x: Any, dim: int | None = None) -> Any:
    axis = dim if dim is not None else 0 if x.ndim in (0, 1, 3) else 1
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)


def _logmeanexp(x: Any, axis: Any = None, where: Any = None, keepdims: bool = False) -> Any:
    return np.log(np.mean(np.exp(x), axis=axis, keepdims=keepdims, where=True if where is None else where))


def _standardize(
    x: Any,
    axis: Any = -1,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 1e-5,
    where: Any = None,
    algorithm: str = "fast",
) -> Any:
    some = {"axis": axis, "keepdims": True, "where": True if where is None else where}
    middle = np.mean(x, **some) if mean is None else mean
    if variance is None:
        fast = np.mean(x**2, **some) - middle**2
        variance = np.maximum(fast, 0) if algorithm == "fast" else np.mean((x - middle) ** 2, **some)
    return (x - middle) / np.sqrt(variance + epsilon)


FUNCTIONS = {
    "F.relu": _elementwise(lambda x: max(x, 0)),
    "F.silu": _elementwise(lambda x: x / (1 + math.exp(-x))),
    "relu6": _elementwise(_relu6),
    "hardtanh": _elementwise(lambda x, min_val=-1, max_val=1: min(max(x, min_val), max_val)),
    "hard_tanh": _elementwise(lambda x: min(max(x, -1), 1)),
    "hardsigmoid": _elementwise(lambda x: _relu6(x + 3) / 6),
    "hard_sigmoid": _elementwise(lambda x: _relu6(x + 3) / 6),
    "hardswish": _elementwise(lambda x: x * _relu6(x + 3) / 6),
    "hard_swish": _elementwise(lambda x: x * _relu6(x + 3) / 6),
    "hard_silu": _elementwise(lambda x: x * _relu6(x + 3) / 6),
    "leaky_relu": _elementwise(lambda x, negative_slope=0.01: max(0, x) + negative_slope * min(0, x)),
    "rrelu": _elementwise(lambda x, lower=1 / 8, upper=1 / 3: max(0, x) + (lower + upper) / 2 * min(0, x)),
    "prelu": _prelu,
    "threshold": _elementwise(lambda x, threshold, value: x if x > threshold else value),
    "hardshrink": _elementwise(lambda x, lambd=0.5: x if abs(x) > lambd else 0),
    "softshrink": _elementwise(_softshrink),
    "sparse_plus": _elementwise(_sparse_plus),
    "sparse_sigmoid": _elementwise(lambda x: min(max((x + 1) / 2, 0), 1)),
    "elu": _elementwise(_elu),
    "celu": _elementwise(_celu),
    "selu": _elementwise(lambda x: 1.0507009873554805 * _elu(x, 1.6732632423543772)),
    "mish": _elementwise(lambda x: x * math.tanh(math.log(1 + math.exp(x)))),
    "log_sigmoid": _elementwise(lambda x: math.log(1 / (1 + math.exp(-x)))),
    "logsigmoid": _elementwise(lambda x: math.log(1 / (1 + math.exp(-x)))),
    "F.softplus": _elementwise(_softplus),
    "glu": _glu,
    "softsign": _elementwise(lambda x: x / (1 + abs(x))),
    "tanhshrink": _elementwise(lambda x: x - math.tanh(x)),
    "squareplus": _elementwise(lambda x, b=4: (x + math.sqrt(x * x + b)) / 2),
    "log1mexp": _elementwise(lambda x: math.log(1 - math.exp(-x))),
    "jax.identity": lambda x: x,
    "F.softmax": _softmax,
    "F.log_softmax": lambda x, dim=None: np.log(_softmax(x, dim)),
    "softmin": lambda x, dim=None: _softmax(-x, dim),
    "logmeanexp": _logmeanexp,
    "standardize": _standardize,
}
