"""Searches among running values, for nearest steps, and fields that read the step before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    fold,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_min,
    function,
    where,
)
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

LEAST = -(2**63)
NUMBERS = np.array([0.0, -0.0, 1.5, -2.0, 1.5, np.inf, -np.inf, np.nan])


@function
def highest_sum(x: Vec[Float], k: Vec[Int]):
    """The largest running sum, its step, and what goes with it."""

    def step(i: Any, s: Any) -> Any:
        total, best, at, key = s
        total = total + x[i]
        better = total > best
        return total, where(better, total, best), where(better, i, at), where(better, k[i], key)

    return fold((0.0, -np.inf, -1, 7), step, count=x.size())


@function
def lowest_count(x: Vec[Float], k: Vec[Int]):
    """The last one of the smallest counts at a step with a condition."""

    def step(i: Any, s: Any) -> Any:
        at, count, best = s
        count = count + k[i]
        better = (count <= best) & (x[i] > 0.0)
        return where(better, i, at), count, where(better, count, best)

    return fold((-1, 0, 3), step, count=x.size())


@function
def drawdown(x: Vec[Float], k: Vec[Int]):
    """The largest fall from a peak, with the steps of both."""

    def step(i: Any, s: Any) -> Any:
        peak, top, worst, start, end = s
        up = x[i] > peak
        peak, top = where(up, x[i], peak), where(up, i, top)
        fall = peak - x[i]
        more = fall > worst
        return peak, top, where(more, fall, worst), where(more, top, start), where(more, i, end)

    return fold((-np.inf, 0, -1.0, 0, 0), step, count=x.size())


@function
def records(x: Vec[Float], k: Vec[Int]):
    """The number of records, and the gaps to the best value before: other fields read it."""

    def step(i: Any, s: Any) -> Any:
        best, count, gaps = s
        better = k[i] > best
        return where(better, k[i], best), where(better, count + 1, count), gaps + (best - k[i])

    return fold((-5, 0, 0), step, count=x.size())


@function
def changes(x: Vec[Float], k: Vec[Int]):
    """Differences to the values of the last two steps, whose first ones are given."""

    def step(i: Any, s: Any) -> Any:
        last, before, count, total = s
        return (
            x[i],
            last,
            count + ((last < 0.0) != (x[i] < 0.0)).int(),
            total + before * k[i].float(),
        )

    return fold((0.25, -2.0, 0, 0.0), step, count=x.size())


@function
def streaks(x: Vec[Float], k: Vec[Int]):
    """Sums that a factor sets back to zero, also one that depends on the sum."""

    def step(i: Any, s: Any) -> Any:
        run, most, left = s
        run = (run + k[i]) * (x[i] > 0.0).int()
        return run, where(run > most, run, most), (left + run - k[i]) * (left < 9).int()

    return fold((3, 0, 1), step, count=x.size())


@function
def totals(x: Vec[Float], k: Vec[Int]):
    """Values before and after each step, from starts that are no identities of their kinds."""
    n = x.size()

    def put(v: Any, i: Any, y: Any) -> Any:
        return array(lambda j: where(j == i, y, v[j]))

    def step(i: Any, s: Any) -> Any:
        a, b, c, d, e, befores, afters, lows, powers, rests = s
        befores, lows = put(befores, i, a), put(lows, i, c)
        a = a + where(k[i] > 0, 2, -3)
        b = b + x[i]
        c = ein.min(c, k[i])
        d = d * (1.0 + x[i])
        e = (e + k[i]) % 5
        afters, powers, rests = put(afters, i, b), put(powers, i, d), put(rests, i, e)
        return a, b, c, d, e, befores, afters, lows, powers, rests

    ints, floats = array(lambda i: 0, size=n), array(lambda i: 0.0, size=n)
    init = (5, -0.5, 1, 3.0, 2, ints, floats, ints, floats, ints)
    return fold(init, step, count=n)


@function
def flags(x: Vec[Float], k: Vec[Int]):
    """Literals that the first step with a condition on a running sum sets."""

    def step(i: Any, s: Any) -> Any:
        total, alive, both, dead, code, level, when = s
        total = total + x[i]
        return (
            total,
            alive & (total > -2.0),
            both & (total > -2.0) & (k[i] < 3),
            dead | (total > 2.0),
            where((code == 0) & (total > 2.0), 7, code),
            where((level < 0.0) & (total > 2.0), 0.5, level),
            where((when < 0) & (total > 2.0), i, when),
        )

    return fold((0.0, True, True, False, 0, -1.0, -1), step, count=x.size())


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f
    for f in (highest_sum, lowest_count, drawdown, records, changes, streaks, totals, flags)
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 9, 40), name):
        rng = np.random.default_rng(size)
        keys = rng.integers(-4, 5, size)
        for x in (rng.integers(-8, 8, size) / 4, rng.choice(NUMBERS, size)):
            assert_call_agrees(PROGRAMS[name], (x, keys), backend, {})


def test_flags_need_no_positions() -> None:
    """Whether a condition holds in all steps is no search for the first one."""
    program = function(
        lambda x: fold(
            (0.0, True), lambda i, s: (s[0] + x[i], s[1] & (s[0] + x[i] > -2.0)), count=x.size()
        )
    )
    body = program.source(np.ones(3), backend="numpy").rpartition("\ndef ")[2]
    assert ".all()" in body
    assert "arange" not in body


def test_searches_need_no_positions_of_all_steps() -> None:
    """The largest running sum is that of the array of all."""
    source = highest_sum.source(np.ones(3), np.ones(3, int))
    assert source.count("accumulate(") == 1
    assert "argmax" in source


@function
def nearest_less(x: Vec[Float], k: Vec[Int]) -> Any:
    """The last step before each one with a lesser element, and the first one behind it."""
    n = x.size()
    return (
        array(lambda i: fold_max(lambda j: where((j < i) & (x[j] < x[i]), j, -1))),
        array(lambda i: fold_min(lambda j: where((j > i) & (x[j] <= x[i]), j, n))),
        array(lambda i: fold(-7, lambda j, s: where((j <= i) & (x[j] < x[i]), j, s), count=n)),
    )


@function
def nearest_greater(x: Vec[Float], k: Vec[Int]) -> Any:
    """Distances to the nearest steps with greater elements, with several values for none."""
    n = x.size()
    return (
        array(lambda i: fold_min(lambda j: where((j > i) & (x[j] > x[i]), j - i, n))),
        array(lambda i: fold_min(lambda j: where((j < i) & (x[i] <= x[j]), i - j, 3))),
        array(lambda i: fold_max(lambda j: where((i < j) & (x[j] > 2.0 * x[i]), -j, LEAST))),
    )


@function
def nearest_of_ints(x: Vec[Float], k: Vec[Int]) -> Any:
    """Limits of other arrays at other bounds, in rows, and the same in the steps of a loop."""
    n = k.size()
    rows = array(
        lambda r, i: fold_max(lambda j: where((j < i) & (k[j] + r * j < k[i]), 2 * j, -1), count=n),
        size=(2, n),
    )
    bounds = array(lambda i: fold_max(lambda j: where((j < k[i]) & ~(k[j] > i), j, -2)))

    def step(_: Any, a: Any) -> Any:
        return array(lambda i: fold_min(lambda j: where((j >= i - 1) & (a[j] > a[i]), j, n)))

    return rows, bounds, fold(k, step, count=2)


NEAREST = [nearest_less, nearest_greater, nearest_of_ints]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", NEAREST)
def test_nearest_steps(program: Function[..., Any], backend: Any):
    rng = np.random.default_rng(4)
    for n in sizes_on(backend, (0, 1, 2, 9, 33)):
        arguments = rng.choice(NUMBERS, n), rng.integers(-2, n + 2, n)
        assert_call_agrees(program, arguments, backend, {})


@pytest.mark.parametrize("program", [nearest_less, nearest_greater])
def test_nearest_steps_take_few_rows(program: Function[..., Any]):
    """A table of all pairs would have an axis for the limits, and one for the steps."""
    source = program.source(np.ones(3), np.ones(3, int))
    assert "[:, None]" not in source.rpartition("\ndef ")[2]
    assert "np.fmin" in source or "np.fmax" in source


@function
def best_behind(x: Vec[Float], k: Vec[Int]) -> Any:
    """The first of the best elements from each step on, also with other values."""
    n = x.size()

    def best(i: Any) -> Any:
        def step(j: Any, s: Any) -> Any:
            most, at, key = s
            better = (j > i) & (x[j] > most)
            return where(better, x[j], most), where(better, j - i, at), where(better, k[j], key)

        return fold((0.5, -1, 7), step, count=n)

    least = array(lambda i: fold_argmin(lambda j: where(j >= i, k[j] % 3, 2**63 - 1)), size=n)
    first = array(lambda i: fold_argmax(lambda j: where(j >= i, x[j], -np.inf)), size=n)
    return first, array(best, size=n), least


@function
def best_at_distances(x: Vec[Float], k: Vec[Int]) -> Any:
    """Distances to the best elements in both directions, with several values beyond the ends."""
    n = x.size()
    is_high = array(lambda i: x[i] > 1.0)

    def first(step: int, c: int) -> Any:
        def is_found(i: Any, d: Any) -> Any:
            return (i + step * d < n) & (i + step * d >= c) & is_high[i + step * d]

        return array(lambda i: fold_argmax(lambda d: where(is_found(i, d), 1, 0), count=n), size=n)

    return (
        array(lambda i: fold_argmin(lambda d: where(i + d < n, x[i + d], np.inf), count=n), size=n),
        array(lambda i: fold_argmax(lambda d: where(d <= i, k[i - d], 1), count=n), size=n),
        array(lambda i: fold_argmax(lambda d: where(d <= i, x[i - d], -1.0), count=n), size=n),
        array(lambda i: fold_argmin(lambda d: where(i + d < n, k[i + d], 0), count=n + 3), size=n),
        first(1, 0),
        first(-1, 1),
        array(lambda i: fold_argmax(lambda j: where(j < k[i], x[j], x[i]), count=n), size=n),
    )


BEST = [best_behind, best_at_distances]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", BEST)
def test_best_elements_of_ranges(program: Function[..., Any], backend: Any):
    rng = np.random.default_rng(5)
    for n in sizes_on(backend, (0, 1, 2, 9)):
        arguments = rng.choice(NUMBERS, n), rng.integers(-2, 3, n)
        assert_call_agrees(program, arguments, backend, {})


@pytest.mark.parametrize("program", BEST)
def test_best_elements_are_found_without_a_loop(program: Function[..., Any]):
    source = program.source(np.ones(3), np.ones(3, int))
    assert "in range(size" not in source.rpartition("\ndef ")[2]
