"""Folds of prefixes: by counts and by tests, of several axes, and in the steps of loops."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    array,
    fold,
    fold_max,
    fold_prod,
    fold_sum,
    function,
    max,
    min,
    where,
)
from tests.agreement.comparison import assert_call_agrees, assert_limits_agree
from tests.libraries import BACKENDS, on
from tests.selection import sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@function
def counted(x: Vec[Float]) -> Vec[Float]:
    """Prefixes by counts, with and without their last element, and of a part."""
    n = x.size()
    return array(
        lambda i: (
            fold_sum(lambda k: x[k], count=i + 1)
            + 3.0 * fold_sum(lambda k: x[k], count=i)
            - fold_max(lambda k: x[k + 1], count=n - 1 - i)
        ),
        size=n,
    )


@function
def counted_axes(x: Vec[Float]) -> Vec[Vec[Float]]:
    """Prefixes of both axes of a matrix, by counts."""
    n = x.size()
    return array(
        lambda i, j: fold_sum(
            lambda u: fold_sum(lambda v: x[u] * x[v] - 0.25, count=j + 1), count=i
        ),
        size=(n, n),
    )


@function
def masked_axes(x: Vec[Float]) -> Vec[Vec[Float]]:
    """Prefixes of both axes by one test, and by one with a condition on elements."""
    n = x.size()
    return array(
        lambda i, j: (
            fold_sum(lambda u, v: where((u <= i) & (v < j), x[u] * x[v] - 0.25, 0.0), count=(n, n))
            - fold_sum(
                lambda u, v: where((v >= j) & ((x[u] > 0.0) & (u > i)), x[u] + x[v], 0.0),
                count=(n, n),
            )
        ),
        size=(n, n),
    )


@function
def selected_totals(x: Vec[Float]) -> Vec[Float]:
    """Totals that a test of no step selects, from an initial value."""
    return array(
        lambda i: fold(
            x[0],
            lambda k, acc: where((x[i] > 0.0) & (k < i), acc + x[k], acc),
            count=x.size(),
        )
    )


@function
def longest(x: Vec[Float]) -> Float:
    """The largest sum of a prefix, and of a suffix."""
    n = x.size()
    return fold_max(
        lambda i: abs(
            fold_sum(lambda k: x[k], count=i + 1) - fold_sum(lambda k: where(k >= i, x[k], 0.0))
        ),
        count=n,
    )


@function
def in_order(x: Vec[Float]) -> Float:
    """Prefixes in steps that depend on each other, and some that depend on their results."""
    n = x.size()

    def step(i: Int, acc: Float) -> Float:
        before = fold_sum(lambda k: x[k], count=i)
        return 0.5 * acc + before - fold_sum(lambda k: x[k] * acc, count=i) * 0.1

    return fold(0.0, step, count=n)


@function
def below(x: Vec[Float]) -> Float:
    """Numbers of elements below limits, in the steps of a reduction."""
    limits = array(lambda i: 0.5 * x[i] + 0.1)
    return fold_sum(
        lambda i: abs(fold_sum(lambda k: where(x[k] <= limits[i], 1.0, 0.0)) - i.float()),
        count=x.size(),
    )


@function
def below_in_order(x: Vec[Float]) -> Float:
    """Numbers of elements below a limit that the step before has found."""
    return fold(
        0.3,
        lambda i, acc: 0.1 * x[i] + 0.1 * fold_sum(lambda k: where(x[k] <= acc, 1.0, 0.0)),
        count=x.size(),
    )


@function
def predicted(x: Vec[Float]) -> tuple[Float, Float]:
    """Errors of values that depend on all steps before, without and with the step itself."""

    def smoothed(t: Int) -> Float:
        return fold(0.5, lambda s, mean: 0.8 * mean + 0.2 * x[s] * mean.cos(), count=t)

    def scaled(t: Int) -> Vec[Float]:
        return fold(x, lambda s, v: array(lambda i: v[i] * 0.5 + x[s]), count=t + 1)

    n = x.size()
    errors = fold_sum(lambda t: (x[t] - smoothed(t)) ** 2 + smoothed(t + 2), count=n)
    return errors, fold_max(lambda t: fold_sum(lambda i: scaled(t)[i]), count=n)


@function
def products_of_rows(x: Vec[Float]) -> Vec[Float]:
    """Sums of products of the elements from an index on: rows of several lengths."""
    n = x.size()

    def element(i: Int) -> Float:
        def product(t: Int) -> Float:
            return fold_prod(lambda s: 1.0 - x[i + s], count=t)

        return fold_sum(lambda t: product(t) * 0.9 ** t.float(), count=n - i)

    return array(element, size=n)


PROGRAMS = [
    predicted,
    products_of_rows,
    counted,
    counted_axes,
    masked_axes,
    selected_totals,
    longest,
    in_order,
    below,
    below_in_order,
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_prefixes(program: Any, backend: str) -> None:
    rng = np.random.default_rng(1)
    for size in sizes_on(backend, (0, 1, 2, 9)):
        if size or program is not selected_totals:
            x = rng.normal(size=size)
            assert_call_agrees(program, (x,), backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_elements_behind_a_prefix_have_no_effect(backend: str) -> None:
    x = np.array([1.0, 2.0, np.inf, -np.inf, np.nan, 3.0])
    for program in (counted, selected_totals, counted_axes, masked_axes):
        assert_call_agrees(program, (x,), backend, TOLERANCE)


@function
def ranks(x: Vec[Float], y: Vec[Float]) -> Vec[Float]:
    """Numbers and sums of elements below each of some limits."""
    return array(
        lambda i: (
            fold_sum(lambda k: where(x[k] <= y[i], 1.0, 0.0))
            + fold_sum(lambda k: where(x[k] > y[i], x[k], 0.0))
        )
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_many_limits(backend: str) -> None:
    """So many that elements are sorted on every backend."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=65).round(1), rng.normal(size=2000).round(1)
    assert_limits_agree(ranks, x, y, backend, TOLERANCE)


