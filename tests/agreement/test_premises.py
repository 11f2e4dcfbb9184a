"""Recurrences of maxima and sums of Ints that may be small: one version is a scan, one a loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, Int, array, fold, fold_max, function, max, where
from tests.libraries import on


@function
def local_alignment(a, b, gain, loss, gap):
    """Rows of scores of Smith and Waterman, and the best of all."""

    def row(i, state):
        above, best = state

        def cell(j, current):
            score = above[j] + where(a[i] == b[j], gain, loss)
            value = max(0, score, above[j + 1] - gap, current[j] - gap)
            return array(lambda q: where(q == j + 1, value, current[q]))

        new: Any = fold(array(lambda q: 0, size=b.size() + 1), cell, count=b.size())
        return new, best.max(fold_max(lambda q: new[q]))

    return fold((array(lambda q: 0, size=b.size() + 1), 0), row, count=a.size())


@function
def table_of_scores(a, b, scores, gap):
    """The table of Needleman and Wunsch, written cell by cell."""

    def row(p, table):
        def cell(q, table):
            best = max(
                table[p, q] + scores[a[p], b[q]], table[p, q + 1] - gap, table[p + 1, q] - gap
            )
            return array(lambda i, j: where((i == p + 1) & (j == q + 1), best, table[i, j]))

        return fold(table, cell, count=b.size())

    edges = array(
        lambda i, j: where(i == 0, -j * gap, where(j == 0, -i * gap, 0)),
        size=(a.size() + 1, b.size() + 1),
    )
    return fold(edges, row, count=a.size())


@function
def decaying_peaks(c, cost):
    """In each place the largest peak before it, less a cost for each step since then."""
    first = array(lambda k: where(k == 0, c[0], 0), size=c.size())
    return fold(
        first,
        lambda k, v: array(lambda q: where(q == k + 1, max(c[k + 1], v[k] - cost[k]), v[q])),
        count=(c.size() - 1).max(0),
    )


@function
def in_batches(c, gap):
    """The same recurrence in each row of a matrix."""

    def row(x):
        def step(k, v):
            return array(lambda q: where(q == k + 1, min_of(v[k] + gap, x[k]), v[q]))

        return fold(array(lambda q: 0, size=x.size() + 1), step, count=x.size())

    return array(lambda r: row(c[r]))


def min_of(a: Int, b: Int) -> Int:
    return a.min(b)


HUGE = 2**62
SEQUENCES = [([], []), ([1], []), ([1, 2, 1], [2, 1, 1, 3])]


def assert_agrees(f: Function[..., Any], values: tuple[Any, ...], backend: str) -> None:
    expected, actual = f.eval(*values, backend="naive"), f.eval(*values, backend=backend)
    expected = expected if isinstance(expected, tuple) else (expected,)
    actual = actual if isinstance(actual, tuple) else (actual,)
    for found, reference in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(reference))


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("large", [1, HUGE])
class TestPremises:
    """Both versions agree with the interpreter: the loop where sums wrap around."""

    @pytest.mark.parametrize(("a", "b"), SEQUENCES)
    def test_local_alignment(self, a: list[int], b: list[int], large: int, backend: str) -> None:
        texts = np.array(a, np.int64), np.array(b, np.int64)
        assert_agrees(local_alignment, (*texts, 3, -large, 2 * large - 1), backend)
        assert_agrees(local_alignment, (*texts, large, -1, -large), backend)

    @pytest.mark.parametrize(("a", "b"), SEQUENCES)
    def test_table(self, a: list[int], b: list[int], large: int, backend: str) -> None:
        texts = np.array(a, np.int64), np.array(b, np.int64)
        scores = np.arange(16).reshape(4, 4) % 5 * large
        assert_agrees(table_of_scores, (*texts, scores, 2), backend)
        assert_agrees(table_of_scores, (*texts, scores, large), backend)

    @pytest.mark.parametrize("size", [1, 2, 5])
    def test_costs_of_steps(self, size: int, large: int, backend: str) -> None:
        c = np.array([5, -3, 7, 0, 2])[:size] * large
        assert_agrees(decaying_peaks, (c, np.array([1, 2, 0, large, -large])[:size]), backend)

    @pytest.mark.parametrize("shape", [(0, 2), (2, 0), (3, 4)])
    def test_batches(self, shape: tuple[int, int], large: int, backend: str) -> None:
        c = np.arange(12)[: shape[0] * shape[1]].reshape(shape) % 5 * large
        assert_agrees(in_batches, (c, 2), backend)
        assert_agrees(in_batches, (c, -large), backend)


@pytest.mark.parametrize("f", [local_alignment, decaying_peaks], ids=lambda f: f.__name__)
def test_there_is_a_scan(f: Function[..., Any]) -> None:
    texts = np.array([1, 2]), np.array([2, 1])
    values = (*texts, 2, -1, 1) if f is local_alignment else texts
    assert "maximum.accumulate" in f.source(*values)
