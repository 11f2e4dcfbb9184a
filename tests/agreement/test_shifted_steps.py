"""Loops over the elements at each distance from an index: the nearest one, and all up to an end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import array, fold, fold_all, fold_any, fold_max, fold_min, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def ray(j: Any, step: int, is_free: Any, value: Any, n: Any) -> Any:
    """Whether the first element on a ray is a source: by flags, of which one ends the ray."""

    def walk(k: Any, state: Any) -> Any:
        done, hit = state
        x = j + step * (k + 1)
        inside = (x >= 0) & (x < n)
        return done | (inside & ~is_free(x)), hit | (~done & inside & value(x))

    return fold((False, False), walk, count=n - 1)[1]


def rays(x: Any, y: Any, m: Any) -> Any:
    n = y.size()

    def along(step: int) -> Any:
        return array(lambda j: ray(j, step, lambda p: y[p] < 0.5, lambda p: y[p] > 0.7, n), size=n)

    return along(1), along(-1), along(2)


def rays_of_rows(x: Any, y: Any, m: Any) -> Any:
    h, w = x.size(0), x.size(1)

    def along(step: int) -> Any:
        def at(i: Any, j: Any) -> Any:
            return ray(j, step, lambda p: x[i, p] < 0.5, lambda p: x[i, p] > 0.7, w)

        return array(at, size=(h, w))

    def upwards(i: Any, j: Any) -> Any:
        return ray(i, -1, lambda p: x[p, j] < 0.5, lambda p: x[p, j] > 0.7, h)

    return along(1), along(-1), array(upwards, size=(h, w))


def views(x: Any, y: Any, m: Any) -> Any:
    """The number of elements up to the first one as high, and their sum, in both directions."""
    n = y.size()

    def view(i: Any, step: int) -> Any:
        def walk(k: Any, state: Any) -> Any:
            count, total, blocked = state
            p = i + step * (k + 1)
            inside = (p >= 0) & (p < n)
            sees = inside & ~blocked
            return (
                where(sees, count + 1, count),
                where(sees, total + y[p], total),
                blocked | (inside & (y[p] >= y[i])),
            )

        return fold((0, 0.0, False), walk, count=n)

    return array(lambda i: view(i, 1)), array(lambda i: view(i, -1))


def distances(x: Any, y: Any, m: Any) -> Any:
    """The distance to the nearest element, or another number, with bounds that are none of y."""
    n = y.size()

    def far(c: int, end: Any, none: Any) -> Any:
        def at(i: Any) -> Any:
            return fold_min(
                lambda k: where((i + k < end) & (y[i + k + c] > 0.5), k + c, none), count=n
            )

        return array(at, size=n)

    def back(i: Any) -> Any:
        return fold_min(lambda k: where((i - k > m) & (y[i - k] > 0.5), k, n), count=n)

    return far(0, n, n), far(1, n - 1, n), far(0, m, -1), far(2, n + m, 3), array(back, size=n)


def runs(x: Any, y: Any, m: Any) -> Any:
    """The number of steps up to a low element or the border, by one condition or another."""
    h, w = x.size(0), x.size(1)

    def at(i: Any, p: Any) -> Any:
        return x[i, ein.min(ein.max(p, 0), w - 1)]

    def by_flag(i: Any, j: Any) -> Any:
        def step(d: Any, state: Any) -> Any:
            count, goes_on = state
            goes_on = goes_on & (j + d < w) & (at(i, j + d) > 0.3)
            return count + where(goes_on, 1, 0), goes_on

        return fold((0, True), step, count=w)

    def by_border(i: Any, j: Any) -> Any:
        return fold_min(lambda d: where((j - d < 0) | (at(i, j - d) < 0.3), d, w), count=w)

    def either(i: Any, j: Any) -> Any:
        def is_low(d: Any) -> Any:
            ahead = (j + d < w) & (at(i, j + d) < 0.3)
            return ahead | ((j - d >= 0) & (at(i, j - d) > 0.9))

        return fold(-1, lambda d, s: where((s < 0) & is_low(d), d, s), count=w)

    return tuple(array(each, size=(h, w)) for each in (by_flag, by_border, either))


def firsts(x: Any, y: Any, m: Any) -> Any:
    """The distance to the first high element and its value, and of the last one by it."""
    n = y.size()

    def ahead(i: Any) -> Any:
        def step(d: Any, state: Any) -> Any:
            is_found, distance, value = state
            e = y[ein.min(i + d, n - 1)]
            is_first = ~is_found & (i + d < n) & (e > 0.7)
            return is_found | is_first, where(is_first, d, distance), where(is_first, e, value)

        return fold((False, m, 0.0), step, count=n)

    def most(i: Any) -> Any:
        return fold_max(lambda d: where((i + d < n) & (y[i + d] > 0.7), 2 * d - m, -7), count=n)

    def around(i: Any) -> Any:
        return fold_any(lambda k: (k < i) & (y[k] > 0.7) | (k > i + m) & (y[k] < 0.3), count=n)

    return array(ahead, size=n), array(most, size=n), array(around, size=n)


def totals(x: Any, y: Any, m: Any) -> Any:
    """Of all elements from an index on, or up to it, and of some of them."""
    n = y.size()
    return (
        array(lambda i: fold_max(lambda k: where(i + k < n, y[i + k], -1.0), count=n), size=n),
        array(lambda i: fold_sum(lambda k: where(k <= i, y[i - k], 0.0), count=n), size=n),
        array(lambda i: fold_sum(lambda k: where(i + k < n, y[i + k], 0.0), count=m), size=n),
        array(lambda i: fold_all(lambda k: where(i + k < n, y[i + k] <= y[i], True), count=n)),
        array(lambda i: fold_any(lambda k: (i - k >= 0) & (y[i - k] > 0.9), count=3), size=n),
        array(lambda i: fold_min(lambda k: where(i + k < m, y[k], 2.0), count=n), size=n),
    )


def fields(x: Any, y: Any, m: Any) -> Any:
    """Several totals of the same steps, and the first step of some."""
    n = y.size()

    def before(i: Any) -> Any:
        def step(k: Any, s: Any) -> Any:
            is_before = k <= i
            total, squares, most, first = s
            return (
                where(is_before, total + y[k], total),
                squares + where(is_before, y[k] * y[k], 0.0),
                where(is_before & (y[k] > most), y[k], most),
                where(is_before & (first < 0) & (y[k] > 0.5), k, first),
            )

        return fold((0.0, 0.0, 0.25, -1), step, count=n)

    def behind(i: Any) -> Any:
        found = fold(-1, lambda k, p: where((p < 0) & (k > i) & (y[k] > 0.5), k, p), count=n)
        return where(found >= 0, y[found], y[0])

    few = fold_all(lambda k: k <= m, count=n), fold_any(lambda k: k > m, count=n)
    return array(before, size=n), array(behind, size=n), few


def clipped(x: Any, y: Any, m: Any) -> Any:
    """Extremes, tests and searches whose steps repeat one another behind a clip, or before it."""
    n = y.size()

    def ahead(i: Any) -> Any:
        return fold_max(lambda k: y[ein.min(i + k, n - 1)] - y[ein.min(k + i, n - 1)] / 2, count=n)

    def search(i: Any) -> Any:
        return ein.fold_argmin(lambda k: y[ein.min(k, i)], count=n)

    def last(i: Any) -> Any:
        return fold(-1, lambda k, p: where(y[ein.max(k, i)] > 0.5, ein.max(k, i), p), count=n)

    def before(i: Any) -> Any:
        return fold_max(lambda k: y[ein.min(k, i - m)] * 2.0, count=n)

    return (
        array(lambda i: fold_min(lambda k: y[ein.min(k, i)], count=n), size=n),
        array(lambda i: fold_any(lambda k: y[ein.max(i - k, 0)] > 0.8, count=n), size=n),
        *(array(each, size=n) for each in (ahead, search, last, before)),
    )


def windows(x: Any, y: Any, m: Any) -> Any:
    """Combinations of a number of elements, fewer at an end, and of as many as an array has."""
    n, w = y.size(), x.size(0)

    def largest(i: Any) -> Any:
        return fold_max(lambda k: where(k <= i, y[i - k] * y[i - k], -1.0), count=m)

    def within(i: Any) -> Any:
        return fold_sum(lambda k: where((i - k >= 0) & (i - k < n - 1), y[i - k], 0.0), count=w)

    return (
        array(lambda i: fold_sum(lambda k: where(i + k < n, y[i + k], 0.0), count=w), size=n),
        array(largest, size=n),
        array(within, size=n + w),
    )


def means(x: Any, y: Any) -> Any:
    """The squares of moving means of as many elements as an array has."""
    count = y.size() - x.size() + 1
    means = array(
        lambda i: fold_sum(lambda k: y[i + k], count=x.size()) / x.size().float(), size=count
    )
    return fold_sum(lambda i: means[i] * means[i] * (i + 1).float())


PROGRAMS = {
    program.__name__: function(program)
    for program in [
        *(rays, rays_of_rows, views, distances, runs, firsts, totals, windows),
        *(clipped, fields),
    ]
}
MEANS = function(ein.value_and_grad(means, argnums=1))
SIZES = ((1, 1), (2, 3), (3, 1), (5, 7))


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, SIZES, name):
        rng = np.random.default_rng(sum(size))
        x, y = rng.random(size).astype(dtype), np.round(rng.random(size[1]), 1).astype(dtype)
        for m in (2, 0, 6) if size[1] > 3 else (2,):
            assert_call_agrees(PROGRAMS[name], [x, y, m], backend, tolerance=TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("width", [0, 1, 32, 33, 70])
def test_windows_of_few_and_of_many_elements(width: int, backend: str) -> None:
    rng = np.random.default_rng(width)
    x, y = rng.random((width, 1)), np.round(rng.random(50), 1)
    assert_call_agrees(PROGRAMS["windows"], [x, y, width], backend, tolerance=TOLERANCE)
    if width:
        arguments = [x[:, 0], rng.random(80)]
        assert_call_agrees(MEANS, arguments, backend, tolerance=TOLERANCE)


@pytest.mark.parametrize("name", ["rays", "rays_of_rows", "distances", "runs", "firsts"])
def test_no_loop_over_distances(name: str) -> None:
    source = PROGRAMS[name].source(np.ones((5, 7)), np.ones(7), 2, backend="numpy")
    assert source.rpartition("\ndef ")[2].count("in range(size") == 0
