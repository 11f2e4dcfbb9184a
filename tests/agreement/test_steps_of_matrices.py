"""Steps that replace a matrix, then some rows and columns of it: loops overwrite the old one.

A row or a column of the old matrix that is read later is copied first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, fold_sum, function, max, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations

Matrix = Vec[Vec[Float]]
Pair = tuple[Matrix, Matrix]


@function
def row_of_both(a: Matrix, n: Int) -> Matrix:
    """A row is computed from the old matrix, after all of the new one."""

    def step(k: Int, m: Matrix) -> Matrix:
        x = array(lambda i, j: m[i, j] * 0.5 + 1.0)
        row = array(lambda j: m[k, j] + x[0, j])
        return array(lambda i, j: where(i == k, row[j], x[i, j]))

    return fold(a, step, count=n)


@function
def old_row(a: Matrix, n: Int) -> Matrix:
    """A row of the new matrix is one of the old, as a whole."""

    def step(k: Int, m: Matrix) -> Matrix:
        x = array(lambda i, j: m[i, j] * 0.5 + m[i, k])
        return array(lambda i: where(i == k + 1, m[max(k - 1, 0)], x[i]))

    return fold(a, step, count=n)


@function
def exchanged(a: Matrix, n: Int) -> Pair:
    def step(k: Int, s: Pair) -> Pair:
        m, w = s
        return (
            array(lambda i, j: where(j == k, m[i, j] + w[i, 0], w[i, j])),
            array(lambda i, j: where(j == k + 1, w[i, j] * 2.0, m[i, j])),
        )

    return fold((a, array(lambda i, j: a[i, j] + 1.0)), step, count=n)


@function
def shared_row(a: Matrix, n: Int) -> Pair:
    """Both next matrices have the rows of one."""

    def step(k: Int, s: Pair) -> Pair:
        m, w = s
        x = array(lambda i, j: where(j == k, m[i, 0] + 1.0, m[i, j]))
        return x, array(lambda i, j: x[i, j] + w[i, k])

    return fold((a, a), step, count=n)


@function
def old_column(a: Matrix, n: Int) -> Matrix:
    """The adjoint of an elimination: a column is cleared, and the old one is added to another."""

    def step(k: Int, m: Matrix) -> Matrix:
        t = array(lambda i, j: where(j == k, 0.0, m[i, j]))
        u = array(lambda i, j: t[i, j] + where(j < k, m[i, k] * m[k, j], 0.0))
        v = array(lambda i, j: where(j == n - 1 - k, u[i, j] + m[i, k], u[i, j]))
        sums = array(lambda j: v[k, j] + fold_sum(lambda q: v[q, j]) * 0.01)
        return array(lambda i, j: where(i == k, sums[j], v[i, j]))

    return fold(a, step, count=n)


@function
def out_of_bounds(a: Matrix, n: Int) -> Matrix:
    def step(k: Int, m: Matrix) -> Matrix:
        x = array(lambda i, j: where(j == k + 2, m[i, j] + m[i, k - 3], m[i, j]))
        return array(lambda i, j: where(i == k - 2, x[i, j] + m[k, j], x[i, j]))

    return fold(a, step, count=n)


@function
def two_matrices(a: Matrix, n: Int) -> Pair:
    """Rows of both are replaced after columns, of which each reads the other's old one."""

    def step(k: Int, s: Pair) -> Pair:
        m, w = s
        x = array(lambda i, j: where(j == k, m[i, j] + w[i, k], m[i, j] * 0.9))
        y = array(lambda i, j: where(j == k, w[i, j] - m[i, k], w[i, j] + x[i, 0]))
        return (
            array(lambda i, j: where(i == k, x[i, j] + y[i, j], x[i, j])),
            array(lambda i, j: where(i == k, y[i, j] * 0.5, y[i, j])),
        )

    return fold((a, array(lambda i, j: a[i, j] * 2.0)), step, count=n)


PROGRAMS = [
    row_of_both,
    old_row,
    exchanged,
    shared_row,
    old_column,
    out_of_bounds,
    two_matrices,
]


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(program: Any, backend: str, dtype: str) -> None:
    for n, m in ((0, 0), (1, 1), (2, 3), (5, 5), (4, 2)):
        matrix = np.random.default_rng(n).random((n, m)).astype(dtype)
        assert_call_agrees(program, (matrix, n), backend, {"float64": 1e-12, "float32": 1e-5})
