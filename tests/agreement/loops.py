"""Programs with loops that need none: their steps write, accumulate, scan or search.

Each has arguments for any size; positions and keys in them are also negative, out of bounds and
repeated. No program may be compiled to a Python loop on NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ein_mlir
from ein_mlir import (
    Function,
    Int,
    array,
    fold_all,
    fold_any,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_min,
    fold_sum,
    function,
    where,
)

INF = float("inf")
fold: Any = ein_mlir.fold
"""The combinator, for arguments without static types."""

Value = Any
"""A staged value."""


@dataclass(frozen=True)
class Loop:
    """A program, the theme that it is a variant of, and the names of its arguments."""

    theme: str
    function: Function[..., Any]
    arguments: tuple[str, ...]


LOOPS: dict[str, Loop] = {}


def loop(theme: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program; its parameters name its arguments (`make`)."""

    def register(program: Callable[..., Any]) -> Callable[..., Any]:
        names = program.__code__.co_varnames[: program.__code__.co_argcount]
        assert program.__name__ not in LOOPS
        LOOPS[program.__name__] = Loop(theme, function(program), names)
        return program

    return register


def make(names: tuple[str, ...], size: int, dtype: str, rng: np.random.Generator) -> list[Any]:
    """The arguments of a name: small whole Floats, so that sums are exact in any order."""

    def floats(*shape: int) -> NDArray[Any]:
        return rng.integers(-4, 5, shape).astype(dtype)

    def ints(*shape: int) -> NDArray[Any]:
        return rng.integers(-2, size + 2, shape)

    made: dict[str, Callable[[], Any]] = {
        "v": lambda: floats(size),
        "x": lambda: floats(size),
        "y": lambda: floats(size),
        "p": lambda: ints(size),
        "q": lambda: ints(size),
        "b": lambda: rng.integers(0, 2, size).astype(bool),
        "c": lambda: rng.integers(0, 2, size).astype(bool),
        "m": lambda: floats(size, 3),
        "w": lambda: floats(size, 3),
        "z": lambda: floats(3),
        "wide": lambda: floats(3, size),
        "n": lambda: size,
        "t": lambda: int(rng.integers(-2, size + 2)),
        "s": lambda: dtype_scalar(dtype, rng),
        "long": lambda: floats(2 * size),
        "longer": lambda: floats(2 * size + 1),
        "odd": lambda: floats(2 * size + 3),
    }
    return [made[name]() for name in names]


def dtype_scalar(dtype: str, rng: np.random.Generator) -> Any:
    return np.asarray(rng.integers(-3, 4), dtype)[()]


def put(v: Value, p: Value, x: Value) -> Value:
    """``v[p] := x``"""
    return array(lambda i: where(i == p, x, v[i]), size=v.size())


def put2(m: Value, p: Value, q: Value, x: Value) -> Value:
    """``m[p, q] := x``"""
    return array(lambda i, j: where((i == p) & (j == q), x, m[i, j]))


def zeros(n: Value) -> Value:
    return array(lambda i: 0.0, size=n)


# Writes at affine positions -------------------------------------------------------------------


@loop("strided writes")
def even_elements(long, x):
    return fold(long, lambda k, v: put(v, 2 * k, x[k]))


@loop("strided writes")
def odd_elements(long, x):
    return fold(long, lambda k, v: put(v, 2 * k + 1, x[k] * 2))


@loop("strided writes")
def some_thirds(long, x):
    return fold(long, lambda k, v: put(v, 3 * k - 1, x[k]))


@loop("strided writes")
def new_even_elements(x):
    start = array(lambda i: x[i] * 0.0, size=2 * x.size())
    return fold(start, lambda k, v: put(v, k + k, x[k]), count=x.size())


@loop("strided writes")
def even_from_odd(long, x):
    return fold(long, lambda k, v: put(v, 2 * k, v[2 * k + 1] + x[k]))


@loop("strided writes")
def even_from_later(longer, x):
    return fold(longer, lambda k, v: put(v, 2 * k, v[2 * k + 2] * 2.0 - x[k]))


@loop("strided writes")
def halves(long, x):
    return fold(long, lambda k, v: put(v, k, v[2 * k]), count=x.size())


@loop("strided writes")
def strided_rows(m, x):
    return fold(
        m,
        lambda k, m: array(lambda i, j: where(i == 2 * k, m[i, j] * x[k], m[i, j])),
        count=x.size(),
    )


@loop("strided writes")
def strided_given_start(long, x, t):
    return fold(long, lambda k, v: put(v, 2 * k + t.max(-3), x[k]), count=x.size())


@loop("reversed writes")
def reversed_copy(v, x):
    return fold(v, lambda k, v: put(v, x.size() - 1 - k, x[k]), count=x.size())


@loop("reversed writes")
def reversed_by_own_size(v, x):
    return fold(v, lambda k, v: put(v, v.size() - k - 1, x[k] + v[v.size() - k - 1]))


