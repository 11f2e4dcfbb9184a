"""A filter that smooths an image and keeps its edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, exp, fold_sum, function
from tests.agreement.cases.case import Case, prange

RADIUS = 2
WINDOW = 2 * RADIUS + 1
SPATIAL, TONAL = 1 / (2 * 1.5**2), 1 / (2 * 0.1**2)


@function
def bilateral_filter(image: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    def over_window(f: Any) -> Float:
        return fold_sum(
            lambda p: fold_sum(lambda q: f(p - RADIUS, q - RADIUS), count=WINDOW), count=WINDOW
        )

    def pixel(i: Int, j: Int) -> Float:
        def weight(di: Int, dj: Int) -> Float:
            distance = (di * di + dj * dj).float()
            difference = image[i + di, j + dj] - image[i, j]
            return exp(-SPATIAL * distance - TONAL * difference * difference)

        total = over_window(lambda di, dj: weight(di, dj) * image[i + di, j + dj])
        return total / over_window(weight)

    return array(pixel)


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.uniform(size=(n, n + 1)).astype(dtype),)


def oracle(image: NDArray[Any]) -> NDArray[Any]:
    n, m = image.shape
    result = np.zeros_like(image)
    window = range(-RADIUS, RADIUS + 1)
    for i in range(n):
        for j in range(m):
            total = weights = 0.0
            for di in window:
                for dj in window:
                    value = image[min(max(i + di, 0), n - 1), min(max(j + dj, 0), m - 1)]
                    difference = value - image[i, j]
                    weight = math.exp(
                        -SPATIAL * (di * di + dj * dj) - TONAL * difference * difference
                    )
                    total += weight * value
                    weights += weight
            result[i, j] = total / weights
    return result


def idiomatic(image: NDArray[Any]) -> NDArray[Any]:
    n, m = image.shape
    padded = np.pad(image, RADIUS, mode="edge")
    total, weights = np.zeros_like(image), np.zeros_like(image)
    for p in range(WINDOW):
        for q in range(WINDOW):
            shifted = padded[p : p + n, q : q + m]
            distance = (p - RADIUS) ** 2 + (q - RADIUS) ** 2
            weight = np.exp(-SPATIAL * distance - TONAL * (shifted - image) ** 2)
            total += weight * shifted
            weights += weight
    return total / weights


def expert(image: NDArray[Any]) -> NDArray[Any]:
    """A block of rows at a time, in place."""
    n, m = image.shape
    padded = np.pad(image, RADIUS, mode="edge")
    result = np.empty_like(image)
    block = max(1, 8192 // m)
    weight_block, weights_block = np.empty((2, block, m), image.dtype)
    for start in range(0, n, block):
        rows = min(block, n - start)
        here, total = image[start : start + rows], result[start : start + rows]
        weight, weights = weight_block[:rows], weights_block[:rows]
        total.fill(0)
        weights.fill(0)
        for p in range(WINDOW):
            for q in range(WINDOW):
                shifted = padded[start + p : start + p + rows, q : q + m]
                distance = (p - RADIUS) ** 2 + (q - RADIUS) ** 2
                np.subtract(shifted, here, out=weight)
                np.square(weight, out=weight)
                weight *= -TONAL
                weight -= SPATIAL * distance
                np.exp(weight, out=weight)
                weights += weight
                weight *= shifted
                total += weight
        total /= weights
    return result


def numba(image: NDArray[Any]) -> NDArray[Any]:
    """A row at a time, of an image with a border."""
    n, m = image.shape
    padded = np.empty((n + 2 * RADIUS, m + 2 * RADIUS), image.dtype)
    for i in range(n + 2 * RADIUS):
        row = image[min(max(i - RADIUS, 0), n - 1)]
        for j in range(m + 2 * RADIUS):
            padded[i, j] = row[min(max(j - RADIUS, 0), m - 1)]
    result = np.empty_like(image)
    for i in prange(n):
        total, weights = np.zeros(m, image.dtype), np.zeros(m, image.dtype)
        for p in range(WINDOW):
            for q in range(WINDOW):
                distance = SPATIAL * ((p - RADIUS) ** 2 + (q - RADIUS) ** 2)
                for j in range(m):
                    value = padded[i + p, j + q]
                    difference = value - image[i, j]
                    weight = math.exp(-distance - TONAL * difference * difference)
                    total[j] += weight * value
                    weights[j] += weight
        for j in range(m):
            result[i, j] = total[j] / weights[j]
    return result


def jax(image: Any) -> Any:
    import jax.numpy as jnp

    n, m = image.shape
    padded = jnp.pad(image, RADIUS, mode="edge")
    total, weights = jnp.zeros_like(image), jnp.zeros_like(image)
    for p in range(WINDOW):
        for q in range(WINDOW):
            shifted = padded[p : p + n, q : q + m]
            distance = (p - RADIUS) ** 2 + (q - RADIUS) ** 2
            weight = jnp.exp(-SPATIAL * distance - TONAL * (shifted - image) ** 2)
            total += weight * shifted
            weights += weight
    return total / weights


def torch(image: Any) -> Any:
    from torch.nn.functional import pad

    n, m = image.shape
    padded = pad(image[None, None], (RADIUS,) * 4, mode="replicate")[0, 0]
    total, weights = image.new_zeros(n, m), image.new_zeros(n, m)
    for p in range(WINDOW):
        for q in range(WINDOW):
            shifted = padded[p : p + n, q : q + m]
            distance = (p - RADIUS) ** 2 + (q - RADIUS) ** 2
            weight = (-SPATIAL * distance - TONAL * (shifted - image) ** 2).exp()
            total += weight * shifted
            weights += weight
    return total / weights


CASE = Case(
    name="bilateral-filter",
    about="An edge-preserving filter of an image: means weighted by distance and difference",
    program=bilateral_filter,
    inputs=inputs,
    large=500,
    sweep=(60, 125, 250, 500),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    memory_bound=True,
)
