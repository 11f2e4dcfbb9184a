"""Reductions that read the same elements agree, as do choices between values of one loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    array,
    fold_all,
    fold_any,
    fold_max,
    fold_min,
    fold_prod,
    fold_sum,
    function,
    set_num_threads,
    sqrt,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations


@function
def moments_of_columns(x):
    """The count needs the sums; all others read the same elements alone."""
    n = x.size(0).float()

    def column(j):
        mean = fold_sum(lambda i: x[i, j]) / (n + 1.0)
        spread = sqrt(fold_sum(lambda i: x[i, j] * x[i, j]) + 1.0)
        outside = fold_sum(lambda i: where(abs(x[i, j] - mean) > spread / 2.0, 1, 0))
        bounds = fold_min(lambda i: x[i, j]), fold_max(lambda i: x[i, j])
        return mean, spread, bounds, outside

    return array(column, size=x.size(1))


@function
def moments_of_rows(x):
    """Of a row and of the row after it, which has other elements; also truth values."""

    def row(i):
        total, product = fold_sum(lambda j: x[i, j]), fold_prod(lambda j: x[i, j] / 2.0)
        squares = fold_sum(lambda j: x[i, j] * x[i, j])
        neighbours = fold_sum(lambda j: x[i, j] * x[i + 1, j])
        signs = fold_any(lambda j: x[i, j] > 0.0), fold_all(lambda j: x[i, j] > -1.0)
        return total, product, squares, neighbours, signs

    return array(row, size=x.size(0))


@function
def moments(x):
    """Of all elements, with NaN and infinities."""
    y = array(lambda i: x[i, 0] / x[i, 0].int().float(), size=x.size(0))
    n = y.size()
    return (
        fold_sum(lambda i: where(y[i] > 0.0, y[i], 0.0), count=n),
        fold_sum(lambda i: where(y[i] > 0.0, 1, 0), count=n),
        fold_max(lambda i: y[i], count=n),
    )


@function
def by_turns(x):
    """Every second element is another function of the same sum."""

    def element(i):
        total = fold_sum(lambda j: x[0, j] * (i + j).float())
        return where(i % 2 == 0, total + 1.0, -total)

    return array(element, size=x.size(0) + 3)


PROGRAMS = (moments_of_columns, moments_of_rows, moments, by_turns)
TOLERANCE = {"float64": 1e-11, "float32": 1e-3}
SHAPES = ((4, 7), (7, 5), (1, 1), (2, 2), (3, 0), (0, 3))


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(program: Any, backend: str, dtype: str) -> None:
    for shape in SHAPES:
        x = np.random.default_rng(shape[1]).normal(size=shape).astype(dtype)
        assert_call_agrees(program, [x], backend, TOLERANCE)


def leaves(value: Any) -> Iterator[Any]:
    """The arrays and scalars of a result."""
    for each in value if isinstance(value, tuple) else (value,):
        yield from leaves(each) if isinstance(each, tuple) else (each,)


def test_threads() -> None:
    """Bits do not depend on the number of threads."""
    x = np.random.default_rng(0).normal(size=(700, 300))
    try:
        for program in PROGRAMS:
            found = list[Any]()
            for threads in (1, 3):
                set_num_threads(threads)
                found.append([np.asarray(each).tobytes() for each in leaves(program.native(x))])
            assert found[0] == found[1]
    finally:
        set_num_threads()
