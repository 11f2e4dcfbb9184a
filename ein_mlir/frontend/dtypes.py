"""Types of Ein for the dtypes of the host program."""

from __future__ import annotations

from typing import Any

import numpy as np

from ein_mlir.errors import EinTypeError
from ein_mlir.frontend.types import BOOL, F32, F64, I32, I64, SCALARS, ScalarType, Type, vector_of
from ein_mlir.host.arrays import HostArray, dtype_of_array
from ein_mlir.host.locations import at

_OF_DTYPE = {np.dtype(type_.dtype): type_ for type_ in SCALARS}
_DTYPES: dict[object, ScalarType] = {
    bool: BOOL,
    int: I64,
    float: F64,
    "i1": BOOL,
    "i32": I32,
    "i64": I64,
    "f32": F32,
    "f64": F64,
}


def scalar_of_dtype(dtype: np.dtype[Any]) -> ScalarType | None:
    """The scalar type of a NumPy dtype; None if Ein has none."""
    return _OF_DTYPE.get(dtype)


def dtype_of(dtype: object) -> ScalarType:
    """The scalar type that a dtype denotes: ``float``, ``"f32"``, ``np.float32``, ..."""
    if isinstance(dtype, str | type) and dtype in _DTYPES:
        return _DTYPES[dtype]
    try:
        found = scalar_of_dtype(np.dtype(dtype))  # pyright: ignore[reportArgumentType, reportCallIssue]
    except TypeError:
        found = None
    if found is None:
        raise EinTypeError(
            f"{dtype!r} is not a scalar type of Ein: expected bool, int, float, 'i32', 'i64', "
            f"'f32', 'f64' or the NumPy dtype of one{at()}"
        )
    return found


def type_of_array(value: HostArray) -> Type:
    """The type of an array; raises EinTypeError for element types that Ein does not have."""
    if isinstance(value, np.ma.MaskedArray):
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
    element = scalar_of_dtype(dtype) if dtype is not None else None
    if element is None:
        raise EinTypeError(
            f"arrays of {value.dtype} have no type in Ein: expected bool, int32, int64, float32 or "
            f"float64; convert it, for example with .astype(np.float64){at()}"
        )
    return vector_of(element, value.ndim)
