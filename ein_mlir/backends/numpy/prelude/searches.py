"""The positions of least and greatest elements."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import numpy as np


def first_best(array: Any, axis: int, find: Any, worst: Any) -> Any:
    """The position that ``find`` gives along an axis if NaN is no better than ``worst``."""
    if array.shape[axis] == 0:
        return np.zeros(array.shape[:axis] + array.shape[axis + 1 :], np.int64)[()]
    position = find(array, axis)
    if array.dtype.kind != "f":
        return position
    if array.ndim == 1:
        best = array[position]
    elif array.ndim == 2:
        others = np.arange(array.shape[1 - axis])
        best = array[others, position] if axis else array[position, others]
    else:
        best = np.take_along_axis(array, np.expand_dims(position, axis), axis).ravel()
    squares = np.dot(best, best)  # NaN if one of them is, and only then
    if squares == squares:
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
