"""One axis read as several, and several as one."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
import operator
from typing import Any

import numpy as np

from ein_mlir.backends.numpy.prelude.contractions import is_finite
from ein_mlir.backends.numpy.prelude.indexing import clipped_slice, fill_empty


def strided(
    array: Any, axis: int, start: Any, sizes: tuple[int, ...], steps: tuple[Any, ...]
) -> Any:
    """``a[start + i*steps[0] + ..]``: a view if all positions are in bounds, else clipped.

    Windows that overlap are views of a clipped slice. Blocks are an axis split by ``reshape``:
    that takes less time than other strides.
    """
    start, sizes, steps = int(start), tuple(map(int, sizes)), tuple(map(int, steps))
    reaches = [step * (size - 1) for size, step in zip(sizes, steps, strict=True)]
    least, length = start + sum(min(reach, 0) for reach in reaches), sum(map(abs, reaches)) + 1
    if least < 0 or least + length > array.shape[axis] or 0 in sizes:
        if length > math.prod(sizes) or abs(start) >= 2**62:
            positions = np.asarray(start)
            for size, step in zip(sizes, steps, strict=True):
                positions = positions[..., None] + step * np.arange(size)
            return fill_empty(array, axis).take(positions, axis=axis, mode="clip")
        array, start = clipped_slice(array, axis, least, length, 1), start - least
    every, around = (slice(None),) * axis, (array.shape[:axis], array.shape[axis + 1 :])
    shape, last = (*around[0], *sizes, *around[1]), steps[-1]
    if last > 0 and all(map(operator.eq, steps, map(operator.mul, steps[1:], sizes[1:]))):
        return array[(*every, slice(start, start + length, last))].reshape(shape)
    first = array[(*every, slice(start, None))]
    own = (step * array.strides[axis] * (size > 1) for size, step in zip(sizes, steps, strict=True))
    strides = (*array.strides[:axis], *own, *array.strides[axis + 1 :])
    return np.lib.stride_tricks.as_strided(first, shape, strides, writeable=False)


def window_product(weights: Any, array: Any, start: Any, size: int, step: int) -> Any:
    """``sum_j weights[j] * array[start + i + step*j]`` for each ``i`` below a size."""
    count, start = len(weights), int(start)
    if not count or not size:
        return np.zeros(size, array.dtype)
    if step < 0:
        weights, start = weights[::-1], start - count + 1
    windows = clipped_slice(array, 0, start, count + size - 1, 1)
    before, after = (zeros_before(part, count - 1) for part in (windows, windows[::-1]))
    others = windows[before : len(windows) - after]
    if len(others) > size or not is_finite(weights):
        return np.correlate(windows, weights, "valid")
    if not len(others):
        return np.zeros(size, array.dtype)
    first = count - 1 - before
    return np.correlate(others, weights, "full")[first : first + size]


def zeros_before(array: Any, most: int) -> int:
    """How many of the first elements are zeros, at most a number."""
    others = array[:most] != 0
    return int(others.argmax()) if others.any() else len(others)


def flatten(array: Any, axis: int) -> Any:
    """The axis and the next one as one."""
    first, second = array.shape[axis : axis + 2]
    return array.reshape((*array.shape[:axis], first * second, *array.shape[axis + 2 :]))


def flat_copy(array: Any, axis: int) -> Any:
    """The axis and the next one as one, in memory of its own."""
    first, second = array.shape[axis : axis + 2]
    if array.strides[axis + 1] == 0 and first * second:
        return np.repeat(array[(*(slice(None),) * (axis + 1), 0)], second, axis)
    flat = flatten(array, axis)
    return flat.copy() if np.may_share_memory(flat, array) else flat


def first_or(array: Any, default: Any) -> Any:
    """The first element along the leading axis, or the default where there is none."""
    return array[0] if array.shape[0] else default
