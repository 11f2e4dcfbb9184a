"""Sums over samples of sums of products with functions of an index and a counter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import accumulate, array, cos, fold_max, fold_sum, function
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on


def _wave(k: Any, t: Any, n: Any) -> Any:
    return cos((k * t).float() / n.float())


@function
def power(x: Any, w: Any):
    """Squares of products with a matrix of a function: it is that of each sample."""

    def of_sample(s: Any, k: Any):
        return fold_sum(lambda t: x[s, t] * w[t] * _wave(k, t, w.size())) ** 2

    return array(lambda k: fold_sum(lambda s: of_sample(s, k)), size=w.size() // 2 + 1)


@function
def largest(x: Any, w: Any):
    """No product of matrices: distances."""

    def of_sample(s: Any, k: Any):
        return fold_sum(lambda t: abs(x[s, t] - w[t] * _wave(k, t, w.size())))

    return array(lambda k: fold_max(lambda s: of_sample(s, k)), size=w.size() + 1)


@function
def windows(x: Any, w: Any):
    """Samples are windows of a signal, and a function depends on the sample, too."""
    hop = (w.size() // 2).max(1)

    def of_sample(s: Any, k: Any):
        terms = fold_sum(
            lambda t: x[0, (s * hop + t) % x.size(1)] * _wave(k, t, w.size()), count=w.size()
        )
        return terms * terms * cos(s.float())

    return array(lambda k: fold_sum(lambda s: of_sample(s, k), count=4), size=w.size())


@function
def deposits(x: Any, w: Any):
    """Sums at positions: the matrix of a function is that of each sample, too."""

    def value(s: Any, t: Any):
        return fold_sum(lambda k: x[s, k] * w[k] * _wave(k, t, w.size()))

    return accumulate(lambda s, t: (s * 2 + t - 1, value(s, t)), size=7, count=(x.size(0), 5))


TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
PROGRAMS: dict[str, Function] = {
    "power": power,
    "largest": largest,
    "windows": windows,
    "deposits": deposits,
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    rng = np.random.default_rng(5)
    for n, m in sizes_on(backend, [(3, 5), (1, 1), (4, 1), (0, 4)], name):
        x = rng.normal(size=(n if name != "windows" else n + 1, m)).astype(dtype)
        assert_call_agrees(
            PROGRAMS[name], [x, rng.normal(size=m).astype(dtype)], backend, TOLERANCE
        )


def test_functions_are_called_once_for_many_samples() -> None:
    """A sample is a row of a product of matrices, not a step of a loop of Python."""
    code = power.source(np.ones((5, 7)), np.ones(7), backend="numpy").rpartition("\ndef ")[2]
    assert "for s in" not in code
    assert code.count("np.cos") == 2  # in a version for arrays of one block, too
