"""Gradients of kinds of models: gates, and weights of pairs in sums over other axes.

The cotangents of slices from positions that are computed from sizes are parts of one array, and
positions beyond the ends count for the elements there. Loops that some of the loops around them do
not change run once for these.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Float,
    Vec,
    array,
    fold,
    fold_max,
    fold_min,
    fold_sum,
    fold_while,
    function,
    max,
    min,
    searchsorted,
    value_and_grad,
    where,
)
from tests.libraries import INSTALLED
from tests.selection import sizes_on

Numbers = Vec[Float]
Rows = Vec[Vec[Float]]


def gates(z: Numbers, w: Numbers):
    """Parts of one vector, of the size of another one."""
    n = w.size()
    a = array(lambda j: w[j] * z[j] * z[n + j] ** 2.0 + z[2 * n + j].sin(), size=n)
    return fold_sum(lambda j: a[j] * z[3 * n - 1 - j], count=n)


def columns(z: Rows, w: Numbers):
    n = w.size()
    return fold_sum(lambda i, j: z[i, n + j] * w[j] * z[i, j - n], count=(z.size(0), n))


def recurrent(z: Numbers, w: Numbers):
    """A step that writes one vector and reads its parts."""
    n, m = w.size(), z.size()

    def step(t, h):
        a = array(lambda i: z[i] * fold_sum(lambda j: h[j] * w[j]).sin(), size=m)
        return array(lambda j: a[n + j] * h[j] + a[j].cos(), size=n)

    h = fold(w, step, count=3)
    return fold_sum(lambda j: h[j] ** 2.0)


def waved(z: Rows, w: Numbers):
    """Steps that are zero at the ends: so are the cotangents of their neighbours."""
    n, m = z.size(0) + 2, z.size(1)
    start = array(lambda i, j: where(i > 1, z[i - 2, j], w[0]), size=(n, m))

    def step(t, u):
        def element(i, j):
            is_inside = (i > 0) & (i < n - 1) & (j > 0) & (j < m - 1)
            around = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]
            return where(is_inside, u[i, j] + w[t] * z[i, j] * around, 0.0)

        return array(element, size=(n, m))

    def row(t, u):
        """Zero at one end alone."""
        return array(lambda i, j: where(j > 0, u[i, j - 1] * w[t] + u[i, j + 1], 0.0), size=(n, m))

    u = fold(fold(start, row, count=2), step, count=3)
    return fold_sum(lambda i, j: u[i, j] ** 2.0, count=(n, m))


def attracted(z: Rows, w: Numbers):
    """Distances of points that each step saves are far from zero."""
    n = w.size()

    def step(t, x):
        def pull(i, j):
            r = fold_sum(lambda c: (x[j, c] - x[i, c]) ** 2.0, count=2) + 0.1
            return r * r.sqrt()

        r = array(pull, size=(n, n))
        return array(
            lambda i, c: x[i, c] + fold_sum(lambda j: w[j] * (x[j, c] - x[i, c]) / r[i, j]),
            size=(n, 2),
        )

    x = fold(array(lambda i, c: z[c, i], size=(n, 2)), step, count=3)
    return fold_sum(lambda i, c: x[i, c] ** 2.0)


def bounded(z: Numbers, w: Numbers):
    """A number that an array of Ints could have, far below all positions."""
    far = (w[0] * 1e18).int().min(3)
    return fold_sum(lambda j: w[j] * z[far + j])


def attention(z: Rows, w: Numbers):
    """The score of a pair takes a loop, which the index of a column does not change."""
    n, m = z.size(0), z.size(1)

    def score(i: Any, j: Any) -> Any:
        return fold_sum(lambda c: z[i, c] * z[j, c], count=m).tanh()

    out = array(lambda i, d: fold_sum(lambda j: score(i, j) * z[j, d], count=n), size=(n, m))
    return fold_sum(lambda i, d: out[i, d] * w[d % w.size()], count=(n, m))


def forces(z: Rows, w: Numbers):
    """The same in the steps of a loop, where pairs also depend on what it carries."""

    def step(t, x):
        def force(i: Any, d: Any) -> Any:
            def pair(j: Any) -> Any:
                r = fold_sum(lambda c: (x[j, c] - x[i, c]) ** 2.0) + 0.5
                return w[0] * (x[j, d] - x[i, d]) / (r * r.sqrt())

            return fold_sum(pair, count=z.size(0))

        return array(lambda i, d: x[i, d] + 0.1 * force(i, d), size=(z.size(0), z.size(1)))

    x = fold(z, step, count=2)
    return fold_sum(lambda i, d: x[i, d] ** 2.0)


def pulls(z: Rows, w: Numbers):
    """The same for two coordinates that are written out, with a cutoff."""

    def pull(i: Any, j: Any) -> Any:
        r = (z[i, 0] - z[j, 0]) ** 2.0 + (z[i, 1] - z[j, 1]) ** 2.0
        return where((i != j) & (r < 9.0), w[0] / (r * r.sqrt()), 0.0)

    n, m = z.shape
    x = array(lambda i, d: fold_sum(lambda j: pull(i, j) * (z[j, d] - z[i, d])), size=(n, m))
    return fold_sum(lambda i, d: x[i, d] ** 2.0)


def radial(z: Rows, w: Numbers):
    """The pull of the centre, by the distance of each point in its first two coordinates."""

    def step(t, x):
        def pull(i: Any) -> Any:
            return w[0] / (x[i, 0] ** 2.0 + x[i, 1] ** 2.0 + 0.3).sqrt()

        return array(lambda i, d: x[i, d] + 0.1 * pull(i) * x[i, d])

    x = fold(z, step, count=2)
    return fold_sum(lambda i, d: x[i, d] ** 2.0)


def composited(z: Rows, w: Numbers):
    """Light along a ray for each pixel: two numbers that each layer changes."""

    def pixel(i: Any, j: Any) -> Any:
        def layer(k: Any, c: Any) -> Any:
            alpha = (-((z[i, j] - w[k]) ** 2.0)).exp()
            return c[0] * (1.0 - alpha), c[1] + c[0] * alpha * w[k]

        return fold((1.0, 0.0), layer, count=w.size())[1]

    return fold_sum(lambda i, j: (pixel(i, j) - z[i, j]) ** 2.0)


def marched(z: Rows, w: Numbers):
    """Steps along each ray, whose lengths are found by a search."""

    def march(i: Any) -> Any:
        def step(_: Any, t: Any) -> Any:
            def distance(k: Any) -> Any:
                return (fold_sum(lambda c: (z[i, c] + t - w[k]) ** 2.0) + 0.1).sqrt()

            return t + fold_min(distance)

        return fold(0.0, step, count=3)

    return fold_sum(lambda i: march(i), count=z.size(0))


def travelling(z: Numbers, w: Numbers):
    """Two arrays in each step, of which the result needs one element."""
    n = z.size()

    def step(k: Any, state: Any) -> Any:
        u, v, total = state

        def moved(i: Any) -> Any:
            ahead: Any = u[(i + 1).min(n - 1)]
            return 2.0 * u[i] - v[i] + z[i] * (ahead - u[i]) + 0.1

        new = array(moved, size=n)
        return new, u, total + (new[1] - w[k]) ** 2.0

    still = array(lambda i: 0.0 * z[i])
    return fold((still, still, 0.0), step, count=w.size())[2]


def roots(z: Numbers, w: Numbers):
    """A few of Newton's steps for each element."""

    def root(i: Any) -> Any:
        def step(_: Any, x: Any) -> Any:
            return x - (x - w[0] * x.sin() - z[i]) / (3.0 - x.cos())

        return fold(z[i], step, count=4)

    return fold_sum(lambda i: root(i) ** 2.0, count=z.size())


