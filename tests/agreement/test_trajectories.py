"""States after different numbers of the same steps are those of one loop, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Int, array, fold, fold_sum, fold_while, function, grad, max, min, where
from tests.agreement.comparison import assert_agree
from tests.selection import sizes_on

BACKENDS = ["numpy", "native", "torch", "jax"]
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
X = np.random.default_rng(8).normal(size=7)


def logistic(x, n):
    """An orbit, from its first state on."""
    return array(lambda t: fold(x[0], lambda _, y: 3.7 * y * (1.0 - y), count=t), size=n)


def oscillator(x, n):
    """Records, the state after the first step on; the counter is read."""

    def step(k, state):
        position, speed = state
        return position + 0.1 * speed, speed - 0.1 * (position * x[0]).sin() + k.float()

    states = array(lambda t: fold((x[0], 1.0), step, count=t + 1), size=n)
    return array(lambda t: states[t][0]), array(lambda t: states[t][1] * t.float())


def backwards(x, n):
    """The last row takes the fewest steps, and the first ones of others none."""
    late = array(lambda t: fold(0.5, lambda k, y: y * y + x[k], count=n - 1 - t), size=n)
    return late, array(lambda t: fold(0.5, lambda k, y: y * y - x[k], count=t - 2), size=n)


def polynomials(x, n):
    """A recurrence for each element, by degree: steps vary with one of two indices."""

    def step(k, state):
        last, own = state
        return own, ((2 * k + 3).float() * x[0] * own - (k + 1).float() * last) / (k + 2).float()

    def legendre(degree, j):
        again = lambda k, s: (s[1], step(k, s)[1] + 0.0 * x[j] + x[j] * s[1])  # noqa: E731
        return fold((1.0, x[j]), again, count=degree)[0]

    return array(legendre, size=(n, x.size()))


def late_states(x, n):
    """Rows take some steps at least: there are as many states as rows."""
    return array(lambda j, t: fold(x[j], lambda _, y: y * y - 0.5, count=t + 20), size=(3, n))


def chain(x, n):
    """An array is the state, which each step replaces."""
    m = x.size()
    step = lambda _, p: array(lambda j: (p[j] + p[(j + 1) % m]) / 2.0 - 0.1 * p[0])  # noqa: E731
    return array(lambda t: fold(x, step, count=t), size=n)


def beside_an_array(x, n):
    """A number and an array, of which one element is read."""

    def step(k, state):
        total, rest = state
        return total * 0.5 + rest[k % 2], array(lambda j: rest[j] * 0.9 + total)

    return array(lambda t: fold((0.0, x), step, count=t)[1][0] + 1.0, size=n)


def integers(x, n):
    """Josephus' survivors: the state is an Int, in a program of Ints."""
    del x
    return array(lambda m: fold(0, lambda k, p: (p + 3) % (k + 2), count=m), size=n)


def last_states(x, n):
    """Rows of a matrix are what a state ends with: its steps are the same for all columns."""

    def end(i):
        step = lambda k, s: (s[0] * 0.9 + s[1] * 0.1, s[1] - s[0] * 0.2)  # noqa: E731
        return fold((x[i], x[i + 1]), step, count=2 * n)

    rows = array(lambda i, c: where(c == 0, end(i)[0], end(i)[1]), size=(x.size(), n))
    return rows, array(lambda i, b, c: where(b == c, *end(i)), size=(3, n, n))


def settled_states(x, n):
    """The same with a loop that ends by a condition, and for numbers that a step replaces."""

    def root(i):
        step = lambda s: (s[0] / 2 + x[i] * x[i] / (s[0] + 1.0), s[1] + 1)  # noqa: E731
        return fold_while((1.0, 0), lambda s: s[1] < n + i, step)[0]

    a = array(lambda i, c: root(i) * x[c], size=(4, n))
    return fold(a, lambda _, a: array(lambda i, j: a[i, j] + fold_sum(lambda q: a[i, q])), count=3)


def kept_states(x, n):
    """A step changes an element of the state that it stores as a row."""

    def step(i, carried):
        state, rows = carried
        kept = array(lambda r, q: where(r == i, state[q], rows[r, q]), size=rows.shape)
        before = state[max(i - 1, 0)] + state[max(i - 2, 0)]
        value = 0.5 * (before + state[i]) + x[i]
        return array(lambda q: where(q == i, value, state[q])), kept

    rows = array(lambda r, q: 0.0, size=(n, x.size()))
    return fold((x, rows), step, count=min(n, x.size()))


