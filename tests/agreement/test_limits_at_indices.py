"""Keys that are compared with an index: running totals in place of orders and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Function,
    array,
    fold,
    fold_any,
    fold_max,
    fold_min,
    fold_sum,
    function,
    searchsorted,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

SIZES = (0, 1, 7)
TOLERANCE = {"float64": 1e-12}


@function
def numbers(keys: Any, w: Any, n: Any) -> Any:
    def count(i: Any, offset: int) -> Any:
        return fold_sum(lambda k: where(keys[k] < i + offset, 1, 0))

    return array(lambda i: (count(i, 0), count(i, -3), count(i, 5)), size=n)


@function
def totals(keys: Any, w: Any, n: Any) -> Any:
    def total(i: Any) -> Any:
        before = fold_sum(lambda k: where(keys[k] <= i + 1, w[k], 0.0))
        behind = fold_max(lambda k: where(keys[k] >= i - 2, w[k], -1.0))
        return before, behind, fold_min(lambda k: where(i < keys[k], w[k], np.inf))

    return array(total, size=n)


@function
def selected_values(keys: Any, w: Any, n: Any) -> Any:
    return array(lambda i: fold_any(lambda k: (i < keys[k]) & (w[k] > 0.8)), size=n)


@function
def rows_of_totals(keys: Any, w: Any, n: Any) -> Any:
    def total(i: Any, r: Any) -> Any:
        return fold_sum(lambda k: where(keys[k] - r <= i, w[k] * r.float(), 0.0))

    return array(total, size=(n, 3))


@function
def of_groups(keys: Any, w: Any, n: Any) -> Any:
    """Running totals of each group, which another key tells."""

    def total(g: Any, i: Any) -> Any:
        own = lambda k: keys[k] % 3 == g  # noqa: E731
        before = fold_sum(lambda k: where(own(k) & (keys[k] <= i), w[k], 0.0))
        behind = fold_max(lambda k: where((keys[k] > i - 1) & own(k) & (w[k] < 0.9), k, -1))
        return before, behind, fold_sum(lambda k: where(own(k) & (keys[k] <= g), w[k], 0.0))

    return array(total, size=(3, n))


@function
def in_loops(keys: Any, w: Any, n: Any) -> Any:
    """The keys vary with the steps of a loop around the index, or in it."""

    def total(i: Any, t: Any) -> Any:
        return fold_sum(lambda k: where(keys[k] + t <= i, w[k], 0.0))

    around = fold(
        array(lambda i: 0.0, size=n),
        lambda t, a: array(lambda i: a[i] * 0.5 + total(i, t), size=n),
        count=3,
    )
    return around, array(lambda i: fold(0.0, lambda t, a: a * 0.5 + total(i, t), count=3), size=n)


@function
def searches(keys: Any, w: Any, n: Any) -> Any:
    def place(i: Any) -> Any:
        near = searchsorted(keys, i), searchsorted(keys, i + 2, side="right")
        return *near, w[searchsorted(keys, i - 1, side="right") - 1]

    return array(place, size=n)


PROGRAMS: list[Function] = [
    numbers,
    totals,
    selected_values,
    rows_of_totals,
    of_groups,
    in_loops,
    searches,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("backend", BACKENDS)
def test_backends(program: Function, backend: str) -> None:
    """Also with keys that are out of order, and the least and the greatest Int among them."""
    for size in SIZES if backend != "jax" else SIZES[-1:]:
        rng = np.random.default_rng(size)
        keys = rng.integers(-4, size + 4, 2 * size)
        ends = np.array([np.iinfo(np.int64).max, np.iinfo(np.int64).min, 0])
        for each in (np.sort(keys), np.concatenate([keys, ends])):
            assert_call_agrees(program, [each, rng.random(each.size), size], backend, TOLERANCE)


@pytest.mark.parametrize("program", [numbers, totals], ids=lambda f: f.__name__)
def test_no_order(program: Function) -> None:
    arguments = np.array([1, 0]), np.array([1.0, 2.0]), 2
    assert "sort" not in program.source(*arguments)
