"""Gradients of searches: the last step that replaces a value has the cotangent, and no other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    array,
    exp,
    fold,
    fold_max,
    fold_min,
    fold_sum,
    function,
    grad,
    jvp,
    log,
    sqrt,
    value_and_grad,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

SIZES = [(0, 0), (0, 3), (1, 1), (3, 0), (5, 7)]
"""Of rows and of the steps of a search."""


def hits(x: Any, y: Any) -> Any:
    """The nearest of the circles that a ray hits, whose distances have roots of other ones."""

    def ray(i: Any) -> Any:
        def circle(k: Any, best: Any) -> Any:
            distance, shade = best
            inside = x[i, 0] * y[k] - 0.2
            hit = 1.0 + y[k] - sqrt(inside)
            closer = (inside > 0.0) & (hit < distance)
            return where(closer, (hit, log(inside) * x[i, 0]), (distance, shade))

        distance, shade = fold((9.0, 0.5 * x[i, 0]), circle, count=y.size())
        return where(distance < 9.0, distance, 0.0) * shade + shade

    return fold_sum(ray, count=x.size(0))


def first(x: Any, y: Any) -> Any:
    """The first element above a limit, which a flag of the loop keeps."""

    def row(i: Any) -> Any:
        def step(k: Any, state: Any) -> Any:
            found, value = state
            is_new = (y[k] > x[i, 0]) & ~found
            return where(is_new, True, found), where(is_new, exp(y[k]) * x[i, 0], value)

        return fold((False, x[i, 0]), step, count=y.size())[1]

    return fold_sum(row, count=x.size(0))


def ends(x: Any, y: Any) -> Any:
    """The least and the largest element, and values beside them: the steps of both differ."""

    def step(k: Any, state: Any) -> Any:
        low, high, below, above = state
        less, more = y[k] < low, y[k] >= high
        low, below = where(less, y[k], low), where(less, y[k] * x[k, 0], below)
        return low, where(more, y[k], high), below, where(more, exp(y[k]), above)

    low, high, below, above = fold((1.0, 0.0, 0.0, 0.0), step, count=y.size())
    return (high - low) * below * above


def accepted(x: Any, y: Any) -> Any:
    """A number that a step replaces if it rises by enough; the choice is written the other way."""

    def step(k: Any, value: Any) -> Any:
        return where(y[k] * y[k] - value < 0.1, value, y[k] * y[k])

    return fold(0.0, step, count=y.size()) ** 2.0


def pursuit(x: Any, y: Any) -> Any:
    """A search in each step of a loop, in what that carries."""

    def step(t: Any, rest: Any) -> Any:
        def better(k: Any, best: Any) -> Any:
            most, weight, at = best
            found = rest[k] * y[k]
            is_more = abs(found) > most
            return where(is_more, (abs(found), found, k), (most, weight, at))

        _, weight, at = fold((0.0, 0.0, 0), better, count=y.size())
        return array(lambda k: rest[k] - 0.5 * weight * y[at] * (k + 1).float())

    rest: Any = fold(y, step, count=3)
    return fold_sum(lambda k: rest[k] * rest[k])


def clouds(x: Any, y: Any) -> Any:
    """Distances that searches over rows and over columns read: few of them have cotangents."""
    d = array(lambda i, k: sqrt(0.1 + fold_sum(lambda j: (x[i, j] - y[k]) ** 2.0)))
    of_rows = fold_sum(lambda i: fold_min(lambda k: d[i, k]), count=x.size(0))
    return of_rows - 2.0 * fold_max(lambda k: fold_min(lambda i: d[i, k]), count=y.size())


PROGRAMS = [hits, first, ends, accepted, pursuit, clouds]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_of_searches_agree(program: Any, backend: str) -> None:
    both, random = function(value_and_grad(program, argnums=(0, 1))), np.random.default_rng(3)
    for rows, steps in sizes_on(backend, SIZES):
        x, y = random.uniform(0.1, 1.0, size=(rows, 2)), random.uniform(size=steps)
        assert_call_agrees(both, (x, y), backend, {"float64": 1e-9})


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_gradients_of_searches_are_those_of_the_elements_found(backend: str) -> None:
    slope = function(grad(ends, argnums=1), backend=backend)
    x, y = np.full((4, 1), 2.0), np.array([0.5, 0.25, 0.9, 0.9])
    low, above = 0.25, np.exp(0.9)
    of_low, of_high = 2 * above * (0.9 - 2 * low), 2 * low * above * (1 + 0.9 - low)
    np.testing.assert_allclose(slope(x, y), [0.0, of_low, 0.0, of_high])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_derivatives_of_the_second_order_agree(program: Any) -> None:
    def slope(x: Any, y: Any) -> Any:
        g = grad(program, argnums=1)(x, y)
        return fold_sum(lambda k: g[k] * g[k])

    x, y = np.linspace(0.2, 0.9, 10).reshape(5, 2), np.random.default_rng(4).uniform(size=5)
    assert_call_agrees(function(grad(slope, argnums=1)), (x, y), "native", {"float64": 1e-9})


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_tangents_of_what_loops_compute_are_those_of_the_step_found(backend: str) -> None:
    def nearest(x: Any) -> Any:
        def step(k: Any, best: Any) -> Any:
            apart = fold_sum(lambda j: (x[k, j] - 0.3) ** 2.0)
            return where(apart < best[0], (apart, apart * x[k, 0]), best)

        return fold((9.0, 0.0), step, count=x.size(0))[1]

    x, dx, h = np.random.default_rng(1).uniform(size=(4, 3)), np.ones((4, 3)), 1e-6
    value = function(nearest, backend=backend)
    tangent = function(lambda x, dx: jvp(nearest, (x,), (dx,))[1], backend=backend)
    difference = (value(x + h * dx) - value(x - h * dx)) / (2 * h)
    np.testing.assert_allclose(tangent(x, dx), difference, rtol=1e-6)


def test_cotangents_of_few_elements_are_no_matrix() -> None:
    """Nor is there one for the second reader of an array."""
    x, y = np.ones((4, 2)), np.ones(3)
    text = grad(clouds, argnums=(0, 1)).source(x, y, backend="numpy")
    text = text[text.rindex("def grad_clouds") :]
    assert "np.bincount(" in text or "accumulate_at(" in text
    assert "np.einsum(" not in text