PROGRAMS: list[Callable[..., Any]] = [
    logistic, oscillator, backwards, polynomials, late_states, chain, beside_an_array, integers
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [*PROGRAMS, last_states, settled_states, kept_states])
def test_trajectories(program: Callable[..., Any], backend: str) -> None:
    run = function(program)
    for n in sizes_on(backend, (0, 1, 2, 5)):
        expected = run.eval(X, n, backend="naive")
        assert_agree(run.eval(X, n, backend=backend), expected, TOLERANCE, f"{n}")
    narrow = X.astype("float32")
    assert_agree(
        run.eval(narrow, 5, backend=backend), run.eval(narrow, 5, backend="naive"), TOLERANCE
    )


@pytest.mark.parametrize("program", PROGRAMS)
def test_one_loop_takes_the_steps(program: Callable[..., Any]) -> None:
    source = function(program).source(X, 5)
    assert "state.any()" not in source
    assert "for steps in range(t" in source or "for k in range(t" in source


@function
def grown(years, rate, start: Int):
    """Accounts of different ages; the steps from ``start`` on."""

    def value(i):
        step = lambda k, b: b * 0.99 + where(k > start, 1.0, 2.0)  # noqa: E731
        return fold(100.0, step, count=years[i]) + rate[i]

    return array(value)


@pytest.mark.filterwarnings("ignore::ein_mlir.EinPerformanceWarning")
@pytest.mark.parametrize("backend", BACKENDS)
def test_counts_from_data(backend: str) -> None:
    for years in ([], [0], [3, -2, 0, 7, 3], [2**16 + 2, 1]):
        rates = np.linspace(0.0, 1.0, len(years))
        values = [100.0]
        for k in range(max([0, *years])):
            values.append(values[-1] * 0.99 + (1.0 if k > 4 else 2.0))
        expected = np.array([values[max(year, 0)] for year in years]) + rates
        found = grown.eval(np.array(years, np.int64), rates, 4, backend=backend)
        assert_agree(found, expected, {"float64": 1e-9})


def test_a_step_fails_where_a_row_takes_it() -> None:
    """Sizes differ in a step, which is no error where no row takes one."""

    @function
    def run(x, y, n: Int, m: Int):
        def step(_, s):
            total = fold_sum(lambda k: s[k] * y[k])
            return array(lambda j: s[j] * total)

        return array(lambda t, j: fold(x, step, count=t)[0] + y[j], size=(n, m))

    for n, m in ((0, 2), (2, 0), (1, 1)):
        assert_agree(run(X, X[1:], n, m), run.eval(X, X[1:], n, m, backend="naive"), TOLERANCE)
    assert_agree(run(X, X, 3, 2), run.eval(X, X, 3, 2, backend="naive"), TOLERANCE)
    with pytest.raises(ValueError, match="along axis 0 and size of y along axis 0: 7 != 6"):
        run(X, X[1:], 2, 1)


def test_sizes_that_steps_change() -> None:
    """A matrix that is not square changes the size of the state."""

    @function
    def run(a, v, n: Int):
        step = lambda _, p: array(lambda j: fold_sum(lambda i: p[i] * a[i, j]))  # noqa: E731
        states = array(lambda t: fold(v, step, count=t), size=n)
        return array(lambda t, j: states[t, j])

    square = np.random.default_rng(9).normal(size=(3, 3))
    assert_agree(run(square, X[:3], 4), run.eval(square, X[:3], 4, backend="naive"), TOLERANCE)
    assert "state.dot(a)" in run.source(square, X[:3], 4)
    with pytest.raises(ValueError, match="size"):
        run(square[:, :2], X[:3], 4)


def test_too_many_rows() -> None:
    with pytest.raises(ValueError, match="size of index t is too large"):
        function(logistic)(X, 2**60)
    with pytest.raises(ValueError, match="size of index t is negative"):
        function(logistic)(X, -1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients(backend: str) -> None:
    """The loss of a trajectory: derivatives of all its states."""

    def loss(x, y):
        state = lambda t: fold(x[0], lambda k, s: s + 0.1 * (x[1] - s) * x[2 + k], count=t)  # noqa: E731
        return fold_sum(lambda t: (state(t) - y[t]) ** 2.0)

    gradient = grad(loss)
    y = np.linspace(0.0, 1.0, 5)
    expected = gradient.eval(X, y, backend="naive")
    assert_agree(gradient.eval(X, y, backend=backend), expected, {"float64": 1e-10})
