"""Loops of numbers, of which results are computed after them, from the numbers of all steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Vec, array, exp, fold, fold_sum, function, log, value_and_grad, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

Vector = Vec[Float]


@function
def filtered(z: Vector, q: Float):
    """A likelihood and innovations, of a mean and a variance that are carried."""
    n = z.size()

    def step(t, s):
        x, p, total, out, count = s
        after = p + q
        gain, error = after / (after + 1.0), z[t] - x
        score = log(after + 1.0) - error * error / (after + exp(error))
        return (
            x + gain * error,
            (1.0 - gain) * after,
            total - 0.5 * score + x,
            array(lambda i: where(i == t, score * x, out[i]), size=n),
            where(error > 0.0, count + 1, 0),
        )

    return fold((0.0, 1.0, 2.0, array(lambda i: 1.0, size=n), 0), step, count=n)


def solved(d: Vector, q: Float):
    """The sum of squares of the solution of a tridiagonal system with ``-1 - q*i`` beside 3."""
    n = d.size()

    def forward(i, s):
        cs, ds, c, e = s
        a = -1.0 - q * i.float()
        pivot = 3.0 - a * c
        c, e = (-1.0 + q) / pivot, (d[i] - a * e) / pivot
        cs = array(lambda j: where(j == i, c, cs[j]), size=n)
        return cs, array(lambda j: where(j == i, e, ds[j]), size=n), c, e

    zeros = array(lambda i: 0.0, size=n)
    cs, ds, *_ = fold((zeros, zeros, 0.0, 0.0), forward, count=n)

    def backward(k, s):
        xs, x = s
        x = ds[n - 1 - k] - cs[n - 1 - k] * x
        return array(lambda j: where(j == n - 1 - k, x, xs[j]), size=n), x

    xs = fold((zeros, 0.0), backward, count=n)[0]
    return fold_sum(lambda i: xs[i] * xs[i])


PROGRAMS: dict[str, Function[..., Any]] = {
    "filtered": filtered,
    "solved": value_and_grad(function(solved), argnums=(0, 1)),
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 9), name):
        given = np.random.default_rng(size).normal(size=size).astype(dtype), 0.05
        assert_call_agrees(PROGRAMS[name], given, backend, {"float32": 1e-3, "float64": 1e-9})


def test_the_sum_leaves_the_loop() -> None:
    code = filtered.source(np.arange(4.0), 0.1, backend="numpy").rpartition("\ndef ")[2]
    loop, after = code.partition("\n    for t in ")[2].split("\n    t9 = ", 1)
    assert "log(" not in loop
    assert "np.log(" in after
