"""Loops whose inner counts, sizes and conditions vary with the counter of an outer loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import Int, array, fold, fold_argmax, fold_max, fold_min, fold_sum, function, where
from tests.agreement.programs import Inputs, Program, floats, ints, n, together

VARYING_LOOPS: dict[str, Program] = {}


def program(inputs: Inputs) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program under its name."""

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        VARYING_LOOPS[f.__name__] = Program(function(f), inputs)
        return f

    return register


def lower(size: int, dtype: DTypeLike, rng: np.random.Generator) -> NDArray[Any]:
    """A lower triangular matrix with a large diagonal."""
    return (np.tril(0.3 * rng.normal(size=(size, size))) + 2 * np.eye(size)).astype(dtype)


def positive(size: int, dtype: DTypeLike, rng: np.random.Generator) -> NDArray[Any]:
    """A symmetric positive definite matrix."""
    a = rng.normal(size=(size, size))
    return (a @ a.T + size * np.eye(size)).astype(dtype)


def one_more(size: int) -> int:
    return size + 1


# Solvers and factorisations -------------------------------------------------------------------


@program(together(lower, floats(n)))
def forward_substitution(lo, b):
    def row(i, x):
        s = fold_sum(lambda k: lo[i, k] * x[k], count=i)
        return array(lambda j: where(j == i, (b[i] - s) / lo[i, i], x[j]))

    return fold(array(lambda i: b[i] * 0.0), row, count=b.size())


@program(together(lower, floats(n)))
def backward_substitution(lo, b):
    size: Int = b.size()

    def row(t, x):
        i = size - 1 - t
        s = fold_sum(lambda k: lo[i + 1 + k, i] * x[i + 1 + k], count=t)
        return array(lambda j: where(j == i, (b[i] - s) / lo[i, i], x[j]))

    return fold(array(lambda i: b[i] * 0.0), row, count=size)


@program(together(positive))
def lu(a):
    def step(k, v):
        def element(i, j):
            scaled = where(j == k, v[i, k] / v[k, k], v[i, j])
            below = where(j > k, v[i, j] - v[i, k] / v[k, k] * v[k, j], scaled)
            return where(i > k, below, v[i, j])

        return array(element)

    return fold(a, step, count=a.size())


@program(together(positive))
def cholesky(a):
    size: Int = a.size()

    def column(k, lo):
        d = (a[k, k] - fold_sum(lambda p: lo[k, p] * lo[k, p], count=k)).sqrt()

        def element(i):
            s = fold_sum(lambda p: lo[i, p] * lo[k, p], count=k)
            return where(i == k, d, where(i > k, (a[i, k] - s) / d, 0.0))

        c = array(element, size=size)
        return array(lambda i, j: where(j == k, c[i], lo[i, j]))

    return fold(array(lambda i, j: a[i, j] * 0.0), column, count=size)


@program(together(positive))
def ldl(a):
    size: Int = a.size()

    def step(j, state):
        lo, d = state

        def dot(i):
            return fold_sum(lambda k: lo[i, k] * lo[j, k] * d[k], count=j)

        pivot = a[j, j] - dot(j)
        column = array(
            lambda i: where(i > j, (a[i, j] - dot(i)) / pivot, where(i == j, 1.0, 0.0)), size=size
        )
        new = array(lambda i, k: where(k == j, column[i], lo[i, k]))
        return new, array(lambda i: where(i == j, pivot, d[i]))

    zeros = array(lambda i, j: a[i, j] * 0.0), array(lambda i: a[i, i] * 0.0)
    return fold(zeros, step, count=size)


@program(together(positive))
def gram_schmidt(a):
    """The earlier columns are subtracted one after the other."""

    def column(k, q):
        def subtract(p, v):
            r = fold_sum(lambda i: q[i, p] * v[i])
            return array(lambda i: v[i] - r * q[i, p])

        v = fold(array(lambda i: a[i, k]), subtract, count=k)
        norm = fold_sum(lambda i: v[i] * v[i]).sqrt()
        return array(lambda i, j: where(j == k, v[i] / norm, q[i, j]))

    return fold(array(lambda i, j: a[i, j] * 0.0), column, count=a.size(1))


