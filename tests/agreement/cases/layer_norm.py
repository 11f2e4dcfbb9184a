"""Layer normalisation, as in transformers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold_sum, function, rsqrt
from tests.agreement.cases.case import Case, prange

EPSILON = 1e-5


@function
def layer_norm(x: Vec[Vec[Float]], scale: Vec[Float], shift: Vec[Float]) -> Vec[Vec[Float]]:
    features = x.size(1).float()

    def normalised(row: Vec[Float]) -> Vec[Float]:
        mean = fold_sum(lambda j: row[j]) / features
        variance = fold_sum(lambda j: (row[j] - mean) ** 2) / features
        return array(lambda j: (row[j] - mean) * rsqrt(variance + EPSILON) * scale[j] + shift[j])

    return array(lambda i: normalised(x[i]))


@function
def by_element(x: Vec[Vec[Float]], scale: Vec[Float], shift: Vec[Float]) -> Vec[Vec[Float]]:
    """Moments are vectors of their own, and the result is written element by element."""
    features = x.size(1).float()
    mean = array(lambda i: fold_sum(lambda j: x[i, j]) / features)

    def deviation(i: Int, j: Int) -> Float:
        return -mean[i] + x[i, j]

    variance = array(lambda i: fold_sum(lambda j: deviation(i, j) * deviation(i, j)) / features)
    return array(
        lambda i, j: shift[j] + scale[j] * (rsqrt(EPSILON + variance[i]) * deviation(i, j))
    )


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    x = rng.normal(size=(n, min(4 * n, 512))).astype(dtype)
    scale, shift = rng.normal(size=(2, x.shape[1])).astype(dtype)
    return x, scale, shift


def oracle(x: NDArray[Any], scale: NDArray[Any], shift: NDArray[Any]) -> NDArray[Any]:
    result = np.zeros_like(x)
    n, m = x.shape
    for i in range(n):
        mean = sum(float(x[i, j]) for j in range(m)) / m
        variance = sum((float(x[i, j]) - mean) ** 2 for j in range(m)) / m
        for j in range(m):
            result[i, j] = (x[i, j] - mean) / math.sqrt(variance + EPSILON) * scale[j] + shift[j]
    return result


def idiomatic(x: NDArray[Any], scale: NDArray[Any], shift: NDArray[Any]) -> NDArray[Any]:
    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + EPSILON) * scale + shift


def expert(x: NDArray[Any], scale: NDArray[Any], shift: NDArray[Any]) -> NDArray[Any]:
    """A block of rows at a time, in place; no array of squares."""
    n, m = x.shape
    result = np.empty_like(x)
    block = max(1, 16384 // max(m, 1))
    for start in range(0, n, block):
        rows, out = x[start : start + block], result[start : start + block]
        mean = rows.sum(axis=1, keepdims=True)
        mean /= max(m, 1)
        np.subtract(rows, mean, out=out)
        deviation = np.einsum("ij,ij->i", out, out)
        deviation /= max(m, 1)
        deviation += EPSILON
        np.sqrt(deviation, out=deviation)
        out /= deviation[:, None]
        out *= scale
        out += shift
    return result


def numba(x: NDArray[Any], scale: NDArray[Any], shift: NDArray[Any]) -> NDArray[Any]:
    """A row at a time; sums have lanes, since the order of additions is fixed."""
    n, m = x.shape
    lanes = 16
    result = np.empty_like(x)
    for i in prange(n):
        sums, squares = np.zeros(lanes, x.dtype), np.zeros(lanes, x.dtype)
        for start in range(0, m - m % lanes, lanes):
            for lane in range(lanes):
                sums[lane] += x[i, start + lane]
        mean = sums.sum()
        for j in range(m - m % lanes, m):
            mean += x[i, j]
        mean /= m
        for start in range(0, m - m % lanes, lanes):
            for lane in range(lanes):
                squares[lane] += (x[i, start + lane] - mean) ** 2
        variance = squares.sum()
        for j in range(m - m % lanes, m):
            variance += (x[i, j] - mean) ** 2
        factor = 1 / math.sqrt(variance / m + EPSILON)
        for j in range(m):
            result[i, j] = (x[i, j] - mean) * factor * scale[j] + shift[j]
    return result


def jax(x: Any, scale: Any, shift: Any) -> Any:
    import jax.numpy as jnp

    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + EPSILON) * scale + shift


def torch(x: Any, scale: Any, shift: Any) -> Any:
    from torch.nn.functional import layer_norm

    return layer_norm(x, x.shape[1:], scale, shift, EPSILON)


CASE = Case(
    name="layer-norm",
    about="Layer normalisation with a learnt scale and shift for each feature",
    program=layer_norm,
    inputs=inputs,
    large=5_000,
    sweep=(50, 500, 5_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    memory_bound=True,
    variants=(by_element,),
)
