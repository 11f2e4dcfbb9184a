"""Steps on native code that read elements backwards up to the step, and tables by diagonals."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, max, where
from tests.agreement.comparison import assert_agree


@function
def recursions(r, x, kind):
    """Steps that read what they replace backwards, up to the step, or within a widening band."""
    n = r.size()

    def reflect(m, a):
        k = r[m] - fold_sum(lambda j: a[j] * r[m - j], count=m)
        reflected = lambda j: a[j] + k * a[m - 1 - j]  # noqa: E731
        return array(lambda j: where(j < m, reflected(j), where(j == m, k, a[j])), size=n)

    def widen(t, v):
        inside = lambda j: (j >= n - t) & (j <= n + t)  # noqa: E731
        mean = lambda j: 0.5 * v[j] + 0.3 * v[j - 1] - 0.2 * v[j + 1]  # noqa: E731
        return array(lambda j: where(inside(j), mean(j), v[j]))

    def mirror(m, b):
        return array(lambda j: where(m < j, b[n - m - j], b[j + m]), size=n)

    grid = array(lambda j: x * (j - n).float(), size=2 * n + 1)
    a = fold(array(lambda j: kind, size=n), reflect, count=n)
    return a, fold(grid, widen, count=n), fold(r, mirror, count=n)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 8, 21])
def test_steps_that_read_backwards(size: int) -> None:
    arguments = np.random.default_rng(size).normal(size=size) / 4.0, 0.7, 0.5
    expected = recursions.eval(*arguments, backend="naive")
    assert_agree(recursions.eval(*arguments, backend="native"), expected, {"float64": 1e-12})


@function
def pairings(s):
    """A table of Ints by diagonals, each element the best of those to its left and below."""
    n = s.size()

    def diagonal(d, m):
        def cell(i, j):
            first = where((s[i] + s[j]) % 4 == 3, m[i + 1, j - 1] + 1, 0)
            best = lambda k, b: max(b, m[i, i + k] + m[i + k + 1, j])  # noqa: E731
            return fold(first, best, count=j - i)

        return array(lambda i, j: where(j - i == d + 1, cell(i, j), m[i, j]), size=(n, n))

    return fold(array(lambda i, j: 0, size=(n, n)), diagonal, count=n - 1)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_tables_by_diagonals(backend: str) -> None:
    for size in (1, 2, 3, 9):
        s = np.random.default_rng(size).integers(0, 4, size)
        assert_agree(pairings.eval(s, backend=backend), pairings.eval(s, backend="naive"), {})
