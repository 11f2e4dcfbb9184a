"""The length so far of the run of equal values that each value belongs to."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case


@function
def run_lengths(x):
    def element(i, lengths):
        new = where((i > 0) & (x[i] == x[i - 1]), lengths[i - 1] + 1, 1)
        return array(lambda k: where(k == i, new, lengths[k]))

    return fold(array(lambda i: 0, size=x.size()), element, count=x.size())


def inputs(n, dtype, rng):
    return (rng.integers(0, 2, size=n),)


def oracle(x):
    lengths = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        lengths[i] = lengths[i - 1] + 1 if i > 0 and x[i] == x[i - 1] else 1
    return lengths


def idiomatic(x):
    positions = np.arange(len(x))
    starts = np.ones(len(x), bool)
    starts[1:] = x[1:] != x[:-1]
    return positions - np.maximum.accumulate(np.where(starts, positions, 0)) + 1


def jax(x):
    import jax.numpy as jnp
    from jax import lax

    positions = jnp.arange(len(x))
    starts = jnp.ones(len(x), bool).at[1:].set(x[1:] != x[:-1])
    return positions - lax.cummax(jnp.where(starts, positions, 0)) + 1


def torch(x):
    import torch

    positions = torch.arange(len(x), device=x.device)
    starts = torch.ones_like(x, dtype=torch.bool)
    starts[1:] = x[1:] != x[:-1]
    return positions - torch.where(starts, positions, 0).cummax(dim=0).values + 1


CASE = Case(
    name="run-lengths",
    about="Lengths of runs of equal values, so far (Futhark by Example)",
    program=run_lengths,
    inputs=inputs,
    large=2_000_000,
    sweep=(2_000, 20_000, 200_000, 2_000_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