@function
def areas(a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """Sums of the elements above and to the left, in two ways."""
    n, m = a.size(0), a.size(1)
    return array(
        lambda i, j: (
            fold_sum(lambda u, v: where((u <= i) & (v < j), a[u, v], 0.0))
            + fold_sum(lambda u: fold_sum(lambda v: a[u, v], count=j + 1), count=i)
        ),
        size=(n, m),
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_areas(backend: str) -> None:
    rng = np.random.default_rng(3)
    for shape in sizes_on(backend, ((0, 3), (3, 0), (1, 1), (2, 5), (7, 4))):
        assert_call_agrees(areas, (rng.normal(size=shape),), backend, TOLERANCE)


def test_prefixes_in_steps_are_carried() -> None:
    found = predicted.ir("yarr", np.zeros(9))
    assert len(re.findall(r"yarr\.(?:fold|while)\b", found)) == 1, found


def test_sums_of_prefixes_of_products_are_a_recurrence() -> None:
    """It has a step for each element; another loop computes the sums where it is not safe."""
    found = products_of_rows.ir("yarr", np.zeros(9))
    assert len(re.findall(r"yarr\.(?:fold|while)\b", found)) == 2, found
    assert found.count("yarr.update ") == 1, found


@function
def in_rows(x: Vec[Float], m: Vec[Int]) -> Vec[Float]:
    """Prefixes, one in the steps of another, in rows that have as many steps as data says."""

    def alive(i: Int, t: Int) -> Float:
        return fold_prod(lambda s: 1.0 - 0.5 * x[i + s], count=t)

    def row(i: Int) -> Float:
        def pair(j: Int, state: tuple[Float, Float]) -> tuple[Float, Float]:
            return state[1], 0.5 * state[0] + x[j + i]

        def step(t: Int, acc: Float) -> Float:
            later = fold_sum(lambda u: alive(i, u) * x[u], count=t + 1)
            first, second = fold((1.0, x[i]), pair, count=t)
            other = fold_sum(lambda u: x[t - u], count=t)
            return 0.5 * acc + alive(i, t) - later + first * second + other

        return fold(x[0], step, count=m[i])

    return array(row, size=m.size())


@pytest.mark.parametrize("backend", BACKENDS)
def test_prefixes_in_rows(backend: str) -> None:
    rng = np.random.default_rng(4)
    for size in sizes_on(backend, (0, 1, 2, 9)):
        x, m = rng.normal(size=size + 1), rng.integers(-1, size + 1, size)
        assert_call_agrees(in_rows, (x, m), backend, TOLERANCE)


@function
def of_built(x: Vec[Float]) -> tuple[Vec[Float], Vec[Float], Float]:
    """Prefixes of arrays that the steps build: of two, some of whose elements are written later."""
    n, at = x.size(), lambda a, p, y: array(lambda i: where(i == p, y, a[i]))

    def step(k: Int, state: Any) -> Any:
        d, e, _ = state
        total = fold_sum(lambda j: d[j] * x[j], count=k)
        most = fold_max(lambda j: where(j < k, e[j + 1], -1.0), count=n)
        smoothed = fold(1.0, lambda j, y: 0.5 * y + d[j] - e[j], count=k)
        rewritten = fold_sum(lambda j: d[j + 1] + e[j + 2], count=k)
        new = x[k] / (9.0 + total + most)
        d = where(x[k] < 0.5, at(d, k, new + 0.1 * smoothed), d)
        return d, at(e, k + 1, 0.1 * new), rewritten

    return fold((x, x, 0.0), step, count=n)


@function
def of_all_kinds(x: Vec[Float]) -> tuple[Vec[Float], Float]:
    """Several prefixes in one loop: with some steps more, nested, of an array that it builds."""

    def decayed(t: Int) -> Float:
        return fold(1.0, lambda s, y: 0.5 * y + x[s].cos(), count=t)

    def step(k: Int, state: Any) -> Any:
        d, total = state
        nested = fold(0.1, lambda s, y: 0.9 * y + y * decayed(s), count=k)
        value = decayed(k) - decayed(k + 1) + 0.1 * decayed(k + 2) + 0.01 * nested
        value -= 0.1 * fold_sum(lambda j: d[j] * x[j], count=k)
        return array(lambda i: where(i == k, value, d[i])), 0.5 * total + value

    return fold((x, 0.0), step, count=x.size())


@function
def rows_of_built(x: Vec[Float]) -> Vec[Vec[Float]]:
    """Sums over rows before a row, and of a part of the steps in each of several loops."""

    def one(r: Int) -> Vec[Float]:
        def step(k: Int, d: Any) -> Any:
            total = fold_sum(lambda j: d[j], count=k)
            return array(lambda i: where(i == k, x[k] * r.float() / (1.5 + total), d[i]))

        return fold(x, step, count=min(x.size(), 3))

    return array(one, size=3)


@function
def strided(x: Vec[Float]) -> Vec[Float]:
    """Sums of every third element, of which each step writes the next one."""

    def step(k: Int, d: Any) -> Any:
        total = fold_sum(lambda j: d[3 * j] * x[j], count=k + 1)
        return array(lambda i: where(i == 3 * k + 3, d[i] - 0.1 * total, d[i]))

    return fold(x, step, count=x.size() // 3)


@function
def started(x: Vec[Float]) -> tuple[Vec[Float], Vec[Float]]:
    """Loops over the steps so far that start from what the steps compute are no prefixes."""
    mixed = lambda _, y: array(lambda i: 0.5 * (y[i] + y[i + 1]))  # noqa: E731
    return (
        fold(x, lambda k, y: fold(y, mixed, count=k), count=x.size()),
        fold(x, lambda k, y: fold(y, mixed, count=k + 1), count=x.size()),
    )


def shifted(read: int, write: int, more: int) -> Any:
    """A prefix of elements that a step may write before, in or behind it."""

    def program(x: Vec[Float]) -> Vec[Float]:
        def step(k: Int, d: Any) -> Any:
            total = fold_sum(lambda j: d[j + read], count=max(k + more, 0))
            return array(lambda i: where(i == k + write, x[k] / (1.5 + total), d[i]))

        return fold(array(lambda i: x[i] * 0.5), step, count=x.size())

    return function(program)


FINAL = [(0, 0, 0), (0, 1, 1), (1, 1, 0), (-1, 0, 0)]
OTHERS = [(-1, 0, 1), (0, -1, 0), (1, 0, 0), (0, 0, 2)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "program",
    [of_built, of_all_kinds, rows_of_built, strided, started],
    ids=lambda f: f.__name__,
)
def test_prefixes_of_built_arrays(program: Any, backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 7)):
        x = np.random.default_rng(size).random(size)
        assert_call_agrees(program, (x,), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("numpy", "native"))
@pytest.mark.parametrize("shifts", [*FINAL, *OTHERS])
def test_shifted_prefixes_of_built_arrays(shifts: tuple[int, int, int], backend: str) -> None:
    for size in (0, 1, 2, 6):
        x = np.random.default_rng(size).random(size)
        assert_call_agrees(shifted(*shifts), (x,), backend, TOLERANCE)


def test_built_prefixes_are_carried() -> None:
    """Of elements that are final: others are read again in each step."""
    for shifts in (*FINAL, *OTHERS):
        source = shifted(*shifts).source(np.zeros(9))
        assert (".sum(" in source) == (shifts in OTHERS), shifts
    assert " @ " not in strided.source(np.zeros(9))


def test_rows_carry_prefixes() -> None:
    found = in_rows.ir("yarr", np.zeros(9), np.arange(9), backend="jax")
    assert found.count("yarr.while ") == 2, found


def test_no_loop_over_all_pairs() -> None:
    x = np.zeros(9)
    programs = [(program, x) for program in (counted, selected_totals, longest, below)]
    for program, argument in (*programs, (areas, np.zeros((3, 4)))):
        source = program.source(argument)
        assert not re.search(r"in range\(size\w+\):", source), source


@function
def repeated(x: Vec[Float], w: Vec[Int]) -> Vec[Vec[Float]]:
    """Values of no step, in a range of steps and in prefixes."""
    n = x.size()

    def element(i: Any, j: Any) -> Any:
        inside = fold_sum(lambda p: where((i + p >= 1) & (i + p < n), x[j], 0.0), count=3)
        before = fold_sum(lambda k: where(k < w[i], x[j] - 1.0, 0.0), count=n)
        return inside + before + fold_sum(lambda k: where(k <= i, w[j], 0), count=n).float()

    return array(element, size=(n, n))


@pytest.mark.parametrize("backend", BACKENDS)
def test_repeated_values(backend: str) -> None:
    """Of no steps the sum is 0, also of values that are infinite."""
    for size in sizes_on(backend, (0, 1, 2, 3, 7)):
        x = np.linspace(-1.0, 1.0, size)
        if size > 2:
            x[:2] = np.inf, -2.0
        w = np.arange(size)[::-1].copy() - 1
        assert_call_agrees(repeated, (x, w), backend, TOLERANCE)


def test_repeated_values_are_multiplied() -> None:
    found = repeated.ir("yarr", np.ones(3), np.arange(3))
    assert "yarr.scan" not in found
    assert "yarr.fold" not in found
