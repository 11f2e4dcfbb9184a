"""Sizes and counts that the state of a loop by a condition decides agree with the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Function,
    array,
    fold,
    fold_argmax,
    fold_max,
    fold_sum,
    fold_while,
    function,
    tanh,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS, needs
from tests.selection import sizes_on

PROGRAMS = dict[str, Function[..., Any]]()
BOUNDED = set[str]()
"""The programs whose sizes have bounds: JAX needs no values of their arguments."""


def program(*, bounded: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program of Floats and Ints under its name."""

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[f.__name__] = function(f)
        if bounded:
            BOUNDED.add(f.__name__)
        return f

    return register


@program(bounded=True)
def counts(x: Any, c: Any) -> Any:
    n = x.size(0)

    def step(s: Any) -> Any:
        k, total = s
        return k + 1, total + fold_sum(lambda j: x[j] * x[k - j], count=k)

    return fold_while((0, 0.0 * c.size(0).float()), lambda s: (s[0] < n) & (s[1] < 9.0), step)


@program(bounded=True)
def is_halved(x: Any, c: Any) -> Any:
    def step(s: Any) -> Any:
        total, k = s
        return total + fold_sum(lambda j: x[j], count=k), k // 2

    return fold_while((0.0 * c.size(0).float(), x.size(0)), lambda s: s[1] > 0, step)


@program(bounded=True)
def doubles(x: Any, c: Any) -> Any:
    n = x.size(0)

    def step(s: Any) -> Any:
        found, k = s
        return found + fold_argmax(lambda j: x[j], count=k), k * 2

    return fold_while((c.size(0), 1), lambda s: n >= s[1], step)


@program(bounded=True)
def is_clipped(x: Any, c: Any) -> Any:
    n = x.size(0)

    def step(s: Any) -> Any:
        k, total = s
        own = k.min(n).max(0)
        v = array(lambda i: x[i] + 1.0, size=own)
        return k * 3 - 1, total + fold_sum(lambda j: v[j] * c[j].float(), count=own)

    return fold_while((2, 0.0 * n.float()), lambda s: s[0] < 4 * n, step, limit=30)


@program(bounded=False)
def grows_below_zero(x: Any, c: Any) -> Any:
    def step(s: Any) -> Any:
        k, total = s
        return k + 2, total * 0.5 + fold_sum(lambda j: x[j], count=k)

    return fold_while((c[0] - 3, 1.0), lambda s: s[0] != 3 + c[0], step, limit=7)


@program(bounded=False)
def in_a_fold(x: Any, c: Any) -> Any:
    def row(k: Any, total: Any) -> Any:
        def step(s: Any) -> Any:
            m, own = s
            return m // 3, own * 0.5 + fold_sum(lambda j: x[j] * total, count=m)

        return total * 0.1 + fold_while((c[k], 0.0), lambda s: s[0] > 0, step)[1]

    return fold(1.0, row, count=c.size(0))


@program(bounded=False)
def around_a_fold(x: Any, c: Any) -> Any:
    def step(s: Any) -> Any:
        k, total = s
        return c[k], fold(total, lambda j, a: tanh(a + x[j]), count=k)

    return fold_while((c.size(0), 1.0), lambda s: s[0] > 0, step, limit=9)


@program(bounded=True)
def in_another(x: Any, c: Any) -> Any:
    n = x.size(0)

    def outer(s: Any) -> Any:
        def inner(u: Any) -> Any:
            return u[0] + 2, u[1] + fold_max(lambda j: x[j], count=u[0]).max(-9.0)

        k, total = s
        return k + 1, fold_while((k, total), lambda u: u[0] < n, inner)[1]

    return fold_while((0, 0.0 * c.size(0).float()), lambda s: s[0] <= n, outer)


@program(bounded=False)
def converges(x: Any, c: Any) -> Any:
    def step(s: Any) -> Any:
        k, old, _ = s
        new = fold_sum(lambda j: tanh(-j.float() / k.float()) / k.float(), count=k)
        return 2 * k, new, abs(new - old)

    last = fold_while((1, 0.0, 1.0), lambda s: s[2] > 1e-2, step)[1]
    return array(lambda i: x[i] * last)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_agreement(name: str, backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 7), name):
        rng = np.random.default_rng(size)
        given = rng.normal(size=size), rng.integers(0, size + 1, size)
        assert_call_agrees(PROGRAMS[name], given, backend, {"float64": 1e-12})


@needs("jax")
@pytest.mark.parametrize("name", sorted(BOUNDED))
def test_sizes_are_bounded(name: str) -> None:
    source = PROGRAMS[name].source(np.ones(7), np.ones(7, dtype=np.int64), backend="jax")
    assert "fold_while(" in source.split(f"def {name}(")[1]
    assert "for " not in source.split(f"def {name}(")[1]
