"""Selections by conditions on data agree with the interpreter, as branches or as arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, where
from tests.agreement.comparison import assert_call_agrees, given
from tests.libraries import BACKENDS, in_64_bits, needs
from tests.selection import combinations, sizes_on

SIZES = (0, 1, 7, 2500)
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
LEAST = -(2**63)


def extremes(a: Any, p: Any, q: Any) -> Any:
    """Choices between compared Ints are their minima and maxima, also with a literal."""
    return (
        array(lambda i: where(p[i] > q[i], p[i], q[i])),
        array(lambda i: where(p[i] >= q[i], q[i], p[i])),
        array(lambda i: where(p[i] < 3, 3, p[i])),
        array(lambda i: where(q[i] <= p[i], q[i], p[i])),
        array(lambda i, j: where(p[i] < q[j], p[i], q[j])),
    )


def others(a: Any, p: Any, q: Any) -> Any:
    """These are none."""
    return (
        array(lambda i: where(p[i] > q[i], p[i], 3)),
        array(lambda i: where(p[i] == q[i], p[i], q[i])),
        array(lambda i: where(p[i] > q[i] + 1, p[i], q[i])),
    )


def bools(a: Any, p: Any, q: Any) -> Any:
    return array(lambda i: where(a[i] > 0, p[i] > q[i], a[i] < -0.5)), array(
        lambda i: where(p[i] > 0, p[i] > q[i], True)
    )


def ints(a: Any, p: Any, q: Any) -> Any:
    return array(lambda i: where(a[i] > 0, 7, -2)), array(lambda i: where(a[i] > 0, 0, q[i]))


def floats(a: Any, p: Any, q: Any) -> Any:
    return (
        array(lambda i: where(a[i] > 0, a[i], 0.0)),
        array(lambda i: where(p[i] > q[i], a[i], 2 * a[i])),
        array(lambda i: where(p[i] > q[i], 1.5, -0.5)),
        array(lambda i: where(p[i] > q[i], a[i], a[0])),
    )


def rows(a: Any, p: Any, q: Any) -> Any:
    """A condition selects a row or a column, or zeros of either sign."""
    return (
        array(lambda i, k: where(a[i] > 0, a[i] / k.float(), 0.0), size=(a.size(0), 5)),
        array(lambda i, k: where(p[i] > q[i], 0.0, a[i] / k.float()), size=(a.size(0), 5)),
        array(lambda i, k: where(i < 7, a[i] * k.float(), -0.0), size=(a.size(0), 5)),
        array(lambda k, i: where(a[i] > 0, a[i] / k.float(), 0.0), size=(5, a.size(0))),
        array(lambda k, i: where(k > 2, a[i] / k.float(), 0.0), size=(5, a.size(0))),
    )


def in_place(a: Any, p: Any, q: Any) -> Any:
    """A step replaces some of the carried elements, others in each step."""

    def step(k: Any, x: Any) -> Any:
        return array(lambda i: where((p[i] + k) % 3 == 0, 0.5 * x[i] + a[i], x[i]))

    return fold(a, step, count=4)


PROGRAMS = {
    f.__name__: function(f) for f in (extremes, others, bools, ints, floats, rows, in_place)
}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, SIZES, name):
        if name == "extremes" and size > 100:
            continue  # of pairs
        rng = np.random.default_rng(size)
        a = rng.normal(size=size).astype(dtype)
        if name == "rows":
            a[::7] = rng.choice([0.0, -0.0, np.inf, np.nan], a[::7].size)
        p, q = rng.integers(-9, 9, size), rng.choice([LEAST, -3, 0, 4, 2**63 - 1], size)
        assert_call_agrees(PROGRAMS[name], (a, p, q), backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_narrow_ints(backend: str, dtype: str) -> None:
    @function
    def selected(a: Any, b: Any) -> Any:
        return (
            array(lambda i: where(a[i] > b[i], a[i], b[i])),
            array(lambda i: where(a[i] > 2, a[i], 0)),
            array(lambda i: where(b[i] <= 2, 0, a[i])),
            array(lambda i: where(a[i] == b[i], 3, 4)),
        )

    with in_64_bits(backend):
        info, rng = np.iinfo(dtype), np.random.default_rng(0)
        a, b = (rng.choice([info.min, info.max, 0, 1, 3], 9).astype(dtype) for _ in range(2))
        assert_call_agrees(selected, (a, b), backend, TOLERANCE)


def test_emitted_calls() -> None:
    a, p = np.ones(3), np.arange(3)
    code = PROGRAMS["extremes"].source(a, p, p, backend="numpy")
    assert "where" not in code
    assert code.count("np.maximum") == 2
    assert code.count("np.minimum") == 3
    assert "where" not in PROGRAMS["bools"].source(a, p, p, backend="numpy")
    assert "where" in PROGRAMS["others"].source(a, p, p, backend="numpy")
    assert "choose(" in PROGRAMS["floats"].source(a, p, p, backend="numpy")


@needs("torch")
def test_torch_records_gradients_of_selections() -> None:
    """Where a call is recorded, PyTorch selects: bits have no derivative."""
    a, p, q = (given(x, "torch") for x in (np.ones(3), np.arange(3), np.arange(3)))
    code = PROGRAMS["floats"].source(a.requires_grad_(), p, q, backend="torch")
    assert "torch.where(" in code
