"""Extremes and sums at positions that are combined with those of another array: all backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, accumulate, array, fold, function, max, min
from tests.agreement.comparison import assert_agree
from tests.libraries import BACKENDS, needs
from tests.selection import sizes_on


def at(k, v, d, by):
    return accumulate(lambda e: (k[e], v[e]), size=d.size(), by=by)


def least(k, v, d):
    m = at(k, v, d, "min")
    return array(lambda i: min(d[i], m[i]))


def another_extreme(k, v, d):
    m = at(k, v, d, "max")
    return array(lambda i: min(d[i], m[i]))


def used_twice(k, v, d):
    m = at(k, v, d, "max")
    return array(lambda i: max(m[i], d[i]) + m[i])


def several_starts(k, v, d):
    m = at(k, v, d, "max")
    return array(lambda i: max(max(m[i], d[i]), 2.0 * d[i] - 1.0) * 3.0)


def starts_with_extremes(k, v, d):
    m, n = at(k, v, d, "max"), at(k, array(lambda e: 1.0 - v[e]), d, "max")
    return array(lambda i: max(m[i], n[i]))


def number(k, v, d):
    m = at(k, v, d, "max")
    return array(lambda i: max(m[i], 0.25))


def before_a_loop(k, v, d):
    m = at(k, v, d, "min")
    return fold(d, lambda t, x: array(lambda i: min(m[i], x[i] * 0.5 + x[i - 1])), count=3)


def in_a_loop(k, v, d):
    def step(t, x):
        m = accumulate(lambda e: (k[e], x[k[e] + 1] + v[e]), size=d.size(), by="min")
        return array(lambda i: min(m[i], x[i]))

    return fold(d, step, count=3)


def rows(k, v, d):
    n = d.size()
    m = accumulate(lambda e, c: ((k[e], c), v[e] * d[c]), size=(n, n), by="max")
    w = accumulate(lambda e, c: ((c, k[e]), v[e] - d[c]), size=(n, n), by="min")
    return array(lambda i, j: max(m[i, j], d[j])), array(lambda i, j: min(d[i] - d[j], w[j, i]))


def of_other_types(k, v, d):
    some = accumulate(lambda e: (k[e], v[e] > 0.5), size=d.size(), by="any")
    ints = accumulate(lambda e: (k[e], k[e] * 7 % 5), size=d.size(), by="min")
    return array(lambda i: (some[i] | (d[i] > 0.3), min(ints[i], i)))


def sums(k, v, d):
    by_one = at(k, v, d, "sum")
    n = d.size()
    of_rows = accumulate(lambda e: (k[e], array(lambda c: v[e] * d[c])), size=n)
    halves = accumulate(lambda e: (k[e], v[e].float("f16")), size=n)
    counts = accumulate(lambda e: (k[e], k[e]), size=n)
    return array(
        lambda i: (
            d[i] + by_one[i],
            array(lambda c: of_rows[i, c] + d[c]),
            halves[i] + d[i].float("f16"),
            counts[i] + i,
        )
    )


PROGRAMS: list[Callable[..., Any]] = [
    least, another_extreme, used_twice, several_starts, starts_with_extremes, number,
    before_a_loop, in_a_loop, rows, of_other_types, sums,
]  # fmt: skip


def given(size: int, seed: int) -> tuple[Any, Any, Any]:
    """Positions in and out of bounds, values and starts, with ties and, for some seeds, NaN."""
    rng = np.random.default_rng(seed)
    k, v = rng.integers(-1, size + 1, 2 * size), rng.normal(size=2 * size).round(seed % 3)
    d = rng.normal(size=size).round(seed % 3)
    if seed == 0:
        v[rng.random(2 * size) < 0.2] = d[rng.random(size) < 0.2] = np.nan
    return k, v, d


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_extremes_that_start_with_an_array(program: Callable[..., Any], backend: str) -> None:
    run = function(program)
    for size in sizes_on(backend, (0, 1, 2, 7)):
        for seed in range(3):
            arguments = given(size, seed)
            expected = run.eval(*arguments, backend="naive")
            assert_agree(
                run.eval(*arguments, backend=backend), expected, {"float64": 1e-12, "float16": 2e-2}
            )


@needs("torch")
@pytest.mark.parametrize("program", [least, rows, in_a_loop, sums])
def test_starts_under_vmap_of_pytorch(program: Callable[..., Any]) -> None:
    import torch

    run: Function[..., Any] = function(program)
    k, v, d = given(4, 1)
    for own in ((None, 0, None), (None, None, 0), (0, None, None)):
        batch = [
            torch.from_numpy(x if axis is None else np.stack([x, x[::-1]]))
            for axis, x in zip(own, (k, v, d), strict=True)
        ]
        found = torch.func.vmap(run, own)(*batch)
        for i in range(2):
            one = [x if axis is None else x[i] for axis, x in zip(own, batch, strict=True)]
            assert_agree(
                _numbers(found, i), _numbers(run(*one)), {"float64": 1e-12, "float16": 1e-2}
            )


def _numbers(results: Any, *position: int) -> Any:
    """Results of PyTorch as arrays."""
    if isinstance(results, tuple):
        return tuple(_numbers(each, *position) for each in results)
    return results[position].numpy()


@needs("jax")
@pytest.mark.parametrize("program", [least, in_a_loop])
def test_derivatives_of_jax_pass_through_starts(program: Callable[..., Any]) -> None:
    import jax
    from jax.test_util import check_grads

    run: Function[..., Any] = function(program)
    k, v, d = given(7, 1)
    v, d = v + np.arange(14) / 31, d + np.arange(7) / 37  # no ties, where both sides differ

    def loss(v: Any, d: Any) -> Any:
        return sum(jax.numpy.sum(jax.numpy.sin(x)) for x in jax.tree.leaves(run.jax(k, v, d)))

    with jax.enable_x64(True):
        check_grads(loss, (v, d), order=1, rtol=1e-5, atol=1e-5)
