"""Lengths of shortest paths from the first vertex, by rounds over a list of edges."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_min, function, min, where
from tests.agreement.cases.case import Case

INFINITY = float("inf")


@function
def bellman_ford(source, target, length, vertices, rounds):
    def relax(r, distance):
        def vertex(v):
            through = fold_min(
                lambda e: where(target[e] == v, distance[source[e]] + length[e], INFINITY)
            )
            return min(distance[v], through)

        return array(vertex)

    start = array(lambda v: where(v == 0, 0.0, INFINITY).float(length[0]), size=vertices)
    return fold(start, relax, count=rounds)


def inputs(n, dtype, rng):
    source, target = rng.integers(0, max(n, 1), size=(2, 8 * n))
    return source, target, rng.uniform(1, 5, size=8 * n).astype(dtype), n, 10 if n > 5 else 3


def oracle(source, target, length, vertices, rounds):
    distance = np.full(vertices, INFINITY, length.dtype)
    distance[:1] = 0
    for _ in range(rounds):
        old = distance.copy()
        for u, v, x in zip(source, target, length, strict=True):
            if old[u] + x < distance[v]:
                distance[v] = old[u] + x
    return distance


def idiomatic(source, target, length, vertices, rounds):
    distance = np.full(vertices, INFINITY, length.dtype)
    distance[:1] = 0
    for _ in range(rounds):
        through = distance[source] + length
        distance = distance.copy()
        np.minimum.at(distance, target, through)
    return distance


def jax(source, target, length, vertices, rounds):
    import jax.numpy as jnp
    from jax import lax

    def relax(r, distance):
        return distance.at[target].min(distance[source] + length)

    start = jnp.full(vertices, INFINITY, length.dtype).at[:1].set(0)
    return lax.fori_loop(0, rounds, relax, start)


def torch(source, target, length, vertices, rounds):
    distance = length.new_full((vertices,), INFINITY)
    distance[:1] = 0
    for _ in range(rounds):
        distance = distance.scatter_reduce(0, target, distance[source] + length, "amin")
    return distance


CASE = Case(
    name="bellman-ford",
    about="Shortest paths from one vertex by rounds over edges (SciPy csgraph)",
    program=bellman_ford,
    inputs=inputs,
    large=20_000,
    sweep=(200, 2_000, 20_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
    static=(3,),
)
