"""The length of the Collatz sequence of each number, up to a bound."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case


@function
def collatz(n, bound):
    def length(i):
        def step(t, state):
            x, steps = state
            following = where(x % 2 == 0, x // 2, 3 * x + 1)
            return where(x == 1, (x, steps), (following, steps + 1))

        return fold((i + 1, 0), step, count=bound)[1]

    return array(length, size=n)


def inputs(n, dtype, rng):
    return n, 100 if n > 5 else 10


def oracle(n, bound):
    out = np.zeros(n, np.int64)
    for i in range(n):
        x = i + 1
        while x != 1 and out[i] < bound:
            x = 3 * x + 1 if x % 2 else x // 2
            out[i] += 1
    return out


def idiomatic(n, bound):
    x = np.arange(1, n + 1)
    steps = np.zeros(n, np.int64)
    for _ in range(bound):
        active = x != 1
        steps += active
        x = np.where(active, np.where(x % 2 == 0, x // 2, 3 * x + 1), x)
    return steps


def expert(n, bound):
    """Only numbers that have not arrived."""
    x = np.arange(1, n + 1)
    steps = np.zeros(n, np.int64)
    left = np.flatnonzero(x != 1)
    x = x[left]
    for _ in range(bound):
        steps[left] += 1
        x = np.where(x & 1, 3 * x + 1, x >> 1)
        keep = x != 1
        left, x = left[keep], x[keep]
    return steps


def jax(n, bound):
    import jax.numpy as jnp
    from jax import lax

    def step(t, state):
        x, steps = state
        active = x != 1
        x = jnp.where(active, jnp.where(x % 2 == 0, x // 2, 3 * x + 1), x)
        return x, steps + active

    return lax.fori_loop(0, bound, step, (jnp.arange(1, n + 1), jnp.zeros(n, jnp.int64)))[1]


def torch(n, bound):
    import torch

    x = torch.arange(1, n + 1)
    steps = torch.zeros(n, dtype=torch.int64)
    for _ in range(bound):
        active = x != 1
        steps += active
        x = torch.where(active, torch.where(x % 2 == 0, x // 2, 3 * x + 1), x)
    return steps


CASE = Case(
    name="collatz",
    about="Lengths of Collatz sequences up to a bound (Project Euler 14, Futhark by Example)",
    program=collatz,
    inputs=inputs,
    large=50_000,
    sweep=(500, 5_000, 50_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    static=(0, 1),
)
