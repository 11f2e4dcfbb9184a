"""The feed-forward layers of a transformer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Vec, array, fold_sum, function
from tests.agreement.cases.case import Case, prange


def gelu(x: Float) -> Float:
    return 0.5 * x * (1.0 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)).tanh())


@function
def mlp(
    x: Vec[Vec[Vec[Float]]],
    w1: Vec[Vec[Float]],
    b1: Vec[Float],
    w2: Vec[Vec[Float]],
    b2: Vec[Float],
) -> Vec[Vec[Vec[Float]]]:
    def hidden(b, t, h):
        return gelu(fold_sum(lambda f: x[b, t, f] * w1[f, h]) + b1[h])

    h = array(hidden)
    return array(lambda b, t, o: x[b, t, o] + fold_sum(lambda k: h[b, t, k] * w2[k, o]) + b2[o])


@function
def commuted(
    x: Vec[Vec[Vec[Float]]],
    w1: Vec[Vec[Float]],
    b1: Vec[Float],
    w2: Vec[Vec[Float]],
    b2: Vec[Float],
) -> Vec[Vec[Vec[Float]]]:
    """Factors and terms are in another order, and the second layer is an array of its own."""
    hidden = array(lambda b, t, h: gelu(b1[h] + fold_sum(lambda f: w1[f, h] * x[b, t, f])))
    fed = array(lambda b, t, o: fold_sum(lambda k: w2[k, o] * hidden[b, t, k]))
    return array(lambda b, t, o: b2[o] + fed[b, t, o] + x[b, t, o])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    features = 2 * min(n, 64)
    hidden = 4 * features
    shapes = ((4, n, features), (features, hidden), (hidden,), (hidden, features), (features,))
    scale = 1 / math.sqrt(max(features, 1))
    return tuple((scale * rng.normal(size=shape)).astype(dtype) for shape in shapes)


def oracle(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> NDArray[Any]:
    result = np.zeros_like(x)
    for b, t in np.ndindex(x.shape[:2]):
        hidden: list[float] = []
        for k in range(len(b1)):
            y = b1[k] + sum(x[b, t, f] * w1[f, k] for f in range(len(b2)))
            inner = math.sqrt(2 / math.pi) * (y + 0.044715 * y**3)
            hidden.append(0.5 * y * (1 + math.tanh(inner)))
        for o in range(len(b2)):
            total = sum(hidden[k] * w2[k, o] for k in range(len(b1)))
            result[b, t, o] = x[b, t, o] + total + b2[o]
    return result


def idiomatic(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> NDArray[Any]:
    y = x @ w1 + b1
    hidden = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
    return (x + hidden @ w2 + b2).astype(x.dtype)


def expert(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> NDArray[Any]:
    """All rows of the batch in one matrix, a block of them at a time."""
    rows = x.reshape(-1, x.shape[-1])
    result = np.empty_like(rows)
    block = 64
    inner_block = np.empty((block, len(b1)), x.dtype)
    hidden_block = np.empty_like(inner_block)
    for start in range(0, len(rows), block):
        some, out = rows[start : start + block], result[start : start + block]
        y, inner = hidden_block[: len(some)], inner_block[: len(some)]
        np.matmul(some, w1, out=y)
        y += b1
        np.square(y, out=inner)
        inner *= 0.044715
        inner += 1
        inner *= y
        inner *= math.sqrt(2 / math.pi)
        np.tanh(inner, out=inner)
        inner += 1
        y *= 0.5
        y *= inner
        np.matmul(y, w2, out=out)
        out += some
        out += b2
    return result.reshape(x.shape)


def numba(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> NDArray[Any]:
    """The products by BLAS."""
    rows = x.reshape(-1, x.shape[2])
    hidden = np.dot(rows, w1)
    for i in prange(len(rows)):
        for k in range(len(b1)):
            y = hidden[i, k] + b1[k]
            inner = math.sqrt(2 / math.pi) * (y + 0.044715 * y * y * y)
            hidden[i, k] = 0.5 * y * (1 + math.tanh(inner))
    result = np.dot(hidden, w2)
    for i in prange(len(rows)):
        for o in range(len(b2)):
            result[i, o] += rows[i, o] + b2[o]
    return result.reshape(x.shape)


def jax(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    from jax.nn import gelu

    return x + gelu(x @ w1 + b1) @ w2 + b2


def torch(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    from torch.nn.functional import gelu

    return x + gelu(x @ w1 + b1, approximate="tanh") @ w2 + b2


CASE = Case(
    name="mlp",
    about="Two dense layers with a GELU between them and a residual connection",
    program=mlp,
    inputs=inputs,
    large=500,
    sweep=(64, 125, 250, 500),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    variants=(commuted,),
)
