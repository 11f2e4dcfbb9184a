"""Functions of Ints in a small range are tables of their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, Int, Vec, array, exp, fold, function, min, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on


def letter(v: Any) -> Any:
    other = where(v < 62, v - 4, where(v == 62, 43, 47))
    return where(v < 26, v + 65, where(v < 52, v + 71, other))


@function
def letters(x: Vec[Int]):
    return array(lambda i: letter((x[i] >> 3) & 63))


@function
def remainders(x: Vec[Int]):
    """Quotients by 0, at a place that no position need read."""
    return array(lambda i: 100 // (x[i] % 26) + letter(x[i] % 26) * (x[i] % 26))


@function
def roots(x: Vec[Int]):
    """Floats, infinite and NaN at some places."""

    def root(v: Any) -> Any:
        return exp(v.float()) / v.float() + where(v > 3, 0.0 / (v - 4).float(), 1.0)

    return array(lambda i: root(x[i].clip(0, 9)))


@function
def others(x: Vec[Int], y: Vec[Int]):
    """Functions of two such Ints, of one and an element, and of ranges that are no table."""
    pair = array(lambda i: letter(x[i] & 31) + (x[i] & 31) * (y[i] & 7) * (x[i] & 31 | y[i] & 7))
    element = array(lambda i: letter(x[i] & 31) * y[i] + y[x[i] & 31])
    wide = array(lambda i: letter(x[i] & 256) + letter(-(x[i] & 7)) + letter(x[i] % y[i]))
    return pair, element, wide


@function
def steps(x: Vec[Int]):
    """In a loop, whose state is such an Int."""

    def step(i: Any, s: Any):
        state, total = s
        return (letter(state) * 5 + x[i]) & 63, total + letter(state)

    return fold((x.size() & 63, 0), step, count=x.size())


@function
def bytes_of(x: Vec[Int]):
    """A loop around, and an invariant value in the function."""
    most = array(lambda _: x[0], size=1)

    def row(k: Any) -> Any:
        return array(lambda i: letter(min((x[i] >> k) & 255, 200)) + most[0] * 3 + k)

    return array(lambda k, i: row(k)[i], size=(4, x.size()))


PROGRAMS: dict[str, Function[..., Any]] = {
    "letters": letters,
    "remainders": remainders,
    "roots": roots,
    "others": others,
    "steps": steps,
    "bytes": bytes_of,
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, backend: str) -> None:
    for n in sizes_on(backend, (0, 1, 2, 7, 40), name):
        x = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, n, dtype=np.int64)
        arguments = (x, x[::-1].copy()) if name == "others" else (x,)
        assert_call_agrees(PROGRAMS[name], arguments, backend, {"float64": 1e-13})


@pytest.mark.parametrize("name", ["letters", "roots"])
def test_functions_are_tables_on_numpy(name: str) -> None:
    assert ".take(" in PROGRAMS[name].source(np.ones(3, int))


def test_bytes_are_positions() -> None:
    @function
    def upper(x: Vec[Int]):
        return array(lambda i: letter(x[i]))

    text = np.arange(256, dtype=np.uint8)
    expected = [int(v) for v in upper(np.arange(256))]
    as_ints = function(lambda x: array(lambda i: letter(x[i].int())))
    assert np.asarray(as_ints(text)).tolist() == expected
    assert ".take(" in as_ints.source(text)
