"""Recurrences in vectors: their recognition, and their meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir import Float, Int, Vec, array, fold, function, max, min, where
from tests.libraries import BACKENDS, INSTALLED
from tests.selection import examples

Cell = Callable[[Any, Any], Any]


def forwards(cell: Cell, size: Any, start: Any) -> Any:
    """``v[j + 1] = cell(j, v[j])``"""

    def step(j, v):
        return array(lambda k: where(k == j + 1, cell(j, v[j]), v[k]))

    return fold(array(lambda k: start, size=size + 1), step, count=size)


def in_place(cell: Cell, v: Any) -> Any:
    """``v[j] = cell(j, v[j - 1])``, where ``v[-1]`` is the first element."""

    def step(j, v):
        return array(lambda k: where(k != j, v[k], cell(j, v[j - 1])))

    return fold(v, step, count=v.size())


def backwards(cell: Cell, v: Any) -> Any:
    """``v[n - 1 - j] = cell(n - 1 - j, v[n - j])``"""
    n = v.size()

    def step(j, v):
        place = n - 1 - j
        return array(lambda k: where(k == place, cell(place, v[place + 1]), v[k]))

    return fold(v, step, count=n)


def inside(cell: Cell, v: Any) -> Any:
    """All elements except two at each end."""

    def step(j, v):
        return array(lambda k: where(k == j + 2, cell(j, v[j + 1]), v[k]))

    return fold(v, step, count=(v.size() - 4).max(0))


VARIANTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sums": lambda x, a, b: forwards(lambda j, v: v + x[j], x.size(), 0.5),
    "differences": lambda x, a, b: forwards(lambda j, v: 1.0 + (v - x[j]), x.size(), 0.5),
    "smallest": lambda x, a, b: in_place(lambda j, v: min(x[j], v), x),
    "largest": lambda x, a, b: backwards(lambda j, v: max(v, x[j], 0.25), x),
    "products": lambda x, a, b: in_place(lambda j, v: v * a[j], a),
    "old elements": lambda x, a, b: in_place_sums(a),
    "inside": lambda x, a, b: inside(lambda j, v: v + a[j], b),
    "differences backwards": lambda x, a, b: backwards(lambda j, v: v - a[j], b),
    "costs": lambda x, a, b: forwards(lambda j, v: min(v + 3, a[j] % 100), a.size(), 7),
    "costs first": lambda x, a, b: forwards(lambda j, v: min(a[j] % 100, 3 + v), a.size(), 7),
    "costs that vary": lambda x, a, b: forwards(
        lambda j, v: max(v - b[j] % 7, a[j] % 100), a.size(), 7
    ),
    "costs of choices": lambda x, a, b: forwards(
        lambda j, v: min(v + where(a[j] == b[j], 0, j % 4), j * 2), a.size(), 0
    ),
    "costs around": lambda x, a, b: forwards(
        lambda j, v: min(min(v + 1, a[j] % 5) + 2, b[j] % 9), a.size(), 0
    ),
    "costs backwards": lambda x, a, b: backwards(
        lambda j, v: max(v - 2, b[j] % 9), array(lambda i: a[i] % 50)
    ),
}


def in_place_sums(a: Any) -> Any:
    """``v[j] += v[j - 1]``, for all except the first."""

    def step(j, v):
        return array(lambda k: where(k == j + 1, v[j] + v[j + 1], v[k]))

    return fold(a, step, count=(a.size() - 1).max(0))


def variant(name: str) -> Any:
    """A program of three vectors of one size."""
    body = VARIANTS[name]

    def program(x: Vec[Float], a: Vec[Int], b: Vec[Int]):
        return body(x, a, b)

    return function(program)


PROGRAMS = {name: variant(name) for name in VARIANTS}

LARGE = [2**62, -(2**62), 2**63 - 1, -(2**63)]
Ints = st.integers(-20, 20) | st.sampled_from(LARGE)
Floats = st.floats(-9, 9, width=32) | st.sampled_from([float("nan"), float("inf"), 0.0, -0.0])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", VARIANTS)
@settings(max_examples=examples(10, is_drawn=True))
@given(rows=st.lists(st.tuples(Floats, Ints, Ints), max_size=7))
def test_any_values(rows: list[tuple[float, int, int]], name: str, backend: str) -> None:
    x = np.array([row[0] for row in rows], np.float64)
    a, b = (np.array([row[k] for row in rows], np.int64) for k in (1, 2))
    expected = PROGRAMS[name].eval(x, a, b, backend="naive")
    actual = np.asarray(PROGRAMS[name].eval(x, a, b, backend=backend))
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual, expected)


@pytest.mark.parametrize("name", VARIANTS)
def test_recurrences_are_found_however_they_are_written(name: str) -> None:
    ir = PROGRAMS[name].ir("yarr", np.ones(5), np.ones(5, np.int64), np.ones(5, np.int64))
    assert "yarr.scan" in ir
    loops = [line for line in ir.splitlines() if "yarr.fold" in line]
    assert not [line for line in loops if "tensor<?" in line]  # Others are choices of numbers.


LOOPS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "costs of floats": lambda x, a, b: forwards(lambda j, v: min(v + 1.0, x[j]), x.size(), 0.0),
    "products and sums": lambda x, a, b: in_place(lambda j, v: v * 2 + a[j], a),
    "both bounds": lambda x, a, b: in_place(lambda j, v: max(min(v, a[j]), b[j]), a),
    "twice": lambda x, a, b: in_place(lambda j, v: v + v, a),
    "two back": lambda x, a, b: fold(
        a, lambda j, v: array(lambda k: where(k == j, v[j - 2] + b[j], v[k])), count=a.size()
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_others_stay_loops(name: str) -> None:
    body = LOOPS[name]

    def program(x: Vec[Float], a: Vec[Int], b: Vec[Int]):
        return body(x, a, b)

    compiled = function(program)
    x, a, b = np.array([1.5, np.inf, 2.0]), np.array([2, 2**62, 5]), np.array([2**62, 1, -3])
    assert "yarr.scan" not in compiled.ir("yarr", x, a, b)
    for backend in INSTALLED:
        actual = np.asarray(compiled.eval(x, a, b, backend=backend))
        np.testing.assert_allclose(actual, compiled.eval(x, a, b, backend="naive"))


VERSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "costs": lambda a, b: forwards(lambda j, v: min(v + a[j], b[j]), a.size(), 0),
    "limits": lambda a, b: forwards(lambda j, v: min(v + 1, b[j]), a.size(), 0),
}


@pytest.mark.parametrize("name", VERSIONS)
@pytest.mark.parametrize("largest", [5, 2**62])
def test_sums_that_may_wrap_are_two_versions(name: str, largest: int) -> None:
    body = VERSIONS[name]

    def program(a: Vec[Int], b: Vec[Int]):
        return body(a, b)

    compiled = function(program)
    a, b = np.array([2, largest, 5]), np.array([largest, 1, -3])
    code = compiled.ir("yarr", a, b)
    assert "yarr.scan" in code
    assert "yarr.update" in code
    for backend in INSTALLED:
        actual = np.asarray(compiled.eval(a, b, backend=backend))
        np.testing.assert_array_equal(actual, compiled.eval(a, b, backend="naive"))
