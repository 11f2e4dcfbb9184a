"""Every program of the second set agrees with the reference interpreter.

JAX compiles for each shape, and f32 differs from f64 in few places: both are compared at one size.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.agreement.cases.case import Case
from tests.agreement.comparison import assert_agree, given
from tests.agreement.second_set import SECOND_SET
from tests.libraries import in_64_bits, on
from tests.selection import combinations


def inputs(case: Case, size: int, dtype: str) -> tuple[Any, ...]:
    return case.inputs(size, dtype, np.random.default_rng(size))


@cache
def expected(name: str, size: int, dtype: str) -> Any:
    case = SECOND_SET[name]
    return case.program.eval(*inputs(case, size, dtype), backend="naive")


def sizes(case: Case, backend: str, dtype: str) -> tuple[int, ...]:
    return case.small[-1:] if backend == "jax" or dtype == "float32" else case.small


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(SECOND_SET))
def test_backends(name: str, backend: str, dtype: str) -> None:
    case = SECOND_SET[name]
    for size in sizes(case, backend, dtype):
        arguments = inputs(case, size, dtype)
        actual = case.program.eval(*arguments, backend=backend)
        assert_agree(actual, expected(name, size, dtype), case.tolerance, f"size {size}")
        for argument, value in zip(arguments, inputs(case, size, dtype), strict=True):
            np.testing.assert_array_equal(argument, value, "an input was changed")


@pytest.mark.parametrize("name", SECOND_SET)
def test_oracle(name: str) -> None:
    case = SECOND_SET[name]
    for size in case.small:
        actual = case.oracle(*inputs(case, size, "float64"))
        assert_agree(actual, expected(name, size, "float64"), case.tolerance, f"size {size}")


@pytest.mark.parametrize("way", on("idiomatic", "expert", "torch", "jax"))
@pytest.mark.parametrize("name", SECOND_SET)
def test_implementations(name: str, way: str) -> None:
    case, size = SECOND_SET[name], SECOND_SET[name].small[-1]
    implementation = getattr(case, way)
    if implementation is None:
        return
    if way == "jax":
        import jax

        implementation = jax.jit(implementation, static_argnums=case.static)
    with in_64_bits(way):
        before = inputs(case, size, "float64")
        library = way if way in ("torch", "jax") else "numpy"
        arguments = [given(value, library) for value in before]
        actual = implementation(*arguments)
        assert_agree(actual, expected(name, size, "float64"), case.tolerance, f"size {size}")
        for argument, value in zip(arguments, before, strict=True):
            np.testing.assert_array_equal(argument, value, "an input was changed")


@pytest.mark.parametrize("name", SECOND_SET)
def test_sizes(name: str) -> None:
    case = SECOND_SET[name]
    assert name == case.name
    assert list(case.sweep) == sorted(set(case.sweep))
    assert case.sweep[-1] == case.large
