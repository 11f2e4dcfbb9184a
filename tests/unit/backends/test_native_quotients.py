"""Quotients and remainders of Ints, which native programs compute with floats if they are small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Int, Vec, array, compile, function
from ein_mlir.pipelines import run_pipeline

pytest.importorskip("llvmlite")

DIVISORS = (1, -1, 2, -2, 3, -7, 10, 0, 2**31, 2**53 + 1, 2**62 + 1, -(2**63), 2**63 - 1)


@function
def of_indices(n: Int, y: Int) -> tuple[Vec[Int], Vec[Int]]:
    """Indices are small, and so are their multiples and differences."""
    return array(lambda i: (3 * i - 20) // y, size=n), array(lambda i: (3 * i - 20) % y, size=n)


@function
def of_narrow_integers(x: Any, y: Any) -> Any:
    return array(lambda i: x[i] // y[i]), array(lambda i: x[i] % y[i])


@pytest.mark.parametrize("y", DIVISORS)
def test_of_indices(y: int) -> None:
    quotients, remainders = compile(of_indices.ir("phi"), backend="native")(50, y)
    for i in range(50):
        x = 3 * i - 20
        assert (quotients[i], remainders[i]) == ((x // y, x % y) if y else (0, 0))


def test_of_narrow_integers() -> None:
    ends = [-(2**31), -(2**31) + 1, -1, 0, 1, 2**31 - 1, 2**16, 46341]
    random = np.random.default_rng(0).integers(-(2**31), 2**31, size=40)
    x, y = (a.astype(np.int32).ravel() for a in np.meshgrid([*ends, *random], [*ends, *random]))
    text = of_narrow_integers.ir("phi", x, y)
    for actual, expected in zip(
        compile(text, backend="native")(x, y), compile(text, backend="naive")(x, y), strict=True
    ):
        np.testing.assert_array_equal(actual, expected)


def test_quotients_of_floats_are_rounded_to_the_right_side() -> None:
    """Around multiples of the divisor, up to the largest dividend."""
    random = np.random.default_rng(1)
    for bits in range(1, 50):
        y = random.integers(1, 2**bits, size=200)
        multiples = y * (random.integers(0, 2**50, size=200) // y)
        for x in (multiples, multiples - 1, -multiples, -multiples - 1):
            np.testing.assert_array_equal(np.floor(x / y).astype(np.int64), x // y)


def test_floats_are_used_for_small_dividends_only() -> None:
    @function
    def of_any(x: Vec[Int], y: Int) -> Vec[Int]:
        return array(lambda i: x[i] // y)

    for program, is_small in ((of_indices, True), (of_any, False)):
        text = str(run_pipeline(program.phi(), "loops"))
        assert ("arith.divf" in text) is is_small
        assert ("arith.divsi" in text) is not is_small
