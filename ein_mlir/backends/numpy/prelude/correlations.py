"""Sums of products with windows."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import itertools
import math
from typing import Any

import numpy as np

from ein_mlir.backends.numpy.prelude.indexing import block_length
from ein_mlir.backends.shared_prelude import strided_parts


def correlate(
    array: Any, filters: Any, sizes: Any, strides: Any = (), dilations: Any = (), groups: int = 1
) -> Any:
    """Sums of products of filters with the windows of arrays.

    ``array`` has the axes (batch, channel, place ..), ``filters`` (output, channel, offset ..), and
    ``sizes`` are the numbers of places, which are ``strides`` apart, as offsets are ``dilations``.
    The windows of as many rows of places as stay in the cache, of one array or of several, are laid
    out next to each other, as factors of products of matrices. Where places are fewer than offsets,
    the rows are of offsets, and are summed up; places of many arrays are taken one by one. One
    filter of each channel is no matrix: its offsets are taken one by one, or its places.
    """
    offsets, shape = filters.shape[2:], (len(array), len(filters), *sizes)
    if not math.prod(shape) or not filters.size:
        return np.zeros(shape, array.dtype)
    strides, dilations = (each or (1,) * len(sizes) for each in (strides, dilations))
    are_few = math.prod(sizes) <= math.prod(offsets)
    if filters.shape[:2] == (groups, 1) and not are_few:
        result = np.zeros_like(array, shape=shape)  # axes in the order of the array's
        add_products(array, filters[:, 0], result, strides, dilations)
        return result
    if groups > 1:
        parts = zip(np.split(array, groups, 1), np.split(filters, groups), strict=True)
        return np.concatenate([correlate(*part, sizes, strides, dilations) for part in parts], 1)
    result = np.zeros(shape, array.dtype)
    row = len(array) * math.prod(sizes) * math.prod(offsets[1:]) * array.itemsize
    is_large = len(array) >= 32 or not block_length(row, 0)  # the matrix of one place, or of a row
    if are_few and (is_large or filters.shape[:2] == (1, 1)):
        for place in np.ndindex(*sizes):
            window = array[(..., *strided_parts(place, offsets, strides, dilations))]
            result[(..., *place)] = filtered(window, filters)
        return result
    windows = windows_of(array, sizes, offsets, strides, dilations)
    if are_few:
        sums_of_rows(windows, filters, block_length(row), result)
        return result
    matrix = filters.reshape(len(filters), -1)
    step = block_length(matrix.shape[1] * math.prod(sizes[1:]) * array.itemsize)
    count = max(step // sizes[0], 1)
    for first in range(0, len(windows), count):
        images, sums = windows[first : first + count], result[first : first + count]
        for start in range(0, sizes[0], step):
            rows = (..., slice(start, start + step), *(slice(None) for _ in sizes[1:]))
            block = sums[rows]
            columns = images[rows].reshape(len(block), matrix.shape[1], -1)
            products = block.reshape(len(block), len(matrix), -1)  # a copy of a part of the rows
            np.matmul(matrix, columns, out=products)
            if step < sizes[0]:
                block[...] = products.reshape(block.shape)
    return result


def windows_of(array: Any, sizes: Any, offsets: Any, strides: Any, dilations: Any) -> Any:
    """A view of the windows, with the axes (batch, channel, offset .., place ..)."""
    places = tuple(range(2, array.ndim))
    spans = tuple((m - 1) * d + 1 for m, d in zip(offsets, dilations, strict=True))
    used = (slice((n - 1) * s + m) for n, m, s in zip(sizes, spans, strides, strict=True))
    array = array[(slice(None), slice(None), *used)]
    windows = np.lib.stride_tricks.sliding_window_view(array, spans, places)
    steps = (slice(None, None, step) for step in (*strides, *dilations))
    windows = windows[(slice(None), slice(None), *steps)]
    return np.moveaxis(windows, places, tuple(axis + len(sizes) for axis in places))


def sums_of_rows(windows: Any, filters: Any, step: int, result: Any) -> None:
    """Add up the products of ``step`` rows of offsets, of one channel or of several."""
    axes = filters.ndim - 1  # the channel and the offsets, which become the last ones
    windows = np.moveaxis(windows, range(1, 1 + axes), range(-axes, 0))
    channels, rows = filters.shape[1:3]
    count = max(step // rows, 1)
    for first in range(0, channels, count):
        for start in range(0, rows, step):
            part = slice(first, first + count), slice(start, start + step)
            columns = windows[(..., *part, *(slice(None) for _ in range(axes - 2)))]
            weights = filters[(slice(None), *part)].reshape(len(filters), -1)
            products = columns.reshape(-1, weights.shape[1]) @ weights.T
            products = products.reshape(*windows.shape[:-axes], len(filters))
            result += np.moveaxis(products, -1, 1)


def filtered(windows: Any, filters: Any) -> Any:
    """The sums of the products of all windows with all filters."""
    if filters.shape[:2] == (1, 1):  # without a copy of the window
        axes = list(range(1, windows.ndim))
        return np.einsum(windows, [0, *axes], filters[0], axes)[:, None]
    return windows.reshape(len(windows), -1) @ filters.reshape(len(filters), -1).T


def add_products(images: Any, weights: Any, sums: Any, strides: Any, dilations: Any) -> None:
    """Add the products of each channel's weights with its windows, offset by offset, in place.

    Blocks of several arrays, or of some rows of places of one, stay in the cache.
    """
    channels, rows, *row = sums.shape[1:]
    step = block_length(3 * channels * math.prod(row) * sums.itemsize)
    count = max(step // rows, 1)
    for first, start in itertools.product(range(0, len(sums), count), range(0, rows, step)):
        block = sums[first : first + count, :, start : start + step]
        windows = images[first : first + count, :, start * strides[0] :]
        for offset in np.ndindex(weights.shape[1:]):
            parts = strided_parts(offset, block.shape[2:], dilations, strides)
            each = weights[(..., *offset)].reshape(channels, *(1,) * len(offset))
            block += windows[(..., *parts)] * each
