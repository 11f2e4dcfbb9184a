"""Minima and maxima of several operands, which native programs test for NaN at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, compile, fold, fold_max, fold_min, fold_sum, function
from ein_mlir import max as maximum
from ein_mlir import min as minimum

pytest.importorskip("llvmlite")

VALUES = (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, np.inf, -np.inf)


@function
def of_rows(x: Vec[Vec[Float]]) -> Any:
    """Trees with constants, one of them no number, and windows."""

    def element(i: Any) -> Any:
        a, b, c, d, e = (x[i, k] for k in range(5))
        least = minimum(minimum(a, b), c)
        middle = maximum(maximum(minimum(a, 1.0), 0.0), minimum(minimum(b, c), d))
        bounded = minimum(maximum(minimum(a, float("inf")), b), minimum(maximum(c, d), e))
        none = minimum(minimum(a, b), float("nan"))
        row = fold_min(lambda k: x[i, k], count=5), fold_max(lambda k: x[i, k], count=5)
        return least, least + middle, bounded, none, row

    return array(element, size=x.size(0))


@function
def of_steps(x: Vec[Vec[Float]]) -> Any:
    """Trees that a loop carries, reduces, adds up, or stores."""
    n = x.size(0)

    def least(i: Any) -> Any:
        return minimum(minimum(x[i, 0], x[i, 1]), x[i, 2])

    def kept(i: Any, u: Any) -> Any:
        return array(lambda k: minimum(u[k], maximum(maximum(x[i, k], x[i, k + 1]), x[i, k - 1])))

    carried = fold(0.0, lambda i, s: minimum(least(i), maximum(s + x[i, 3], x[i, 4])), count=n)
    stored = fold(array(lambda k: 5.0, size=5), kept, count=n)
    return carried, fold_min(least, count=n), fold_sum(lambda i: least(i) * 0.5, count=n), stored


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [0, 1, 2, 7, 19])
def test_values(size: int, dtype: str) -> None:
    rng = np.random.default_rng(size)
    for missing in (0.0, 0.1, 0.5):
        x = rng.choice(VALUES, (size, 5)).astype(dtype)
        x[rng.random(x.shape) < missing] = np.nan
        for program in (of_rows, of_steps):
            text = str(program.phi(x))
            expected = compile(text, backend="naive")(x)
            for a, b in zip(compile(text, backend="native")(x), expected, strict=True):
                np.testing.assert_array_equal(a, b)
