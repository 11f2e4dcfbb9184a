"""Reductions over all windows of a few elements: no loop of Python, and the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, fold_all, fold_any, fold_max, fold_min, fold_sum, function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


@function
def along_rows(b: Any) -> Any:
    def window(i: Any, j: Any) -> Any:
        return fold_sum(lambda k: b[i, j + k], count=3)

    return fold_max(window, count=(b.size(0), b.size(1) - 2))


@function
def along_columns(b: Any) -> Any:
    def window(i: Any, j: Any) -> Any:
        return fold_all(lambda k: b[i + k, j] > 0.0, count=3)

    return fold_any(window, count=(b.size(0) - 2, b.size(1)))


@function
def diagonal(b: Any) -> Any:
    def window(i: Any, j: Any) -> Any:
        return fold_max(lambda k: b[i + k, j + 2 - k], count=3)

    return fold_min(window, count=(b.size(0) - 2, b.size(1) - 2))


@function
def squares(b: Any) -> Any:
    def window(i: Any, j: Any) -> Any:
        return fold_sum(lambda k, c: b[i + k, j + c] * b[i, j], count=(2, 2))

    return fold_sum(window, count=(b.size(0) - 1, b.size(1) - 1))


PROGRAMS: dict[str, Function[..., Any]] = {
    "rows": along_rows,
    "columns": along_columns,
    "diagonal": diagonal,
    "squares": squares,
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for shape in sizes_on(backend, ((2, 2), (3, 2), (2, 3), (3, 3), (5, 7)), name):
        b = np.random.default_rng(0).normal(size=shape).astype(dtype)
        tolerance = {"float64": 1e-12, "float32": 1e-5}
        assert_call_agrees(PROGRAMS[name], (b,), backend, tolerance)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_steps_of_python(name: str) -> None:
    """But those of blocks in the cache."""
    source = PROGRAMS[name].source(np.ones((4, 4)))
    loops = [line for line in source.splitlines() if line.strip().startswith("for ")]
    assert all("start" in line for line in loops)
