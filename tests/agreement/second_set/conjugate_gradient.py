"""Steps of the conjugate gradient method for a dense system."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_sum, function
from tests.agreement.cases.case import Case

TINY = 1e-30
"""Added to denominators, which vanish after convergence."""


def dot(u, v):
    return fold_sum(lambda i: u[i] * v[i])


@function
def conjugate_gradient(a, b, steps):
    def step(t, state):
        x, r, p, square = state
        ap = array(lambda i: fold_sum(lambda j: a[i, j] * p[j]))
        alpha = square / (dot(p, ap) + TINY)
        x = array(lambda i: x[i] + alpha * p[i])
        r = array(lambda i: r[i] - alpha * ap[i])
        after = dot(r, r)
        beta = after / (square + TINY)
        return x, r, array(lambda i: r[i] + beta * p[i]), after

    start = (array(lambda i: 0.0 * b[i]), b, b, dot(b, b))
    return fold(start, step, count=steps)[0]


def inputs(n, dtype, rng):
    x = rng.normal(size=(n, n)) / np.sqrt(max(n, 1))
    a = x @ x.T + np.eye(n)
    return a.astype(dtype), rng.normal(size=n).astype(dtype), 10 if n > 5 else 3


def oracle(a, b, steps):
    n = len(b)
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    square = sum(r[i] ** 2 for i in range(n))
    for _ in range(steps):
        ap = [sum(a[i, j] * p[j] for j in range(n)) for i in range(n)]
        alpha = square / (sum(p[i] * ap[i] for i in range(n)) + TINY)
        for i in range(n):
            x[i] += alpha * p[i]
            r[i] -= alpha * ap[i]
        after = sum(r[i] ** 2 for i in range(n))
        for i in range(n):
            p[i] = r[i] + after / (square + TINY) * p[i]
        square = after
    return x


def _step(a, state):
    x, r, p, square = state
    ap = a @ p
    alpha = square / (p @ ap + TINY)
    x, r = x + alpha * p, r - alpha * ap
    after = r @ r
    return x, r, r + after / (square + TINY) * p, after


def idiomatic(a, b, steps):
    state = np.zeros_like(b), b, b, b @ b
    for _ in range(steps):
        state = _step(a, state)
    return state[0]


def jax(a, b, steps):
    from jax import lax

    return lax.fori_loop(0, steps, lambda t, state: _step(a, state), (0 * b, b, b, b @ b))[0]


def torch(a, b, steps):
    state = 0 * b, b, b, b @ b
    for _ in range(steps):
        state = _step(a, state)
    return state[0]


CASE = Case(
    name="conjugate-gradient",
    about="Conjugate gradients for a dense system (SciPy and JAX documentation)",
    program=conjugate_gradient,
    inputs=inputs,
    large=1_500,
    sweep=(200, 400, 800, 1_500),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
