"""Functions of elements that are looked up: computed for each place of a table if these are few.

Sizes decide at run time, so both versions run; tables may be empty, of several sizes, or have
places that no position reads, where functions are NaN or infinite.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    accumulate,
    array,
    exp,
    fold,
    fold_argmax,
    fold_sum,
    function,
    log,
    sqrt,
    value_and_grad,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]
Keys = Vec[Int]


@function
def quotients(a: Vector, b: Vector, k: Keys) -> Vector:
    """Of two tables, whose sizes may differ; infinite and NaN at places that nothing reads."""
    return array(lambda i: exp(-a[k[i]] / b[k[i]]) * sqrt(a[k[i]]))


@function
def whole_quotients(k: Keys, x: Keys) -> Keys:
    """Of Ints, by counts that are zero at places that nothing reads."""
    count = accumulate(lambda i: (k[i], 1), size=5)
    total = accumulate(lambda i: (k[i], x[i]), size=5)
    return array(lambda i: x[i] - total[k[i]] // count[k[i]] + total[k[i]] % count[k[i]])


@function
def likelihoods(p: Matrix, k: Vec[Keys]) -> Keys:
    """A table with an index of the loop."""
    return array(lambda i: fold_argmax(lambda c: fold_sum(lambda j: log(p[c, k[i, j]] + 1e-9))))


@function
def pushed(rank: Vector, degree: Vector, source: Keys, target: Keys) -> Vector:
    """Accumulated in each step, so that tables are computed in each."""
    n = degree.size(0)

    def step(_: Int, r: Vector) -> Vector:
        new = accumulate(
            lambda e: (target[e], r[source[e]] / (1.0 + sqrt(degree[source[e]]))), size=n
        )
        return array(lambda i: 0.5 * new[i] + 0.1)

    return fold(rank, step, count=3)


@function
def walk(cost: Vector, weight: Vector, table: Vec[Keys], k: Keys) -> tuple[Int, Float]:
    """The position is a state of the loop; NaN is no state."""

    def step(t: Int, state: tuple[Int, Float]) -> tuple[Int, Float]:
        at, total = state
        return table[at, k[t]], total + where(cost[at] > 0.2, log(cost[at]) * weight[at], 1.0)

    return fold((0, 0.0), step)


@function
def norms(v: Matrix, k: Vec[Keys], x: Vector) -> Matrix:
    """In a loop of two indices, beside values of the loop."""
    return array(lambda i, j: x[i] * exp(v[k[i, j], 0] * v[k[i, j], 1]) + exp(x[i]))


@function
def chained(c: Vector, a: Keys, b: Keys, k: Keys) -> tuple[Vector, Vector, Float]:
    """A function of a looked-up place is a place of another table, or part of its elements."""

    def place(i: Int) -> Int:
        return a[k[i]] + b[k[i]]

    def element(i: Int) -> Float:
        return exp(c[place(i)]) * (1.0 + c[place(i)])

    at = accumulate(lambda i: (place(i), element(i) + exp(c[place(i)])), size=7)
    total = fold(0.0, lambda i, x: 0.5 * x + element(i) * a[k[i]].float(), count=k.size(0))
    return array(lambda i: element(i) + exp(c[place(i)])), at, total


def inputs(program: Any, n: int, dtype: str) -> tuple[Any, ...]:
    """The arguments: tables of n // 5 elements for n positions, some out of bounds."""
    random = np.random.default_rng(n)
    places = n // 5
    a, b = random.random((2, places)).astype(dtype)
    k, x = random.integers(0, max(1, places - 1), n), random.integers(-9, 9, n)
    outside = np.where(random.random(n) < 0.2, x, k)
    if places:
        b[-1] = 0
    square = random.integers(0, max(1, places), (places, max(1, places)))
    rows = random.random((places, 2)).astype(dtype)
    return {
        "quotients": (a, b, outside),
        "whole_quotients": (k % 4, x),
        "likelihoods": (random.random((3, places)).astype(dtype), outside.reshape(-1, 1)),
        "pushed": (a, b, outside, k),
        "walk": (a, b, square, k),
        "chained": (a, abs(x[: places + 1]), abs(x[places:][: places + 1]), outside),
        "norms": (rows, np.stack([k, k[::-1]], 1), random.random(n).astype(dtype)),
    }[program.__name__]


