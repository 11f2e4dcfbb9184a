"""Loops whose inner counts are elements of arrays: the rows of a ragged array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import argsort, array, fold, fold_max, fold_sum, function, sort, where
from tests.agreement.programs import Inputs, Program, floats, ints, n, together

COUNTS_FROM_DATA: dict[str, Program] = {}


def program(inputs: Inputs) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program under its name."""

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        COUNTS_FROM_DATA[f.__name__] = Program(function(f), inputs)
        return f

    return register


def offsets(size: int, dtype: DTypeLike, rng: np.random.Generator) -> NDArray[Any]:
    """Where each row of a ragged array starts, and the end of the last one."""
    return np.concatenate([[0], np.cumsum(rng.integers(0, 4, size))]).astype(np.int64)


def ragged(size: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    """Offsets of rows, a key and a value for each of their elements, and a value for each row."""
    start = offsets(size, dtype, rng)
    keys = rng.integers(-1, size + 1, start[-1])
    values, of_rows = (rng.normal(size=count).astype(dtype) for count in (start[-1], size))
    return start, keys, values, of_rows


# Counts of steps ------------------------------------------------------------------------------


@program(together(ints(n, low=0, high=4), floats(n)))
def rows_of_lengths(length, x):
    """Counts from data: sums of consecutive segments."""

    def row(i, state):
        start, out = state
        c = length[i].max(0)
        s = fold_sum(lambda p: x[start + p] * x[p], count=c)
        return start + c, array(lambda j: where(j == i, s, out[j]))

    return fold((0, array(lambda i: x[i] * 0.0)), row, count=length.size())[1]


@program(together(ints(n, low=0, high=3), floats(n), floats(n)))
def segment_walk(length, x, y):
    """A loop over the steps of each segment, whose count is data that is not clipped."""

    def row(i, v):
        return fold(v, lambda t, v: (v + x[i] * y[t]).tanh(), count=length[i])

    return fold(x[0] * 0.0, row, count=x.size())


@program(
    together(ints(n, low=1, high=4), ints(n, low=0, high=3), floats(n), lambda s, d, r: 2 * s + 1)
)
def bounded_knapsack(weight, copies, value, capacity):
    def item(i, best):
        def copy(t, best):
            return array(
                lambda c: where(
                    c >= weight[i], best[c].max(best[c - weight[i]] + value[i]), best[c]
                )
            )

        return fold(best, copy, count=copies[i])

    return fold(array(lambda c: value[0] * 0.0, size=capacity), item, count=weight.size())


# Keys of the elements of rows -----------------------------------------------------------------


@program(ragged)
def transposed_product(o, c, v, b):
    """A sparse matrix times a vector, where the rows are those of the transposed matrix."""

    def row(i, p):
        size = o[i + 1] - o[i]
        return fold_sum(lambda k: where(c[o[i] + k] == p, v[o[i] + k] * b[i], 0.0), count=size)

    rows = b.size()
    return array(lambda p: fold_sum(lambda i: row(i, p), count=rows), size=rows)


@program(ragged)
def neighbours_in(o, c, v, b):
    """The number of entries of each column."""

    def row(i, p, total):
        size = o[i + 1] - o[i]
        return fold(total, lambda k, t: t + where(c[o[i] + k] == p, 1, 0), count=size)

    rows = b.size()
    return array(lambda p: fold(0, lambda i, t: row(i, p, t), count=rows), size=rows)


@program(ragged)
def pushed(o, c, v, b):
    """Each row adds to elements that later rows read."""

    def row(i, x):
        def element(p):
            size, share = o[i + 1] - o[i], 0.1 * x[i].tanh()
            return fold_sum(lambda k: where(c[o[i] + k] == p, share * v[o[i] + k], 0.0), count=size)

        return array(lambda p: x[p] + element(p))

    return fold(b, row, count=b.size())


@program(ragged)
def largest_of_columns(o, c, v, b):
    """Entries of a row with the same key add up before rows are compared."""
    rows = b.size()

    def entry(i, p):
        size = o[i + 1] - o[i]
        return fold_sum(lambda k: where(c[o[i] + k] == p, v[o[i] + k], 0.0), count=size)

    return array(lambda p: fold_max(lambda i: entry(i, p), count=rows), size=rows)


@program(ragged)
def rows_of_rows(o, c, v, b):
    """The rows of the neighbours of each row."""
    rows = b.size()

    def step(i, h):
        def through(k, p):
            start = o[c[o[i] + k].max(0)]
            size = (o[c[o[i] + k].max(0) + 1] - start).max(0)
            return fold_sum(lambda q: where(c[start + q] == p, v[o[i] + k], 0.0), count=size)

        size = o[i + 1] - o[i]
        return array(lambda p: 0.5 * h[p] + fold_sum(lambda k: through(k, p), count=size))

    return fold(b, step, count=rows)


# Rows in order --------------------------------------------------------------------------------


@program(ragged)
def medians(o, c, v, b):
    def step(i, t):
        size = o[i + 1] - o[i]
        row = sort(array(lambda k: v[o[i] + k], size=size))
        return (t + b[i] + where(size > 0, row[size // 2], 0.0)).tanh()

    return fold(b[0] * 0.0, step, count=b.size())


@program(ragged)
def first_and_last(o, c, v, b):
    """Keys that are equal keep their order."""

    def step(i, t):
        size = o[i + 1] - o[i]
        order = argsort(array(lambda k: c[o[i] + k], size=size))
        ends = v[o[i] + order[0]] - v[o[i] + order[size - 1]]
        return (t + b[i] + where(size > 0, ends, 0.0)).tanh()

    return fold(b[0] * 0.0, step, count=b.size())
