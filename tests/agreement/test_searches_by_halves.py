"""Loops that search by halves: one search where keys are in order, and a loop elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Function,
    accumulate,
    array,
    compile,
    fold,
    fold_sum,
    fold_while,
    function,
    min,
    searchsorted,
    sort,
    where,
)
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS, in_64_bits
from tests.selection import sizes_on

SIZES = (0, 1, 2, 7, 33)


@function
def half_open(t: Any, q: Any, steps: Any) -> Any:
    def search(i: Any) -> Any:
        def halve(k: Any, ends: Any) -> Any:
            low, high = ends
            middle = (low + high) // 2
            after = where(t[middle] < q[i], (middle + 1, high), (low, middle))
            return where(low < high, after, ends)

        return fold((0, t.size()), halve, count=steps)[0]

    return array(search)


@function
def closed(t: Any, q: Any, steps: Any) -> Any:
    def search(i: Any) -> Any:
        def halve(ends: Any) -> Any:
            low, high = ends
            m = low + (high - low) // 2
            return where(t[m] <= q[i], m + 1, low), where(t[m] <= q[i], high, m - 1)

        return fold_while((0, t.size() - 1), lambda ends: ends[0] <= ends[1], halve)[0]

    return array(search)


@function
def open_(t: Any, q: Any, steps: Any) -> Any:
    def search(i: Any) -> Any:
        def halve(ends: Any) -> Any:
            low, high = ends
            m = (high + low) >> 1
            return where(t[m] > q[i], (low, m), (m, high))

        return fold_while((-1, t.size()), lambda ends: ends[1] - ends[0] > 1, halve)[1]

    return array(search)


@function
def computed_keys(t: Any, q: Any, steps: Any) -> Any:
    def search(i: Any) -> Any:
        def halve(ends: Any) -> Any:
            low, high = ends
            m = (low + high) // 2
            return where(q[i] > t[m] * 2 - 1, m + 1, low), where(q[i] > t[m] * 2 - 1, high, m)

        return fold_while((0, t.size()), lambda ends: ends[0] != ends[1], halve)[0]

    return array(search)


@function
def called(t: Any, q: Any, steps: Any) -> Any:
    return array(lambda i: (searchsorted(t, q[i]), searchsorted(sort(t), q[i], "right")))


@function
def counted(t: Any, q: Any, steps: Any) -> Any:
    def below(i: Any) -> Any:
        return fold_sum(lambda j: where(t[j] < q[i], 1, 0))

    def above(i: Any) -> Any:
        return fold_sum(lambda j: where(t[j] >= q[i], 1, 0))

    return array(lambda i: (below(i), above(i)))


@function
def joined(t: Any, q: Any, steps: Any) -> Any:
    """A sum of searches, whose values vary with the counter alone."""

    def term(i: Any) -> Any:
        place = min(searchsorted(t, q[i]), t.size() - 1)
        return where(t[place] == q[i], place, 0)

    return fold_sum(term, count=q.size())


PROGRAMS: dict[str, Function[..., Any]] = {
    "half-open": half_open,
    "closed": closed,
    "open": open_,
    "computed keys": computed_keys,
    "called": called,
    "counted": counted,
    "joined": joined,
}


def numbers(size: int, dtype: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    found = rng.integers(-9, 9, size).astype(dtype)
    if dtype != "int64" and size > 2:
        found[size // 2] = np.nan
    return found


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_keys_in_order_and_not(name: str, backend: str, dtype: str) -> None:
    """Also with NaN among values and keys, and with too few steps."""
    for size in SIZES if backend == "numpy" else (0, 7):
        t, q = numbers(size, dtype, 1), numbers(size + 2, dtype, 2)
        for keys in (t, np.sort(t), np.sort(t[t == t])):
            for steps in (2, 7):
                assert_call_agrees(PROGRAMS[name], (keys, q, steps), backend, {})


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_call_of_numpy(name: str) -> None:
    arguments = (np.arange(5.0), np.arange(3.0), 3)
    assert "place_in_order(" in PROGRAMS[name].source(*arguments)


@pytest.mark.parametrize("backend", BACKENDS)
def test_rows(backend: str) -> None:
    """Few and many values in each of several vectors."""

    @function
    def ranks(a: Any, x: Any) -> Any:
        def rank(i: Any, j: Any) -> Any:
            return fold_sum(lambda k: where(a[i, k] <= x[i, j], 1, 0))

        return array(rank)

    rng = np.random.default_rng(3)
    for size in sizes_on(backend, (0, 1, 3, 40)):
        a, x = rng.integers(0, 9, (4, 21)) * 1.0, rng.integers(0, 9, (4, size)) * 1.0
        a[1, 3] = np.nan
        x[2, : size // 2] = np.nan
        assert_call_agrees(ranks, (a, x), backend, {})


@function
def weights(t: Any, q: Any) -> Any:
    """Sums by the interval that a search finds: a search in a loop that is in order."""
    place = array(lambda i: searchsorted(t, q[i], side="right"))
    return accumulate(lambda i: (place[i], q[i]), size=t.size() + 1, count=q.size())


@pytest.mark.parametrize("backend", BACKENDS)
def test_sums_by_found_places(backend: str) -> None:
    for size in sizes_on(backend, SIZES):
        rng = np.random.default_rng(size)
        keys = np.sort(rng.normal(size=size))
        assert_call_agrees(weights, (keys, rng.normal(size=2 * size)), backend, {"float64": 1e-12})


@function
def half_of_a_step(t: Any, q: Any) -> Any:
    """The other carried Int has no use in a step."""

    def search(i: Any) -> Any:
        def step(k: Any, ends: Any) -> Any:
            return where(t[ends[0] // 2] < q[i], ends[0] + 1, ends[0]), ends[0] - 3

        return fold((0, 0), step, count=5)[1]

    return array(search, size=q.size())


@pytest.mark.parametrize("backend", BACKENDS)
def test_unused_end(backend: str) -> None:
    for size in sizes_on(backend, (1, 2, 7)):
        t, q = numbers(size, "float64", 1), numbers(size, "float64", 2)
        assert_call_agrees(half_of_a_step, (np.sort(t), q), backend, {"float64": 1e-12})


@function
def starts(t: Any, q: Any) -> Any:
    """The first place of each number, and sums over the places of one number."""
    start = array(lambda c: searchsorted(t, c), size=10)

    def total(c: Any) -> Any:
        within = lambda k: start[c] + k < start[c + 1]  # noqa: E731
        return fold_sum(lambda k: where(within(k), q[start[c] + k], 0.0), count=4)

    return start, array(total, size=9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_places_of_indices(backend: str) -> None:
    for size in SIZES[1:]:
        keys, q = numbers(size, "int64", 1), np.random.default_rng(size).normal(size=size)
        for t in (keys, np.sort(keys), np.sort(keys) * 5):
            assert_call_agrees(starts, (t, q), backend, {"float64": 1e-12})


def test_no_element_decides_a_size() -> None:
    """JAX compiles once, and a caller may trace the keys."""
    jax = pytest.importorskip("jax")
    with in_64_bits("jax"):
        t, q = jax.numpy.arange(7), jax.numpy.ones(7)
        assert compile(starts.phi(t, q), backend="jax").static_arguments == ()
        for keys in (t, t[::-1]):
            places, _ = jax.jit(starts.jax)(keys, q)
            expected, _ = starts.eval(np.asarray(keys), np.ones(7), backend="naive")
            np.testing.assert_array_equal(places, expected)
