"""Sums of quotients whose sides each have an axis that the other lacks: products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold_sum, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def potentials(x: Vec[Float], w: Vec[Vec[Float]]):
    """A divisor that is computed, with the axes of the result and the sum."""
    n = x.size()
    return array(
        lambda i, c: fold_sum(lambda j: w[j, c] / (1.0 + abs(x[i] - x[j])), count=n),
        size=(n, w.size(1)),
    )


@function
def others(x: Vec[Float], w: Vec[Vec[Float]]):
    """A mask without which the divisor is zero."""
    n = x.size()

    def at(i: Any, c: Any):
        return fold_sum(lambda j: where(i == j, 0.0, w[j, c] / abs(x[i] - x[j])), count=n)

    return array(at, size=(n, w.size(1)))


@function
def between(x: Vec[Float], w: Vec[Vec[Float]]):
    """A quotient that is a factor, and one of a product."""
    n = w.size(0)

    def at(i: Any, k: Any):
        one = fold_sum(lambda j: w[i, j] / (w[k, j] + 3.0) * x[k])
        two = fold_sum(lambda j: w[i, j] * x[i] / (w[k, j] - 4.0))
        return one - two

    return array(at, size=(n, n))


@function
def apart(x: Vec[Float], w: Vec[Vec[Float]]):
    """A divisor that is summed, and a dividend that is not; a literal; a divisor that leaves."""
    n, m = w.shape

    def at(i: Any, j: Any):
        inner = fold_sum(lambda k: x[i] / w[k, j], count=n)
        literal = fold_sum(lambda k: 0.5 / w[k, j] / x[i], count=n)
        outer = fold_sum(lambda k: w[k, j] / x[i], count=n)
        return inner + literal + outer

    return array(at, size=(n, m))


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (potentials, others, between, apart)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 5), name):
        rng = np.random.default_rng(size)
        x, w = rng.standard_normal(size), rng.standard_normal((size, size + 1))
        for special in (None, 0.0, np.inf, np.nan, 1e-200 if dtype == "float64" else 1e-30):
            if special is not None and size:
                x[-1], w[0, -1] = special, special
            arguments = x.astype(dtype), w.astype(dtype)
            tolerance = {"float64": 1e-12, "float32": 1e-5}
            assert_call_agrees(PROGRAMS[name], arguments, backend, tolerance)


@pytest.mark.parametrize("name", ["potentials", "others", "between"])
def test_products_of_matrices(name: str) -> None:
    source = PROGRAMS[name].source(np.ones(3), np.ones((3, 4)))
    assert " @ " in source
    assert " for j in " not in source
