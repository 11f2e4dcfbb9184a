"""Whole programs, with inputs, on which every backend agrees with the reference interpreter.

A program is an Ein function as a user would write it. Its inputs are made for a size and a float
dtype, so that small, odd, size-1 and empty shapes are all covered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ein_mlir import (
    Float,
    Function,
    Int,
    array,
    concat,
    exp,
    fold,
    fold_all,
    fold_any,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_min,
    fold_prod,
    fold_sum,
    function,
    log,
    reduce_max,
    reduce_sum,
    where,
)

T = TypeVar("T")
Inputs = Callable[[int, DTypeLike, np.random.Generator], tuple[Any, ...]]


@dataclass(frozen=True)
class Program:
    """An Ein function, and a function that makes its arguments for a size and a float dtype."""

    function: Function
    inputs: Inputs


PROGRAMS: dict[str, Program] = {}


def program(inputs: Inputs) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program under its name."""

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[f.__name__] = Program(function(f), inputs)
        return f

    return register


def floats(*shape: Callable[[int], int]) -> Callable[..., NDArray[Any]]:
    """An array of normal floats whose shape depends on the size."""

    def make(n: int, dtype: DTypeLike, rng: np.random.Generator) -> NDArray[Any]:
        return rng.normal(size=[size(n) for size in shape]).astype(dtype)

    return make


def ints(*shape: Callable[[int], int], low: int = -5, high: int = 6) -> Callable[..., NDArray[Any]]:
    """An array of small ints whose shape depends on the size."""

    def make(n: int, dtype: DTypeLike, rng: np.random.Generator) -> NDArray[Any]:
        return rng.integers(low, high, size=[size(n) for size in shape])

    return make


def together(*makers: Callable[..., Any]) -> Inputs:
    """Arguments that several programs take."""
    return lambda n, dtype, rng: tuple(make(n, dtype, rng) for make in makers)


def n(size: int) -> int:
    return size


def m(size: int) -> int:
    return size + 2


def k(size: int) -> int:
    return 2 * size


@program(together(floats(n, k), floats(k, m)))
def matrix_product(a, b):
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))


@program(together(floats(n, m)))
def pairwise_l1(a):
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - a[j, k])))


@program(together(floats(n), floats(m)))
def outer_product(u, v):
    return array(lambda i, j: u[i] * v[j])


@program(together(floats(n, m)))
def transpose(a):
    return array(lambda i, j: a[j, i])


@program(together(floats(n, m, k, n, m)))
def transpose_of_high_rank(a):
    return array(lambda p, q, r, s, t: a[t, p, r, q, s])


@program(together(floats(n, n)))
def diagonal(a):
    return array(lambda i: a[i, i])


@program(together(floats(n, n)))
def symmetric_part(a):
    return array(lambda i, j: (a[i, j] + a[j, i]) / 2)


@program(lambda size, dtype, rng: (size + 3,))
def trial_division_primes(limit):
    return array(
        lambda p: (p > 1) & ~fold_any(lambda d: (d > 1) & (d < p) & (p % d == 0), count=limit),
        size=limit,
    )


@program(lambda size, dtype, rng: (size,))
def fibonacci(count):
    def step(k, pair):
        return pair[1], pair[0] + pair[1]

    return fold((0, 1), step, count=count)[0]


@program(together(floats(n)))
def mean_smoothing(a):
    last = a.size() - 1
    return array(
        lambda i: (where(i > 0, a[i - 1], a[i]) + a[i] + where(i < last, a[i + 1], a[i])) / 3.0
    )


@program(together(floats(n, n)))
def matrix_powers(a):
    identity = array(lambda i, j: where(i == j, a[i, j] * 0 + 1, 0), size=(a.size(0), a.size(0)))

    def step(p, power):
        return array(lambda i, j: fold_sum(lambda q: power[i, q] * a[q, j] / 4))

    return fold(identity, step, count=3)


@program(together(floats(n, m), floats(m, k)))
def tropical_product(a, b):
    return array(lambda i, j: fold_min(lambda k: a[i, k] + b[k, j]))


@program(together(floats(n, m)))
def softmax_rows(x):
    def softmax(row):
        top = fold_max(lambda j: row[j])
        weights = array(lambda j: exp(row[j] - top))
        total = fold_sum(lambda j: weights[j])
        return array(lambda j: weights[j] / total)

    return array(lambda i: softmax(x[i]))


@program(together(floats(n, m, n), floats(n, k, n), floats(n, m, k, n), floats(n, n)))
def attention_logits(s, t, e, g):
    return array(lambda b, h, u, v: s[b, u, h] + t[b, v, h] + e[b, u, v, h] + g[b, h])


@program(together(floats(m, k), ints(n)))
def embedding_lookup(table, ids):
    return array(lambda i, j: table[ids[i], j])


@program(together(floats(n, m), ints(n, m), ints(n, m)))
def general_gather(a, p, q):
    return array(lambda i, j: a[p[i, j], q[i, j]] + a[i, q[i, j]])


@program(together(floats(n)))
def reverse(a):
    return array(lambda i: a[a.size() - 1 - i], size=a.size())


