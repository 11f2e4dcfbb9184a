"""A convolutional layer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold_sum, function
from tests.agreement.cases.case import Case, prange


@function
def conv2d(
    images: Vec[Vec[Vec[Vec[Float]]]], filters: Vec[Vec[Vec[Vec[Float]]]], bias: Vec[Float]
) -> Vec[Vec[Vec[Vec[Float]]]]:
    batch, _, rows, columns = images.shape
    outputs, _, height, width = filters.shape

    def pixel(b: Int, o: Int, i: Int, j: Int) -> Float:
        def tap(c: Int, p: Int, q: Int) -> Float:
            return images[b, c, i + p, j + q] * filters[o, c, p, q]

        total = fold_sum(
            lambda c: fold_sum(lambda p: fold_sum(lambda q: tap(c, p, q))),
        )
        return (total + bias[o]).max(0.0)

    return array(pixel, size=(batch, outputs, rows - height + 1, columns - width + 1))


@function
def taps_outside(
    images: Vec[Vec[Vec[Vec[Float]]]], filters: Vec[Vec[Vec[Vec[Float]]]], bias: Vec[Float]
) -> Vec[Vec[Vec[Vec[Float]]]]:
    """The same with sums, factors and terms in another order."""
    batch, _, rows, columns = images.shape
    outputs, _, height, width = filters.shape

    def pixel(b: Int, o: Int, i: Int, j: Int) -> Float:
        def tap(c: Int, p: Int, q: Int) -> Float:
            return filters[o, c, p, q] * images[b, c, p + i, q + j]

        total = fold_sum(
            lambda q: fold_sum(lambda c: fold_sum(lambda p: tap(c, p, q))),
        )
        return (bias[o] + total).max(0.0)

    return array(pixel, size=(batch, outputs, rows - height + 1, columns - width + 1))


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    channels, outputs = min(n + 1, 8), min(2 * n + 1, 16)
    images = rng.normal(size=(min(n, 8), channels, n + 2, n + 3)).astype(dtype)
    filters = rng.normal(size=(outputs, channels, 3, 3)).astype(dtype)
    return images, filters, rng.normal(size=outputs).astype(dtype)


def oracle(images: NDArray[Any], filters: NDArray[Any], bias: NDArray[Any]) -> NDArray[Any]:
    outputs, channels, height, width = filters.shape
    batch, _, rows, columns = images.shape
    result = np.zeros((batch, outputs, rows - height + 1, columns - width + 1), images.dtype)
    for b, o, i, j in np.ndindex(result.shape):
        total = bias[o]
        for c, p, q in np.ndindex(channels, height, width):
            total += images[b, c, i + p, j + q] * filters[o, c, p, q]
        result[b, o, i, j] = max(total, 0)
    return result


def idiomatic(images: NDArray[Any], filters: NDArray[Any], bias: NDArray[Any]) -> NDArray[Any]:
    windows = np.lib.stride_tricks.sliding_window_view(images, filters.shape[2:], axis=(2, 3))
    sums = np.einsum("bcijpq,ocpq->boij", windows, filters, optimize=True)
    return np.maximum(sums + bias[:, None, None], 0)


def expert(images: NDArray[Any], filters: NDArray[Any], bias: NDArray[Any]) -> NDArray[Any]:
    """One matrix product with all windows, laid out in a single copy; the rest in place."""
    windows = np.lib.stride_tricks.sliding_window_view(images, filters.shape[2:], axis=(2, 3))
    result = np.tensordot(filters, windows, axes=([1, 2, 3], [1, 4, 5])).swapaxes(0, 1)
    result += bias[:, None, None]
    np.maximum(result, 0, out=result)
    return result


def numba(images: NDArray[Any], filters: NDArray[Any], bias: NDArray[Any]) -> NDArray[Any]:
    """A row of the result at a time."""
    batch, _, rows, columns = images.shape
    outputs, channels, height, width = filters.shape
    n, m = rows - height + 1, columns - width + 1
    result = np.empty((batch, outputs, n, m), images.dtype)
    for task in prange(batch * outputs):
        b, o = task // outputs, task % outputs
        for i in range(n):
            row = result[b, o, i]
            row[:] = bias[o]
            for c in range(channels):
                for p in range(height):
                    for q in range(width):
                        weight = filters[o, c, p, q]
                        for j in range(m):
                            row[j] += weight * images[b, c, i + p, j + q]
            for j in range(m):
                row[j] = max(row[j], 0)
    return result


def jax(images: Any, filters: Any, bias: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax

    return jnp.maximum(lax.conv(images, filters, (1, 1), "VALID") + bias[:, None, None], 0)


def torch(images: Any, filters: Any, bias: Any) -> Any:
    from torch.nn.functional import conv2d, relu

    return relu(conv2d(images, filters, bias))


CASE = Case(
    name="conv2d",
    about="A convolutional layer with several channels, a bias and a rectifier",
    program=conv2d,
    inputs=inputs,
    large=100,
    sweep=(12, 25, 50, 100),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    small=(0, 1, 2),
    variants=(taps_outside,),
)
