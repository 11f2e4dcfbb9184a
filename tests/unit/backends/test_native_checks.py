"""Checks of sizes in the bodies of comprehensions, which native programs make before the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects import cf, scf

from ein_mlir import Float, Function, Int, Vec, array, compile, fold, fold_sum, function, where
from ein_mlir.analysis.scopes import around
from ein_mlir.pipelines import run_pipeline
from tests.agreement.comparison import assert_agree

pytest.importorskip("llvmlite")

Vector = Vec[Float]
Matrix = Vec[Vector]


@function
def heads(a: Matrix, b: Vector, m: Int, n: Int) -> Matrix:
    """The count of the sum is a quotient that may be negative."""
    width = m // n
    return array(
        lambda i, h: fold_sum(lambda e: a[i, h * width + e] * b[e], count=width),
        size=(a.size(0), n),
    )


@function
def in_steps(a: Matrix, b: Vector, m: Int, n: Int) -> Vector:
    """The count of the inner sum is not checked if the outer one has no steps."""
    return array(
        lambda i: fold_sum(lambda s: fold_sum(lambda e: a[i, e] * b[s], count=n), count=m),
        size=a.size(0),
    )


@function
def sizes_in_steps(a: Matrix, b: Vector, m: Int, n: Int) -> Vector:
    """The sizes of ``a`` and ``b`` are compared only if there are steps."""

    def element(i: Any) -> Any:
        return fold(a[i, n], lambda s, x: 0.5 * x + fold_sum(lambda k: a[i, k] * b[k]), count=m)

    return array(element, size=a.size(0))


@function
def steps_around(a: Matrix, b: Vector, m: Int, n: Int) -> Vector:
    """No step: nothing is checked."""

    def step(t: Any, x: Vector) -> Vector:
        return array(lambda i: x[i] + fold_sum(lambda k: a[i, k] * b[t], count=n))

    return fold(array(lambda i: a[i, 0]), step, count=m)


@function
def segments(a: Matrix, b: Vector, m: Int, n: Int) -> Matrix:
    """The sums of a column are computed before the loop that checks their number."""
    return array(
        lambda g, f: fold_sum(lambda i: where(i % (m + 2) == g, a[i, f], 0.0), count=a.size(0)),
        size=(n, a.size(1)),
    )


@function
def steps_of_fields(a: Matrix, b: Vector, m: Int, n: Int) -> tuple[Vector, Vector]:
    """Two arrays that a step compares, and reads each at the other's positions."""

    def step(t: Any, state: Any) -> Any:
        x, y = state
        return array(lambda i: 0.5 * (x[i] + y[i])), array(lambda i: y[i] - x[i - 1])

    return fold((array(lambda j: a[0, j] + 1.0), b), step, count=m)


@function
def steps_of_points(a: Matrix, b: Vector, m: Int, n: Int) -> Matrix:
    """The number of coordinates is compared with a constant in the steps, and so are others."""

    def step(t: Any, x: Matrix) -> Matrix:
        length = array(lambda i: fold_sum(lambda d: x[i, d] * x[i, d], count=3))
        return array(lambda i, d: x[i, d] / (1.0 + length[i]) + b[i], size=(a.size(0), 3))

    return fold(array(lambda i, d: a[i, d]), step, count=m)


PROGRAMS: dict[str, Function] = {
    f.__name__: f
    for f in (
        heads,
        in_steps,
        sizes_in_steps,
        steps_around,
        segments,
        steps_of_fields,
        steps_of_points,
    )
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_agree(name: str, dtype: str) -> None:
    rng = np.random.default_rng(3)
    text = PROGRAMS[name].ir("phi", np.ones((1, 1), dtype), np.ones(1, dtype), 1, 1)
    native, naive = (compile(text, backend=backend) for backend in ("native", "naive"))
    for shape, size in (((1, 1), 1), ((3, 4), 4), ((2, 4), 3), ((4, 3), 4), ((0, 3), 0)):
        for m, n in ((0, 1), (0, -1), (2, 2), (4, 2), (1, -1), (-1, 1), (5, 3)):
            given = rng.normal(size=shape).astype(dtype), rng.normal(size=size).astype(dtype), m, n
            what, expected = f"{name} of {shape}, {size}, {m}, {n}", error_of(naive, given)
            assert error_of(native, given) == expected, what
            if not expected:
                tolerance = {"float64": 1e-12, "float32": 1e-4}
                assert_agree(native(*given), naive(*given), tolerance, what)


def error_of(program: Any, given: tuple[Any, ...]) -> bool:
    """Whether a program raises an error about sizes."""
    try:
        program(*given)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("name", ["heads", "in_steps", "sizes_in_steps", "segments"])
def test_no_check_is_in_a_loop(name: str) -> None:
    module = run_pipeline(PROGRAMS[name].phi(), "loops")
    checks = [op for op in module.walk() if isinstance(op, cf.AssertOp)]
    assert checks
    for op in checks:
        assert not any(isinstance(each, scf.ParallelOp | scf.ForOp) for each in around(op))
