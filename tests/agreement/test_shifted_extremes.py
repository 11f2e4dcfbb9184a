"""Maxima and minima of sums in which one term is the same for all steps, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir import array, fold_max, fold_min, function, where
from tests.agreement.comparison import assert_agree
from tests.selection import examples, sizes_on

INF = float("inf")


def best_of_pairs(p, q):
    """The best trade: of all pairs in order, or none."""
    return fold_max(lambda i, j: where(i <= j, p[j] - q[i], 0.0))


def best_before(p, q):
    return array(lambda j: fold_max(lambda i: where(i < j, p[j] - q[i], -INF)))


def worst_behind(p, q):
    return array(lambda j: fold_min(lambda i: where(j < i, q[i] - p[j], INF)))


def counted(p, q):
    return array(lambda j: fold_min(lambda i: p[j] + q[i], count=j + 1))


def other_choice(p, q):
    """Steps that are not chosen have a value, which depends on the row."""
    return array(lambda j: fold_max(lambda i: where(i <= j, q[i] + p[j], p[j])))


PROGRAMS: list[Callable[..., Any]] = [
    best_of_pairs, best_before, worst_behind, counted, other_choice
]  # fmt: skip
FLOATS = st.sampled_from([0.0, 1.5, -2.0, 1e308, -1e308, INF, -INF, float("nan")])


@pytest.mark.parametrize("backend", ["native", "torch", "jax"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_extremes(program: Callable[..., Any], backend: str) -> None:
    run, rng = function(program), np.random.default_rng(6)
    for size in sizes_on(backend, (0, 1, 2, 7)):
        p, q = rng.normal(size=(2, size))
        expected = run.eval(p, q, backend="naive")
        assert_agree(run.eval(p, q, backend=backend), expected, {"float64": 1e-12})
    p, q = np.array([[1.0, INF, -INF, 2.0], [INF, 3.0, -INF, np.nan]])
    assert_agree(run.eval(p, q, backend=backend), run.eval(p, q, backend="naive"), {})


@pytest.mark.parametrize("program", PROGRAMS)
@settings(max_examples=examples(40))
@given(st.lists(st.tuples(FLOATS, FLOATS), max_size=5))
def test_extremes_of_any_floats(
    program: Callable[..., Any], pairs: list[tuple[float, float]]
) -> None:
    run = function(program)
    p, q = np.array(pairs, float).reshape(-1, 2).T.copy()
    assert_agree(run.numpy(p, q), run.eval(p, q, backend="naive"), {})


@pytest.mark.parametrize("program", PROGRAMS[:-1])
def test_no_table_of_pairs(program: Callable[..., Any]) -> None:
    source = function(program).source(np.ones(3), np.ones(3))
    assert "scan(np.minimum" in source or "minimum.accumulate(" in source
    assert "[:, None]" not in source


def to_nearest(p):
    """The distance to the nearest element with a property: a scan from either end."""
    n = p.size(0)
    return array(lambda i: fold_min(lambda k: where(p[k] > 0, abs(i - k), n), count=n), size=n)


def to_nearest_other(p):
    n = p.size(0)
    return array(lambda i: fold_min(lambda k: where((p[k] > 0) & (k != i), abs(i - k), n)), size=n)


def since_last(p):
    """The other choice is better than some terms: it counts if any step has it."""
    n = p.size(0)
    return array(lambda i: fold_min(lambda k: where((p[k] > 0) & (k <= i), i - k, 2)), size=n)


def to_farthest(p):
    n = p.size(0)
    return array(lambda i: fold_max(lambda k: where(p[k] > 0, abs(i - k), -1), count=n), size=n)


@pytest.mark.parametrize("backend", ["numpy", "native", "torch", "jax"])
@pytest.mark.parametrize("program", [to_nearest, to_nearest_other, since_last, to_farthest])
def test_distances(program: Callable[..., Any], backend: str) -> None:
    run, rng = function(program), np.random.default_rng(7)
    for size in sizes_on(backend, (0, 1, 2, 7)):
        for p in (rng.normal(size=size), -np.ones(size), np.ones(size)):
            assert_agree(run.eval(p, backend=backend), run.eval(p, backend="naive"), {})
    if backend == "numpy":
        source = run.source(np.ones(3))
        assert "accumulate(" in source or "scan(" in source
        assert "[:, None]" not in source
