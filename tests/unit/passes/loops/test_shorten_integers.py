"""``shorten-integers``: the same results, whatever the ranges of Ints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, min, where
from ein_mlir.pipelines import run_pipeline
from tests.unit.passes.conversions.loops_interpreter import TO_LOOPS, loops_of

NARROWED = (*TO_LOOPS, "shorten-integers")


def counts(a: Any, weight: int) -> Any:
    """The number of four neighbours, each times a weight, is computed once for each row."""

    def near(i: Any, j: Any) -> Any:
        return sum(where(a[i, j + q - 2], weight, 0) for q in range(4))

    rows = array(near, size=a.shape)

    def cell(i: Any, j: Any) -> Any:
        return rows[i, j] * rows[i - 1, j] - rows[i + 1, j] > weight * rows[i + 2, j]

    return array(cell, size=a.shape)


@pytest.mark.parametrize(
    "weight", [1, 6, 7, 42, 43, 104, 105, 15_000, 2**30, 2**31, 2**62, -1, -43]
)
def test_ranges(weight: int) -> None:
    """Around the ends of each type, where sums and products would wrap in fewer bits."""

    @function
    def program(a: Any) -> Any:
        return counts(a, weight)

    traced = program.phi(np.ones((2, 2), np.bool_))
    plain, narrowed = loops_of(traced, TO_LOOPS), loops_of(traced, NARROWED)
    random = np.random.default_rng(0)
    for shape in ((0, 2), (1, 1), (2, 3), (5, 7)):
        a = random.random(shape) < 0.6
        assert np.array_equal(np.asarray(narrowed(a)), np.asarray(plain(a))), shape


def test_bits() -> None:
    @function
    def program(a: Any) -> Any:
        return counts(a, 1)

    text = str(run_pipeline(program.phi(np.ones((2, 2), np.bool_)), NARROWED))
    assert "memref<?x?xi8>" in text
    assert "i8 to i64" not in text


@function
def steps(a: Any, n: Any) -> Any:
    """Counts of a grid that a fold carries; the counts themselves grow without a bound."""

    def step(t: Any, state: Any) -> Any:
        grid, total = state
        around = array(lambda i: where(grid[i - 1], 1, 0) + where(grid[i + 1], 1, 0), size=a.shape)
        return (
            array(lambda i: (around[i] == 1) | (around[i - 1] > 1)),
            array(lambda i: total[i] + around[i]),
        )

    return fold((a, array(lambda i: where(a[i], 1, 0))), step, count=n)


def test_totals_stay_wide() -> None:
    a = np.arange(7) % 3 == 0
    want = steps.numpy(a, 300)
    got = steps.native(a, 300)
    assert all(np.array_equal(x, y) for x, y in zip(got, want, strict=True))
    assert max(want[1]) > 127


def test_long_chains() -> None:
    """An element that is computed in more steps than Python has frames."""

    @function
    def program(a: Any) -> Any:
        def element(i: Any) -> Any:
            x = where(a[i], 1, 0)
            for _ in range(500):
                x = min(x + where(a[i], 2, 1), 100)
            return x

        t = array(element)
        return array(lambda i: t[i] + t[i * 7 % a.size()])

    text = str(run_pipeline(program.phi(np.ones(2, np.bool_)), NARROWED))
    assert "memref<?xi8>" in text
