"""Reductions in the steps of loops: whole arrays if sizes are small, else loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    accumulate,
    array,
    exp,
    fold,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_min,
    fold_sum,
    fold_while,
    function,
    log,
    where,
)
from tests.libraries import BACKENDS, needs, on
from tests.selection import sizes_on

Matrix = Any


def shortest(a: Matrix, t: Matrix) -> Any:
    """A minimum in each step."""
    return fold(a, lambda _, v: relaxed(v, t), count=3)


def relaxed(v: Matrix, t: Matrix) -> Any:
    return array(lambda b, j: fold_min(lambda i: v[b, i] + t[i, j]))


def forward(a: Matrix, t: Matrix) -> Any:
    """Logarithms of sums of products: a maximum, which the terms of a sum read."""

    def element(v: Matrix, b: Any, j: Any) -> Any:
        most = fold_max(lambda i: v[b, i] + t[i, j])
        return most + log(fold_sum(lambda i: exp(v[b, i] + t[i, j] - most)))

    return fold(a, lambda _, v: array(lambda b, j: element(v, b, j), size=a.shape), count=3)


def searches(a: Matrix, t: Matrix) -> Any:
    """A search and a sum in each step."""

    def step(_: Any, v: Matrix) -> Any:
        best = array(lambda b, j: fold_argmax(lambda i: v[b, i] * t[i, j]))
        total = array(lambda b, j: fold_sum(lambda i: exp(-abs(v[b, i] - t[i, j]))))
        return array(lambda b, j: total[b, j] / (1.0 + best[b, j].float()))

    return fold(a, step, count=4)


def nested(a: Matrix, t: Matrix) -> Any:
    """A loop in the steps of another, with reductions in both."""

    def step(_: Any, v: Matrix) -> Any:
        inner: Any = fold(v, lambda _, w: relaxed(w, t), count=2)
        return array(lambda b, j: fold_sum(lambda i: abs(inner[b, i] * t[i, j] - 0.1 * v[b, j])))

    return fold(a, step, count=2)


def by_condition(a: Matrix, t: Matrix) -> Any:
    """A loop with a count in the steps of one with a condition."""

    def is_left(state: Any) -> Any:
        return state[1] < 2

    def step(state: Any) -> Any:
        return fold(state[0], lambda _, v: relaxed(v, t), count=2), state[1] + 1

    return fold_while((a, 0), is_left, step)[0]


def triangles(a: Matrix, t: Matrix) -> Any:
    """Counts that differ by element."""
    return fold(
        a,
        lambda _, v: array(lambda b, j: fold_sum(lambda i: abs(v[b, i] - t[i, j]), count=j + 1)),
        count=3,
    )


def several_fields(a: Matrix, t: Matrix) -> Any:
    """A fold that combines two values in each step."""

    def element(v: Matrix, b: Any, j: Any) -> Any:
        def combine(i: Any, both: Any) -> Any:
            return both[0] + abs(v[b, i] - t[i, j]), both[1].max(v[b, i] * t[j, i])

        total, most = fold((0.0, 1.0), combine, count=t.size(0))
        return total - 0.1 * most

    return fold(a, lambda _, v: array(lambda b, j: element(v, b, j), size=a.shape), count=3)


def clusters(a: Matrix, t: Matrix) -> Any:
    """Sums in the steps of a search."""

    def step(_: Any, c: Matrix) -> Any:
        near = array(lambda b: fold_argmin(lambda i: fold_sum(lambda d: abs(a[b, d] - c[i, d]))))
        total = accumulate(lambda b: (near[b], array(lambda d: a[b, d])), size=c.size(0))
        number = accumulate(lambda b: (near[b], 1.0), size=c.size(0), count=a.size(0))
        return array(lambda i, d: where(number[i] > 0, total[i, d] / number[i], c[i, d]))

    return fold(t, step, count=3)


PROGRAMS = (
    shortest,
    forward,
    searches,
    nested,
    by_condition,
    triangles,
    several_fields,
    clusters,
)


def inputs(rows: int, states: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(rows)
    return rng.normal(size=(rows, states)), rng.normal(size=(states, states))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_agrees_at_any_size(program: Callable[..., Any], backend: str) -> None:
    compiled = function(program)
    for rows, states in sizes_on(backend, ((0, 2), (1, 1), (2, 1), (2, 7))):
        args = inputs(rows, states)
        expected = compiled.eval(*args, backend="naive")
        result = compiled.eval(*args, backend=backend)
        np.testing.assert_allclose(result, expected, rtol=1e-9)


@pytest.mark.parametrize("backend", on("numpy", "torch"))
@pytest.mark.parametrize("program", [shortest, forward, searches, nested])
def test_both_versions_agree(program: Callable[..., Any], backend: str) -> None:
    compiled = function(program)
    a, t = inputs(300, 40)
    few = compiled.eval(a[:2], t, backend=backend)
    many = compiled.eval(a, t, backend=backend)
    np.testing.assert_allclose(many[:2], few, rtol=1e-9)


def test_nan_and_infinities_have_the_same_places() -> None:
    a, t = inputs(3, 5)
    a[0, 0], t[2, 3], t[1, 1] = np.nan, np.inf, -np.inf
    for program in (shortest, searches, nested):
        compiled = function(program)
        expected = compiled.eval(a, t, backend="naive")
        np.testing.assert_allclose(compiled.eval(a, t, backend="numpy"), expected, rtol=1e-9)


@needs("torch")
def test_sums_of_recorded_steps_are_one_call() -> None:
    import torch

    compiled = function(forward)
    a, t = (torch.from_numpy(each).requires_grad_() for each in inputs(2, 5))
    assert "log_sum_exp(" in compiled.source(a, t, backend="torch")
    compiled.torch(a, t).sum().backward()
    v = a.detach().clone().requires_grad_()
    state = v
    for _ in range(3):
        state = torch.logsumexp(state[:, :, None] + t.detach(), 1)
    state.sum().backward()
    torch.testing.assert_close(a.grad, v.grad)
