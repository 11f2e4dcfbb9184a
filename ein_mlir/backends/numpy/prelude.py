"""Helper functions that emitted NumPy programs carry with them, since NumPy has no such function.

They are ordinary functions, and tested as such. The printer copies the source of those that a
program needs into it, so they use only each other and the imports of this module.
"""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import functools
import math
import operator
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


def clipped_slice(array: Any, axis: int, start: int, size: int, step: int) -> Any:
    """``size`` elements of an axis from ``start``, ``step`` apart; positions clip into bounds."""
    every = (slice(None),) * axis
    if step == 1 and 0 <= start <= array.shape[axis] - size:
        return array[(*every, slice(start, start + size))]
    array, start = fill_empty(array, axis), int(start)
    if abs(start) >= 2**62:
        return np.take(array, start + step * np.arange(size), axis=axis, mode="clip")
    if step < 0:
        upwards = clipped_slice(array, axis, start + (size - 1) * step, size, -step)
        return upwards[(*every, slice(None, None, -1))]
    length = array.shape[axis]
    if size == 0 or (start >= 0 and start + (size - 1) * step < length):
        return array[(*every, slice(start, start + size * step, step))]
    if step > 1:
        return np.take(array, start + step * np.arange(size), axis=axis, mode="clip")
    below = min(max(-start, 0), size)
    above = min(max(start + size - length, 0), size)
    first, last = array[(*every, slice(0, 1))], array[(*every, slice(-1, None))]
    inside = array[(*every, slice(start + below, max(start + size - above, 0)))]
    parts = (np.repeat(first, below, axis), inside, np.repeat(last, above, axis))
    return np.concatenate(parts, axis)


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
            return np.take(fill_empty(array, axis), positions, axis=axis, mode="clip")
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


def first_best(array: Any, axis: int, find: Any, worst: Any) -> Any:
    """The position that ``find`` gives along an axis if NaN is no better than ``worst``."""
    if array.shape[axis] == 0:
        return np.zeros(array.shape[:axis] + array.shape[axis + 1 :], np.int64)[()]
    position = find(array, axis)
    if array.dtype.kind != "f":
        return position
    if array.ndim == 1:
        best = array[position]
        if best == best:
            return position
    elif array.ndim == 2:
        others = np.arange(array.shape[1 - axis])
        best = array[others, position] if axis else array[position, others]
    else:
        best = np.take_along_axis(array, np.expand_dims(position, axis), axis)
    if (best == best).all():
        return position
    return find(np.where(array == array, array, worst), axis)


def argmin(array: Any, axis: int) -> Any:
    """The first of the smallest elements along an axis: its position. NaN is passed over."""
    return first_best(array, axis, np.ndarray.argmin, np.inf)


def argmax(array: Any, axis: int) -> Any:
    """The first of the largest elements along an axis: its position. NaN is passed over."""
    return first_best(array, axis, np.ndarray.argmax, -np.inf)


def last_best(array: Any, axis: int, extreme: Any) -> Any:
    """The position of the last element along an axis that is the extreme one; 0 for NaN alone."""
    if array.shape[axis] == 0:
        return np.zeros(array.shape[:axis] + array.shape[axis + 1 :], np.int64)[()]
    later = tuple(range(1, array.ndim - axis))
    positions = np.expand_dims(range(array.shape[axis]), later)
    best = extreme.reduce(array, axis, keepdims=True)
    return np.where(array == best, positions, 0).max(axis)


def last_argmin(array: Any, axis: int) -> Any:
    """The last of the smallest elements along an axis: its position. NaN is passed over."""
    return last_best(array, axis, np.fmin)


def last_argmax(array: Any, axis: int) -> Any:
    """The last of the largest elements along an axis: its position. NaN is passed over."""
    return last_best(array, axis, np.fmax)


def argsort(array: Any, axis: int) -> Any:
    """The positions of the elements along an axis in increasing order; it is stable."""
    return np.argsort(array, axis, "stable")


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


def place_in_order(array: Any, values: Any, order: Any, side: Any) -> Any:
    """The places of values in vectors in increasing order, those along the last axis."""
    if order is not None:
        places = np.empty(order.shape, np.int64)
        places[order] = np.searchsorted(array, values.ravel()[order], side)
        return places.reshape(values.shape)
    if array.ndim == 1:
        return np.searchsorted(array, values, side)
    shape = array.shape[:-1]
    rows = array.reshape(math.prod(shape), array.shape[-1])
    groups = values.reshape(len(rows), math.prod(values.shape[len(shape) :]))
    if groups.shape[1] < 16:
        return places_by_halves(rows, groups, side).reshape(values.shape)
    result = np.empty(groups.shape, np.int64)
    for row in range(len(rows)):
        result[row] = np.searchsorted(rows[row], groups[row], side)
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


