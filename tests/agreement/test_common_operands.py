"""Choices between results of one operation that share an operand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Bool, Float, Int, Vec, array, exp, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS, on

Floats = Vec[Float]
Matrix = Vec[Floats]
inf, nan = np.inf, np.nan
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@function
def symmetric(a: Matrix, b: Matrix, c: Vec[Vec[Bool]]) -> Matrix:
    def term(i: Int, j: Int, k: Int) -> Float:
        return where(k < i, a[i, k] * b[k, j], where(k > i, b[k, j] * a[k, i], 0.0))

    return array(lambda i, j: fold_sum(lambda k: term(i, j, k), count=a.size(0)))


@function
def other_branch(a: Matrix, b: Matrix, c: Vec[Vec[Bool]]) -> Matrix:
    def term(i: Int, j: Int, k: Int) -> Float:
        return where(c[i, k], where(a[i, k] > 0.0, a[i, k] * b[k, j], 0.0), -2.0 * b[k, j])

    return array(lambda i, j: fold_sum(lambda k: term(i, j, k)))


@function
def leaky(a: Matrix, b: Matrix, c: Vec[Vec[Bool]]) -> Matrix:
    def term(i: Int, j: Int, k: Int) -> Float:
        return where(a[i, k] > 0.0, a[i, k] * b[k, j], 0.1 * a[i, k] * b[k, j])

    return array(lambda i, j: fold_sum(lambda k: term(i, j, k)))


@function
def chosen_function(a: Matrix, b: Matrix, c: Vec[Vec[Bool]]) -> Matrix:
    return array(lambda i, j: where(c[i, j], exp(a[i, j]), exp(-b[i, j])))


@function
def quotients(a: Matrix, b: Matrix, c: Vec[Vec[Bool]]) -> Matrix:
    return array(lambda i, j: where(c[i, j], a[i, j] / b[i, j], a[i, j] / (b[i, j] + 1.0)))


@function
def other_quotients(a: Matrix, b: Matrix, c: Vec[Vec[Bool]]) -> Matrix:
    return array(lambda i, j: where(c[i, j], a[i, j] / b[i, j], b[i, j] / a[i, j]))


PROGRAMS = (symmetric, other_branch, leaky, chosen_function, quotients, other_quotients)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("size", "dtype"), [(0, "float64"), (1, "float64"), (5, "float64"), (4, "float32")]
)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_sizes(program: Any, size: int, dtype: str, backend: str) -> None:
    draw = np.random.default_rng(size)
    a, b = draw.normal(size=(2, size, size)).astype(dtype)
    assert_call_agrees(program, (a, b, draw.random((size, size)) < 0.5), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "native"))
@pytest.mark.parametrize("special", [inf, -inf, nan, -0.0, 1e200])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_special_values(program: Any, special: float, backend: str) -> None:
    draw = np.random.default_rng(0)
    a, b = draw.normal(size=(2, 4, 4))
    a[1, 2] = b[2, 0] = b[3, 3] = special
    assert_call_agrees(program, (a, b, draw.random((4, 4)) < 0.5), backend, TOLERANCE)


@pytest.mark.parametrize("program", [symmetric, other_branch, leaky], ids=lambda p: p.__name__)
def test_sums_are_products_of_matrices(program: Any) -> None:
    arguments = np.ones((3, 3)), np.ones((3, 3)), np.ones((3, 3), bool)
    assert " @ " in program.source(*arguments, backend="numpy")
