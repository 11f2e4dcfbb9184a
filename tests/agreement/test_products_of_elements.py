"""Sums of products of elements of arrays with the same axes, along each axis and in any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, fold_sum, function
from tests.agreement.comparison import given
from tests.libraries import BACKENDS
from tests.selection import sizes_on


@function
def columns(a: Any, b: Any) -> Any:
    return array(lambda j: fold_sum(lambda i: a[i, j] * b[i, j]))


@function
def rows(a: Any, b: Any) -> Any:
    return array(lambda i: fold_sum(lambda j: a[i, j] * b[i, j]))


@function
def exchanged(a: Any, b: Any) -> Any:
    return array(lambda j: fold_sum(lambda i: a[i, j] * b[j, i]))


@function
def whole(a: Any, b: Any) -> Any:
    return fold_sum(lambda i: fold_sum(lambda j: a[i, j] * b[i, j]))


@function
def cubes(a: Any, b: Any) -> Any:
    return array(lambda j: fold_sum(lambda i: a[i, j] * b[i, j] * a[i, j]))


@function
def covariances(a: Any, b: Any) -> Any:
    def centred(x: Any) -> Any:
        return array(lambda i, j: x[i, j] - fold_sum(lambda k: x[k, j]))

    x, y = centred(a), centred(b)
    return array(lambda j: fold_sum(lambda i: x[i, j] * y[i, j]))


def expected_covariances(a: Any, b: Any) -> Any:
    x, y = (each - each.sum(axis=0, dtype=each.dtype) for each in (a, b))
    return (x * y).sum(axis=0)


PROGRAMS: list[tuple[Function[..., Any], Callable[[Any, Any], Any]]] = [
    (columns, lambda a, b: (a * b).sum(axis=0)),
    (rows, lambda a, b: (a * b).sum(axis=1)),
    (exchanged, lambda a, b: (a * b.T).sum(axis=0)),
    (whole, lambda a, b: (a * b).sum()),
    (cubes, lambda a, b: (a * b * a).sum(axis=0)),
    (covariances, expected_covariances),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
@pytest.mark.parametrize(("program", "expected"), PROGRAMS)
def test_products(
    program: Function[..., Any],
    expected: Callable[[Any, Any], Any],
    dtype: str,
    backend: str,
) -> None:
    rng = np.random.default_rng(0)
    for shape in sizes_on(backend, ((0, 0), (0, 3), (1, 1), (2, 2), (7, 5))):
        a = rng.integers(-5, 6, shape).astype(dtype)
        b = rng.integers(-5, 6, shape[::-1] if program is exchanged else shape).astype(dtype)
        found = np.asarray(program.eval(given(a, backend), given(b, backend), backend=backend))
        np.testing.assert_array_equal(found, expected(a, b).astype(dtype), strict=True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_sums_of_ints_wrap(backend: str) -> None:
    a = np.full((3, 2), 2**62)
    found = np.asarray(columns.eval(given(a, backend), given(a + 1, backend), backend=backend))
    np.testing.assert_array_equal(found, (a * (a + 1)).sum(axis=0), strict=True)
