"""Ties, nan and sizes that overflow, in sorting and in reductions: what no random point meets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradcalc
from gradcalc import GradcalcError

NAN, INF = np.nan, np.inf


def gradient(text: str, x: Any, seed: Any = None) -> Any:
    x = np.array(x, float)
    return gradcalc.vjp(text, {"x": x}, np.ones_like(gradcalc.evaluate(text, {"x": x})) if seed is None else seed)["x"]


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("median(x)", [1, 2, 2, 3], [0, 0.5, 0.5, 0]),
        ("median(x)", [2, 2, 2], [1 / 3] * 3),
        ("torch.median(x)", [1, 2, 2, 3], [0, 0.5, 0.5, 0]),
        ("quantile(x, 0.5)", [5, 5, 1], [0.5, 0.5, 0]),
        ("torch.kthvalue(x, 1)[0]", [1, 1, 3], [0.5, 0.5, 0]),
        ("torch.mode(x)[0]", [2, 1, 2], [0, 0, 1]),
        ("cummax(x, 0)[0]", [2, 1, 2], [2, 0, 1]),
        ("np.maximum.accumulate(x)", [2, 2, 1], [1, 2, 0]),
        ("sort(x)[0]", [1, 1, 3], [1, 0, 0]),
        ("max(x, initial=2)", [1, 2], [0, 0.5]),
        ("std(x)", [3, 3, 3], [0, 0, 0]),
        ("torch.std(x)", [3, 3, 3], [0, 0, 0]),
        ("nanstd(x)", [3, NAN, 3], [0, 0, 0]),
        ("nanmedian(x)", [1, NAN, 4, 2], [0, 0, 0, 1]),
        ("nanmax(x)", [1, NAN, 4], [0, 0, 1]),
        ("nanmean(x)", [1, NAN, 4], [0.5, 0, 0.5]),
        ("mean(x, where=[True, False, True])", [1, NAN, 4], [0.5, 0, 0.5]),
        ("logcumsumexp(x, 0)[2]", [1000, 0, 1000], [0.5, 0, 0.5]),
        ("logcumsumexp(x, 0)[1]", [-INF, 0, 1], [0, 1, 0]),
        ("scipy.special.logsumexp(x, b=[1, 1, 0])", [1000, 1000, 2000], [0.5, 0.5, 0]),
        ("torch.norm(x, p=0)", [1, 0, 2], [0, 0, 0]),
        ("corrcoef(x)[0, 1]", [[1, 2, 4], [2, 4, 8]], np.zeros((2, 3))),
        ("prod(x, where=[True, False, True])", [0, 0, 5], [5, 0, 0]),
    ],
)
def test_derivatives_where_there_are_several(text: str, x: Any, expected: Any) -> None:
    np.testing.assert_allclose(gradient(text, x), expected, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("median(x)", [1, NAN, 4], NAN),
        ("quantile(x, 0.1)", [1, NAN, 4], NAN),
        ("torch.kthvalue(x, 2)[0]", [1, NAN, 4], 4),
        ("nanmedian(x)", [NAN, NAN], NAN),
        ("nanquantile(x, 0.5)", [NAN, NAN], NAN),
        ("nanmax(x)", [NAN, NAN], NAN),
        ("nansum(x)", [NAN, NAN], 0),
        ("nanvar(x, ddof=1)", [NAN, 2], NAN),
        ("var(x, ddof=3)", [1, 2], INF),
        ("sort(x)", [NAN, 1, -INF], [-INF, 1, NAN]),
        ("torch.sort(x, descending=True)[0]", [NAN, 1, 2], [NAN, 2, 1]),
        ("torch.sort(x, descending=True)[1]", [1, 2, 1], [1, 0, 2]),
        ("cummax(x, 0)[0]", [1, NAN, 3], [1, NAN, NAN]),
        ("torch.sum(x, dim=())", [1, 2], 3),
        ("np.sum(x, axis=())", [1, 2], [1, 2]),
        ("np.quantile(x, 0.5, method='nearest')", [1, 2, 3, 4], 3),
        ("jnp.quantile(x, 0.5, method='nearest')", [1, 2, 3, 4], 2),
        ("np.polymul([0, 1], x)", [1, 2], [1, 2]),
        ("jnp.polymul([0, 1], x)", [1, 2], [0, 1, 2]),
        ("jax.lax.cumsum(x)", [[1, 2], [3, 4]], [[1, 2], [4, 6]]),
        ("any(x)", [0, NAN], True),
    ],
)
def test_values_where_something_is_special(text: str, x: Any, expected: Any) -> None:
    np.testing.assert_array_equal(gradcalc.evaluate(text, {"x": np.array(x, float)}), expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("np.max(x, where=x > 0)", "needs `initial`"),
        ("torch.topk(x, 2, sorted=False)", "leaves the order open"),
        ("torch.topk(x, 9)", "cannot choose 9"),
        ("torch.kthvalue(x, 0)", "counts from 1"),
        ("np.quantile(x, 1.5)", "from 0 to 1"),
        ("np.quantile(x, 0.5, method='best')", "no method 'best'"),
        ("np.quantile(x, 0.5, weights=x)", "no argument `weights`"),
        ("np.gradient(x, 1, 2)", "takes one spacing or 1"),
        ("np.gradient(x, [1, 2])", "3 coordinates"),
        ("np.gradient(x, edge_order=3)", "is 1 or 2"),
        ("np.poly([x, x])", "eigenvalues"),
        ("np.average(x, weights=[1, 2])", "do not fit"),
        ("searchsorted(x, 1, side='up')", "'left' or 'right'"),
        ("np.cumulative_sum([x, x])", "needs an `axis`"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(GradcalcError, match=message):
        gradcalc.evaluate(text, {"x": np.array([1.0, 2.0, 4.0])})
