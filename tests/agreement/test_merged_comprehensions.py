"""Comprehensions that read others at their own indices agree on all backends."""

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
    grad,
    min,
    set_num_threads,
    sqrt,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import combinations


@function
def running_moments(x):
    """The second array of a step reads the first one, and both arrays before."""

    def step(i, state):
        mean, square = state
        new = array(lambda j: mean[j] + (x[i, j] - mean[j]) / (i + 1).float())
        return new, array(lambda j: square[j] + (x[i, j] - mean[j]) * (x[i, j] - new[j]))

    zeros = array(lambda j: 0.0 * x[0, j])
    return fold((zeros, zeros), step, count=x.size(0))


@function
def moments_of_gradients(x):
    """Three arrays, one after another; the last one reads neighbours of the state."""

    def step(i, state):
        w, m, v = state
        g = array(lambda j: w[j + 1] - x[i, j])
        m = array(lambda j: 0.9 * m[j] + 0.1 * g[j])
        v = array(lambda j: 0.99 * v[j] + g[j] / 7.0)
        return array(lambda j: w[j - 1] - m[j] / (sqrt(v[j] * v[j]) + 1.0)), m, v

    zeros = array(lambda j: 0.0 * x[0, j])
    return fold((zeros, zeros, zeros), step, count=x.size(0))


@function
def equal_recurrences(x):
    """Each row has loops that carry equal arrays, and another value from them."""

    def row(i):
        start = array(lambda j: x[i, j])

        def changed(k, v):
            return array(lambda j: where(j == k, v[j] * 0.5 + v[(k - 1).max(0)], v[j]))

        def with_sum(k, state):
            v, total = state
            return changed(k, v), total + v[k]

        def with_largest(k, state):
            best, v = state
            return best.max(v[k] * v[k]), changed(k, v)

        total = fold((start, 0.0), with_sum, count=x.size(1))[1]
        best = fold((0.0, start), with_largest, count=x.size(1))[0]
        return total * best

    return array(row, size=x.size(0))


@function
def planes(x):
    """Of two axes, records, and neighbours of an array that is read at the indices as well."""
    pairs = array(lambda i, j: (x[i, j] / 3.0, sqrt(x[i, j] * x[i, j])))
    sums = array(lambda i, j: pairs[i, j][0] + pairs[i, j][1])
    differences = array(lambda i, j: sums[i, j] - sums[i, j - 1])
    return (
        pairs,
        sums,
        differences,
        array(lambda i, j: where(i > j, sums[i, j], pairs[j - 1, 0][0])),
    )


@function
def ends_of_recurrences(x):
    """Three arrays of one loop, which is written in each; one from another start."""

    def run(i, start):
        def step(t, state):
            low, level = state
            level = 0.5 * level + x[i, t]
            return min(low, level), level

        return fold((0.0, start), step, count=x.size(1))

    return (
        array(lambda i: run(i, 1.0)[0]),
        array(lambda i: sqrt(abs(run(i, 1.0)[1]))),
        array(lambda i: run(i, 2.0)[1]),
        array(lambda i: run(i, 1.0)[1] - run(i, 1.0)[0]),
    )


PROGRAMS = (
    running_moments,
    moments_of_gradients,
    planes,
    ends_of_recurrences,
    equal_recurrences,
)
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(program: Any, backend: str, dtype: str) -> None:
    for shape in ((4, 7), (7, 4), (1, 1), (3, 0), (0, 3)):
        x = np.random.default_rng(shape[1]).normal(size=shape).astype(dtype)
        assert_call_agrees(program, [x], backend, TOLERANCE)


@function
def inverse_products(x, y):
    """Elements may be equal: their difference is 0.0 in both orders, and the quotient infinite."""

    def total(i):
        inverses = fold_sum(lambda k: min(1.0 / ((x[i] - x[k]) * (y[i] - y[k])), 9.0))
        return inverses + fold_sum(lambda k: y[k] * (x[i] - x[k]))

    return array(total)


