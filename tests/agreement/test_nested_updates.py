"""Nested loops that update one element in each step, as programs of C do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


def put(v: Any, i: Any, x: Any) -> Any:
    return array(lambda t: where(t == i, x, v[t]))


def put2(m: Any, i: Any, j: Any, x: Any) -> Any:
    return array(lambda p, q: where((p == i) & (q == j), x, m[p, q]))


@function
def product(a: Any, b: Any, c: Any) -> Any:
    def row(i: Any, c: Any) -> Any:
        def term(k: Any, c: Any) -> Any:
            def element(j: Any, c: Any) -> Any:
                return put2(c, i, j, c[i, j] + a[i, k] * b[k, j])

            return fold(c, element, count=c.size(1))

        return fold(c, term, count=a.size(1))

    return fold(c, row, count=c.size(0))


@function
def normal_product(a: Any, b: Any, c: Any) -> Any:
    def row(i: Any, y: Any) -> Any:
        t = fold(0.0, lambda j, s: s + a[i, j] * b[0, j], count=a.size(1))

        def element(j: Any, y: Any) -> Any:
            return put(y, j, y[j] + a[i, j] * t)

        return fold(y, element, count=a.size(1))

    return fold(array(lambda j: 0.0, size=a.size(1)), row, count=a.size(0))


@function
def two_products(a: Any, b: Any, c: Any) -> Any:
    def row(i: Any, s: Any) -> Any:
        s, q = s

        def element(j: Any, s: Any) -> Any:
            return put(s, j, s[j] + b[0, i] * a[i, j])

        s = fold(s, element, count=a.size(1))
        return s, put(q, i, fold(0.0, lambda j, t: t + a[i, j] * c[0, j], count=a.size(1)))

    start = array(lambda j: 0.0, size=a.size(1)), array(lambda i: 0.0, size=a.size(0))
    return fold(start, row, count=a.size(0))


@function
def differences(a: Any, b: Any, c: Any) -> Any:
    def row(i: Any, x: Any) -> Any:
        def element(j: Any, x: Any) -> Any:
            return put2(x, i, j, x[i, j] - b[0, j])

        return fold(x, element, count=a.size(1))

    return fold(a, row, count=a.size(0))


@function
def sweeps(a: Any, b: Any, c: Any) -> Any:
    n, m = a.size(0), a.size(1)

    def sweep(x: Any, y: Any) -> Any:
        def element(i: Any, j: Any, y: Any) -> Any:
            return put2(y, i + 1, j + 1, 0.25 * (x[i, j + 1] + x[i + 2, j + 1] + x[i + 1, j]))

        def row(i: Any, y: Any) -> Any:
            return fold(y, lambda j, y: element(i, j, y), count=m - 2)

        return fold(y, row, count=n - 2)

    def step(t: Any, s: Any) -> Any:
        x, y = s
        y = sweep(x, y)
        return sweep(y, x), y

    return fold((a, b), step, count=3)


@function
def some_elements(a: Any, b: Any, c: Any) -> Any:
    """Each of the steps adds to its element; other elements and further steps stay."""
    n = a.size(0)

    def column(p: Any, q: Any) -> Any:
        def row(i: Any, s: Any) -> Any:
            return fold(s, lambda j, s: s + where((i == p) & (j == q), a[i, j], 0.0), count=3)

        return fold(c[p, q], row, count=n + 2)

    return array(column, size=(n, 4))


PROGRAMS = (product, normal_product, two_products, differences, sweeps, some_elements)


def arguments_of(size: int, dtype: str = "float64") -> tuple[Any, ...]:
    draw = np.random.default_rng(size)
    return tuple(draw.normal(size=(3, size, size)).astype(dtype))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("size", "dtype"), [(2, "float64"), (3, "float64"), (6, "float64"), (5, "float32")]
)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_sizes(program: Any, size: int, dtype: str, backend: str) -> None:
    assert_call_agrees(program, arguments_of(size, dtype), backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("program", [product, differences], ids=lambda program: program.__name__)
def test_few_elements(program: Any, size: int, backend: str) -> None:
    assert_call_agrees(program, arguments_of(size), backend, TOLERANCE)


@pytest.mark.parametrize(
    "program", [product, normal_product, two_products], ids=lambda program: program.__name__
)
def test_sums_are_products_of_matrices(program: Any) -> None:
    source = program.source(*arguments_of(5), backend="numpy")
    assert " @ " in source
    assert "for " not in source[source.index(f"def {program.__name__}") :]


def test_differences_take_no_loop() -> None:
    source = differences.source(*arguments_of(5), backend="numpy")
    assert "for " not in source[source.index("def differences") :]


def test_sweeps_take_no_loop_over_rows() -> None:
    source = sweeps.source(*arguments_of(5), backend="numpy")
    assert source[source.index("def sweeps") :].count("for i in") == 0
