"""Electric and magnetic fields in a plane, by finite differences in time."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case


@function
def fdtd_2d(ex, ey, hz, source):
    n, m = hz.shape

    def step(t, fields):
        ex, ey, hz = fields["ex"], fields["ey"], fields["hz"]
        ey = array(
            lambda i, j: where(i == 0, source[t], ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j]))
        )
        ex = array(lambda i, j: where(j == 0, ex[i, j], ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])))

        def magnetic(i, j):
            curl = ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j]
            return where((i < n - 1) & (j < m - 1), hz[i, j] - 0.7 * curl, hz[i, j])

        return {"ex": ex, "ey": ey, "hz": array(magnetic)}

    return fold({"ex": ex, "ey": ey, "hz": hz}, step, count=source.size())


def inputs(n, dtype, rng):
    ex, ey, hz = rng.normal(size=(3, n, n + 1)).astype(dtype)
    return ex, ey, hz, np.arange(10 if n > 5 else 2).astype(dtype)


def oracle(ex, ey, hz, source):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    n, m = hz.shape
    for value in source:
        for i in range(n):
            for j in range(m):
                ey[i, j] = value if i == 0 else ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
                if j > 0:
                    ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(n - 1):
            for j in range(m - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    return ex, ey, hz


def idiomatic(ex, ey, hz, source):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for value in source:
        ey[0, :] = value
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def jax(ex, ey, hz, source):
    from jax import lax

    def step(fields, value):
        ex, ey, hz = fields
        ey = ey.at[0, :].set(value)
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        curl = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        return (ex, ey, hz.at[:-1, :-1].add(-0.7 * curl)), None

    return lax.scan(step, (ex, ey, hz), source)[0]


def torch(ex, ey, hz, source):
    ex, ey, hz = ex.clone(), ey.clone(), hz.clone()
    for value in source:
        ey[0, :] = value
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


CASE = Case(
    name="fdtd-2d",
    about="Electric and magnetic fields by finite differences in time (PolyBench)",
    program=fdtd_2d,
    inputs=inputs,
    large=600,
    sweep=(75, 150, 300, 600),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
