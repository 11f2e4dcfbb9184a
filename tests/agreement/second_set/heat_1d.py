"""The heat equation on a rod by explicit steps; the ends keep their temperature."""

from __future__ import annotations

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case

RATE, STEPS = 0.2, 50


@function
def heat_1d(start, steps):
    n = start.size()

    def step(t, u):
        def point(i):
            inner = u[i] + RATE * (u[i - 1] - 2.0 * u[i] + u[i + 1])
            return where((i == 0) | (i == n - 1), u[i], inner)

        return array(point)

    return fold(start, step, count=steps)


def inputs(n, dtype, rng):
    return rng.uniform(size=n).astype(dtype), STEPS if n > 5 else 3


def oracle(start, steps):
    u = start.copy()
    for _ in range(steps):
        old = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = old[i] + RATE * (old[i - 1] - 2 * old[i] + old[i + 1])
    return u


def idiomatic(start, steps):
    u = start.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + RATE * (u[:-2] - 2 * u[1:-1] + u[2:])
    return u


def jax(start, steps):
    from jax import lax

    def step(t, u):
        return u.at[1:-1].add(RATE * (u[:-2] - 2 * u[1:-1] + u[2:]))

    return lax.fori_loop(0, steps, step, start)


def torch(start, steps):
    u = start.clone()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + RATE * (u[:-2] - 2 * u[1:-1] + u[2:])
    return u


CASE = Case(
    name="heat-1d",
    about="Explicit steps of the heat equation on a rod (PolyBench, NumPy tutorials)",
    program=heat_1d,
    inputs=inputs,
    large=200_000,
    sweep=(2_000, 20_000, 200_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
