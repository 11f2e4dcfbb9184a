"""Gradients of a loop in each element of a batch, whose states stay in the loop over the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    array,
    exp,
    fold,
    fold_sum,
    function,
    scan,
    sin,
    sqrt,
    tanh,
    value_and_grad,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

SIZES = [(0, 3), (1, 0), (2, 1), (7, 4), (33, 5), (70, 3)]
"""Of the batch, and of its loops: 32 elements of a batch are a block."""


def controlled(k: Any, x: Any, steps: Any) -> Any:
    """Two states of each element, and gains that all share."""

    def cost(b: Any) -> Any:
        def step(t: Any, state: Any) -> Any:
            angle, speed, total = state
            force = tanh(k[0] * angle + k[1] * speed)
            speed = speed + 0.1 * (sin(angle) - force)
            return angle + 0.1 * speed, speed, total + angle * angle + 0.1 * force * force

        return fold((x[b], 0.5, 0.0), step, count=steps)[2]

    return fold_sum(cost, count=x.size())


def decaying(k: Any, x: Any, steps: Any) -> Any:
    """Roots and quotients, which are singular at zero, and a state that is not taken."""

    def rest(b: Any) -> Any:
        def step(t: Any, state: Any) -> Any:
            left, total = state
            left = left - sqrt(left * left) / (k[0] + left * k[1])
            return left, total + where(left > 0.2, exp(-left), 0.0)

        return fold((x[b], 0.0), step, count=steps)[1]

    return fold_sum(rest, count=x.size())


def of_rows(k: Any, x: Any, steps: Any) -> Any:
    """A result for each element of the batch, also of states that are read at a distance."""

    def last(b: Any) -> Any:
        def step(t: Any, y: Any) -> Any:
            return y * exp(-k[0] * y) + k[1] * x[b - 1]

        return fold(x[b], step, count=steps)

    rows = array(last, size=x.size())
    return fold_sum(lambda b: rows[b] * rows[b], count=x.size())


def ragged(k: Any, x: Any, steps: Any) -> Any:
    """Elements that take different numbers of steps."""

    def last(b: Any) -> Any:
        def step(t: Any, y: Any) -> Any:
            return y * exp(-k[0] * y) + k[1]

        return fold(x[b], step, count=steps + b % 3)

    return fold_sum(last, count=x.size())


PROGRAMS = [controlled, decaying, of_rows, ragged]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_of_batches_agree(program: Any, backend: str) -> None:
    both, random = function(value_and_grad(program, (0, 1))), np.random.default_rng(5)
    for batch, steps in sizes_on(backend, SIZES):
        k, x = random.uniform(0.2, 0.9, 2), random.normal(size=batch)
        assert_call_agrees(both, (k, x, steps), backend, {"float64": 1e-9})


@pytest.mark.parametrize("special", [np.nan, np.inf, 0.0])
@pytest.mark.parametrize("program", [controlled, of_rows], ids=lambda each: each.__name__)
def test_special_values_stay_in_their_elements(program: Any, special: float) -> None:
    both = function(value_and_grad(program, 1))
    x = np.random.default_rng(6).normal(size=40)
    x[[3, 39]] = special
    assert_call_agrees(both, (np.array([0.3, 0.4]), x, 4), "native", {"float64": 1e-9})


def predicted(r: Any, key: Any) -> Any:
    """Sums of as many steps as were taken, over rows of an array: of a batch, and looked up."""

    def coefficients(row: Any) -> Any:
        def step(m: Any, a: Any) -> Any:
            k = 1.0 + fold_sum(lambda j: a[j] * r[row, m - j], count=m)
            return array(lambda j: where(j < m, a[j] + k * a[m - 1 - j], where(j == m, k, a[j])))

        return fold(array(lambda j: 0.5, size=r.size(1)), step, count=r.size(1))

    rows = array(coefficients, size=r.size(0))
    looked_up = array(lambda i: coefficients(key[i]))
    last = fold_sum(lambda b: coefficients(b)[-1], count=r.size(0))
    return (
        fold_sum(lambda b, j: rows[b, j] ** 2.0)
        + fold_sum(lambda i, j: looked_up[i, j] * r[i, j], count=(key.size(), r.size(1)))
        + last
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_sums_of_varying_length_over_rows(backend: str) -> None:
    both, random = function(value_and_grad(predicted)), np.random.default_rng(7)
    for batch, lags in ((1, 1), (1, 3), (3, 4), (2, 6)):
        r, key = random.uniform(-0.5, 0.5, (batch, lags)), random.integers(0, batch, batch)
        assert_call_agrees(both, (r, key), backend, {"float64": 1e-9})


def curve(p: Any, t: Any) -> Any:
    """Points of a Bezier curve: both coordinates are those of the array that a loop computes."""
    d = p.size(0)

    def point(s: Any) -> Any:
        def level(k: Any, q: Any) -> Any:
            def mean(i: Any, c: Any) -> Any:
                return (1.0 - t[s]) * q[i, c] + t[s] * q[(i + 1).min(d - 1), c]

            return array(lambda i, c: where(i < d - 1 - k, mean(i, c), q[i, c]))

        return fold(p, level, count=d - 1)

    points = array(lambda s, c: point(s)[0, c] ** 2.0, size=(t.size(), 2))
    return fold_sum(lambda s: sqrt(points[s, 0] + points[s + 1, 1] + 0.1), count=t.size())


@pytest.mark.parametrize("backend", BACKENDS)
def test_elements_share_the_loop_that_computes_their_array(backend: str) -> None:
    both, random = function(value_and_grad(curve, (0, 1))), np.random.default_rng(4)
    for d, m in sizes_on(backend, [(4, 3), (1, 1), (3, 0)]):
        arguments = random.normal(size=(d, 2)), random.uniform(size=m)
        assert_call_agrees(both, arguments, backend, {"float64": 1e-9})


def loops_of_rows(x: Any, g: Any) -> Any:
    """Elements of loops for each row, and for each column, written as elements of a matrix."""
    n, m = x.shape

    def filtered(count: Any, at: Any) -> Any:
        def step(t: Any, state: Any) -> Any:
            old, y = state
            new = tanh(g * old + at(t))
            return new, array(lambda q: where(q == t, new, y[q]))

        return fold((0.0, array(lambda q: 0.0, size=count)), step, count=count)[1]

    def prefix(v: Any) -> Any:
        return scan(v, 0.0, lambda a, b: a + b)

    rows = array(lambda i, j: filtered(m, lambda t: x[i, t])[j])
    columns = array(lambda i, j: filtered(n, lambda t: x[t, j])[i])
    sums = array(lambda i, j: prefix(x[i])[j] + prefix(array(lambda p: x[p, j]))[i])
    shares = array(lambda i, j: column_shares(x, j)[i])
    total = fold_sum(lambda i, j: filtered(n, lambda t: x[t, j] - g)[i] ** 2.0, count=(n, m))
    return total + fold_sum(
        lambda i, j: (rows[i, j] * columns[i, j] + sums[i, j] * shares[i, j]) * (i - j).float()
    )


def column_shares(x: Any, j: Any) -> Any:
    column = array(lambda p: exp(x[p, j]))
    total = fold_sum(lambda p: column[p])
    return array(lambda p: column[p] / total)


@pytest.mark.parametrize("backend", BACKENDS)
def test_loops_of_rows_and_columns(backend: str) -> None:
    both, random = function(value_and_grad(loops_of_rows, argnums=(0, 1))), np.random.default_rng(8)
    for shape in ((1, 1), (2, 5), (4, 1), (0, 2)):
        assert_call_agrees(both, (random.normal(size=shape), 0.4), backend, {"float64": 1e-9})


def rotations_of_columns(a: Any, g: Any, key: Any) -> Any:
    """Steps that replace two columns by their sums; the gradient adds to columns in place."""
    n, m = a.shape

    def rotation(t: Any, x: Any) -> Any:
        p, q = t % m, key[t]
        left = array(lambda i: g[t] * x[i, p] - x[i, q], size=n)
        return array(
            lambda i, j: where(j == p, left[i], where(j == q, x[i, p] + g[t] * x[i, q], x[i, j]))
        )

    def scaled(k: Any, x: Any) -> Any:
        return array(lambda i, j: where(j == k, tanh(x[i, k] * x[i, k + 1]), x[i, j]))

    x: Any = fold(fold(a, rotation, count=g.size()), scaled, count=(m - 1).max(0))
    return fold_sum(lambda i, j: x[i, j] ** 2.0 * (i + 2 * j).float())


@pytest.mark.parametrize("backend", BACKENDS)
def test_rotations_of_columns(backend: str) -> None:
    both = function(value_and_grad(rotations_of_columns, argnums=(0, 1)))
    random = np.random.default_rng(3)
    for n, m in sizes_on(backend, [(7, 6), (2, 3), (1, 1)]):
        a, g = random.normal(size=(n, m)), random.uniform(0.5, 1.0, 5)
        key = random.integers(-1, m + 1, 5)
        assert_call_agrees(both, (a, g, key), backend, {"float64": 1e-9})
