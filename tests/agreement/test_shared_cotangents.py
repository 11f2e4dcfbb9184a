"""Derivatives of sums that need common values, in one order of axes and in the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    array,
    cos,
    exp,
    fold,
    fold_sum,
    function,
    grad,
    jvp,
    sin,
    sqrt,
    value_and_grad,
    where,
)
from tests.libraries import BACKENDS
from tests.selection import sizes_on

Program = Callable[[Any, Any], Any]


def waves(x: Any, y: Any) -> Any:
    """Two arrays of sums of functions of one angle, which has one cotangent."""

    def angle(i: Any, k: Any) -> Any:
        return 2.0 * x[i] * y[k] + y[k]

    real = array(lambda i: fold_sum(lambda k: y[k] * cos(angle(i, k))))
    imaginary = array(lambda i: fold_sum(lambda k: y[k] * sin(angle(i, k))))
    return fold_sum(lambda i: real[i] * x[i] + imaginary[i] ** 2.0)


def structure(x: Any, y: Any) -> Any:
    """Both sums are of functions of an angle that is a sum itself."""

    def power(i: Any) -> Any:
        def angle(k: Any) -> Any:
            return fold_sum(lambda d: x[i - d] * y[k + d], count=3)

        real = fold_sum(lambda k: y[k] * cos(angle(k)))
        imaginary = fold_sum(lambda k: y[k] * sin(angle(k)))
        return real * real + imaginary * imaginary * x[i]

    return fold_sum(power)


def kernels(x: Any, y: Any) -> Any:
    """The derivative sums functions of all pairs along one axis, and along the other."""
    near = array(lambda i: fold_sum(lambda k: exp(-((x[i] - y[k]) ** 2.0)) * y[k]))
    return fold_sum(lambda i: near[i] * near[i] * x[i])


def distances(x: Any, y: Any) -> Any:
    """The derivative has signs of differences of all pairs."""
    return fold_sum(lambda i, k: abs(x[i] - y[k]) * x[i])


def units(x: Any, y: Any) -> Any:
    """Unit vectors, and twice these, as factors of both sums."""
    e = array(lambda i, j: where(i == j, 1.0, 0.0), size=(x.size(), x.size()))
    f = array(lambda i, j: where(i != j, 0.0, y[0]), size=(x.size(), x.size()))
    rows = array(lambda i: fold_sum(lambda j: x[j] * e[i, j] + f[j, i] * x[j]))
    return fold_sum(lambda i: rows[i] ** 2.0)


def fluxes(x: Any, y: Any) -> Any:
    """Steps of a law of conservation: each flux leaves one cell and enters the next."""
    n = x.size()

    def step(_: Any, u: Any) -> Any:
        def flux(i: Any) -> Any:
            inside = (i >= 0) & (i + 1 < n)
            return where(inside, 0.5 * (y[i] + y[i + 1]) * (u[i + 1] - u[i]) ** 3.0, 0.0)

        return array(lambda i: u[i] + 0.1 * (flux(i) - flux(i - 1)), size=n)

    u: Any = fold(x, step, count=3)
    return fold_sum(lambda i: u[i] ** 2.0 * y[i])


def edges(x: Any, y: Any) -> Any:
    """A function without derivative where positions are clipped, which no choice takes."""
    n = x.size()

    def length(i: Any) -> Any:
        return sqrt((x[i + 1] - x[i]) ** 2.0) * y[i]

    def both(i: Any) -> Any:
        return where(i + 1 < n, length(i), 0.0) - 2.0 * where(i > 0, length(i - 1), 0.0)

    changes: Any = array(both, size=n)
    return fold_sum(lambda i: changes[i] ** 2.0 * x[i])


def angles(x: Any, y: Any) -> Any:
    """A cosine of an infinite angle, in the derivative of a branch that is not taken."""
    n = x.size()

    def height(u: Any, i: Any) -> Any:
        return sin(0.1 * y[i] / (u[i + 1] - u[i]))

    def step(_: Any, u: Any) -> Any:
        def change(i: Any) -> Any:
            return where(i + 1 < n, height(u, i), 0.0) - where(i > 0, height(u, i - 1), 0.5)

        return array(lambda i: u[i] + 0.1 * change(i), size=n)

    u: Any = fold(x, step, count=2)
    return fold_sum(lambda i: u[i] ** 2.0)


def diffusion(x: Any, y: Any) -> Any:
    """Steps that read an array of the same size, as an assertion in the loop says."""

    def step(t: Any, u: Any) -> Any:
        return array(lambda i: u[i] + 0.1 * (u[i + 1] + u[i - 1] - 2.0 * u[i]) * y[0] + y[i] * 0.2)

    end: Any = fold(x, step, count=3)
    return fold_sum(lambda i: end[i] ** 2.0)


def curves(x: Any, y: Any) -> Any:
    """Functions of one index in sums for each other index: discounts of all payments."""

    def discount(k: Any) -> Any:
        return exp(-y[k] * sin(x[0] + y[k] * x[-1]) * exp(x[1] * y[k]))

    def value(i: Any) -> Any:
        return fold_sum(lambda k: where(k <= i, y[i], 0.5) * discount(k), count=y.size())

    return fold_sum(lambda i: value(i) ** 2.0 * x[i], count=x.size())


def medians(x: Any, y: Any) -> Any:
    """The least, the middle and the greatest of three neighbours: elements have one cotangent."""
    n = x.size()

    def sorted_three(i: Any) -> Any:
        a, b, c = x[i - 1], x[i] * y[i], x[i + 1]
        b, c = b.min(c), b.max(c)
        a, b = a.min(b), a.max(b)
        return a, b.min(c), b.max(c)

    low, middle, high = (array(lambda i, k=k: sorted_three(i)[k], size=n) for k in range(3))
    return fold_sum(lambda i: low[i - 1] * y[i] + 2.0 * middle[i] - high[i + 1] ** 2.0 * y[i])


def trees(x: Any, y: Any) -> Any:
    """Values on a tree of as many leaves as an Int says: the last one is read beyond the end."""
    n = y.size() + (x.size() - x.size())

    def back(k: Any, u: Any) -> Any:
        return array(lambda i: (0.4 * u[i + 1] + 0.5 * u[i]).max(y[i] * x[0]), size=n)

    end: Any = fold(array(lambda i: x[i] ** 2.0, size=n), back, count=3)
    return fold_sum(lambda i: end[i] ** 2.0)


PROGRAMS = (
    *(waves, structure, kernels, distances, units, fluxes, edges, angles, diffusion, curves),
    *(medians, trees),
)


def sample(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    return rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)


def difference(f: Callable[..., Any], x: Any, y: Any, direction: Any) -> Any:
    ahead, behind = f(x + 1e-6 * direction, y), f(x - 1e-6 * direction, y)
    return (np.asarray(ahead) - np.asarray(behind)) / 2e-6


@pytest.mark.parametrize("backend", ["naive", *BACKENDS])
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_are_central_differences(f: Program, backend: str) -> None:
    program = function(f, backend="numpy")
    gradient = value_and_grad(function(f, backend=backend), argnums=(0, 1))
    for n in sizes_on(backend, (1, 2, 5, 7)):
        x, y = sample(n)
        value, slopes = gradient(x, y)
        np.testing.assert_allclose(np.asarray(value), program(x, y), rtol=1e-10)
        for number, slope in enumerate(slopes):
            direction = np.cos(7.0 * x + number)
            other = function((lambda a, b: f(b, a)) if number else f, backend="numpy")
            given = (y, x) if number else (x, y)
            wanted = difference(other, *given, direction)
            np.testing.assert_allclose(np.sum(np.asarray(slope) * direction), wanted, atol=2e-8)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not units])
def test_gradients_of_nothing_are_empty(f: Program, backend: str) -> None:
    gradient = value_and_grad(function(f, backend=backend), argnums=(0, 1))
    value, slopes = gradient(np.zeros(0), np.zeros(0))
    assert float(np.asarray(value)) == 0.0
    assert [np.asarray(each).shape for each in slopes] == [(0,), (0,)]


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives_are_central_differences(f: Program) -> None:
    gradient: Any = grad(function(f, backend="numpy"))
    for n in (1, 5):
        x, y = sample(n)
        direction = np.cos(7.0 * x)
        wanted = difference(gradient, x, y, direction)
        found = jvp(lambda a, y=y: gradient(a, y), (x,), (direction,))[1]
        np.testing.assert_allclose(found, wanted, atol=2e-7)


def test_one_sum_of_products_has_one_cotangent() -> None:
    """Products with it are those of the angle, of both sums, and one for each of three shifts."""
    source = grad(function(structure, backend="jax")).source(*sample(5))
    assert source.count(" @ ") == 1 + 2 + 3


def test_one_angle_has_one_cotangent() -> None:
    """Its products with the arguments are taken once, and so are both functions."""
    x, y = sample(5)
    source = grad(function(waves, backend="jax")).source(x, y)
    assert source.count("jnp.cos(") == source.count("jnp.sin(") == 1
    assert ".T @" not in source


def test_functions_of_pairs_are_computed_once() -> None:
    x, y = sample(5)
    source = value_and_grad(function(kernels, backend="jax"), argnums=(0, 1)).source(x, y)
    assert source.count("jnp.exp(") == 1


def test_unit_vectors_select_cotangents() -> None:
    """An infinite cotangent does not spread to other elements."""
    x = np.array([1.0, np.inf, 2.0])

    def picked(x: Any) -> Any:
        rows = array(lambda i: fold_sum(lambda j: where(i == j, 1.0, 0.0) * x[j]), size=x.size())
        return fold_sum(lambda i: rows[i] * where(i == 1, 0.0, 3.0))

    np.testing.assert_array_equal(grad(picked)(x), [3.0, 0.0, 3.0])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", [0, 1, 7, 400])
def test_gradient_of_a_rotation_of_points(backend: str, n: int) -> None:
    """Sums over all points for each of a few numbers, and elements of small matrices."""

    def error(m: Any, s: Any, p: Any, q: Any) -> Any:
        def moved(i: Any, d: Any) -> Any:
            return fold_sum(lambda e: m[d, e] * p[i, e]) + s[i, 0, 1] * s[i, 1, 0] * s[i, d, 1]

        def squares(i: Any) -> Any:
            return fold_sum(lambda d: (moved(i, d) - q[i, d]) ** 2.0, count=2)

        return fold_sum(squares, count=p.size(0))

    rng = np.random.default_rng(n)
    m, s, p, q = (rng.normal(size=k) for k in ((2, 2), (n, 2, 2), (n, 2), (n, 2)))
    gradient: Any = grad(function(error, backend=backend), argnums=(0, 1, 2))
    moved = p @ m.T + (s[:, 0, 1] * s[:, 1, 0])[:, None] * s[:, :, 1]
    over = 2.0 * (moved - q)
    by_s = np.zeros_like(s)
    by_s[:, :, 1] = over * (s[:, 0, 1] * s[:, 1, 0])[:, None]
    both = (over * s[:, :, 1]).sum(1)
    by_s[:, 0, 1] += both * s[:, 1, 0]
    by_s[:, 1, 0] += both * s[:, 0, 1]
    found = gradient(m, s, p, q)
    for one, other in zip(found, (over.T @ p, by_s, over @ m), strict=True):
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradient_of_overlaps_of_pairs(backend: str) -> None:
    """Sums over all pairs read columns of points, of which each row is one."""

    def overlaps(a: Any, b: Any) -> Any:
        def overlap(i: Any, j: Any, k: int) -> Any:
            return (a[i, k + 1].min(b[j, k + 1]) - a[i, k].max(b[j, k])).max(0.0)

        return fold_sum(
            lambda i, j: (overlap(i, j, 0) * overlap(i, j, 2)) ** 2.0,
            count=(a.size(0), b.size(0)),
        )

    gradient: Any = grad(function(overlaps, backend=backend), argnums=(0, 1))
    for n, m in sizes_on(backend, ((0, 2), (1, 1), (3, 2), (20, 11))):
        rng = np.random.default_rng(n)
        corners = np.array([0.0, 1.0, 0.0, 1.0])
        a, b = (rng.uniform(size=(k, 4)) + corners for k in (n, m))
        far = np.minimum(a[:, None, 1::2], b[None, :, 1::2])
        near = np.maximum(a[:, None, ::2], b[None, :, ::2])
        length = np.maximum(far - near, 0.0)
        slope = 2.0 * length * (length * length)[..., ::-1]
        ends = np.where(a[:, None, 1::2] < b[None, :, 1::2], slope, 0.0), slope
        starts = np.where(a[:, None, ::2] > b[None, :, ::2], -slope, 0.0), -slope
        wanted = [np.empty_like(a), np.empty_like(b)]
        for axis, each in ((1, wanted[0]), (0, wanted[1])):
            each[:, 1::2] = (ends[0] if axis else ends[1] - ends[0]).sum(axis)
            each[:, ::2] = (starts[0] if axis else starts[1] - starts[0]).sum(axis)
        for found, each in zip(gradient(a, b), wanted, strict=True):
            np.testing.assert_allclose(np.asarray(found), each, rtol=1e-10, atol=1e-12)
