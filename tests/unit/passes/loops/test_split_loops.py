"""``split-loops``: the same results, from loops that are checked at each step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold_sum, function, where
from ein_mlir.pipelines import run_pipeline
from tests.unit.passes.conversions.loops_interpreter import TO_LOOPS, loops_of

PASSES = (*TO_LOOPS, "version-loops")


@function
def blurred(a: Any, w: Any) -> Any:
    """Pixels at the edges are repeated."""
    return array(lambda i, j: a[i, j - 2] + 2.0 * a[i, j] + a[i, j + 1], size=a.shape)


@function
def torus(a: Any, w: Any) -> Any:
    n, m = a.shape
    return array(lambda i, j: a[(i - 1) % n, (j + 1) % m] - a[i, (j - 3) % m], size=(n, m))


@function
def fixed_border(a: Any, w: Any) -> Any:
    """The conditions are those of positions in bounds."""
    n, m = a.shape

    def cell(i: Any, j: Any) -> Any:
        inside = (i > 0) & (i < n - 1) & (j >= 1) & (j + 1 < m)
        return where(inside, a[i, j - 1] + a[i - 1, j] + a[i + 1, j] + a[i, j + 1], a[i, j])

    return array(cell, size=(n, m))


@function
def one_column(a: Any, w: Any) -> Any:
    """An equation at a border, and one elsewhere."""
    m = a.shape[1]
    return array(
        lambda i, j: where((j == 0) | (j == m - 1), 0.0, a[i, j - 1]) + where(j == 1, 1.0, 0.0),
        size=a.shape,
    )


@function
def inclusive(a: Any, w: Any) -> Any:
    """Comparisons with the last step for which they hold, near either end."""
    m = a.shape[1]
    return array(
        lambda i, j: where((j <= 2) | (j > m - 4), a[i, j - 1], a[i, j + 1]),
        size=a.shape,
    )


@function
def smoothed(a: Any, w: Any) -> Any:
    """A window whose width is known at run time."""
    return array(
        lambda i, j: fold_sum(lambda t: w[t] * a[i, j + t - w.shape[0] // 2]), size=a.shape
    )


@function
def one_axis(a: Any, w: Any) -> Any:
    return array(lambda i: w[i - 1] - w[i + 1], size=w.shape[0])


PROGRAMS = (blurred, torus, fixed_border, one_column, inclusive, smoothed, one_axis)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program: Any) -> None:
    traced = program.phi(np.ones((2, 2)), np.ones(2))
    plain, parts = loops_of(traced, PASSES), loops_of(traced, (*PASSES, "split-loops"))
    random = np.random.default_rng(0)
    for rows, columns in ((0, 0), (0, 3), (2, 0), (1, 1), (2, 2), (3, 3), (2, 4), (3, 9)):
        for width in (1, 2, 3, 7):
            a, w = random.normal(size=(rows, columns)), random.normal(size=width)
            expected, got = np.asarray(plain(a, w)), np.asarray(parts(a, w))
            assert got.tobytes() == expected.tobytes(), f"{rows} x {columns}, {width}"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_loops_are_split(program: Any) -> None:
    traced = program.phi(np.ones((2, 2)), np.ones(2))
    before = str(run_pipeline(traced.clone(), PASSES))
    after = str(run_pipeline(traced.clone(), (*PASSES, "split-loops")))
    assert after.count("scf.parallel") > before.count("scf.parallel")


@function
def rolled(a: Any, w: Any) -> Any:
    """The distance is an Int: the interior is not known to be most of the loop."""
    return array(lambda i: w[(i * 2) % w.shape[0]], size=w.shape[0])


@function
def columns(a: Any, w: Any) -> Any:
    """No position of an innermost axis is clipped."""
    return array(lambda i, j: a[i - 1, j] + a[i + 1, j], size=a.shape)


@pytest.mark.parametrize("program", [rolled, columns], ids=lambda p: p.__name__)
def test_loops_stay(program: Any) -> None:
    traced = program.phi(np.ones((2, 2)), np.ones(2))
    before = str(run_pipeline(traced.clone(), PASSES))
    assert str(run_pipeline(traced.clone(), (*PASSES, "split-loops"))) == before
