"""Versions of NumPy code for small arrays in loops."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import array, fold, fold_argmin, fold_min, fold_sum, fold_while, function, scan, where
from ein_mlir.analysis.phi.small_arrays import SCALARIZED
from ein_mlir.dialects import phi
from ein_mlir.errors import EinValueError
from ein_mlir.passes.phi.scalarize_small_arrays.rules import RULES
from ein_mlir.small_arrays import LARGEST, LEAST_STEPS, MOST_VERSIONS


def mixed(start: Any, m: Any, steps: Any) -> Any:
    def step(t: Any, v: Any) -> Any:
        w = array(lambda i: fold_sum(lambda j: m[i, j] * v[j]))
        return array(lambda i: w[i] / (1.0 + abs(w[0])) + 0.001 * t.float())

    return fold(start, step, count=steps)


def counted(x: Any, k: Any) -> Any:
    def step(i: Any, counts: Any) -> Any:
        least = fold_argmin(lambda j: counts[j], count=k)
        return array(lambda j: counts[j] + where(j == least, x[i], -1))

    return fold(array(lambda j: 0, size=k), step, count=x.size(0))


def settled(v: Any, limit: Any) -> Any:
    def step(state: Any) -> Any:
        w, _ = state
        sums = scan(w, 0.0, lambda a, b: a + b)
        new = array(lambda i: 0.5 * w[i] + 0.25 * sums[i] / (1.0 + i.float()))
        return new, fold_sum(lambda i: abs(new[i] - w[i]))

    return fold_while((v, 1.0), lambda state: state[1] > limit, step)[0]


def shrunk(x: Any, v: Any) -> Any:
    """A step takes differences of neighbours: one fewer than elements."""

    def step(t: Any, v: Any) -> Any:
        d = array(lambda i: v[i + 1] - v[i], size=v.size(0) - 1)
        return array(lambda i: v[i] - x[t] * where(i < v.size(0) - 1, d[ein.min(i, 0)], 0.0))

    return fold(v, step, count=x.size(0))


def turned(z: Any, v: Any) -> Any:
    """The steps are as many as complex numbers, and so are the elements of the state."""

    def step(k: Any, v: Any) -> Any:
        return array(lambda i: v[i] * 0.5 + z[k].real * v[0], size=v.size(0))

    return fold(v, step, count=z.size(0)), fold(v, step, count=40)


def recorded(start: Any, m: Any, steps: Any) -> Any:
    """A state of few numbers, and a long array of one of them, in which nested loops put it."""

    def step(t: Any, s: Any) -> Any:
        v, out = s
        v = array(lambda i: fold_sum(lambda j: m[i, j] * v[j]) / (1.0 + abs(v[0])))

        def put(k: Any, out: Any) -> Any:
            return array(lambda i: where((i == t * 2 + k) & (v[0] > 0), v[k], out[i]))

        return v, fold(out, put, count=2)

    return fold((start, array(lambda i: 0.0, size=2 * steps)), step, count=steps)[1]


def least_coins(total: Any, coins: Any) -> Any:
    """Searches among few choices, from earlier elements of a long array."""
    n = total + 1

    def amount(s: Any, least: Any) -> Any:
        best = fold_min(lambda k: where(coins[k] <= s, least[s - coins[k]] + 1, 10**9))
        return array(lambda i: where((i == s) & (s > 0), best, least[i]))

    return fold(array(lambda i: where(i == 0, 0, 10**9), size=n), amount, count=n)


def served(arrive: Any, servers: Any) -> Any:
    """The only array of a step is one of which it replaces the element that it finds."""

    def step(k: Any, free: Any) -> Any:
        first = fold_argmin(lambda j: free[j], count=servers)
        return array(lambda j: where(j == first, ein.max(arrive[k], free[first]) + 2.0, free[j]))

    return fold(array(lambda j: 0.0, size=servers), step, count=arrive.size(0))


def rows_replaced(start: Any, m: Any, steps: Any) -> Any:
    """Rows of a table are computed: a long table has no version."""

    def step(t: Any, table: Any) -> Any:
        return array(
            lambda i, j: where(i == t, start[j] + 0.5 * table[i - 1, j], table[i, j]),
            size=(steps, start.size(0)),
        )

    return fold(array(lambda i, j: 0.0, size=(steps, start.size(0))), step, count=steps)


def rows(z: Any, v: Any) -> Any:
    """The state has as many elements as there are complex numbers."""
    start = array(lambda i: v[0], size=z.size(0))

    def step(k: Any, w: Any) -> Any:
        return array(lambda i: w[i] * 0.5 + z[i].real * w[0])

    return fold(start, step, count=40)


def _random(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape)


SIZES = [1, 2, 3, LARGEST, LARGEST + 1]


@pytest.mark.parametrize("steps", [0, 1, LEAST_STEPS, 50])
@pytest.mark.parametrize("size", SIZES)
def test_sizes_of_arrays(size: int, steps: int) -> None:
    start, m = _random(size), _random(size, size) / size
    program = function(mixed)
    want = program.eval(start, m, steps, backend="naive")
    np.testing.assert_allclose(program.numpy(start, m, steps), want, rtol=1e-12)


@pytest.mark.parametrize("steps", [0, 1, 50])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("f", [recorded, rows_replaced], ids=lambda f: f.__name__)
def test_long_arrays_beside_small_ones(f: Any, size: int, steps: int) -> None:
    start, m = _random(size), _random(size, size) / size
    want = function(f).eval(start, m, steps, backend="naive")
    np.testing.assert_allclose(function(f).numpy(start, m, steps), want, rtol=1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_few_choices(size: int) -> None:
    coins = np.random.default_rng(size).integers(-1, 12, size)
    want = function(least_coins).eval(60, coins, backend="naive")
    np.testing.assert_array_equal(function(least_coins).numpy(60, coins), want)


@pytest.mark.parametrize("size", SIZES)
def test_an_element_that_a_step_finds(size: int) -> None:
    arrive = np.cumsum(np.random.default_rng(2).random(60))
    want = function(served).eval(arrive, size, backend="naive")
    np.testing.assert_array_equal(function(served).numpy(arrive, size), want)
    source = function(served).source(arrive, size, backend="numpy")
    assert ("this version takes" in source) == (size <= LARGEST)


def test_the_replaced_elements_may_be_many() -> None:
    start, m = _random(2), _random(2, 2)
    for f, arguments in (recorded, (start, m, 500)), (least_coins, (500, np.array([1, 5, 9]))):
        source = function(f).source(*arguments, backend="numpy")
        assert "as the size of" in source
        assert not re.search(r"np\.(min|add|where|multiply|matmul)|\.min\(| @ ", source)
    assert "as the size of" not in function(rows_replaced).source(start, m, 500, backend="numpy")


@pytest.mark.parametrize("size", SIZES)
def test_sizes_that_are_ints(size: int) -> None:
    x = np.random.default_rng(1).integers(0, 9, 40)
    program = function(counted)
    np.testing.assert_array_equal(program.numpy(x, size), program.eval(x, size, backend="naive"))


@pytest.mark.parametrize("size", SIZES)
def test_loops_with_a_condition(size: int) -> None:
    v = _random(size)
    program = function(settled)
    want = program.eval(v, 1e-3, backend="naive")
    np.testing.assert_allclose(program.numpy(v, 1e-3), want, rtol=1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_sizes_computed_from_others(size: int) -> None:
    x, v = _random(40) / 50, _random(size)
    program = function(shrunk)
    want = program.eval(x, v, backend="naive")
    np.testing.assert_allclose(program.numpy(x, v), want, rtol=1e-12)


@pytest.mark.parametrize("program", [turned, rows], ids=lambda program: program.__name__)
@pytest.mark.parametrize("size", [1, 3, 40])
def test_complex_numbers(program: Any, size: int) -> None:
    z, v = _random(size) + 1j * _random(size), _random(3)
    want = function(program).eval(z, v, backend="naive")
    np.testing.assert_allclose(function(program).numpy(z, v), want, rtol=1e-12)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0])
def test_values_that_are_no_numbers(value: float) -> None:
    start, m = np.array([value, 1.0]), np.array([[1.0, value], [0.5, 2.0]])
    program = function(mixed)
    with np.errstate(all="ignore"):
        want = program.eval(start, m, 40, backend="naive")
    np.testing.assert_array_equal(program.numpy(start, m, 40), want)


def test_the_elements_of_small_arrays_are_numbers() -> None:
    start, m = _random(2), _random(2, 2)
    source = function(mixed).source(start, m, 40, backend="numpy")
    assert "this version takes 2 as the size of start along axis 0" in source
    for few in (start, m, LEAST_STEPS - 1), (_random(LARGEST + 1), _random(9, 9), 40):
        assert "as the size of" not in function(mixed).source(*few, backend="numpy")
    assert "this version takes 3 as k" in function(counted).source(
        np.arange(40), 3, backend="numpy"
    )


def test_emitted_versions_check_their_sizes() -> None:
    program = ein.compile(function(counted).phi(np.arange(40), 3))
    version = program.for_sizes_of([np.arange(40), 3])
    names: dict[str, Any] = {}
    exec(version.source, names)
    with pytest.raises(ValueError, match="this version takes 3 as k: 4 != 3"):
        names[version.signature.name](np.arange(40), 4)


def test_a_program_has_few_versions() -> None:
    program = ein.compile(function(counted).phi(np.arange(40), 3))
    versions = {program.for_sizes_of([np.arange(40), k]) for k in range(1, LARGEST + 1)}
    assert len(versions) == MOST_VERSIONS + 1
    assert program in versions


def test_errors_are_those_of_the_program() -> None:
    start, m = _random(2), _random(2, 3)
    for steps in (5, 50):
        with pytest.raises((EinValueError, ValueError), match="2"):
            function(mixed).numpy(start, m, steps)


def test_versions_are_made_by_threads() -> None:
    program, m = function(mixed), _random(2, 2)
    starts = [_random(2) + k for k in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda start: program.numpy(start, m, 40), starts))
    for start, result in zip(starts, found, strict=True):
        np.testing.assert_array_equal(result, program.numpy(start, m, 40))


def test_tensors_without_gradients_run_them() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    start, m = _random(3), _random(3, 3)
    found = function(mixed).torch(torch.from_numpy(start), torch.from_numpy(m), 40)
    np.testing.assert_allclose(found.numpy(), function(mixed).numpy(start, m, 40), rtol=1e-12)


def test_operations_of_small_loops_have_rules() -> None:
    with_rules = {kind for kind in RULES if issubclass(kind, phi.PhiOp)}
    assert with_rules == {*SCALARIZED} - {phi.YieldOp}
