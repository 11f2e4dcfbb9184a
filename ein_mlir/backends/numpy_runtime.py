"""NumPy arrays and scalars as arguments and results of compiled programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

_PYTHON_SCALARS: dict[str, tuple[type, ...]] = {"b": (bool,), "i": (int,), "f": (float, int)}


def as_array(dtype: np.dtype[Any], rank: int, value: object) -> Any:
    """An argument that is an array, or that NumPy makes one of; None for anything else."""
    if type(value) is np.ndarray:
        array = value
    elif isinstance(value, np.ma.MaskedArray | np.generic | int | float):
        return None
    else:
        array = np.asarray(value)
    return array if array.dtype == dtype and array.ndim == rank else None


def as_scalar(dtype: np.dtype[Any], value: object) -> Any:
    """An argument that is a scalar of the dtype, or a Python number that fits; else None."""
    if type(value) is dtype.type:
        return value
    if type(value) in _PYTHON_SCALARS[dtype.kind]:
        try:
            return dtype.type(value)
        except OverflowError:
            return None
    if isinstance(value, np.ndarray):
        array = cast(NDArray[Any], value)
        return array[()] if array.ndim == 0 and array.dtype == dtype else None
    return None


def describe(value: object) -> str:
    """How an error names what was given."""
    if isinstance(value, np.ndarray):
        array = cast(NDArray[Any], value)
        return f"an array of {array.dtype} and rank {array.ndim}"
    if isinstance(value, np.generic):
        return f"a {np.dtype(type(cast(np.generic[Any], value)))} scalar"
    return f"{type(value).__name__} {value!r}"


def scalar_result(dtype: np.dtype[Any]) -> Callable[[Any], Any]:
    """Scalars get their NumPy type."""
    return dtype.type


def prepare(
    function: Callable[..., Any], emitted: FuncOp, names: Sequence[str]
) -> Callable[..., Any]:
    """The emitted function itself."""
    return function
