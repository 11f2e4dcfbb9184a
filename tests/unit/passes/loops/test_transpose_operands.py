"""``transpose-operands``: the same results, from loops that are checked at each step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_argmin, fold_max, fold_sum, function
from ein_mlir.pipelines import run_pipeline
from tests.unit.passes.conversions.loops_interpreter import TO_LOOPS, loops_of

PASSES = (*TO_LOOPS, "version-loops")


@function
def distances(a: Any, b: Any) -> Any:
    """Each row of ``b`` is read for each row of ``a``."""
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - b[j, k])))


@function
def nearest(a: Any, b: Any) -> Any:
    """The rows of ``a`` are read once for each row of ``b``."""

    def distance(i: Any, c: Any) -> Any:
        return fold_sum(lambda k: (a[i, k] - b[c, k]) ** 2)

    return array(lambda i: fold_argmin(lambda c: distance(i, c), count=b.shape[0]))


@function
def cubes(c: Any) -> Any:
    """The axis of neighbours is the middle one of three."""

    def distance(q: Any, i: Any, p: Any) -> Any:
        return fold_sum(lambda k: abs(c[k, i, p] - c[q, i, k]))

    return array(lambda q, i: fold_max(lambda p: distance(q, i, p)))


PROGRAMS = (distances, nearest)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program: Any) -> None:
    traced = program.phi(np.ones((2, 2)), np.ones((2, 2)))
    plain, copies = loops_of(traced, PASSES), loops_of(traced, (*PASSES, "transpose-operands"))
    random = np.random.default_rng(0)
    for rows, columns in ((0, 2), (1, 2), (3, 3), (9, 2), (17, 4)):
        a, b = random.normal(size=(2, rows, columns))
        expected, got = np.asarray(plain(a, b)), np.asarray(copies(a, b))
        assert got.tobytes() == expected.tobytes(), f"{rows} x {columns}"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_operands_are_transposed(program: Any) -> None:
    traced = program.phi(np.ones((2, 2)), np.ones((2, 2)))
    before = str(run_pipeline(traced.clone(), PASSES))
    after = str(run_pipeline(traced.clone(), (*PASSES, "transpose-operands")))
    assert after.count("memref.alloc(") > before.count("memref.alloc(")


@function
def one_product(a: Any, b: Any) -> Any:
    """Each element is read once."""
    return array(lambda i: fold_sum(lambda k: a[i, k] * b[0, k]))


@function
def own_rows(a: Any, b: Any) -> Any:
    """The array changes in the loop around the sums, not in the nest: it is copied in each step."""
    return fold(a, lambda t, x: array(lambda i, j: fold_sum(lambda k: abs(x[i, k] - x[j, k]))), 3)


@function
def few_distances(a: Any, b: Any) -> Any:
    """Three results are never enough."""
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - b[j, k])), size=(a.shape[0], 3))


@pytest.mark.parametrize("program", [one_product, few_distances], ids=lambda p: p.__name__)
def test_loops_stay(program: Any) -> None:
    traced = program.phi(np.ones((2, 2)), np.ones((2, 2)))
    before = str(run_pipeline(traced.clone(), PASSES))
    assert str(run_pipeline(traced.clone(), (*PASSES, "transpose-operands"))) == before


def test_array_that_changes() -> None:
    traced = own_rows.phi(np.ones((2, 2)), np.ones((2, 2)))
    plain, copies = loops_of(traced, PASSES), loops_of(traced, (*PASSES, "transpose-operands"))
    a = np.random.default_rng(0).normal(size=(9, 9))
    assert np.asarray(copies(a, a)).tobytes() == np.asarray(plain(a, a)).tobytes()


def test_middle_axis() -> None:
    traced = cubes.phi(np.ones((2, 2, 2)))
    plain, copies = loops_of(traced, PASSES), loops_of(traced, (*PASSES, "transpose-operands"))
    for size in (0, 1, 5, 9):
        c = np.random.default_rng(0).normal(size=(size, size, size))
        assert np.asarray(copies(c)).tobytes() == np.asarray(plain(c)).tobytes()
    text = str(run_pipeline(traced.clone(), (*PASSES, "transpose-operands")))
    assert text.count("memref.alloc(") == 2, "the result, and one copy for both loads"
