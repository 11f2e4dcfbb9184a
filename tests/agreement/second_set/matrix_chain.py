"""The least cost of a product of matrices, by dynamic programming over intervals."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_min, function, where
from tests.agreement.cases.case import Case


@function
def matrix_chain(sizes):
    """Matrix ``i`` has ``sizes[i]`` rows and ``sizes[i + 1]`` columns."""
    n = sizes.size() - 1

    def longer(t, cost):
        """The costs of all intervals of ``t + 2`` matrices."""
        last = t + 1

        def cheapest(i):
            return fold_min(
                lambda k: (
                    cost[i, i + k]
                    + cost[i + k + 1, i + last]
                    + sizes[i] * sizes[i + k + 1] * sizes[i + last + 1]
                ),
                count=last,
            )

        new = array(cheapest, size=n)
        return array(lambda i, j: where(j == i + last, new[i], cost[i, j]))

    return fold(array(lambda i, j: 0, size=(n, n)), longer, count=(n - 1).max(0))


def inputs(n, dtype, rng):
    return (rng.integers(1, 50, size=n + 1),)


def oracle(sizes):
    n = len(sizes) - 1
    cost = np.zeros((n, n), np.int64)
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            cost[i, j] = min(
                cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                for k in range(i, j)
            )
    return cost


def idiomatic(sizes):
    n = len(sizes) - 1
    cost = np.zeros((n, n), np.int64)
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            joined = sizes[i] * sizes[i + 1 : j + 1] * sizes[j + 1]
            cost[i, j] = (cost[i, i:j] + cost[i + 1 : j + 1, j] + joined).min()
    return cost


def jax(sizes):
    import jax.numpy as jnp
    from jax import lax

    n = len(sizes) - 1
    i, k = jnp.arange(n), jnp.arange(n)

    def longer(t, cost):
        j = i + t
        split = i[:, None] + k
        joined = sizes[:-1, None] * sizes[split + 1] * sizes[j + 1][:, None]
        ways = cost[i[:, None], split] + cost[split + 1, j[:, None]] + joined
        ways = jnp.where(k < t, ways, jnp.iinfo(jnp.int64).max)
        return cost.at[i, j].set(ways.min(axis=1), mode="drop")

    return lax.fori_loop(1, n, longer, jnp.zeros((n, n), jnp.int64))


def torch(sizes):
    import torch

    n = len(sizes) - 1
    cost = sizes.new_zeros((n, n))
    for length in range(1, n):
        i, k = (torch.arange(m, device=sizes.device) for m in (n - length, length))
        j, split = i + length, i[:, None] + k
        joined = sizes[i, None] * sizes[split + 1] * sizes[j + 1, None]
        ways = cost[i[:, None], split] + cost[split + 1, j[:, None]] + joined
        cost[i, j] = ways.min(dim=1).values
    return cost


CASE = Case(
    name="matrix-chain",
    about="The least cost of a product of matrices, by intervals (Project-Euler-like; nussinov)",
    program=matrix_chain,
    inputs=inputs,
    large=120,
    sweep=(8, 15, 30, 60, 120),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