@program(together(positive))
def householder(a):
    def step(k, r):
        norm = fold_sum(lambda i: where(i >= k, r[i, k] * r[i, k], 0.0)).sqrt()
        first = r[k, k] - where(r[k, k] > 0.0, -norm, norm)
        v = array(
            lambda i: where(i > k, r[i, k], where(i == k, first, 0.0)),
            size=a.size(0),
        )
        square = fold_sum(lambda i: v[i] * v[i])
        w = array(lambda j: fold_sum(lambda i: v[i] * r[i, j]))
        return array(
            lambda i, j: where((i >= k) & (j >= k), r[i, j] - 2.0 * v[i] * w[j] / square, r[i, j])
        )

    return fold(a, step, count=(a.size(1) - 1).max(0))


@program(together(floats(n, n), floats(n)))
def pivoting(a, b):
    size: Int = b.size()

    def step(k, state):
        a, b = state
        p = fold_argmax(lambda i: where(i >= k, a[i, k].abs(), -1.0), count=size)
        source = array(lambda i: where(i == k, p, where(i == p, k, i)), size=size)
        swapped = array(lambda i, j: a[source[i], j], size=(size, size))
        right = array(lambda i: b[source[i]], size=size)
        f = array(lambda i: where(i > k, swapped[i, k] / swapped[k, k], 0.0))
        return (
            array(lambda i, j: swapped[i, j] - f[i] * swapped[k, j]),
            array(lambda i: right[i] - f[i] * right[k]),
        )

    return fold((a, b), step, count=size)


@program(
    lambda size, dtype, rng: ((0.5 ** np.arange(size + 1) + np.eye(size + 1)[0]).astype(dtype),)
)
def levinson(c):
    size = c.size() - 1

    def step(m, state):
        a, e = state
        k = (c[m + 1] - fold_sum(lambda j: a[j] * c[m - j], count=m)) / e
        new = array(lambda j: where(j < m, a[j] - k * a[m - 1 - j], where(j == m, k, a[j])))
        return new, e * (1.0 - k * k)

    return fold((array(lambda i: c[i] * 0.0, size=size), c[0]), step, count=size)


# Dynamic programs -----------------------------------------------------------------------------


@program(together(ints(n, low=1, high=5), floats(n), lambda size, dtype, rng: 2 * size + 1))
def knapsack(weight, value, capacity):
    def item(i, best):
        return array(
            lambda c: where(c >= weight[i], best[c].max(best[c - weight[i]] + value[i]), best[c])
        )

    return fold(array(lambda c: value[0] * 0.0, size=capacity), item, count=weight.size())


@program(together(floats(one_more)))
def matrix_chain(d):
    size = d.size() - 1

    def of_length(length, t):
        def start(i, t):
            j = i + length + 1
            best = fold_min(
                lambda k: t[i, i + k] + t[i + k + 1, j] + d[i] * d[i + k + 1] * d[j + 1],
                count=length + 1,
            )
            return array(lambda p, q: where((p == i) & (q == j), best, t[p, q]))

        return fold(t, start, count=(size - 1 - length).max(0))

    zeros = array(lambda i, j: d[0] * 0.0, size=(size, size))
    return fold(zeros, of_length, count=(size - 1).max(0))


@program(together(floats(n)))
def rods(price):
    size: Int = price.size()

    def step(i, best):
        m = fold_max(lambda k: price[k] + best[i - k], count=i + 1)
        return array(lambda j: where(j == i + 1, m, best[j]))

    return fold(array(lambda j: price[0] * 0.0, size=size + 1), step, count=size)


@program(together(floats(n)))
def best_in_a_window(x):
    def step(i, best):
        m = fold_max(lambda k: best[i - 1 - k], count=i.min(3))
        return array(lambda j: where(j == i, x[i] + m.max(0.0), best[j]))

    return fold(array(lambda i: x[i] * 0.0), step, count=x.size())


@program(together(floats(n)))
def increasing_subsequence(x):
    def step(i, best):
        m = fold(0, lambda j, m: where(x[j] < x[i], m.max(best[j]), m), count=i)
        return array(lambda j: where(j == i, m + 1, best[j]))

    return fold(array(lambda i: 0, size=x.size()), step, count=x.size())


