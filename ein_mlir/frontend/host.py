"""What the host program hands in, told apart once: NumPy arrays and scalars, Python integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeIs


def is_array(value: object) -> TypeIs[npt.NDArray[Any]]:
    """Whether a value is a NumPy array."""
    return isinstance(value, np.ndarray)


def is_numpy_scalar(value: object) -> TypeIs[np.generic[Any]]:
    """Whether a value is a NumPy scalar: its type is its own, even where it is a float too."""
    return isinstance(value, np.generic)


def is_dtype(value: object) -> TypeIs[np.dtype[Any]]:
    """Whether a value is a NumPy dtype."""
    return isinstance(value, np.dtype)


def as_int(value: object) -> int | None:
    """A Python or NumPy integer as an int; None for anything else.

    >>> as_int(3), as_int(True), as_int(3.0)
    (3, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return value.item() if is_numpy_scalar(value) and value.dtype.kind in "iu" else None
