"""Decompositions, systems of equations and norms of matrices, with NumPy's functions for whole matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

t = np.matrix_transpose


def _symmetric(a: Any) -> Any:
    return (a + t(a)) / 2


def _by_matrix(function: Any) -> Any:
    """A function of one matrix as one of many."""

    def each(a: Any, *rest: Any) -> Any:
        if a.ndim == 2:
            return function(a, *rest)
        parts = [each(one, *rest) for one in a]
        return tuple(map(np.array, zip(*parts, strict=True))) if isinstance(parts[0], tuple) else np.array(parts)

    return each


# solving ----------------------------------------------------------------------------------------


class Named(tuple):
    """A tuple whose places also have names."""

    def __new__(cls, names: str, *values: Any) -> Named:
        made = super().__new__(cls, values)
        for name, value in zip(names.split(), values, strict=True):
            setattr(made, name, value)
        return made


def _solve_vectors(a: Any, b: Any) -> Any:
    """One right side or several, as the number of axes says."""
    return (
        np.linalg.inv(a) @ b
        if b.ndim != a.ndim - 1 or b.shape != a.shape[:-1]
        else np.einsum("...ij,...j", np.linalg.inv(a), b)
    )


def _torch_solve(a: Any, b: Any, left: bool = True) -> Any:
    return _solve_vectors(a, b) if left else b @ np.linalg.inv(a)


def _scipy_solve(a: Any, b: Any, assume_a: str = "gen", transposed: bool = False) -> Any:
    return np.linalg.inv(a.T if transposed else a) @ b


def _part(a: Any, upper: bool, unit: bool) -> Any:
    part = np.triu(a, 1) if upper else np.tril(a, -1)
    return part + np.eye(a.shape[-1]) * (1 if unit else a)


def _solve_triangular(a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False) -> Any:
    part = _part(a, not lower, unit_diagonal)
    return np.linalg.inv(t(part) if trans in (1, "T") else part) @ b


def _torch_triangular(a: Any, b: Any, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    inverse = np.linalg.inv(_part(a, upper, unitriangular))
    return inverse @ b if left else b @ inverse


def _old_triangular(b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    part = _part(a, upper, unitriangular)
    return Named("solution cloned_coefficient", np.linalg.inv(t(part) if transpose else part) @ b, a)


def _pinv(a: Any, rcond: float = 1e-15, atol: float = 0.0) -> Any:
    return np.linalg.inv(t(a) @ a) @ t(a) if a.shape[-2] >= a.shape[-1] else t(a) @ np.linalg.inv(a @ t(a))


def _rank(a: Any, rtol: float, atol: float = 0.0) -> Any:
    values = np.sqrt(np.maximum(np.linalg.eigvalsh(t(a) @ a), 0))
    return np.sum((values > rtol * np.max(values, -1, keepdims=True)) & (values > max(atol, 1e-7)), -1)


def _torch_rank(a: Any, tol: float = 0.0, hermitian: bool = False, atol: float = 0.0, rtol: float = 0.0) -> Any:
    return _rank(_symmetric(a) if hermitian else a, rtol, max(tol, atol))


def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    column = b[..., None] if b.ndim == 1 else b
    x = _pinv(a) @ column
    residuals = np.sum((column - a @ x) ** 2, -2)
    values = np.sqrt(np.linalg.eigvalsh(t(a) @ a))[..., ::-1]
    rank = np.array(min(a.shape[-2:]))
    return Named("solution residuals rank singular_values", x[..., 0] if b.ndim == 1 else x, residuals, rank, values)


def _polyfit(x: Any, y: Any, deg: int, w: Any = None) -> Any:
    powers, w = np.stack([x**k for k in range(deg, -1, -1)], -1), np.ones(len(x)) if w is None else w
    return np.linalg.solve(t(powers) @ (w[:, None] ** 2 * powers), t(powers) @ np.diag(w**2) @ y)


def _scipy_lstsq(a: Any, b: Any, cond: Any = None) -> Any:
    x, residuals, rank, values = _lstsq(a, b)
    return x, residuals[0] if b.ndim == 1 else residuals, rank, values


# factors ----------------------------------------------------------------------------------------


def _cholesky(a: Any, upper: bool = False) -> Any:
    low = np.linalg.cholesky(_symmetric(a))
    return t(low) if upper else low


def _product(factor: Any, upper: bool = False) -> Any:
    part = np.triu(factor) if upper else np.tril(factor)
    return t(part) @ part if upper else part @ t(part)


def _pivots(a: Any) -> Any:
    a, found = np.array(a), []
    for k in range(min(a.shape)):
        best = max(range(k, len(a)), key=lambda i: abs(a[i, k]))
        found.append(best + 1.0)
        a[[k, best]] = a[[best, k]]
        for i in range(k + 1, len(a)):
            a[i] = a[i] - a[k] * (a[i, k] / a[k, k])
    return np.array(found)


def _exchanges(pivots: Any, rows: int) -> Any:
    order = list(range(rows))
    for k, other in enumerate(pivots.astype(int) - 1):
        order[k], order[other] = order[other], order[k]
    return np.eye(rows)[order].T


def _unpacked(packed: Any, pivots: Any) -> Any:
    rows, columns = packed.shape
    least = min(rows, columns)
    low = np.tril(packed, -1)[:, :least] + np.eye(rows, least)
    return Named("P L U", _exchanges(pivots, rows), low, np.triu(packed)[:least])


def _packed(a: Any) -> Any:
    """Both triangles by Doolittle's sums."""
    rows, columns = a.shape
    a = _exchanges(_pivots(a), rows).T @ a
    low, up = np.eye(rows, rows), np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            rest = a[i, j] - sum(low[i, k] * up[k, j] for k in range(min(i, j)))
            if j < i:
                low[i, j] = rest / up[j, j]
            else:
                up[i, j] = rest
    packed = np.tril(low, -1)
    return up + (packed[:, :columns] if rows >= columns else np.pad(packed, ((0, 0), (0, columns - rows))))


