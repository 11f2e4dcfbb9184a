"""Folds that replace random regions of arrays agree with the reference interpreter on NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ein_mlir import Function, array, fold, function, where
from tests.agreement.test_updates import assert_same
from tests.selection import examples

Matrix = Any
"""A staged matrix of Ints."""

BOUNDS: dict[str, Callable[[Any, Any], Any]] = {
    "counter": lambda k, p: k,
    "behind": lambda k, p: k + 1,
    "given": lambda k, p: p[k],
    "first": lambda k, p: 1,
    "wraps": lambda k, p: p[k] * 2**61 - 1,
}
SIDES: dict[str, Callable[[Any, Any], Any]] = {
    "below": lambda i, b: i < b,
    "above": lambda i, b: b < i,
    "from": lambda i, b: i >= b,
    "not": lambda i, b: (i < b) | (i > b),
    "all": lambda i, b: i >= 0,
    "between": lambda i, b: (i > b - 2) & (i <= b),
}
ELEMENTS: dict[str, Callable[[Any, Any, Any, Matrix, Matrix], Any]] = {
    "own": lambda i, j, k, x, y: x[i, j] * 2 + 1,
    "row": lambda i, j, k, x, y: x[i, j] - x[k, j] * x[i, k],
    "neighbour": lambda i, j, k, x, y: x[i - 1, j] + x[i, j],
    "moved": lambda i, j, k, x, y: x[i - 1, j],
    "other": lambda i, j, k, x, y: y[i, j] - x[i, j] + k,
    "many": lambda i, j, k, x, y: ((x[i, j] + y[k, j]) * 3 - x[i, k]) * 2 + i - j * y[i, j],
    "constant": lambda i, j, k, x, y: 7,
    "chosen": lambda i, j, k, x, y: where(x[i, j] > y[i, j], x[i, j], y[i, j] + 1),
}

Region = tuple[str, str, str, str, str]
"""The bounds and sides of both axes, and the new elements."""

regions = st.tuples(
    *(st.sampled_from(list(table)) for table in (BOUNDS, SIDES, BOUNDS, SIDES, ELEMENTS))
)


def is_inside(region: Region, i: Any, j: Any, k: Any, p: Any) -> Any:
    rows, side, columns, column_side, _ = region
    return SIDES[side](i, BOUNDS[rows](k, p)) & SIDES[column_side](j, BOUNDS[columns](k, p))


def replaced(region: Region, i: Any, j: Any, k: Any, p: Any, x: Matrix, y: Matrix, old: Any) -> Any:
    element = ELEMENTS[region[-1]](i, j, k, x, y)
    return where(is_inside(region, i, j, k, p), element, old)


def added(region: Region, i: Any, j: Any, k: Any, p: Any, x: Matrix, y: Matrix) -> Any:
    element = ELEMENTS[region[-1]](i, j, k, x, y)
    return x[i, j] - where(is_inside(region, i, j, k, p), element, 0)


def program(first: Region, second: Region, hands_on: str) -> Function:
    """A fold over two matrices, of which each step replaces regions of one or of both."""

    def run(v, w, p):
        def step(k, pair):
            x, y = pair

            def changed(i, j):
                return replaced(first, i, j, k, p, x, y, x[i, j])

            def twice(i, j):
                return replaced(second, i, j, k, p, x, y, changed(i, j))

            def other(i, j):
                return replaced(second, i, j, k, p, y, x, y[i, j])

            def chosen(i, j):
                return where(p[k] > 1, changed(i, j), x[i, j])

            return {
                "new": lambda: (array(changed), y),
                "added": lambda: (array(lambda i, j: added(first, i, j, k, p, x, y)), y),
                "chosen": lambda: (array(chosen), y),
                "twice": lambda: (array(twice), y),
                "both": lambda: (array(changed), array(other)),
                "swapped": lambda: (y, array(changed)),
            }[hands_on]()

        return fold((v, w), step, count=p.size())

    return function(run)


MOVED: Region = ("behind", "from", "counter", "all", "moved")


BETWEEN: Region = ("given", "between", "wraps", "between", "row")


@example(MOVED, MOVED, "new", (4, 2), [0, 1])
@example(BETWEEN, MOVED, "added", (4, 3), [-1, 2, 4])
@example(MOVED, MOVED, "chosen", (3, 3), [0, 2, 1])
@settings(max_examples=examples(60))
@given(
    regions,
    regions,
    st.sampled_from(["new", "added", "chosen", "twice", "both", "swapped"]),
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
    st.lists(st.integers(-2, 6), max_size=4),
)
def test_regions(
    first: Region, second: Region, hands_on: str, shape: tuple[int, int], p: list[int]
) -> None:
    v = np.arange(shape[0] * shape[1]).reshape(shape)
    assert_same(program(first, second, hands_on), v, v[::-1] - 3, np.array(p, np.int64))
