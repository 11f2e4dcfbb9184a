"""Reductions along an axis between others, of elements beside a value of each column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, exp, fold, fold_argmax, fold_max, fold_sum, function, log
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations

TOLERANCE = {"float64": 1e-11, "float32": 1e-4}


def log_sums(x: Any, v: Any) -> Any:
    most = array(lambda b, j: fold_max(lambda i: x[b, i, j]))
    return array(
        lambda b, j: most[b, j] + log(fold_sum(lambda i: exp(x[b, i, j] - most[b, j])) + 0.1)
    )


def other_order(x: Any, v: Any) -> Any:
    sums = array(lambda j, b: fold_sum(lambda i: x[b, i, j]), size=(x.size(2), x.size(0)))
    return array(lambda b, j: fold_max(lambda i: exp(-(x[b, i, j] - sums[j, b]).abs())))


def leading_axis(x: Any, v: Any) -> Any:
    sums = array(lambda i, j: fold_sum(lambda b: x[b, i, j]))
    best = array(
        lambda j, i: fold_argmax(lambda b: x[b, i, j] * sums[i, j]), size=(x.size(2), x.size(1))
    )
    total = array(lambda j: fold_sum(lambda b, i: (x[b, i, j] - sums[i, j]).abs() * v[i]))
    return best, total


def in_steps(x: Any, v: Any) -> Any:
    def step(_: Any, a: Any) -> Any:
        most = array(lambda b, j: fold_max(lambda i: a[b, i, j]))
        return array(lambda b, i, j: exp(-(a[b, i, j] - most[b, j]).abs()) + v[i])

    return fold(x, step, count=3)


def of_a_transpose(x: Any, v: Any) -> Any:
    y = array(lambda j, i, b: x[b, i, j] + v[i], size=(x.size(2), x.size(1), x.size(0)))
    sums = array(lambda i, b: fold_sum(lambda j: y[j, i, b]))
    return array(
        lambda b, j: fold_sum(lambda i: (y[j, i, b] * sums[i, b]).abs()),
        size=(x.size(0), x.size(2)),
    )


PROGRAMS = {
    f.__name__: function(f) for f in (log_sums, other_order, leading_axis, in_steps, of_a_transpose)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 1, 3), (3, 4, 2)])
def test_backends(name: str, backend: str, dtype: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    v = np.random.default_rng(2).normal(size=shape[1]).astype(dtype)
    assert_call_agrees(PROGRAMS[name], (x, v), backend, TOLERANCE)


def test_log_sums_of_columns_are_one_call_of_torch() -> None:
    pytest.importorskip("torch")
    code = PROGRAMS["log_sums"].source(np.ones((2, 2, 2)), np.ones(2), backend="torch")
    assert "permute(" not in code.rpartition("\ndef ")[2]
