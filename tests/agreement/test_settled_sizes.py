"""Loops whose first array may have other sizes than the array after each step."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any

import numpy as np
import pytest

import ein_mlir
from ein_mlir import Function, array, fold_sum, function, value_and_grad, where, wrap
from ein_mlir import min as least
from tests.agreement.comparison import assert_agree, given, leaves
from tests.libraries import on

fold: Any = ein_mlir.fold
"""The combinator, for arguments without static types."""


def replaced(n: Any) -> Callable[..., Any]:
    """A function that replaces one element of a square matrix."""
    return lambda a, p, q, x: array(
        lambda i, j: where((i == p) & (j == q), x, a[i, j]), size=(n, n)
    )


@function
def cholesky(a, _):
    """The rows of the factor replace those of the matrix."""
    n = a.size(0)
    put = replaced(n)

    def row(i, a):
        def element(j, a):
            rest = a[i, j] - fold_sum(lambda k: a[i, k] * a[j, k], count=j)
            return put(a, i, j, where(i == j, rest.abs().sqrt(), rest / a[j, j]))

        return fold(a, element, count=i + 1)

    return fold(a, row, count=n)


@function
def shortest_paths(d, steps):
    n = d.size(0)

    def step(k, d):
        return array(
            lambda i, j: where(d[i, j] < d[i, k] + d[k, j], d[i, j], d[i, k] + d[k, j]), size=(n, n)
        )

    return fold(d, step, count=least(n, steps))


@function
def relaxed(u, steps):
    """A border of the square is kept."""
    n = u.size(0)

    def step(_, u):
        def element(i, j):
            inside = (i > 0) & (i < n - 1) & (j > 0) & (j < n - 1)
            return where(
                inside, 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]), u[i, j]
            )

        return array(element, size=(n, n))

    return fold(u, step, count=steps)


@function
def swept(u, steps):
    """Two sweeps in each step, of which either may have no step; the size is read afterwards."""
    n = u.size(0)
    put = replaced(n)

    def step(_, u):
        def forwards(i, u):
            return fold(u, lambda j, u: put(u, i, j + 1, u[i, j] + u[i, j + 1]), count=n - 1)

        def backwards(i, u):
            return fold(u, lambda j, u: put(u, i, j, 0.5 * (u[i, j] + u[j, i])), count=i)

        return fold(fold(u, forwards, count=n), backwards, count=n)

    u = fold(u, step, count=steps)
    return array(lambda i, j: u[i, j] * u.size(1).float())


@function
def eliminated(a, steps):
    """A record with a vector of the same sizes as the matrix, and a number."""
    n = a.size(0)

    def step(k, state):
        a, b, total = state
        row = array(lambda j: a[k, j] / (a[k, k] + 3.0), size=n)
        c = array(lambda i, j: where(i == k, row[j], a[i, j] - a[i, k] * row[j]), size=(n, n))
        return c, array(lambda i: b[i] - a[i, k] * row[k], size=n), total + row[k]

    start = a, array(lambda j: a[0, j], size=a.size(1)), 0.0
    return fold(start, step, count=least(n, steps))


@function
def read_beyond(u, steps):
    """The first step may read an element that no later array has."""
    n = u.size(0)
    return fold(u, lambda _, u: array(lambda i, j: u[i, j] + u[j, i + 1], size=(n, n)), count=steps)


@function
def flipped(s, steps):
    """Each step reads and replaces elements at positions from the data."""
    n = s.size(0)

    def step(t, state):
        s, total = state
        i, j = (5 * t + 3) % (n + 1), (s[t % (n + 1), 0] * 10.0).int() % (n + 2)
        new = s[i, j] * 0.5 - s[i + 1, j]
        return replaced(n)(s, i, j, new), total + new

    return fold((s, 0.0), step, count=3 * steps)


@function
def rotated(a, steps):
    """Two rows are replaced in each step, of which the last columns have fewer."""
    n = a.size(0)

    def column(j, a):
        def rotate(k, a):
            i = n - 1 - k
            c, s = a[i - 1, j], a[i, j]

            def element(p, q):
                other = where(p == i, c * a[i, q] - s * a[i - 1, q], a[p, q])
                return where(p == i - 1, c * a[i - 1, q] + s * a[i, q], other)

            return array(element, size=(n, n))

        return fold(a, rotate, count=n - 1 - j)

    return fold(a, column, count=least(n, steps))


@function
def of_two(a, steps):
    """The vector of another argument has the size of the steps."""
    n = a.size(0)
    start = array(lambda j: a[0, j])
    return fold(start, lambda t, v: array(lambda i: v[i] + a[i, 0] * v[t], size=n), count=steps)


@function
def of_a_number(u, n):
    """Both sizes are an Int argument, which may be those of the matrix."""
    put = replaced(n)

    def step(t, u):
        i, j = (3 * t + 1) % (n + 1), (u[t % (n + 1), 0] * 10.0).int() % (n + 2)
        return put(u, i, j, u[i, j] * 0.5 - u[i + 1, j])

    return fold(u, step, count=4)


PROGRAMS = (
    *(cholesky, shortest_paths, relaxed, swept, eliminated, read_beyond),
    *(flipped, rotated, of_two, of_a_number),
)

SHAPES = ((0, 0), (1, 1), (2, 2), (5, 5), (4, 6), (6, 4), (3, 0), (1, 2))


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", PROGRAMS)
def test_sizes(program: Function[..., Any], backend: str) -> None:
    rng = np.random.default_rng(1)
    for shape in SHAPES[3:5] if backend == "jax" else SHAPES:  # JAX compiles for each
        counts = (0, 2) if backend == "jax" else (0, 1, 3)
        for steps in (*counts, shape[0]) if program is of_a_number else counts:
            matrix = rng.normal(size=shape)
            expected = program.eval(matrix, steps, backend="naive")
            actual = program.eval(given(matrix, backend), steps, backend=backend)
            assert_agree(actual, expected, {"float64": 1e-9}, f"{shape}, {steps} steps")


@pytest.mark.parametrize("bounds", ["clip", "check"])
def test_sizes_alternate(bounds: str) -> None:
    """One function is called with matrices that are square, and that are not."""
    program = function(lambda a: flipped(a, 2), bounds=bounds)
    for shape in ((4, 4), (3, 5), (4, 4), (5, 3)):
        matrix = np.random.default_rng(2).normal(size=shape)
        if bounds == "check":
            with pytest.raises(IndexError):
                program(matrix)
        else:
            assert_agree(program(matrix), program.eval(matrix, backend="naive"), {"float64": 1e-9})
            assert program.shapes(matrix)[0].shape == (shape[0], shape[0])
            assert program.memory(matrix).results == 8 * (shape[0] ** 2 + 1)


def test_memory_of_a_number() -> None:
    """An Int that may be a size must have a value."""
    matrix = np.ones((4, 4))
    assert of_a_number.memory(matrix, 4).results == 4 * of_a_number.memory(matrix, 2).results
    with pytest.raises(TypeError):
        of_a_number.memory(matrix, ein_mlir.ShapedArray((), "int64"))


def test_elements_are_written_in_place() -> None:
    source = cholesky.source(np.ones((4, 4)), 0, backend="numpy")
    after = source.split("for j in range(i + 1):\n")[1]
    step = "".join(takewhile(lambda line: line.startswith(" " * 12), after.splitlines()))
    assert step
    assert "clipped_slice" not in step
    assert "copy" not in step


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
def test_the_printed_version_is_that_of_the_arguments(backend: str) -> None:
    square, other = (given(np.ones(shape), backend) for shape in ((3, 3), (4, 6)))
    text = "this version takes equal sizes: a along axis 0, a along axis 1"
    assert text in cholesky.source(square, 0)
    assert text not in cholesky.source(other, 0)
    captured = function(lambda _: cholesky(wrap(other), 0))
    assert text not in captured.source(1)


@function
def turned(points, steps):
    """The steps give each point two coordinates."""
    n = points.size(0)

    def step(_, p):
        def rotated(i):
            return lambda c: where(c == 0, 0.8 * p[i, 0] - 0.6 * p[i, 1], p[i, 0] * p[i, 1])

        return array(lambda i, c: rotated(i)(c), size=(n, 2))

    return fold(points, step, count=steps)


def total(points, steps):
    p = turned(points, steps)
    return fold_sum(lambda i, c: p[i, c] ** 2.0)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
def test_sizes_that_are_numbers(backend: str) -> None:
    slope: Any = value_and_grad(function(total))
    for shape in ((3, 2), (3, 3), (2, 1), (0, 2), (2, 0), (1, 2)):
        points = np.random.default_rng(0).normal(size=shape)
        for steps in (0, 1, 2):
            for program in (turned, *([slope] if shape[1] == 2 or not steps else [])):
                expected = leaves(program.eval(points, steps, backend="naive"))
                found = leaves(program.eval(given(points, backend), steps, backend=backend))
                for x, y in zip(found, expected, strict=True):
                    np.testing.assert_allclose(np.asarray(x), y, rtol=1e-6, atol=1e-6)


def test_the_version_of_sizes_that_are_numbers() -> None:
    text = "this version takes 2 as the size of points along axis 1"
    assert text in turned.source(np.ones((3, 2)), 1, backend="numpy")
    assert text not in turned.source(np.ones((3, 4)), 1, backend="numpy")
