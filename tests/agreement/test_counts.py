"""Counts of the elements for which conditions hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS


@function
def counts(x: Any) -> Any:
    ints = fold_sum(lambda i, j: where(x[i, j] > 0.0, 1, 0))
    floats = fold_sum(lambda i, j: where((x[i, j] > 0.0) & (x[i, j] < 1.0), 1.0, 0.0))
    bools = fold_sum(lambda i, j: (x[i, j] != x[j, i]).int())
    others = fold_sum(lambda i, j: where(x[i, j] > 0.25, 2, 0))
    rows = array(lambda i: fold_sum(lambda j: where(x[i, j] > 0.5, 1, 0)))
    return ints, floats, bools, others, rows


@function
def in_steps(x: Any) -> Any:
    def step(k: Any, v: Any) -> Any:
        number = fold_sum(lambda i: where(v[i] > 0.0, 1.0, 0.0))
        return array(lambda i: v[i] - number * 0.25)

    return fold(array(lambda i: x[i, i]), step, count=3)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [counts, in_steps], ids=["counts", "in steps"])
def test_values(program: Any, backend: str, dtype: str) -> None:
    for size in (0, 1, 3, 8):
        x = np.random.default_rng(size).normal(size=(size, size)).astype(dtype)
        assert_call_agrees(program, (x,), backend, {"float64": 1e-12, "float32": 1e-5})


def test_calls_of_numpy() -> None:
    assert counts.source(np.ones((2, 2))).count("np.count_nonzero(") == 3
