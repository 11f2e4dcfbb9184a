"""Sums of Ints that some steps set anew: of numbers, of data, and such that never fall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import on


def run_of(test, summand, value, start):
    """A sum of Ints that some steps set anew, before and after each step."""

    def run(c, k):
        n = c.size(0)

        def step(t, state):
            total, befores, afters = state
            new = where(test(c, t), value(k, t), total + summand(k, t))
            befores = array(lambda i: where(i == t, total, befores[i]))
            return new, befores, array(lambda i: where(i == t, new, afters[i]))

        none = array(lambda i: 0, size=n)
        return fold((start, none, none), step, count=n)

    return function(run)


def is_one(c, t):
    return c[t] == 1


def bit(k, t):
    return where(k[t] > 2, 1, 0)


SUMMANDS = {
    "bits": bit,
    "signs": lambda k, t: where(k[t] > 2, 1, -1),
    "data": lambda k, t: k[t],
    "small": lambda k, t: k[t].clip(0, 9),
    "ones": lambda k, t: 1,
    "twos": lambda k, t: 2,
    "minus ones": lambda k, t: -1,
}
VALUES = {"summand": None, "data": lambda k, t: k[t] + 2}
RUNS = {
    (name, each): run_of(is_one, summand, VALUES[name] or summand, 1)
    for name in VALUES
    for each, summand in SUMMANDS.items()
} | {
    (number, each, start): run_of(is_one, summand, lambda k, t, number=number: number, start)
    for number in (0, 1, 5)
    for each, summand in SUMMANDS.items()
    for start in (0, 5)
}


@pytest.mark.parametrize("backend", on("numpy", "torch"))
@pytest.mark.parametrize("name", RUNS, ids=str)
def test_sums_of_ints_since_a_reset(name: Any, backend: str) -> None:
    rng = np.random.default_rng(7)
    for size in (0, 1, 2, 25):
        given = rng.integers(0, 3, size), rng.integers(-1, 6, size)
        assert_call_agrees(RUNS[name], given, backend, {})


def test_falling_differences_are_a_scan() -> None:
    """A sum of ones and zeros since a reset needs no position of the reset."""
    source = RUNS["summand", "bits"].source(np.arange(3), np.arange(3), backend="numpy")
    body = source.rpartition("\ndef ")[2]
    assert "np.minimum" in body
    assert "take(" not in body
