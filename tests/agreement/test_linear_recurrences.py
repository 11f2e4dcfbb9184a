"""Linear recurrences: smoothing, filters and autoregressive series, in blocks of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, max, where
from tests.libraries import BACKENDS, in_64_bits
from tests.selection import sizes_on

COUNTS = (0, 1, 2, 7, 300)
"""Those of 256 steps and more are computed in blocks."""


def put(v: Any, place: Any, value: Any) -> Any:
    return array(lambda i: where(i == place, value, v[i]))


def zeros(n: Any) -> Any:
    return array(lambda i: 0.0, size=n)


@function
def smoothed(u: Any, c: Any, y: Any) -> Any:
    """One field, which another one reads, and its last value."""

    def step(t: Any, state: Any) -> Any:
        y, out = state
        y = c * y + u[t]
        return y, put(out, t, y)

    return fold((y, zeros(u.size())), step, count=u.size())


@function
def smoothed_singly(u: Any, c: Any, y: Any) -> Any:
    """The same for floats of 32 bits."""

    def step(t: Any, state: Any) -> Any:
        y, out = state
        y = c * y + u[t]
        return y, put(out, t, y)

    return fold((y, u), step, count=u.size())


@function
def last(u: Any, c: Any, y: Any) -> Any:
    return fold(y, lambda t, y: u[t] - y / c, count=u.size())


@function
def filtered(u: Any, c: Any, y: Any) -> Any:
    """Two fields that depend on each other; the elements written depend on one of them."""

    def step(t: Any, state: Any) -> Any:
        z1, z2, out = state
        y = u[t] + z1
        return 0.3 * u[t] - c * y + z2, u[t] - 0.2 * y, put(out, t, y)

    return fold((y, 0.0, zeros(u.size())), step, count=u.size())


@function
def best(u: Any, c: Any, y: Any) -> Any:
    """Fields whose factor is a product, and the largest value of one of them."""

    def step(t: Any, state: Any) -> Any:
        x, v, most = state
        v = v + c * (c * (u[t] - x))
        x = x + 0.1 * v
        return x, v, max(most, x)

    return fold((y, 0.0, y), step, count=u.size())


@function
def after_first(u: Any, c: Any, y: Any) -> Any:
    """Steps that are linear from the fourth one on."""

    def step(t: Any, state: Any) -> Any:
        x, out = state
        x = where(t == 0, y, where(t >= 3, c * x - u[t], x * x))
        return x, put(out, t, x)

    return fold((7.0, zeros(u.size())), step, count=u.size())


@function
def series(u: Any, c: Any, y: Any) -> Any:
    """Elements that depend on the two before them."""

    def step(t: Any, out: Any) -> Any:
        before = where(t >= 1, c * out[t - 1], y) + where(t >= 2, 0.2 * out[t - 2], 0.0)
        return put(out, t, u[t] + before)

    return fold(zeros(u.size()), step, count=u.size())


@function
def clipped(u: Any, c: Any, y: Any) -> Any:
    """The same without a condition: positions below 0 are that of the first element."""
    start = array(lambda i: y, size=u.size())
    return fold(start, lambda t, out: put(out, t, u[t] + c * out[t - 1]), count=u.size())


def by_hand(name: str, u: Any, c: Any, y: Any) -> list[Any]:
    """The results in plain loops."""
    out, x, z, most = np.zeros(len(u)), y, np.float64(0.0), y
    before = y
    for t, each in enumerate(u):
        match name:
            case "smoothed":
                out[t] = x = c * x + each
            case "last":
                x = each - x / c
            case "filtered":
                out[t] = each + x
                x, z = 0.3 * each - c * out[t] + z, each - 0.2 * out[t]
            case "best":
                z = z + c * (c * (each - x))
                x = x + 0.1 * z
                most = np.maximum(most, x)
            case "after_first":
                x = y if t == 0 else (c * x - each if t >= 3 else x * x)
                out[t] = x
            case "series":
                before = c * out[t - 1] if t >= 1 else y
                out[t] = each + before + (0.2 * out[t - 2] if t >= 2 else 0.0)
            case _:
                out[t] = before = each + c * before
    results = {"last": [x], "filtered": [x, z, out], "best": [x, z, most]}
    first = {"after_first": [x if len(u) else 7.0, out], "smoothed": [x, out]}
    return {**results, **first}.get(name, [out])


PROGRAMS = [smoothed, last, filtered, best, after_first, series, clipped]


def assert_agrees(program: Any, backend: str, u: Any, c: float, y: float) -> None:
    with np.errstate(all="ignore"):
        expected = by_hand(program.__name__, u, np.float64(c), np.float64(y))
    with in_64_bits(backend):
        found = program.eval(u, c, y, backend=backend)
    found = found if isinstance(found, tuple) else (found,)
    for result, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-9, atol=1e-290)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_blocks_have_the_values_of_steps(program: Any, backend: str) -> None:
    for count in sizes_on(backend, COUNTS, program.__name__):
        u = np.random.default_rng(0).normal(size=count)
        for c in (0.9, -0.5, 1.0, 0.0):
            assert_agrees(program, backend, u, c, 1.5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_blocks_of_single_precision(backend: str) -> None:
    u = np.random.default_rng(0).normal(size=300).astype(np.float32)
    for c in (0.9, -0.5, 0.1, 0.0, 1e-30):
        factor, start = np.float32(c), np.float32(1.5)
        expected = by_hand("smoothed", u.astype(float), float(factor), 1.5)
        for result, wanted in zip(
            smoothed_singly.eval(u, factor, start, backend=backend), expected, strict=True
        ):
            assert np.asarray(result).dtype == np.float32
            np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("change", [np.nan, np.inf, -np.inf, 1e308, 1e-310])
def test_exceptional_terms(program: Any, change: float) -> None:
    u = np.random.default_rng(0).normal(size=300)
    u[150] = change
    for c, y in ((0.5, 1.0), (0.5, np.inf), (0.0, 1e300), (1.0, np.nan)):
        assert_agrees(program, "numpy", u, c, y)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("c", [1e-8, -1e-200, 1e-310, 3.0, 1e200, np.inf, np.nan])
def test_exceptional_factors(program: Any, c: float) -> None:
    """No product of factors underflows or overflows where the products of the steps do not."""
    u = np.random.default_rng(0).normal(size=300)
    u[3] = 1e300
    assert_agrees(program, "numpy", u, c, 1e10)
    assert_agrees(program, "numpy", np.where(np.arange(300) == 7, 1e-300, 0.0), c, 0.0)


@pytest.mark.parametrize("program", PROGRAMS)
def test_loops_are_over_blocks(program: Any) -> None:
    source: Callable[..., str] = program.source
    assert " @ " in source(np.zeros(3), 0.5, 1.0)