@program(together(lambda size, dtype, rng: size))
def binomials(size):
    def step(k, row):
        return array(lambda j: where((j > 0) & (j <= k + 1), row[j - 1] + row[j], row[j]))

    return fold(array(lambda j: where(j == 0, 1, 0), size=size + 1), step, count=size)


# Sorting and sieves ---------------------------------------------------------------------------


@program(together(floats(n)))
def insertion_sort(x):
    def insert(i, v):
        p = fold(0, lambda j, c: where(v[j] <= x[i], c + 1, c), count=i)

        def element(q):
            moved = where(q == p, x[i], v[q - 1])
            return where((q > i) | (q < p), v[q], moved)

        return array(element)

    return fold(x, insert, count=x.size())


@program(together(floats(n)))
def sort_by_swaps(x):
    def insert(i, v):
        def swap(t, v):
            j = i - t
            low, high = v[j - 1].min(v[j]), v[j - 1].max(v[j])
            return array(lambda q: where(q == j - 1, low, where(q == j, high, v[q])))

        return fold(v, swap, count=i)

    return fold(x, insert, count=x.size())


@program(together(lambda size, dtype, rng: 4 * size + 2))
def sieve(size):
    def step(p, composite):
        q = p + 2
        return fold(
            composite,
            lambda m, c: array(lambda i: where(i == (m + 2) * q, True, c[i])),
            count=size // q,
        )

    return fold(array(lambda i: i < 2, size=size), step, count=(size - 2).max(0))


# Sums, searches and arrays of each length -----------------------------------------------------


@program(together(floats(n, n)))
def triangular_sum(a):
    return fold_sum(lambda k: fold_sum(lambda j: a[k, j] * a[j, k], count=k), count=a.size())


@program(together(floats(n)))
def triangular_loop(x):
    def outer(i, acc):
        return acc + fold(x[i], lambda j, v: (v * x[j]).tanh() + x[i], count=i + 1)

    return fold(x[0] * 0.0, outer, count=x.size())


@program(together(floats(n)))
def singular_beyond_the_count(x):
    """In the derivatives, too: beyond the count, a step and an element would divide by zero."""

    def outer(i, acc):
        inner = fold(x[i], lambda j, v: v + 1.0 / (i - j).float(x[0]), count=i)
        total = fold_sum(lambda j: x[j] / (i - j).float(x[0]), count=i)
        return acc + inner * total

    return fold(x[0] * 0.0, outer, count=x.size())


@program(together(floats(n, n)))
def arrays_of_each_length(a):
    def step(k, acc):
        part = array(lambda i: a[i, k] * a[k, i], size=k)
        other = array(lambda i: part[k - 1 - i] + part[2], size=k)
        place = fold_argmax(lambda i: other[i], count=k)
        return acc + fold_sum(lambda i: part[i] * other[i]) + other[place] + part[7]

    return fold(a[0, 0] * 0.0, step, count=a.size())


@program(together(floats(n, n)))
def tails_of_rows(a):
    size: Int = a.size()

    def step(k, v):
        return array(
            lambda i: v[i] + 0.1 * fold_sum(lambda j: a[i, j + k] * v[j + k], count=size - k),
            size=size,
        )

    return fold(array(lambda i: a[i, 0]), step, count=size)


@program(together(floats(n, n), floats(n, n)))
def product_of_triangles(a, b):
    def row(i, c):
        def element(j, c):
            s = fold_sum(lambda k: a[i, k] * b[k, j], count=j + 1)
            return array(lambda p, q: where((p == i) & (q == j), s, c[p, q]))

        return fold(c, element, count=i + 1)

    return fold(array(lambda i, j: a[i, j] * 0.0), row, count=a.size())


@program(together(ints(n, low=0, high=4), floats(n)))
def searches_among_the_first(a, x):
    """Ties, the largest Int, NaN and no elements at all."""
    largest = 2**63 - 1
    keys = array(lambda i: where(a[i] == 3, largest, a[i]))
    values = array(lambda i: where(a[i] == 1, x[i] / 0.0 - x[i] / 0.0, x[i]))

    def step(k, found):
        def first(v):
            def search(j, state):
                at, best = state
                better = v[j] < best
                return where(better, j, at), where(better, v[j], best)

            return search

        ints = fold((0, largest), first(keys), count=k)[0]
        floats = fold((0, x[0] / x[0] * 1e30), first(values), count=k)[0]
        return found + 10 * ints + floats

    return fold(0, step, count=a.size())


