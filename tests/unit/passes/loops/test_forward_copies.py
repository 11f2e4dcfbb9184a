"""``forward-copies``: rows are stored by the loops that compute them, if no step reads another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, where
from ein_mlir.pipelines import LOOPS, run_pipeline
from tests.unit.passes.conversions.loops_interpreter import loops_of

PLAIN = LOOPS[: LOOPS.index("forward-copies")]
FORWARDED = (*PLAIN, "forward-copies")

Rows = Callable[[Any, Any, Any], tuple[Any, Any]]


def rotated(a: Any, k: Any, q: Any) -> tuple[Any, Any]:
    """Both rows from the same column."""
    return 0.6 * a[k, q] + 0.8 * a[k + 1, q], 0.6 * a[k + 1, q] - 0.8 * a[k, q]


def exchanged(a: Any, k: Any, q: Any) -> tuple[Any, Any]:
    """Two rows that change places."""
    return a[k + 1, q], a[k, q]


def shifted(a: Any, k: Any, q: Any) -> tuple[Any, Any]:
    """One row from the next column: its steps read what others write."""
    return a[k, q + 1] - a[k + 1, q], 0.5 * a[k, q]


def program_of(rows: Rows) -> Any:
    @function
    def program(a: Any) -> Any:
        def step(k: Any, a: Any) -> Any:
            def element(p: Any, q: Any) -> Any:
                first, second = rows(a, k, q)
                return where(p == k, first, where(p == k + 1, second, a[p, q]))

            return array(element, size=a.shape)

        return fold(a, step, count=a.size(0) - 1)

    return program


@pytest.mark.parametrize("rows", [rotated, exchanged, shifted], ids=lambda f: f.__name__)
def test_rows(rows: Rows) -> None:
    program = program_of(rows)
    traced = program.phi(np.ones((2, 2)))
    plain, forwarded = loops_of(traced, PLAIN), loops_of(traced, FORWARDED)
    for shape in ((1, 2), (2, 1), (3, 0), (3, 5), (9, 17)):
        a = np.random.default_rng(0).normal(size=shape)
        want = np.asarray(plain(a))
        assert np.asarray(forwarded(a)).tobytes() == want.tobytes(), str(shape)
        np.testing.assert_allclose(program.native(a), program.numpy(a), rtol=1e-12)


@pytest.mark.parametrize(("rows", "arrays"), [(rotated, 1), (exchanged, 1)])
def test_rows_are_not_stored_elsewhere(rows: Rows, arrays: int) -> None:
    loops = str(run_pipeline(program_of(rows).phi(np.ones((2, 2))), FORWARDED))
    assert loops.count("memref.alloc(") == arrays
