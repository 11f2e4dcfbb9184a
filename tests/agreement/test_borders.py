"""On JAX, a stencil with a border is one part in place, in one, two and three dimensions.

Bounds of the positions of neighbours, on every backend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, compile, fold, fold_sum, function, grad, max, min, where
from tests.agreement.comparison import assert_agree
from tests.libraries import in_64_bits
from tests.selection import sizes_on

jax = pytest.importorskip("jax")

Step = Callable[[Any], Any]

BORDERS: dict[str, tuple[int, Step]] = {}
"""Name -> the rank of the array, and a step of the stencil."""


def border(rank: int) -> Callable[[Step], Step]:
    """Register a step under its name."""

    def register(step: Step) -> Step:
        BORDERS[step.__name__] = rank, step
        return step

    return register


@border(1)
def kept_ends(u):
    n = u.size()
    mean = lambda i: (u[i - 1] + u[i] + u[i + 1]) / 3.0  # noqa: E731
    return array(lambda i: where((i == 0) | (i == n - 1), u[i], mean(i)))


@border(1)
def zero_ends(u):
    n = u.size()
    second = lambda i: u[i - 1] - 2.0 * u[i] + u[i + 1]  # noqa: E731
    return array(lambda i: where((i > 0) & (i < n - 1), second(i), 0.0))


@border(1)
def one_kept_end(u):
    return array(lambda i: where(i > 0, u[i] - u[i - 1], u[i]))


@border(1)
def wide_ends(u):
    n = u.size()
    return array(lambda i: where((i >= 2) & (i < n - 2), u[i - 2] - u[i + 2], u[i]))


def around(u, i, j):
    return (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) / 4.0


@border(2)
def kept_edges(u):
    n, m = u.shape

    def point(i, j):
        edge = (i == 0) | (i == n - 1) | (j == 0) | (j == m - 1)
        return where(edge, u[i, j], around(u, i, j))

    return array(point)


@border(2)
def zero_edges(u):
    n, m = u.shape

    def point(i, j):
        inside = (i >= 1) & (i < n - 1) & (j >= 1) & (j < m - 1)
        return where(inside, around(u, i, j) - u[i, j], 0.0)

    return array(point)


@border(2)
def hot_top(u):
    n, m = u.shape

    def point(i, j):
        cold = (i == n - 1) | (j == 0) | (j == m - 1)
        return where(i == 0, 1.0, where(cold, 0.0, around(u, i, j)))

    return array(point)


@border(2)
def kept_columns(u):
    n, m = u.shape

    def point(i, j):
        rows = u[(i - 1) % n, j] + u[(i + 1) % n, j] + u[i, j - 1] + u[i, j + 1]
        return where((j == 0) | (j == m - 1), u[i, j], rows / 4.0)

    return array(point, size=(n, m))


@border(3)
def kept_faces(u):
    n, m, k = u.shape

    def point(x, y, z):
        inside = (x > 0) & (x < n - 1) & (y > 0) & (y < m - 1) & (z > 0) & (z < k - 1)
        along = u[x - 1, y, z] + u[x + 1, y, z] + u[x, y - 1, z] + u[x, y + 1, z]
        return where(inside, along + u[x, y, z - 1] + u[x, y, z + 1], u[x, y, z])

    return array(point)


@border(1)
def relaxed_twice(u):
    n = u.size(0)

    def half(v, parity):
        def point(i):
            inside = (i > 0) & (i < n - 1) & (i % 2 == parity)
            return where(inside, 0.5 * (v[i - 1] + v[i + 1]), v[i])

        return array(point, size=n)

    return half(half(u, 0), 1)


def steps(name: str) -> Any:
    """Steps of a stencil in a loop, and one outside of it."""
    _, step = BORDERS[name]

    def run(u, count):
        v = fold(u, lambda _, v: step(v), count=count)
        return v, step(v)

    return function(run)


@pytest.mark.parametrize("name", BORDERS)
def test_borders(name: str) -> None:
    rank, _ = BORDERS[name]
    program, rng = steps(name), np.random.default_rng(3)
    for size in (0, 1, 2, 3, 4, 6):
        u = rng.normal(size=[size + k for k in range(rank)])
        expected = program.eval(u, 2, backend="naive")
        assert_agree(program.eval(u, 2, backend="jax"), expected, {"float64": 1e-12}, str(size))


@pytest.mark.parametrize("name", BORDERS)
def test_no_border_is_concatenated(name: str) -> None:
    rank, _ = BORDERS[name]
    traced = steps(name).phi(np.ones((3,) * rank, "float32"), 2)
    code = compile(traced, "run", "jax").source
    body = code[code.index("def run") :]
    assert any(f"{put}(" in body for put in ("with_part", "overwritten", "surrounded"))
    assert ("concatenate" in body) == (name == "kept_columns")


def test_border_of_float32() -> None:
    u = np.random.default_rng(3).normal(size=(5, 4)).astype("float32")
    expected = steps("hot_top").eval(u, 2, backend="naive")
    assert_agree(steps("hot_top").eval(u, 2, backend="jax"), expected, {"float32": 1e-6})


def fluxes(u):
    """Differences of what neighbours exchange; the last exchange has one, and is not read."""
    n = u.size()
    flux = array(lambda i: abs(u[i]) + abs(u[i + 1]) - (u[i + 1] - u[i]) ** 2.0)
    return array(lambda i: u[i] - where((i > 0) & (i < n - 1), flux[i] - flux[i - 1], 0.0))


def fluxes_from_the_left(u):
    n = u.size()
    flux = array(lambda i: u[i - 1] * u[i] + u[max(i - 1, 0)])
    return array(lambda i: u[i] - where((i > 0) & (i < n - 1), flux[i + 1] - flux[i], 0.0))


def fluxes_along_two_axes(u):
    n, m = u.shape
    down = array(lambda i, j: u[i, j] * u[min(i + 1, n - 1), j])
    right = array(lambda i, j: u[i, j] - u[i, j + 1])
    inside = lambda i, j: (i > 0) & (i < n - 1) & (j > 0) & (j < m - 1)  # noqa: E731
    sums = lambda i, j: down[i, j] - down[i - 1, j] + right[i, j] - right[i, j - 1]  # noqa: E731
    return array(lambda i, j: u[i, j] + where(inside(i, j), sums(i, j), 0.0))


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax"])
@pytest.mark.parametrize("step", [fluxes, fluxes_from_the_left, fluxes_along_two_axes])
def test_stages_between_borders(step: Step, backend: str) -> None:
    program, rng = function(step), np.random.default_rng(5)
    for size in sizes_on(backend, (0, 1, 2, 3, 6)):
        u = rng.normal(size=[size, size + 1] if step is fluxes_along_two_axes else [size])
        expected = program.eval(u, backend="naive")
        assert_agree(program.eval(u, backend=backend), expected, {"float64": 1e-12}, str(size))


def fields(a, b, source):
    """Two arrays in turn: each keeps a border, or has a new one, and reads itself in place."""
    n, m = a.shape

    def step(t, state):
        a, b = state
        a = array(lambda i, j: where(i == 0, source[t], a[i, j] - 0.5 * (b[i, j] - b[i - 1, j])))
        inside = lambda i, j: (i < n - 1) & (j < m - 1)  # noqa: E731
        curl = lambda i, j: a[i + 1, j] - a[i, j + 1]  # noqa: E731
        return a, array(lambda i, j: where(inside(i, j), b[i, j] - 0.7 * curl(i, j), b[i, j]))

    return fold((a, b), step, count=source.size())


def test_two_fields_in_place() -> None:
    program, rng = function(fields), np.random.default_rng(4)
    for shape in ((0, 0), (1, 1), (1, 3), (2, 2), (5, 4)):
        arguments = (*rng.normal(size=(2, *shape)), np.arange(3.0))
        expected = program.eval(*arguments, backend="naive")
        assert_agree(program.eval(*arguments, backend="jax"), expected, {"float64": 1e-12})
    assert program.source(*arguments, backend="jax").count("overwritten(") == 4


def test_gradient_of_fields_in_place() -> None:
    def loss(a, b, source):
        a, b = fields(a, b, source)
        return fold_sum(lambda i, j: a[i, j] * b[i, j])

    arguments = (*np.random.default_rng(4).normal(size=(2, 4, 3)), np.arange(2.0))
    with in_64_bits("jax"):
        found = jax.grad(function(loss).jax)(*map(jax.numpy.asarray, arguments))
    assert_agree(found, grad(loss).eval(*arguments, backend="naive"), {"float64": 1e-12})


@function
def spread(mask, seed, count):
    """Cells of a mask next to those of a seed; its size may be another one at first."""
    n, m = mask.shape

    def step(_, s):
        def cell(i, j):
            rows = ((i > 0) & s[max(i - 1, 0), j]) | ((i < n - 1) & s[min(i + 1, n - 1), j])
            columns = ((j > 0) & s[i, max(j - 1, 0)]) | ((j < m - 1) & s[i, min(j + 1, m - 1)])
            return (s[i, j] | rows | columns) & mask[i, j]

        return array(cell, size=(n, m))

    return fold(step(0, seed), step, count=count), step(0, seed)


@pytest.mark.parametrize("backend", ["numpy", "native", "torch", "jax"])
def test_bounds_that_neighbours_keep_within(backend: str) -> None:
    rng = np.random.default_rng(3)
    for size, other in ((0, 2), (1, 1), (1, 4), (2, 2), (2, 5), (3, 2), (5, 5), (6, 4), (5, 0)):
        mask, seed = rng.random((size, size + 1)) > 0.3, rng.random((other, other + 1)) > 0.5
        expected = spread.eval(mask, seed, 2, backend="naive")
        assert_agree(spread.eval(mask, seed, 2, backend=backend), expected, {}, f"{size} {other}")


@function
def neighbours(x, mask, border):
    """Guarded neighbours along two axes: other conditions, other borders, and nested choices."""
    n, m = x.shape

    def inside(i, j):
        return (i >= 0) & (i < n) & (j >= 0) & (j < m)

    def step(x, other):
        at = lambda i, j: where(inside(i, j), x[i, j], other)  # noqa: E731
        masked = lambda i, j: where(mask[i, j] & (i > 0) & (j > 0), x[i - 1, j - 1], other)  # noqa: E731
        corner = lambda i, j: where(i == n - 1, other, where(j == 0, other, x[i + 1, j - 1]))  # noqa: E731
        cross = lambda i, j: at(i - 1, j) - 2.0 * at(i + 2, j) + at(i, j - 1) * at(i, j + 1)  # noqa: E731
        return array(lambda i, j: cross(i, j) + masked(i, j) - corner(i, j), size=(n, m))

    def touches(i, j):
        rows = ((i > 0) & mask[i - 1, j]) | ((i < n - 1) & mask[i + 1, j])
        return (
            rows | where(j == 0, False, mask[i, j - 1]) | where(j == m - 1, False, mask[i, j + 1])
        )

    least = array(
        lambda i, j: min(
            where(i > 0, x[i - 1, j] + 1.0, float("inf")),
            where(j < m - 1, x[i, j + 1] + 1.0, float("inf")),
            where(i < n - 1, x[i + 1, j] + 1.0, float("inf")),
        ),
        size=(n, m),
    )
    touched = array(lambda i, j: where(touches(i, j), 1, 0), size=(n, m))
    return fold(x, lambda _, x: step(x, 0.5), count=2), step(x, border), least, touched


@pytest.mark.parametrize("backend", ["numpy", "native", "torch", "jax"])
def test_neighbours_with_guards(backend: str) -> None:
    rng = np.random.default_rng(6)
    for shape in sizes_on(backend, ((0, 0), (0, 2), (1, 1), (1, 3), (2, 2), (2, 1), (7, 6))):
        x, mask = rng.normal(size=shape), rng.random(shape) > 0.5
        if x.size > 4:
            x.flat[:3] = np.nan, np.inf, -np.inf
        expected = neighbours.eval(x, mask, np.nan, backend="naive")
        found = neighbours.eval(x, mask, np.nan, backend=backend)
        assert_agree(found, expected, {"float64": 1e-12}, str(shape))


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_neighbours_with_guards_have_no_parts(backend: str) -> None:
    source = neighbours.source(np.ones((3, 3)), np.ones((3, 3), bool), 0.0, backend=backend)
    assert source.count("minimum(") == 2


@function
def cooled(x, count):
    """Steps with zeros beyond all edges, each of which is a part with terms of its own."""
    n, m = x.shape

    def step(x):
        inside = lambda i, j: (i >= 0) & (i < n) & (j >= 0) & (j < m)  # noqa: E731
        at = lambda i, j: where(inside(i, j), x[i, j] ** 2.0, 0.0)  # noqa: E731
        around = lambda i, j: at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)  # noqa: E731
        return array(lambda i, j: x[i, j] - around(i, j) / 4.0, size=(n, m))

    return fold(step(x), lambda _, x: step(x), count=count)


SHAPES = [(0, 0), (0, 3), (1, 1), (2, 1), (1, 4), (2, 2), (7, 6)]


@pytest.mark.parametrize("shape", SHAPES)
def test_parts_around_an_inner_one(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(7).normal(size=shape)
    expected = cooled.eval(x, 2, backend="naive")
    assert_agree(cooled.eval(x, 2, backend="jax"), expected, {"float64": 1e-12})


def test_parts_around_an_inner_one_are_written() -> None:
    source = cooled.source(np.ones((3, 3)), 2, backend="jax")
    assert "joined((" in source
    source = cooled.source(np.ones((3, 3)), 2, backend="numpy")
    assert "joined(" not in source


@pytest.mark.parametrize("shape", SHAPES)
def test_derivatives_of_parts_around_an_inner_one(shape: tuple[int, int]) -> None:
    """Of both modes, and of a batch."""

    def loss(x):
        y = cooled(x, 2)
        return fold_sum(lambda i, j: y[i, j] ** 3.0)

    x, v = np.random.default_rng(7).normal(size=(2, *shape))
    expected = grad(loss).eval(x, backend="naive")
    with in_64_bits("jax"):
        f, a = function(loss).jax, jax.numpy.asarray(x)
        assert_agree(jax.grad(f)(a), expected, {"float64": 1e-11})
        _, along = jax.jvp(f, (a,), (jax.numpy.asarray(v),))
        assert_agree(along, (expected * v).sum(), {"float64": 1e-11})
        batch = jax.numpy.stack([a, a + v])
        many = jax.vmap(jax.grad(f))(batch)
    assert_agree(many[0], expected, {"float64": 1e-11})
    assert_agree(many[1], grad(loss).eval(x + v, backend="naive"), {"float64": 1e-11})
