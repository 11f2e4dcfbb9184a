"""The place of the best element of a long array: with ties, infinities and NaN among them."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Bool,
    Float,
    Int,
    Vec,
    array,
    fold,
    fold_argmax,
    fold_argmin,
    function,
    where,
    wrap,
)
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_agree, given, leaves
from tests.libraries import BACKENDS

SIZES = (0, 1, 2, 63, 64, 65, 512, 1025)
"""Around the fewest elements that are searched in blocks, and the size of blocks."""

TOLERANCES = {"float64": 1e-12, "float32": 1e-4}


@function
def places(x: Vec[Float], y: Vec[Int], seen: Vec[Bool]) -> tuple[Int, Int, Int, Int]:
    """Of the greatest and the least, of Floats and Ints."""
    n = x.size()
    return (
        fold_argmax(lambda i: x[i]),
        fold_argmin(lambda i: x[i] * 2.0),
        fold_argmax(lambda i: where(seen[i], -9, y[i]), count=n),
        fold_argmin(lambda i: y[i], count=n),
    )


@function
def masked(x: Vec[Float], y: Vec[Int], seen: Vec[Bool]) -> tuple[Float, Int, Int]:
    """The least of some elements, its place, and another array's element there."""

    def step(i: Int, best: tuple[Float, Int, Int]) -> Any:
        z = where(seen[i], math.inf, x[i].float())
        better = z < best[0]
        return where(better, (z, i, y[i]), best)

    return fold((wrap(math.inf), wrap(-1), wrap(7)), step, count=x.size())


@function
def selection(x: Vec[Float], y: Vec[Int], seen: Vec[Bool]) -> tuple[Vec[Float], Vec[Bool]]:
    """A few times the least of those that are left, which later elements depend on."""

    def step(t: Int, state: tuple[Vec[Float], Vec[Bool]]) -> Any:
        d, gone = state
        u = fold_argmin(lambda i: where(gone[i], math.inf, d[i]), count=x.size())
        return (
            array(lambda v: where(seen[v], d[u], d[v]), size=x.size()),
            array(lambda v: gone[v] | (v == u), size=x.size()),
        )

    return fold((x, seen), step, count=5)


def inputs(n: int, dtype: str, kind: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    x = rng.integers(-3, 4, n).astype(dtype)
    if kind == "special" and n:
        x[rng.integers(0, n, 2 + n // 2)] = np.nan
        x[rng.integers(0, n, 2)] = -0.0
        x[rng.integers(0, n)] = rng.choice([np.inf, -np.inf])
    if kind == "none":
        x[:] = np.nan
    if kind == "rising":
        x = np.arange(n, dtype=dtype)
    return x, rng.integers(-5, 5, n), rng.random(n) < 0.7


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("program", [places, masked, selection], ids=lambda f: f.__name__)
def test_agree(program: Function[..., Any], dtype: str) -> None:
    for n, kind in product(SIZES, ["ties", "special", "none", "rising"]):
        own = inputs(n, dtype, kind)
        expected = leaves(program.eval(*own, backend="naive"))
        assert_agree(program.eval(*own, backend="native"), expected, TOLERANCES)


@pytest.mark.parametrize("backend", BACKENDS)
def test_agree_on_all_backends(backend: str) -> None:
    own = inputs(65, "float64", "ties")
    converted = [given(each, "torch" if backend == "torch" else "numpy") for each in own]
    expected = leaves(masked.eval(*own, backend="naive"))
    assert_agree(masked.eval(*converted, backend=backend), expected, TOLERANCES)


def test_explained() -> None:
    own = inputs(5, "float64", "ties")
    assert "blocks of elements" in str(places.explain(*own, backend="native"))
