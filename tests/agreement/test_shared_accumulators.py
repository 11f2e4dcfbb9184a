"""Accumulations of one loop that are combined after it: in the same memory, or apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import accumulate, array, exp, fold, function
from tests.agreement.comparison import assert_agree
from tests.libraries import needs

SIZES = (0, 1, 2, 7, 70_000)
TARGETS = (0, 1, 3, 500)
TOLERANCE = {"float64": 1e-9}


def pair(k: Any, x: Any, m: Any, by: Any = "sum") -> tuple[Any, Any]:
    first = accumulate(lambda i: (k[i], x[i]), size=m, by=by)
    return first, accumulate(lambda i: (k[i] + 1, x[i] * 0.5), size=m, by=by)


@function
def sums(k, x, m):
    a, b = pair(k, x, m)
    return array(lambda i: a[i] + b[i], size=m)


@function
def sums_in_another_order(k, x, m):
    a, b = pair(k, x, m)
    c = accumulate(lambda i: (k[i] - 1, exp(-x[i] * x[i])), size=m)
    return array(lambda i: (i.float() + b[i]) + (c[i] + (x[i] + a[i])), size=m)


@function
def extremes(k, x, m):
    (a, b), (c, d) = pair(k, x, m, "max"), pair(k, x, m, "min")
    return array(lambda i: ein.max(a[i], b[i]) - ein.min(c[i], d[i]), size=m)


@function
def products(k, x, m):
    a, b = pair(k, x, m, "prod")
    return array(lambda i: a[i] * b[i], size=m)


@function
def clipped_positions(k, x, m):
    a, b = pair(k, x, m)
    return array(lambda i: a[i - 2] + b[i - 2], size=m + 3)


@function
def numbers(k, x, m):
    a = accumulate(lambda i: (k[i], k[i] * (2**61 + 1)), size=m)
    b = accumulate(lambda i: (i % 5, k[i] * (2**61 + 3)), size=m)
    return array(lambda i: a[i] + b[i], size=m)


@function
def steps(k, x, m):
    def step(t: Any, y: Any) -> Any:
        a, b = pair(k, x, m)
        return array(lambda i: 0.5 * y[i] + (a[i] + b[i]))

    return fold(array(lambda i: 0.0, size=m), step, count=3)


@function
def other_positions(k, x, m):
    a, b = pair(k, x, m)
    return array(lambda i: a[i] + b[i + 1], size=m)


@function
def other_sizes(k, x, m):
    a = accumulate(lambda i: (k[i], x[i]), size=m)
    b = accumulate(lambda i: (k[i], x[i] * x[i]), size=m + 2)
    return array(lambda i: a[i] + b[i], size=m)


@function
def other_readers(k, x, m):
    a, b = pair(k, x, m)
    return array(lambda i: a[i] + b[i], size=m), array(lambda i: b[m - 1 - i], size=m)


@function
def other_operations(k, x, m):
    a, b = pair(k, x, m)
    c, d = pair(k, array(lambda i: x[i] * 3.0), m)
    return array(lambda i: (a[i] - b[i]) + ein.max(c[i], d[i]), size=m)


@needs("native")
@pytest.mark.parametrize("m", TARGETS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "program",
    [
        sums,
        sums_in_another_order,
        extremes,
        products,
        clipped_positions,
        numbers,
        steps,
        other_positions,
        other_sizes,
        other_readers,
        other_operations,
    ],
)
def test_accumulators_may_share_memory(program: Any, size: int, m: int) -> None:
    rng = np.random.default_rng(size + m)
    x = rng.normal(size=max(size, m) if program is sums_in_another_order else size)
    x.flat[3:4], x.flat[5:6] = -0.0, np.nan
    given = rng.integers(-2, m + 2, len(x)), x, m
    assert_agree(program.native(*given), program(*given), TOLERANCE, f"{size}, {m}")


@function
def of_squares(k, x, n, m):
    squares = array(lambda i: x[i] * x[i] + 1.0, size=n)
    return accumulate(lambda i: (k[i], squares[i]), size=m, count=n)


@needs("native")
@pytest.mark.parametrize("n", [-1, 0, 1, 2, 7])
def test_sizes_of_arrays_that_an_accumulation_reads_are_checked(n: int) -> None:
    rng = np.random.default_rng(n + 1)
    given = rng.integers(-1, 4, 7), rng.normal(size=7), n, 3
    if n < 0:
        with pytest.raises(ValueError, match="size of index i is negative: -1"):
            of_squares.native(*given)
    else:
        assert_agree(of_squares.native(*given), of_squares(*given), TOLERANCE, f"{n}")
