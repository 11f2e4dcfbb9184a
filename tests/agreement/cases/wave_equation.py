"""Waves on a membrane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, function, where
from tests.agreement.cases.case import Case, prange

SPEED, DAMPING = 0.25, 0.01
"""The square of the waves' speed in points a step, and the loss in a step."""


@dataclass(frozen=True)
class Membrane:
    """The elevation now and a step before."""

    now: Vec[Vec[Float]]
    before: Vec[Vec[Float]]


@function
def wave_equation(start: Vec[Vec[Float]], steps: Int) -> Vec[Vec[Float]]:
    def step(t: Int, membrane: Membrane) -> Membrane:
        u, before = membrane.now, membrane.before

        def point(i: Int, j: Int) -> Float:
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
            velocity = (1.0 - DAMPING) * (u[i, j] - before[i, j])
            return u[i, j] + velocity + SPEED * around

        return Membrane(now=array(point), before=u)

    return fold(Membrane(start, start), step, count=steps).now


@function
def by_columns(start: Vec[Vec[Float]], steps: Int) -> Vec[Vec[Float]]:
    """The membrane is transposed, edges are chosen, and terms are grouped differently."""
    rows, columns = start.shape

    def step(
        t: Int, state: tuple[Vec[Vec[Float]], Vec[Vec[Float]]]
    ) -> tuple[Vec[Vec[Float]], Vec[Vec[Float]]]:
        before, u = state

        def point(j: Int, i: Int) -> Float:
            here = u[j, i]
            up = where(i == 0, here, u[j, i - 1])
            down = where(i < rows - 1, u[j, 1 + i], here)
            left = where(j >= 1, u[j - 1, i], here)
            right = where(columns - 1 == j, here, u[1 + j, i])
            around = (left + right) + (up + down) - here * 4.0
            return around * SPEED + (here - before[j, i]) * (1.0 - DAMPING) + here

        return u, array(point)

    turned = array(lambda j, i: start[i, j])
    end = fold((turned, turned), step, count=steps)[1]
    return array(lambda i, j: end[j, i])


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.normal(size=(n, n + 1)).astype(dtype), 10


def oracle(start: NDArray[Any], steps: int) -> NDArray[Any]:
    n, m = start.shape
    before, now = start, start
    for _ in range(steps):
        after = np.zeros_like(now)
        for i, j in np.ndindex(n, m):
            up, down = now[max(i - 1, 0), j], now[min(i + 1, n - 1), j]
            left, right = now[i, max(j - 1, 0)], now[i, min(j + 1, m - 1)]
            velocity = (1 - DAMPING) * (now[i, j] - before[i, j])
            after[i, j] = now[i, j] + velocity
            after[i, j] += SPEED * (up + down + left + right - 4 * now[i, j])
        before, now = now, after
    return now


def idiomatic(start: NDArray[Any], steps: int) -> NDArray[Any]:
    before, now = start, start
    for _ in range(steps):
        p = np.pad(now, 1, mode="edge")
        around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * now
        after = now + (1 - DAMPING) * (now - before) + SPEED * around
        before, now = now, after
    return now


def expert(start: NDArray[Any], steps: int) -> NDArray[Any]:
    """Two padded buffers, of which the older is overwritten, a block of rows at a time."""
    n, m = start.shape
    now, before = np.pad(start, 1, mode="edge"), np.pad(start, 1, mode="edge")
    block = max(1, 8192 // m)
    around_block = np.empty((block, m), start.dtype)
    for _ in range(steps):
        for i in range(1, n + 1, block):
            stop = min(i + block, n + 1)
            around, here = around_block[: stop - i], now[i:stop, 1:-1]
            after = before[i:stop, 1:-1]
            np.add(now[i - 1 : stop - 1, 1:-1], now[i + 1 : stop + 1, 1:-1], out=around)
            around += now[i:stop, :-2]
            around += now[i:stop, 2:]
            around *= SPEED
            after *= DAMPING - 1
            after += around
            np.multiply(here, 2 - DAMPING - 4 * SPEED, out=around)
            after += around
        before[0], before[-1] = before[1], before[-2]
        before[:, 0], before[:, -1] = before[:, 1], before[:, -2]
        now, before = before, now
    return now[1:-1, 1:-1].copy()


def numba(start: NDArray[Any], steps: int) -> NDArray[Any]:
    """Two padded buffers, of which the older is overwritten."""
    n, m = start.shape
    now, before = np.empty((n + 2, m + 2), start.dtype), np.empty((n + 2, m + 2), start.dtype)
    for i in prange(n):
        for j in range(m):
            now[i + 1, j + 1] = start[i, j]
            before[i + 1, j + 1] = start[i, j]
    for _ in range(steps):
        now[0], now[n + 1] = now[1], now[n]
        for i in range(n + 2):
            now[i, 0], now[i, m + 1] = now[i, 1], now[i, m]
        for i in prange(n):
            above, here, below, after = now[i], now[i + 1], now[i + 2], before[i + 1]
            for j in range(m):
                after[j + 1] = (
                    (2 - DAMPING - 4 * SPEED) * here[j + 1]
                    + (DAMPING - 1) * after[j + 1]
                    + SPEED * (above[j + 1] + below[j + 1] + here[j] + here[j + 2])
                )
        now, before = before, now
    return now[1 : n + 1, 1 : m + 1].copy()


def jax(start: Any, steps: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax

    def step(_: Any, state: Any) -> Any:
        now, before = state
        p = jnp.pad(now, 1, mode="edge")
        around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * now
        return now + (1 - DAMPING) * (now - before) + SPEED * around, now

    return lax.fori_loop(0, steps, step, (start, start))[0]


def torch(start: Any, steps: int) -> Any:
    from torch.nn.functional import pad

    before, now = start, start
    for _ in range(steps):
        p = pad(now[None], (1, 1, 1, 1), mode="replicate")[0]
        around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * now
        before, now = now, now + (1 - DAMPING) * (now - before) + SPEED * around
    return now


CASE = Case(
    name="wave-equation",
    about="Damped waves on a membrane, by finite differences in time and space",
    program=wave_equation,
    inputs=inputs,
    large=800,
    sweep=(100, 200, 400, 800),
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
