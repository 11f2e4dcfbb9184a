"""Multi-head scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Vec, array, exp, fold_max, fold_sum, function
from tests.agreement.cases.case import Case, prange

BATCHES, HEADS, FEATURES = 2, 4, 32


def softmax(x: Vec[Float]) -> Vec[Float]:
    largest = fold_max(lambda i: x[i])
    weights = array(lambda i: exp(x[i] - largest))
    total = fold_sum(lambda i: weights[i])
    return array(lambda i: weights[i] / total)


def dot(u: Vec[Float], v: Vec[Float]) -> Float:
    return fold_sum(lambda k: u[k] * v[k])


def attend(q: Vec[Vec[Float]], k: Vec[Vec[Float]], v: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """One head: the mean of the values for each query, weighted by its match with the keys."""
    scale = 1 / FEATURES**0.5
    weights = array(lambda i: softmax(array(lambda j: dot(q[i], k[j]) * scale)))
    return array(lambda i, f: fold_sum(lambda j: weights[i, j] * v[j, f]))


@function
def attention(
    q: Vec[Vec[Vec[Vec[Float]]]], k: Vec[Vec[Vec[Vec[Float]]]], v: Vec[Vec[Vec[Vec[Float]]]]
) -> Vec[Vec[Vec[Vec[Float]]]]:
    """Arrays are indexed by batch, position, head and feature."""

    def head(x: Vec[Vec[Vec[Vec[Float]]]], b: Any, h: Any) -> Vec[Vec[Float]]:
        return array(lambda i, f: x[b, i, h, f])

    heads = array(lambda b, h: attend(head(q, b, h), head(k, b, h), head(v, b, h)))
    return array(lambda b, i, h, f: heads[b, h, i, f])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return tuple(rng.normal(size=(BATCHES, n, HEADS, FEATURES)).astype(dtype) for _ in range(3))


def oracle(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    result = np.zeros_like(q)
    batches, n, heads, features = q.shape
    for b in range(batches):
        for h in range(heads):
            for i in range(n):
                scores = [
                    sum(float(q[b, i, h, f] * k[b, j, h, f]) for f in range(features))
                    / features**0.5
                    for j in range(n)
                ]
                weights = [np.exp(score - max(scores)) for score in scores]
                for f in range(features):
                    total = sum(weights[j] * v[b, j, h, f] for j in range(n))
                    result[b, i, h, f] = total / sum(weights)
    return result


def idiomatic(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    q, k, v = (x.transpose(0, 2, 1, 3) for x in (q, k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1]).astype(q.dtype)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = scores / scores.sum(axis=-1, keepdims=True)
    return (weights @ v).transpose(0, 2, 1, 3)


def expert(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    """The scores stay in cache, one head at a time; the division is of the smaller result."""
    result = np.empty_like(q)
    batches, n, heads, features = q.shape
    scores = np.empty((n, n), q.dtype)
    for b in range(batches):
        for h in range(heads):
            np.matmul(q[b, :, h] * q.dtype.type(features**-0.5), k[b, :, h].T, out=scores)
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            np.matmul(scores, v[b, :, h], out=result[b, :, h])
            result[b, :, h] /= scores.sum(axis=1, keepdims=True)
    return result


def numba(q: NDArray[Any], k: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    """Keys by feature, so that the innermost loop is over neighbours in memory."""
    batches, n, heads, features = q.shape
    result = np.zeros_like(q)
    keys = np.empty((batches * heads, features, n), q.dtype)
    for head in prange(batches * heads):
        for j in range(n):
            for f in range(features):
                keys[head, f, j] = k[head // heads, j, head % heads, f]
    for row in prange(batches * heads * n):
        head, i = row // n, row % n
        b, h = head // heads, head % heads
        out, scores = result[b, i, h], np.zeros(n, q.dtype)
        for f in range(features):
            factor, column = q[b, i, h, f] / math.sqrt(features), keys[head, f]
            for j in range(n):
                scores[j] += factor * column[j]
        largest, total = scores[0], 0.0
        for j in range(n):
            largest = max(largest, scores[j])
        for j in range(n):
            scores[j] = math.exp(scores[j] - largest)
        for j in range(n):
            weight, value = scores[j], v[b, j, h]
            total += weight
            for f in range(features):
                out[f] += weight * value[f]
        for f in range(features):
            out[f] /= total
    return result


def jax(q: Any, k: Any, v: Any) -> Any:
    import jax
    import jax.numpy as jnp

    scores = jnp.einsum("bihf,bjhf->bhij", q, k) / q.shape[-1] ** 0.5
    return jnp.einsum("bhij,bjhf->bihf", jax.nn.softmax(scores, axis=-1), v)


def torch(q: Any, k: Any, v: Any) -> Any:
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
    return (scores.softmax(dim=-1) @ v).transpose(1, 2)


CASE = Case(
    name="attention",
    about="Multi-head scaled dot-product attention (dissertation, section 4.3)",
    program=attention,
    inputs=inputs,
    large=512,
    sweep=(32, 64, 128, 256, 512),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    small=(0, 1, 2),
)
