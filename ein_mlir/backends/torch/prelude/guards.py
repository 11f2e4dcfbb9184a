"""NaN where a shorter computation would lose that of a longer one."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

import torch


def is_finite(array: Any) -> bool:
    """Whether the sum of an array is known to be finite, so that all elements are.

    Only plain tensors on the CPU are read: others would be waited for, or have no known values.
    """
    if array.device.type != "cpu" or torch.compiler.is_compiling():
        return False
    try:
        return bool(array.detach().sum().isfinite())
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False


def propagate_nan(array: Any, others: Any, axis: int, witness: Any) -> Any:
    """The array, but NaN where others are not finite at another position along an axis.

    The array itself, if the sum of a witness is finite: then so are all of the others.
    """
    if is_finite(witness):
        return array
    finite = others.isfinite()
    for _ in range(others.ndim - array.ndim):
        finite = finite.all(0)
    count = finite.shape[axis] - 1
    elsewhere = finite.sum(axis, keepdim=True) - finite.to(torch.int64)
    return torch.where(elsewhere < count, torch.nan, array)
