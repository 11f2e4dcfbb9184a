"""Pathfinder: the cheapest ways down a grid, by dynamic programming."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

import ein_mlir as ein
from ein_mlir import Int, Vec, array, fold, function, where, wrap
from tests.agreement.cases.case import Case, prange

ROWS = 100


@function
def pathfinder(wall: Vec[Vec[Int]]) -> Vec[Int]:
    """The least sum on a way from the first row to each place of the last.

    A step goes straight down or to a diagonal neighbour.
    """

    def descend(row: Int, cost: Vec[Int]) -> Vec[Int]:
        return array(lambda j: wall[row, j] + ein.min(cost[j - 1], cost[j], cost[j + 1]))

    nothing: Vec[Int] = array(lambda j: wrap(0), size=wall.size(1))
    return fold(nothing, descend)


@function
def shifted(wall: Vec[Vec[Int]]) -> Vec[Int]:
    """Costs start with the first row, and the edges are separate."""
    last = wall.size(1) - 1

    def descend(row: Int, cost: Vec[Int]) -> Vec[Int]:
        def cheapest(j: Int) -> Int:
            left = where(j == 0, cost[j], cost[j - 1])
            right = where(j < last, cost[j + 1], cost[j])
            return ein.min(right, ein.min(left, cost[j])) + wall[row + 1, j]

        return array(cheapest)

    return fold(wall[0], descend, count=(wall.size() - 1).max(0))


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.integers(0, 10, size=(min(n, ROWS), n)),)


def oracle(wall: NDArray[Any]) -> NDArray[Any]:
    rows, columns = wall.shape
    cost = [0] * columns
    for i in range(rows):
        cost = [wall[i, j] + min(cost[max(j - 1, 0) : j + 2]) for j in range(columns)]
    return np.array(cost, dtype=wall.dtype)


def idiomatic(wall: NDArray[Any]) -> NDArray[Any]:
    cost = wall[0]
    for row in wall[1:]:
        left = np.concatenate((cost[:1], cost[:-1]))
        right = np.concatenate((cost[1:], cost[-1:]))
        cost = row + np.minimum(np.minimum(left, cost), right)
    return cost


def expert(wall: NDArray[Any]) -> NDArray[Any]:
    cost = wall[0].copy()
    least = np.empty_like(cost)
    for row in wall[1:]:
        least[-1] = cost[-1]
        np.minimum(cost[:-1], cost[1:], out=least[:-1])
        np.minimum(least[1:], cost[:-1], out=least[1:])
        np.add(row, least, out=cost)
    return cost


def numba(wall: NDArray[Any]) -> NDArray[Any]:
    """Two rows alternate, with a border that is never the least."""
    rows, columns = wall.shape
    border = np.iinfo(np.int64).max
    cost, after = np.zeros(columns + 2, wall.dtype), np.zeros(columns + 2, wall.dtype)
    for row in range(rows):
        cost[0], cost[columns + 1] = border, border
        for j in prange(columns):
            after[j + 1] = wall[row, j] + min(cost[j], cost[j + 1], cost[j + 2])
        cost, after = after, cost
    return cost[1 : columns + 1].copy()


def jax(wall: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax

    def descend(cost: Any, row: Any) -> Any:
        left = jnp.concatenate((cost[:1], cost[:-1]))
        right = jnp.concatenate((cost[1:], cost[-1:]))
        return row + jnp.minimum(jnp.minimum(left, cost), right), None

    return lax.scan(descend, wall[0], wall[1:])[0]


def torch(wall: Any) -> Any:
    import torch

    cost = wall[0]
    for row in wall[1:]:
        left = torch.cat((cost[:1], cost[:-1]))
        right = torch.cat((cost[1:], cost[-1:]))
        cost = row + torch.minimum(torch.minimum(left, cost), right)
    return cost


CASE = Case(
    name="pathfinder",
    about="The cheapest ways down a grid, 1D dynamic programming (Rodinia)",
    program=pathfinder,
    inputs=inputs,
    large=100_000,
    sweep=(1000, 3000, 10_000, 30_000, 100_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    memory_bound=True,
    variants=(shifted,),
)
