"""Steps that write several slices of an array, each from old elements: sorting, sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, function, max, min, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


@function
def sorted_by_turns(a: Vec[Float]):
    """Odd-even transposition sort."""
    n = a.size(0)

    def step(k: Any, a: Any):
        def element(i: Any):
            is_right = ((i + k) % 2 == 1) & (i > 0)
            is_left = ((i + k) % 2 == 0) & (i + 1 < n)
            return where(is_left, min(a[i], a[i + 1]), where(is_right, max(a[i - 1], a[i]), a[i]))

        return array(element, size=n)

    return fold(a, step, count=n)


@function
def three_colours(a: Vec[Float], steps: Int):
    """The third colour keeps its elements; the first one overlaps the second at no index."""
    n = a.size(0)

    def element(i: Any, a: Any):
        first = where((i % 3 == 1) & (i + 1 < n), a[i] - a[i + 1], a[i])
        return where((i % 3 == 0) & (i > 0), a[i - 1] + 0.5 * a[i], first)

    return fold(a, lambda _, a: array(lambda i: element(i, a), size=n), count=steps)


@function
def overlapping(a: Vec[Float], p: Int):
    """The outer slice is written last."""
    return array(lambda i: where(i % 2 == 0, 2.0 * a[i], where(i % 3 == p, -a[i], a[i])))


@function
def rows_and_columns(a: Vec[Vec[Float]], steps: Int):
    n, m = a.shape

    def element(i: Any, j: Any, a: Any):
        return where(i % 2 == 0, a[i + 1, j] * 0.5, where(j % 2 == 1, a[i, j - 1], a[i, j]))

    return fold(a, lambda _, a: array(lambda i, j: element(i, j, a), size=(n, m)), count=steps)


@function
def cleared(a: Vec[Vec[Float]], steps: Int):
    """A row and a column become one number in each step."""

    def step(k: Any, a: Any):
        return array(lambda i, j: where((i == 2 * k) | (j == k + 1), -1.0, a[i, j]))

    return fold(a, step, count=steps)


@function
def two_colours(a: Vec[Vec[Float]], steps: Int):
    """Sweeps over the fields of one colour, then over those of the other."""
    n, m = a.shape

    def sweep(a: Any, colour: int, slope: int):
        def element(i: Any, j: Any):
            inner = (i > 0) & (i < n - 1) & (j > 0) & (j + 1 < m)
            near = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
            return where(inner & ((i + slope * j) % 2 == colour), 0.25 * near - a[i, j], a[i, j])

        return array(element, size=(n, m))

    return fold(a, lambda _, a: sweep(sweep(a, 0, 1), 1, -1), count=steps)


@function
def demosaiced(a: Vec[Vec[Float]], colours: Int):
    """The elements of one colour and of three, each from its neighbours."""
    n, m = a.shape

    def two(i: Any, j: Any):
        near = where((i > 0) & (j > 0), a[i - 1, j] + a[i, j - 1], a[i, j])
        return where((i + j + 1) % 2 == 0, a[i, j], near)

    def three(i: Any, j: Any):
        return where((i - j + colours) % 3 == 1, a[j, i], -a[i, j])

    return array(two, size=(n, m)), array(three, size=(n, m))


@function
def alternatives(a: Vec[Float], steps: Int):
    """Both sides of a choice are of half of the elements."""
    n = a.size(0)

    def element(i: Any, k: Any, a: Any):
        left = where(i < n - 1, min(a[i], a[i + 1]), a[i])
        return where((i + k) % 2 != 0, left, where(i > 0, max(a[i - 1], a[i]), a[i]))

    return fold(a, lambda k, a: array(lambda i: element(i, k, a), size=n), count=steps)


@function
def lattice(a: Vec[Float], steps: Int):
    """Three indices."""
    n = a.size(0)

    def element(i: Any, j: Any, k: Any, g: Any):
        return where((i + j - k) % 2 == 1, g[i, j - 1, k] - a[i], g[i, j, k])

    cube = array(lambda i, j, k: a[i] * a[k] + a[j], size=(n, n, n))
    return fold(
        cube, lambda _, g: array(lambda i, j, k: element(i, j, k, g), size=(n, n, n)), count=steps
    )


TOLERANCE = {"float64": 1e-12}


@pytest.mark.parametrize("backend", BACKENDS)
def test_slices_that_alternate(backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 3, 8)):
        values = np.random.default_rng(size).normal(size=size)
        assert_call_agrees(sorted_by_turns, [values], backend, TOLERANCE)
        assert_call_agrees(three_colours, [values, 3], backend, TOLERANCE)
        assert_call_agrees(overlapping, [values, size % 4], backend, TOLERANCE)
        table = np.random.default_rng(size).normal(size=(size, (size + 3) % 5))
        assert_call_agrees(rows_and_columns, [table, 3], backend, TOLERANCE)
        assert_call_agrees(cleared, [table, 3], backend, TOLERANCE)
        assert_call_agrees(two_colours, [table, 3], backend, TOLERANCE)
        assert_call_agrees(demosaiced, [table, size], backend, TOLERANCE)
        assert_call_agrees(alternatives, [values, size], backend, TOLERANCE)
        assert_call_agrees(lattice, [values[:4], 2], backend, TOLERANCE)


def test_slices_are_written_in_place() -> None:
    """Values of all slices are computed before the first one is written."""
    step = sorted_by_turns.source(backend="numpy").split("for k in")[1]
    assert step.count("a_1[") == 2
    assert ".copy()" not in step
    assert "np.where" not in step


def test_a_row_of_one_number_is_no_array() -> None:
    source = cleared.source(backend="numpy")
    assert source.count("] = -1.0") == 2
    assert "np.full" not in source


def test_no_element_of_another_colour_is_computed() -> None:
    for program in (two_colours, alternatives, lattice):
        source = program.source(backend="numpy").partition(f"def {program.__name__}")[2]
        assert "np.where" not in source
        assert "copyto" not in source
