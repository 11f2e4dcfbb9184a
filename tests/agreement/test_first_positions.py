"""Loops that keep the first or the last value for which a condition holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_max, fold_min, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def last(x: Any, y: Any) -> Any:
    n = y.size()
    return (
        fold(-1, lambda i, s: where(y[i] > 0.5, i, s), count=n),
        fold(0.25, lambda i, s: where(y[i] > 0.5, y[i] * 2, s), count=n),
        fold((0, 0.5), lambda i, s: (where(y[i] < 0.5, i, s[0]), where(y[i] < 0.5, y[i], s[1]))),
    )


def first(x: Any, y: Any) -> Any:
    """From -1, from the number of steps, from a flag, and from a number that is taken again."""
    n = y.size()

    def pair(i: Any, s: Any) -> Any:
        is_first = (s[0] < 0) & (y[i] > 0.5)
        return where(is_first, i, s[0]), where(is_first, y[i], s[1])

    def flag(i: Any, s: Any) -> Any:
        return s[0] | (y[i] > 0.5), where(s[0] | ~(y[i] > 0.5), s[1], y[i])

    return (
        fold((-1, -1.0), pair, count=n),
        fold(n, lambda i, s: where((s == n) & (y[i] > 0.5), i, s), count=n),
        fold((False, -1.0), flag, count=n),
        fold(-1, lambda i, s: where((s < 0) & (y[i] > 0.2), i - 2, s), count=n),
        fold(-1.0, lambda i, s: where(s < 0, y[i] - 0.5, s), count=n),
    )


def from_then_on(x: Any, y: Any) -> Any:
    """Sums before the first step, and after it, and the position where a sum ends."""
    n = y.size()

    def step(i: Any, s: Any) -> Any:
        at, before, after = s
        is_before = at == n
        return (
            where(is_before & (y[i] > 0.5), i, at),
            where(is_before, before + y[i], before),
            where(at < n, after + y[i], after),
        )

    return fold((n, 0.0, 0.0), step, count=n)


def in_rows(x: Any, y: Any) -> Any:
    n, m = x.size(), x.size(1)

    def first(r: Any) -> Any:
        return fold(-1, lambda i, s: where((s < 0) & (x[r, i] > 0.5), i, s), count=m)

    def last(r: Any) -> Any:
        return fold(-1.0, lambda i, s: where(x[r, i] > 0.5, x[r, i], s), count=m)

    return array(first, size=n), array(last, size=n), array(lambda i: array(first, size=n)[i] + 1)


def extremes(x: Any, y: Any) -> Any:
    """Positions as minima and maxima, also of rows, and against numbers inside of the range."""
    n, m = x.size(), x.size(1)
    return (
        fold_min(lambda i: where(y[i] > 0.5, i, y.size())),
        fold_max(lambda i: where(y[i] > 0.5, i, -1)),
        fold_min(lambda i: where(y[i] > 0.5, i, 1)),
        fold_max(lambda i: where(y[i] > 0.5, i, 1)),
        array(lambda r: fold_min(lambda i: where(x[r, i] > 0.5, i, m)), size=n),
        array(lambda i: fold_max(lambda r: where(x[r, i] > 0.5, r, 0)), size=m),
    )


PROGRAMS = {
    program.__name__: function(program)
    for program in (last, first, from_then_on, in_rows, extremes)
}
SIZES = ((0, 0), (1, 1), (2, 3), (3, 1), (5, 7))


def arguments(size: tuple[int, int], dtype: str) -> list[Any]:
    rng = np.random.default_rng(sum(size))
    return [rng.random(size).astype(dtype), rng.random(size[1]).astype(dtype)]


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, SIZES, name):
        program, values = PROGRAMS[name], arguments(size, dtype)
        assert_call_agrees(program, values, backend, tolerance=TOLERANCE)
        constant = [np.full_like(value, 0.25) for value in values]
        assert_call_agrees(program, constant, backend, tolerance=TOLERANCE)


@pytest.mark.parametrize("name", ["last", "first", "from_then_on", "in_rows"])
def test_no_loop_is_left(name: str) -> None:
    """But for those of two numbers that may be taken again, and for blocks."""
    source = PROGRAMS[name].source(*arguments((5, 7), "float64"), backend="numpy")
    body = source.rpartition("\ndef ")[2]
    assert body.count("for ") - body.count("for start") == 2 * (name == "first")
    assert "true_position(" in body
