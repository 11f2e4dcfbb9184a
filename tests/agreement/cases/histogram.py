"""The number of items with each key, and their total weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, fold_sum, function, where
from tests.agreement.cases.case import Case, prange


@function
def histogram(key: Vec[Int], weight: Vec[Float], bins: Int) -> tuple[Vec[Int], Vec[Float]]:
    counts = array(lambda c: fold_sum(lambda i: where(key[i] == c, 1, 0)), size=bins)
    totals = array(lambda c: fold_sum(lambda i: where(key[i] == c, weight[i], 0.0)), size=bins)
    return counts, totals


@function
def by_condition(key: Vec[Int], weight: Vec[Float], bins: Int) -> tuple[Vec[Int], Vec[Float]]:
    """Both sums of a bin in one fold, with the condition the other way round."""

    def bin_(c: Int) -> tuple[Int, Float]:
        return fold(
            (0, 0.0),
            lambda i, sums: (
                where(c != key[i], 0, 1) + sums[0],
                sums[1] + where(c == key[i], weight[i], 0.0),
            ),
        )

    sums = array(bin_, size=bins)
    return array(lambda c: sums[c][0]), array(lambda c: sums[c][1])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    bins = min(n, 256)
    keys = rng.integers(0, max(bins, 1), size=n)
    return keys, rng.uniform(size=n).astype(dtype), bins


def oracle(key: NDArray[Any], weight: NDArray[Any], bins: int) -> tuple[NDArray[Any], ...]:
    counts, totals = np.zeros(bins, np.int64), np.zeros(bins, weight.dtype)
    for c, w in zip(key, weight, strict=True):
        counts[c] += 1
        totals[c] += w
    return counts, totals


def idiomatic(key: NDArray[Any], weight: NDArray[Any], bins: int) -> tuple[NDArray[Any], ...]:
    counts = np.bincount(key, minlength=bins)
    totals = np.bincount(key, weights=weight, minlength=bins)
    return counts, totals.astype(weight.dtype)


expert = idiomatic


def numba(key: NDArray[Any], weight: NDArray[Any], bins: int) -> tuple[NDArray[Any], ...]:
    """A part of the items at a time, each with bins of its own."""
    parts = 16
    counts, totals = np.zeros((parts, bins), np.int64), np.zeros((parts, bins), weight.dtype)
    for part in prange(parts):
        own_counts, own_totals = counts[part], totals[part]
        for i in range(part * len(key) // parts, (part + 1) * len(key) // parts):
            own_counts[key[i]] += 1
            own_totals[key[i]] += weight[i]
    return counts.sum(axis=0), totals.sum(axis=0)


def jax(key: Any, weight: Any, bins: int) -> Any:
    import jax.numpy as jnp

    counts = jnp.zeros(bins, key.dtype).at[key].add(1)
    return counts, jnp.zeros(bins, weight.dtype).at[key].add(weight)


def torch(key: Any, weight: Any, bins: int) -> Any:
    import torch

    return (
        torch.bincount(key, minlength=bins),
        weight.new_zeros(bins).index_add_(0, key, weight),
    )


CASE = Case(
    name="histogram",
    about="Number and total weight of the items with each key",
    program=histogram,
    inputs=inputs,
    large=10_000_000,
    sweep=(10_000, 100_000, 1_000_000, 10_000_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    static=(2,),
    tolerance={"float64": 1e-9, "float32": 1e-4},
    variants=(by_condition,),
)
