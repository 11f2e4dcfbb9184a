"""Elements that steps read before they store others, as numbers of Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_argmax, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


@function
def moved(p: Any, q: Any) -> Any:
    """A number goes to element 1, and an element before that to the one of the step before."""
    n = p.size()

    def step(k: Any, state: Any) -> Any:
        v, w = state
        at = fold_argmax(lambda i: where(w[i] > 0.5, v[i], 9.0))
        new = array(lambda i: where(i == k - 1, v[p[k]], where(i == 1, 1.0, v[i])), size=n)
        return new, array(lambda i: w[k - 1] + 0.0 * v[at], size=n)

    return fold((array(lambda i: p[i].float()), q), step, count=n)


@pytest.mark.parametrize("backend", BACKENDS)
def test_backends(backend: str) -> None:
    for n in sizes_on(backend, (0, 1, 2, 6)):
        p = np.array([2, 4, 4, 1, 5, 0])[:n]
        q = np.array([0.0, 0.0, 1.0, 2.0, 3.0, 3.0])[:n]
        assert_call_agrees(moved, [p, q], backend, {"float64": 1e-12, "float32": 1e-5})
