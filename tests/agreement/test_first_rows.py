"""Tables whose first row is a case of its own agree with the interpreter on all backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, max, where
from tests.agreement.comparison import assert_agree
from tests.libraries import in_64_bits, on
from tests.selection import sizes_on

Cell = Callable[[Any, Any, Any, Any, Any], Any]


def table(cell: Cell, values: Any, weights: Any, n: Any, m: Any, start: Any) -> Any:
    """The table that nested loops fill, element by element."""

    def row(i, t):
        def column(c, t):
            new = cell(t, i, c, values, weights)
            return array(lambda a, b: where((a == i) & (b == c), new, t[a, b]))

        return fold(t, column, count=m)

    return fold(array(lambda a, b: start, size=(n, m)), row, count=n)


def knapsack(values, weights):
    def cell(t, i, c, v, w):
        added = where(c >= w[i - 1], t[i - 1, c - w[i - 1]] + v[i - 1], t[i - 1, c])
        return where(i == 0, 0.0, max(t[i - 1, c], added))

    return table(cell, values, weights, values.size() + 1, values.size() * 3 + 1, 0.0)


def borders(values, weights):
    def cell(t, i, c, v, w):
        added = where(c >= w[i - 1], t[i - 1, c - w[i - 1]] + v[i - 1], t[i - 1, c])
        return where((i == 0) | (c == 0), 1.5, max(t[i - 1, c], added))

    return table(cell, values, weights, values.size() + 1, values.size() * 2 + 2, -1.0)


def subset_sums(values, weights):
    def cell(t, i, c, v, w):
        j = max(i - 1, 0)
        before = t[j, c] | where(c >= w[j], t[j, c - w[j]], False)
        return where(i > 0, before, c == 0)

    return table(cell, values, weights, values.size() + 1, values.size() * 3 + 1, False)


def paths(values, weights):
    """Steps read an argument at their counter."""

    def cell(t, i, c, v, w):
        return where(i == 0, v[c], t[i - 1, c] + where(w[i] > c, v[i], 0.5))

    return table(cell, values, weights, values.size(), weights.size(), 0.0)


def own_first_row(values, weights):
    """The first step reads the row that it writes."""

    def cell(t, i, c, v, w):
        return where(i < 1, t[i - 1, c - 1] + 1.0, t[i - 1, c] + v[c])

    return table(cell, values, weights, values.size(), values.size(), 0.5)


def pascal(values, weights):
    def cell(t, i, c, v, w):
        return where(i >= 1, t[i - 1, c] + where(c > 0, t[i - 1, c - 1], 0), where(c == 0, 1, 0))

    return table(cell, values, weights, values.size(), weights.size(), 7)


PROGRAMS = (knapsack, borders, subset_sums, paths, own_first_row, pascal)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_agreement(program: Callable[..., Any], backend: str) -> None:
    rng, compiled = np.random.default_rng(0), function(program)
    for n in sizes_on(backend, (0, 1, 2, 5)):
        arguments = rng.uniform(size=n), rng.integers(0, 4, size=n)
        with in_64_bits(backend):
            found = compiled.eval(*arguments, backend=backend)
        expected = compiled.eval(*arguments, backend="naive")
        assert_agree(found, expected, {"float64": 1e-9}, f"{n}")


@pytest.mark.parametrize("program", [knapsack, borders, subset_sums, paths])
def test_rows_at_once(program: Callable[..., Any]) -> None:
    source = function(program).source(np.ones(3), np.ones(3, int))
    assert source.count("    for ") <= 1
