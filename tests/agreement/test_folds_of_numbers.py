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


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [banded, greatest_before, beside_rows])
def test_agrees(program: Any, backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 3, 9)):
        r = np.random.default_rng(size)
        arguments = r.normal(size=(size, 3)), r.normal(size=size)
        assert_call_agrees(program, arguments, backend, {"float64": 1e-12})


def test_steps_are_on_numbers() -> None:
    """A product of rows of two or three elements takes as long as ten steps."""
    for program in (banded, greatest_before):
        loop = program.source(backend="numpy").split("for i in")[1]
        assert "@" not in loop
        assert ".max" not in loop
    assert "@" in beside_rows.source(backend="numpy")
