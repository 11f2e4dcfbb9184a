"""The positions of least and greatest elements."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import math
from typing import Any

import torch

from ein_mlir.backends.torch.prelude.reductions import amax, amin, filled_reduction


def without_nan(array: Any, worst: float) -> Any:
    """The array, with ``worst`` for NaN."""
    if not array.dtype.is_floating_point:
        return array
    return array.nan_to_num(worst, math.inf, -math.inf)


def may_be_nan(array: Any, axis: int, found: Any) -> bool:
    """Whether an element at the found positions may be NaN: PyTorch finds NaN before numbers."""
    if not array.dtype.is_floating_point:
        return False
    try:
        best = array.take_along_dim(found.unsqueeze(axis), axis)
        return torch.compiler.is_compiling() or bool(best.isnan().any())
    except RuntimeError:  # torch.func.vmap does not reveal values
        return True


def first_of(array: Any, axis: int, extreme: Any, search: Any) -> Any:
    """The position at which ``search`` finds the first ``extreme`` along an axis that is not empty.

    A long vector is searched in the first block that has it: comparing numbers alone is several
    times as fast as keeping their positions. ``torch.max`` is up to 17 times as fast as
    ``torch.argmax`` along an axis that is not the last.
    """
    length, block = array.shape[axis], 1024
    if array.ndim > 1 or length < 64 * block:
        return search(array, axis).indices
    whole = length - length % block
    extremes = extreme(array[:whole].reshape(-1, block), 1)
    if whole < length:
        extremes = torch.cat((extremes, extreme(array[whole:], 0)[None]))
    start = search(extremes, 0).indices * block
    places = start + torch.arange(block, device=array.device)
    return start + search(array[places.clamp(max=length - 1)], 0).indices


def first_number(array: Any, axis: int, extreme: Any, search: Any, worst: float) -> Any:
    """``first_of`` with NaN passed over; 0 if the axis is empty.

    Another device than the CPU is not waited for: NaN is replaced before the search.
    """
    if array.shape[axis] == 0:
        return filled_reduction(array, (axis,), 0).to(torch.int64)
    array = array.detach()
    if array.device.type == "cpu":
        found = first_of(array, axis, extreme, search)
        if not may_be_nan(array, axis, found):
            return found
    return first_of(without_nan(array, worst), axis, extreme, search)


def argmin(array: Any, axis: int) -> Any:
    """The first of the smallest elements along an axis: its position. NaN is passed over."""
    return first_number(array, axis, torch.amin, torch.min, math.inf)


def argmax(array: Any, axis: int) -> Any:
    """The first of the largest elements along an axis: its position. NaN is passed over."""
    return first_number(array, axis, torch.amax, torch.max, -math.inf)


def last_equal(array: Any, axis: int, best: Any) -> Any:
    """The position of the last element along an axis that equals the best; 0 where none does."""
    if array.shape[axis] == 0:
        return filled_reduction(array, (axis,), 0).to(torch.int64)
    positions = torch.arange(array.shape[axis], device=array.device)
    positions = positions.reshape(-1, *(1,) * (array.ndim - axis - 1))
    return torch.where(array == best.unsqueeze(axis), positions, 0).amax(axis)


def last_argmin(array: Any, axis: int) -> Any:
    """The last of the smallest elements along an axis: its position. NaN is passed over."""
    return last_equal(array, axis, amin(without_nan(array, math.inf), (axis,)))


def last_argmax(array: Any, axis: int) -> Any:
    """The last of the largest elements along an axis: its position. NaN is passed over."""
    return last_equal(array, axis, amax(without_nan(array, -math.inf), (axis,)))


def true_position(mask: Any, axis: int, otherwise: Any, last: bool) -> Any:
    """The first true element along an axis, or the last: its position.

    It is ``otherwise`` where there is none, and no further than that; the extreme of no positions
    where the axis is empty.
    """
    size, limits = mask.shape[axis], torch.iinfo(torch.int64)
    if size == 0:
        limit = limits.min if last else limits.max
        return filled_reduction(mask.to(torch.int64), (axis,), limit)
    if last:
        mask = mask.flip(axis)
    found = mask.max(axis).indices
    is_true = mask.gather(axis, found.unsqueeze(axis)).squeeze(axis)
    position = size - 1 - found if last else found.clamp(max=otherwise)
    return torch.where(is_true, position, otherwise)
