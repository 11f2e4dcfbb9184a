"""Steps of k-means: assign each point to the nearest centre, move centres to their means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, fold_argmin, fold_sum, function, where
from tests.agreement.cases.case import Case, prange

CLUSTERS, FEATURES, STEPS = 10, 8, 3


@function
def k_means(points: Vec[Vec[Float]], start: Vec[Vec[Float]], steps: Int) -> Vec[Vec[Float]]:
    """Centres after some steps; one without points is unchanged."""

    def step(t: Int, centres: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
        def distance(i: Int, c: Int) -> Float:
            return fold_sum(lambda f: (points[i, f] - centres[c, f]) ** 2)

        nearest = array(
            lambda i: fold_argmin(lambda c: distance(i, c), count=centres.size()),
            size=points.size(),
        )
        count = array(
            lambda c: fold_sum(lambda i: where(nearest[i] == c, 1, 0)), size=centres.size()
        )
        total = array(
            lambda c, f: fold_sum(lambda i: where(nearest[i] == c, points[i, f], 0.0)),
            size=(centres.size(0), centres.size(1)),
        )
        return array(
            lambda c, f: where(
                count[c] > 0, total[c, f] / count[c].float(total[c, f]), centres[c, f]
            )
        )

    return fold(start, step, count=steps)


@function
def members_by_condition(
    points: Vec[Vec[Float]], start: Vec[Vec[Float]], steps: Int
) -> Vec[Vec[Float]]:
    """Conditions and sums the other way round; differences squared by a product."""

    def step(t: Int, old: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
        def distance(p: Int, c: Int) -> Float:
            return fold_sum(lambda f: (old[c, f] - points[p, f]) * (old[c, f] - points[p, f]))

        own = array(
            lambda p: fold_argmin(lambda c: distance(p, c), count=start.size()),
            size=points.size(),
        )

        def centre(c: Int, f: Int) -> Float:
            count = fold_sum(lambda p: (c == own[p]).int())
            total = fold_sum(lambda p: where(own[p] != c, 0.0, points[p, f]))
            return where(count == 0, old[c, f], total / count.float(total))

        return array(centre, size=(start.size(0), start.size(1)))

    return fold(start, step, count=steps)


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    centres = rng.normal(size=(CLUSTERS, FEATURES))
    spread = rng.normal(size=(n, FEATURES))
    points = centres[rng.integers(0, CLUSTERS, size=n)] + spread
    return points.astype(dtype), centres.astype(dtype), STEPS


def oracle(points: NDArray[Any], start: NDArray[Any], steps: int) -> NDArray[Any]:
    centres = start.copy()
    for _ in range(steps):
        members: list[list[Any]] = [[] for _ in centres]
        for point in points:
            distances = [sum((x - y) ** 2 for x, y in zip(point, c, strict=True)) for c in centres]
            members[distances.index(min(distances))].append(point)
        for c, own in enumerate(members):
            if own:
                centres[c] = [sum(column) / len(own) for column in zip(*own, strict=True)]
    return centres


def idiomatic(points: NDArray[Any], start: NDArray[Any], steps: int) -> NDArray[Any]:
    centres = start
    for _ in range(steps):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        new = centres.copy()
        for c in range(len(centres)):
            if (nearest == c).any():
                new[c] = points[nearest == c].mean(axis=0)
        centres = new
    return centres


def expert(points: NDArray[Any], start: NDArray[Any], steps: int) -> NDArray[Any]:
    """The nearest centre minimises c.c - 2 p.c; members are added up by their number."""
    centres = start.copy()
    scores = np.empty((len(points), len(centres)), points.dtype)
    columns = np.ascontiguousarray(points.T)
    for _ in range(steps):
        np.matmul(points, -2 * centres.T, out=scores)
        scores += np.einsum("cf,cf->c", centres, centres)
        nearest = scores.argmin(axis=1)
        count = np.bincount(nearest, minlength=len(centres))
        totals = [np.bincount(nearest, column, minlength=len(centres)) for column in columns]
        total = np.stack(totals, axis=1)
        full = count > 0
        centres[full] = total[full] / count[full, None]
    return centres


def numba(points: NDArray[Any], start: NDArray[Any], steps: int) -> NDArray[Any]:
    """A part of the points at a time, each with sums of its own."""
    n, features = points.shape
    clusters, parts = len(start), 16
    centres = start.copy()
    for _ in range(steps):
        count = np.zeros((parts, clusters), np.int64)
        total = np.zeros((parts, clusters, features), points.dtype)
        for part in prange(parts):
            for i in range(part * n // parts, (part + 1) * n // parts):
                nearest, least = 0, np.inf
                for c in range(clusters):
                    distance = 0.0
                    for f in range(features):
                        distance += (points[i, f] - centres[c, f]) ** 2
                    if distance < least:
                        nearest, least = c, distance
                count[part, nearest] += 1
                for f in range(features):
                    total[part, nearest, f] += points[i, f]
        for c in range(clusters):
            members = count[:, c].sum()
            if members > 0:
                for f in range(features):
                    centres[c, f] = total[:, c, f].sum() / members
    return centres


def jax(points: Any, start: Any, steps: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax

    def step(t: Any, centres: Any) -> Any:
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        count = jnp.zeros(len(centres), points.dtype).at[nearest].add(1)[:, None]
        total = jnp.zeros_like(centres).at[nearest].add(points)
        return jnp.where(count > 0, total / count, centres)

    return lax.fori_loop(0, steps, step, start)


def torch(points: Any, start: Any, steps: int) -> Any:
    import torch

    centres = start
    for _ in range(steps):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(dim=2)
        nearest = distances.argmin(dim=1)
        count = torch.bincount(nearest, minlength=len(centres))[:, None]
        total = torch.zeros_like(centres).index_add_(0, nearest, points)
        centres = torch.where(count > 0, total / count, centres)
    return centres


CASE = Case(
    name="k-means",
    about="Steps of k-means clustering (Rodinia)",
    program=k_means,
    inputs=inputs,
    large=20_000,
    sweep=(200, 700, 2000, 7000, 20_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    variants=(members_by_condition,),
)
