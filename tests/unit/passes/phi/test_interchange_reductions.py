"""Nested folds in another order: the same values, in fewer loops, in time linear in the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ein_mlir import Int, array, fold_any, fold_max, fold_min, fold_sum, function
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.interchange_reductions import InterchangeReductionsPass
from ein_mlir.pipelines import run_pipeline
from tests.libraries import BACKENDS, in_64_bits
from tests.selection import examples

FOLDS: dict[str, Callable[..., Any]] = {"sum": fold_sum, "min": fold_min, "max": fold_max}

X = np.zeros((4, 5))
W = np.zeros((4, 3))


def folds_of(module: ModuleOp) -> list[str | None]:
    """The names of the counters of a module's folds, outermost first."""
    return [op.counter.name_hint for op in module.walk() if isinstance(op, phi.FoldOp)]


def before_raising(program: Any, *arguments: Any) -> ModuleOp:
    return run_pipeline(program.phi(*arguments), ("canonicalize", "outline"))


@function
def correlation(x, w):
    return array(
        lambda i: fold_sum(lambda c: fold_sum(lambda p: x[c, i + p] * w[c, p])),
        size=x.size(1) - w.size(1) + 1,
    )


def test_the_sum_that_can_be_contracted_goes_inside() -> None:
    module = before_raising(correlation, X, W)
    assert folds_of(module) == ["c", "p"]
    InterchangeReductionsPass().apply(Context(), module)
    module.verify()
    assert folds_of(module) == ["p", "c"]
    InterchangeReductionsPass().apply(Context(), module)
    assert folds_of(module) == ["p", "c"]


def test_explain_says_what_was_exchanged() -> None:
    assert "the folds are exchanged: those over c become innermost" in correlation.explain(X, W)


@pytest.mark.one_turn
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", FOLDS)
@settings(max_examples=examples(15, is_drawn=True))
@given(data=st.data())
def test_the_order_changes_nothing(kind: str, backend: str, data: st.DataObject) -> None:
    fold, shift = FOLDS[kind], data.draw(st.integers(-2, 2))
    rows, columns, taps = (data.draw(st.integers(0, 4)) for _ in range(3))
    size = data.draw(st.integers(0, 4))
    numbers = st.integers(-(2**62), 2**62)
    x = np.array(
        data.draw(st.lists(numbers, min_size=rows * columns, max_size=rows * columns)), np.int64
    ).reshape(rows, columns)
    w = np.array(data.draw(st.lists(numbers, min_size=rows, max_size=rows)), np.int64)

    @function
    def program(x, w):
        def at(i: Int):
            return fold(lambda c: fold(lambda p: x[c, i - p + shift] * w[c] + p, count=taps))

        return array(at, size=size)

    expected = program.eval(x, w, backend="naive")
    with in_64_bits(backend):
        found = np.asarray(program.eval(x, w, backend=backend))
    np.testing.assert_array_equal(found, expected)


def test_logical_reductions_are_exchanged() -> None:
    @function
    def program(x):
        return array(
            lambda i: fold_any(lambda c: fold_any(lambda p: x[c, i + p] > 0.0, count=3)),
            size=x.size(1),
        )

    module = before_raising(program, X)
    InterchangeReductionsPass().apply(Context(), module)
    assert folds_of(module) == ["p", "c"]
