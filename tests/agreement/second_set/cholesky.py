"""The Cholesky factor of a matrix, column by column."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_sum, function, where
from tests.agreement.cases.case import Case


@function
def cholesky(a):
    n = a.size()

    def column(j, lower):
        rest = array(lambda i: a[i, j] - fold_sum(lambda k: lower[i, k] * lower[j, k], count=j))
        root = rest[j].sqrt()
        return array(lambda i, c: where((c == j) & (i >= j), rest[i] / root, lower[i, c]))

    return fold(array(lambda i, j: 0.0 * a[i, j]), column, count=n)


def inputs(n, dtype, rng):
    x = rng.normal(size=(n, n))
    return ((x @ x.T + n * np.eye(n)).astype(dtype),)


def oracle(a):
    lower = np.zeros_like(a)
    for i in range(len(a)):
        for j in range(i + 1):
            rest = a[i, j] - sum(lower[i, k] * lower[j, k] for k in range(j))
            lower[i, j] = np.sqrt(rest) if i == j else rest / lower[j, j]
    return lower


def idiomatic(a):
    lower = np.zeros_like(a)
    for j in range(len(a)):
        rest = a[j:, j] - lower[j:, :j] @ lower[j, :j]
        lower[j:, j] = rest / np.sqrt(rest[0])
    return lower


def expert(a):
    return np.linalg.cholesky(a)


def jax(a):
    import jax.numpy as jnp
    from jax import lax

    rows = jnp.arange(len(a))

    def column(j, lower):
        rest = a[:, j] - lower @ lower[j]
        return lower.at[:, j].set(jnp.where(rows >= j, rest / jnp.sqrt(rest[j]), 0))

    return lax.fori_loop(0, len(a), column, jnp.zeros_like(a))


def torch(a):
    import torch

    lower = torch.zeros_like(a)
    for j in range(len(a)):
        rest = a[j:, j] - lower[j:, :j] @ lower[j, :j]
        lower[j:, j] = rest / rest[0].sqrt()
    return lower


CASE = Case(
    name="cholesky",
    about="Cholesky factor by columns (PolyBench)",
    program=cholesky,
    inputs=inputs,
    large=400,
    sweep=(50, 100, 200, 400),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
)
