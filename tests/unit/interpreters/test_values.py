"""Conversion of values from Python and back."""

import numpy as np
import pytest
from xdsl.dialects.builtin import TupleType, f32, f64, i1, i32, i64
from xdsl.ir import Attribute

from ein_mlir.dialects.phi import VecType, vec_of
from ein_mlir.interpreters.values import Vector, from_python, size, to_python, zero_like

RECORD = TupleType((f64, VecType(i64)))


def assert_same(actual: object, expected: object) -> None:
    """Equal in structure, dtype, shape and value."""
    if isinstance(expected, tuple):
        assert isinstance(actual, tuple)
        assert len(actual) == len(expected)
        for x, y in zip(actual, expected, strict=True):
            assert_same(x, y)
    else:
        assert np.asarray(actual).dtype == np.asarray(expected).dtype
        np.testing.assert_array_equal(np.asarray(actual), np.asarray(expected), strict=True)


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (np.float64(1.5), f64),
        (np.float32(1.5), f32),
        (np.bool_(True), i1),
        (np.int32(-1), i32),
        (np.arange(3), VecType(i64)),
        (np.zeros((0, 3), np.float32), vec_of(f32, 2)),
        (np.zeros((2, 0, 4), bool), vec_of(i1, 3)),
        (np.arange(24).reshape(2, 3, 4), vec_of(i64, 3)),
        ((np.float64(1), np.arange(2)), RECORD),
        ((np.ones(3), np.arange(6).reshape(3, 2)), VecType(RECORD)),
        ((np.ones((0, 2)), np.zeros((0, 2, 5), np.int64)), vec_of(RECORD, 2)),
        ((), TupleType(())),
        (
            ((np.int64(1),), (np.ones(2),)),
            TupleType((TupleType((i64,)), TupleType((VecType(f64),)))),
        ),
    ],
)
def test_there_and_back(value: object, type_: Attribute):
    assert_same(to_python(from_python(value, type_, "x")), value)


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        (1, i64, np.int64(1)),
        (1, i32, np.int32(1)),
        (1, f32, np.float32(1)),
        (0.5, f64, np.float64(0.5)),
        (True, i1, np.True_),
        ([], VecType(f64), np.zeros(0)),
        ([[1, 2], [3, 4]], vec_of(f32, 2), np.array([[1, 2], [3, 4]], np.float32)),
        (np.array([1, 2], ">i8"), VecType(i64), np.array([1, 2])),
    ],
)
def test_numbers_of_python_take_their_type(value: object, type_: Attribute, expected: object):
    assert_same(to_python(from_python(value, type_, "x")), expected)


@pytest.mark.parametrize(
    ("value", "type_", "message"),
    [
        (0.5, i64, "x: expected int64, got float64"),
        (1, i1, "x: expected bool, got int64"),
        (True, i64, "x: expected int64, got bool"),
        (np.int64(1), f64, "x: expected float64, got int64"),
        (
            np.ones(2, np.float32),
            VecType(f64),
            "expected an array of rank 1 of float64, got float32",
        ),
        (np.ones(2), vec_of(f64, 2), "expected an array of rank 2 of float64, got rank 1"),
        (1.0, RECORD, "x: expected a tuple of 2 fields"),
        ((1.0, 2), RECORD, "x, field 1: expected an array of rank 1 of int64, got rank 0"),
        (([1.0], [[1], [2]]), VecType(RECORD), r"x: the fields have different sizes \[1, 2\]"),
        ((), VecType(TupleType(())), "x: the fields have different sizes"),
        ("text", f64, "x: expected float64, got <U4"),
    ],
)
def test_what_does_not_fit(value: object, type_: Attribute, message: str):
    with pytest.raises(TypeError, match=message):
        from_python(value, type_, "x")


def test_ragged_list():
    with pytest.raises(ValueError, match="inhomogeneous"):
        from_python([[1], [1, 2]], vec_of(i64, 2), "x")


def test_number_out_of_range():
    with pytest.raises(OverflowError):
        from_python(2**40, i32, "x")


def test_result_is_a_copy():
    array = np.ones(3)
    result = to_python(from_python(array, VecType(f64), "x"))
    array[0] = 5
    assert_same(result, np.ones(3))


def test_zero_like_keeps_sizes_and_dtypes():
    value = from_python(
        (np.ones((2, 0, 3), np.float32), np.ones(2, bool)),
        TupleType((VecType(VecType(VecType(f32))), VecType(i1))),
        "x",
    )
    assert_same(to_python(zero_like(value)), (np.zeros((2, 0, 3), np.float32), np.zeros(2, bool)))


def test_sizes_of_an_empty_vector():
    value = from_python(np.zeros((0, 3, 0, 2)), vec_of(f64, 4), "x")
    assert isinstance(value, Vector)
    assert [size(value, axis) for axis in range(4)] == [0, 3, 0, 2]
