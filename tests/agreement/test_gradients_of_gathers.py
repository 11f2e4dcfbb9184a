"""Gradients of values at computed positions: those at the same positions are added up once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import accumulate, array, fold, fold_sum, function, max, value_and_grad, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


def margins(e: Any, r: Any, p: Any, q: Any) -> Any:
    """Scores of pairs and of others with the same first row: their sums are different loops."""

    def score(o: Any, at: Any) -> Any:
        return fold_sum(lambda k: e[p[o], k] * r[p[o], k] * e[at, k])

    return fold_sum(lambda o: max(1.0 - score(o, q[o]) + score(o, p[o] + 1), 0.0), count=p.size())


def numbers(e: Any, r: Any, p: Any, q: Any) -> Any:
    """Elements at one position and at others, of steps that differ in number."""
    first = fold_sum(lambda o: e[p[o], 0] * r[q[o], 0])
    masked = fold_sum(lambda o: where(q[o] > 1, e[p[o], 0] * e[q[o], 0], 0.0))
    few = fold_sum(lambda o: e[p[o], 0] ** 2.0, count=p.size() // 2)
    return first * masked + few


def columns(e: Any, r: Any, p: Any, q: Any) -> Any:
    """One axis at computed positions, after and before another one."""
    rows = fold_sum(lambda o, k: e[p[o], k] * r[o % r.size(0), k] ** 2.0)
    return rows + fold_sum(lambda o, j: e[j, p[o]] * e[p[o], p[o]] * r[j, 0])


def selected_rows(e: Any, r: Any, p: Any, q: Any) -> Any:
    """Rows with a length of each, which an index around them selects: they are no array."""

    def row(o: Any) -> Any:
        return fold_sum(lambda k: where(e[p[o], 0] < r[k, 0], r[k, 0], 0.0), count=max(q[o], 0))

    def total(i: Any) -> Any:
        return fold_sum(lambda o: where(p[o] == i, row(o), 0.0), count=p.size())

    return fold_sum(lambda i: total(i) ** 2.0, count=e.size(0))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "program", [margins, numbers, columns, selected_rows], ids=lambda each: each.__name__
)
def test_gradients_of_gathers_agree(program: Any, backend: str) -> None:
    rng = np.random.default_rng(3)
    gradient = function(value_and_grad(program, (0, 1)))
    for n, m, steps in ((4, 3, 9), (1, 1, 2), (2, 3, 0), (3, 1, 1)):
        tables = rng.normal(size=(n, m)), rng.normal(size=(n, m))
        keys = [rng.integers(-1, n + 1, size=steps) for _ in range(2)]
        assert_call_agrees(gradient, (*tables, *keys), backend, {"float64": 1e-9})


def test_equal_positions_are_accumulated_once() -> None:
    gradient: Any = value_and_grad(margins, (0, 1))
    given = np.ones((4, 3)), np.ones((4, 3)), np.zeros(5, int), np.zeros(5, int)
    text = gradient.source(*given, backend="numpy")
    assert text.count("accumulate_at(np.add") == 4


@pytest.mark.parametrize("backend", BACKENDS)
def test_rows_that_steps_accumulate_agree(backend: str) -> None:
    """Springs between points: forces of two coordinates are added up in each step."""

    def lengths(x: Any, a: Any, c: Any) -> Any:
        n, m = x.size(0), a.size()

        def step(t: Any, x: Any) -> Any:
            def pull(k: Any, d: Any) -> Any:
                square = fold_sum(lambda e: (x[a[k], e] - x[c[k], e]) ** 2.0, count=2)
                return (square - 1.0) * (x[c[k], d] - x[a[k], d])

            pulls = array(pull, size=(m, 2))
            force = accumulate(lambda k, d: ((a[k], d), pulls[k, d]), size=(n, 2))
            return array(lambda i, d: x[i, d] + 0.1 * force[i, d])

        last: Any = fold(x, step, count=3)
        return fold_sum(lambda i, d: last[i, d] ** 2.0)

    both, random = function(value_and_grad(lengths)), np.random.default_rng(3)
    for points, springs in sizes_on(backend, [(1, 1), (4, 7), (40, 5), (0, 0)]):
        ends = random.integers(0, max(points, 1), size=(2, springs))
        arguments = (random.normal(size=(points, 2)), *ends)
        assert_call_agrees(both, arguments, backend, {"float64": 1e-9})
