"""Derivatives of loops that carry a matrix and read rows and columns of it, which steps save."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Function, Int, Vec, array, fold, fold_sum, function, max, vjp, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

Matrix = Vec[Vec[Float]]


def eliminated(a: Matrix) -> Matrix:
    """A row and a column of each step."""

    def step(k: Int, a: Matrix) -> Matrix:
        def entry(i: Int, j: Int) -> Float:
            return where(i > k, a[i, j] - a[i, k] / (a[k, k] + 3.0) * a[k, j], a[i, j])

        return array(entry)

    return fold(a, step, count=a.size(0))


def out_of_bounds(a: Matrix) -> Matrix:
    """Slices at positions before the first one, and beyond the last."""

    def step(k: Int, a: Matrix) -> Matrix:
        return array(lambda i, j: a[i, j] + 0.1 * a[i, k + 2] * a[k - 3, j] * a[k, 2 * k])

    return fold(a, step, count=a.size(0) + 1)


def whole_row(a: Matrix) -> Matrix:
    """A row whose size the program knows from it alone."""

    def step(k: Int, a: Matrix) -> Matrix:
        row = a[k]
        total = fold_sum(lambda q: row[q] * row[q])
        return array(lambda i, j: a[i, j] * 0.9 + 0.2 * row[j] * a[i, 0] * total)

    return fold(a, step, count=a.size(0))


def carried_positions(a: Matrix) -> Matrix:
    """Slices at positions that the loop carries."""

    def step(k: Int, s: tuple[Matrix, Int]) -> tuple[Matrix, Int]:
        a, p = s
        q = (p + k) % max(a.size(0), 1)
        return array(lambda i, j: where(i == q, a[i, j], a[i, j] - 0.2 * a[i, q] * a[q, j])), q

    return fold((a, 1), step, count=a.size(0))[0]


def exchanged(a: Matrix) -> Matrix:
    """A row and a column after the row of the step and another one, if any, are exchanged."""

    def step(k: Int, a: Matrix) -> Matrix:
        p, n = 2 * k - 1, a.size(0)
        rows = array(lambda i, j: where(i == k, a[p, j], where(i == p, a[k, j], a[i, j])))

        def entry(i: Int, j: Int) -> Float:
            return where(
                i > k, rows[i, j] - rows[i, k] / (rows[k, k] + 3.0) * rows[k, j], rows[i, j]
            )

        return array(entry, size=(n, a.size(1)))

    return fold(a, step, count=a.size(0))


def other_elements(a: Matrix) -> Matrix:
    """All elements are read, besides a column."""

    def step(k: Int, a: Matrix) -> Matrix:
        return array(lambda i, j: a[i, j] - 0.1 * a[i, k] * fold_sum(lambda q: a[q, j] * a[q, 0]))

    return fold(a, step, count=a.size(0))


def with_gradient(f: Callable[[Matrix], Matrix]) -> Function[..., Any]:
    def both(a: Matrix, cotangent: Matrix) -> Any:
        value, backwards = vjp(f, a)
        return value, backwards(cotangent)

    both.__name__ = f.__name__
    return function(both)


PROGRAMS = list(
    map(
        with_gradient,
        (eliminated, out_of_bounds, whole_row, carried_positions, exchanged, other_elements),
    )
)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_agreement(program: Any, backend: str) -> None:
    for shape in sizes_on(backend, ((0, 0), (1, 1), (2, 3), (4, 2))):
        random = np.random.default_rng(0)
        arguments = random.random(shape), random.random(shape)
        assert_call_agrees(program, arguments, backend, {"float64": 1e-12})


def test_steps_that_exchange_rows_save_slices() -> None:
    square = np.eye(3)
    source = with_gradient(exchanged).source(square, square, backend="numpy")
    assert "np.zeros((" not in source
    assert re.findall(r"(\w+)\[k\] = ", source)
