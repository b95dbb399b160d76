"""What takes longer than a default run should: `pytest -m slow`."""

import gc

import numpy as np
import pytest

from gradcalc.derivatives import gradient
from gradcalc.engine import evaluate
from gradcalc.graph import _interned, variable

pytestmark = pytest.mark.slow


def test_a_chain_of_a_million_nodes_builds_differentiates_runs_and_is_freed():
    before = len(_interned)
    x = variable("x", ())
    y = x
    for _ in range(1_000_000):
        y = y * 1.0000001
    (slope,) = gradient(y, None, [x])
    np.testing.assert_allclose(evaluate([y, slope], {"x": np.float64(2.0)}), [2 * np.exp(0.1), np.exp(0.1)], rtol=1e-6)
    del x, y, slope
    gc.collect()
    assert len(_interned) <= before + 10
