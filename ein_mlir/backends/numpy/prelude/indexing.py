"""Elements, slices and grids of arrays, with clipped positions."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import numpy as np


def make_complex(real: Any, imag: Any) -> Any:
    """Complex numbers of two parts."""
    result = np.empty(np.shape(real), np.result_type(real, np.complex64))
    result.real = real
    result.imag = imag
    return result[()]


def fill_empty(array: Any, axis: int) -> Any:
    """The array, or where the axis is empty, one zero along it."""
    if array.shape[axis]:
        return array
    shape = list(array.shape)
    shape[axis] = 1
    return np.zeros(shape, array.dtype)


def are_positions(array: Any, last: int, steps: int) -> bool:
    """Whether no element is below 0 or above the last position, if there are few for the steps."""
    if array.size == 0 or array.size > 4 * steps:
        return False
    return bool(array.min() >= 0 and array.max() <= last)


def block_length(position_bytes: int, least: int = 1) -> int:
    """The size of a block of an axis, so that its arrays stay in the cache together."""
    cache_bytes = 2097152  # of a cache that cores share: in smaller blocks, calls take longer
    return max(least, cache_bytes // max(1, position_bytes))


def pad_edges(array: Any, widths: tuple[tuple[int, int], ...]) -> Any:
    """The array padded by copies of its first and last elements: ``widths`` of them per axis."""
    for axis, width in enumerate(widths):
        if any(width):
            array = fill_empty(array, axis)
    ends = [(low, low + n) for n, (low, _) in zip(array.shape, widths, strict=True)]
    shape = [end + high for (_, end), (_, high) in zip(ends, widths, strict=True)]
    padded = np.empty(shape, array.dtype)
    padded[tuple(slice(*inside) for inside in ends)] = array
    for axis, (start, end) in enumerate(ends):
        every = (slice(None),) * axis
        padded[(*every, slice(0, start))] = padded[(*every, slice(start, start + 1))]
        padded[(*every, slice(end, None))] = padded[(*every, slice(end - 1, end))]
    return padded


def take_grid(array: Any, *positions: Any) -> Any:
    """The elements at all combinations of positions along the leading axes; positions are clipped.

    One axis is taken at a time, first the one that shrinks most, unless this copies far more
    elements than the result has.
    """
    counts = [position.size for position in positions]
    order = sorted(range(len(counts)), key=lambda axis: counts[axis] / max(1, array.shape[axis]))
    shape, most = list(array.shape), 0
    for axis in order:
        shape[axis] = counts[axis]
        most = max(most, math.prod(shape))
    if most > 4 * math.prod(shape):
        limits = zip(positions, array.shape, strict=False)
        return array[np.ix_(*(np.clip(p.ravel(), 0, n - 1) for p, n in limits))]
    for axis in order:
        array = array.take(positions[axis].ravel(), axis, mode="clip")
    return array


def gathered(array: Any, *positions: Any) -> Any:
    """``a[p, q, ..]`` at positions that are clipped.

    Few positions are numbered in row-major order, which one call clips. Of many, only those that
    are out of bounds somewhere are clipped, along each axis.
    """
    count = len(positions)
    sizes = array.shape[:count]
    if positions[0].size < 10000 and array.flags.c_contiguous:
        numbers = np.ravel_multi_index(positions, sizes, mode="clip")
        return array.reshape(math.prod(sizes), *array.shape[count:]).take(numbers, 0)
    return array[tuple(map(clipped_into, positions, sizes))]


def clipped_into(positions: Any, size: int) -> Any:
    """Positions clipped into an axis, if any is out of bounds.

    A negative number is larger than all sizes if its bits are read as unsigned.
    """
    if positions.size == 0 or positions.view(f"u{positions.itemsize}").max() < size:
        return positions
    return np.minimum(np.maximum(positions, 0), size - 1)


def rotated(array: Any, *rotations: tuple[Any, ...]) -> Any:
    """``a[(i + s + t + ..) mod m]`` for i < n, clipped, by rotations ``(axis, n, m, s, t, ..)``.

    Parts of the array are copied, two along each axis; more than a period is a part of tiles.
    """
    parts: list[list[tuple[slice, slice]]] = [[(slice(None), slice(None))]] * array.ndim
    for axis, size, modulus, *shifts in rotations:
        shift = (sum(map(int, shifts)) + 2**63) % 2**64 - 2**63
        if size == modulus == array.shape[axis] and size and abs(shift) < 2**62:
            first = shift % int(size)
            rest = size - first
            parts[axis] = [(slice(rest), slice(first, None)), (slice(rest, None), slice(first))]
        elif size > modulus == array.shape[axis] and modulus and abs(shift) < 2**62:
            first, every = shift % int(modulus), (slice(None),) * axis
            tiles = (-(-(first + size) // modulus), *(1,) * (array.ndim - axis - 1))
            array = np.tile(array, tiles)[(*every, slice(first, first + size))]
        else:
            positions = (np.arange(size) + shift) % modulus
            array = fill_empty(array, axis).take(positions, axis=axis, mode="clip")
    if all(len(pairs) == 1 for pairs in parts):
        return array
    places: list[tuple[tuple[slice, ...], tuple[slice, ...]]] = [((), ())]
    for pairs in parts:
        places = [((*to, end), (*at, start)) for to, at in places for end, start in pairs]
    result = np.empty(array.shape, array.dtype)
    for to, at in places:
        result[to] = array[at]
    return result


def clipped_slice(array: Any, axis: int, start: int, size: int, step: int) -> Any:
    """``size`` elements of an axis from ``start``, ``step`` apart; positions clip into bounds."""
    every = (slice(None),) * axis
    if step == 1 and 0 <= start <= array.shape[axis] - size:
        return array[(*every, slice(start, start + size))]
    array, start = fill_empty(array, axis), int(start)
    if abs(start) >= 2**62:
        return array.take(start + step * np.arange(size), axis=axis, mode="clip")
    if step < 0:
        upwards = clipped_slice(array, axis, start + (size - 1) * step, size, -step)
        return upwards[(*every, slice(None, None, -1))]
    length = array.shape[axis]
    if size == 0 or (start >= 0 and start + (size - 1) * step < length):
        return array[(*every, slice(start, start + size * step, step))]
    if step > 1:
        return array.take(start + step * np.arange(size), axis=axis, mode="clip")
    low = min(max(-start, 0), size)
    high = max(min(length - start, size), low)
    found = np.empty((*array.shape[:axis], size, *array.shape[axis + 1 :]), array.dtype)
    found[(*every, slice(low, high))] = array[(*every, slice(start + low, max(start + high, 0)))]
    if low:
        found[(*every, slice(low))] = array[(*every, slice(1))]
    if high < size:
        found[(*every, slice(high, None))] = array[(*every, slice(-1, None))]
    return found
