"""Products of matrices of Ints wrap, also where floats compute them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold_sum, function
from tests.agreement.comparison import given
from tests.libraries import BACKENDS


@function
def product(a: Any, b: Any) -> Any:
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))


@function
def chain(a: Any, b: Any) -> Any:
    return array(
        lambda i, j: fold_sum(lambda k: fold_sum(lambda m: a[i, k] * b[k, m] * a[m, j])),
        size=(a.size(0), a.size(1)),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize("size", [0, 1, 3, 48])
@pytest.mark.parametrize("bits", [4, 22, 31])
def test_products(bits: int, size: int, dtype: str, backend: str) -> None:
    rng = np.random.default_rng(bits)
    a, b = (rng.integers(-(2**bits), 2**bits, (size, size)).astype(dtype) for _ in range(2))
    arguments = [given(each, backend) for each in (a, b)]
    found = np.asarray(product.eval(*arguments, backend=backend))
    np.testing.assert_array_equal(found, a @ b, strict=True)
    found = np.asarray(chain.eval(*arguments, backend=backend))
    np.testing.assert_array_equal(found, a @ b @ a, strict=True)


@function
def common(a: Any) -> Any:
    return array(lambda i, j: fold_sum(lambda k: a[k, i] * a[k, j]))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("rows", [0, 1, 500])
@pytest.mark.parametrize("bits", [2, 31])
def test_products_of_columns(bits: int, rows: int, backend: str) -> None:
    a = np.random.default_rng(rows).integers(-(2**bits), 2**bits, (rows, 20))
    found = np.asarray(common.eval(given(a, backend), backend=backend))
    np.testing.assert_array_equal(found, a.T @ a, strict=True)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("numbers", [(2**22, 2**31, 2**31 + 1), (1, 349526, 349525)])
def test_the_largest_sums_that_floats_have(numbers: tuple[int, ...], backend: str) -> None:
    """Sums of 2^53 + 1, or 2^24 + 31 for f32, are no floats; those of smaller magnitudes are."""
    factor, other, first = numbers
    a, b = np.full((48, 48), factor), np.full((48, 48), other)
    b[0] = first
    found = np.asarray(product.eval(given(a, backend), given(b, backend), backend=backend))
    np.testing.assert_array_equal(found, a @ b, strict=True)
