"""Powers whose exponents are Ints that vary: products on native, if the exponents are small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Float, Int, Vec, array, fold_sum, function
from tests.agreement.comparison import assert_agree, assert_call_agrees
from tests.libraries import INSTALLED

BASES = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.75, 1.25, -3.0, np.inf, -np.inf, np.nan, 1e-310])
EXPONENTS = [*range(-3, 18), 31, 32, 62, 63, 64, 65, 200, -64]


@function
def powers(x: Vec[Float], n: Vec[Int]):
    return array(lambda i, j: x[i] ** n[j])


@function
def converted(x: Vec[Float], n: Vec[Int]):
    """The exponents are Floats that were Ints."""
    return array(lambda i, j: x[i] ** n[j].float())


@function
def common(x: Vec[Float], n: Vec[Int]):
    """One exponent for all bases."""
    return array(lambda i: x[i] ** n[0] + x[i] ** (n[0] + 1).float(), size=x.size(0))


@function
def vandermonde(x: Vec[Float], m: Int):
    return array(lambda i, j: x[i] ** j.float(), size=(x.size(0), m))


@function
def moments(x: Vec[Float], m: Int):
    return array(lambda j: fold_sum(lambda i: x[i] ** j, count=x.size(0)), size=m)


@pytest.mark.parametrize(
    ("program", "dtype"), [(powers, "float64"), (powers, "float32"), (converted, "float64")]
)
def test_all_numbers(program: Any, dtype: str) -> None:
    x, n = BASES.astype(dtype), np.array(EXPONENTS)
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64)[:, None], n.astype(float)).astype(dtype)
    found = program.eval(x, n, backend="native")
    assert_agree(found, expected, {"float64": 1e-13, "float32": 1e-6}, dtype)


@pytest.mark.parametrize("backend", INSTALLED)
@pytest.mark.parametrize("n", [0, 1, 2, 13])
def test_agrees(backend: str, n: int) -> None:
    x = np.random.default_rng(n).uniform(-1.5, 1.5, n)
    for m in (0, 1, 5, 70):
        assert_call_agrees(vandermonde, (x, m), backend, {"float64": 1e-12})
        assert_call_agrees(moments, (x, m), backend, {"float64": 1e-11})
    for exponent in (-2, 0, 5, 63, 64):
        assert_call_agrees(common, (x, np.array([exponent])), backend, {"float64": 1e-12})
