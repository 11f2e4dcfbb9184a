"""Searches: the same result as the loop, for all comparisons, initial values and payloads."""

import operator
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64, i32, i64

from ein_mlir import (
    Function,
    array,
    fold,
    fold_all,
    fold_any,
    fold_argmax,
    fold_argmin,
    fold_max,
    fold_min,
    function,
    where,
    wrap,
)
from ein_mlir.interpreters.values import search
from ein_mlir.passes.phi.outline import OutlinePass
from ein_mlir.passes.phi.raise_reductions import RaiseReductionsPass
from tests.agreement.comparison import given as as_array_of
from tests.libraries import in_64_bits, on
from tests.selection import examples
from tests.unit.passes.large_programs import applied, assert_near_linear

HELPERS = {"<": "argmin", "<=": "last_argmin", ">": "argmax", ">=": "last_argmax"}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
FLOATS = st.sampled_from([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 2.0])
TYPES = {"float64": f64, "float32": f32, "int64": i64, "int32": i32}


@st.composite
def tables(draw: st.DrawFn, min_dims: int = 1, max_dims: int = 3) -> NDArray[Any]:
    """An array of few distinct elements, including those that are hard to compare."""
    dtype = np.dtype(draw(st.sampled_from(sorted(TYPES))))
    shape = draw(array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=0, max_side=4))
    if dtype.kind == "f":
        return draw(arrays(dtype, shape, elements=FLOATS))
    limits = np.iinfo(dtype)
    return draw(arrays(dtype, shape, elements=st.sampled_from([limits.min, 0, 1, limits.max])))


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax"))
@settings(max_examples=examples(60, is_drawn=True))
@given(table=tables(), predicate=st.sampled_from(sorted(HELPERS)), data=st.data())
def test_helpers_search(
    backend: str, table: NDArray[Any], predicate: str, data: st.DataObject
) -> None:
    axis = data.draw(st.integers(0, table.ndim - 1))
    rows = np.moveaxis(table, axis, -1)
    expected = np.empty(rows.shape[:-1], np.int64)
    for index in np.ndindex(expected.shape):
        expected[index] = search(rows[index], predicate, TYPES[table.dtype.name])
    prelude = import_module(f"ein_mlir.backends.{backend}.prelude")
    with in_64_bits(backend):
        value = as_array_of(table, backend)
        found = np.asarray(getattr(prelude, HELPERS[predicate])(value, axis))
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, expected)


def is_better(predicate: str, element: Any, best: Any, swapped: bool) -> Any:
    """``element < best``, or ``best > element``."""
    if not swapped:
        return COMPARE[predicate](element, best)
    return COMPARE[predicate.translate(str.maketrans("<>", "><"))](best, element)


def same(f: Function, *arguments: Any) -> None:
    """Compiled NumPy agrees with the reference interpreter exactly, without a loop."""
    expected = f.eval(*arguments, backend="naive")
    actual = f.eval(*arguments, backend="numpy")
    for e, a in zip(expected, actual, strict=True):
        assert np.asarray(e).dtype == np.asarray(a).dtype
        np.testing.assert_array_equal(a, e)
        np.testing.assert_array_equal(np.signbit(a), np.signbit(e))
    loops = re.findall(r"for (\w+) in", f.source(*arguments).split("errstate")[-1])
    assert set(loops) <= {"start"}, "only blocks are worked on one after the other"


@settings(max_examples=examples(30))
@given(tables(2, 2), st.sampled_from(sorted(HELPERS)), st.booleans(), st.data())
def test_rows_are_searched(
    table: NDArray[Any], predicate: str, swapped: bool, data: st.DataObject
) -> None:
    element = table.dtype.type(data.draw(FLOATS if table.dtype.kind == "f" else st.just(1)))
    payload = np.arange(table.shape[1]) * 10.0

    @function
    def program(a: Any, init: Any, y: Any) -> Any:
        def row(i: Any) -> Any:
            def step(k: Any, best: Any) -> Any:
                better = is_better(predicate, a[i, k], best[0], swapped)
                return where(better, (a[i, k], k, y[k]), best)

            return fold((init, -1, 0.5), step)

        return array(row)

    same(program, table, element, payload)


@settings(max_examples=examples(20))
@given(tables(1, 1), st.sampled_from(["<", ">"]), st.data())
def test_guarded_searches(table: NDArray[Any], predicate: str, data: st.DataObject) -> None:
    mask = data.draw(arrays(np.bool_, table.shape))

    @function
    def program(a: Any, p: Any) -> Any:
        def step(k: Any, best: Any) -> Any:
            better = p[k] & COMPARE[predicate](a[k], best[0])
            return where(better, (a[k], k), best)

        return fold((a[1], 7), step)

    same(program, table, mask)


@settings(max_examples=examples(15))
@given(tables(2, 2))
def test_searches_nest(table: NDArray[Any]) -> None:
    @function
    def program(a: Any) -> Any:
        def step(i: Any, k: Any, best: Any) -> Any:
            return where(a[i, k] < best[0], (a[i, k], i, k), best)

        def rows(i: Any, best: Any) -> Any:
            return fold(best, lambda k, inner: step(i, k, inner))

        return fold((a[0, 0], 0, 0), rows)

    same(program, table)


CHOICES: dict[str, Callable[[Any, Any], Any]] = {
    "smaller": lambda x, y: x.min(y),
    "larger": lambda x, y: x.max(y),
    "both": lambda x, y: (x < 1) & (y < 1),
    "either": lambda x, y: (x < 1) | (y < 1),
}
FOLDS: dict[str, Callable[..., Any]] = {
    "smallest": fold_min,
    "largest": fold_max,
    "any": fold_any,
    "all": fold_all,
}


@settings(max_examples=examples(40))
@given(
    st.sampled_from([(f, c) for f in ("smallest", "largest") for c in ("smaller", "larger")])
    | st.sampled_from([(f, c) for f in ("any", "all") for c in ("both", "either")]),
    st.sampled_from([np.float64, np.float32]),
    st.lists(FLOATS, max_size=4),
    st.lists(FLOATS, max_size=3),
)
def test_what_leaves_a_reduction_changes_no_value(
    names: tuple[str, str], dtype: Any, elements: list[float], fixed: list[float]
) -> None:
    reduce, choose = FOLDS[names[0]], CHOICES[names[1]]

    @function
    def program(c: Any, x: Any) -> Any:
        return array(lambda i: reduce(lambda k: choose(c[i], x[k])))

    arguments = np.array(fixed, dtype), np.array(elements, dtype)
    expected, actual = (program.eval(*arguments, backend=name) for name in ("naive", "numpy"))
    np.testing.assert_array_equal(actual, expected)
    assert np.asarray(actual).dtype == np.asarray(expected).dtype
    assert "for " not in program.source(*arguments).split("errstate")[-1]


def test_nothing_is_as_small_as_nan() -> None:
    a = wrap(np.array([np.nan, np.inf, 2.0, np.nan, -1.0, -1.0]))
    assert fold_argmin(lambda k: a[k]).eval() == 4
    assert fold_argmax(lambda k: a[k]).eval() == 1


@pytest.mark.one_turn
def test_time_is_near_linear() -> None:
    assert_near_linear(applied(RaiseReductionsPass()), applied(OutlinePass()))
