"""Sums of terms with a factor or a divisor that varies with the index alone, anywhere in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, fold_sum, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def expected_values(lives: Vec[Float], q: Vec[Float], v: Float):
    """Of payments at death, for each age: the survivors are those of that age."""
    n = lives.size()

    def at(x: Any) -> Any:
        ratio = fold_sum(lambda k: v ** (k + 1) * (lives[x + k] / lives[x]) * q[x + k], count=n - x)
        last = fold_sum(lambda k: lives[x + k] * q[x + k] / lives[x], count=n - x)
        first = fold_sum(lambda k: q[x] * lives[x + k] / lives[x] * q[x + k], count=n - x)
        return ratio, last, first

    return array(at, size=n)


@function
def prefixes(lives: Vec[Float], q: Vec[Float], v: Float):
    """Before an index; in tests; a divisor within a divisor, which stays."""
    n = lives.size()

    def at(t: Any) -> Any:
        before = fold_sum(lambda k: where((k <= t) & (q[k] > 0), lives[k] * (lives[t] * q[k]), v))
        stays = fold_sum(lambda k: q[k] / (lives[k] * lives[t]), count=t + 1)
        ints = fold_sum(lambda k: k * (t * (k + 1)), count=t + 1)
        return before, stays, ints

    return array(at, size=n)


PROGRAMS: dict[str, Function[..., Any]] = {f.__name__: f for f in (expected_values, prefixes)}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    extremes = (1e-300, 1e300) if dtype == "float64" else (1e-36, 1e36)
    for size in sizes_on(backend, (0, 1, 2, 40), name):
        rng = np.random.default_rng(size)
        lives, q = np.cumprod(rng.uniform(0.8, 1, size)), rng.standard_normal(size)
        tolerance = {"float64": 1e-11, "float32": 1e-4}
        for special in (None, 0.0, *extremes, np.inf, np.nan):
            if special is not None and size:
                lives[-1], q[size // 2] = special, special
            arguments = lives.astype(dtype), q.astype(dtype), np.dtype(dtype).type(0.9)
            assert_call_agrees(PROGRAMS[name], arguments, backend, tolerance)
        if size and backend != "jax":  # sums without a factor are small
            small = np.full(size, extremes[0], dtype), np.full(size, 1e-8, dtype)
            arguments = *small, np.dtype(dtype).type(0.9)
            assert_call_agrees(PROGRAMS[name], arguments, backend, tolerance)


def test_sums_are_scans() -> None:
    source = expected_values.source(np.ones(3), np.ones(3), 0.9, backend="numpy")
    assert "cumsum" in source or "accumulate" in source
