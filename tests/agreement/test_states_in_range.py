"""Loops by a condition: what they carry is in the range of the condition, and may wrap after it."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from ein_mlir import Function, Int, fold, fold_while, function
from tests.agreement.comparison import assert_call_agrees

LARGEST = 2**63 - 1
VALUES = (0, 1, -1, 5, LARGEST, LARGEST - 1, -LARGEST - 1, 2**62, -(2**62), 37)


@function
def bits(a: Int, b: Int):
    return fold_while((a, 0), lambda s: s[0] > 0, lambda s: (s[0] - (s[0] & -s[0]), s[1] + 1))


@function
def negated(a: Int, b: Int):
    def step(s: Any):
        return 0 - s[0] * 2, s[1] + 1

    return fold_while((a, 0), lambda s: (s[0] <= b) & (s[1] < 50), step)


@function
def upwards(a: Int, b: Int):
    """The state that ends the loop may be on the other side."""

    def step(s: Any):
        return s[0] + (s[0] & 7) + 3, s[1] + 1

    return fold_while((a, 0), lambda s: (s[0] < b) & (s[1] < 50), step)


@function
def exchanged(a: Int, b: Int):
    """The condition is on the number before the one that is computed from."""

    def step(s: Any):
        return s[1] + s[0], s[0] * 3, s[2] + 1

    return fold_while((a, b, 0), lambda s: (s[1] > 0) & (s[2] < 9), step)


@function
def approached(a: Int, b: Int):
    """The bound moves."""

    def step(s: Any):
        return s[0] + (s[0] & 5), s[1] - 2**61, s[2] + 1

    return fold_while((a, b, 0), lambda s: (s[0] < s[1]) & (s[2] < 99), step)


@function
def nested(a: Int, b: Int):
    """A loop around, which goes on from the state at the end."""

    def inner(q: Any):
        return q[0] - 2**62 - (q[0] & 1), q[1] + 1

    def outer(i: Any, s: Any):
        u = fold_while((s[0], 0), lambda q: (q[0] > i) & (q[1] < 5), inner)
        return u[0] + u[1] * 2**60 + b, s[1] + u[1]

    return fold((a, 0), outer, count=6)


PROGRAMS: dict[str, Function[..., Any]] = {
    "bits": bits,
    "negated": negated,
    "upwards": upwards,
    "exchanged": exchanged,
    "approached": approached,
    "nested": nested,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str) -> None:
    for arguments in product(VALUES, VALUES):
        assert_call_agrees(PROGRAMS[name], arguments, "numpy", {})


def test_numbers_in_range_are_not_wrapped() -> None:
    assert "wrapped" not in bits.source(6, 0)
