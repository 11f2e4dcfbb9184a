"""Gradients of reads at an index plus an Int of any value, which the cotangent is moved by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, grad, max, value_and_grad, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

FAR = [2**44, 2**45, 2**45 + 1, -(2**45) - 1, 2**62, -(2**62), 2**63 - 1, -(2**63)]


def total(y: Any) -> Any:
    return fold_sum(lambda i: y[i] * y[i] * (i + 1).float())


def echoes(x: Any, d: Any) -> Any:
    """A selection leaves out what would be before the start."""

    def step(k: Any, y: Any) -> Any:
        return array(lambda i: y[i] + where(i >= d[k], 0.5 * y[i - d[k]], 0.0))

    return total(fold(x, step, count=d.size()))


def moved(x: Any, d: Any) -> Any:
    """Positions beyond both ends."""

    def step(k: Any, y: Any) -> Any:
        return array(lambda i: 0.5 * y[i] * y[i] + y[i + d[k]] * x[k])

    return total(fold(x, step, count=d.size()))


def mirrored(x: Any, d: Any) -> Any:
    """The other direction, by twice the number."""

    def step(k: Any, y: Any) -> Any:
        return array(lambda i: 0.5 * y[i] + 0.25 * y[2 * d[k] - i])

    return total(fold(x, step, count=d.size()))


def rows(x: Any, d: Any) -> Any:
    """Along one axis of two, where a maximum decides."""

    def step(k: Any, y: Any) -> Any:
        return array(lambda i, j: max(0.5 * y[i, j], y[i, j - d[k]] - 0.1), size=y.shape)

    y = fold(array(lambda i, j: x[j] * (i + 1).float(), size=(3, x.size())), step, count=d.size())
    return fold_sum(lambda i: fold_sum(lambda j: y[i, j] * y[i, j], count=x.size()), count=3)


PROGRAMS = [echoes, moved, mirrored, rows]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_of_shifts_agree(program: Any, backend: str) -> None:
    both = function(value_and_grad(program))
    for size in sizes_on(backend, (0, 1, 2, 7)):
        x = np.random.default_rng(size).uniform(0.1, 1.0, size=size)
        for shifts in ([], [0, 1], [2, -1, -3], [9, 3, -9]):
            arguments = x, np.array(shifts, np.int64)
            assert_call_agrees(both, arguments, backend, {"float64": 1e-9})


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_shifts_may_wrap_around(program: Any, backend: str) -> None:
    both, x = function(value_and_grad(program)), np.linspace(0.2, 0.9, 5)
    for far in FAR:
        assert_call_agrees(both, (x, np.array([1, far])), backend, {"float64": 1e-9})


def predicted(x: Any, w: Any) -> Any:
    """The error of each value that weights of those before predict: not all sums are read."""
    count = max(x.size() - w.size(), 0)
    found = array(lambda i: fold_sum(lambda t: x[i + t] * w[t]), size=count + 1)
    return fold_sum(lambda i: (x[i + w.size()] - found[i]) ** 2.0, count=count)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_of_windows_that_are_read_in_part(backend: str) -> None:
    both = function(value_and_grad(predicted, argnums=(0, 1)))
    for size, taps in sizes_on(backend, ((0, 0), (1, 1), (3, 2), (9, 4), (4, 6), (40, 18))):
        random = np.random.default_rng(size)
        arguments = random.normal(size=size + taps), random.normal(size=taps)
        assert_call_agrees(both, arguments, backend, {"float64": 1e-9})


def test_such_a_gradient_is_a_correlation() -> None:
    source = grad(function(predicted)).source(np.ones(9), np.ones(3))
    assert source.count("window_product(") >= 2


def adapted(x: Any, d: Any, w: Any) -> Any:
    """An adaptive filter: a window of the signal moves its weights by the error of each step."""

    def step(t: Any, state: Any) -> Any:
        w, total = state
        error = d[t] - fold_sum(lambda k: w[k] * x[t + k])
        return array(lambda k: w[k] + 0.1 * error * x[t + k]), total + error * error

    return fold((w, 0.0), step, count=d.size())[1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_of_adaptive_filters(backend: str) -> None:
    """Windows of weights in steps, and steps in windows: either may be the shorter range."""
    both, random = function(value_and_grad(adapted, (0, 1, 2))), np.random.default_rng(0)
    for steps, size in sizes_on(backend, [(7, 3), (3, 7), (4, 4), (1, 1), (0, 2), (2, 0)]):
        lengths = (max(steps + size - 1, 1), steps, size)
        arguments = [random.normal(size=length) for length in lengths]
        assert_call_agrees(both, arguments, backend, {"float64": 1e-9})
