"""Gradients of sums and products of the first steps, by masks, counts and rows, are linear."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Function,
    array,
    exp,
    fold,
    fold_max,
    fold_prod,
    fold_sum,
    function,
    grad,
    hessian,
    jvp,
    log,
    min,
    sin,
    value_and_grad,
    where,
)
from tests.agreement.comparison import argument, assert_call_agrees, differences
from tests.libraries import in_64_bits
from tests.selection import combinations, sizes_on, some

SIZES = (0, 1, 2, 5)


def masked(x):
    n = x.size(0)
    sums = array(lambda i: fold_sum(lambda j: where(j <= i, x[j] * x[j], 0.0)), size=n)
    return fold_sum(lambda i: sums[i].sin())


def counted(x):
    sums = array(lambda i: fold_sum(lambda j: x[j] * x[j], count=i + 1), size=x.size(0))
    return fold_sum(lambda i: sums[i].sin())


def rows(x):
    """A sum of each row, of a part of its elements."""
    n = x.size(0)

    def row(r, i):
        return fold_sum(lambda j: (x[r] * x[j]).sin(), count=i + 1)

    sums = array(row, size=(n, n))
    return fold_sum(lambda r, i: sums[r, i] ** 2.0 * x[i])


def suffixes(x):
    """The logarithm of an element that no sum reads is not a part of the gradient."""
    n = x.size(0)

    def rest(i):
        return fold_sum(lambda j: where(j > i, log(where(j == 0, 0.0, x[j])), 0.0))

    sums = array(rest, size=n)
    return fold_sum(lambda i: sums[i] * sums[i] * x[i])


def in_steps(x):
    return fold_sum(lambda i: sin(fold_sum(lambda j: exp(x[j]), count=i + 1)) * x[i])


def changed(x):
    """Other means before and behind each change; the logarithm that no sum takes has no part."""
    n = x.size(0)

    def misfit(s):
        def term(t):
            mean = where(t < s, exp(x[t]), x[n - 1])
            left = where(t < s, where(t == n - 1, 0.0, 1.0 + x[t] ** 2.0), 2.0)
            return (x[t] - mean) ** 2.0 + log(left)

        return fold_sum(term, count=n)

    sums = array(misfit, size=n)
    return fold_sum(lambda s: sin(sums[s]))


def at_risk(x):
    """The likelihood of Cox's model: a sum over all with a time that is not less."""

    def time(i):
        return (i * 7 + 3) % 5

    def all_at_risk(i):
        return fold_sum(lambda j: where(time(j) >= time(i), exp(x[j]), 0.0))

    return fold_sum(lambda i: x[i] - log(all_at_risk(i)))


