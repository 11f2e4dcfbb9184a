"""Functions of fewer variables than the loops around them: tables of a basis, kernels of steps.

Sizes decide at run time whether their values are stored, so both versions run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, cos, exp, fold, fold_sum, function, grad, sin, where
from ein_mlir.passes.phi.share_elements import rewriting
from ein_mlir.pipelines import LOOPS, run_pipeline
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]


@function
def cosine(a: Matrix) -> Matrix:
    """A discrete cosine transform, whose basis has the sizes of two axes."""
    n, m = a.size(0), a.size(1)

    def basis(u: Int, x: Int, size: Int) -> Float:
        return cos(1.5 * (2 * x + 1).float() * u.float() / size.float())

    return array(
        lambda u, v: fold_sum(lambda x, y: a[x, y] * basis(u, x, n) * basis(v, y, m), count=(n, m)),
        size=(n, m),
    )


@function
def rows(a: Matrix, n: Int) -> Matrix:
    """A basis with a size of its own, for all rows."""
    return array(
        lambda i, u: fold_sum(lambda x: a[i, x] * cos(x.float() * u.float())), size=(None, n)
    )


@function
def regression(x: Vector, y: Matrix) -> Matrix:
    """A kernel for some columns."""
    return array(lambda i, c: fold_sum(lambda j: exp(-abs(x[i] - x[j])) * y[j, c]))


@function
def kernel_in_steps(x: Vector, p: Vector, steps: Int) -> Vector:
    """A kernel that no step changes, and sizes that only the steps compare."""
    return fold(
        p,
        lambda _, q: array(lambda i: fold_sum(lambda j: exp(-abs(x[i] - x[j])) * q[j]) * 0.25),
        count=steps,
    )


@function
def weights_in_steps(a: Matrix, steps: Int) -> Matrix:
    """Weights that no step changes, as large as the array that each step computes."""
    return fold(
        a,
        lambda _, q: array(
            lambda i, j: q[i, j] * exp(-((i - 2) * (i - 2) + j * j).float()) + a[i, j]
        ),
        count=steps,
    )


@function
def inner_steps(x: Vector, p: Vector, steps: Int) -> Vector:
    """Steps in steps, each with a kernel."""

    def outer(_: Int, q: Vector) -> Vector:
        def inner(k: Int, r: Vector) -> Vector:
            return array(lambda i: fold_sum(lambda j: exp(x[i] * x[j] - k.float()) * r[j]) * 0.01)

        return fold(q, inner, count=2)

    return fold(p, outer, count=steps)


def inputs(program: Any, n: int, dtype: str) -> tuple[Any, ...]:
    """The arguments of a program; a matrix has one column more than rows, if it has any."""
    random = np.random.default_rng(n)
    vector, other, matrix = (
        random.random(shape).astype(dtype) for shape in (n, n, (n, n + 1 if n else 0))
    )
    return {
        "cosine": (matrix,),
        "rows": (matrix, 3),
        "regression": (vector, matrix),
        "kernel_in_steps": (vector, other, 2),
        "weights_in_steps": (matrix, 3),
        "inner_steps": (vector, other, 2),
    }[program.__name__]


PROGRAMS = [cosine, rows, regression, kernel_in_steps, weights_in_steps, inner_steps]


@pytest.fixture(autouse=True)
def small_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few elements are stored, and no more: sizes of 5 have too many."""
    monkeypatch.setattr(rewriting, "MOST_ELEMENTS", 6)
    monkeypatch.setenv("EIN_CACHE_DIR", "")


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(program: Any, backend: str, dtype: str) -> None:
    tolerance = {"float64": 1e-13, "float32": 1e-5}
    for n in sizes_on(backend, (0, 1, 5, 2), program.__name__):
        assert_call_agrees(program, inputs(program, n, dtype), backend, tolerance)


@pytest.mark.parametrize("program", [kernel_in_steps, weights_in_steps])
def test_functions_are_called_before_the_steps(program: Any) -> None:
    source = program.source(*inputs(program, 2, "float64"))
    assert source.index("np.exp(") < source.index("for _ in range")


def test_functions_of_a_step_are_computed_once_in_it() -> None:
    """An element of a rotation is none that a loop before the steps computes, with the rotation."""

    def turned(m: Any, p: int, q: int) -> Any:
        angle = 0.5 * (2.0 * m[p, q]).atan2(m[q, q] - m[p, p])
        c, s = cos(angle), sin(angle)

        def turn(i: Int, j: Int) -> Float:
            same = where(i == j, where((i == p) | (i == q), c, 1.0), 0.0)
            return where((i == p) & (j == q), s, where((i == q) & (j == p), -s, same))

        g = array(turn, size=(3, 3))
        t = array(lambda i, j: fold_sum(lambda k: g[k, i] * m[k, j]), size=(3, 3))
        return array(lambda i, j: fold_sum(lambda k: t[i, k] * g[k, j]), size=(3, 3))

    def step(_: Int, m: Matrix) -> Matrix:
        return turned(turned(turned(m, 0, 1), 0, 2), 1, 2)

    def diagonal(m: Matrix) -> Vector:
        last = fold(array(lambda i, j: m[i, j], size=(3, 3)), step, count=6)
        return array(lambda i: last[i, i], size=3)

    def loss(a: Any) -> Any:
        values = array(lambda b: diagonal(a[b]))
        return fold_sum(lambda b, i: values[b, i] * values[b, i])

    x = np.random.default_rng(0).normal(size=(2, 3, 3))
    module = grad(function(loss)).phi(x)
    run_pipeline(module, LOOPS[: LOOPS.index("convert-phi-to-loops")])
    assert str(module).count("math.atan2") == 6
    direction = np.random.default_rng(1).normal(size=x.shape)
    ahead, behind = (function(loss)(x + h * direction) for h in (1e-6, -1e-6))
    slope = np.sum(grad(function(loss, backend="native"))(x) * direction)
    np.testing.assert_allclose(slope, (ahead - behind) / 2e-6, rtol=1e-6)
