"""Formulas against exact values, and against the C library at special numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from tools.math_errors import DOMAINS, NAMES, arguments, compiled, errors

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

SMALL = [0.0, 5e-324, 1e-310, 1e-45, 1e-40, 1e-20, 0.5, 0.9999999, 1.0, 1.0000001]
LARGE = [np.inf, np.nan, 2.0, 3.0, 8.0, 22.0, 90.0, 709.9, 800.0, 1e30, 1e300]
SPECIAL = [*SMALL, *LARGE]
MOST = {"f64": 1.0, "f32": 2.0}
"""The largest error, in units in the last place."""


def test_every_formula_is_measured():
    assert set(NAMES) == set(DOMAINS)


@pytest.mark.one_turn
@pytest.mark.parametrize("type_", MOST)
@pytest.mark.parametrize("name", NAMES)
def test_errors(name: str, type_: str):
    pytest.importorskip("mpmath")
    operands = arguments(name, type_, 300)
    results = compiled(name, type_)(operands[0], operands[-1])
    found = errors(name, type_, operands, results)
    assert found.max() <= MOST[type_], [operand[found.argmax()] for operand in operands]


NUMPY = {
    "acos": np.arccos,
    "asin": np.arcsin,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "erf": np.vectorize(math.erf),
    "powf": np.power,
}
"""Functions that have another name in NumPy, or none."""


@pytest.mark.one_turn
@pytest.mark.parametrize("type_", MOST)
@pytest.mark.parametrize("name", NAMES)
def test_special_numbers(name: str, type_: str):
    """Infinities, NaN, zeros of both signs, subnormal numbers, results out of range.

    The results of NumPy have errors, too: numbers of f32 are those of f64.
    """
    dtype = np.dtype(np.float64 if type_ == "f64" else np.float32)
    function = NUMPY.get(name) or getattr(np, name)
    with np.errstate(all="ignore"):
        x = np.array([*SPECIAL, *(-number for number in SPECIAL)]).astype(dtype)
        operands = [x]
        if DOMAINS[name].second:
            operands = [np.ascontiguousarray(each.ravel()) for each in np.meshgrid(x, x)]
        wide = (operand.astype(np.float64) for operand in operands)
        expected: Any = np.asarray(function(*wide), np.float64).astype(dtype)
    actual = compiled(name, type_)(operands[0], operands[-1])
    assert actual.dtype == dtype
    np.testing.assert_array_max_ulp(actual, expected, 2)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual)[known], np.signbit(expected)[known])


def test_a_scalar():
    """Numbers outside of a loop."""
    f = ein.function(lambda x, y: ein.atan2(x, y) + x**y + ein.acos(x), backend="native")
    expected = math.atan2(0.25, 3.5) + 0.25**3.5 + math.acos(0.25)
    assert float(f(0.25, 3.5)) == pytest.approx(expected)


@pytest.mark.parametrize("exponent", [1.5, -1.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_powers_with_roots(dtype: type[Any], exponent: float):
    """Ordinary bases, and those whose powers are out of range, subnormal, zero or not real."""
    power = ein.function(lambda x: ein.array(lambda i: x[i] ** exponent), backend="native")
    scale = 700.0 if dtype is np.float64 else 80.0
    with np.errstate(all="ignore"):
        ordinary = np.exp(np.linspace(-scale, scale, 999))
        x = np.concatenate([ordinary, SPECIAL, -np.asarray(SPECIAL)]).astype(dtype)
        expected = np.power(x.astype(np.float64), exponent).astype(dtype)
    np.testing.assert_array_max_ulp(np.asarray(power(x)), expected, 2)
