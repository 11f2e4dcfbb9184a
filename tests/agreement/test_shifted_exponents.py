"""Extremes that shift exponents are constants for JAX where no result depends on them."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, exp, fold_max, fold_min, fold_sum, function, log
from tests.selection import in_turn

jax = pytest.importorskip("jax")


@function
def softmax(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    def row(i: Int) -> Vec[Float]:
        top = fold_max(lambda j: x[i, j])
        weights = array(lambda j: exp(x[i, j] - top))
        total = fold_sum(lambda j: weights[j])
        return array(lambda j: weights[j] / total)

    return array(lambda i: row(i))


@function
def logarithms(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    def row(i: Int) -> Vec[Float]:
        top = fold_max(lambda j: x[i, j])
        total = log(fold_sum(lambda j: exp(x[i, j] - top)))
        return array(lambda j: x[i, j] - top - total)

    return array(lambda i: row(i))


@function
def of_sums(x: Vec[Vec[Float]]) -> Vec[Float]:
    def total(i: Int) -> Float:
        least = fold_min(lambda j: x[i, j])
        return log(fold_sum(lambda j: exp(least - x[i, j]))) - least

    return array(lambda i: total(i))


@function
def averages(x: Vec[Vec[Float]]) -> Vec[Float]:
    def average(i: Int) -> Float:
        top = fold_max(lambda j: x[i, j])
        weights = array(lambda j: exp(x[i, j] - top))
        return fold_sum(lambda j: weights[j] * (x[i, j] * x[i, j])) / fold_sum(lambda j: weights[j])

    return array(lambda i: average(i))


@function
def weights(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The exponents depend on the shift."""
    top = array(lambda i: fold_max(lambda j: x[i, j]))
    return array(lambda i, j: exp(x[i, j] - top[i]))


@function
def of_columns(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The shifts are those of rows, and the sums those of columns."""
    top = array(lambda i: fold_max(lambda j: x[i, j]))
    e = array(lambda i, j: exp(x[i, j] - top[i]))
    total = array(lambda j: fold_sum(lambda i: e[i, j]))
    return array(lambda i, j: e[i, j] / total[j])


@function
def of_squares(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The squares of weights change twice as much as their sum."""
    top = array(lambda i: fold_max(lambda j: x[i, j]))
    e = array(lambda i, j: exp(x[i, j] - top[i]))
    total = array(lambda i: fold_sum(lambda j: e[i, j]))
    return array(lambda i, j: e[i, j] * e[i, j] / total[i])


@function
def with_tops(x: Vec[Vec[Float]]) -> tuple[Vec[Float], Vec[Float]]:
    """The shift itself is a result."""
    top = array(lambda i: fold_max(lambda j: x[i, j]))
    total = array(lambda i: fold_sum(lambda j: exp(x[i, j] - top[i])))
    return array(lambda i: top[i] + log(total[i])), array(lambda i: 2.0 * top[i])


PROGRAMS: list[tuple[Any, bool]] = [
    (softmax, True),
    (logarithms, True),
    (of_sums, True),
    (averages, True),
    (weights, False),
    (of_columns, False),
    (of_squares, False),
    (with_tops, False),
]


@pytest.mark.parametrize(("of", "shape"), in_turn(PROGRAMS, [(3, 4), (1, 1), (2, 1), (4, 4)]))
def test_derivatives_are_those_of_the_program(of: tuple[Any, bool], shape: tuple[int, int]) -> None:
    program, is_constant = of
    x = np.random.default_rng(3).normal(size=shape)
    assert ("stop_gradient" in program.source(x, backend="jax")) is is_constant
    with jax.enable_x64(True):
        given = jax.numpy.asarray(x)
        weighted = _weighted(program)
        found = np.asarray(jax.grad(weighted)(given))
        tangents = np.asarray(jax.jacfwd(weighted)(given))
        curvature = np.asarray(jax.jacfwd(jax.grad(weighted))(given))
        expected, curved = np.zeros(shape), np.zeros((*shape, *shape))
        for place in np.ndindex(*shape):
            step = np.zeros(shape)
            step[place] = 1e-5
            expected[place] = (weighted(x + step) - weighted(x - step)) / 2e-5
            ends = jax.grad(weighted)(given + step), jax.grad(weighted)(given - step)
            curved[(..., *place)] = (np.asarray(ends[0]) - np.asarray(ends[1])) / 2e-5
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tangents, expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(curvature, curved, rtol=1e-5, atol=1e-7)


def _weighted(program: Callable[..., Any]) -> Callable[[Any], Any]:
    def weighted(x: Any) -> Any:
        results = program(x)
        leaves = results if isinstance(results, tuple) else (results,)
        return sum(
            (leaf * np.cos(np.arange(leaf.size)).reshape(leaf.shape)).sum() for leaf in leaves
        )

    return weighted


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (2, 3)])
@pytest.mark.parametrize(("program", "is_constant"), PROGRAMS)
def test_results_are_those_of_the_interpreter(
    program: Any, is_constant: bool, shape: tuple[int, int]
) -> None:
    x = np.random.default_rng(4).normal(size=shape)
    expected = program.eval(x, backend="naive")
    actual = program.eval(x, backend="jax")
    for one, other in zip(_leaves(actual), _leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12)


def _leaves(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)
