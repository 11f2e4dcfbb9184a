"""Steps between elements of a vector that ascends, and of one that does not."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_any, fold_max, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

TOLERANCE = {"float64": 1e-11, "float32": 1e-5}


@function
def interpolated(x: Vec[Float], y: Vec[Float], at: Vec[Float]) -> Vec[Float]:
    """Elements of linear segments, each of which one step selects."""

    def segment(k: Int, q: Float) -> Float:
        return y[k] + (q - x[k]) * (y[k + 1] - y[k])

    return array(
        lambda i: fold_sum(
            lambda k: where((x[k] <= at[i]) & (at[i] < x[k + 1]), segment(k, at[i]), 0.0),
            count=x.size(0) - 1,
        )
    )


@function
def recent(x: Vec[Float], y: Vec[Float], at: Vec[Float]) -> Vec[Float]:
    """Means of the last elements, whose number the keys bound."""

    def is_recent(k: Int, i: Int) -> Any:
        return (k <= i) & ~(x[k] <= x[i] - 2.5)

    total = array(lambda i: fold_sum(lambda k: where(is_recent(k, i), y[k], 0.0)))
    number = array(lambda i: fold_sum(lambda k: where(is_recent(k, i), 1.0, 0.0)), size=x.size())
    return array(lambda i: (total[i] + at[i % at.size()]) / (number[i] + 1.0), size=x.size())


@function
def near(x: Vec[Float], y: Vec[Float], at: Vec[Float]) -> tuple[Vec[Float], Vec[Float], Vec[Any]]:
    """A magnitude of a difference, a term with the other sign, and a condition besides."""
    return (
        array(
            lambda i: fold_sum(
                lambda k: where(abs(at[i] - x[k]) < 1.5, y[k] * (1.5 - abs(x[k] - at[i])), 0.0)
            )
        ),
        array(
            lambda i: fold_max(
                lambda k: where((at[i] - x[k] >= 0.5) & (at[i] - x[k] < 3.0), y[k] - at[i], -9.0)
            )
        ),
        array(
            lambda i: fold_any(
                lambda k: (x[k] > at[i]) & (-x[k] > -at[i] - 1.0) & (y[k] + at[i] > 0.0)
            )
        ),
    )


@function
def of_ints(x: Vec[Int], y: Vec[Float], at: Vec[Int]) -> tuple[Vec[Float], Float]:
    """Keys that are Ints, and pairs."""
    windows = array(
        lambda i: fold_sum(
            lambda k: where((x[k] > at[i] - 3) & (x[k] <= at[i]), y[k] * at[i].float(), 0.0)
        )
    )
    pairs = fold_sum(
        lambda i, j: where((i < j) & (x[j] < x[i] + 2), y[i] * y[j], 0.0),
        count=(x.size(), x.size()),
    )
    return windows, pairs


@function
def of_differences(x: Vec[Int], y: Vec[Float], at: Vec[Int]) -> tuple[Vec[Float], Vec[Float]]:
    """Differences of keys that are Ints, which may wrap."""
    last = array(
        lambda i: fold_sum(lambda k: where((x[i] - x[k] < 3) & (k <= i), y[k], 0.0)), size=x.size()
    )
    near = array(lambda i: fold_sum(lambda k: where(abs(at[i] - x[k] + 1) <= 2, y[k], 0.0)))
    return last, near


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [interpolated, recent, near])
def test_windows_of_floats(program: Any, backend: str) -> None:
    rng = np.random.default_rng(1)
    for size, number in sizes_on(backend, ((1, 2), (2, 1), (70, 9), (131, 30))):
        x = np.sort((rng.random(size) * size / 4).round(1))
        y, at = rng.normal(size=size), (rng.random(number) * size / 4).round(1)
        assert_call_agrees(program, (x, y, at), backend, TOLERANCE)
    for place, value in ((0, -np.inf), (130, np.inf), (130, np.nan), (50, 0.0)):
        other = x.copy()
        other[place] = value
        assert_call_agrees(program, (other, y, at), backend, TOLERANCE)
    at[:3] = np.nan, np.inf, -np.inf
    assert_call_agrees(program, (x, y, at), backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_windows_of_ints(backend: str) -> None:
    rng = np.random.default_rng(2)
    for size, number in sizes_on(backend, ((1, 2), (2, 1), (70, 9), (131, 30))):
        x, y = np.sort(rng.integers(0, size, size)), rng.normal(size=size)
        at = rng.integers(-2, size + 2, number)
        at[:1] = -(2**63)
        for keys in (x, rng.permutation(x)):
            assert_call_agrees(of_ints, (keys, y, at), backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_differences_of_ints(backend: str) -> None:
    rng = np.random.default_rng(3)
    for size, number in sizes_on(backend, ((1, 2), (2, 1), (131, 30))):
        x, y = np.sort(rng.integers(0, size, size)), rng.normal(size=size)
        at = rng.integers(-2, size + 2, number)
        assert_call_agrees(of_differences, (x, y, at), backend, TOLERANCE)
    for place, value in ((0, -(2**63)), (-1, 2**63 - 1), (-1, 2**62), (5, 40)):
        other = x.copy()
        other[place] = value
        assert_call_agrees(of_differences, (other, y, at), backend, TOLERANCE)
    at[:2] = -(2**63), 2**63 - 1
    assert_call_agrees(of_differences, (x, y, at), backend, TOLERANCE)


def test_searches_for_the_ends() -> None:
    rows = [np.zeros(70)] * 3
    for program in (interpolated, recent):
        assert "searchsorted" in program.source(*rows)
    assert re.search(r"leading_zeros\(", near.source(*rows))
