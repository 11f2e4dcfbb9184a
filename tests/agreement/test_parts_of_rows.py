"""Steps that replace a part of a row or a column agree with the interpreter on all backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_argmax, fold_max, function, max, where
from tests.agreement.comparison import assert_agree
from tests.libraries import in_64_bits, on

Program = Callable[[Any, Any], Any]


def column_below(a, b):
    """The elements from the diagonal down, divided by it, less the column before."""

    def step(j, x):
        new = array(lambda i: x[i, j] / x[j, j] - x[i, max(j - 1, 0)])
        return array(lambda i, c: where((c == j) & (i >= j), new[i], x[i, c]))

    return fold(a, step, count=b.size())


def column_above(a, b):
    """The elements before a position, of a column that may be out of bounds."""

    def step(j, x):
        return array(lambda i, c: where((c == j + 1) & (i < j), x[i, c - 1] + b[j], x[i, c]))

    return fold(a, step, count=b.size())


def row_inside(a, b):
    """The inner elements of a row, from those of the row before."""

    def step(j, x):
        def element(i, c):
            inner = (i == j) & (c > 0) & (c < x.size(1) - 1)
            return where(inner, x[max(j - 1, 0), c] * 0.5 + x[i, c - 1], x[i, c])

        return array(element)

    return fold(a, step, count=b.size())


def row_other(a, b):
    """A row that keeps a part of another row is written in whole."""

    def step(j, x):
        return array(lambda i, c: where(i == j, where(c < j, x[i - 1, c], b[j]), x[i, c]))

    return fold(a, step, count=b.size())


def prime_masks(a, b):
    """A mask of ranges, and multiples that are struck out."""
    n = a.size(0) * a.size(1)

    def strike(k, mask):
        p = k + 2
        return array(lambda q: where(mask[p] & (q > p) & (q % p == 0), False, mask[q]))

    start = array(lambda q: (q >= 2) & (q < n - 1), size=n)
    return fold(start, strike, count=b.size())


def best_and_where(a, b):
    """The largest sum of a column and its row, with NaN."""
    scores = array(lambda r, s: where((r == 1) & (s == 0), b[0] / 0.0 * 0.0, a[r, s] + b[r]))
    best = array(lambda s: fold_max(lambda r: scores[r, s]))
    return best, array(lambda s: fold_argmax(lambda r: scores[r, s]))


PROGRAMS: tuple[Program, ...] = (
    column_below,
    column_above,
    row_inside,
    row_other,
    prime_masks,
    best_and_where,
)
SHAPES = ((0, 0), (1, 1), (2, 2), (5, 5), (5, 3), (3, 5), (1, 4))


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_agreement(program: Program, backend: str) -> None:
    rng = np.random.default_rng(0)
    compiled = function(program)
    for shape in SHAPES:
        arguments = rng.uniform(1, 2, size=shape), rng.uniform(size=shape[0])
        with in_64_bits(backend):
            found = compiled.eval(*arguments, backend=backend)
        expected = compiled.eval(*arguments, backend="naive")
        assert_agree(found, expected, {"float64": 1e-9})


def test_parts_in_place() -> None:
    types = np.ones((3, 3)), np.ones(3)
    assert "x[j:, j] = " in function(column_below).source(*types)
    assert ".copy()" in function(column_below).source(*types)
