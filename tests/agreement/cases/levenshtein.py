"""The edit distance of two words."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Int, Vec, array, fold, function, min, where
from tests.agreement.cases.case import Case


@function
def levenshtein(a: Vec[Int], b: Vec[Int]) -> Int:
    n = b.size()

    def row(i: Int, above: Vec[Int]) -> Vec[Int]:
        def cell(j: Int, here: Vec[Int]) -> Vec[Int]:
            substitution = above[j] + where(a[i] == b[j], 0, 1)
            least = min(substitution, above[j + 1] + 1, here[j] + 1)
            return array(lambda k: where(k == j + 1, least, here[k]))

        return fold(array(lambda k: i + 1, size=n + 1), cell, count=n)

    return fold(array(lambda k: k, size=n + 1), row)[n]


def inputs(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return rng.integers(0, 4, size=n), rng.integers(0, 4, size=n + n // 8)


def oracle(a: NDArray[Any], b: NDArray[Any]) -> Any:
    distance = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            if i == 0 or j == 0:
                distance[i, j] = i + j
            else:
                distance[i, j] = np.min(
                    [
                        distance[i - 1, j - 1] + (a[i - 1] != b[j - 1]),
                        distance[i - 1, j] + 1,
                        distance[i, j - 1] + 1,
                    ]
                )
    return distance[len(a), len(b)]


def idiomatic(a: NDArray[Any], b: NDArray[Any]) -> Any:
    above = np.arange(len(b) + 1)
    for i in range(len(a)):
        here = np.empty_like(above)
        here[0] = i + 1
        for j in range(len(b)):
            substitution = above[j] + (a[i] != b[j])
            here[j + 1] = builtins.min(substitution, above[j + 1] + 1, here[j] + 1)
        above = here
    return above[-1]


def expert(a: NDArray[Any], b: NDArray[Any]) -> Any:
    """A row at a time: the insertions before a cell are a running minimum."""
    offsets = np.arange(len(b) + 1)
    row, moves, other = offsets.copy(), np.empty(len(b), bool), np.empty_like(offsets)
    for i in range(len(a)):
        np.not_equal(b, a[i], out=moves)
        np.add(row, 1, out=other)
        np.add(row[:-1], moves, out=row[:-1])
        np.minimum(other[1:], row[:-1], out=other[1:])
        other -= offsets
        np.minimum.accumulate(other, out=row)
        row += offsets
    return row[-1]


def numba(a: NDArray[Any], b: NDArray[Any]) -> Any:
    """A row at a time, in place."""
    row = np.arange(len(b) + 1)
    for i in range(len(a)):
        diagonal, left = row[0], i + 1
        row[0] = left
        for j in range(len(b)):
            above = row[j + 1]
            substitution = diagonal + (a[i] != b[j])
            least = above if above < left else left
            left = substitution if substitution <= least else least + 1
            diagonal, row[j + 1] = above, left
    return row[len(b)]


def jax(a: Any, b: Any) -> Any:
    import jax.numpy as jnp
    from jax import lax

    offsets = jnp.arange(b.shape[0] + 1)

    def step(above: Any, letter: Any) -> Any:
        moves = jnp.minimum(above[1:] + 1, above[:-1] + (b != letter))
        row = jnp.concatenate([above[:1] + 1, moves])
        return lax.cummin(row - offsets) + offsets, None

    return lax.scan(step, offsets, a)[0][-1]


def torch(a: Any, b: Any) -> Any:
    import torch

    row = offsets = torch.arange(len(b) + 1, device=b.device)
    for letter in a:
        moves = torch.minimum(row[1:] + 1, row[:-1] + (b != letter))
        row = torch.cat([row[:1] + 1, moves])
        row = (row - offsets).cummin(dim=0).values + offsets
    return row[-1]


CASE = Case(
    name="levenshtein",
    about="Edit distance of two words, by dynamic programming",
    program=levenshtein,
    inputs=inputs,
    large=400,
    sweep=(50, 100, 200, 400),
    oracle=oracle,
    idiomatic=idiomatic,
    expert=expert,
    jax=jax,
    torch=torch,
    numba=numba,
)
