"""Selections without branches, which take long where a processor cannot predict them."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import math
from typing import Any

import numpy as np


def is_regular(mask: Any) -> bool:
    """Whether three of four elements of a mask are like the ones before, in a part of it."""
    part = mask[mask.shape[0] // 4 : mask.shape[0] // 2 + 1]
    return 4 * np.count_nonzero(part[..., 1:] != part[..., :-1]) < part.size


def as_bits(values: Any, dtype: Any) -> Any:
    """The bits of floats as integers."""
    return np.asarray(values, dtype).view(f"i{dtype.itemsize}")


def multiple(product: Any, x: Any, factor: Any = None) -> Any:
    """A multiple of ``x``, and 0 where ``x`` is, even if a factor is infinite or undefined."""
    if math.isfinite(product.sum() if factor is None else factor):
        return product
    return np.where(x != 0.0, product, 0.0)


def choose(mask: Any, x: Any, y: Any) -> Any:
    """``np.where(mask, x, y)`` of floats, as large as the mask: products with it, if irregular."""
    is_zero = isinstance(y, float) and not y
    if mask.size < 1 << 11 or (not is_zero and is_regular(mask)):
        return np.where(mask, x, y)
    dtype = np.result_type(x, y)
    new, old = as_bits(x, dtype), as_bits(y, dtype)
    if is_zero and not old:
        return (new * mask).view(dtype)
    chosen = (new ^ old) * mask
    chosen ^= old
    return chosen.view(dtype)


def choose_into(array: Any, values: Any, where: Any) -> None:
    """``np.copyto(array, values, where=where)`` of floats; the mask is as large as the array.

    Blocks of an irregular one, so that what is computed stays in the cache.
    """
    if where.size < 1 << 11 or is_regular(where):
        np.copyto(array, values, where=where)
        return
    new = np.broadcast_to(as_bits(values, array.dtype), array.shape)
    old, step = array.view(new.dtype), max(1, (len(array) << 14) // array.size)
    for start in range(0, len(array), step):
        rows = slice(start, start + step)
        change = new[rows] ^ old[rows]
        change *= where[rows]
        old[rows] ^= change
