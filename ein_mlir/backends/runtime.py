"""Arguments that compiled programs of every backend accept: NumPy arrays, and numbers.

The ``runtime`` of a backend adds the arrays of its library, and the calls of emitted functions.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ein_mlir.errors import shortened, with_article
from ein_mlir.host.arrays import is_masked

_PYTHON_SCALARS: dict[str, tuple[type, ...]] = {
    "b": (bool,),
    "i": (int,),
    "u": (int,),
    "f": (float, int),
    "c": (complex, float, int),
}


def as_array(dtype: np.dtype[Any], rank: int, value: object) -> Any:
    """An argument that is an array; None if it has another dtype or rank."""
    if type(value) is np.ndarray:
        array = value
    elif isinstance(value, np.ma.MaskedArray | np.generic | int | float):
        return None
    elif hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        array = np.from_dlpack(cast(Any, value))
    else:
        try:
            array = np.asarray(value)
        except (
            RuntimeError,
            TypeError,
        ):  # a tensor that records gradients, an array that is traced
            return None
    return array if array.dtype == dtype and array.ndim == rank else None


def as_scalar(dtype: np.dtype[Any], value: object) -> Any:
    """An argument that is a number of the type, as a NumPy scalar; None for other values."""
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


conversion = None
"""What the key of an argument says of an array is not checked again."""


def describe(value: object) -> str:
    """The description of a given value in a message."""
    if isinstance(value, np.ndarray):
        array = cast(NDArray[Any], value)
        masked = "a masked" if is_masked(array) else "an"
        return f"{masked} array of {array.dtype} and rank {array.ndim}"
    if isinstance(value, np.generic):
        return f"{with_article(str(cast('np.generic[Any]', value).dtype))} scalar"
    if getattr(value, "requires_grad", False):
        return "a tensor that records gradients: write .detach()"
    if type(value).__module__.startswith("jax."):
        return "a value that JAX traces: call the function itself, or its .jax()"
    shown = shortened(value) if isinstance(value, int) else repr(value)
    return f"{type(value).__name__} {shown}"
