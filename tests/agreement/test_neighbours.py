"""Functions of indices that a comprehension needs at several offsets are computed once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, max, min, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def limited_diffusion(a: Any, c: Any) -> Any:
    """Fluxes of a Laplacian with a limiter, each stage a function of the language around Ein."""

    def laplacian(i: Any, j: Any) -> Any:
        return 4.0 * a[i, j] - (a[i + 1, j] + a[i - 1, j] + a[i, j + 1] + a[i, j - 1])

    def flux(i: Any, j: Any, di: int, dj: int) -> Any:
        slope = laplacian(i + di, j + dj) - laplacian(i, j)
        return where(slope * (a[i + di, j + dj] - a[i, j]) > 0.0, 0.0, slope)

    def element(i: Any, j: Any) -> Any:
        along = flux(i, j, 1, 0) - flux(i - 1, j, 1, 0)
        return a[i, j] - c[i, j] * (along + flux(i, j, 0, 1) - flux(i, j - 1, 0, 1))

    return array(element, size=(c.size(0), c.size(1)))


def in_steps(a: Any, c: Any) -> Any:
    """Positions from both ends, and of a loop's step."""
    n = c.size(0)

    def mean(i: Any, j: Any) -> Any:
        return (a[max(i, 0), j] * 0.5 + a[min(i + 1, n - 1), j].abs()).exp()

    return array(
        lambda i, j: mean(n - i, j) * mean(n - i - 2, j) + mean(i + j, j) - mean(i + j + 1, j),
        size=(n, c.size(1)),
    )


def of_sizes(a: Any, c: Any) -> Any:
    """A size that may be negative, and functions of an index alone."""

    def weight(i: Any) -> Any:
        return (i.float() * 0.25 - 1.0).sin()

    return array(
        lambda i: weight(i) * a[i, 0] - weight(i + 2) * weight(i + 3), size=max(c.size(0) - 2, 0)
    )


def distant(a: Any, c: Any) -> Any:
    """Offsets that are far apart, or wrap."""

    def root(i: Any) -> Any:
        return (c[i, 0].abs() + 0.5).sqrt() * a[i, 0]

    return array(lambda i: root(i) - root(i + 2**62 + 2**62) + root(i + 40), size=c.size(0))


def adjacent(a: Any, c: Any) -> Any:
    """Parts of a row that are as long as the offsets between them, or not; two rows of parts."""

    def gate(i: Any) -> Any:
        return 1.0 / (1.0 + (-c[0, i] * a[0, i]).exp())

    parts = array(lambda i: gate(i) * gate(i + 12) - gate(i + 24), size=12)
    apart = array(lambda i: gate(i) - gate(i + 30) + gate(i - 12), size=12)
    both = array(lambda i: gate(i) * gate(i + 3) - gate(i - 3), size=c.size(0))
    return parts, apart, both


def periodic(a: Any, c: Any) -> Any:
    """Slopes of a periodic array, limited."""
    n, m = c.size(0), c.size(1)

    def at(i: Any, j: Any) -> Any:
        return c[i % n, j % m]

    def slope(i: Any, j: Any) -> Any:
        left, right = at(i, j) - at(i - 1, j), at(i + 1, j) - at(i, j)
        return where(left * right > 0.0, min(left.abs(), right.abs()), 0.0)

    return array(lambda i, j: slope(i, j) - slope(i - 1, j) * slope(i, j + 2), size=(n, m))


def guarded(a: Any, c: Any) -> Any:
    """Guarded neighbours at positions that are clipped, in steps of a loop."""
    n = c.size(0)

    def before(row: Any, i: Any, k: int, least: int = 0) -> Any:
        return where(i >= k, row[max(i - k, least)], -2.5)

    def step(_: Any, row: Any) -> Any:
        def element(i: Any) -> Any:
            near = (-row[i].abs()).exp() + before(row, i, 1)
            return near * where(a[i, 0] > a[max(i - 2, 0), 0], before(row, i, 2), -2.5)

        return array(element, size=n)

    first = array(lambda i: c[i, 0])
    last = fold(first, step, count=3)
    return last, array(lambda i: before(first, i, 1, least=1) * before(first, i, 2), size=n)


PROGRAMS = {
    f.__name__: function(f)
    for f in (limited_diffusion, in_steps, of_sizes, distant, adjacent, periodic, guarded)
}


def arguments(n: int, dtype: str) -> tuple[Any, ...]:
    a, c = np.random.default_rng(n).normal(size=(2, n, n)).astype(dtype)
    return a, c


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for n in sizes_on(backend, (0, 1, 2, 7), name):
        assert_call_agrees(PROGRAMS[name], arguments(n, dtype), backend, TOLERANCE)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_stages_are_computed_once(backend: str) -> None:
    """Four fluxes need five Laplacians; the emitted code has one."""
    code = PROGRAMS["limited_diffusion"].source(*arguments(7, "float64"), backend=backend)
    assert code.rpartition("\ndef ")[2].count("4.0") == 1
