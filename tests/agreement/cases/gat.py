"""Inference in a Graph Attention Network."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, exp, fold_max, fold_sum, function, where
from tests.agreement.cases.case import Case, prange

BATCHES, HEADS, FEATURES = 2, 4, 16


def softmax(x: Vec[Float]) -> Vec[Float]:
    largest = fold_max(lambda i: x[i])
    weights = array(lambda i: exp(x[i] - largest))
    total = fold_sum(lambda i: weights[i])
    return array(lambda i: weights[i] / total)


def leaky_relu(x: Float) -> Float:
    return where(x < 0.0, 0.01 * x, x)


@function
def gat(
    s: Vec[Vec[Vec[Float]]],
    t: Vec[Vec[Vec[Float]]],
    e: Vec[Vec[Vec[Vec[Float]]]],
    g: Vec[Vec[Float]],
    vals: Vec[Vec[Vec[Vec[Float]]]],
    adj: Vec[Vec[Vec[Float]]],
) -> Vec[Vec[Vec[Vec[Float]]]]:
    """Logits come from source and target vertices, edges and graphs, for each head h."""
    bias = array(lambda b, u, v: (adj[b, u, v] - 1.0) * 1e9)
    logits = array(lambda b, h, u, v: s[b, u, h] + t[b, v, h] + e[b, u, v, h] + g[b, h])
    coefs = array(
        lambda b, h, u: softmax(array(lambda v: leaky_relu(logits[b, h, u, v]) + bias[b, u, v]))
    )
    return array(lambda b, u, h, f: fold_sum(lambda v: coefs[b, h, u, v] * vals[b, v, h, f]))


@function
def by_vertex(
    s: Vec[Vec[Vec[Float]]],
    t: Vec[Vec[Vec[Float]]],
    e: Vec[Vec[Vec[Vec[Float]]]],
    g: Vec[Vec[Float]],
    vals: Vec[Vec[Vec[Vec[Float]]]],
    adj: Vec[Vec[Vec[Float]]],
) -> Vec[Vec[Vec[Vec[Float]]]]:
    """One vertex of one graph at a time, with terms in another order."""

    def vertex(b: Int, u: Int, h: Int) -> Vec[Float]:
        def logit(v: Int) -> Float:
            x = g[b, h] + (e[b, u, v, h] + t[b, v, h]) + s[b, u, h]
            return 1e9 * (adj[b, u, v] - 1.0) + where(x > 0.0, x, x * 0.01)

        coefs = softmax(array(logit))
        return array(lambda f: fold_sum(lambda v: vals[b, v, h, f] * coefs[v]))

    return array(vertex)


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    shapes = (
        (BATCHES, n, HEADS),
        (BATCHES, n, HEADS),
        (BATCHES, n, n, HEADS),
        (BATCHES, HEADS),
        (BATCHES, n, HEADS, FEATURES),
    )
    adjacency = (rng.random((BATCHES, n, n)) < 0.2) | np.eye(n, dtype=bool)
    return (*(rng.normal(size=shape).astype(dtype) for shape in shapes), adjacency.astype(dtype))


def oracle(
    s: NDArray[Any],
    t: NDArray[Any],
    e: NDArray[Any],
    g: NDArray[Any],
    vals: NDArray[Any],
    adj: NDArray[Any],
) -> NDArray[Any]:
    result = np.zeros_like(vals)
    batches, n, heads, features = vals.shape
    for b in range(batches):
        for h in range(heads):
            for u in range(n):
                logits = [s[b, u, h] + t[b, v, h] + e[b, u, v, h] + g[b, h] for v in range(n)]
                logits = [0.01 * x if x < 0 else x for x in logits]
                logits = [x + (adj[b, u, v] - 1) * 1e9 for v, x in enumerate(logits)]
                weights = [np.exp(x - max(logits)) for x in logits]
                for f in range(features):
                    total = sum(weights[v] * vals[b, v, h, f] for v in range(n))
                    result[b, u, h, f] = total / sum(weights)
    return result


def idiomatic(
    s: NDArray[Any],
    t: NDArray[Any],
    e: NDArray[Any],
    g: NDArray[Any],
    vals: NDArray[Any],
    adj: NDArray[Any],
) -> NDArray[Any]:
    _, _, heads = s.shape
    bias = np.tile(((adj - 1.0) * 1e9)[..., np.newaxis], (1, 1, 1, heads))
    bias = np.transpose(bias, (0, 3, 1, 2))
    logits = (
        np.transpose(s[..., np.newaxis], (0, 2, 1, 3))
        + np.transpose(t[..., np.newaxis], (0, 2, 3, 1))
        + np.transpose(e, (0, 3, 1, 2))
        + g[..., np.newaxis, np.newaxis]
    )
    logits = np.where(logits < 0, 0.01 * logits, logits) + bias
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    coefs = weights / weights.sum(axis=-1, keepdims=True)
    result = np.matmul(coefs, np.transpose(vals, (0, 2, 1, 3)))
    return np.transpose(result, (0, 2, 1, 3))


def expert(
    s: NDArray[Any],
    t: NDArray[Any],
    e: NDArray[Any],
    g: NDArray[Any],
    vals: NDArray[Any],
    adj: NDArray[Any],
) -> NDArray[Any]:
    """One batch and head at a time, in one buffer; leaky_relu(x) is max(x, 0.01 x)."""
    result = np.empty_like(vals)
    batches, n, heads, _ = vals.shape
    weights, scaled = np.empty((n, n), s.dtype), np.empty((n, n), s.dtype)
    for b in range(batches):
        bias = (adj[b] - 1) * s.dtype.type(1e9)
        for h in range(heads):
            np.add(e[b, :, :, h], t[b, :, h] + g[b, h], out=weights)
            weights += s[b, :, h, None]
            np.multiply(weights, s.dtype.type(0.01), out=scaled)
            np.maximum(weights, scaled, out=weights)
            weights += bias
            weights -= weights.max(axis=1, keepdims=True)
            np.exp(weights, out=weights)
            np.matmul(weights, vals[b, :, h], out=result[b, :, h])
            result[b, :, h] /= weights.sum(axis=1, keepdims=True)
    return result


def numba(
    s: NDArray[Any],
    t: NDArray[Any],
    e: NDArray[Any],
    g: NDArray[Any],
    vals: NDArray[Any],
    adj: NDArray[Any],
) -> NDArray[Any]:
    """All heads of a vertex at once: they are neighbours in memory."""
    batches, n, heads, features = vals.shape
    result = np.zeros_like(vals)
    for vertex in prange(batches * n):
        b, u = vertex // n, vertex % n
        weights, largest = np.empty((n, heads), s.dtype), np.full(heads, -np.inf)
        for v in range(n):
            bias = (adj[b, u, v] - 1) * 1e9
            for h in range(heads):
                x = s[b, u, h] + t[b, v, h] + e[b, u, v, h] + g[b, h]
                weights[v, h] = max(x, 0.01 * x) + bias
                largest[h] = max(largest[h], weights[v, h])
        totals = np.zeros(heads, s.dtype)
        for v in range(n):
            for h in range(heads):
                weight = math.exp(weights[v, h] - largest[h])
                totals[h] += weight
                out, value = result[b, u, h], vals[b, v, h]
                for f in range(features):
                    out[f] += weight * value[f]
        for h in range(heads):
            for f in range(features):
                result[b, u, h, f] /= totals[h]
    return result


def jax(s: Any, t: Any, e: Any, g: Any, vals: Any, adj: Any) -> Any:
    import jax
    import jax.numpy as jnp

    logits = (
        jnp.transpose(s[..., None], (0, 2, 1, 3))
        + jnp.transpose(t[..., None], (0, 2, 3, 1))
        + jnp.transpose(e, (0, 3, 1, 2))
        + g[..., None, None]
    )
    bias = (adj[:, None] - 1.0) * 1e9
    coefs = jax.nn.softmax(jax.nn.leaky_relu(logits) + bias, axis=-1)
    return jnp.einsum("bhuv,bvhf->buhf", coefs, vals)


def torch(s: Any, t: Any, e: Any, g: Any, vals: Any, adj: Any) -> Any:
    import torch

    logits = (
        s.permute(0, 2, 1)[..., None]
        + t.permute(0, 2, 1)[:, :, None]
        + e.permute(0, 3, 1, 2)
        + g[..., None, None]
    )
    bias = (adj[:, None] - 1.0) * 1e9
    coefs = (torch.nn.functional.leaky_relu(logits) + bias).softmax(dim=-1)
    return (coefs @ vals.permute(0, 2, 1, 3)).permute(0, 2, 1, 3)


CASE = Case(
    name="gat",
    about="A layer of a Graph Attention Network (dissertation, appendix A)",
    program=gat,
    inputs=inputs,
    large=300,
    sweep=(20, 40, 75, 150, 300),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    small=(0, 1, 3),
    variants=(by_vertex,),
)
