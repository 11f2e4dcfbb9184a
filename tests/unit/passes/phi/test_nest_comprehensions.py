"""``nest-comprehensions``: the same results, with a count for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold_max, fold_sum, function
from ein_mlir.pipelines import LOOPS, run_pipeline


@function
def product(ends: Any, at: Any, x: Any, b: Any) -> Any:
    """A sparse matrix by rows, and a matrix."""

    def element(i: Any, j: Any) -> Any:
        count = ends[i + 1] - ends[i]
        return fold_sum(lambda k: x[ends[i] + k] * b[at[ends[i] + k], j], count=count)

    return array(element, size=(ends.size(0) - 1, b.size(1)))


@function
def extremes(ends: Any, at: Any, x: Any, b: Any) -> Any:
    """Values of a row besides a loop, two loops, and elements of the row."""

    def element(i: Any, j: Any) -> Any:
        count = ends[i + 1] - ends[i]
        largest = fold_max(lambda k: b[at[ends[i] + k], j], count=count)
        return ends[i].float() * b[i, j] + fold_sum(lambda k: x[k] * b[k, j], count=count) + largest

    return array(element, size=(ends.size(0) - 1, b.size(1)))


def arguments(rows: int, columns: int) -> tuple[Any, ...]:
    random = np.random.default_rng(rows)
    counts = random.integers(0, 6, rows)
    ends = np.concatenate([[0], np.cumsum(counts)])
    at = random.integers(-1, rows + 1, ends[-1])
    return ends, at, random.normal(size=ends[-1]), random.normal(size=(max(rows, 1), columns))


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["f64", "f32"])
@pytest.mark.parametrize("program", [product, extremes], ids=lambda p: p.__name__)
def test_program(program: Any, dtype: Any) -> None:
    for rows, columns in ((0, 3), (1, 1), (2, 0), (5, 3), (7, 17), (3, 130)):
        ends, at, x, b = arguments(rows, columns)
        given = ends, at, x.astype(dtype), b.astype(dtype)
        got, want = program.native(*given), program.eval(*given, backend="naive")
        rtol = 1e-12 if dtype is np.float64 else 1e-5
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol, err_msg=f"{rows} {columns}")


def test_rows_are_blocks() -> None:
    loops = str(run_pipeline(product.phi(*arguments(3, 2)), LOOPS))
    assert "memref<128xf64>" in loops, "neighbouring elements of a row are summed at once"


def test_count_that_is_too_large() -> None:
    ends, at, x, b = arguments(3, 2)
    with pytest.raises(ValueError, match="too large"):
        product.native(ends + np.array([0, 0, 0, 2**50]), at, x, b)
