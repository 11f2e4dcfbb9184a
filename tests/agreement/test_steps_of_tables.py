"""Tables that loops update element by element, as programs of C do: elimination, paths, .."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_min, fold_sum, function, max, min, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

loop: Any = fold
TOLERANCE = {"float64": 1e-9, "float32": 1e-3}


def zeros(n: Any) -> Any:
    return array(lambda i, j: 0.0, size=(n, n))


def shifted(a: Any) -> Any:
    return array(lambda i, j: a[i, j] - 1.0, size=(a.size(0), a.size(1)))


def put(a: Any, i: Any, j: Any, x: Any) -> Any:
    return array(lambda s, t: where((s == i) & (t == j), x, a[s, t]), size=(a.size(0), a.size(1)))


def put_one(a: Any, i: Any, x: Any) -> Any:
    return array(lambda t: where(t == i, x, a[t]), size=a.size(0))


def each(n: Any, m: Any, a: Any, step: Callable[..., Any]) -> Any:
    return loop(a, lambda i, a: loop(a, lambda j, a: step(i, j, a), count=m), count=n)


def triangular_factors(a: Any, read_back: bool) -> Any:
    n = a.size(0)

    def eliminate(k: Any, a: Any) -> Any:
        def row(i: Any, a: Any) -> Any:
            factor = a[i, k] / a[k, k]
            a = put(a, i, k, factor)

            def element(j: Any, a: Any) -> Any:
                by = a[i, k] if read_back else factor
                return put(a, i, k + 1 + j, a[i, k + 1 + j] - by * a[k, k + 1 + j])

            return loop(a, element, count=n - k - 1)

        return loop(a, lambda i, a: row(k + 1 + i, a), count=n - k - 1)

    return loop(a, eliminate, count=n)


@function
def factors(a: Any) -> Any:
    return triangular_factors(a, read_back=False)


@function
def factors_read_back(a: Any) -> Any:
    return triangular_factors(a, read_back=True)


@function
def orthogonal(a: Any) -> Any:
    """Gram and Schmidt, with the triangle beside the columns."""
    m, n = a.size(0), a.size(1)

    def column(k: Any, s: Any) -> Any:
        q, r = s
        norm = fold_sum(lambda i: q[i, k] * q[i, k], count=m).sqrt()
        r = put(r, k, k, norm)
        q = loop(q, lambda i, q: put(q, i, k, q[i, k] / norm), count=m)

        def other(j: Any, s: Any) -> Any:
            q, r = s
            dot = fold_sum(lambda i: q[i, k] * q[i, j], count=m)
            q = loop(q, lambda i, q: put(q, i, j, q[i, j] - q[i, k] * dot), count=m)
            return q, put(r, k, j, dot)

        return loop((q, r), lambda j, s: other(k + 1 + j, s), count=n - k - 1)

    return loop((a, zeros(n)), column, count=n)


@function
def reduced(a: Any) -> Any:
    """Gauss and Jordan, with the right-hand side beside the matrix."""
    n = a.size(0)

    def step(k: Any, s: Any) -> Any:
        a, b = s
        pivot = a[k, k]
        a = loop(a, lambda j, a: put(a, k, j, a[k, j] / pivot), count=n)
        b = put_one(b, k, b[k] / pivot)

        def row(i: Any, s: Any) -> Any:
            a, b = s
            factor = where(i == k, 0.0, a[i, k])
            a = loop(a, lambda j, a: put(a, i, j, a[i, j] - factor * a[k, j]), count=n)
            return a, put_one(b, i, b[i] - factor * b[k])

        return loop((a, b), row, count=n)

    return loop((a, array(lambda i: 1.0, size=n)), step, count=n)


@function
def right_looking(a: Any) -> Any:
    """Cholesky in place: columns below the diagonal."""
    n = a.size(0)

    def step(k: Any, a: Any) -> Any:
        a = put(a, k, k, a[k, k].sqrt())
        a = loop(a, lambda i, a: put(a, k + 1 + i, k, a[k + 1 + i, k] / a[k, k]), count=n - k - 1)

        def column(j: Any, a: Any) -> Any:
            return loop(
                a, lambda i, a: put(a, j + i, j, a[j + i, j] - a[j + i, k] * a[j, k]), count=n - j
            )

        return loop(a, lambda j, a: column(k + 1 + j, a), count=n - k - 1)

    return loop(a, step, count=n)


@function
def paths(a: Any) -> Any:
    """Floyd and Warshall in place, also where a cycle is negative."""
    n = a.size(0)
    return loop(
        shifted(a),
        lambda k, d: each(n, n, d, lambda i, j, d: put(d, i, j, min(d[i, j], d[i, k] + d[k, j]))),
        count=n,
    )


@function
def paths_by_columns(a: Any) -> Any:
    n = a.size(0)
    return loop(
        shifted(a),
        lambda k, d: each(n, n, d, lambda j, i, d: put(d, i, j, min(d[i, j], d[i, k] + d[k, j]))),
        count=n,
    )


@function
def reachable(a: Any) -> Any:
    n = a.size(0)
    near: Any = array(lambda i, j: a[i, j] > 1.5, size=(n, n))
    return loop(
        near,
        lambda k, d: each(n, n, d, lambda i, j, d: put(d, i, j, d[i, j] | (d[i, k] & d[k, j]))),
        count=n,
    )


@function
def reachable_from_the_end(a: Any) -> Any:
    """Positions that fall, and written elements that the step scales."""
    n = a.size(0)
    return loop(
        a,
        lambda k, d: each(
            n, n, d, lambda i, j, d: put(d, n - 1 - i, j, d[n - 1 - i, j] - 0.1 * d[k, j])
        ),
        count=n,
    )


@function
def clipped(a: Any) -> Any:
    """Reads that may clip, and positions that a step may not write."""
    n = a.size(0)
    return loop(
        a,
        lambda k, d: loop(
            d, lambda j, d: put(d, k, j + 1, d[k, j + 1] + 0.5 * d[k, k + 1]), count=n - 1
        ),
        count=n,
    )


@function
def two_rows(a: Any) -> Any:
    """Reads of two rows, of which steps write one before the other."""
    n = a.size(0)
    return loop(
        a,
        lambda k, d: each(
            n, n, d, lambda i, j, d: put(d, i, j, d[i, j] + 0.1 * d[k, j] - 0.2 * d[n - 1 - k, j])
        ),
        count=n,
    )


@function
def triangle(a: Any) -> Any:
    """Pascal: the row before the written one."""
    n = a.size(0)

    def row(i: Any, c: Any) -> Any:
        c = put(c, i, 0, a[0, 0])
        return loop(c, lambda j, c: put(c, i, j + 1, c[i - 1, j] + c[i - 1, j + 1]), count=i)

    return loop(zeros(n), row, count=n)


@function
def neighbours(a: Any) -> Any:
    """Sums of windows, in each step of a loop."""
    n = a.size(0)

    def cell(i: Any, j: Any, a: Any) -> Any:
        around = fold_sum(lambda p, q: a[(i + p + n - 1) % n, (j + q + n - 1) % n], count=(3, 3))
        return where(around > a[i, j], around * 0.1, a[i, j])

    return loop(a, lambda s, a: each(n, n, a, lambda i, j, b: put(b, i, j, cell(i, j, a))), count=3)


@function
def intervals(a: Any) -> Any:
    """Matrices in the order of the fewest products: minima of as many parts as an interval has."""
    n = a.size(0)

    def longer(k: Any, m: Any) -> Any:
        def start(i: Any, m: Any) -> Any:
            split = fold_min(
                lambda j: m[i, i + j] + m[i + j + 1, i + k + 1] + a[i, j] * a[j, k], count=k + 1
            )
            return put(m, i, i + k + 1, split)

        return loop(m, start, count=n - k - 1)

    return loop(zeros(n), longer, count=max(n - 1, 0))


PROGRAMS = {
    "neighbours": neighbours,
    "intervals": intervals,
    "factors": factors,
    "factors_read_back": factors_read_back,
    "orthogonal": orthogonal,
    "reduced": reduced,
    "right_looking": right_looking,
    "paths": paths,
    "paths_by_columns": paths_by_columns,
    "reachable": reachable,
    "reachable_from_the_end": reachable_from_the_end,
    "clipped": clipped,
    "two_rows": two_rows,
    "triangle": triangle,
}
SIZES = (0, 1, 2, 6)


def matrix(n: int, dtype: str) -> Any:
    a = np.random.default_rng(n).normal(size=(n, n))
    return (a @ a.T + n * np.eye(n)).astype(dtype)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_backends(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, SIZES, name):
        assert_call_agrees(PROGRAMS[name], [matrix(size, dtype)], backend, tolerance=TOLERANCE)


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - {"clipped", "two_rows"}))
def test_one_loop_is_left(name: str) -> None:
    source = PROGRAMS[name].source(matrix(6, "float64"), backend="numpy")
    counters = re.findall(r"for (\w+) in", source.rpartition("\ndef ")[2])
    assert len([counter for counter in counters if counter != "start"]) == 1
