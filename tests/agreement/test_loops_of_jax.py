"""Loops that JAX compiles agree with the interpreter, and so do their derivatives.

Updates that add, masks of products of windows, functions of steps that are computed before a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    exp,
    fold,
    fold_sum,
    function,
    log,
    sin,
    value_and_grad,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import skips
from tests.selection import in_turn

pytestmark = skips("jax")

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@function
def pushed(x: Vec[Float], m: Vec[Vec[Float]], p: Vec[Int], q: Vec[Int]):
    """An element gets a function of another one."""

    def step(t, s):
        return array(lambda k: where(k == p[t], s[k] + x[t] * sin(s[t]), s[k]))

    return fold(x, step, count=x.size())


@function
def exchanged(x: Vec[Float], m: Vec[Vec[Float]], p: Vec[Int], q: Vec[Int]):
    """One element gets what another one loses."""

    def step(t, s):
        flow = 0.3 * (s[q[t]] - s[p[t]])
        more = array(lambda k: where(k == p[t], s[k] + flow, s[k]))
        return array(lambda k: where(k == q[t], more[k] - flow, more[k]))

    return fold(x, step, count=x.size())


@function
def eliminated(x: Vec[Float], m: Vec[Vec[Float]], p: Vec[Int], q: Vec[Int]):
    """Rows are subtracted from others, and elements of both axes added to."""

    def step(t, s):
        rows = array(lambda i, j: where(i == p[t], s[i, j] - x[t] * s[t, j], s[i, j]))
        chosen = rows[q[t], p[t]] * 0.5
        return array(lambda i, j: where((i == p[t]) & (j == q[t]), rows[i, j] + chosen, rows[i, j]))

    return fold(m, step, count=x.size())


@function
def convolved(x: Vec[Float], m: Vec[Vec[Float]], p: Vec[Int], q: Vec[Int]):
    """A full convolution: guarded elements times others, which may be infinite."""

    def term(i, k):
        return where((i - k >= 0) & (i - k < x.size()), x[i - k] * m[0, k], 0.0)

    def element(i):
        return fold_sum(lambda k: term(i, k), count=m.size(1))

    return array(element, size=x.size() + m.size(1))


@function
def driven(x: Vec[Float], m: Vec[Vec[Float]], p: Vec[Int], q: Vec[Int]):
    """The steps read functions of a scalar and of a row."""

    def step(t, s):
        row = array(lambda j: exp(m[t, j]) - 1.0)
        return array(lambda j: s[j] * log(1.0 + x[t] * x[t]) + row[j])

    return fold(x, step, count=x.size())


@function
def relaxed(x: Vec[Float], m: Vec[Vec[Float]], p: Vec[Int], q: Vec[Int]):
    """Jacobi's: the matrix without its diagonal times a vector, which may be infinite there."""

    def others(i, s):
        return fold_sum(lambda j: where(j != i, m[i, j] * s[j], 0.0))

    return fold(x, lambda _, s: array(lambda i: (x[i] - others(i, s)) / (3.0 + m[i, i])), count=4)


PROGRAMS = {
    each.__name__: each for each in (pushed, exchanged, eliminated, convolved, driven, relaxed)
}


def arguments(n: int, dtype: str = "float64") -> list[Any]:
    rng = np.random.default_rng(n)
    x, m = rng.normal(size=n).astype(dtype), rng.normal(size=(n, n)).astype(dtype)
    p, q = (rng.integers(-2, n + 2, n) for _ in range(2))
    return [x, m, p, q]


@pytest.mark.parametrize(
    ("name", "n", "dtype"), in_turn(list(PROGRAMS), [0, 1, 2, 5], ["float64", "float32"])
)
def test_values(name: str, n: int, dtype: str) -> None:
    assert_call_agrees(PROGRAMS[name], arguments(n, dtype), "jax", TOLERANCE)


def test_masked_products_of_infinite_factors() -> None:
    x, m, p, q = arguments(4)
    m[0, 1], m[0, 2], x[3] = np.inf, np.nan, -np.inf
    assert_call_agrees(convolved, [x, m, p, q], "jax", TOLERANCE)


@pytest.mark.parametrize("size", [4, 150])
def test_masked_matrices_times_infinite_vectors(size: int) -> None:
    x, m, p, q = arguments(size)
    assert_call_agrees(relaxed, [x, m, p, q], "jax", TOLERANCE)
    m[1, 1], x[3] = np.inf, np.inf
    assert_call_agrees(relaxed, [x, m, p, q], "jax", TOLERANCE)
    m[2, 2] = np.nan
    assert_call_agrees(relaxed, [x, m, p, q], "jax", TOLERANCE)
    emitted = relaxed.source(x, m, p, q, backend="jax")
    assert " @ " in emitted.rpartition("def relaxed")[2]


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name: str) -> None:
    import jax

    x, m, p, q = arguments(5)
    direction = np.random.default_rng(0).normal(size=5)

    def loss(y: Any) -> Any:
        return (PROGRAMS[name].eval(y, m, p, q, backend="jax") ** 2).sum()

    gradient: Callable[[Any], Any] = jax.grad(loss)
    with jax.enable_x64(True):
        slope = (loss(x + 1e-6 * direction) - loss(x - 1e-6 * direction)) / 2e-6
        np.testing.assert_allclose(gradient(jax.numpy.asarray(x)) @ direction, slope, rtol=1e-5)


def collected(k: Vec[Vec[Float]], v: Vec[Vec[Float]]) -> Float:
    """The rows of all steps, whose sizes are compared in each step."""

    def step(t, carried):
        state, out = carried
        row = array(lambda i: state[i] * k[t, i] + sin(v[t, i]))
        return row, array(lambda r: where(r == t, row, out[r]))

    zeros = array(lambda i: 0.0, size=k.size(1))
    rows = array(lambda r, i: 0.0, size=(k.size(0), k.size(1)))
    out = fold((zeros, rows), step, count=k.size(0))[1]
    return fold_sum(lambda r, i: out[r, i] * out[r, i])


def test_cotangents_of_collected_rows_are_no_accumulator() -> None:
    gradient = function(value_and_grad(collected, argnums=(0, 1)))
    for n in (0, 1, 4):
        rng = np.random.default_rng(n)
        k, v = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
        assert_call_agrees(gradient, [k, v], "jax", TOLERANCE)
        emitted = gradient.source(k, v, backend="jax")
        assert "update_inside(" not in emitted[emitted.rfind("\ndef ") :]
