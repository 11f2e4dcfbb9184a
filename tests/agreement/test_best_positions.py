"""Folds that carry the position of the best element, and compare the elements there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, exp, fold, fold_sum, function, sqrt, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
INFINITY = float("inf")


def positions(x: Any, y: Any) -> Any:
    """Of the first and the last of equal elements, with the operands in either order."""
    n = y.size()
    return (
        fold(0, lambda i, b: where(y[i] > y[b], i, b), count=n),
        fold(0, lambda i, b: where(y[i] <= y[b], i, b), count=n),
        fold(n - 1, lambda i, b: where(y[b] < y[i], i, b), count=n),
    )


def conditions(x: Any, y: Any) -> Any:
    """Another condition; two positions."""
    n = y.size()
    ends = fold(
        (0, 0),
        lambda i, s: (where(y[i] > y[s[0]], i, s[0]), where(y[i] < y[s[1]], i, s[1])),
        count=n,
    )
    return (
        fold(0, lambda i, b: where((y[i] < 0.5) & (y[i] > y[b]), i, b), count=n),
        y[ends[0]] - y[ends[1]],
    )


def in_rows(x: Any, y: Any) -> Any:
    """A position in each row, by a function of its element; the row that is nearest to another."""
    n, m = x.size(), x.size(1)

    def best(r: Any) -> Any:
        return fold(0, lambda i, b: where(abs(x[r, i]) > abs(x[r, b]), i, b), count=m)

    def distance(i: Any) -> Any:
        return fold_sum(lambda a: (x[i, a] - 0.5) * (x[i, a] - 0.5))

    nearest = fold(0, lambda i, b: where(distance(i) < distance(b), i, b), count=n)
    return array(best, size=n), nearest


def changes(x: Any, y: Any) -> Any:
    """The number of changes beside the position; a comparison that NaN fails takes the step."""
    n = y.size()
    return (
        fold(
            (0, 0),
            lambda i, s: (where(y[i] > y[s[0]], i, s[0]), where(y[i] > y[s[0]], s[1] + 1, s[1])),
            count=n,
        ),
        fold(0, lambda i, b: where(y[b] >= y[i], b, i), count=n),
    )


def carried_arrays(x: Any, y: Any) -> Any:
    """The steps change the array: the element at a position is not the one that it had."""

    def step(i: Any, state: Any) -> Any:
        b, v = state
        return (
            where(v[i] > v[b], i, b),
            array(lambda j: where(j == i, v[b] * 0.5, v[j])),
        )

    return fold((0, y), step, count=y.size())


def _light(u: Any, v: Any) -> tuple[Any, Any]:
    depth = v * u - 0.5 * abs(u - v)
    return depth, exp(-depth * depth) * (u - v) / (1.0 + v * v) + 0.25 * depth * u


def nearest(x: Any, y: Any) -> Any:
    """Values of the first of the nearest ones, for each element; there may be none."""

    def step(u: Any, k: Any, best: Any) -> Any:
        depth, light = _light(u, y[k])
        return where((depth > -0.5) & (depth < best[0]), (depth, light), best)

    return array(lambda i: fold((INFINITY, 0.0), lambda k, b: step(x[i, 0], k, b), count=y.size()))


def last_nearest(x: Any, y: Any) -> Any:
    """The same for the last of the nearest ones below a limit."""

    def step(u: Any, k: Any, best: Any) -> Any:
        depth, light = _light(u, y[k])
        return where((depth > -0.5) & (depth <= best[0]), (depth, light), best)

    return array(lambda i: fold((0.25, 0.5), lambda k, b: step(x[i, 0], k, b), count=y.size()))


def farthest(x: Any, y: Any) -> Any:
    """A value, and the position, of the farthest one."""

    def step(u: Any, k: Any, best: Any) -> Any:
        far = abs(y[k] - u)
        value = sqrt(far + 1.0) * far * u - y[k] * far / (far + 0.5)
        return where(far > best[1], (k, far, value.max(0.0)), best)

    return array(lambda i: fold((7, 0.5, -1.0), lambda k, b: step(x[i, 0], k, b), count=y.size()))


PROGRAMS = {
    f.__name__: function(f)
    for f in (
        positions,
        conditions,
        in_rows,
        changes,
        carried_arrays,
        nearest,
        last_nearest,
        farthest,
    )
}


def inputs(n: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    y = np.round(rng.standard_normal(n).astype(dtype), 1)
    if n > 4:
        y[n // 2] = np.nan
    return rng.standard_normal((n, n + 1)).astype(dtype), y


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for n in sizes_on(backend, (0, 1, 2, 7), name):
        assert_call_agrees(PROGRAMS[name], inputs(n, dtype), backend, TOLERANCE)


@pytest.mark.parametrize("name", ["positions", "conditions", "in_rows"])
def test_a_search_is_no_loop(name: str) -> None:
    source = PROGRAMS[name].source(*inputs(5, "float64"))
    assert "for i in range" not in source


@pytest.mark.parametrize("name", ["nearest", "last_nearest", "farthest"])
def test_values_of_the_best_are_computed_after_the_loop(name: str) -> None:
    source = PROGRAMS[name].source(*inputs(5, "float64"))
    loop = source[source.index("for k in range") :].partition("out[start:stop]")[0]
    assert not any(function in loop for function in ("np.exp(", "np.sqrt(", "np.maximum("))
