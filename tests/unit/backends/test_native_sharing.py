"""Values that native programs compute once agree with the reference interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Function, Vec, array, compile, fold, fold_sum, function, min, where
from tests.agreement.comparison import assert_agree

pytest.importorskip("llvmlite")

Vector = Vec[Float]
Matrix = Vec[Vector]


@function
def prefixes(a: Matrix, b: Vector) -> Matrix:
    return array(
        lambda r, i: b[i] + fold_sum(lambda j: where(j <= i, a[r, j], 0.0)),
        size=(a.size(0), a.size(1)),
    )


@function
def prefixes_by_columns(a: Matrix, b: Vector) -> Matrix:
    return array(
        lambda i, r: b[i] + fold_sum(lambda j: where(i < j, 0.0, a[r, j])),
        size=(a.size(1), a.size(0)),
    )


def relaxed(a: Matrix, b: Vector, r: Any) -> Vector:
    def step(t: Any, row: Vector) -> Vector:
        return array(lambda k: min(row[k], row[k - 1] + b[t]))

    return fold(array(lambda k: a[r, k]), step, count=b.size())


@function
def one_path_of_a_row(a: Matrix, b: Vector) -> Matrix:
    return array(lambda r, j: relaxed(a, b, r)[j] + b[j], size=(a.size(0), a.size(1)))


@function
def one_path_by_columns(a: Matrix, b: Vector) -> Matrix:
    return array(lambda j, r: relaxed(a, b, r)[j] + b[j], size=(a.size(1), a.size(0)))


@function
def paths_in_a_sum(a: Matrix, b: Vector) -> Vector:
    return array(lambda j: b[j] + fold_sum(lambda r: relaxed(a, b, r)[j], count=a.size(0)))


@function
def two_sums_of_a_row(a: Matrix, b: Vector) -> Matrix:
    def element(i: Any, r: Any) -> Any:
        zero = 0.0 * b[0]
        one, two = fold(
            (zero, zero),
            lambda k, sums: (sums[0] + a[r, k], 0.5 * sums[1] + a[r, k] * sums[0]),
            count=a.size(1),
        )
        return one * b[i] + two

    return array(element, size=(a.size(1), a.size(0)))


PROGRAMS: dict[str, Function] = {
    f.__name__: f
    for f in (
        prefixes,
        prefixes_by_columns,
        one_path_of_a_row,
        one_path_by_columns,
        paths_in_a_sum,
        two_sums_of_a_row,
    )
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_shared_values_agree(name: str, dtype: str) -> None:
    rng = np.random.default_rng(3)
    for rows, columns in ((0, 3), (3, 0), (1, 1), (2, 7), (5, 3)):
        given = (
            rng.normal(size=(rows, columns)).astype(dtype),
            rng.normal(size=columns).astype(dtype),
        )
        text = PROGRAMS[name].ir("phi", *given)
        actual = compile(text, backend="native")(*given)
        expected = compile(text, backend="naive")(*given)
        tolerance = {"float64": 1e-12, "float32": 1e-4}
        assert_agree(actual, expected, tolerance, f"{name}, {rows} x {columns}")
