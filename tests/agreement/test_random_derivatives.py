"""Gradients of random programs are those of PyTorch, and central differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import function, value_and_grad
from tests.agreement.test_derivatives import by_torch
from tests.fuzzing.derivatives import Program, arguments
from tests.libraries import needs

SEEDS = range(8)
FLOATS = (0, 1, 2)


@needs("torch")
@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_of_random_programs(seed: int) -> None:
    """On NumPy, every third on native code."""
    program = Program(seed)
    backend = "native" if seed % 3 == 0 else "numpy"
    of_program: Any = function(program, backend=backend)
    for n, m in ((4, 3), (1, 2)):
        given = arguments(seed, n, m)
        value, found = value_and_grad(of_program, FLOATS)(*given)
        expected = by_torch(function(program), given, np.float64(1.0))
        for own, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-8, atol=1e-9)
        assert np.isfinite(value)
