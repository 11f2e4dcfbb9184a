"""Gradients in parameters that each step has for itself agree with the interpreter and differences.

A loop backwards saves what a step contributes to its own elements, not the cotangents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    array,
    exp,
    fold,
    fold_sum,
    function,
    grad,
    log,
    sin,
    sqrt,
    value_and_grad,
    where,
)
from tests.agreement.comparison import assert_agree
from tests.selection import sizes_on

BACKENDS = ["numpy", "native", "torch", "jax"]


def rays(c, p, x):
    """Each index has the states of a loop, and all share the parameters of a step."""

    def end(k):
        def step(s, state):
            y, d = state
            bend = c[s] * y / sqrt(1.0 + (c[s] * y) ** 2.0)
            return y + d * p[s], d - bend * exp(-d * d)

        y, d = fold((x[k], 0.1), step, count=c.size())
        return y * y + d

    return fold_sum(lambda k: end(k))


def numbers(c, p, x):
    """Numbers, whose parameters are read in two places of a step."""

    def step(s, state):
        a, b, loss = state
        flow = exp(c[s]) * a * b
        return a - 0.1 * flow * p[s], b + 0.1 * flow - 0.2 * p[s] * b, loss + (flow - x[0]) ** 2.0

    return fold((0.9, 0.3, 0.0), step, count=c.size())[2]


def diffusion(c, p, x):
    """An array is the state: what a step contributes is a sum over its elements."""
    n = x.size()

    def step(t, u):
        flux = array(lambda i: c[t] * (u[(i + 1) % n] - u[i]), size=n)
        return array(lambda i: u[i] + p[t] * (flux[i] - flux[(i - 1) % n]) - c[t] * sin(u[i]))

    u = fold(x, step, count=c.size())
    return fold_sum(lambda i: u[i] ** 2.0)


def looked_up(c, p, x):
    """Several steps may have the same element; positions beyond the ends clip."""
    n = c.size()

    def end(k):
        def step(s, y):
            far = c[(3 * s) % n] * p[s + 1] + c[s - 1]
            return sin(y * far) + 0.5 * y * exp(-far * far * y)

        return fold(x[k], step, count=n)

    return fold_sum(lambda k: end(k) ** 2.0)


def inner(c, p, x):
    """A loop in a step reads the element of the step, too."""

    def step(s, y):
        def again(j, z):
            return z - 0.1 * (z * z * c[s] - p[j] * sin(z * c[s]))

        return y + 0.1 * fold(y, again, count=p.size())

    return fold(x[0], step, count=c.size()) ** 2.0


def guarded(c, p, x):
    """The branches that are not taken have infinite derivatives."""

    def end(k):
        def step(s, y):
            root = where(c[s] > 0.0, sqrt(c[s]), 0.0)
            return y * 0.5 + where(y > 0.0, log(y) * root, p[s] * y * root * y)

        return fold(x[k], step, count=c.size())

    return fold_sum(lambda k: end(k))


def solved(c, p, x):
    """Each step solves equations, in a loop forwards and in one backwards: native code hands the
    buffers of the state on to both.
    """
    n = c.size()
    zeros = array(lambda i: 0.0, size=n)

    def step(t, v):
        def down(i, state):
            d, e = state
            m = 2.0 + c[i] * c[i] + where(i > 0, c[i] * d[(i - 1).max(0)], 0.0)
            low, y = c[i] / m, (v[i] + where(i > 0, c[i] * e[(i - 1).max(0)], 0.0)) / m
            put = lambda a, value: array(lambda j: where(j == i, value, a[j]), size=n)  # noqa: E731
            return put(d, low), put(e, y)

        d, e = fold((zeros, zeros), down, count=n)

        def up(k, y):
            i = n - 1 - k
            value = e[i] - d[i] * where(i < n - 1, y[(i + 1).min(n - 1)], 0.0)
            return array(lambda j: where(j == i, value, y[j]), size=n)

        return fold(zeros, up, count=n)

    v = fold(array(lambda i: p[i] + x[0], size=n), step, count=3)
    return fold_sum(lambda i: v[i] ** 2.0)


PROGRAMS = [rays, numbers, diffusion, looked_up, inner, solved, guarded]


def arguments(n: int) -> list[Any]:
    rng = np.random.default_rng(n)
    c = rng.normal(size=n) * 0.5
    c[:1] = 0.0
    return [c, rng.random(n) + 0.1, rng.normal(size=max(n - 1, 1))]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program: Callable[..., Any], backend: str) -> None:
    gradient = grad(program, (0, 1, 2))
    for n in sizes_on(backend, (0, 1, 2, 7)):
        given = arguments(n)
        expected = gradient.eval(*given, backend="naive")
        assert_agree(gradient.eval(*given, backend=backend), expected, {"float64": 1e-10})


@pytest.mark.parametrize("program", PROGRAMS[:-1])
def test_differences(program: Callable[..., Any]) -> None:
    run, given = function(program), arguments(5)
    for number, slope in enumerate(grad(program, (0, 1, 2))(*given)):
        for k in range(len(given[number])):
            ends = list[float]()
            for step in (1e-6, -1e-6):
                moved = [each.copy() for each in given]
                moved[number][k] += step
                ends.append(run(*moved))
            assert np.isclose((ends[0] - ends[1]) / 2e-6, slope[k], rtol=1e-5, atol=1e-7)


def test_no_step_is_computed_again() -> None:
    """The roots of a step are computed by the loop and by the one backwards, and nowhere else.

    Each has a version for arrays of one block.
    """
    source = value_and_grad(rays, (0, 1)).source(*arguments(7), backend="numpy")
    assert source.count("np.sqrt(") == 2 * 2
