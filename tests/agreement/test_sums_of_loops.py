"""Sums of loops: they run together, and errors of the loops are those of the program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, exp, fold, fold_max, fold_sum, function, log, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees, given
from tests.libraries import BACKENDS, in_64_bits
from tests.selection import combinations, sizes_on


@function
def paths(z: Vec[Vec[Float]], steps: Int):
    """A sum of recurrences, with a count that may be negative."""

    def path(p):
        return fold(1.0, lambda t, x: x * 0.5 + z[t, p], count=steps)

    return fold_sum(path, count=z.size(1))


@pytest.mark.parametrize("backend", ["naive", "native"])
def test_a_negative_count_is_an_error_if_there_is_a_step(backend: str) -> None:
    """A sum without terms runs no loop, whose count may then be anything."""
    with pytest.raises(ValueError, match="count of t is negative: -1"):
        paths.eval(np.ones((3, 4)), -1, backend=backend)
    assert paths.eval(np.ones((3, 0)), -1, backend=backend) == 0.0
    assert paths.eval(np.ones((3, 4)), 0, backend=backend) == 4.0


@function
def likelihood(scores: Vec[Vec[Vec[Float]]], pairs: Vec[Vec[Float]], lengths: Vec[Int]):
    """Chains of several lengths, whose loops carry vectors and reduce matrices."""
    states = pairs.size()

    def chain(b: Int) -> Float:
        def step(t: Int, before: Vec[Float]) -> Vec[Float]:
            def state(j: Int) -> Float:
                most = fold_max(lambda i: before[i] + pairs[i, j])
                total = fold_sum(lambda i: exp(before[i] + pairs[i, j] - most))
                return where(t < lengths[b], most + log(total) + scores[b, t, j], before[j])

            return array(state, size=states)

        last = fold(array(lambda j: scores[b, 0, j]), step, count=scores.size(1))
        used = fold_sum(lambda t: where(t < lengths[b], scores[b, t, 0], 0.0))
        return fold_sum(lambda j: last[j]) + used

    return fold_sum(chain, count=scores.size(0))


@function
def discrepancy(x: Vec[Vec[Float]], y: Vec[Vec[Float]], widths: Vec[Float]):
    """Sums over all pairs of rows."""

    def kernel(i: Int, j: Int) -> Float:
        distance = fold_sum(lambda k: (x[i, k] - y[j, k]) ** 2.0)
        return fold_sum(lambda s: exp(-distance / widths[s]))

    return fold_sum(lambda i, j: kernel(i, j), count=(x.size(), y.size()))


def inputs(name: str, size: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(size)
    x, y = (rng.standard_normal((n, 3)).astype(dtype) for n in (size, size + 1))
    scores, pairs = (rng.standard_normal((*s, 3)).astype(dtype) for s in ((size, size + 1), (3,)))
    return {
        "discrepancy": (x, y, np.array([1.0, 2.0], dtype)),
        "likelihood": (scores, pairs, rng.integers(0, size + 2, size)),
    }[name]


TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
PROGRAMS: dict[str, Function[..., Any]] = {f.__name__: f for f in (likelihood, discrepancy)}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_loops_run_together(name: str, backend: str, dtype: str) -> None:
    """A sum of loops takes a step of all of them at once, or of those in a block."""
    for size in sizes_on(backend, (0, 1, 2, 5), name):
        arguments = inputs(name, size, dtype)
        assert_call_agrees(PROGRAMS[name], arguments, backend, TOLERANCE)


@function
def moves(scores: Vec[Vec[Vec[Float]]], pairs: Vec[Vec[Float]], steps: Int):
    """Each step compares sizes."""

    def chain(b: Int) -> Float:
        def step(t: Int, before: Vec[Float]) -> Vec[Float]:
            return array(
                lambda k: fold_sum(lambda j: before[j] * pairs[j, k]) + scores[b, t, k],
                size=scores.size(2),
            )

        last = fold(array(lambda k: scores[b, 0, k]), step, count=steps)
        return fold_sum(lambda k: last[k])

    return fold_sum(chain, count=scores.size(0))


@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
def test_sizes_are_compared_if_a_step_is_taken(backend: str) -> None:
    def run(chains: int, rows: int, steps: int) -> Any:
        arguments = np.ones((chains, 3, 4)), np.ones((rows, 4))
        with in_64_bits(backend):
            given_ones = [given(each, backend) for each in arguments]
            return np.asarray(moves.eval(*given_ones, steps, backend=backend))

    values = (2, 4, 1, 40.0), (2, 4, 0, 8.0), (2, 3, 0, 8.0), (0, 3, 2, 0.0)
    for chains, rows, steps, total in values:
        assert run(chains, rows, steps) == total
    with pytest.raises(ValueError, match=r"counter j: .*: (4 != 3|3 != 4)"):
        run(2, 3, 1)
    with pytest.raises(ValueError, match="count of t is negative: -1"):
        run(1, 4, -1)


def test_compared_sizes_leave_loops_together() -> None:
    source = moves.source(np.ones((2, 3, 4)), np.ones((4, 4)), 1, backend="numpy")
    assert "for b in" not in source
