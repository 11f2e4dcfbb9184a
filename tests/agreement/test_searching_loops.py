"""Loops by a condition that count to the first position where it fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, fold_while, function, where
from tests.agreement.comparison import assert_call_agrees
from tests.libraries import BACKENDS


def ahead(x: Any, y: Any, m: Any) -> Any:
    """By elements alone: of a vector, of the row of an index, and of two positions."""
    n, w = y.size(), x.size(1)
    return (
        array(lambda i: fold_while(i, lambda j: (j < n) & (y[j] < 0.7), lambda j: j + 1), size=n),
        array(
            lambda i, j: fold_while(
                j + 1, lambda c: (x[i, c] < 0.7) & (c <= w - 1), lambda c: c + 1
            ),
            size=(x.size(0), w),
        ),
        array(
            lambda i: fold_while(i, lambda j: (j + 1 < n) & (y[j] <= y[j + 1]), lambda j: j + 1),
            size=n,
        ),
    )


def back(x: Any, y: Any, m: Any) -> Any:
    """Downwards, with the position before in the condition, and to another end than 0."""
    n, w = y.size(), x.size(1)
    return (
        array(lambda i: fold_while(i, lambda j: (j >= 0) & (y[j] < 0.7), lambda j: j - 1), size=n),
        array(
            lambda i, j: fold_while(j, lambda c: (c > 0) & (x[i, c - 1] < 0.7), lambda c: c - 1),
            size=(x.size(0), w),
        ),
        array(
            lambda i: i - fold_while(i - 1, lambda j: (j >= 3) & (y[j] > 0.2), lambda j: j - 1),
            size=n,
        ),
    )


def compared(x: Any, y: Any, m: Any) -> Any:
    """By comparisons with the element of the index, which may be NaN, in all four ways."""
    n = y.size()

    def up(holds: Any) -> Any:
        return array(
            lambda i: fold_while(i + 1, lambda j: (j < n) & holds(y[j], y[i]), lambda j: j + 1),
        )

    def down(holds: Any) -> Any:
        return array(
            lambda i: fold_while(i - 1, lambda j: (j >= 0) & holds(y[j], y[i]), lambda j: j - 1),
        )

    return (
        up(lambda a, b: a <= b),
        up(lambda a, b: ~(a > b)),
        down(lambda a, b: b > a),
        down(lambda a, b: (a != b) & (a < 0.9)),
    )


def limited(x: Any, y: Any, m: Any) -> Any:
    """With a limit of steps, from the start, that may end the search before or not."""
    n = y.size()

    def up(start: Any, limit: Any) -> Any:
        return fold_while(start, lambda j: (j < n) & (y[j] < 0.7), lambda j: j + 1, limit=limit)

    def down(start: Any, limit: Any) -> Any:
        return fold_while(start, lambda j: (j >= 0) & (y[j] < 0.7), lambda j: j - 1, limit=limit)

    return (
        *(array(lambda i, k=k: up(i, k), size=n) for k in (n, 0, 1, 3)),
        *(array(lambda i, k=k: down(i, k), size=n) for k in (n, 0, 1, 3)),
    )


def others(x: Any, y: Any, m: Any) -> Any:
    """Loops that remain: other ends, starts before 0, other fields, steps and conditions."""
    n = y.size()

    def mean(i: Any) -> Any:
        def step(s: Any) -> Any:
            return s[0] + 1, s[1] + y[s[0]]

        end, total = fold_while((i, 0.0), lambda s: (s[0] < n) & (y[s[0]] < 0.8), step)
        return where(end > i, total / (end - i).float(), 0.0)

    def low(j: Any) -> Any:
        return y[j] < 0.7

    loops = (
        mean,
        lambda i: fold_while(i - m, lambda j: (j < n) & low(j), lambda j: j + 1),
        lambda i: fold_while(i, lambda j: (j < i + m) & low(j), lambda j: j + 1),
        lambda i: fold_while(i, lambda j: (j < n) & low(j), lambda j: j + 2),
        lambda i: fold_while(i + m, lambda j: (j >= 0) & low(j), lambda j: j - 1),
        lambda i: fold_while(i, lambda j: (j < n) & low(j + i), lambda j: j + 1),
    )
    total = fold_sum(lambda i: fold_while(i, lambda j: (j < n) & low(j), lambda j: j + 1), count=n)
    return *(array(each, size=n) for each in loops), total


def records(x: Any, y: Any, m: Any) -> Any:
    """Loops over a record that another loop computes, or in which such a record is."""
    n = y.size()
    pair = fold((0, 0.0), lambda k, s: (s[0] + 1, s[1] + y[k]), count=m)
    whole = fold_while(pair, lambda s: (s[0] < n) & (y[s[0]] < 0.7), lambda s: (s[0] + 1, s[1]))
    part = fold_while((0, pair), lambda s: (s[0] < n) & (y[s[0]] < 0.7), lambda s: (s[0] + 1, s[1]))
    step = fold_while(
        (0, (0, 0.0)),
        lambda s: (s[0] < n) & (y[s[0]] < 0.7),
        lambda s: (s[0] + 1, fold(s[1], lambda k, t: (t[0] + k, t[1] + y[k]), count=m)),
    )
    return whole, part, step


LOOPS = ahead, back, compared, limited, others, records
PROGRAMS = {each.__name__: function(each) for each in LOOPS}
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_backends(name: str, backend: str) -> None:
    for size in ((1, 1), (2, 9)):
        rng = np.random.default_rng(sum(size))
        x, y = rng.random(size), rng.random(size[1]).round(1)
        assert_call_agrees(PROGRAMS[name], [x, y, 2], backend, TOLERANCE)
    y[[2, 5]] = np.nan, np.inf
    assert_call_agrees(PROGRAMS[name], [x, y, 2], backend, TOLERANCE)
    assert_call_agrees(PROGRAMS[name], [x, np.full(9, 0.5), 0], backend, TOLERANCE)


@pytest.mark.parametrize("name", ["ahead", "back", "compared", "limited"])
def test_no_loop_by_a_condition(name: str) -> None:
    source = PROGRAMS[name].source(np.ones((5, 7)), np.ones(7), 2, backend="numpy")
    neighbours = 2 if name == "ahead" else 0
    """The loop that compares an element with the next one, and that of the live elements."""
    assert source.rpartition("\ndef ")[2].count("while ") == neighbours
