"""The heaps of native code find the positions that a loop of searches finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64, i64

from ein_mlir import compile
from ein_mlir.interpreters import values

pytest.importorskip("llvmlite")

TYPES = {"f64": f64, "f32": f32, "i64": i64}
DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64}
PROGRAM = """
func.func @f(%a: !phi.vec<TYPE>, %k: i64) -> !phi.vec<i64> {
  %0 = phi.top_k %a, %k by "PREDICATE" : !phi.vec<TYPE>
  func.return %0 : !phi.vec<i64>
}
"""


def top_k(type_: str, predicate: str, threads: int | None = None) -> Callable[..., Any]:
    program = PROGRAM.replace("TYPE", type_).replace("PREDICATE", predicate)
    return compile(program, backend="native", threads=threads)


def extreme_numbers(type_: str, size: int) -> NDArray[Any]:
    """Few different numbers, with those that a search never finds."""
    rng = np.random.default_rng(size)
    if type_ == "i64":
        return rng.choice([2**63 - 1, -(2**63), 3, 5], size=size)
    return rng.choice([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0], size=size).astype(DTYPES[type_])


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("predicate", ["<", ">"])
def test_searches_find_the_same(type_: str, predicate: str) -> None:
    function = top_k(type_, predicate)
    for size in (0, 1, 2, 7, 300):
        rng = np.random.default_rng(size)
        some = rng.integers(-3, 4, size=size).astype(DTYPES[type_])
        for numbers in (some, extreme_numbers(type_, size)):
            for count in (0, 1, 3, 16, size + 2):
                expected = values.top_k(numbers, count, predicate, TYPES[type_])
                np.testing.assert_array_equal(function(numbers, count), expected)


@pytest.mark.one_turn
@pytest.mark.parametrize("size", [2**15, 70_003])
@pytest.mark.parametrize("count", [1, 5, 100, 2000])
@pytest.mark.parametrize("threads", [1, 3])
def test_long_vectors_have_heaps_for_ranges(size: int, count: int, threads: int) -> None:
    """All ranges have equal elements; the first ones of these come first."""
    numbers = np.random.default_rng(0).integers(500, size=size).astype(np.float64)
    numbers[::7] = np.nan
    order = np.argsort(numbers, kind="stable")[:count]
    np.testing.assert_array_equal(top_k("f64", "<", threads)(numbers, count), order)
    np.testing.assert_array_equal(top_k("f64", ">", threads)(-numbers, count), order)
