"""Reductions of functions of rows of matrix products: scores that are computed where they are used.

The array of all scores would be larger than the arrays that are read, for results with any axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, exp, fold_argmax, fold_max, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


def _score(q: Any, k: Any, h: Any, i: Any, j: Any) -> Any:
    product = fold_sum(lambda d: q[h, i, d] * k[h, j, d])
    return where(j <= i, product - (i - j).float(), float("-inf"))


@function
def attention(q: Vec[Vec[Vec[Float]]], k: Vec[Vec[Vec[Float]]], v: Vec[Vec[Vec[Float]]]):
    """Causal attention with a linear bias: the scores are written where they are used."""
    heads, n, width = q.shape
    count = k.size(1)
    largest = array(
        lambda h, i: fold_max(lambda j: _score(q, k, h, i, j), count=count), size=(heads, n)
    )

    def weighted(h: Any, i: Any, d: Any) -> Any:
        return fold_sum(lambda j: exp(_score(q, k, h, i, j) - largest[h, i]) * v[h, j, d])

    return array(weighted, size=(heads, n, width))


@function
def nearest(q: Vec[Vec[Vec[Float]]], k: Vec[Vec[Vec[Float]]], v: Vec[Vec[Vec[Float]]]):
    """The best key of the first group for each query, and its score."""

    def best(h: Any, i: Any) -> Any:
        def score(j: Any) -> Any:
            return fold_sum(lambda d: q[h, i, d] * k[0, j, d])

        at = fold_argmax(score, count=k.size(1))
        return at, score(at) + v[0, 0, 0]

    return array(best, size=(q.size(0), q.size(1)))


PROGRAMS = {"attention": attention, "nearest": nearest}
TOLERANCE = {"float64": 1e-11, "float32": 1e-4}
SHAPES = [(1, 1, 1, 1), (2, 3, 5, 4), (3, 40, 70, 2), (0, 2, 3, 1), (2, 0, 3, 2)]


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(name: str, backend: str, dtype: str) -> None:
    for heads, n, m, width in sizes_on(backend, SHAPES):
        rng = np.random.default_rng(n)
        q, k, v = (
            rng.normal(size=(heads, size, width)).astype(dtype)
            for size in (n, max(n, m), max(n, m))
        )
        if q.size:
            assert_call_agrees(PROGRAMS[name], (q, k, v), backend, TOLERANCE)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_scores_are_computed_in_blocks(backend: str) -> None:
    """No product of the queries with one key."""
    source = attention.source(backend=backend)
    assert "for block in" in source
    assert "for j in" not in source
