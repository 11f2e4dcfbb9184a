"""Gradients of loops whose steps change parts of matrices: what a step leaves has its cotangent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, sqrt, value_and_grad, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

SIZES = [(0, 0), (1, 1), (2, 4), (6, 6)]
"""Of rows and columns: steps count the rows, so that some columns are out of bounds."""


def total(a: Any) -> Any:
    return fold_sum(lambda i: fold_sum(lambda j: a[i, j] * a[i, j] * (i + 2 * j).float()))


def factor(x: Any, k: Any) -> Any:
    """Columns from the diagonal on, which all later ones are computed from."""

    def column(j: Any, lower: Any) -> Any:
        rest = array(lambda i: x[i, j] - fold_sum(lambda q: lower[i, q] * lower[j, q], count=j))
        root = sqrt(rest[j] * rest[j] + 1.0)
        return array(lambda i, c: where((c == j) & (i >= j), rest[i] / root, lower[i, c]))

    return total(fold(array(lambda i, j: 0.0 * x[i, j]), column, count=x.size(0)))


def above(x: Any, k: Any) -> Any:
    """Elements of a column up to one that an Int gives, and of all others twice."""

    def column(j: Any, y: Any) -> Any:
        row = array(lambda i: x[i, j] * y[i, j] + y[i, k])
        return array(lambda i, c: where((c == j) & (i <= k), row[i] * row[j], y[i, c]))

    return total(fold(x, column, count=x.size(0)))


def kept(x: Any, k: Any) -> Any:
    """A choice between the old element and one at another place, also the other way round."""

    def step(j: Any, y: Any) -> Any:
        y = array(lambda i, c: where(c == k, where(i < j, y[i, c], y[j, c] * x[i, j]), y[i, c]))
        return array(lambda i, c: where((c == j) & (x[i, c] > 0.0), y[i, k], y[i, c]))

    return total(fold(x, step, count=x.size(0)))


def solved(x: Any, k: Any) -> Any:
    """A vector of which each step reads the elements before."""

    def row(i: Any, v: Any) -> Any:
        known = fold_sum(lambda j: where(j < i, x[i, j] * v[j], 0.0), count=x.size(1))
        return array(lambda j: where(j == i, (1.0 - known) / (2.0 + x[i, i] * x[i, i]), v[j]))

    v = fold(array(lambda i: 0.5 * x[i, 0]), row, count=x.size(0))
    return fold_sum(lambda i: v[i] * v[i] * (i + 1).float())


PROGRAMS = [factor, above, kept, solved]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_of_parts_agree(program: Any, backend: str) -> None:
    both, random = function(value_and_grad(program)), np.random.default_rng(5)
    for rows, columns in sizes_on(backend, SIZES):
        x = random.normal(size=(rows, columns))
        assert_call_agrees(both, (x, 1), backend, {"float64": 1e-9})


@pytest.mark.parametrize("k", [-3, 1, 9])
@pytest.mark.parametrize("program", [above, kept], ids=lambda each: each.__name__)
def test_places_out_of_bounds_have_no_elements(program: Any, k: int) -> None:
    both, x = function(value_and_grad(program)), np.random.default_rng(6).normal(size=(4, 4))
    assert_call_agrees(both, (x, k), "native", {"float64": 1e-9})


@pytest.mark.parametrize("program", [factor, above, solved], ids=lambda each: each.__name__)
def test_elements_that_no_step_reads_may_be_infinite(program: Any) -> None:
    both, x = function(value_and_grad(program)), np.random.default_rng(7).normal(size=(4, 4))
    x[0, 2] = np.inf
    assert_call_agrees(both, (x, 0), "native", {"float64": 1e-9})
