"""Gradients of tables that steps fill by diagonals: no step saves the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, exp, fold, fold_sum, function, grad, log, value_and_grad, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


def splits(x: Any) -> Any:
    """Spans by length, each a sum over its splits in two."""
    n = x.size(0)

    def step(length: Any, t: Any) -> Any:
        def span(i: Any, j: Any) -> Any:
            return fold_sum(lambda k: t[i, i + k] * t[i + k + 1, j], count=length + 1)

        return array(lambda i, j: where(j == i + length + 1, x[i, j] * span(i, j), t[i, j]))

    start = array(lambda i, j: where(i == j, x[i, i], 0.5), size=(n, n))
    return log(1.0 + fold(start, step, count=n - 1)[0, n - 1] ** 2.0)


def pairs(x: Any) -> Any:
    """Empty spans count, and reads are clipped at both ends: the first step writes the diagonal."""
    n = x.size(0)

    def step(length: Any, q: Any) -> Any:
        def at(i: Any, j: Any) -> Any:
            return where(j < i, 1.0, q[i.min(n - 1), j.max(0)])

        def span(i: Any, j: Any) -> Any:
            inner = fold_sum(
                lambda k: at(i, i + k - 1) * x[i + k, j] * at(i + k + 1, j - 1), count=length
            )
            return at(i, j - 1) + inner

        return array(lambda i, j: where(j == i + length, span(i, j), q[i, j]))

    return fold(array(lambda i, j: 0.0, size=(n, n)), step, count=n)[0, n - 1]


def below(x: Any) -> Any:
    """Diagonals below the main one, which start with elements that no step has written."""

    def step(k: Any, t: Any) -> Any:
        def entry(i: Any, j: Any) -> Any:
            return exp(-t[i - 1, j] * t[i, j + 1]) + t[i - k, j + k] * t[i + 1, j]

        return array(lambda i, j: where(i == j + k + 1, entry(i, j), t[i, j]))

    t: Any = fold(x, step, count=x.size(0))
    return fold_sum(lambda i, j: t[i, j] * t[i, j] * (i + 2 * j).float())


def antidiagonals(x: Any) -> Any:
    """Neighbours on the two antidiagonals before, in a table that need not be square."""

    def step(k: Any, t: Any) -> Any:
        def entry(i: Any, j: Any) -> Any:
            return (t[i - 1, j] + t[i, j - 1]).sin() * x[i, j] + t[i - 1, j - 1]

        return array(lambda i, j: where(i + j == k, entry(i, j), t[i, j]))

    t: Any = fold(x, step, count=x.size(0) + x.size(1))
    return fold_sum(lambda i, j: t[i, j] * t[i, j])


PROGRAMS = [splits, pairs, below, antidiagonals]
SHAPES = [(1, 1), (5, 5)]
OTHER = [(0, 2), (4, 3)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_of_tables_agree(program: Any, backend: str) -> None:
    both, random = function(value_and_grad(program)), np.random.default_rng(5)
    is_square = program in (splits, pairs)
    for shape in sizes_on(backend, SHAPES if is_square else [*SHAPES, *OTHER]):
        x = random.uniform(0.2, 0.9, size=shape)
        assert_call_agrees(both, (x,), backend, {"float64": 1e-9, "float32": 1e-3})


@pytest.mark.parametrize("program", PROGRAMS[:3], ids=lambda each: each.__name__)
def test_no_step_saves_the_table(program: Any) -> None:
    n = 40
    x = np.random.default_rng(6).uniform(0.2, 0.9, size=(n, n))
    assert function(grad(program)).memory(x, backend="native").temporaries < 8 * n**3 / 2
