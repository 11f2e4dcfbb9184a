"""Folds over the divisors of an index: each step writes the multiples of a number."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Function,
    array,
    fold_all,
    fold_any,
    fold_max,
    fold_min,
    fold_sum,
    function,
    where,
)
from ein_mlir import max as larger
from tests.agreement.comparison import assert_agree, given, leaves
from tests.libraries import in_64_bits
from tests.selection import combinations


def sums(v: Any, n: Any, c: Any) -> Any:
    return array(lambda i: fold_sum(lambda k: where(i % (k + 1) == 0, v[k], 0.0), count=n), size=n)


def proper(v: Any, n: Any, c: Any) -> Any:
    def divides(i: Any, k: Any) -> Any:
        return (i % (k + 1) == 0) & (k + 1 < i)

    return array(lambda i: fold_sum(lambda k: where(divides(i, k), k + 1, 0), count=i), size=n + 1)


def numbers(v: Any, n: Any, c: Any) -> Any:
    """Of divisors; the index has an offset, and so has the remainder."""

    def number(at: Callable[[Any, Any], Any]) -> Any:
        return array(lambda i: fold_sum(lambda k: at(i, k).int(), count=n), size=n)

    odd = number(lambda i, k: (i + 3) % (2 * k + 3) == 2)
    return odd, number(lambda i, k: (i + c) % (k + 1) == 0)


def primes(v: Any, n: Any, c: Any) -> Any:
    def is_divisor(i: Any, k: Any) -> Any:
        return (k >= 2) & (k * k <= i) & (i % larger(k, 1) == 0)

    one = array(lambda i: (i > 1) & ~fold_any(lambda k: is_divisor(i, k), count=n), size=n)
    return one, array(lambda i: fold_all(lambda k: ~is_divisor(i, k), count=n), size=n)


def extremes(v: Any, n: Any, c: Any) -> Any:
    def divides(i: Any, k: Any) -> Any:
        return (k > 1) & (k < i) & (i % larger(k, 1) == 0)

    least = array(lambda i: fold_min(lambda k: where(divides(i, k), k, n), count=n), size=n)
    most = array(lambda i: fold_max(lambda k: where(divides(i, k), v[k], c), count=n), size=n)
    return least, most


def rows(v: Any, n: Any, c: Any) -> Any:
    """Two indices, one of which has multiples; the other has a test of its own."""

    def at(i: Any, j: Any) -> Any:
        return fold_sum(lambda k: where((j % (k + 2) == 1) & (i != k), v[k] * v[i], 0.0), count=n)

    return array(at, size=(n, n + 2))


def of_values(v: Any, n: Any, c: Any) -> Any:
    """The value of the element is a part of the term."""
    w = array(lambda i: v[i] * 2.0, size=n)
    return array(
        lambda i: 1.0 + fold_sum(lambda k: where(i % (k + 1) == 0, w[i] - v[k], 0.0), count=n),
        size=n,
    )


def of_rows(v: Any, n: Any, c: Any) -> Any:
    """In a comprehension around it, whose index is another one."""
    row = lambda i, j: fold_sum(lambda k: where(j % (k + 1) == 0, v[i], 1.0), count=n)  # noqa: E731
    return array(lambda i: array(lambda j: row(i, j), size=n), size=n)


PROGRAMS: list[Callable[..., Any]] = [
    sums,
    proper,
    numbers,
    primes,
    extremes,
    rows,
    of_values,
    of_rows,
]


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_divisors(program: Callable[..., Any], backend: str, dtype: str) -> None:
    run: Function = function(program)
    for size in (0, 1, 2, 13):
        v = np.random.default_rng(size).normal(size=size + 1).astype(dtype)
        v[2:5] = np.array([np.nan, np.inf, -np.inf])[: len(v[2:5])]
        arguments = (v, size, -1.5 if program is extremes else 4)
        expected = leaves(run.eval(*arguments, backend="naive"))
        with in_64_bits(backend):
            own = [
                given(each, backend if backend in ("torch", "jax") else "numpy")
                for each in arguments
            ]
            actual = leaves(run.eval(*own, backend=backend))
        assert_agree(actual, expected, {"float64": 1e-12, "float32": 1e-5}, f"{program} {size}")


@pytest.mark.parametrize("program", [sums, proper, rows, extremes])
def test_steps_write_multiples(program: Callable[..., Any]) -> None:
    source = function(program).source(np.zeros(3), 2, 1.5, backend="numpy")
    assert re.search(r":\w+:\w+\] = ", source), source


@pytest.mark.parametrize("c", [2**62, -(2**63), 2**63 - 1])
def test_wide_offsets(c: int) -> None:
    """An offset with which an index wraps."""
    run = function(numbers)
    arguments = (np.zeros(8), 7, c)
    expected = leaves(run.eval(*arguments, backend="naive"))
    assert_agree(leaves(run.eval(*arguments, backend="numpy")), expected, {}, str(c))
