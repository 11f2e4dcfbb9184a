"""Reductions of segments in parts of a long array of keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import compile

pytest.importorskip("llvmlite")

PROGRAM = """
func.func @f(%v: !phi.vec<TYPE>, %k: !phi.vec<i64>, %n: i64) -> !phi.vec<TYPE> {
  %rsize0 = phi.size %k, 0 : !phi.vec<i64>
  %r = phi.accumulate (%i < %rsize0) into "KIND" (%n) -> !phi.vec<TYPE> {
    %p0 = phi.get %k[%i] : !phi.vec<i64>[index]
    %value = phi.get %v[%i] : !phi.vec<TYPE>[index]
    %at = phi.tuple (%p0, %value) : tuple<i64, TYPE>
    phi.yield %at : tuple<i64, TYPE>
  }
  func.return %r : !phi.vec<TYPE>
}
"""
PLACES = """
func.func @f(%v: !phi.vec<f64>, %k: !phi.vec<i64>, %l: !phi.vec<i64>, %n: i64)
    -> !phi.vec<!phi.vec<f64>> {
  %rsize0 = phi.size %k, 0 : !phi.vec<i64>
  %r = phi.accumulate (%i < %rsize0) into "add" (%n, %n) -> !phi.vec<!phi.vec<f64>> {
    %p0 = phi.get %k[%i] : !phi.vec<i64>[index]
    %p1 = phi.get %l[%i] : !phi.vec<i64>[index]
    %value = phi.get %v[%i] : !phi.vec<f64>[index]
    %at = phi.tuple (%p0, %p1, %value) : tuple<i64, i64, f64>
    phi.yield %at : tuple<i64, i64, f64>
  }
  func.return %r : !phi.vec<!phi.vec<f64>>
}
"""
FUNCTIONS: dict[str, Any] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
}
LIMITS = {"min": np.inf, "max": -np.inf, "add": 0.0}


def native(program: str, threads: int | None = None) -> Any:
    return compile(program, backend="native", threads=threads)


@pytest.mark.one_turn
@pytest.mark.parametrize("kind", FUNCTIONS)
@pytest.mark.parametrize("bins", [0, 1, 100, 5000])
def test_long_arrays(kind: str, bins: int) -> None:
    """Keys that are out of bounds count nowhere."""
    rng = np.random.default_rng(bins)
    keys = rng.integers(-2, bins + 2, size=2**16 + 17)
    numbers = rng.uniform(0.9, 1.1, size=len(keys))
    expected = np.full(bins, LIMITS[kind])
    inside = (keys >= 0) & (keys < bins)
    FUNCTIONS[kind].at(expected, keys[inside], numbers[inside])
    program = PROGRAM.replace("KIND", kind).replace("TYPE", "f64")
    found = [native(program, threads)(numbers, keys, bins) for threads in (1, 2, 3, 7)]
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])


def test_integers_wrap() -> None:
    numbers = np.full(2**16, 2**62 + 3)
    keys = np.arange(2**16) % 5
    program = PROGRAM.replace("KIND", "add").replace("TYPE", "i64")
    expected = np.zeros(5, np.int64)
    np.add.at(expected, keys, numbers)
    np.testing.assert_array_equal(native(program)(numbers, keys, 5), expected)


def test_two_keys() -> None:
    rng = np.random.default_rng(0)
    k, other = rng.integers(-1, 9, size=(2, 2**16))
    numbers = rng.normal(size=2**16)
    expected = np.zeros((8, 8))
    inside = (k >= 0) & (k < 8) & (other >= 0) & (other < 8)
    np.add.at(expected, (k[inside], other[inside]), numbers[inside])
    np.testing.assert_allclose(native(PLACES)(numbers, k, other, 8), expected, atol=1e-10)
