"""Derivatives of loops whose arrays grow or shrink agree with central differences."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Function,
    array,
    fold,
    fold_sum,
    function,
    grad,
    hessian,
    jvp,
    max,
    min,
    sin,
    tanh,
    where,
)
from tests.agreement.comparison import argument, assert_call_agrees, differences
from tests.libraries import BACKENDS, in_64_bits
from tests.selection import combinations, sizes_on, some

SIZES = (0, 1, 2, 5)

TOLERANCE = {"float64": 1e-12, "float32": 1e-4}


def weighted(a):
    """A sum in which each element has its own weight."""
    return fold_sum(lambda i: a[i] * (i.float() + 1.0), count=a.size(0))


def appended(x):
    def step(k, a):
        return array(lambda i: where(i < a.size(0), a[i] * 2.0, x[k]), size=a.size(0) + 1)

    return weighted(fold(x, step, count=x.size(0)))


def polynomial(x):
    """The coefficients of the polynomial with some roots."""

    def step(k, a):
        n = a.size(0)
        return array(
            lambda i: where(i > 0, a[i - 1], 0.0) - x[k] * where(i < n, a[i], 0.0), size=n + 1
        )

    return weighted(fold(array(lambda i: 1.0, size=1), step, count=x.size(0)))


def de_casteljau(x):
    """A curve at the place that the first control point says."""

    def step(k, a):
        return array(lambda i: a[i] + x[0] * (a[i + 1] - a[i]), size=a.size(0) - 1)

    return fold(x, step, count=max(x.size(0) - 1, 0))[0]


def averaged(x):
    def step(k, a):
        return array(lambda i: a[i] + a[i + 1], size=a.size(0) - 1)

    return fold(x, step, count=max(x.size(0) - 1, 0))[0]


def halved(x):
    def step(k, a):
        return array(lambda i: tanh(a[2 * i]) * a[2 * i + 1], size=a.size(0) // 2)

    return weighted(fold(x, step, count=2))


def up_and_down(x):
    n = x.size(0)

    def step(k, a):
        size = where(2 * k < n, a.size(0) + 2, a.size(0) - 1)
        return array(lambda i: a[i - 1] * (1.0 + 0.1 * i.float()) + a[i] * a[0], size=size)

    return weighted(fold(x, step, count=n))


def by_counter(x):
    def step(k, a):
        return array(lambda i: sin(a[i // 2]) + x[k] * i.float(), size=k + 1)

    return weighted(fold(x, step, count=x.size(0)))


def of_other_size(x):
    return weighted(fold(x, lambda k, a: array(lambda i: a[i + 1] * 2.0, size=3), count=2))


def clipped(x):
    step = lambda k, a: array(lambda i: a[i] * 2.0, size=max(a.size(0) - 1, 0))  # noqa: E731
    return fold(x, step, count=1)[5] + x[-1]


def matrices(x):
    """Products by matrices that need not be square."""
    ones = array(lambda j: x[j] + 1.0, size=max(x.size(0) - 1, 0))
    m = array(lambda k, i, j: x[i] * (j.float() + 1.0), size=(1, x.size(0), ones.size(0)))

    def step(k, v):
        return array(lambda i: fold_sum(lambda j: m[k, i, j] * v[j]))

    return weighted(fold(ones, step, count=1))


def frames(x):
    """An array that grows along one axis, and shrinks along the other."""
    n = x.size(0)
    start = array(lambda i, j: x[i] * x[j], size=(n, n))

    def step(k, a):
        size = a.size(0) + 1, a.size(1) - 1
        return array(lambda i, j: a[i - 1, j] * a[i, j + 1] + x[k], size=size)

    last = fold(start, step, count=max(n - 1, 0))
    return fold_sum(lambda i, j: last[i, j] * (i + 2 * j).float())


def nested(x):
    n = x.size(0)

    def longer(q, a):
        return array(lambda i: a[i - 1] + 0.5 * a[i] * x[q], size=a.size(0) + 1)

    def step(k, a):
        grown = fold(a, longer, count=2)
        return array(lambda i: grown[i + 1] * x[k], size=a.size(0) + 1)

    return weighted(fold(x, step, count=n))


def inner(x):
    """A loop that grows in each step of another one, which keeps its size."""

    def longer(q, a):
        return array(lambda i: a[i] * a[i - 1] + a[0], size=a.size(0) + 1)

    def step(k, a):
        grown = fold(a, longer, count=2)
        return array(lambda i: tanh(grown[i + 2]), size=a.size(0))

    return weighted(fold(x, step, count=2))


def exchanged(x):
    """Two arrays of different sizes that change places."""
    n = x.size(0)
    short = array(lambda i: x[i] * 2.0, size=n // 2)

    def step(k, both):
        a, b = both
        return b, array(lambda i: a[i] * (i.float() + x[0]), size=a.size(0))

    a, b = fold((x, short), step, count=3)
    return weighted(a) + 2.0 * weighted(b)


def exchanging(a, b):
    """Two arrays that have the sizes of the first one from the first step on."""

    def step(k, s):
        a, b = s
        c = array(lambda i: a[i - 1] + b[i] * 0.5, size=a.size(0))
        return c, array(lambda i: c[i] * b[i + 1], size=a.size(0))

    x, y = fold((a, b), step, count=2)
    return weighted(x) + weighted(y)


def counted(x):
    """A record of an array that grows, and of its sum."""

    def step(k, s):
        a, total = s
        longer = array(lambda i: min(a[i], x[k]) + a[i - 1], size=a.size(0) + 1)
        return longer, total * 0.5 + weighted(longer)

    return fold((x, 0.0), step, count=x.size(0))[1]


def convolved(x):
    """Convolutions by few elements, whose steps read beyond the array that grows."""
    kernel = array(lambda j: x[j], size=min(x.size(0), 2))

    def step(k, a):
        def element(i):
            def term(j):
                return where((i - j >= 0) & (i - j < a.size(0)), a[i - j] * kernel[j], 0.0)

            return fold_sum(term, count=kernel.size(0))

        return array(element, size=a.size(0) + 1)

    return weighted(fold(array(lambda i: 1.0, size=1), step, count=3))


def with_places(x):
    """An array that grows is read at the places in another one, of Ints, that also grows."""

    def step(k, both):
        a, places = both
        n = a.size(0)
        longer = array(lambda i: a[places[i]] * x[k] + sin(a[i - 1]), size=n + 1)
        return longer, array(lambda i: n - places[i - 1] + k, size=n + 1)

    return weighted(fold((x, array(lambda i: i, size=x.size(0))), step, count=3)[0])


def of_each(x):
    """One loop for each element, whose sizes depend on none."""

    def top(q):
        first = array(lambda i: x[q] * sin(i.float() + x[0]), size=5)
        return fold(first, lambda k, a: array(lambda i: a[i] * a[i + 1], size=4 - k), count=4)[0]

    return fold_sum(lambda q: top(q) ** 2.0, count=x.size(0))


def halved_rows(x):
    """The sizes of the steps are those of the arrays before."""

    def top(q):
        def half(k, a):
            return array(lambda i: x[0] * a[2 * i] + sin(a[2 * i + 1]), size=a.size(0) // 2)

        return fold(array(lambda i: x[i] * x[q] + 1.0, size=x.size(0)), half, count=2)[0]

    return fold_sum(lambda q: top(q), count=x.size(0))


PROGRAMS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        appended,
        polynomial,
        de_casteljau,
        averaged,
        halved,
        up_and_down,
        by_counter,
        of_other_size,
        clipped,
        matrices,
        frames,
        nested,
        inner,
        exchanged,
        counted,
        convolved,
        with_places,
        of_each,
        halved_rows,
    )
}


@cache
def program(name: str) -> Function:
    return function(PROGRAMS[name], backend="numpy")


@cache
def gradient(name: str, backend: str) -> Function:
    return function(grad(program(name)), backend=backend)


@cache
def slopes(name: str, size: int) -> Any:
    """The gradient by central differences of the interpreter."""
    return differences(lambda x: program(name).eval(x, backend="naive"), argument(size))


@pytest.mark.parametrize(("name", "backend", "dtype"), some(combinations(PROGRAMS)))
def test_gradients(name: str, backend: str, dtype: str) -> None:
    tolerance = 1e-5 if dtype == "float64" else 1e-3
    for size in sizes_on(backend, SIZES, name):
        with in_64_bits(backend):
            x = argument(size).astype(dtype)
            found = np.asarray(gradient(name, backend).eval(x, backend=backend))
        np.testing.assert_allclose(found, slopes(name, size), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(["convolved"]))
def test_values(name: str, backend: str, dtype: str) -> None:
    for size in sizes_on(backend, SIZES, name):
        assert_call_agrees(program(name), (argument(size).astype(dtype),), backend, TOLERANCE)


@pytest.mark.parametrize("name", some(list(PROGRAMS), 2))
def test_directions(name: str) -> None:
    for size in (0, 2):
        x, dx = argument(size), argument(size + 9)[:size]
        _, found = jvp(program(name), (x,), (dx,))
        np.testing.assert_allclose(found, slopes(name, size) @ dx, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", some(list(PROGRAMS), 4))
def test_second_derivatives(name: str) -> None:
    x = argument(3)
    expected = differences(gradient(name, "numpy"), x)
    np.testing.assert_allclose(hessian(program(name))(x), expected, rtol=1e-5, atol=1e-5)


def test_loops_of_elements_whose_sizes_are_the_same_run_together() -> None:
    assert "for q in" not in gradient("of_each", "numpy").source(argument(7), backend="numpy")


@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
@pytest.mark.parametrize(("first", "second"), some([(3, 4), (4, 3), (1, 2), (2, 1)], 2))
def test_another_size_from_the_first_step_on(first: int, second: int, backend: str) -> None:
    """An error, where the sizes usually are equal; gradients of these have one size."""
    slope = function(grad(exchanging, (0, 1)), backend=backend)
    with pytest.raises(ValueError, match=r"sizes along axis|accumulator of another size"):
        slope.eval(argument(first), argument(second), backend=backend)


def test_an_equal_size_from_the_first_step_on() -> None:
    a, b = argument(3), argument(7)[:3]
    both = function(exchanging, backend="numpy")
    found = grad(both, (0, 1))(a, b)
    np.testing.assert_allclose(found[0], differences(lambda a: both(a, b), a), rtol=1e-6)
    np.testing.assert_allclose(found[1], differences(lambda b: both(a, b), b), rtol=1e-6)


def rotated(a, b):
    """Loops in steps, whose arrays start with the sizes of two arguments, and have one after."""
    n = a.size(0)

    def gate(k, state):
        x, y = state
        flipped = array(lambda i: tanh(0.4 * y[i]) - x[n - 1 - i], size=n)
        return array(lambda i: 0.4 * x[i] + y[i ^ (1 << k)], size=n), flipped

    x, y = fold((a, b), lambda t, state: fold(state, gate, count=2), count=3)
    return fold_sum(lambda i: x[i] * x[i] + y[i])


@pytest.mark.parametrize("backend", BACKENDS)
def test_equal_arguments_have_one_size_in_loops_of_loops(backend: str) -> None:
    slope = function(grad(rotated, (0, 1)))
    for size in (1, 3):
        assert_call_agrees(slope, (argument(size), argument(size + 2)[:size]), backend, TOLERANCE)


def test_sizes_of_equal_arguments_are_not_saved() -> None:
    source = function(grad(rotated, (0, 1))).source(argument(3), argument(3), backend="jax")
    assert "accumulator of another size" not in source
