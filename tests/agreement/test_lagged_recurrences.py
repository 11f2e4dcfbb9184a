"""Derivatives of recurrences whose lagged terms are selected where there are steps before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, value_and_grad, where
from ein_mlir.pipelines import LOOPS, run_pipeline
from tests.agreement.comparison import assert_agree

TOLERANCE = {"float64": 1e-9}


def residuals(ar, ma, y):
    """The squares of the residuals of an autoregressive moving-average model."""
    n = y.size(0)

    def step(t, e):
        before = fold_sum(lambda i: where(t - 1 - i >= 0, ar[i] * y[t - 1 - i], 0.0))
        errors = fold_sum(lambda j: where(t > j, ma[j] * e[t - 1 - j], 0.0))
        return array(lambda i: where(i == t, y[t] - before - errors, e[i]))

    e = fold(array(lambda i: 0.0, size=n), step, count=n)
    return fold_sum(lambda t: e[t] * e[t] * y[t])


def ahead(ar, ma, y):
    """Terms of later elements, which keep their first values, and of earlier ones, clipped."""
    n = y.size(0)

    def step(t, e):
        after = fold_sum(lambda i: where(t + i < n, ar[i] * e[t + i], 0.0))
        clipped = fold_sum(lambda j: where(t + 1 - j >= 0, ma[j] * e[t - 1 - j], 0.0))
        return array(lambda i: where(i == t, 0.5 * after + clipped, e[i]))

    e = fold(array(lambda i: y[i] + 1.0), step, count=n)
    return fold_sum(lambda t: e[t] * e[t] * y[t])


@pytest.mark.parametrize("backend", ["numpy", "native", "torch", "jax"])
@pytest.mark.parametrize("program", [residuals, ahead])
def test_derivatives_of_lagged_terms(program: Any, backend: str) -> None:
    rng = np.random.default_rng(64)
    gradient = function(value_and_grad(program, argnums=(0, 1, 2)))
    cases = ((0, 1, 2), (1, 1, 1), (2, 3, 1), (5, 2, 3), (9, 3, 2))
    for n, p, q in cases if backend in ("numpy", "native") else cases[-2:]:
        arguments = rng.normal(size=p) * 0.3, rng.normal(size=q) * 0.3, rng.normal(size=n)
        expected = gradient.eval(*arguments, backend="naive")
        found = gradient.eval(*arguments, backend=backend)
        assert_agree(found, expected, TOLERANCE, f"{n} {p} {q}")


def test_lagged_terms_are_central_differences() -> None:
    rng = np.random.default_rng(65)
    for program in (residuals, ahead):
        value, gradient = function(program), function(value_and_grad(program, argnums=(0, 1, 2)))
        arguments = [rng.normal(size=n) * 0.3 for n in (3, 2, 7)]
        for number, slope in enumerate(gradient(*arguments)[1]):
            for k in range(slope.size):
                sides = list[float]()
                for change in (1e-6, -1e-6):
                    moved = [each.copy() for each in arguments]
                    moved[number][k] += change
                    sides.append(value(*moved))
                np.testing.assert_allclose(slope[k], (sides[0] - sides[1]) / 2e-6, atol=1e-6)


def test_lagged_terms_are_those_of_the_result() -> None:
    """No step chooses between the result and the first array, or clips a position."""
    gradient = function(value_and_grad(residuals, argnums=(0, 1)))
    source = gradient.source(np.ones(3), np.ones(2), np.ones(9))
    step = source.partition("for k in range(size0_y):")[2].partition("\n    del ")[0]
    assert "acc[" in step
    for name in ("clipped_slice", "np.where", "np.minimum", "np.arange", ".sum("):
        assert name not in step


def filtered(x, a):
    """The squares of the results of an autoregressive filter."""

    def step(t, y):
        new = x[t] + fold_sum(lambda k: where(t - 1 - k >= 0, a[k] * y[t - 1 - k], 0.0))
        return array(lambda s: where(s == t, new, y[s]))

    y = fold(array(lambda s: 0.0 * x[s]), step, count=x.size())
    return fold_sum(lambda t: y[t] ** 2)


def test_contributions_to_earlier_steps_are_added_in_their_range_in_machine_code() -> None:
    """A step of the loop backwards does not visit the cotangents of all steps."""
    gradient = function(value_and_grad(filtered, argnums=(0, 1)))
    module = gradient.phi(np.ones(9), np.ones(3))
    run_pipeline(module, LOOPS[: LOOPS.index("convert-phi-to-loops")])
    assert "phi.update_slice" in str(module)
    pytest.importorskip("llvmlite")
    rng = np.random.default_rng(0)
    for n, p in ((9, 3), (2, 4), (1, 1), (0, 2), (3, 0)):
        arguments = rng.normal(size=n), rng.normal(size=p)
        expected = gradient.eval(*arguments, backend="naive")
        assert_agree(gradient.native(*arguments), expected, TOLERANCE)
