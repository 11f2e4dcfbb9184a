"""Cotangents that a selection may make zero, and others: the former alone are tested."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, exp, fold, fold_sum, function, max, min, value_and_grad, where
from tests.agreement.comparison import assert_agree
from tests.selection import sizes_on

TOLERANCE = {"float64": 1e-9}
BACKENDS = ["numpy", "native", "torch", "jax"]


def attention(q, k, v):
    """A softmax whose maximum is carried beside its sums: no selection reaches the sums."""

    def row(i):
        def step(j, state):
            largest, total, out = state
            x = fold_sum(lambda e: q[i, e] * k[j, e])
            new = max(largest, x)
            old, own = exp(largest - new), exp(x - new)
            return new, total * old + own, array(lambda e: out[e] * old + own * v[j, e])

        start = (-1e30, 0.0, array(lambda e: 0.0, size=q.size(1)))
        _, total, out = fold(start, step, count=k.size(0))
        return fold_sum(lambda e: (out[e] / total) ** 2.0)

    return fold_sum(lambda i: row(i), count=q.size(0))


def dropped(a, b):
    """A value that another one takes in the next step, where ``b`` is positive."""

    def step(k, state):
        x, y, z = state
        return x * 1.5 + a[k], x * exp(a[k]), where(b[k] > 0.0, y, z)

    return fold((1.0, 0.0, 0.0), step, count=a.size(0))[2]


def bounded(a, b):
    """A value that stays below a bound, and is the start of others."""

    def step(k, state):
        x, y = state
        return min(x * exp(a[k]), 10.0), y + x * b[k]

    return fold((1.0, 0.0), step, count=a.size(0))[1]


def quotients(a, b):
    """Elements that are taken where ``b`` is positive, times a number and times others."""
    number = 1.0 / (a[0] - a[0])
    taken = array(lambda k: where(b[k] > 0.0, a[k] * number + a[k] / (a[k] - a[k]), a[k] * 3.0))
    return fold_sum(lambda k: taken[k] * taken[k])


attention_gradient: Any = function(value_and_grad(attention, argnums=(0, 1, 2)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_sums_beside_a_maximum(backend: str) -> None:
    rng = np.random.default_rng(63)
    for n, m, size in sizes_on(backend, ((0, 2, 2), (1, 1, 1), (2, 3, 2), (4, 5, 3))):
        q, k, v = (rng.normal(size=(rows, size)) for rows in (n, m, m))
        expected = attention_gradient.eval(q, k, v, backend="naive")
        found = attention_gradient.eval(q, k, v, backend=backend)
        assert_agree(found, expected, TOLERANCE, f"{n} {m} {size}")


def test_sums_beside_a_maximum_are_not_tested() -> None:
    source = attention_gradient.source(*(np.ones((3, 2)),) * 3)
    assert "!= 0.0" not in source
    assert "multiple" not in source


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [dropped, bounded])
def test_values_that_a_field_drops(program: Any, backend: str) -> None:
    """``exp(1000)`` is infinite: what it is a factor of has no effect, and no derivative."""
    a, b = np.array([0.5, 0.25, 1000.0, 0.125]), np.array([1.0, 1.0, -1.0, -1.0])
    gradient = function(value_and_grad(program))
    expected = gradient.eval(a, b, backend="naive")
    assert np.isfinite(expected[1]).all()
    assert_agree(gradient.eval(a, b, backend=backend), expected, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_infinite_factors_of_zero(backend: str) -> None:
    gradient = function(value_and_grad(quotients))
    for a, b in (([1.0, 2.0, 3.0], [-1.0, -1.0, -1.0]), ([1.0, 2.0, 3.0], [-1.0, 1.0, -1.0])):
        arguments = np.array(a), np.array(b)
        expected = gradient.eval(*arguments, backend="naive")
        assert_agree(gradient.eval(*arguments, backend=backend), expected, TOLERANCE)
