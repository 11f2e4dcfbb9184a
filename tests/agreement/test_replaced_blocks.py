"""Loops that replace the elements of an array for which a condition holds, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Bool, Float, Int, Vec, array, fold, fold_argmin, function, min, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]


@function
def shortest_paths(w: Matrix, v: Vector) -> tuple[Vector, Vec[Int]]:
    """Dijkstra's: distances, and the nodes before."""
    n = w.size(0)

    def visit(_: Int, state: tuple[Vec[Bool], Vector, Vec[Int]]) -> Any:
        done, distance, before = state
        u = fold_argmin(lambda i: where(done[i], 1e30, distance[i]))

        def nearer(i: Int) -> Bool:
            return ~done[i] & (distance[u] + w[u, i] < distance[i])

        return (
            array(lambda i: done[i] | (i == u)),
            array(lambda i: where(nearer(i), distance[u] + w[u, i], distance[i])),
            array(lambda i: where(nearer(i), u, before[i])),
        )

    start = (
        array(lambda i: False, size=n),
        array(lambda i: where(i == 0, 0.0, 1e29), size=n),
        array(lambda i: -1, size=n),
    )
    _, distance, before = fold(start, visit, count=n)
    return distance, before


@function
def exchanged(w: Matrix, v: Vector) -> tuple[Vector, Vector, Vector]:
    """A state takes the old value of another one that is replaced under the same condition."""

    def step(k: Int, state: tuple[Vector, Vector, Vector]) -> Any:
        a, b, c = state

        def larger(i: Int) -> Bool:
            return w[k, i] * 0.5 + a[i] > b[i]

        return (
            array(lambda i: where(larger(i), w[k, i] - b[i], a[i])),
            array(lambda i: where(larger(i), a[i] * 0.5 + w[k, i], b[i])),
            array(lambda i: where(larger(i), c[i], a[i] + b[i])),
        )

    return fold((v, array(lambda i: -v[i]), v), step, count=w.size(0))


@function
def led(w: Matrix, v: Vector) -> Vector:
    """The first element and a neighbour are read in each step, before or after they change."""

    def step(k: Int, a: Vector) -> Vector:
        b = array(lambda i: where(w[k, i] + a[i] > a[0], w[k, i] * 0.5 - a[i], a[i]))
        return array(lambda i: where(w[k, i] > b[i], b[i], a[min(i + 1, w.size(1) - 1)] + b[i]))

    return fold(v, step, count=w.size(0))


SIZES = [0, 1, 2, 5, 40]
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@pytest.mark.parametrize(
    ("program", "backend", "dtype"), combinations([shortest_paths, exchanged, led])
)
def test_blocks_are_replaced(program: Any, backend: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for n in SIZES:
        w, v = rng.random((n, n)).astype(dtype), rng.random(n).astype(dtype)
        w[: n // 4, n // 2 :] = np.nan
        assert_call_agrees(program, [w, v], backend, TOLERANCE)


def test_distances_are_replaced_in_place() -> None:
    source = shortest_paths.source(np.ones((3, 3)), np.ones(3))
    assert source.count("np.copyto(") == 2 * 2  # in a version for arrays of one block, too
    assert "spare" not in source
