"""``narrow-loops``: the same results, though elements that are not read are not computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_max, fold_sum, function, where
from ein_mlir.pipelines import LOOPS, run_pipeline
from tests.unit.passes.conversions.loops_interpreter import TO_LOOPS, loops_of

PASS = "narrow-loops"
BEFORE = LOOPS[: LOOPS.index(PASS)]
"""The passes before it, which let loops overwrite arrays, as elimination does."""


def _costly(a: Any, i: Any, j: Any) -> Any:
    """An element that is stored, since it is read more than once."""
    return fold_sum(lambda k: (a[i, k] * a[j, k]).tanh())


def _zeros(a: Any) -> Any:
    return array(lambda i, j: 0.0 * a[i, j])


@function
def below(a: Any) -> Any:
    """Columns from the diagonal on, of which the first element is read, too."""

    def step(j: Any, lower: Any) -> Any:
        rest = array(lambda i: _costly(a, i, j) - lower[i, 0] * lower[j, 0])
        return array(
            lambda i, c: where((c == j) & (i >= j), rest[i] / (rest[j] + 2.0), lower[i, c])
        )

    return fold(_zeros(a), step, count=a.size(1))


@function
def strictly_below(a: Any) -> Any:
    """Columns below the diagonal."""

    def step(j: Any, lower: Any) -> Any:
        rest = array(lambda i: _costly(a, i, j) + lower[i, j])
        return array(
            lambda i, c: where((c == j) & (j < i), rest[i] * rest[i].exp() + rest[i], lower[i, c])
        )

    return fold(_zeros(a), step, count=a.size(1))


@function
def above(a: Any) -> Any:
    """Rows up to a column, in another selection that does not hold."""

    def step(j: Any, state: Any) -> Any:
        row = array(lambda i: _costly(a, i, 0) * state[j])
        return array(lambda i: where(i > j, state[i], row[i] + row[j] * state[i]))

    return fold(array(lambda i: a[i, 0]), step, count=a.size(0))


@function
def before(a: Any) -> Any:
    """A sum over the elements before a step, and a maximum of those in a band."""

    def step(j: Any, state: Any) -> Any:
        row = array(lambda i: _costly(a, i, j) * state[0])
        total = fold_sum(lambda k: row[k], count=j)
        largest = fold_max(lambda k: where((k >= j) & (k <= j), row[k], -1.0))
        return array(lambda i: where(i == j, total + largest, state[i]))

    return fold(array(lambda i: 1.0 + 0.0 * a[i, 0]), step, count=a.size(0))


@function
def clipped(a: Any) -> Any:
    """Positions of a step that may be beyond the last element."""

    def step(j: Any, state: Any) -> Any:
        row = array(lambda i: _costly(a, i, 0) * state[0])
        return array(lambda i: where(i >= j, row[i] + row[j], state[i] + row[j]))

    return fold(array(lambda i: 1.0 + 0.0 * a[i, 0]), step, count=a.size(1))


@function
def columns(a: Any) -> Any:
    """Sums for neighbouring results, which are computed in blocks."""

    def step(j: Any, state: Any) -> Any:
        size = a.size(0)
        row = array(lambda i: fold_sum(lambda k: a[k, i].abs() * state[k], count=size), size=size)
        return array(lambda i: where(i >= j, row[i] / (row[j] + 1.0), state[i]))

    return fold(array(lambda i: 1.0 + 0.0 * a[i, 0]), step, count=a.size(0))


@function
def elimination(a: Any) -> Any:
    """Steps in place that change the elements below and right of one."""

    def element(x: Any, k: Any, i: Any, j: Any) -> Any:
        factor = x[i, k] / (x[k, k] + 3.0)
        return where(
            i > k, where(j == k, factor, where(j > k, x[i, j] - factor * x[k, j], x[i, j])), x[i, j]
        )

    return fold(a, lambda k, x: array(lambda i, j: element(x, k, i, j)), count=a.size(0))


@function
def lower_triangle(a: Any) -> Any:
    """Steps in place of which each row ends at the diagonal."""

    def element(x: Any, k: Any, i: Any, j: Any) -> Any:
        return where((i > k) & (j <= i), x[i, j] * x[i, j] + 1.0, x[i, j])

    return fold(a, lambda k, x: array(lambda i, j: element(x, k, i, j)), count=a.size(0))


IN_PLACE = (elimination, lower_triangle)
PROGRAMS = (below, strictly_below, above, before, clipped, columns, *IN_PLACE)
SHAPES = ((5, 3), (1, 1), (2, 2), (3, 5), (17, 17), (0, 2), (2, 0), (0, 0))


@pytest.mark.one_turn
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program: Any) -> None:
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    traced = program.phi(np.ones((3, 3)))
    passes = BEFORE if program in IN_PLACE else TO_LOOPS
    narrowed = loops_of(traced, (*passes, PASS))
    before = str(run_pipeline(traced.clone(), passes))
    assert str(run_pipeline(traced.clone(), (*passes, PASS))) != before
    for shape in SHAPES:
        values = np.random.default_rng(0).uniform(size=shape)
        want = program.eval(values, backend="naive")
        for got in (narrowed(values), program.eval(values, backend="native")):
            np.testing.assert_allclose(got, want, rtol=1e-12)


@function
def limited(a: Any, limits: Any) -> Any:
    """Limits from an array: any Ints."""

    def step(t: Any, state: Any) -> Any:
        limit = limits[t]
        row = array(lambda i: _costly(a, i, 0) * state[0])
        larger = array(lambda i: where(i > limit, row[i] + row[limit], state[i]))
        rest = array(lambda i: _costly(a, i, 1) + larger[0])
        return array(lambda i: where(i <= limit, rest[i] + rest[limit], larger[i]))

    return fold(array(lambda i: a[i, 0]), step, count=limits.size(0))


@function
def limited_in_place(a: Any, limits: Any) -> Any:
    """Steps in place, of which limits from an array leave out some."""

    def step(t: Any, state: Any) -> Any:
        limit = limits[t]
        return array(
            lambda i, j: where(
                (i > limit) & (j <= i + limit), state[i, j] * state[i, j] + 1.0, state[i, j]
            )
        )

    return fold(a, step, count=limits.size(0))


@function
def boxes(a: Any, limits: Any) -> Any:
    """Few elements in place from positions of an array on, and an element for each of them."""

    def step(t: Any, state: Any) -> Any:
        p, q = limits[t], limits[t + 3]

        def element(i: Any, j: Any) -> Any:
            first, above = where(i == p, 2.0, where(i == p + 2, 3.0, 1.0)), where(j == q, 1.0, 0.5)
            is_inside = (i >= p) & (i < p + 3) & (j > q - 1) & (j <= q + 1)
            return where(is_inside, state[i, j] * first + above, state[i, j])

        return array(element)

    return fold(a, step, count=limits.size(0))


@pytest.mark.parametrize("limited", [limited, limited_in_place, boxes], ids=lambda p: p.__name__)
def test_limits_may_be_any_ints(limited: Any) -> None:
    pytest.importorskip("llvmlite", reason="llvmlite is not installed")
    a = np.random.default_rng(0).uniform(size=(5, 2))
    ends = [-(2**63), -(2**63) + 1, 2**63 - 2, 2**63 - 1]
    limits = np.array([3, *ends, -1, 0, 1, 4, 5, 6, *ends])
    traced = limited.phi(a, limits)
    narrowed = loops_of(traced, (*TO_LOOPS, PASS))
    assert str(run_pipeline(traced.clone(), (*TO_LOOPS, PASS))) != str(
        run_pipeline(traced.clone(), TO_LOOPS)
    )
    want = limited.eval(a, limits, backend="naive")
    for got in (narrowed(a, limits), limited.eval(a, limits, backend="native")):
        np.testing.assert_allclose(got, want, rtol=1e-12)
