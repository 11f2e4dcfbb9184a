"""Bits of Ints and parities of Bools, combined by loops, agree with the interpreter.

Exclusive or, and the conjunction and disjunction of Ints, are reductions, scans and accumulations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, Int, Vec, array, fold, function, scan, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

OPERATORS: dict[str, tuple[Any, int]] = {
    "and": (lambda a, b: a & b, -1),
    "or": (lambda a, b: a | b, 0),
    "xor": (lambda a, b: a ^ b, 0),
}
"""The operation of each kind, and its identity."""


def of_all(combine: Any, identity: int) -> Function[..., Any]:
    """All elements, the rows and columns of a matrix, and those that a condition selects."""

    @function
    def combined(x, y):
        rows = array(lambda i: fold(y[0], lambda j, acc: combine(acc, x[j] + y[i]), count=x.size()))
        chosen = fold(
            identity + 7, lambda k, acc: where(x[k] > 2, combine(acc, y[k]), acc), count=x.size()
        )
        both = fold(
            -1, lambda i, acc: fold(acc, lambda j, own: combine(own, x[i] * y[j])), count=x.size()
        )
        return rows, chosen, both

    return combined


def of_prefixes(combine: Any, identity: int) -> Function[..., Any]:
    """Prefixes as a scan, by a loop that writes them, and since the last reset."""

    @function
    def prefixes(x, y):
        def written(k, state):
            acc, out = state
            acc = combine(acc, x[k])
            return acc, array(lambda i: where(i == k, acc, out[i]))

        def since(k, state):
            acc, total = state
            acc = where(y[k] > 3, x[k], combine(acc, x[k]))
            return acc, total + acc

        zeros = array(lambda i: 0 * x[i])
        own = array(
            lambda i: fold(5, lambda k, acc: combine(acc, x[k]), count=i + 1), size=x.size()
        )
        return (
            own,
            scan(x, identity, combine),
            fold((3, zeros), written, count=x.size()),
            fold((1, 0), since, count=x.size()),
        )

    return prefixes


def of_keys(combine: Any, identity: int) -> Function[..., Any]:
    """The values of each key, at computed positions and by comparison."""

    @function
    def by_key(x, y):
        def placed(k, acc):
            return array(lambda i: where(i == y[k], combine(acc[i], x[k]), acc[i]))

        compared = array(
            lambda c: fold(identity, lambda k, acc: where(y[k] == c, combine(acc, x[k]), acc)),
            size=5,
        )
        return compared, fold(array(lambda i: i - 2, size=5), placed, count=x.size())

    return by_key


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", OPERATORS)
@pytest.mark.parametrize("program", [of_all, of_prefixes, of_keys])
def test_bits(program: Any, kind: str, backend: str) -> None:
    combined = program(*OPERATORS[kind])
    rng = np.random.default_rng(3)
    for size in sizes_on(backend, (1, 2, 9)):
        x, y = rng.integers(-(2**40), 2**40, size), rng.integers(-1, 7, size)
        assert_call_agrees(combined, [x, y], backend, {})


@function
def parities(x):
    def step(k, state):
        acc, out = state
        acc = acc ^ (x[k] > 0)
        return acc, array(lambda i: where(i == k, acc, out[i]))

    rows = array(lambda i: fold(False, lambda j, acc: acc ^ (x[j] > x[i])), size=x.size())
    return rows, fold((True, array(lambda i: x[i] > 3)), step, count=x.size())


@pytest.mark.parametrize("backend", BACKENDS)
def test_parities(backend: str) -> None:
    rng = np.random.default_rng(4)
    for size in sizes_on(backend, (0, 1, 2, 9)):
        assert_call_agrees(parities, [rng.integers(-5, 5, size)], backend, {})


@function
def powers(x: Vec[Int], n: Int):
    """Quotients and remainders by powers of two, up to those that are no Ints, and by arguments."""
    bits = array(lambda i, k: (x[i] // 2**k) % 2, size=(None, 64))
    fours = array(lambda i, k: x[i] // 4 ** (31 - k), size=(None, 32))
    total = fold(0, lambda k, s: s + x[0] // 2**k * 8**k, count=63)
    spread = array(lambda i: fold(0, lambda k, a: a + (x[i] // 2**k % 2) * 4**k, count=31))
    beyond = array(lambda i: fold(0, lambda k, a: a + (x[i] // 2**k % 2) * 4**k, count=34))
    given = array(lambda i: x[i] // 2**n + x[i] % 2**n + x[i] // 16 ** (n + i))
    return bits, fours, total, spread, beyond, given


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_powers_of_two_as_divisors(size: int, backend: str) -> None:
    rng = np.random.default_rng(size)
    ints = np.array([0, 1, -1, 5, -8, 2**62, -(2**62), 2**63 - 1, -(2**63), 2**40 + 3])
    for n in (-1, 0, 3, 62, 63, 64, 2**62):
        assert_call_agrees(powers, (rng.choice(ints, size), n), backend, {})
