"""Guarded windows whose radius or shift is an argument: any Int, also where sums with it wrap."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Bool,
    Float,
    Function,
    Int,
    Vec,
    array,
    fold,
    fold_max,
    fold_min,
    fold_sum,
    function,
    max,
    min,
    where,
)
from tests.agreement.comparison import assert_agree, given
from tests.libraries import in_64_bits, on

A = np.random.default_rng(4).normal(size=(5, 6))
SHIFTS = [0, 1, 2, 5, -1, -7, 2**44, 2**60, -(2**60) - 3, 2**62, -(2**62), 2**63 - 1, -(2**63)]


@function
def boxes(a: Vec[Vec[Float]], r: Int):
    """Sums of boxes, with zeros around."""
    rows, columns = a.shape

    def at(i: Any, j: Any):
        def pixel(u: Any, v: Any):
            inside = (u >= 0) & (u < rows) & (v >= 0) & (v < columns)
            return where(inside, a[u, v], 0.0)

        def row(p: Any):
            return fold_sum(lambda q: pixel(i + p - r, j + q - r), count=r + r + 1)

        return fold_sum(row, count=2 * r + 1)

    return array(at, size=(rows, columns))


@function
def filtered(a: Vec[Vec[Float]], s: Int):
    """Weights, steps of two, and two shifts whose sum is in bounds where both are far."""
    rows, columns = a.shape
    far = 2**62

    def at(i: Any):
        def term(k: Any, m: Any):
            t = 2 * i + k - s - far + (far - 1)
            return where((t >= 0) & (t <= columns - 1), a[k, t], 0.0) * a[k, m]

        return fold_sum(term, count=(rows, columns))

    return array(at, size=columns)


@function
def nearest(a: Vec[Vec[Float]], s: Int):
    """Extremes, of positions that are subtracted."""
    rows, columns = a.shape

    def at(i: Any, j: Any):
        def below(p: Any):
            t = s + i - p
            return where((t > -1) & (t < rows), a[t, j] * 2.0, 7.0)

        def right(q: Any):
            t = j + q + s * 2
            return where(~((t < 0) | (t >= columns)), a[i, t], -7.0)

        return fold_min(below, count=3) + fold_max(right, count=rows)

    return array(at, size=(rows, columns))


@function
def clipped(a: Vec[Vec[Float]], s: Int):
    """Positions that are clipped as well, by bounds that the program computes in the fold."""
    rows, columns = a.shape

    def at(i: Any):
        def term(k: Any):
            t = i + k - s
            inside = (t >= 0) & (t < columns)
            return a[k, i] * where(inside, a[0, min(max(t, 0), columns - 1)], 0.0)

        return fold_sum(term, count=rows)

    return array(at, size=columns)


@function
def one_sided(a: Vec[Vec[Float]], s: Int):
    """A condition that does not bound the positions: the read clips."""
    rows, columns = a.shape

    def at(i: Any):
        def term(k: Any):
            t = i + k - s
            return where(t >= 1, a[0, t], 0.0) + where(t < columns, a[rows - 1, t], 0.0)

        return fold_sum(term, count=3)

    return array(at, size=columns)


@function
def adapted(a: Vec[Vec[Float]], s: Int):
    """Windows of the steps of a loop, which adapts the weights: no index, but two counters."""
    rows, columns = a.shape

    def step(t: Any, carried: Any):
        weights, sums = carried

        def at(k: Any):
            return where((t - k - s >= 0) & (t - k - s < columns), a[0, t - k - s], 0.0)

        error = a[rows - 1, t] - fold_sum(lambda k: weights[k] * at(k), count=rows)
        moved = array(lambda k: weights[k] + 0.1 * error * at(k))
        return moved, array(lambda i: where(i == t, error, sums[i]))

    start = array(lambda k: 0.0, size=rows), array(lambda i: 0.0, size=columns)
    return fold(start, step, count=columns)[1]


@function
def energies(a: Vec[Vec[Float]], s: Int):
    """Products of windows that one condition guards, and a square."""
    rows, columns = a.shape

    def at(i: Any, j: Any):
        def term(k: Any):
            t = j + k - s
            both = where((t >= 0) & (t < columns), a[i, t] * a[rows - 1 - i, t], 0.0)
            return both + where((t >= 0) & (t < columns), a[i, t] * a[i, t], 0.0)

        return fold_sum(lambda k: term(k), count=3) + fold_sum(
            lambda k: where((j + k - s >= 0) & (j + k - s < columns), a[i, j + k - s] ** 2.0, 0.0),
            count=rows,
        )

    return array(at, size=(rows, columns))


@function
def opened(a: Vec[Vec[Float]], mask: Vec[Vec[Bool]]):
    """An opening by a mask: windows that both ends of rows and columns cut."""
    rows, columns = a.shape
    size = mask.size(0)
    radius = size // 2

    def extreme(x: Any, reduce: Any, none: float) -> Any:
        def term(i: Any, j: Any, u: Any, v: Any) -> Any:
            p, q = i + u - radius, j + v - radius
            inside = (p >= 0) & (p < rows) & (q >= 0) & (q < columns)
            return where(mask[u, v] & inside, x[p, q], none)

        return array(
            lambda i, j: reduce(lambda u, v: term(i, j, u, v), count=(size, size)),
            size=(rows, columns),
        )

    return extreme(extreme(a, fold_min, np.inf), fold_max, -np.inf)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("size", [0, 1, 2, 5, 9])
def test_masked_windows(backend: str, size: int):
    mask = np.random.default_rng(size).random((size, size)) < 0.6
    for shape in ((0, 3), (1, 1), (5, 6)):
        a = np.resize(A, shape)
        expected = opened.eval(a, mask, backend="naive")
        with in_64_bits(backend):
            found = opened.eval(given(a, backend), given(mask, backend), backend=backend)
        assert_agree(found, expected, {"float64": 0}, f"{shape}")


def test_masked_windows_are_padded():
    """Before loops run in a range of the mask for each pixel."""
    notes = opened.explain(A, np.ones((3, 3), bool), backend="native")
    assert notes.count("are padded") == 2
    assert "range" not in notes


PROGRAMS = [boxes, filtered, nearest, clipped, one_sided, adapted, energies]


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS)
def test_any_shift(program: Function[..., Any], backend: str):
    for shift in SHIFTS:
        if program is boxes and not 0 <= 2 * (shift % 2**63) <= 100:
            continue
        for shape in ((5, 6), (1, 1), (2, 0)) if abs(shift) < 6 else ((5, 6),):
            a = np.resize(A, shape)
            expected = program.eval(a, shift, backend="naive")
            with in_64_bits(backend):
                found = program.eval(given(a, backend), shift, backend=backend)
                assert_agree(found, expected, {"float64": 1e-12}, f"{shape}, {shift}")


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("radius", [-1, -(2**40), -(2**62)])
def test_counts_that_are_none(radius: int, backend: str):
    with in_64_bits(backend), pytest.raises(ValueError, match="count of p is negative"):
        boxes.eval(given(A, backend), radius, backend=backend)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
def test_products_of_windows_are_padded(backend: str):
    """Without a test of factors, and infinite ones beside the ends are none of other products."""
    source = energies.source(A, 1)
    body = source[source.rindex("def energies(") :]
    assert "inf" not in body
    infinite = A.copy()
    infinite[:, 0] = np.inf
    with in_64_bits(backend):
        found = energies.eval(given(infinite, backend), 1, backend=backend)
        assert_agree(found, energies.eval(infinite, 1, backend="naive"), {"float64": 1e-12}, "")


def test_windows_are_padded():
    assert "windows of a are padded" in boxes.explain(A, 1)
    assert "a step is computed once for each i + p" in boxes.explain(A, 1)
    assert "windows of a are padded" in filtered.explain(A, 1)
    assert "windows of a are padded" in nearest.explain(A, 1)
    assert "windows of a are padded" in clipped.explain(A, 1)
    steps = adapted.source(A, 1, backend="numpy").rpartition("for t in")[2]
    assert "where" not in steps
    assert "clipped" not in steps
    assert "windows of a are padded" not in one_sided.explain(A, 1)


@function
def masked_products(a: Vec[Vec[Float]], w: Vec[Vec[Float]]):
    """Terms of a mask for both factors: a border of zeros, a full and a transposed convolution."""
    (n, m), (h, k) = a.shape, w.shape

    def bordered(i: Any, j: Any, p: Any, q: Any) -> Any:
        u, v = i + p - h // 2, j + q - k // 2
        return where((u >= 0) & (u < n) & (v >= 0) & (v < m), a[u, v] * w[p, q], 0.0)

    def full(i: Any, j: Any, p: Any, q: Any) -> Any:
        inside = (i >= p) & (i - p < n) & (j >= q) & (j - q < m)
        return where(inside, a[i - p, j - q] * w[p, q], 0.0)

    def upsampled(i: Any, j: Any, u: Any, v: Any) -> Any:
        p, q = i - 2 * u, j - 2 * v
        return where((p >= 0) & (p < h) & (q >= 0) & (q < k), w[p, q] * a[u, v], 0.0)

    return (
        array(lambda i, j: fold_sum(partial(bordered, i, j), count=(h, k)), size=(n, m)),
        array(lambda i, j: fold_sum(partial(full, i, j), count=(h, k)), size=(n + h, m + k)),
        array(lambda i, j: fold_sum(partial(upsampled, i, j), count=(n, m)), size=(2 * n, 2 * m)),
    )


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("taps", [3, 6])
def test_masks_of_products(taps: int, backend: str) -> None:
    """Values beside a border are none of the result, also if they are infinite."""
    for shape in ((0, 2), (1, 1), (7, 5)):
        for special in (1.0, np.inf):
            a, w = np.resize(A, shape), np.resize(A[::-1], (taps, taps)).copy()
            a[:1, :1] = w[-1, 0] = special
            expected = masked_products.eval(a, w, backend="naive")
            with in_64_bits(backend):
                found = masked_products.eval(given(a, backend), given(w, backend), backend=backend)
            assert_agree(found, expected, {"float64": 1e-12}, f"{shape}, {special}")
