"""Loops with terms that no other step affects, which are computed for a block of steps at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    argsort,
    array,
    exp,
    fold,
    fold_any,
    fold_argmax,
    fold_sum,
    function,
    max,
    min,
    tanh,
    where,
)
from ein_mlir.frontend.function import Function
from ein_mlir.passes.phi.store_terms import step_terms
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


def put(v: Any, p: Any, x: Any) -> Any:
    return array(lambda i: where(i == p, x, v[i]))


@function
def network(x: Vec[Vec[Float]], w: Vec[Vec[Float]], u: Vec[Vec[Float]]):
    """Products of a row and a matrix, between terms of the state."""
    h, n = u.size(0), x.size(0)

    def step(t: Any, s: Any):
        a = lambda i: fold_sum(lambda j: u[i, j] * s[0][j])  # noqa: E731
        b = lambda i: fold_sum(lambda c: w[i, c] * x[t, c])  # noqa: E731
        h = array(lambda i: tanh(a(i) + b(i) + w[i, 2]))
        return h, put(s[1], t, fold_sum(lambda i: h[i]))

    return fold((array(lambda i: 0.0, size=h), array(lambda t: 0.0, size=n)), step, count=n)


@function
def suppressed(x: Vec[Vec[Float]], least: Float):
    """Distances in an order: a point is dead if it is near to a living one before."""
    n = x.size(0)
    order = argsort(array(lambda i: -x[i, 0]))

    def step(t: Any, dead: Any):
        i = order[t]
        d = lambda j: fold_sum(lambda c: (x[i, c] - x[j, c]) ** 2)  # noqa: E731
        return array(lambda j: dead[j] | (~dead[i] & (j != i) & (d(j) < least)))

    return fold(array(lambda i: False, size=n), step, count=n)


@function
def looked_up(x: Vec[Vec[Float]], p: Vec[Int], d: Int):
    """Rows before, after and at positions, in bounds or not."""
    m = x.size(1)

    def step(t: Any, s: Any):
        e = lambda j: exp(x[t - d, j] - x[p[t], m - 1 - j]) * (x[t + 1, j + d] + 1.0)  # noqa: E731
        return array(lambda j: where(s[j] > e(j), 0.5 * s[j], s[j] + e(j)))

    return fold(array(lambda j: 1.0, size=m), step, count=p.size())


@function
def led(x: Vec[Vec[Float]], k: Int):
    """A number that the loop counts, and a choice of it, are no terms; a sum of Ints wraps."""
    n, m = x.size(0), x.size(1)

    def step(t: Any, s: Any):
        v, count, total = s
        row = array(lambda j: x[count, j] * x[t, j] + x[t, m - 1 - j] * 2.0 - x[t, 0])
        more = fold_any(lambda j: row[j] > v[j])
        ints = fold_sum(lambda j: (x[t, j] * 8.0).floor().int() * k)
        next = array(lambda j: where(more, max(row[j], v[j]), min(row[j], x[t, j] * 3.0 - v[j])))
        return next, count + more.int(), total * 3 + ints

    return fold((array(lambda j: 0.0, size=m), 0, k), step, count=n)


@function
def paths(x: Vec[Vec[Float]], a: Vec[Vec[Float]]):
    """A search over the state, with elements of sums of functions; twice, from the last state."""
    n, m = x.size(0), a.size(0)

    def step(t: Any, s: Any):
        best, back = s
        e = lambda j: fold_sum(lambda c: exp(-((x[t, c] - a[j, c]) ** 2)))  # noqa: E731
        way = array(lambda j: fold_argmax(lambda i: best[i] - a[i, j]), size=m)
        back = array(lambda q, j: where(q == t, way[j], back[q, j]))
        return array(lambda j: best[way[j]] + e(j)), back

    start = array(lambda j: 0.0, size=m), array(lambda q, j: 0, size=(n, m))
    return fold(start, lambda _, s: fold(s, step, count=n), count=2)


@function
def batch(x: Vec[Vec[Vec[Float]]], w: Vec[Vec[Float]]):
    """A loop for each element: its terms vary with the element, too."""
    n, h = x.size(1), w.size(1)

    def state(b: Any):
        e = lambda t, i: tanh(fold_sum(lambda c: x[b, t, c] * w[c, i]))  # noqa: E731
        step = lambda t, s: array(lambda i: where(s[i] < 0.5, s[i], 0.1) + e(t, i))  # noqa: E731
        return fold(array(lambda i: 0.0, size=h), step, count=n)

    return array(lambda b, i: state(b)[i], size=(x.size(0), h))


@function
def picked(x: Vec[Vec[Float]], least: Float):
    """Maxima at some distance from the last one: a loop of numbers with a test of each step."""
    n = x.size(0)

    def step(i: Any, state: Any):
        last, count, height = state
        near = (x[i, 0] > x[i - 1, 0]) & (x[i, 0] >= x[i + 1, 0]) & (x[i, 0] * x[i, 1] < least)
        takes = near & (i > 0) & (i < n - 1) & (i - last >= 2)
        return where(takes, i, last), count + takes.int(), where(takes, x[i, 0], height * 0.5)

    return fold((-2, 0, 0.0), step, count=n)


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (network, suppressed, looked_up, led, paths, batch, picked)
}


def inputs(name: str, size: int) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(size)
    normal = rng.normal
    x = normal(size=(size, 3))
    wrong = np.where(rng.random((size, 3)) < 0.2, np.nan, x)
    match name:
        case "network":
            w, u = normal(size=(4, 3)), normal(size=(4, 4))
            return [(x, w, u), (x[:, :0], w[:, :0], u), (x, w[:0], u[:0, :0])]
        case "suppressed" | "picked":
            return [(x, 1.5), (x, 0.0)]
        case "looked_up":
            p = rng.integers(-2, size + 2, size)
            return [(x, p, 1), (x[:, :1], p, -2), (x[:0], p, 2**62)]
        case "led":
            return [(x, 1), (x, 2**62), (wrong, -3)]
        case "paths":
            return [(x, normal(size=(3, 3))), (wrong, normal(size=(3, 3)))]
        case _:
            shapes = (2, size), (size, 2), (size, 0)
            return [(normal(size=(*each, 3)), normal(size=(3, 4))) for each in shapes]


@pytest.fixture(autouse=True, params=[1, 16])
def few_elements(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one step, and of few."""
    monkeypatch.setattr(step_terms, "ELEMENTS", request.param)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    program = function(PROGRAMS[name].__wrapped__)
    for size in sizes_on(backend, (0, 1, 2, 3, 7), name):
        for arguments in inputs(name, size):
            given = tuple(
                each.astype(dtype) if getattr(each, "dtype", None) == np.float64 else each
                for each in arguments
            )
            assert_call_agrees(program, given, backend, {"float32": 1e-4, "float64": 1e-9})


def test_tests_of_steps_are_arrays() -> None:
    """Comparisons of numbers, before a loop that reads one Bool in each step."""
    body = picked.source(np.zeros((5, 3)), 1.0).rpartition("\n    for ")[2]
    assert body.count("[i") == 2, "the test and the height"
