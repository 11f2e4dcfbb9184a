"""Functions of the elements of rows agree, whose last steps are vectors with a mask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    array,
    exp,
    fold,
    fold_max,
    fold_sum,
    function,
    log,
    set_num_threads,
    sin,
    tanh,
    where,
)
from tests.agreement.comparison import assert_call_agrees

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@function
def functions_of_rows(x):
    """Sums, extremes and elements, of rows shorter and longer than the vectors of a processor."""
    best = array(lambda i: fold_max(lambda j: exp(x[i, j])))
    total = array(lambda i: fold_sum(lambda j: where(j > 2, tanh(x[i, j]), 1.0)))
    counts = array(lambda i: fold_sum(lambda j: where(sin(x[i, j]) > 0.5, 1, 0)))
    falling = array(
        lambda i: fold(0.0, lambda j, acc: acc / 2.0 + exp(x[i, j]), count=x.size(1)),
        size=x.size(0),
    )
    return best, total, counts, falling, array(lambda i, j: log(abs(x[i, j])) * x[i, j] ** 2.5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rows_of_any_length(dtype: str) -> None:
    """No step is lost or taken twice, and NaN, infinities and ends are where they were."""
    for length in (0, 1, 2, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 64, 71, 100):
        x = np.random.default_rng(length).normal(size=(3, length)).astype(dtype) * 2
        if length > 4:
            x[0, -1], x[1, 0], x[2, -3] = np.nan, np.inf, -np.inf
        with np.errstate(all="ignore"):
            assert_call_agrees(functions_of_rows, [x], "native", TOLERANCE)


def test_rows_have_the_same_bits_on_any_thread() -> None:
    x = np.random.default_rng(0).normal(size=(5000, 13))
    found = list[Any]()
    try:
        for threads in (1, 2, 3, 7):
            set_num_threads(threads)
            found.append([np.asarray(each).tobytes() for each in functions_of_rows.native(x)])
    finally:
        set_num_threads()
    assert all(each == found[0] for each in found)
