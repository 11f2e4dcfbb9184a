"""Reductions along axes, with those of empty axes."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import functools
import math
import operator
from typing import Any

import torch

from ein_mlir.backends.torch.prelude.indexing import is_recorded


def filled_reduction(array: Any, axes: tuple[int, ...], value: Any) -> Any:
    """A reduction of no elements along axes: the value at each position."""
    shape = [n for k, n in enumerate(array.shape) if k not in axes]
    return array.new_full(shape, value)


def runs_of(array: Any, axes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The axes of a reduction in the order of its calls, each among the axes that are left.

    One call for axes with others between them walks element by element if the last ones are short.
    So neighbours are one call, the outermost first.
    """
    runs: list[list[int]] = []
    for axis in axes:
        if runs and axis == runs[-1][-1] + 1:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    if len(runs) < 2 or math.prod(array.shape[axis] for axis in runs[-1]) >= 64:
        return [axes]
    return [tuple(axis - axes.index(run[0]) for axis in run) for run in runs]


def sum_along(array: Any, axes: tuple[int, ...]) -> Any:
    """The sum along axes with others between them, or along a last axis, which may be short.

    A sum of three neighbours takes six times as long as two sums of columns, whose derivatives
    take longer.
    """
    is_short = axes == (array.ndim - 1,) and 1 < array.shape[-1] <= 4
    if is_short and array.device.type == "cpu" and not array.requires_grad:
        return functools.reduce(operator.add, array.unbind(-1))
    for run in runs_of(array, axes):
        array = array.sum(run, dtype=array.dtype)
    return array


def amin(array: Any, axes: tuple[int, ...]) -> Any:
    """The least element along axes; the greatest value of the type where there is none."""
    if all(array.shape[axis] for axis in axes):
        for run in runs_of(array, axes):
            array = array.amin(run)
        return array
    is_float = array.dtype.is_floating_point
    return filled_reduction(array, axes, math.inf if is_float else torch.iinfo(array.dtype).max)


def amax(array: Any, axes: tuple[int, ...]) -> Any:
    """The greatest element along axes; the least value of the type where there is none."""
    if all(array.shape[axis] for axis in axes):
        for run in runs_of(array, axes):
            array = array.amax(run)
        return array
    is_float = array.dtype.is_floating_point
    return filled_reduction(array, axes, -math.inf if is_float else torch.iinfo(array.dtype).min)


def reduced_bits(name: str, identity: Any, array: Any, axes: tuple[int, ...]) -> Any:
    """Elements along axes combined bit by bit: halves of an axis, until one element is left."""
    if array.dtype == torch.bool:  # by exclusive or
        return (array.sum(axes) & 1).to(torch.bool)
    combine = getattr(torch, name)
    for axis in reversed(axes):
        if not array.shape[axis]:
            array = array.new_full(
                [1 if k == axis else n for k, n in enumerate(array.shape)], identity
            )
        while (size := array.shape[axis]) > 1:
            first, second, rest = array.split((size // 2, size // 2, size % 2), axis)
            combined = combine(first, second)
            array = torch.cat((combined, rest), axis) if size % 2 else combined
        array = array.squeeze(axis)
    return array


def both(x: Any, y: Any) -> Any:
    """``x & y`` on Bools, as bytes."""
    return (x.view(torch.uint8) & y.view(torch.uint8)).view(torch.bool)


def either(x: Any, y: Any) -> Any:
    """``x | y`` on Bools, as bytes."""
    return (x.view(torch.uint8) | y.view(torch.uint8)).view(torch.bool)


def selected_rows(array: Any, axis: int, mask: Any, neutral: Any) -> Any:
    """The rows along an axis that a mask selects; or all rows, those of others made neutral, where
    their number is not known, or the program would wait for it longer than for few rows.
    """
    waits = array.device.type != "cpu" and (
        array.numel() < 1 << 22 or torch.cuda.is_current_stream_capturing()
    )
    if not waits and not torch.compiler.is_compiling():
        try:
            return array[(*(slice(None),) * axis, mask)]
        except RuntimeError:  # torch.func.vmap does not reveal values
            pass
    shape = [-1 if k == axis else 1 for k in range(array.ndim)]
    return torch.where(mask.reshape(shape), array, neutral)


def log_sum_exp_of_part(array: Any, axis: int) -> Any:
    """The largest element less its log-softmax, which takes long rows in two passes."""
    is_long = array.shape[axis] >= 512 and axis == array.ndim - 1
    if is_long and array.device.type == "cpu" and not is_recorded(array):
        return array.amax(axis) - torch.log_softmax(array, axis).amax(axis)
    return torch.logsumexp(array, axis)


def log_sum_exp(array: Any, axis: int) -> Any:
    """The logarithm of the sum of powers along an axis; NaN if the largest exponent is infinite."""
    if not array.shape[axis]:
        return filled_reduction(array, (axis,), -math.inf)
    if axis and array.numel() >= 2**19 and array.device.type == "cpu":
        # The powers of some rows at a time stay in the cache.
        rows = max(2**17 * array.shape[0] // array.numel(), 1)
        result = torch.cat([log_sum_exp_of_part(part, axis) for part in array.split(rows)])
    else:
        result = log_sum_exp_of_part(array, axis)
    return result + (result - result)


def log_add_exp(first: Any, *others: Any) -> Any:
    """The logarithm of a sum of powers; NaN if the largest exponent is infinite."""
    for other in others:
        first = torch.logaddexp(first, other)
    return first + (first - first)


def any_of(array: Any, axes: tuple[int, ...]) -> Any:
    """Whether any Bool along axes is true: the largest byte, many times as fast as ``any``."""
    if 0 in array.shape:
        return array.any(axes)
    return array.view(torch.uint8).amax(axes).view(torch.bool)


def all_of(array: Any, axes: tuple[int, ...]) -> Any:
    """Whether all Bools along axes are true."""
    if 0 in array.shape:
        return array.all(axes)
    return array.view(torch.uint8).amin(axes).view(torch.bool)


def product(array: Any, axes: tuple[int, ...]) -> Any:
    """The product of floats along axes, the last one first."""
    for axis in reversed(axes):
        array = product_along(array, axis)
    return array


def product_along(array: Any, axis: int) -> Any:
    """The product of floats along an axis: in order, unless another order is known to be safe."""
    result = array.prod(axis)
    if not array.shape[axis]:
        return result
    try:
        found = result.detach()
        if not torch.compiler.is_compiling() and bool((found.isfinite() & (found != 0)).all()):
            return result
    except RuntimeError:  # torch.func.vmap does not reveal values
        pass
    return array.movedim(axis, -1).cumprod(-1)[..., -1]
