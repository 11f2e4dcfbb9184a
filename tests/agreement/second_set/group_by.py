"""The mean of each group, and the position of its least value."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold_argmin, fold_sum, function, where
from tests.agreement.cases.case import Case

INFINITY = float("inf")


@function
def group_by(keys, values, groups):
    def mean(g):
        count = fold_sum(lambda i: where(keys[i] == g, 1, 0))
        total = fold_sum(lambda i: where(keys[i] == g, values[i], 0.0))
        return total / count.max(1).float()

    def cheapest(g):
        return fold_argmin(lambda i: where(keys[i] == g, values[i], INFINITY))

    return array(lambda g: {"mean": mean(g), "cheapest": cheapest(g)}, size=groups)


def inputs(n, dtype, rng):
    groups = 3 + n // 5_000
    return rng.integers(0, groups, size=n), rng.uniform(size=n).astype(dtype), groups


def oracle(keys, values, groups):
    mean, cheapest = np.zeros(groups, values.dtype), np.zeros(groups, np.int64)
    for g in range(groups):
        own = [i for i in range(len(keys)) if keys[i] == g]
        if own:
            mean[g] = sum(values[i] for i in own) / len(own)
            cheapest[g] = min(own, key=lambda i: values[i])
    return mean, cheapest


def idiomatic(keys, values, groups):
    mean, cheapest = np.zeros(groups, values.dtype), np.zeros(groups, np.int64)
    for g in range(groups):
        own = np.flatnonzero(keys == g)
        if len(own):
            mean[g] = values[own].mean()
            cheapest[g] = own[values[own].argmin()]
    return mean, cheapest


def expert(keys, values, groups):
    """Sorted by key, then by value; the sort is stable, so the first of equal values is found."""
    count = np.bincount(keys, minlength=groups)
    total = np.bincount(keys, values, minlength=groups)
    order = np.lexsort((values, keys))
    cheapest = np.zeros(groups, np.int64)
    full = count > 0
    cheapest[full] = order[(np.cumsum(count) - count)[full]]
    return (total / np.maximum(count, 1)).astype(values.dtype), cheapest


def jax(keys, values, groups):
    import jax.numpy as jnp

    count = jnp.zeros(groups, values.dtype).at[keys].add(1)
    total = jnp.zeros(groups, values.dtype).at[keys].add(values)
    least = jnp.full(groups, INFINITY, values.dtype).at[keys].min(values)
    positions = jnp.where(values == least[keys], jnp.arange(len(keys)), len(keys))
    first = jnp.full(groups, len(keys)).at[keys].min(positions)
    return total / jnp.maximum(count, 1), jnp.where(count > 0, first, 0)


def torch(keys, values, groups):
    import torch

    count = torch.bincount(keys, minlength=groups)
    total = values.new_zeros(groups).index_add_(0, keys, values)
    least = values.new_full((groups,), INFINITY)
    least = least.scatter_reduce(0, keys, values, "amin")
    n = len(keys)
    positions = torch.arange(n, device=keys.device)
    positions = torch.where(values == least[keys], positions, n)
    first = keys.new_full((groups,), n).scatter_reduce(0, keys, positions, "amin")
    return total / count.clamp(min=1), torch.where(count > 0, first, 0)


CASE = Case(
    name="group-by",
    about="Means of groups, and the positions of their least values (pandas, Futhark by Example)",
    program=group_by,
    inputs=inputs,
    large=200_000,
    sweep=(2_000, 20_000, 200_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    static=(2,),
)
