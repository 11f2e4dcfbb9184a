"""Reductions over ordered pairs, in blocks of steps and in loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    exp,
    fold,
    fold_any,
    fold_max,
    fold_prod,
    fold_sum,
    function,
    where,
)
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_agree, assert_call_agrees, given
from tests.libraries import on
from tests.selection import sizes_on

BACKENDS = on("numpy", "torch", "jax", "native")
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def pairs(condition: Any) -> Any:
    """A sum over the pairs for which a condition on their places holds."""

    def total(x: Any) -> Any:
        return fold_sum(lambda i, j: where(condition(i, j), abs(x[i] - x[j]), 0.0))

    return total


@function
def triangles(x: Vec[Float]):
    """Sums over pairs in each order, with and without those of a place with itself."""
    orders = (
        lambda i, j: j > i,
        lambda i, j: j >= i,
        lambda i, j: j < i,
        lambda i, j: ~(j > i),
    )
    return tuple(pairs(order)(x) for order in orders)


@function
def bands(x: Vec[Float]):
    """Pairs of neighbours, pairs that are apart, and one pair for each place."""
    near = lambda i, j: abs(i - j) <= 3  # noqa: E731
    return (
        pairs(near)(x),
        pairs(lambda i, j: (j > i + 2) & (j < i + 9))(x),
        pairs(lambda i, j: j + 4 < i)(x),
        pairs(lambda i, j: j == i + 1)(x),
        pairs(lambda i, j: i + j < x.size())(x),
    )


@function
def reduced_otherwise(x: Vec[Float]):
    """Counts, tests and products, and reductions of reductions by another operation."""
    n = x.size()
    return (
        fold_sum(lambda i, j: where((i < j) & (x[i] > x[j]), 1, 0)),
        fold_any(lambda i: fold_any(lambda j: (j > i) & (x[i] - x[j] > 0.9))),
        fold_sum(lambda i: fold_prod(lambda j: where(j > i, 1.0 + x[i] * x[j] / 50.0, 1.0))),
        fold_sum(
            lambda i: (
                fold_sum(lambda j: where(j < i, x[j], 0.0))
                * fold_sum(lambda j: where(j > i, exp(x[i] - x[j]), 0.0))
            ),
            count=n,
        ),
    )


@function
def shorter_rows(x: Vec[Float]):
    """Rows whose length is the number of the row, or is less, in sums and other reductions."""
    n = x.size()

    def total(i: Any, count: Any) -> Any:
        return fold_sum(lambda j: abs(x[i] - x[j]), count=count)

    def of_rest(i: Any) -> Any:
        return fold_prod(lambda j: 1.0 + x[i] * x[j] / 50.0, count=n - 1 - i)

    def of_products(i: Any, k: Any) -> Any:
        return fold_max(lambda j: x[i] * x[j] + x[k], count=i + 1)

    return (
        fold_sum(lambda i: total(i, i), count=n),
        fold_sum(lambda i: total(i, ein.min(i, 3)) * total(i, i + 1), count=n),
        fold_max(lambda i: of_rest(i), count=n),
        fold_any(lambda i: fold_any(lambda j: x[i] - x[j] > 0.9, count=i), count=n),
        fold_sum(of_products, count=(n, ein.min(n, 4))),
        fold_sum(lambda i: fold_sum(lambda k: total(k, k) * x[i], count=i), count=ein.min(n, 9)),
    )


@function
def of_later_values(x: Vec[Float]):
    """A sum whose terms read another sum of the same step."""

    def term(i: Any) -> Any:
        before = fold_sum(lambda j: where(j < i, abs(x[i] - x[j]), 0.0))
        return fold_sum(lambda j: where(j > i, abs(x[j] - before), 0.0))

    return fold_sum(term)


@function
def in_a_loop(x: Vec[Float]):
    """Triples in order, and pairs in the steps of a loop."""
    total = fold_sum(
        lambda i, j, k: where((i < j) & (j < k), abs(x[i] - x[j] + x[k]), 0.0),
        count=(7, x.size(), x.size()),
    )
    sums = array(
        lambda p, q: fold_sum(
            lambda i, j: where(j > i, exp(abs(x[i] + x[p] - x[j] - x[q])), 0.0), count=(6, 6)
        ),
        size=(4, 3),
    )
    last = fold(
        0.0,
        lambda k, s: fold_sum(lambda j: where(j > k, abs(x[j] - s), 0.0)) / 400.0,
        count=x.size(),
    )
    return total, sums, last


@function
def counted(x: Vec[Float], n: Int):
    """Pairs with a number of steps that may be negative."""
    return fold_sum(
        lambda i: fold_sum(lambda j: where(j > i, abs(x[i] - x[j]), 0.0), count=n), count=x.size()
    )


PROGRAMS = [triangles, bands, reduced_otherwise, shorter_rows, of_later_values]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_pairs(program: Function[..., Any], backend: str):
    for n, dtype in sizes_on(backend, [(0, "f8"), (1, "f8"), (2, "f4"), (5, "f8"), (11, "f4")]):
        x = np.random.default_rng(n).random(n).astype(dtype)
        assert_call_agrees(program, [x], backend, TOLERANCE)


@pytest.mark.filterwarnings("ignore::ein_mlir.EinPerformanceWarning")
@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
@pytest.mark.parametrize("program", PROGRAMS)
def test_several_blocks(program: Function[..., Any], backend: str):
    """Blocks have 163 steps for 200 elements, and 10 for 3000: the last has fewer."""
    for n in (200, 3000):
        x = np.random.default_rng(n).random(n)
        found = program.eval(given(x, backend), backend=backend)
        assert_agree(found, program.eval(x, backend="native"), {"float64": 1e-9})


@pytest.mark.filterwarnings("ignore::ein_mlir.EinPerformanceWarning")
@pytest.mark.parametrize("backend", BACKENDS)
def test_loops(backend: str):
    for n in (7, 9):
        assert_call_agrees(in_a_loop, [np.random.default_rng(n).random(n)], backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_negative_count(backend: str):
    """A count that is an error remains one."""
    with pytest.raises(ValueError, match="negative"):
        counted.eval(given(np.ones(3), backend), -1, backend=backend)


def test_a_negative_row_is_an_error():
    program = function(lambda x: fold_sum(lambda i: fold_sum(lambda j: x[j] + x[i], count=i - 1)))
    assert program(np.ones(0)) == 0
    with pytest.raises(ValueError, match="negative"):
        program(np.ones(2))


def test_rows_in_a_sum_are_in_blocks():
    @function
    def energy(x: Vec[Float]):
        return fold_sum(lambda i: fold_sum(lambda j: abs(x[i] - x[j]), count=i), count=x.size())

    for library in ("numpy", "torch"):
        assert "for i " not in energy.source(np.ones(3), backend=library)
