"""Every program, on every backend, agrees with the reference interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir.host.arrays import library_of
from tests.agreement.comparison import assert_agree, given, leaves
from tests.agreement.programs import PROGRAMS

BACKENDS = ("numpy", "torch", "jax")
SIZES = (0, 1, 2, 5)
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_agreement(name: str, backend: str, size: int, dtype: str) -> None:
    program = PROGRAMS[name]
    inputs = program.inputs(size, dtype, np.random.default_rng(size))
    expected = leaves(program.function.eval(*inputs, backend="naive"))
    library = "torch" if backend == "torch" else "numpy"
    arguments = [given(value, library) for value in inputs]
    actual = leaves(program.function.eval(*arguments, backend=backend))
    assert {library_of(a) for a in actual} <= {backend, None}
    assert_agree(actual, expected, TOLERANCE)
    after = list(map(np.asarray, arguments))
    for value, copy in zip(after, inputs, strict=True):
        np.testing.assert_array_equal(value, copy, "an input was changed")
    for a in map(np.asarray, actual):
        assert not any(np.shares_memory(a, value) for value in after), "a result is an input"
