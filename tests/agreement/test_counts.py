"""Counts of the elements for which conditions hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, max, min, where, wrap
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS, needs
from tests.selection import combinations, sizes_on


@function
def counts(x: Any) -> Any:
    ints = fold_sum(lambda i, j: where(x[i, j] > 0.0, 1, 0))
    floats = fold_sum(lambda i, j: where((x[i, j] > 0.0) & (x[i, j] < 1.0), 1.0, 0.0))
    bools = fold_sum(lambda i, j: (x[i, j] != x[j, i]).int())
    others = fold_sum(lambda i, j: where(x[i, j] > 0.25, 2, 0))
    rows = array(lambda i: fold_sum(lambda j: where(x[i, j] > 0.5, 1, 0)))
    return ints, floats, bools, others, rows


@function
def along_axes(x: Any) -> Any:
    columns = array(lambda j: fold_sum(lambda i: where(x[i, j] > 0.5, 1.0, 0.0)))
    pairs = array(lambda i, j: fold_sum(lambda k: where(x[i, k] < x[j, k], 1, 0)))
    return columns, pairs


@function
def in_steps(x: Any) -> Any:
    def step(k: Any, v: Any) -> Any:
        number = fold_sum(lambda i: where(v[i] > 0.0, 1.0, 0.0))
        return array(lambda i: v[i] - number * 0.25)

    return fold(array(lambda i: x[i, i]), step, count=3)


PROGRAMS = {"counts": counts, "along axes": along_axes, "in steps": in_steps}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in (0, 1, 3, 8):
        x = np.random.default_rng(size).normal(size=(size, size)).astype(dtype)
        assert_call_agrees(PROGRAMS[name], (x,), backend, {"float64": 1e-12, "float32": 1e-5})


@function
def resampled(weights: Any) -> Any:
    """The numbers of the elements before each of equal shares of a total, and the shares."""
    size = weights.size()

    def until(k: Any) -> Any:
        return fold_sum(lambda i: where(i <= k, weights[i], 0.0), count=size)

    shares = array(until, size=size)
    total = fold_sum(lambda i: weights[i])

    def number(i: Any) -> Any:
        return fold_sum(lambda k: where(shares[k] / total < i.float() / size.float(), 1, 0))

    return array(number, size=size), array(lambda k: shares[k] / total)


@pytest.mark.parametrize("backend", BACKENDS)
def test_numbers_have_no_derivative(backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 7)):
        weights = np.random.default_rng(size).random(size)
        assert_call_agrees(resampled, (weights,), backend, {"float64": 1e-12})


@function
def resampled_in_steps(noise: Any, offsets: Any) -> Any:
    """Particles take the place of others by their weights, at positions that each step shifts."""
    size = noise.size(1)

    def step(t: Any, x: Any) -> Any:
        moved = array(lambda i: x[i] * 0.5 + noise[t, i])

        def weight(j: Any) -> Any:
            return moved[j] * moved[j] + 0.125

        total = fold_sum(weight, count=size)

        def number(i: Any) -> Any:
            def before(j: Any) -> Any:
                share = fold_sum(lambda k: where(k <= j, weight(k), 0.0), count=size)
                return where(share < (i.float() + offsets[t]) / size.float() * total, 1, 0)

            return min(fold_sum(before, count=size), size - 1)

        return array(lambda i: moved[number(i)], size=size)

    return fold(array(lambda i: 0.0, size=size), step, count=offsets.size())


@pytest.mark.parametrize("backend", BACKENDS)
def test_limits_of_steps(backend: str) -> None:
    for size, steps in sizes_on(backend, ((0, 2), (1, 3), (2, 0), (7, 3))):
        arguments = _steps(size, steps)
        assert_call_agrees(resampled_in_steps, arguments, backend, {"float64": 1e-9})
    noise, offsets = _steps(65, 2)  # the interpreter takes its cube of steps
    found = resampled_in_steps.eval(noise, offsets, backend=backend)
    np.testing.assert_allclose(found, _resampled_by_hand(noise, offsets), rtol=1e-9, atol=1e-9)


def _steps(size: int, steps: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(size)
    return rng.normal(size=(steps, size)), rng.random(steps)


def _resampled_by_hand(
    noise: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    count = noise.shape[1]
    x = np.zeros(count)
    for moves, offset in zip(noise, offsets, strict=True):
        moved = x * 0.5 + moves
        shares = np.cumsum(moved * moved + 0.125)
        limits = (np.arange(count) + offset) / count * shares[-1]
        x = moved[np.minimum(np.searchsorted(shares, limits), count - 1)]
    return x


@needs("torch")
def test_quotients_that_are_compared_need_no_guard() -> None:
    import torch

    assert "for " not in resampled.source(np.ones(3), backend="torch").rpartition("def ")[2]
    weights = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    numbers, shares = resampled(weights + 1.0)
    assert numbers.tolist() == [0, 0, 1]
    (slopes,) = torch.autograd.grad(shares[0], weights)
    torch.testing.assert_close(slopes, torch.tensor([2.0, -1.0, -1.0], dtype=torch.float64) / 9)


def test_calls_of_numpy() -> None:
    assert counts.source(np.ones((2, 2))).count("np.count_nonzero(") == 3


@pytest.mark.parametrize("size", [2**15 - 1, 2**15])
def test_many(size: int) -> None:
    """Counts in 16 bits end below 2^15."""
    rows = array(lambda i: fold_sum(lambda j: where(wrap(np.ones((1, size)))[i, j] > 0.5, 1, 0)))
    np.testing.assert_array_equal(rows.eval(), [size])


@function
def discounted(years: Any, rate: Any) -> Any:
    """Sums whose numbers of steps are data, of functions of the counter."""

    def worth(b: Any) -> Any:
        return fold_sum(lambda t: (1 + rate[b]) ** (t + 1).float(), count=years[b])

    def largest(b: Any, q: Any) -> Any:
        return fold(0.5, lambda t, x: max(x, rate[b] * (t + q).float()), count=years[b])

    return array(worth, size=years.size()), array(largest, size=(years.size(), 2))


@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_of_counters(backend: str) -> None:
    """Few rows are one sequence, and others a loop: 600 rows of two axes, 1100 of one."""
    for size in (0, 1, 2, 7, 600, 1100):
        rng = np.random.default_rng(size)
        years = rng.integers(0, 4, size)
        years[:1] = 9
        arguments = (years, rng.uniform(0, 0.1, size))
        assert_call_agrees(discounted, arguments, backend, {"float64": 1e-12, "float32": 1e-5})
