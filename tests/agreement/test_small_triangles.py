"""Loops whose counts depend on a short loop around them, and rows of several arrays at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import Function, array, fold, fold_sum, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations

SIZES = (0, 1, 2, 3, 7)


@function
def factors(a: Any, b: Any) -> Any:
    """The lower factor of each 3 x 3 matrix, and the solution of its system."""

    def one(s: Any) -> Any:
        def column(k: Any, c: Any) -> Any:
            def below(i: Any) -> Any:
                return a[s, i, k] - fold_sum(lambda t: c[i, t] * c[k, t], count=k)

            d = below(k).sqrt()
            new = array(lambda i: where(i == k, d, where(i > k, below(i) / d, 0.0)), size=3)
            return array(lambda i, j: where(j == k, new[i], c[i, j]), size=(3, 3))

        def back(q: Any, x: Any) -> Any:
            i = 2 - q
            rest = fold_sum(lambda t: where(t > i, c[t, i] * x[t], 0.0), count=3)
            return array(lambda k: where(k == i, (b[s, i] - rest) / c[i, i], x[k]), size=3)

        c = fold(array(lambda i, j: 0.0, size=(3, 3)), column, count=3)
        return fold(array(lambda i: 0.0, size=3), back, count=3)

    return array(one, size=a.size(0))


@function
def recurrences(a: Any, b: Any) -> Any:
    """Rows of two arrays, each from the rows before of both."""
    n, m = a.size(0), a.size(1)

    def row(i: Any, state: Any) -> Any:
        x, y = state
        p = array(lambda s: a[i, 0, 0] + 0.5 * x[i - 1, s] - y[i - 1, s], size=m)
        q = array(lambda s: b[i, 0] * x[i - 1, s] + where(i == 0, 0.0, y[i - 1, s]), size=m)
        return (
            array(lambda k, s: where(k == i, p[s], x[k, s])),
            array(lambda k, s: where(k == i, q[s], y[k, s])),
        )

    zero = array(lambda k, s: 1.0, size=(n, m))
    x, y = fold((zero, zero), row, count=n)
    return array(lambda k, s: x[k, s] - 2.0 * y[k, s], size=(n, m))


@function
def rotated(a: Any) -> Any:
    """Each 3 x 3 matrix after rotations of all pairs of rows, with an array for each step."""

    def rotate(m: Any, p: Any, q: Any) -> Any:
        c, d = 1.0 / (1.0 + m[p, q] * m[p, q]), m[q, q] / (1.0 + m[q, q] * m[q, q])
        rows = where_rows(m, p, q, c, d)
        return array(lambda i, j: rows[j, i] + m[i, j], size=(3, 3))

    def where_rows(m: Any, p: Any, q: Any, c: Any, d: Any) -> Any:
        def element(i: Any, j: Any) -> Any:
            first, second = c * m[p, j] - d * m[q, j], d * m[p, j] + c * m[q, j]
            return where(i == p, first, where(i == q, second, m[i, j]))

        return array(element, size=(3, 3))

    def one(s: Any) -> Any:
        def row(p: Any, m: Any) -> Any:
            return fold(m, lambda r, m: rotate(m, p, p + 1 + r), count=2 - p)

        return fold(array(lambda i, j: 0.1 * a[s, i, j], size=(3, 3)), row, count=2)

    return array(one, size=a.size(0))


PROGRAMS: dict[str, Function[..., Any]] = {
    "factors": factors,
    "recurrences": recurrences,
    "rotated": rotated,
}


def inputs(n: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    a = rng.normal(size=(n, 3, 3))
    spd = a @ a.transpose(0, 2, 1) + np.eye(3)
    return spd.astype(dtype), rng.normal(size=(n, 3)).astype(dtype)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in SIZES:
        tolerance = {"float64": 1e-10, "float32": 1e-3}
        arguments = inputs(size, dtype)[: PROGRAMS[name].__wrapped__.__code__.co_argcount]
        assert_call_agrees(PROGRAMS[name], arguments, backend, tolerance)


def test_machine_code_has_no_loop_of_unknown_count() -> None:
    pytest.importorskip("llvmlite")
    source = factors.source(*inputs(2, "float64"), backend="native")
    body = source[source.index("^bb0(%s: index)") :]
    assert "scf.for %k" not in body
    assert "scf.for %q" not in body


def test_rows_of_both_arrays_are_in_place() -> None:
    pytest.importorskip("llvmlite")
    source = recurrences.source(*inputs(2, "float64"), backend="native")
    first, *rest = source[source.index("scf.for") :].splitlines()
    assert "iter_args" not in first  # both matrices are there before the loop
    assert not any("memref.alloc(" in line and "memref<?x?xf64>" in line for line in rest)
