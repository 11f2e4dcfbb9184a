"""Arrays that a loop writes one element after the other, and that steps of each other read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, function, max, sin, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import needs
from tests.selection import combinations, sizes_on


@function
def trajectories(x: Vec[Float], rate: Float):
    """Two numbers, from an array of each."""

    def step(t: Any, state: Any):
        prey, hunters = state
        met = rate * prey[t] * hunters[t]
        more, fewer = prey[t] + 0.1 * x[t] - met, hunters[t] * 0.5 + met
        return (
            array(lambda k: where(k == t + 1, more, prey[k])),
            array(lambda k: where(k == t + 1, fewer, hunters[k])),
        )

    n = x.size()
    start = array(lambda k: 1.0 + 0.0 * x[k])
    return fold((start, start), step, count=max(n - 1, 0))


@function
def swept(a: Vec[Vec[Float]], b: Vec[Vec[Float]]):
    """Columns of two matrices, from those of the step before; the first one reads none."""
    rows, n = a.shape

    def step(i: Any, state: Any):
        c, d = state
        w = array(lambda r: 4.0 - where(i > 0, a[r, i] * c[r, i - 1], 0.0), size=rows)
        return (
            array(lambda r, k: where(k == i, b[r, i] / w[r], c[r, k])),
            array(lambda r, k: where(k == i, (a[r, i] - d[r, i - 1]) / w[r], d[r, k])),
        )

    return fold((a, b), step, count=n)


@function
def backwards(a: Vec[Vec[Float]]):
    """Rows from the last one on, each from those of the two steps before."""
    n, columns = a.shape

    def step(t: Any, state: Any):
        x, y = state
        i = n - 3 - t
        u = array(lambda j: 0.5 * x[i + 1, j] - 0.25 * y[i + 2, j], size=columns)
        v = array(lambda j: sin(x[i + 2, j]) + y[i + 1, j], size=columns)
        return (
            array(lambda k, j: where(k == i, u[j], x[k, j])),
            array(lambda k, j: where(k == i, v[j], y[k, j])),
        )

    return fold((a, a), step, count=max(n - 2, 0))


@function
def clipped(x: Vec[Float], lag: Int):
    """Elements that are no step's, or another step's, because their position clips."""
    n = x.size()

    def step(t: Any, state: Any):
        a, b = state
        c, d = a[t - 2] + b[t - lag], a[t - 1] - 0.5 * b[t - 2]
        return (
            array(lambda k: where(k == t, c, a[k])),
            array(lambda k: where(k == t, d, b[k])),
        )

    return fold((x, x), step, count=n)


def inputs(name: str, size: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    matrix = rng.uniform(size=(size, size + 1)).astype(dtype)
    row = rng.uniform(size=size).astype(dtype)
    return {
        "trajectories": (row, np.dtype(dtype).type(0.3)),
        "swept": (matrix, matrix[::-1].copy()),
        "backwards": (matrix,),
        "clipped": (row, 3),
    }[name]


TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (trajectories, swept, backwards, clipped)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 3, 7), name):
        assert_call_agrees(PROGRAMS[name], inputs(name, size, dtype), backend, TOLERANCE)


@needs("jax")
def test_steps_read_no_array_that_another_depends_on() -> None:
    """On JAX, whose compiler would copy it."""
    for name, carried in (("trajectories", 2), ("swept", 1), ("backwards", 4), ("clipped", 1)):
        arguments = inputs(name, 7, "float64")
        found = PROGRAMS[name].ir("yarr", *arguments, backend="jax")
        line = next(line for line in found.splitlines() if "yarr.fold" in line)
        assert line.count(" = ") == 1 + 2 + carried, line


@needs("jax")
def test_gradients() -> None:
    import jax

    with jax.enable_x64(True):
        x = jax.numpy.linspace(0.1, 0.9, 7)
        gradient = jax.grad(lambda x: trajectories.jax(x, 0.3)[1].sum())(x)
        for k in range(7):
            ends = (trajectories.jax(x.at[k].add(h), 0.3)[1].sum() for h in (1e-6, -1e-6))
            above, below = ends
            np.testing.assert_allclose(gradient[k], (above - below) / 2e-6, atol=1e-8)
