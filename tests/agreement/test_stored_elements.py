"""Loops whose steps read the element that the step before stored, at ends of arrays and beside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, fold_min, function, max, min, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


def put(v: Any, p: Any, x: Any) -> Any:
    return array(lambda i: where(i == p, x, v[i]))


@function
def smoothed(x: Vec[Float], w: Float):
    """From the left, and back from the right."""
    n = x.size()
    x = fold(x, lambda i, x: put(x, i, x[i] + w * (x[i - 1] - x[i])), count=n)
    return fold(x, lambda k, x: put(x, n - 1 - k, x[n - 1 - k] - w * x[n - k]), count=n)


@function
def from_third(x: Vec[Float], first: Int):
    """From some element on, also one before the first or after the last; two before are read."""
    step = lambda k, x: put(x, k + first, x[k + first - 1] + 0.5 * x[k + first - 2])  # noqa: E731
    return fold(x, step, count=x.size())


@function
def fixed_ends(x: Vec[Float]):
    """A step reads its left neighbour, and both ends, which some steps store."""
    n = x.size()
    return fold(x, lambda i, x: put(x, i, x[i - 1] - 0.5 * x[0] + 0.25 * x[n - 1]), count=n)


@function
def chosen(x: Vec[Float], w: Float):
    """Steps that keep an element, and steps that store it twice."""

    def step(i: Any, s: Any):
        x, y = s
        v = max(x[i - 1], y[i]) * w
        return array(lambda k: where((k == i) & (v > 0.2), v, x[k])), put(y, i, y[i - 1] - x[i])

    return fold((x, x), step, count=x.size())


@function
def palindromes(x: Vec[Float]):
    """Lengths of common parts of a vector and its reverse, in two rows."""
    n = x.size()

    def row(t: Any, before: Any):
        i = n - 1 - t

        def element(j: Any, s: Any):
            row, diagonal = s
            same = abs(x[i] - x[j]) < 0.3
            best = where(same, diagonal + 2, max(before[j], row[j - 1]))
            best = where(j < i, 0, where(j == i, 1, best))
            return put(row, j, best), where(j < i, 0, before[j])

        return fold((array(lambda j: 0, size=n), 0), element, count=n)[0]

    return fold(array(lambda j: 0, size=n), row, count=n)


@function
def lowest(x: Vec[Float], k: Int):
    """Choices with limits at the ends of Ints, of which one is the carried least."""
    n = x.size()
    y = array(lambda i: (x[i] * 8.0).floor().int())

    def element(j: Any, row: Any):
        high = where(y[j] == 3, 2**63 - 1, y[j])
        v = where(y[j] > 5, high, where(y[j] < 2, -(2**63), min(row[j - 1] + k, y[j])))
        return put(row, j, v)

    return fold(array(lambda j: 7, size=n), element, count=n)


@function
def table(x: Vec[Float], y: Vec[Float]):
    n, m = x.size(), y.size()

    def cell(i: Any, j: Any, t: Any):
        v = where(x[i] < y[j], t[i, j] + 1, max(t[i, j + 1], t[i + 1, j]))
        return array(lambda p, q: where((p == i + 1) & (q == j + 1), v, t[p, q]))

    start = array(lambda i, j: 0, size=(n + 1, m + 1))
    return fold(start, lambda i, t: fold(t, lambda j, t: cell(i, j, t), count=m), count=n)


@function
def relaxed(u: Vec[Vec[Float]], f: Vec[Vec[Float]]):
    """Cells inside of a border, in place; a matrix of fewer rows than columns, or more."""
    n, m = u.size(0) - 2, f.size(1) - 2

    def cell(i: Any, j: Any, u: Any):
        v = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
        return array(lambda p, q: where((p == i) & (q == j), v, u[p, q]))

    row = lambda i, u: fold(u, lambda j, u: cell(i + 1, j + 1, u), count=max(m, 0))  # noqa: E731
    return fold(u, lambda t, u: fold(u, row, count=max(n, 0)), count=2)


@function
def relaxed_flat(u: Vec[Vec[Float]], f: Vec[Vec[Float]]):
    """The same with one counter; the number of rows, and their length, may be negative."""
    n, m = u.size(0) - 2, f.size(1) - 4

    def cell(k: Any, u: Any):
        i, j = k // m + 1, k % m + 1
        v = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
        return array(lambda p, q: where((p == i) & (q == j), v + 0.01 * k.float(), u[p, q]))

    return fold(u, lambda t, u: fold(u, cell, count=max(n * m, 0)), count=2)


@function
def relaxed_square(u: Vec[Vec[Float]]):
    n = u.size(0) - 2

    def cell(k: Any, u: Any):
        i, j = k // n + 1, k % n + 1
        v = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        return array(lambda p, q: where((p == i) & (q == j), v + 0.01 * k.float(), u[p, q]))

    return fold(u, cell, count=n * n)


@function
def intervals(x: Vec[Float], more: Int):
    """A table over intervals, one diagonal after the other; some begin beyond the end."""
    n = x.size()

    def length(k: Any, m: Any):
        def cell(i: Any, j: Any):
            cut = lambda c: m[i, i + c] + m[i + c + 1, j] + x[i] * x[j] - x[i + c]  # noqa: E731
            return where(j == i + k + more, fold_min(cut, count=k + 1), m[i, j])

        return array(cell, size=(n, n))

    return fold(array(lambda i, j: 0.0, size=(n, n)), length, count=n + 1)


TOLERANCE = {"float32": 1e-4, "float64": 1e-9}

PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f
    for f in (
        *(smoothed, from_third, fixed_ends, chosen, palindromes, lowest, table),
        *(relaxed, relaxed_flat, relaxed_square, intervals),
    )
}


def inputs(name: str, size: int) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(size)
    x = rng.random(size)
    match name:
        case "smoothed" | "chosen":
            return [(x, 0.75)]
        case "from_third":
            return [(x, 2), (x, -3), (x, size - 1)]
        case "intervals":
            return [(x, 1), (x, 0), (x, -2), (x, 2**62)]
        case "lowest":
            return [(x, 1), (x, -2), (x, 2**63 - 1)]
        case "table":
            return [(x, rng.random(size + more)) for more in (0, 1)] + [(x, x[:0])]
        case "relaxed_square":
            return [(rng.random((size, size + more)),) for more in (0, 1, 2)]
        case "relaxed" | "relaxed_flat":
            shapes = ((0, 0), (2, 2), (0, 3), (3, 1))
            u = [rng.random((size + a, size + b)) for a, b in shapes]
            return [(each, rng.random((size + 1, size + 2))) for each in u]
        case _:
            return [(x,)]


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 3, 7), name):
        for arguments in inputs(name, size):
            given = [
                each.astype(dtype) if isinstance(each, np.ndarray) else each for each in arguments
            ]
            assert_call_agrees(
                PROGRAMS[name], tuple(given), backend, {"float32": 1e-4, "float64": 1e-9}
            )


@function
def spread(x: Any) -> Any:
    """The last element, from one to the one before it."""
    last = x.size() - 1

    def shifted(k: Any, s: Any) -> Any:
        return put(s, last - 1 - k, s[last - k])

    return fold(x, shifted, count=last)


def test_elements_of_half_precision() -> None:
    """The value before a loop without steps has any type."""
    for size in (1, 2, 7):
        x = np.arange(size).astype(np.float16)
        np.testing.assert_array_equal(spread.native(x), np.full(size, x[-1]))
