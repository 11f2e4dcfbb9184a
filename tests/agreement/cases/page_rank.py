"""The ranks of pages that link to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, fold_sum, function, where
from tests.agreement.cases.case import Case, prange

DAMPING = 0.85


@function
def page_rank(source: Vec[Int], target: Vec[Int], start: Vec[Float], steps: Int) -> Vec[Float]:
    """The links are pairs of pages; a page without links passes its rank to no page."""
    pages = start.size()
    links = array(lambda p: fold_sum(lambda e: where(source[e] == p, 1, 0)), size=pages)

    def step(k: Int, rank: Vec[Float]) -> Vec[Float]:
        share = array(lambda p: rank[p] / links[p].max(1).float())

        def received(p: Int) -> Float:
            return fold_sum(lambda e: where(target[e] == p, share[source[e]], 0.0))

        restart = (1.0 - DAMPING) / pages.float()
        return array(lambda p: restart + DAMPING * received(p), size=pages)

    return fold(start, step, count=steps)


@function
def mirrored(source: Vec[Int], target: Vec[Int], start: Vec[Float], steps: Int) -> Vec[Float]:
    """Conditions are the other way round, and so are terms and factors."""
    pages = start.size()
    links = array(lambda q: fold_sum(lambda e: where(q != source[e], 0, 1)), size=pages)

    def step(k: Int, rank: Vec[Float]) -> Vec[Float]:
        share = array(lambda q: rank[q] / links[q].max(1).float())

        def page(q: Int) -> Float:
            received = fold_sum(lambda e: where(q != target[e], 0.0, share[source[e]]))
            return received * DAMPING + (1.0 - DAMPING) / pages.float()

        return array(page, size=pages)

    return fold(start, step, count=steps)


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    source, target = rng.integers(0, max(n, 1), size=(2, 10 * n))
    return source, target, np.full(n, 1 / max(n, 1), dtype), 10


def oracle(source: Any, target: Any, start: NDArray[Any], steps: int) -> NDArray[Any]:
    pages, rank = len(start), start
    for _ in range(steps):
        after = np.full_like(rank, (1 - DAMPING) / max(pages, 1))
        for s, t in zip(source, target, strict=True):
            after[t] += DAMPING * rank[s] / max(int((source == s).sum()), 1)
        rank = after
    return rank


def idiomatic(source: Any, target: Any, start: NDArray[Any], steps: int) -> NDArray[Any]:
    pages, rank = len(start), start
    links = np.maximum(np.bincount(source, minlength=pages), 1)
    for _ in range(steps):
        share = rank / links
        received = np.bincount(target, weights=share[source], minlength=pages)
        rank = (1 - DAMPING) / pages + DAMPING * received
    return rank.astype(start.dtype)


def expert(source: Any, target: Any, start: NDArray[Any], steps: int) -> NDArray[Any]:
    """Links sorted by their target once: the rank of a page is a sum of contiguous elements."""
    pages = len(start)
    scale = (DAMPING / np.maximum(np.bincount(source, minlength=pages), 1)).astype(start.dtype)
    order = np.argsort(target, kind="stable")
    by_target, first = source[order], np.bincount(target, minlength=pages)
    linked = np.flatnonzero(first)
    bounds = (np.cumsum(first) - first)[linked]
    rank, flow = start.copy(), np.empty(len(source), start.dtype)
    for _ in range(steps):
        rank *= scale
        np.take(rank, by_target, out=flow, mode="clip")
        rank.fill((1 - DAMPING) / pages)
        rank[linked] += np.add.reduceat(flow, bounds)
    return rank


def numba(source: Any, target: Any, start: NDArray[Any], steps: int) -> NDArray[Any]:
    """Links sorted by their target once: a page adds up contiguous elements."""
    pages, links = len(start), len(source)
    count, first = np.zeros(pages, np.int64), np.zeros(pages + 2, np.int64)
    for e in range(links):
        count[source[e]] += 1
        first[target[e] + 2] += 1
    for p in range(pages):
        first[p + 2] += first[p + 1]
    by_target = np.empty(links, np.int64)
    for e in range(links):
        by_target[first[target[e] + 1]] = source[e]
        first[target[e] + 1] += 1
    rank, share = start.copy(), np.empty_like(start)
    for _ in range(steps):
        for p in prange(pages):
            share[p] = DAMPING * rank[p] / max(count[p], 1)
        for p in prange(pages):
            total = (1 - DAMPING) / pages
            for e in range(first[p], first[p + 1]):
                total += share[by_target[e]]
            rank[p] = total
    return rank


def jax(source: Any, target: Any, start: Any, steps: int) -> Any:
    import jax.numpy as jnp
    from jax import lax

    pages = start.shape[0]
    links = jnp.maximum(jnp.zeros(pages, start.dtype).at[source].add(1), 1)

    def step(_: Any, rank: Any) -> Any:
        received = jnp.zeros_like(rank).at[target].add((rank / links)[source])
        return (1 - DAMPING) / pages + DAMPING * received

    return lax.fori_loop(0, steps, step, start)


def torch(source: Any, target: Any, start: Any, steps: int) -> Any:
    import torch

    pages, rank = len(start), start
    links = torch.bincount(source, minlength=pages).clamp(min=1)
    for _ in range(steps):
        received = torch.zeros_like(rank).index_add_(0, target, (rank / links)[source])
        rank = (1 - DAMPING) / pages + DAMPING * received
    return rank


CASE = Case(
    name="page-rank",
    about="Ranks of pages by power iteration over a list of links",
    program=page_rank,
    inputs=inputs,
    large=20_000,
    sweep=(20, 200, 2_000, 20_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    static=(3,),
    variants=(mirrored,),
)