def spots(z: Rows, w: Numbers):
    """Parameters of spots on an image, each in a function of all pixels."""

    def pixel(i: Any, j: Any) -> Any:
        def spot(k: Any) -> Any:
            distance = (i.float() - w[k]) ** 2.0 + (j.float() - 2.0 * w[k]) ** 2.0
            return w[k] * (-distance / (1.0 + w[k] * w[k])).exp()

        return fold_sum(spot)

    return fold_sum(lambda i, j: (pixel(i, j) - z[i, j]) ** 2.0)


def lengths(z: Numbers, w: Numbers):
    """Rows of several lengths, which begin within each other."""

    def row(i: Any) -> Any:
        return fold_sum(lambda k: (z[2 * i + k] * w[i]).exp(), count=(i * i + 2) % 4)

    return fold_sum(lambda i: (1.0 + row(i)).log(), count=w.size())


def dynamics(z: Rows, w: Numbers):
    """Parameters of an equation for each element, which all steps read."""
    n, m = z.size(0), z.size(1)

    def path(i: Any) -> Any:
        def step(t: Any, state: Any) -> Any:
            x, y = state
            slope = z[i, 0] * x - z[i, m - 1] * x * y
            return x + 0.1 * slope, y + 0.1 * (z[1, i] * x - w[t])

        x, y = fold((z[i, 0], w[0]), step, count=w.size())
        return x * y

    return fold_sum(path, count=n)


