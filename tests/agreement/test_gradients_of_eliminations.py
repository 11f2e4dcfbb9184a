"""Gradients of steps that replace parts of a matrix by comparisons of its indices with the step."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, grad, value_and_grad, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

SIZES = [(0, 0), (1, 1), (3, 2), (4, 4)]
"""Of rows and columns: steps count the rows, so that some are out of bounds."""

SQUARE = {"triangular": [(0, 0), (1, 1), (2, 2), (5, 5)]}
"""The same of programs for square matrices."""


def total(a: Any) -> Any:
    return fold_sum(lambda i: fold_sum(lambda j: a[i, j] * a[i, j] * (i + 2 * j).float()))


def lower_and_upper(x: Any) -> Any:
    """Both factors in place."""

    def eliminate(k: Any, a: Any) -> Any:
        def entry(i: Any, j: Any) -> Any:
            factor = a[i, k] / a[k, k]
            right = where(j > k, a[i, j] - factor * a[k, j], a[i, j])
            return where(i > k, where(j == k, factor, right), a[i, j])

        return array(entry)

    return total(fold(x, eliminate, count=x.size(0)))


def orthogonal(x: Any) -> Any:
    """Columns after that of the step lose their share of it."""

    def column(k: Any, a: Any) -> Any:
        norm = fold_sum(lambda i: a[i, k] * a[i, k])
        share = array(
            lambda j: where(j <= k, 0.0, fold_sum(lambda i: a[i, k] * a[i, j]) / (norm + 1.0)),
            size=a.size(1),
        )
        return array(lambda i, j: where(k < j, a[i, j] - a[i, k] * share[j], a[i, j]))

    return total(fold(x, column, count=x.size(0)))


def in_parts(x: Any) -> Any:
    """The element of the step, those before and those after it have values of their own."""

    def step(k: Any, a: Any) -> Any:
        def entry(i: Any, j: Any) -> Any:
            after = where(j > k, a[i, j] * a[i, k], a[i, j])
            before = where(j < k, a[i, j] + a[k, k], after)
            return where(i != k, where(j == k, a[i, k] * 0.5, before), a[i, j])

        return array(entry)

    return total(fold(x, step, count=x.size(0)))


def selected_once(x: Any) -> Any:
    """A read that is used for the element of the step, and for all after it."""

    def row(i: Any) -> Any:
        def term(j: Any) -> Any:
            shared = x[i, 0] * x[i, 0]
            return where(j == i, shared, 0.0) + where(j > i, shared * x[i, j], 0.0)

        return fold_sum(term, count=x.size(1))

    return fold_sum(lambda i: row(i) * row(i), count=x.size(0))


def triangular(x: Any) -> Any:
    """A column at a time, from all columns before it."""
    n = x.size(0)

    def column(j: Any, a: Any) -> Any:
        rest = array(lambda i: x[i, j] - fold_sum(lambda k: a[i, k] * a[j, k], count=j), size=n)
        root = (rest[j] * rest[j] + 1.0).sqrt()
        return array(lambda i, c: where((c == j) & (i >= j), rest[i] / root, a[i, c]))

    lower = fold(array(lambda i, j: 0.0, size=(n, n)), column, count=n)
    return fold_sum(lambda i: fold_sum(lambda j: lower[i, j] * x[i, j]))


PROGRAMS = [triangular, lower_and_upper, orthogonal, in_parts, selected_once]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_of_eliminations_agree(program: Any, backend: str) -> None:
    both, random = function(value_and_grad(program)), np.random.default_rng(5)
    for rows, columns in sizes_on(backend, SQUARE.get(program.__name__, SIZES)):
        x = random.normal(size=(rows, columns)) + 3.0 * np.eye(rows, columns)
        assert_call_agrees(both, (x,), backend, {"float64": 1e-9})


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_of_eliminations_are_slopes(program: Any) -> None:
    random = np.random.default_rng(6)
    x = random.normal(size=(4, 4)) + 3.0 * np.eye(4)
    direction, step = random.normal(size=x.shape), 1e-6
    slope: Any = function(grad(program))(x)
    value: Any = function(program)
    difference = (value(x + step * direction) - value(x - step * direction)) / (2 * step)
    np.testing.assert_allclose((slope * direction).sum(), difference, rtol=1e-6, atol=1e-6)


def test_cotangents_of_parts_are_added_in_place() -> None:
    source = function(value_and_grad(triangular)).source(np.eye(3), backend="numpy")
    step = source[source.rindex("    for ") :]
    (part,) = re.findall(r"np\.add\((acc\[\w+:, :\w+\]), \w+, out=\1\)", step)
    assert part
    assert "spare" not in source
    assert "copy()" not in step


@pytest.mark.parametrize("backend", BACKENDS)
def test_choices_of_one_value_are_added(backend: str) -> None:
    @function
    def parts(x: Any, y: Any, k: int) -> Any:
        def entry(i: Any) -> Any:
            below, at = where(i < k, x[i], 0.0), where(i == k, x[i], 0.0)
            above = where(i > k, where(i == k, 0.0, x[i]), 0.0)
            other = where(i >= k, y[i], 0.0)
            return below + at, at + above, below + other, where(i > k, x[i], at)

        return array(entry)

    for n in sizes_on(backend, (0, 1, 5)):
        x = np.random.default_rng(n).normal(size=n)
        x[2:3] = np.nan
        assert_call_agrees(parts, (x, x + 1.0, 2), backend, {"float64": 0.0})
