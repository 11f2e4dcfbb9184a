"""Loops run only in the steps that replace an element by another value than it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, Int, Vec, array, fold, function, min, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


@function
def at_the_counter(x: Vec[Int], k: Int):
    def step(j: Any, t: Any):
        value = where(j >= k, t[j] * 3 + t[j - k], t[j])
        return array(lambda i: where(i == j, value, t[i]))

    return fold(x, step, count=x.size())


@function
def shifted(x: Vec[Int], k: Int):
    """Positions out of bounds at both ends."""

    def step(j: Any, t: Any):
        value = where(j < k, t[j - 2] + 1, t[j - 1])
        return array(lambda i: where(i == j - 1, value, t[i]))

    return fold(x, step, count=x.size() + 2)


@function
def at_another(x: Vec[Int], k: Int):
    """The kept value is that of another element."""

    def step(j: Any, t: Any):
        value = where(j < k, t[j] + 1, t[j + 1])
        return array(lambda i: where(i == j, value, t[i]))

    return fold(x, step, count=x.size())


@function
def at_two(x: Vec[Int], k: Int):
    """The element of one write is kept where that of another is not."""

    def step(j: Any, t: Any):
        u = array(lambda i: where(i == j, where(j < k, t[j] + 1, t[j]), t[i]))
        return array(lambda i: where(i == j + 1, where(j > 2, u[j] - 1, u[j + 1]), u[i]))

    return fold(x, step, count=x.size())


@function
def cells(x: Vec[Int], k: Int):
    def row(i: Any, t: Any):
        def cell(j: Any, t: Any):
            value = where(j > i, t[i, j - 1] + x[j], t[i, j])
            return array(lambda p, q: where((p == i) & (q == j), value, t[p, q]))

        return fold(t, cell, count=x.size())

    return fold(array(lambda i, j: x[i] * k - j, size=(x.size(), x.size())), row, count=x.size())


def banded(x: Any, k: Any, border: Any) -> Any:
    """Rows in a band, outside of which steps store the number of the initial row."""

    def row(i: Any, above: Any):
        def cell(j: Any, row: Any):
            inside = (j >= i - k) & (j <= i + k)
            value = where(inside, min(above[j + 1], min(row[j], above[j])) + x[j], 99)
            return array(lambda p: where(p == j + 1, value, row[p]))

        return fold(array(border, size=x.size() + 1), cell, count=x.size())

    return fold(array(lambda j: where(j == 0, 0, 99), size=x.size() + 1), row, count=x.size())


@function
def band(x: Vec[Int], k: Int):
    return banded(x, k, lambda p: 99)


@function
def border(x: Vec[Int], k: Int):
    """The initial row has other numbers, too."""
    return banded(x, k, lambda p: where(p == 2, 5, 99))


PROGRAMS: dict[str, Function[..., Any]] = {
    "at the counter": at_the_counter,
    "shifted": shifted,
    "at another": at_another,
    "at two": at_two,
    "cells": cells,
    "band": band,
    "border": border,
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, backend: str) -> None:
    for n in sizes_on(backend, (0, 1, 2, 7), name):
        x = np.random.default_rng(0).integers(-9, 9, n)
        for k in (-1, 0, 1, 3, 20, 2**63 - 1, -(2**63)):
            assert_call_agrees(PROGRAMS[name], (x, k), backend, {})


def test_steps_that_keep_the_element_do_not_run() -> None:
    source = at_the_counter.source(np.ones(3, int), 1)
    assert "if j " not in source


def test_steps_outside_of_a_band_do_not_run() -> None:
    assert "if j" not in band.source(np.ones(3, int), 1)