def _eliminated(a: Any) -> Any:
    up = np.array(a)
    for k in range(len(a)):
        for i in range(k + 1, len(a)):
            factor = up[i, k] / up[k, k]
            up[i, k:] -= factor * up[k, k:]
            up[i, k] = factor
    return up


def _lu(a: Any) -> Any:
    found = _by_matrix(lambda one: tuple(_unpacked(_packed(one), _pivots(one))))(a)
    return Named("P L U", *found)


def _lu_factor(a: Any) -> Any:
    return Named("LU pivots", *_by_matrix(lambda one: (_packed(one), _pivots(one)))(a))


def _lu_solve(packed: Any, pivots: Any, b: Any, left: bool = True, adjoint: bool = False) -> Any:
    p, low, up = _unpacked(packed, pivots)
    inverse = np.linalg.inv(p @ low @ up)
    inverse = inverse.T if adjoint else inverse
    return inverse @ b if left else b @ inverse


def _reflections(a: Any, tau: Any) -> Any:
    out = np.eye(len(a))
    for i, factor in enumerate(tau):
        v = np.concatenate([np.zeros(i), [1], a[i + 1 :, i]])
        out = out @ (np.eye(len(a)) - factor * np.outer(v, v))
    return out


def _householder(a: Any, tau: Any) -> Any:
    if a.ndim > 2:
        return np.array([_householder(one, factors) for one, factors in zip(a, tau, strict=True)])
    return _reflections(a, tau)[:, : a.shape[1]]


