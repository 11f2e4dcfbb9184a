"""Weights that a program computes by a function wherever it needs them, as in attention.

Their maximum, their sum and the weighted sum are reductions of one array, which the weighted sum or
the result stores in any case.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, exp, fold_max, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

Matrix = Vec[Vec[Float]]
Cube = Vec[Vec[Vec[Float]]]


@function
def attention(q: Cube, k: Cube, v: Cube) -> Cube:
    def row(h, i):
        def score(j):
            return where(j <= i, fold_sum(lambda d: q[h, i, d] * k[h, j, d]), -1e9)

        most = fold_max(score)
        total = fold_sum(lambda j: exp(score(j) - most))
        return array(lambda d: fold_sum(lambda j: exp(score(j) - most) / total * v[h, j, d]))

    return array(row)


@function
def weights(q: Cube, k: Cube, v: Cube) -> Cube:
    def row(h, i):
        def score(j):
            return fold_sum(lambda d: q[h, i, d] * k[h, j, d])

        most = fold_max(score)
        total = fold_sum(lambda j: exp(score(j) - most))
        return array(lambda j: exp(score(j) - most) / total)

    return array(row)


@function
def smoothed(q: Cube, k: Cube, v: Cube) -> Cube:
    def mean(h, i, d):
        def weight(j):
            return exp(-((q[h, i, 0] - k[h, j, 0]) ** 2.0))

        return fold_sum(lambda j: weight(j) * v[h, j, d]) / fold_sum(weight)

    return array(mean)


PROGRAMS = (attention, weights, smoothed)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_weights_agree(program: Any, backend: str) -> None:
    for n in sizes_on(backend, (0, 1, 2, 3), program.__name__):
        rng = np.random.default_rng(n)
        arguments = [rng.normal(size=(2, n, 2)) for _ in range(3)]
        assert_call_agrees(program, arguments, backend, {"float64": 1e-9})


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_weights_are_an_array(program: Any) -> None:
    """No loop takes a step of Python for each weight of a row."""
    arguments = [np.ones((2, 3, 3))] * 3
    source = program.source(*arguments, backend="numpy")
    assert "for j" not in source
