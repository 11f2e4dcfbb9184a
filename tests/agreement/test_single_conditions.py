"""Choices between arrays by one condition, which copy no element where Python can decide them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def restarted(a: Vec[Float], b: Vec[Float], n: Int):
    """A step begins with an argument, and updates the choice in place."""

    def step(k: Any, s: Any):
        base = array(lambda i: where(k == 2, a[i], s[i]))
        return array(lambda i: where(i == k, base[i] * 2.0 + 1.0, base[i]))

    return fold(b, step, count=n)


@function
def alternating(a: Vec[Float], b: Vec[Float], n: Int):
    """Carried arrays that may be one array, and an argument."""

    def step(k: Any, s: Any):
        x, y = s
        return (
            array(lambda i: where(k % 2 == 0, a[i], x[i])),
            array(lambda i: where(k % 3 == 0, x[i], y[i] + 1.0)),
        )

    return fold((b, b), step, count=n)


@function
def swept(a: Vec[Float], b: Vec[Float], n: Int):
    """The first step has no predecessor: 0 in its place."""

    def step(k: Any, s: Any):
        return array(lambda i: a[i] - where(k > 0, b[i] * s[i], 0.0))

    return fold(a, step, count=n)


@function
def by_argument(a: Vec[Float], b: Vec[Float], n: Int):
    """Arrays, an array and a number, two numbers, and arrays that are broadcast."""
    return (
        array(lambda i: where(n > 2, a[i], b[i])),
        array(lambda i: where(n > 2, a[i], 0.5)),
        array(lambda i: where(n > 2, 1, 0), size=a.size()),
        array(lambda i, j: where(n > 2, a[i], b[j])),
        array(lambda i, j: where(n > 2, a[i] + b[j], b[j])),
    )


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (restarted, alternating, swept, by_argument)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (0, 1, 5), name):
        rng = np.random.default_rng(size)
        a, b = (rng.standard_normal(size).astype(dtype) for _ in range(2))
        for n in (2, 5):
            tolerance = {"float64": 1e-12, "float32": 1e-5}
            assert_call_agrees(PROGRAMS[name], (a, b, n), backend, tolerance)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_python_chooses(backend: str) -> None:
    assert " if k > 0 else " in swept.source(backend=backend)
    assert "where(" not in swept.source(backend=backend)


def test_results_are_copies() -> None:
    a, b = np.ones(3), np.zeros(3)
    for result in (*by_argument.numpy(a, b, 3)[:2], *alternating.numpy(a, b, 1)):
        assert not np.shares_memory(result, a)
        assert not np.shares_memory(result, b)