def cosines(z: Rows, w: Numbers):
    """Similarities of rows of length one: an index of a pair does not change the other's row."""
    n, m = z.size(0), z.size(1)
    length = array(lambda i: (fold_sum(lambda c: z[i, c] ** 2.0) + 0.1).sqrt())

    def similarity(i: Any, j: Any) -> Any:
        return fold_sum(lambda c: z[i, c] / length[i] * (z[j, c] / length[j]).exp(), count=m)

    s = array(similarity, size=(n, n))
    return fold_sum(lambda i, j: s[i, j] ** 2.0 * w[j % w.size()])


def branches(z: Numbers, w: Numbers):
    """Sums along a tree, some of which a step leaves out, and others at positions out of bounds."""
    n = z.size()

    def step(k: Any, s: Any) -> Any:
        above = (k * k) % (n + 1)
        return array(lambda j: where((j == above) & (k > 0), s[j] + (s[k] * w[0]).tanh(), s[j]))

    s = fold(z, step, count=n)
    return fold_sum(lambda j: s[j] ** 2.0)


def populations(z: Numbers, w: Numbers):
    """Two numbers of each element are carried, and the result needs one of them only linearly."""

    def last(i: Any) -> Any:
        def step(t: Any, state: Any) -> Any:
            x, y = state
            return x + 0.1 * (z[i] * x - w[0] * x * y), y + 0.1 * (x * y - y)

        x, y = fold((1.0, 0.5), step, count=18)
        return x * x + y

    return fold_sum(last, count=z.size())


def root(a: Any, x: Any = 1.0) -> Any:
    """A solution of ``x + x ** 3 = a`` by Newton's method."""
    return fold_while(
        x,
        lambda x: abs(x + x * x * x - a) > 1e-10,
        lambda x: x - (x + x * x * x - a) / (1.0 + 3.0 * x * x),
    )


def converged(z: Numbers, w: Numbers):
    """The numbers of steps vary with two indices, and with the step of a sum."""
    pairs = array(lambda i, j: root(1.5 + z[i] * w[j]))
    return fold_sum(lambda i, j: pairs[i, j] * w[j]) + fold_sum(lambda i: root(2.5 + z[i]))


def implicit(z: Numbers, w: Numbers):
    """Numbers of steps that vary with an index in the steps of a loop, or with these steps."""
    x = fold(z, lambda t, x: array(lambda i: root(x[i] + w[0], x[i]), size=z.size()), count=3)
    y = fold(0.0, lambda t, y: root(y * y + z[t], y), count=z.size())
    return fold_sum(lambda i: x[i] * x[i]) * y


