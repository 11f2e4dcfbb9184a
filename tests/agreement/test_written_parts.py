"""Loops that write a part of an accumulator in each step, or write it in some steps only."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
    fold_sum,
    function,
    tanh,
    value_and_grad,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations

LARGEST = 2**63 - 1


@function
def frames(x: Vec[Vec[Float]], hop: Int) -> Vec[Float]:
    """Frames that overlap are added."""
    k, w = x.size(0), x.size(1)

    def add(i: Int, out: Vec[Float]) -> Vec[Float]:
        return array(
            lambda t: out[t] + where((t >= i * hop) & (t < i * hop + w), x[i, t - i * hop], 0.0)
        )

    start: Vec[Any] = array(lambda t: 0.0, size=2 * k + w)
    return fold(start, add, count=k)


@function
def rectangles(corners: Vec[Vec[Int]], a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """Rectangles, with both corners in them, are halved and raised."""

    def paint(k: Int, a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
        def inside(i: Int, j: Int) -> Bool:
            rows = (i >= corners[k, 0]) & (i <= corners[k, 1])
            return rows & (j > corners[k, 2]) & (corners[k, 3] > j)

        return array(lambda i, j: where(inside(i, j), a[i, j] / 2.0 + 1.0, a[i, j]))

    return fold(a, paint, count=corners.size(0))


@function
def chosen_steps(x: Vec[Vec[Float]], c: Vec[Float]) -> tuple[Vec[Float], Vec[Float]]:
    """A sum of some rows, and steps that depend on all elements before them."""

    def step(i: Int, carried: tuple[Vec[Float], Vec[Float]]) -> tuple[Vec[Float], Vec[Float]]:
        a, b = carried
        return (
            array(lambda j: a[j] + where(c[i] > 0.5, tanh(a[j] + x[i, j]), 0.0)),
            array(lambda j: where(c[i] > 0.5, b[j], b[j - 1] - x[i, j])),
        )

    zeros, ones = array(lambda j: 0.0, size=x.size(1)), array(lambda j: 1.0, size=x.size(1))
    return fold((zeros, ones), step, count=x.size(0))


@function
def replaced_parts(x: Vec[Vec[Float]], p: Vec[Int], w: Vec[Float]) -> Vec[Vec[Float]]:
    """Sums over the steps that give the same part to all rows, and read them before and after."""

    def row(r: Int) -> Vec[Float]:
        def put(k: Int, carried: tuple[Vec[Float], Vec[Float]]) -> tuple[Vec[Float], Vec[Float]]:
            a, total = carried
            new = array(lambda t: where((t >= p[k]) & (t < p[k] + w.size(0)), w[t - p[k]], a[t]))
            return new, array(lambda t: total[t] + a[t] * new[t - 1])

        start = array(lambda t: x[r, t] + 0.0)
        return fold((start, start), put, count=p.size(0))[1]

    return array(lambda r, t: row(r)[t], size=(x.size(0), x.size(1)))


@function
def added_parts(x: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    """Arrays that are added have a part that is not zero, and rows are written in between."""
    n = x.size(0)

    def step(k: Int, a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
        block = array(lambda i, j: where(i >= k, x[i, 0] * x[j, 1], 0.0), size=(n, k))
        part = array(lambda i, j: where(j < k, block[i, j], 0.0), size=(n, n))
        marked = array(lambda i, j: where(j == k, x[i, 1], a[i, j]))
        new = array(lambda i, j: marked[i, j] + part[i, j])
        return array(lambda i, j: where(i == k, new[i, j] + 1.0, new[i, j]))

    start: Vec[Any] = array(lambda i, j: 0.5, size=(n, n))
    return fold(start, step, count=n)


CORNERS = [
    [0, 1, -1, 4],
    [1, 2, 0, 3],
    [2, 1, 1, 9],
    [-5, LARGEST, -LARGEST - 1, 2],
    [LARGEST, LARGEST, LARGEST, LARGEST],
    [1, 8, 2, -7],
]

PLACES = [[], [1], [1, 2], [-1, 3, LARGEST]]

INPUTS: Mapping[str, Callable[[int, Any], list[tuple[Any, ...]]]] = {
    "frames": lambda rows, x: [(x, hop) for hop in (2, 1, 0, -1, 7, LARGEST)],
    "rectangles": lambda rows, x: [(np.array(CORNERS), x)],
    "chosen_steps": lambda rows, x: [(x, x[:, 0] + 0.5)],
    "added_parts": lambda rows, x: [(x,)],
    "replaced_parts": lambda rows, x: [(x, np.array(p, int), x[0, :2]) for p in PLACES if rows],
}
PROGRAMS = {f.__name__: f for f in (frames, rectangles, chosen_steps, added_parts, replaced_parts)}


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(name: str, backend: str, dtype: str) -> None:
    tolerance = {"float64": 1e-12, "float32": 1e-4}
    rng = np.random.default_rng(0)
    for rows in (0, 1, 2, 5):
        for inputs in INPUTS[name](rows, rng.normal(size=(rows, 4)).astype(dtype)):
            assert_call_agrees(PROGRAMS[name], inputs, backend, tolerance)


@pytest.mark.parametrize(
    ("program", "inputs", "expected"),
    [
        (frames, (np.ones((3, 4)), 2), r"np\.add\((out\[.*\]), .*, out=\1\)"),
        (rectangles, (np.ones((2, 4), int), np.ones((3, 3))), r"\ba_1\[\w+:\w+, \w+:\w+\]"),
        (chosen_steps, (np.ones((3, 4)), np.ones(3)), r"\n        if \w+:"),
        (added_parts, (np.ones((3, 4)),), r"np\.add\((\w+\[\w+:, :\w+\]), .*, out=\1\)"),
    ],
    ids=["frames", "rectangles", "chosen_steps", "added_parts"],
)
def test_parts_are_written_in_place(
    program: Function, inputs: tuple[object, ...], expected: str
) -> None:
    source = program.source(*inputs, backend="numpy")
    body = source[source.rindex("\ndef ") :]
    assert re.search(expected, body)
    assert "spare" not in body


def ahead(x: Vec[Float], w: Vec[Float]) -> Vec[Float]:
    """Each step adds multiples of its own element to those after it."""

    def step(t: Int, a: Vec[Float]) -> Vec[Float]:
        later = lambda s: (s > t) & (s <= t + w.size(0))  # noqa: E731
        return array(lambda s: a[s] + where(later(s), w[s - t - 1] * a[t], 0.0))

    return fold(x, step, count=x.size(0))


def rows_below(x: Vec[Vec[Float]], w: Vec[Float]) -> Vec[Vec[Float]]:
    """Windows of rows, in some steps, and windows as long as another size."""

    def step(t: Int, a: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
        def element(i: Int, j: Int) -> Float:
            inside = (i >= t) & (i < t + w.size(0)) & (a[t, 0] > 0.0)
            return where(inside, a[i, j] + w[i - t] * a[t, j], a[i, j])

        return array(element)

    return fold(x, step, count=x.size(0))


def behind_sizes(x: Vec[Float], w: Vec[Float], u: Vec[Float]) -> Vec[Float]:
    """A window as long as the difference of two sizes, which may be negative."""

    def step(t: Int, a: Vec[Float]) -> Vec[Float]:
        def element(s: Int) -> Float:
            inside = (s >= t + u.size(0)) & (s < t + w.size(0))
            return where(inside, a[s] * w[s - t] + a[t], a[s])

        return array(element)

    return fold(x, step, count=x.size(0))


def filtered(x: Vec[Float], w: Vec[Float]) -> Float:
    """The gradient of an autoregressive filter adds to a window of cotangents in each step."""

    def step(t: Int, y: Vec[Float]) -> Vec[Float]:
        new = fold_sum(lambda k: where(t - 1 - k >= 0, w[k] * y[t - 1 - k], 0.0))
        return array(lambda s: where(s == t, x[t] + new, y[s]))

    y = fold(array(lambda s: 0.0 * x[s]), step, count=x.size(0))
    return fold_sum(lambda t: y[t] * y[t])


@pytest.mark.parametrize("sizes", [(7, 3, 1), (5, 1, 2), (2, 6, 0), (1, 2, 2), (4, 0, 0)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_windows_of_steps_have_a_size_on_jax(sizes: tuple[int, int, int], dtype: str) -> None:
    rng, (n, m, k) = np.random.default_rng(71), sizes
    x, w = rng.normal(size=n).astype(dtype), rng.normal(size=m).astype(dtype) / 3
    rows, u = rng.normal(size=(n, 3)).astype(dtype), rng.normal(size=k).astype(dtype)
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (function(ahead), (x, w)),
        (function(rows_below), (rows, w)),
        (function(behind_sizes), (x, w, u)),
        (function(value_and_grad(filtered, argnums=(0, 1))), (x, w)),
    ]
    for program, arguments in calls:
        assert "update_slice(" in program.source(*arguments, backend="jax")
        assert_call_agrees(program, arguments, "jax", {"float64": 1e-9, "float32": 1e-4})