@program(together(floats(k)))
def every_other(a):
    return array(lambda i: a[2 * i + 1], size=a.size() // 2)


@program(together(floats(m)))
def slices(a):
    return concat(a[1:-1], concat(a[::-1], a[-2:]))


@program(together(floats(n, m)))
def argmin_and_argmax(a):
    return array(lambda i: (fold_argmin(lambda j: a[i, j]), fold_argmax(lambda j: a[i, j])))


@program(together(floats(n, m), floats(n, m), floats(m, n), floats(m, n)))
def complex_product(a, b, c, d):
    """The product of two matrices of complex numbers."""

    def step(acc, x, y):
        return (acc[0] + x[0] * y[0] - x[1] * y[1], acc[1] + x[0] * y[1] + x[1] * y[0])

    def element(i, j):
        return fold((0.0, 0.0), lambda k, acc: step(acc, (a[i, k], b[i, k]), (c[k, j], d[k, j])))

    return array(element)


@program(together(floats(n, m), ints(m)))
def independent_fields(a, b):
    """Sums, extremes and a recurrence in one fold; only the recurrence needs a loop."""

    def step(i, k, s):
        return {
            "sums": (s["sums"][0] - a[i, k] - 1.0, s["sums"][1] - b[k], s["sums"][2] & (b[k] < 3)),
            "most": where(a[i, k] > s["most"][0], (a[i, k], b[k]), s["most"]),
            "decayed": s["decayed"] * 0.5 + a[i, k],
        }

    start = {"sums": (0.5, 0, True), "most": (-0.5, 0), "decayed": 1.0}
    return array(lambda i: fold(start, lambda k, s: step(i, k, s)))


@program(together(floats(n, m), floats(n, m), floats(n), ints(m)))
def sums_of_terms(a, b, u, v):
    """Sums whose terms vary with fewer indices than the sums do."""
    return (
        array(lambda i, j: fold_sum(lambda k: a[i, k] + b[j, k] * u[j] - a[j, k] * u[i] - 1.5)),
        array(lambda i, j: fold(u[i], lambda k, s: s - b[j, k] + u[j] - a[i, k])),
        array(lambda i: fold_sum(lambda k: v[i] - v[k], count=v.size())),
    )


@program(lambda size, dtype, rng: (floats(n)(size, dtype, rng), 1.5, size))
def least_beside_a_fold(a, x, count):
    """A loop invariant that may fail if the count is negative."""
    other = fold(x, lambda k, s: s * 0.5 + 1.0, count=count)
    return fold_min(lambda k: a[k].max(fold(x, lambda j, s: s * other, count=count)))


@program(together(floats(n, m)))
def nested_fields(a):
    """Sums of all elements, and of their squares."""

    def row(i, s):
        return fold(s, lambda k, t: (t[0] + a[i, k], t[1] - a[i, k] * a[i, k]))

    return fold((0.0, 0.0), row)


@program(together(floats(n, m), floats(n), ints(m)))
def searches(a, limit, payload):
    """The last of the largest elements above a limit, its place, and its companions."""

    def row(i):
        def step(j, best):
            return where(a[i, j] >= best[0], (a[i, j], j, payload[j]), best)

        return fold((limit[i], -1, 0), step)

    return array(row), fold_argmin(lambda i: fold_max(lambda j: a[i, j]))


def with_ties(size: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    """Rows with ties, infinities and NaN, and a count that may be larger than they are."""
    choices = np.array([-1.0, 0.0, -0.0, 2.0, 2.5, np.inf, -np.inf, np.nan], dtype)
    return rng.choice(choices, size=(3, size)), rng.integers(-2, 2, size=size), 4


@program(with_ties)
def smallest_elements(a, b, count):
    """The places and values of the smallest elements of each row, found in sequence."""

    def smallest(i):
        def step(rank, state):
            left, places, values = state
            best = fold_argmin(lambda j: left[j])
            return (
                array(lambda j: where(j == best, float("inf"), left[j])),
                array(lambda r: where(r == rank, best, places[r])),
                array(lambda r: where(rank != r, values[r], left[best])),
            )

        nothing = (array(lambda r: 0, size=count), array(lambda r: a[0, 0] * 0.0, size=count))
        return fold((array(lambda j: a[i, j]), *nothing), step, count=count)[1:]

    return array(lambda i: smallest(i)[0]), array(lambda i: smallest(i)[1])


@program(with_ties)
def largest_untaken(a, b, count):
    """The largest elements of a row, some of which are excluded from the start, and their Ints."""

    def step(rank, state):
        taken, places, values = state
        left = array(lambda j: where(taken[j], -float("inf"), a[1, j]))
        best = fold_argmax(lambda j: left[j])
        return (
            array(lambda j: where(j == best, True, taken[j])),
            array(lambda r: where(r == rank, best * 10 + b[best], places[r])),
            array(lambda r: where(r == rank, left[best], values[r])),
        )

    nothing = (array(lambda r: 0, size=count), array(lambda r: a[0, 0] * 0.0, size=count))
    return fold((array(lambda j: b[j] == 1), *nothing), step, count=count)[1:]


@program(with_ties)
def largest_integers(a, b, count):
    """The largest Ints of a vector in order."""

    def step(rank, state):
        left, values = state
        best = fold_argmax(lambda j: left[j])
        return (
            array(lambda j: where(j == best, -(2**63), left[j])),
            array(lambda r: where(r == rank, left[best], values[r])),
        )

    return fold((b, array(lambda r: 0, size=count)), step, count=count)[1]


@program(together(ints(n, m), ints(m)))
def nearest_record(a, weights):
    """The record of each row that a reduction chooses, of Ints with ties."""

    def closer(x, y):
        return where(y[0] <= x[0], y, x)

    def row(i):
        candidates = array(lambda j: (abs(a[i, j]), weights[j], j))
        return candidates.reduce((100, 0, -1), closer)

    return array(row)


@program(together(floats(n, m)))
def any_all_product(a):
    return (
        array(lambda i: fold_any(lambda j: a[i, j] > 0)),
        array(lambda j: fold_all(lambda i: a[i, j] < 2)),
        array(lambda i: fold_prod(lambda j: a[i, j])),
    )


@program(together(floats(n, m)))
def reductions(a):
    return (
        array(lambda i: reduce_sum(lambda j: a[i, j])),
        array(lambda j: reduce_max(lambda i: a[i, j])),
    )


@program(together(floats(m)))
def affine_composition(a):
    maps = array(lambda i: (a[i], 1 - a[i]))
    return maps.reduce((1, 0), lambda f, g: (f[0] * g[0], f[1] * g[0] + g[1]))


@program(together(floats(m)))
def dual_numbers(a):
    def times(x, y):
        return {"re": x["re"] * y["re"], "eps": x["re"] * y["eps"] + x["eps"] * y["re"]}

    duals = array(lambda i: {"re": a[i], "eps": 1.0 + 0 * a[i]})
    return array(lambda i: times(duals[i], duals[i]))


@program(together(ints(n), ints(n)))
def integer_arithmetic(a, b):
    return array(
        lambda i: (a[i] // b[i], a[i] % b[i], a[i] * b[i] - a[i], abs(a[i]), a[i] ** 2, -b[i])
    )


@program(together(floats(n), floats(n)))
def float_arithmetic(a, b):
    return array(
        lambda i: (
            a[i] // b[i],
            a[i] % b[i],
            a[i] / b[i],
            a[i].clip(-1, 1),
            abs(b[i]).sqrt(),
            (a[i] * b[i]).floor().int(),
            a[i].min(b[i]) + a[i].max(b[i]),
        )
    )


@program(together(floats(n, n)))
def life_like_neighbours(grid):
    def at(i, j):
        return grid[i, j]

    return array(
        lambda i, j: at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j)
    )


@program(together(floats(n), floats(n)))
def nested_folds_over_shared_values(a, b):
    shared = array(lambda i: a[i] * b[i])
    return array(
        lambda i: fold(a[i], lambda p, x: x + fold_sum(lambda q: shared[q] * x / 16), count=2)
    )


# Records --------------------------------------------------------------------------------------

ZERO: Any = 0.0
"""A number as a Float of either width."""


@dataclass(frozen=True)
class Dual:
    """A number with its derivative."""

    real: Float
    eps: Float

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.real + other.real, self.eps + other.eps)

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.real * other.real, self.real * other.eps + self.eps * other.real)

    def tanh(self) -> Dual:
        value = self.real.tanh()
        return Dual(value, self.eps * (1.0 - value * value))


@program(together(floats(m, n), floats(n)))
def directional_derivative(weights, x):
    """The derivative of each tanh(w . x) as x moves along (1, ..., 1)."""
    duals = array(lambda j: Dual(x[j], x[j] * 0.0 + 1.0))

    def neuron(i):
        def step(j, total):
            return total + Dual(weights[i, j], x[j] * 0.0) * duals[j]

        return fold(Dual(ZERO, ZERO), step).tanh()

    return array(neuron)


@dataclass
class Complex(Generic[T]):
    """A complex number."""

    re: T
    im: T

    def __add__(self: Complex[Float], other: Complex[Float]) -> Complex[Float]:
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self: Complex[Float], other: Complex[Float]) -> Complex[Float]:
        return Complex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )


@program(together(floats(n, m), floats(n, m), floats(m, k)))
def complex_matrix_product(real, imaginary, b):
    left = array(lambda i, j: Complex(real[i, j], imaginary[i, j]))
    right = array(lambda i, j: Complex(b[i, j], -b[i, j]))
    zero = Complex(ZERO, ZERO)
    return array(
        lambda i, j: fold(zero, lambda q, acc: acc + left[i, q] * right[q, j], count=b.size(0))
    )


@program(together(floats(n, m)))
def argmin_by_records(a):
    """The last place of the least element of each row, and the element."""

    def least(x, y):
        return where(x["value"] < y["value"], x, y)

    def row(i):
        candidates = array(lambda j: {"value": a[i, j], "place": (i, j)})
        start = {"value": a[i, 0] * 0.0 + 1e9, "place": (0, 0)}
        return fold(start, lambda j, best: least(best, candidates[j]))

    return array(row)


@program(together(floats(n, m)))
def reduce_of_records(a):
    """Mean and variance of each row, merged as Welford's algorithm merges them."""

    def merge(x, y):
        total = x[0] + y[0]
        delta = y[1] - x[1]
        part = where(total > 0.0, y[0] / total, total * 0.0)
        return total, x[1] + delta * part, x[2] + y[2] + delta * delta * x[0] * part

    def moments(i):
        points = array(lambda j: (a[i, j] * 0.0 + 1.0, a[i, j], a[i, j] * 0.0))
        return points.reduce((0.0, 0.0, 0.0), merge)

    return array(moments)


@dataclass(frozen=True)
class MinPlus:
    """A distance: they are added by taking the least, and multiplied by adding."""

    distance: Float

    def __add__(self, other: MinPlus) -> MinPlus:
        return MinPlus(self.distance.min(other.distance))

    def __mul__(self, other: MinPlus) -> MinPlus:
        return MinPlus(self.distance + other.distance)


@program(together(floats(n, n)))
def shortest_paths(lengths):
    """The closure of a matrix over a semiring, by Floyd, Warshall and Kleene."""
    start = array(lambda i, j: MinPlus(where(i == j, 0.0, abs(lengths[i, j]))))

    def through(q, paths):
        return array(lambda i, j: paths[i, j] + paths[i, q] * paths[q, j])

    return fold(start, through, count=lengths.size(0))


# Updates --------------------------------------------------------------------------------------


@program(together(floats(n), ints(n)))
def prefix_by_updates(a, p):
    """Each element from the one before, as a fold that changes one element of a vector."""

    def step(i, v):
        return array(lambda j: where(j == i, v[i - 1] / 2 + a[i], v[j]))

    def scattered(i, v):
        return array(lambda j: where(p[i] != j + 1, v[j], a[i]))

    return fold(a, step, count=a.size()), fold(a, scattered, count=a.size())


@program(together(floats(n, m), ints(m, low=-2, high=4), ints(m, low=-2, high=4)))
def updates_of_matrices(a, p, q):
    """Elements, rows and columns, in bounds and out of bounds."""

    def element(i, x):
        return array(lambda r, c: where((c == q[i]) & (p[i] == r), x[0, c] + a[i, 0], x[r, c]))

    def row(i, x):
        return array(lambda r, c: where(r - 1 == p[i], x[i, c] + a[0, c], x[r, c]))

    def column(i, x):
        return array(lambda r, c: where(~(c != q[i]), x[r, i] - a[r, 0], x[r, c]))

    def whole_row(i, x):
        return array(lambda r: where(r == p[i], x[i], x[r]))

    steps = (element, row, column, whole_row)
    return tuple(fold(a, step, count=p.size()) for step in steps)


@program(together(floats(n, m), ints(n, low=-1, high=4)))
def swaps_and_guards(a, p):
    """Two positions of each row are swapped; a third changes under a condition."""

    def changed(i):
        def swap(k, v):
            return array(
                lambda j: where(j == p[k], v[k], where(k == j, v[p[k]], v[j])), size=a.size(1)
            )

        def guarded(k, v):
            chosen = (v[k] > 0) & (p[k] > 0)
            return array(lambda j: where((j == k) & chosen & (j > 1), -v[j], v[j]))

        return fold(fold(a[i], swap, count=p.size()), guarded, count=p.size())

    return array(changed)


