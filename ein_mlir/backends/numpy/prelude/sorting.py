"""Orders, positions in sorted arrays, and the first few elements in an order."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import numpy as np


def argsort(array: Any, axis: int) -> Any:
    """The positions of the elements along an axis in increasing order; it is stable."""
    if array.ndim == 1 and len(array) >= 1024 and array.dtype.kind in "iuf":
        few = array[:: len(array) // 256]
        if (few[1:] < few[:-1]).any():
            if array.dtype.kind != "f" and (order := order_by_digits(array)) is not None:
                return order
            if is_increasing(np.sort(few)):
                order = np.argsort(array)  # half of the time; stable if no elements are equal
                if is_increasing(array[order]):
                    return order
    return np.argsort(array, axis, "stable")


def order_by_digits(array: Any) -> Any:
    """The same for integers less than 2^32 apart, 16 bits after the others: NumPy counts those."""
    low, high = int(array.min()), int(array.max())
    if high - low >= 2**32:
        return None
    distances = (array - array.dtype.type(low)).astype(np.uint32)
    order = np.argsort(distances.astype(np.uint16), kind="stable")
    if high - low >= 2**16:
        order = order[np.argsort((distances >> 16).astype(np.uint16)[order], kind="stable")]
    return order


def is_increasing(array: Any) -> bool:
    """Whether each element of a vector is less than the next one: none is NaN."""
    return bool((array[1:] > array[:-1]).all())


def first_positions(array: Any, axis: int, count: Any) -> Any:
    """At least the first ``count`` positions of ``argsort``, if there are as many."""
    if (
        array.dtype == np.bool_
        and array.ndim == 1
        and len(first := np.flatnonzero(~array)) >= count
    ):
        return first
    rows = np.moveaxis(array, axis, -1)
    if array.dtype.kind in "if" and count > 0 and rows.size and is_few(count, rows):
        lost = np.inf if array.dtype.kind == "f" else np.iinfo(array.dtype).max
        if (np.count_nonzero(rows < lost, -1) >= count).all():
            return top_k(array, axis, count, False)
    return argsort(array, axis)


def sort_elements(array: Any, axis: int) -> Any:
    """The elements along an axis in increasing order, NaN last."""
    return np.sort(array, axis)


def sort_at(array: Any, axis: int, *positions: Any) -> Any:
    """An array with the elements at some positions, which are clipped, as in increasing order."""
    size = array.shape[axis]
    if size < 64 * len(positions):
        return sort_elements(array, axis)
    return np.partition(array, sorted({min(max(int(p), 0), size - 1) for p in positions}), axis)


def order_of_search(array: Any, values: Any) -> Any:
    """The order of many values to search for in a long vector, which then stays in the cache."""
    is_long = array.ndim == 1 and min(array.size, np.size(values)) >= 4096
    return np.argsort(values, None) if is_long else None


def place_in_order(array: Any, values: Any, side: Any, order: Any = None) -> Any:
    """The places of values in vectors in increasing order, those along the last axis.

    ``order`` is that of the search for many values.
    """
    if order is not None:
        places = np.empty(order.shape, np.int64)
        places[order] = array.searchsorted(values.ravel()[order], side)
        return places.reshape(values.shape)
    if array.ndim == 1:
        return array.searchsorted(values, side)
    shape = array.shape[:-1]
    rows = array.reshape(math.prod(shape), array.shape[-1])
    groups = values.reshape(len(rows), math.prod(values.shape[len(shape) :]))
    if groups.shape[1] < 16:
        return places_by_halves(rows, groups, side).reshape(values.shape)
    result = np.empty(groups.shape, np.int64)
    for row in range(len(rows)):
        result[row] = rows[row].searchsorted(groups[row], side)
    return result.reshape(values.shape)


def places_by_halves(rows: Any, values: Any, side: Any) -> Any:
    """The same for a few values in each of many rows."""
    size, result = rows.shape[1], np.zeros(values.shape, np.int64)
    starts = np.arange(len(rows))[:, None] * size - 1
    for bit in reversed(range(size.bit_length())):
        further = result + (1 << bit)
        found = rows.take(np.minimum(further, size) + starts)
        is_before = found < values if side == "left" else found <= values
        is_before |= (values != values) & ((found == found) | (side == "right"))
        result[is_before & (further <= size)] += 1 << bit
    return result


def top_k(array: Any, axis: int, count: Any, is_largest: bool) -> Any:
    """The positions of the first elements along an axis in order, of the smallest or the largest.

    Of ties the first one comes first; NaN is passed over; where no element is left, it is 0.
    """
    rows, is_float = np.moveaxis(array, axis, -1), array.dtype.kind == "f"
    if is_largest:
        rows = -rows if is_float else ~rows
    shape, size = rows.shape[:-1], rows.shape[-1]
    rows = rows.reshape(math.prod(shape), size)
    lost = np.inf if is_float else np.iinfo(rows.dtype).max
    result = np.zeros((len(rows), count), np.int64)
    if result.size and size:
        fill = next_positions if is_few(count, rows) else sorted_positions
        fill(rows, lost, result)
    return np.moveaxis(result.reshape(*shape, count), -1, axis)


def is_few(count: Any, rows: Any) -> Any:
    """Whether so many searches take less time than sorting does."""
    size = rows.shape[-1]
    return count * (math.isqrt(size) // 4 + 300 // (rows.size // size) + 1) <= size


def sorted_positions(rows: Any, lost: Any, result: Any) -> None:
    """Fill rows with the positions of the smallest elements less than ``lost``, by sorting."""
    order = np.argsort(np.fmin(rows, lost), 1, "stable")[:, : result.shape[1]]
    is_left = np.take_along_axis(rows, order, 1) < lost
    result[:, : order.shape[1]] = np.where(is_left, order, 0)


def next_positions(rows: Any, lost: Any, result: Any) -> None:
    """The same by successive searches, each in the block with the smallest remaining element.

    The elements are found in increasing order, and equal ones in the order of their positions, so
    all elements before the last one in this order have been found.
    """
    size, block, row = rows.shape[1], math.isqrt(rows.shape[1]), np.arange(len(rows))
    offsets, lowest = np.arange(block), -lost if rows.dtype.kind == "f" else ~lost
    least = np.fmin(np.fmin.reduceat(rows, np.arange(0, size, block), 1), lost)
    last, position = np.full(len(rows), lowest, rows.dtype), np.full(len(rows), -1)
    for k in range(result.shape[1]):
        number = least.argmin(1)
        places = number[:, None] * block + offsets
        left = rows[row[:, None], np.minimum(places, size - 1)]
        is_left = (left > last[:, None]) | (left == last[:, None]) & (places > position[:, None])
        left = np.where(is_left & (places < size), left, lost)
        last, best = least[row, number], left.argmin(1)
        position = np.where(last < lost, number * block + best, 0)
        result[:, k] = position
        left[row, best] = lost
        least[row, number] = left.min(1)
