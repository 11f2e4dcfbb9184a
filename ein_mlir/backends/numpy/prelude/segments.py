"""Elements combined by segment."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import numpy as np

from ein_mlir.backends.shared_prelude import places_in_order


def count_true(mask: Any, axis: int, dtype: Any) -> Any:
    """The number of true elements along an axis. It is counted in 16 bits if it fits: faster."""
    is_short = mask.shape[axis] < 2**15
    return np.add.reduce(mask, axis, np.int16 if is_short else np.int64).astype(dtype)


def reduce_rows(function: Any, array: Any, identity: Any) -> Any:
    """``function.reduce(array, axis=-1, initial=identity)``, column by column of short rows.

    NumPy takes rows one by one. Sums of longer ones are products with ones.
    """
    width = array.shape[-1]
    if array.size >= 512 and 1 < width <= 64:
        is_float = array.dtype.kind == "f" and array.flags.c_contiguous
        if function is np.add and width > 4 and is_float:
            ones = np.ones(width, array.dtype)
            return (array.reshape(-1, width) @ ones).reshape(array.shape[:-1])
        if width <= 8:
            result = function(array[..., 0], array[..., 1])
            for k in range(2, width):
                function(result, array[..., k], out=result)
            return result
    return function.reduce(array, axis=-1, initial=identity)


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


def segment_column(ufunc: Any, start: Any, values: Any, places: Any, count: int) -> Any:
    """A start, and the values of each segment; floats are added up in double precision."""
    if ufunc is np.add and values.dtype.kind == "f":
        return np.bincount(places, values, count)
    result = np.full(count, start, values.dtype)
    if values.dtype.kind == "b" and ufunc in (np.bitwise_or, np.bitwise_and):
        decides = ufunc is np.bitwise_or
        result[places[values == decides]] = decides
    else:
        ufunc.at(result, places, values)
    return result


def segment_rows(ufunc: Any, start: Any, values: Any, places: Any, count: int) -> Any:
    """The same for rows, some at a time, so that the places of their elements stay in cache."""
    width = values.shape[1]
    is_float_sum = ufunc is np.add and values.dtype.kind == "f"
    result = np.full((count, width), start, np.float64 if is_float_sum else values.dtype).ravel()
    columns, step = np.arange(width), max(2**16 // width, 1)
    for first in range(0, len(values), step):
        rows = slice(first, first + step)
        elements = places[rows, None] * width + columns
        ufunc.at(result, elements.ravel(), values[rows].astype(result.dtype, copy=False).ravel())
    return result


def accumulate_at(ufunc: Any, start: Any, values: Any, numbers: Any, sizes: Any) -> Any:
    """A start, and the values of each segment, or the rows of values, which may have more axes.

    ``numbers`` are those of the segment of each value or row. Values are repeated only where they
    must be: NumPy copies arrays that it may not write to. The start is a number, or an array, if
    floats are not added up.
    """
    rest, shape = values.shape[numbers.ndim :], tuple(size + 1 for size in sizes)
    count, width = math.prod(shape), math.prod(rest)
    kept = tuple(map(slice, sizes))
    if np.ndim(start):
        whole = np.empty((*shape, *rest), values.dtype)
        whole[kept] = start
        start = whole.reshape(count, width)
    if len(sizes) == 1 and numbers.ndim == 1 and values.shape == numbers.shape:
        start = start[:, 0] if np.ndim(start) else start
        column = segment_column(ufunc, start, values, numbers, count)
        return column[: sizes[0]].astype(values.dtype, copy=False)
    if values.shape != (full := (*numbers.shape, *rest)):
        values = np.broadcast_to(values, full)
    values = values.reshape(numbers.size, width)
    places = numbers.ravel()
    if width < 8:
        result = np.empty((count, width), values.dtype)
        for k in range(width):
            first = start[:, k] if np.ndim(start) else start
            result[:, k] = segment_column(ufunc, first, values[:, k], places, count)
    else:
        result = segment_rows(ufunc, start, values, places, count)
    result = result.astype(values.dtype, copy=False).reshape(*shape, *rest)
    return result[kept]


def shifted_products(a: Any, b: Any, steps: Any, starts: Any, sizes: Any) -> Any:
    """The sums of ``a[i] * b[j]`` at the positions ``r * i + s * j + start``: a convolution.

    There is a position for each of their axes; ``steps`` are all r, then all s.
    """
    if steps == (1, 1) and a.size and b.size:
        return placed(np.convolve(a, b), 0, starts, sizes)
    if a.size < b.size:
        a, b, steps = b, a, steps[a.ndim :] + steps[: a.ndim]
    whole, places = shifted_places(a.shape, b.shape, steps, 0, a.dtype)
    for offset in np.ndindex(b.shape):
        whole[places(offset)] += a * b[offset]
    return placed(whole, 0, starts, sizes)


def shifted_values(
    ufunc: Any,
    identity: Any,
    values: Any,
    steps: Any,
    starts: Any,
    sizes: Any,
    clips: Any = (),
) -> Any:
    """The elements ``values[i, j]``, or rows, combined at these positions; all i precede all j."""
    count = len(sizes)
    if math.prod(values.shape[:count]) < math.prod(values.shape[count : 2 * count]):
        values = np.moveaxis(values, range(count), range(count, 2 * count))
        steps = steps[count:] + steps[:count]
    shape, offsets, rows = (
        values.shape[:count],
        values.shape[count : 2 * count],
        values.shape[2 * count :],
    )
    axes = places_in_order((*shape, *offsets), steps)
    if axes is not None:
        whole = values.transpose((*axes, *range(2 * count, values.ndim))).copy()
        whole = whole.reshape((*(n * m for n, m in zip(shape, offsets, strict=True)), *rows))
    elif (
        count == 1 and not rows and 0 < offsets[0] * (sum(shape) + offsets[0]) * max(steps) < 2**18
    ):
        whole = combined_on_diagonals(ufunc, identity, values, *steps)
    else:
        whole, places = shifted_places(shape, offsets, steps, identity, values.dtype, rows)
        for offset in np.ndindex(offsets):
            place = whole[places(offset)]
            ufunc(place, values[(*(slice(None),) * count, *offset)], out=place)
    for axis, clip in enumerate(clips):
        if clip:
            whole, start = ends_combined(ufunc, whole, axis, starts[axis], sizes[axis])
            starts = (*starts[:axis], start, *starts[axis + 1 :])
    return placed(whole, identity, starts, (*sizes, *rows))


def combined_on_diagonals(ufunc: Any, identity: Any, values: Any, step: Any, distance: Any) -> Any:
    """The elements ``values[i, j]`` combined at ``step * i + distance * j``, for small arrays.

    Each column is a row that begins ``distance`` elements after that of the column before it.
    """
    count, columns = values.shape
    extent = step * max(count - 1, 0) + 1
    size = extent + distance * (columns - 1)
    flat = np.full(columns * (size + distance), identity, values.dtype)
    flat.reshape(columns, size + distance)[:, :extent:step][:, :count] = values.T
    return ufunc.reduce(flat[: columns * size].reshape(columns, size), axis=0, dtype=values.dtype)


def shifted_places(
    shape: Any, offsets: Any, steps: Any, identity: Any, dtype: Any, rows: Any = ()
) -> Any:
    """An array of all positions, and the function of the slices of those at an offset."""
    firsts, columns = steps[: len(shape)], steps[len(shape) :]
    extents = [r * max(n - 1, 0) + 1 for n, r in zip(shape, firsts, strict=True)]
    lasts = [s * max(m - 1, 0) for m, s in zip(offsets, columns, strict=True)]

    def places(offset: Any) -> Any:
        starts = [s * k for s, k in zip(columns, offset, strict=True)]
        ends = [k + n if size else k for k, n, size in zip(starts, extents, shape, strict=True)]
        return tuple(map(slice, starts, ends, firsts))

    sizes = [n + m for n, m in zip(extents, lasts, strict=True)]
    return np.full([*sizes, *rows], identity, dtype), places


def ends_combined(ufunc: Any, whole: Any, axis: int, start: Any, size: Any) -> Any:
    """The array with what is out of bounds combined at the first and the last position, and the
    position of its first element.
    """
    start, length = int(start), whole.shape[axis]
    if not size or (start >= 0 and start + length <= size):
        return whole, start
    positions = np.clip(np.arange(start, start + length), 0, size - 1)
    firsts = np.flatnonzero(np.diff(positions, prepend=-1))
    return ufunc.reduceat(whole, firsts, axis, whole.dtype), positions[0]


def placed(whole: Any, identity: Any, starts: Any, sizes: Any) -> Any:
    """An array of some sizes with the elements of another from a start, if they are in bounds."""
    starts = [int(start) for start in starts]
    if not any(starts) and whole.shape == tuple(sizes):
        return whole
    starts += [0] * (len(sizes) - len(starts))
    kept = (slice(max(-p, 0), max(int(n) - p, 0)) for p, n in zip(starts, sizes, strict=True))
    part, result = whole[tuple(kept)], np.full(sizes, identity, whole.dtype)
    first = [max(p, 0) for p in starts]
    result[tuple(map(slice, first, map(int.__add__, first, part.shape)))] = part
    return result


def placed_values(keys: Any, sizes: Any, values: Any) -> Any:
    """Keys and the values at these positions; none with a key out of bounds."""
    bounded = [bounded_key(key, size) for key, size in zip(keys, sizes, strict=True)]
    if all(own is key for own, key in zip(bounded, keys, strict=True)):
        return (*keys, values)
    inside = np.array(True)
    for key, size in zip(bounded, sizes, strict=True):
        inside = inside & (key < size)
    values = np.broadcast_to(values, inside.shape + values.shape[inside.ndim :])
    return (*(np.broadcast_to(key, inside.shape)[inside] for key in keys), values[inside])