def ragged(x):
    """Rows of 0, 1 and 2 elements."""
    n = x.size(0)
    ends = array(lambda i: (i * i + 1) // 3, size=n + 1)
    sums = array(
        lambda i: fold_sum(lambda k: x[ends[i] + k] ** 2.0, count=ends[i + 1] - ends[i]), size=n
    )
    return fold_sum(lambda i: sums[i].sin())


def products(x):
    """A factor is zero."""
    return fold_sum(lambda i: fold_prod(lambda j: x[j] - x[1], count=i + 1) * x[i] + x[i])


def remaining(x):
    """The products of the elements behind each one, of rows."""
    n = x.size(0)

    def rest(r, i):
        return fold_prod(lambda j: where(j > i, (x[j] * x[r]).cos(), 1.0))

    left = array(rest, size=(n, n))
    return fold_sum(lambda r, i: left[r, i] * x[i])


def pairs(x):
    """Pairs k < i of the elements of each row. Equal ones, as k = i, would divide by zero."""
    n = x.size(0)
    a = array(lambda r, i: x[i] + 0.5 * x[r] * x[i], size=(n, n))

    def row(r):
        return fold_sum(
            lambda i: fold_sum(
                lambda k: a[r, i] * a[r, k] / (0.1 * (i - k).float() + (x[i] - x[k]) ** 2.0),
                count=i,
            ),
            count=n,
        )

    rows = array(row, size=n)
    return fold_sum(lambda r: rows[r].sin())


def pairs_behind(x):
    n = x.size(0)

    def row(r):
        def behind(i):
            return fold_sum(lambda k: (x[r] + x[i] - x[i + 1 + k]).sin(), count=n - 1 - i)

        return fold_sum(lambda i: behind(i) ** 2.0, count=n)

    rows = array(row, size=n)
    return fold_sum(lambda r: rows[r] * x[r])


def pairs_in_a_band(x):
    """At most two elements before each one, and more than there are."""
    n = x.size(0)

    def row(r):
        def before(i, count):
            return fold_sum(lambda k: (x[r] * x[i] + x[i - 1 - k]).sin(), count=count)

        return fold_sum(lambda i: before(i, min(i, 2)) * before(i, min(1000, i)), count=n)

    rows = array(row, size=n)
    return fold_sum(lambda r: rows[r] * x[r])


def triples(x):
    def row(r):
        def pair(i, k):
            return fold_sum(lambda j: (x[r] + x[i] * x[k]).cos() * x[j], count=k)

        return fold_sum(
            lambda i: fold_sum(lambda k: pair(i, k), count=i) * x[i], count=x.size(0) + 1
        )

    rows = array(row, size=x.size(0))
    return fold_sum(lambda r: rows[r].sin())


def largest_before(x):
    """Largest elements of prefixes, of which the first is empty, and a product of the others."""
    n = x.size(0)

    def row(r):
        def of_prefix(i):
            most = fold_max(lambda k: (x[k] * x[r]).sin(), count=i)
            rest = fold_prod(lambda k: 1.0 + x[k] * x[r], count=n - 1 - i)
            return where(i == 0, x[r], most) * rest

        return fold_sum(of_prefix, count=n)

    rows = array(row, size=n)
    return fold_sum(lambda r: rows[r] * x[r])


def attention(x):
    """Weights of the elements up to each one, in the steps of a sum that does not change them."""
    n = x.size(0)

    def weighted(i, d):
        def score(j):
            return x[i] * x[j] + x[min(i - j, 2)]

        most = fold_max(score, count=i + 1)
        total = fold_sum(lambda j: exp(score(j) - most), count=i + 1)
        return fold_sum(lambda j: exp(score(j) - most) * (x[j] + x[d]), count=i + 1) / total

    return fold_sum(lambda i, d: weighted(i, d) ** 2.0, count=(n, n))


def composited(x):
    """A ray through layers: the light that is left is the same for each channel; one has none."""
    n = x.size(0)

    def colour(r, c):
        def step(k, state):
            left, total = state
            alpha = 1.0 - exp(-((x[r] * x[k]) ** 2.0)) * where(k == 1, 0.0, 1.0)
            return left * (1.0 - alpha), total + left * alpha * (x[k] * x[c])

        return fold((1.0, 0.0), step, count=n)[1]

    return fold_sum(lambda r, c: (colour(r, c) - x[c]) ** 2.0, count=(n, n))


def turned(x):
    """The joints of an arm: sums of angles, and of functions of the sums."""

    def step(k, state):
        angle, place, total = state
        angle = angle + x[k]
        place = place + sin(angle) * x[k]
        return angle, place, total + exp(-place * place)

    angle, place, total = fold((0.5, x[0], 0.0), step, count=x.size(0))
    return total * place + angle


PROGRAMS = {
    f.__name__: f
    for f in (
        masked,
        counted,
        rows,
        suffixes,
        in_steps,
        changed,
        at_risk,
        ragged,
        products,
        remaining,
        pairs,
        pairs_behind,
        pairs_in_a_band,
        triples,
        largest_before,
        attention,
        composited,
        turned,
    )
}


@cache
def program(name: str) -> Function:
    return function(PROGRAMS[name])


@cache
def gradient(name: str, backend: str) -> Function:
    return function(grad(program(name)), backend=backend)


@cache
def slopes(name: str, size: int) -> Any:
    return differences(lambda x: program(name).eval(x, backend="naive"), argument(size))


@pytest.mark.parametrize(("name", "backend", "dtype"), some(combinations(PROGRAMS), 2))
def test_gradients(name: str, backend: str, dtype: str) -> None:
    tolerance = 1e-5 if dtype == "float64" else 2e-3
    for size in sizes_on(backend, SIZES, name):
        with in_64_bits(backend):
            x = argument(size).astype(dtype)
            found = np.asarray(gradient(name, backend).eval(x, backend=backend))
        np.testing.assert_allclose(found, slopes(name, size), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", some(list(PROGRAMS), 2))
def test_directions_and_second_derivatives(name: str) -> None:
    x, dx = argument(3), argument(9)[:3]
    _, found = jvp(program(name), (x,), (dx,))
    np.testing.assert_allclose(found, slopes(name, 3) @ dx, rtol=1e-5, atol=1e-5)
    expected = differences(gradient(name, "numpy"), x)
    np.testing.assert_allclose(hessian(program(name))(x), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("f", [masked, counted, suffixes, in_steps, at_risk])
def test_the_time_is_linear(f: Callable[..., Any]) -> None:
    """The sums of the cotangents are scans, too, and no step of a loop is one of Python."""
    source = grad(function(f)).source(argument(5)).rpartition("def ")[2]
    assert source.count("add.accumulate") + source.count("scan(np.add") == 2
    assert "for " not in source


def test_changes_are_of_prefixes_and_suffixes() -> None:
    source = grad(function(changed)).source(argument(5)).rpartition("def ")[2]
    loops = [line for line in source.splitlines() if "for " in line]
    assert all("start" in line for line in loops)


def test_no_loop_takes_single_pairs() -> None:
    """One takes a row of pairs: where blocks would have few rows."""
    source = grad(function(pairs)).source(argument(5)).rpartition("def ")[2]
    loops = [line for line in source.splitlines() if "for " in line]
    assert sum("start" not in line and "block" not in line for line in loops) == 1


def test_no_step_has_sizes_of_its_own() -> None:
    source = grad(function(attention)).source(argument(5)).rpartition("def ")[2]
    assert "is negative" not in source
    assert "for k" not in source


def test_negative_counts_are_errors() -> None:
    def program(x: Any) -> Any:
        return fold_sum(lambda i: fold_sum(lambda k: x[k] * x[k], count=i - 2), count=x.size(0))

    gradient = grad(function(program))
    assert gradient(argument(0)).size == 0
    for backend in ("naive", "numpy"):
        with pytest.raises(ValueError, match="negative"):
            gradient.eval(argument(3), backend=backend)


def test_products_take_a_loop_over_the_steps() -> None:
    source = grad(function(products)).source(argument(5)).rpartition("def ")[2]
    assert source.count("for ") <= 2


def test_sums_that_a_loop_carries_are_scans() -> None:
    assert " acc = " not in grad(function(turned)).source(argument(5))


def test_the_light_that_is_left_has_no_channels() -> None:
    """The loop over the layers carries one cotangent for each ray."""
    source = grad(function(composited)).source(argument(5)).rpartition("def ")[2]
    assert " acc = np.zeros(size0_x)\n" in source


def test_loops_with_checkpoints_save_no_scans() -> None:
    assert "add.accumulate" not in grad(function(turned), checkpoint=0).source(argument(5))


def test_choices_in_tests_end() -> None:
    """Sums that a bound decides in several places, also in a test, are split once at each."""

    def program(x: Any) -> Any:
        left = lambda k, i: where(k < i, x[k], 1.0)  # noqa: E731
        right = lambda k, i: where(k > i, x[k], 0.5)  # noqa: E731
        value = lambda k, i: where(left(k, i) > 0.0, right(k, i) * x[k], left(k, i))  # noqa: E731
        sums = lambda i: fold_sum(lambda k: value(k, i), count=x.size())  # noqa: E731
        return fold_sum(lambda i: sums(i) ** 2.0, count=x.size())

    both = function(value_and_grad(program))
    for size in (0, 1, 5):
        assert_call_agrees(both, (argument(size),), "numpy", {"float64": 1e-9})
