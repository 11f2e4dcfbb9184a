"""Sums over conjunctions of conditions, and products of matrices of Ints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Bool, Float, Int, Vec, array, fold_sum, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_agree, given, leaves
from tests.libraries import on

BACKENDS = on("numpy", "torch", "jax", "native")


@function
def common(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Counts, and sums of literals."""

    def at(i: Any, j: Any):
        both = fold_sum(lambda k: where(a[i, k] & (b[j, k] > 1), 1, 0))
        neither = fold_sum(lambda k: where(~a[i, k] & ~(b[j, k] > 1), 0.5, 0.0))
        return both.float() * x[i] + neither

    return array(at)


@function
def values(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Sums of Ints, and of Floats that may be infinite."""

    def at(i: Any, j: Any):
        ints = fold_sum(lambda k: where(a[i, k] & (b[j, k] != 2), b[j, k] * 3, 0))
        floats = fold_sum(lambda k: where(a[i, k] & (b[j, k] > 1), x[k], 0.0))
        return ints.float() + floats

    return array(at)


@function
def separate(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Each condition varies with one variable, and one with none."""
    n = a.size(1)
    return array(
        lambda i: fold_sum(lambda k: where((x[i] > 0) & (x[k] < 1) & (n > 2), 1, 0), count=n),
        size=b.size(0),
    )


def arguments(n: int, m: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n + m)
    a, b = rng.random((n, m)) > 0.5, rng.integers(0, 4, (n + 1, m))
    x = rng.normal(size=max(n, m))
    x[: min(1, len(x))] = np.inf
    return a, b, x


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [common, values, separate], ids=lambda each: each.__name__)
def test_conjunctions(program: Function, backend: str):
    for n, m in ((3, 5), (5, 4), (1, 1), (0, 2), (2, 0)):
        arrays = arguments(n, m)
        arrays = (*arrays[:2], arrays[2][: n if program is common else m])
        expected = program.eval(*arrays, backend="naive")
        found = program.eval(*(given(each, backend) for each in arrays), backend=backend)
        assert_agree(leaves(found), leaves(expected), {"float64": 1e-12})


def test_counts_are_products_of_matrices():
    assert "int_matmul(" in common.source()


@function
def product(a: Any, b: Any):
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))


ENDS = [
    ("int64", -9, 9),
    ("int64", -(2**40), 2**40),
    ("int64", -(2**63), 2**63 - 1),
    ("int32", -(2**31), 2**31 - 1),
    ("uint16", 0, 2**16 - 1),
    ("int8", -128, 127),
]


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize(("dtype", "low", "high"), ENDS)
def test_products_of_ints_wrap(dtype: str, low: int, high: int, backend: str):
    """Products that floats hold exactly, and others: both are exact modulo the type's range."""
    rng = np.random.default_rng(0)
    for rows, inner, columns in ((40, 50, 30), (2, 3, 2), (0, 4, 3), (3, 0, 3)):
        a = rng.integers(low, high, (rows, inner), dtype, endpoint=True)
        b = rng.integers(low, high, (inner, columns), dtype, endpoint=True)
        found = np.asarray(product.eval(given(a, backend), given(b, backend), backend=backend))
        exact = a.astype(object) @ b.astype(object) if inner else np.zeros((rows, columns), object)
        bits = np.dtype(dtype).itemsize * 8
        assert found.dtype == dtype
        assert found.shape == (rows, columns)
        assert all(
            int(x) % 2**bits == y % 2**bits for x, y in zip(found.flat, exact.flat, strict=True)
        )
