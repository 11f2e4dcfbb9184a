"""Loops whose steps compare sizes: their body uses one of those that are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, where
from tests.agreement.comparison import assert_agree
from tests.agreement.mismatched_sizes import assert_same_errors
from tests.libraries import on


@function
def two_fields(u, v, count):
    """Each field is a stencil of the other, with the sizes of both, which agree in a step."""
    n = v.size(0)

    def step(_, fields):
        u, v = fields
        u = array(lambda i: where(i == 0, u[i], u[i] - 0.5 * (v[i] - v[i - 1])))
        v = array(lambda i: where(i < n - 1, v[i] - 0.25 * (u[i + 1] - u[i]), v[i]))
        return u, v

    return fold((u, v), step, count=count)


@function
def from_rows(u, a, count):
    """The sizes of a matrix and of its columns are those of a vector."""

    def step(_, v):
        return array(lambda i: v[i] + a[i, i] * v[a.size(1) - 1 - i] + u[u.size() - 1 - i])

    return fold(u, step, count=count)


def outcome(f: Any, values: tuple[Any, ...], backend: str) -> Any:
    try:
        return f.eval(*values, backend=backend)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("sizes", [(0, 0), (1, 1), (5, 5), (5, 4), (0, 1), (1, 2)])
def test_two_fields(sizes: tuple[int, int], count: int, backend: str) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=sizes[0]), rng.normal(size=sizes[1]), count
    expected, actual = (outcome(two_fields, values, each) for each in ("naive", backend))
    if isinstance(expected, str) or isinstance(actual, str):
        assert isinstance(actual, str) == isinstance(expected, str), (actual, expected)
    else:
        assert_agree(actual, expected, {"float64": 1e-12}, str(sizes))


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("sizes", [(0, 0, 0), (3, 3, 3), (3, 2, 3), (3, 3, 2), (2, 3, 3)])
def test_from_rows(sizes: tuple[int, int, int], count: int, backend: str) -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=sizes[0]), rng.normal(size=sizes[1:]), count
    expected, actual = (outcome(from_rows, values, each) for each in ("naive", backend))
    if isinstance(expected, str) or isinstance(actual, str):
        assert isinstance(actual, str) == isinstance(expected, str), (actual, expected)
    else:
        assert_agree(actual, expected, {"float64": 1e-12}, str(sizes))


@function
def sums_of_prefixes(x, q, count):
    """The steps of the inner sum end before all of those that its arrays have."""

    def inner(r, i):
        return fold_sum(lambda k: where((x[k] < x[i]) & (k < i) & (q[k] > r.float()), x[k], 0.0))

    return array(lambda r: fold_sum(lambda i: x[i] * inner(r, i)), size=count)


@pytest.mark.parametrize("backend", on("numpy", "torch", "native"))
def test_size_of_fewer_steps(backend: str) -> None:
    """It is compared all the same."""
    assert_same_errors(sums_of_prefixes, (np.arange(4.0), np.ones(4), 3), backend)
