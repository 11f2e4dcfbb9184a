"""Types of Ein for the dtypes of the host program."""

from __future__ import annotations

from typing import Any

import numpy as np

from ein_mlir.errors import EinTypeError
from ein_mlir.frontend.complex_numbers import complex_type, record_of
from ein_mlir.frontend.types import (
    BOOL,
    F64,
    I64,
    RecordType,
    Type,
    WeakType,
    element_of,
    rank_of,
    resolve,
    settle,
    vector_of,
)
from ein_mlir.host.arrays import HostArray, dtype_of_array, is_masked, library_of
from ein_mlir.host.elements import BY_NAME, COMPLEX, SCALARS, ComplexType, ScalarType, numpy_dtype
from ein_mlir.host.locations import at

_OF_DTYPE = {np.dtype(type_.dtype): type_ for type_ in SCALARS if type_.name != "bf16"}
_DTYPES: dict[object, ScalarType] = {
    bool: BOOL,
    int: I64,
    float: F64,
    **BY_NAME,
}


def scalar_of_dtype(dtype: np.dtype[Any]) -> ScalarType | None:
    """The scalar type of a NumPy dtype; None if Ein has none."""
    if dtype.kind == "V" and dtype == numpy_dtype(BY_NAME["bf16"].dtype):
        return BY_NAME["bf16"]
    return _OF_DTYPE.get(dtype)


def complex_of_dtype(dtype: np.dtype[Any]) -> RecordType | None:
    """The type of complex numbers of a NumPy dtype; None for other dtypes."""
    return next((record_of(each.part) for each in COMPLEX if dtype == each.dtype), None)


def dtype_of_type(type_: Type) -> np.dtype[Any] | None:
    """The NumPy dtype of the elements of a type; None for records that are no complex numbers.

    It decides a type that a literal left open.
    """
    element = resolve(element_of(type_, rank_of(type_)))
    if isinstance(element, WeakType):
        settle([element])
        element = resolve(element)
    scalar = complex_type(element) or element
    return numpy_dtype(scalar.dtype) if isinstance(scalar, ScalarType | ComplexType) else None


def dtype_of(dtype: object) -> ScalarType:
    """The scalar type that a dtype denotes: ``float``, ``"f32"``, ``np.float32``, ..."""
    if isinstance(dtype, str | type) and dtype in _DTYPES:
        return _DTYPES[dtype]
    try:
        found = scalar_of_dtype(np.dtype(dtype))  # pyright: ignore[reportArgumentType, reportCallIssue]
    except TypeError:
        found = None
    if found is None:
        known = ", ".join(map(repr, BY_NAME))
        raise EinTypeError(
            f"{dtype!r} is not a scalar type of Ein: expected bool, int, float, {known} or the "
            f"NumPy dtype of one{at()}"
        )
    return found


def _conversion(value: HostArray, dtype: np.dtype[Any] | None) -> str:
    """What to write in place of an array whose elements Ein does not have."""
    kind = "f" if dtype is None else dtype.kind
    if kind in "SUT":
        return "give the codes of strings, as np.unique(a, return_inverse=True)[1] are"
    kept = "int64" if kind in "iumM" else "float64"
    call = f".to(torch.{kept})" if library_of(value) == "torch" else f".astype(np.{kept})"
    return f"convert it, for example with {call}"


def type_of_array(value: HostArray) -> Type:
    """The type of an array; raises EinTypeError for element types that Ein does not have."""
    if is_masked(value):
        raise EinTypeError(
            f"a masked array has no type in Ein: give its elements and its mask, a.filled(0.0) and "
            f"np.ma.getmaskarray(a){at()}"
        )
    dtype = dtype_of_array(value)
    if dtype is not None and dtype.names:
        raise EinTypeError(
            f"a structured array has no type in Ein: give a record of its fields, "
            f"{{name: np.ascontiguousarray(a[name]) for name in {list(dtype.names)}}}{at()}"
        )
    element = scalar_of_dtype(dtype) or complex_of_dtype(dtype) if dtype is not None else None
    if element is None:
        known = ", ".join(type_.dtype for type_ in (*SCALARS, *COMPLEX))
        raise EinTypeError(
            f"arrays of {value.dtype} have no type in Ein: expected one of {known}; "
            f"{_conversion(value, dtype)}{at()}"
        )
    return vector_of(element, value.ndim)
