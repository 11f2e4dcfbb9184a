"""Combinations of all prefixes and suffixes."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import numpy as np


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

    Weights of sums are factors, and those of bits are masks.

    A window of steps has the same form, and so have two windows in order: those of 1, 2, 4, ..
    steps are combined, in parts of the axis that stay in the cache.
    """
    result, weights = array.swapaxes(axis, 0).copy(), weights.swapaxes(axis, 0)
    is_mask, is_same = weights.dtype == bool, len(weights) == 1
    weigh = {np.minimum: np.add, np.maximum: np.add, np.add: np.multiply}.get(ufunc, np.bitwise_and)

    def combine(before: Any, weight: Any, own: Any) -> None:
        zero = own.dtype.type(identity)
        weighed = np.where(weight, before, zero) if is_mask else weigh(before, weight)
        ufunc(weighed, own, out=own)

    length = max(64, 8192 // max(1, result[:1].size))
    for start in range(0, len(result), length):
        part, width = result[start : start + length], 1
        windows = weights if is_same else weights[start : start + length]
        if start:
            combine(result[start - 1 : start], windows[:1], part[:1])
        windows = windows if is_same else windows[1:]
        while width < len(part) and (not is_mask or windows.any()):
            combine(part[:-width], windows, part[width:])
            first, last = (windows,) * 2 if is_same else (windows[:-width], windows[width:])
            windows = first & last if is_mask else weigh(first, last)
            width *= 2
    return result.swapaxes(axis, 0)
