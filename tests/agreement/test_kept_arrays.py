"""Arrays that a step keeps under a condition agree with the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_argmax, function, where
from tests.agreement.comparison import leaves

Matrix = Any
"""A staged matrix of Ints."""


def best_row(a: Matrix) -> Any:
    """The first row with the least first element, and the sum of what was improved."""

    def step(k: Any, s: Any) -> Any:
        best, least, total = s
        is_better = a[k, 0] < least
        row = array(lambda j: where(is_better, a[k, j], best[j]), size=a.size(1))
        return row, where(is_better, a[k, 0], least), total + row[k]

    return fold((array(lambda _: 0, size=a.size(1)), 50, 0), step, count=a.size(0))


def eliminated(a: Matrix) -> Any:
    """Elimination modulo 2: rows change places, and others are added where an element is odd."""

    def step(j: Any, s: Any) -> Any:
        a, rank = s
        p = fold_argmax(lambda i: where((i >= rank) & (a[i, j] % 2 == 1), 1, 0), count=a.size(0))
        is_found = (p >= rank) & (a[p, j] % 2 == 1)
        b = array(
            lambda i, k: where(
                is_found, where(i == rank, a[p, k], where(i == p, a[rank, k], a[i, k])), a[i, k]
            )
        )
        c = array(
            lambda i, k: where(
                is_found & (i > rank) & (b[i, j] % 2 == 1), b[i, k] + b[rank, k], b[i, k]
            )
        )
        return c, where(is_found, rank + 1, rank)

    return fold((a, 0), step, count=a.size(1))


def closed(a: Matrix) -> Any:
    """Rows that take over the bits of others."""

    def via(k: Any, a: Matrix) -> Matrix:
        return array(lambda i, j: where((a[i, k] & 1 == 0) | (i == k), a[i, j], a[i, j] | a[k, j]))

    return fold(a, via, count=a.size(0))


def own_condition(a: Matrix) -> Any:
    """A condition that depends on an element which the step replaces."""

    def step(k: Any, row: Any) -> Any:
        return array(lambda j: where(row[0] > a[k, 0], row[j], row[j] + a[k, j]))

    return fold(array(lambda j: j, size=a.size(1)), step, count=a.size(0))


def two_arrays(a: Matrix) -> Any:
    """Two arrays with different conditions, one of which varies with the index."""

    def step(k: Any, s: Any) -> Any:
        x, y = s
        c, d = a[k, 0] > 10, a[k, 0] % 2 == 0
        return (
            array(lambda j: where(c & (a[k, j] > x[j]), a[k, j], x[j])),
            array(lambda j: where(d | ~c, y[j], x[j] + 1)),
        )

    zeros = array(lambda _: 0, size=a.size(1))
    return fold((zeros, zeros), step, count=a.size(0))


@pytest.mark.parametrize("program", [best_row, eliminated, closed, own_condition, two_arrays])
@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (2, 0), (1, 1), (2, 1), (7, 3), (40, 50)])
def test_kept_arrays(program: Callable[..., Any], shape: tuple[int, int]) -> None:
    a = np.random.default_rng(0).integers(0, 100, shape)
    compiled: Any = function(program)
    expected = leaves(compiled.eval(a, backend="naive"))
    found = leaves(compiled.eval(a, backend="native"))
    for own, each in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, each)
