"""The distance of each vertex of a graph from the first, in rounds over its adjacency matrix."""

from __future__ import annotations

import numpy as np

from ein_mlir import array, fold, fold_any, function, where
from tests.agreement.cases.case import Case


@function
def bfs_levels(adjacent, rounds):
    """-1 for a vertex that is not reached."""
    n = adjacent.size()

    def widen(r, level):
        def vertex(v):
            reached = fold_any(lambda u: (level[u] == r) & adjacent[u, v])
            return where((level[v] < 0) & reached, r + 1, level[v])

        return array(vertex)

    return fold(array(lambda v: where(v == 0, 0, -1), size=n), widen, count=rounds)


def inputs(n, dtype, rng):
    return rng.random(size=(n, n)) < 3 / max(n, 1), 10


def oracle(adjacent, rounds):
    n = len(adjacent)
    level = np.full(n, -1)
    frontier = [0] if n else []
    level[frontier] = 0
    for r in range(rounds):
        after = [v for v in range(n) if level[v] < 0 and any(adjacent[u, v] for u in frontier)]
        level[after] = r + 1
        frontier = after
    return level


def idiomatic(adjacent, rounds):
    level = np.full(len(adjacent), -1)
    level[:1] = 0
    for r in range(rounds):
        reached = adjacent[level == r].any(axis=0)
        level[(level < 0) & reached] = r + 1
    return level


def jax(adjacent, rounds):
    import jax.numpy as jnp
    from jax import lax

    def widen(r, level):
        reached = ((level == r)[:, None] & adjacent).any(axis=0)
        return jnp.where((level < 0) & reached, r + 1, level)

    return lax.fori_loop(0, rounds, widen, jnp.full(len(adjacent), -1).at[:1].set(0))


def torch(adjacent, rounds):
    import torch

    level = torch.full((len(adjacent),), -1, device=adjacent.device)
    level[:1] = 0
    for r in range(rounds):
        reached = adjacent[level == r].any(dim=0)
        level[(level < 0) & reached] = r + 1
    return level


CASE = Case(
    name="bfs-levels",
    about="Breadth-first search over an adjacency matrix (Rodinia BFS)",
    program=bfs_levels,
    inputs=inputs,
    large=4_000,
    sweep=(500, 1_000, 2_000, 4_000),
    oracle=oracle,
    idiomatic=idiomatic,
    jax=jax,
    torch=torch,
)
