"""Matrices over any closed semiring, and their closure: shortest paths over the tropical one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Float, Int, Vec, array, fold, function, min, where
from tests.agreement.cases.case import Case, prange


class Semiring(Protocol):
    """Sums, products with a one, and a closure: ``x* = 1 + x x*``."""

    @classmethod
    def one(cls) -> Self: ...
    def __add__(self, other: Self) -> Self: ...
    def __mul__(self, other: Self) -> Self: ...
    def closure(self) -> Self: ...


@dataclass(frozen=True)
class Tropical:
    """A non-negative length: sums take the shorter one, products add lengths."""

    length: Any

    @classmethod
    def one(cls) -> Tropical:
        return cls(0.0)

    def __add__(self, other: Tropical) -> Tropical:
        return Tropical(min(self.length, other.length))

    def __mul__(self, other: Tropical) -> Tropical:
        return Tropical(self.length + other.length)

    def closure(self) -> Tropical:
        return self.one()


@dataclass(frozen=True)
class SemiringMatrix:
    """A square matrix over a semiring."""

    elements: Vec[Vec[Any]]

    def closure(self, one: Semiring) -> SemiringMatrix:
        """Elimination of vertices in sequence, by Kleene, Floyd and Warshall."""

        def eliminate(k: Int, a: Vec[Vec[Any]]) -> Vec[Vec[Any]]:
            return array(lambda i, j: a[i, j] + a[i, k] * a[k, k].closure() * a[k, j])

        a = fold(self.elements, eliminate, count=self.elements.size())
        return SemiringMatrix(array(lambda i, j: where(i == j, a[i, j] + one, a[i, j])))


@function
def shortest_paths(lengths: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    edges = SemiringMatrix(array(lambda i, j: Tropical(lengths[i, j])))
    paths = edges.closure(Tropical.one()).elements
    return array(lambda i, j: paths[i, j].length)


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    lengths = rng.uniform(1, 10, size=(n, n))
    return (np.where(rng.random((n, n)) < 0.3, lengths, np.inf).astype(dtype),)


def oracle(lengths: NDArray[Any]) -> NDArray[Any]:
    n = len(lengths)
    paths = lengths.copy()
    for i in range(n):
        paths[i, i] = 0
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if paths[i, k] + paths[k, j] < paths[i, j]:
                    paths[i, j] = paths[i, k] + paths[k, j]
    return paths


def idiomatic(lengths: NDArray[Any]) -> NDArray[Any]:
    paths = lengths.copy()
    np.fill_diagonal(paths, 0)
    for k in range(len(paths)):
        paths = np.minimum(paths, paths[:, k, np.newaxis] + paths[np.newaxis, k, :])
    return paths


def expert(lengths: NDArray[Any]) -> NDArray[Any]:
    paths, through = lengths.copy(), np.empty_like(lengths)
    np.fill_diagonal(paths, 0)
    for k in range(len(paths)):
        np.add(paths[:, k, np.newaxis], paths[k], out=through)
        np.minimum(paths, through, out=paths)
    return paths


def numba(lengths: NDArray[Any]) -> NDArray[Any]:
    """In place, a row at a time: the row and column of the eliminated vertex do not change."""
    n = len(lengths)
    paths = lengths.copy()
    for i in range(n):
        paths[i, i] = 0
    for k in range(n):
        through = paths[k].copy()
        for i in prange(n):
            first, row = paths[i, k], paths[i]
            for j in range(n):
                length = first + through[j]
                row[j] = length if length < row[j] else row[j]
    return paths


def jax(lengths: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax

    def through(k: Any, paths: Any) -> Any:
        return jnp.minimum(paths, paths[:, k, None] + paths[None, k, :])

    start = jnp.fill_diagonal(lengths, 0, inplace=False)
    return lax.fori_loop(0, len(lengths), through, start)


def torch(lengths: Any) -> Any:
    import torch

    paths = lengths.clone()
    paths.fill_diagonal_(0)
    for k in range(len(paths)):
        paths = torch.minimum(paths, paths[:, k, None] + paths[None, k, :])
    return paths


CASE = Case(
    name="semirings",
    about="Shortest paths as the closure of a matrix over a semiring (dissertation, section 4.3)",
    program=shortest_paths,
    inputs=inputs,
    large=300,
    sweep=(20, 40, 75, 150, 300),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
)
