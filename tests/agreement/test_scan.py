"""Scans agree with the reference interpreter, and with reductions of each prefix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinTypeError,
    Int,
    array,
    exp,
    fold,
    fold_any,
    fold_max,
    fold_prod,
    fold_sum,
    function,
    max,
    min,
    scan,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

SIZES = (0, 1, 2, 7)
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def _affine(x: Any, y: Any) -> Any:
    """The composition of two affine functions: recurrences of first order."""
    return x[0] * y[0], y[0] * x[1] + y[1]


def _size(v: Any) -> Int:
    return v.size()


def _last_valid(x: Any, y: Any) -> Any:
    """The last element that is valid."""
    return where(y[1], y, x)


PROGRAMS = {
    "sum": function(lambda v: scan(v, 0, lambda x, y: x + y)),
    "product": function(lambda v: scan(v, 1, lambda x, y: x * y)),
    "max": function(lambda v: scan(v, -100, lambda x, y: x.max(y))),
    "recurrence": function(
        lambda v: scan(array(lambda i: (v[i], v[i] + 1)), (1, 0), _affine),
    ),
    "last valid": function(
        lambda v: scan(array(lambda i: (v[i], v[i] > 1)), (0, False), _last_valid)
    ),
    "of rows": function(
        lambda v: scan(
            array(lambda i, j: v[i] * v[j]), array(lambda j: 0 * v[j]), lambda x, y: _sum(x, y)
        )
    ),
    "before each": function(
        lambda v: fold_sum(
            lambda i: (
                fold_max(lambda k: where(k <= i, v[k], 0)).min(
                    fold_max(lambda k: where(k >= i, v[k], -7))
                )
                - v[i]
            )
        )
    ),
    "of the step before": function(
        lambda v: fold(
            0 * v[0], lambda i, s: s + fold_sum(lambda k: where(k < i, s * v[k], 0)), count=_size(v)
        )
    ),
    "all but one": function(
        lambda v: array(
            lambda i: (
                fold_sum(lambda k: where(k != i, v[k], 0)),
                fold_max(lambda k: where(i + 1 == k, -9, v[k])),
                fold_any(lambda k: (k != 2 * i - 3) & (v[k] > 1)),
                fold_prod(lambda k: where(k != i, v[k], 1)),
            ),
            size=_size(v),
        )
    ),
    "all but a far one": function(
        lambda v: array(
            lambda i: fold_sum(lambda k: where(k != i + (2**63 - 2), v[k], 0)), size=_size(v) + 2
        )
    ),
    "near": function(
        lambda v: array(
            lambda i: (
                fold_sum(lambda k: where(abs(k - i) <= 2, v[k], 0)),
                fold_max(lambda k: where(abs(i - k - 1) < 2, v[k], -9)),
                fold_sum(lambda k: where(abs(k - i) > 1, 0, v[k] + v[i])),
                fold_sum(lambda k: where(abs(k - 2 * i) < 1, v[k], 0)),
                fold_any(lambda k: (abs(k - i + 1) <= 1) & (v[k] > 1)),
                fold_sum(lambda k: where(abs(k - i) >= 2, v[k], 0)),
                fold_sum(lambda k: where(abs(k - i) <= -1, v[k], 0)),
            ),
            size=_size(v) + 2,
        )
    ),
    "numbers of steps": function(
        lambda v: array(
            lambda i: (
                fold_sum(lambda k: where(k < 2 * i - 3, 1, 0), count=_size(v)),
                fold_sum(lambda k: where(k >= i, 2 * v[0], 0), count=_size(v)),
                fold_sum(lambda k: where(k > i * i, 1.0, 0.0), count=_size(v)),
            ),
            size=_size(v) + 2,
        )
    ),
    "in rows": function(
        lambda v: array(lambda r: scan(array(lambda i: v[i] - v[r]), 0, lambda x, y: x + y))
    ),
}


POWERS = {
    "before": function(
        lambda v: array(lambda i: fold_sum(lambda k: where(k < i, exp(v[k]), 0.0)), size=_size(v))
    ),
    "after": function(
        lambda v: array(lambda i: fold_prod(lambda k: where(k > i, exp(v[k]), 1.0)), size=_size(v))
    ),
    "before the mirrored": function(
        lambda v: array(
            lambda i: fold_sum(lambda k: where(k < _size(v) - 1 - i, exp(v[k]), 0.0)), size=_size(v)
        )
    ),
    "from the next but one": function(
        lambda v: array(
            lambda i: fold_sum(lambda k: where((k >= i + 2) & (v[k] < 9.0), exp(v[k]), 0.0)),
            size=_size(v),
        )
    ),
    "of fewer prefixes": function(
        lambda v: array(
            lambda i: fold_sum(lambda k: where(k <= i, exp(v[k]), 0.0)), size=_size(v) // 2
        )
    ),
}
"""Combinations of prefixes or suffixes of values whose derivative may be infinite."""


def _sum(x: Any, y: Any) -> Any:
    return array(lambda j: x[j] + y[j])


def vector(size: int, dtype: str) -> Any:
    return np.random.default_rng(size).integers(-4, 5, size).astype(dtype)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_backends(name: str, backend: str) -> None:
    for dtype in ("float64", "int64") if backend in ("numpy", "native") else ("float64",):
        for size in sizes_on(backend, SIZES):
            assert_call_agrees(PROGRAMS[name], (vector(size, dtype),), backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", POWERS)
def test_powers(name: str, backend: str) -> None:
    for size in sizes_on(backend, SIZES):
        assert_call_agrees(POWERS[name], (vector(size, "float64"),), backend, TOLERANCE)


@pytest.mark.parametrize("name", POWERS)
def test_gradients_ignore_steps_that_no_element_has(name: str) -> None:
    """The value of such a step overflows: its derivative is not infinite times zero."""
    torch = pytest.importorskip("torch")
    first = name in ("after", "from the next but one")
    few = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], dtype=torch.float64)
    numbers = few.clone()
    numbers[0 if first else -1] = 1e3
    gradients = [
        torch.func.grad(lambda v: POWERS[name].eval(v, backend="torch").sum())(v)
        for v in (few, numbers)
    ]
    torch.testing.assert_close(*gradients)
    assert "range(" not in POWERS[name].source(numbers, backend="torch").rpartition("\ndef ")[2]


@pytest.mark.parametrize("size", SIZES)
def test_prefixes(size: int) -> None:
    v = vector(size, "float64")
    np.testing.assert_array_equal(PROGRAMS["sum"](v), np.cumsum(v))
    np.testing.assert_array_equal(PROGRAMS["max"](v), np.maximum.accumulate(v))


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (lambda v: scan(v, 0, lambda x: x), r"the combination of scan\(\) has 2 parameters"),  # pyright: ignore
        (lambda v: scan(v[0], 0, lambda x, y: x), r"scan: expected a vector, not Float"),
        (
            lambda v: scan(v, (0, 1), lambda x, y: x),
            r"scan: the elements are Float, but the identity",
        ),
        (
            lambda v: scan(v, 0, lambda x, y: (x, y)),
            r"scan: the elements are Float, but the result",
        ),
    ],
)
def test_messages(program: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(EinTypeError, match=message):
        function(program)(np.ones(3))


@function
def extremes_of_rows(x):
    """Running maxima, maxima, and minima of the elements that a condition selects."""
    return (
        array(lambda i: scan(x[i], -np.inf, lambda a, b: max(a, b))),
        array(lambda i: fold_max(lambda j: x[i, j])),
        array(
            lambda i: fold(
                np.inf,
                lambda j, least: where(x[i, j] != 0.5, min(min(x[i, j], 2.0), least), least),
                count=x.size(1),
            )
        ),
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_extremes_of_nan(backend: str, dtype: str) -> None:
    """NaN is the extreme of all elements from its position on."""
    for size in sizes_on(backend, (1, 2, 7, 37)):
        x = np.random.default_rng(size).random((5, size)).astype(dtype)
        x[1, size // 2] = x[2, 0] = x[3, -1] = np.nan
        x[4] = 0.5
        assert_call_agrees(extremes_of_rows, [x], backend, TOLERANCE)
