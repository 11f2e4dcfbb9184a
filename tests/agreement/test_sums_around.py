"""Sums over axes whose ends are neighbours, and derivatives of steps on such axes."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import array, fold, fold_max, fold_sum, function, max, min, value_and_grad, where
from tests.agreement.comparison import assert_agree

TOLERANCE = {"float64": 1e-10}


@function
def sums(u):
    """Neighbours around the ends, clipped ones and guarded ones, in sums and extremes."""
    n = u.size(0)
    around = fold_sum(lambda i: u[i] * u[(i + 1) % n] - u[(i + n - 2) % n])
    clipped = fold_sum(lambda i: (u[min(i + 1, n - 1)] - u[max(i - 2, 0)]) ** 2.0, count=n)
    guarded = fold_sum(lambda i: where(i > 0, u[i] * u[i - 1], u[i]) + where(i < n - 2, u[i], 1.0))
    most = fold_max(lambda i: u[i] * u[(i + 1) % n] - u[(i + n - 1) % n])
    return around, clipped, guarded, most


def misfit(u, v, c):
    """Steps of a nonlinear equation on a periodic axis."""
    n = u.size(0)

    def step(_, u):
        def cell(i):
            left, right = u[(i + n - 1) % n], u[(i + 1) % n]
            slope = where(u[i] > 0.0, u[i] - left, right - u[i])
            return u[i] - 0.1 * u[i] * slope + c * (right - 2.0 * u[i] + left)

        return array(cell, size=n)

    last = fold(u, step, count=3)
    return fold_sum(lambda i: (last[i] - v[i]) ** 2.0)


gradient = function(value_and_grad(misfit, argnums=(0, 2)))


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_sums_near_borders(backend: str) -> None:
    rng = np.random.default_rng(61)
    for size in (0, 1, 2, 3, 4, 9):
        u = rng.normal(size=size)
        expected = sums.eval(u, backend="naive")
        assert_agree(sums.eval(u, backend=backend), expected, TOLERANCE, f"{size}")


@pytest.mark.parametrize("backend", ["numpy", "native", "torch", "jax"])
def test_derivatives_of_periodic_steps(backend: str) -> None:
    rng = np.random.default_rng(62)
    for size in (0, 1, 2, 3, 7) if backend in ("numpy", "native") else (1, 5):
        arguments = rng.normal(size=size), rng.normal(size=size), 0.1
        expected = gradient.eval(*arguments, backend="naive")
        assert_agree(gradient.eval(*arguments, backend=backend), expected, TOLERANCE, f"{size}")


def test_positions_around_are_not_stored() -> None:
    """The cotangent of a shift around the ends is a shift, whose positions are computed."""
    loops = gradient.ir("loops", np.ones(4), np.ones(4), 0.1, backend="native")
    assert "memref<?xi64>" not in loops
