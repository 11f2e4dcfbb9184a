"""Integers in 8 bits: the narrowed ones, the others, and unchanged values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir import Vec, array, fold, fold_sum, function, where
from tests.libraries import INSTALLED
from tests.selection import examples

A = np.array([True, False, True, True, False])
B = np.array([False, False, True, False, True])

NARROWED: dict[str, Any] = {
    "counts": lambda a, b, i: where(a[i], 1, 0) + where(b[i], 1, 0) == 2,
    "other constants": lambda a, b, i: where(a[i], -60, 4) - where(b[i], 60, 5) > 3,
    "casts": lambda a, b, i: a[i].int() + b[i].int() + a[i - 1].int() >= 2,
    "products": lambda a, b, i: (where(a[i], 11, -11) * where(b[i], 11, 2)).float(),
    "extrema": lambda a, b, i: where(a[i], 1, 7).max(where(b[i], 5, 0)) != 5,
    "read as they are": lambda a, b, i: where(a[i], 1, 0) + where(b[i], 1, 0) + where(a[i], 4, 9),
    "choices": lambda a, b, i: (
        where(b[i], where(a[i], 1, 2), where(a[i - 1], 3, 4)) + where(a[i], 1, 0) > 2
    ),
    "positions": lambda a, b, i: (
        fold_sum(lambda k: where(a[where(a[i], 1, 0) + where(b[k], 2, 1)], 1, 0), count=3) > 1
    ),
    "a window": lambda a, b, i: fold_sum(lambda p: where(a[i + p], 1, 0), count=3) == 2,
}

WIDE: dict[str, Any] = {
    "too large": lambda a, b, i: where(a[i], 100, 0) + where(b[i], 28, 0) == 128,
    "too large on the way": lambda a, b, i: (
        (where(a[i], 100, 0) + where(b[i], 28, 0)) * where(a[i], 0, 2) == 128
    ),
    "too large a constant": lambda a, b, i: where(a[i], 128, 0) == 128,
    "of unknown numbers": lambda a, b, i: where(a[i], i, 0) + where(b[i], i, 1) == 2,
    "only to be widened": lambda a, b, i: where(a[i], 1, 0),
    "compared with what is unknown": lambda a, b, i: where(a[i], 1, 0) == i,
    "how many steps is unknown": lambda a, b, i: (
        fold(0, lambda k, n: n + where(a[i - k], 1, 0), count=a.size()) == 2
    ),
}


def each(body: Any) -> Any:
    return function(lambda a, b: array(lambda i: body(a, b, i), size=a.size()))


@pytest.mark.one_turn
@pytest.mark.parametrize("variant", NARROWED)
def test_small_integers_are_narrow(variant: str) -> None:
    program = each(NARROWED[variant])
    assert "xi8>" in program.ir("yarr", A, B)
    for backend in INSTALLED:
        result = np.asarray(program.eval(A, B, backend=backend))
        expected = program.eval(A, B, backend="naive")
        np.testing.assert_array_equal(result, expected)
        assert result.dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("variant", WIDE)
def test_others_stay_wide(variant: str) -> None:
    program = each(WIDE[variant])
    assert "i8>" not in program.ir("yarr", A, B)
    np.testing.assert_array_equal(program(A, B), program.eval(A, B, backend="naive"))


Constants = st.sampled_from([0, 1, -1, 2, 5, 11, 12, 63, 64, -64, 127, 128, -128, -129])


@settings(max_examples=examples(40))
@given(st.lists(Constants, min_size=8, max_size=8))
def test_no_value_changes(c: list[int]) -> None:
    """Sums, differences, products and extrema of numbers about the bounds of 8 bits."""

    @function
    def program(a: Vec[Any], b: Vec[Any]) -> Any:
        def at(i: Any) -> Any:
            x, y = where(a[i], c[0], c[1]), where(b[i], c[2], c[3])
            z = (x + y).min(where(a[i], c[4], c[5])) - x.max(c[6])
            return z, (x * y == z) | (abs(y) * z < x + c[7]), (z * x).float()

        return array(at, size=a.size())

    expected: Any = program.eval(A, B, backend="naive")
    actual: Any = program(A, B)
    for got, wanted in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
