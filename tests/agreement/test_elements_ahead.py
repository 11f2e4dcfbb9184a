"""Loops whose steps read elements that later steps write, at distances known at run time."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import array, fold, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

loop: Any = fold


def put(a: Any, i: Any, x: Any, is_written: Any = True) -> Any:
    return array(lambda t: where((t == i) & is_written, x, a[t]), size=a.size())


def knapsack(x: Any, d: Any, e: Any) -> Any:
    """The best value for each capacity, downwards: each thing is taken once."""
    n = x.size()

    def item(k: Any, best: Any) -> Any:
        weight = where(k == 0, d, e)

        def step(t: Any, best: Any) -> Any:
            return put(best, n - 1 - t, ein.max(best[n - 1 - t], best[n - 1 - t - weight] + x[k]))

        return loop(best, step, count=ein.max(n - weight, 0).min(n + 5))

    return loop(array(lambda i: 0.0, size=n), item, count=2)


def upwards(x: Any, d: Any, e: Any) -> Any:
    """Elements ahead of the written one, from a position on that may be out of bounds."""
    n = x.size()
    return loop(x, lambda t, v: put(v, t + e, v[t + e + d] * 2.0 - v[t + e + 1]), count=n)


def conditional(x: Any, d: Any, e: Any) -> Any:
    """Writes that depend on elements ahead, and an element of the step's own."""
    n = x.size()

    def step(t: Any, v: Any) -> Any:
        ahead = v[n - 1 - t - d]
        return put(v, n - 1 - t, v[n - 1 - t] - ahead, (ahead > 0.5) | (t == e))

    return loop(x, step, count=n)


def varying(x: Any, d: Any, e: Any) -> Any:
    """A distance that varies with the step: one by one."""
    n = x.size()
    return loop(x, lambda t, v: put(v, n - 1 - t, v[n - 1 - t - (d + t) % 3] + 1.0), count=n)


PROGRAMS = {f.__name__: function(f) for f in (knapsack, upwards, conditional, varying)}
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
DISTANCES = (0, 1, 2, 31, 40, 100, 2**62, 2**63 - 1, -1, -40, -(2**63))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_backends(name: str, backend: str) -> None:
    rng = np.random.default_rng(3)
    pairs = [(0, 3, 1), (1, 0, 0), (40, 3, 7)]
    if backend == "numpy":
        pairs += [(40, d, 3) for d in DISTANCES] + [(70, 5, e) for e in DISTANCES]
    for n, d, e in pairs:
        assert_call_agrees(PROGRAMS[name], [rng.random(n), d, e], backend, TOLERANCE)


def test_all_elements_at_once() -> None:
    source = PROGRAMS["knapsack"].source(np.zeros(40), 3, 4, backend="numpy")
    assert re.search(r"\w+\[\w+ : .* : 1\] = \w+", source)
