"""Windows that end at the ends of an array, whose radius is an argument: any Int, or a constant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Function,
    Int,
    Vec,
    array,
    fold_max,
    fold_sum,
    function,
    max,
    min,
)
from tests.agreement.comparison import assert_agree, given
from tests.libraries import in_64_bits
from tests.selection import combinations

A = np.random.default_rng(6).normal(size=(7, 7))
RADII = [0, 1, 3, 7, -1, 2**58, 2**58 + 1, 2**62, -(2**62), 2**63 - 1, 2**63 - 4, -(2**63)]
WRAPPED = -(2**63) + 2
"""A radius with which the width of a window wraps to a few elements."""


@function
def sums(a: Vec[Vec[Float]], r: Int):
    n, m = a.shape

    def at(i: Any, j: Any):
        top, left = max(i - r, 0), max(j - r, 0)
        count = min(i + r + 1, n) - top, min(j + r + 1, m) - left
        return fold_sum(lambda y, x: a[top + y, left + x], count=count)

    return array(at, size=(n, m))


@function
def means(a: Vec[Vec[Float]], r: Int):
    n = a.size(0)

    def at(i: Any):
        low, high = max(i - r, 0), min(i + r, n - 1)
        total = fold_sum(lambda y: a[low + y, 0], count=high - low + 1)
        return total, (high - low + 1).float()

    return array(at, size=n)


@function
def weighted(a: Vec[Vec[Float]], r: Int):
    """The weights start with the window, so that it is no part of the steps of all elements."""
    n, m = a.shape

    def at(i: Any):
        start = max(i - r, 0)
        return fold_sum(lambda y: a[start + y, 0] * a[y, m - 1], count=min(i + r + 1, n) - start)

    return array(at, size=n)


@function
def weighted_by_three(a: Vec[Vec[Float]], r: Int):
    """A window of a constant radius: no more than seven weights."""
    n, m = a.shape

    def at(i: Any):
        start = max(i - 1, 0)
        return fold_sum(lambda y: a[start + y, 0] * a[y, m - 1], count=min(i + 2, n) - start)

    return array(at, size=n)


@function
def spread(a: Vec[Vec[Float]], r: Int):
    """A reduction with a value of the element."""
    n = a.size(0)

    def at(i: Any):
        start = max(i - r, 0)
        count = min(i + r + 1, n) - start
        return fold_max(lambda y: abs(a[start + y, 0] - a[i, 0]), count=count)

    return array(at, size=n)


@function
def ahead(a: Vec[Vec[Float]], r: Int):
    """The ends of rows are those of the array, and the starts wrap."""
    n = a.size(0)
    return array(lambda i: fold_sum(lambda y: a[i + r + y, 0], count=n - max(i + r, 0)), size=n)


PROGRAMS = [sums, means, weighted, weighted_by_three, spread, ahead]


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_any_radius(program: Function[..., Any], dtype: str, backend: str):
    for radius in RADII if program is ahead else [*RADII, WRAPPED]:
        for shape in ((7, 7), (1, 1), (2, 2), (0, 0)) if abs(radius) < 8 else ((7, 7),):
            a = np.resize(A, shape).astype(dtype)
            expected = program.eval(a, radius, backend="naive")
            with in_64_bits(backend):
                found = program.eval(given(a, backend), radius, backend=backend)
                limits = {"float64": 1e-12, "float32": 1e-5}
                assert_agree(found, expected, limits, f"{shape}, {radius}")
