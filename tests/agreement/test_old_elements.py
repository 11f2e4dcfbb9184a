"""Steps that replace elements of a matrix, and then others by what the matrix was before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees

SIZES = [(0, 0), (1, 1), (5, 5), (2, 4), (4, 2)]
"""Of rows and columns: steps count the rows, so that some are out of bounds."""


def factors(a: Any) -> Any:
    """A column of a factor, whose diagonal is ones, and an element of the other one."""

    def column(j: Any, state: Any) -> Any:
        lower, d = state
        pivot = a[j, j] - fold_sum(lambda k: lower[j, k] * lower[j, k] * d[k], count=j) + 5.0

        def entry(i: Any, c: Any) -> Any:
            rest = a[i, j] - fold_sum(lambda k: lower[i, k] * lower[j, k] * d[k], count=j)
            kept = where((c == j) & (i == j), 1.0, lower[i, c])
            return where((c == j) & (i > j), rest / pivot, kept)

        return array(entry), array(lambda i: where(i == j, pivot, d[i]))

    zeros = array(lambda i: 0.0, size=a.size(0))
    return fold((array(lambda i, j: 0.0 * a[i, j]), zeros), column, count=a.size(0))


def by_old_rows(a: Any) -> Any:
    """A row of the step, and a column by sums over the rows before that."""

    def step(k: Any, x: Any) -> Any:
        new = array(lambda i, j: where(i == k, x[i, j] * 0.5, x[i, j]))
        return array(lambda i, j: where(j == k, fold_sum(lambda q: x[i, q] * new[i, j]), new[i, j]))

    return fold(a, step, count=a.size(0))


def both_ways(a: Any) -> Any:
    """The sums read what the step has replaced, and what it has not."""

    def step(k: Any, x: Any) -> Any:
        new = array(lambda i, j: where((i == k) & (j == k), 2.0, x[i, j]))
        sums = array(lambda i: fold_sum(lambda q: x[i, q] * x[k, q]) + x[i, k])
        return array(lambda i, j: where(j == k, sums[i] + new[i, k] + x[i, k], new[i, j]))

    return fold(a, step, count=a.size(0))


PROGRAMS = [factors, by_old_rows, both_ways]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_steps_that_read_old_elements_agree(program: Any, backend: str) -> None:
    compiled: Any = function(program)
    random = np.random.default_rng(5)
    for rows, columns in SIZES:
        a = random.normal(size=(rows, columns))
        assert_call_agrees(compiled, (a,), backend, {"float64": 1e-9})
