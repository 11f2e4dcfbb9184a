"""Every program, on every backend, agrees with the reference interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.agreement.programs import PROGRAMS

BACKENDS = ("numpy", "jax")
SIZES = (0, 1, 2, 5)
DTYPES = ("float64", "float32")


def leaves(value: Any) -> list[Any]:
    """The arrays of a result, however it is nested."""
    if isinstance(value, dict):
        return [leaf for field in value.values() for leaf in leaves(field)]
    if isinstance(value, tuple | list):
        return [leaf for field in value for leaf in leaves(field)]
    return [value]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_agreement(name: str, backend: str, size: int, dtype: str) -> None:
    program = PROGRAMS[name]
    inputs = program.inputs(size, dtype, np.random.default_rng(size))
    copies = [np.copy(value) for value in inputs]
    expected = leaves(program.function.eval(*inputs, backend="naive"))
    actual = leaves(program.function.eval(*inputs, backend=backend))
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        assert np.shape(a) == np.shape(e)
        assert np.asarray(a).dtype == np.asarray(e).dtype
        np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance)
    for value, copy in zip(inputs, copies, strict=True):
        np.testing.assert_array_equal(value, copy, "an input was changed")
    for a in actual:
        assert not any(np.shares_memory(a, value) for value in inputs), "a result is an input"