@loop("reversed writes")
def reversed_twice_as_far(long, x):
    return fold(long, lambda k, v: put(v, long.size() - 2 * k - 2, x[k]))


@loop("reversed writes")
def reversed_columns(wide, x):
    return fold(
        wide,
        lambda k, m: array(
            lambda i, j: where(j == x.size() - 1 - k, m[i, j] + x[k], m[i, j]),
        ),
        count=x.size(),
    )


# Writes at indirect positions -----------------------------------------------------------------


@loop("scatter")
def scattered(v, p, x):
    return fold(v, lambda k, v: put(v, p[k], x[k]))


@loop("scatter")
def scattered_constants(p, n):
    return fold(array(lambda i: 0, size=n), lambda k, v: put(v, p[k], 1), count=p.size())


@loop("scatter")
def inverse_permutation(p):
    return fold(array(lambda i: 0, size=p.size()), lambda k, v: put(v, p[k], k), count=p.size())


@loop("scatter")
def scattered_under_guard(v, p, x):
    return fold(v, lambda k, v: where(x[k] > 0.0, put(v, p[k], x[k]), v))


@loop("scatter")
def scattered_if(v, p, x, y):
    def step(k, v):
        return array(lambda i: where((i == p[k]) & (y[k] > x[k]), x[k] + y[k], v[i]))

    return fold(v, step)


@loop("scatter")
def scattered_shifted(v, p, x):
    return fold(v, lambda k, v: put(v, p[k] + 1, x[k] * 2.0))


@loop("scatter")
def scattered_from_end(v, p, x):
    return fold(v, lambda k, v: put(v, v.size() - 1 - p[k], x[k]))


@loop("scatter")
def scattered_rows(m, p, w):
    return fold(m, lambda k, m: array(lambda i, j: where(i == p[k], w[k, j], m[i, j])))


@loop("scatter")
def scattered_columns(wide, p, x, z):
    return fold(wide, lambda k, m: array(lambda i, j: where(j == p[k], x[k] * z[i], m[i, j])))


@loop("scatter")
def scattered_in_matrix(m, p, q, x):
    return fold(m, lambda k, m: put2(m, p[k], q[k], x[k]))


@loop("scatter")
def one_hot(p, x):
    start = array(lambda i, j: 0.0 * x[i], size=(p.size(), p.size()))
    return fold(start, lambda k, m: put2(m, k, p[k], x[k]), count=p.size())


@loop("scatter")
def scattered_next_to_itself(v, p, x):
    return fold(v, lambda k, u: put(u, p[k], v[k] + x[k]))


