"""Powers of floats by counters and indices, which libraries compute as products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold_sum, function, grad
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def polynomial(x: Vec[Float], c: Vec[Float]):
    return array(lambda i: fold_sum(lambda k: c[k] * x[i] ** k), size=x.size())


@function
def falling(x: Vec[Float], c: Vec[Float]):
    n = c.size()
    return array(lambda i: fold_sum(lambda k: c[k] * x[i] ** (n - 1 - k)), size=x.size())


@function
def odd(x: Vec[Float], c: Vec[Float]):
    """Powers of -1 by floats, and exponents with a step."""
    return array(
        lambda i: fold_sum(lambda k: (-1.0) ** k.float() * c[k] * x[i] ** (2 * k + 1)),
        size=x.size(),
    )


@function
def inverses(x: Vec[Float], c: Vec[Float]):
    """Exponents of which the first are negative."""
    return array(lambda i, k: c[k] * x[i] ** (k - 2), size=(x.size(), c.size()))


@function
def moments(x: Vec[Float], c: Vec[Float]):
    n = x.size().float()
    mean = fold_sum(lambda i: x[i]) / n
    return array(lambda k: fold_sum(lambda i: (x[i] - mean) ** k) / n + c[k], size=c.size())


@function
def slope(x: Vec[Float], c: Vec[Float]):
    """Derivatives have the exponents ``where(k == 0, 1, k - 1)``."""

    def total(y: Vec[Float]) -> Any:
        return fold_sum(lambda i: fold_sum(lambda k: c[k] * y[i] ** k), count=y.size())

    return grad(total)(x)


@function
def literals(x: Vec[Float], c: Vec[Float]):
    return array(lambda i: x[i] ** 5 - x[i] ** -7 + x[i] ** 16.0 + x[i] ** 17 + x[i] ** c.size())


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (polynomial, falling, odd, inverses, moments, slope, literals)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 500), name):
        rng = np.random.default_rng(size)
        x, c = rng.uniform(-2, 2, size), rng.standard_normal(min(size, 9))
        for special in (None, 0.0, np.inf, np.nan):
            if special is not None and size:
                x[-1] = special
            arguments = x.astype(dtype), c.astype(dtype)
            tolerance = {"float64": 1e-11, "float32": 1e-4}
            assert_call_agrees(PROGRAMS[name], arguments, backend, tolerance)
