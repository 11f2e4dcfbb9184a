"""Positions that loops carry: stacks, parents, ends of searches, and others beyond bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ein_mlir as ein
from ein_mlir import Int, Vec, array, fold, fold_while, function, where
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS
from tests.selection import sizes_on

LARGEST = 2**63 - 1


def put(v: Any, p: Any, x: Any) -> Any:
    return array(lambda i: where(i == p, x, v[i]))


def empty(n: Any, value: Any = 0) -> Any:
    return array(lambda i: value, size=n)


@function
def nearest_greater(x: Vec[Int]):
    """A stack of indices."""
    n = x.size()

    def step(k: Any, s: Any):
        stack, top, out = s
        top = fold_while(
            top, lambda t: (t > 0) & (x[stack[ein.max(t - 1, 0)]] <= x[k]), lambda t: t - 1
        )
        out = put(out, k, where(top > 0, stack[ein.max(top - 1, 0)], -1))
        return put(stack, top, k), top + 1, out

    return fold((empty(n), 0, empty(n)), step, count=n)[2]


@function
def longest_increasing(x: Vec[Int]):
    """A search by halves among elements that positions are, in each step."""

    def step(i: Any, s: Any):
        tail, m = s

        def half(b: Any):
            low, high = b
            middle = (low + high) // 2
            less = x[tail[middle]] < x[i]
            return where(less, middle + 1, low), where(less, high, middle)

        low, _ = fold_while((0, m), lambda b: b[0] < b[1], half)
        return put(tail, low, i), ein.max(m, low + 1)

    return fold((empty(x.size()), 0), step, count=x.size())


@function
def joined(x: Vec[Int]):
    """Parents of sets: a loop ends where an element is its own position."""
    n = x.size()

    def find(p: Any, k: Any) -> Any:
        def up(s: Any):
            q, v = s
            above = q[q[v]]
            return put(q, v, above), above

        return fold_while((p, k), lambda s: s[0][s[1]] != s[1], up)

    def join(i: Any, p: Any):
        p, a = find(p, i)
        p, b = find(p, x[i])
        return put(p, ein.max(a, b), ein.min(a, b))

    return fold(array(lambda i: i, size=n), join, count=n)


@function
def below_the_bottom(x: Vec[Int]):
    def step(i: Any, s: Any):
        stack, top = s
        push = x[i] > 0
        return where(push, put(stack, top, i), stack), where(push, top + 1, top - 1)

    return fold((empty(x.size()), 0), step, count=x.size())


@function
def one_beyond(x: Vec[Int]):
    """Elements that are at most the size."""

    def step(i: Any, s: Any):
        q, total = s
        return put(q, q[i], q[i] + 1), total * 3 + x[q[i]]

    return fold((array(lambda i: i, size=x.size()), 0), step, count=x.size())


@function
def around_the_largest(x: Vec[Int]):
    def step(i: Any, s: Any):
        count, q = s
        return count + 1, put(q, count - (LARGEST - 4), i)

    return fold((LARGEST - 4, empty(x.size(), -1)), step, count=x.size() + 6)


@function
def from_beyond(x: Vec[Int]):
    def step(s: Any):
        t, q, total = s
        return t - 1, put(q, t - 1, t), total * 3 + q[t - 2] + x[t]

    return fold_while((x.size() + 2, x, 0), lambda s: s[0] > 0, step)


@function
def halves_from_beyond(x: Vec[Int]):
    def half(b: Any):
        low, high, total = b
        middle = (low + high) // 2
        less = x[middle] < 2
        return where(less, middle + 1, low), where(less, high, middle), total * 3 + x[middle]

    low, high, total = fold_while((-3, x.size() + 3, 0), lambda b: b[0] < b[1], half)
    return low, high, total, x[low], x[high - 1]


@function
def means_that_wrap(x: Vec[Int]):
    def half(b: Any):
        low, k = b
        return (low + (LARGEST - 5)) // 2 + 1, k + 1

    return fold_while((LARGEST // 2, 0), lambda b: (b[0] > 0) & (b[1] < 70), half)


@function
def doubled(x: Vec[Int]):
    def step(i: Any, s: Any):
        a, q = s
        return a + a + 1, put(q, a, q[a // 2] + 1)

    return fold((0, x), step, count=70)


@function
def in_turns(x: Vec[Int]):
    def step(i: Any, s: Any):
        a, b, q = s
        return b + 1, a - 2, put(q, a, q[b] + i)

    return fold((0, 3, x), step, count=x.size() + 3)


@function
def of_empty_arrays(x: Vec[Int]):
    """An element of an empty array is 0, which no element is."""

    def step(i: Any, s: Any):
        q, total = s
        return put(q, i, i + 1), total * 2 + q[total] + x[q[total]]

    return fold((empty(x.size() * 0, 5), 1), step, count=3)


@function
def before_the_first(x: Vec[Int]):
    """The last index of an empty array is -1."""
    n = x.size()

    def step(i: Any, s: Any):
        q, total = s
        return put(q, i, n - 1), total * 2 + q[i] + x[q[i]]

    return fold((empty(n, n - 1), 1), step, count=3)


@function
def each_its_own_steps(x: Vec[Int]):
    """Elements whose loops have ended are computed together with others."""
    n = x.size()
    table = array(lambda i: (i * 7 + 3) % ein.max(n, 1), size=n)

    def probe(k: Any) -> Any:
        return fold_while(
            (k, 0),
            lambda s: (s[1] < x[k]) & (table[s[0]] != k),
            lambda s: (table[s[0]], s[1] + 1),
        )

    return array(lambda k: probe(k)[0], size=n), array(lambda k: x[probe(k)[1] - 1], size=n)


@function
def rows_of_positions(x: Vec[Int]):
    n = x.size()
    first = array(lambda i, j: (i + j) % ein.max(n, 1), size=(n, n))

    def step(i: Any, s: Any):
        t, total = s
        row = t[x[i]]
        moved = array(lambda a, b: where(a == i, row[b], t[a, b]))
        return moved, total * 3 + x[t[i, x[i]]] + t[t[i, 0], t[0, i]]

    return fold((first, 0), step, count=n)


@function
def counts_of_elements(x: Vec[Int]):
    """An inner loop writes what the outer one reads."""
    n = x.size()

    def step(i: Any, s: Any):
        def inner(k: Any, s: Any):
            q, t = s
            return put(q, t, t - k), t + 1

        q, t = fold((s[0], s[1]), inner, count=ein.min(ein.max(x[i], 0), 3))
        return q, where(t > n, 0, t), s[2] * 3 + x[q[i]]

    return fold((empty(n), 0, 0), step, count=n)


@function
def pushed_if(x: Vec[Int]):
    """The places of elements that are not less than the last such one; others from the end."""
    n = x.size()

    def step(k: Any, s: Any):
        kept, m, rest, end = s
        c = x[k] >= x[kept[ein.max(m - 1, 0)]]
        kept = array(lambda i: where(c & (i == m), k, kept[i]))
        rest = array(lambda i: where((i == end) & ~c, x[k], rest[i]))
        return kept, where(c, m + 1, m), rest, where(c, end, end - 1)

    return fold((empty(n), 0, empty(n, -1), n - 1), step, count=n)


@function
def beyond_if(x: Vec[Int]):
    """Places that are out of bounds where the test holds, and rows of a table."""
    n = x.size()

    def step(k: Any, s: Any):
        q, t, table = s
        c = (x[k] > 1) | (t > 3)
        q = array(lambda i: where(c & (i == t + x[k]), k, q[i]))
        table = array(
            lambda i, j: where(c & (x[k] != 2) & (i == x[k]), table[i, j] + k, table[i, j])
        )
        return q, where(c, t + 1, t - (x[k] < 0).int()), table

    return fold((empty(n, -1), 0, array(lambda i, j: 0, size=(n, 2))), step, count=n)


@function
def for_no_element(x: Vec[Int]):
    """A loop that whole arrays run once for all elements, also if there are none."""
    n = x.size()

    def step(k: Any, s: Any):
        q, t = s
        return put(q, t, q[t] + k), t + 1

    def last(s: Any) -> Any:
        q, t = s
        return q[t - 1] + t

    return array(lambda i: last(fold((empty(n, n - 1), 0), step, count=3)) + x[i], size=n)


@function
def borders(x: Vec[Int]):
    """Elements of which each is at most the step that writes it."""

    def step(i: Any, s: Any):
        q, j = s
        i = i + 1

        def before(j: Any) -> Any:
            return q[j - 1]

        def differs(j: Any) -> Any:
            return (j > 0) & (x[i] != x[j])

        last: Any = fold_while(j, differs, before)
        j = where(x[i] == x[last], last + 1, last)
        return put(q, i, j), j

    return fold((empty(x.size()), 0), step, count=ein.max(x.size() - 1, 0))


@function
def beyond_the_step(x: Vec[Int]):
    """Elements that are one more than the step that writes them, or two."""

    def step(i: Any, s: Any):
        q, total = s
        j = q[i - 1]
        return put(q, i, where(x[i] > 1, i + 2, i + 1)), total * 3 + x[j] + q[j]

    return fold((empty(x.size()), 0), step)


@function
def united(x: Vec[Int]):
    """Parents that steps read and write, from elements that may be beyond bounds."""
    n = x.size()

    def root(p: Any, k: Any) -> Any:
        return fold_while(
            (k, 0), lambda s: (p[s[0]] != s[0]) & (s[1] < n), lambda s: (p[s[0]], s[1] + 1)
        )[0]

    def join(i: Any, s: Any):
        p, count = s
        a, b = root(p, x[i]), root(p, x[i - 1])
        return put(p, a, b), where(a != b, count - 1, count)

    return fold((array(lambda i: i, size=n), n), join)


@function
def far_elements(x: Vec[Int]):
    """Elements that steps add few to, and others that they double."""

    def step(i: Any, s: Any):
        near, far = s
        return put(near, i % 3, near[(i + 1) % 3] + 2), put(
            far, i % 3, far[(i + 2) % 3] * 3 + x[i % 2]
        )

    return fold((empty(3, 1), empty(3, 7)), step, count=90)


PROGRAMS: dict[str, Function[..., Any]] = {
    f.__name__: f
    for f in (
        *(nearest_greater, longest_increasing, joined, below_the_bottom, one_beyond),
        *(around_the_largest, from_beyond, halves_from_beyond, means_that_wrap, doubled),
        *(in_turns, of_empty_arrays, before_the_first, each_its_own_steps, rows_of_positions),
        *(counts_of_elements, pushed_if, beyond_if, for_no_element),
        *(borders, beyond_the_step, united, far_elements),
    )
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, backend: str) -> None:
    for size in sizes_on(backend, (0, 1, 2, 7), name):
        x = np.random.default_rng(size).integers(-3, size + 3, size)
        assert_call_agrees(PROGRAMS[name], (x,), backend, {})


@pytest.mark.parametrize("name", ["nearest_greater", "longest_increasing", "borders"])
def test_positions_by_induction_are_not_clipped(name: str) -> None:
    source = PROGRAMS[name].source(Vec[Int])
    assert "wrapped" not in source
    assert "9223372036854775807" not in source
    assert "if 0 <=" not in source


def test_an_update_with_a_condition_has_no_other_test_in_bounds() -> None:
    source = pushed_if.source(Vec[Int])
    assert "wrapped" not in source
    assert "if 0 <=" not in source
    assert source.count(" and 0 <= ") == 1, "the end of the others may be below 0"


def test_elements_in_bounds_are_positions_without_clips() -> None:
    source = united.source(Vec[Int])
    inside, beyond = source.split("if few:")
    assert "are_positions(x, t2, size0_x) and are_positions(i, t2, size0_x)" in inside
    assert " <= t2 else" not in inside
    assert " <= t2 else t2]" in beyond


def test_elements_that_steps_add_few_to_do_not_wrap() -> None:
    assert far_elements.source(Vec[Int]).count("else wrapped(") == 2, "the doubled ones"


def test_a_loop_that_ends_by_an_equation_finds_a_position() -> None:
    source = joined.source(Vec[Int])
    assert source.count("if 0 <=") == 2, "the places in the loops, not that of the join"
