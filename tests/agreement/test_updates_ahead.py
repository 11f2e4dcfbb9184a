"""Steps that replace the first elements of an array, each by elements at or after it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, fold, function, max, min, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def pyramid(x, k):
    """Means of neighbours, in each step of one element less."""
    n = x.size(0)

    def level(t, q):
        def mean(i, j):
            later = q[min(i + 1, n - 1), j]
            return where(i < n - 1 - t, (q[i, j] + later) / 2.0, q[i, j])

        return array(mean, size=q.shape)

    return fold(x, level, count=max(n - 1, 0))


@function
def points(x, k):
    """The last of the means of one column, at any weight."""
    n = x.size(0)

    def point(w):
        def level(t, q):
            def later(i):
                return q[min(i + 1, n - 1)]

            def mean(i):
                return where(i < n - 1 - t, (1.0 - w) * q[i] + w * later(i), q[i])

            return array(mean, size=n)

        return fold(array(lambda i: x[i, 0]), level, count=max(n - 1, 0))[0]

    return array(lambda j: point(x[j, 1]), size=n)


@function
def halves(x, k):
    """Sums of pairs, and the steps in which a position is out of bounds."""
    n = x.size(0)
    column = array(lambda i: x[i, 0])

    def pairs(t, q):
        return array(lambda i: where(i < n - k * t, q[2 * i] + q[2 * i + 1], q[i]))

    return fold(column, pairs, count=4)


@function
def beyond(x, k):
    """Elements a number of positions after each, which may be before it."""
    n = x.size(0)
    column = array(lambda i: x[i, 0])
    return fold(
        column, lambda t, q: array(lambda i: where(i < n - t, q[i + k] + 1.0, q[i])), count=3
    )


@function
def next_rows(x, k):
    """Any columns of the next row."""

    def step(t, q):
        def mixed(i, j):
            return q[i + 1, j + k] - q[i, j]

        return array(lambda i, j: where(i < t, mixed(i, j), q[i, j]))

    return fold(x, step, count=x.size(0) + 2)


@function
def same_row(x, k):
    """Another column of the same row."""

    def step(t, q):
        return array(lambda i, j: where(i < t, q[i, j + k] - q[max(i, 0), j], q[i, j]))

    return fold(x, step, count=x.size(0))


PROGRAMS: dict[str, Function[..., Any]] = {
    each.__name__: each for each in (pyramid, points, halves, beyond, next_rows, same_row)
}
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for n, m in sizes_on(backend, [(5, 2), (1, 2), (0, 2), (8, 3)], name):
        x = np.random.default_rng(n).normal(size=(n, m)).astype(dtype)
        for k in (1, 0, -1, 3, 2**62):
            assert_call_agrees(PROGRAMS[name], (x, k), backend, TOLERANCE)


def test_elements_are_updated_in_order() -> None:
    """No second array: the loop over elements is one of updates."""
    loops = pyramid.ir("loops", np.ones((5, 2)), 1, backend="native")
    assert loops.count("memref.alloc") == 1
