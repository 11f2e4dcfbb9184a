"""Every program, on every backend, agrees with the reference interpreter."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
import torch

from ein_mlir.frontend.host import library_of
from tests.agreement.programs import PROGRAMS

BACKENDS = ("numpy", "torch", "jax")
SIZES = (0, 1, 2, 5)
DTYPES = ("float64", "float32")


def leaves(value: Any) -> list[Any]:
    """The arrays of a result, however it is nested."""
    if isinstance(value, dict):
        return [leaf for field in value.values() for leaf in leaves(field)]
    if is_dataclass(value):
        return leaves({field.name: getattr(value, field.name) for field in fields(value)})
    if isinstance(value, tuple | list):
        return [leaf for field in value for leaf in leaves(field)]
    return [value]


def given(value: Any, backend: str) -> Any:
    """An input as an array of the backend, in memory of its own."""
    if backend == "torch" and isinstance(value, np.ndarray):
        return torch.tensor(value)
    return np.copy(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_agreement(name: str, backend: str, size: int, dtype: str) -> None:
    program = PROGRAMS[name]
    inputs = program.inputs(size, dtype, np.random.default_rng(size))
    expected = leaves(program.function.eval(*inputs, backend="naive"))
    arguments = [given(value, backend) for value in inputs]
    actual = leaves(program.function.eval(*arguments, backend=backend))
    assert {library_of(a) for a in actual} <= {backend, None}
    actual = list(map(np.asarray, actual))
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        assert np.shape(a) == np.shape(e)
        assert np.asarray(a).dtype == np.asarray(e).dtype
        np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance)
    after = list(map(np.asarray, arguments))
    for value, copy in zip(after, inputs, strict=True):
        np.testing.assert_array_equal(value, copy, "an input was changed")
    for a in actual:
        assert not any(np.shares_memory(a, value) for value in after), "a result is an input"
