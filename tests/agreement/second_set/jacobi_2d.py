"""Jacobi iteration with two grids, whose borders stay as they are."""

from __future__ import annotations

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case

STEPS = 10


@function
def jacobi_2d(a, b, steps):
    n, m = a.shape

    def relaxed(old, grid):
        """The mean of five cells of ``old`` inside of ``grid``."""

        def cell(i, j):
            inside = (i > 0) & (i < n - 1) & (j > 0) & (j < m - 1)
            mean = 0.2 * (old[i, j] + old[i, j - 1] + old[i, j + 1] + old[i + 1, j] + old[i - 1, j])
            return where(inside, mean, grid[i, j])

        return array(cell)

    def step(t, grids):
        a, b = grids
        b = relaxed(a, b)
        return relaxed(b, a), b

    return fold((a, b), step, count=steps)


def inputs(n, dtype, rng):
    a, b = rng.uniform(size=(2, n, n + 1)).astype(dtype)
    return a, b, STEPS if n > 5 else 2


def oracle(a, b, steps):
    a, b = a.copy(), b.copy()
    n, m = a.shape
    for _ in range(steps):
        for old, new in ((a, b), (b, a)):
            for i in range(1, n - 1):
                for j in range(1, m - 1):
                    around = old[i, j - 1] + old[i, j + 1] + old[i + 1, j] + old[i - 1, j]
                    new[i, j] = (old[i, j] + around) / 5
    return a, b


def _mean(x):
    return 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1])


def idiomatic(a, b, steps):
    a, b = a.copy(), b.copy()
    for _ in range(steps):
        b[1:-1, 1:-1] = _mean(a)
        a[1:-1, 1:-1] = _mean(b)
    return a, b


def jax(a, b, steps):
    from jax import lax

    def step(t, grids):
        a, b = grids
        b = b.at[1:-1, 1:-1].set(_mean(a))
        return a.at[1:-1, 1:-1].set(_mean(b)), b

    return lax.fori_loop(0, steps, step, (a, b))


def torch(a, b, steps):
    a, b = a.clone(), b.clone()
    for _ in range(steps):
        b[1:-1, 1:-1] = _mean(a)
        a[1:-1, 1:-1] = _mean(b)
    return a, b


CASE = Case(
    name="jacobi-2d",
    about="Jacobi iteration with fixed borders (PolyBench)",
    program=jacobi_2d,
    inputs=inputs,
    large=600,
    sweep=(75, 150, 300, 600),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
