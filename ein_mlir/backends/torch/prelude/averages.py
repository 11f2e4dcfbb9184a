"""Averages by the weights of a softmax, and deviations from averages, in few calls where safe."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import math
from typing import Any

import torch

from ein_mlir.backends.torch.prelude.contractions import is_zero_or_normal, least_safe
from ein_mlir.backends.torch.prelude.indexing import clipped_slice
from ein_mlir.backends.torch.prelude.reductions import amax


def average(array: Any, subscripts: str, x: Any, axis: int, values: Any) -> Any:
    """A contraction of ``torch.softmax(x, axis)``, or the quotient of sums where it is not safe."""
    if has_safe_weights(array, x, axis, values):
        return array
    letters, output = subscripts.partition(",")[0], subscripts.partition("->")[2]
    powers = torch.exp(x - amax(x, (axis,)).unsqueeze(axis))
    kept = letters[:axis] + letters[axis + 1 :]
    total = powers.sum(axis).permute([kept.index(k) for k in output if k in kept])
    total = total[tuple(slice(None) if k in kept else None for k in output)]
    return torch.einsum(subscripts, powers, values) / total


def sliced_exponents(x: Any, axis: int, start: Any, size: Any, step: Any) -> Any:
    """A clipped slice; of no elements, it has elements whose weights are not numbers: 0 / 0."""
    if not x.shape[axis]:
        x = x.new_full([1 if k == axis else n for k, n in enumerate(x.shape)], -math.inf)
    return clipped_slice(x, axis, start, size, step)


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


def batch_norm(x: Any, axis: int, epsilon: float, weight: Any = None, bias: Any = None) -> Any:
    """Deviations from the means at each position of an axis, by the standard deviations there.

    PyTorch multiplies both terms of the difference by the quotient of weight and deviation. Where
    that is not safe, and on other devices, each operation is a call.
    """
    shape = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    rows = x.reshape(shape if shape[2] != 1 else shape[:2])
    is_fast = x.device.type == "cpu" and not torch.compiler.is_compiling() and x.numel()
    if not is_fast or x.dtype not in (torch.float32, torch.float64):
        result = standardised(rows, epsilon)
    elif x.requires_grad and rows.ndim == 2:  # where ``native_batch_norm`` has a slow derivative
        result = torch.layer_norm(rows.T, shape[:1], eps=epsilon).T.contiguous()
    elif (found := safe_batch_norm(rows, epsilon, weight, bias)) is not None:
        return found.reshape(x.shape)
    else:
        result = standardised(rows, epsilon)
    row = [-1 if k == axis else 1 for k in range(x.ndim)]
    result = result.reshape(x.shape)
    result = result if weight is None else result * weight.view(row)
    return result if bias is None else result + bias.view(row)


def standardised(x: Any, epsilon: float) -> Any:
    """Deviations at each position of axis 1, in one call for each operation."""
    others = [k for k in range(x.ndim) if k != 1]
    difference = x - x.mean(others, keepdim=True)
    return difference / torch.sqrt((difference * difference).mean(others, keepdim=True) + epsilon)


def safe_batch_norm(x: Any, epsilon: float, weight: Any, bias: Any) -> Any:
    """``torch.native_batch_norm`` where no product of it may overflow, and no mean is so far from
    zero that much of the difference of products is rounding; None elsewhere.
    """
    info = torch.finfo(x.dtype)
    try:
        found = torch.native_batch_norm(x, weight, bias, None, None, True, 0.0, epsilon)
        result, mean, inverse = found[0], found[1].detach().abs(), found[2].detach()
        factor = inverse if weight is None else (inverse * weight.detach()).abs()
        is_safe = ((mean + 1.0) * factor < info.max**0.5) & (mean * inverse < info.eps**-0.25)
        return result if bool(is_safe.all()) else None
    except RuntimeError:  # torch.func.vmap does not reveal values
        return None


def norm_of_groups(
    rows: Any, groups: Any, axis: int, epsilon: float, weight: Any = None, bias: Any = None
) -> Any:
    """Deviations from the means of the groups along an axis, by the standard deviations there.

    ``rows`` are the groups, or the first ones, or with the last one again. Weight and bias have an
    element for each group and position along the axis after it.
    """
    found = safe_group_norm(rows, groups, axis, epsilon, weight, bias)
    if found is not None:
        return found.reshape(rows.shape)
    inner = [*range(axis + 1, groups.ndim)]
    mean = groups.mean(inner, keepdim=True)
    variance = ((groups - mean) ** 2).mean(inner, keepdim=True)
    mean, variance = (
        clipped_slice(array, axis, 0, rows.shape[axis], 1) for array in (mean, variance)
    )
    result = (rows - mean) / torch.sqrt(variance + epsilon)
    places = (..., *([None] * (groups.ndim - axis - 2)))
    result = result if weight is None else result * weight[places]
    return result if bias is None else result + bias[places]


def safe_group_norm(rows: Any, x: Any, axis: int, epsilon: float, weight: Any, bias: Any) -> Any:
    """``torch.native_group_norm`` where the rows are the groups, and it is as exact as
    ``safe_batch_norm``; None elsewhere.
    """
    is_fast = x.device.type == "cpu" and not torch.compiler.is_compiling() and x.numel()
    if not is_fast or x.dtype not in (torch.float32, torch.float64) or x.ndim < axis + 2:
        return None
    batch, count, size = math.prod(x.shape[:axis]), *x.shape[axis : axis + 2]
    channels, rest = count * size, math.prod(x.shape[axis + 2 :])
    info = torch.finfo(x.dtype)
    try:
        if rows.shape != x.shape or rows.stride() != x.stride() or rows.data_ptr() != x.data_ptr():
            return None
        scale, shift = (None if f is None else f.reshape(channels) for f in (weight, bias))
        flat, sizes = x.reshape(batch, channels, rest), (batch, channels, rest, count)
        found = torch.native_group_norm(flat, scale, shift, *sizes, epsilon)
        mean, inverse = found[1].detach().abs(), found[2].detach()
        factor = inverse if weight is None else inverse * weight.detach().abs().amax(1)
        is_safe = ((mean + 1.0) * factor < info.max**0.5) & (mean * inverse < info.eps**-0.25)
        return found[0] if bool(is_safe.all()) else None
    except RuntimeError:  # torch.func.vmap does not reveal values
        return None
