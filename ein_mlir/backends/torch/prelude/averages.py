"""Averages by the weights of a softmax, also where a weight is too small for a float."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import math
from typing import Any

import torch

from ein_mlir.backends.torch.prelude.contractions import is_zero_or_normal, least_safe
from ein_mlir.backends.torch.prelude.reductions import amax


def average(array: Any, subscripts: str, x: Any, axis: int, values: Any) -> Any:
    """A contraction of ``torch.softmax(x, axis)``, or the quotient of sums where it is not safe."""
    if has_safe_weights(array, x, axis, values):
        return array
    letters, output = subscripts.partition(",")[0], subscripts.partition("->")[2]
    powers = torch.exp(x - amax(x, (axis,)).unsqueeze(axis))
    total = powers.sum(axis)[tuple(slice(None) if k in letters else None for k in output)]
    return torch.einsum(subscripts, powers, values) / total


def has_safe_weights(array: Any, x: Any, axis: int, values: Any) -> bool:
    """Whether no weight had an underflow that matters, nor its product with a value.

    Each loses less than the least number, which is lost in rounding if all results are far above
    it, and above its products with the values. Otherwise all differences from the largest number
    must be moderate, or so large that their powers are zeros, and no value may be near zero.
    """
    if not x.shape[axis] or not array.numel() or torch.compiler.is_compiling():
        return False
    array, x, values = array.detach(), x.detach(), values.detach()
    info = torch.finfo(x.dtype)
    bound = values.abs().amax().clamp(min=1.0) * (info.tiny * x.shape[axis])
    try:
        if array.abs().amin() >= bound:
            return True
        below = x - x.amax(axis, keepdim=True)
        zeros = math.log(info.tiny * info.eps) - 1.0
        below = torch.nn.functional.threshold(below, zeros, 0.0)
        is_moderate = below.amin() >= math.log(least_safe(x)) / 2
        return bool(is_moderate & is_zero_or_normal(values, 2))
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False
