"""The most valuable choice of items within each capacity."""

from __future__ import annotations

import builtins

import numpy as np

from ein_mlir import array, fold, function, max, where
from tests.agreement.cases.case import Case


@function
def knapsack(weights, values, capacity):
    def item(i, best):
        def with_item(w):
            taken = where(w >= weights[i], best[w - weights[i]] + values[i], 0.0)
            return max(best[w], taken)

        return array(with_item)

    nothing = array(lambda w: 0.0 * values[0], size=capacity + 1)
    return fold(nothing, item, count=weights.size())


def inputs(n, dtype, rng):
    return rng.integers(1, 20, size=n), rng.uniform(size=n).astype(dtype), 20 * n


def oracle(weights, values, capacity):
    best = [values.dtype.type(0)] * (capacity + 1)
    for weight, value in zip(weights, values, strict=True):
        for w in range(capacity, weight - 1, -1):
            best[w] = builtins.max(best[w], best[w - weight] + value)
    return np.array(best, values.dtype)


def idiomatic(weights, values, capacity):
    best = np.zeros(capacity + 1, values.dtype)
    for weight, value in zip(weights, values, strict=True):
        best[weight:] = np.maximum(best[weight:], best[:-weight] + value)
    return best


def jax(weights, values, capacity):
    import jax.numpy as jnp
    from jax import lax

    w = jnp.arange(capacity + 1)

    def item(best, item):
        weight, value = item
        taken = jnp.where(w >= weight, best[w - weight] + value, 0)
        return jnp.maximum(best, taken), None

    return lax.scan(item, jnp.zeros(capacity + 1, values.dtype), (weights, values))[0]


def torch(weights, values, capacity):
    import torch

    best = values.new_zeros(capacity + 1)
    for weight, value in zip(weights.tolist(), values, strict=True):
        best[weight:] = torch.maximum(best[weight:], best[:-weight] + value)
    return best


CASE = Case(
    name="knapsack",
    about="The 0-1 knapsack by dynamic programming (tutorials of dynamic programming)",
    program=knapsack,
    inputs=inputs,
    large=1_000,
    sweep=(125, 250, 500, 1_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
    static=(2,),
)
