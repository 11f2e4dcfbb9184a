"""Folds of few steps in loops that compute numbers: bands, lags and windows that begin anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold, fold_max, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


@function
def banded(a: Vec[Vec[Float]], b: Vec[Float]):
    """Forward substitution with a band of three."""

    def step(i: Any, x: Any) -> Any:
        def term(d: Any) -> Any:
            return where(i - d - 1 >= 0, a[i, d] * x[i - d - 1], 0.0)

        return array(lambda j: where(j == i, b[i] - fold_sum(term, count=3), x[j]))

    return fold(array(lambda _: 0.0, size=b.size(0)), step, count=b.size(0))


@function
def greatest_before(a: Vec[Vec[Float]], b: Vec[Float]):
    def step(i: Any, x: Any) -> Any:
        before = fold_max(lambda d: where(d <= i, x[i - d], -np.inf), count=4)
        return array(lambda j: where(j == i, 0.5 * before + b[i], x[j]))

    return fold(b, step, count=b.size(0))


@function
def beside_rows(a: Vec[Vec[Float]], b: Vec[Float]):
    """A loop that computes an array, too."""

    def step(i: Any, state: Any) -> Any:
        x, v = state
        y = b[i] - fold_sum(lambda d: where(d < i, a[i, d] * x[i - d - 1], 0.0), count=2)
        return array(lambda j: where(j == i, y, x[j])), array(lambda j: v[j] * 0.5 + y * a[i, j])

    start = array(lambda _: 0.0, size=b.size(0)), array(lambda _: 0.0, size=a.size(1))
    return fold(start, step, count=b.size(0))


@function
def two_bands(a: Vec[Vec[Float]], b: Vec[Float]):
    """Residuals of a model of moving averages: a band of arguments, and one of earlier results."""

    def step(i: Any, x: Any) -> Any:
        own = fold_sum(lambda d: where(i - d >= 0, a[0, d] * b[i - d], 0.0), count=3)
        old = fold_sum(lambda d: where(i - 1 - d >= 0, a[0, d] * x[i - 1 - d], 0.0), count=2)
        return array(lambda j: where(j == i, own - old, x[j]))

    return fold(array(lambda _: 0.0, size=b.size(0)), step, count=b.size(0))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [banded, greatest_before, beside_rows, two_bands])
def test_agrees(program: Any, backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 3, 9)):
        r = np.random.default_rng(size)
        arguments = r.normal(size=(size, 3)), r.normal(size=size)
        assert_call_agrees(program, arguments, backend, {"float64": 1e-12})


def test_steps_are_on_numbers() -> None:
    """A product of rows of two or three elements takes as long as ten steps."""
    for program in (banded, greatest_before, two_bands):
        loop = program.source(backend="numpy").split("for i in")[1]
        assert "@" not in loop
        assert ".max" not in loop
    assert "@" in beside_rows.source(backend="numpy")


@function
def filtered(a: Vec[Vec[Float]], b: Vec[Float]):
    """A loop that fills an array element by element: its sums are windows of all elements."""

    def step(i: Any, x: Any) -> Any:
        total = fold_sum(lambda d: where(i - d >= 0, a[0, d] * b[i - d], 0.0))
        return array(lambda j: where(j == i, total, x[j]))

    return fold(array(lambda _: 0.0, size=b.size(0)), step, count=b.size(0))


@function
def filled_rows(a: Vec[Vec[Float]], b: Vec[Float]):
    """The same for rows, all but the first, and in addition to old elements."""

    def step(i: Any, x: Any) -> Any:
        total = fold_sum(lambda d: where(d < i, b[d] * a[i, 0], 0.0), count=b.size(0))
        return array(lambda j, k: where(j == i + 1, x[j, k] + a[i, k] * total, x[j, k]))

    n = b.size(0)
    return fold(array(lambda j, k: a[0, k] + j.float(), size=(n + 1, None)), step, count=n)


@function
def one_column(a: Vec[Vec[Float]], b: Vec[Float]):
    """One element of each row: others are not computed."""

    def step(i: Any, x: Any) -> Any:
        total = fold_sum(lambda d: where(d < i, b[d], 0.0), count=b.size(0))
        return array(lambda j, k: where((j == i) & (k == 1), total, x[j, k]))

    return fold(a, step, count=b.size(0))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [filtered, filled_rows, one_column])
def test_filled(program: Any, backend: str) -> None:
    for size in sizes_on(backend, (1, 2, 3, 9)):
        r = np.random.default_rng(size)
        arguments = r.normal(size=(size, 3)), r.normal(size=size)
        assert_call_agrees(program, arguments, backend, {"float64": 1e-12})
    assert "for i in" not in filtered.source(backend="numpy")
