"""Forward substitution in a lower triangular system."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_sum, function, where
from tests.agreement.cases.case import Case


@function
def triangular_solve(lower, b):
    def row(i, x):
        known = fold_sum(lambda j: where(j < i, lower[i, j] * x[j], 0.0))
        return array(lambda j: where(j == i, (b[i] - known) / lower[i, i], x[j]))

    return fold(array(lambda i: 0.0 * b[i]), row, count=b.size())


def inputs(n, dtype, rng):
    lower = np.tril(rng.normal(size=(n, n))) + 2 * n * np.eye(n)
    return lower.astype(dtype), rng.normal(size=n).astype(dtype)


def oracle(lower, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - sum(lower[i, j] * x[j] for j in range(i))) / lower[i, i]
    return x


def idiomatic(lower, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


def jax(lower, b):
    import jax.numpy as jnp
    from jax import lax

    def row(i, x):
        return x.at[i].set((b[i] - lower[i] @ x) / lower[i, i])

    return lax.fori_loop(0, len(b), row, jnp.zeros_like(b))


def torch(lower, b):
    import torch

    x = torch.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


CASE = Case(
    name="triangular-solve",
    about="Forward substitution in a triangular system (PolyBench trisolv)",
    program=triangular_solve,
    inputs=inputs,
    large=2_000,
    sweep=(250, 500, 1_000, 2_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
