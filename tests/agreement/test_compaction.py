"""Loops by a condition that leave out the elements that are done agree with the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    accumulate,
    array,
    fold,
    fold_any,
    fold_sum,
    fold_while,
    function,
    where,
)
from ein_mlir.passes.conversions.convert_phi_to_yarr import compaction
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

ARRAYS = [each for each in BACKENDS if each.values[0] in ("numpy", "torch")]


@pytest.fixture(autouse=True, params=[0, 1])
def many_rounds(request: Any, monkeypatch: Any) -> None:
    """Rounds also of a few elements, each of one step, or until some are done."""
    monkeypatch.setattr(compaction, "FEW", 1)
    monkeypatch.setattr(compaction, "FEW_ROWS", 1)
    monkeypatch.setattr(compaction, "LEAST_STEPS", 1)
    monkeypatch.setattr(compaction, "ROUND", request.param)


def collatz(x: Any) -> Any:
    def step(s: Any) -> Any:
        return where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1

    return fold_while((x, 0), lambda s: s[0] > 1, step)


def escapes(x: Vec[Float], y: Vec[Float], p: Vec[Int]):
    """Of two indices, with a limit of steps in the condition; with a limit as an argument."""

    def step(s: Any) -> Any:
        a, b, k = s
        return a * a - b * b - 0.8, 2.0 * a * b + 0.156, k + 1

    def until(limit: Any) -> Any:
        def element(i: Any, j: Any) -> Any:
            def goes_on(s: Any) -> Any:
                return (s[0] * s[0] + s[1] * s[1] <= 4.0) & (s[2] < limit)

            return fold_while((x[j], y[i], 0), goes_on, step)

        return element

    counts = array(lambda i, j: until(p.size() + 9)(i, j)[2])
    return counts, array(lambda j, i: until(5)(i, j)[0])


def steps(x: Vec[Float], y: Vec[Float], p: Vec[Int]):
    """Ints; Bools that are carried; elements that never start, and those at neighbours."""

    def parity(i: Any) -> Any:
        def step(s: Any) -> Any:
            return s[0] - p[(i + s[0]) % p.size()] % 3 - 1, ~s[1], s[2] | (s[0] == 3)

        return fold_while((p[i], False, False), lambda s: s[0] > 0, step)

    def towards(i: Any) -> Any:
        return fold_while((x[i], 0), lambda s: s[0] > x[i + 1], lambda s: (s[0] - 0.25, s[1] + i))

    return (
        array(lambda i: collatz(p[i])[1]),
        array(parity),
        array(towards, size=x.size()),
        accumulate(lambda i: (p[i] % 4, collatz(p[i] + i)[1]), size=4),
        fold_sum(lambda i: collatz(p[i])[1]),
    )


def rows(x: Vec[Float], y: Vec[Float], p: Vec[Int]):
    """Elements that carry vectors and need loops; a condition on one of two indices."""
    m = y.size()

    def norm(i: Any) -> Any:
        def step(s: Any) -> Any:
            v, old, _ = s

            def row(j: Any) -> Any:
                return fold_sum(lambda k: where(j == k, x[i] + 2.0, y[k] * 0.1) * v[k])

            w = array(row, size=m)
            total = fold_sum(lambda j: w[j] * w[j]) ** 0.5 + 1e-9
            return array(lambda j: w[j] / total), total, old

        start = array(lambda j: 1.0 + 0.0 * y[j]), 1.0, 0.0
        result = fold_while(start, lambda s: abs(s[1] - s[2]) > 1e-3, step)
        return result[1] + result[0][i % m.max(1)]

    def shared(i: Any, j: Any) -> Any:
        def step(s: Any) -> Any:
            return s[0] - 1, s[1] * 0.5 + y[j]

        return fold_while((p[i], x[i]), lambda s: s[0] > 0, step)[1]

    return array(norm, size=x.size()), array(shared, size=(p.size(), m))


def in_loops(x: Vec[Float], y: Vec[Float], p: Vec[Int]):
    """In each step of a loop over all elements, and of one for each; in one that masks steps."""

    def implicit(z: Any, i: Any) -> Any:
        def step(s: Any) -> Any:
            d = (s[0] - z + 0.3 * s[0] ** 3) / (1.0 + 0.9 * s[0] * s[0])
            return s[0] - d, d, s[2] + 1

        return fold_while((z, 1.0, 0), lambda s: (abs(s[1]) > 1e-9) & (s[2] < 20 + i), step)[0]

    def nested(i: Any) -> Any:
        def step(s: Any) -> Any:
            return s[0] - 1, s[1] + collatz(s[0] + i)[1]

        return fold_while((p[i] % 5, 0), lambda s: s[0] > 0, step)[1]

    together = fold(x, lambda t, z: array(lambda i: implicit(z[i], t)), count=3)
    alone = array(lambda i: fold(x[i], lambda t, z: implicit(z, i), count=p.size().min(3)))
    return together, alone, array(nested)


def tables(z: Vec[Vec[Float]], x: Vec[Float], limit: Int):
    """Positions that steps compute, in the row of an element; a limit of steps; NaN."""
    n, m = z.size(0), z.size(1)

    def walk(i: Any) -> Any:
        def inside(s: Any) -> Any:
            return (s[0] > -1.0) & (s[0] < 1.0) & (s[1] < m)

        return fold_while((x[i], 0), inside, lambda s: (s[0] + z[i, s[1]], s[1] + 1))

    def counted(i: Any) -> Any:
        def inside(s: Any) -> Any:
            return (s[1] < limit) & fold_any(lambda k: z[i, k] > s[0])

        return fold_while((x[i], 0), inside, lambda s: (s[0] + 0.5, s[1] + 1))

    return array(walk, size=n), array(counted, size=n)


def taken(x: Vec[Float], y: Vec[Float], p: Vec[Int]):
    """Elements whose results a choice leaves out, all of them or some."""

    def element(i: Any) -> Any:
        keeps, even = x[i] > 0.25, p[i] % 2 == 0
        last, count = collatz(p[i])
        other = collatz(p[i] + 7)[1]
        one = where(keeps, last.float() * x[i], y[i])
        two = where(keeps & even, count + other, -1)
        return one, two, where(even, other, where(keeps, other, 3))

    return array(element)


TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


def arguments(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return rng.uniform(-1.5, 1.5, n), rng.uniform(-1.5, 1.5, n), rng.integers(-3, 30, n)


@pytest.mark.parametrize("backend", ARRAYS)
@pytest.mark.parametrize(
    "program", [escapes, steps, rows, in_loops, taken], ids=lambda f: f.__name__
)
def test_agrees(program: Any, backend: str) -> None:
    compiled: Any = function(program)
    for n in sizes_on(backend, (0, 1, 2, 9)):
        assert_call_agrees(compiled, arguments(n), backend, TOLERANCE)


@pytest.mark.parametrize("backend", ARRAYS)
def test_tables(backend: str) -> None:
    compiled = function(tables)
    for n, m, limit in sizes_on(backend, ((0, 3, 2), (1, 1, 5), (5, 0, 3), (7, 30, 0), (7, 6, 4))):
        rng = np.random.default_rng(n)
        z, x = rng.normal(size=(n, m)) * 0.4, rng.normal(size=n)
        x[n // 2 : n // 2 + 1] = np.nan
        assert_call_agrees(compiled, (z, x, limit), backend, TOLERANCE)


@pytest.mark.parametrize("backend", ARRAYS)
def test_errors(backend: str) -> None:
    """A size that a step needs is negative, while some elements are live."""

    def program(p: Vec[Int], n: Int):
        def element(i: Any) -> Any:
            def step(s: Any) -> Any:
                return s[0] - 1, s[1] + fold_sum(lambda k: k, count=n - 2)

            return fold_while((p[i], 0), lambda s: s[0] > 0, step)

        return array(element)

    compiled = function(program)
    for p in ([], [0, 0], [3, 0, 9, 1]):
        given = np.array(p, np.int64)
        assert_call_agrees(compiled, (given, 4), backend, TOLERANCE)
    with pytest.raises(ValueError, match="count of k is negative: -1"):
        compiled.eval(np.array([3, 0, 9, 1]), 1, backend=backend)


def test_rounds() -> None:
    """Loops on NumPy have rounds; those of JAX do not, nor do those of a few steps or elements."""
    given = arguments(5)
    assert "first_positions" in function(steps).source(*given, backend="numpy")
    assert "scatter" not in function(escapes).source(*given, backend="jax")
