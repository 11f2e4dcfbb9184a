"""Molecules in a periodic box, by velocity Verlet."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_sum, function, round, where
from tests.agreement.cases.case import Case

CUTOFF, STEP = 2.5, 0.002


@function
def lennard_jones(position, velocity, edge, steps):
    n = position.size()

    def forces(x):
        def apart(i, j, axis):
            d = x[i, axis] - x[j, axis]
            return d - edge * round(d / edge)

        def pull(i, j):
            square = sum(apart(i, j, axis) ** 2 for axis in range(3))
            inverse = 1.0 / square
            sixth = inverse**3
            near = (i != j) & (square < CUTOFF**2)
            return where(near, 24.0 * inverse * sixth * (2.0 * sixth - 1.0), 0.0)

        def force(i, axis):
            return fold_sum(lambda j: pull(i, j) * apart(i, j, axis), count=n)

        return array(force, size=(n, 3))

    def step(t, state):
        x, v, f = state["x"], state["v"], state["f"]
        half = array(lambda i, a: v[i, a] + 0.5 * STEP * f[i, a])
        x = array(lambda i, a: x[i, a] + STEP * half[i, a])
        f = forces(x)
        return {"x": x, "v": array(lambda i, a: half[i, a] + 0.5 * STEP * f[i, a]), "f": f}

    end = fold({"x": position, "v": velocity, "f": forces(position)}, step, count=steps)
    return end["x"], end["v"]


def inputs(n, dtype, rng):
    side = max(3, int(np.ceil(n ** (1 / 3))))
    grid = np.stack(np.meshgrid(*3 * [np.arange(side)]), axis=-1).reshape(-1, 3)[:n]
    position = 1.2 * grid + 0.05 * rng.normal(size=(n, 3))
    velocity = rng.normal(size=(n, 3))
    return position.astype(dtype), velocity.astype(dtype), np.dtype(dtype).type(1.2 * side), 3


def oracle(position, velocity, edge, steps):
    def forces(x):
        f = np.zeros_like(x)
        for i in range(len(x)):
            for j in range(len(x)):
                d = x[i] - x[j]
                d = d - edge * np.round(d / edge)
                square = d[0] ** 2 + d[1] ** 2 + d[2] ** 2
                if i != j and square < CUTOFF**2:
                    f[i] += 24 * (2 / square**7 - 1 / square**4) * d
        return f

    x, v = position.copy(), velocity.copy()
    f = forces(x)
    for _ in range(steps):
        v = v + STEP / 2 * f
        x = x + STEP * v
        f = forces(x)
        v = v + STEP / 2 * f
    return x, v


def _forces(np, x, edge):
    d = x[:, None, :] - x[None, :, :]
    d = d - edge * np.round(d / edge)
    square = (d**2).sum(-1)
    n = len(x)
    near = (square < CUTOFF**2) & ~np.eye(n, dtype=bool)
    inverse = 1 / np.where(near, square, 1)
    sixth = inverse**3
    pull = np.where(near, 24 * inverse * sixth * (2 * sixth - 1), 0)
    return (pull[:, :, None] * d).sum(1)


def _step(forces, state):
    x, v, f = state
    v = v + 0.5 * STEP * f
    x = x + STEP * v
    f = forces(x)
    return x, v + 0.5 * STEP * f, f


def idiomatic(position, velocity, edge, steps):
    def forces(x):
        return _forces(np, x, edge)

    state = position, velocity, forces(position)
    for _ in range(steps):
        state = _step(forces, state)
    return state[:2]


def jax(position, velocity, edge, steps):
    import jax.numpy as jnp
    from jax import lax

    def forces(x):
        return _forces(jnp, x, edge)

    start = position, velocity, forces(position)
    return lax.fori_loop(0, steps, lambda t, state: _step(forces, state), start)[:2]


def torch(position, velocity, edge, steps):
    import torch

    def forces(x):
        d = x[:, None, :] - x[None, :, :]
        d = d - edge * torch.round(d / edge)
        square = (d**2).sum(-1)
        near = (square < CUTOFF**2) & ~torch.eye(len(x), dtype=torch.bool, device=x.device)
        inverse = 1 / torch.where(near, square, 1)
        sixth = inverse**3
        pull = torch.where(near, 24 * inverse * sixth * (2 * sixth - 1), 0)
        return (pull[:, :, None] * d).sum(1)

    state = position, velocity, forces(position)
    for _ in range(steps):
        state = _step(forces, state)
    return state[:2]


CASE = Case(
    name="lennard-jones",
    about="Molecules in a periodic box by velocity Verlet (JAX MD, Parboil-like)",
    program=lennard_jones,
    inputs=inputs,
    large=300,
    sweep=(40, 75, 150, 300),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
