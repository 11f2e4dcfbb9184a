"""Sums of products with sums that select one element, in which each element may be NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_sum, function, where
from tests.agreement.comparison import given
from tests.libraries import BACKENDS
from tests.selection import sizes_on

Matrix = Vec[Vec[Float]]


def selected(w: Matrix, i: Int, v: Int) -> Float:
    """``w[i, v]``, but NaN where another element of the row is not finite."""
    return fold_sum(lambda j: w[i, j] * where(j == v, 1.0, 0.0))


@function
def of_factors(w: Matrix, x: Vec[Float]) -> Vec[Float]:
    def product(i: Int, v: Int) -> Float:
        return x[i] * ((1.0 - x[i] * x[i]) * selected(w, i, v))

    return array(lambda v: fold_sum(lambda i: product(i, v)), size=w.size(1))


@function
def of_quotients(w: Matrix, x: Vec[Float]) -> Vec[Float]:
    g = array(lambda i, v: selected(w, i, v), size=(w.size(0), w.size(1)))
    return array(lambda v: fold_sum(lambda i: g[i, v] / x[i] + g[i, v]))


@function
def of_columns(w: Matrix, x: Vec[Float]) -> Matrix:
    g = array(lambda v, i: selected(w, i, v), size=(w.size(1), w.size(0)))
    return array(lambda v, i: 2.0 * g[v, i] - x[i])


@function
def of_divisors(w: Matrix, x: Vec[Float]) -> Vec[Float]:
    g = array(lambda i, v: selected(w, i, v), size=(w.size(0), w.size(1)))
    return array(lambda v: fold_sum(lambda i: x[i] / (g[i, v] + x[i])))


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e200, -3.0]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [of_factors, of_quotients, of_columns, of_divisors])
def test_selected_factors(f: Any, backend: str) -> None:
    rng = np.random.default_rng(3)
    for m in sizes_on(backend, (0, 1, 2, 7)):
        for n in sizes_on(backend, (0, 1, 3)):
            for special in ([], [np.nan], *([x, rng.choice(SPECIAL)] for x in SPECIAL)):
                w, x = rng.normal(size=(m, n)), rng.normal(size=m)
                for number in special:
                    target = w if w.size and rng.integers(2) else x
                    target.flat[rng.permutation(target.size)[:1]] = number
                agree(f, (w, x), backend)


def agree(f: Any, arguments: tuple[Any, ...], backend: str) -> None:
    library = backend if backend in ("torch", "jax") else "numpy"
    result = np.asarray(f.eval(*(given(x, library) for x in arguments), backend=backend))
    expected = np.asarray(f.eval(*arguments, backend="naive"))
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-10)
