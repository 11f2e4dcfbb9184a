"""On JAX, loops in loops agree with the interpreter, have derivatives, and are not unrolled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from ein_mlir import compile
from tests.agreement.comparison import assert_agree, leaves
from tests.agreement.counts_from_data import COUNTS_FROM_DATA
from tests.agreement.varying_loops import VARYING_LOOPS
from tests.selection import combinations, sizes_on, some

jax = pytest.importorskip("jax")

PROGRAMS = VARYING_LOOPS | COUNTS_FROM_DATA

INTEGRAL = {
    "binomials",
    "increasing_subsequence",
    "neighbours_in",
    "pascal",
    "searches_among_the_first",
    "sieve",
}
"""The programs without floats among their results."""

TOLERANCE = {"float64": 1e-10, "float32": 1e-4}


@pytest.fixture(autouse=True)
def x64() -> Iterator[None]:
    """Enable 64 bits during a test."""
    with jax.enable_x64(True):
        yield


def arguments(name: str, size: int, dtype: str) -> tuple[Any, ...]:
    return PROGRAMS[name].inputs(size, dtype, np.random.default_rng(size))


@pytest.mark.parametrize(("name", "_", "dtype"), combinations(PROGRAMS, ["jax"]))
def test_agreement(name: str, _: str, dtype: str) -> None:
    for size in sizes_on("jax", (0, 1, 5), name):
        given = arguments(name, size, dtype)
        expected = leaves(PROGRAMS[name].function.eval(*given, backend="naive"))
        actual = leaves(PROGRAMS[name].function.eval(*given, backend="jax"))
        assert_agree(actual, expected, TOLERANCE, f"{dtype}, size {size}")


def traced(name: str, size: int) -> Any:
    """The jaxpr of a program, for arrays of a size."""
    given = arguments(name, size, "float64")
    kinds = "f" if name in COUNTS_FROM_DATA else "fi"
    arrays = [k for k, v in enumerate(given) if isinstance(v, np.ndarray) and v.dtype.kind in kinds]

    def call(*values: Any) -> Any:
        full = list(given)
        for k, value in zip(arrays, values, strict=True):
            full[k] = value
        return PROGRAMS[name].function.jax(*full)

    return jax.make_jaxpr(call)(*(given[k] for k in arrays)).jaxpr


def operations(jaxpr: Any) -> int:
    """The number of operations of a jaxpr, with those of the functions that it calls."""
    inner = (value for op in jaxpr.eqns for value in op.params.values())
    flat = (each for value in inner for each in (value if isinstance(value, tuple) else (value,)))
    called = (getattr(each, "jaxpr", each) for each in flat)
    return len(jaxpr.eqns) + sum(operations(each) for each in called if hasattr(each, "eqns"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_first_call_grows_with_the_number_of_steps(name: str) -> None:
    """A jaxpr has as many operations at any size, and only arrays that hold counts are static."""
    assert operations(traced(name, 6)) == operations(traced(name, 11))


def total(results: Sequence[Any]) -> Any:
    """A number that depends on each float among the results."""
    return sum((each * (1 + np.arange(each.size)).reshape(each.shape)).sum() for each in results)


@pytest.mark.parametrize("name", some(sorted(PROGRAMS.keys() - INTEGRAL)))
def test_derivatives(name: str) -> None:
    """In a random direction, the derivative in reverse mode is the quotient of differences."""
    function = PROGRAMS[name].function
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


X = np.arange(5.0)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("binomial_tree", (X, 3)),  # from the fifth step on
        ("binomial_tree", (X, -1)),
        ("binomial_tree", (X, 2**60)),
        ("differences", (X, 3)),
        ("differences", (X, -(2**63))),
        ("segment_walk", (np.array([1, 2, -1, 3, -4]), X, X)),
        ("bounded_knapsack", (np.array([1, 1]), np.array([1, -4]), X[:2], 5)),
        ("shrinking_tree_without_a_limit", (X, 6)),
    ],
)
def test_errors(name: str, given: tuple[Any, ...]) -> None:
    """A negative count is an error before the loop, that of the first step that has one."""
    function = PROGRAMS[name].function
    with pytest.raises(ValueError, match=r"is negative|too large") as expected:
        function.eval(*given, backend="naive")
    with pytest.raises(ValueError, match=r"is negative|too large") as actual:
        function.eval(*given, backend="jax")
    assert str(actual.value) == str(expected.value)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("binomial_tree", (X[:0], 2)),
        ("differences", (X[:0], -3)),
        ("segment_walk", (np.array([], np.int64), X[:0], X[:0])),
    ],
)
def test_no_error_without_a_step(name: str, given: tuple[Any, ...]) -> None:
    function = PROGRAMS[name].function
    expected = leaves(function.eval(*given, backend="naive"))
    assert_agree(leaves(function.eval(*given, backend="jax")), expected, TOLERANCE, name)


STARTS = """
func.func @f(%x: !phi.vec<f64>) -> f64 {{
  %n = phi.size %x, 0 : !phi.vec<f64>
  %zero = arith.constant 0.5 : f64
  %r = phi.fold (%k < %n, %acc = %zero) -> f64 {{
    %v = phi.array (%i < %k) -> !phi.vec<f64> {{
      %e = phi.get %x[%i] : !phi.vec<f64>[index]
      phi.yield %e : f64
    }}
    %s = phi.reduce %v identity %acc by (%p, %q) -> f64 {{
      {0}
      phi.yield %y : f64
    }}
    phi.yield %s : f64
  }}
  func.return %r : f64
}}"""
COMBINATIONS = {
    "sum": "%y = arith.addf %p, %q : f64",
    "product": "%y = arith.mulf %p, %q : f64",
    "maximum": "%y = arith.maximumf %p, %q : f64",
    "first": "%z = arith.constant true\n %y = arith.select %z, %p, %q : f64",
    "last": "%z = arith.constant false\n %y = arith.select %z, %p, %q : f64",
}


@pytest.mark.parametrize("combination", COMBINATIONS)
@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_starts_that_are_no_identities(combination: str, size: int) -> None:
    """A start is combined once, in reductions whose sizes vary, too."""
    program = STARTS.format(COMBINATIONS[combination])
    x = np.random.default_rng(size).random(size)
    expected = compile(program, backend="naive")(x)
    np.testing.assert_allclose(compile(program, backend="jax")(x), expected, rtol=1e-12)
