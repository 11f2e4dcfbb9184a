"""Steps that add to few elements of an array that they carry, most of them in derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import accumulate, array, fold, fold_sum, function, grad, max, min, sin, where
from tests.agreement.comparison import assert_call_agrees
from tests.selection import sizes_on

zero: Any = 0.0
TOLERANCE = {"float64": 1e-9, "float32": 1e-3}


@function
def few_values(x: Any, keys: Any, offsets: Any) -> Any:
    """Rows of keys of several lengths, also none, more than elements, and out of bounds."""

    def step(t: Any, a: Any) -> Any:
        start, count = offsets[t], offsets[t + 1] - offsets[t]
        s = accumulate(
            lambda k: (keys[start + k], a[keys[start + k]] * 0.5 + t.float()),
            size=x.size(0),
            count=count,
        )
        return array(lambda i: a[i] + s[i])

    return fold(x, step, count=offsets.size(0) - 1)


@function
def many_values(x: Any, keys: Any, offsets: Any) -> Any:
    """Two positions, and an array that is read afterwards, too."""
    n = x.size(0)

    def step(t: Any, state: Any) -> Any:
        a, b = state
        s = accumulate(lambda k: ((keys[k], t), a[k % n, 0] * 0.1), size=(n, 2), count=keys.size(0))
        return array(lambda i, j: s[i, j] + a[i, j]), array(lambda i: b[i] + s[i, 0] * a[i, 1])

    a, b = fold((array(lambda i, j: x[i] + j.float(), size=(n, 2)), x), step, count=3)
    return array(lambda i: a[i, 1] * b[i] + a[i, 0])


@function
def sweep(x: Any, keys: Any, offsets: Any) -> Any:
    """A sweep in place over the rows of a sparse matrix."""

    def row(i: Any, y: Any) -> Any:
        count = where(offsets.size(0) > i + 1, max(offsets[i + 1] - offsets[i], 0), 0)
        s = fold_sum(lambda k: y[keys[offsets[i] + k]] * x[keys[offsets[i] + k]], count=count)
        return array(lambda q: where(q == i, sin(x[i] - 0.1 * s), y[q]))

    return fold(x, lambda _, y: fold(y, row, count=x.size(0)), count=2)


@function
def banded(x: Any, keys: Any, offsets: Any) -> Any:
    """Rows of a table, each from earlier rows, one element after another."""
    n, w = x.size(0), offsets.size(0)

    def row(i: Any, table: Any) -> Any:
        def entry(k: Any, r: Any) -> Any:
            d = w - 1 - k
            j = i - d

            def term(t: Any) -> Any:
                below, left = min(d + 1 + t, w - 1), min(t + 1, w - 1)
                other = where(d == 0, r[left], table[max(j, 0), left])
                return where((d + 1 + t < w) & (j >= 0), r[below] * other, 0.0)

            s = fold_sum(term, count=w - 1 - d)
            v = where(j < 0, 0.0, (x[i] - 0.1 * s) * (1.0 + table[max(j, 0), 0]))
            return array(lambda q: where(q == d, v, r[q]), size=w)

        r = fold(array(lambda q: zero, size=w), entry, count=w)
        return array(lambda a, b: where(a == i, r[b], table[a, b]), size=(n, w))

    table = fold(array(lambda i, j: zero, size=(n, w)), row, count=n)
    return array(lambda i: fold_sum(lambda j: table[i, j], count=w))


@function
def gradient_of_factor(m: Any) -> Any:
    """Each row of a table depends on earlier rows, and its elements on those before."""
    n, w = m.size(0), m.size(1)

    def factor(m: Any) -> Any:
        def row(i: Any, table: Any) -> Any:
            def entry(k: Any, r: Any) -> Any:
                d = w - 1 - k
                j = i - d

                def term(t: Any) -> Any:
                    below, left = min(d + 1 + t, w - 1), min(t + 1, w - 1)
                    other = where(d == 0, r[left], table[max(j, 0), left])
                    return where((d + 1 + t < w) & (j >= 0), r[below] * other, 0.0)

                x = m[i, d] - 0.1 * fold_sum(term, count=w - 1 - d)
                v = where(j < 0, 0.0, where(d == 0, sin(x), x / (1.0 + table[max(j, 0), 0])))
                return array(lambda q: where(q == d, v, r[q]), size=w)

            r = fold(array(lambda q: zero, size=w), entry, count=w)
            return array(lambda a, b: where(a == i, r[b], table[a, b]))

        table = fold(array(lambda i, j: zero, size=(n, w)), row, count=n)
        return fold_sum(lambda i, j: sin(table[i, j]))

    return grad(factor)(m)


def gradient_of(program: Any) -> Any:
    def gradient(x: Any, keys: Any, offsets: Any) -> Any:
        def loss(x: Any) -> Any:
            y = program(x, keys, offsets)
            return fold_sum(lambda i: sin(y[i]))

        return grad(loss)(x)

    gradient.__name__ = f"gradient_of_{program.__name__}"
    return function(gradient)


_PROGRAMS = [few_values, many_values, sweep, banded]
PROGRAMS = [*_PROGRAMS, *map(gradient_of, _PROGRAMS)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_agreement(program: Any, dtype: str) -> None:
    for n in sizes_on("native", (0, 1, 2, 5, 9), program.__name__):
        random = np.random.default_rng(n)
        keys = random.integers(-1, n + 2, 2 * n + 1)
        if program.__name__.endswith("sweep"):
            keys = keys.clip(0, max(n - 1, 0))
        offsets = np.sort(np.append(random.integers(0, 2 * n + 1, n), [0, 2 * n + 1]))
        x = random.random(n).astype(dtype)
        assert_call_agrees(program, (x, keys, offsets), "native", TOLERANCE)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_gradients_of_matrices(dtype: str) -> None:
    for shape in ((0, 2), (1, 1), (1, 3), (4, 1), (5, 3), (9, 4)):
        matrix = np.random.default_rng(sum(shape)).random(shape).astype(dtype)
        assert_call_agrees(gradient_of_factor, (matrix,), "native", TOLERANCE)
    notes = gradient_of_factor.explain(np.ones((5, 3)), backend="native")
    assert "a loop adds to the array in place" in notes


def test_code() -> None:
    arguments = np.ones(5), np.zeros(7, int), np.array([0, 3, 7])
    sparse = gradient_of(sweep).explain(*arguments, backend="native")
    assert "few values are added in place" in sparse
    table = gradient_of(banded).explain(*arguments, backend="native")
    assert "a loop adds to the array in place" in table
