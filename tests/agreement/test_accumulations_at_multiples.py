"""Accumulations at multiples of indices, which are slices of zeros: gradients of strided reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import accumulate, array, fold_sum, function, tanh, value_and_grad
from ein_mlir import max as max_
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on


def pooled(x: Any, w: Any) -> Any:
    """The largest elements of blocks: each reads four interleaved parts of an image."""

    def largest(b: Any, i: Any, j: Any) -> Any:
        upper = max_(x[b, 2 * i, 2 * j], x[b, 2 * i, 2 * j + 1])
        return max_(upper, max_(x[b, 2 * i + 1, 2 * j], x[b, 2 * i + 1, 2 * j + 1]))

    b, n, m = x.shape
    pools = array(largest, size=(b, n // 2, m // 2))
    return fold_sum(lambda b: tanh(fold_sum(lambda i, j: pools[b, i, j] * w[i, j])))


def alone(x: Any) -> Any:
    """Multiples that are not added, that start late, and whose axes are in another order."""
    n, m = x.shape
    odd = accumulate(lambda i: (2 * i + 1, x[i, 0]), size=2 * n)
    late = accumulate(lambda i: (2 * i + 4, x[i, 0]), size=2 * n + 3)
    turned = accumulate(lambda i, j: ((3 * j + 2, 2 * i), x[i, j]), size=(3 * m, 2 * n))
    rows = accumulate(lambda i: (3 * i, array(lambda j: x[i, j])), size=3 * n)
    return odd, late, turned, rows


def added(x: Any) -> Any:
    """Sums of interleaved, equal and overlapping parts; one of them is read elsewhere, too."""
    n, m = x.shape
    even = accumulate(lambda i: (2 * i, x[i, 0]), size=2 * n)
    again = accumulate(lambda i: (2 * i, x[i, m - 1]), size=2 * n)
    odd = accumulate(lambda i: (2 * i + 1, x[i, 0] * 2.0), size=2 * n)
    fourth = accumulate(lambda i: (4 * i, x[i, 0]), size=4 * n)
    half = array(lambda p: fourth[p] + even[p], size=2 * n)
    inside = array(
        lambda p: (
            accumulate(lambda i: (2 * i, x[i, 0]), size=2 * n)[p]
            + accumulate(lambda i: (2 * i + 1, x[i, 0]), size=2 * n)[p]
        ),
        size=2 * n,
    )
    first = accumulate(lambda i: (2 * i, x[i, 0] + 1.0), size=2 * n)
    second = accumulate(lambda i: (2 * i + 1, x[i, 0] - 1.0), size=2 * n)
    factors = array(lambda p: (first[p] + 2.0) * (second[p] + 3.0))
    return array(lambda p: even[p] + odd[p] + again[p]), half, odd, inside, factors


def near_misses(x: Any) -> Any:
    """Positions that clip, that several indices reach, or whose extremes are taken."""
    n, m = x.shape
    clipped = accumulate(lambda i: (2 * i, x[i, 0]), size=n + 1)
    several = accumulate(lambda i, j: (2 * i, x[i, j]), size=2 * n)
    both = accumulate(lambda i: ((2 * i, 2 * i + 1), x[i, 0]), size=(2 * n, 2 * n))
    largest = accumulate(lambda i: (2 * i, x[i, m - 1]), size=2 * n, by="max")
    backwards = accumulate(lambda i: (2 * n - 1 - 2 * i, x[i, 0]), size=2 * n)
    return clipped, several, both, largest, backwards


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", [alone, added, near_misses])
def test_values_at_multiples(program: Any, backend: str) -> None:
    for shape in ((3, 4), (1, 1), (2, 3)):
        x = np.cos(np.arange(float(np.prod(shape)))).reshape(shape)
        call: Any = function(program)
        assert_call_agrees(call, (x,), backend, {"float64": 1e-12})


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
def test_gradients_of_pools(backend: str) -> None:
    for b, n, m in ((2, 4, 6), (1, 3, 5), (1, 1, 2), (2, 0, 3)):
        x = np.cos(np.arange(1.0 * b * n * m)).reshape(b, n, m)
        w = np.sin(1.0 + np.arange(1.0 * (n // 2) * (m // 2))).reshape(n // 2, m // 2)
        call: Any = function(value_and_grad(pooled, argnums=(0, 1)))
        assert_call_agrees(call, (x, w), backend, {"float64": 1e-12})


def test_empty_arrays() -> None:
    for shape in ((0, 3), (0, 1)):
        call: Any = function(alone)
        assert_call_agrees(call, (np.zeros(shape),), "numpy", {"float64": 1e-12})


def test_emitted_code() -> None:
    x, w = np.ones((2, 4, 6)), np.ones((2, 3))
    source = function(value_and_grad(pooled)).source(x, w)
    assert "accumulate_at" not in source
    assert source.count(" : 2] = ") == 6
