"""Counts of the elements for which conditions hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, where, wrap
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations


@function
def counts(x: Any) -> Any:
    ints = fold_sum(lambda i, j: where(x[i, j] > 0.0, 1, 0))
    floats = fold_sum(lambda i, j: where((x[i, j] > 0.0) & (x[i, j] < 1.0), 1.0, 0.0))
    bools = fold_sum(lambda i, j: (x[i, j] != x[j, i]).int())
    others = fold_sum(lambda i, j: where(x[i, j] > 0.25, 2, 0))
    rows = array(lambda i: fold_sum(lambda j: where(x[i, j] > 0.5, 1, 0)))
    return ints, floats, bools, others, rows


@function
def along_axes(x: Any) -> Any:
    columns = array(lambda j: fold_sum(lambda i: where(x[i, j] > 0.5, 1.0, 0.0)))
    pairs = array(lambda i, j: fold_sum(lambda k: where(x[i, k] < x[j, k], 1, 0)))
    return columns, pairs


@function
def in_steps(x: Any) -> Any:
    def step(k: Any, v: Any) -> Any:
        number = fold_sum(lambda i: where(v[i] > 0.0, 1.0, 0.0))
        return array(lambda i: v[i] - number * 0.25)

    return fold(array(lambda i: x[i, i]), step, count=3)


PROGRAMS = {"counts": counts, "along axes": along_axes, "in steps": in_steps}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in (0, 1, 3, 8):
        x = np.random.default_rng(size).normal(size=(size, size)).astype(dtype)
        assert_call_agrees(PROGRAMS[name], (x,), backend, {"float64": 1e-12, "float32": 1e-5})


def test_calls_of_numpy() -> None:
    assert counts.source(np.ones((2, 2))).count("np.count_nonzero(") == 3


@pytest.mark.parametrize("size", [2**15 - 1, 2**15])
def test_many(size: int) -> None:
    """Counts in 16 bits end below 2^15."""
    rows = array(lambda i: fold_sum(lambda j: where(wrap(np.ones((1, size)))[i, j] > 0.5, 1, 0)))
    np.testing.assert_array_equal(rows.eval(), [size])
