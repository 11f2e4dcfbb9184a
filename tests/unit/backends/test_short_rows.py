"""Reductions along a last axis by the NumPy backend, which takes short rows column by column."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import array, fold_any, fold_max, fold_sum, function
from ein_mlir.backends.numpy.prelude import reduce_rows

FUNCTIONS = {"add": 0.0, "multiply": 1.0, "maximum": -np.inf, "minimum": np.inf}


@pytest.mark.parametrize("width", [0, 1, 2, 3, 5, 8, 9, 64, 65])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name: str, width: int) -> None:
    """Rows of any width, few or many, also of views and with infinities and NaN."""
    ufunc, rng = getattr(np, name), np.random.default_rng(width)
    for count in (0, 1, 700):
        x = rng.normal(size=(count, 2, width))
        if x.size:
            x.flat[:3] = np.inf, np.nan, -np.inf
        for each in (x, x.astype(np.float32), x[::-1], np.broadcast_to(x[:1], x.shape)):
            with np.errstate(all="ignore"):
                want = ufunc.reduce(each, axis=-1, initial=FUNCTIONS[name])
                found = reduce_rows(ufunc, each, FUNCTIONS[name])
            assert found.dtype == want.dtype
            np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)


def test_integers_and_truths() -> None:
    numbers = np.random.default_rng(0).integers(-9, 9, (400, 3))
    np.testing.assert_array_equal(reduce_rows(np.add, numbers, 0), numbers.sum(1))
    truths = numbers > 0
    np.testing.assert_array_equal(reduce_rows(np.logical_or, truths, False), truths.any(1))


def test_last_axes_are_rows() -> None:
    x = np.ones((4, 3))
    sums = function(lambda x: array(lambda i: fold_sum(lambda j: x[i, j])))
    columns = function(lambda x: array(lambda j: fold_sum(lambda i: x[i, j])))
    largest = function(lambda x: array(lambda i: fold_max(lambda j: x[i, j])))
    some = function(lambda x: array(lambda i: fold_any(lambda j: x[i, j] > 0.0)))
    assert "reduce_rows(np.add, x, 0.0)" in sums.source(x)
    assert "reduce_rows(np.maximum, x, -np.inf)" in largest.source(x)
    assert "reduce_rows(np.logical_or, " in some.source(x)
    assert "x.sum(axis=0)" in columns.source(x)
