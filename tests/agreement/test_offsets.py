"""Sums of elements at offsets that a table lists: taps, stencils, moves, shifted rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Bool,
    Float,
    Int,
    Vec,
    array,
    fold,
    fold_any,
    fold_sum,
    function,
    max,
    min,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

Image = Vec[Vec[Float]]


def clip(p: Any, n: Any) -> Any:
    return max(min(p, n - 1), 0)


@function
def taps(x: Vec[Float], offsets: Vec[Int], weights: Vec[Float]):
    n = x.size()

    def term(i: Any, q: Any) -> Any:
        p = i + offsets[q]
        return where((p >= 0) & (p < n), weights[q] * x[clip(p, n)], 0.0)

    return array(lambda i: fold_sum(lambda q: term(i, q)), size=n)


@function
def echoes(x: Vec[Float], offsets: Vec[Int], weights: Vec[Float]):
    def term(i: Any, q: Any) -> Any:
        return where(i >= offsets[q], weights[q] * x[max(i - offsets[q], 0)], 0.0)

    return array(lambda i: x[i] + fold_sum(lambda q: term(i, q)))


@function
def bounded_above(x: Vec[Float], offsets: Vec[Int], weights: Vec[Float]):
    """One bound alone: it holds where the sum wraps."""
    n = x.size()

    def term(i: Any, q: Any) -> Any:
        p = i + offsets[q]
        return where(p < n, weights[q] * x[clip(p, n)], 0.0)

    return array(lambda i: fold_sum(lambda q: term(i, q)), size=n)


@function
def accumulated(x: Vec[Float], offsets: Vec[Int], weights: Vec[Float]):
    """Steps that are written as those of a fold of arrays."""
    n = x.size()

    def step(q: Any, y: Any) -> Any:
        s = offsets[q]
        return array(lambda i: y[i] + where(i + s >= 0, weights[q] * x[clip(i + s, n)], 0.0))

    return fold(x, step, count=weights.size())


VECTORS = {
    "taps": taps,
    "echoes": echoes,
    "bounded above": bounded_above,
    "accumulated": accumulated,
}


def inside(image: Any, y: Any, x: Any) -> Any:
    n, m = image.shape
    return (y >= 0) & (y < n) & (x >= 0) & (x < m)


@function
def stencil(image: Image, offsets: Vec[Vec[Int]], weights: Vec[Float]):
    n, m = image.shape

    def term(i: Any, j: Any, q: Any) -> Any:
        y, x = i + offsets[q, 0], j + offsets[q, 1]
        return where(inside(image, y, x), weights[q] * image[clip(y, n), clip(x, m)], 0.0)

    return array(lambda i, j: fold_sum(lambda q: term(i, j, q), count=weights.size()), size=(n, m))


@function
def moves(image: Image, offsets: Vec[Vec[Int]], weights: Vec[Float]):
    """Sums over neighbours in each of two steps."""

    def step(t: Any, w: Any) -> Any:
        n, m = w.shape

        def term(i: Any, j: Any, q: Any) -> Any:
            y, x = i + offsets[q, 0], j + offsets[q, 1]
            return where(inside(w, y, x), w[clip(y, n), clip(x, m)], 0.0)

        total = lambda i, j: fold_sum(lambda q: term(i, j, q), count=weights.size())  # noqa: E731
        return array(lambda i, j: total(i, j) / 8.0, size=(n, m))

    return fold(image, step, count=2)


@function
def dilated(image: Image, offsets: Vec[Vec[Int]], weights: Vec[Float]) -> Vec[Vec[Bool]]:
    n, m = image.shape

    def is_near(i: Any, j: Any, q: Any) -> Any:
        y, x = i + offsets[q, 0], j + offsets[q, 1]
        return inside(image, y, x) & (image[clip(y, n), clip(x, m)] > 0.5)

    return array(
        lambda i, j: fold_any(lambda q: is_near(i, j, q), count=weights.size()), size=(n, m)
    )


IMAGES = {"stencil": stencil, "moves": moves, "dilated": dilated}

ENDS = (-(2**63), 2**63 - 1, 2**62)
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def vectors(n: int, dtype: str) -> tuple[Any, ...]:
    rng = np.random.default_rng(1)
    offsets = np.array([0, 1, -2, 3, -1, n, -n])
    return rng.standard_normal(n).astype(dtype), offsets, rng.standard_normal(7).astype(dtype)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(VECTORS))
def test_vectors(name: str, backend: str, dtype: str) -> None:
    for n in sizes_on(backend, (0, 1, 2, 7)):
        assert_call_agrees(VECTORS[name], vectors(n, dtype), backend, TOLERANCE)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(VECTORS))
def test_offsets_that_wrap(name: str, backend: str, dtype: str) -> None:
    """Sums with these offsets are modulo 2^64, in the steps that read them."""
    x, offsets, weights = vectors(5, dtype)
    offsets[1:4] = ENDS
    assert_call_agrees(VECTORS[name], (x, offsets, weights), backend, TOLERANCE)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(IMAGES))
def test_images(name: str, backend: str, dtype: str) -> None:
    offsets = np.array([[0, 0], [1, -1], [-2, 1], [0, 3], [2**63 - 1, 0], [1, -(2**63)]])
    rng = np.random.default_rng(2)
    for n in sizes_on(backend, (0, 1, 2, 5)):
        image, weights = (rng.standard_normal(shape).astype(dtype) for shape in ((n, n + 1), 6))
        assert_call_agrees(IMAGES[name], (image, offsets, weights), backend, TOLERANCE)


def test_ordinary_offsets_have_slices() -> None:
    """On NumPy a step for ordinary offsets adds a slice, and no step gathers elements."""
    image = np.ones((5, 6)), np.zeros((6, 2), np.int64), np.ones(6)
    calls = {f: vectors(5, "float64") for f in VECTORS.values()}
    for program, arguments in {**calls, stencil: image, moves: image}.items():
        source = program.source(*arguments)
        loop = source[source.rindex("for q in") :]
        assert "take(" not in loop
        assert "accumulate_at" not in loop
        assert "np.add(acc[" in loop or "np.add(y[" in loop
