"""Loops that only a branch needs: accepted states, states that have converged, rare work."""

from __future__ import annotations

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
    fold_max,
    fold_sum,
    function,
    grad,
    sin,
    where,
)
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


@function
def accepted(x: Vec[Float], u: Vec[Float]):
    """A state, its energy and a count change together."""

    def energy(y: Any) -> Any:
        return fold_sum(lambda i: y[i] ** 4 / 4.0 - y[i] ** 2 / 2.0)

    def step(t: Any, s: Any) -> Any:
        y, e, count = s
        z = array(lambda i: y[i] + 0.5 * u[t] * (i.float() - 1.0))
        f = energy(z)
        ok = u[t] < exp(e - f)
        return where(ok, z, y), where(ok, f, e), count + where(ok, 1, 0)

    return fold((x, energy(x), 0), step, count=u.size())


@function
def converged(a: Vec[Vec[Float]], x: Vec[Float]):
    """Steps after the last one that moves do nothing."""

    def step(_: Any, s: Any) -> Any:
        y, done = s
        z = array(lambda i: fold_sum(lambda j: a[i, j] * y[j]) / 8.0 + 1.0)
        d = fold_max(lambda i: abs(z[i] - y[i]))
        return array(lambda i: where(done, y[i], z[i])), done | (d < 1e-3)

    return fold((x, False), step, count=12)


@function
def rare(a: Vec[Vec[Float]], x: Vec[Float]):
    """A product that each third step needs, and one in the others."""

    def step(t: Any, s: Any) -> Any:
        v, w = s
        product = array(lambda i: fold_sum(lambda j: a[i, j] * w[j]) / 9.0)
        other = array(lambda i: fold_sum(lambda j: a[j, i] * w[j]) / 9.0)
        v = where(t % 3 == 0, product, v)
        return v, array(lambda i: where(t % 3 == 0, w[i] - v[i], other[i]))

    return fold((x, x), step, count=7)


@function
def reset(a: Vec[Vec[Float]]):
    """All elements are new ones, of each other, if one is large."""

    def step(t: Any, s: Any) -> Any:
        v, events = s
        v = array(lambda i: v[i] + a[i, t])
        largest = fold_max(lambda i: abs(v[i]))
        burst = largest > 2.0

        def new(i: Any) -> Any:
            return v[i] / largest - fold_sum(lambda j: exp(-abs(v[i] - v[j]))) / 8.0

        return where(burst, array(new), v), events + where(burst, 1, 0)

    return fold((array(lambda i: a[i, 0] * 0.0), 0), step, count=a.size(1))


@function
def strided(n: Int):
    """Multiples are updated in place if a number is prime."""

    def step(i: Any, v: Any) -> Any:
        new = array(lambda j: where(j % (i + 1) == 0, v[j] - v[j] // (i + 1), v[j]))
        return where((i > 0) & (v[i + 1] == i + 1), new, v)

    return fold(array(lambda i: i, size=n), step, count=n)


@function
def both(a: Vec[Vec[Float]], x: Vec[Float]):
    """Each branch has a loop."""

    def step(t: Any, y: Any) -> Any:
        rows = array(lambda i: fold_sum(lambda j: a[i, j] * y[j]) / 9.0)
        columns = array(lambda i: fold_sum(lambda j: a[j, i] * y[j]) / 9.0)
        s = where(t % 2 == 0, fold_sum(lambda i: y[i]), fold_max(lambda i: y[i] * x[i]))
        return array(lambda i: where(t % 2 == 0, rows[i], columns[i] + 0.1 * s))

    return fold(x, step, count=5)


@function
def mixed(a: Vec[Vec[Float]], x: Vec[Float]):
    """Steps of one of two kinds: a field of a loop, or functions; and one of two loops."""

    def moved(y: Any) -> Any:
        def step(_: Any, s: Any) -> Any:
            q, p = s
            p = array(lambda i: p[i] - 0.1 * q[i] ** 3.0 / (1.0 + q[i] ** 2.0))
            return array(lambda i: q[i] + 0.1 * p[i]), p

        return fold((y, x), step, count=3)[0]

    def step(t: Any, s: Any) -> Any:
        y, e = s
        one, other = moved(y), array(lambda i: y[i] + 0.1 * sin(a[t, i]), size=y.size())
        z = array(lambda i: where(x[t] < 0.0, one[i], other[i]))
        f = where(e < 0.2, fold_sum(lambda i: z[i] * x[i]), fold_max(lambda i: abs(z[i])))
        return z, f / 9.0

    return fold((x, 0.1), step, count=x.size())


@function
def gradient_of_mixed(a: Vec[Vec[Float]], x: Vec[Float]):
    def loss(y: Any) -> Any:
        z, e = mixed(a, y)
        return e + fold_sum(lambda i: z[i])

    return grad(loss)(x)


@function
def gradient_of_accepted(x: Vec[Float], u: Vec[Float]):
    def energy(y: Any) -> Any:
        state, e, _ = accepted(y, u)
        return e + fold_sum(lambda i: state[i])

    return grad(energy)(x)


TOLERANCE = {"float64": 1e-9, "float32": 2e-3}

PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f
    for f in (
        *(accepted, converged, rare, reset, both, strided, mixed),
        *(gradient_of_accepted, gradient_of_mixed),
    )
}


def arguments(name: str, size: int, dtype: Any) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    matrix = rng.normal(size=(size, size)).astype(dtype)
    vector = rng.normal(size=size).astype(dtype)
    given = {
        "accepted": (vector, rng.random(9).astype(dtype)),
        "gradient_of_accepted": (vector, rng.random(9).astype(dtype)),
        "reset": (rng.normal(size=(size, 6)).astype(dtype),),
        "strided": (size,),
    }
    return given.get(name, (matrix, vector))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, backend: str, dtype: Any) -> None:
    for size in sizes_on(backend, (0, 1, 2, 7, 33), name):
        assert_call_agrees(PROGRAMS[name], arguments(name, size, dtype), backend, TOLERANCE)


@pytest.mark.parametrize("element", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["accepted", "converged", "reset"])
def test_a_condition_of_no_number(name: str, element: float) -> None:
    given = arguments(name, 7, np.float64)
    given[0].flat[3] = element
    for backend in ("numpy", "native"):
        assert_call_agrees(PROGRAMS[name], given, backend, TOLERANCE)


@pytest.mark.parametrize("name", ["accepted", "converged", "rare", "reset", "strided", "mixed"])
def test_the_branch_has_the_work(name: str) -> None:
    text = PROGRAMS[name].source(*arguments(name, 40, np.float64), backend="numpy")
    lines = text.splitlines()
    loop = next(n for n, line in enumerate(lines) if line.startswith("    for "))
    branches = [n for n, line in enumerate(lines) if line.startswith("        if ") and n > loop]
    work = {
        "accepted": " = ",
        "rare": ".dot(",
        "mixed": ".dot(",
        "strided": "[t",
        "converged": ".dot(",
        "reset": "np.exp(",
    }
    inside = [n for n, line in enumerate(lines) if line.startswith("            ")]
    assert branches
    assert any(work[name] in lines[n] for n in inside if n > branches[0])
