"""Causal attention with several heads, whose features lie side by side."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, exp, fold_max, fold_sum, function, sqrt, where
from tests.agreement.cases.case import Case

INFINITY = float("inf")


@function
def multi_head_attention(q, k, v, heads):
    n, features = q.shape
    width = features // heads

    def score(h, i, j):
        dot = fold_sum(lambda e: q[i, h * width + e] * k[j, h * width + e], count=width)
        return where(j <= i, dot / sqrt(width.float()), -INFINITY)

    scores = array(score, size=(heads, n, n))
    largest = array(lambda h, i: fold_max(lambda j: scores[h, i, j]))
    weights = array(lambda h, i, j: exp(scores[h, i, j] - largest[h, i]))
    total = array(lambda h, i: fold_sum(lambda j: weights[h, i, j]))

    def output(i, c):
        h = c // width
        return fold_sum(lambda j: weights[h, i, j] * v[j, c]) / total[h, i]

    return array(output, size=(n, features))


HEADS = 8


def inputs(n, dtype, rng):
    q, k, v = rng.normal(size=(3, n, HEADS * (16 if n > 5 else 2))).astype(dtype)
    return q, k, v, HEADS


def oracle(q, k, v, heads):
    n, features = q.shape
    width = features // heads
    out = np.zeros_like(q)
    for h in range(heads):
        own = range(h * width, (h + 1) * width)
        for i in range(n):
            scores = [sum(q[i, c] * k[j, c] for c in own) / np.sqrt(width) for j in range(i + 1)]
            weights = [np.exp(s - max(scores)) for s in scores]
            for c in own:
                out[i, c] = sum(w * v[j, c] for j, w in enumerate(weights)) / sum(weights)
    return out


def idiomatic(q, k, v, heads):
    n, features = q.shape
    q, k, v = (x.reshape(n, heads, -1).transpose(1, 0, 2) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(features // heads).astype(q.dtype)
    scores = np.where(np.tril(np.ones((n, n), bool)), scores, -INFINITY)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ v).transpose(1, 0, 2).reshape(n, features)


def jax(q, k, v, heads):
    import jax
    import jax.numpy as jnp

    n, features = q.shape
    q, k, v = (x.reshape(n, heads, -1).transpose(1, 0, 2) for x in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / (features // heads) ** 0.5
    weights = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((n, n), bool)), scores, -INFINITY))
    return (weights @ v).transpose(1, 0, 2).reshape(n, features)


def torch(q, k, v, heads):
    import torch

    n, features = q.shape
    q, k, v = (x.reshape(n, heads, -1).transpose(0, 1) for x in (q, k, v))
    scores = q @ k.transpose(1, 2) / (features // heads) ** 0.5
    mask = torch.ones((n, n), dtype=torch.bool, device=q.device).tril()
    weights = torch.where(mask, scores, -INFINITY).softmax(dim=-1)
    return (weights @ v).transpose(0, 1).reshape(n, features)


CASE = Case(
    name="multi-head-attention",
    about="Causal attention with several heads in one matrix (PyTorch and JAX tutorials)",
    program=multi_head_attention,
    inputs=inputs,
    large=400,
    sweep=(50, 100, 200, 400),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
    static=(3,),
)
