"""Gradients of recurrences with functions in each element, whose states are stored by rows.

Machine code runs blocks of 32 elements, if there are at least 16.
"""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, cos, exp, fold, fold_sum, function, log, value_and_grad
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

Vector = Vec[Float]


@function
def depths(centres: Vector, steps: Vector, angles: Vector) -> Float:
    """Steps along rays, each by a soft minimum of the distances to some points."""

    def depth(i: Int) -> Float:
        def step(t: Int, q: Float) -> Float:
            near = fold_sum(lambda s: exp(-((q * cos(angles[i]) - centres[s]) ** 2.0)))
            return q + 0.1 * steps[t] * log(1.0 + near)

        return fold(0.1, step, count=steps.size(0))

    return fold_sum(lambda i: depth(i) ** 2.0, count=angles.size(0))


@function
def few_steps(centres: Vector, steps: Vector, angles: Vector) -> Vector:
    """The same number of steps at each call, and a result of each element."""

    def state(i: Int) -> Float:
        def step(t: Int, q: Float) -> Float:
            return q + 0.1 * fold_sum(lambda s: exp(-(q + steps[0] - centres[s])))

        return fold(angles[i], step, count=20)

    return array(state)


SIZES = [(2, 0, 5), (0, 2, 17), (1, 1, 1), (3, 4, 0), (2, 2, 33)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_of_states_agree(backend: str) -> None:
    random, slopes = np.random.default_rng(3), function(value_and_grad(depths, argnums=(0, 1, 2)))
    total = function(
        value_and_grad(lambda *args: fold_sum(lambda i: few_steps(*args)[i]), argnums=(0, 2))
    )
    for points, steps, rays in SIZES:
        args = random.normal(size=points), random.uniform(size=steps), random.normal(size=rays)
        assert_call_agrees(slopes, args, backend, {"float64": 1e-9})
        if steps:
            assert_call_agrees(total, args, backend, {"float64": 1e-9})
