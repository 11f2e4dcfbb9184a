"""Sums over steps that a key selects: of values at the index of the key, and by equations."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Bool,
    Float,
    Int,
    Vec,
    array,
    exp,
    fold,
    fold_all,
    fold_any,
    fold_argmax,
    fold_max,
    fold_min,
    fold_prod,
    fold_sum,
    function,
    sqrt,
    where,
)
from tests.agreement.comparison import assert_call_agrees, given
from tests.libraries import BACKENDS
from tests.selection import sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@function
def deviations(x: Vec[Float], key: Vec[Int], m: Int) -> Vec[Float]:
    """Standard deviations of groups, whose means are macros in the sum."""

    def count(b: Int) -> Float:
        return fold_sum(lambda i: where(key[i] == b, 1.0, 0.0))

    def mean(b: Int) -> Float:
        return fold_sum(lambda i: where(key[i] == b, x[i], 0.0)) / (count(b) + 0.5)

    return array(
        lambda b: sqrt(fold_sum(lambda i: where(key[i] == b, (x[i] - mean(b)) ** 2, 0.0))),
        size=m,
    )


@function
def normalised(x: Vec[Float], key: Vec[Int], m: Int) -> Vec[Float]:
    """Softmax in groups, from arrays of their maxima and sums."""
    most = array(lambda b: fold_max(lambda i: where(key[i] == b, x[i], -1e30)), size=m)
    total = array(
        lambda b: fold_sum(lambda i: where(key[i] == b, exp(x[i] - most[b]), 0.0)), size=m
    )
    return array(lambda i: exp(x[i] - most[key[i]]) / total[key[i]])


@function
def powers(x: Vec[Float], key: Vec[Int], m: Int) -> Vec[Float]:
    """The index of the key as a number, in another test, and in a step of an accumulation."""
    return array(
        lambda b: (
            fold_sum(lambda i: where((key[i] == b) & (x[i] < b.float()), x[i] * b.float(), 1.0))
            + fold_sum(lambda i: where((key[i] == b) & (b > 1), b, 0)).float()
        ),
        size=m,
    )


@function
def nearest(x: Vec[Float], key: Vec[Int], m: Int) -> Vec[Vec[Float]]:
    """The sum of the elements at two keys that are the least ones there."""
    row = lambda i: key[i] // 2  # noqa: E731
    least = array(
        lambda a, b: fold_min(lambda i: where((row(i) == a) & (key[i] == b), x[i], 9.0)),
        size=(m, m),
    )
    return array(
        lambda a, b: fold_sum(
            lambda i: where((row(i) == a) & (key[i] == b) & (x[i] <= least[a, b]), x[i], 0.0)
        ),
        size=(m, m),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [deviations, normalised, powers, nearest])
def test_values_at_the_index_of_a_key(program: Any, backend: str) -> None:
    rng = np.random.default_rng(1)
    for size, groups in sizes_on(backend, ((0, 0), (0, 2), (1, 1), (2, 3), (9, 4))):
        low, high = (0, groups) if program is normalised else (-1, groups + 2)
        key = rng.integers(low, max(high, low + 1), size)
        assert_call_agrees(program, (rng.normal(size=size), key, groups), backend, TOLERANCE)


def test_no_step_for_each_key() -> None:
    arguments = np.zeros(5), np.zeros(5, np.int64), 3
    for program in (deviations, normalised, nearest):
        source = program.source(*arguments)
        assert not re.search(r"in range\((size|t)\w+\):", source), source


@pytest.mark.parametrize("backend", BACKENDS)
def test_negative_sizes(backend: str) -> None:
    arguments = (given(each, backend) for each in (np.zeros(5), np.zeros(5, np.int64), -1))
    with pytest.raises(ValueError, match="negative: -1"):
        deviations.eval(*arguments, backend=backend)


@function
def joined(key: Vec[Int], x: Vec[Float], wanted: Vec[Int]) -> Vec[Float]:
    """Sums, numbers and extremes of the elements with an equal key."""
    return array(
        lambda i: (
            fold_sum(lambda k: where(key[k] == wanted[i], x[k], 0.0))
            + 10.0 * fold_sum(lambda k: where(key[k] != wanted[i], 0, 1)).float()
            - fold_max(lambda k: where((wanted[i] == key[k]) & (x[k] > 0.0), x[k], -3.0))
        )
    )


@function
def known(key: Vec[Int], x: Vec[Float], wanted: Vec[Int]) -> Vec[Bool]:
    """Whether an element has an equal key."""
    return array(lambda i: fold_any(lambda k: (key[k] == wanted[i]) & (x[k] < 1.0)))


@function
def of_floats(key: Vec[Int], x: Vec[Float], wanted: Vec[Int]) -> Vec[Float]:
    """Equal floats, of which NaN is none."""
    values = array(lambda i: x[wanted[i]])
    return array(
        lambda i: (
            fold_sum(lambda k: where(x[k] == values[i], 1.0, 0.0))
            + 100.0 * fold_sum(lambda k: where(x[k] != values[i], 0.0, x[k]))
        )
    )


@function
def of_groups(key: Vec[Int], x: Vec[Float], wanted: Vec[Int]) -> Vec[Float]:
    """Differences from the means of the elements with an equal key."""
    return array(
        lambda i: (
            x[i]
            - fold_sum(lambda k: where(key[k] == key[i], x[k], 0.0))
            / fold_sum(lambda k: where(key[k] == key[i], 1.0, 0.0))
        )
    )


EQUATIONS = [joined, known, of_floats, of_groups]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", EQUATIONS)
def test_equations(program: Any, backend: str) -> None:
    rng = np.random.default_rng(2)
    for size, number in ((0, 0), (0, 3), (1, 2), (2, 5), (9, 12), (33, 70), (20, 1500)):
        if number < 1000 or backend in ("jax", "native"):
            x = rng.normal(size=size).round(1)
            x[size // 2 : size // 2 + 1] = np.nan
            keys = rng.integers(-4, 5, size), rng.integers(-4, 5, number)
            assert_call_agrees(program, (keys[0], x, keys[1]), backend, TOLERANCE)


def test_no_loop_over_all_pairs() -> None:
    arguments = np.zeros(5, np.int64), np.zeros(5), np.zeros(7, np.int64)
    for program in EQUATIONS:
        source = program.source(*arguments)
        assert not re.search(r"in range\(size\w+\):", source), source


@function
def products(key: Vec[Int], x: Vec[Float], wanted: Vec[Int]) -> Vec[Float]:
    """Products of floats, whose order stays that of the program."""
    return array(
        lambda i: (
            fold_prod(lambda k: where(key[k] == wanted[i], x[k], 1.0))
            - fold_prod(lambda k: where((key[k] < wanted[i]) & (key[k] >= 0), x[k], 1.0))
        )
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_products(backend: str) -> None:
    rng = np.random.default_rng(3)
    keys = rng.integers(-1, 4, 9), rng.integers(-2, 5, 7)
    assert_call_agrees(products, (keys[0], rng.normal(size=9), keys[1]), backend, TOLERANCE)


@function
def looked_up_in_steps(key: Vec[Int], x: Vec[Float], wanted: Vec[Int]) -> Float:
    """The last value of a key in each step, and values whose number varies with the element."""
    n = key.size()

    def last(i: Int, count: Int) -> Float:
        return fold(0.0, lambda k, value: where(key[k] == wanted[i], x[k], value), count=count)

    rows = array(lambda i, j: last(i, n - i % 2) * x[j], size=(wanted.size(), n))
    sums = fold_sum(lambda i: fold_sum(lambda j: rows[i, j]), count=wanted.size())
    return fold(0.25, lambda i, acc: 0.5 * acc + last(i, n), count=wanted.size()) + sums


@pytest.mark.parametrize("backend", BACKENDS)
def test_look_ups_in_steps(backend: str) -> None:
    rng = np.random.default_rng(4)
    for size, number in sizes_on(backend, ((1, 2), (2, 5), (9, 70))):
        keys = rng.integers(-1, 4, size), rng.integers(-2, 5, number)
        assert_call_agrees(
            looked_up_in_steps, (keys[0], rng.normal(size=size), keys[1]), backend, TOLERANCE
        )


@function
def regions(label: Vec[Vec[Int]], x: Vec[Vec[Float]], m: Int) -> tuple[Vec[Any], ...]:
    """Extremes and truths of the elements of each region of a table."""
    rows, columns = label.size(0), label.size(1)
    return (
        array(lambda c: fold_max(lambda i, j: where(label[i, j] == c, x[i, j], 0.25)), size=m),
        array(lambda c: fold_min(lambda i, j: where(label[i, j] == c, i - j, columns)), size=m),
        array(lambda c: fold_any(lambda i, j: (label[i, j] == c) & (x[i, j] > 0.5)), size=m),
        array(lambda c: fold_all(lambda i, j: label[i, j] != c), size=m),
        array(
            lambda c: fold_max(
                lambda i, k: where(label[i, 0] + 2 * k == c, x[i, 0], -1.0), count=(rows, 3)
            ),
            size=m,
        ),
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_keys_of_two_counters(backend: str) -> None:
    rng = np.random.default_rng(5)
    for shape, m in sizes_on(
        backend, (((0, 3), 2), ((3, 0), 2), ((1, 1), 1), ((2, 3), 4), ((5, 7), 9))
    ):
        if not (backend == "jax" and 0 in shape):
            x = rng.normal(size=shape)
            x[:1, :1] = np.nan
            label = rng.integers(-1, m + 1, shape)
            assert_call_agrees(regions, (label, x, m), backend, TOLERANCE)


@function
def counted(x: Vec[Vec[Int]], m: Int) -> tuple[Vec[Int], Vec[Int], Vec[Int], Vec[Int], Int]:
    """Steps of a fold that select the elements equal to its counter."""

    def number(i: Int, c: Int) -> Int:
        return fold_sum(lambda k: where(x[i, k] == c, 1, 0))

    return (
        array(lambda i: fold_argmax(lambda c: number(i, c), count=m)),
        array(lambda i: fold_sum(lambda c: where(number(i, c) > 0, 1, 0), count=m)),
        array(
            lambda i: fold_argmax(
                lambda c: where(fold_any(lambda k: x[i, k] == c + 1), 0, 1), count=m
            )
        ),
        array(
            lambda i: fold(
                3, lambda c, acc: acc * 5 + fold_max(lambda k: where(x[i, k] == c, k, -1)), count=m
            )
        ),
        fold_sum(lambda c: fold_max(lambda i, k: where(x[i, k] == c, i + k, acc_of(c))), count=m),
    )


def acc_of(c: Int) -> Int:
    """A sentinel that varies with the step of the outer fold."""
    return 2 - c


@pytest.mark.parametrize("backend", BACKENDS)
def test_keys_of_steps(backend: str) -> None:
    rng = np.random.default_rng(6)
    for shape, m in (((2, 0), 2), ((1, 1), 1), ((2, 3), 0), ((3, 4), 5), ((4, 9), 6)):
        if not (backend == "jax" and 0 in shape):
            x = rng.integers(-1, m + 2, shape)
            assert_call_agrees(counted, (x, m), backend, TOLERANCE)


def test_no_loop_over_keys_of_steps() -> None:
    source = counted.source(np.zeros((5, 7), np.int64), 3)
    assert not re.search(r"in range\(size1_x\):", source), source


@function
def meetings(home: Vec[Int], away: Vec[Int], x: Vec[Float], m: Int) -> tuple[Vec[Any], ...]:
    """Terms that any of several conjunctions of equations selects."""

    def met(k: Int, a: Int, b: Int) -> Bool:
        return ((home[k] == a) & (away[k] == b)) | ((home[k] == b) & (away[k] == a))

    return (
        array(lambda a, b: fold_sum(lambda k: where(met(k, a, b), x[k], 0.0)), size=(m, m)),
        array(lambda a, b: fold_any(lambda k: met(k, a, b) & (x[k] > 0.0)), size=(m, m)),
        array(
            lambda a: fold_sum(
                lambda k: where(
                    ((home[k] == a) & (x[k] > 0.0)) | ((away[k] == a) & (x[k] < 0.5)), x[k], 0.0
                )
            ),
            size=m,
        ),
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_conjunctions_of_equations(backend: str) -> None:
    rng = np.random.default_rng(7)
    for size, m in sizes_on(backend, ((0, 2), (1, 1), (2, 3), (25, 4))):
        pair = rng.integers(-1, m + 1, (2, size))
        assert_call_agrees(meetings, (*pair, rng.normal(size=size), m), backend, TOLERANCE)
