"""Formulas against exact values, and against the C library at special numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tools.math_errors import DOMAINS, NAMES, arguments, compiled, errors

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

SPECIAL = [0.0, np.inf, np.nan, 5e-324, 1e-310, 1e-45, 1e-40, 1e-20, 90.0, 800.0, 1e30, 1e300]
MOST = {"f64": 1.0, "f32": 2.0}
"""The largest error, in units in the last place."""


def test_every_formula_is_measured():
    assert set(NAMES) == set(DOMAINS)


@pytest.mark.parametrize("type_", MOST)
@pytest.mark.parametrize("name", NAMES)
def test_errors(name: str, type_: str):
    pytest.importorskip("mpmath")
    x = arguments(name, type_, 300)
    found = errors(name, type_, x, compiled(name, type_)(x))
    assert found.max() <= MOST[type_], x[found.argmax()]


def library(name: str, x: Any) -> Any:
    """The function of NumPy, or of Python where NumPy has none."""
    if hasattr(np, name):
        return getattr(np, name)(x)
    return np.array([getattr(math, name)(float(number)) for number in x], x.dtype)


@pytest.mark.parametrize("type_", MOST)
@pytest.mark.parametrize("name", NAMES)
def test_special_numbers(name: str, type_: str):
    """Infinities, NaN, zeros of both signs, subnormal numbers, results out of range."""
    dtype = np.dtype(np.float64 if type_ == "f64" else np.float32)
    with np.errstate(all="ignore"):
        x = np.array([*SPECIAL, *(-number for number in SPECIAL)]).astype(dtype)
        expected = library(name, x)
    actual = compiled(name, type_)(x)
    assert actual.dtype == dtype
    np.testing.assert_array_max_ulp(actual, expected, 1)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual)[known], np.signbit(expected)[known])
