"""Sweeps of the Ising model over the colours of a chessboard, with given random numbers."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, exp, fold, function, where
from tests.agreement.cases.case import Case

BETA = 0.4


@function
def ising(start, random):
    """``random`` has an array of numbers for each colour of each sweep."""
    n, m = start.shape

    def sweep(t, spins):
        def update(colour, spins):
            def spin(i, j):
                here = spins[i, j]
                around = (
                    spins[(i + 1) % n, j]
                    + spins[(i - 1) % n, j]
                    + spins[i, (j + 1) % m]
                    + spins[i, (j - 1) % m]
                )
                chance = exp(-2.0 * BETA * (here * around).float())
                flips = ((i + j) % 2 == colour) & (random[t, colour, i, j] < chance)
                return where(flips, -here, here)

            return array(spin, size=(n, m))

        return fold(spins, update, count=2)

    return fold(start, sweep, count=random.size())


def inputs(n, dtype, rng):
    spins = rng.choice(np.array([-1, 1]), size=(n, n + 1))
    return spins, rng.uniform(size=(5 if n > 5 else 2, 2, n, n + 1)).astype(dtype)


def oracle(start, random):
    spins = start.copy()
    n, m = spins.shape
    for numbers in random:
        for colour in range(2):
            old = spins.copy()
            for i in range(n):
                for j in range(m):
                    around = old[(i + 1) % n, j] + old[i - 1, j] + old[i, (j + 1) % m]
                    energy = old[i, j] * (around + old[i, j - 1])
                    chance = np.exp(random.dtype.type(-2 * BETA * energy))
                    if (i + j) % 2 == colour and numbers[colour, i, j] < chance:
                        spins[i, j] = -old[i, j]
    return spins


def _update(np, spins, numbers, board, colour):
    around = np.roll(spins, 1, 0) + np.roll(spins, -1, 0)
    around = around + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
    chance = np.exp(-2 * BETA * (spins * around))
    return np.where((board == colour) & (numbers < chance), -spins, spins)


def idiomatic(start, random):
    n, m = start.shape
    board = (np.arange(n)[:, None] + np.arange(m)) % 2
    spins = start
    for numbers in random:
        for colour in range(2):
            spins = _update(np, spins, numbers[colour], board, colour)
    return spins


def jax(start, random):
    import jax.numpy as jnp
    from jax import lax

    n, m = start.shape
    board = (jnp.arange(n)[:, None] + jnp.arange(m)) % 2

    def sweep(spins, numbers):
        for colour in range(2):
            spins = _update(jnp, spins, numbers[colour], board, colour)
        return spins, None

    return lax.scan(sweep, start, random)[0]


def torch(start, random):
    import torch

    n, m = start.shape
    rows, columns = (torch.arange(size, device=start.device) for size in (n, m))
    board = (rows[:, None] + columns) % 2
    spins = start
    for numbers in random:
        for colour in range(2):
            spins = _update(torch, spins, numbers[colour], board, colour)
    return spins


CASE = Case(
    name="ising",
    about="Sweeps of the Ising model over a chessboard (tutorials of statistical physics)",
    program=ising,
    inputs=inputs,
    large=400,
    sweep=(50, 100, 200, 400),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
