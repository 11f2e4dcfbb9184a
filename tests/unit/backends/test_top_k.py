"""The helpers that find the first elements in order, against a loop of searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import hypothesis.extra.numpy as npst
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given, settings
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64, i32, i64

from ein_mlir.backends.numpy.prelude import sorting as numpy_sorting
from ein_mlir.interpreters import values
from tests.selection import examples

Library: TypeAlias = tuple[Any, Callable[..., NDArray[Any]]]
"""A prelude's file for sorting, and its ``top_k``, or another helper, on arrays of NumPy."""

TYPES = {"float64": f64, "float32": f32, "int64": i64, "int32": i32}
FLOATS = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, np.inf, np.nan])


@pytest.fixture(scope="module", params=["numpy", "torch", "jax"])
def library(request: pytest.FixtureRequest) -> Library:
    if request.param == "torch":
        torch = pytest.importorskip("torch")
        from ein_mlir.backends.torch.prelude import sorting as torch_sorting

        def in_torch(array: NDArray[Any], *arguments: Any, by: str = "top_k") -> NDArray[Any]:
            return getattr(torch_sorting, by)(torch.from_numpy(array.copy()), *arguments).numpy()

        return torch_sorting, in_torch
    if request.param == "jax":
        jax = pytest.importorskip("jax")
        from ein_mlir.backends.jax.prelude import sorting as jax_sorting

        def in_jax(array: NDArray[Any], *arguments: Any, by: str = "top_k") -> NDArray[Any]:
            with jax.enable_x64(True):
                helper = getattr(jax_sorting, by)
                return np.asarray(jax.jit(lambda a: helper(a, *arguments))(array))

        return jax_sorting, in_jax

    def in_numpy(array: NDArray[Any], *arguments: Any, by: str = "top_k") -> NDArray[Any]:
        return getattr(numpy_sorting, by)(array, *arguments)

    return numpy_sorting, in_numpy


@st.composite
def matrices(draw: st.DrawFn) -> NDArray[Any]:
    dtype = np.dtype(draw(st.sampled_from(sorted(TYPES))))
    shape = draw(st.sampled_from([(1, 1), (1, 6), (3, 11)]))
    elements: Any = FLOATS
    if dtype.kind == "i":
        bounds = np.iinfo(dtype)
        elements = st.sampled_from([bounds.min, -1, 0, 1, bounds.max])
    return draw(npst.arrays(dtype, shape, elements=elements))


def positions(rows: NDArray[Any], count: int, is_largest: bool) -> NDArray[Any]:
    """The positions that a loop of searches finds in each row."""
    predicate, type_ = ">" if is_largest else "<", TYPES[rows.dtype.name]
    return np.array([values.top_k(row, count, predicate, type_) for row in rows])


@pytest.mark.one_turn
@settings(max_examples=examples(30))
@given(matrices(), st.sampled_from([1, 4, 12]), st.booleans(), st.booleans())
@example(np.full((1, 6), np.nan), 4, False, False)
@example(np.array([[3, 2**63 - 1, 3, -(2**63), 0, 3]]), 12, True, False)
def test_all_ways_find_what_a_loop_finds(
    library: Library, rows: NDArray[Any], count: int, is_largest: bool, is_sorted: bool
) -> None:
    sorting, top_k = library
    names = ("sorted_positions", "next_positions")
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(sorting, name, getattr(sorting, names[not is_sorted]))
        found = top_k(rows, 1, count, is_largest)
    np.testing.assert_array_equal(found, positions(rows, count, is_largest))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_any_axis_may_be_searched(library: Library, axis: int) -> None:
    _, top_k = library
    array = np.random.default_rng(axis).integers(9, size=(3, 4, 5)).astype(np.float64)
    found = top_k(array, axis, 6, True)
    rows = np.moveaxis(array, axis, -1)
    expected = positions(rows.reshape(-1, rows.shape[-1]), 6, True)
    np.testing.assert_array_equal(np.moveaxis(found, axis, -1).reshape(-1, 6), expected)


@pytest.mark.parametrize(("count", "size"), [(0, 3), (2, 0), (0, 0)])
def test_nothing_is_found_in_nothing(library: Library, count: int, size: int) -> None:
    _, top_k = library
    for rows in (2, 0):
        found = top_k(np.zeros((rows, size)), 1, count, False)
        np.testing.assert_array_equal(found, np.zeros((rows, count), np.int64))


@pytest.mark.one_turn
@pytest.mark.parametrize("count", [5, 2000])
def test_long_vectors(library: Library, count: int) -> None:
    """A few of many are searched for, and many are sorted: the first ones are the same."""
    _, top_k = library
    numbers = np.random.default_rng(0).integers(500, size=70_003).astype(np.float64)
    numbers[::7] = np.nan
    order = np.argsort(numbers, kind="stable")[:count]
    np.testing.assert_array_equal(top_k(numbers, 0, count, False), order)
    np.testing.assert_array_equal(top_k(-numbers, 0, count, True), order)


@pytest.mark.one_turn
@settings(max_examples=examples(30))
@given(matrices(), st.sampled_from([1, 4, 12]))
@example(np.array([[3.0, 1.0, 2.0, np.nan, np.inf, -np.inf]]), 4)
@example(np.array([[0.0, -0.0, 1.0, -1.0]], np.float32), 3)
def test_the_first_positions_are_those_of_all(
    library: Library, rows: NDArray[Any], count: int
) -> None:
    sorting, helper = library
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "is_few", lambda *_: True)
        found = helper(rows, 1, count, by="first_positions")[:, :count]
    np.testing.assert_array_equal(found, np.argsort(rows, 1, kind="stable")[:, :count])


@pytest.mark.parametrize("count", [-1, 0])
def test_all_positions_begin_with_none(library: Library, count: int) -> None:
    _, helper = library
    found = helper(np.array([[2.0, 1.0]]), 1, count, by="first_positions")
    np.testing.assert_array_equal(found, [[1, 0]])
