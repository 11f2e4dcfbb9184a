"""Comprehensions that read others at their own indices agree on all backends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, min, sqrt, where
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


PROGRAMS = (running_moments, moments_of_gradients, planes)
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
