"""Sums of Ints over windows whose width is known when a program runs are differences of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_all, fold_any, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

SIZES = (0, 1, 2, 5, 9)
WIDTHS = (0, 1, 3, 12)
EXACT = {"float64": 0.0, "float32": 0.0}


@function
def moving_sum(x, w):
    """Positions beyond the end clip."""
    return array(lambda i: fold_sum(lambda k: x[i + k], count=w), size=x.size())


@function
def positive_neighbours(x, w):
    """A window that begins before its index, and a test."""
    return array(
        lambda i: fold_sum(lambda k: where(x[i + k - 2] > 0, 2, 0), count=w), size=x.size()
    )


@function
def box(x, w):
    """Two axes: rows of the window are sums, too."""
    height, width = x.size() // 2, 3

    def total(i, j):
        return fold_sum(lambda a, b: x[i + a] * x[j + b] + a + i, count=(w, w))

    return array(total, size=(height, width))


@function
def truths(x, w):
    """Numbers of tests as floats, and whether some or all tests of a window hold."""

    def of(i):
        share = fold_sum(lambda k: where(x[i + k] > 0, 2.0, 0.0), count=w) / 4.0
        some = fold_any(lambda k: x[i + k] % 5 == 0, count=w)
        return where(some | fold_all(lambda k: x[i + k] < 2**62, count=w), share, 0.0 - share)

    return array(of, size=x.size())


@function
def weighted(x, w):
    """Weights vary with the step alone: no sum of elements at ``i + k`` serves another window."""
    return array(lambda i: fold_sum(lambda k: x[i + k] * k, count=w), size=x.size())


@function
def repeated(x, w):
    """Windows in a loop around, from another start than 0."""

    def step(t, v):
        total = array(lambda i: fold(t, lambda k, s: s + v[i + k + 1], count=w), size=x.size())
        return array(lambda i: total[i] % 1001)

    return fold(x, step, count=3)


PROGRAMS = {
    each.__name__: each for each in (moving_sum, positive_neighbours, box, truths, weighted)
}
PROGRAMS["repeated"] = repeated
STAY = {"weighted"}


def arguments(size: int, width: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    return rng.integers(-9, 9, size) * 2**60 + rng.integers(-9, 9, size), width


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_agrees(name: str, backend: str, dtype: str) -> None:
    """Sums wrap, and windows may have no element."""
    del dtype
    for size in sizes_on(backend, SIZES, name):
        for width in WIDTHS if backend in ("numpy", "torch") else WIDTHS[1:3]:
            assert_call_agrees(PROGRAMS[name], arguments(size, width), backend, EXACT)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("width", [-1, -(2**63)])
def test_negative_width(name: str, width: int) -> None:
    with pytest.raises(ValueError, match="is negative"):
        PROGRAMS[name].eval(*arguments(5, width), backend="numpy")


@pytest.mark.parametrize("name", PROGRAMS)
def test_needs_sums_of_prefixes(name: str) -> None:
    source = PROGRAMS[name].source(*arguments(5, 3))
    assert ("scan(np.add" in source) == (name not in STAY), source