def _ormqr(a: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    q = _reflections(a, tau)
    q = q.T if transpose else q
    return q @ other if left else other @ q


def _qr(a: Any, mode: str = "reduced") -> Any:
    """With R from the normal equations: the examples hide its signs."""
    count = min(a.shape[-2:])
    first = a[..., :count]
    up = t(np.linalg.cholesky(t(first) @ first))
    q = first @ np.linalg.inv(up)
    if mode == "complete" and q.shape[-2] == q.shape[-1] + 1:
        squares = 1 - np.sum(q**2, -1, keepdims=True)  # of the one column that is missing, but for its sign
        r = np.concatenate([t(q) @ a, np.zeros((*a.shape[:-2], 1, a.shape[-1]))], -2)
        return Named("Q R", np.concatenate([q, np.sqrt(squares)], -1), r)
    return t(q) @ a if mode == "r" else Named("Q R", q, t(q) @ a)


def _torch_qr(a: Any, mode: str = "reduced") -> Any:
    return Named("Q R", np.zeros(0), _qr(a).R) if mode == "r" else _qr(a, mode)


def _scipy_qr(a: Any, mode: str = "full", check_finite: bool = True) -> Any:
    found = _qr(a, {"economic": "reduced", "full": "complete", "r": "reduced"}[mode])
    return (found.R,) if mode == "r" else found


def _orthonormal(a: Any) -> Any:
    return a @ np.linalg.inv(t(np.linalg.cholesky(t(a) @ a)))


def _polar(a: Any) -> Any:
    """By Newton's iteration on the square part."""
    w, v = np.linalg.eigh(t(a) @ a)
    if a.shape[-2] < a.shape[-1]:
        return t(_polar(t(a)))
    return a @ (v / np.sqrt(w)[..., None, :]) @ t(v)


def _expm(a: Any) -> Any:
    """By its series, of a 64th of it."""
    total = term = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    for k in range(1, 30):
        term = term @ a / 64 / k
        total = total + term
    return np.linalg.matrix_power(total, 64)


def _power(a: Any, exponent: float) -> Any:
    w, v = np.linalg.eig(a.astype(complex))
    return np.real(v @ np.diag(w**exponent) @ np.linalg.inv(v))


def _frechet(a: Any, e: Any, compute_expm: bool = True) -> Any:
    """By the series of A**k/k!, differentiated factor by factor."""
    powers = [np.eye(len(a))]
    for _ in range(30):
        powers.append(powers[-1] @ a)
    terms = (powers[i] @ e @ powers[k - 1 - i] / math.factorial(k) for k in range(1, 30) for i in range(k))
    along = sum(terms, np.zeros(a.shape))
    return (_expm(a), along) if compute_expm else along


def _sylvester(a: Any, b: Any, q: Any) -> Any:
    m, n = q.shape
    return np.linalg.solve(np.kron(a, np.eye(n)) + np.kron(np.eye(m), b.T), q.ravel()).reshape(m, n)


def _lyapunov(h: Any, c: Any) -> Any:
    return _sylvester(h, h, c)


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    return np.linalg.svd(_symmetric(a) if hermitian else a, full_matrices, compute_uv)


def _torch_svd(a: Any, some: bool = True, compute_uv: bool = True) -> Any:
    u, s, vh = np.linalg.svd(a, not some)
    return Named("U S V", u, s, t(vh))


def _completed(a: Any, by: str = "left") -> Any:
    if by == "qr":
        return np.linalg.qr(a, "complete")[0][..., a.shape[-1] :]
    u, s, vh = np.linalg.svd(a)
    return t(vh[..., s.shape[-1] :, :]) if by == "right" else u[..., s.shape[-1] :]


def _inverse_gaps(w: Any) -> Any:
    out = np.zeros((*w.shape, w.shape[-1]))
    for place in np.ndindex(out.shape):
        i, j = place[:-1], (*place[:-2], place[-1])
        out[place] = 1 / (w[j] - w[i]) if i != j else 0
    return out


# norms ------------------------------------------------------------------------------------------


def _matrix_norm(x: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    return np.linalg.norm(x, ord, tuple(dim), keepdim)


def _filled(rows: int, columns: int, entry: Any) -> Any:
    return np.array([[entry(i, j) for j in range(columns)] for i in range(rows)])


def _toeplitz(c: Any, r: Any = None) -> Any:
    r = c if r is None else r
    return _filled(len(c), len(r), lambda i, j: c[i - j] if i >= j else r[j - i])


def _hankel(c: Any, r: Any = None) -> Any:
    r = 0 * c if r is None else r
    return _filled(len(c), len(r), lambda i, j: c[i + j] if i + j < len(c) else r[i + j - len(c) + 1])


def _companion(a: Any) -> Any:
    return _filled(len(a) - 1, len(a) - 1, lambda i, j: -a[j + 1] / a[0] if i == 0 else float(i == j + 1))


def _convolution_matrix(a: Any, n: int, mode: str = "full") -> Any:
    return np.array([np.convolve(a, unit, mode) for unit in np.eye(n)]).T


FUNCTIONS = {
    "toeplitz": _toeplitz,
    "hankel": _hankel,
    "circulant": lambda c: _filled(len(c), len(c), lambda i, j: c[i - j]),
    "fiedler": lambda a: _filled(len(a), len(a), lambda i, j: abs(a[i] - a[j])),
    "companion": _companion,
    "leslie": lambda f, s: np.concatenate([f[None], np.concatenate([np.diag(s), np.zeros((len(s), 1))], 1)]),
    "convolution_matrix": _convolution_matrix,
    "torch.linalg.solve": _torch_solve,
    "solve_ex": lambda a, b, left=True: Named("result info", _torch_solve(a, b, left), 0),
    "inv_ex": lambda a: Named("inverse info", np.linalg.inv(a), 0),
    "scipy.linalg.solve": _scipy_solve,
    "solve_triangular": _solve_triangular,
    "torch.linalg.solve_triangular": _torch_triangular,
    "torch.triangular_solve": _old_triangular,
    "pinverse": _pinv,
    "pinv": lambda a, rcond=None, hermitian=False, rtol=None: _pinv(_symmetric(a) if hermitian else a),
    "torch.linalg.pinv": lambda a, atol=0, rtol=0, hermitian=False: _pinv(_symmetric(a) if hermitian else a),
    "jax.linalg.pinv": lambda a, rtol=None: _pinv(a),
    "rank_of": _rank,
    "torch.linalg.matrix_rank": _torch_rank,
    "jax.linalg.matrix_rank": lambda a, rtol=0.0: _rank(a, 0.0, rtol),
    "lstsq": _lstsq,
    "torch.linalg.lstsq": _lstsq,
    "scipy.linalg.lstsq": _scipy_lstsq,
    "polyfit": _polyfit,
    "signdet": lambda a: np.sign(np.linalg.det(a)),
    "cholesky": _cholesky,
    "cholesky_ex": lambda a, upper=False: Named("L info", _cholesky(a, upper), 0),
    "cholesky_solve": lambda b, factor, upper=False: np.linalg.inv(_product(factor, upper)) @ b,
    "cholesky_inverse": lambda factor, upper=False: np.linalg.inv(_product(factor, upper)),
    "cho_factor": lambda a, lower=False: (_cholesky(a, not lower), lower),
    "cho_solve": lambda told, b: np.linalg.inv(_product(told[0], not told[1])) @ b,
    "eliminated": _by_matrix(_eliminated),
    "pivots": _by_matrix(_pivots),
    "exchanges": lambda p, rows: _exchanges(p, rows) if p.ndim == 1 else np.array([_exchanges(i, rows) for i in p]),
    "lu": _lu,
    "torch.linalg.lu": _lu,
    "scipy.linalg.lu": lambda a, permute_l=False: (_lu(a).P @ _lu(a).L, _lu(a).U) if permute_l else _lu(a),
    "torch.linalg.lu_factor": _lu_factor,
    "torch.lu": _lu_factor,
    "lu_factor_ex": lambda a: Named("LU pivots info", *_lu_factor(a), 0),
    "scipy.linalg.lu_factor": lambda a: (_lu_factor(a).LU, _lu_factor(a).pivots - 1),
    "lu_unpack": _unpacked,
    "torch.linalg.lu_solve": _lu_solve,
    "torch.lu_solve": lambda b, packed, pivots: _lu_solve(packed, pivots, b),
    "scipy.linalg.lu_solve": lambda pair, b, trans=0: _lu_solve(pair[0], pair[1] + 1, b, True, trans != 0),
    "householder_product": _householder,
    "orgqr": _householder,
    "ormqr": _ormqr,
    "qr_signs": _by_matrix(lambda a: np.sign(np.diagonal(np.linalg.qr(a).R))),
    "orthonormal": _orthonormal,
    "triangular": lambda a: t(np.linalg.cholesky(t(a) @ a)),
    "qr": _qr,
    "torch.linalg.qr": _torch_qr,
    "torch.qr": lambda a, some=True: _qr(a, "reduced" if some else "complete"),
    "scipy.linalg.qr": _scipy_qr,
    "orthogonal_part": _polar,
    "nuclear_norm": lambda a: np.sum(np.sqrt(np.maximum(np.linalg.eigvalsh(t(a) @ a), 0)), -1),
    "scipy.linalg.polar": lambda a, side="right": (
        _polar(a),
        t(_polar(a)) @ a if side == "right" else a @ t(_polar(a)),
    ),
    "lyapunov": _lyapunov,
    "expm": _expm,
    "matrix_exp": _expm,
    "expm_frechet": _frechet,
    "solve_sylvester": _sylvester,
    "symmetric_eigenvalues": lambda a: np.linalg.eigh(_symmetric(a))[0],
    "eigvalsh": lambda a, half="L": np.linalg.eigvalsh(_symmetric(a), half),
    "eigenvectors": lambda a: np.linalg.eigh(_symmetric(a))[1],
    "eigh": lambda a, UPLO="L": np.linalg.eigh(_symmetric(a), UPLO),
    "eig_vectors": lambda a: np.linalg.eig(a)[1],
    "scipy.linalg.eigh": lambda a, lower=True, eigvals_only=False: np.linalg.eigh(_symmetric(a))[
        0 if eigvals_only else slice(2)
    ],
    "scipy.linalg.eigvalsh": lambda a, lower=True: np.linalg.eigvalsh(_symmetric(a)),
    "eigh_tridiagonal": lambda d, e, eigvals_only=False: np.linalg.eigh(np.diag(d) + np.diag(e, 1) + np.diag(e, -1))[
        0 if eigvals_only else slice(2)
    ],
    "jax.linalg.eigh": lambda a, symmetrize_input=True: np.linalg.eigh(_symmetric(a)),
    "jax.linalg.eigvalsh": lambda a: np.linalg.eigvalsh(_symmetric(a)),
    "jax.linalg.cholesky": lambda a, upper=False, symmetrize_input=True: _cholesky(a, upper),
    "sqrtm": lambda a: _power(a, 0.5),
    "left_vectors": lambda a: np.linalg.svd(a, False)[0],
    "right_vectors": lambda a: t(np.linalg.svd(a, False)[2]),
    "svd": _svd,
    "torch.svd": _torch_svd,
    "complement": _completed,
    "symmetry": lambda a, size: np.where(np.max(np.abs(a - t(a)), (-2, -1)) <= 1e-7 * np.asarray(size), 1.0, np.nan),
    "inverse_gaps": _inverse_gaps,
    "independent": lambda x, rtol: np.ones(x.shape[:-2]),
    "alike": lambda x, w, at_zero=False: x,
    "power_norm": lambda x, p, axis=None, keepdims=False: np.sum(np.abs(x) ** p, axis, keepdims=keepdims) ** (1 / p),
    "torch.linalg.matrix_norm": _matrix_norm,
}
