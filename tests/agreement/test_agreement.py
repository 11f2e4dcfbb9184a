"""Every program, on every backend, agrees with the reference interpreter."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from ein_mlir.host.arrays import library_of
from tests.agreement.comparison import assert_agree, given, leaves
from tests.agreement.mismatched_sizes import assert_same_errors
from tests.agreement.programs import PROGRAMS
from tests.libraries import library_for
from tests.selection import combinations, sizes_on

SIZES = (0, 1, 2, 5)
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def inputs(name: str, size: int, dtype: str) -> tuple[Any, ...]:
    return PROGRAMS[name].inputs(size, dtype, np.random.default_rng(size))


@cache
def expected(name: str, size: int, dtype: str) -> list[Any]:
    return leaves(PROGRAMS[name].function.eval(*inputs(name, size, dtype), backend="naive"))


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(name: str, backend: str, dtype: str) -> None:
    """A program is compiled once for all sizes."""
    for size in sizes_on(backend, SIZES, name):
        before = inputs(name, size, dtype)
        library = "torch" if backend == "torch" else "numpy"
        arguments = [given(value, library) for value in before]
        actual = leaves(PROGRAMS[name].function.eval(*arguments, backend=backend))
        assert {library_of(a) for a in actual} <= {library_for(backend), None}
        assert_agree(actual, expected(name, size, dtype), TOLERANCE, f"size {size}")
        after = list(map(np.asarray, arguments))
        for value, copy in zip(after, before, strict=True):
            np.testing.assert_array_equal(value, copy, "an input was changed")
        for a in map(np.asarray, actual):
            assert not any(np.shares_memory(a, value) for value in after), "a result is an input"
    assert_same_errors(PROGRAMS[name].function, inputs(name, SIZES[-2], dtype), backend)
