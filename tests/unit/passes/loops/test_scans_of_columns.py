"""``permute-buffers`` and ``forward-copies``: the same results, from neighbouring elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold_max, fold_sum, function, scan, where
from ein_mlir.pipelines import LOOPS, run_pipeline
from tests.unit.passes.conversions.loops_interpreter import loops_of

PLAIN = LOOPS[: LOOPS.index("permute-buffers")]
PERMUTED = (*PLAIN, "permute-buffers")
FORWARDED = (*PERMUTED, "forward-copies")
INTERCHANGED = (*FORWARDED, "interchange-loops")


@function
def sums(a: Any) -> Any:
    """The sums of columns up to each row."""
    return array(lambda i, j: fold_sum(lambda k: a[k, j], count=i + 1), size=a.shape)


@function
def before(a: Any) -> Any:
    """The same without the row: the first element of each scan is read, the last one is not."""
    return array(lambda i, j: fold_sum(lambda k: a[k, j], count=i), size=a.shape)


@function
def extremes(a: Any) -> Any:
    """Elements that are computed from those of a scan."""
    return array(
        lambda i, j: 2.0 * fold_max(lambda k: a[k, j], count=i + 1) - a[i, j], size=a.shape
    )


@function
def areas(a: Any) -> Any:
    """Sums of the rectangles up to each element."""
    rows = array(lambda i: scan(a[i], 0.0, lambda x, y: x + y))
    return array(lambda i, j: fold_sum(lambda k: rows[k, j], count=i + 1), size=a.shape)


@function
def volumes(a: Any) -> Any:
    """Columns of matrices of matrices."""
    return array(
        lambda t, i, j: fold_sum(lambda k: where(t > 1, a[k, i] * a[k, j], 0.5), count=i + 1),
        size=(3, *a.shape),
    )


PROGRAMS = (sums, before, extremes, areas, volumes)


@pytest.mark.one_turn
@pytest.mark.parametrize("passes", [PERMUTED, FORWARDED, INTERCHANGED], ids=len)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_program(program: Any, passes: tuple[str, ...]) -> None:
    traced = program.phi(np.ones((2, 2)))
    plain, changed = loops_of(traced, PLAIN), loops_of(traced, passes)
    for shape in ((0, 2), (1, 1), (2, 0), (3, 5), (5, 9), (4, 17)):
        a = np.random.default_rng(0).normal(size=shape)
        assert np.asarray(changed(a)).tobytes() == np.asarray(plain(a)).tobytes(), str(shape)


def test_one_array_is_allocated() -> None:
    loops = str(run_pipeline(sums.phi(np.ones((2, 2))).clone(), LOOPS))
    assert loops.count("memref.alloc(") == 1, "the result"
    assert loops.count("memref<1024xf64>") > 1, "neighbouring columns are summed at once"
