"""Where a library's derivative is wrong and gradcalc's is right: each is proved by differences at 50 digits."""

from __future__ import annotations

from typing import Any, NamedTuple


class Wrong(NamedTuple):
    """A text whose gradient (of the sum of its elements) a library gets wrong at a point, and how that comes."""

    text: str
    library: str
    inputs: dict[str, Any]
    reason: str


_SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
_RANK_TWO = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
_OVERFLOW = "the squares overflow"
_UNDERFLOW = "the squares underflow"
_TANH = "1 - tanh(x)**2 has rounded to 0"
_SIGMOID = "y*(1 - y) has rounded to 0"

WRONG = (
    Wrong("torch.det(x)", "torch", {"x": _SINGULAR}, "it needs the inverse, and says 0"),
    Wrong("torch.det(x)", "torch", {"x": _RANK_TWO}, "the same"),
    Wrong("torch.tanh(x)", "torch", {"x": 20.0}, _TANH),
    Wrong("jnp.tanh(x)", "jax", {"x": 20.0}, _TANH),
    Wrong("torch.sigmoid(x)", "torch", {"x": 40.0}, _SIGMOID),
    Wrong("torch.special.expit(x)", "torch", {"x": 40.0}, _SIGMOID),
    Wrong("jax.nn.sigmoid(x)", "jax", {"x": 40.0}, _SIGMOID),
    Wrong("F.gelu(x)", "torch", {"x": -12.0}, "1 + erf(x/sqrt(2)) has rounded to 0"),
    Wrong("F.hardsigmoid(x)", "torch", {"x": 0.5}, "1/6 is rounded to single precision"),
    Wrong("torch.logsumexp(x, 0)", "torch", {"x": [1e300, 1e300]}, "exp(x - logsumexp(x)) is 1 for both"),
    Wrong("jnp.linalg.norm(x)**2", "jax", {"x": [0.0, 0.0]}, "0 times the norm's slope there, which is nan"),
    Wrong("jnp.arccos(jnp.clip(x, -1, 1))", "jax", {"x": 10.0}, "the infinite slope of arccos times 0"),
    Wrong("jnp.std(x)", "jax", {"x": [-0.83]}, "0/0; of one element it is 0 everywhere"),
    Wrong("a / b", "jax", {"a": 1e-200, "b": 1e-170}, _UNDERFLOW),
    Wrong("jnp.hypot(a, b)", "jax", {"a": 1e-200, "b": 1e-200}, _UNDERFLOW),
    Wrong("torch.linalg.norm(x)", "torch", {"x": [1e-200, 1e-200]}, _UNDERFLOW),
    Wrong("torch.linalg.norm(x)", "torch", {"x": [1e200, 1e200]}, _OVERFLOW),
    Wrong("jnp.linalg.norm(x)", "jax", {"x": [1e-200, 1e-200]}, _UNDERFLOW),
    Wrong("jnp.linalg.norm(x)", "jax", {"x": [1e200, 1e200]}, _OVERFLOW),
)
