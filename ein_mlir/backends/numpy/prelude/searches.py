"""The positions of least and greatest elements."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import numpy as np


def elements_found(array: Any, position: Any, axis: int) -> Any:
    """The elements at positions along an axis."""
    if array.ndim == 1:
        return array[position]
    if array.ndim == 2:
        others = np.arange(array.shape[1 - axis])
        return array[others, position] if axis else array[position, others]
    return np.take_along_axis(array, np.expand_dims(position, axis), axis).squeeze(axis)


def first_best(array: Any, axis: int, find: Any, worst: Any) -> Any:
    """The position that ``find`` gives along an axis if NaN is no better than ``worst``."""
    if array.shape[axis] == 0:
        return np.zeros(array.shape[:axis] + array.shape[axis + 1 :], np.int64)[()]
    position = find(array, axis)
    if array.dtype.kind != "f":
        return position
    best = elements_found(array, position, axis)
    if array.ndim > 1:
        best = np.vdot(best, best)  # NaN if one of them is, and only then
    if best == best:
        return position
    return find(np.where(array == array, array, worst), axis)


def best_elements(array: Any, axis: int, find: Any, extreme: Any, worst: Any) -> Any:
    """The best floats along an axis, NaN where one is, and the positions of the first of them.

    NaN is passed over by the search. Without NaN the best are the elements at the positions.
    """
    if array.shape[axis] == 0:
        shape = array.shape[:axis] + array.shape[axis + 1 :]
        return np.full(shape, worst, array.dtype)[()], np.zeros(shape, np.int64)[()]
    position = find(array, axis)
    best = elements_found(array, position, axis)
    total = np.vdot(best, best) if array.ndim > 1 else best
    if total == total:
        return best, position
    return extreme(array, axis), find(np.where(array == array, array, worst), axis)


def largest(array: Any, axis: int) -> Any:
    """The largest floats along an axis, and the positions of the first of them."""
    return best_elements(array, axis, np.ndarray.argmax, np.ndarray.max, -np.inf)


def smallest(array: Any, axis: int) -> Any:
    """The smallest floats along an axis, and the positions of the first of them."""
    return best_elements(array, axis, np.ndarray.argmin, np.ndarray.min, np.inf)


def argmin(array: Any, axis: int) -> Any:
    """The first of the smallest elements along an axis: its position. NaN is passed over."""
    return first_best(array, axis, np.ndarray.argmin, np.inf)


def argmax(array: Any, axis: int) -> Any:
    """The first of the largest elements along an axis: its position. NaN is passed over."""
    return first_best(array, axis, np.ndarray.argmax, -np.inf)


def last_best(array: Any, axis: int, extreme: Any) -> Any:
    """The position of the last element along an axis that is the extreme one; 0 for NaN alone."""
    size = array.shape[axis]
    if size == 0:
        return np.zeros(array.shape[:axis] + array.shape[axis + 1 :], np.int64)[()]
    is_best = array == extreme.reduce(array, axis, keepdims=True)
    position = size - 1 - np.flip(is_best, axis).argmax(axis)
    return position if array.dtype.kind != "f" else np.where(is_best.any(axis), position, 0)[()]


def last_argmin(array: Any, axis: int) -> Any:
    """The last of the smallest elements along an axis: its position. NaN is passed over."""
    return last_best(array, axis, np.fmin)


def last_argmax(array: Any, axis: int) -> Any:
    """The last of the largest elements along an axis: its position. NaN is passed over."""
    return last_best(array, axis, np.fmax)


def true_position(mask: Any, axis: int, otherwise: Any, last: bool) -> Any:
    """The first true element along an axis, or the last: its position.

    It is ``otherwise`` where there is none, and no further than that; the extreme of no positions
    where the axis is empty.
    """
    size = mask.shape[axis]
    if size == 0:
        limits = np.iinfo(np.int64)
        shape = mask.shape[:axis] + mask.shape[axis + 1 :]
        return np.full(shape, limits.min if last else limits.max)[()]
    if mask.ndim == 1:
        found = mask[::-1].argmax() if last else mask.argmax()
        place = size - 1 - found if last else found
        return np.int64((place if last else min(place, otherwise)) if mask[place] else otherwise)
    if last:
        mask = mask[(slice(None),) * axis + (slice(None, None, -1),)]
    found = mask.argmax(axis)
    is_true = elements_found(mask, found, axis)
    position = size - 1 - found if last else np.minimum(found, otherwise)
    return np.where(is_true, position, otherwise)[()]