def shrunk(z: Rows, w: Numbers):
    """Vectors of each index, of as many steps each, and until they are short."""

    def smaller(i: Any) -> Any:
        return lambda v: array(lambda j: v[j] * (0.5 + 0.1 * z[i, j]))

    def short(i: Any) -> Any:
        start = array(lambda j: z[i, j] + 2.0)
        return fold_while(start, lambda v: fold_sum(lambda j: v[j] ** 2.0) > 0.1, smaller(i))

    rows = array(lambda i: fold(array(lambda j: z[i, j]), lambda _, v: smaller(i)(v), count=3))
    ends = array(short)
    return fold_sum(lambda i, j: rows[i, j] ** 2.0 + ends[i, j] * w[0])


def interpolated(z: Numbers, w: Numbers):
    """Positions that a search by halves finds in an array of the argument."""
    knots = array(lambda i: i.float() + 0.3 * z[i])

    def at(x: Any) -> Any:
        k = searchsorted(knots, x).clip(0, z.size() - 1)
        return z[k] * (x - knots[k]) ** 2.0

    values = array(lambda j: at(3.0 * w[j] + 1.7))
    return fold_sum(lambda j: values[j] ** 2.0) + fold_sum(lambda j: at(w[j] + 0.6), w.size())


def exercised(z: Numbers, w: Numbers):
    """Options of several strikes: arrays whose used part gets shorter in each step."""
    m = 18

    def price(i: Any) -> Any:
        def gain(k: Any, t: Any) -> Any:
            return (z[i] - w[0] * 1.1 ** (2 * k - t).float()).max(0.1)

        def back(t: Any, v: Any) -> Any:
            def node(k: Any) -> Any:
                return where(k < m - t, (0.6 * v[k + 1] + 0.4 * v[k]).max(gain(k, m - 1 - t)), v[k])

            return array(node, size=m + 1)

        return fold(array(lambda k: gain(k, m), size=m + 1), back, count=m)[0]

    return fold_sum(price, count=z.size())


def filtered(z: Rows, w: Numbers):
    """A product with a matrix of functions of the argument, which is no array of the program."""

    def weight(k: Any, f: Any) -> Any:
        return (-((0.3 * f.float() - w[k]) ** 2.0)).exp()

    bands = array(lambda t, k: fold_sum(lambda f: z[t, f] * weight(k, f)))
    return fold_sum(lambda t, k: bands[t, k] ** 2.0)


def closed(z: Rows, w: Numbers):
    """A polygon: the point behind the last one is the first, and coordinates are rows by number."""
    n = z.size(1)

    def cross(i: Any) -> Any:
        after, before = where(i + 1 < n, i + 1, 0), (i - 1) % n
        return z[0, i] * z[1, after] - z[0, after] * z[1, i] + w[0] * z[0, before] * z[1, i]

    return fold_sum(lambda i: cross(i) ** 2.0, count=n)


def test_functions_of_arrays_with_kept_sizes_are_saved() -> None:
    """The sizes of a step's arrays are those of what the loop carries, which keeps them."""

    def loss(w: Any, x: Any):
        def step(_, w):
            h = array(lambda i, j: fold_sum(lambda k: x[i, k] * w[k, j]).tanh())
            return array(lambda k, j: w[k, j] - fold_sum(lambda i: x[i, k] * h[i, j]))

        w = fold(w, step, count=30)
        return fold_sum(lambda k, j: w[k, j] ** 2.0)

    gradient: Any = value_and_grad(loss)
    text = gradient.source(np.ones((3, 2)), np.ones((4, 3)), backend="numpy")
    assert text.count("np.tanh(") == 1


