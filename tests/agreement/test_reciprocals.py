"""Sums of quotients whose sides each have an axis that the other lacks: products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold, fold_sum, function, where
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


@function
def differences(x: Vec[Float], w: Vec[Vec[Float]]):
    """A divisor that leaves a sum of negated products."""
    n = x.size()
    return array(lambda i: fold(x[i], lambda j, s: s - w[i, j] * x[j] / x[i], count=n), size=n)


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (potentials, others, between, apart, differences)
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


@function
def averages(x: Vec[Float], w: Vec[Vec[Float]]):
    """Divisors that are the same in all terms of a sum: machine code multiplies."""
    n = x.size()

    def at(j: Any):
        plain = fold_sum(lambda i: w[i, j] / x[j], count=n)
        nested = fold_sum(lambda i: (w[i, j] / x[j] - x[i]) * 0.25, count=n)
        return plain, nested

    return array(at, size=n)


@function
def weighted(x: Vec[Float], w: Vec[Vec[Float]]):
    """Divisors that vary with the sum, but not with its neighbours."""
    n = x.size()
    return array(lambda j: fold_sum(lambda i: w[i, j] / x[i] - x[i], count=n), size=w.size(1))


EXTREMES: dict[str, Sequence[float]] = {
    "float64": (5e-324, 2.0**-1025, 2.0**-1022, 1e-300, 1e300, 1.7976931348623157e308),
    "float32": (1e-45, 2.0**-128, 2.0**-126, 1e-36, 1e36, 3.4028234663852886e38),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("program", [averages, weighted])
def test_divisors_of_sums(program: Function[..., Any], dtype: str) -> None:
    tolerance = {"float64": 1e-13, "float32": 1e-5}
    for size in (0, 1, 9):
        rng = np.random.default_rng(size)
        x, w = (rng.standard_normal(s).astype(dtype) for s in (size, (size, size)))
        assert_call_agrees(program, (x, w), "native", tolerance)
        specials = (0.0, -0.0, np.inf, np.nan, *EXTREMES[dtype]) if size else ()
        for number, special in enumerate(specials):
            x[0], w[0, 0] = special, EXTREMES[dtype][-number % 6]
            with np.errstate(all="ignore"):
                assert_call_agrees(program, (x, w), "native", tolerance)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_largest_quotients(dtype: str) -> None:
    largest = np.finfo(dtype).max
    for divisor in (3.0, 0.7, 1.0 - np.finfo(dtype).epsneg, 1.0 + np.finfo(dtype).eps, 1e-30):
        x = np.array([divisor], dtype)
        with np.errstate(over="ignore"):
            w = np.array([[largest]], dtype) * x
        assert_call_agrees(averages, (x, w), "native", {"float64": 1e-13, "float32": 1e-5})
