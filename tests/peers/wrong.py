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
_FOUR = [1.0, 2.0, 3.0, 4.0]
_RANK_TWO = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
_OVERFLOW = "the squares overflow"
_UNDERFLOW = "the squares underflow"
_TANH = "1 - tanh(x)**2 has rounded to 0"
_SWAPPED = "the gradient by x is taken where y was written, not elsewhere"
_TRIANGLE = "only the lower triangle is read, but the gradient takes the whole matrix for it"
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
    Wrong(
        "torch.as_strided_scatter(x, y, (2,), (2,), 1)", "torch", {"x": [1.0, 2.0, 3.0, 4.0], "y": [5.0, 6.0]}, _SWAPPED
    ),
    Wrong(
        "F.gaussian_nll_loss(x, y, v, eps=0.7)", "torch", {"x": 1.0, "y": 2.0, "v": 0.5}, "v is at least eps, so flat"
    ),
    Wrong("torch.cholesky_solve(B, L)", "torch", {"B": [[1.0], [2.0]], "L": [[2.0, 3.0], [1.0, 2.0]]}, _TRIANGLE),
    Wrong("torch.cholesky_inverse(L)", "torch", {"L": [[2.0, 3.0], [1.0, 2.0]]}, _TRIANGLE),
    Wrong("jax.scipy.special.bessel_jn(x, v=0)", "jax", {"x": [0.008]}, "a recurrence that is unstable near 0"),
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


_AS_TRUTH = "JAX takes anything for a truth value or an axis"
_MODES = "JAX's SciPy knows NumPy's modes, and its NumPy those of SciPy"
_FULL = "PyTorch has no derivative of the vectors that complete a base, and says so only in its documentation"

ODD = {
    "math.prod(x)": "of a matrix, Python multiplies the rows",
    "jax.nn.gelu(x, 'tanh')": _AS_TRUTH,
    "jnp.var(x, False)": _AS_TRUTH,
    "jnp.std(x, False)": _AS_TRUTH,
    "scipy.linalg.pinv(A, atol": "the limits of singular values add up in SciPy, and are refused",
    "jax.lax.split(": "`jax.lax` has functions of its own, of which some are read",
    "torch.linalg.lstsq(A, B).residuals": "left empty by the driver that is used, which the documentation does not say",
    "torch.linalg.lstsq(A, x)[1]": "the same",
    "jax.lax.sort(": "its second argument is an axis",
    "jnp.argpartition(": "the order of the others is left open",
    "jax.scipy.linalg.qr(A, 'complete')": _MODES,
    "jnp.linalg.qr(A, mode='full')": _MODES,
    "torch.linalg.svd(A).U": _FULL,
    "svd(some=False).U": _FULL,
    "torch.svd(A, some=False).U": _FULL,
    "cho_factor(": "the other triangle holds whatever was there",
    "x.float()": "rounds to single precision, which is refused here",
    "F.poisson_nll_loss(x, y, False, False, 0.1, 0)": "0.1 stands for a truth value",
    "as_strided_scatter(": "wrong, see above",
    "cholesky_solve(": "wrong, see above",
    "cholesky_inverse(": "wrong, see above",
    "F.gaussian_nll_loss(x, y, v, eps=0.7": "wrong, see above",
    "bessel_jn(": "wrong near 0, see above",
}
"""Parts of texts derived from the catalogue's examples that a library takes but nobody means, or answers wrongly."""
