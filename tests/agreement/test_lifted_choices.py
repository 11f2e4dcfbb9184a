"""Elements at a position, computed apart in the steps of loops: ``2 * where(i == p, x, a[i])``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Bool, Float, Int, Vec, array, fold, fold_sum, function, sqrt, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]
Ints = Vec[Int]


@function
def decays(v: Vector, a: Matrix, p: Ints, q: Ints) -> Vector:
    """All elements decay after one is raised."""
    return fold(
        v,
        lambda t, s: array(lambda i: where(i == p[t], s[i] + 1.0, s[i]) * 0.75),
        count=p.size(),
    )


@function
def traces(v: Vector, a: Matrix, p: Ints, q: Ints) -> Vector:
    """The eligibility of states: it decays, and grows at the states that are visited."""

    def step(t: Int, s: Vector) -> Vector:
        return array(
            lambda i: 0.5 * s[i] + where(i == p[t], 1.0, 0.0) - where(q[t] == i, s[p[t]], 0.0)
        )

    return fold(v, step, count=p.size())


@function
def exchanged_rows(v: Vector, a: Matrix, p: Ints, q: Ints) -> Matrix:
    """Rows are exchanged by a choice of positions, and columns by a choice of elements."""
    n, m = a.size(0), a.size(1)

    def step(t: Int, s: Matrix) -> Matrix:
        i0, i1 = p[t], q[t]
        rows = array(lambda i, j: s[where(i == i0, i1, where(i == i1, i0, i)), j], size=(n, m))
        return array(
            lambda i, j: 0.5 * where(j == i0, rows[i, i1], where(i1 != j, rows[i, j], rows[i, i0]))
        )

    return fold(a, step, count=p.size())


@function
def conditional(v: Vector, a: Matrix, p: Ints, q: Ints) -> Vector:
    """Conditions that vary with the index, or with none; the same position twice."""

    def step(t: Int, s: Vector) -> Vector:
        def element(i: Int) -> Float:
            x = where((i == p[t]) & (s[i] > 0.0), -s[i], s[i])
            y = where((i == q[t]) & (v[0] > 0.0), x - 1.0, x * 0.5)
            return sqrt(y * y + 1.0) + where(i != p[t], y, 2.0)

        return array(element)

    return fold(v, step, count=p.size())


@function
def elements_of_matrices(v: Vector, a: Matrix, p: Ints, q: Ints) -> Matrix:
    """Single elements, a row and a column, and the same element of a diagonal."""

    def step(t: Int, s: Matrix) -> Matrix:
        def element(i: Int, j: Int) -> Float:
            x = where((i == p[t]) & (j == q[t]), 3.0, s[i, j])
            return 0.5 * where(i == q[t], x + 1.0, x) + where(i == j, 0.25, 0.0)

        return array(element)

    return fold(a, step, count=p.size())


@function
def sums(v: Vector, a: Matrix, p: Ints, q: Ints) -> Vector:
    """The element at a position is the sum of others."""

    def step(t: Int, s: Vector) -> Vector:
        total = fold_sum(lambda k: s[k])
        return array(lambda i: where(i == p[t], total, s[i]) / 4.0 + v[i])

    return fold(v, step, count=p.size())


@function
def toggles(v: Vector, a: Matrix, p: Ints, q: Ints) -> Vec[Bool]:
    """Bools."""
    return fold(
        array(lambda i: v[i] > 0.0),
        lambda t, s: array(lambda i: where(i == p[t], ~s[i], s[i]) & (v[i] < 1.0)),
        count=p.size(),
    )


PROGRAMS = [decays, traces, exchanged_rows, conditional, elements_of_matrices, sums, toggles]
TOLERANCE = {"float64": 1e-13, "float32": 1e-5}
SIZES = [(0, 0, 3), (1, 2, 3), (2, 1, 0), (5, 5, 9), (4, 7, 30)]


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_elements_at_positions_are_computed_apart(program: Any, backend: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for n, m, steps in SIZES:
        v, a = rng.normal(size=n).astype(dtype), rng.normal(size=(n, m)).astype(dtype)
        v[: n // 3] = np.nan
        p, q = (rng.integers(-2, n + 2, steps) for _ in range(2))
        assert_call_agrees(program, [v, a, p, q], backend, TOLERANCE)


def test_choices_of_positions_become_updates_in_loops() -> None:
    v, p = np.zeros(3), np.arange(3)
    source = exchanged_rows.source(v, np.zeros((3, 3)), p, p)
    assert "np.where" not in source
    assert "take(" not in source
