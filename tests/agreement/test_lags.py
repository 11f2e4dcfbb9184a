"""Loops whose steps read the elements of steps long before them: blocks of steps at once."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import array, fold, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


def echoes(x: Any, y: Any, d: Any, e: Any) -> Any:
    """Sums with elements at two lags, which clip to the first one."""
    start = array(lambda i: 2.0 * x[i])

    def step(t: Any, y: Any) -> Any:
        value = x[t] + 0.5 * y[t - d] - where(t >= e, 0.25 * y[t - e], 0.0)
        return array(lambda i: where(i == t, value, y[i]))

    return fold(start, step)


def rows(x: Any, y: Any, d: Any, e: Any) -> Any:
    """The same for each row of an outer product, with a constant lag."""
    n = x.size()

    def row(i: Any) -> Any:
        def step(t: Any, z: Any) -> Any:
            value = where(t < 64, y[i] * x[t], z[t - 64] * y[i] + x[t])
            return array(lambda k: where(k == t, value, z[k]), size=n)

        return fold(array(lambda k: 0.0, size=n), step, count=n)

    return array(row, size=y.size())


def parts(x: Any, y: Any, d: Any, e: Any) -> Any:
    """Elements from one on that the step before counts, and a lag that varies with the step."""
    n = x.size()

    def later(t: Any, z: Any) -> Any:
        return array(lambda i: where(i == t + 3, z[t + 3 - d] + x[t], z[i]), size=n)

    def varying(t: Any, z: Any) -> Any:
        return array(lambda i: where(i == t, z[t - d - t % 2] + x[t], z[i]), size=n)

    zero = array(lambda i: x[i] * 0.5)
    return fold(zero, later, count=n - 3), fold(zero, varying, count=n)


def guarded(x: Any, y: Any, d: Any, e: Any) -> Any:
    """Comparisons with the longest of two lags, from either side, and with another one."""
    n = x.size()

    def plucked(t: Any, z: Any) -> Any:
        value = where(t < d, x[t], 0.5 * (z[t - d] + z[t - d + 1]))
        return array(lambda i: where(i == t, value, z[i]), size=n)

    def strict(t: Any, z: Any) -> Any:
        value = where(d >= t, x[t], 0.5 * z[t - d - 1]) - where(e <= t, 0.25 * z[t - e], x[t])
        return array(lambda i: where(i == t, value, z[i]), size=n)

    zero = array(lambda i: 0.0, size=n)
    return fold(zero, plucked, count=n), fold(zero, strict, count=n)


def optional(x: Any, y: Any, d: Any, e: Any) -> Any:
    """Writes under conditions: also on elements, which a lag gives or not."""
    n = x.size()

    def best(t: Any, z: Any) -> Any:
        better = (t >= d) & (z[t - d] + y[0] > z[t])
        return array(lambda i: where((i == t) & better, z[t - d] + y[0], z[i]), size=n)

    def kept(t: Any, z: Any) -> Any:
        return array(lambda i: where((i == t + 1) & (x[t] > 0.5), z[t + 1 - e] * 0.5, z[i]), size=n)

    return fold(x, best, count=n), fold(x, kept, count=n - 1)


def chained(x: Any, y: Any, d: Any, e: Any) -> Any:
    """Sums, maxima and disjunctions with an element at a lag: chains of many steps, or blocks."""
    n = x.size()

    def counted(t: Any, z: Any) -> Any:
        before = z[(t - d).clip(0, n - 1)]
        return array(lambda i: where((i == t) & (t >= d), z[t] + before, z[i]), size=n)

    def undone(t: Any, z: Any) -> Any:
        return array(lambda i: where(i == t, where(d <= t, z[t - d] + x[t], x[t]), z[i]), size=n)

    def largest(t: Any, z: Any) -> Any:
        return array(lambda i: where(i == t, ein.max(x[t] * y[1], z[t - e]), z[i]), size=n)

    def reached(t: Any, z: Any) -> Any:
        return array(lambda i: where((i == t + 1) & (t + 1 >= e), z[i] | z[i - e], z[i]), size=n)

    counts = fold(array(lambda i: 2**61 * (1 + i), size=n), counted, count=n)
    zero = array(lambda i: 0.0, size=n)
    sums, most = fold(zero, undone, count=n), fold(zero, largest, count=n)
    return counts, sums, most, fold(array(lambda i: x[i] > 0.9), reached, count=n - 1)


def near_chains(x: Any, y: Any, d: Any, e: Any) -> Any:
    """An element at a lag twice, as a factor, and under another condition."""
    n = x.size()

    def twice(t: Any, z: Any) -> Any:
        return array(lambda i: where(i == t, z[t - d] + where(z[t - d] > 1, 0.5, x[t]), z[i]))

    def less(t: Any, z: Any) -> Any:
        return array(lambda i: where(i == t, x[t] - where(t >= e, z[t - e], 0.0), z[i]), size=n)

    def some(t: Any, z: Any) -> Any:
        return array(lambda i: where((i == t) & (x[t] > 0.5), z[t - e] + x[t], z[i]), size=n)

    return fold(x, twice), fold(x, less, count=n), fold(x, some, count=n)


def in_turns(x: Any, y: Any, d: Any, e: Any) -> Any:
    """A lag for each step of a loop around."""
    n = x.size()
    lags = array(lambda k: where(k == 0, d, where(k == 1, e, 33)), size=3)

    def turn(k: Any, z: Any) -> Any:
        def step(t: Any, z: Any) -> Any:
            value = ein.max(z[t], z[t - lags[k]] + y[k])
            return array(lambda i: where((i == t) & (t >= lags[k]), value, z[i]), size=n)

        return fold(z, step, count=n)

    return fold(x, turn, count=3)


def from_a_lag(x: Any, d: Any) -> Any:
    """In each step, elements at a lag that is an element: differences may wrap."""

    def step(k: Any, v: Any) -> Any:
        moved = array(lambda i: where(i - d[k] >= 0, v[i - d[k]] * 0.5, v[i] + 1.0))
        return array(lambda i: where((d[k] + i < 5) & (i - d[k] > 0), moved[i + d[k]], moved[i]))

    return fold(x, step, count=d.size())


def from_a_sum(x: Any, d: Any) -> Any:
    """The same at a lag that the loop carries."""

    def step(k: Any, s: Any) -> Any:
        v, lag = s
        moved = array(lambda i: where(i - lag - d[0] >= 0, v[i - lag] + 1.0, v[i]), size=x.size())
        return moved, lag + d[k]

    return fold((x, d.size() * 0), step, count=d.size())[0]


GUARDED = guarded, optional, chained, near_chains, in_turns
PROGRAMS = {each.__name__: function(each) for each in (echoes, rows, parts, *GUARDED)}
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
LARGEST = 2**63 - 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_backends(name: str, backend: str) -> None:
    rng = np.random.default_rng(1)
    y = rng.random(2)
    sizes = (3, 64, 81), (30, 2, 1), (41, 3, 4), (130, 64, 81)
    for n, d, e in sizes_on(backend, sizes, name):
        arguments = [rng.random(n), y, d, e]
        assert_call_agrees(PROGRAMS[name], arguments, backend, TOLERANCE)
    x = rng.random(66)
    for d, e in (63, 200), (65, LARGEST), (33, 32):
        assert_call_agrees(PROGRAMS[name], [x, y, d, e], backend, TOLERANCE)
    for d, e in (31, 1), (1, 33), (0, 40), (LARGEST - 1, -1), (-LARGEST - 1, 36):
        assert_call_agrees(PROGRAMS[name], [x[:36], y, d, e], backend, TOLERANCE)


@pytest.mark.one_turn
def test_blocks() -> None:
    for name in PROGRAMS:
        source = PROGRAMS[name].source(np.ones(9), np.ones(2), 64, 81)
        assert re.search(r"= t\w+ // |\) // ", source.rpartition("\ndef ")[2]), name


def test_chains() -> None:
    for name, scans in {"chained": 4, "near_chains": 0}.items():
        source = PROGRAMS[name].source(np.ones(9), np.ones(2), 64, 81)
        assert source.count(".accumulate(") == scans, name


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [from_a_lag, from_a_sum])
def test_differences_that_wrap(program: Any, backend: str) -> None:
    f: Any = function(program)
    rng = np.random.default_rng(4)
    ordinary, wide = [-3, -1, 0, 1, 2, 5, 2**58, -(2**58)], [2**58 + 1, 2**62, LARGEST, -(2**63)]
    for n in sizes_on(backend, (0, 1, 2, 7)):
        for lags in ([], [0], [-(2**63) + 1], *rng.choice([*ordinary, *wide], (8, 3))):
            arguments = [rng.random(n), np.array(lags, np.int64)]
            assert_call_agrees(f, arguments, backend, TOLERANCE)