def shared_edges(z: Rows, w: Numbers):
    """Sums over edges of products with roots, at the nodes that edges lead to."""
    n, edges = z.size(1), 7
    to = lambda e: (3 * e + 1) % n  # noqa: E731
    degree = array(lambda i: 1.5 + z[0, i] + fold_sum(lambda k: w[k] ** 2.0), size=n)

    def sums(i, k):
        scale = lambda e: (degree[(2 * e) % n] * degree[i]) ** 0.5  # noqa: E731
        return fold_sum(lambda e: where(to(e) == i, z[k, e % n] / scale(e), 0.0), count=edges)

    s = array(sums, size=(n, 2))
    return fold_sum(lambda i, k: s[i, k] ** 2.0)


def weighted_edges(z: Rows, w: Numbers):
    """Weights of the edges that lead to a node, with a number for all others; flows between."""
    n, edges = z.size(1), 7
    to = lambda e: (3 * e + 1) % n  # noqa: E731
    score = lambda e: (z[0, e % n] * w[0] + z[1, (2 * e) % n]).tanh()  # noqa: E731
    most = array(
        lambda i: fold_max(lambda e: where(to(e) == i, score(e), -1e9), count=edges), size=n
    )
    part = lambda e, i: where(to(e) == i, (score(e) - most[i]).exp(), 0.0)  # noqa: E731
    total = array(lambda i: 0.01 + fold_sum(lambda e: part(e, i), count=edges), size=n)
    flow = array(lambda i: total[i] * (z[0, i + 1] - z[0, i]), size=n - 1)
    inner = lambda i: where(i < n - 1, flow[min(i, n - 2)], 0.0)  # noqa: E731
    before = lambda i: where(i > 0, flow[max(i - 1, 0)], 0.0)  # noqa: E731
    return fold_sum(lambda i: (inner(i) - before(i) + total[i]) ** 2.0, count=n)


def smoothed(z: Rows, w: Numbers):
    """Quotients of sums over windows, whose radius is a number, with clipped ends."""
    n, r = z.size(1), w.size() + 1
    near = lambda i, k: z[0, max(min(i + k - r, n - 1), 0)]  # noqa: E731
    weight = lambda i, k: (-((w[0] * (near(i, k) - z[1, i])) ** 2.0)).exp()  # noqa: E731

    def mean(i):
        total = fold_sum(lambda k: weight(i, k) * near(i, k), count=2 * r + 1)
        return total / fold_sum(lambda k: weight(i, k), count=2 * r + 1)

    o = array(mean, size=n)
    return fold_sum(lambda i: o[i] ** 2.0)


def periodic_flow(z: Rows, w: Numbers):
    """Two rows that depend on quotients of their neighbours around the ends, in steps."""
    n, c = z.size(1), w[0]

    def step(_, s):
        h, m = s
        left, right = lambda i: (i + n - 1) % n, lambda i: (i + 1) % n
        f = lambda i: m[i] ** 2.0 / (3.0 + h[i])  # noqa: E731
        return (
            array(
                lambda i: 0.5 * (h[left(i)] + h[right(i)]) - c * (m[right(i)] - m[left(i)]), size=n
            ),
            array(
                lambda i: 0.5 * (m[left(i)] + m[right(i)]) - c * (f(right(i)) - f(left(i))), size=n
            ),
        )

    h, m = fold((z[0], z[1]), step, count=3)
    return fold_sum(lambda i: h[i] ** 2.0 + m[i] * h[i], count=n)


def warped(z: Numbers, w: Numbers):
    """Soft dynamic time warping: steps of two loops write single elements of a table."""
    n, m = z.size(), w.size()

    def element(t, i, j):
        near = (-t[i, j]).exp() + (-t[i, j + 1]).exp() + (-t[i + 1, j]).exp()
        return array(
            lambda p, q: where(
                (p == i + 1) & (q == j + 1), (z[i] - w[j]) ** 2.0 - near.log(), t[p, q]
            ),
            size=(n + 1, m + 1),
        )

    start = array(lambda i, j: where(i + j == 0, 0.0, 50.0), size=(n + 1, m + 1))
    table = fold(start, lambda i, t: fold(t, lambda j, t: element(t, i, j), count=m), count=n)
    return table[n, m]


