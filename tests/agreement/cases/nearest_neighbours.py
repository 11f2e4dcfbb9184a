"""The k records nearest to a place, found in sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, fold_argmax, fold_argmin, function, sqrt, where
from tests.agreement.cases.case import Case, prange

COUNT = 10


@dataclass(frozen=True)
class Neighbours:
    """Records in the order of their distance."""

    record: Any
    distance: Any


@function
def nearest_neighbours(
    latitudes: Vec[Float], longitudes: Vec[Float], latitude: Float, longitude: Float, count: Int
) -> Neighbours:
    """The first of several records at one distance comes first."""
    distances = array(
        lambda i: sqrt((latitudes[i] - latitude) ** 2 + (longitudes[i] - longitude) ** 2)
    )

    def find(rank: Int, state: Any) -> Any:
        left, found = state
        best = fold_argmin(lambda i: left[i])
        return (
            array(lambda i: where(i == best, float("inf"), left[i])),
            Neighbours(
                array(lambda r: where(r == rank, best, found.record[r])),
                array(lambda r: where(r == rank, left[best], found.distance[r])),
            ),
        )

    nothing = Neighbours(
        array(lambda r: 0, size=count), array(lambda r: latitude * 0.0, size=count)
    )
    return fold((distances, nothing), find, count=count)[1]


@function
def by_mask(
    latitudes: Vec[Float], longitudes: Vec[Float], latitude: Float, longitude: Float, count: Int
) -> Neighbours:
    """Found records are masked; the largest negated distance is the nearest."""

    def squared(x: Float, y: Float) -> Float:
        return (y - longitude) * (y - longitude) + (latitude - x) * (latitude - x)

    distances = array(lambda i: sqrt(squared(latitudes[i], longitudes[i])))

    def find(rank: Int, state: Any) -> Any:
        record, distance, is_found = state
        best = fold_argmax(lambda i: where(is_found[i], -float("inf"), -distances[i]))
        return (
            array(lambda r: where(r != rank, record[r], best)),
            array(lambda r: where(rank == r, distances[best], distance[r])),
            array(lambda i: where(best == i, True, is_found[i])),
        )

    start = (
        array(lambda r: 0, size=count),
        array(lambda r: 0.0 * latitude, size=count),
        array(lambda i: False, size=latitudes.size()),
    )
    record, distance, _ = fold(start, find, count=count)
    return Neighbours(record, distance)


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    places = (rng.uniform(0, limit, size=n).astype(dtype) for limit in (90, 180))
    scalar: Any = np.dtype(dtype).type
    return (*places, scalar(30), scalar(90), min(n, COUNT))


def oracle(
    latitudes: NDArray[Any], longitudes: NDArray[Any], latitude: Any, longitude: Any, count: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    distances = [
        (((x - latitude) ** 2 + (y - longitude) ** 2) ** 0.5, i)
        for i, (x, y) in enumerate(zip(latitudes, longitudes, strict=True))
    ]
    nearest = sorted(distances)[:count]
    return (
        np.array([i for _, i in nearest], np.int64),
        np.array([distance for distance, _ in nearest], latitudes.dtype),
    )


def idiomatic(
    latitudes: NDArray[Any], longitudes: NDArray[Any], latitude: Any, longitude: Any, count: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    distances = np.sqrt((latitudes - latitude) ** 2 + (longitudes - longitude) ** 2)
    nearest = np.argsort(distances, kind="stable")[:count]
    return nearest, distances[nearest]


def expert(
    latitudes: NDArray[Any], longitudes: NDArray[Any], latitude: Any, longitude: Any, count: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Squares have the same order; only the nearest are sorted, and get a square root."""
    squares, other = latitudes - latitude, longitudes - longitude
    squares *= squares
    other *= other
    squares += other
    limit = np.partition(squares, count - 1)[count - 1]
    candidates = np.flatnonzero(squares <= limit)
    nearest = candidates[np.argsort(squares[candidates], kind="stable")[:count]]
    return nearest, np.sqrt(squares[nearest])


def numba(
    latitudes: NDArray[Any], longitudes: NDArray[Any], latitude: Any, longitude: Any, count: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The nearest of each part, in order; then the nearest of these."""
    parts, n = 16, len(latitudes)
    records = np.zeros((parts + 1, count), np.int64)
    squares = np.full((parts + 1, count), np.inf, latitudes.dtype)
    for part in prange(parts):
        own, best = records[part], squares[part]
        for i in range(part * n // parts, (part + 1) * n // parts):
            square = (latitudes[i] - latitude) ** 2 + (longitudes[i] - longitude) ** 2
            if square < best[count - 1]:
                at = count - 1
                while at > 0 and square < best[at - 1]:
                    own[at], best[at] = own[at - 1], best[at - 1]
                    at -= 1
                own[at], best[at] = i, square
    own, best = records[parts], squares[parts]
    for part in range(parts):
        for rank in range(count):
            square = squares[part, rank]
            if square < best[count - 1]:
                at = count - 1
                while at > 0 and square < best[at - 1]:
                    own[at], best[at] = own[at - 1], best[at - 1]
                    at -= 1
                own[at], best[at] = records[part, rank], square
    return own, np.sqrt(best)


def jax(latitudes: Any, longitudes: Any, latitude: Any, longitude: Any, count: int) -> Any:
    import jax.numpy as jnp
    from jax import lax

    distances = jnp.sqrt((latitudes - latitude) ** 2 + (longitudes - longitude) ** 2)
    negative, nearest = lax.top_k(-distances, count)
    return nearest.astype(jnp.int64), -negative


def torch(latitudes: Any, longitudes: Any, latitude: Any, longitude: Any, count: int) -> Any:
    distances = ((latitudes - latitude) ** 2 + (longitudes - longitude) ** 2).sqrt()
    nearest = distances.topk(count, largest=False, sorted=True)
    return nearest.indices, nearest.values


CASE = Case(
    name="nearest-neighbours",
    about="The records nearest to a place, one after the other (Rodinia)",
    program=nearest_neighbours,
    inputs=inputs,
    large=1_000_000,
    sweep=(3000, 10_000, 42_764, 200_000, 1_000_000),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
    static=(4,),
    variants=(by_mask,),
)
