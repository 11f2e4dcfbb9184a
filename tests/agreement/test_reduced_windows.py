"""Reductions of windows, whose elements are a view where a library has arrays of any strides."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    fold_max,
    fold_min,
    fold_prod,
    fold_sum,
    function,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@function
def moving(x: Vec[Float], width: Int) -> Vec[Float]:
    """Means, extremes and products of windows in bounds."""
    return array(
        lambda i: (
            fold_sum(lambda k: x[i + k], count=width) / width.max(1).float()
            + fold_max(lambda k: x[i + k], count=width).max(-2.0)
            - fold_min(lambda k: x[i + width - 1 - k], count=width).min(2.0)
            + fold_prod(lambda k: x[i + k + 0], count=width)
        ),
        size=(x.size() - width + 1).max(0),
    )


@function
def around(x: Vec[Float], radius: Int) -> Vec[Float]:
    """Windows that leave the vector at both ends."""
    return array(
        lambda i: fold_sum(lambda k: x[i + k - radius], count=2 * radius + 1), size=x.size()
    )


@function
def along_rows(x: Vec[Vec[Float]], width: Int) -> Vec[Vec[Float]]:
    """Windows along either axis of a matrix."""
    return array(
        lambda i, j: (
            fold_sum(lambda k: x[i, j + k], count=width)
            - fold_max(lambda k: x[i + k, j], count=width).max(-9.0)
        ),
        size=(x.size(0), x.size(1)),
    )


@function
def trailing(x: Vec[Float], width: Int) -> Vec[Float]:
    """Means of windows that are shorter at the start."""

    def mean(i: Int) -> Float:
        count = (i + 1).min(width)
        return fold_sum(lambda k: x[i - k], count=count) / count.max(1).float()

    return array(mean, size=x.size())


@function
def of_blocks(x: Vec[Vec[Float]], y: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """Reductions of blocks of rows and of columns, which may leave the matrices."""

    def numbers(k: Int) -> Vec[Float]:
        rows = fold_max(lambda c, j: x[4 * k + c, j], count=(4, x.size(1)))
        columns = fold_sum(lambda c, j: y[j, 4 * k + c], count=(4, y.size(0)))
        squares = fold_sum(lambda c, j: x[4 * k + c, j] * x[4 * k + c, j], count=(4, x.size(1)))
        patches = fold_min(
            lambda c, q, j: x[4 * k + c, 2 * q + j], count=(4, (x.size(1) + 1) // 2, 2)
        )
        return array(
            lambda f: where(f == 0, rows, where(f == 1, columns, where(f == 2, squares, patches))),
            size=4,
        )

    return array(numbers, size=(x.size(0) + 3) // 4)


@pytest.mark.parametrize("backend", [each for each in BACKENDS if each.values != ("jax",)])
@pytest.mark.parametrize(("size", "width"), [(0, 0), (1, 1), (5, 3), (4, 9), (7, 0)])
class TestReducedWindows:
    """All agree with the interpreter, also where windows are larger than the array."""

    def test_moving(self, size: int, width: int, backend: str) -> None:
        x = np.random.default_rng(1).normal(size=size)
        assert_call_agrees(moving, (x, width), backend, TOLERANCE)
        assert_call_agrees(moving, (x.astype("float32"), width), backend, TOLERANCE)

    def test_around(self, size: int, width: int, backend: str) -> None:
        x = np.random.default_rng(2).normal(size=size)
        assert_call_agrees(around, (x, width), backend, TOLERANCE)

    def test_along_rows(self, size: int, width: int, backend: str) -> None:
        x = np.random.default_rng(3).normal(size=(size, 3))
        assert_call_agrees(along_rows, (x, width), backend, TOLERANCE)

    def test_trailing(self, size: int, width: int, backend: str) -> None:
        x = np.random.default_rng(4).normal(size=3 * size)
        assert_call_agrees(trailing, (x, width), backend, TOLERANCE)

    def test_of_blocks(self, size: int, width: int, backend: str) -> None:
        x = np.random.default_rng(5).normal(size=(size, width))
        y = np.random.default_rng(6).normal(size=(width, size))
        assert_call_agrees(of_blocks, (x, y), backend, TOLERANCE)
        if x.size:
            x[-1, -1], x[0, 0] = np.inf, np.nan
        assert_call_agrees(of_blocks, (x, y), backend, TOLERANCE)
