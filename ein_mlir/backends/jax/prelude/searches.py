"""The positions of least and greatest elements."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax.lax as lax
import jax.numpy as jnp


def first_best(array: Any, axis: int, find: Any, extreme: Any, better: Any, worst: Any) -> Any:
    """The position of the first element along an axis that is the extreme one, NaN the worst.

    XLA computes the least of positions faster than jnp.argmax, except for many short rows, and for
    arrays that leave the cache between two passes over them. With few elements it takes no less
    time, and up to three times as long to compile.
    """
    size = array.shape[axis]
    if size == 0:
        return jnp.zeros(array.shape[:axis] + array.shape[axis + 1 :], int)
    if jnp.isdtype(array.dtype, "real floating"):
        array = better(array, worst)
    has_short_rows = axis == array.ndim - 1 and size <= 16 and array.size >= 1024
    if has_short_rows or array.size <= 32 or array.size * array.dtype.itemsize >= 2**23:
        return find(array, axis).astype(int)
    positions = lax.broadcasted_iota("int32" if size < 2**31 else int, array.shape, axis)
    found = jnp.where(array == extreme(array, axis, keepdims=True), positions, size)
    return found.min(axis).astype(int)


def argmin(array: Any, axis: int) -> Any:
    """The first of the smallest elements along an axis: its position. NaN is passed over."""
    return first_best(array, axis, jnp.argmin, jnp.min, jnp.fmin, jnp.inf)


def argmax(array: Any, axis: int) -> Any:
    """The first of the largest elements along an axis: its position. NaN is passed over."""
    return first_best(array, axis, jnp.argmax, jnp.max, jnp.fmax, -jnp.inf)


def last_best(array: Any, axis: int, extreme: Any) -> Any:
    """The position of the last element along an axis that is the extreme one; 0 for NaN alone."""
    if array.shape[axis] == 0:
        return jnp.zeros(array.shape[:axis] + array.shape[axis + 1 :], int)
    later = tuple(range(1, array.ndim - axis))
    positions = jnp.expand_dims(jnp.arange(array.shape[axis]), later)
    return jnp.where(array == extreme(array, axis, keepdims=True), positions, 0).max(axis)


def last_argmin(array: Any, axis: int) -> Any:
    """The last of the smallest elements along an axis: its position. NaN is passed over."""
    return last_best(array, axis, jnp.nanmin)


def last_argmax(array: Any, axis: int) -> Any:
    """The last of the largest elements along an axis: its position. NaN is passed over."""
    return last_best(array, axis, jnp.nanmax)
