"""Functions of elements at one computed position: computed for each place of its axis.

Sizes decide at run time, so both versions run: images that grow and shrink, graphs of many edges
and of few, empty ones, and rows that nothing reads and whose functions are infinite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Int,
    Vec,
    accumulate,
    argsort,
    array,
    cos,
    floor,
    fold_max,
    fold_sum,
    function,
    max,
    scan,
    sqrt,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.selection import combinations, sizes_on

Vector = Vec[Float]
Matrix = Vec[Vec[Float]]
Keys = Vec[Int]


def place(i: Int, size: Int, places: Int) -> tuple[Int, Float]:
    """The place of a pixel among others, and its distance."""
    y = (i.float() + 0.5) * places.float() / size.float() - 0.5
    return floor(y).int(), y - floor(y)


@function
def linear(image: Matrix, height: Int, width: Int) -> Matrix:
    """Of rows, and then of columns: two reads of one table."""

    def pixel(i: Int, j: Int) -> Float:
        (p, y), (q, x) = place(i, height, image.size(0)), place(j, width, image.size(1))
        above = image[p, q] + x * (image[p, q + 1] - image[p, q])
        below = image[p + 1, q] + x * (image[p + 1, q + 1] - image[p + 1, q])
        return above + y * (below - above)

    return array(pixel, size=(height, width))


@function
def filtered(image: Matrix, height: Int, width: Int, taps: Vector) -> Matrix:
    """A sum for each row of a sum over columns, at positions of the step."""

    def pixel(i: Int, j: Int) -> Float:
        (p, y), (q, x) = place(i, height, image.size(0)), place(j, width, image.size(1))

        def row(a: Int) -> Float:
            return (taps[a] - y) * fold_sum(lambda b: (taps[b] + x) * image[p + a - 1, q + b])

        return fold_sum(row, count=taps.size(0))

    return array(pixel, size=(height, width))


@function
def messages(h: Matrix, source: Keys, target: Keys, w: Matrix) -> Matrix:
    """A linear map of the rows of nodes, along edges."""
    edge = array(
        lambda e, o: max(fold_sum(lambda k: h[source[e], k] * w[k, o]), -0.5),
        size=(source.size(0), w.size(1)),
    )
    return accumulate(
        lambda e: (target[e], array(lambda o: edge[e, o], size=w.size(1))), size=h.size(0)
    )


@function
def scores(h: Matrix, source: Keys, target: Keys, w: Matrix) -> Vector:
    """Of both ends of edges, beside a function of their rows together."""

    def end(k: Keys, e: Int, o: int) -> Float:
        return fold_sum(lambda a: h[k[e], a] * w[a, o])

    def edge(e: Int) -> Float:
        both = fold_max(lambda a: h[source[e], a] - h[target[e], a])
        return where(both > 0.3, end(source, e, 0), sqrt(abs(end(target, e, -1))) + both)

    return array(edge, size=source.size(0))


@function
def turned(h: Matrix, source: Keys, target: Keys, w: Matrix) -> Matrix:
    """The position itself is a number too, and that is not clipped."""
    return array(
        lambda e, o: (
            cos(h[source[e], 0] + h[source[e], 1])
            * cos(h[target[e], o] - source[e].float())
            * w[0, o]
        ),
        size=(source.size(0), w.size(1)),
    )


@function
def filled(price: Vector, volume: Vector, wanted: Vector) -> Vector:
    """Elements that are looked up in each step of a sum, whose rows vary with another index."""
    n = price.size()
    order = argsort(price)
    sizes = array(lambda i: volume[order[i]], size=n)
    total = scan(sizes, 0.0, lambda a, b: a + b)

    def fill(q: Int) -> Float:
        take = array(lambda i: (wanted[q] - (total[i] - sizes[i])).clip(0.0, sizes[i]), size=n)
        cost = fold_sum(lambda i: take[i] * price[order[i]], count=n)
        return cost / max(fold_sum(lambda i: take[i], count=n), 1e-9)

    return array(fill, size=wanted.size())


@function
def distances(q: Matrix, r: Matrix, v: Vector) -> tuple[Matrix, Matrix]:
    """Products with rows at the distance of two indices, of which some are out of bounds."""
    n, d = q.size(0), q.size(1)
    scores = array(
        lambda i, j: fold_sum(lambda e: (q[i, e] + v[e]) * r[n - 1 - i + j, e], count=d),
        size=(n, n),
    )
    backwards = array(
        lambda i, j: where(j <= i, fold_sum(lambda e: q[j, e] * r[i - j, e], count=d), 0.0),
        size=(n, n),
    )
    return scores, backwards


def inputs(program: Any, n: int, dtype: str) -> tuple[Any, ...]:
    """The arguments; of a graph, n // 3 nodes and n edges, some out of bounds."""
    random = np.random.default_rng(n)
    if program is filled:
        return tuple((random.random(size) * 3.0).astype(dtype) for size in (n, n, 3))
    if program is distances:
        shapes = (n, 3), (max_of(2 * n - n % 3, 0), 3), 3
        return tuple(random.random(shape).astype(dtype) for shape in shapes)
    image = random.random((n // 2, n // 3)).astype(dtype)
    if program is linear:
        return image, n, n
    if program is filtered:
        return image, n, n + 1, random.random(3).astype(dtype)
    nodes = n // 3
    h = random.random((nodes, 2)).astype(dtype)
    source = random.integers(-1, max_of(nodes, 1) + 1, n)
    target = random.integers(0, max_of(nodes, 1), n)
    return h, source, target, random.random((2, 2)).astype(dtype)


def max_of(x: int, y: int) -> int:
    return x if x > y else y


PROGRAMS = [linear, filtered, messages, scores, turned, filled, distances]


@pytest.mark.parametrize(("program", "backend", "dtype"), combinations(PROGRAMS))
def test_agreement(program: Any, backend: str, dtype: str) -> None:
    tolerance = {"float64": 1e-12, "float32": 1e-4}
    for n in sizes_on(backend, (0, 1, 2, 7, 20), program.__name__):
        assert_call_agrees(program, inputs(program, n, dtype), backend, tolerance)


@pytest.mark.parametrize("backend", ["numpy", "native", "torch", "jax"])
@pytest.mark.parametrize("height", [0, 1, 3, 4, 9])
def test_images_of_other_sizes(backend: str, height: int) -> None:
    """Larger and smaller ones, by both versions; an empty one has zeros."""
    for rows in sizes_on(backend, (0, 1, 4)):
        image = np.linspace(0, 1, rows * 3).reshape(rows, 3)
        expected = linear.eval(image, height, 5, backend="naive")
        found = linear.eval(image, height, 5, backend=backend)
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("unread", [np.inf, np.nan, 1e200])
@pytest.mark.parametrize("backend", ["torch", "jax"])
def test_rows_that_are_not_read_have_no_derivative(backend: str, unread: float) -> None:
    """Nor has any other factor a derivative by them."""
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    h = np.array([[1.0, 2.0], [unread, unread], [3.0, 4.0]])
    source, target = np.array([0, 2] * 8), np.array([2, 0] * 8)
    w = np.array([[1.0, 0.5], [2.0, 1e200]])
    if backend == "torch":
        given = [torch.tensor(x, requires_grad=True) for x in (h, w)]
        rest = torch.tensor(source), torch.tensor(target)
        messages.torch(given[0], *rest, given[1]).sum().backward()
        grads = [x.grad.numpy() for x in given]
    else:
        with jax.enable_x64(True):
            grads = jax.grad(lambda h, w: messages.jax(h, source, target, w).sum(), argnums=(0, 1))(
                h, w
            )
    assert np.isfinite(grads[0]).all()
    np.testing.assert_allclose(grads[1], [[32.0, 32.0], [48.0, 48.0]])


def test_rows_are_computed_once() -> None:
    """A product of matrices for the nodes, in place of one for the edges."""
    source = messages.source(*inputs(messages, 20, "float64"))
    body = source[source.rindex("def messages(") :]
    assert body.index(" @ w") < body.index(".take(")


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_products_at_distances_are_products_of_matrices(backend: str) -> None:
    """In place of a loop."""
    for rows in (0, 1, 5, 9, 10, 11, 40):
        rng = np.random.default_rng(rows)
        given = rng.random((5, 3)), rng.random((rows, 3)), rng.random(3)
        assert_call_agrees(distances, given, backend, {"float64": 1e-12})
    source = distances.source(*inputs(distances, 9, "float64"), backend=backend)
    body = source[source.rindex("def distances(") :]
    assert " @ " in body
    assert "for e in range(" not in body


def test_derivatives_at_distances() -> None:
    torch = pytest.importorskip("torch")
    q, r = np.arange(6.0).reshape(3, 2), np.arange(10.0).reshape(5, 2)
    for unread in (1.0, np.inf):
        rows = np.concatenate([r, np.full((1, 2), unread)])
        given = [torch.tensor(x, requires_grad=True) for x in (q, rows, np.ones(2))]
        scores, backwards = distances.torch(*given)
        (scores.square().sum() + backwards.sum()).backward()
        pairs = [(i, j) for i in range(3) for j in range(3)]
        expected = np.zeros_like(rows)
        for i, j in pairs:
            expected[2 - i + j] += 2 * (q[i] + 1) * ((q[i] + 1) @ rows[2 - i + j])
            if j <= i:
                expected[i - j] += q[j]
        np.testing.assert_allclose(given[1].grad.numpy(), expected)


def test_folds_over_several_positions_are_no_table() -> None:
    """The position is that of a step: what is computed from the fold has no table over it."""

    @function
    def program(x: Vector, p: Keys) -> Vector:
        def total(i: Any) -> Any:
            return fold_sum(lambda k: x[p[i] + p[k]] * x[i], count=3)

        return array(lambda i: cos(total(i)) + sqrt(abs(total(i))), size=x.size(0))

    rng = np.random.default_rng(4)
    for n in (1, 2, 9):
        given = rng.random(n), rng.integers(0, 5, n)
        assert_call_agrees(program, given, "numpy", {"float64": 1e-12})
