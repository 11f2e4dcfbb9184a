"""Folds that store values at computed positions: the last of equal ones stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, function, run_pipeline, where
from tests.agreement.comparison import assert_call_agrees
from tests.detached import assert_whole
from tests.libraries import BACKENDS

Ints = Vec[Int]
Floats = Vec[Float]
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@function
def stored(v: Floats, p: Ints, x: Floats) -> Floats:
    return fold(v, lambda k, v: array(lambda t: where(t == p[k], x[k], v[t])))


@function
def expressions(v: Floats, p: Ints, x: Floats) -> Floats:
    def step(k: Int, v: Any) -> Any:
        return array(lambda t: where(t == p[k], 2.0 * x[k] + k.float(), v[t]))

    return fold(v, step, count=p.size(0))


@function
def if_positive(v: Floats, p: Ints, x: Floats) -> Floats:
    def step(k: Int, v: Any) -> Any:
        return array(lambda t: where((t == p[k]) & (x[k] > 0.0), x[k], v[t]))

    return fold(v, step)


@function
def inverse(v: Floats, p: Ints, x: Floats) -> Ints:
    none: Any = array(lambda t: -1, size=v.size(0))
    return fold(none, lambda k, q: array(lambda t: where(t == p[k], k, q[t])), count=p.size(0))


@function
def marks(v: Floats, p: Ints, x: Floats) -> Floats:
    none: Any = array(lambda t: 0.0, size=v.size(0))
    return fold(none, lambda k, q: array(lambda t: where(t == p[k], 1.0, q[t])), count=p.size(0))


@function
def by_two_keys(v: Floats, p: Ints, x: Floats) -> Any:
    none: Any = array(lambda i, j: 0.0, size=(v.size(0), 3))

    def step(k: Int, m: Any) -> Any:
        return array(lambda i, j: where((i == p[k]) & (j == k % 4), x[k], m[i, j]))

    return fold(none, step)


@function
def rows(v: Floats, p: Ints, x: Floats) -> Any:
    start: Any = array(lambda i, j: v[i] + j.float(), size=(None, 2))

    def step(k: Int, m: Any) -> Any:
        return array(lambda i, j: where(i == p[k], x[k] * j.float(), m[i, j]))

    return fold(start, step)


@function
def used_later(v: Floats, p: Ints, x: Floats) -> tuple[Floats, Floats]:
    w: Any = array(lambda t: v[t] * 2.0)
    new = fold(w, lambda k, w: array(lambda t: where(t == p[k], x[k], w[t])))
    return new, array(lambda t: w[t] + new[t])


@function
def deposits(v: Floats, p: Ints, x: Floats) -> Floats:
    """In each step of a loop, values are stored in the vector that it carries."""
    n = v.size(0)

    def step(t: Int, v: Any) -> Any:
        def store(k: Int, v: Any) -> Any:
            return array(lambda i: where(i == p[k] + t, x[k] * t.float(), v[i]))

        return fold(v, store, count=p.size(0))

    return fold(v, step, count=n // 2)


@function
def strikes(v: Floats, p: Ints, x: Floats) -> Floats:
    """Under a condition, at multiples of a counter: their number differs by step."""
    n = v.size(0)

    def step(k: Int, v: Any) -> Any:
        def strike(m: Int, v: Any) -> Any:
            return array(lambda i: where(i == (m + 2) * (k + 2), 0.0, v[i]))

        return where(v[k] > 0.0, fold(v, strike, count=n // (k + 2)), v)

    return fold(v, step, count=n // 2)


LOOPS = deposits, strikes
PROGRAMS = (
    stored,
    expressions,
    if_positive,
    inverse,
    marks,
    by_two_keys,
    rows,
    used_later,
)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("sizes", "dtype"),
    [
        ((0, 3), "float64"),
        ((3, 0), "float64"),
        ((1, 1), "float64"),
        ((5, 8), "float64"),
        ((9, 4), "float32"),
    ],
)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_sizes(program: Any, sizes: tuple[int, int], dtype: str, backend: str) -> None:
    n, m = sizes
    draw = np.random.default_rng(n)
    arguments = (
        draw.normal(size=n).astype(dtype),
        draw.integers(-1, n + 1, m),
        draw.normal(size=m).astype(dtype),
    )
    assert_call_agrees(program, arguments, backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (1, 1), (6, 31), (5, 32), (70, 40)])
@pytest.mark.parametrize("program", LOOPS, ids=lambda program: program.__name__)
def test_loops_that_carry_the_vector(program: Any, sizes: tuple[int, int], backend: str) -> None:
    n, m = sizes
    draw = np.random.default_rng(n)
    arguments = draw.normal(size=n), draw.integers(-1, n + 1, m), draw.normal(size=m)
    assert_call_agrees(program, arguments, backend, TOLERANCE)


@pytest.mark.parametrize("program", LOOPS, ids=lambda program: program.__name__)
def test_loops_store_many_values_at_once(program: Any) -> None:
    source = program.source(np.ones(3), np.arange(4), np.ones(4), backend="numpy")
    assert "placed_values(" in source


@pytest.mark.parametrize("program", PROGRAMS[:-1], ids=lambda program: program.__name__)
def test_arguments_stay(program: Any) -> None:
    v, x = np.ones(4), np.arange(3.0)
    program(v, np.array([0, 2, 0]), x)
    np.testing.assert_array_equal(v, np.ones(4))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values_are_stored(program: Any) -> None:
    arguments = np.ones(3), np.arange(4), np.ones(4)
    source = program.source(*arguments, backend="numpy")
    assert "placed_values(" in source
    assert "accumulate_at(" not in source


def test_values_that_are_not_stored_leave_no_operation() -> None:
    """Each of two vectors starts anew: there is no vector of the shape of the result."""

    def both(v: Floats, p: Ints, x: Floats) -> Vec[Vec[Float]]:
        def step(k: Any, s: Any) -> Any:
            return array(lambda i: where(i == p[k], v[i] + x[k], s[i]))

        return array(lambda r: fold(v, step, count=p.size()), size=2)

    arguments = np.ones(3), np.arange(2), np.ones(2)
    module = function(both).phi(*arguments)
    run_pipeline(module, "numpy", after_each=lambda _, now: assert_whole(now))
    assert_call_agrees(function(both), arguments, "numpy", TOLERANCE)
