"""Loops that end where a test of counters, or of sums and extremes so far, first fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import Float, Int, Vec, array, fold_all, fold_sum, fold_while, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

SIZES = (0, 1, 2, 7, 257, 600)


@function
def counters(x: Vec[Float], k: Vec[Int], level: Float, c: Int):
    """Up, down, by other numbers, with a limit; positions out of bounds clip."""
    n = x.size()
    return (
        fold_while(0, lambda i: (i < n) & (x[i] <= level), lambda i: i + 1),
        fold_while(3, lambda i: (n > i) & (x[i] != level), lambda i: i + 1),
        fold_while(n - 1, lambda i: (i >= 0) & (x[i] <= level), lambda i: i - 1),
        fold_while(0, lambda i: x[i] <= level, lambda i: i + 1, limit=n),
        fold_while(c, lambda i: (i < n) & ~(x[i] > level), lambda i: i + 3),
        fold_while((0, c), lambda s: (s[0] < n) & (k[s[1]] < 3), lambda s: (s[0] + 1, s[1] - c)),
        fold_while(0, lambda i: i * i < n, lambda i: i + 1, limit=5),
        fold_while(0, lambda i: (i < c % 50) & (x[i] < level), lambda i: i + 1),
    )


@function
def folded(x: Vec[Float], k: Vec[Int], level: Float, c: Int):
    """The other fields take the same steps."""
    n = x.size()

    def step(s: Any) -> Any:
        i, total, best, odd, v = s
        moved = array(lambda j: where(j == i % 3, v[j] + total, v[j]))
        return i + 1, total + k[i].float(), ein.max(best, x[i]), odd ^ (k[i] % 2 == 1), moved

    return fold_while(
        (0, 0.0, -1.0, False, array(lambda j: 0.0, size=3)),
        lambda s: (s[0] < n) & (x[s[0]] <= level),
        step,
    ), fold_while((0, 1), lambda s: k[s[0]] > 0, lambda s: (s[0] + 1, s[1] * 3 + s[0]), limit=n)


@function
def totals(x: Vec[Float], k: Vec[Int], level: Float, c: Int):
    """The condition reads sums, differences, products and extremes, before or after a step."""
    n = x.size()

    def step(s: Any) -> Any:
        return s[0] + 1, s[1] + k[s[0]], s[2] - k[s[0] + 1], ein.max(s[3], x[s[0]])

    start = (0, c, 40 * c, 0.0)
    return (
        fold_while(
            (0, 0), lambda s: (s[0] < n) & (s[1] <= c), lambda s: (s[0] + 1, s[1] + k[s[0]])
        ),
        fold_while(start, lambda s: (s[0] < n) & (s[1] < 60) & (s[2] > 0), step),
        fold_while(start, lambda s: (s[0] < n) & (x[s[0]] > s[3] - 2.0), step),
        fold_while((0, 1), lambda s: s[1] != 0, lambda s: (s[0] + 1, s[1] * k[s[0]]), limit=n),
        fold_while(start, lambda s: (s[3] < level) & (s[1] + s[2] > c), step, limit=n),
    )


@function
def conditions_with_loops(x: Vec[Float], k: Vec[Int], level: Float, c: Int):
    """A pattern in a text, and the sum of a part of a vector."""
    n = x.size()
    pattern = array(lambda j: k[n // 2 + j], size=3)
    return (
        fold_while(
            0,
            lambda p: (p + 3 <= n) & ~fold_all(lambda j: k[p + j] == pattern[j], count=3),
            lambda p: p + 1,
        ),
        fold_while(
            0,
            lambda p: (p < n) & (fold_sum(lambda j: x[j] * (j + p).float(), count=3) < level * 99),
            lambda p: p + 1,
        ),
        fold_while(0, lambda p: fold_sum(lambda j: k[j], count=p) < 50, lambda p: p + 1, limit=n),
    )


PROGRAMS = (counters, folded, totals, conditions_with_loops)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_conditions_of_last_steps(program: Any, size: int, backend: str) -> None:
    rng = np.random.default_rng(size)
    x = np.sort(rng.uniform(0.0, 1.0, size))
    levels = (0.5, 2.0, -1.0) if size < 9 else (0.97,)
    for level in levels:
        assert_call_agrees(
            program, (x, rng.integers(0, 4, size), level, 7), backend, {"float64": 1e-12}
        )


@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_special_numbers_end_searches(size: int) -> None:
    rng = np.random.default_rng(size)
    x = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1.0], size)
    k = rng.choice([2**62, -(2**63), 2**63 - 1, 0, 1], size)
    for c in (-5, 0, 2**63 - 1):
        for program in (counters, totals, folded):
            assert_call_agrees(program, (x, k, 1.0, c), "numpy", {})


def test_limits_that_are_negative_stay_errors() -> None:
    @function
    def limited(x: Vec[Float], n: Int):
        return fold_while(0, lambda i: x[i] < 0.5, lambda i: i + 1, limit=n)

    with pytest.raises(ValueError, match="negative"):
        limited(np.zeros(3), -1)
    assert limited(np.zeros(3), 300) == 300


def test_searches_test_blocks_of_steps() -> None:
    @function
    def first(x: Vec[Float]):
        return fold_while(0, lambda i: (i < x.size()) & (x[i] < 0.5), lambda i: i + 1)

    assert "argmin" in first.source(np.zeros(3))
