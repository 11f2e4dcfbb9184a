"""Sums of products that are computed in order, where that is needed, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, exp, fold_min, fold_sum, function, value_and_grad, where
from tests.agreement.comparison import assert_agree, assert_call_agrees
from tests.fuzzing.ways import Way, running
from tests.libraries import BACKENDS
from tests.selection import sizes_on


@function
def others(a: Any, b: Any) -> Any:
    """Sums over all but one, of products that may be infinite at that one."""
    n = a.size(0)

    def term(i: Any, t: Any) -> Any:
        near = where(t == i, 0.0, exp(a[i, t]) * (1.0 / (a[i, t] - a[t, i])))
        return near * b[t]

    return array(lambda i: fold_sum(lambda t: term(i, t), count=n), size=n)


@function
def rows(a: Any, b: Any) -> Any:
    """Sums of three factors, of which two are functions, for each row."""
    return array(lambda i: fold_sum(lambda t: exp(a[i, t]) * (exp(-a[i, t]) * b[t])))


def pull(x: Any) -> Any:
    """The squares of the forces of all others on a body, which has no distance from itself."""
    n, axes = x.size(0), x.size(1)

    def force(i: Any, a: Any) -> Any:
        def pair(j: Any) -> Any:
            square = fold_sum(lambda b: (x[j, b] - x[i, b]) ** 2.0, count=axes)
            return where(i != j, 1.0 / (square * square.sqrt()), 0.0) * (x[j, a] - x[i, a])

        return fold_sum(pair, count=n)

    return fold_sum(lambda i: fold_sum(lambda a: force(i, a) ** 2.0, count=axes), count=n)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_of_pairs(backend: str) -> None:
    both = function(value_and_grad(pull))
    for n in sizes_on(backend, (0, 1, 2, 5)):
        x = np.random.default_rng(n).normal(size=(n, 3))
        assert_call_agrees(both, (x,), backend, {"float64": 1e-9})


@function
def shifts(x: Any, y: Any) -> Any:
    """Of points to the means of others, by weights that decrease with distance."""

    def shift(i: Any, d: Any) -> Any:
        total = fold_sum(lambda k: weight[i, k] * (y[k, d] - x[i, d]))
        return total / fold_sum(lambda k: weight[i, k])

    distance = lambda i, k: fold_sum(lambda d: (x[i, d] - y[k, d]) ** 2.0)  # noqa: E731
    weight = array(lambda i, k: exp(-distance(i, k)), size=(x.size(0), y.size(0)))
    return array(shift, size=(x.size(0), x.size(1)))


def energy(x: Any, y: Any) -> Any:
    """Of pairs of points."""
    distance = lambda i, k: fold_sum(lambda d: (x[i, d] - y[k, d]) ** 2.0)  # noqa: E731
    pairs = x.size(0), y.size(0)
    return fold_sum(lambda i, k: 1.0 / (distance(i, k) + 0.5), count=pairs)


@pytest.mark.parametrize("program", [shifts, function(value_and_grad(energy, argnums=(0, 1)))])
@pytest.mark.parametrize("backend", BACKENDS)
def test_rows_of_points(program: Any, backend: str) -> None:
    for n, m, axes in sizes_on(backend, ((0, 1, 2), (1, 0, 2), (1, 1, 1), (5, 3, 2), (2, 4, 3))):
        random = np.random.default_rng(n)
        x, y = random.normal(size=(n, axes)), random.normal(size=(m, axes))
        assert_call_agrees(program, (x, y), backend, {"float64": 1e-9, "float32": 1e-4})


def test_differences_have_short_axes_first() -> None:
    x = np.zeros((9, 2))
    assert "ascontiguousarray(x.T)" in shifts.source(x, x).replace("x_1", "x")


@function
def hops(a: Any, b: Any) -> Any:
    """The shortest paths of two steps: a product over minimum and sum, of elements of few steps."""
    b_1 = array(lambda k, j: b[k] + a[j, k])
    return array(lambda i, j: fold_min(lambda k: a[i, k] + b_1[k, j]))


def test_small_minima_are_blocks() -> None:
    source = hops.source(np.zeros((5, 5)), np.zeros(5))
    assert "min(axis=0" in source
    assert "np.minimum(acc, " in source


@pytest.mark.parametrize("program", [others, rows, hops], ids=lambda each: each.__name__)
@pytest.mark.parametrize("block", [None, 8, 40])
def test_agreement(program: Any, block: int | None) -> None:
    for n in (0, 1, 2, 7):
        for special in (0.0, np.inf, 1e300, np.nan):
            random = np.random.default_rng(n)
            a, b = random.normal(size=(n, n)), random.normal(size=n)
            a[-1:, :1] += special
            b[1:2] = special
            with running(Way("naive")) as naive, running(Way("numpy", block=block)) as ours:
                module = program.phi(a, b)
                expected, found = naive(module)(a, b), ours(module)(a, b)
            assert_agree(found, expected, {"float64": 1e-10}, f"{n}, {special}")
