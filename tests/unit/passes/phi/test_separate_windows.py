"""Windows: the sharing of folds, for all operations that they fold by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir import Int, array, fold, fold_max, fold_min, fold_sum, function, where
from tests.libraries import BACKENDS, in_64_bits
from tests.selection import examples

A = np.random.default_rng(0).normal(size=(7, 6))

SHARED: dict[str, Any] = {
    "row by row": lambda a, i, j: fold_sum(
        lambda p: fold_sum(lambda q: a[i + p, j + q], count=3), count=3
    ),
    "column by column": lambda x, r, c: fold_sum(
        lambda s: fold_sum(lambda t: x[t + r, s + c], count=3), count=3
    ),
    "around": lambda a, i, j: fold_sum(
        lambda p: fold_sum(
            lambda q: where(a[(p + i - 1) % a.size(0), (q - 1 + j) % a.size(1)] > 0.0, 1, 0),
            count=3,
        ),
        count=3,
    ),
    "backwards": lambda a, i, j: fold_min(
        lambda p: fold_min(lambda q: a[i - p + 1, 1 - q + j], count=3), count=4
    ),
    "any fold": lambda a, i, j: fold(
        0.0,
        lambda p, x: x * 0.5 + fold(1.0, lambda q, y: y / a[i + p, q + j], count=2),
        count=3,
    ),
    "as large as an array": lambda a, i, j: fold_max(
        lambda p: fold_max(lambda q: a[i + p, j] * a[i + p, q], count=a.size(1)), count=a.size(0)
    ),
}

NOT_SHARED: dict[str, Any] = {
    "a weight for each": lambda a, i, j: fold_sum(
        lambda p: fold_sum(lambda q: a[i + p, j + q] * a[p, q], count=3), count=3
    ),
    "compared with the middle": lambda a, i, j: fold_sum(
        lambda p: fold_sum(lambda q: abs(a[i + p, j + q] - a[i, j]), count=3), count=3
    ),
    "strides": lambda a, i, j: fold_sum(
        lambda p: fold_sum(lambda q: a[3 * i + p, j + q], count=3), count=3
    ),
    "what came before": lambda a, i, j: fold(
        0.0, lambda p, x: fold(x, lambda q, y: y * a[i + p, j + q], count=2), count=3
    ),
}


def window(body: Any) -> Any:
    return function(lambda a: array(lambda i, j: body(a, i, j), size=(a.size(0), a.size(1))))


@pytest.mark.parametrize("variant", SHARED)
def test_rows_are_shared_however_they_are_written(variant: str) -> None:
    program = window(SHARED[variant])
    assert "a step is computed once for each " in program.explain(A)
    for shape in ((7, 6), (1, 2), (2, 1), (0, 3), (3, 0)):
        a = np.resize(A, shape)
        np.testing.assert_allclose(program(a), program.eval(a, backend="naive"))


@pytest.mark.parametrize("variant", NOT_SHARED)
def test_what_differs_is_not_shared(variant: str) -> None:
    assert "a step is computed once for each " not in window(NOT_SHARED[variant]).explain(A)


@function
def rounded(a, h, w):
    """Steps whose order affects the result."""

    def at(i, j):
        def row(p):
            return fold(0.3, lambda q, y: y * 0.7 + a[i - p + 2, j + q - 1], count=w.size())

        return fold(0.1, lambda p, x: x * 1.1 + row(p), count=h.size())

    return array(at, size=(a.size(0), a.size(1)))


@settings(max_examples=examples(25))
@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3), st.integers(0, 3))
def test_no_value_changes(rows: int, columns: int, height: int, width: int) -> None:
    arguments = np.resize(A, (rows, columns)), np.ones(height), np.ones(width)
    expected = rounded.eval(*arguments, backend="naive")
    np.testing.assert_array_equal(np.asarray(rounded(*arguments)), expected)


def test_steps_in_order_are_shared() -> None:
    assert "once for each i - p" in rounded.explain(A, np.ones(3), np.ones(3))


@pytest.mark.parametrize("rows", [-1, -5])
def test_a_negative_size_is_told_as_before(rows: int) -> None:
    program = function(
        lambda a, n: array(
            lambda i: fold_sum(lambda p: fold_sum(lambda q: a[i + p, q]), count=3), size=n
        )
    )
    with pytest.raises(ValueError, match=rf"^size of index i is negative: {rows} \(at "):
        program(A, rows)


@function
def boxes(a, r):
    """Both folds take the same number of steps."""
    count: Int = 2 * r + 1
    return array(
        lambda i, j: fold_sum(
            lambda p: fold_sum(lambda q: a[i + p, j + q], count=count), count=count
        ),
        size=(a.size(0), a.size(1)),
    )


@function
def blocks(a, h, w):
    """The inner count may be negative where the outer fold takes no steps."""
    return array(
        lambda i, j: fold_sum(lambda p: fold_sum(lambda q: a[i + p, j + q], count=w), count=h),
        size=(a.size(0), a.size(1)),
    )


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", BACKENDS)
def test_counts_of_arguments(backend: str) -> None:
    assert "a step is computed once for each i + p" in boxes.explain(A, 1)
    assert "a step is computed once for each i + p" in blocks.explain(A, 1, 2)
    for shape in ((7, 6), (1, 1), (0, 3), (3, 0)):
        a = np.resize(A, shape)
        arguments = [(boxes, radius) for radius in (0, 1, 3)]
        arguments += [(blocks, *counts) for counts in ((0, 2), (2, 0), (0, -1), (2, 3))]
        for program, *counts in arguments:
            with in_64_bits(backend):
                actual = program.eval(a, *counts, backend=backend)
            np.testing.assert_allclose(actual, program.eval(a, *counts, backend="naive"))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("radius", [-1, -(2**40)])
def test_a_negative_count_is_told_as_before(backend: str, radius: int) -> None:
    with (
        in_64_bits(backend),
        pytest.raises(ValueError, match=f"^count of p is negative: {2 * radius + 1}"),
    ):
        boxes.eval(A, radius, backend=backend)
    with in_64_bits(backend), pytest.raises(ValueError, match=r"^count of q is negative: -1"):
        blocks.eval(A, 2, -1, backend=backend)
