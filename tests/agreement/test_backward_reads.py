"""Steps on native code that read elements backwards up to the step, and tables by diagonals."""

from __future__ import annotations

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import array, fold, fold_max, fold_sum, function, max, where
from tests.agreement.comparison import assert_agree, assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


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


@function
def windows(x, w):
    """Windows that are read backwards: their sums, maxima, and a gradient of means of windows."""

    def mean(x, i):
        return fold_sum(lambda k: x[i + k], count=5) / 5.0

    def loss(x):
        return fold_sum(lambda i: mean(x, i) ** 2.0, count=x.size())

    def total(i):
        return fold_sum(lambda k: abs(x[i - k] - w[k]))

    def highest(i):
        return fold_max(lambda k: x[i + 7 - 2 * k], count=4)

    n = x.size()
    return array(total, size=n), array(highest, size=n), ein.grad(loss)(x)


@pytest.mark.parametrize("backend", BACKENDS)
def test_windows_that_are_read_backwards(backend: str) -> None:
    for size, width in sizes_on(backend, ((0, 2), (1, 1), (2, 3), (40, 0), (9, 4))):
        generator = np.random.default_rng(size)
        arguments = generator.normal(size=size), generator.normal(size=width)
        assert_call_agrees(windows, arguments, backend, {"float64": 1e-12})


@pytest.mark.parametrize("sign", [1, -1])
def test_windows_are_not_stored(sign: int) -> None:
    """Those that are read backwards are slices in the steps of a loop, as others are."""

    def sums(x):
        return array(lambda i: fold_sum(lambda k: x[i + sign * k], count=40), size=x.size())

    for backend in ("numpy", "jax"):
        source = function(sums).source(np.zeros(3), backend=backend)
        assert ("fold(40, " if backend == "jax" else "in range(40)") in source
        assert "strided(" not in source