@loop("scatter")
def scattered_by_quotient(v, x):
    return fold(v, lambda k, v: put(v, k // 2, x[k]))


@loop("scatter")
def scattered_by_remainder(v, x):
    return fold(v, lambda k, v: put(v, k % 3, x[k]))


# Accumulation ---------------------------------------------------------------------------------


@loop("accumulation")
def histogram(p, n):
    def step(k, h):
        return put(h, p[k], h[p[k]] + 1)

    return fold(array(lambda i: 0, size=n), step, count=p.size())


@loop("accumulation")
def weighted_histogram(v, p, x):
    return fold(v, lambda k, v: put(v, p[k], v[p[k]] + x[k]))


@loop("accumulation")
def accumulated_differences(v, p, x, y):
    return fold(v, lambda k, v: put(v, p[k], v[p[k]] - x[k] * y[k]))


@loop("accumulation")
def accumulated_at_index(v, p, x):
    return fold(v, lambda k, v: array(lambda i: where(i == p[k], v[i] + x[k], v[i])))


@loop("accumulation")
def accumulated_terms(v, p, x):
    return fold(v, lambda k, v: array(lambda i: v[i] + where(i == p[k], x[k], 0.0)))


@loop("accumulation")
def accumulated_maxima(v, p, x):
    return fold(v, lambda k, v: put(v, p[k], v[p[k]].max(x[k])))


@loop("accumulation")
def accumulated_minima(v, p, x):
    return fold(v, lambda k, v: put(v, p[k], x[k].min(v[p[k]])))


@loop("accumulation")
def accumulated_if_smaller(v, p, x):
    def step(k, v):
        return where(x[k] > 0.0, put(v, p[k], v[p[k]] + x[k]), v)

    return fold(v, step)


@loop("accumulation")
def accumulated_shifted(v, p, x):
    return fold(v, lambda k, v: put(v, p[k] - 1, v[p[k] - 1] + x[k]))


@loop("accumulation")
def accumulated_in_matrix(m, p, q, x):
    return fold(m, lambda k, m: put2(m, p[k], q[k], m[p[k], q[k]] + x[k]))


@loop("accumulation")
def accumulated_rows(m, p, w):
    def step(k, m):
        return array(lambda i, j: where(i == p[k], m[i, j] + w[k, j], m[i, j]))

    return fold(m, step)


@loop("accumulation")
def accumulated_truth(b, p, c):
    return fold(b, lambda k, v: put(v, p[k], v[p[k]] | c[k]))


@loop("accumulation")
def accumulated_products_of_ints(p, q):
    return fold(q, lambda k, v: put(v, p[k], v[p[k]] * (q[k] + 3)), count=p.size())


@loop("accumulation")
def accumulated_by_quotient(v, x):
    return fold(v, lambda k, v: put(v, k // 3, v[k // 3] + x[k]))


# Carried scalars that are written out ---------------------------------------------------------


def running(start, combine):
    """A fold that carries a combination, and writes it out."""

    def run(x, out):
        def step(k, state):
            acc, v = state
            new = combine(acc, x[k])
            return new, put(v, k, new)

        return fold((start, out), step, count=x.size())

    return run


@loop("written scalar")
def running_sum(x, v):
    return running(0.0, lambda a, e: a + e)(x, v)[1]


@loop("written scalar")
def running_sum_and_total(x, v):
    return running(1.0, lambda a, e: e + a)(x, v)


@loop("written scalar")
def running_maximum(x, v):
    return running(-INF, lambda a, e: a.max(e))(x, v)[1]


@loop("written scalar")
def running_choice_of_larger(x, v):
    return running(-100.0, lambda a, e: where(e > a, e, a))(x, v)[1]


@loop("written scalar")
def running_product(x, v):
    return running(1.0, lambda a, e: a * e)(x, v)[1]


@loop("written scalar")
def running_difference(x, v):
    return running(0.0, lambda a, e: a - e)(x, v)[1]


@loop("written scalar")
def running_count(x, p):
    def step(k, state):
        count, out = state
        new = where(x[k] > 0.0, count + 1, count)
        return new, put(out, k, new)

    return fold((0, p), step, count=x.size())[1]


@loop("written scalar")
def sum_before_each(x, v):
    def step(k, state):
        acc, out = state
        return acc + x[k], put(out, k, acc)

    return fold((0.0, v), step, count=x.size())[1]


@loop("written scalar")
def sum_from_the_end(x, v):
    def step(k, state):
        acc, out = state
        at = x.size() - 1 - k
        new = acc + x[at]
        return new, put(out, at, new)

    return fold((0.0, v), step, count=x.size())[1]


@loop("written scalar")
def used_running_sum(x, y, v):
    def step(k, state):
        acc, out = state
        new = acc + x[k]
        return new, put(out, k, new * y[k] - acc)

    return fold((0.0, v), step, count=x.size())[1]


@loop("written scalar")
def running_maximum_of_running_sum(x):
    def step(k, state):
        total, best = state
        total = total + x[k]
        return total, best.max(total)

    return fold((0.0, -INF), step, count=x.size())[1]


@loop("written scalar")
def running_maxima_of_running_sums(x, v):
    def step(k, state):
        total, best, out = state
        total = total + x[k]
        best = best.max(total)
        return total, best, put(out, k, best - total)

    return fold((0.0, -INF, v), step, count=x.size())[2]


@loop("written scalar")
def sum_of_prefixes(x):
    def step(k, state):
        total, area = state
        return total + x[k], area + total * x[k]

    return fold((0.0, 0.0), step, count=x.size())


@loop("written scalar")
def running_truth(b, c):
    def step(k, state):
        seen, out = state
        new = seen | b[k]
        return new, put(out, k, new)

    return fold((False, c), step, count=b.size())[1]


@loop("written scalar")
def scattered_running_sum(x, p, v):
    def step(k, state):
        acc, out = state
        new = acc + x[k]
        return new, put(out, p[k], new)

    return fold((0.0, v), step, count=x.size())[1]


@loop("written scalar")
def two_running_sums(x, y, v):
    def step(k, state):
        a, b, out = state
        return a + x[k], b + y[k], put(out, k, a * b)

    return fold((0.0, 0.0, v), step, count=x.size())


@loop("written scalar")
def positions_of_kept(x, v):
    """The elements that are positive, moved to the front."""

    def step(k, state):
        count, out = state
        keep = x[k] > 0.0
        return where(keep, count + 1, count), where(keep, put(out, count, x[k]), out)

    return fold((0, v), step, count=x.size())


# Several updates in a step --------------------------------------------------------------------


@loop("several updates")
def interleaved(long, x, y):
    return fold(long, lambda k, v: put(put(v, 2 * k, x[k]), 2 * k + 1, y[k]))


@loop("several updates")
def both_ends(v, x, y):
    return fold(v, lambda k, v: put(put(v, k, x[k]), v.size() - 1 - k, y[k]))


@loop("several updates")
def edges(v, p, q, x):
    def step(k, v):
        v = put(v, p[k], v[p[k]] + x[k])
        return put(v, q[k], v[q[k]] - x[k])

    return fold(v, step)


@loop("several updates")
def two_places(v, p, q, x, y):
    return fold(v, lambda k, v: put(put(v, p[k], x[k]), q[k], y[k]))


@loop("several updates")
def chosen_of_two(v, x, y):
    def step(k, v):
        return array(lambda i: where(i == k, x[k], where(i == k + 1, y[k], v[i])))

    return fold(v, step)


@loop("several updates")
def symmetric(x, n):
    start = array(lambda i, j: 0.0 * x[0], size=(n, n))

    def step(k, m):
        return put2(put2(m, 0, k, x[k]), k, 0, x[k])

    return fold(start, step, count=n)


@loop("several updates")
def two_vectors(v, x, y, p):
    def step(k, state):
        u, v = state
        return put(u, 2 * k, x[k]), put(v, p[k], y[k])

    return fold((v, v), step, count=p.size())


@loop("exchanges")
def reversed_in_place(v):
    def step(k, v):
        last = v.size() - 1 - k
        return put(put(v, k, v[last]), last, v[k])

    return fold(v, step, count=v.size() // 2)


@loop("exchanges")
def exchanged_pairs(longer):
    def step(k, v):
        return put(put(v, 2 * k, v[2 * k + 1]), 2 * k + 1, v[2 * k])

    return fold(longer, step, count=longer.size() // 2)


@loop("exchanges")
def rotated_triples(v):
    def step(k, v):
        rotated = put(put(v, 3 * k, v[3 * k + 1]), 3 * k + 1, v[3 * k + 2])
        return put(rotated, 3 * k + 2, v[3 * k])

    return fold(v, step, count=v.size() // 3)


@loop("exchanges")
def butterflies(longer):
    def step(k, v):
        half = v.size() // 2
        a, b = v[k], v[k + half]
        return put(put(v, k, a + b), k + half, a - b)

    return fold(longer, step, count=longer.size() // 2)


@loop("exchanges")
def columns_mirrored(wide):
    def step(k, m):
        last = m.size(1) - 1 - k
        return array(lambda i, j: where(j == k, m[i, last], where(j == last, m[i, k], m[i, j])))

    return fold(wide, step, count=wide.size(1) // 2)


@loop("exchanges")
def rows_upside_down(m):
    def step(k, m):
        last = m.size(0) - 1 - k
        return array(lambda i, j: where(i == k, m[last, j], where(i == last, m[k, j], m[i, j])))

    return fold(m, step, count=m.size(0) // 2)


# Guarded steps --------------------------------------------------------------------------------


@loop("guards")
def guarded_sum(x, y):
    return fold(0.0, lambda k, acc: where(x[k] > y[k], acc + x[k], acc))


@loop("guards")
def guarded_product(x, b):
    return fold(1.0, lambda k, acc: where(b[k], acc * x[k], acc))


@loop("guards")
def guarded_writes(v, x):
    return fold(v, lambda k, v: put(v, k, where(x[k] > 0.0, x[k], v[k])), count=x.size())


@loop("guards")
def guarded_by_counter(v, x, t):
    return fold(v, lambda k, v: where(k < t, put(v, k, x[k]), v))


@loop("guards")
def guarded_strides(long, x, b):
    return fold(long, lambda k, v: where(b[k], put(v, 2 * k + 1, x[k]), v))


@loop("guards")
def one_of_two(v, x, b):
    return fold(v, lambda k, v: where(b[k], put(v, k, x[k]), put(v, k, -x[k])))


@loop("guards")
def one_of_two_sums(x, b):
    return fold(0.0, lambda k, acc: where(b[k], acc + x[k], acc - x[k]))


@loop("guards")
def nested_guards(x, y):
    def step(k, acc):
        return where(x[k] > 0.0, where(y[k] > 0.0, acc + y[k], acc), acc - x[k])

    return fold(0.0, step)


@loop("guards")
def guarded_record(x, p):
    def step(k, state):
        total, count = state
        keep = x[k] > 0.0
        return where(keep, (total + x[k], count + p[k]), (total, count))

    return fold((0.0, 0), step)


@loop("guards")
def last_positive(x):
    return fold(-1.0, lambda k, last: where(x[k] > 0.0, x[k], last))


@loop("guards")
def last_positive_so_far(x, v):
    def step(k, state):
        last, out = state
        last = where(x[k] > 0.0, x[k], last)
        return last, put(out, k, last)

    return fold((0.0, v), step, count=x.size())[1]


@loop("guards")
def first_positive(x):
    def step(k, state):
        found, value = state
        new = ~found & (x[k] > 0.0)
        return found | (x[k] > 0.0), where(new, x[k], value)

    return fold((False, 0.0), step)


# Recurrences ----------------------------------------------------------------------------------


@loop("recurrences")
def sums_of_every_second(odd):
    return fold(odd, lambda k, v: put(v, k + 2, v[k] + v[k + 2]), count=(odd.size() - 2).max(0))


@loop("recurrences")
def strided_sum_with(v, x):
    return fold(v, lambda k, v: put(v, k + 2, v[k] + x[k]), count=(v.size() - 2).max(0))


@loop("recurrences")
def strided_maximum_down(v, x):
    n: Int = v.size()
    return fold(
        v,
        lambda k, v: put(v, n - 4 - k, v[n - 1 - k].max(x[k])),
        count=(n - 3).max(0),
    )


@loop("recurrences")
def even_positions_only(longer, x):
    return fold(longer, lambda k, v: put(v, 2 * k + 2, v[2 * k] + x[k]))


@loop("recurrences")
def rows_from_previous(m, w):
    def step(k, m):
        return array(lambda i, j: where(i == k + 1, m[k, j] + w[k, j], m[i, j]))

    return fold(m, step, count=(m.size(0) - 1).max(0))


@loop("recurrences")
def row_maxima(m):
    def step(k, m):
        return array(lambda i, j: where(i == k + 1, m[k, j].max(m[k + 1, j]), m[i, j]))

    return fold(m, step, count=(m.size(0) - 1).max(0))


@loop("recurrences")
def row_sums_upwards(m, w):
    n: Int = m.size(0)

    def step(k, m):
        return array(lambda i, j: where(i == n - 2 - k, m[n - 1 - k, j] - w[k, j], m[i, j]))

    return fold(m, step, count=(n - 1).max(0))


@loop("recurrences")
def columns_from_previous(wide):
    def step(k, m):
        return array(lambda i, j: where(j == k + 1, m[i, k] + m[i, k + 1], m[i, j]))

    return fold(wide, step, count=(wide.size(1) - 1).max(0))


@loop("recurrences")
def cumulative_product(v, x):
    return fold(v, lambda k, v: put(v, k + 1, v[k] * x[k]), count=(v.size() - 1).max(0))


@loop("recurrences")
def cumulative_product_in_place(v):
    return fold(v, lambda k, v: put(v, k + 1, v[k] * v[k + 1]), count=(v.size() - 1).max(0))


@loop("recurrences")
def cumulative_or(b, c):
    return fold(b, lambda k, v: put(v, k + 1, v[k] | c[k]), count=(b.size() - 1).max(0))


@loop("recurrences")
def cumulative_and(b):
    return fold(b, lambda k, v: put(v, k + 1, v[k] & v[k + 1]), count=(b.size() - 1).max(0))


@loop("recurrences")
def guarded_recurrence(v, x):
    def step(k, v):
        return put(v, k, where(k > 0, v[k - 1] + x[k], x[k]))

    return fold(v, step, count=x.size())


@loop("recurrences")
def first_of_its_own(v, x):
    def step(k, v):
        return put(v, k + 1, where(k == 0, x[0] * 3.0, v[k].max(x[k])))

    return fold(v, step, count=x.size())


@loop("recurrences")
def rows_after_the_first(m, w):
    def step(k, m):
        def element(i, j):
            return where(i == k, where(k < 1, w[k, j], m[k - 1, j] - w[k, j]), m[i, j])

        return array(element)

    return fold(m, step, count=w.size(0))


@loop("recurrences")
def guarded_recurrence_of_last(v, x):
    def step(k, v):
        return put(v, k + 1, where(x[k] > 0.0, v[k] + x[k], v[k]))

    return fold(v, step, count=(v.size() - 1).max(0))


# Prefixes and windows -------------------------------------------------------------------------


@loop("prefixes")
def prefix_by_difference(x):
    return array(lambda i: fold_sum(lambda k: where(k - i < 1, x[k], 0.0)), size=x.size())


@loop("prefixes")
def prefix_by_sum(x):
    return array(lambda i: fold_max(lambda k: where(i + 1 > k, x[k], -INF)), size=x.size())


@loop("prefixes")
def suffix_by_difference(x, t):
    return array(lambda i: fold_sum(lambda k: where(i - k <= 2, x[k], 0.0)), size=x.size())


@loop("prefixes")
def prefix_from_given(x, p):
    return array(lambda i: fold_sum(lambda k: where(k < p[i], x[k], 0.0)), size=p.size())


@loop("prefixes")
def reversed_prefix(x):
    n: Int = x.size()
    return array(lambda i: fold_sum(lambda k: where(k + i < n, x[k], 0.0)), size=n)


@loop("prefixes")
def prefix_truth(b):
    return array(lambda i: fold_any(lambda k: (k < i) & b[k]), size=b.size())


@loop("prefixes")
def prefix_all(b):
    return array(lambda i: fold_all(lambda k: (k > i) | b[k]), size=b.size())


@loop("prefixes")
def prefix_sentinel(x):
    return array(lambda t: fold_max(lambda s: where(s <= t, x[s], -1e30)), size=x.size())


@loop("prefixes")
def suffix_sentinel(x):
    return array(lambda t: fold_min(lambda s: where(s < t, 7.0, x[s])), size=x.size())


@loop("prefixes")
def segment_sentinel(x, p):
    return array(lambda c: fold_max(lambda k: where(p[k] == c, x[k], -1e30)), size=x.size())


@loop("prefixes")
def guarded_sentinel(x, y):
    return fold_max(lambda k: where(y[k] > 0.0, x[k], -1e30))


@loop("windows")
def moving_sum(x):
    def total(i):
        return fold_sum(lambda k: where((i - 3 < k) & (k <= i), x[k], 0.0))

    return array(total, size=x.size())


@loop("windows")
def moving_maximum(x):
    def most(i):
        return fold_max(lambda k: where((k >= i - 1) & (k < i + 2), x[k], -INF))

    return array(most, size=x.size())


@loop("windows")
def moving_sum_nested(x):
    def total(i):
        return fold_sum(lambda k: where(k <= i, where(k > i - 4, x[k] * x[k], 0.0), 0.0))

    return array(total, size=x.size())


@loop("windows")
def moving_sum_of_products(x, y):
    def total(i):
        return fold_sum(lambda k: where((i - k < 2) & (k - i < 2), x[k] * y[i], 0.0))

    return array(total, size=x.size())


# Segments -------------------------------------------------------------------------------------


@loop("segments")
def key_is_next(x, p):
    return array(lambda c: fold_sum(lambda k: where(p[k] == c + 1, x[k], 0.0)), size=x.size())


@loop("segments")
def key_less_one(x, p):
    return array(lambda c: fold_max(lambda k: where(p[k] - 1 == c, x[k], -INF)), size=x.size())


@loop("segments")
def key_from_end(x, p):
    n: Int = x.size()
    return array(lambda c: fold_sum(lambda k: where(n - 1 - c == p[k], x[k], 0.0)), size=n)


@loop("segments")
def key_sum(x, p, q):
    return array(lambda c: fold_sum(lambda k: where(p[k] == c - q[k], x[k], 0.0)), size=x.size())


@loop("segments")
def position_of_minimum_by_key(x, p):
    return array(lambda c: fold_argmin(lambda k: where(p[k] == c, x[k], INF)), size=x.size())


@loop("segments")
def minimum_and_position_by_key(x, p):
    def search(c):
        def step(k, best):
            return where((p[k] == c) & (x[k] < best[0]), (x[k], k), best)

        return fold((INF, -1), step)

    return array(search, size=x.size())


@loop("segments")
def position_of_maximum_of_prefix(x):
    return array(lambda i: fold_argmax(lambda k: where(k <= i, x[k], -INF)), size=x.size())


@loop("segments")
def shifted_index(x, m):
    return array(lambda i: fold_sum(lambda k: where(k == i + 1, x[k] * 2.0, 0.0)), size=m.size(0))


@loop("segments")
def key_is_double(x, p):
    return array(lambda c: fold_sum(lambda k: where(p[k] == 2 * c, x[k], 0.0)), size=x.size())


@loop("segments")
def key_from_multiple(x, p):
    return array(lambda c: fold_max(lambda k: where(p[k] == 4 - 3 * c, x[k], -INF)), size=x.size())


@loop("segments")
def multiples_of_keys(p, n):
    return array(lambda c: fold_sum(lambda k: where(2 * p[k] == 3 * c, 1, 0)), size=n)


@loop("segments")
def position_of_minimum_by_double_key(x, p):
    return array(lambda c: fold_argmin(lambda k: where(2 * c == p[k], x[k], INF)), size=x.size())


def last(start, value, test, steps):
    """The value of the last step for which a test holds."""
    return fold(start, lambda k, before: where(test(k), value(k), before), count=steps.size())


@loop("last of selected")
def last_by_key(x, p):
    return array(lambda c: last(0.0, lambda k: x[k], lambda k: p[k] == c, p), size=x.size())


@loop("last of selected")
def last_step_by_key(v, p):
    return array(lambda c: last(-1, lambda k: k, lambda k: p[k] == 2 * c + 1, p), size=v.size())


@loop("last of selected")
def last_by_key_or_own(v, p, x, b):
    return array(
        lambda c: last(v[c], lambda k: x[k], lambda k: (p[k] == c) & b[k], p), size=v.size()
    )


@loop("last of selected")
def last_record_by_key(x, y, p):
    return array(
        lambda c: last((1.0, 2.0), lambda k: (x[k], y[k]), lambda k: (p[k] == c) & (y[k] > 0.0), p),
        size=x.size(),
    )


@loop("last of selected")
def last_of_nested_tests(x, p, b, c):
    def step(i, k, before):
        return where(p[k] == i, where(b[k], where(c[k], before, x[k]), before), before)

    return array(lambda i: fold(1.0, lambda k, s: step(i, k, s), count=p.size()), size=x.size())


@loop("last of selected")
def last_row_by_key(m, p):
    return array(
        lambda i, j: last(0.0, lambda k: m[k, j], lambda k: p[k] == i, p), size=(m.size(0), 3)
    )


def first(test, steps):
    """The first step for which a test holds; -1 if there is none."""
    return fold(-1, lambda k, s: where((s < 0) & test(k), k, s), count=steps.size())


@loop("first of selected")
def first_above(x, s):
    return first(lambda k: x[k] > s, x)


@loop("first of selected")
def first_step_by_key(v, p):
    return array(lambda c: first(lambda k: p[k] == c, p), size=v.size())


@loop("first of selected")
def first_negative_of_rows(m):
    return array(lambda i: first(lambda k: m[i, k] < 0.0, m[0]), size=m.size(0))


@loop("first of selected")
def first_before(x, b):
    return array(lambda i: first(lambda k: (k < i) & ~b[k], x), size=x.size())


@loop("first of selected")
def place_behind_first(p, q):
    def step(k, s):
        return where((p[k] < q[k]) & (s == -2), 2 * k + 1, s)

    return fold(-2, step, count=p.size())


@loop("last of selected")
def last_positive_before(x):
    return array(
        lambda i: last(-1, lambda k: k, lambda k: (k < i) & (x[k] > 0.0), x), size=x.size()
    )


# Searches -------------------------------------------------------------------------------------


@loop("searches")
def minimum_and_position(x):
    return fold((INF, 0), lambda k, best: where(x[k] < best[0], (x[k], k), best))


@loop("searches")
def minimum_beside_position(x):
    return fold_min(lambda k: x[k]), fold_argmin(lambda k: x[k])


@loop("searches")
def minima_of_rows(m):
    def search(i):
        return fold((INF, 0), lambda k, best: where(m[i, k] < best[0], (m[i, k], k), best))

    return array(search)


@loop("searches")
def reduced_search(x):
    pairs = array(lambda k: (x[k], k))
    return pairs.reduce((INF, -1), lambda a, b: where(b[0] < a[0], b, a))


@loop("searches")
def reduced_search_swapped(x):
    pairs = array(lambda k: (k, x[k]))
    return pairs.reduce((-1, -INF), lambda a, b: where(a[1] < b[1], b, a))


@loop("searches")
def reduced_fields(x, y, b):
    records = array(lambda k: (x[k], y[k], b[k]))
    return records.reduce(
        (0.0, INF, False), lambda a, b: (a[0] + b[0], a[1].min(b[1]), a[2] | b[2])
    )


@loop("searches")
def reduced_fields_of_rows(m, w):
    def row(i):
        pairs = array(lambda k: (m[i, k], w[i, k]))
        return pairs.reduce((0.0, -INF), lambda a, b: (a[0] + b[0], a[1].max(b[1])))

    return array(row, size=m.size(0))


@loop("searches")
def reduced_by_fields(x, y):
    pairs = array(lambda k: (x[k], y[k]))

    def smaller(a, b):
        return where(b[0] < a[0], b[0], a[0]), where(b[1] > a[1], b[1], a[1])

    return pairs.reduce((INF, -INF), smaller)


@loop("searches")
def reduced_search_by_fields(x, y):
    """The operation of each field selects by the same comparison."""
    triples = array(lambda k: (x[k], k, y[k]))

    def better(a, b):
        less = b[0] < a[0]
        return where(less, b[0], a[0]), where(less, b[1], a[1]), where(less, b[2], a[2])

    return triples.reduce((INF, 0, 0.0), better)


@loop("searches")
def two_searches(x, y):
    def step(k, state):
        low, high = state
        return (
            where(x[k] < low[0], (x[k], k), low),
            where(y[k] > high[0], (y[k], k), high),
        )

    return fold(((INF, 0), (-INF, 0)), step)


# Nested loops ---------------------------------------------------------------------------------


@loop("nested loops")
def nested_histogram(m, p, n):
    def row(i, h):
        return fold(h, lambda j, h: put(h, p[i] + j, h[p[i] + j] + m[i, j]), count=m.size(1))

    return fold(zeros(n), row, count=m.size(0))


@loop("nested loops")
def nested_maxima(m, p, n):
    def row(i, v):
        return fold(v, lambda j, v: put(v, p[i], v[p[i]].max(m[i, j])), count=m.size(1))

    return fold(zeros(n), row, count=m.size(0))


@loop("nested loops")
def neighbours_counted(m, n):
    """The inner loop has a count that might be negative."""

    def cell(i, j, t):
        a, b = m[i, j].int(), m[i, j + 1].int()
        return put2(t, a, b, t[a, b] + 1)

    def row(i, t):
        return fold(t, lambda j, t: cell(i, j, t), count=m.size(1) - 1)

    return fold(array(lambda i, j: 0, size=(n, n)), row, count=m.size(0))


@loop("nested loops")
def rows_added_to_argument(m, x, t):
    """The count is an argument."""

    def row(i, v):
        return fold(v, lambda j, v: put(v, i, v[i] + m[i, j]), count=t)

    return fold(x, row, count=m.size(0))


@loop("nested loops")
def rows_summed_to_argument(m, x, t):
    return fold(x, lambda i, v: put(v, i, fold_sum(lambda j: m[i, j], count=t)), count=m.size(0))


@loop("nested loops")
def outer_product_by_cells(x, z):
    start = array(lambda i, j: 0.0, size=(x.size(), z.size()))

    def row(i, t):
        return fold(t, lambda j, t: put2(t, i, j, x[i] * z[j]), count=z.size())

    return fold(start, row, count=x.size())


@loop("cells by division")
def table_by_cells(x, z):
    n, m = x.size(), z.size()
    start = array(lambda i, j: 0.0, size=(n, m))
    return fold(start, lambda q, t: put2(t, q // m, q % m, x[q // m] * z[q % m]), count=n * m)


@loop("cells by division")
def cells_counted(m, n):
    columns = m.size(1)

    def cell(q, h):
        at = m[q // columns, q % columns].int()
        return put(h, at, h[at] + q)

    return fold(array(lambda i: 0, size=n), cell, count=m.size(0) * columns)


# Two of these forms at a time ----------------------------------------------------------------


@loop("combinations")
def strides_from_end(long, x):
    return fold(long, lambda k, v: put(v, long.size() - 1 - 2 * k, x[k]), count=x.size())


@loop("combinations")
def antidiagonal(wide, z):
    last = wide.size(1) - 1
    return fold(wide, lambda k, a: put2(a, k, last - k, z[k]), count=z.size())


@loop("combinations")
def accumulated_through_two_arrays(v, p, q, x):
    return fold(v, lambda k, a: put(a, p[q[k]], a[p[q[k]]] - x[k]), count=x.size())


@loop("combinations")
def accumulated_maxima_under_guard(v, p, x, b):
    return fold(v, lambda k, a: put(a, p[k], where(b[k], a[p[k]].max(x[k]), a[p[k]])))


@loop("combinations")
def pairs_counted(p, q, n):
    counts = array(lambda i, j: 0, size=(n, n))
    return fold(counts, lambda k, a: put2(a, p[k], q[k], a[p[k], q[k]] + 1), count=n)


@loop("combinations")
def running_position_of_maximum(x, p):
    def step(k, state):
        best, at, out = state
        better = x[k] > best
        at = where(better, k, at)
        return where(better, x[k], best), at, put(out, k, at)

    return fold((-INF, 0, p), step, count=x.size())[2]


@loop("combinations")
def below_the_highest_sum(x, v):
    def step(k, state):
        total, highest, out = state
        total = total + x[k]
        highest = highest.max(total)
        return total, highest, put(out, k, highest - total)

    return fold((0.0, -100.0, v), step, count=x.size())[2]


@loop("combinations")
def kept_values(x, v):
    def step(k, state):
        count, out = state
        is_kept = x[k] > 0.0
        return where(is_kept, count + 1, count), where(is_kept, put(out, count, x[k]), out)

    return fold((0, v), step, count=x.size())


@loop("combinations")
def counts_beside_sums(x, v, p):
    def step(k, state):
        count, total, sums, counts = state
        count = where(x[k] > 0.0, count + 1, count)
        return count, total + x[k], put(sums, k, total), put(counts, k, count)

    return fold((0, 0.0, v, p), step, count=x.size())


@loop("combinations")
def maximum_from_the_end(v):
    n: Int = v.size()
    return fold(v, lambda k, a: put(a, n - 2 - k, a[n - 1 - k].max(a[n - 2 - k])), count=n)


@loop("combinations")
def guarded_cumulative_product(v, x, b):
    return fold(v, lambda k, a: put(a, k + 1, where(b[k], a[k] * x[k], a[k])), count=x.size())


@loop("combinations")
def sentinel_of_windows(x):
    """Windows of a constant size, with a finite value elsewhere."""
    return array(
        lambda i: fold_min(lambda k: where((i - 2 <= k) & (k <= i), x[k], 1e9)), size=x.size()
    )


@loop("combinations")
def key_is_half(x, p):
    return array(lambda c: fold_sum(lambda k: where(p[k] // 2 == c, x[k], 0.0)), size=x.size())


@loop("combinations")
def minimum_and_position_by_next_key(x, p):
    def search(c):
        def step(k, best):
            return where((p[k] == c + 1) & (x[k] < best[0]), (x[k], k), best)

        return fold((INF, -1), step)

    return array(search, size=x.size())


@loop("combinations")
def reduced_search_beside_sum(x, y):
    triples = array(lambda k: (x[k], k, y[k]))

    def combined(a, b):
        less = b[0] < a[0]
        return where(less, b[0], a[0]), where(less, b[1], a[1]), a[2] + b[2]

    return triples.reduce((INF, 0, 0.0), combined)


@loop("combinations")
def one_of_two_arrays(v, y, x, b):
    def step(k, state):
        first, second = state
        return where(b[k], (put(first, k, x[k]), second), (first, put(second, k, x[k])))

    return fold((v, y), step, count=x.size())
