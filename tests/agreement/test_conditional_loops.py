"""Loops whose results a condition may discard agree with the reference interpreter, natively."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    accumulate,
    array,
    fold,
    fold_all,
    fold_any,
    fold_min,
    fold_sum,
    fold_while,
    function,
    scan,
    searchsorted,
    where,
)
from tests.agreement.comparison import assert_call_agrees


@function
def chosen(x, offsets):
    """Loops of both values of a choice, of a condition and of a conjunction."""

    def row(i):
        count = offsets[i + 1] - offsets[i]
        total = fold_sum(lambda k: x[offsets[i] + k], count=count)
        steps = fold_while(x[i], lambda y: abs(y) > 0.5, lambda y: y * 0.5)
        is_small = (x[i] < 0.5) & (fold_sum(lambda k: x[k] * x[i], count=count) < 1.0)
        is_either = (x[i] > 0.5) | (fold(0.0, lambda k, y: y * 0.5 + x[k], count=count) < 1.0)
        return where(x[i] > 0.0, total.exp(), steps), is_small, is_either

    rows = array(row, size=offsets.size() - 1)
    return tuple(array(lambda i, k=k: rows[i][k]) for k in range(3))


@function
def matrix_chain(x, offsets):
    """The best order of products: an element of a table that lies inside is updated."""
    n = x.size()

    def step(t, m):
        def element(i, j):
            least = fold_min(lambda k: m[i, i + k] + m[i + k + 1, j] + x[i] * x[j], count=t + 1)
            return where(j == i + t + 1, least, m[i, j])

        return array(element, size=(n, n))

    return fold(array(lambda i, j: 0.0, size=(n, n)), step, count=n)


@function
def parsed(x, offsets):
    """Tests of pairs with a condition that the steps of an inner loop share."""
    n, m = x.size(), offsets.size()

    def row(i, j):
        def has(k):
            return fold_any(lambda t: (offsets[k] % 5 == j) & (x[t] > x[k]) & (x[i] > 0.0), count=n)

        def none(k):
            return fold_all(lambda t: (offsets[k] % 3 != i) | (x[t] < 0.0), count=k)

        any_ = fold_any(has, count=m)
        return where(any_, 2, 0) + where(fold_all(none, count=m), 1, 0)

    return array(row, size=(n, 6))


@function
def resampled(x, offsets):
    """Scans and searches in the steps of a loop over two arrays whose sizes are compared there."""
    n = x.size()

    def step(t, state):
        y, out = state
        w = array(lambda i: (-((y[i] - x[i]) ** 2)).exp())
        c = scan(w, 0.0, lambda a, b: a + b)
        z = array(lambda i: y[searchsorted(c, c[n - 1] * i.float() / n.float())], size=n)
        return z, array(lambda k: where(k == t, fold_sum(lambda i: z[i]), out[k]))

    return fold((array(lambda i: x[i] * 0.5), array(lambda k: 0.0, size=3)), step, count=3)


@function
def by_key(x, offsets):
    """Accumulations between whose uses others are ready, and one that reads another."""
    key = array(lambda i: (x[i] * 3.0).floor().int())
    count = accumulate(lambda i: (key[i], 1.0 + 0.0 * x[i]), size=5)
    total = accumulate(lambda i: (key[i], x[i]), size=5)
    mean = array(lambda g: total[g] / count[g].max(1.0))
    square = accumulate(lambda i: (key[i], x[i] * x[i]), size=5)
    spread = accumulate(lambda i: (key[i], (x[i] - mean[key[i]]) ** 2), size=5)
    least = accumulate(lambda i: (key[i], x[i]), size=5, by="min")
    return mean, array(lambda g: square[g] + mean[g]), spread, least


@function
def powers(x, offsets):
    """Powers whose base, or exponent, is the same for all elements."""
    return array(lambda i: abs(x[i]) ** 2.25), array(lambda i: 0.75 ** x[i])


@function
def counted(x, offsets):
    """Counts of triples; their first condition does not vary with the last index."""
    n = x.size(0)
    near = array(lambda i, j: abs(x[i] - x[j]) < 1.0, size=(n, n))

    def triple(i, j, k):
        return near[i, j] & near[j, k] & near[i, k] & (i < j) & (j < k)

    return (
        fold_sum(lambda i, j, k: triple(i, j, k).int(), count=(n, n, n)),
        array(lambda i: fold_sum(lambda j, k: triple(i, j, k).int().float(), count=(n, n)), size=n),
    )


@function
def settled(x, offsets):
    """Tests that no step changes after some: alone, for each element, in each other, of rows."""
    n = x.size()
    above = array(lambda i: fold_all(lambda j: (i == j) | (x[i] + 2.0 > x[j]), count=n), size=n)
    low = array(lambda i: fold_any(lambda j: fold_all(lambda k: x[i] <= x[k] + 0.1 * abs(x[j]))))

    def later(i):
        return fold_any(lambda k: x[offsets[i] + k] > x[i], count=offsets[i + 1] - offsets[i])

    row = array(later, size=n)
    return above, low, row, fold_all(lambda i: x[i] < 1.5), fold_any(lambda i: x[i] == x[n - 1])


PROGRAMS = (counted, settled, chosen, matrix_chain, parsed, resampled, by_key, powers)


def arguments(n: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 3, n))])
    return rng.normal(size=n).astype(dtype), np.minimum(offsets, n)


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_agrees(program: Any, n: int) -> None:
    for dtype in ("float64", "float32"):
        given = arguments(n, dtype)
        assert_call_agrees(program, given, "native", {"float64": 1e-12, "float32": 2e-5})


@pytest.mark.parametrize("n", [31, 32, 75])
def test_tests_of_many_steps(n: int) -> None:
    assert_call_agrees(settled, arguments(n, "float64"), "native", {"float64": 0.0})
