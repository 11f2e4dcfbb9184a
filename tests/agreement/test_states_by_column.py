"""Loops over the rows of tables that carry a vector: a state for each column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir
from ein_mlir import array, fold_sum, function, where
from ein_mlir import max as most
from tests.agreement.comparison import given, leaves
from tests.agreement.mismatched_sizes import assert_same_errors
from tests.libraries import library_for, on

fold: Any = ein_mlir.fold
"""The combinator, for arguments without static types."""


def constant(x: Any, value: float) -> Any:
    return array(lambda c: value, size=x.size(1))


def table(x: Any) -> Any:
    return array(lambda i, c: 0.0, size=(x.size(0), x.size(1)))


def put(out: Any, i: Any, row: Any) -> Any:
    return array(lambda p, c: where(p == i, row[c], out[p, c]))


def last_above(x):
    """The last element of each column that is not too small, and that before."""

    def step(i, state):
        last, after, before = state
        new = array(lambda c: where(x[i, c] < 0.2, last[c], x[i, c]))
        return new, put(after, i, new), put(before, i, last)

    return fold((constant(x, -1.0), table(x), table(x)), step, count=x.size(0))


def of_own_size(x):
    """The number of columns is compared in each step, of which there may be none."""

    def step(i, state):
        last, out = state
        new = array(lambda c: where(x[i, c] < 0.2, last[c], x[i, c]))
        return new, put(out, i, last)

    start = array(lambda c: 1.0, size=3), array(lambda i, c: 0.0, size=(x.size(0), 3))
    return fold(start, step, count=x.size(0))


def replaced(x):
    """The row is chosen from the state by conditions on it."""

    def step(i, state):
        last, out = state
        row = array(lambda c: where(x[i, c] < 0.2, where(last[c] < 0.0, 7.0, last[c]), x[i, c]))
        keep = array(lambda c: where(x[i, c] < 0.2, last[c], x[i, c]))
        return keep, put(out, i, row)

    return fold((constant(x, -1.0), table(x)), step, count=x.size(0))


def falls(x):
    """The running maximum of each column, and the falls from it."""

    def step(i, state):
        top, out = state
        new = array(lambda c: most(top[c], x[i, c]))
        return new, put(out, i, array(lambda c: new[c] - x[i, c]))

    return fold((constant(x, -0.5), table(x)), step, count=x.size(0))


def counted(x):
    """Numbers of elements, sums, and the sums at the last reset."""

    def step(i, state):
        count, total, out = state
        more = array(lambda c: count[c] + where(x[i, c] > 0.0, 1, 0))
        new = array(lambda c: total[c] + x[i, c])
        return more, new, put(out, i, array(lambda c: new[c] / most(more[c], 1).float()))

    start = array(lambda c: 0, size=x.size(1)), constant(x, 0.0), table(x)
    return fold(start, step, count=x.size(0))


def held(x):
    """A position for each column, which another sum reads."""

    def step(i, state):
        position, gain = state
        new = array(lambda c: where(x[i, c] > 0.5, 1.0, where(x[i, c] < -0.5, 0.0, position[c])))
        return new, array(lambda c: gain[c] + position[c] * x[i, c])

    return fold((constant(x, 0.0), constant(x, 0.0)), step, count=x.size(0))


def neighbours(x):
    """A state that reads its neighbour: no column is alone."""

    def step(i, state):
        last, out = state
        new = array(lambda c: where(x[i, c] < 0.2, last[most(c - 1, 0)], x[i, c]))
        return new, put(out, i, new)

    return fold((constant(x, -1.0), table(x)), step, count=x.size(0))


def from_data(x):
    """Rows are written at positions from the data."""

    def step(i, state):
        top, out = state
        new = array(lambda c: most(top[c], x[i, c]))
        return new, put(out, (x[i, 0] * 3.0).int(), new)

    return fold((constant(x, -0.5), table(x)), step, count=x.size(0))


def summed(x):
    """Only a number of each step reads the state."""

    def step(i, state):
        top, total = state
        new = array(lambda c: most(top[c], x[i, c]))
        return new, total + fold_sum(lambda c: new[c] * x[i, c])

    return fold((constant(x, -0.5), 0.0), step, count=x.size(0))


PROGRAMS = (
    *(last_above, of_own_size, replaced, falls, counted),
    *(held, neighbours, from_data, summed),
)

SHAPES = ((4, 3), (1, 1), (9, 2), (40, 5), (0, 3), (3, 0))


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS)
def test_states(program: Any, backend: str) -> None:
    compiled: Any = function(program)
    for shape in SHAPES[1:4] if backend == "jax" else SHAPES:
        if program is of_own_size and shape[1] != 3 and shape[0]:
            continue
        x = np.random.default_rng(shape[0]).uniform(-1, 1, shape)
        if shape[0] > 8:
            x[3, 1], x[5, 0], x[7, 1] = np.nan, -0.0, np.inf
        expected = leaves(compiled.eval(x, backend="naive"))
        found = leaves(compiled.eval(given(x, library_for(backend)), backend=backend))
        for own, each in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(own), each, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("backend", on("numpy", "torch", "native"))
def test_columns_are_compared(backend: str) -> None:
    compiled: Any = function(of_own_size)
    for shape in ((2, 2), (1, 4), (0, 2)):
        assert_same_errors(compiled, [np.ones(shape)], backend)
