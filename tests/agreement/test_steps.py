"""Steps of loops cost no more than what they write and read: kinds of programs on all backends.

Each program is one of a kind whose steps once computed more than is needed: a mask over a whole
array, a copy of it, or a call for each element. ``FORBIDDEN`` are texts of NumPy code that such a
program does not need.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Function,
    array,
    compile,
    fold,
    fold_all,
    fold_any,
    fold_max,
    fold_sum,
    function,
    max,
    min,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

INFINITY = float("inf")
SIZES = (0, 1, 2, 5, 11)
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


# Slices with a step ----------------------------------------------------------------------------


@function
def divisors(n):
    def count(k, found):
        p = k + 1
        return array(lambda q: where((q >= 2 * p) & (q % p == 0), found[q] + k, found[q]))

    return fold(array(lambda q: 0, size=n), count, count=n)


@function
def relaxed(x, n):
    def sweep(t, x):
        odd = array(lambda i: where((i % 2 == 1) & (i < n - 1), x[i - 1] + x[i + 1], x[i]))
        return array(lambda i: where((i % 2 == 0) & (i > 0), odd[i] - odd[i - 1], odd[i]))

    return fold(x, sweep, count=3)


@function
def checkered(m, x, n):
    def step(k, m):
        return array(
            lambda i, j: where(
                (i % 3 == 2) & ((j + k) % 2 == 0) & (x[k] > 0.0) & (m[i, j] < 2.0),
                m[i, j] + x[j],
                m[i, j],
            )
        )

    return fold(m, step, count=n)


@function
def all_but_every_fourth(x, y):
    return array(lambda i: where((i - 1) % 4 != 0, x[i] * y[i], x[i]))


@function
def weights(x):
    """There is no array of the other elements."""
    total = fold_sum(lambda i: x[i])
    return array(lambda i: where((i > 0) & (i % 2 == 1), 4.0 * total, x[i] + 2.0))


@function
def any_residue(x, r, n):
    """The residue may be none of the step."""

    def step(k, x):
        return array(lambda i: where((i % (k + 1) == r[k]) & (i < r[0]), x[i] + 1.0, x[i]))

    return fold(x, step, count=n)


@function
def prime_divisors(n):
    """Only steps of a prime write anything."""

    def step(k, found):
        p = k + 2
        return array(
            lambda i: where((found[p] == 0) & (i > 0) & (i % p == 0), found[i] + 1, found[i])
        )

    return fold(array(lambda i: 0, size=n), step, count=max(n - 2, 0))


@function
def sieve_of_bools(n):
    """``x & ~c`` is a selection; a second field counts the primes."""

    def step(k, state):
        is_prime, count = state
        p = k + 2
        crossed = array(lambda i: is_prime[i] & ~(is_prime[p] & (i >= p * p) & (i % p == 0)))
        return crossed, count + where(is_prime[p], 1, 0)

    start = array(lambda i: i >= 2, size=n)
    left, count = fold((start, 0), step, count=max(n - 2, 0))
    return array(lambda i: where(left[i], 1, 0)), count


@function
def toggled(r, n):
    """``x | c``, and a condition that reads another array than the one that is written."""

    def step(k, lit):
        return array(lambda i: lit[i] | ((r[k] > 1) & ((i + k) % 3 == 0)))

    lit = fold(array(lambda i: i < 0, size=n), step, count=r.size())
    return array(lambda i: where(lit[i], 1.0, 0.0))


# Ranges of steps -------------------------------------------------------------------------------


@function
def back_substitution(m, x, n):
    def row(t, v):
        i = n - 1 - t
        known = fold_sum(lambda j: where(j > i, m[i, j] * v[j], 0.0), count=n)
        return array(lambda j: where(j == i, x[i] - known, v[j]), size=n)

    return fold(array(lambda i: 0.0 * x[i]), row, count=n)


@function
def running_maxima(x, n):
    def step(k, best):
        top = fold_max(lambda j: where(j <= k, x[j] - x[k - j], -INFINITY), count=n)
        return array(lambda i: where(i == k, top, best[i]))

    return fold(array(lambda i: 0.0 * x[i]), step, count=n)


@function
def between(x, y, low, high):
    return fold_sum(lambda j: where((j >= low) & (high > j), x[j] * y[j], 0.0))


@function
def last_before(x, stop):
    """The accumulator is chosen, and not combined."""
    return fold(0.0, lambda k, best: where(k < stop, best * 0.5 + x[k], best), count=x.size())


# Looked-up factors -----------------------------------------------------------------------------


@function
def embedded(m, r, w):
    return array(lambda i, j: fold_sum(lambda k: m[r[i], k] * w[k, j]))


@function
def embedded_transposed(m, r, w):
    return array(lambda j, i: fold_sum(lambda k: w[j, k] * m[k, r[i]]))


@function
def both_embedded(m, r, w):
    return array(lambda i, j: fold_sum(lambda k: m[r[i], k] * w[r[j] + 1, k]))


# Rows that a mask leaves out -------------------------------------------------------------------


@function
def reached(m, x):
    return array(lambda v: fold_any(lambda u: (x[u] > 0.0) & (m[u, v] > 0.0)))


@function
def chosen_sums(m, x):
    return array(lambda v: fold_sum(lambda u: where(x[u] > 0.0, m[u, v], 0.0)))


@function
def other_maxima(m, x):
    return array(lambda v: fold_max(lambda u: where(x[u] > 0.0, -INFINITY, m[u, v])))


@function
def all_or_done(m, x):
    return array(lambda v: fold_all(lambda u: (x[u] > 0.0) | (m[u, v] > 0.0)))


# Sums that start again -------------------------------------------------------------------------


@function
def streaks(r):
    def step(i, runs):
        new = where((i > 0) & (r[i] > r[i - 1]), runs[i - 1] + 1, 1)
        return array(lambda k: where(k == i, new, runs[k]))

    return fold(array(lambda i: 0, size=r.size()), step, count=r.size())


@function
def longest_streak(r):
    def step(i, state):
        run, best = state
        run = where(r[i] % 2 == 0, 0, run + 1)
        return run, max(best, run)

    return fold((5, 0), step, count=r.size())


@function
def since_marker(r):
    def step(i, sums):
        new = where(r[i] < 0, r[i] * 3, sums[i] + r[i] * r[i] - 1)
        return array(lambda k: where(k == i + 1, new, sums[k]))

    return fold(array(lambda i: i + 7, size=r.size() + 1), step, count=r.size())


# Columns with a condition ----------------------------------------------------------------------


@function
def scaled_below(m, x, n):
    def step(k, m):
        new = array(lambda i: m[i, k] / (x[k] ** 2 + 1.0) - m[i, k - 1])
        return array(lambda i, j: where((j == k) & (i > k), new[i], m[i, j]))

    return fold(m, step, count=n)


@function
def columns_between(m, x, n):
    def step(k, m):
        inside = lambda i: (i >= 1) & (i < n - k)  # noqa: E731
        return array(lambda i, j: where(inside(i) & (k == j), x[i] - m[i + 1, k - 1], m[i, j]))

    return fold(m, step, count=n)


# Recurrences with other terms ------------------------------------------------------------------


@function
def swept(x, y):
    def step(k, v):
        new = (v[k] + v[k + 2] + x[k] * y[k] - y[k + 1]) / 3.0
        return array(lambda i: where(i == k + 1, new, v[i]))

    return fold(x, step, count=(x.size() - 2).max(0))


@function
def decaying_maximum(x, y):
    def step(k, v):
        new = max(max(x[k] * y[k] - 1.0, v[k] * 0.5), min(y[k], x[k] + y[k]))
        return array(lambda i: where(i == k + 1, new, v[i]))

    return fold(array(lambda i: 0.0 * x[0], size=x.size() + 1), step, count=x.size())


@function
def backwards(m):
    height, width = m.shape

    def row(r, m):
        def cell(c, m):
            j = width - 2 - c
            new = m[r, j + 1] * 0.25 + (m[r + 1, j] + m[r, j] * 2.0) - m[r, j - 1] ** 2
            return array(lambda p, q: where((p == r) & (q == j), new, m[p, q]))

        return fold(m, cell, count=(width - 1).max(0))

    return fold(m, row, count=(height - 1).max(0))


# Axes that are divided by any Int -----------------------------------------------------------------


@function
def joined_heads(m, x, k):
    return array(lambda c: fold_sum(lambda j: m[c // k, j] * m[j, c]) + x[c])


@function
def interleaved(m, x, k):
    """All columns of a row are rearranged."""
    return array(lambda i, p: m[i, (p % k) * 2 + p // k] - x[p % k], size=(m.size(0), m.size(1)))


@function
def butterflies(x, n):
    def stage(s, x):
        m = 2**s

        def element(p):
            first = p // (2 * m) * m + p % (2 * m) % m
            return where(p % (2 * m) // m == 0, x[first] + x[p], x[first + 1] - x[p])

        return array(element, size=x.size())

    return fold(x, stage, count=n)


@function
def wide_divisors(x, n):
    """Powers of two overflow: they become negative, and 0."""

    def stage(s, x):
        m = 2 ** (6 * s + 3)
        return array(lambda p: x[p // m] - x[p % m + 1], size=x.size())

    return fold(x, stage, count=n + 3)


LOOP = "for "
WHERE = "where"
PROGRAMS: dict[str, tuple[Function, str, tuple[str, ...]]] = {
    "divisors": (divisors, "n", (WHERE, "np.arange")),
    "relaxed": (relaxed, "xn", (WHERE, "np.arange")),
    "checkered": (checkered, "mxn", ("np.arange",)),
    "all-but-every-fourth": (all_but_every_fourth, "xx", (WHERE,)),
    "weights": (weights, "x", (WHERE, "np.arange")),
    "any-residue": (any_residue, "xrn", (" & ", "spare")),
    "prime-divisors": (prime_divisors, "n", (WHERE, "np.arange", "copy()")),
    "sieve-of-bools": (sieve_of_bools, "n", (WHERE, " & ")),
    "toggled": (toggled, "rn", (WHERE, "|")),
    "back-substitution": (back_substitution, "mxn", (WHERE, "np.arange")),
    "running-maxima": (running_maxima, "xn", (WHERE,)),
    "between": (between, "xxkk", (WHERE, LOOP)),
    "last-before": (last_before, "xk", (" if k",)),
    "embedded": (embedded, "mrm", (LOOP,)),
    "embedded-transposed": (embedded_transposed, "mrm", (LOOP,)),
    "both-embedded": (both_embedded, "mrm", (LOOP,)),
    "reached": (reached, "mx", ("&",)),
    "chosen-sums": (chosen_sums, "mx", (WHERE,)),
    "other-maxima": (other_maxima, "mx", (WHERE,)),
    "all-or-done": (all_or_done, "mx", ("|",)),
    "streaks": (streaks, "r", (" in range(size0",)),
    "longest-streak": (longest_streak, "r", (" in range(size0",)),
    "since-marker": (since_marker, "r", (" in range(size0",)),
    "scaled-below": (scaled_below, "mxn", (WHERE, "spare")),
    "columns-between": (columns_between, "mxn", (WHERE, "spare")),
}
"""Each program with its arguments, and texts that its NumPy code does not need."""

RECURRENCES: dict[str, tuple[Function, str, int]] = {
    "swept": (swept, "xx", 6),
    "decaying-maximum": (decaying_maximum, "xx", 6),
    "backwards": (backwards, "m", 10),
}
"""Each program with its arguments, and the most operators that a step of its inner loop needs."""

DIVIDED: dict[str, tuple[Function, str]] = {
    "joined-heads": (joined_heads, "mxk"),
    "interleaved": (interleaved, "mxk"),
    "butterflies": (butterflies, "xn"),
    "wide-divisors": (wide_divisors, "xn"),
}
"""Each program with its arguments: axes that are split are joined without positions."""

CASES = {**PROGRAMS, **RECURRENCES, **DIVIDED}


def make(kind: str, size: int, dtype: str, rng: np.random.Generator) -> Any:
    """An argument: a matrix m, a vector x, Ints r, the size n, or an Int k anywhere."""
    match kind:
        case "m":
            return rng.normal(size=(size, size)).astype(dtype)
        case "x":
            return rng.normal(size=size).astype(dtype)
        case "r":
            return rng.integers(-3, 4, size)
        case "n":
            return size
        case _:
            return int(rng.choice([-(2**63), -2, 0, 1, 3, 2**63 - 1]))


def arguments_of(name: str, size: int, dtype: str, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng([seed, size])
    return [make(kind, size, dtype, rng) for kind in CASES[name][1]]


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(CASES))
def test_backends(name: str, backend: str, dtype: str) -> None:
    """A program agrees with the interpreter at all sizes, and changes no argument."""
    with warnings.catch_warnings():
        if backend == "numpy":
            warnings.simplefilter("error")
        for size in sizes_on(backend, SIZES, name):
            for seed in range(3):
                arguments = arguments_of(name, size, dtype, seed)
                assert_call_agrees(CASES[name][0], arguments, backend, TOLERANCE)


def emitted(name: str) -> str:
    """The NumPy code of a program, without its helpers."""
    run = CASES[name][0]
    source = compile(run.phi(*arguments_of(name, 5, "float64")), run.__name__, "numpy").source
    return source[source.rindex("\ndef ") :]


@pytest.mark.parametrize("name", PROGRAMS)
def test_needs_no(name: str) -> None:
    source = emitted(name)
    assert [text for text in PROGRAMS[name][2] if text in source] == [], source


def operators(loop: ast.For) -> int:
    """The operators, calls and reads of elements in the body of a loop."""
    kinds: tuple[Callable[..., Any], ...] = (ast.BinOp, ast.Call, ast.Subscript)
    return sum(isinstance(node, kinds) for each in loop.body for node in ast.walk(each))


@pytest.mark.parametrize("name", RECURRENCES)
def test_few_operators(name: str) -> None:
    source = emitted(name)
    loops = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.For)]
    stepped = [loop for loop in loops if not ast.unparse(loop.iter).endswith(", step)")]
    assert operators(stepped[-1]) <= RECURRENCES[name][2], source


@pytest.mark.parametrize("name", DIVIDED)
def test_axes_are_joined(name: str) -> None:
    assert "flatten(" in emitted(name)
