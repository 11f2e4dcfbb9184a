"""Reductions of blocks whose length along each axis varies with an index of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold_max, fold_prod, fold_sum, function
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def pooled(x: Any):
    """Means of as many blocks as are wanted, which may overlap."""
    h, w = x.shape

    def mean(i: Any, j: Any):
        top, bottom = i * h // 3, ((i + 1) * h + 2) // 3
        left, right = j * w // 2, ((j + 1) * w + 1) // 2
        count = (bottom - top) * (right - left)
        total = fold_sum(lambda p, q: x[top + p, left + q], count=(bottom - top, right - left))
        return total / count.float()

    return array(mean, size=(3, 2))


@function
def largest(x: Any):
    """The largest element of each block, a product beside it, of parts without end."""
    h, w = x.shape

    def block(i: Any, j: Any):
        count = (i * i // 3 + 1, j * j)
        best = fold_max(lambda p, q: x[i * i // 2 + p, j + q], count=count)
        return best, fold_prod(lambda p, q: x[i * i // 2 + p, j + q], count=count)

    return array(block, size=(h, w))


@function
def weighted(x: Any):
    """A weight by row between the sums, and a third axis along which blocks have one size."""
    h, w = x.shape

    def block(j: Any, i: Any, k: Any):
        def row(p: Any):
            r = i * h // 2 + p
            total = fold_sum(lambda q: x[r, j * w // 3 + q] * x[r, k], count=j * w // 3 + 1)
            return x[r, 0] * total + 1.0

        return fold_sum(row, count=i * h // 2 + 2)

    return array(block, size=(3, 2, w))


@function
def by_row(x: Any):
    """Blocks whose length along one axis varies with the position along the other."""
    h, w = x.shape

    def block(i: Any, j: Any):
        def row(p: Any):
            return fold_sum(lambda q: x[i + p, j + q], count=i + p + j)

        return fold_sum(row, count=i + 1)

    return array(block, size=(h, w))


PROGRAMS: dict[str, Function[..., Any]] = {
    "pooled": pooled,
    "largest": largest,
    "weighted": weighted,
    "by_row": by_row,
}
SHAPES = ((5, 7), (6, 4), (1, 1), (2, 1), (0, 3), (3, 0))


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for number in sizes_on(backend, range(len(SHAPES)), name):
        x = np.random.default_rng(number).normal(size=SHAPES[number]).astype(dtype)
        assert_call_agrees(PROGRAMS[name], (x,), backend, {"float64": 1e-12, "float32": 1e-5})


@pytest.mark.parametrize("name", ["pooled", "largest", "weighted"])
def test_each_axis_is_one_sequence(name: str) -> None:
    code = PROGRAMS[name].source(np.ones((5, 7)), backend="torch").rpartition("\ndef ")[2]
    assert "for " not in code
