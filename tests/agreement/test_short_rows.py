"""Rows of dynamic programs have the same values however long they are: short ones are loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, Int, Vec, array, fold, function, max, min, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import sizes_on

SHAPES = ((0, 3), (3, 0), (1, 1), (2, 5), (3, 31), (3, 32), (2, 33), (2, 40))
LARGE = 2**62


def written(row: Any, p: Any, value: Any) -> Any:
    return array(lambda i: where(i == p, value, row[i]))


@function
def machines(t: Vec[Vec[Int]]):
    """The steps read the row before them, which they start with."""

    def job(j: Any, done: Any):
        def machine(k: Any, row: Any):
            before = where(k > 0, row[k - 1], 0)
            return written(row, k, max(done[k], before) + t[j, k])

        return fold(done, machine, count=t.size(1))

    return fold(array(lambda k: 0, size=t.size(1)), job, count=t.size(0))


@function
def subsequence(t: Vec[Vec[Int]]):
    """Extremes since a reset."""

    def row(i: Any, above: Any):
        def cell(j: Any, row: Any):
            same = t[i, j] % 3 == i % 3
            return written(row, j + 1, where(same, above[j] + 1, max(above[j + 1], row[j])))

        return fold(array(lambda j: 0, size=t.size(1) + 1), cell, count=t.size(1))

    return fold(array(lambda j: j, size=t.size(1) + 1), row, count=t.size(0))


@function
def distances(t: Vec[Vec[Int]]):
    """Each step writes the last element of its row elsewhere, too."""

    def row(i: Any, state: Any):
        above, last = state

        def cell(j: Any, row: Any):
            cost = where(t[i, j] % 2 == 0, 0, 1)
            return written(row, j + 1, min(min(above[j + 1], row[j]) + 1, above[j] + cost))

        new = fold(array(lambda j: i, size=t.size(1) + 1), cell, count=t.size(1))
        return new, written(last, i, new[t.size(1)])

    start = array(lambda j: j, size=t.size(1) + 1), array(lambda i: 0, size=t.size(0))
    return fold(start, row, count=t.size(0))


@function
def table(t: Vec[Vec[Int]]):
    """Rows of a table, which two nests compute one after the other."""

    def row(i: Any, d: Any):
        def cell(j: Any, d: Any):
            best = max(d[i + 1, j] - 1, d[i, j + 1] + t[i, j])
            return array(lambda p, q: where((p == i + 1) & (q == j + 1), best, d[p, q]))

        return fold(d, cell, count=t.size(1))

    size = t.size(0) + 1, t.size(1) + 1
    start = array(lambda i, j: i - j, size=size)
    return fold(start, lambda _, d: fold(d, row, count=t.size(0)), count=2)


@function
def triangle(t: Vec[Vec[Int]]):
    """Rows whose length varies from step to step."""

    def row(i: Any, above: Any):
        def cell(j: Any, row: Any):
            return written(row, j + 1, max(row[j] - 1, above[j] + t[i, j]))

        return fold(above, cell, count=min(i + 1, t.size(1)))

    return fold(array(lambda j: 0, size=t.size(1) + 1), row, count=t.size(0))


PROGRAMS: dict[str, Function[..., Any]] = {
    "machines": machines,
    "subsequence": subsequence,
    "distances": distances,
    "table": table,
    "triangle": triangle,
}


@pytest.mark.parametrize("largest", [9, LARGE])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, largest: int) -> None:
    for shape in sizes_on("numpy", SHAPES, name):
        t = np.random.default_rng(0).integers(-largest, largest, size=shape)
        assert_call_agrees(PROGRAMS[name], (t,), "numpy", {})


@pytest.mark.parametrize("name", ["machines", "subsequence", "distances", "table"])
def test_short_rows_are_loops_of_few_steps(name: str) -> None:
    source = PROGRAMS[name].source(np.ones((2, 2), int))
    most = 255 if name == "subsequence" else 31  # of windows of steps, which are several calls
    assert f"{most} if" in source or f"min(size1_t, {most})" in source
    assert ("weighted_scan" in source) == (name == "subsequence")


def test_rows_that_depend_on_no_other_are_computed_at_once() -> None:
    @function
    def sums(t: Vec[Vec[Int]]):
        def row(i: Any, d: Any):
            def cell(j: Any, d: Any):
                total = d[i, j] + t[i, j]
                return array(lambda p, q: where((p == i) & (q == j + 1), total, d[p, q]))

            return fold(d, cell, count=t.size(1))

        start = array(lambda i, j: 0, size=(t.size(0), t.size(1) + 1))
        return fold(start, row, count=t.size(0))

    assert "for " not in sums.source(np.ones((2, 2), int))
