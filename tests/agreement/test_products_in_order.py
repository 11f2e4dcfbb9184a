"""Products of the floats that comparisons of keys select: survival functions, odds by group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, fold_prod, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-11, "float32": 3e-4}


@function
def survival(t, f):
    """The Kaplan-Meier estimate at each time."""

    def hazard(k):
        return 1.0 / fold_sum(lambda j: where(t[j] >= t[k], 1.0, 0.0))

    return array(
        lambda i: fold_prod(lambda k: where((t[k] <= t[i]) & (f[k] > 0.0), 1.0 - hazard(k), 1.0))
    )


@function
def above(t, f):
    """Factors of larger keys, with an initial factor."""
    return array(lambda i: 2.0 * fold_prod(lambda k: where(t[k] > t[i], f[k], 1.0)))


@function
def between(t, f):
    """Two comparisons."""
    return array(
        lambda i: fold_prod(lambda k: where((t[k] > t[i]) & (t[k] <= t[i] + 1.0), f[k], 1.0))
    )


@function
def of_equal(t, f):
    """Factors of equal keys, also of those before."""

    def both(i):
        key = (t[i] * 2.0).int()
        return (
            fold_prod(lambda k: where((t[k] * 2.0).int() == key, f[k], 1.0)),
            fold_prod(lambda k: where(((t[k] * 2.0).int() == key) & (k < i), f[k], 1.0)),
        )

    return array(both, size=t.size())


@function
def of_rows(t, f):
    """Factors of two rows, each with all limits."""

    def at(r, i):
        factor = (r + 1).float()
        return fold_prod(lambda k: where(t[k] < t[i], f[k] / factor, 1.0), count=t.size())

    return array(at, size=(2, t.size()))


PROGRAMS: dict[str, Function[..., Any]] = {
    each.__name__: each for each in (survival, above, between, of_equal, of_rows)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for n in sizes_on(backend, [30, 0, 1, 2], name):
        r = np.random.default_rng(n)
        t = r.normal(size=n).round(1).astype(dtype)
        f = r.uniform(-0.5, 1.5, size=n).astype(dtype)
        assert_call_agrees(PROGRAMS[name], (t, f), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "native", "torch", "jax"))
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_that_another_order_would_lose(name: str, backend: str) -> None:
    """Products that overflow or underflow in the order of the keys; infinite and NaN factors."""
    t = np.array([0.0, 3.0, 1.0, 4.0, 2.0, 5.0])
    for factors in ([1e-300, 1e-300, 1e300, 1e300], [1e300, 1e300, 1e-300, 1e-300]):
        f = np.array([factors[0], factors[2], factors[1], factors[3], 0.5, 2.0])
        assert_call_agrees(PROGRAMS[name], (t, f), backend, TOLERANCE)
    for value in (np.inf, np.nan, 0.0):
        f = np.array([0.5, value, 2.0, 0.25, 0.0, 4.0])
        assert_call_agrees(PROGRAMS[name], (t, f), backend, TOLERANCE)
    t[2] = np.nan
    assert_call_agrees(PROGRAMS[name], (t, np.arange(1.0, 7.0)), backend, TOLERANCE)


def test_steps_are_in_order() -> None:
    for program in (survival, above):
        explanation = program.explain(np.ones(9), np.ones(9), backend="numpy")
        assert "takes its steps in order" in explanation, program.__name__
