"""Folds whose counts differ by element agree with the reference interpreter, and with NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinValueError,
    array,
    fold,
    fold_any,
    fold_max,
    fold_min,
    fold_sum,
    fold_while,
    function,
    grad,
    max,
    min,
    where,
)
from tests.agreement.comparison import assert_call_agrees, given
from tests.libraries import BACKENDS, library_for, needs
from tests.selection import combinations, sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def csr_product(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """A sparse matrix times a vector."""

    def row(i: Any) -> Any:
        start = offsets[i]
        count = offsets[i + 1] - start
        return fold_sum(lambda k: values[start + k] * v[columns[start + k]], count=count)

    return array(row, size=offsets.size() - 1)


def transposed_product(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """The same with the rows as columns, which are added to the result one after another."""

    def column(j: Any, result: Any) -> Any:
        def term(k: Any, acc: Any) -> Any:
            p = offsets[j] + k
            return array(lambda i: where(i == columns[p], acc[i] + values[p] * v[j], acc[i]))

        return fold(result, term, count=max(offsets[j + 1] - offsets[j], 0))

    return fold(array(lambda i: v[i] * 0.0), column, count=offsets.size() - 1)


def bags(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Sums of a row by bags: one count for the elements of each row of the result."""

    def mean(i: Any, j: Any) -> Any:
        start, count = offsets[i], offsets[i + 1] - offsets[i]
        return fold_sum(lambda k: v[columns[start + k]] * v[j], count=count)

    return array(mean, size=(offsets.size() - 1, v.size()))


