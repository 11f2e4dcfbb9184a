"""Positions modulo the size of an axis, beside others, also of axes that are empty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, fold_sum, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def turned(a: Vec[Vec[Float]], p: Vec[Int], s: Int):
    """One position wraps around, another is clipped."""
    return array(lambda i, j: a[(i - s) % a.size(), p[j]], size=(a.size(), None))


@function
def scattered(a: Vec[Vec[Float]], p: Vec[Int], s: Int):
    """Both positions wrap around, and depend on elements."""
    n, m = a.shape
    return array(lambda i, j: a[(p[i] + j) % n, (p[j] * s) % m], size=(p.size(), p.size()))


@function
def chosen(a: Vec[Vec[Float]], p: Vec[Int], s: Int):
    """An element of each row; from the end, and in pairs."""
    n, m = a.shape
    return (
        array(lambda i: a[i, p[i] + s]),
        array(lambda i: a[n - 1 - p[i] % n, 0], size=3),
        array(lambda i: a[0, (p[i] % m) // 2], size=3),
    )


@function
def stepped(a: Vec[Vec[Float]], p: Vec[Int], s: Int):
    """Reads and an update in a loop."""
    v = array(lambda i: a[i, 0] + 1.0)
    n = v.size()

    def step(k: Any, u: Any):
        return array(lambda i: where(i == (p[k] + s) % n, u[i] + v[(s - k) % n], u[i]))

    return fold(v, step, count=3), fold_sum(lambda k: v[(p[k] * k) % n], count=p.size())


def inputs(rows: int, columns: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(rows)
    a = rng.standard_normal((rows, columns)).astype(dtype)
    return a, rng.integers(-9, 9, rows), -7 + rows


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (turned, scattered, chosen, stepped)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for rows, columns in sizes_on(backend, ((0, 3), (3, 0), (1, 1), (5, 4)), name):
        arguments = inputs(rows, columns, dtype)
        assert_call_agrees(PROGRAMS[name], arguments, backend, {"float64": 1e-12, "float32": 1e-5})


def test_only_positions_that_may_be_out_of_bounds_are_clipped() -> None:
    assert "in_bounds [0] : " in chosen.ir("yarr")
