"""Agreement of types, and the exactness of literals."""

from __future__ import annotations

import numpy as np
import pytest

from ein_mlir import Complex, array, fold, function, wrap
from ein_mlir.frontend.types import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    RecordType,
    VectorType,
    WeakType,
    describe,
    misfit,
    resolve,
    settle,
    settled,
    unify,
)


def test_scalars_agree_with_themselves_only():
    for lhs in (BOOL, I32, I64, F32, F64):
        for rhs in (BOOL, I32, I64, F32, F64):
            assert (unify(lhs, rhs) is None) == (lhs is rhs)


@pytest.mark.parametrize("type_", [I32, I64, F32, F64])
def test_a_weak_type_becomes_what_it_meets(type_):
    weak = WeakType(3)
    assert unify(VectorType(weak), VectorType(type_)) is None
    assert resolve(weak) is type_
    assert unify(weak, F64 if type_ is I64 else I64 if type_ is F64 else BOOL) is not None


def test_weak_types_that_meet_are_decided_together():
    outer, inner = WeakType(0), WeakType(0.5)
    assert unify(inner, outer) is None
    settle([inner])
    assert resolve(inner) is outer, "the older one is not the inner fold's to settle"
    assert unify(inner, F32) is None
    assert resolve(outer) is F32


def test_a_float_is_no_int():
    assert unify(WeakType(0.5), I64) is not None
    assert unify(WeakType(1), BOOL) is not None
    assert settled(WeakType(0.5)) is F64
    assert settled(WeakType(1)) is I64


def test_literals_must_fit_when_the_type_is_decided():
    mismatch = unify(WeakType(2**40), I32)
    assert mismatch is not None
    assert mismatch.reason == f"{2**40} does not fit Int (i32)"


def test_mismatches_name_the_field():
    inner = RecordType(dict, ("x", "y"), (I64, F64))
    other = RecordType(dict, ("x", "y"), (I64, I64))
    mismatch = unify(
        RecordType(tuple, ("0", "1"), (I64, inner)), RecordType(tuple, ("0", "1"), (I64, other))
    )
    assert mismatch is not None
    assert (mismatch.path, mismatch.lhs, mismatch.rhs) == ("[1]['y']", F64, I64)


@pytest.mark.parametrize(
    ("number", "type_", "fits"),
    [
        (2**31, I32, False),
        (-(2**31), I32, True),
        (2**63 - 1, I64, True),
        (2**63, I64, False),
        (2**53 + 1, F64, False),
        (2**24, F32, True),
        (2**24 + 1, F32, False),
        (0.1, F32, True),
        (1e300, F32, False),
        (float("inf"), F32, True),
        (10**400, F64, False),
    ],
)
def test_what_literals_lose(number, type_, fits):
    assert (misfit(number, type_) is None) == fits


def test_descriptions():
    assert describe(VectorType(VectorType(F32))) == "Vec[Vec[Float (f32)]]"
    assert describe(RecordType(tuple, ("0", "1"), (I64, BOOL))) == "tuple[Int, Bool]"
    assert describe(RecordType(dict, ("x",), (F64,))) == "{x: Float}"


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "complex64"])
def test_dtypes_are_those_of_arrays(dtype):
    a = wrap(np.ones((2, 3), dtype))
    assert a.dtype == a[0].dtype == a[0, 0].dtype == dtype


def test_the_dtype_of_a_number_decides_its_type():
    step = function(
        lambda x: fold(0.0, lambda k, acc: acc + float(acc.dtype.itemsize), count=2) + x
    )
    assert step(np.float64(1.0)) == 17.0
    with pytest.raises(TypeError, match="f32"):
        step(np.float32(1.0))


def test_records_have_no_dtype():
    with pytest.raises(AttributeError, match="no attribute 'dtype'"):
        function(lambda points: array(lambda i: (points[i], i)).dtype)(np.ones(3))


def test_complex_numbers_are_computed_as_floats_are():
    z = wrap(np.array([1 + 2j]))[0]
    assert z.eval() == z.numpy() == z.native() == complex(z.torch()) == 1 + 2j
    assert isinstance(z, Complex)
