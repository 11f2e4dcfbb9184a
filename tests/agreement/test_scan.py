"""Scans agree with the reference interpreter, and with reductions of each prefix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import EinTypeError, array, function, scan, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

SIZES = (0, 1, 2, 7)
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def _affine(x: Any, y: Any) -> Any:
    """The composition of two affine functions: recurrences of first order."""
    return x[0] * y[0], y[0] * x[1] + y[1]


def _last_valid(x: Any, y: Any) -> Any:
    """The last element that is valid."""
    return where(y[1], y, x)


PROGRAMS = {
    "sum": function(lambda v: scan(v, 0, lambda x, y: x + y)),
    "product": function(lambda v: scan(v, 1, lambda x, y: x * y)),
    "max": function(lambda v: scan(v, -100, lambda x, y: x.max(y))),
    "recurrence": function(
        lambda v: scan(array(lambda i: (v[i], v[i] + 1)), (1, 0), _affine),
    ),
    "last valid": function(
        lambda v: scan(array(lambda i: (v[i], v[i] > 1)), (0, False), _last_valid)
    ),
    "of rows": function(
        lambda v: scan(
            array(lambda i, j: v[i] * v[j]), array(lambda j: 0 * v[j]), lambda x, y: _sum(x, y)
        )
    ),
    "in rows": function(
        lambda v: array(lambda r: scan(array(lambda i: v[i] - v[r]), 0, lambda x, y: x + y))
    ),
}


def _sum(x: Any, y: Any) -> Any:
    return array(lambda j: x[j] + y[j])


def vector(size: int, dtype: str) -> Any:
    return np.random.default_rng(size).integers(-4, 5, size).astype(dtype)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_backends(name: str, backend: str) -> None:
    for dtype in ("float64", "int64") if backend in ("numpy", "native") else ("float64",):
        for size in SIZES:
            assert_call_agrees(PROGRAMS[name], (vector(size, dtype),), backend, TOLERANCE)


@pytest.mark.parametrize("size", SIZES)
def test_prefixes(size: int) -> None:
    v = vector(size, "float64")
    np.testing.assert_array_equal(PROGRAMS["sum"](v), np.cumsum(v))
    np.testing.assert_array_equal(PROGRAMS["max"](v), np.maximum.accumulate(v))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda v: scan(v, 0, lambda x: x), r"the combination of scan\(\) has 2 parameters"),  # pyright: ignore
        (lambda v: scan(v[0], 0, lambda x, y: x), r"scan: expected a vector, not Float"),
        (
            lambda v: scan(v, (0, 1), lambda x, y: x),
            r"scan: the elements are Float, but the identity",
        ),
        (
            lambda v: scan(v, 0, lambda x, y: (x, y)),
            r"scan: the elements are Float, but the result",
        ),
    ],
)
def test_messages(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(EinTypeError, match=message):
        function(program)(np.ones(3))
