"""Scalars that two nested loops carry through all elements of a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, scan, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


def each(a: Any, init: Any, step: Callable[[Any, Any, Any], Any]) -> Any:
    """The state after the steps at all positions, row by row."""
    n, m = a.size(0), a.size(1)
    return fold(init, lambda i, s: fold(s, lambda j, s: step(i, j, s), count=m), count=n)


def sums(a: Any, b: Any) -> Any:
    return each(a, (1.0, 0.0), lambda i, j, s: (s[0] + a[i, j], s[1] + s[0] * a[i, j]))


def records(a: Any, b: Any) -> Any:
    """The largest element so far, and the number of its changes."""

    def step(i: Any, j: Any, s: Any) -> Any:
        is_better = a[i, j] > s[0]
        return where(is_better, a[i, j], s[0]), s[1] + where(is_better, 1, 0)

    return each(a, (0.2, 0), step)


def gaps(a: Any, b: Any) -> Any:
    """The number of the last step that a condition selects."""
    m = a.size(1)

    def step(i: Any, j: Any, s: Any) -> Any:
        t, is_taken = i * m + j, a[i, j] > 0.6
        return where(is_taken, t, s[0]), s[1] + where(is_taken, t - s[0], 0)

    return each(a, (0, 0), step)


def first(a: Any, b: Any) -> Any:
    def step(i: Any, j: Any, s: Any) -> Any:
        row, column, before = s
        is_first = (row < 0) & (a[i, j] > 0.5)
        return (
            where(is_first, i, row),
            where(is_first, j, column),
            where(row < 0, before + a[i, j], before),
        )

    return each(a, (-1, -1, 0.0), step)


def numbered(a: Any, b: Any) -> Any:
    def step(i: Any, j: Any, s: Any) -> Any:
        k, out = s
        x = where(a[i, j] > 0.5, k, -1)
        return k + where(a[i, j] > 0.5, 1, 0), array(
            lambda p, q: where((p == i) & (q == j), x, out[p, q])
        )

    return each(a, (0, array(lambda i, j: 0, size=a.shape)), step)


def packed(a: Any, b: Any) -> Any:
    """The selected elements, beside a value of each row."""

    def step(i: Any, j: Any, s: Any) -> Any:
        k, out = s
        is_taken, x = a[i, j] > 0.5, a[i, j] * b[i]
        return k + where(is_taken, 1, 0), array(lambda p: where(is_taken & (p == k), x, out[p]))

    return each(a, (0, array(lambda p: 0.0, size=a.size(0) * a.size(1))), step)


def in_comprehensions(a: Any, b: Any) -> Any:
    def total(q: Any) -> Any:
        def step(i: Any, j: Any, s: Any) -> Any:
            x = where(a[i, j] > b[q], a[i, j], 0.0)
            return s[0] + where(a[i, j] > b[q], 1, 0), s[1] + x * s[0].float()

        return each(a, (0, 0.0), step)[1]

    return array(total, size=b.size())


def triangle(a: Any, b: Any) -> Any:
    """As many steps as the outer loop has taken: not those of one loop."""

    def step(i: Any, j: Any, s: Any) -> Any:
        return s[0] + where(a[i, j] > 0.5, 1, 0), s[1] + where(a[i, j] > 0.5, s[0], 0)

    return fold(
        (0, 0),
        lambda i, s: fold(s, lambda j, s: step(i, j, s), count=i),
        count=a.size(0),
    )


def table(a: Any, b: Any) -> Any:
    """Sums of all rectangles from the first element on: scans of rows, then of columns."""
    n, m = a.size(0), a.size(1)
    rows = array(lambda i: scan(a[i], 0.0, lambda x, y: x + y))
    columns = array(lambda j, i: rows[i, j])
    s = array(lambda j: scan(columns[j], 0.0, lambda x, y: x + y))
    return array(lambda i, j: s[j, i] - s[(j + 1).clip(0, m - 1), (i - 2).clip(0, n - 1)])


def before_rows(a: Any, b: Any) -> Any:
    """The steps of a row have the state before it, too: that is no state of one loop."""
    n, m = a.size(0), a.size(1)

    def row(i: Any, s: Any) -> Any:
        return fold(s, lambda j, t: (s[0], t[1] + a[i, j]), count=m)

    def last(i: Any, s: Any) -> Any:
        return fold(s, lambda j, t: (t[0] + 1.0, s[1] - a[i, j]), count=m)

    return fold((1.0, 0.0), row, count=n), fold((0.5, 0.0), last, count=n)


PROGRAMS = {
    program.__name__: function(program)
    for program in (
        *(sums, records, gaps, first, numbered, packed),
        *(in_comprehensions, triangle, table, before_rows),
    )
}
NO_LOOPS = ["sums", "records", "gaps", "first", "numbered", "packed"]
SIZES = ((0, 2), (2, 0), (1, 1), (1, 3), (4, 3))


def arguments(size: tuple[int, int], dtype: str) -> list[Any]:
    rng = np.random.default_rng(sum(size))
    return [rng.random(size).astype(dtype), rng.random(size[0]).astype(dtype)]


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, SIZES, name):
        assert_call_agrees(PROGRAMS[name], arguments(size, dtype), backend, TOLERANCE)


@pytest.mark.parametrize("name", NO_LOOPS)
def test_no_loop_is_left(name: str) -> None:
    """But for blocks of arrays."""
    source = PROGRAMS[name].source(*arguments((4, 3), "float64"), backend="numpy")
    body = source.rpartition("\ndef ")[2]
    assert body.count("for ") == body.count("for start")