PROGRAMS = [quotients, whole_quotients, likelihoods, pushed, walk, norms, chained]


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(program: Any, backend: str, dtype: str) -> None:
    tolerance = {"float64": 1e-13, "float32": 1e-5}
    for n in sizes_on(backend, (0, 1, 2, 7, 40), program.__name__):
        assert_call_agrees(program, inputs(program, n, dtype), backend, tolerance)


@pytest.mark.parametrize("backend", ["naive", "numpy", "native", "torch", "jax"])
@pytest.mark.parametrize("sizes", [(0, 0), (0, 2), (3, 0), (2, 3), (3, 2), (3, 3)])
def test_tables_of_other_sizes(backend: str, sizes: tuple[int, int]) -> None:
    """A position is clipped into each table; an element of an empty table is zero."""
    a, b = np.linspace(1, 2, sizes[0]), np.linspace(3, 4, sizes[1])
    k = np.array([0, 1, 2, 3, -1, 2, 1, 0] * 2)
    at = [x[np.clip(k, 0, len(x) - 1)] if len(x) else np.zeros(16) for x in (a, b)]
    with np.errstate(all="ignore"):
        expected = np.exp(-at[0] / at[1]) * np.sqrt(at[0])
    np.testing.assert_allclose(quotients.eval(a, b, k, backend=backend), expected, rtol=1e-13)


@function
def equalised(image: Vec[Keys]) -> Any:
    """A division is worth a table on NumPy, where each operation is a pass."""
    count = accumulate(lambda y, x: (image[y, x], 1.0), size=100)
    return array(lambda y, x: (count[image[y, x]] - 1.0) / count[0])


@pytest.mark.parametrize("backend", ["numpy", "native", "torch"])
def test_divisions(backend: str) -> None:
    for shape in ((0, 3), (1, 1), (3, 5), (9, 9)):
        image = np.random.default_rng(1).integers(-1, 9, shape)
        assert_call_agrees(equalised, (image,), backend, {"float64": 1e-13})
    source = equalised.source(np.zeros((2, 2), int), backend="numpy")
    assert len(re.findall(r" /=? |np\.divide\(", source)) == 2, source


def test_functions_are_called_once_for_each_place() -> None:
    source = quotients.source(*inputs(quotients, 40, "float64"))
    assert source.count("np.exp(") == 2  # one of the table, and one of the other version


def test_places_that_are_not_read_have_no_derivative() -> None:
    """The root of zero, of which nothing is read, has an infinite one."""
    torch = pytest.importorskip("torch")
    a = torch.tensor([1.0, 0.0, 4.0], dtype=torch.float64, requires_grad=True)
    k = torch.tensor([0, 2] * 20)
    b = torch.ones(3, dtype=torch.float64)
    torch.sum(quotients.torch(a, b, k)).backward()
    assert a.grad is not None
    assert a.grad[1] == 0
    assert a.grad.isfinite().all()


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_sums_over_all_that_are_no_smaller(backend: str) -> None:
    """Sums at positions in an order: each element is looked up once, so there is no table."""

    def likelihood(x: Vector, time: Vector) -> Float:
        total = lambda i: fold_sum(lambda j: where(time[j] >= time[i], exp(x[j]), 0.0))  # noqa: E731
        return fold_sum(lambda i: where(time[i] > 0.3, x[i] - log(total(i)), 0.0))

    gradient = function(value_and_grad(likelihood))
    rng = np.random.default_rng(66)
    for size in (0, 1, 2, 9):
        arguments = rng.normal(size=size), rng.uniform(size=size)
        expected = gradient.eval(*arguments, backend="naive")
        found = gradient.eval(*arguments, backend=backend)
        for own, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-10, atol=1e-12)
