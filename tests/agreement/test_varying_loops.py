"""On JAX, loops in loops agree with the interpreter, have derivatives, and are not unrolled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from tests.agreement.comparison import assert_agree, leaves
from tests.agreement.varying_loops import VARYING_LOOPS

jax = pytest.importorskip("jax")

INTEGRAL = {"binomials", "increasing_subsequence", "searches_among_the_first", "sieve"}
"""The programs without floats among their results."""

TOLERANCE = {"float64": 1e-10, "float32": 1e-4}
PAIRS = [("float64", 0), ("float64", 1), ("float64", 5), ("float32", 2)]


@pytest.fixture(autouse=True)
def x64() -> Iterator[None]:
    """Enable 64 bits during a test."""
    with jax.enable_x64(True):
        yield


def arguments(name: str, size: int, dtype: str) -> tuple[Any, ...]:
    return VARYING_LOOPS[name].inputs(size, dtype, np.random.default_rng(size))


@pytest.mark.parametrize("name", VARYING_LOOPS)
def test_agreement(name: str) -> None:
    for dtype, size in PAIRS:
        given = arguments(name, size, dtype)
        expected = leaves(VARYING_LOOPS[name].function.eval(*given, backend="naive"))
        actual = leaves(VARYING_LOOPS[name].function.eval(*given, backend="jax"))
        assert_agree(actual, expected, TOLERANCE, f"{dtype}, size {size}")


def traced(name: str, size: int) -> Any:
    """The jaxpr of a program, for arrays of a size."""
    given = arguments(name, size, "float64")
    arrays = [k for k, value in enumerate(given) if isinstance(value, np.ndarray)]

    def call(*values: Any) -> Any:
        full = list(given)
        for k, value in zip(arrays, values, strict=True):
            full[k] = value
        return VARYING_LOOPS[name].function.jax(*full)

    return jax.make_jaxpr(call)(*(given[k] for k in arrays)).jaxpr


def operations(jaxpr: Any) -> int:
    """The number of operations of a jaxpr, with those of the functions that it calls."""
    inner = (value for op in jaxpr.eqns for value in op.params.values())
    flat = (each for value in inner for each in (value if isinstance(value, tuple) else (value,)))
    called = (getattr(each, "jaxpr", each) for each in flat)
    return len(jaxpr.eqns) + sum(operations(each) for each in called if hasattr(each, "eqns"))


@pytest.mark.parametrize("name", VARYING_LOOPS)
def test_no_first_call_grows_with_the_number_of_steps(name: str) -> None:
    """No argument that is an array is static, and a jaxpr has as many operations at any size."""
    assert operations(traced(name, 6)) == operations(traced(name, 11))


def total(results: Sequence[Any]) -> Any:
    """A number that depends on each float among the results."""
    return sum((each * (1 + np.arange(each.size)).reshape(each.shape)).sum() for each in results)


@pytest.mark.parametrize("name", sorted(VARYING_LOOPS.keys() - INTEGRAL))
def test_derivatives(name: str) -> None:
    """In a random direction, the derivative in reverse mode is the quotient of differences."""
    function = VARYING_LOOPS[name].function
    given, rng = arguments(name, 4, "float64"), np.random.default_rng(1)
    floats = [k for k, v in enumerate(given) if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
    towards = {k: rng.normal(size=given[k].shape) for k in floats}

    def along(t: Any, call: Any) -> Any:
        moved = [v + t * towards[k] if k in towards else v for k, v in enumerate(given)]
        return total(leaves(call(*moved)))

    def interpreted(*values: Any) -> Any:
        return [np.asarray(x) for x in leaves(function.eval(*values, backend="naive"))]

    step = 1e-6
    expected = (along(step, interpreted) - along(-step, interpreted)) / (2 * step)
    actual = jax.jit(jax.grad(lambda t: along(t, function.jax)))(0.0)
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)
