"""Loops over the elements at each distance from an index: the nearest one, and all up to an end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_all, fold_any, fold_max, fold_min, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
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


PROGRAMS = {
    program.__name__: function(program)
    for program in (rays, rays_of_rows, views, distances, totals, fields)
}
SIZES = ((1, 1), (2, 3), (3, 1), (5, 7))


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, SIZES, name):
        rng = np.random.default_rng(sum(size))
        x, y = rng.random(size).astype(dtype), np.round(rng.random(size[1]), 1).astype(dtype)
        for m in (2, 0, 6) if size[1] > 3 else (2,):
            assert_call_agrees(PROGRAMS[name], [x, y, m], backend, tolerance=TOLERANCE)


@pytest.mark.parametrize("name", ["rays", "rays_of_rows"])
def test_no_loop_over_distances(name: str) -> None:
    source = PROGRAMS[name].source(np.ones((5, 7)), np.ones(7), 2, backend="numpy")
    assert source.rpartition("\ndef ")[2].count("in range(size") == 0