@program(together(floats(n)))
def loops_over_arrays_of_each_length(x):
    """A carried array of a varying size, and one that is joined to another."""

    def step(k, acc):
        p = array(lambda i: x[i] * acc, size=k)
        q = fold(p, lambda t, v: array(lambda i: v[i] * 0.5 + x[t]), count=k + 2)
        product = fold(x[k], lambda j, v: v * x[j], count=where(x[k] > 0.0, k, 1))
        return (fold_sum(lambda i: q[i]) + q[0] + product).tanh()

    return fold(x[0], step, count=x.size())


@program(together(floats(n, n)))
def sizes_of_two_axes(a):
    def step(k, acc):
        t = array(lambda i, j: a[i, j] * a[j, k], size=(k, k + 1))
        rows = array(lambda i: fold_sum(lambda j: t[i, j]), size=k)
        best = array(lambda j: fold_max(lambda i: t[i, j]), size=k + 1)
        return acc + fold_sum(lambda i: rows[i]) + best[0].max(-1.0) + t[k - 1, k] + t[2, 1]

    return fold(a[0, 0] * 0.0, step, count=a.size())


@program(together(floats(n)))
def quotients_remainders_and_minima(x):
    def step(k, acc):
        pairs = fold_sum(lambda j: x[2 * j] * x[k], count=(k + 1) // 2)
        few = fold_sum(lambda j: x[j + k], count=k % 3)
        return acc * 0.5 + pairs + few + fold_sum(lambda j: x[j], count=(k - 1).min(2).max(0))

    return fold(x[0] * 0.0, step, count=x.size())


def infinite_below_the_antidiagonal(
    size: int, dtype: DTypeLike, rng: np.random.Generator
) -> NDArray[Any]:
    i, j = np.indices((size, size))
    return np.where(i + j >= size, np.inf, rng.normal(size=(size, size))).astype(dtype)


def with_nan_at_the_end(size: int, dtype: DTypeLike, rng: np.random.Generator) -> NDArray[Any]:
    return np.where(np.arange(size) + 1 == size, np.nan, rng.normal(size=size)).astype(dtype)


@program(together(infinite_below_the_antidiagonal, with_nan_at_the_end))
def infinite_beyond_the_count(a, x):
    """Sums of products, where factors beyond the count are infinite or NaN."""
    size: Int = x.size()

    def step(k, acc):
        pairs = fold_sum(lambda j: a[k, j] * x[j], count=size - 1 - k)
        return acc * 0.5 + pairs + fold_sum(lambda j: a[k, j] * a[k, j] * x[j], count=size - 1 - k)

    return fold(1.0, step, count=size)


# Sizes that may be negative, that have no bound, and that change ---------------------------------


@program(together(floats(n), lambda size, dtype, rng: size + 2))
def binomial_tree(x, m):
    """Arrays of m - k elements, m an argument."""

    def back(k, v):
        u = array(lambda i: 0.5 * v[i] + 0.5 * v[i + 1], size=m - k)
        return array(lambda i: where(i < m - k, u[i], v[i]), size=m)

    return fold(array(lambda i: x[0] * i.float(x[0]), size=m), back, count=x.size())


@program(together(floats(n)))
def shrinking_tree(x):
    """The accumulator loses an element in each step."""

    def back(k, v):
        return array(lambda i: 0.5 * v[i] + 0.5 * v[i + 1], size=(v.size() - 1).max(0))

    return fold(x, back, count=(x.size() - 1).max(0))[0]


@program(together(floats(n), lambda size, dtype, rng: size))
def shrinking_tree_without_a_limit(x, steps):
    """A size that is negative in the step after the last element."""

    def back(k, v):
        return array(lambda i: v[i] * 0.5 + x[k], size=v.size() - 1)

    return fold(x, back, count=steps)


@program(together(floats(n, n)))
def rows_and_numbers_of_growing_records(a):
    """A matrix that gains a row, a vector that gains two elements, and a number, together."""

    def step(k, state):
        m, v, s = state
        n, c = m.size(), v.size()
        new = array(lambda i, j: where(i < n, m[i, j], a[k, j] * s), size=(n + 1, a.size(1)))
        more = array(lambda i: where(i < c, v[i], a[k, k] + m[0, 0]), size=c + 2)
        return new, more, (s + more[c]).tanh()

    start = array(lambda i, j: a[i, j], size=(1, a.size(1))), array(lambda i: a[0, i], size=0)
    return fold((*start, 1.0 + 0.0 * a[0, 0]), step, count=a.size())


@program(together(floats(n)))
def growing_for_each_count(x):
    """A loop with a growing accumulator in another loop, whose counter is the count."""

    def outer(k, acc):
        def inner(t, v):
            return array(lambda i: where(i == 0, acc + x[t], v[i - 1]), size=v.size() + 1)

        v = fold(array(lambda i: x[i], size=2), inner, count=k)
        return acc * 0.5 + fold_sum(lambda i: v[i])

    return fold(x[0] * 0.0, outer, count=x.size())


@program(together(floats(n)))
def smallest_of_prefixes(x):
    """The positions of the smallest elements of each prefix in order, and running minima."""

    def step(k, acc):
        low = array(lambda i: fold_min(lambda j: where(j <= i, x[j] * acc, 1e30), count=k), size=k)
        return acc * 0.5 + fold_sum(lambda i: low[i]) + 1.0

    return fold(x[0] * 0.0 + 1.0, step, count=x.size())


@program(together(floats(n)))
def prefix_of_prefix(x):
    def step(k, acc):
        p = array(lambda i: x[i] * acc, size=k + 1)
        s = array(lambda i: fold_sum(lambda j: where(j <= i, p[j], 0.0)), size=k + 1)
        return acc + 0.1 * s[k] * s[k // 2]

    return fold(x[0] * 0.0 + 1.0, step, count=x.size())


@program(together(floats(n), floats(n), lambda s, d, r: 2))
def banded_dp(a, b, width):
    """The cells of a row near the diagonal, from max(0, i - w) to min(n, i + w + 1)."""
    size: Int = b.size()

    def row(i, prev):
        low = (i - width).max(0)
        high = (i + width + 1).min(size)

        def cell(t, cur):
            j = low + t
            d = (a[i] - b[j]).abs() + prev[j].min(prev[j - 1]).min(cur[j - 1])
            return array(lambda q: where(q == j, d, cur[q]))

        return fold(prev, cell, count=high - low)

    return fold(array(lambda j: b[j].abs()), row, count=a.size())


@program(together(positive))
def doolittle(a):
    size: Int = a.size()

    def step(k, m):
        def col(t, m):
            i = k + 1 + t
            f = m[i, k] / m[k, k]

            def el(s, m):
                j = k + 1 + s
                return array(
                    lambda p, q: where((p == i) & (q == j), m[i, j] - f * m[k, j], m[p, q])
                )

            m = array(lambda p, q: where((p == i) & (q == k), f, m[p, q]))
            return fold(m, el, count=size - 1 - k)

        return fold(m, col, count=size - 1 - k)

    return fold(a, step, count=size)


@program(together(lower))
def triangular_inverse(lo):
    size: Int = lo.size()

    def column(c, inv):
        def row(t, inv):
            i = c + t
            s = fold_sum(lambda k: lo[i, c + k] * inv[c + k, c], count=t)
            v = (where(t == 0, 1.0, 0.0) - s) / lo[i, i]
            return array(lambda p, q: where((p == i) & (q == c), v, inv[p, q]))

        return fold(inv, row, count=size - c)

    return fold(array(lambda i, j: lo[i, j] * 0.0), column, count=size)


@program(together(ints(n, low=0, high=3), floats(n)))
def histograms_of_prefixes(key, x):
    def step(k, acc):
        h = array(
            lambda c: fold_sum(lambda p: where(key[p] == c, x[p] * acc, 0.0), count=k + 1), size=3
        )
        return acc * 0.5 + h[1] * h[2]

    return fold(x[0] * 0.0 + 1.0, step, count=x.size())


@program(together(floats(n)))
def growing(x):
    """The accumulator gains an element in each step."""

    def step(k, v):
        s = fold_sum(lambda i: v[i])
        return array(lambda i: where(i < v.size(), v[i], s * 0.5 + x[k]), size=v.size() + 1)

    return fold(array(lambda i: x[i], size=1), step, count=x.size())


@program(together(floats(n), lambda s, d, r: s))
def differences(x, m):
    """m - k as the count of a loop that updates elements."""

    def level(k, d):
        def one(t, d):
            i = m - 1 - t
            return array(lambda j: where((j == i), d[i] - d[i - 1], d[j]))

        return fold(d, one, count=m - k)

    return fold(x, level, count=x.size())


@program(together(floats(n, n)))
def rows_summed_below(a):
    """A sum of rows whose sizes vary."""

    def step(k, acc):
        r = fold(
            array(lambda j: a[0, j] * 0.0, size=k),
            lambda i, r: array(lambda j: r[j] + a[i, j], size=k),
            count=k,
        )
        return acc * 0.5 + fold_sum(lambda j: r[j] * r[j])

    return fold(a[0, 0] * 0.0, step, count=a.size())


@program(together(floats(n)))
def running_maximum_of_tails(x):
    size: Int = x.size()

    def step(k, acc):
        t = array(
            lambda i: fold_max(lambda j: where(j <= i, x[k + j], -1e30), count=size - k),
            size=size - k,
        )
        return acc * 0.5 + fold_sum(lambda i: t[i])

    return fold(x[0] * 0.0, step, count=size)


@program(together(lambda size, dtype, rng: size + 3))
def pascal(size):
    def step(k, row):
        return array(
            lambda j: where((j > 0) & (j < row.size()), row[j - 1] + row[j], 1), size=row.size() + 1
        )

    return fold(array(lambda j: 1, size=1), step, count=size)


# Sizes that settle after the first step --------------------------------------------------------


@program(together(floats(n), floats(n, n), floats(n)))
def layers(x, w, b):
    """The size of an accumulator is that of another array from the second step on."""

    def layer(k, v):
        return array(lambda i: (fold_sum(lambda j: w[i, j] * v[j]) + b[i]).tanh())

    return fold(x, layer, count=b.size() + 2)


@program(together(floats(one_more), floats(n)))
def replaced(x, y):
    """The first step changes the size: the others are a loop."""
    return fold(x, lambda k, v: array(lambda i: y[i] + 0.5 * v[0]), count=y.size())


@program(together(floats(n, n), floats(n, n)))
def two_grids(a, b):
    """A step compares the sizes of two accumulators."""
    rows, columns = a.shape

    def relaxed(old, grid):
        def cell(i, j):
            inside = (i > 0) & (i < rows - 1) & (j > 0) & (j < columns - 1)
            return where(inside, 0.5 * (old[i - 1, j] + old[i, j + 1]), grid[i, j])

        return array(cell)

    def step(t, grids):
        a, b = grids
        b = relaxed(a, b)
        return relaxed(b, a), b

    return fold((a, b), step, count=rows + 3)


@program(together(floats(n, n), floats(n), floats(n)))
def best_paths(transition, start, gain):
    """The sizes of two accumulators, of which one is written row by row."""
    states = start.size()

    def forward(t, state):
        score, back = state
        best = array(lambda s: fold_max(lambda r: score[r] + transition[r, s]) + gain[t])
        origin = array(lambda s: fold_argmax(lambda r: score[r] + transition[r, s]), size=states)
        return best, array(lambda u, s: where(u == t, origin[s], back[u, s]))

    nowhere = array(lambda t, s: 0, size=(gain.size(), states))
    return fold((start, nowhere), forward, count=gain.size())


# Sizes that steps compare ---------------------------------------------------------------------


@program(together(positive))
def alternating_directions(u):
    """Each half step sweeps over the columns, and exchanges the axes."""
    n: Int = u.size(0)

    def half(u):
        def column(j, state):
            p, q = state
            den = array(lambda i: 2.0 + 0.1 * p[i, j])
            new = array(lambda i: (u[j, i] + 0.3 * q[i, j]) / den[i])
            return (
                array(lambda i, k: where(k == j + 1, 0.2 / den[i], p[i, k])),
                array(lambda i, k: where(k == j + 1, new[i], q[i, k])),
            )

        start = array(lambda i, j: 0.0, size=(n, n))
        _, q = fold((start, start), column, count=n)
        return array(lambda i, j: where(i == 0, u[i, j], q[i, j]))

    def step(_, u):
        v = half(u)
        return half(array(lambda i, j: v[j, i]))

    return fold(u, step, count=n)
