"""Extremes with one value in place of the elements that a comparison of the counter leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_all, fold_any, fold_max, fold_min, function, max, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

SIZES = (0, 1, 2, 7)
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@function
def subsequence(x: Any, p: Any) -> Any:
    n = p.size(0)

    def step(i: Any, d: Any) -> Any:
        most = fold_max(lambda k: where((k < i) & (p[k] < p[i]), d[k], 0), count=n)
        return array(lambda j: where(j == i, 1 + most, d[j]), size=n)

    return fold(array(lambda i: 0, size=n), step, count=n)


@function
def larger_than_elements(x: Any, p: Any) -> Any:
    n = p.size(0)
    return (
        array(lambda i: fold_max(lambda k: where(k < i, p[k], 9), count=n), size=n),
        array(lambda i: fold_min(lambda k: where(k > i, p[k], -9), count=n), size=n),
        array(lambda i: fold_min(lambda k: where(k >= i, p[k], -9), count=n), size=n),
        array(lambda i: fold_max(lambda k: where(k < p[i], p[k], 9), count=n)),
    )


@function
def floats(x: Any, p: Any) -> Any:
    """A NaN among the elements, or instead of them, and infinities."""
    n = x.size(0)
    return (
        array(lambda i: fold_max(lambda k: where(k < i, x[k], 0.0), count=n), size=n),
        array(lambda i: fold_max(lambda k: where(k > i, x[k], x[0]), count=n), size=n),
        array(lambda i: fold_min(lambda k: where((k <= i) & (x[k] > 0), x[k], x[i]), count=n)),
        array(lambda i: fold_min(lambda k: where(k <= i, x[k], 0.5), count=n), size=n),
    )


@function
def bools(x: Any, p: Any) -> Any:
    n = p.size(0)
    return (
        array(lambda i: fold_any(lambda k: where(k < i, p[k] > 3, p[i] > 4), count=n)),
        array(lambda i: fold_all(lambda k: where(k > i, p[k] > -2, p[i] > 0), count=n)),
        array(lambda i: fold_any(lambda k: where(k < i, p[k] > 3, True), count=n), size=n),
    )


@function
def other_counts(x: Any, p: Any) -> Any:
    n = p.size(0)

    def longer(i: Any, a: Any) -> Any:
        return a * 3 % 1001 + fold_max(lambda k: where(k < i, p[k] + a, 7), count=n + 2)

    def shorter(i: Any, a: Any) -> Any:
        return a * 3 % 1001 + fold(4, lambda k, b: max(b, where(k < i, p[k] + a, 7)), count=n - 1)

    return fold(0, longer, count=n + 1), fold(0, shorter, count=n)


PROGRAMS = [subsequence, larger_than_elements, floats, bools, other_counts]


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(program: Any, backend: str, dtype: str) -> None:
    for n in sizes_on(backend, SIZES, program.__name__):
        random = np.random.default_rng(n)
        x, p = random.normal(size=n).astype(dtype), random.integers(-5, n + 3, n)
        if n > 2:
            x[0], x[1], x[-1] = np.inf, np.nan, -np.inf
        assert_call_agrees(program, (x, p), backend, TOLERANCE)
