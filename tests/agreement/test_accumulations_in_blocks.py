"""Accumulations whose values are computed in blocks, around the size of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import accumulate, array, exp, function, log, tanh, where
from ein_mlir.passes.conversions.convert_phi_to_loops.accumulations import BLOCK
from tests.agreement.comparison import assert_agree
from tests.libraries import needs

SIZES = (0, 1, 2, 7, BLOCK - 1, BLOCK + 1, 2 * BLOCK)
SIDES = (0, 1, 2, 7, 90, 91)
TARGETS = (0, 1, 500)
TOLERANCE = {"float64": 1e-9}


def costly(x: Any) -> Any:
    return exp(-x * x) * tanh(x) + log(x * x + 1)


@function
def of_one_index(k, x, m):
    return accumulate(lambda i: (k[i], costly(x[i])), size=m)


@function
def of_integers(k, x, m):
    quotient = accumulate(lambda i: (k[i], (k[i] // 3) % (k[i] + 5) // (k[i] - 2)), size=m)
    return quotient, accumulate(lambda i: (k[i], costly(x[i]) > 0.1), size=m, by="any")


@function
def of_two_indices(k, x, m):
    both = accumulate(lambda i, j: ((k[i, j], k[j, i]), costly(x[i, j])), size=(m, m))
    best = accumulate(lambda i, j: (k[i, j], 2 * costly(x[i, j])), size=m, by="max")

    def chosen(i: Any, j: Any) -> Any:
        return k[i, j] + 1, where(x[i, j] > 0, costly(x[i, j]), 0.0)

    return both, best, accumulate(chosen, size=m)


@function
def of_rows(k, x, m):
    return accumulate(lambda i: (k[i, 0], array(lambda c: costly(x[i, c]))), size=m)


def arguments(shape: tuple[int, ...], m: int) -> tuple[Any, Any, int]:
    """Keys, of which some are out of bounds, and values, of which some are not finite."""
    rng = np.random.default_rng(sum(shape) + m)
    x = rng.normal(size=shape)
    x.flat[1:2], x.flat[2:3] = np.inf, np.nan
    return rng.integers(-2, m + 2, shape), x, m


@needs("native")
@pytest.mark.parametrize("m", TARGETS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("program", [of_one_index, of_integers])
def test_blocks_of_one_index_give_the_sums_of_one_loop(program: Any, size: int, m: int) -> None:
    given = arguments((size,), m)
    assert_agree(program.native(*given), program(*given), TOLERANCE, f"{size}, {m}")


@needs("native")
@pytest.mark.parametrize("m", TARGETS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("program", [of_two_indices, of_rows])
def test_blocks_of_rows_give_the_sums_of_one_loop(program: Any, side: int, m: int) -> None:
    given = arguments((side, side), m)
    assert_agree(program.native(*given), program(*given), TOLERANCE, f"{side}, {m}")


@needs("native")
@pytest.mark.parametrize("shape", [(BLOCK + 1, 2), (2, BLOCK + 1), (BLOCK + 1, 0), (0, BLOCK + 1)])
def test_blocks_have_at_least_one_row(shape: tuple[int, int]) -> None:
    given = arguments(shape, 500)
    assert_agree(of_rows.native(*given), of_rows(*given), TOLERANCE, f"{shape}")
