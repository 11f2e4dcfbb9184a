"""Updates under common conditions in a step agree with the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_while, function, where
from tests.agreement.comparison import leaves

Vector = Any
"""A staged vector of Ints."""


def at(a: Vector, p: Any, c: Any, x: Any) -> Vector:
    """A vector with ``x`` at ``p``, if ``c``."""
    return array(lambda i: where((i == p) & c, x, a[i]), size=a.size())


def shortest_paths(start: Vector, target: Vector, weight: Vector) -> Any:
    """Bellman and Ford with a ring of vertices whose distance has changed."""
    n = start.size() - 1

    def visit(s: Any) -> Any:
        distance, queued, ring, head, length = s
        u = ring[head % n]
        queued = at(queued, u, length > 0, 0)

        def relax(e: Any, s: Any) -> Any:
            distance, queued, ring, length = s
            k = start[u] + e
            v, new = target[k], distance[u] + weight[k]
            better = new < distance[v]
            push = better & (queued[v] == 0)
            return (
                at(distance, v, better, new),
                at(queued, v, push, 1),
                at(ring, (head + length) % n, push, v),
                where(push, length + 1, length),
            )

        distance, queued, ring, length = fold(
            (distance, queued, ring, length), relax, count=start[u + 1] - start[u]
        )
        return distance, queued, ring, head + 1, length - 1

    first = array(lambda v: where(v == 0, 0, 1000), size=n)
    queued = array(lambda v: where(v == 0, 1, 0), size=n)
    ring = array(lambda _: 0, size=n)
    return fold_while((first, queued, ring, 0, 1), lambda s: s[4] > 0, visit, limit=200)


def records(start: Vector, target: Vector, weight: Vector) -> Any:
    """Running records: their values, places and number, and a quotient that only these need."""

    def step(k: Any, s: Any) -> Any:
        values, places, count, best = s
        x = weight[k]
        is_best = x > best
        is_even = is_best & (x // (k + 1) % 2 == 0)
        return (
            at(values, count, is_best, 100 // x),
            at(places, target[k], is_even, values[count - 1]),
            where(is_best, count + 1, count),
            where(is_best, x, best),
        )

    zeros = array(lambda _: 0, size=weight.size())
    return fold((zeros, zeros, 0, -1), step, count=weight.size())


def one_array(start: Vector, target: Vector, weight: Vector) -> Any:
    """Updates of one array, of which each reads what those before have stored."""

    def step(k: Any, a: Vector) -> Vector:
        p, c = target[k], a[k] > 2
        a = at(a, p, c, a[k] - 2)
        x = a[p]
        a = at(a, k, c & (x > 1), x + weight[k])
        return at(a, p + 1, c, a[k])

    return fold(weight, step, count=weight.size())


def exchanged(start: Vector, target: Vector, weight: Vector) -> Any:
    """Two arrays that change places, after updates under one condition."""

    def step(k: Any, s: Any) -> Any:
        a, b, total = s
        c = a[target[k]] > b[k]
        return (
            at(b, target[k], c, total),
            at(a, k, c & (total % 3 != 1), b[k]),
            where(c, total + a[k], total - 1),
        )

    return fold((weight, target, 1), step, count=weight.size())


def dependent(start: Vector, target: Vector, weight: Vector) -> Any:
    """Choices whose other value, or whose condition, is a choice of the same branch."""

    def step(k: Any, s: Any) -> Any:
        a, x, y = s
        c = weight[k] > a[target[k]]
        x = where(c, weight[k] // 3, x)
        y = where(c & (x > 1), a[k] + x, where(c, x, y))
        a = at(a, target[k], c, y)
        return at(a, x, c & (y % 2 == 0), x), x, y

    return fold((array(lambda i: 3, size=weight.size()), 0, 0), step, count=weight.size())


@pytest.mark.parametrize("program", [shortest_paths, records, one_array, exchanged, dependent])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
def test_updates_of_a_branch(program: Callable[..., Any], n: int) -> None:
    rng = np.random.default_rng(n)
    degrees = rng.integers(0, 4, n)
    start = np.concatenate([[0], np.cumsum(degrees)])
    edges = int(start[-1])
    target, weight = rng.integers(-1, n + 1, edges), rng.integers(1, 30, edges)
    compiled: Any = function(program)
    expected = leaves(compiled.eval(start, target, weight, backend="naive"))
    found = leaves(compiled.eval(start, target, weight, backend="native"))
    for own, each in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, each)