def passed_twice(z: Numbers, w: Numbers):
    """A step writes its row in a loop beside a sum, and again in a loop that reads both rows."""
    n, m = z.size(), w.size()
    size = n + 1, m + 1

    def put(t, i, j, value):
        return array(lambda p, q: where((p == i) & (q == j), value, t[p, q]), size=size)

    def row(i, s):
        def ahead(j, s):
            value = (z[i] * s[0][i, j + 1] + w[j] * s[0][i + 1, j]).sin()
            return put(s[0], i + 1, j + 1, value), s[1] + value * s[0][i, j]

        def back(k, t):
            j = m - 1 - k
            return put(t, i + 1, j, t[i + 1, j] * t[i + 1, j + 1] + t[i, j + 1])

        t, total = fold(s, ahead, count=m)
        return fold(t, back, count=m), total

    start = array(lambda i, j: 0.5 - 0.1 * (i + j).float(), size=size)
    table, total = fold((start, 0.0), row, count=n)
    return total + table[n, 0] * table[n, m]


def spelled(z: Rows, w: Numbers):
    """Paths through an alphabet with blanks between the letters: every other state differs."""
    n = z.size(1)
    size = 2 * n + 1

    def step(t, a):
        def state(s):
            before = where(s >= 1, a[max(s - 1, 0)], 0.0)
            skipped = where((s >= 2) & (s % 2 == 1), a[max(s - 2, 0)], 0.0)
            letter = where(s % 2 == 1, z[t, min(s // 2, n - 1)], 1.0)
            return (a[s] + before + skipped) * letter

        return array(state, size=size)

    a = fold(array(lambda s: where(s < 2, 1.0, 0.0), size=size), step, count=z.size(0))
    return a[size - 1] * w[0] + 2.0 * a[size - 2]


@pytest.mark.parametrize("program", [warped, passed_twice], ids=lambda each: each.__name__)
def test_tables_are_not_saved_in_each_step(program: Any) -> None:
    """Two loops write each element once: those before a step are those of the whole table."""
    gradient: Any = value_and_grad(function(program), (0, 1))
    text = gradient.source(np.ones(4), np.ones(3), backend="numpy")
    shapes = re.findall(r"np\.(?:zeros|empty)\(\(([^()]*)\)", text.rpartition("\ndef ")[2])
    assert shapes
    assert all(shape.count(",") < 2 for shape in shapes) == (program is warped)


def test_extremes_of_segments_are_one_pass() -> None:
    def loss(x: Any, to: Any):
        chosen = lambda i: fold_max(lambda e: where(to[e] == i, x[e].tanh(), -1e9))  # noqa: E731
        most = array(chosen, size=x.size())
        return fold_sum(lambda i: most[i] ** 2.0)

    gradient: Any = value_and_grad(loss)
    text = gradient.source(np.ones(4), np.ones(4, np.int64), backend="numpy")
    assert "argmax" not in text


PROGRAMS = (
    *(filtered, closed, warped, spelled, shared_edges, periodic_flow, smoothed, weighted_edges),
    *(passed_twice, gates, columns, recurrent, bounded, attention, forces, composited, marched),
    *(travelling, roots, spots, lengths, dynamics, cosines, branches, populations),
    *(converged, implicit, shrunk, interpolated, exercised, waved, attracted, radial, pulls),
)
WITH_ROWS = (
    *(filtered, closed, spelled, shared_edges, periodic_flow, smoothed, weighted_edges),
    *(columns, attention, forces, composited, marched, spots, dynamics, cosines, shrunk),
    *(waved, attracted, radial, pulls),
)


@pytest.mark.parametrize("backend", ["naive", *INSTALLED])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_are_central_differences(program: Any, backend: str) -> None:
    rng = np.random.default_rng(0)
    of_numpy: Any = function(program, backend="numpy")
    gradient_of: Any = value_and_grad(function(program, backend=backend), (0, 1))
    for n, m in sizes_on(backend, ((2, 1), (1, 4), (2, 3), (3, 12), (3, 15))):
        z = rng.uniform(-1.0, 1.0, size=(2, m) if program in WITH_ROWS else m)
        w = rng.uniform(-1.0, 1.0, size=n)
        w[0] = -9.0 if program is bounded else w[0]
        value, gradient = gradient_of(z, w)
        np.testing.assert_allclose(np.asarray(value), of_numpy(z, w), rtol=1e-10)
        direction = rng.uniform(-1.0, 1.0, size=z.shape), rng.uniform(-1.0, 1.0, size=n)
        direction[1][0] = 0.0 if program is bounded else direction[1][0]
        ahead, behind = (
            of_numpy(z + step * direction[0], w + step * direction[1]) for step in (1e-6, -1e-6)
        )
        slope = sum(
            float(np.sum(np.asarray(x) * d)) for x, d in zip(gradient, direction, strict=True)
        )
        np.testing.assert_allclose(slope, (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("program", [composited, marched], ids=lambda each: each.__name__)
def test_loops_of_elements_run_once(program: Any) -> None:
    """The program has what its derivative saves, and no loop over the elements."""
    gradient: Any = value_and_grad(function(program), (0, 1))
    text = gradient.source(np.ones((4, 5)), np.ones(3), backend="numpy")
    assert not [name for name in ("for i in", "for j in") if name in text]
    if program is composited:
        assert len(re.findall(r"for \w+ in range\((?!0,)", text)) <= 2


def layers(w: Any, x: Any, b: Any):
    """Layers whose functions are of products with the weights; one is needed before, too."""

    def layer(k, h):
        product = lambda i, j: fold_sum(lambda m: h[i, m] * w[k, m, j]) + b[j]  # noqa: E731
        gate = array(lambda i, j: (1.0 / (1.0 + (-product(i, j)).exp())) * product(i, j))
        return array(lambda i, j: h[i, j] + fold_sum(lambda m: gate[i, m] * w[k, m, j]).tanh())

    h = fold(x, layer, count=w.size(0))
    return fold_sum(lambda i, j: h[i, j] ** 2.0)


@pytest.mark.parametrize("backend", INSTALLED)
def test_functions_of_saved_products(backend: str) -> None:
    """Loops save the value of the function where the derivative needs no more than that."""
    rng = np.random.default_rng(1)
    gradient: Any = value_and_grad(layers, (0, 1, 2))
    for n, m, steps in sizes_on(backend, ((0, 2, 1), (1, 1, 1), (3, 2, 0), (2, 3, 3))):
        given = rng.normal(size=(steps, m, m)), rng.normal(size=(n, m)), rng.normal(size=m)
        found = gradient.eval(*given, backend=backend)
        expected = gradient.eval(*given, backend="naive")
        np.testing.assert_allclose(np.asarray(found[0]), expected[0], rtol=1e-10)
        for one, other in zip(found[1], expected[1], strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-9, atol=1e-12)


def test_functions_are_not_computed_again() -> None:
    def loss(w: Any, x: Any):
        def layer(k, h):
            product = lambda i, j: fold_sum(lambda m: h[i, m] * w[k, m, j])  # noqa: E731
            return array(lambda i, j: h[i, j] + product(i, j).tanh(), size=(4, x.size(1)))

        h = fold(x, layer, count=w.size(0))
        return fold_sum(lambda i, j: h[i, j] ** 2.0)

    gradient: Any = value_and_grad(loss)
    text = gradient.source(np.ones((3, 2, 2)), np.ones((4, 2)), backend="numpy")
    assert text.count("np.tanh(") == 1
