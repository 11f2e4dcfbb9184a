"""Correlations between the columns of a table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold_sum, function, sqrt
from tests.agreement.cases.case import Case, prange


@function
def correlation(table: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    rows = table.size(0).float()
    mean = array(lambda j: fold_sum(lambda i: table[i, j]) / rows)
    centred = array(lambda i, j: table[i, j] - mean[j])
    covariance = array(lambda j, k: fold_sum(lambda i: centred[i, j] * centred[i, k]))
    deviation = array(lambda j: sqrt(covariance[j, j]))
    return array(lambda j, k: covariance[j, k] / (deviation[j] * deviation[k]))


@function
def by_products(table: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """The table is transposed, and each deviation is written at its use."""
    rows = table.size(0).float()
    column = array(lambda j, i: table[i, j])
    mean = array(lambda j: fold_sum(lambda i: column[j, i]) / rows)

    def covariance(j: Int, k: Int) -> Float:
        return fold_sum(lambda i: (column[k, i] - mean[k]) * (column[j, i] - mean[j]))

    products = array(covariance)
    deviation = array(lambda j: sqrt(products[j, j]))
    return array(lambda j, k: products[j, k] / (deviation[k] * deviation[j]))


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    columns = min(n, 128)
    mixed = rng.normal(size=(n + 2, columns)) @ rng.normal(size=(columns, columns))
    return (mixed.astype(dtype),)


def oracle(table: NDArray[Any]) -> NDArray[Any]:
    n, m = table.shape
    result = np.zeros((m, m), table.dtype)
    centred = [
        [float(table[i, j]) - sum(map(float, table[:, j])) / n for i in range(n)] for j in range(m)
    ]

    def covariance(j: int, k: int) -> float:
        return sum(x * y for x, y in zip(centred[j], centred[k], strict=True))

    for j, k in np.ndindex(m, m):
        result[j, k] = covariance(j, k) / math.sqrt(covariance(j, j) * covariance(k, k))
    return result


def idiomatic(table: NDArray[Any]) -> NDArray[Any]:
    centred = table - table.mean(axis=0)
    covariance = centred.T @ centred
    deviation = np.sqrt(np.diag(covariance))
    return covariance / np.outer(deviation, deviation)


def expert(table: NDArray[Any]) -> NDArray[Any]:
    """In place; the matrix is multiplied by itself, which BLAS does in half the time."""
    centred = table - table.sum(axis=0) / len(table)
    covariance = centred.T @ centred
    scale = 1 / np.sqrt(covariance.diagonal())
    covariance *= scale[:, None]
    covariance *= scale
    return covariance


def numba(table: NDArray[Any]) -> NDArray[Any]:
    """The product by BLAS; a block of columns at a time for the rest."""
    n, m = table.shape
    centred, means = np.empty_like(table), np.zeros(m, table.dtype)
    for i in range(n):
        for j in range(m):
            means[j] += table[i, j]
    for i in prange(n):
        for j in range(m):
            centred[i, j] = table[i, j] - means[j] / n
    covariance = np.dot(centred.T, centred)
    scale = np.empty(m, table.dtype)
    for j in range(m):
        scale[j] = 1 / math.sqrt(covariance[j, j])
    for j in range(m):
        for k in range(m):
            covariance[j, k] *= scale[j] * scale[k]
    return covariance


def jax(table: Any) -> Any:
    import jax.numpy as jnp

    centred = table - table.mean(axis=0)
    covariance = centred.T @ centred
    deviation = jnp.sqrt(jnp.diag(covariance))
    return covariance / jnp.outer(deviation, deviation)


def torch(table: Any) -> Any:
    centred = table - table.mean(dim=0)
    covariance = centred.T @ centred
    deviation = covariance.diag().sqrt()
    return covariance / deviation.outer(deviation)


CASE = Case(
    name="correlation",
    about="Matrix of the correlations between the columns of a table",
    program=correlation,
    inputs=inputs,
    large=20_000,
    sweep=(200, 2_000, 20_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    variants=(by_products,),
)
