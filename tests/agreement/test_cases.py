"""Every case agrees with the reference interpreter, and its implementations with each other."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.agreement.cases import CASES
from tests.agreement.cases.case import Case
from tests.agreement.comparison import assert_agree, given
from tests.agreement.mismatched_sizes import assert_same_errors
from tests.libraries import in_64_bits, on
from tests.selection import IS_WHOLE, combinations, sizes_on

DTYPES = ("float64", "float32")
WAYS = on("idiomatic", "expert", "torch", "jax", "numba")
"""The implementations by hand."""


def inputs(case: Case, size: int, dtype: str) -> tuple[Any, ...]:
    return case.inputs(size, dtype, np.random.default_rng(size))


@cache
def expected(name: str, size: int, dtype: str) -> Any:
    case = CASES[name]
    return case.program.eval(*inputs(case, size, dtype), backend="naive")


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(CASES))
def test_backends(name: str, backend: str, dtype: str) -> None:
    case = CASES[name]
    for size in sizes_on(backend, case.small, name):
        before = inputs(case, size, dtype)
        arguments = [given(value, "numpy") for value in before]
        actual = case.program.eval(*arguments, backend=backend)
        assert_agree(actual, expected(name, size, dtype), case.tolerance, f"size {size}")
        for argument, value in zip(arguments, before, strict=True):
            np.testing.assert_array_equal(argument, value, "an input was changed")
    assert_same_errors(case.program, inputs(case, case.small[-1], dtype), backend)


@pytest.mark.parametrize("dtype", DTYPES if IS_WHOLE else DTYPES[:1])
@pytest.mark.parametrize("name", CASES)
def test_variants(name: str, dtype: str) -> None:
    case = CASES[name]
    for variant in case.variants:
        for size in case.small:
            actual = variant(*inputs(case, size, dtype))
            assert_agree(actual, expected(name, size, dtype), case.tolerance, f"size {size}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_oracle(name: str, dtype: str) -> None:
    case = CASES[name]
    for size in case.small:
        actual = case.oracle(*inputs(case, size, dtype))
        assert_agree(actual, expected(name, size, dtype), case.tolerance, f"size {size}")


@pytest.mark.parametrize(("name", "way", "dtype"), combinations(CASES, WAYS))
def test_implementations(name: str, way: str, dtype: str) -> None:
    """The loops for Numba run in plain Python: the benchmark checks the compiled ones."""
    case, size = CASES[name], CASES[name].small[-1]
    implementation = getattr(case, way)
    if way == "jax":
        import jax

        implementation = jax.jit(implementation, static_argnums=case.static)
    with in_64_bits(way):
        before = inputs(case, size, dtype)
        library = way if way in ("torch", "jax") else "numpy"
        arguments = [given(value, library) for value in before]
        actual = implementation(*arguments)
        assert_agree(actual, expected(name, size, dtype), case.tolerance, f"{way}, size {size}")
        for argument, value in zip(arguments, before, strict=True):
            np.testing.assert_array_equal(argument, value, "an input was changed")


@pytest.mark.parametrize("name", CASES)
def test_sizes(name: str) -> None:
    case = CASES[name]
    assert name == case.name
    assert list(case.sweep) == sorted(set(case.sweep))
    assert case.sweep[-1] == case.large
    assert {"float64", "float32"} <= set(case.tolerance)
