"""The softmax of each row of a matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, exp, fold_max, fold_sum, function
from tests.agreement.cases.case import Case, prange


def softmax(x: Vec[Float]) -> Vec[Float]:
    largest = fold_max(lambda i: x[i])
    weights = array(lambda i: exp(x[i] - largest))
    total = fold_sum(lambda i: weights[i])
    return array(lambda i: weights[i] / total)


@function
def softmax_rows(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(lambda i: softmax(x[i]))


@function
def by_element(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The sum comes first, and each weight is written at its use."""

    def weight(i: Int, j: Int) -> Float:
        return exp(-(fold_max(lambda q: x[i, q]) - x[i, j]))

    total = array(lambda i: fold_sum(lambda q: weight(i, q)))
    return array(lambda i, j: weight(i, j) / total[i])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.normal(size=(n, n + n // 2)).astype(dtype),)


def oracle(x: NDArray[Any]) -> NDArray[Any]:
    result = np.zeros_like(x)
    for i, row in enumerate(x):
        weights = [np.exp(value - max(row)) for value in row]
        result[i] = [weight / sum(weights) for weight in weights]
    return result


def idiomatic(x: NDArray[Any]) -> NDArray[Any]:
    weights = np.exp(x - x.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def expert(x: NDArray[Any]) -> NDArray[Any]:
    """Blocks of rows stay in cache from the largest element to the quotients."""
    result = np.empty_like(x)
    block = max(1, 2**15 // max(1, x.shape[1]))
    for i in range(0, len(x), block):
        rows, weights = x[i : i + block], result[i : i + block]
        np.subtract(rows, rows.max(axis=1, keepdims=True), out=weights)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=1, keepdims=True)
    return result


def numba(x: NDArray[Any]) -> NDArray[Any]:
    """A row at a time."""
    n, m = x.shape
    result = np.empty_like(x)
    for i in prange(n):
        largest, total = x[i, 0], 0.0
        for j in range(m):
            largest = max(largest, x[i, j])
        for j in range(m):
            result[i, j] = math.exp(x[i, j] - largest)
            total += result[i, j]
        for j in range(m):
            result[i, j] /= total
    return result


def jax(x: Any) -> Any:
    import jax

    return jax.nn.softmax(x, axis=1)


def torch(x: Any) -> Any:
    return x.softmax(dim=1)


CASE = Case(
    name="softmax-rows",
    about="The softmax of each row of a matrix",
    program=softmax_rows,
    inputs=inputs,
    large=1200,
    sweep=(75, 150, 300, 600, 1200),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    memory_bound=True,
    variants=(by_element,),
)
