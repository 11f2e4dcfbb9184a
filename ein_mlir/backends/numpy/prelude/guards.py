"""NaN where a shorter computation would lose that of a longer one."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import numpy as np


def propagate_nan(array: Any, others: Any, axis: int, witness: Any) -> Any:
    """The array, but NaN where others are not finite at another position along an axis.

    The array itself, if the sum of a witness is finite: then so are all of the others.
    """
    if np.isfinite(witness.sum()):
        return array
    finite = np.isfinite(others).all(tuple(range(others.ndim - array.ndim)))
    count = finite.shape[axis] - 1
    return np.where(finite.sum(axis, keepdims=True) - finite < count, np.nan, array)
