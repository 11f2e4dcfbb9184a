"""The places of numbers in a sorted array, by bisection."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case


@function
def binary_search(table, queries, steps):
    """The number of elements of ``table`` below each query; ``2 ** steps`` exceeds its size."""

    def search(i):
        def halve(t, bounds):
            low, high = bounds
            middle = (low + high) // 2
            right = table[middle] < queries[i]
            after = where(right, (middle + 1, high), (low, middle))
            return where(low < high, after, bounds)

        return fold((0, table.size()), halve, count=steps)[0]

    return array(search)


def inputs(n, dtype, rng):
    table, queries = rng.normal(size=n), rng.normal(size=n + 1)
    return np.sort(table).astype(dtype), queries.astype(dtype), int(n).bit_length()


def oracle(table, queries, steps):
    return np.array([sum(x < query for x in table) for query in queries], np.int64)


def idiomatic(table, queries, steps):
    low, high = np.zeros(len(queries), np.int64), np.full(len(queries), len(table))
    for _ in range(steps):
        middle = (low + high) // 2
        active = low < high
        right = active & (table[np.minimum(middle, len(table) - 1)] < queries)
        low = np.where(right, middle + 1, low)
        high = np.where(active & ~right, middle, high)
    return low


def expert(table, queries, steps):
    return np.searchsorted(table, queries)


def jax(table, queries, steps):
    import jax.numpy as jnp

    return jnp.searchsorted(table, queries).astype(jnp.int64)


def torch(table, queries, steps):
    import torch

    return torch.searchsorted(table, queries)


CASE = Case(
    name="binary-search",
    about="Places in a sorted array by bisection (Futhark by Example)",
    program=binary_search,
    inputs=inputs,
    large=100_000,
    sweep=(1_000, 10_000, 100_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
)
