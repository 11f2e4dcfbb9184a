"""Tables whose steps store the number that all elements are before the loop outside of a range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, fold, function, max, min, where
from tests.agreement.comparison import assert_call_agrees

SIZES = (0, 1, 2, 7)
INF = float("inf")


def put(a: Any, p: Any, x: Any) -> Any:
    return array(lambda q: where(q == p, x, a[q]), size=a.size(0))


@function
def triangle(x: Any, w: Any) -> Any:
    """Rows of a table, with 0 before the diagonal, from the row below it."""
    n = x.size(0)

    def row(t: Any, before: Any) -> Any:
        i = n - 1 - t

        def cell(j: Any, own: Any) -> Any:
            both = where(j - 1 > i, before[j - 1], 0) + 2
            best = where(x[i] == x[j], both, max(before[j], own[j - 1]))
            return put(own, j, where(j < i, 0, where(j == i, 1, best)))

        return fold(array(lambda q: 0, size=n), cell, count=n)

    return fold(array(lambda q: 0, size=n), row, count=n)


@function
def band(x: Any, w: Any) -> Any:
    """A matrix in place, which two loops write an element of at a time, near the diagonal."""
    n = x.size(0)

    def cell(i: Any, j: Any, d: Any) -> Any:
        before = min(where(i > 0, d[i - 1, j], INF), where(j > 0, d[i, j - 1], INF))
        cost = abs(x[i] - x[j]).float() + where((i == 0) & (j == 0), 0.0, before)
        return where(abs(i - j) <= w, cost, INF)

    def row(i: Any, d: Any) -> Any:
        def step(j: Any, d: Any) -> Any:
            value = lambda p, q: where((p == i) & (q == j), cell(i, j, d), d[p, q])  # noqa: E731
            return array(value, size=(n, n))

        return fold(d, step, count=n)

    return fold(array(lambda p, q: INF, size=(n, n)), row, count=n)


@function
def bordered(x: Any, w: Any) -> Any:
    """Rows and a table with a border of other numbers, which bands are beside or reach."""
    n = x.size(0)

    def row(i: Any, before: Any) -> Any:
        def cell(shift: int) -> Callable[[Any, Any], Any]:
            def step(j: Any, own: Any) -> Any:
                best = min(before[j], before[j + 1] + 1, own[j] + 1) + abs(x[i] - x[j])
                return put(own, j + shift, where(abs(i - j) <= w, best, 99))

            return step

        start = array(lambda q: where(q == 0, i + 1, 99), size=n + 1)
        end = array(lambda q: where((q < n) & (q > 0), 99, i), size=n + 1)
        beside, over = fold(start, cell(1), count=n), fold(start, cell(0), count=n)
        until = fold(end, cell(1), count=n)
        return array(lambda q: beside[q] + over[q] - until[q], size=n + 1)

    tables = (bordered_table(x, w, shift) for shift in (0, 1))
    return fold(array(lambda q: q, size=n + 1), row, count=n), *tables


def bordered_table(x: Any, w: Any, shift: int) -> Any:
    n = x.size(0)

    def row(i: Any, d: Any) -> Any:
        def step(j: Any, d: Any) -> Any:
            value = where(abs(i - j) <= w, d[i, j] + x[i], 7)
            at = lambda p, q: (p == i + shift) & (q == j + shift)  # noqa: E731
            return array(lambda p, q: where(at(p, q), value, d[p, q]), size=(n + 1, n + 1))

        return fold(d, step, count=n)

    border = lambda p, q: where((p == 0) | (q == 0), p + q, 7)  # noqa: E731
    return fold(array(border, size=(n + 1, n + 1)), row, count=n)


@function
def written_again(x: Any, w: Any) -> Any:
    """All steps of the outer loop replace the same elements."""
    n = x.size(0)

    def row(i: Any, a: Any) -> Any:
        def step(j: Any, a: Any) -> Any:
            return put(a, j, where(j < i, 0, a[j] + x[i]))

        return fold(a, step, count=n)

    return fold(array(lambda q: 0, size=n), row, count=n)


@function
def others(x: Any, w: Any) -> Any:
    """Another number, other positions, and an initial array that is not one of equal numbers."""
    n = x.size(0)
    zeros: Any = array(lambda q: 0, size=n)

    def beside(k: Any, s: Any) -> Any:
        return put(s[0], k, where(k < w, 0, s[1])), s[1] + 1

    def table(start: Any, step: Callable[[Any, Any], Any]) -> Any:
        return fold(start, step, count=n)

    return (
        table(zeros, lambda k, a: put(a, k, where(k < w, 1, a[k - 1] + x[k]))),
        table(zeros, lambda k, a: put(a, x[k], where(k < w, 0, a[k] + x[k]))),
        table(zeros, lambda k, a: put(a, n - k, where(k < w, 0, a[k] + x[k]))),
        table(zeros, lambda k, a: put(a, 2 * k, where(k >= w, 0, x[k]))),
        table(x, lambda k, a: put(a, k, where(k < w, 0, a[k - 1] + x[k]))),
        table((zeros, 0), beside),
    )


@pytest.mark.parametrize("program", [triangle, band, bordered, written_again, others])
@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_backends(program: Function, backend: str) -> None:
    for size in SIZES:
        x = np.random.default_rng(size).integers(0, 4, size)
        for width in (-1, 0, 2, 9):
            assert_call_agrees(program, [x, width], backend, {"float64": 1e-12})
