"""Extremes and the positions of the first of them, of one array along one axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold_argmax, fold_argmin, fold_max, fold_min, function
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@function
def of_columns(a: Any) -> Any:
    best = array(lambda j: fold_max(lambda i: a[i, j]))
    return best, array(lambda j: fold_argmax(lambda i: a[i, j]))


@function
def of_rows(a: Any) -> Any:
    position = array(lambda i: fold_argmin(lambda j: a[i, j] * 2.0))
    return position, array(lambda i: fold_min(lambda j: a[i, j] * 2.0))


@function
def of_pairs(a: Any) -> Any:
    def distance(i: Any, j: Any, k: Any) -> Any:
        return abs(a[i, k] - a[j, k])

    best = array(lambda i, k: fold_min(lambda j: distance(i, j, k), count=a.size(0)))
    return best, array(lambda i, k: fold_argmin(lambda j: distance(i, j, k), count=a.size(0)))


@function
def of_all(a: Any) -> Any:
    return fold_max(lambda j: a[0, j]), fold_argmax(lambda j: a[0, j])


@function
def of_others(a: Any) -> Any:
    """The largest ones, and the positions of the smallest ones."""
    best = array(lambda i: fold_max(lambda j: a[i, j]))
    return best, array(lambda i: fold_argmin(lambda j: a[i, j]))


PROGRAMS = of_columns, of_rows, of_pairs, of_all, of_others


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((0, 3), "float64"),
        ((3, 0), "float64"),
        ((1, 1), "float64"),
        ((4, 5), "float64"),
        ((5, 4), "float32"),
    ],
)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_shapes(program: Any, shape: tuple[int, int], dtype: str, backend: str) -> None:
    a = np.random.default_rng(0).integers(-2, 3, shape).astype(dtype)
    assert_call_agrees(program, (a,), backend, TOLERANCE)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_special_values(program: Any, special: float) -> None:
    a = np.random.default_rng(1).normal(size=(4, 4))
    for place in ((0, 0), (1, 2), (slice(None), 3), (2,)):
        a[place] = special
        assert_call_agrees(program, (a,), "numpy", TOLERANCE)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_one_search_finds_both(program: Any) -> None:
    source = program.source(np.ones((3, 4)), backend="numpy")
    body = source[source.index(f"def {program.__name__}") :]
    is_one = program in (of_columns, of_rows, of_all)
    assert ("largest(" in body or "smallest(" in body) == is_one