@pytest.mark.parametrize("backend", BACKENDS)
def test_differences_of_equal_elements(backend: str) -> None:
    values = [np.array([1.0, 1.0, 2.0]), np.array([1.0, 4.0, 2.0])]
    assert_call_agrees(inverse_products, values, backend, TOLERANCE)


@function
def softmax_of_rows(x):
    """The maximum, the sum, its inverse and the quotients of a row."""
    best = array(lambda i: fold_max(lambda j: x[i, j]))
    total = array(lambda i: fold_sum(lambda j: exp(x[i, j] - best[i])))
    inverse = array(lambda i: 1.0 / (total[i] + 1.0 / (1.0 + total[i])))
    return array(lambda i, j: exp(x[i, j] - best[i]) * inverse[i] + inverse[i])


@function
def clipped_rows(x):
    """Rows that a loop computes and the next one reads, and their lengths."""
    n = x.size(1).float() + 1.0
    mean = array(lambda i: fold_sum(lambda j: x[i, j]) / n)
    spread = array(lambda i: sqrt(fold_sum(lambda j: (x[i, j] - mean[i]) ** 2) / n) + 1.0)
    z = array(lambda i, j: min(1.0, (x[i, j] - mean[i]) / spread[i]))
    length = array(lambda i: sqrt(fold_sum(lambda j: z[i, j] ** 2)) + 1.0)
    return array(lambda i, j: z[i, j] / length[i]), length, mean


@function
def neighbours_of_rows(x):
    """Elements of other rows, of the whole vector of means, at the ends, and of the transpose."""
    mean = array(lambda i: fold_sum(lambda j: x[i, j]) / 3.0)
    below = array(lambda i, j: x[i, j] - x[i + 1, j] * mean[i])
    centred = array(lambda i, j: x[i, j] - mean[i - 1])
    ends = array(
        lambda i, j: sqrt(abs(x[i, j - 1] - x[i, j + 2])) * mean[i], size=(x.size(0), x.size(1))
    )
    turned = array(lambda i, j: x[i, j] * mean[j], size=(x.size(0), x.size(1)))
    wide = array(lambda i, j: x[i, j] + mean[i], size=(x.size(0), x.size(1) + 2))
    return mean, below, centred, ends, turned, wide


@function
def gradients_of_rows(x):
    """Sums of rows that all elements of a row need."""

    def loss(x):
        p = softmax_of_rows(x)
        return fold_sum(lambda i, j: p[i, j] * x[i, j])

    return grad(loss)(x)


@function
def rows_of_batches(x):
    """Of a batch: the first indices are two, and the rows of records."""
    batch = array(lambda b, i, j: x[i, j] + b.float(), size=(2, x.size(0), x.size(1)))
    best = array(lambda b, i: fold_max(lambda j: batch[b, i, j]))
    return array(lambda b, i, j: (batch[b, i, j] - best[b, i], sqrt(abs(batch[b, i, j]))))


ROWS = (softmax_of_rows, clipped_rows, neighbours_of_rows, gradients_of_rows, rows_of_batches)


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(ROWS))
def test_loops_over_the_same_rows(program: Any, backend: str, dtype: str) -> None:
    for shape in ((2, 7), (7, 2), (1, 1), (3, 0), (0, 3), (0, 0)):
        x = np.random.default_rng(shape[1]).normal(size=shape).astype(dtype)
        assert_call_agrees(program, [x], backend, TOLERANCE)


def test_rows_do_not_depend_on_threads() -> None:
    x = np.random.default_rng(0).normal(size=(300, 70))
    x[3, 5], x[7, 7], x[9] = np.nan, np.inf, -np.inf
    results = list[Any]()
    try:
        for threads in (1, 2, 3, 7):
            set_num_threads(threads)
            results.append(softmax_of_rows.native(x))
    finally:
        set_num_threads()
    for each in results[1:]:
        np.testing.assert_array_equal(each.view(np.int64), results[0].view(np.int64))