@program(together(floats(n), ints(n, low=-1, high=6)))
def old_values_survive(a, p):
    """A step carries both the vector before an update and the one after it."""

    def step(k, pair):
        before, after = pair
        return after, array(lambda j: where(j == p[k], before[j] + 1, after[j]), size=a.size())

    first, second = fold((a, a), step, count=p.size())
    once = array(lambda j: where(j == 1, 7.0, a[j]))
    return first, second, once, a


@program(together(ints(n, low=0, high=3), ints(m, low=0, high=3)))
def edit_distance(a, b):
    """Levenshtein's distance, row by row, each row from left to right."""

    def row(i, previous):
        def cell(j, current):
            moved = previous[j + 1].min(current[j]) + 1
            best = moved.min(previous[j] + where(a[i] == b[j], 0, 1))
            return array(lambda c: where(c == j + 1, best, current[c]))

        start = array(lambda c: where(c == 0, i + 1, 0), size=b.size() + 1)
        return fold(start, cell, count=b.size())

    return fold(array(lambda c: c, size=b.size() + 1), row, count=a.size())


@program(together(floats(n, n), floats(n, n), lambda size, dtype, rng: size // 2))
def waves(now, before, steps):
    """Two fields that are swapped, in a loop around another loop."""

    def step(k, fields):
        u, w = fields

        def next_(i, j):
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            return 2 * u[i, j] - w[i, j] + (around - 4 * u[i, j]) / 8

        return array(next_, size=(u.size(0), u.size(1))), u

    def season(k, fields):
        u, w = fold(fields, step, count=2)
        return u, array(lambda i, j: w[i, j] * 0.5 + u[j, i], size=(w.size(0), w.size(1)))

    first, second = fold((now, before), season, count=steps)
    return first, second, fold((now, before), step, count=3)[0]


@program(together(floats(n, m), floats(m)))
def steps_of_an_iteration(a, x):
    """A power iteration that keeps the divisor of each step."""

    def step(k, state):
        v, sizes = state
        w = array(lambda i: fold_sum(lambda j: a[i, j] * v[j]))
        back = array(lambda j: fold_sum(lambda i: a[i, j] * w[i]))
        size = 1 + fold_sum(lambda j: abs(back[j]))
        return array(lambda j: back[j] / size), array(
            lambda p: where(p == k, size, sizes[p]), size=4
        )

    return fold((x, array(lambda p: x[0] * 0, size=4)), step, count=4)


def keys(*shape: Callable[[int], int]) -> Callable[..., NDArray[Any]]:
    """Keys of segments, some of which are negative or too large."""
    return ints(*shape, low=-2, high=6)


@program(together(keys(n), floats(n)))
def histogram(key, x):
    return array(lambda c: fold_sum(lambda i: where(key[i] == c, x[i], 0.0)), size=4)


@program(together(keys(n), floats(n)))
def selections_written_in_other_ways(group, weight):
    def unequal(b):
        return fold_sum(lambda t: where(b != group[t], 0.0, weight[t]))

    def conditional_step(b):
        return fold(0.5, lambda t, s: where(b == group[t], s + weight[t], s), count=group.size(0))

    def conjunction(b):
        return fold_sum(
            lambda t: where((weight[t] > 0.0) & (b == group[t]), weight[t], 0.0), group.size(0)
        )

    def nested(b):
        return fold_sum(lambda t: where(weight[t] > 0.0, where(group[t] == b, weight[t], 0.0), 0.0))

    def count_of(b):
        return fold_sum(lambda t: (group[t] == b).int())

    return array(
        lambda b: (unequal(b), conditional_step(b), conjunction(b), nested(b), count_of(b)), size=3
    )


@program(together(keys(n), floats(n), ints(n)))
def extremes_of_segments(key, x, p):
    return array(
        lambda c: (
            fold_min(lambda i: where(key[i] == c, x[i], float("inf"))),
            fold_max(lambda i: where(key[i] == c, p[i], -(2**63))),
            fold_any(lambda i: (key[i] == c) & (p[i] > 0)),
            fold_all(lambda i: (key[i] != c) | (p[i] > 0)),
            fold_sum(lambda i: where(key[i] == c, p[i], 0)),
        ),
        size=4,
    )


@program(together(keys(n), floats(n, m), floats(k, m)))
def centroids(label, points, start):
    """Sums of groups of points, the initial value for empty groups, and the sizes of the groups."""

    def count(c):
        return fold_sum(lambda i: where(label[i] == c, 1.0, 0.0))

    def total(c, d):
        selected = fold_sum(lambda i: where(label[i] == c, points[i, d], 0.0))
        return where(count(c) == 0.0, start[c, d], selected)

    return array(total), array(count, size=start.size(0))


@program(together(keys(m, n), floats(m, n)))
def histograms_of_rows(key, x):
    return array(
        lambda b, c: fold_sum(lambda i: where(c == key[b, i], x[b, i], 0.0)), size=(None, 5)
    )


@program(together(keys(n), keys(n), floats(n)))
def joint_histogram(p, q, x):
    return array(
        lambda a, b: fold_sum(lambda i: where((p[i] == a) & (q[i] == b), x[i], 0.0)), size=(3, 4)
    )


@program(together(keys(m, n), floats(m, n)))
def histograms_of_matrices(key, x):
    """Sums over two counters; one with a test of the row, one whose key is that of the row."""
    return array(
        lambda c: (
            fold_sum(lambda i, j: where(key[i, j] == c, x[i, j], 0.0)),
            fold_min(lambda j, i: where(key[i, j] == c, x[i, j], float("inf"))),
            fold_sum(
                lambda i: where(i % 2 == 0, fold_sum(lambda j: where(key[i, j] == c, 1, 0)), 0)
            ),
            fold_sum(lambda i, j: where(key[i, 0] == c, x[i, j], 0.0)),
        ),
        size=5,
    )


@program(together(floats(n)))
def histogram_of_computed_keys(x):
    return array(
        lambda c: fold_sum(lambda i: where((x[i] * 2.0).floor().int() + 2 == c, 1, 0)), size=5
    )


@program(together(keys(n), floats(n)))
def selections_that_stay_loops(key, x):
    """A product with a mask, values and keys that vary with the index."""
    return array(
        lambda c: (
            fold_sum(lambda i: x[i] * where(key[i] == c, x[i], 0.0)),
            fold_sum(lambda i: where(key[i] == c, x[i - c], 0.0)),
            fold_sum(lambda i: where(key[i - c] == c, x[i], 0.0)),
            fold_prod(lambda i: where(key[i] == c, x[i], 1.0)),
        ),
        size=3,
    )


# Stencils -------------------------------------------------------------------------------------


@program(together(floats(n, m), floats(m)))
def rotations(a, x):
    """Positions modulo a size, also by more than it, by a counter, and of another size."""
    rows, columns = a.size(0), a.size(1)
    near = array(lambda i, j: a[(i - 1) % rows, (j + 7) % columns], size=(rows, columns))
    turned = array(
        lambda j: fold_sum(lambda k: x[(j + 2 * k) % columns] * a[k, j], count=rows), size=columns
    )
    other = array(lambda i: x[(i - 3) % columns] + x[(i + 1) % rows], size=rows)
    ones = array(lambda j: where(x[j % columns] > 0.0, 1, 0), size=columns)
    signs = array(lambda j: where(x[j] > 0.0, 1.0, 0.0) - where(x[j] < 0.0, 1.0, -0.0))
    return near, turned, other, ones, signs


@program(together(floats(n, m), floats(n, m)))
def reaction_around(a, b):
    """Steps of two arrays that react with each other, and with their neighbours on a torus."""
    rows, columns = a.size(0), a.size(1)

    def spread(x, i, j):
        down, right = x[(i + 1) % rows, j], x[i, (j + 1) % columns]
        return x[(i - 1) % rows, j] + x[i, (j - 1) % columns] + down + right - 4.0 * x[i, j]

    def step(_, state):
        u, v = state
        w = array(lambda i, j: u[i, j] * v[i, j] * v[i, j])
        return (
            array(lambda i, j: u[i, j] + 0.25 * spread(u, i, j) - w[i, j] + (1.0 - u[i, j])),
            array(lambda i, j: v[i, j] + 0.125 * spread(v, i, j) + w[i, j] - 0.5 * v[i, j]),
        )

    return fold((a, b), step, count=3)


@program(together(floats(n, m), floats(n)))
def neighbours_around(a, x):
    """Sums over windows on a torus, some wider than it, and a vector with its ends."""
    rows, columns = a.size(0), a.size(1)
    across = array(
        lambda i, j: fold_sum(lambda q: a[(i - 1) % rows, (j + q - 2) % columns], count=4),
        size=(rows, columns),
    )
    around = array(lambda i: x[(i - 1) % rows] - 2.0 * x[i % rows] + x[(i + 3) % rows], size=rows)
    longer = array(lambda i: x[(i - 2) % rows], size=rows + 5)
    extended = array(lambda i: where(x[(i + 1) % rows] > 0.0, 1, 0), size=rows + 2)
    return across, around, longer, extended


@program(together(floats(n, m)))
def five_points(a):
    """A step of Jacobi's method in the interior; the boundary is unchanged."""
    rows, columns = a.size(0), a.size(1)

    def point(i, j):
        inside = (i > 0) & (i < rows - 1) & (j > 0) & (j < columns - 1)
        around = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
        return where(inside, 0.25 * around, a[i, j])

    return array(point)


@program(together(floats(n, m)))
def diffusion(a):
    """Steps of diffusion that nothing leaves at the boundary, as a choice and by clipping."""
    rows: Int = a.size(0)

    def step(_, x):
        def point(i, j):
            up = where(i > 0, x[i - 1, j], x[i, j])
            down = where(i == rows - 1, x[i, j], x[i + 1, j])
            return x[i, j] + 0.1 * (up + down + x[i, j - 1] + x[i, j + 1] - 4.0 * x[i, j])

        return array(point)

    return fold(a, step, count=3)


@program(together(floats(n), ints(m)))
def window(a, bounds):
    """Elements between two Ints, in any order and out of bounds, and their logarithms elsewhere."""
    low, high = bounds[0], bounds[1]
    return array(lambda i: where((low <= i) & (i < high), a[i], (abs(a[i]) + 1.0).log()))


@program(lambda size, dtype, rng: (floats(n)(size, dtype, rng), 2**63 - 1, -(2**63) + 1))
def positions_that_wrap_around(a, most, least):
    """Sums beyond the largest Int are small ones, also where a position shifts an index."""
    rows = array(lambda i, j: where(i < 1, a[j], a[j + most]), size=(a.size(), a.size()))
    after = array(lambda i: a[i - least], size=a.size())
    return rows, after, array(lambda i: a[least - i], size=a.size())


@program(together(floats(k, m, n), floats(m, k, lambda size: 2), ints(m, n)))
def sums_over_windows(signal, filters, heights):
    """Nested folds, of which some stay loops: channels and taps of a convolution, extremes."""

    def response(b, o, i):
        return fold_sum(
            lambda c: fold_sum(
                lambda q: signal[c, b, i + q - 1] * filters[o, c, q], count=filters.size(2)
            ),
            count=filters.size(1),
        )

    def lowest(i):
        return fold_min(
            lambda r: fold_min(lambda q: heights[r, i - q] * (q - 1), count=3),
            count=heights.size(0),
        )

    def exists(i):
        return fold_any(
            lambda r: fold_any(lambda q: heights[r, i - q] > q + 3, count=2), count=heights.size(0)
        )

    size: Int = signal.size(2)
    return (
        array(response, size=(signal.size(1), filters.size(0), size)),
        array(lowest, size=heights.size(1)),
        array(exists, size=heights.size(1)),
    )


@program(together(floats(m, n), floats(k)))
def rows_of_windows(a, w):
    """Folds over windows whose rows are shared: clipped, modulo sizes, backwards, of three axes."""
    rows, columns = a.shape
    reach: Int = w.size()

    def smoothed(i, j):
        return fold_sum(
            lambda p: fold_sum(lambda q: a[i + p - 1, j - q] * w[q], count=reach), count=reach
        )

    def lowest(i, j):
        return fold_min(
            lambda p: fold_min(lambda q: a[(i - p) % rows, (q + j) % columns], count=2), count=3
        )

    def cube(i, j, k):
        return fold(
            0.5,
            lambda p, x: (
                x
                / fold_sum(
                    lambda q: fold_max(lambda r: a[i + p, j + 2 * q + r + k], count=2), count=reach
                )
            ),
            count=2,
        )

    return (
        array(smoothed, size=(rows + 1, columns)),
        array(lowest, size=(rows, columns)),
        array(cube, size=(rows, 2, reach)),
    )


@program(
    together(
        floats(k, lambda size: size + 2, lambda size: size + 1),
        floats(k, lambda size: size + 2, lambda size: 2),
        floats(k, lambda size: 3, lambda size: 2),
    )
)
def convolutions(signal, filters, weights):
    """Taps and channels in several orders, of one axis and of two, and from an initial value."""

    columns = signal.size(2) - weights.size(2) + 1

    def response(o, b, i):
        return fold_sum(
            lambda q: fold_sum(lambda c: filters[o, c, q] * signal[b, c, i + q]),
            count=filters.size(2),
        )

    def onwards(i, o):
        return fold(
            weights[o, 0, 0],
            lambda q, s: s + fold_sum(lambda c: filters[0, q + i, c] * weights[o, q, c]),
            count=weights.size(1),
        )

    def rectangle(i, j):
        return fold_sum(
            lambda p: fold_sum(
                lambda q: fold_sum(lambda c: signal[c, p + i, j + q] * weights[c, p, q]),
                count=weights.size(2),
            ),
            count=weights.size(1),
        )

    return (
        array(
            response, size=(filters.size(0), signal.size(0), signal.size(2) - filters.size(2) + 1)
        ),
        array(onwards, size=(filters.size(1) - weights.size(1) + 1, weights.size(0))),
        array(rectangle, size=(signal.size(1) - weights.size(1) + 1, columns)),
    )


@program(together(floats(n, n), floats(n, n)))
def small_integers(a, b):
    """Whole numbers of few Bools and constants, at the bounds of 8 bits and beyond them."""

    def votes(i, j):
        return (
            where(a[i, j] > 0.0, 1, 0)
            + where(b[i, j] > a[i, j], 1, 0)
            + where(b[i, i] > 0.0, 2, -2)
        )

    def far(i, j):
        low, high = where(a[i, j] > 0.0, 127, 0), where(b[i, j] < 0.0, 1, 0)
        return (low + high) * high - where(a[i, j] < b[i, j], 5, low), low - 128 * high

    return (
        array(lambda i, j: votes(i, j) == 2),
        array(lambda i, j: (votes(i, j) * -3).max(votes(j, i)).float() / 2.0),
        array(lambda i, j: far(i, j)[0]),
        array(lambda i, j: far(i, j)[1] * where(a[i, j] < 1.0, 1, -1)),
        array(lambda i, j: votes(i, j) < far(i, j)[1].min(100)),
        array(lambda i: fold_sum(lambda p: votes(i - p, p), count=3) > 2, size=a.size(0)),
    )


@program(lambda size, dtype, rng: (floats(n)(size, dtype, rng), 1, -(2**63)))
def shifts_by_sizes(a, p, most):
    """Shifts by Ints, some of which are sizes: these are known when a program is traced."""
    rows = array(lambda i, j: a[i - p] + a[p - i], size=(a.size(), p.max(0)))
    return rows, array(lambda i, j: a[i - most], size=(a.size(), most.max(0)))


@program(lambda size, dtype, rng: (floats(n)(size, dtype, rng), 2**32, 2**62, -(2**32)))
def updates_far_out(a, p, q, r):
    """Positions beyond the end that are in bounds in 32 bits."""
    once = array(lambda i: where(i == p, 7.0, a[i]))
    twice = array(lambda i: where(i == q, 8.0, once[i]))
    return array(lambda i: where(i == r, 9.0, twice[i])), a[p], a[r]


# Prefixes -------------------------------------------------------------------------------------


@program(together(floats(m), floats(n, m), ints(n)))
def prefixes_and_suffixes(x, rows, p):
    size: Int = x.size(0)
    before = array(lambda i: fold_sum(lambda k: where(k < i, x[k], 0.0)), size=size)
    up_to = array(
        lambda b, i: fold_sum(lambda j: where(i >= j, rows[b, j], 0.0)), size=(None, size)
    )
    behind = array(lambda i: fold_min(lambda k: where(k > i, x[k], float("inf"))), size=size)
    rest = array(lambda i: fold_prod(lambda k: where(~(k < i - 1), x[k], 1.0)), size=size)
    ends = array(lambda i: fold_max(lambda k: where(p[i] >= k, x[k], float("-inf"))))
    counts = array(lambda i: fold_sum(lambda k: ((k < i) & (x[k] > 0.0)).int()), size=size)
    return before, up_to, behind, rest, ends, counts


@program(together(floats(n, m), ints(m), ints(m, low=-9, high=9)))
def recurrences(x, key, cost):
    """Recurrences: in each row, backwards, and with costs."""
    size: Int = x.size(1)

    def sums(r):
        def step(j, v):
            return array(lambda k: where(k == j + 1, x[r, j] + v[j], v[k]))

        return fold(array(lambda k: x[r, 0], size=size + 1), step, count=size)

    def largest_behind(j, v):
        p = size - 1 - j
        return array(lambda k: where(k == p, v[p + 1].max(v[p]), v[k]))

    def cheapest(j, v):
        least = (v[j] + where(key[j] == 1, 2, 3)).min(cost[j] % 8)
        return array(lambda k: where(k == j + 1, least, v[k]))

    start = array(lambda k: k, size=size + 1)
    return (
        array(sums, size=x.size(0)),
        fold(cost, largest_behind, count=size),
        fold(start, cheapest, count=size),
    )


@program(together(floats(n, m), floats(m), ints(m, low=-9, high=9)))
def recurrences_after_the_first(x, y, key):
    """Recurrences whose first step reads another value, at any place of the element."""
    size: Int = y.size()

    def written(value):
        def step(j, v):
            return array(lambda k: where(k == j, value(j, v), v[k]))

        return step

    def before(j, v, other):
        return where(j > 0, v[j - 1], other)

    def row(i):
        step = written(lambda j, v: x[i, j] + before(j, v, y[j] * 2.0))
        return fold(array(lambda k: 0.0, size=size), step, count=size)

    sums = fold(y, written(lambda j, v: where(j == 0, y[j], v[j - 1]) - x[0, j]), count=size)
    decayed = fold(y, written(lambda j, v: y[j].max(before(j, v, 0.5) - 0.25)), count=size)
    limited = fold(
        y, written(lambda j, v: where(j > 0, v[j - 1] + x[0, j], -1.0).min(y[j])), count=size
    )
    counted = fold(
        key, written(lambda j, v: (before(j, v, 7) + key[j] % 3).max(key[j])), count=size
    )
    return array(row, size=x.size(0)), sums, decayed, limited, counted


@program(together(floats(n, m), floats(n)))
def parts_that_are_read(a, x):
    """Arrays of which steps read the elements from a counter on, or before it, and the first."""
    size: Int = x.size()

    def lower(j, v):
        rest = array(
            lambda i: x[i] - fold_sum(lambda k: a[i, k] * a[j, k] * v[i], count=a.size(1)),
            size=size,
        )
        return array(lambda i: where(i >= j, rest[i] / (1.0 + rest[j] * rest[j]), v[i]))

    def upper(j, v):
        rest = array(lambda i: x[i] * v[i] + i.float(), size=size)
        return array(lambda i: where(i <= j, rest[i], v[i] * 0.5))

    def middle(j, v):
        squares = array(lambda i: v[i] * v[i] - a[i, 0])
        return array(lambda i: where((i > j) & (i < size - 1), squares[i], v[i]))

    return tuple(fold(x, step, count=size) for step in (lower, upper, middle))


# Sums of arrays -------------------------------------------------------------------------------


def _rows_and_keys(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return (
        rng.normal(size=(n + 1, n)).astype(dtype),
        rng.normal(size=n).astype(dtype),
        rng.integers(-1, n + 1, size=n + 1),
    )


@program(_rows_and_keys)
def sums_of_rows(a: Any, start: Any, key: Any) -> Any:
    """Sums of arrays: plain, from an initial value, next to a scalar, and by group."""
    rows, columns = a.size(0), a.size(1)
    zero = array(lambda c, v: a[c, v] * 0.0, size=(rows, columns))

    def add_squares(k: Any, total: Any) -> Any:
        squares = array(lambda v: a[k, v] * a[k, v])
        return array(lambda v: total[0][v] + squares[v]), total[1] + a[k, 0]

    groups = fold(
        zero,
        lambda k, total: array(lambda c, v: where(key[k] == c, total[c, v] + a[k, v], total[c, v])),
        count=rows,
    )
    return fold((start, a[0, 0]), add_squares, count=rows), groups


@program(_rows_and_keys)
def derivatives_by_each(a: Any, start: Any, key: Any) -> Any:
    """Derivatives of a sum by each of its variables, scaled."""

    def row(i: Any) -> Any:
        return fold(
            array(lambda v: start[v]),
            lambda k, total: array(
                lambda v: total[v] + a[i, k] * where(v == k, 1.0, where(a[i, k] > 0.0, 0.5, 0.0))
            ),
            count=a.size(1),
        )

    return array(lambda i, v: row(i)[v], size=(a.size(0), a.size(1)))


@program(together(floats(n, m)))
def fixed_edges(a: Any) -> Any:
    """Steps of a grid and of a sum, with edges given by the sizes of the argument."""
    rows, columns = a.size(0), a.size(1)

    def inner(v: Any, i: Any, j: Any) -> Any:
        at_edge = (i == 0) | (j == 0) | (i == rows - 1) | (j == columns - 1)
        return where(at_edge, v[i, j], 0.5 * (v[i - 1, j] + v[i, j + 1]))

    def step(t: Any, state: Any) -> Any:
        v, total = state
        new = array(lambda i, j: inner(v, i, j))
        return new, total + v.size(1)

    return fold((a, columns), step, count=3)


# Folds over arrays of which less and less is needed --------------------------------------------


@program(together(floats(n, m)))
def roots_of_trees(a):
    """Results are read at their first positions, or at all remaining ones."""
    rows, columns = a.size(0), a.size(1)

    def mean(k, v):
        return array(lambda i, j: 0.5 * (v[i, 2 + j] + v[i, j - 1]), size=(rows, v.size(1)))

    def damp(k, v):
        return array(lambda i, j: v[i, j].tanh() * 0.5, size=(v.size(0), v.size(1)))

    def shorten(k, v):
        return array(
            lambda i, j: v[i, j].tanh().exp() * v[i, j + 1].tanh() + 1.0,
            size=(rows, (columns - k).max(0)),
        )

    def root(i):
        leaves = array(lambda j: a[i, j])
        return fold(
            leaves,
            lambda k, v: array(lambda j: v[j + 1] * 0.5 + v[j], size=v.size()),
            count=columns,
        )[0]

    tree, damped = fold(a, mean, count=columns), fold(a, damp, count=3)
    return (
        array(lambda i: tree[i, 1]),
        array(lambda i: damped[0, i]),
        array(lambda i: tree[i, 0] + damped[i, 0]),
        array(root, size=rows),
        fold(a, shorten, count=3),
    )


@program(together(floats(n)))
def sums_in_loops_of_each_length(a):
    """Sums over the results of loops whose counts are the counters of the sums."""

    def decayed(k):
        return fold(0.0, lambda j, x: x * 0.5 + a[j], count=k)

    return (
        array(
            lambda i: fold_sum(lambda k: where(k < i, decayed(k), 0.0), count=a.size()),
            size=a.size(),
        ),
        fold_sum(decayed, count=a.size()),
        fold(0.0, lambda k, best: where(decayed(k) > best, decayed(k), best), count=a.size()),
    )


@program(together(floats(n), floats(m), floats(n, m)))
def matrices_written_one_by_one(a, b, z):
    """Elements, rows and columns of matrices that loops write, whole or in part."""

    def write(p, q, v):
        return array(lambda i, j: where((i == p) & (j == q), a[p] * b[q], v[i, j]))

    def write_rows(p, u):
        return fold(u, lambda q, v: write(p, q, v), count=b.size())

    def write_triangle(p, u):
        return fold(u, lambda q, v: write(p, q, v), count=p)

    def write_columns(q, u):
        return fold(u, lambda p, v: write(p, q, v), count=(a.size() - 1).max(0))

    def row(k, v):
        return array(lambda i, j: where(i == k + 1, a[k] - v[i, j], v[i, j]))

    return (
        fold(z, write_rows, count=a.size()),
        fold(z, write_triangle, count=a.size()),
        fold(z, write_columns, count=b.size()),
        fold(z, row, count=a.size()),
    )


# Folds that replace a region of an array -------------------------------------------------------


@program(together(floats(n, m), floats(n, m)))
def eliminations(a, b):
    """Steps that replace the elements below and right of a position, or all except a triangle."""

    def safe(x):
        return where(x.abs() > 0.1, x, 1.0)

    def eliminate(k, v):
        return array(
            lambda i, j: where(
                i > k,
                where(
                    j > k,
                    v[i, j] - v[i, k] / safe(v[k, k]) * v[k, j],
                    where(j == k, v[i, k] / safe(v[k, k]), v[i, j]),
                ),
                v[i, j],
            )
        )

    def orthogonal(k, v):
        r = array(lambda j: fold_sum(lambda i: v[i, k] * v[i, j]))
        return array(lambda i, j: where(k < j, v[i, j] - v[i, k] * r[j].tanh(), v[i, j]))

    def triangle(k, v):
        return array(
            lambda i, j: where(
                (i >= j) & (j > k), ((v[i, j] - v[i, k] * v[k, j]) * 0.5).tanh() + b[i, j], v[i, j]
            )
        )

    columns: Int = a.size(1)
    return (
        fold(a, eliminate, count=a.size(0)),
        fold(a, orthogonal, count=columns),
        fold(b, triangle, count=columns),
    )


@program(together(floats(n), ints(m, low=-3, high=9)))
def replaced_regions(x, w):
    """Regions with arbitrary bounds, computed from themselves, neighbours, or another array."""

    def knapsack(i, v):
        return array(lambda c: where(c >= w[i], (v[c].max(v[c - w[i]] + 1.0)), v[c]))

    def ends(i, v):
        return array(lambda c: where((c < i) | (c > w[i]), v[c] * 0.5 + v[i], v[c]))

    def shifted(i, v):
        return array(lambda c: where(c > i, v[c - 1] - v[c], v[c]))

    def moved(i, v):
        return array(lambda c: where(c > i, v[c - 1], v[c]))

    def swapped(i, pair):
        u, v = pair
        new = array(lambda c: where(c > i, u[c] + v[c], u[c]))
        return new, array(lambda c: where(c <= i, u[c] * 0.5, v[c]))

    def exchanged(i, pair):
        u, v = pair
        return v, array(lambda c: where(c > i, u[c] * 0.5 + v[i], u[c]))

    count: Int = w.size(0)
    return (
        fold(x, knapsack, count=count),
        fold(x, ends, count=count),
        fold(x, shifted, count=count),
        fold(x, moved, count=count),
        fold((x, x), swapped, count=count),
        fold((x, x), exchanged, count=count),
    )


@program(together(floats(n, m)))
def regions_of_each_row(a):
    """Loops over parts of a row, in an array of rows; and parts of an array of more axes."""

    def row(i):
        return fold(
            array(lambda j: a[i, j]),
            lambda k, v: array(lambda j: where(j > k, v[j] - v[k] * 0.5, v[j])),
            count=a.size(1),
        )

    cube = array(lambda i, j, k: a[i, j] * a[i, k])
    parts = fold(
        cube,
        lambda t, v: array(
            lambda i, j, k: where(
                (i > t) & (k < t),
                ((v[i, j, k] + v[t, j, k]).tanh() * 0.5).exp() - v[i, j, t],
                v[i, j, k],
            )
        ),
        count=a.size(0),
    )
    return array(lambda i, j: row(i)[j], size=(a.size(0), a.size(1))), parts


@program(together(floats(n, m), ints(m, low=-2, high=6)))
def tables(a, p):
    """Parts of one row or column of a table at a time, computed from the earlier ones."""

    def row(k, t):
        return array(
            lambda i, j: where((i == k + 1) & (j > 0), t[k, j].min(t[k, j - 1]) + a[i, j], t[i, j])
        )

    def given(k, t):
        return array(
            lambda i, j: where(~((i != p[k]) | (j < k)) & (t[i, j] > 0.0), t[i, j] * 0.5, t[i, j])
        )

    def column(k, t):
        return array(
            lambda i, j: where((j == k) & (i > k) & (a[i, j] < 1.0), t[i, j] + t[k, k], t[i, j])
        )

    count: Int = p.size(0)
    return fold(a, row, count=count), fold(a, given, count=count), fold(a, column, count=count)


@program(together(floats(n), ints(n)))
def combined_under_conditions(x, a):
    """Reductions of some of the steps; the others yield the accumulator unchanged."""
    size: Int = x.size()
    return (
        fold(0.5, lambda k, acc: where(x[k] > 0.0, acc + x[k], acc), count=size),
        fold(0, lambda k, acc: where(a[k] > 0, acc, acc + 1), count=size),
        fold(
            1, lambda k, acc: where(a[k] > 0, where(x[k] > 0.0, acc * a[k], acc), acc), count=size
        ),
        fold(-0.5, lambda k, acc: where(a[k] > 0, acc.max(x[k]), acc), count=size),
        fold(False, lambda k, acc: where(x[k] > 0.0, acc | (a[k] > 0), acc), count=size),
        fold(0.0, lambda k, acc: where(x[k] > acc, acc + x[k], acc), count=size),
        array(
            lambda i: fold(
                x[i], lambda k, acc: where(x[k] > x[i], x[k] * x[i] + acc, acc), count=size
            )
        ),
    )


# Positions that split axes and join them ----------------------------------------------------------


def _square(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.normal(size=(n, n + 1)).astype(dtype),)


def _vector(n: int, dtype: DTypeLike, rng: np.random.Generator) -> tuple[Any, ...]:
    return (rng.normal(size=8 * n + 3).astype(dtype),)


@program(_square)
def flattened(a):
    return array(lambda p: a[p // a.size(1), p % a.size(1)], size=a.size(0) * a.size(1))


@program(lambda n, dtype, rng: (*_square(n, dtype, rng), *_square(2, dtype, rng)))
def kronecker_product(a, b):
    p, q = b.size(0), b.size(1)
    size = a.size(0) * p, a.size(1) * q
    return array(lambda i, j: a[i // p, j // q] * b[i % p, j % q], size=size)


@program(_square)
def nearest_neighbour_upsampling(a):
    return array(lambda i, j: a[i // 2, j // 2], size=(a.size(0) * 2, a.size(1) * 2))


@program(lambda n, dtype, rng: (*_square(n, dtype, rng), 3))
def tiled_beyond_the_end(a, k):
    return array(lambda i, j: a[i % a.size(0), j // 3], size=(a.size(0) * k, 3 * k))


@program(lambda n, dtype, rng: (rng.normal(size=(4, n, n + 1)).astype(dtype),))
def pixel_shuffle(a):
    size = a.size(1) * 2, a.size(2) * 2
    return array(lambda i, j: a[(i % 2) * 2 + j % 2, i // 2, j // 2], size=size)


@program(lambda n, dtype, rng: (rng.normal(size=(2, n, 3)).astype(dtype),))
def merged_heads(a):
    d = a.size(2)
    return array(lambda t, c: a[c // d, t, c % d], size=(a.size(1), a.size(0) * d))


@program(lambda n, dtype, rng: (*rng.normal(size=(2, n, 12)).astype(dtype), 4))
def scores_of_heads(q, k, heads):
    d = q.size(1) // heads

    def score(h, i, j):
        return fold_sum(lambda e: q[i, h * d + e] * k[j, h * d + e], count=d)

    return array(score, size=(heads, q.size(0), k.size(0)))


@program(lambda n, dtype, rng: (*_vector(n, dtype, rng), 3))
def sums_of_blocks(a, m):
    return array(lambda b: fold_sum(lambda k: a[m * b + k], count=m), size=a.size(0) // m)


@program(lambda n, dtype, rng: (*_vector(n, dtype, rng), 3))
def windows_beyond_the_ends(a, w):
    return array(lambda i, k: a[i + k - 1] - a[2 * i - k], size=(a.size(0), w))


@program(_vector)
def butterflies(a):
    """A stage of a transform; the last row of pairs is incomplete."""

    def pair(j, offset):
        return a[(j // 4) * 8 + j % 4 + offset]

    return array(lambda j: (pair(j, 0) + pair(j, 4), pair(j, 0) - pair(j, 4)), size=a.size(0) // 2)


@program(_vector)
def reversed_bits(a):
    return array(lambda p: a[(p % 2) * 4 + (p // 2 % 2) * 2 + p // 4], size=8)


@program(_vector)
def digits_of_a_position(a):
    return array(lambda p: a[p // 4] * a[p // 2 % 2] + a[p % 2] - a[p], size=a.size(0) + 1)


@program(lambda n, dtype, rng: (rng.normal(size=(n, 2)).astype(dtype),))
def path_of_records(a):
    """Each element of an array of records follows from the one before."""

    def step(t, path):
        x, y = path[t]
        moved = x + 0.1 * y, y - 0.1 * x
        return array(
            lambda k: (
                where(k == t + 1, moved[0], path[k][0]),
                where(k == t + 1, moved[1], path[k][1]),
            )
        )

    return fold(array(lambda k: (a[k, 0], a[k, 1])), step, count=a.size(0))


def _grid_of_positions(n: int, dtype: DTypeLike, rng: Any) -> Any:
    return rng.normal(size=(n + 1, 4)).astype(dtype), rng.integers(-2, n + 3, n), rng.integers(6)


@program(_grid_of_positions)
def rows_and_columns_at_positions(a, rows, shift):
    """Each axis is read at positions of an axis of the result, in both orders."""
    picked = array(lambda i, j: a[rows[i], (j * 2 + shift) % 4], size=(rows.size(), 5))
    return picked, array(lambda i, j: a[rows[j], (i - shift) // 2], size=(5, rows.size()))


def _rows_of_tables(n: int, dtype: Any, rng: np.random.Generator) -> tuple[Any, ...]:
    tables = rng.normal(size=(2, n + 2, n)).astype(dtype)
    return rng.integers(-1, n + 4, size=n), *tables, rng.normal(size=(n, 3)).astype(dtype)


@program(_rows_of_tables)
def products_of_chosen_rows(p, a, b, c):
    """The rows of a table at positions, times a matrix; times chosen rows of another table."""
    first = array(lambda i, j: fold_sum(lambda k: a[p[i], k] * c[k, j]), size=(p.size(), 3))
    return first, array(lambda i, j: fold_sum(lambda k: b[p[j], k] * a[p[i], k]))


@program(_rows_of_tables)
def weighted_sums_of_chosen_rows(p, a, b, c):
    """A factor of two axes that is computed from vectors."""
    size: Int = p.size()

    def element(i, j):
        def term(k):
            return where(p[i] < k, (a[i, k] - a[k, i]).abs(), b[p[k], 0]) * c[k, j]

        return fold_sum(term, count=size)

    return array(element, size=(size, 3))


def _rows_of_entries(n: int, dtype: DTypeLike, rng: Any) -> Any:
    entries = rng.normal(size=3 * n).astype(dtype)
    columns = rng.integers(0, n + 1, 3 * n)
    return rng.integers(-1, 3 * n + 2, n + 1), columns, entries, rng.normal(size=n).astype(dtype)


@program(_rows_of_entries)
def products_of_rows_of_entries(starts, columns, entries, x):
    """Rows begin and end at given positions, which may be out of order and out of bounds."""

    def product(i):
        def term(k):
            is_in_row = (k >= starts[i]) & (k < starts[i + 1])
            return where(is_in_row, entries[k] * x[columns[k]], 0)

        return fold_sum(term, count=entries.size())

    return array(product, size=starts.size() - 1)


@program(lambda n, dtype, rng: (*_vector(n, dtype, rng), 2))
def windows_cut_at_the_ends(a, w):
    """Windows of a given and of a constant size."""

    def mean(i, reach):
        first, end = (i - reach).max(0), (i + reach + 1).min(a.size())
        total = fold_sum(lambda k: where((k >= first) & (k < end), a[k], 0.0), count=a.size())
        most = fold_max(lambda k: where((k >= first) & (k <= end - 1), a[k], -9.0), count=a.size())
        return total / (end - first).float(), most

    return array(lambda i: (mean(i, w), mean(i, 1)), size=a.size())


@program(lambda n, dtype, rng: (rng.normal(size=(n, n)).astype(dtype),))
def triangles(a):
    lower = array(lambda i, j: fold_sum(lambda k: where(k <= i, (a[i, k] - a[k, j]) ** 2, 0.0)))
    upper = array(lambda i, j: fold_sum(lambda k: where(k <= j, (a[i, k] - a[k, j]) ** 2, 0.0)))
    return lower, upper, array(lambda i: fold_max(lambda k: where(k < i, a[i, k], -9.0)))


@program(
    lambda n, dtype, rng: (*_rows_of_entries(n, dtype, rng)[:3], floats(k, m)(n, dtype, rng)),
)
def products_of_rows_and_a_matrix(starts, columns, entries, b):
    def product(i, j):
        def term(k):
            is_in_row = (k >= starts[i]) & (k < starts[i + 1])
            return where(is_in_row, entries[k] * b[columns[k], j], 0.0)

        return fold_sum(term, count=entries.size())

    return array(product, size=(starts.size() - 1, b.size(1)))


@program(
    together(ints(k, low=-1, high=5), ints(k, low=-1, high=5), floats(n, m), floats(m, n)),
)
def messages_along_edges(source, target, h, w):
    """Segments of rows that are computed at looked-up positions."""
    degree = array(
        lambda v: 1.0 + fold_sum(lambda e: where(target[e] == v, 1.0, 0.0)), size=h.size()
    )
    z = array(lambda v, o: fold_sum(lambda c: h[v, c] * w[c, o]))

    def message(e, o):
        return z[source[e], o] / (1.0 + degree[source[e]])

    return array(
        lambda v, o: fold_sum(lambda e: where(target[e] == v, message(e, o), 0.0)),
        size=(h.size(), w.size(1)),
    ), array(
        lambda v, o: fold_max(lambda e: where(target[e] == v, message(e, o), float("-inf"))),
        size=(h.size(), w.size(1)),
    )


@program(together(floats(k), floats(n), lambda size, dtype, rng: 2))
def powers_of_frames(x, window, hop):
    """Products with factors that are computed for each frequency and position."""
    count = (x.size() - window.size()) // hop + 1

    def power(f, q):
        def part(wave):
            return fold_sum(
                lambda t: x[f * hop + t] * window[t] * wave((0.5 * (q * t).float()).cos())
            )

        return part(lambda y: y) ** 2 + part(exp) ** 2

    return array(power, size=(count, window.size() + 1))


def _images(n: int, dtype: DTypeLike, rng: Any) -> Any:
    shapes = (2, 3, n, n + 1), (2, 3, 3, 3), 2
    return tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)


@program(_images)
def padded_convolutions(x, w, bias):
    """Windows that leave the images: with several steps, borders and positions."""
    height, width = x.size(2), x.size(3)

    def convolved(step, before):
        def out(b, o, i, j):
            def at(c, p, q):
                y, z = step * i + p - before, step * j + q - before
                is_in = (y >= 0) & (y < height) & (z >= 0) & (z < width)
                return where(is_in, x[b, c, y, z], 0.0)

            return bias[o] + fold_sum(
                lambda c: fold_sum(lambda p: fold_sum(lambda q: w[o, c, p, q] * at(c, p, q)))
            )

        return array(out, size=(x.size(0), bias.size(), (height + 1) // step, width // step))

    return convolved(1, 1), convolved(2, 1), convolved(3, 2)


def _series(n: int, dtype: DTypeLike, rng: Any) -> Any:
    return floats(k)(n, dtype, rng), floats(m)(n, dtype, rng)


@program(lambda n, dtype, rng: (*_series(n, dtype, rng), 2, -(2**63)))
def padded_filters(x, taps, d, far):
    """Causal filters, with a clipped position, a given step or start, and one out of all bounds."""

    def filtered(position, test):
        return array(
            lambda t: fold_sum(
                lambda k: taps[k] * where(test(position(t, k)), x[position(t, k)], 0.0)
            ),
            size=x.size(),
        )

    return (
        filtered(lambda t, k: t - 2 * k, lambda p: p >= 0),
        filtered(lambda t, k: (t - k).max(0), lambda p: p > 0),
        filtered(lambda t, k: t + k, lambda p: p < x.size() - 1),
        filtered(lambda t, k: t - k * d, lambda p: p >= 0),
        filtered(lambda t, k: t + k + far, lambda p: p >= 0),
        filtered(lambda t, k: t - k, lambda p: (p % 2 == 0) & (p >= 0)),
    )


@program(
    together(
        floats(n),
        ints(n),
        ints(k, low=-1, high=5),
        ints(k, low=-1, high=5),
        floats(k),
    )
)
def updates_of_records(balance, count, source, target, amount):
    """Records of which a step replaces two, and records with a field that each step computes."""
    accounts = array(lambda i: {"balance": balance[i], "count": count[i]})

    def transfer(t, accounts):
        p, q = source[t], target[t]
        paid = amount[t].min(accounts[p]["balance"])

        def minus(i):
            old = accounts[i]
            new = {"balance": old["balance"] - paid, "count": old["count"] + 1}
            return where(i == p, new, old)

        less = array(minus)

        def plus(i):
            old = less[i]
            return where(i == q, {"balance": old["balance"] + paid, "count": old["count"]}, old)

        return array(plus)

    def spread(t, accounts):
        return array(
            lambda i: {
                "balance": where(i == source[t], amount[t], accounts[i]["balance"]),
                "count": accounts[i]["count"] * 3 + i,
            }
        )

    end = fold(accounts, transfer, count=source.size())
    other = fold(accounts, spread, count=source.size())
    return tuple(
        array(lambda i, r=records, f=field: r[i][f])
        for records in (end, other)
        for field in ("balance", "count")
    )


def _system(n: int, dtype: DTypeLike, rng: Any) -> Any:
    return rng.normal(size=(n, n)).astype(dtype), rng.normal(size=n).astype(dtype)


@program(lambda n, dtype, rng: (*_system(n, dtype, rng), -(2**63)))
def sums_without_a_step(a, b, far):
    """Loops over sums, minima and searches that leave out one step, which may be out of bounds."""

    def sweep(i, x):
        known = fold_sum(lambda j: where(j != i, a[i, j] * x[j], 0.0))
        return array(lambda j: where(j == i, (b[i] - known) / (9.0 + a[i, i]), x[j]))

    def shifted(i, x):
        least = fold_min(lambda j: where(j + 1 == i, 5.0, a[i, j] + x[j]))
        other = fold_sum(lambda j: where(~(j == i + far), x[j], 0.0))
        return array(lambda j: where(j == i, 0.5 * least - 0.1 * other, x[j]))

    loss = fold_sum(
        lambda i: fold_max(lambda j: where(j == i, float("-inf"), a[i, j])).max(-9.0),
        count=b.size(),
    )
    swept, moved = (fold(b, step, count=b.size()) for step in (sweep, shifted))
    return swept, moved, loss


@program(together(floats(n, m)))
def losses_of_pairs(z):
    """A sum over rows of matrices of products, in blocks of rows."""

    def loss(i):
        def likeness(j):
            return fold_sum(lambda c: z[i, c] * z[j, c])

        top = fold_max(lambda j: where(j == i, -99.0, likeness(j)), count=z.size())
        total = fold_sum(lambda j: where(j == i, 0.0, exp(likeness(j) - top)), count=z.size())
        return top + total - likeness((i + 1) % z.size())

    return fold_sum(loss, count=z.size())


@program(together(floats(n, n), floats(n), lambda size, dtype, rng: size + 1))
def path_of_states(a, x, steps):
    """A step writes a whole row: a vector in a ``where``."""

    def step(t, state):
        x, path = state
        x = array(lambda i: (fold_sum(lambda j: a[i, j] * x[j])).tanh())
        return x, array(lambda q: where(q == t, x, path[q]))

    return fold((x, array(lambda q, i: 0.0 * x[i], size=(steps, x.size()))), step, count=steps)


@program(together(floats(n, m), floats(n), floats(m)))
def rows_from_bodies_with_values(a, x, y):
    """Comprehensions in comprehensions, with values of the outer index between them."""

    def row(i):
        scale, low = x[i], i - 1
        return array(lambda j: where(j > low, scale * a[i, j], y[j]))

    return array(row)


@program(together(floats(n), floats(k)))
def loops_in_reductions(x, w):
    """Folds and reductions in the body of a reduction depend on the values that it combines."""

    def furthest(u, v):
        return where(fold(u, lambda i, s: s + 0.0 * w[i]).abs() < v.abs(), v, u)

    def bounded(u, v):
        return where(w.reduce(u, lambda p, q: where(q > 9.0, q, p)) < v, v, u)

    return x.reduce(0.0, furthest), x.reduce(-9.0, bounded)


@program(together(floats(n, n)))
def inverse_by_elimination(a):
    """Two rows change places in each step, and all others are reduced by one."""
    size: Int = a.size()

    def step(k, m):
        p = fold_argmax(lambda i: where(i >= k, m[i, k].abs(), -1.0), count=size)
        s = array(lambda i, j: where(i == k, m[p, j], where(i == p, m[k, j], m[i, j])))
        return array(
            lambda i, j: where(i == k, s[k, j] / s[k, k], s[i, j] - s[i, k] * s[k, j] / s[k, k])
        )

    beside = array(
        lambda i, j: where(j < size, a[i, j.min(size - 1)], where(j - size == i, 1.0, 0.0)),
        size=(size, 2 * size),
    )
    reduced = fold(beside, step, count=size)
    return array(lambda i, j: reduced[i, size + j], size=(size, size))


@program(together(floats(n, n), floats(n, m)))
def masks_of_products(a, b):
    """Conditions outside of products: triangles, their transposes, all but one, and both sides."""
    size: Int = a.size(0)
    lower = array(lambda i, j: fold_sum(lambda t: where(t <= i, a[i, t] * b[t, j], 0.0)))
    upper = array(lambda i, j: fold_sum(lambda t: where(t > i, a[t, i] * b[t, j], 0.0)))
    others = array(lambda i: fold_sum(lambda t: where(t == i, 0.0, a[i, t] * b[t, 0]), count=size))
    scaled = array(
        lambda i: fold_sum(lambda t: where(t < i, 2.0 * a[i, t] * b[t, 0], 0.0) + a[i, t])
    )
    return lower, upper, others, scaled


@program(together(floats(n), floats(n, n)))
def intervals(w, a):
    """Dynamic programs over the diagonals of a matrix, with loops and without."""
    size: Int = w.size()

    def longest(d, table):
        def cell(i, j):
            best = fold_min(
                lambda t: where((t >= i) & (t < j), table[i, t] + table[t + 1, j], 9.0), count=size
            )
            return where(j - i == d + 1, best + w[i] * w[j], table[i, j])

        return array(cell, size=(size, size))

    def inner(d, table):
        def cell(i, j):
            inside = where(j - i > 1, table[i + 1, j - 1], 0.0) + w[j]
            return where(i + d + 1 == j, inside.max(table[i, j - 1]), table[i, j])

        return array(cell, size=(size, size))

    reflected = array(lambda i, j: where(i + j == size - 1, w[j] + a[j, i], a[i, j]))
    steps = (size - 1).max(0)
    return fold(a, longest, count=steps), fold(a, inner, count=steps), reflected


@program(together(floats(n, m), floats(n), ints(n, low=-1, high=4)))
def chosen_elements(z, x, label):
    """Sums and maxima with one term for each element: labels, diagonals, and shifted positions."""

    def likelihood(i):
        top = fold_max(lambda c: z[i, c])
        total = fold_sum(lambda c: exp(z[i, c] - top))
        return fold_sum(lambda c: where(c == label[i], z[i, c] - top - log(total), 0.0))

    size: Int = x.size()
    trace = fold_sum(
        lambda i: fold_sum(lambda t: where(t == i, x[t] * x[i], 0.0), count=size), count=size
    )
    shifted = array(
        lambda i: fold_max(lambda t: where(t == i - 2, x[t].abs(), -1.0), count=size), size=size
    )
    return array(likelihood, size=size), trace, shifted


@program(together(floats(n), floats(m, n), floats(m)))
def cumulative_quotients(w, a, b):
    """Sums of all prefixes of values with derivatives that may be infinite."""
    total = fold_sum(lambda t: w[t].abs()) + 1.0
    size: Int = w.size()
    shares = array(
        lambda i: fold_sum(lambda t: where(t <= i, w[t] / total, 0.0), count=size), size=size
    )
    before = array(
        lambda i: fold_sum(lambda t: where(t < i, w[t].abs().sqrt(), 0.0), count=size), size=size
    )
    return shares, before, array(lambda i, j: a[i, j] / (1.0 + b[i].abs()))


@program(together(ints(n, m, low=0, high=3), floats(n, m)))
def counted_neighbours(g, a):
    """Windows with guards: functions of neighbours, all but the one in the middle, and minima."""
    rows, columns = g.size(0), g.size(1)

    def around(read, outside):
        def at(i, j, p, q):
            y, x = i + p - 1, j + q - 1
            inside = (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
            return where(inside & ~((p == 1) & (q == 1)), read(y, x), outside)

        return at

    full = around(lambda y, x: where(g[y, x] == 2, 1, 0), 0)
    least = around(lambda y, x: a[y, x] - g[y, x].float(), 7.0)
    counts = array(
        lambda i, j: fold_sum(lambda p: fold_sum(lambda q: full(i, j, p, q), count=3), count=3),
        size=(rows, columns),
    )
    minima = array(
        lambda i, j: fold_min(lambda p: fold_min(lambda q: least(i, j, p, q), count=3), count=3),
        size=(rows, columns),
    )
    return counts, minima


@program(together(floats(n, m), floats(k), floats(k, k)))
def windows_around_the_ends(a, w, v):
    """Filters at positions that wrap around, are mirrored, or are cut at both ends."""
    rows, columns, taps = a.size(0), a.size(1), w.size()
    around = array(
        lambda i, j: fold_sum(lambda t: w[t] * a[(i + t - taps // 2) % rows, j]),
        size=(rows, columns),
    )
    both = array(
        lambda i, j: fold_sum(
            lambda p, q: v[p, q] * a[(i + p - taps // 2) % rows, (j - q + 1) % columns]
        ),
        size=(rows, columns),
    )
    cut = array(
        lambda i, j: fold_sum(lambda t: w[t] * a[i, (j + t - 1).max(0).min(columns - 1)]),
        size=(rows, columns),
    )
    folded = array(
        lambda i, j: fold_sum(lambda t: w[t] * a[(i + t - taps // 2).abs() % rows, j]),
        size=(rows, columns),
    )
    return around, both, cut, folded


@program(together(ints(n, low=1, high=4), lambda size, dtype, rng: size + 3))
def sums_of_subsets(items, most):
    """Bools that depend on Bools at a distance, under a condition."""

    def item(t, reached):
        far = items[t]
        return array(lambda s: reached[s] | ((s >= far) & reached[s - far]), size=most)

    def last(t, reached):
        return array(lambda s: (s < items[t]) | reached[s], size=most)

    start = array(lambda s: s == 0, size=most)
    return fold(start, item, count=items.size()), fold(start, last, count=items.size())


@program(together(ints(n, m, low=0, high=2)))
def distances(a):
    """Minima along rows and columns, one more for each step, there and back."""
    rows, columns = a.size(0), a.size(1)
    d = array(lambda i, j: where(a[i, j] == 1, 0, 1000))

    def down(t, d):
        return array(lambda y, x: where(y == t + 1, d[y, x].min(d[t, x] + 1), d[y, x]))

    def up(t, d):
        i = rows - 2 - t
        return array(lambda y, x: where(y == i, d[i, x].min(d[i + 1, x] + 1), d[y, x]))

    def right(t, d):
        return array(lambda y, x: where(x == t + 1, d[y, x].min(d[y, t] + 2), d[y, x]))

    below, beside = (rows - 1).max(0), (columns - 1).max(0)
    return fold(fold(fold(d, down, count=below), up, count=below), right, count=beside)


@program(together(floats(n, m), lambda size, dtype, rng: size + 1))
def sums_of_paths(z, steps):
    """Sums, extremes and searches whose terms are results of loops."""

    def path(p):
        def step(t, state):
            x, v = state
            return x * (0.5 + v) + z[t, p], 0.5 * v + 0.25 * z[t, p]

        return fold((1.0 + 0 * z[0, p], 0.25 + 0 * z[0, p]), step, count=steps)[0]

    mean = fold_sum(lambda p: path(p).max(0.25), count=z.size(1))
    most = fold_max(lambda p: path(p) * path(p))
    least = fold_argmin(lambda p: path(p))

    def moments(p, s):
        x = path(p)
        return s[0] + x, s[1] + x * x, s[0] - x

    return mean, most, least, fold((0.0, 0.0, 0.0), moments, count=z.size(1))


@program(lambda n, dtype, rng: (rng.normal(size=(n, n)).astype(dtype), rng.random((n, n)) < 0.5))
def contractions_over_pairs(a, edges):
    """Sums over the pairs and triples in order, which are contractions with masks."""
    n: Int = a.size(0)
    dots = fold_sum(
        lambda i, j: where(i < j, fold_sum(lambda k: a[i, k] * a[j, k]), 0.0), count=(n, n)
    )
    weights = fold_sum(
        lambda i, j, k: where((i < j) & (j < k), a[i, j] * a[j, k] * a[i, k], 0.0), count=(n, n, n)
    )
    triangles = fold_sum(
        lambda i, j, k: where((i < j) & (j < k) & edges[i, j] & edges[j, k] & edges[i, k], 1, 0)
    )
    return dots, weights, triangles
