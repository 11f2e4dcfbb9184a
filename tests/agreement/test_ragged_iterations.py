"""Iterations of each element whose steps reduce rows of several lengths, and prefixes by counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinValueError,
    array,
    exp,
    fold,
    fold_max,
    fold_sum,
    fold_while,
    function,
    grad,
    max,
    sin,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


def newton_steps(a: Any, counts: Any, x: Any) -> Any:
    """Two sums of a row in each step, one of a start that varies with the row."""

    def root(i: Any) -> Any:
        def newton(_: Any, y: Any) -> Any:
            value = fold_sum(lambda k: a[i, k] * exp(-y * y), count=counts[i])
            slope = fold_sum(lambda k: x[counts[i] + k] * exp(-y * y), count=counts[i])
            return 0.5 * y - value / (10.0 + slope * slope)

        return fold(x[i], newton, count=3)

    return array(root, size=counts.size())


def records_in_nested_steps(a: Any, counts: Any, x: Any) -> Any:
    """An iteration of two values in an iteration, of a comprehension over two indices."""

    def solved(i: Any, j: Any) -> Any:
        def inner(_: Any, state: Any) -> Any:
            y, z = state
            s = fold_sum(lambda k: a[i, k] * exp(-y * y), count=counts[i])
            m = fold_max(lambda k: max(a[i, k] * z, -1.0), count=max(counts[i], 1))
            return 0.1 * s + 0.2 * y, 0.5 * z + 0.1 * m * x[j]

        def outer(_: Any, state: Any) -> Any:
            return fold(state, inner, count=2)

        return fold((0.5, x[j]), outer, count=2)

    both = array(solved, size=(counts.size(), x.size()))
    return array(lambda i, j: both[i, j][0]), array(lambda i, j: both[i, j][1])


def counts_of_steps(a: Any, counts: Any, x: Any) -> Any:
    """Lengths that vary with the step, in the steps of a loop around, whose counter is a count."""

    def outer(p: Any, ys: Any) -> Any:
        def solved(i: Any) -> Any:
            def step(q: Any, y: Any) -> Any:
                return 0.5 * y + 0.1 * fold_sum(
                    lambda k: a[i, k] * exp(-y * y) + ys[k], count=counts[i] - q
                )

            return fold(ys[i], step, count=p)

        return array(solved, size=counts.size())

    return fold(array(lambda i: x[i], size=counts.size()), outer, count=3)


def prefixes_by_counts(a: Any, counts: Any, x: Any) -> Any:
    """All rows combine the first of the same terms, in steps that change these."""

    def step(q: Any, b: Any) -> Any:
        sums = array(lambda i: fold(0.5, lambda k, s: s + exp(-b * b * x[k]), count=counts[i]))
        most = array(lambda i: fold_max(lambda k: b * x[k], count=max(counts[i], 1)))
        return 0.5 * b + 0.01 * fold_sum(lambda i: sums[i] + most[i], count=counts.size())

    return fold(0.1, step, count=3)


def prefixes_of_fields(a: Any, counts: Any, x: Any) -> Any:
    """Several combinations in one loop, which starts behind the first element."""

    def of(i: Any) -> Any:
        def step(k: Any, acc: Any) -> Any:
            return acc[0] + x[k + 1], acc[1] * x[k + 1]

        return fold((0.0, 1.0), step, count=counts[i])

    both = array(of, size=counts.size())
    return array(lambda i: both[i][0]), array(lambda i: both[i][1])


def prefixes_of_rows(a: Any, counts: Any, x: Any) -> Any:
    """The first terms of each row, by counts of the row and of another index; beyond its end."""

    def of(i: Any, q: Any) -> Any:
        return fold_sum(lambda k: a[i, k] * a[i, k], count=counts[i] + counts[q])

    return array(of, size=(counts.size(), counts.size()))


def counters_of_prefixes(a: Any, counts: Any, x: Any) -> Any:
    """A loop that returns its counter, too."""

    def of(i: Any) -> Any:
        first = (0, 1.0)
        return fold_while(first, lambda s: s[0] < counts[i], lambda s: (s[0] + 1, s[1] * x[s[0]]))

    both = array(of, size=counts.size())
    return array(lambda i: both[i][0]), array(lambda i: both[i][1])


def written_rows(a: Any, counts: Any, x: Any) -> Any:
    """Rows that loops of several lengths write, as columns, and once more by a radius.

    A loop that carries an array is the same for all elements of its row.
    """
    n, width = counts.size(), x.size()

    def row(i: Any) -> Any:
        def step(k: Any, y: Any) -> Any:
            return array(lambda c: y[c] + where(c == (i + k) % width, a[i, k], 0.0))

        return fold(array(lambda c: x[c] * 0.5), step, count=counts[i])

    def moved(i: Any) -> Any:
        def step(k: Any, y: Any) -> Any:
            return array(lambda c: where(c == k, y[c] + y[(c + i + 1) % width], y[c]))

        return fold(row(i), lambda k, y: fold(y, step, count=width - 1), count=counts[i])

    return (
        array(lambda i, c: row(i)[c], size=(n, width)),
        array(lambda c, i: row(i)[c] + 1.0, size=(width, n)),
        array(lambda i, c: where(c > 0, moved(i)[c], 1.0), size=(n, width)),
    )


def sums_of_walks(a: Any, counts: Any, x: Any) -> Any:
    """Folds combine what rows of several lengths compute, for each start; and their derivatives."""
    n = counts.size()

    def walk(a: Any, i: Any, b: Any) -> Any:
        def step(k: Any, y: Any) -> Any:
            return 0.9 * y + a[i, k] * sin(y + k.float())

        return fold(x[b], step, count=max(counts[i] - b, 0))

    def total(a: Any) -> Any:
        return fold_sum(lambda i, b: walk(a, i, b) ** 2, count=(n, x.size()))

    def both(i: Any, acc: Any) -> Any:
        return acc[0] + walk(a, i, 0), max(acc[1], walk(a, i, 1) * x[2])

    least, most = fold((0.5, -2.0), both, count=n)
    return least, most, total(a), grad(total)(a)


PROGRAMS = {
    f.__name__: function(f)
    for f in (
        newton_steps,
        records_in_nested_steps,
        counts_of_steps,
        prefixes_by_counts,
        prefixes_of_fields,
        prefixes_of_rows,
        counters_of_prefixes,
        written_rows,
        sums_of_walks,
    )
}


def arguments(counts: list[int], dtype: str) -> tuple[Any, ...]:
    """Rows of 6 elements, the numbers of them that are read, and 3 values."""
    random = np.random.default_rng(len(counts))
    a = random.normal(size=(len(counts), 6)).astype(dtype)
    return a, np.array(counts, dtype=np.int64), random.normal(size=3).astype(dtype)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    """No rows, empty ones, equal ones, negative lengths, and one that reads behind its end."""
    counts = [[], [0], [2, 2, 2], [3, 0, 5, 1], [2, -3, 4], [0, 20, 0]]
    for number in sizes_on(backend, tuple(range(len(counts))), name):
        assert_call_agrees(PROGRAMS[name], arguments(counts[number], dtype), backend, TOLERANCE)


@function
def longest_walk(counts: Any, x: Any) -> Any:
    """The count of each row is that of a fold."""
    n = counts.size()
    return fold_max(lambda i: fold(x[i], lambda k, y: 2.0 * y + x[i], count=counts[i]), count=n)


@pytest.mark.parametrize("backend", BACKENDS)
def test_negative_counts_are_errors(backend: str) -> None:
    counts, x = np.array([2, -3, 4]), np.ones(3)
    with pytest.raises(EinValueError, match="count of k is negative: -3"):
        longest_walk.eval(counts, x, backend=backend)
    with pytest.raises(EinValueError, match="count of k is negative: -3"):
        grad(longest_walk, 1).eval(counts, x, backend=backend)


def test_rows_of_a_fold_step_together() -> None:
    code = longest_walk.source(np.array([1, 2]), np.ones(2), backend="numpy")
    assert "for i in" not in code.rpartition("\ndef ")[2]


PREFIXES = [name for name in PROGRAMS if "prefixes" in name]


@pytest.mark.parametrize("name", PREFIXES)
def test_prefixes_are_scans_on_jax(name: str) -> None:
    """The loop that remains has the steps behind the end of an array."""
    code = PROGRAMS[name].source(*arguments([3, 0, 5], "float64"), backend="jax")
    assert "scan(" in code.rpartition("\ndef ")[2]


@pytest.mark.parametrize(
    "name", sorted({*PROGRAMS} - {"prefixes_of_rows", "sums_of_walks", "written_rows"})
)
def test_no_loop_over_the_steps_of_rows(name: str) -> None:
    code = PROGRAMS[name].source(*arguments([3, 0, 5], "float64"), backend="numpy")
    assert "while" not in code.rpartition("\ndef ")[2]
