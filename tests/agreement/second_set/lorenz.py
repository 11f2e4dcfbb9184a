"""The path of the Lorenz system by the method of Runge and Kutta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case

SIGMA, RHO, BETA, STEP = 10.0, 28.0, 8.0 / 3.0, 0.005


@dataclass(frozen=True)
class Point:
    x: Any
    y: Any
    z: Any

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y, self.z + other.z)

    def __mul__(self, factor):
        return Point(factor * self.x, factor * self.y, factor * self.z)


def slope(p):
    return Point(SIGMA * (p.y - p.x), p.x * (RHO - p.z) - p.y, p.x * p.y - BETA * p.z)


@function
def lorenz(start, steps):
    def step(t, state):
        p, path = state
        a = slope(p)
        b = slope(p + a * (STEP / 2))
        c = slope(p + b * (STEP / 2))
        d = slope(p + c * STEP)
        p = p + (a + b * 2.0 + c * 2.0 + d) * (STEP / 6)
        return p, array(lambda k: where(k == t, p, path[k]))

    first = Point(start[0], start[1], start[2])
    return fold((first, array(lambda k: first, size=steps)), step, count=steps)[1]


def inputs(n, dtype, rng):
    return (1 + 0.1 * rng.normal(size=3)).astype(dtype), n


def oracle(start, steps):
    path = []
    p = Point(*start)
    for _ in range(steps):
        a = slope(p)
        b = slope(p + a * (STEP / 2))
        c = slope(p + b * (STEP / 2))
        p = p + (a + b * 2 + c * 2 + slope(p + c * STEP)) * (STEP / 6)
        path.append([p.x, p.y, p.z])
    return tuple(np.array(path, start.dtype).reshape(steps, 3).T)


def _slope(stack, p):
    x, y, z = p
    return stack([SIGMA * (y - x), x * (RHO - z) - y, x * y - BETA * z])


def _step(stack, p):
    a = _slope(stack, p)
    b = _slope(stack, p + STEP / 2 * a)
    c = _slope(stack, p + STEP / 2 * b)
    d = _slope(stack, p + STEP * c)
    return p + STEP / 6 * (a + 2 * b + 2 * c + d)


def idiomatic(start, steps):
    path = np.empty((steps, 3), start.dtype)
    p = start
    for t in range(steps):
        p = path[t] = _step(np.array, p)
    return tuple(path.T)


def expert(start, steps):
    """On Python numbers, whose operations take less time than calls on short arrays."""
    p = Point(*start.tolist())
    path = np.empty((3, steps), start.dtype)
    for t in range(steps):
        a = slope(p)
        b = slope(p + a * (STEP / 2))
        c = slope(p + b * (STEP / 2))
        p = p + (a + b * 2 + c * 2 + slope(p + c * STEP)) * (STEP / 6)
        path[0, t], path[1, t], path[2, t] = p.x, p.y, p.z
    return tuple(path)


def jax(start, steps):
    import jax.numpy as jnp
    from jax import lax

    def step(p, _):
        p = _step(jnp.stack, p)
        return p, p

    return tuple(lax.scan(step, start, None, length=steps)[1].T)


def torch(start, steps):
    import torch

    path = start.new_empty((steps, 3))
    p = start
    for t in range(steps):
        p = path[t] = _step(torch.stack, p)
    return tuple(path.T)


CASE = Case(
    name="lorenz",
    about="The Lorenz system by Runge-Kutta (SciPy and JAX tutorials)",
    program=lorenz,
    inputs=inputs,
    large=2_000,
    sweep=(20, 200, 2_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    static=(1,),
)
