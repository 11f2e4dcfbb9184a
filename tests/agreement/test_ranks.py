"""Counts and sums of the elements before another one, by value and then by position."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Bool, Float, Function, Int, Vec, array, fold_sum, function, where
from tests.agreement.comparison import assert_agree, given, interpreted, leaves
from tests.libraries import BACKENDS

SIZES = (0, 1, 2, 5, 70)
TOLERANCE = {"float64": 1e-12}


def floats(size: int) -> Any:
    """Numbers with equal ones among them, NaN and infinities."""
    rng = np.random.default_rng(size)
    values = rng.integers(-3, 3, size).astype(float)
    for special in (np.nan, np.inf, -np.inf, -0.0):
        values[rng.random(size) < 0.1] = special
    return values


def ints(size: int) -> Any:
    return np.random.default_rng(size).integers(-3, 3, size)


def up(x: Any, y: Any, i: Int, j: Int) -> Bool:
    return (x < y) | ((x == y) & (j < i))


def up_to(x: Any, y: Any, i: Int, j: Int) -> Bool:
    return ((j <= i) & (y == x)) | (y > x)


def down(x: Any, y: Any, i: Int, j: Int) -> Bool:
    return (x > y) | ((x == y) & (j < i))


def after(x: Any, y: Any, i: Int, j: Int) -> Bool:
    return (x > y) | ((x == y) & (j > i))


def not_after(x: Any, y: Any, i: Int, j: Int) -> Bool:
    return (x < y) | ((x == y) & (j > i))


@functools.cache
def programs(before: Callable[..., Bool]) -> list[tuple[Function, Callable[[int], Any]]]:
    @function
    def count(x: Vec[Float]) -> Vec[Int]:
        return array(lambda i: fold_sum(lambda j: where(before(x[j], x[i], i, j), 1, 0)))

    @function
    def count_ints(x: Vec[Int]) -> Vec[Int]:
        return array(lambda i: fold_sum(lambda j: where(before(x[j], x[i], i, j), 1, 0)))

    @function
    def total(x: Vec[Int]) -> Vec[Int]:
        return array(lambda i: fold_sum(lambda j: where(before(x[j], x[i], i, j), x[j] * j, 0)))

    @function
    def count_others(x: Vec[Float]) -> Vec[Int]:
        size = x.size() // 2

        def place(i: Int) -> Int:
            y = x[size + i]
            return fold_sum(lambda j: where(before(x[j], y, i, j), 1, 0), count=size)

        return array(place, size=size)

    return [(count, floats), (count_ints, ints), (total, ints), (count_others, floats)]


@pytest.mark.parametrize("before", [up, up_to, down, after, not_after])
@pytest.mark.parametrize("backend", BACKENDS)
def test_ranks(before: Callable[..., Bool], backend: str) -> None:
    for program, inputs in programs(before):
        for size in SIZES if backend != "jax" else SIZES[-2:]:
            x = inputs(size)
            argument = given(x, "torch" if backend == "torch" else "numpy")
            expected = leaves(interpreted(program, (x,)))
            assert_agree(program.eval(argument, backend=backend), expected, TOLERANCE)


def test_ranks_take_no_steps_for_pairs() -> None:
    for before, sorted_ in ((up, True), (down, True), (not_after, False)):
        (count, _), (count_ints, _), *_ = programs(before)
        assert ("argsort" in count.source(floats(5))) == sorted_
        assert ("argsort" in count_ints.source(ints(5))) == sorted_
        assert ".bit_length()" not in count.source(floats(5))
