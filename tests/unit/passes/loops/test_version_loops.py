"""``version-loops``: the same results, from loops that are checked at each step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function
from tests.unit.passes.conversions.loops_interpreter import TO_LOOPS, loops_of


@function
def window(a: Any, b: Any, n: int, at: int) -> Any:
    """Positions beyond both ends, if ``n`` or ``at`` say so."""
    return array(lambda i: a[i, i] + a[i, i + at] * b[at - i, i], size=n)


@function
def triangle(a: Any, b: Any, n: int, at: int) -> Any:
    return array(lambda i: fold_sum(lambda k: a[i, k] * b[k, at], count=n), size=n)


@function
def steps(a: Any, b: Any, n: int, at: int) -> Any:
    """Sizes that are compared in the steps alone."""

    def step(t: Any, x: Any) -> Any:
        return array(lambda i: x[i] + fold_sum(lambda k: a[i, k] * x[k] * b[at + t, k]))

    return fold(array(lambda i: a[i, at]), step, count=n)


@function
def one_number(a: Any, b: Any, n: int, at: int) -> Any:
    return fold(0.0 * a[0, 0], lambda k, s: 0.5 * s + a[k, at] - b[at + k, 2 * k], count=n)


PROGRAMS = (window, triangle, steps, one_number)


def arguments(rows: int, columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(rows)
    return rng.normal(size=(rows, columns)), rng.normal(size=(columns, rows))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program: Any) -> None:
    traced = program.phi(*arguments(2, 2), 1, 1)
    plain, versioned = loops_of(traced, TO_LOOPS), loops_of(traced, (*TO_LOOPS, "version-loops"))
    for rows, columns in ((0, 0), (1, 1), (3, 3), (2, 5)):
        for n in (0, 1, 2, 3, 6):
            for at in (-2, 0, 1, 2**62):
                given = *arguments(rows, columns), n, at
                what = f"{rows} x {columns}, {n} steps at {at}"
                assert outcome(versioned, given, what) == outcome(plain, given, what), what


def outcome(loops: Any, given: tuple[Any, ...], what: str) -> Any:
    """The bytes of the results, or the message of an error."""
    try:
        result = loops(*given)
    except ValueError as error:
        return str(error)
    return np.asarray(result).tobytes()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_loops_are_versioned(program: Any) -> None:
    """But for those whose steps begin with comparisons: their positions are in bounds."""
    from ein_mlir.pipelines import run_pipeline

    traced = program.phi(*arguments(2, 2), 1, 1)
    before = str(run_pipeline(traced.clone(), TO_LOOPS)).count("scf.if")
    after = str(run_pipeline(traced.clone(), (*TO_LOOPS, "version-loops"))).count("scf.if")
    assert after == before if program is steps else after > before
