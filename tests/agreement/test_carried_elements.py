"""Arrays that a loop writes one element after the other, and that steps of each other read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, fold_sum, function, max, sin, where
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
def recurrence(x: Vec[Float], rate: Float):
    """Elements of one array, each from those of the two steps before."""

    def step(t: Any, y: Any):
        z = rate * y[t + 1] - 0.5 * sin(y[t]) + x[t]
        return array(lambda k: where(k == t + 2, z, y[k]))

    return fold(x, step, count=max(x.size() - 2, 0))


@function
def states(a: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """The states of a network, and the sums of their rows, which are stored from the end on."""
    n, m = a.shape

    def step(t: Any, state: Any):
        h, sums = state
        x = array(lambda j: sin(fold_sum(lambda i: h[t, i] * w[i, j]) + a[t, j]), size=m)
        total = fold_sum(lambda j: x[j])
        return (
            array(lambda k, j: where(k == t + 1, x[j], h[k, j])),
            array(lambda k: where(k == n - 1 - t, total, sums[k])),
        )

    start = array(lambda k, j: 0.0 * w[j, j], size=(n + 1, m))
    return fold((start, array(lambda k: a[k, 0], size=n)), step, count=n)


@function
def counted_down(x: Vec[Float], n: Int):
    """Elements from the last one on, in as many steps as an argument says."""

    def step(k: Any, state: Any):
        y, stored, read = state
        y = sin(y + x[0])
        return (
            y,
            array(lambda j: where(j == n - 1 - k, y, stored[j])),
            read + stored[n - 1 - k] + stored[n - k],
        )

    zeros = array(lambda j: 0.0 * x[0], size=n)
    return fold((0.0 * x[0], zeros, 0.0 * x[0]), step, count=n)


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
        "counted_down": (np.ones(1, dtype), size),
        "recurrence": (row, np.dtype(dtype).type(0.3)),
        "states": (matrix, rng.uniform(size=(size + 1, size + 1)).astype(dtype)),
    }[name]


TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f
    for f in (trajectories, swept, backwards, clipped, recurrence, states, counted_down)
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


def _scalar(name: str, x: Any) -> Any:
    """A number from all results of a program whose first argument is an array."""
    _, *rest = inputs(name, 7, "float64")
    results = PROGRAMS[name].jax(x, *rest)
    return sum((r * r).sum() for r in (results if isinstance(results, tuple) else (results,)))


@needs("jax")
@pytest.mark.parametrize("name", ["trajectories", "recurrence", "states", "backwards"])
def test_gradients(name: str) -> None:
    import jax

    with jax.enable_x64(True):
        x = jax.numpy.asarray(inputs(name, 7, "float64")[0])
        gradient = jax.grad(lambda x: _scalar(name, x))(x)
        for place in ((0,) * x.ndim, (3,) * x.ndim):
            above, below = (_scalar(name, x.at[place].add(h)) for h in (1e-6, -1e-6))
            np.testing.assert_allclose(
                gradient[place], (above - below) / 2e-6, rtol=1e-6, atol=1e-8
            )


@needs("jax")
@pytest.mark.parametrize("name", ["trajectories", "recurrence", "states", "backwards"])
def test_loops_carry_no_array_of_rows(name: str) -> None:
    """On JAX, whose derivatives would carry its cotangent, and XLA copy that in each step."""
    import jax

    with jax.enable_x64(True):
        arguments = inputs(name, 7, "float64")
        traced = jax.make_jaxpr(PROGRAMS[name].jax)(*arguments)
        (loop,) = (e for e in equations(traced.jaxpr) if e.primitive.name == "scan")
        first = loop.params["num_consts"]
        for value in loop.invars[first : first + loop.params["num_carry"]]:
            assert value.aval.ndim < arguments[0].ndim


def equations(jaxpr: Any) -> Iterator[Any]:
    """The operations of a traced function, and of those that it calls."""
    for equation in jaxpr.eqns:
        yield equation
        for value in equation.params.values():
            if hasattr(value, "jaxpr"):
                yield from equations(value.jaxpr)
