"""Guarded reads of neighbours, as in stencils with borders: they read an array with a border."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add, and_, or_
from typing import Any

import numpy as np
import pytest

from ein_mlir import Bool, Float, Int, Vec, array, fold, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

Matrix = Vec[Vec[Float]]
Mask = Vec[Vec[Bool]]

NEAR = [(p, q) for p in range(-2, 3) for q in range(-2, 3) if p * p + q * q <= 5]


def at(a: Any, i: Int, j: Int, default: Any) -> Any:
    inside = (i >= 0) & (i < a.size(0)) & (j >= 0) & (j < a.size(1))
    return where(inside, a[i, j], default)


@function
def star(a: Matrix) -> Matrix:
    """Of the fourth order, with clips, and a literal that is not zero."""

    def value(i: Int, j: Int) -> Float:
        total = 5.0 * a[i, j]
        for k in (-2, -1, 1, 2):
            total = total - at(a, i + k, j, 0.5) * k + at(a, i, j + k, 0.5) / k
        return total

    return array(value)


@function
def steps(a: Matrix) -> Matrix:
    """In the steps of a loop."""
    n, m = a.size(0), a.size(1)

    def value(u: Matrix, i: Int, j: Int) -> Float:
        near = [at(u, i + p, j + q, 0.0) for p, q in NEAR]
        return 0.1 * reduce(add, near)

    return fold(a, lambda _, u: array(lambda i, j: value(u, i, j), size=(n, m)), count=2)


@function
def opened(a: Mask) -> Mask:
    """Erosion and dilation: of Bools, choices are conjunctions and disjunctions."""
    n, m = a.size(0), a.size(1)

    def combined(x: Mask, by: Callable[[Any, Any], Any], default: bool) -> Mask:
        def value(i: Int, j: Int) -> Bool:
            return reduce(by, [at(x, i + p, j + q, default) for p, q in NEAR])

        return array(value, size=(n, m))

    return combined(combined(a, and_, True), or_, False)


@function
def one_sided(x: Vec[Float], n: Int) -> Vec[Float]:
    """Beside the ends of an array that is shorter, or longer, than the result."""

    def back(t: Int) -> Float:
        return where(t >= 0, where(t < x.size(0), x[t], -1.0), -1.0)

    return array(
        lambda t: sum((back(t - k) / k for k in range(1, 7)), back(t + 1) * back(t + 3)), size=n
    )


@function
def other_guards(a: Matrix) -> Matrix:
    """Guards that are not those of the bounds, and positions that clip."""
    n, m = a.size(0), a.size(1)

    def value(i: Int, j: Int) -> Float:
        total = a[i, j]
        for k in (1, 2, 3):
            total = total + where(i - k >= 1, a[i - k, j], 0.0)
            total = total + where(i + k < n, a[i + k, j + k], 0.0)
            total = total * where((j - k >= 0) & (j + k < m), a[i, j - k], 2.0)
        return total

    return array(value)


def inputs(program: Any, n: int, dtype: str) -> tuple[Any, ...]:
    random = np.random.default_rng(n)
    matrix = random.random((n, n + 2 if n else 0)).astype(dtype)
    return {"opened": (matrix < 0.8,), "one_sided": (random.random(5).astype(dtype), n)}.get(
        program.__name__, (matrix,)
    )


PROGRAMS = [star, steps, opened, one_sided, other_guards]


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(program: Any, backend: str, dtype: str) -> None:
    tolerance = {"float64": 1e-13, "float32": 1e-5}
    for n in sizes_on(backend, (0, 1, 2, 3, 7), program.__name__):
        assert_call_agrees(program, inputs(program, n, dtype), backend, tolerance)


@pytest.mark.parametrize("program", [steps, opened])
def test_a_comprehension_is_not_split_into_many_parts(program: Any) -> None:
    source = program.source(*inputs(program, 7, "float64"))
    assert source[source.index(f"def {program.__name__}(") :].count("\n") < 150


def test_gradients_are_those_of_the_reads() -> None:
    torch = pytest.importorskip("torch")
    a = torch.rand((4, 5), dtype=torch.float64, requires_grad=True)
    weights = torch.rand((4, 5), dtype=torch.float64)
    torch.sum(steps.torch(a) * weights).backward()
    expected = steps(weights.numpy())  # the stencil is symmetric, and linear
    np.testing.assert_allclose(a.grad, expected, rtol=1e-12)
