"""Recurrences ``max(x + c, e)``, and combinations since a reset, agree with the interpreter.

Also at infinities. Their steps combine in windows on libraries whose loops are those of Python:
queues, best sums of ranges, rows of alignments, sums of runs.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, compile, concat, fold, function, max, min, where
from tests.agreement.comparison import assert_agree, assert_call_agrees, given
from tests.libraries import BACKENDS
from tests.selection import combinations, sizes_on

INFINITY = float("inf")
SIZES = (0, 1, 2, 5, 17)
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


@function
def waiting_times(x, y):
    def step(k, state):
        waiting, out = state
        waiting = max(0.0, waiting + x[k] - y[k])
        return waiting, array(lambda i: where(i == k, waiting, out[i]))

    return fold((y[0], array(lambda i: 0.0 * x[i])), step, count=x.size())


@function
def departures(x, y):
    def step(k, state):
        last, out = state
        last = max(last, x[k]) + y[k]
        return last, array(lambda i: where(i == k, last, out[i]))

    return fold((-INFINITY, array(lambda i: 0.0 * x[i])), step, count=x.size())[1]


@function
def best_range(x, y):
    def step(k, state):
        current, best = state
        current = max(x[k], current + x[k])
        return current, max(best, current + y[0])

    return fold((-1e30, -1e30), step, count=x.size())


@function
def cheapest_with_pauses(x, y):
    """Some steps only wait, and costs are subtracted."""

    def step(k, state):
        cost, out = state
        cost = where(x[k] > 0.0, min(cost - x[k], y[k]), cost)
        return cost, array(lambda i: where(i == k, cost, out[i]))

    return fold((1.0, array(lambda i: 0.0 * x[i])), step, count=x.size())[1]


@function
def rows(x, y):
    """Rows with a constant cost: each element depends on the one before it and the row above."""

    def row(i, above):
        def cell(j, own):
            new = max(above[j] + x[i] * y[j], own[j] - 0.5)
            return array(lambda q: where(q == j + 1, new, own[q]))

        return fold(array(lambda q: 0.0 * above[q] - i.float()), cell, count=y.size())

    return fold(concat(array(lambda q: 0.0, size=1), y), row, count=x.size())


@function
def towards_start(x, y):
    """The limits are those of a row, from its end to its start."""
    n = x.size()

    def cell(k, out):
        j = n - 1 - k
        new = min(x[j], out[j + 1] + abs(y[j]))
        return array(lambda q: where(q == j, new, out[q]))

    return fold(array(lambda q: INFINITY, size=n + 1), cell, count=n)


@function
def either(x, y):
    """Steps that take a limit, or add a cost."""

    def step(k, state):
        total, out = state
        total = where(x[k] < 0.5, max(total, y[k]), total + x[k] - 0.75)
        return total, array(lambda i: where(i == k, total, out[i]))

    return fold((0.0, array(lambda i: 0.0 * x[i])), step, count=x.size())[1]


def since_reset(start, combine):
    """A fold that combines values, and starts anew in some steps."""

    def run(x, y):
        def step(k, state):
            total, out = state
            total = where(y[k] > -0.5, combine(total, x[k]), y[k])
            return total, array(lambda i: where(i == k, total, out[i]))

        return fold((start, array(lambda i: 0.0 * x[i])), step, count=x.size())

    return function(run)


@function
def elements_since_reset(x, y):
    def step(k, v):
        return array(lambda i: where(i == k + 1, where(y[k] < 0.5, v[k] - x[k], x[k]), v[i]))

    return fold(x, step, count=(x.size() - 1).max(0))


@function
def any_since_reset(x, y):
    def step(k, state):
        found, out = state
        found = where(y[k] < 1.0, found | (x[k] > 1.0), x[k] < -1.0)
        return found, array(lambda i: where(i == k, found, out[i]))

    return fold((False, array(lambda i: x[i] > x[i])), step, count=x.size())


@function
def both_directions(x, y):
    """A loop for each element: there are no scalars, and it stays a loop."""

    def running(i):
        return fold(0.0, lambda k, s: max(s + x[k] * y[i], -1.0), count=x.size())

    return array(running)


PROGRAMS = {
    "waiting-times": waiting_times,
    "departures": departures,
    "best-range": best_range,
    "cheapest-with-pauses": cheapest_with_pauses,
    "rows": rows,
    "towards-start": towards_start,
    "either": either,
    "sums-since-reset": since_reset(0.25, lambda total, e: total + e),
    "products-since-reset": since_reset(1.0, lambda total, e: total * e),
    "maxima-since-reset": since_reset(-1.0, max),
    "elements-since-reset": elements_since_reset,
    "any-since-reset": any_since_reset,
    "both-directions": both_directions,
}
STAYS = {"both-directions", "products-since-reset"}


def numbers(n: int, dtype: str, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n).astype(dtype)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_agrees(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, SIZES, name):
        values = [numbers(size, dtype, 1), numbers(size, dtype, 2)]
        assert_call_agrees(PROGRAMS[name], values, backend, TOLERANCE)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "best-range"])
@pytest.mark.parametrize("seed", range(4))
def test_agrees_at_infinities(name: str, seed: int) -> None:
    """Windows have no NaN that the steps do not have."""
    rng = np.random.default_rng(seed)
    special = np.array([0.0, 1.0, -2.5, INFINITY, -INFINITY, np.nan])
    weights = np.array([4, 4, 4, 1, 2, 0.1])
    for _ in range(10):
        values = [rng.choice(special, 6, p=weights / weights.sum()) for _ in range(2)]
        assert_call_agrees(PROGRAMS[name], values, "numpy", TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
def test_agrees_where_sums_of_costs_overflow(seed: int) -> None:
    """Two costs may have no finite sum, although all values of the steps are finite."""
    rng = np.random.default_rng(seed)
    special = np.array([0.0, 1.5e308, -1.5e308, -INFINITY])
    for _ in range(10):
        values = [rng.choice(special, 6, p=[0.3, 0.3, 0.3, 0.1]) for _ in range(2)]
        assert_call_agrees(either, values, "numpy", TOLERANCE)


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_on_numpy(name: str) -> None:
    """Windows of steps are combined, without a loop over the steps."""
    source = PROGRAMS[name].source(numbers(5, "float64", 1), numbers(5, "float64", 2))
    assert ("weighted_scan" in source) == (name not in STAYS), source


@function
def best_sum(a, b):
    """The largest sum of neighbours, and that of the queue of numbers."""

    def step(k, state):
        current, best, total = state
        current = max(current + a[k], 0)
        return current, max(best, current), total + current

    return fold((b[0], 0, 0), step, count=a.size())


@function
def least_level(a, b):
    """Several sums before and after a minimum: those around one may wrap and cancel."""

    def step(k, state):
        level, least = state
        level = min(level + a[k] - b[k], b[k])
        return level, min(least, level)

    def around(k, state):
        level, total = state
        level = min(level + a[k], b[k]) - a[k]
        return level, total + level

    return fold((7, 7), step, count=a.size()), fold((1, 0), around, count=a.size())


@function
def makespan(a, b):
    """The last level alone: of a queue, and of one with several links in a step."""
    last = fold(b[0], lambda k, t: max(t, a[k]) + b[k], count=a.size())
    return last, fold(b[0], lambda k, t: max(t - a[k], b[k]) + 2, count=a.size())


@function
def polynomials(a, b):
    """Products distribute over sums of Ints, also where they wrap: at the end, and in all steps."""

    def step(k, state):
        value, total = state
        value = where(a[k] > 3, value, value * a[k]) - b[k]
        return value, total + value // 2

    digits = fold(a[0], lambda k, v: v * 10 + b[k], count=a.size())
    prefixes = array(lambda i: fold(7, lambda k, v: v * 31 + a[k], count=i), size=a.size())
    return digits, prefixes, fold((3, 0), step, count=a.size())


@function
def latches(a, b):
    """Bits that steps set and reset, of Bools and of Ints."""

    def step(k, state):
        on, bits, out = state
        on, bits = (on | (a[k] > 0)) & (b[k] < 3), (bits & a[k]) ^ b[k]
        return on, bits, array(lambda i: where(i == k, bits + on.where(1, 0), out[i]))

    return fold((b[0] > 0, 5, array(lambda i: a[i])), step, count=a.size())


@function
def turns(a, b):
    """Remainders of sums: at the end, in all steps, and by a modulus of the arguments."""

    def step(k, state):
        place, visits = state
        place = (place + a[k] - 1) % 7
        return place, array(lambda i: where(i == place, visits[i] + 1, visits[i]))

    last = fold(9, lambda k, s: (a[k] + s) % b[0], count=a.size())
    return last, fold((-20, array(lambda i: 0, size=7)), step, count=a.size())


RUNNING_INTS = [best_sum, least_level, makespan, polynomials, latches, turns]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", RUNNING_INTS)
def test_running_ints(program: Function[..., Any], backend: str) -> None:
    rng = np.random.default_rng(5)
    for size in sizes_on(backend, (0, 1, 2, 17)):
        assert_call_agrees(program, list(rng.integers(-9, 10, (2, size))), backend, {})


@pytest.mark.parametrize("program", RUNNING_INTS)
def test_running_ints_that_wrap(program: Function[..., Any]) -> None:
    rng, most = np.random.default_rng(6), 2**63 - 1
    numbers = [0, 1, -3, 2**61, -(2**62), 2**62 - 1, most, most - 1, -most, -most - 1]
    for _ in range(60):
        assert_call_agrees(program, list(rng.choice(numbers, (2, 4))), "numpy", {})
    source = program.source(*np.ones((2, 3), int))
    assert "accumulate" in source or "weighted_scan" in source, source


@pytest.mark.parametrize("seed", range(4))
def test_last_levels_of_floats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    special = np.array([0.0, 1.5e308, -1.5e308, INFINITY, -INFINITY, np.nan, 1.0, -2.5])
    for size in (0, 1, 2, 6):
        values = [rng.choice(special, size, p=[0.3, 0.05, 0.05, 0.05, 0.1, 0.05, 0.2, 0.2])] * 2
        assert_call_agrees(makespan, [values[0], values[1][::-1].copy()], "numpy", TOLERANCE)
        regular = [numbers(size, "float64", seed), numbers(size, "float64", seed + 9)]
        assert_call_agrees(makespan, regular, "numpy", TOLERANCE)


@pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch")
def test_batches_on_torch() -> None:
    """No test of values, which are hidden, chooses between a scan and a loop."""
    import torch

    for program, batch in (
        (best_range, np.random.default_rng(7).normal(size=(2, 3, 5))),
        (best_sum, np.random.default_rng(7).integers(-9, 10, (2, 3, 5))),
    ):
        found = torch.func.vmap(program)(*map(torch.from_numpy, batch))
        rows = [program(*rows) for rows in zip(*batch, strict=True)]
        for column, expected in zip(found, zip(*rows, strict=True), strict=True):
            np.testing.assert_allclose(column, expected, rtol=1e-12)


OPERATION = """
func.func @f(%x: !phi.vec<f64>, %t: !phi.vec<i1>) -> !phi.vec<f64> {
  %r = phi.weighted_scan "min" %x by %t : !phi.vec<f64> by !phi.vec<i1>
  func.return %r : !phi.vec<f64>
}
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_share_no_memory_with_arguments(backend: str) -> None:
    compiled, reference = compile(OPERATION, backend=backend), compile(OPERATION, backend="naive")
    for size in sizes_on(backend, SIZES):
        x, t = numbers(size, "float64", 3), numbers(size, "float64", 4) > -0.5
        given_x, given_t = given(x, backend), given(t, backend)
        result = np.asarray(compiled(given_x, given_t))
        np.testing.assert_array_equal(result, reference(x, t))
        assert not np.shares_memory(result, np.asarray(given_x))


@function
def counters(a, by, count):
    """Counters that grow by the same Int in each step, and may wrap, as positions."""

    def step(_, state):
        up, down, held, a = state
        a = array(lambda p: where(p == a[up] % 7, a[down] + held, a[p]), size=a.size())
        return up + by, down - 2, where(by > 3, held + by, held), a

    return fold((0, a.size(), 5, a), step, count=count)


@pytest.mark.parametrize("backend", ["numpy", "native", "torch", "jax"])
def test_counters_of_steps(backend: str) -> None:
    for size in sizes_on(backend, (1, 2, 7)):
        a = np.random.default_rng(size).integers(-9, 9, size)
        for by in (0, 1, -1, 4, 2**62, -(2**63), 2**63 - 1):
            expected = counters.eval(a, by, size, backend="naive")
            assert_agree(counters.eval(a, by, size, backend=backend), expected, {}, f"{size} {by}")
