"""Conway's Game of Life on a torus."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Bool, Int, Vec, array, fold, fold_sum, function, where
from tests.agreement.cases.case import Case, prange


@function
def game_of_life(alive: Vec[Vec[Bool]], generations: Int) -> Vec[Vec[Bool]]:
    rows, columns = alive.shape

    def generation(g: Int, grid: Vec[Vec[Bool]]) -> Vec[Vec[Bool]]:
        def at(i: Int, j: Int) -> Int:
            return where(grid[i % rows, j % columns], 1, 0)

        def cell(i: Int, j: Int) -> Bool:
            around = fold_sum(
                lambda p: fold_sum(lambda q: at(i + p - 1, j + q - 1), count=3), count=3
            )
            return (around == 3) | (grid[i, j] & (around == 4))

        return array(cell)

    return fold(alive, generation, count=generations)


@function
def by_columns(alive: Vec[Vec[Bool]], generations: Int) -> Vec[Vec[Bool]]:
    """The grid is transposed, and the offsets come first."""
    rows, columns = alive.shape

    def generation(g: Int, grid: Vec[Vec[Bool]]) -> Vec[Vec[Bool]]:
        def cell(j: Int, i: Int) -> Bool:
            around = fold_sum(
                lambda q: fold_sum(
                    lambda p: where(grid[(-1 + q + j) % columns, (p - 1 + i) % rows], 1, 0), count=3
                ),
                count=3,
            )
            return ((around == 4) & grid[j, i]) | (around == 3)

        return array(cell)

    end = fold(array(lambda j, i: alive[i, j]), generation, count=generations)
    return array(lambda i, j: end[j, i])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.random(size=(n, n + 1)) < 0.3, 10


def oracle(alive: NDArray[Any], generations: int) -> NDArray[Any]:
    n, m = alive.shape
    for _ in range(generations):
        after = np.zeros_like(alive)
        for i, j in np.ndindex(n, m):
            around = sum(
                int(alive[(i + p) % n, (j + q) % m]) for p in (-1, 0, 1) for q in (-1, 0, 1)
            )
            after[i, j] = around == 3 or (alive[i, j] and around == 4)
        alive = after
    return alive


def idiomatic(alive: NDArray[Any], generations: int) -> NDArray[Any]:
    for _ in range(generations):
        around = sum(
            np.roll(alive, (p, q), axis=(0, 1)).astype(np.int64)
            for p in (-1, 0, 1)
            for q in (-1, 0, 1)
        )
        alive = (around == 3) | (alive & (around == 4))
    return alive


def expert(alive: NDArray[Any], generations: int) -> NDArray[Any]:
    """Cells and counts in bytes; sums of rows, then of columns, of a grid with a border."""
    n, m = alive.shape
    grid = np.empty((n + 2, m + 2), np.uint8)
    cells = grid[1:-1, 1:-1]
    cells[:] = alive
    across, around = np.empty((n + 2, m), np.uint8), np.empty((n, m), np.uint8)
    lives = np.empty((n, m), bool)
    for _ in range(generations):
        grid[0], grid[-1] = grid[-2], grid[1]
        grid[:, 0], grid[:, -1] = grid[:, -2], grid[:, 1]
        np.add(grid[:, :-2], grid[:, 1:-1], out=across)
        across += grid[:, 2:]
        np.add(across[:-2], across[1:-1], out=around)
        around += across[2:]
        np.equal(around, 4, out=lives)
        cells &= lives
        np.equal(around, 3, out=lives)
        cells |= lives
    return cells.astype(bool)


def numba(alive: NDArray[Any], generations: int) -> NDArray[Any]:
    """Cells in bytes, on two grids with borders that alternate."""
    n, m = alive.shape
    grid, after = np.empty((n + 2, m + 2), np.uint8), np.empty((n + 2, m + 2), np.uint8)
    for i in prange(n):
        for j in range(m):
            grid[i + 1, j + 1] = alive[i, j]
    for _ in range(generations):
        grid[0], grid[n + 1] = grid[n], grid[1]
        for i in range(n + 2):
            grid[i, 0], grid[i, m + 1] = grid[i, m], grid[i, 1]
        for i in prange(n):
            above, here, below = grid[i], grid[i + 1], grid[i + 2]
            for j in range(m):
                around = above[j] + above[j + 1] + above[j + 2] + here[j] + here[j + 1]
                around += here[j + 2] + below[j] + below[j + 1] + below[j + 2]
                after[i + 1, j + 1] = (around == 3) | ((around == 4) & (here[j + 1] == 1))
        grid, after = after, grid
    return grid[1 : n + 1, 1 : m + 1] != 0


def jax(alive: Any, generations: int) -> Any:
    import jax.numpy as jnp
    from jax import lax

    def step(_: Any, grid: Any) -> Any:
        p = jnp.pad(grid.astype(jnp.int8), 1, mode="wrap")
        across = p[:, :-2] + p[:, 1:-1] + p[:, 2:]
        around = across[:-2] + across[1:-1] + across[2:]
        return (around == 3) | (grid & (around == 4))

    return lax.fori_loop(0, generations, step, alive)


def torch(alive: Any, generations: int) -> Any:
    from torch.nn.functional import pad

    for _ in range(generations):
        p = pad(alive[None].byte(), (1, 1, 1, 1), mode="circular")[0]
        across = p[:, :-2] + p[:, 1:-1] + p[:, 2:]
        around = across[:-2] + across[1:-1] + across[2:]
        alive = (around == 3) | (alive & (around == 4))
    return alive


CASE = Case(
    name="game-of-life",
    about="Generations of Conway's Game of Life on a torus",
    program=game_of_life,
    inputs=inputs,
    large=500,
    sweep=(60, 125, 250, 500),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    static=(1,),
    memory_bound=True,
    variants=(by_columns,),
)