# Tests


def propagate_nan(array: Any, others: Any, axis: int, witness: Any) -> Any:
    """The array, but NaN where others are not finite at another position along an axis.

    The array itself, if the sum of a witness is finite: then so are all of the others.
    """
    if np.isfinite(witness.sum()):
        return array
    finite = np.isfinite(others).all(tuple(range(others.ndim - array.ndim)))
    count = finite.shape[axis] - 1
    return np.where(finite.sum(axis, keepdims=True) - finite < count, np.nan, array)


# Prefixes and segments


def scan(ufunc: Any, identity: Any, array: Any, axis: int, suffixes: bool) -> Any:
    """The combinations of all prefixes along an axis, or suffixes, the empty one included."""
    shape, every = list(array.shape), (slice(None),) * axis
    shape[axis] += 1
    result = np.empty(shape, array.dtype)
    backwards = (*every, slice(None, None, -1))
    array, prefixes = (array[backwards], result[backwards]) if suffixes else (array, result)
    prefixes[(*every, 0)] = identity
    ufunc.accumulate(array, axis, array.dtype, prefixes[(*every, slice(1, None))])
    return result


def weighted_scan(ufunc: Any, identity: Any, array: Any, weights: Any, axis: int) -> Any:
    """``y[j] = max(y[j - 1] + w[j], x[j])`` along an axis; Bools say where ``y[j - 1]`` counts.

    A window of steps has the same form, and so have two windows in order: those of 1, 2, 4, ..
    steps are combined, in parts of the axis that stay in the cache.
    """
    result, weights = np.moveaxis(array, axis, 0).copy(), np.moveaxis(weights, axis, 0)
    is_mask, is_same = weights.dtype == bool, len(weights) == 1

    def combine(before: Any, weight: Any, own: Any) -> None:
        weighed = np.where(weight, before, own.dtype.type(identity)) if is_mask else before + weight
        ufunc(weighed, own, out=own)

    length = max(64, 8192 // max(1, result[:1].size))
    for start in range(0, len(result), length):
        part, width = result[start : start + length], 1
        windows = weights if is_same else weights[start : start + length]
        if start:
            combine(result[start - 1 : start], windows[:1], part[:1])
        windows = windows if is_same else windows[1:]
        while width < len(part):
            combine(part[:-width], windows, part[width:])
            first, last = (windows,) * 2 if is_same else (windows[:-width], windows[width:])
            windows = first & last if is_mask else first + last
            width *= 2
    return np.moveaxis(result, 0, axis)


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


# Contractions


def is_finite(array: Any) -> bool:
    """Whether all elements are finite. If their sum is, they are."""
    return math.isfinite(array.sum()) or bool(np.isfinite(array).all())


def is_normal(array: Any) -> bool:
    """Whether no element is near or below the least normal number."""
    return bool(np.abs(array).min(initial=np.inf) >= least_safe(array))


def is_zero_or_normal(array: Any, root: int) -> bool:
    """Whether all elements but zeros are above a root of the same bound."""
    sizes, least = np.abs(array), least_safe(array) ** (1 / root)
    if sizes.min(initial=np.inf) >= least:
        return True
    return bool(((sizes >= least) | (array == 0)).all())


def least_safe(array: Any) -> float:
    """A number that is small, and whose products with numbers that are not small are normal."""
    info = np.finfo(array.dtype)
    return float(info.tiny / info.eps)


def is_safe(finite: Any, normal: Any, products: Any) -> bool:
    """Whether products that a program does not compute had neither overflow nor underflow.

    Arrays with zeros are no proof. Then the factors are, if they are zero or not small.
    """
    if not all(map(is_finite, finite)):
        return False
    if all(map(is_normal, normal)):
        return True
    factors = (np.asarray(factor) for _, factor in named_factors(products))
    arrays = [array for array in factors if array.dtype != np.bool_]
    return all(is_zero_or_normal(array, len(arrays)) for array in arrays)


def in_order(array: Any, finite: Any, normal: Any, products: Any) -> Any:
    """A sum of products in another order, or in order if the tests of the other order fail."""
    if is_safe(finite, normal, products):
        return array
    named = named_factors(products)
    sizes = {k: n for letters, f in named for k, n in zip(letters, f.shape, strict=True)}
    longest = max(sizes, key=sizes.__getitem__, default="")
    step = max(1, 2**22 * sizes.get(longest, 1) // max(1, math.prod(sizes.values())))
    if step >= sizes.get(longest, 1):
        return summed_products(products)
    starts = range(0, sizes[longest], step)
    blocks = [summed_products(cut(products, longest, slice(k, k + step))) for k in starts]
    letters = products[0]
    if longest in letters:
        return np.concatenate(blocks, letters.index(longest))
    return functools.reduce(np.add, blocks)


def named_factors(products: Any) -> Any:
    """The factors of nested products, each with the names of its axes; of divisors 1 / x."""
    letters, *parts = products
    if not isinstance(parts[0], tuple):
        return [(letters[1:], 1 / parts[0]) if letters[:1] == "/" else (letters, parts[0])]
    return [factor for part in parts for factor in named_factors(part)]


def cut(products: Any, letter: str, part: Any) -> Any:
    """The same products of a part of each factor along an axis."""
    letters, *parts = products
    if isinstance(parts[0], tuple):
        return (letters, *(cut(each, letter, part) for each in parts))
    places = tuple(part if k == letter else slice(None) for k in letters.removeprefix("/"))
    return letters, parts[0][places]


def summed_products(products: Any) -> Any:
    """Products of factors from left to right, summed along the axes that the result lacks."""
    letters, *parts = products
    if not isinstance(parts[0], tuple):
        return parts[0]
    axes = [part[0].removeprefix("/") for part in parts]
    names = "".join(dict.fromkeys(letters + "".join(axes)))
    values = map(summed_products, parts)
    product, *arrays = (spread(x, own, names) for x, own in zip(values, axes, strict=True))
    for part, array in zip(parts[1:], arrays, strict=True):
        product = product / array if part[0][:1] == "/" else times(product, array)
    return product.sum(tuple(range(len(letters), len(names))))


def times(product: Any, factor: Any) -> Any:
    """The product with one more factor; one of Bools is a mask, outside of which it is 0."""
    return np.where(factor, product, 0) if factor.dtype == np.bool_ else product * factor


def spread(array: Any, letters: str, names: str) -> Any:
    """An array with named axes in an order; those that it lacks have size 1."""
    own = "".join(name for name in names if name in letters)
    array = np.einsum(f"{letters}->{own}", array)  # transposes, takes diagonals
    return array[tuple(slice(None) if name in own else None for name in names)]


def grouped_matmul(lhs: Any, rhs: Any, rows: int, summed: int, columns: int) -> Any:
    """A product of matrices whose rows, columns and summed axes are groups of axes.

    ``lhs`` ends in the axes of the rows and the summed axes, ``rhs`` in the summed axes and the
    axes of the columns; axes before them are shared, or those of one side. Operands are copied if
    their groups are not contiguous. The result owns its memory: NumPy then adds to it in place.
    """
    left, right = lhs.ndim - rows - summed, rhs.ndim - columns - summed
    down, inner = lhs.shape[left : left + rows], lhs.shape[left + rows :]
    across = rhs.shape[right + summed :]
    size = math.prod(inner)
    lhs = lhs.reshape(*lhs.shape[:left], math.prod(down), size)
    rhs = rhs.reshape(*rhs.shape[:right], size, math.prod(across))
    front = max(lhs.shape[:-2], rhs.shape[:-2], key=len)
    result = np.empty((*front, *down, *across), lhs.dtype)
    flat = result.reshape(*front, lhs.shape[-2], rhs.shape[-1])
    if lhs.dtype.kind == "f":
        np.matmul(lhs, rhs, out=flat)
    else:
        flat[...] = int_matmul(lhs, rhs)
    return result


def int_matmul(lhs: Any, rhs: Any) -> Any:
    """``lhs @ rhs`` of ints, as a product of floats if that is exact: that of ints is slow.

    It is if no sum of magnitudes is above 2^53. Small products are not worth the test.
    """
    columns = rhs.shape[-1]
    products = lhs.size * columns
    if products < 2**15 or products < 16 * (lhs.size + rhs.size) or not rhs.size:
        return lhs @ rhs
    if lhs.shape[-1] * magnitude(lhs) * magnitude(rhs) > 2**53:
        return lhs @ rhs
    product = lhs.astype(np.float64) @ rhs.astype(np.float64)
    return product.astype(np.int64).astype(lhs.dtype, copy=False)


def magnitude(ints: Any) -> int:
    """The largest absolute value, as an integer that does not wrap."""
    return max(int(ints.max()), -int(ints.min()))


# Scalars


def correlate(
    array: Any, filters: Any, sizes: Any, strides: Any = (), dilations: Any = (), groups: int = 1
) -> Any:
    """Sums of products of filters with the windows of arrays.

    ``array`` has the axes (batch, channel, place ..), ``filters`` (output, channel, offset ..), and
    ``sizes`` are the numbers of places, which are ``strides`` apart, as offsets are ``dilations``.
    The windows of as many rows of places as stay in the cache are laid out next to each other, as
    one factor of a product of matrices.
    """
    if groups > 1:
        parts = zip(np.split(array, groups, 1), np.split(filters, groups), strict=True)
        return np.concatenate([correlate(*part, sizes, strides, dilations) for part in parts], 1)
    offsets, result = filters.shape[2:], np.zeros((len(array), len(filters), *sizes), array.dtype)
    if not result.size or not filters.size:
        return result
    places = tuple(range(2, array.ndim))
    strides, dilations = (each or (1,) * len(sizes) for each in (strides, dilations))
    spans = tuple((m - 1) * d + 1 for m, d in zip(offsets, dilations, strict=True))
    used = (slice((n - 1) * s + m) for n, m, s in zip(sizes, spans, strides, strict=True))
    array = array[(slice(None), slice(None), *used)]
    windows = np.lib.stride_tricks.sliding_window_view(array, spans, places)
    steps = (slice(None, None, step) for step in (*strides, *dilations))
    windows = windows[(slice(None), slice(None), *steps)]
    windows = np.moveaxis(windows, places, tuple(axis + len(sizes) for axis in places))
    matrix = filters.reshape(len(filters), -1)
    step = block_length(matrix.shape[1] * math.prod(sizes[1:]) * array.itemsize)
    for image, sums in zip(windows, result, strict=True):
        for start in range(0, sizes[0], step):
            rows = (slice(start, start + step), *(slice(None) for _ in sizes[1:]))
            block = sums[(slice(None), *rows)]
            columns = image[(..., *rows)].reshape(matrix.shape[1], -1)
            block[...] = (matrix @ columns).reshape(block.shape)
    return result


def float_min(x: Any, y: Any) -> Any:
    """The smaller of two floats; NaN if either is."""
    return x if x < y or x != x else y


def float_max(x: Any, y: Any) -> Any:
    """The larger of two floats; NaN if either is."""
    return x if x > y or x != x else y


def int_power(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` on ints, truncated towards zero where the exponent is negative."""
    power = base ** np.maximum(exponent, 0)
    inverse = np.where(np.abs(base) == 1, np.where(exponent % 2 == 0, 1, base), 0)
    return np.where(exponent < 0, inverse, power).astype(power.dtype)[()]


def truncated_divide(x: Any, y: Any) -> Any:
    """``x / y`` on ints, rounded towards zero; 0 where y is 0."""
    quotient = x // y
    return quotient + ((x % y != 0) & ((x < 0) != (y < 0)))


def leading_zeros(x: Any) -> Any:
    """The number of zero bits above the highest one bit of integers."""
    bits = 8 * x.dtype.itemsize
    if not x.ndim:
        return x.dtype.type(0 if x < 0 else bits - int(x).bit_length())
    count, rest = np.where(x < 0, 0, bits).astype(x.dtype), np.maximum(x, 0)
    for width in (32, 16, 8, 4, 2, 1):
        high = rest >> min(width, bits - 1)
        count = np.where(high > 0, count - width, count)
        rest = np.where(high > 0, high, rest)
    return count - rest


def round_half_away(x: Any) -> Any:
    """The nearest whole number; of two, the one further from zero."""
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x).astype(whole.dtype)


def erf(x: Any) -> Any:
    """The error function."""
    try:
        from scipy.special import erf as vectorized  # pyright: ignore
    except ImportError:
        vectorized = np.vectorize(math.erf, otypes=[np.float64])
    return np.asarray(vectorized(x)).astype(x.dtype, copy=False)[()]
