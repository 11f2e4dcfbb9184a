"""Recurrences that go on in some of their steps: in others a condition gives what they carry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, min, where
from tests.agreement.comparison import assert_call_agrees

SIZES = [(0, 0), (1, 1), (1, 4), (7, 5), (6, 19)]
LIMITS = [-(2**63), -2, -1, 0, 1, 3, 100, 2**63 - 1]


def _rows(x: Any, y: Any, cell: Any) -> Any:
    """A table, row by row, whose cells read their neighbours."""

    def row(i: Any, before: Any) -> Any:
        def step(j: Any, state: Any) -> Any:
            left, row = state
            value = cell(i, j, left, before[j], where(j == 0, i.float(), before[j - 1]))
            return value, array(lambda q: where(q == j, value, row[q]))

        return fold((math.inf, before), step, count=y.size(0))[1]

    return fold(array(lambda j: (y[j] * 0.0) + 1.0), row, count=x.size(0))


def warping(x: Any, y: Any, r: Any) -> Any:
    def cell(i: Any, j: Any, left: Any, up: Any, corner: Any) -> Any:
        return where(abs(i - j) <= r, abs(x[i] - y[j]) + min(left, up, corner), math.inf)

    return _rows(x, y, cell)


def above(x: Any, y: Any, r: Any) -> Any:
    """The steps after a position, the other way round."""

    def cell(i: Any, j: Any, left: Any, up: Any, corner: Any) -> Any:
        return where(j <= r, 0.5, where(j > i, min(left, 3.0) * x[i] + up, corner))

    return _rows(x, y, cell)


def below(x: Any, y: Any, r: Any) -> Any:
    def cell(i: Any, j: Any, left: Any, up: Any, corner: Any) -> Any:
        return where(~(j > r), min(left, 3.0) * y[j] + corner, x[i])

    return _rows(x, y, cell)


def between(x: Any, y: Any, r: Any) -> Any:
    """One number, without a table."""

    def total(i: Any) -> Any:
        def step(j: Any, state: Any) -> Any:
            value = where((j >= i) & (j < i + r), state[0] * 0.5 + y[j], 1.0)
            return value, state[1] + value

        return fold((x[i], 0.0), step, count=y.size(0))

    return array(total, size=x.size(0))


@pytest.mark.parametrize(
    "program", [warping, above, below, between], ids=lambda each: each.__name__
)
def test_recurrences_in_a_band_agree(program: Any) -> None:
    compiled: Any = function(program)
    random = np.random.default_rng(3)
    for rows, columns in SIZES:
        x, y = random.normal(size=rows), random.normal(size=columns)
        for limit in LIMITS:
            assert_call_agrees(compiled, (x, y, limit), "native", {"float64": 1e-12})
