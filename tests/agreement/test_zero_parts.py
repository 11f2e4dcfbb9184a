"""Comprehensions with several parts of zeros, of which NumPy's arrays start as zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, where
from tests.agreement.comparison import assert_agree
from tests.libraries import BACKENDS, in_64_bits
from tests.selection import sizes_on


def _inside(i: Any, j: Any, n: Any, m: Any) -> Any:
    return (i > 0) & (i < n - 1) & (j > 0) & (j < m - 1)


@function
def bordered(x, zero):
    """Edges of zeros, and of another number that is a literal."""
    n, m = x.shape
    edges = array(lambda i, j: where(_inside(i, j, n, m), x[i - 1, j] + x[i, j + 1], 0.0))
    negative = array(lambda i, j: where(_inside(i, j, n, m), x[i, j], -0.0))
    given = array(lambda i, j: where(_inside(i, j, n, m), x[i, j], zero))
    return edges, negative, given


@function
def spread(x):
    """An element of the array, then zeros; Ints, and Bools."""
    n = 4 * x.size()
    numbers = array(lambda i: where(i % 4 == 1, x[i // 4], 0.0), size=n)
    places = array(lambda i: where(i % 4 == 3, i, 0), size=n)
    return numbers, places, array(lambda i: where(i % 4 == 0, x[i // 4] > 0.0, False), size=n)


@function
def steps(x):
    """Edges of zeros in each step of a loop."""
    n, m = x.shape
    step = lambda _, v: array(  # noqa: E731
        lambda i, j: where(_inside(i, j, n, m), v[i - 1, j] + v[i, j + 1] + v[i, j], 0.0)
    )
    return fold(x, step, count=3)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_parts_of_zeros(backend: str, dtype: str) -> None:
    rng = np.random.default_rng(7)
    with in_64_bits(backend):
        for size in sizes_on(backend, (0, 1, 2, 3, 5)):
            x = rng.normal(size=(size, size + 1)).astype(dtype)
            for f, given in (
                (bordered, (x, x.dtype.type(0.5))),
                (spread, (x[:, 0],)),
                (steps, (x,)),
            ):
                for got, expected in zip(
                    _all(f.eval(*given, backend=backend)),
                    _all(f.eval(*given, backend="naive")),
                    strict=True,
                ):
                    assert_agree(got, expected, {dtype: 1e-5}, f"{size}")
                    if expected.dtype.kind == "f" and backend == "numpy":
                        assert np.array_equal(np.signbit(got), np.signbit(expected))


def _all(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def test_source_has_no_stores_of_zeros() -> None:
    x = np.ones((3, 3))
    assert bordered.source(x, 0.5, backend="numpy").count("np.zeros(") == 1
    assert spread.source(x[0], backend="numpy").count("np.zeros(") == 3
    assert "np.zeros(" not in steps.source(x, backend="numpy")
