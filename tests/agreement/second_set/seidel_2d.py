"""Gauss-Seidel sweeps: each cell becomes the mean of nine, of which four are new."""

from __future__ import annotations

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case


@function
def seidel_2d(start, steps):
    n, m = start.shape

    def sweep(t, grid):
        def row(r, grid):
            def cell(c, grid):
                i, j = r + 1, c + 1
                mean = (
                    grid[i - 1, j - 1] + grid[i - 1, j] + grid[i - 1, j + 1]
                    + grid[i, j - 1] + grid[i, j] + grid[i, j + 1]
                    + grid[i + 1, j - 1] + grid[i + 1, j] + grid[i + 1, j + 1]
                ) / 9.0  # fmt: skip
                return array(lambda p, q: where((p == i) & (q == j), mean, grid[p, q]))

            return fold(grid, cell, count=(m - 2).max(0))

        return fold(grid, row, count=(n - 2).max(0))

    return fold(start, sweep, count=steps)


def inputs(n, dtype, rng):
    return rng.uniform(size=(n, n + 1)).astype(dtype), 2


def oracle(start, steps):
    a = start.copy()
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = sum(a[i + p, j + q] for p in (-1, 0, 1) for q in (-1, 0, 1)) / 9
    return a


def _others(a, i):
    """The cells of a row plus all neighbours except the left ones."""
    above = a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:]
    below = a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
    return a[i, 1:-1] + a[i, 2:] + above + below


def idiomatic(start, steps):
    a = start.copy()
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            a[i, 1:-1] = _others(a, i)
            for j in range(1, m - 1):
                a[i, j] = (a[i, j] + a[i, j - 1]) / 9
    return a


def jax(start, steps):
    from jax import lax

    def next_cell(left, others):
        new = (left + others) / 9
        return new, new

    def row(i, a):
        cells = lax.scan(next_cell, a[i, 0], _others(a, i))[1]
        return a.at[i, 1:-1].set(cells)

    return lax.fori_loop(0, steps, lambda t, a: lax.fori_loop(1, a.shape[0] - 1, row, a), start)


def torch(start, steps):
    a = start.clone()
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            a[i, 1:-1] = _others(a, i)
            for j in range(1, m - 1):
                a[i, j] = (a[i, j] + a[i, j - 1]) / 9
    return a


CASE = Case(
    name="seidel-2d",
    about="Gauss-Seidel sweeps over a grid, a recurrence along both axes (PolyBench)",
    program=seidel_2d,
    inputs=inputs,
    large=200,
    sweep=(25, 50, 100, 200),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
