"""Sums of products whose factors are NaN, infinite or so large that another order overflows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, fold_sum, function, where
from ein_mlir.backends.numpy import prelude
from ein_mlir.backends.numpy.prelude import contractions
from tests.agreement.comparison import given
from tests.libraries import library_for, on


@function
def weighted_rows(a, b, c):
    return array(lambda i: fold_sum(lambda k: a[i, k] * b[k] * c[k]))


@function
def quadratic_form(a, b, c):
    return fold_sum(lambda i, k: b[i] * a[i, k] * c[k])


@function
def transposed(a, b, c):
    """The axes of a factor have another order than those of the result."""
    return array(lambda j, i: fold_sum(lambda k: a[k, i] * b[k] * c[j] * a[k, j]))


@function
def nested(a, b, c):
    rows = array(lambda k: fold_sum(lambda j: a[k, j] * b[j]))
    return array(lambda i: b[i] * fold_sum(lambda k: a[i, k] * c[k] * rows[k]))


@function
def quotients(a, b, c):
    """A divisor that is infinite makes a quotient 0."""
    return array(lambda i: fold_sum(lambda k: a[k, i] * b[k] / c[k]))


@function
def masked(a, b, c):
    """The mask hides some NaN."""
    return array(lambda i: fold_sum(lambda k: where(c[k] > 0.0, a[i, k] * b[k], 0.0)))


@function
def not_zero(a, b, c):
    """The mask is that of a factor that is not zero, as in derivatives."""
    return array(lambda i: fold_sum(lambda k: where(a[i, k] != 0.0, a[i, k] * b[k], 0.0)))


@function
def scaled(a, b, c):
    """A literal is a factor."""
    return array(lambda i: fold_sum(lambda k: 3.0 * a[i, k] * b[k] * c[k]))


PROGRAMS = (
    *(scaled, weighted_rows, quadratic_form, transposed, nested, quotients, masked),
    not_zero,
)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS)
def test_nan_and_infinity(program: Function[..., Any], backend: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(6 if backend == "jax" else 20):
        n = int(rng.choice([1, 2, 4]))
        values = [rng.normal(size=(n, n)), rng.normal(size=n), rng.normal(size=n)]
        for value in values:
            places = rng.uniform(size=value.shape) < 0.15
            value[places] = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1e200], places.sum())
        expected = np.asarray(program.eval(*values, backend="naive"))
        own = [given(value, library_for(backend)) for value in values]
        found = np.asarray(program.eval(*own, backend=backend))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_nan_of_a_factor_is_that_of_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the products are not computed again, in order."""
    monkeypatch.delattr(contractions, "summed_in_blocks")
    a, b, c = np.ones((3, 4)), np.ones(4), np.full(4, 2.0)
    a[1, 2] = np.nan
    result = a @ (b * c)
    products = ("i", ("ik", a), ("k", b), ("k", c))
    found = prelude.in_order(result, (result,), (), products)
    np.testing.assert_array_equal(found, [8.0, np.nan, 8.0])


def test_infinities_are_computed_in_order() -> None:
    a, b, c = np.full((2, 2), 1e-300), np.full(2, 1e200), np.array([1e200, 1.0])
    with np.errstate(over="ignore"):
        result = a @ (b * c)
    products = ("i", ("ik", a), ("k", b), ("k", c))
    found = prelude.in_order(result, (result,), (), products)
    np.testing.assert_allclose(found, [1e100, 1e100])


def test_masks_of_factors_that_are_not_zero_clear_nothing() -> None:
    text = not_zero.source(np.ones((3, 3)), np.ones(3), np.ones(3), backend="numpy")
    assert "a @ b" in text
