"""Positions that are mirrored at an end: absolute values, and choices of choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold_sum, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def extended(x: Vec[Float]):
    """Both ends, by an absolute value and a choice."""
    n = x.size()

    def at(i: Any):
        i = abs(i)
        return x[where(i >= n, 2 * (n - 1) - i, i)]

    return array(lambda i: at(i - 3), size=n + 6)


@function
def doubled(x: Vec[Float]):
    """The values in reverse, and in order."""
    n = x.size()
    return array(lambda i: x[abs(i - n)], size=2 * n)


@function
def filtered(x: Vec[Float]):
    """A window with weights: absolute values of absolute values."""
    n = x.size()

    def at(i: Any):
        return x[n - 1 - abs(n - 1 - abs(i))]

    return array(lambda i: fold_sum(lambda k: x[k] * at(i + k - 2), count=5), size=n)


@function
def chosen(x: Vec[Float]):
    """A choice that a comparison takes apart, with another one beside it."""
    n = x.size()

    def at(i: Any):
        j = where(i < 2, 1 - i, i - 1)
        return where(j > n - 2, x[2 * j - n], x[j]) + x[i]

    return array(at, size=n + 2)


@function
def surface(x: Vec[Float]):
    """Two axes: faces, and the inner points."""
    n = x.size()
    a = array(lambda i, j: x[i] * x[j] - x[j], size=(n, n))

    def at(i: Any, j: Any):
        i, j = abs(i), abs(j)
        return a[where(i >= n, 2 * n - 2 - i, i), where(j >= n, 2 * n - 2 - j, j)]

    return array(
        lambda i, j: at(i - 1, j) + at(i + 1, j) + at(i, j - 1) - 3.0 * a[i, j], size=(n, n)
    )


@function
def doubled_distances(x: Vec[Float]):
    """A mirrored position with itself, as both operands of a sum, a product and a comparison."""

    def at(i: Any):
        p = abs(i - 2)
        return x[p + p] + x[p * p - p] + x[where(p + p > 5, p, p + p)]

    return array(at, size=x.size())


@function
def many(x: Vec[Float]):
    """More mirrors than cuts, and more choices in a position: these stay."""
    n = x.size()

    def at(i: Any):
        total, place = x[i], i
        for k in range(7):
            total = total + x[abs(i - k)]
            place = abs(place - k) + where(i >= 2 * k, 1, 0)
        return total - x[place]

    return array(at, size=n)


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (extended, doubled, filtered, chosen, surface, doubled_distances, many)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 3, 5, 9), name):
        x = np.random.default_rng(size).standard_normal(size).astype(dtype)
        assert_call_agrees(PROGRAMS[name], (x,), backend, {"float64": 1e-12, "float32": 1e-5})


@pytest.mark.parametrize("name", ["extended", "doubled", "surface"])
def test_parts_are_slices(name: str) -> None:
    """No part but a short one reads at positions in an array, in blocks of them."""
    assert "block_length(16)" not in PROGRAMS[name].source(np.ones(4))
