"""Functions beside loops, and in recurrences, whose steps are taken in blocks by machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    exp,
    fold,
    fold_max,
    fold_sum,
    fold_while,
    function,
    log,
    max,
    sin,
    tanh,
    where,
)
from ein_mlir.passes.loops import block_functions
from tests.agreement.comparison import assert_call_agrees
from tests.selection import sizes_on

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]


@function
def of_ranks(a: Matrix) -> Vector:
    """A function of the result of a loop, in a sum for each row."""

    def rank(i: Int, j: Int) -> Int:
        return fold_sum(lambda k: where(a[i, k] > a[i, j], 1, 0))

    return array(lambda i: fold_sum(lambda j: exp(a[i, j]) / log(rank(i, j).float() + 2.0)))


@function
def between_loops(a: Matrix, x: Vector) -> Vector:
    """Functions before a loop that needs them, between two, and after both."""

    def row(i: Int) -> Float:
        weight = exp(-x[i])
        total = fold_sum(lambda k: max(a[i, k], weight))
        shift = log(1.0 + total * total)
        return tanh(fold_max(lambda k: a[i, k] * shift + a[k, i]) + weight) + sin(x[i])

    return array(row, size=x.size(0))


@function
def of_conditional_loops(x: Vector) -> Vector:
    """A loop by a condition, one of whose results is a function's argument."""

    def root(i: Int) -> Float:
        y, steps = fold_while(
            (1.0, 0),
            lambda s: (abs(s[0] * s[0] - x[i]) > 1e-3) & (s[1] < 40),
            lambda s: ((s[0] + x[i] / s[0]) * 0.5, s[1] + 1),
        )
        return exp(-y) + where(steps > 3, 1.0, 0.0)

    return array(root, size=x.size(0))


@function
def decays(x: Vector, a: Vector) -> tuple[Float, Float]:
    """A recurrence with functions of data, and one with functions of what it carries."""

    def step(k: Int, s: tuple[Float, Float]) -> tuple[Float, Float]:
        first, second = s
        return a[k] * first + tanh(x[k]), exp(-abs(second)) + log(1.0 + x[k]) * first

    return fold((0.5, 0.25), step, count=x.size(0))


@function
def written_row(x: Vector) -> Vector:
    """Functions of elements that earlier steps wrote, and of those that no step has."""

    def step(k: Int, v: Vector) -> Vector:
        before = where(k > 1, v[max(k - 2, 0)], 0.5)
        new = exp(-abs(before)) + exp(x[k]) * v[max(k - 1, 0)]
        return array(lambda i: where(i == k, new, v[i]), size=x.size(0))

    return fold(x, step, count=x.size(0))


@function
def triangle(a: Matrix) -> Float:
    """Loops of as many steps as the counter of the loop around."""

    def below(j: Int) -> Float:
        return fold_sum(lambda k: a[j, k], count=j)

    return fold_sum(lambda j: log(1.0 + below(j) ** 2), count=a.size(0))


@function
def best_so_far(x: Vector, a: Vector) -> tuple[Float, Int]:
    """A choice that waits for the step before, by a function of data."""

    def step(k: Int, s: tuple[Float, Int]) -> tuple[Float, Int]:
        value = exp(sin(x[k])) - a[k]
        return where(value > s[0], value, s[0] * 0.9), where(value > s[0], k, s[1])

    return fold((-1.0, -1), step, count=x.size(0))


PROGRAMS = [
    of_ranks,
    between_loops,
    of_conditional_loops,
    decays,
    written_row,
    triangle,
    best_so_far,
]


def inputs(program: Any, n: int, dtype: str) -> tuple[Any, ...]:
    random = np.random.default_rng(n)
    matrix, x, a = (random.random(shape).astype(dtype) for shape in ((n, n), n, n))
    return {
        "of_ranks": (matrix,),
        "between_loops": (matrix, x),
        "of_conditional_loops": (x,),
        "written_row": (x,),
        "triangle": (matrix,),
    }.get(program.__name__, (x, a))


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few steps: some are whole, and the last one is not."""
    monkeypatch.setattr(block_functions, "BLOCK", 4)
    monkeypatch.setenv("EIN_CACHE_DIR", "")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_agreement(program: Any, backend: str, dtype: str) -> None:
    tolerance = {"float64": 1e-12, "float32": 1e-4}
    for n in sizes_on(backend, (0, 1, 2, 4, 5, 9), program.__name__):
        assert_call_agrees(program, inputs(program, n, dtype), backend, tolerance)


def test_special_numbers_stay_in_their_steps() -> None:
    x, a = np.linspace(0.1, 1.0, 14), np.full(14, 0.5)
    x[6], x[9] = np.nan, np.inf
    for number in (6, 9, 14):
        with np.errstate(all="ignore"):
            expected = decays.eval(x[:number], a[:number], backend="naive")
        np.testing.assert_allclose(decays.native(x[:number], a[:number]), expected)
