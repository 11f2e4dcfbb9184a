"""Folds in the steps of a loop, each of another number of steps, are scans before the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import EinValueError, array, fold, fold_max, fold_min, fold_sum, function, sin, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on


def water(h: Any) -> Any:
    """The least of the greatest before and behind each element."""
    n = h.size()
    before = lambda i: fold_max(lambda j: h[j], count=i + 1)  # noqa: E731
    behind = lambda i: fold_max(lambda j: h[i + j], count=n - i)  # noqa: E731
    return fold_sum(lambda i: where(before(i) < behind(i), before(i), behind(i)) - h[i], count=n)


def pairs(h: Any) -> Any:
    """Sums and differences of each element and all behind it, and all before, backwards."""
    n = h.size()
    products = fold_sum(lambda i: h[i] * fold_sum(lambda j: h[i + 1 + j], count=n - 1 - i), count=n)
    gain = fold_max(lambda i: fold_max(lambda j: h[i + 1 + j] - h[i], count=n - 1 - i), count=n)
    least = fold_sum(lambda i: fold_min(lambda j: h[i - j] * 2.0, count=i + 1), count=n)
    return products, gain, least


def in_order(h: Any) -> Any:
    """A loop whose steps depend on the ones before, and read sums that do not."""
    n = h.size()
    return fold(0.0, lambda i, s: sin(s) + fold_sum(lambda j: h[i + j], count=n - i), count=n)


def carried(h: Any) -> Any:
    """Near miss: the sums are of elements that the loop changes."""
    n = h.size()

    def step(i: Any, v: Any) -> Any:
        total = fold_sum(lambda j: v[i + j], count=n - i)
        return array(lambda k: where(k == i, total * 0.5, v[k]), size=n)

    return fold(h, step, count=n)


def in_rows(h: Any) -> Any:
    """Loops in a comprehension; the values vary with it."""
    n = h.size()

    def row(r: Any) -> Any:
        behind = lambda i: fold_max(lambda j: h[i + j] * r.float(), count=n - i)  # noqa: E731
        return fold_sum(lambda i: behind(i) * h[i], count=n)

    return array(row, size=3)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", [water, pairs, in_order, carried, in_rows])
def test_agreement(program: Any, backend: str) -> None:
    for n in (0, 1, 2, 7):
        x = np.cos(np.arange(float(n)) * 2)
        call: Any = function(program)
        assert_call_agrees(call, (x,), backend, {"float64": 1e-12})


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_negative_counts(backend: str) -> None:
    """The counts of a fold in the steps of a loop may not be negative."""

    def program(h: Any, m: Any) -> Any:
        return fold_sum(lambda i: fold_max(lambda j: h[i + j], count=m - i), count=h.size())

    call: Any = function(program)
    for m in (4, 3, 9):
        assert_call_agrees(call, (np.arange(4.0), m), backend, {"float64": 1e-12})


def windows(h: Any, m: Any) -> Any:
    """Windows of ``m`` elements that end at the last element, or begin at the first one."""
    n = h.size()

    def step(i: Any, s: Any) -> Any:
        ahead = fold_sum(lambda j: h[i + j], count=ein.min(m, n - i))
        behind = fold_max(lambda j: h[i - j], count=ein.min(i + 1, m))
        return sin(s) + where(behind > ahead, behind, ahead)

    return fold(0.0, step, count=n)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
def test_windows(backend: str) -> None:
    call: Any = function(windows)
    for n in (0, 1, 2, 50):
        x = np.cos(np.arange(float(n)) * 2)
        for m in (0, 1, 3, 40, 99):
            assert_call_agrees(call, (x, m), backend, {"float64": 1e-12})


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_negative_widths(backend: str) -> None:
    """An error of the first step, if there is one."""
    call: Any = function(windows)
    assert call.eval(np.ones(0), -1, backend=backend) == 0.0
    with pytest.raises(EinValueError, match="is negative: -1"):
        call.eval(np.ones(3), -1, backend=backend)


def test_there_is_no_loop() -> None:
    steps = function(windows).source(np.ones(3), 2, backend="numpy").split("for i in range")[-1]
    assert "h[" not in steps
    for program in (water, pairs):
        call: Any = function(program)
        source = call.source(np.ones(3), backend="numpy")
        assert "in range(size0_h)" not in source
        assert "for block" not in source
