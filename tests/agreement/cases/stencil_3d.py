"""Steps of a 7-point stencil on a 3D grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Bool, Float, Int, Vec, array, fold, function, where
from tests.agreement.cases.case import Case, prange

C0, C1 = 1.0 / 6.0, 1.0 / 36.0
STEPS = 4


def inside(i: Int, n: Int) -> Bool:
    return (i > 0) & (i < n - 1)


@function
def stencil_3d(grid: Vec[Vec[Vec[Float]]], steps: Int) -> Vec[Vec[Vec[Float]]]:
    """The outermost points are unchanged."""
    nx, ny, nz = (grid.size(axis) for axis in range(3))

    def step(t: Int, a: Vec[Vec[Vec[Float]]]) -> Vec[Vec[Vec[Float]]]:
        def point(x: Int, y: Int, z: Int) -> Float:
            neighbours = (
                a[x - 1, y, z]
                + a[x + 1, y, z]
                + a[x, y - 1, z]
                + a[x, y + 1, z]
                + a[x, y, z - 1]
                + a[x, y, z + 1]
            )
            interior = inside(x, nx) & inside(y, ny) & inside(z, nz)
            return where(interior, C1 * neighbours - C0 * a[x, y, z], a[x, y, z])

        return array(point)

    return fold(grid, step, count=steps)


@function
def rewritten(grid: Vec[Vec[Vec[Float]]], steps: Int) -> Vec[Vec[Vec[Float]]]:
    """The edges are named instead of the interior, and terms are in another order."""
    nx, ny, nz = (grid.size(axis) for axis in range(3))

    def step(_: Int, old: Vec[Vec[Vec[Float]]]) -> Vec[Vec[Vec[Float]]]:
        def point(i: Int, j: Int, k: Int) -> Float:
            along = old[i, j, 1 + k] + old[i, j, k - 1]
            across = old[i, 1 + j, k] + old[i, j - 1, k] + (old[1 + i, j, k] + old[i - 1, j, k])
            edge = (i == 0) | (j == 0) | (k == 0) | (i == nx - 1) | (j == ny - 1) | (nz - 1 == k)
            return where(edge, old[i, j, k], -(old[i, j, k] * C0) + (across + along) * C1)

        return array(point)

    return fold(grid, step, count=steps)


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.normal(size=(n, n, n)).astype(dtype), STEPS


def oracle(grid: NDArray[Any], steps: int) -> NDArray[Any]:
    nx, ny, nz = grid.shape
    a = grid
    for _ in range(steps):
        new = a.copy()
        for x in range(1, nx - 1):
            for y in range(1, ny - 1):
                for z in range(1, nz - 1):
                    neighbours = (
                        a[x - 1, y, z]
                        + a[x + 1, y, z]
                        + a[x, y - 1, z]
                        + a[x, y + 1, z]
                        + a[x, y, z - 1]
                        + a[x, y, z + 1]
                    )
                    new[x, y, z] = C1 * neighbours - C0 * a[x, y, z]
        a = new
    return a.copy()


def idiomatic(grid: NDArray[Any], steps: int) -> NDArray[Any]:
    a = grid.copy()
    for _ in range(steps):
        new = a.copy()
        new[1:-1, 1:-1, 1:-1] = (
            C1
            * (
                a[:-2, 1:-1, 1:-1]
                + a[2:, 1:-1, 1:-1]
                + a[1:-1, :-2, 1:-1]
                + a[1:-1, 2:, 1:-1]
                + a[1:-1, 1:-1, :-2]
                + a[1:-1, 1:-1, 2:]
            )
            - C0 * a[1:-1, 1:-1, 1:-1]
        )
        a = new
    return a


def expert(grid: NDArray[Any], steps: int) -> NDArray[Any]:
    """Two grids alternate, and a step goes plane by plane, so that temporaries stay in cache."""
    a, new = grid.copy(), grid.copy()
    scaled = np.empty_like(a[0, 1:-1, 1:-1])
    for _ in range(steps):
        for x in range(1, len(a) - 1):
            plane, target = a[x], new[x, 1:-1, 1:-1]
            np.add(a[x - 1, 1:-1, 1:-1], a[x + 1, 1:-1, 1:-1], out=target)
            target += plane[:-2, 1:-1]
            target += plane[2:, 1:-1]
            target += plane[1:-1, :-2]
            target += plane[1:-1, 2:]
            target *= C1
            np.multiply(plane[1:-1, 1:-1], C0, out=scaled)
            target -= scaled
        a, new = new, a
    return a


def numba(grid: NDArray[Any], steps: int) -> NDArray[Any]:
    """Two grids alternate, whose outermost points are the same."""
    nx, ny, nz = grid.shape
    a, new = grid.copy(), grid.copy()
    for _ in range(steps):
        for plane in prange(nx - 2):
            x = plane + 1
            for y in range(1, ny - 1):
                for z in range(1, nz - 1):
                    neighbours = (
                        a[x - 1, y, z]
                        + a[x + 1, y, z]
                        + a[x, y - 1, z]
                        + a[x, y + 1, z]
                        + a[x, y, z - 1]
                        + a[x, y, z + 1]
                    )
                    new[x, y, z] = C1 * neighbours - C0 * a[x, y, z]
        a, new = new, a
    return a


def jax(grid: Any, steps: Any) -> Any:
    from jax import lax

    def step(t: Any, a: Any) -> Any:
        neighbours = (
            a[:-2, 1:-1, 1:-1]
            + a[2:, 1:-1, 1:-1]
            + a[1:-1, :-2, 1:-1]
            + a[1:-1, 2:, 1:-1]
            + a[1:-1, 1:-1, :-2]
            + a[1:-1, 1:-1, 2:]
        )
        return a.at[1:-1, 1:-1, 1:-1].set(C1 * neighbours - C0 * a[1:-1, 1:-1, 1:-1])

    return lax.fori_loop(0, steps, step, grid)


def torch(grid: Any, steps: int) -> Any:
    a = grid.clone()
    for _ in range(steps):
        new = a.clone()
        new[1:-1, 1:-1, 1:-1] = (
            C1
            * (
                a[:-2, 1:-1, 1:-1]
                + a[2:, 1:-1, 1:-1]
                + a[1:-1, :-2, 1:-1]
                + a[1:-1, 2:, 1:-1]
                + a[1:-1, 1:-1, :-2]
                + a[1:-1, 1:-1, 2:]
            )
            - C0 * a[1:-1, 1:-1, 1:-1]
        )
        a = new
    return a


CASE = Case(
    name="stencil-3d",
    about="Steps of a 7-point stencil on a 3D grid (Parboil)",
    program=stencil_3d,
    inputs=inputs,
    large=128,
    sweep=(16, 32, 64, 128),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    memory_bound=True,
    small=(0, 1, 2, 4),
    variants=(rewritten,),
)
