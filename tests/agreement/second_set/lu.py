"""LU decomposition in place, without pivots."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, function, where
from tests.agreement.cases.case import Case


@function
def lu(matrix):
    """The upper factor, and the lower one without its diagonal of ones."""

    def eliminate(k, a):
        def entry(i, j):
            factor = a[i, k] / a[k, k]
            right = where(j > k, a[i, j] - factor * a[k, j], a[i, j])
            return where(i > k, where(j == k, factor, right), a[i, j])

        return array(entry)

    return fold(matrix, eliminate, count=matrix.size())


def inputs(n, dtype, rng):
    return ((rng.normal(size=(n, n)) + 2 * n * np.eye(n)).astype(dtype),)


def oracle(matrix):
    a = matrix.copy()
    n = len(a)
    for i in range(n):
        for j in range(n):
            for k in range(min(i, j)):
                a[i, j] -= a[i, k] * a[k, j]
            if j < i:
                a[i, j] /= a[j, j]
    return a


def idiomatic(matrix):
    a = matrix.copy()
    for k in range(len(a)):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def jax(matrix):
    import jax.numpy as jnp
    from jax import lax

    rows = jnp.arange(len(matrix))

    def eliminate(k, a):
        factor = jnp.where(rows > k, a[:, k] / a[k, k], 0)
        a = a - jnp.outer(factor, jnp.where(rows > k, a[k], 0))
        return a.at[:, k].set(jnp.where(rows > k, factor, a[:, k]))

    return lax.fori_loop(0, len(matrix), eliminate, matrix)


def torch(matrix):
    import torch

    a = matrix.clone()
    for k in range(len(a)):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= torch.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


CASE = Case(
    name="lu",
    about="LU decomposition without pivots (PolyBench, Rodinia)",
    program=lu,
    inputs=inputs,
    large=300,
    sweep=(40, 75, 150, 300),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
