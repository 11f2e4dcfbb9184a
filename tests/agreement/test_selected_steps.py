"""Folds over ranges of steps that differ by element, and over steps that comparisons select."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Bool,
    Float,
    Int,
    Vec,
    array,
    exp,
    fold,
    fold_all,
    fold_any,
    fold_max,
    fold_min,
    fold_sum,
    function,
    log,
    where,
)
from tests.agreement.comparison import assert_call_agrees, assert_limits_agree
from tests.libraries import BACKENDS, in_64_bits, on
from tests.selection import sizes_on

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
LEAST, LARGEST = -(2**63), 2**63 - 1


@function
def scattered(x: Vec[Vec[Float]], w: Vec[Float]) -> Vec[Vec[Float]]:
    """Sums of which a condition that varies with the outer step leaves out all terms."""
    n, m = x.size(0), x.size(1)

    def term(i: Int, j: Int, a: Int, b: Int) -> Float:
        p, q = i - a, j - b
        is_own = (p % 2 == 0) & (q % 2 == 0) & (p >= 0) & (q >= 0) & (p // 2 < n) & (q // 2 < m)
        return where(is_own, x[p // 2, q // 2] * w[a] * w[b], 0.0)

    return array(
        lambda i, j: fold_sum(lambda a, b: term(i, j, a, b), count=(w.size(), w.size())),
        size=(2 * n + 1, 2 * m + 1),
    )


@function
def sums(x: Vec[Float], p: Vec[Int], q: Vec[Int]) -> Vec[Float]:
    """Sums of ranges of floats."""
    return array(lambda i: fold_sum(lambda k: where((p[i] <= k) & (k < q[i]), x[k], 0.0)))


@function
def extremes(x: Vec[Float], p: Vec[Int], q: Vec[Int]) -> Vec[Float]:
    """Extremes of ranges, with an initial value in place of other elements."""
    return array(
        lambda i: (
            fold_max(lambda k: where((k > p[i]) & (k <= q[i]), x[k], -2.0))
            - fold_min(lambda k: where((k >= p[i]) & ~(k > q[i]), x[k], 2.0))
        )
    )


@function
def int_sums(x: Vec[Float], p: Vec[Int], q: Vec[Int]) -> Vec[Int]:
    """Sums of ranges of Ints, numbers of steps in a range, and of selected ones."""
    return array(
        lambda i: (
            fold_sum(lambda k: where((p[i] <= k) & (k < q[i]), k * k - 3, 0), count=x.size())
            + 100 * fold_sum(lambda k: ((p[i] < k) & (k <= q[i])).int(), count=x.size())
            + 1000 * fold_sum(lambda k: ((p[i] < k) & (k <= q[i]) & (x[k] > 0.0)).int())
        )
    )


@function
def truths(x: Vec[Float], p: Vec[Int], q: Vec[Int]) -> Vec[Bool]:
    """Whether some or all elements of a range are positive."""
    return array(
        lambda i: (
            fold_any(lambda k: (p[i] <= k) & (k < q[i]) & (x[k] > 0.5))
            ^ fold_all(lambda k: (p[i] > k) | (k >= q[i]) | (x[k] > -0.5))
        )
    )


@function
def outside(x: Vec[Float], p: Vec[Int], q: Vec[Int]) -> Vec[Float]:
    """Sums of all elements outside of a range."""
    return array(lambda i: fold_sum(lambda k: where((p[i] <= k) & (k < q[i]), 0.0, x[k])))


@function
def several_bounds(x: Vec[Float], p: Vec[Int], q: Vec[Int]) -> Vec[Float]:
    """Sums of ranges with more than two bounds."""
    return array(
        lambda i: fold_sum(lambda k: where((p[i] <= k) & (k < q[i]) & (k >= i - 1), x[k], 0.0))
    )


@function
def several_starts(x: Vec[Float], p: Vec[Int], q: Vec[Int]) -> Vec[Float]:
    """Extremes of steps from several limits on, some of which are written the other way around."""
    return array(
        lambda i: (
            fold_max(lambda k: where((k >= i - 1) & (k >= p[i]) & ~(k < q[i]), x[k], -2.0))
            - fold_min(lambda k: where((k >= p[i]) & (k < i + 2) & ~(k >= q[i]), x[k], 2.0))
        )
    )


RANGES = [sums, extremes, int_sums, truths, outside, several_bounds, several_starts]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", RANGES)
def test_ranges(program: Any, backend: str) -> None:
    rng = np.random.default_rng(1)
    for size, number in sizes_on(backend, ((0, 0), (0, 3), (1, 2), (2, 5), (7, 9), (33, 40))):
        x = rng.normal(size=size)
        ends = [rng.integers(-2, size + 3, number) for _ in range(2)]
        assert_call_agrees(program, (x, *ends), backend, TOLERANCE)
    extreme = [LEAST, LEAST + 1, -1, 0, 2, LARGEST - 1, LARGEST]
    p, q = (np.array(each).ravel() for each in np.meshgrid(extreme, extreme))
    assert_call_agrees(program, (rng.normal(size=4), p, q), backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_elements_outside_of_a_range_have_no_effect(backend: str) -> None:
    """No rounding of large elements, and no infinity or NaN."""
    x = np.array([1e300, 1.0, 2.0**-30, -1e300, np.inf, 3.0, np.nan, 0.125])
    p, q = np.array([1, 2, 5, 7, 4, 6]), np.array([3, 3, 6, 8, 6, 8])
    for program in (sums, extremes):
        assert_call_agrees(program, (x, p, q), backend, {})


@function
def window_sums(x: Vec[Float], r: Int) -> Vec[Float]:
    """Sums of the elements no further than r."""
    return array(lambda i: fold_sum(lambda k: where(abs(k - i) <= r, x[k], 0.0)), size=x.size())


@function
def window_maxima(x: Vec[Float], r: Int) -> Vec[Float]:
    """The largest element nearer than r to 2*i - 3, which is written the other way around."""
    return array(
        lambda i: fold_max(lambda k: where(r > abs(2 * i - 3 - k), x[k], -9.0)), size=x.size()
    )


@function
def far_sums(x: Vec[Float], r: Int) -> Vec[Float]:
    """Sums of the elements further than r, and at least r."""
    return array(
        lambda i: (
            fold_sum(lambda k: where(abs(k - i) > r, x[k], 0.0))
            - 3.0 * fold_sum(lambda k: where(~(abs(k - i) < r), x[k], 0.0))
        ),
        size=x.size(),
    )


@function
def compared(x: Vec[Float], r: Int) -> Vec[Float]:
    """Sums of windows whose ends may wrap."""
    return array(
        lambda i: fold_sum(lambda k: where((k >= i - r) & (k <= i + r), x[k], 0.0)),
        size=x.size(),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [window_sums, window_maxima, far_sums, compared])
def test_distances(program: Any, backend: str) -> None:
    rng = np.random.default_rng(2)
    for size in sizes_on(backend, (0, 1, 2, 9)):
        for radius in (LEAST, LEAST + 1, -1, 0, 1, 3, 100, 2**60, LARGEST - 1, LARGEST):
            arguments = rng.normal(size=size), radius
            assert_call_agrees(program, arguments, backend, TOLERANCE)


def near(i: Int, j: Int, y: Int, x: Int) -> Bool:
    return (abs(y - i) <= 2) & (abs(x - j) <= 1)


@function
def box_sums(a: Vec[Vec[Float]], start: Float) -> Any:
    """Sums over boxes, and over those without their centre."""
    rows, columns = a.size(0), a.size(1)

    def others(i: Int, j: Int, y: Int, x: Int) -> Float:
        return where(near(i, j, y, x) & ((y != i) | (x != j)), a[y, x] ** 2, 0.0)

    return (
        array(
            lambda i, j: fold_sum(lambda y, x: where(near(i, j, y, x), a[y, x], 0.0)),
            size=(rows, columns),
        ),
        array(
            lambda i, j: fold_sum(lambda y, x: others(i, j, y, x), count=(rows, columns)),
            size=(rows, columns),
        ),
    )


@function
def box_extremes(a: Vec[Vec[Float]], start: Float) -> Any:
    """Extremes of boxes, with several values in place of the elements outside."""
    shape = a.size(0), a.size(1)
    return (
        array(
            lambda i, j: fold_max(lambda y, x: where(near(i, j, y, x), a[y, x], -np.inf)),
            size=shape,
        ),
        array(
            lambda i, j: fold_max(lambda y, x: where(near(i, j, y, x), a[y, x], 0.0)), size=shape
        ),
        array(
            lambda i, j: fold_min(lambda y, x: where(~near(i, j, y, x), start, a[y, x])),
            size=shape,
        ),
    )


@function
def boxes_of_a_loop(a: Vec[Vec[Float]], start: Float) -> Any:
    """Boxes in the steps of a loop, from another value than the identity."""
    shape = a.size(0), a.size(1)

    def box(b: Any, i: Int, j: Int) -> Float:
        def row(y: Int, total: Float) -> Float:
            return fold(
                total,
                lambda x, t: where(near(i, j, y, x), t + b[y, x] / 20.0, t),
                count=shape[1],
            )

        return fold(start, row, count=shape[0])

    return fold(a, lambda _, b: array(lambda i, j: box(b, i, j), size=shape), count=3)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [box_sums, box_extremes, boxes_of_a_loop])
def test_boxes(program: Any, backend: str) -> None:
    rng = np.random.default_rng(3)
    for shape in sizes_on(backend, ((0, 2), (1, 1), (5, 4))):
        a = rng.normal(size=shape)
        assert_call_agrees(program, (a, 0.25), backend, TOLERANCE)
    a[3, 2], a[0, 3] = np.nan, np.inf
    assert_call_agrees(program, (a, 0.25), backend, TOLERANCE)


@pytest.mark.parametrize("program", [box_sums, box_extremes])
def test_boxes_take_no_step_outside(program: Any) -> None:
    assert "yarr.fold" not in program.ir("yarr", np.ones((3, 3)), 1.0)


@function
def counts(x: Vec[Float], y: Vec[Float]) -> Vec[Int]:
    """Numbers of elements in all orders of a comparison."""
    return array(
        lambda i: (
            fold_sum(lambda k: (x[k] < y[i]).int())
            + 100 * fold_sum(lambda k: where(y[i] >= x[k], 1, 0))
            + 10**4 * fold_sum(lambda k: (x[k] > y[i]).int())
            + 10**6 * fold_sum(lambda k: (y[i] <= x[k]).int())
        )
    )


@function
def between(x: Vec[Float], y: Vec[Float]) -> Vec[Int]:
    """Numbers of elements between two limits."""
    return array(
        lambda i: (
            fold_sum(lambda k: ((y[i] - 1.0 < x[k]) & (x[k] <= y[i])).int())
            + 100 * fold_sum(lambda k: ((y[i] <= x[k]) & (x[k] < y[i] + 1.0)).int())
        )
    )


@function
def weighted(x: Vec[Float], y: Vec[Float]) -> Vec[Float]:
    """Sums and extremes of other values of the selected steps."""
    return array(
        lambda i: (
            fold_sum(lambda k: where(x[k] <= y[i], k.float() + 1.0, 0.0))
            + fold_max(lambda k: where(x[k] > y[i], k.float(), -1.0))
            - fold_sum(lambda k: where((x[k] >= y[i]) & (k > 1), 3.0, 0.0))
        )
    )


@function
def nested_limits(x: Vec[Float], y: Vec[Float]) -> Vec[Float]:
    """Sums of elements between the nearest of several limits."""

    def element(k: Any, i: Any) -> Any:
        above = (x[k] >= y[i]) & (x[k] > 2.0 * y[i] - 1.0)
        return where(above & (x[k] < y[i] + 1.0) & (x[k] <= 1.5), x[k], 0.0)

    return array(lambda i: fold_sum(lambda k: element(k, i), count=x.size()), size=y.size())


@function
def whether(x: Vec[Float], y: Vec[Float]) -> Vec[Bool]:
    """Whether some or all elements are beyond a limit."""
    return array(
        lambda i: fold_any(lambda k: x[k] < y[i]) ^ fold_all(lambda k: ~(x[k] < y[i] - 2.0))
    )


@function
def int_counts(x: Vec[Float], y: Vec[Float]) -> Vec[Int]:
    """Numbers of Ints, by comparisons that hold or do not."""
    m, n = array(lambda k: (4.0 * x[k]).int()), array(lambda i: (4.0 * y[i]).int())
    return array(
        lambda i: (
            fold_sum(lambda k: where(m[k] < n[i], 1, 0))
            + 100 * fold_sum(lambda k: where(m[k] <= n[i], 0, 1))
            + 10**4 * fold_sum(lambda k: where((m[k] > n[i]) & (n[i] + 3 > m[k]), 1, 0))
        )
    )


@function
def intervals(x: Vec[Float], y: Vec[Float]) -> Vec[Int]:
    """Numbers of intervals of elements that hold a limit, which are empty where they end first."""

    def end(k: Any) -> Any:
        return 0.0 - x[x.size() - 1 - k]

    return array(
        lambda i: (
            fold_sum(lambda k: where((x[k] <= y[i]) & (y[i] < end(k)), 1, 0))
            + 100 * fold_sum(lambda k: where((y[i] > x[k]) & ~(y[i] >= end(k)), k, 0))
            + 10**4 * fold_sum(lambda k: where((x[k] <= y[i]) & (end(k) >= y[i]), 1.0, 0.0)).int()
            + 10**6 * fold_any(lambda k: (x[k] < y[i]) & (y[i] <= end(k)) & (k != 2)).int()
        ),
        size=y.size(),
    )


def check_many(program: Any, keys: Any, limits: Any, backend: str) -> None:
    """Check a program of so many keys and limits that backends sort them, on JAX some programs."""
    if backend != "jax":
        arguments = np.resize(keys, 65), np.resize(limits, 65)
        assert_call_agrees(program, arguments, backend, TOLERANCE)
    elif program in (whether, last_record):
        many = np.resize(keys, 65), np.resize(limits, 1030)
        assert_limits_agree(program, *many, backend, TOLERANCE)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "program", [counts, between, weighted, nested_limits, whether, int_counts, intervals]
)
def test_comparisons(program: Any, backend: str) -> None:
    rng = np.random.default_rng(3)
    for size, number in sizes_on(backend, ((0, 0), (0, 3), (1, 2), (2, 5), (7, 9), (33, 70))):
        x, y = rng.normal(size=size).round(1), rng.normal(size=number).round(1)
        assert_call_agrees(program, (x, y), backend, TOLERANCE)
    x = np.array([np.nan, 1.0, -np.inf, 0.0, -0.0, np.inf, np.nan, -1.0, np.inf])
    y = np.array([np.nan, -np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, np.inf])
    if program is not int_counts:
        assert_call_agrees(program, (x, y), backend, TOLERANCE)
        check_many(program, x, y, backend)


@function
def last_value(x: Vec[Float], y: Vec[Float]) -> Vec[Float]:
    """The value of the last step whose key is equal, which varies with the limit."""
    return array(
        lambda i: fold(
            -9.0, lambda k, last: where(x[k] == y[i], 10.0 * k.float() + y[i], last), count=x.size()
        )
    )


@function
def last_record(x: Vec[Float], y: Vec[Float]) -> Vec[Float]:
    """The record of the last step below a limit, with a test of the steps beside it."""

    def last(i: Int) -> tuple[Int, Float]:
        def step(k: Int, before: tuple[Int, Float]) -> tuple[Int, Float]:
            taken = (x[k] < y[i]) & (k % 3 != 1)
            return where(taken, k, before[0]), where(taken, x[k], before[1])

        return fold((-2, 0.5), step, count=x.size())

    return array(lambda i: last(i)[0].float() + 100.0 * last(i)[1])


@function
def last_of_range(x: Vec[Float], y: Vec[Float]) -> Vec[Float]:
    """The last element of those in a range, written the other way around."""
    return array(
        lambda i: fold(
            y[i],
            lambda k, last: where((x[k] <= y[i]) | (k < i - 2) | (k > i + 9), last, x[k]),
            count=x.size(),
        )
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [last_value, last_record, last_of_range])
def test_last_steps(program: Any, backend: str) -> None:
    rng = np.random.default_rng(4)
    for size, number in sizes_on(backend, ((0, 0), (0, 3), (1, 2), (2, 5), (7, 9), (33, 70))):
        x, y = rng.normal(size=size).round(1), rng.normal(size=number).round(1)
        assert_call_agrees(program, (x, y), backend, TOLERANCE)
    x = np.array([np.nan, 1.0, -np.inf, 0.0, -0.0, np.inf, np.nan, -1.0, np.inf])
    y = np.array([np.nan, -np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, np.inf])
    assert_call_agrees(program, (x, y), backend, TOLERANCE)
    check_many(program, x, y, backend)


def test_no_loop_over_all_pairs() -> None:
    """The number of steps is logarithmic, or there is no loop."""
    x, y = np.zeros(9), np.zeros(9)
    p = np.zeros(9, np.int64)
    for program, arguments in (
        *((each, (x, p, p)) for each in RANGES),
        (window_sums, (x, 3)),
        (far_sums, (x, 3)),
        (compared, (x, 3)),
        *(
            (each, (x, y))
            for each in (counts, between, weighted, nested_limits, whether, int_counts, intervals)
        ),
    ):
        source = program.source(*arguments)
        assert not re.search(r"in range\(size\w+\):", source), source


@function
def log_of_risks(x: Vec[Float], score: Vec[Float], event: Vec[Int]) -> Float:
    """A sum over selected steps of the sums over the steps with no smaller key."""
    return fold_sum(
        lambda i: where(
            event[i] == 1,
            score[i] - log(fold_sum(lambda j: where(x[j] >= x[i], exp(score[j]), 0.0))),
            0.0,
        )
    )


@function
def means_of_risks(x: Vec[Float], y: Vec[Vec[Float]]) -> Vec[Float]:
    """Sums over steps in order, also of values that vary with another index."""

    def mean(i: Int, k: Int) -> Float:
        total = fold_sum(lambda j: where(x[j] >= x[i], exp(y[j, k]), 0.0))
        return total / fold_sum(lambda j: where(x[j] >= x[i], 1.0, 0.0))

    return array(lambda k: fold_sum(lambda i: mean(i, k), count=x.size()), size=y.size(1))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_sums_over_steps_of_no_smaller_key(size: int, backend: str) -> None:
    rng = np.random.default_rng(5)
    x, score = rng.integers(0, 4, size).astype(float), rng.normal(size=size)
    event = rng.integers(0, 2, size)
    assert_call_agrees(log_of_risks, (x, score, event), backend, TOLERANCE)
    assert_call_agrees(means_of_risks, (x, rng.normal(size=(size, 3))), backend, TOLERANCE)


@pytest.mark.parametrize("backend", on("torch", "jax"))
def test_gradient_where_a_key_is_nan(backend: str) -> None:
    """The value of a step that no limit selects is infinite, and so is its derivative."""
    x, score = np.array([1.0, np.nan, 0.5]), np.array([0.5, 1e4, -0.25])
    summed = function(
        lambda x, s: fold_sum(
            lambda i: fold_sum(lambda j: where(x[j] >= x[i], exp(s[j]), 0.0)), count=x.size()
        )
    )
    expected = [2 * np.exp(0.5), 0.0, np.exp(-0.25)]
    if backend == "torch":
        import torch

        leaf = torch.tensor(score, requires_grad=True)
        summed.torch(torch.tensor(x), leaf).backward()
        found = leaf.grad
    else:
        import jax

        with in_64_bits(backend):
            found = jax.grad(lambda s: summed.jax(x, s))(score)
    np.testing.assert_allclose(np.asarray(found), expected)


@function
def within_groups(key: Vec[Float], x: Vec[Float], bound: Vec[Int]) -> Vec[Vec[Float]]:
    """Sums, numbers and extremes over the steps with the same key, but for some of them."""

    def sums(i: Int) -> list[Float]:
        others = fold_sum(lambda j: where((key[j] == key[i]) & (j != i), x[j], 0.0))
        before = fold_sum(lambda j: where((key[j] == key[i]) & (j < i), x[j], 0.0))
        number = fold_sum(lambda j: where((j >= bound[i]) & (key[j] == key[i]), 1.0, 0.0))
        middle = fold_sum(
            lambda j: where((j > bound[i]) & (j <= i) & (key[j] == key[i]), x[j], 0.0)
        )
        most = fold_max(lambda j: where((key[i] == key[j]) & (i != j), x[j], -9.0))
        rest = fold_sum(lambda j: where(~((key[j] != key[i]) | (j == i)), x[j], 0.0))
        return [others, before, number, middle, most, rest]

    return array(lambda i: array_of(sums(i)))


def array_of(values: list[Float]) -> Vec[Float]:
    def at(k: Int) -> Float:
        found = values[0]
        for number, value in enumerate(values[1:], 1):
            found = where(k == number, value, found)
        return found

    return array(at, size=len(values))


@function
def within_groups_of_ints(key: Vec[Int], x: Vec[Int]) -> tuple[Vec[Int], Vec[Int]]:
    """Numbers of equal keys elsewhere, and products over the steps with the same key before."""
    return (
        array(lambda i: fold_sum(lambda j: where((key[j] == key[i]) & (j != i), 1, 0))),
        array(lambda i: fold_sum(lambda j: where((key[j] == key[i]) & (j < i), x[j], 0))),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [0, 1, 2, 9])
def test_steps_with_the_same_key(size: int, backend: str) -> None:
    rng = np.random.default_rng(6)
    key, x = rng.integers(0, 3, size).astype(float), rng.normal(size=size)
    bound = rng.integers(-2, size + 3, size)
    assert_call_agrees(within_groups, (key, x, bound), backend, TOLERANCE)
    key[: size // 2] = np.nan
    assert_call_agrees(within_groups, (key, x, bound), backend, TOLERANCE)
    keys = rng.choice([LEAST, -1, 0, LARGEST], size)
    assert_call_agrees(within_groups_of_ints, (keys, np.arange(size)), backend, TOLERANCE)


@function
def from_a_value_of_the_steps(key: Vec[Float], x: Float) -> Vec[Float]:
    """Sums over the other steps with the same key, which start with the value that they add."""
    return array(
        lambda i: fold(
            x,
            lambda j, acc: acc + where((key[j] == key[i]) & (j != i), x, 0.0),
            count=key.size(),
        )
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [0, 1, 2, 9])
def test_sums_of_other_steps_start_from_a_value_of_the_steps(size: int, backend: str) -> None:
    key = np.arange(size) % 3 * 1.0
    assert_call_agrees(from_a_value_of_the_steps, (key, 2.0), backend, TOLERANCE)


def test_steps_with_the_same_key_are_no_loop() -> None:
    notes = within_groups_of_ints.explain(np.array([1, 2]), np.array([3, 4]))
    assert notes.count("the fold over j combines the values of equal keys") >= 2
    assert "the fold over j is a loop" not in notes


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("backend", BACKENDS)
def test_terms_that_an_outer_step_leaves_out(backend: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for size, width in sizes_on(backend, ((1, 0), (1, 1), (2, 3), (3, 2), (7, 5))):
        x, w = rng.normal(size=(size, size + 1)), rng.normal(size=width)
        assert_call_agrees(scattered, (x.astype(dtype), w.astype(dtype)), backend, TOLERANCE)
