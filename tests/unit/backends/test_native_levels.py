"""Loops whose steps replace the first elements of an array agree with the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import memref, scf

from ein_mlir import array, fold, function, max, where
from ein_mlir.analysis.scopes import around
from ein_mlir.pipelines import run_pipeline
from tests.agreement.comparison import assert_agree

pytest.importorskip("llvmlite")

Program = Callable[..., Any]


@function
def haar(x: Any, levels: Any) -> Any:
    """Means and differences of pairs, of half as many elements at each level."""

    def level(s: Any, x: Any) -> Any:
        half = x.size() // 2 ** (s + 1)

        def element(i: Any) -> Any:
            mean, other = (x[2 * i] + x[2 * i + 1]) * 0.5, i - half
            difference = (x[2 * other] - x[2 * other + 1]) * 0.5
            return where(i < half, mean, where(i < 2 * half, difference, x[i]))

        return array(element, size=x.size())

    return fold(x, level, count=levels)


@function
def in_parts(x: Any, levels: Any) -> Any:
    """Means and differences are arrays of a step."""

    def level(s: Any, x: Any) -> Any:
        half = x.size() // 2 ** (s + 1)
        mean = array(lambda i: (x[2 * i] + x[2 * i + 1]) * 0.5, size=half)
        other = array(lambda i: (x[2 * i] - x[2 * i + 1]) * 0.5, size=half)

        def element(i: Any) -> Any:
            return where(i < half, mean[i], where(i < 2 * half, other[i - half], x[i]))

        return array(element, size=x.size())

    return fold(x, level, count=levels)


@function
def kept_first(x: Any, levels: Any) -> Any:
    """The old element is the first of a choice, and limits are any numbers."""

    def level(s: Any, x: Any) -> Any:
        limit = 3 * levels - 2 * s * s
        return array(lambda i: where(i >= limit, x[i], x[i + 1] - x[max(i - 1, 0)]))

    return fold(x, level, count=levels)


@function
def limit_first(x: Any, levels: Any) -> Any:
    """The limit is written before the index; it wraps around in later steps."""

    def level(s: Any, x: Any) -> Any:
        limit = 2**62 * s + s
        return array(lambda i: where(limit > i, x[i // 2] + 1.0, x[i]))

    return fold(x, level, count=levels)


@function
def rows(x: Any, levels: Any) -> Any:
    """Each row is replaced in its first elements, which another row reads."""

    def level(s: Any, x: Any) -> Any:
        return array(lambda i, j: where(j < levels - s, x[i - 1, j] - x[i, j + 1], x[i, j]))

    return fold(array(lambda i, j: x[i] * x[j]), level, count=levels)


@function
def with_others(x: Any, levels: Any) -> Any:
    """The old array is read after the new one, and a limit varies with the index."""

    def level(s: Any, state: Any) -> Any:
        x, total = state
        y = array(lambda i: where(i < x.size() - s, x[i + s], x[i]))
        z = array(lambda i: where(i * s < 5, y[i + 1], y[i]))
        return z, total + x[s] + y[s + 1]

    return fold((x, 0.0), level, count=levels)


PROGRAMS = (haar, in_parts, kept_first, limit_first, rows, with_others)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_levels(program: Program, dtype: str) -> None:
    rng = np.random.default_rng(3)
    for n in (0, 1, 2, 7, 16, 33):
        x = rng.normal(size=n).astype(dtype)
        x[n // 2 : n // 2 + 1] = np.nan
        before = x.copy()
        for levels in (0, 1, 3, 6):
            expected = program.eval(x, levels, backend="naive")
            assert_agree(program.native(x, levels), expected, {"float64": 1e-12, "float32": 1e-5})
        np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("program", [haar, in_parts, kept_first, limit_first])
def test_no_step_copies_the_array(program: Any) -> None:
    """Steps allocate the elements that change, and the loop carries no second array."""
    module = run_pipeline(program.phi(np.ones(2), 1), "loops")
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert not any(op.iter_args for op in loops)
    made = [op for op in module.walk() if isinstance(op, memref.AllocOp)]
    assert any(isinstance(each, scf.ForOp) for op in made for each in around(op.parent_op()))
