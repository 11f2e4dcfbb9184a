"""Distances between all pairs of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, fold_sum, function
from tests.agreement.cases.case import Case, prange


@function
def pairwise_l1(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - a[j, k])))


@function
def by_feature(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The features are outermost, the sum starts a fold of its own, and sides are swapped."""
    columns = array(lambda k, i: a[i, k])

    def distance(j: Int, i: Int) -> Float:
        return fold(0.0, lambda k, total: abs(columns[k, j] - columns[k, i]) + total)

    distances = array(distance)
    return array(lambda i, j: distances[j, i])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.normal(size=(n, 20)).astype(dtype),)


def oracle(a: NDArray[Any]) -> NDArray[Any]:
    n, d = a.shape
    result = np.zeros((n, n), a.dtype)
    for i in range(n):
        for j in range(n):
            result[i, j] = sum(abs(a[i, k] - a[j, k]) for k in range(d))
    return result


def idiomatic(a: NDArray[Any]) -> NDArray[Any]:
    return np.abs(a[:, None, :] - a[None, :, :]).sum(axis=2)


def expert(a: NDArray[Any]) -> NDArray[Any]:
    n, d = a.shape
    result, difference = np.zeros((n, n), a.dtype), np.empty((n, n), a.dtype)
    for k in range(d):
        column = np.ascontiguousarray(a[:, k])
        np.subtract(column[:, None], column, out=difference)
        np.abs(difference, out=difference)
        result += difference
    return result


def numba(a: NDArray[Any]) -> NDArray[Any]:
    """Rows as columns: the innermost loop is over neighbours in memory and has no sum."""
    n, d = a.shape
    columns = a.T.copy()
    result = np.zeros((n, n), a.dtype)
    for i in prange(n):
        row = result[i]
        for k in range(d):
            for j in range(n):
                row[j] += abs(a[i, k] - columns[k, j])
    return result


def jax(a: Any) -> Any:
    import jax.numpy as jnp

    return jnp.abs(a[:, None, :] - a[None, :, :]).sum(axis=2)


def torch(a: Any) -> Any:
    return (a[:, None, :] - a[None, :, :]).abs().sum(dim=2)


CASE = Case(
    name="pairwise-l1",
    about="Distances between all pairs of rows of a matrix (dissertation, appendix C)",
    program=pairwise_l1,
    inputs=inputs,
    large=800,
    sweep=(50, 100, 200, 400, 800),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    memory_bound=True,
    variants=(by_feature,),
)
