"""QR decomposition by modified Gram-Schmidt."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_sum, function, where
from tests.agreement.cases.case import Case


@function
def gram_schmidt(matrix):
    n = matrix.size(1)

    def column(k, state):
        a, q, r = state
        norm = fold_sum(lambda i: a[i, k] ** 2).sqrt()
        unit = array(lambda i: a[i, k] / norm)
        shares = array(
            lambda j: where(j > k, fold_sum(lambda i: unit[i] * a[i, j]), where(j == k, norm, 0.0)),
            size=n,
        )
        return (
            array(lambda i, j: where(j > k, a[i, j] - unit[i] * shares[j], a[i, j])),
            array(lambda i, j: where(j == k, unit[i], q[i, j])),
            array(lambda i, j: where(i == k, shares[j], r[i, j])),
        )

    q = array(lambda i, j: 0.0 * matrix[i, j])
    r = array(lambda i, j: 0.0 * matrix[i, j], size=(n, n))
    _, q, r = fold((matrix, q, r), column, count=n)
    return q, r


def inputs(n, dtype, rng):
    return (rng.normal(size=(n + 3, n)).astype(dtype),)


def oracle(matrix):
    a = matrix.copy()
    m, n = a.shape
    q, r = np.zeros_like(a), np.zeros((n, n), a.dtype)
    for k in range(n):
        r[k, k] = np.sqrt(sum(a[i, k] ** 2 for i in range(m)))
        for i in range(m):
            q[i, k] = a[i, k] / r[k, k]
        for j in range(k + 1, n):
            r[k, j] = sum(q[i, k] * a[i, j] for i in range(m))
            for i in range(m):
                a[i, j] -= q[i, k] * r[k, j]
    return q, r


def idiomatic(matrix):
    a = matrix.copy()
    n = a.shape[1]
    q, r = np.zeros_like(a), np.zeros((n, n), a.dtype)
    for k in range(n):
        r[k, k] = np.linalg.norm(a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return q, r


def jax(matrix):
    import jax.numpy as jnp
    from jax import lax

    n = matrix.shape[1]
    columns = jnp.arange(n)

    def column(k, state):
        a, q, r = state
        norm = jnp.linalg.norm(a[:, k])
        unit = a[:, k] / norm
        shares = jnp.where(columns > k, unit @ a, 0)
        a = a - jnp.outer(unit, shares)
        return a, q.at[:, k].set(unit), r.at[k].set(shares.at[k].set(norm))

    start = matrix, jnp.zeros_like(matrix), jnp.zeros((n, n), matrix.dtype)
    return lax.fori_loop(0, n, column, start)[1:]


def torch(matrix):
    import torch

    a = matrix.clone()
    n = a.shape[1]
    q, r = torch.zeros_like(a), a.new_zeros((n, n))
    for k in range(n):
        r[k, k] = torch.linalg.norm(a[:, k])
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= torch.outer(q[:, k], r[k, k + 1 :])
    return q, r


CASE = Case(
    name="gram-schmidt",
    about="QR decomposition by modified Gram-Schmidt (PolyBench)",
    program=gram_schmidt,
    inputs=inputs,
    large=200,
    sweep=(25, 50, 100, 200),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
