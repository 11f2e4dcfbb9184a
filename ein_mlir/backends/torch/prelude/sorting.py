"""Orders, positions in sorted arrays, and the first few elements in an order."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import math
from typing import Any

import torch

from ein_mlir.backends.torch.prelude.searches import without_nan


def argsort(array: Any, axis: int) -> Any:
    """The positions of the elements along an axis in increasing order; it is stable."""
    return torch.argsort(array.detach(), dim=axis, stable=True)


def place_in_order(array: Any, values: Any, side: str) -> Any:
    """The places of values in vectors in increasing order, those along the last axis."""
    leading, order = values.shape[: array.ndim - 1], array.detach()
    rows = values.detach().reshape(*leading, math.prod(values.shape[len(leading) :]))
    if not order.dtype.is_floating_point or ends_in_numbers(order):
        found = torch.searchsorted(order.contiguous(), rows.contiguous(), side=side)
        return found.reshape(values.shape)
    is_number = order == order
    order = torch.where(is_number, order, math.inf).contiguous()
    found = torch.searchsorted(order, rows.contiguous(), side=side)
    before_nan = found.minimum(is_number.sum(-1, keepdim=True))
    if side == "right":
        before_nan = torch.where(rows == rows, before_nan, found)
    return before_nan.reshape(values.shape)


def ends_in_numbers(array: Any) -> bool:
    """Whether the last elements of vectors in order are known to be numbers: then all of them are.

    Another device than the CPU is not waited for.
    """
    if array.device.type != "cpu" or torch.compiler.is_compiling() or not array.shape[-1]:
        return False
    last = array[..., -1]
    try:
        return bool((last == last).all())
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False


def first_positions(array: Any, axis: int, count: int) -> Any:
    """At least the first ``count`` positions of ``argsort``, if there are as many."""
    rows = array.detach().movedim(axis, -1)
    if array.dtype == torch.bool and array.ndim == 1 and not torch.compiler.is_compiling():
        try:
            if len(first := torch.nonzero(~rows)[:, 0]) >= count:
                return first
        except RuntimeError:  # torch.func.vmap does not reveal values
            pass
    if count <= 0 or not rows.numel() or array.dtype == torch.bool:
        return argsort(array, axis)
    if (found := strict_top_k(rows, count, False)) is not None:
        return found.movedim(-1, axis)
    if not is_few(count, rows):
        return argsort(array, axis)
    is_float = array.dtype.is_floating_point
    lost = math.inf if is_float else torch.iinfo(array.dtype).max
    try:
        if not torch.compiler.is_compiling() and bool(((rows < lost).sum(-1) >= count).all()):
            return top_k(array, axis, count, False)
    except RuntimeError:  # torch.func.vmap does not reveal values
        pass
    return argsort(array, axis)


def sort_elements(array: Any, axis: int) -> Any:
    """The elements along an axis in increasing order, NaN last."""
    return torch.sort(array, dim=axis)[0]


def top_k(array: Any, axis: int, count: int, is_largest: bool) -> Any:
    """The positions of the first elements along an axis in order, of the smallest or the largest.

    Of ties the first one comes first; NaN is passed over; where no element is left, it is 0.
    """
    rows, is_float = array.detach().movedim(axis, -1), array.dtype.is_floating_point
    found = strict_top_k(rows, count, is_largest)
    if found is not None:
        return found.movedim(-1, axis)
    if is_largest:
        rows = -rows if is_float else ~rows
    shape, size = rows.shape[:-1], rows.shape[-1]
    rows = rows.reshape(math.prod(shape), size)
    lost = math.inf if is_float else torch.iinfo(rows.dtype).max
    result = rows.new_zeros((len(rows), count), dtype=torch.int64)
    if result.numel() and size:
        find = next_positions if is_few(count, rows) else sorted_positions
        result = find(without_nan(rows, math.inf), lost, count)
    return result.reshape(*shape, count).movedim(-1, axis)


def strict_top_k(rows: Any, count: int, is_largest: bool) -> Any:
    """``top_k`` of rows by ``torch.topk``, which orders ties at will and takes NaN for the largest
    element; None where it finds either, also after the last, or no number, or values are not known.
    """
    if not 0 < count <= rows.shape[-1] or rows.dtype == torch.bool or 0 in rows.shape:
        return None
    info = torch.finfo if rows.dtype.is_floating_point else torch.iinfo
    least, most = info(rows.dtype).min, info(rows.dtype).max
    try:
        if torch.compiler.is_compiling():
            return None
        best, found = rows.topk(min(count + 1, rows.shape[-1]), largest=is_largest)
        last, first, next_ = best[..., count - 1], best[..., :-1], best[..., 1:]
        if is_largest:
            is_strict = (first > next_).all() & (last > least).all()
        else:
            is_strict = (first < next_).all() & (last < most).all()
        if bool(is_strict):
            return found[..., :count]
    except RuntimeError:  # torch.func.vmap does not reveal values
        pass
    return None


def is_few(count: int, rows: Any) -> bool:
    """Whether so many searches take less time than sorting does."""
    size = rows.shape[-1]
    return count * (math.isqrt(size) // 4 + 300 // (rows.numel() // size) + 1) <= size


def sorted_positions(rows: Any, lost: Any, count: int) -> Any:
    """The positions of the smallest elements of rows that are less than ``lost``, by sorting."""
    rows, order = rows.sort(dim=1, stable=True)
    order = torch.where(rows < lost, order, 0)[:, :count]
    return torch.nn.functional.pad(order, (0, count - order.shape[1]))


def next_positions(rows: Any, lost: Any, count: int) -> Any:
    """The same by successive searches, each in the block with the smallest remaining element.

    The elements are found in increasing order, and equal ones in the order of their positions, so
    all elements before the last one in this order have been found.
    """
    size, block = rows.shape[1], math.isqrt(rows.shape[1])
    whole = size - size % block
    least = rows[:, :whole].reshape(len(rows), -1, block).amin(2)
    if whole < size:
        least = torch.cat((least, rows[:, whole:].amin(1, keepdim=True)), 1)
    offsets, numbers = (torch.arange(n, device=rows.device) for n in (block, least.shape[1]))
    lowest = -lost if rows.dtype.is_floating_point else ~lost
    last = rows.new_full((len(rows), 1), lowest)
    position = torch.full_like(last, -1, dtype=torch.int64)
    found: list[Any] = []
    for _ in range(count):
        number = least.min(1, keepdim=True).indices
        places = number * block + offsets
        left = rows.take_along_dim(places.clamp(max=size - 1), 1)
        is_left = (left > last) | (left == last) & (places > position)
        left = torch.where(is_left & (places < size), left, lost)
        last, best = least.take_along_dim(number, 1), left.min(1, keepdim=True).indices
        position = torch.where(last < lost, number * block + best, 0)
        found.append(position)
        others = torch.where(offsets == best, lost, left).amin(1, keepdim=True)
        least = torch.where(numbers == number, others, least)
    return torch.cat(found, 1)
