"""Arguments and results of compiled NumPy programs: NumPy arrays and scalars, Python numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ein_mlir.backends.runtime import as_array, as_scalar, conversion, describe

__all__ = ["as_array", "as_scalar", "conversion", "describe", "extern", "finish_scalar", "stage"]


def finish_scalar(dtype: np.dtype[Any], value: Any) -> Any:
    """A scalar result in its NumPy type."""
    return dtype.type(value)


stage = None
"""Emitted functions run without a wrapper."""

extern = None
"""Functions of the embedding program are called without a wrapper."""
