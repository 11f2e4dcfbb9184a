"""Folds whose steps change nothing from some step on: they end there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold, fold_max, fold_sum, function, grad, max, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


@function
def roots_of_a_forest(parent: Vec[Int], q: Vec[Int]):
    n = parent.size()

    def root(i: Any) -> Any:
        def above(_: Any, p: Any) -> Any:
            return parent[p]

        return fold(i, above, count=n)

    return array(lambda i: root(q[i])), fold(0, lambda t, s: s + root(q[t]), count=q.size())


@function
def common_divisors(parent: Vec[Int], q: Vec[Int]):
    """Of Ints in turn, and of each."""

    def divisor(x: Any, y: Any) -> Any:
        def step(_: Any, s: Any) -> Any:
            x, y = s
            return where(y == 0, x, y), where(y == 0, 0, x % max(y, 1))

        return fold((x, y), step, count=40)[0]

    n = q.size()
    first = fold(0, lambda t, s: divisor(s, q[t] * 6), count=n)
    return first, array(lambda i: divisor(parent[i], q[i]))


@function
def fixed_point(x: Vec[Float], steps: Int):
    def step(_: Any, s: Any) -> Any:
        y, done = s
        z = array(lambda i: 0.5 * y[i] + x[i])
        d = fold_max(lambda i: abs(z[i] - y[i]))
        return where(done, y, z), done | (d < 1e-2)

    return fold((x, False), step, count=steps)


@function
def until_ruin(x: Vec[Float], steps: Int):
    """Steps look at an element each, and clip beyond the last one."""

    def step(t: Any, s: Any) -> Any:
        c, alive, when = s
        after = c + x[t] - 0.1
        return where(alive, after, c), alive & (after > 0.0), when + where(alive, 1, 0)

    return fold((1.0, True, 0), step, count=steps)


@function
def backtracking(x: Vec[Float], steps: Int):
    def f(s: Any) -> Any:
        return fold_sum(lambda i: (x[i] - 4.0 * s * x[i]) ** 2)

    worst = fold_sum(lambda i: x[i] ** 2)
    return fold(8.0, lambda _, s: where(f(s) > worst, 0.5 * s, s), count=steps)


@function
def gradient_of_fixed_point(x: Vec[Float], steps: Int):
    def loss(y: Any) -> Any:
        z, _ = fixed_point(y, steps)
        return fold_sum(lambda i: z[i] ** 2)

    return grad(loss)(x)


OF_INTS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (roots_of_a_forest, common_divisors)
}
OF_FLOATS: dict[str, Function[..., Any]] = {
    f.__name__: f for f in (fixed_point, until_ruin, backtracking, gradient_of_fixed_point)
}
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", OF_INTS)
def test_ints(name: str, backend: str) -> None:
    for size in sizes_on(backend, (1, 2, 7, 33), name):
        rng = np.random.default_rng(size)
        parent = np.minimum(np.arange(size), rng.integers(0, size, size))
        assert_call_agrees(OF_INTS[name], (parent, rng.integers(0, size, size)), backend, {})


@pytest.mark.parametrize("backend", BACKENDS)
def test_positions_in_a_cycle_have_no_end(backend: str) -> None:
    parent, q = np.array([1, 2, 0, 3]), np.array([0, 3, 2, -5, 9])
    assert_call_agrees(roots_of_a_forest, (parent, q), backend, {})


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", OF_FLOATS)
def test_floats(name: str, backend: str, dtype: Any) -> None:
    for size in sizes_on(backend, (1, 2, 7, 33), name):
        x = np.random.default_rng(size).normal(size=size).astype(dtype)
        for steps in (0, 1, 40):
            assert_call_agrees(OF_FLOATS[name], (x, steps), backend, TOLERANCE)


@pytest.mark.parametrize("element", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["fixed_point", "until_ruin", "backtracking"])
def test_no_number(name: str, element: float) -> None:
    x = np.array([0.5, element, -0.5])
    for backend in ("numpy", "native"):
        assert_call_agrees(OF_FLOATS[name], (x, 20), backend, TOLERANCE)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_negative_count_is_one_of_a_fold(backend: str) -> None:
    with pytest.raises(ValueError, match=r"count of .* is negative: -1"):
        fixed_point.eval(np.ones(3), -1, backend=backend)


@pytest.mark.parametrize("name", ["fixed_point", "until_ruin", "backtracking"])
def test_the_loop_ends(name: str) -> None:
    assert "break" in OF_FLOATS[name].source(np.ones(40), 40, backend="numpy")
