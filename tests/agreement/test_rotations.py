"""Neighbours around the end of an axis, by conditions, in folds and comprehensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_max, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def area(x: Any, y: Any) -> Any:
    """Neighbours by a choice of elements: after an index and before it, in either order."""
    n = x.size()

    def after(v: Any, i: Any) -> Any:
        return where(i + 1 < n, v[i + 1], v[0])

    def before(v: Any, i: Any) -> Any:
        return where(i != 0, v[i - 1], v[n - 1])

    return (
        fold_sum(lambda i: x[i] * after(y, i) - after(x, i) * y[i]),
        fold_max(lambda i: where(n - 1 == i, x[0], x[i + 1]) - before(x, i), count=n),
    )


def energy(x: Any, y: Any) -> Any:
    """Neighbours along two axes, also by positions and at corners."""
    n, m = x.size(), y.size()
    s = array(lambda i, j: x[i] - y[j] * 0.5)

    def pairs(i: Any, j: Any) -> Any:
        down, right = where(i == n - 1, 0, i + 1), where(j + 1 >= m, j + 1 - m, j + 1)
        up = where(j > 0, s[i, j - 1], s[i, m - 1])
        return s[i, j] * (s[down, j] + s[i, right] - s[down, right] + up)

    return fold_sum(pairs, count=(n, m))


def others(x: Any, y: Any) -> Any:
    """No rotations: counts and ends that are other ones."""
    n = x.size()
    return (
        fold_sum(lambda i: where(i + 1 < n, x[i + 1], x[0]), count=n + 1),
        fold_sum(lambda i: where(i + 2 < n, x[i + 1], x[0]), count=n),
        fold_sum(lambda i: where(i > 0, x[i - 1], x[n - 2]), count=n),
        fold_sum(lambda i: x[where(i <= n - 1, i + 1, 0)], count=n),
        fold_sum(lambda i: y[where(i < n - 1, i + 1, 0)], count=n),
    )


def in_steps(x: Any, y: Any) -> Any:
    """In the steps of a loop: a comprehension, a sum, and the counter of the loop itself."""
    n = x.size()

    def step(k: Any, v: Any) -> Any:
        total = fold_sum(lambda i: v[i] * where(i > 0, v[i - 1], v[n - 1]))
        ring = array(
            lambda i: where(i + 1 < n, v[i + 1], v[0]) + where(i > 0, v[i - 1], v[n - 1]), size=n
        )
        near = where(k + 1 < n, v[k + 1], v[0])
        return array(lambda i: ring[i] * 0.25 + (total * 0.01).sin() + near * 0.5)

    return fold(x, step, count=n)


def periods(x: Any, y: Any) -> Any:
    """Tables that are repeated along an axis, or both, and not to their end."""
    n, m = x.size(), y.size()
    table = array(lambda a, b: x[a] - y[b])
    return (
        array(lambda i: x[i] - y[i % m], size=n),
        array(lambda i, j: table[i % n, (j + 2) % m], size=(n + 3, 2 * m + 1)),
        array(lambda i, j: table[(i + n - 1) % n, j % m], size=(n, 3 * m)),
    )


PROGRAMS = {f.__name__: function(f) for f in (area, energy, others, in_steps, periods)}


def inputs(n: int, m: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return rng.standard_normal(n).astype(dtype), rng.standard_normal(m).astype(dtype)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for n in sizes_on(backend, (0, 1, 2, 7), name):
        m = n if name == "area" else (n + 3) % 8
        assert_call_agrees(PROGRAMS[name], inputs(n, m, dtype), backend, TOLERANCE)


def test_reads_in_folds_are_rotations() -> None:
    assert "rotated(" not in PROGRAMS["others"].source(*inputs(5, 5, "float64"))
    source = PROGRAMS["area"].source(*inputs(5, 5, "float64"))
    assert "np.where" not in source
