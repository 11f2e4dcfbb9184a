"""Searches of nested loops, or of an index that is divided into several, among all elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    fold,
    fold_argmax,
    fold_argmin,
    fold_sum,
    function,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS


@function
def joined(x: Vec[Vec[Float]]):
    q = fold_argmin(lambda q: x[q // x.size(1), q % x.size(1)], count=x.size(0) * x.size(1))
    return q, q // x.size(1), q % x.size(1)


@function
def computed(x: Vec[Vec[Float]]):
    """Elements that take a sum, and guards of some."""
    n, m = x.shape

    def element(i: Any, k: Any):
        return where(k % 2 == 0, fold_sum(lambda c: (x[i, c] - x[k, c]) ** 2), 1e300)

    return fold_argmin(lambda q: element(q // n, q % n), count=n * n), m


@function
def best_pair(x: Vec[Vec[Float]]):
    """The places as they are, and a value of them."""

    def inner(a: Any, best: Any):
        def step(b: Any, best: Any):
            better = x[a, b] > best[0]
            return where(better, (x[a, b], a, b, a + 2 * b), best)

        return fold(best, step, count=x.size(1))

    return fold((-1e300, 0, 0, 7), inner, count=x.size(0))


@function
def last_of_ties(x: Vec[Vec[Float]]):
    """Ints, and the last of equal ones."""

    def inner(a: Any, best: Any):
        def step(b: Any, best: Any):
            value = where(x[a, b] > 0.0, 1, 0) + where(x[a, b] > 2.0, 1, 0)
            return where(value >= best[0], (value, a, b), best)

        return fold(best, step, count=x.size(1))

    return fold((-1, -1, -1), inner, count=x.size(0))


@function
def of_each(x: Vec[Vec[Float]]):
    n, m = x.shape
    return array(lambda t: fold_argmax(lambda q: x[q // m, q % m] * x[t, 0], count=n * m))


@function
def bounded(x: Vec[Vec[Float]]):
    """A row counts up to its number."""

    def inner(a: Any, best: Any):
        def step(b: Any, best: Any):
            return where((b < a) & (x[a, b] < best[0]), (x[a, b], a), best)

        return fold(best, step, count=x.size(1))

    return fold((1e300, 0), inner, count=x.size(0))


@function
def pairs(x: Vec[Vec[Float]]):
    """A triangle by places, and by a guard in nested loops."""
    n, m = x.shape

    def inner(a: Any, best: Any):
        def step(b: Any, best: Any):
            return where((b > a) & (x[a, b] < best[0]), (x[a, b], a, b), best)

        return fold(best, step, count=m)

    best = fold((np.inf, -1, -1), inner, count=n)
    at = fold_argmin(lambda q: where(q // m < q % m, x[q // m, q % m], np.inf), count=n * m)
    return at, best


@function
def flat(x: Vec[Vec[Float]], k: Int):
    """Three axes as one, from an array that is computed."""
    n, m = x.shape
    table = array(lambda a, i, j: x[i, j] * (a + 1).float(), size=(k, n, m))
    scaled = array(lambda q: 2.0 * table[q // (n * m), (q // m) % n, q % m], size=k * n * m)
    turned = array(lambda q: table[q % k, q // (m * k), (q // k) % m], size=n * m * k)
    at = fold_argmin(lambda q: table[q // (n * m), (q // m) % n, q % m], count=k * n * m)
    return scaled, turned, at


@function
def four(x: Vec[Vec[Float]]):
    n, m = x.shape
    t = array(lambda a, b, i, j: x[i, j] + (2 * a + b).float(), size=(2, m, n, m))
    return array(
        lambda q: t[q // (m * n * m), q // (n * m) % m, q // m % n, q % m], size=2 * m * n * m
    )


PROGRAMS = [joined, computed, best_pair, last_of_ties, of_each, bounded, pairs]
SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (4, 1), (2, 3), (7, 5)]


def _values(shape: Any) -> Any:
    values = np.random.default_rng(sum(shape)).integers(-4, 5, shape).astype(np.float64)
    values[values == -4] = np.nan
    values[values == 4] = np.inf
    return values


TOLERANCE = {"rtol": 1e-12, "atol": 1e-12}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_searches_of_rows(program: Any, backend: str) -> None:
    for shape in SHAPES:
        values = _values(shape)
        if program is last_of_ties:
            values = np.nan_to_num(values, posinf=3.0)
        with np.errstate(all="ignore"):
            assert_call_agrees(program, [values], backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_several_axes_as_one(backend: str) -> None:
    for number, shape in enumerate(SHAPES):
        values = _values(shape)
        assert_call_agrees(four, [values], backend, TOLERANCE)
        assert_call_agrees(flat, [values, number % 4], backend, TOLERANCE)


def test_elements_of_all_rows_are_searched_at_once() -> None:
    assert "argmin(flatten(x, 0), 0)" in joined.source(backend="numpy")
    assert "for " not in pairs.source(backend="numpy").split("def pairs")[1]
    for backend in ("numpy", "torch"):
        assert "gathered(" not in four.source(backend=backend).split("def four")[1]