def row_sums_of_squares(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    return array(
        lambda i: fold_sum(
            lambda k: values[offsets[i] + k] ** 2, count=offsets[i + 1] - offsets[i]
        ).sqrt(),
        size=offsets.size() - 1,
    )


def largest_neighbour(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Adjacency lists."""
    return array(
        lambda i: fold_max(lambda k: columns[offsets[i] + k], count=offsets[i + 1] - offsets[i]),
        size=offsets.size() - 1,
    )


def is_neighbour(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    return array(
        lambda i, j: fold_any(
            lambda k: columns[offsets[i] + k] == j, count=offsets[i + 1] - offsets[i]
        ),
        size=(offsets.size() - 1, 3),
    )


def polynomials(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Horner's rule for polynomials of different degrees: no reduction."""
    return array(
        lambda i: fold(
            0.0,
            lambda k, acc: acc * 0.5 + values[offsets[i] + k],
            count=offsets[i + 1] - offsets[i],
        ),
        size=offsets.size() - 1,
    )


def doubled(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """A sum and a product of an accumulator with itself are no reductions."""
    return array(
        lambda i: (
            fold(v[i], lambda k, acc: acc + acc, count=i),
            fold(v[i], lambda k, acc: acc * acc, count=v.size() - i),
        )
    )


def triangle(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    return array(lambda i: fold_sum(lambda k: v[k], count=i) + v[i])


def suffix_minima(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    return array(lambda i: fold_min(lambda k: v[i + k], count=v.size() - i) + 0 * v[i])


def pairs(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Two counters, of which the second one depends on the first one."""
    return array(
        lambda i: (
            fold_sum(lambda k: fold_sum(lambda m: v[k] * v[m], count=k + 1), count=i + 1) + v[i]
        )
    )


def run_lengths(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """The sum of the positions of each group."""
    return array(
        lambda i: fold_sum(lambda k: offsets[i] + k, count=offsets[i + 1] - offsets[i]),
        size=offsets.size() - 1,
    )


def prefixes(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Several reductions of different steps in one loop, and a value that is none."""

    def of(i: Any) -> Any:
        def step(k: Any, acc: Any) -> Any:
            total, product, least, last = acc
            return total + v[k], v[k] * product, min(least, columns[k]), v[k] - 0.5 * last

        start = (0.5 + 0.0 * v[i], 1.0 + 0.0 * v[i], columns.size(), v[i])
        return fold(start, step, count=i)

    return array(lambda i: of(i))


def negative(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """A negative count takes no steps."""
    return array(lambda i: fold_sum(lambda k: v[k], count=2 - i) + v[i])


def rows_that_end_together(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Below the diagonal, with a limit of the count and a start behind the row."""
    n = v.size()
    return array(
        lambda i, j: (
            fold_sum(lambda k: v[i + 1 + k] * v[(i + 1 + k + j) % n], count=n - 1 - i)
            + fold(0.5, lambda k, acc: 0.5 * acc + v[i + 2 + k] * v[j], count=max(n - i - 2, 0))
        ),
        size=(n, n),
    )


def ends_behind_the_array(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Rows of a matrix that has fewer rows than columns: some counts are negative."""
    matrix = array(lambda i, j: v[i] + columns[j].float(), size=(2, columns.size()))
    return array(
        lambda i: fold_sum(lambda k: matrix[i + 1 + k, i], count=matrix.size(0) - 1 - i),
        size=matrix.size(1),
    )


def cut_windows(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Windows that are cut at the ends of an array, by the ends of a count."""
    n, m = columns.size(), v.size()

    def around(i: Any) -> Any:
        first, end = max(i - 2, 0), min(i + 3, n)
        largest = fold_max(lambda k: columns[first + k], count=end - first)
        return fold_sum(lambda k: values[first + k], count=end - first), largest

    def product(i: Any) -> Any:
        first = max(0, i - m + 1)
        return fold_sum(
            lambda k: values[first + k] * v[i - first - k], count=min(n - 1, i) - first + 1
        )

    return (
        array(lambda i: fold_sum(lambda k: v[k] * values[i - k], count=min(i + 1, m)), size=n),
        array(lambda i: fold_sum(lambda k: values[i - k], count=min(i + 1, columns[0])), size=n),
        array(around, size=n),
        array(product, size=max(n + m - 1, 0)),
    )


def sparse_times_dense(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Another index next to that of the rows."""
    return array(
        lambda i, j: fold_sum(
            lambda k: values[offsets[i] + k] * v[(columns[offsets[i] + k] + j) % 4],
            count=offsets[i + 1] - offsets[i],
        ),
        size=(offsets.size() - 1, 3),
    )


def ranges(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """A counter that starts where the row does; two reductions in one loop."""

    def row(i: Any) -> Any:
        start = (offsets[i], 0.0 * v[0], -100 + 0 * columns.size())
        return fold_while(
            start,
            lambda state: state[0] < offsets[i + 1],
            lambda state: (
                state[0] + 1,
                state[1] + values[state[0]],
                max(state[2], columns[state[0]]),
            ),
        )

    return array(row, size=offsets.size() - 1)


def in_a_loop(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Rows in the steps of a fold."""

    def step(_: Any, x: Any) -> Any:
        return array(
            lambda i: (
                0.5 * x[i]
                + fold_sum(
                    lambda k: values[offsets[i] + k] * x[columns[offsets[i] + k]],
                    count=offsets[i + 1] - offsets[i],
                )
            ),
            size=x.size(0),
        )

    return fold(array(lambda i: v[i], size=offsets.size() - 1), step, count=3)


def beyond_the_ends(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Rows that start before the first element, or end behind the last: positions are clipped."""
    return array(
        lambda i: fold_sum(
            lambda k: v[i - 2 + k] * columns[i + k].float(), count=columns[i] + 2 - i
        ),
        size=columns.size(),
    )


def neighbours_of_neighbours(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """A row in a row."""

    def count(row: Any) -> Any:
        return offsets[row + 1] - offsets[row]

    def of(row: Any) -> Any:
        return fold_sum(lambda m: values[offsets[row] + m], count=count(row))

    return array(
        lambda i: fold_sum(lambda k: of(columns[offsets[i] + k]), count=count(i)),
        size=offsets.size() - 1,
    )


def scattered(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Sums, minima and truths of all elements of all rows by their columns."""
    count = v.size()
    none = array(lambda j: where(v[j] > 9.0, True, False), size=count)

    def by_column(init: Any, combine: Callable[[Any, Any, Any], Any]) -> Any:
        def row(i: Any, acc: Any) -> Any:
            def term(k: Any, acc: Any) -> Any:
                p = offsets[i] + k
                new = combine(acc[columns[p]], i, p)
                return array(lambda j: where(j == columns[p], new, acc[j]), size=count)

            return fold(acc, term, count=offsets[i + 1] - offsets[i])

        return fold(init, row, count=offsets.size() - 1)

    return (
        by_column(v, lambda old, i, p: old + values[p] * v[i]),
        by_column(v, lambda old, i, p: min(old, values[p] + v[i])),
        by_column(none, lambda old, i, p: old | (v[i] < values[p])),
    )


def relaxed(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Rows that are the same in all steps of a loop, and read the array that it carries."""

    def sweep(_: Any, d: Any) -> Any:
        def row(i: Any, acc: Any) -> Any:
            def term(k: Any, acc: Any) -> Any:
                j = columns[offsets[i] + k]
                new = min(acc[j], d[i] + values[offsets[i] + k])
                return array(lambda n: where(n == j, new, acc[n]), size=v.size())

            return fold(acc, term, count=offsets[i + 1] - offsets[i])

        return fold(d, row, count=offsets.size() - 1)

    return fold(v, sweep, count=columns.size() % 3)


def dense(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """A matrix of the elements, for each of some factors, and its sums over a loop around rows."""
    rows, count = offsets.size() - 1, v.size()

    def matrix(factor: Any) -> Any:
        def row(i: Any, acc: Any) -> Any:
            def term(k: Any, acc: Any) -> Any:
                p = offsets[i] + k
                new = acc[i, columns[p]] + values[p] * factor
                return array(lambda a, b: where((a == i) & (b == columns[p]), new, acc[a, b]))

            return fold(acc, term, count=offsets[i + 1] - offsets[i])

        return fold(array(lambda i, j: factor, size=(rows, count)), row, count=rows)

    def shifted(s: Any, acc: Any) -> Any:
        def row(i: Any, acc: Any) -> Any:
            def term(k: Any, acc: Any) -> Any:
                j = (columns[offsets[i] + k] + s) % 4
                return array(lambda n: where(n == j, acc[n] + v[s], acc[n]), size=count)

            return fold(acc, term, count=offsets[i + 1] - offsets[i])

        return fold(acc, row, count=rows)

    return array(lambda f: matrix(v[f]), size=count), fold(v, shifted, count=count)


def attention(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Reductions of rows that read those of the same rows before them."""

    def mean(i: Any) -> Any:
        start, count = offsets[i], offsets[i + 1] - offsets[i]
        largest = fold_max(lambda k: values[start + k], count=count)
        weight = lambda k: (values[start + k] - largest).exp()  # noqa: E731
        total = fold_sum(weight, count=count)
        return fold_sum(lambda k: weight(k) / total * v[columns[start + k]], count=count)

    return array(mean, size=offsets.size() - 1)


def sums_of_rows(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Numbers that a fold over all rows computes, from all elements or from those of each row."""
    rows = offsets.size() - 1

    def count(i: Any) -> Any:
        return offsets[i + 1] - offsets[i]

    def row(i: Any) -> Any:
        return fold_sum(
            lambda k: values[offsets[i] + k] * v[columns[offsets[i] + k]], count=count(i)
        )

    def above(i: Any, acc: Any) -> Any:
        return fold(
            acc, lambda k, n: where(values[offsets[i] + k] > v[i], n + 1, n), count=count(i)
        )

    def step(i: Any, state: Any) -> Any:
        total, most = state
        found = fold(v[i], lambda k, x: max(x, values[offsets[i] + k]), count=count(i))
        return total * 0.5 + found, max(most, row(i))

    return (
        fold_sum(row, count=rows),
        fold_sum(lambda i: v[i] * row(i), count=rows),
        fold(3, above, count=rows),
        fold((1.0 + 0.0 * v[0], v[1]), step, count=rows),
    )


def sums_of_columns(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Elements that rows add to their columns, as sums for each column or one row at a time."""
    rows, size = offsets.size() - 1, v.size()

    def count(i: Any) -> Any:
        return offsets[i + 1] - offsets[i]

    def value(i: Any, k: Any, j: Any) -> Any:
        return where(columns[offsets[i] + k] == j, values[offsets[i] + k] * v[i], 0.0)

    def of_column(j: Any) -> Any:
        return fold_sum(lambda i: fold_sum(lambda k: value(i, k, j), count=count(i)), count=rows)

    def added(i: Any, acc: Any) -> Any:
        return array(
            lambda j: acc[j] + fold_sum(lambda k: value(i, k, j), count=count(i)), size=size
        )

    def each_added(i: Any, acc: Any) -> Any:
        def term(k: Any, acc: Any) -> Any:
            return array(lambda j: acc[j] + value(i, k, j), size=size)

        return fold(acc, term, count=count(i))

    return array(of_column, size=size), fold(v, added, count=rows), fold(v, each_added, count=rows)


def distances(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Sums of all elements for each index, and sums of the largest one of each row."""
    rows = offsets.size() - 1

    def reduced(by: Any, i: Any, j: Any) -> Any:
        return by(lambda k: abs(values[offsets[i] + k] - v[j]), count=offsets[i + 1] - offsets[i])

    def of(j: Any) -> Any:
        nearest = fold_sum(lambda i: min(reduced(fold_min, i, j), 9.0), count=rows)
        return fold_sum(lambda i: reduced(fold_sum, i, j), count=rows), nearest

    return array(of, size=v.size())


def prefixes_of_rows(values: Any, columns: Any, offsets: Any, v: Any) -> Any:
    """Of the elements of each row of a matrix; powers and falling factorials of each element."""
    n, m = v.size(), columns.size()
    matrix = array(lambda i, k: v[i] * (k + 1).float(), size=(n, 3))
    sums = array(
        lambda i, q: (
            fold_sum(lambda k: matrix[i, k], count=columns[q]),
            fold(2.0, lambda k, acc: acc * matrix[i, k], count=columns[q]),
        ),
        size=(n, m),
    )
    powers = array(lambda i, k: fold(1.0, lambda _, acc: acc * v[i], count=k), size=(n, 5))
    falling = array(
        lambda k, i: fold(1.0, lambda j, acc: acc * (v[i] - j.float()), count=k), size=(m, n)
    )
    return sums, powers, falling


PROGRAMS = {
    f.__name__: function(f)
    for f in (
        csr_product, transposed_product, bags, row_sums_of_squares, largest_neighbour,
        is_neighbour, polynomials, doubled, triangle,
        suffix_minima, pairs, prefixes, run_lengths, negative, sparse_times_dense, ranges,
        in_a_loop, beyond_the_ends, neighbours_of_neighbours, rows_that_end_together,
        ends_behind_the_array, cut_windows, scattered, relaxed, dense,
        attention, sums_of_rows, sums_of_columns, distances, prefixes_of_rows,
    )
}  # fmt: skip


def arguments(rows: int, dtype: str) -> tuple[Any, ...]:
    random = np.random.default_rng(rows)
    counts = random.integers(0, 5, rows)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    total = int(offsets[-1])
    values = random.normal(size=total).astype(dtype)
    return values, random.integers(0, 4, total), offsets, random.normal(size=4).astype(dtype)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for rows in sizes_on(backend, (0, 1, 7), name):
        assert_call_agrees(PROGRAMS[name], arguments(rows, dtype), backend, TOLERANCE)


@pytest.mark.parametrize(
    "name", ["scattered", "relaxed", "dense", "sums_of_rows", "sums_of_columns", "distances"]
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_rows_of_any_offsets(name: str, backend: str) -> None:
    """Rows that overlap, leave elements out or read beyond the ends; a negative length fails."""
    values, columns, _, v = arguments(7, "float64")
    for offsets in ([0], [2, 2, 2], [-2, 1, 4], [3, 5, 9, 40]):
        call = (values, columns, np.array(offsets), v)
        assert_call_agrees(PROGRAMS[name], call, backend, TOLERANCE)
    call = [
        given(each, library_for(backend)) for each in (values, columns, np.array([0, 3, 1, 5]), v)
    ]
    with pytest.raises(ValueError, match="count of k is negative: -2"):
        PROGRAMS[name].eval(*call, backend=backend)


@pytest.mark.parametrize("name", ["scattered", "attention", "sums_of_columns", "prefixes_of_rows"])
def test_all_rows_are_one_sequence(name: str) -> None:
    code = PROGRAMS[name].source(*arguments(7, "float64"), backend="numpy")
    assert "while" not in code.rpartition("\ndef ")[2]
    has_factorials = name == "prefixes_of_rows"  # those of numbers have a loop over their factors
    assert code.rpartition("\ndef ")[2].count("in range(t") == has_factorials


def test_rows_between_offsets_are_one_slice() -> None:
    @function
    def total(values: Any, offsets: Any) -> Any:
        def row(i: Any) -> Any:
            return fold_sum(lambda k: values[offsets[i] + k], count=offsets[i + 1] - offsets[i])

        return fold_sum(row, count=offsets.size() - 1)

    values, _, offsets, _ = arguments(7, "float64")
    assert "take(" not in total.source(values, offsets, backend="numpy").rpartition("\ndef ")[2]
    for part in ([3, 3, 5], [-2, 1, 4], [3, 5, 9, 40]):
        assert_call_agrees(total, (values, np.array(part)), "numpy", TOLERANCE)


def test_against_numpy() -> None:
    values, columns, offsets, v = arguments(7, "float64")
    dense = np.zeros((7, 4))
    for i in range(7):
        for k in range(offsets[i], offsets[i + 1]):
            dense[i, columns[k]] += values[k]
    found = PROGRAMS["csr_product"].eval(values, columns, offsets, v, backend="naive")
    np.testing.assert_allclose(found, dense @ v)
    np.testing.assert_allclose(
        PROGRAMS["triangle"].eval(values, columns, offsets, v, backend="naive"), np.cumsum(v)
    )


def test_rows_that_end_together_are_a_product() -> None:
    """Steps below the diagonal read the same rows for all columns: they are one contraction."""
    below = function(
        lambda a, b: array(
            lambda i, j: fold_sum(
                lambda k: a[i + 1 + k, i] * b[i + 1 + k, j], count=a.size(0) - 1 - i
            ),
            size=(a.size(1), b.size(1)),
        )
    )
    a, b = np.random.default_rng(0).normal(size=(2, 9, 9))
    np.testing.assert_allclose(below(a, b), np.tril(a, -1).T @ b)
    for backend in ("numpy", "torch", "jax"):
        assert "for " not in below.source(a, b, backend=backend).rpartition("\ndef ")[2]


def test_cut_windows_are_convolutions() -> None:
    def filtered(x: Any, h: Any) -> Any:
        return array(
            lambda i: fold_sum(lambda k: h[k] * x[i - k], count=min(i + 1, h.size())),
            size=x.size(),
        )

    def product(a: Any, b: Any) -> Any:
        n, m = a.size(), b.size()

        def coefficient(k: Any) -> Any:
            low, high = max(0, k - m + 1), min(n - 1, k)
            return fold_sum(lambda i: a[low + i] * b[k - low - i], count=high - low + 1)

        return array(coefficient, size=n + m - 1)

    x, h = np.random.default_rng(0).normal(size=9), np.array([0.5, -1.0, 2.0])
    for program, expected in ((filtered, np.convolve(x, h)[:9]), (product, np.convolve(x, h))):
        compiled = function(program)
        np.testing.assert_allclose(compiled(x, h), expected)
        code = compiled.source(x, h, backend="numpy").rpartition("\ndef ")[2]
        assert "window_product(" in code


@needs("jax")
def test_products_take_the_steps_of_the_short_factor() -> None:
    def product(a: Any, b: Any) -> Any:
        n, m = a.size(), b.size()

        def coefficient(k: Any) -> Any:
            low = max(0, k - m + 1)
            count = min(n - 1, k) - low + 1
            return fold_sum(lambda i: a[low + i] * b[k - low - i], count=count)

        return array(coefficient, size=n + m - 1)

    compiled, rng = function(product), np.random.default_rng(0)
    for sizes in ((40, 3), (3, 40), (17, 17), (1, 1), (1, 2)):
        a, b = (rng.normal(size=size) for size in sizes)
        np.testing.assert_allclose(compiled.eval(a, b, backend="jax"), np.convolve(a, b))
    code = compiled.source(a, b, backend="jax").rpartition("\ndef ")[2]
    steps = re.findall(r"fold\((\w+), ", code)
    assert len(set(steps)) == 2  # of which sizes say which one is 0


def of_negative_counts(a: Any, counts: Any) -> Any:
    """Reductions, a loop, prefixes and a reduction in a reduction."""

    def row(i: Any) -> Any:
        def pair(j: Any) -> Any:
            return fold_sum(lambda k: a[k] * a[j], count=counts[j] - i)

        steps = fold(1.0, lambda k, x: 0.5 * x + a[k], count=counts[i])
        least = fold_min(lambda k: a[k], count=counts[i])
        below = fold_sum(lambda k: a[k] + i.float(), count=i - 2)
        return steps, least, below, fold_sum(pair, count=counts[i])

    rows = array(row)
    return tuple(array(lambda i, k=k: rows[i][k], size=counts.size()) for k in range(4))


@pytest.mark.parametrize("backend", BACKENDS)
def test_negative_counts_of_elements_take_no_steps(backend: str) -> None:
    a, counts = np.arange(1.0, 6.0), np.array([2, -1, 3, 0, -(2**62)])
    assert_call_agrees(function(of_negative_counts), (a, counts), backend, TOLERANCE)
    sums = function(lambda a, c: array(lambda i: fold_sum(lambda k: a[k], count=c[i])))
    found = sums.eval(*(given(each, backend) for each in (a, counts)), backend=backend)
    np.testing.assert_array_equal(found, [3.0, 0.0, 6.0, 0.0, 0.0])


@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
def test_negative_counts_of_steps_are_errors(backend: str) -> None:
    """Counts that vary with the step of a fold, or with its accumulator."""
    a, counts = (given(each, backend) for each in (np.ones(3), np.array([1, -2, 0])))
    by_step = function(
        lambda a, c: fold(0.0, lambda t, s: s + fold_sum(lambda k: a[k], count=c[t]), c.size())
    )
    by_accumulator = function(
        lambda a, c: fold((0.0, 0), lambda t, s: (fold_sum(lambda k: a[k], s[1]), s[1] - 2), 2)
    )
    for program in (by_step, by_accumulator):
        with pytest.raises(ValueError, match="count of k is negative: -2"):
            program.eval(a, counts, backend=backend)


def test_a_ragged_result_is_an_error() -> None:
    with pytest.raises(EinValueError, match="arrays are rectangular: take the largest one"):
        function(lambda n: array(lambda i: array(lambda j: j, size=n[i]))).eval(np.arange(3))


# Gradients --------------------------------------------------------------------------------------


def bonds(x, columns, offsets):
    """An energy of neighbours in rows: each element is read at two places."""

    def bond(i, p):
        return 1.0 / (1.0 + (x[i] - x[columns[p]]) ** 2.0)

    def row(i):
        start = offsets[i]
        return fold_sum(lambda k: bond(i, start + k), count=offsets[i + 1] - start)

    return fold_sum(row, count=offsets.size() - 1)


def bonds_in_a_batch(x, columns, offsets):
    """The same with a factor for each element of a batch."""
    rows = offsets.size() - 1

    def energy(b):
        def row(i):
            count = offsets[i + 1] - offsets[i]
            return fold_sum(lambda k: x[i] * (x[b] - x[columns[offsets[i] + k]]).sin(), count=count)

        return fold_sum(row, count=rows)

    energies = array(energy, size=x.size())
    return fold_sum(lambda b: energies[b] ** 2.0)


def weighted_rows(x, columns, offsets):
    """A function of the sum of each row."""

    def row(i):
        start = offsets[i]
        return fold_sum(lambda k: x[columns[start + k]] * x[i], count=offsets[i + 1] - start)

    return fold_sum(lambda i: row(i).sin() * x[i], count=offsets.size() - 1)


def largest_of_rows(x, columns, offsets):
    """The largest element of each row."""

    def row(i):
        start = offsets[i]
        return fold_max(lambda k: x[columns[start + k]] * x[i], count=offsets[i + 1] - start)

    return fold_sum(lambda i: where(offsets[i] < offsets[i + 1], row(i), 0.0), count=x.size())


def first_neighbours(x, columns, offsets):
    """As many neighbours of a list as another array says."""

    def neighbour(i, k):
        return columns[min(i + 2 * k, columns.size() - 1)]

    def row(i):
        count = where(offsets[i] % 3 == 0, 0, offsets[i] % 3)
        return fold_sum(lambda k: (x[i] - x[neighbour(i, k)]).cos(), count=count)

    return fold_sum(row, count=offsets.size() - 1)


def rising_factorials(x, columns, offsets):
    """Their logarithms: of a number, of one for each column, and of one for each row."""

    def rising(a, count):
        return fold_sum(lambda j: (1.0 + a * a + j.float()).log(), count=count)

    total, rows = fold_sum(lambda i: x[i]), columns.size()
    ones = fold_sum(lambda p: rising(total, columns[p]), count=rows)
    of_columns = fold_sum(lambda p, i: x[i] * rising(x[i], columns[p] + i), count=(rows, x.size()))
    of_rows = fold_sum(lambda i: rising(x[i], offsets[i] % 4), count=x.size())
    return ones + of_columns * of_rows


ENERGIES = {
    f.__name__: f
    for f in (
        bonds, bonds_in_a_batch, weighted_rows, largest_of_rows, first_neighbours,
        rising_factorials,
    )
}  # fmt: skip


def slopes(f: Callable[..., Any], x: Any, *rest: Any) -> Any:
    """Central differences of a function of an array."""
    energy, steps = function(f), 1e-6 * np.eye(len(x))
    ends = [[energy.eval(x + s * step, *rest, backend="naive") for s in (1, -1)] for step in steps]
    return np.array([(high - low) / 2e-6 for high, low in ends])


@pytest.mark.parametrize("name", ENERGIES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients(name: str, backend: str) -> None:
    for rows in sizes_on(backend, (0, 1, 2, 5), name):
        _, columns, offsets, _ = arguments(rows, "float64")
        x = np.random.default_rng(rows).normal(size=rows)
        columns = np.concatenate([[0], columns]) % np.maximum(rows, 1)
        slope = function(grad(ENERGIES[name]))
        given_ = [given(each, library_for(backend)) for each in (x, columns, offsets)]
        found = np.asarray(slope.eval(*given_, backend=backend))
        np.testing.assert_allclose(found, slopes(ENERGIES[name], x, columns, offsets), atol=1e-8)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_of_any_rows(backend: str) -> None:
    """Rows that overlap, leave elements out or read beyond the ends; a negative length fails."""
    x, columns = np.random.default_rng(0).normal(size=3), np.array([2, 0, 1, 1])
    slope = function(grad(bonds))
    for offsets in ([0, 3, 4, 9], [-2, 1, 1, 4]):
        call = [given(each, library_for(backend)) for each in (x, columns, np.array(offsets))]
        found = np.asarray(slope.eval(*call, backend=backend))
        np.testing.assert_allclose(found, slopes(bonds, x, columns, np.array(offsets)), atol=1e-8)
    call = [given(each, library_for(backend)) for each in (x, columns, np.array([0, 3, 1, 5]))]
    with pytest.raises(ValueError, match="count of k is negative: -2"):
        slope.eval(*call, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_prefixes_of_negative_lengths_are_errors(backend: str) -> None:
    """Data say how many of the same steps each row takes: they are one scan."""

    @function
    def weighted(x: Any, counts: Any) -> Any:
        def row(i: Any) -> Any:
            first = fold(x[0], lambda k, best: max(best, x[k]), count=counts[i])
            return fold_sum(lambda k: x[k] * first, count=counts[i])

        return fold_sum(row, count=counts.size())

    x = np.array([0.5, -1.0, 2.0])
    for counts in ([], [0], [3, 0, 1, 2], [2, 2]):
        assert_call_agrees(weighted, (x, np.array(counts, np.int64)), backend, TOLERANCE)
    call = [given(each, library_for(backend)) for each in (x, np.array([1, -2, 3]))]
    with pytest.raises(ValueError, match="count of k is negative: -2"):
        weighted.eval(*call, backend=backend)


@pytest.mark.parametrize("name", ["bonds", "first_neighbours", "rising_factorials"])
def test_gradients_of_rows_are_of_one_sequence(name: str) -> None:
    _, columns, offsets, x = arguments(4, "float64")
    code = function(grad(ENERGIES[name])).source(x, columns, offsets, backend="numpy")
    assert "for i" not in code.rpartition("\ndef ")[2]


@function
def counts_of_rows(m: Any, c: Any, p: Any) -> Any:
    """Steps of a row, of a prefix and of a group that are loops with a count of the row."""

    def steps(i: Any, j: Any) -> Any:
        return fold_sum(lambda k: m[j, k] * m[j, i + k], count=c[i])

    n = c.size()
    row = fold_sum(lambda i: fold_sum(lambda j: steps(i, j), count=p[i]) ** 2.0, count=n)
    prefix = fold_sum(lambda i: fold_sum(lambda j: steps(i, j), count=i + 1), count=n)
    group = fold_sum(
        lambda i: fold_max(lambda j: where(c[j] == i, steps(i, j), 0.0), count=p[i]), count=n
    )
    return row, prefix, group


@pytest.mark.parametrize("backend", BACKENDS)
def test_counts_of_rows_agree(backend: str) -> None:
    """Such a loop is in no array of the steps: it would not be rectangular."""
    rng = np.random.default_rng(4)
    for n in (5, 1, 0):
        counts = [rng.integers(0, n + 1, size=n) for _ in range(2)]
        arguments_ = rng.normal(size=(n, n)), *counts
        assert_call_agrees(counts_of_rows, arguments_, backend, TOLERANCE)
