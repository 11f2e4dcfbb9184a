"""Derivatives of programs with values that only keep floats in range, and of programs like them.

A maximum that is subtracted before ``exp`` and added after ``log`` has no derivative to compute.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    array,
    exp,
    fold,
    fold_max,
    fold_min,
    fold_sum,
    function,
    grad,
    jvp,
    log,
    max,
    min,
    sqrt,
    value_and_grad,
    where,
)
from ein_mlir.pipelines import EXPAND_DERIVATIVES, run_pipeline
from tests.libraries import BACKENDS

Program = Callable[[Any], Any]


def of_rows(x: Any) -> Any:
    """The maximum of each row in a loop over the rows."""

    def row(i: Any) -> Any:
        m = fold_max(lambda j: x[i, j])
        return m + log(fold_sum(lambda j: exp(x[i, j] - m)))

    return fold_sum(row, count=x.size(0))


def of_arrays(x: Any) -> Any:
    """An array of the maxima, read at other indices."""
    m = array(lambda i: fold_max(lambda j: x[i, j]))
    e = array(lambda i, j: exp(x[i, j] - m[i]))
    s = array(lambda i: fold_sum(lambda j: e[i, j]))
    return fold_sum(lambda j, i: e[i, j] / s[i] * x[j, i])


def tempered(x: Any) -> Any:
    """A temperature that is an argument, and constant factors."""
    t = 0.5 + x[0, 0] ** 2.0

    def row(i: Any) -> Any:
        m = fold_min(lambda j: x[i, j] * 2.0)
        return m * 0.5 - t * 0.5 * log(fold_sum(lambda j: exp((m - x[i, j] * 2.0) / t)))

    return fold_sum(row, count=x.size(0))


def of_three(x: Any) -> Any:
    """A smooth minimum of three numbers in each step."""

    def step(i: Any, r: Any) -> Any:
        a, b, c = r, x[i, 0], x[0, i]
        m = min(a, min(b, c))
        return m - log(exp(m - a) + exp(m - b) + exp(m - c))

    return fold(0.0, step, count=x.size(0))


def forward(x: Any) -> Any:
    """Logarithms of probabilities of paths: a maximum in each step of a loop."""

    def step(t: Any, a: Any) -> Any:
        def state(j: Any) -> Any:
            m = fold_max(lambda i: a[i] + x[i, j])
            return m + log(fold_sum(lambda i: exp(a[i] + x[i, j] - m))) + x[t, j]

        return array(state, size=x.size(1))

    a = fold(array(lambda j: x[0, j]), step, count=4)
    return fold_sum(lambda j: a[j] * a[j])


def scaled_norm(x: Any) -> Any:
    """Divided by the largest, and multiplied."""
    m = fold_max(lambda i, j: sqrt(x[i, j] ** 2.0))
    return m * sqrt(fold_sum(lambda i, j: (x[i, j] / m) ** 2.0))


def masked(x: Any) -> Any:
    def row(i: Any) -> Any:
        m = fold_max(lambda j: where(i >= j, x[i, j], -9.0))
        e = array(lambda j: where(i >= j, exp(x[i, j] - m), 0.0))
        s = fold_sum(lambda j: e[j])
        return fold_sum(lambda j: e[j] * x[j, i]) / s

    return fold_sum(row, count=x.size(0))


STABILIZED = (of_rows, of_arrays, tempered, of_three, forward, scaled_norm, masked)


def seen(x: Any) -> Any:
    """The maximum is a part of the result."""
    m = fold_max(lambda i, j: x[i, j])
    return m * m + m + log(fold_sum(lambda i, j: exp(x[i, j] - m)))


def halved(x: Any) -> Any:
    m = fold_max(lambda i, j: x[i, j])
    return m + log(fold_sum(lambda i, j: exp(x[i, j] - 0.5 * m)))


def of_neighbours(x: Any) -> Any:
    """The program does not change with all maxima together, but with each."""
    m = array(lambda i: fold_max(lambda j: x[i, j]))
    return fold_sum(lambda i, j: exp(x[i, j] - m[i]) * exp(m[i - 1] - x[i, j]), count=x.shape)


def summed_along(x: Any) -> Any:
    """A sum over the rows of which each has a maximum."""
    m = array(lambda i: fold_max(lambda j: x[i, j]))
    s = fold_sum(lambda i: exp(x[i, 0] - m[i]))
    return fold_sum(lambda i: exp(x[i, 0] - m[i]) / s)


def beside_one(x: Any) -> Any:
    m = fold_max(lambda i, j: x[i, j])
    return m + log(fold_sum(lambda i, j: exp(x[i, j] - m)) + 1.0)


def of_another_start(x: Any) -> Any:
    m = fold_max(lambda i, j: x[i, j])
    total = fold(0.5, lambda k, s: s + exp(x[k, 0] - m), count=x.size(0))
    return m + log(total)


def other_temperatures(x: Any) -> Any:
    m = fold_max(lambda i, j: x[i, j])
    e = fold_sum(lambda i: exp((x[i, 0] - m) / (1.0 + x[i, i] ** 2.0)))
    return m + log(e)


def carried(x: Any) -> Any:
    """The next step starts with the maximum."""

    def step(k: Any, a: Any) -> Any:
        m = max(a, x[k, 0])
        return m + log(exp(a - m) + exp(x[k, 0] - m)) + 0.1 * m

    return fold(0.0, step, count=x.size(0))


def in_records(x: Any) -> Any:
    """A loop starts with a record that has a scale in it."""
    m = max(x[0, 0], 0.01)

    def step(k: Any, record: tuple[Any, Any]) -> tuple[Any, Any]:
        p, q = record
        return q, 0.5 * p + x[k, 0]

    return fold((where(x[0, 0] > 0.1, sqrt(m), x[0, 0]), 0.5), step, count=3)[1]


def chosen(x: Any) -> Any:
    m = fold_max(lambda i, j: x[i, j])
    return where(x[0, 0] > 0.0, m, 0.0) + log(fold_sum(lambda i, j: exp(x[i, j] - m)))


OTHERS = (
    seen,
    halved,
    of_neighbours,
    summed_along,
    beside_one,
    of_another_start,
    other_temperatures,
    carried,
    in_records,
    chosen,
)


def sample(n: int, dtype: Any = np.float64) -> Any:
    return np.random.default_rng(n).uniform(-1, 1, (n, n)).astype(dtype)


def difference(f: Callable[[Any], Any], x: Any, direction: Any) -> Any:
    ahead, behind = f(x + 1e-6 * direction), f(x - 1e-6 * direction)
    return (np.asarray(ahead) - np.asarray(behind)) / 2e-6


@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
@pytest.mark.parametrize("f", [*STABILIZED, *OTHERS])
def test_gradients_are_central_differences(f: Program, backend: str) -> None:
    program = function(f, backend="numpy")
    gradient = value_and_grad(function(f, backend=backend))
    for n in (3, 1):
        x = sample(n)
        direction = np.cos(7.0 * x)
        value, slopes = gradient(x)
        np.testing.assert_allclose(np.asarray(value), program(x), rtol=1e-10)
        wanted = difference(program, x, direction)
        np.testing.assert_allclose(np.sum(np.asarray(slopes) * direction), wanted, atol=2e-8)


@pytest.mark.parametrize("f", [*STABILIZED, *OTHERS])
def test_second_derivatives_are_central_differences(f: Program) -> None:
    gradient: Any = grad(function(f, backend="numpy"))
    for n in (3, 1):
        x = sample(n)
        direction = np.cos(7.0 * x)
        wanted = difference(gradient, x, direction)
        np.testing.assert_allclose(jvp(gradient, (x,), (direction,))[1], wanted, atol=2e-7)


def marked(f: Program) -> int:
    """The number of operations that linearisation marks."""
    module = grad(function(f)).phi(np.ones((3, 3))).clone()
    *before, last = EXPAND_DERIVATIVES
    assert last == "differentiate"
    return str(run_pipeline(module, (*before, "linearize"))).count("stabilizer}")


@pytest.mark.parametrize("f", STABILIZED)
def test_stabilizers_are_found(f: Program) -> None:
    assert marked(f) > 0


@pytest.mark.parametrize("f", OTHERS)
def test_other_extremes_are_not(f: Program) -> None:
    assert marked(f) == 0


@pytest.mark.parametrize("f", [of_rows, scaled_norm])
def test_numbers_stay_in_range(f: Program) -> None:
    x = np.array([[900.0, 1.0], [-900.0, -901.0]])
    gradient = np.asarray(grad(function(f, backend="numpy"))(x))
    assert np.isfinite(gradient).all()
    assert np.abs(gradient).max() > 0.1
