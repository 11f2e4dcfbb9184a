"""Sums over all pairs of terms by an order: magnitudes of differences, extremes, and choices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_sum, function, grad, where
from ein_mlir import max as larger
from ein_mlir import min as smaller
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_agree, assert_call_agrees
from tests.libraries import on
from tests.selection import combinations, sizes_on


@function
def magnitudes(x: Vec[Float], w: Vec[Float]):
    """Of differences, with weights of either side, in an array and in a sum of sums."""
    n = x.size()
    around = array(lambda i: fold_sum(lambda j: w[j] * abs(x[i] - x[j]) * w[i], count=n))
    return around, fold_sum(lambda i: fold_sum(lambda j: abs(x[i] - x[j])), count=n)


@function
def extremes(x: Vec[Float], w: Vec[Float]):
    """Of two elements, of an element and a number, and of a difference and 0."""
    n = x.size()

    def at(i: Any) -> Any:
        least = fold_sum(lambda j: smaller(x[i], w[j]), count=n)
        most = fold_sum(lambda j: larger(w[j] + w[j], x[i]), count=n)
        return least, most, fold_sum(lambda j: larger(w[j] - x[i], 0), count=n)

    return array(at)


@function
def choices(x: Vec[Float], w: Vec[Float]):
    """One that no NaN passes, and one that each does; a term for one side, and for both."""

    def at(i: Any) -> Any:
        below = fold_sum(lambda j: where(x[j] < x[i], x[i] - w[j], 0))
        either = fold_sum(lambda j: where(x[j] >= x[i], w[j] * 3 - x[i], w[j] * x[i] / 2))
        return below, either, fold_sum(lambda j: w[j] * (x[j] <= x[i]).float())

    return array(at)


PROGRAMS: dict[str, Function[..., Any]] = {f.__name__: f for f in (magnitudes, extremes, choices)}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    tolerance = {"float64": 1e-11, "float32": 1e-4}
    for size in sizes_on(backend, (0, 1, 2, 70), name):
        rng = np.random.default_rng(size)
        for special in (None, 0.0, 1e30, np.inf, -np.inf, np.nan):
            x, w = (rng.integers(-9, 9, size) / 4 for _ in range(2))
            if special is not None and size:
                x[-1] = special
                w[size // 2] = special if special != 1e30 else 0
            assert_call_agrees(
                PROGRAMS[name], (x.astype(dtype), w.astype(dtype)), backend, tolerance
            )


@function
def of_ints(x: Vec[Int], y: Vec[Int]):
    """Differences may wrap; extremes are exact."""
    n = x.size()

    def at(i: Any) -> Any:
        return fold_sum(lambda j: abs(x[i] - y[j])), fold_sum(lambda j: smaller(x[i], y[j]))

    return array(at), fold_sum(lambda i: fold_sum(lambda j: abs(x[i] - x[j])), count=n)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
def test_ints(backend: str) -> None:
    for size in (0, 1, 70):
        x, y = np.random.default_rng(size).integers(-9, 9, (2, size))
        assert_call_agrees(of_ints, (x, y), backend, {})
        if size:
            x[0], y[-1] = 2**63 - 1, -(2**63)
            assert_call_agrees(of_ints, (x, y), backend, {})


def squares(x: Any, w: Any) -> Any:
    """A sum of each kind."""

    def at(i: Any) -> Any:
        near = fold_sum(lambda j: w[j] * abs(x[i] - x[j]))
        return near * fold_sum(lambda j: smaller(x[i], w[j])) + fold_sum(
            lambda j: where(w[j] < x[i], x[i] - w[j], 0)
        )

    return fold_sum(lambda i: at(i) * at(i), count=x.size())


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
def test_gradients(backend: str) -> None:
    gradient = grad(function(squares), argnums=(0, 1))
    for size in (1, 70):
        x, w = np.random.default_rng(size).integers(-9, 9, (2, size)) / 4
        assert_call_agrees(gradient, (x, w), backend, {"float64": 1e-10})


@pytest.mark.parametrize("program", [*PROGRAMS.values(), function(squares)])
def test_steps_are_in_order(program: Function[..., Any]) -> None:
    source = program.source(np.ones(3), np.ones(3), backend="numpy")
    assert "sort" in source


@pytest.mark.parametrize("backend", on("torch", "jax", "native"))
def test_many_values(backend: str) -> None:
    """So many that no library compares all pairs."""
    rng = np.random.default_rng(0)
    for special in (None, np.inf, np.nan):
        x, w = (rng.integers(-9, 9, 1100) / 4 for _ in range(2))
        if special is not None:
            x[-1] = w[0] = special
        for program in PROGRAMS.values():
            expected = program.eval(x, w, backend="numpy")
            assert_agree(program.eval(x, w, backend=backend), expected, {"float64": 1e-9})
