"""Elements combined by segment."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import numpy as np


def count_true(mask: Any, axis: int, dtype: Any) -> Any:
    """The number of true elements along an axis. It is counted in 16 bits if it fits: faster."""
    is_short = mask.shape[axis] < 2**15
    return np.add.reduce(mask, axis, np.int16 if is_short else np.int64).astype(dtype)


def bounded_key(key: Any, size: Any) -> Any:
    """The key with the size in place of positions out of bounds.

    A negative number is larger than all sizes if its bits are read as unsigned.
    """
    bits = key.view(np.uint64)
    if key.size == 0 or bits.max() < size:
        return key
    return np.minimum(bits, np.uint64(size)).view(np.int64)


def segment_numbers(keys: Any, sizes: Any) -> Any:
    """The places that keys select, numbered in row-major order.

    Each axis has one more place than its size, for keys out of bounds.
    """
    numbers = bounded_key(keys[0], sizes[0])
    for key, size in zip(keys[1:], sizes[1:], strict=True):
        numbers = numbers * (size + 1) + bounded_key(key, size)
    return numbers


def segment_count(numbers: Any, sizes: Any, dtype: Any) -> Any:
    """The number of positions in each segment."""
    shape = tuple(size + 1 for size in sizes)
    counts = np.bincount(numbers.ravel(), None, math.prod(shape))
    return counts.astype(dtype, copy=False).reshape(shape)[tuple(map(slice, sizes))]


def segment_column(ufunc: Any, identity: Any, values: Any, places: Any, count: int) -> Any:
    """The values of each segment combined; floats are added up in double precision."""
    if ufunc is np.add and values.dtype.kind == "f":
        return np.bincount(places, values, count)
    result = np.full(count, identity, values.dtype)
    ufunc.at(result, places, values)
    return result


def segment_rows(ufunc: Any, identity: Any, values: Any, places: Any, count: int) -> Any:
    """The same for rows, some at a time, so that the places of their elements stay in cache."""
    width = values.shape[1]
    is_float_sum = ufunc is np.add and values.dtype.kind == "f"
    result = np.full(count * width, identity, np.float64 if is_float_sum else values.dtype)
    columns, step = np.arange(width), max(2**16 // width, 1)
    for start in range(0, len(values), step):
        rows = slice(start, start + step)
        elements = places[rows, None] * width + columns
        ufunc.at(result, elements.ravel(), values[rows].astype(result.dtype, copy=False).ravel())
    return result


def accumulate_at(ufunc: Any, identity: Any, values: Any, numbers: Any, sizes: Any) -> Any:
    """The values of each segment combined, or the rows of values, which may have more axes.

    ``numbers`` are those of the segment of each value or row. Values are repeated only where they
    must be: NumPy copies arrays that it may not write to.
    """
    if len(sizes) == 1 and numbers.ndim == 1 and values.shape == numbers.shape:
        column = segment_column(ufunc, identity, values, numbers, sizes[0] + 1)
        return column[: sizes[0]].astype(values.dtype, copy=False)
    rest, shape = values.shape[numbers.ndim :], tuple(size + 1 for size in sizes)
    count, width = math.prod(shape), math.prod(rest)
    if values.shape != (full := (*numbers.shape, *rest)):
        values = np.broadcast_to(values, full)
    values = values.reshape(numbers.size, width)
    places = numbers.ravel()
    if width == 1:
        result = segment_column(ufunc, identity, values[:, 0], places, count)
    elif width < 8:
        result = np.empty((count, width), values.dtype)
        for k in range(width):
            result[:, k] = segment_column(ufunc, identity, values[:, k], places, count)
    else:
        result = segment_rows(ufunc, identity, values, places, count)
    result = result.astype(values.dtype, copy=False).reshape(*shape, *rest)
    return result[tuple(map(slice, sizes))]
