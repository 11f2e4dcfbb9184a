"""Counts and sums of the elements of a column, or of a row, that compare with one of them."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_max, fold_sum, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_agree, given, leaves
from tests.selection import combinations

SIZES = (0, 1, 2, 5, 70)
COLUMNS = 3
TOLERANCES = {"float64": 1e-12, "float32": 1e-4}


@function
def ranks(x: Vec[Vec[Float]], y: Vec[Float]) -> tuple[Vec[Vec[Int]], Vec[Vec[Int]]]:
    """Less or equal in a column, and greater in a row."""
    return (
        array(lambda i, f: fold_sum(lambda k: where(x[k, f] <= x[i, f], 1, 0), count=x.size(0))),
        array(lambda f, i: fold_sum(lambda k: where(x[k, f] > x[i, f], 1, 0), count=x.size(0))),
    )


@function
def stable(x: Vec[Vec[Float]], y: Vec[Float]) -> Vec[Vec[Int]]:
    """By element and then by row."""

    def before(k: Int, i: Int, f: Int) -> Any:
        return (x[k, f] < x[i, f]) | ((x[k, f] == x[i, f]) & (k < i))

    return array(
        lambda i, f: fold_sum(lambda k: where(before(k, i, f), 1, 0)), size=(x.size(0), x.size(1))
    )


@function
def of_others(x: Vec[Vec[Float]], y: Vec[Float]) -> tuple[Vec[Vec[Float]], Vec[Vec[Float]]]:
    """Values of a vector, and of the columns, by limits of a vector."""
    n, m = x.size(0), x.size(1)
    return (
        array(
            lambda i, f: fold_sum(lambda k: where(x[k, f] < y[i], y[k], 0.0), count=n), size=(n, m)
        ),
        array(
            lambda f, i: fold_max(lambda k: where(x[k, f] >= x[i, f], x[k, f] * y[k], -9.0)),
            size=(m, n),
        ),
    )


@function
def ties(x: Vec[Vec[Float]], y: Vec[Float]) -> tuple[Vec[Vec[Float]], Vec[Vec[Int]]]:
    """Equal elements of a column, and those among them of rows before."""
    size = x.size(0), x.size(1)
    return (
        array(lambda i, f: fold_sum(lambda k: where(x[k, f] == x[i, f], y[k], 0.0)), size=size),
        array(
            lambda i, f: fold_sum(lambda k: where((x[k, f] == x[i, f]) & (k < i), 1, 0)), size=size
        ),
    )


def gain(x: Vec[Vec[Float]], y: Vec[Float], f: Int, s: Int) -> Float:
    """Of a split of the rows: limits of the steps of a loop."""
    total = fold_sum(lambda i: where(x[i, f] <= x[s, f], y[i], 0.0))
    return total * total / (1.0 + fold_sum(lambda i: where(x[i, f] <= x[s, f], 1.0, 0.0)))


@function
def splits(x: Vec[Vec[Float]], y: Vec[Float]) -> tuple[Vec[Float], Float]:
    """The best one of each column, and of all."""
    return (
        array(lambda f: fold_max(lambda s: gain(x, y, f, s), count=x.size(0)), size=x.size(1)),
        fold_max(lambda f, s: gain(x, y, f, s), count=(x.size(1), x.size(0))),
    )


@function
def few(x: Vec[Vec[Float]], y: Vec[Float]) -> Vec[Vec[Int]]:
    """Two limits for each column."""
    return array(
        lambda q, f: fold_sum(lambda k: where(x[k, f] < q.float(), 1, 0)), size=(2, x.size(1))
    )


PROGRAMS = {f.__name__: f for f in (ranks, stable, of_others, ties, splits, few)}


def arguments(rows: int, dtype: str) -> list[Any]:
    """Numbers with equal ones among them, NaN and infinities."""
    rng = np.random.default_rng(rows)
    x = rng.integers(-3, 3, (rows, COLUMNS)).astype(dtype)
    for special in (np.nan, np.inf, -np.inf, -0.0):
        x[rng.random(x.shape) < 0.1] = special
    return [x, rng.integers(-3, 3, rows).astype(dtype)]


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_agree(name: str, backend: str, dtype: str) -> None:
    program = PROGRAMS[name]
    for rows in SIZES if backend != "jax" else SIZES[-2:]:
        own = arguments(rows, dtype)
        converted = [given(each, "torch" if backend == "torch" else "numpy") for each in own]
        expected = leaves(program.eval(*own, backend="naive"))
        assert_agree(program.eval(*converted, backend=backend), expected, TOLERANCES)


@pytest.mark.parametrize("program", [ranks, of_others, ties], ids=lambda f: f.__name__)
def test_many_rows_on_jax(program: Function[..., Any]) -> None:
    """There are so many that their pairs are not compared."""
    own = arguments(1100, "float64")
    assert_agree(program.eval(*own, backend="jax"), leaves(program.eval(*own)), TOLERANCES)


@pytest.mark.parametrize("program", [ranks, stable, ties], ids=lambda f: f.__name__)
def test_no_loop_over_the_rows(program: Function[..., Any]) -> None:
    source = Function(inspect.unwrap(program)).source(*arguments(5, "float64"))
    own = source.split("@np.errstate")[-1]
    assert "sort" in own
    assert not re.search(r"for (?!start)\w+ in range", own)


def test_few_limits_need_no_order() -> None:
    assert "sort" not in few.source(*arguments(5, "float64")).split("@np.errstate")[-1]
