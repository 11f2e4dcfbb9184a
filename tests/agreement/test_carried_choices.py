"""Tables of Ints whose elements are extremes of, and choices between, those before them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Int, Vec, array, fold, function, max, min, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

LOWEST, HIGHEST = -(2**63), 2**63 - 1


def _table(a: Vec[Int], b: Vec[Int], start: int, cell: Any) -> Any:
    """The last row of a table: an element depends on those above, on the left, and on both."""
    m = b.size()

    def row(i: Any, above: Any) -> Any:
        def step(j: Any, here: Any) -> Any:
            x = cell(a[i], b[j], above[j], above[j + 1], here[j])
            return array(lambda k: where(k == j + 1, x, here[k]))

        return fold(array(lambda k: start, size=m + 1), step, count=m)

    return fold(array(lambda k: k * 0, size=m + 1), row)


@function
def common_subsequence(a: Vec[Int], b: Vec[Int]):
    return _table(a, b, 0, lambda x, y, d, u, left: where(x == y, d + 1, max(u, left)))


@function
def least_unless_equal(a: Vec[Int], b: Vec[Int]):
    return _table(a, b, 3, lambda x, y, d, u, left: where(x == y, min(left - 1, u), d))


@function
def extremes_at_the_ends(a: Vec[Int], b: Vec[Int]):
    """The carried value is the highest and the lowest Int, too."""

    def cell(x: Int, y: Int, d: Int, u: Int, left: Int) -> Int:
        return where(x == y, d + y, max(left + (x - y) * (HIGHEST // 2), u))

    return _table(a, b, LOWEST, cell)


@function
def narrow(a: Vec[Int], b: Vec[Int]):
    """The elements have 8 bits."""

    def step(j: Int, best: Int) -> Int:
        return where(a[j] == b[j], b[j], min(best + a[j], b[j] + a[j])).int("i8").int()

    return fold(100, step, count=a.size())


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (common_subsequence, least_unless_equal, extremes_at_the_ends, narrow)
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 7, 33), name):
        a, b = np.random.default_rng(size).integers(-2, 2, (2, size))
        assert_call_agrees(PROGRAMS[name], (a, b), backend, {})


def test_machine_code_compares_once() -> None:
    """With the carried value; the code without a branch is marked."""
    text = common_subsequence.source(np.ones(2, int), np.ones(2, int), backend="native")
    assert text.count("{ein.unpredictable}") == 2
