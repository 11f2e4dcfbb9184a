"""Arrays with new values at some positions."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax
import jax.lax as lax
import jax.numpy as jnp


def update(
    array: Any, axes: tuple[int, ...], positions: tuple[Any, ...], value: Any, kind: str = "set"
) -> Any:
    """The array with a value at positions along axes; out of bounds nothing is updated.

    With another kind, the value is combined with what is there.
    """
    if not array.size:
        return array
    index: list[Any] = [slice(None)] * array.ndim
    for axis, position in zip(axes, positions, strict=True):
        index[axis] = dropped(position, array.shape[axis])
    combine = getattr(array.at[tuple(index)], kind)
    return combine(value, mode="drop", wrap_negative_indices=False)


def read_once(value: Any, array: Any, position: Any) -> Any:
    """The element at a position in bounds of an array that an update then overwrites.

    XLA repeats cheap operations for each user, here after the update, from a copy of the array.
    """
    return after_reads(value, array, position)


def after_reads(value: Any, array: Any, position: Any, *reads: Any) -> Any:
    """A value that is computed once, and after elements of an array are read.

    Else XLA may read them after an update with the value, from a copy of the array. It does not
    repeat a conditional, which takes its first branch always: the position is in bounds.
    """
    if array.size < 16:  # a copy takes no longer
        return value

    def always(value: Any, *_: Any) -> Any:
        return value

    def never(value: Any, *reads: Any) -> Any:
        return sum((read.astype(value.dtype) for read in reads), jnp.zeros_like(value))

    return lax.cond(position < array.size, always, never, value, *reads)


def dropped(position: Any, size: Any) -> Any:
    """The position, or if it is out of bounds one beside them, which ``mode="drop"`` drops.

    JAX takes large positions modulo 2^32.
    """
    return jnp.minimum(jnp.maximum(position, -1), size)


def update_slice(array: Any, axis: int, start: Any, count: int, step: Any, value: Any) -> Any:
    """The array with a value at every ``step``-th of ``count`` positions from a start on."""
    if isinstance(step, int) and step == 1:
        return with_block(array, value, {axis: count}, {axis: start})
    index = (*[slice(None)] * axis, start + step * jnp.arange(count))
    return array.at[index].set(value)


def update_inside(array: Any, axes: tuple[int, ...], positions: tuple[Any, ...], value: Any) -> Any:
    """``update`` at positions that are in bounds, if a step with the update runs at all."""
    if not array.size:
        return array
    starts = dict(zip(axes, positions, strict=True))
    return with_block(array, jnp.expand_dims(value, axes), dict.fromkeys(axes, 1), starts)


def with_block(array: Any, value: Any, sizes: dict[int, int], starts: dict[int, Any]) -> Any:
    """The array with a value in a block that is inside of it; along other axes it is as long."""
    block = jnp.broadcast_to(value, [sizes.get(k, size) for k, size in enumerate(array.shape)])
    places = [starts.get(k, 0) for k in range(array.ndim)]
    return lax.dynamic_update_slice(array, block, places, allow_negative_indices=False)


def with_part(base: Any, part: Any, starts: tuple[Any, ...]) -> Any:
    """The base, with a part from known positions on.

    Along one axis, the arrays are joined: XLA computes each in a loop of its own. Along several,
    a selection is one pass over memory with the computation of the part; an update is none.
    """
    axes = [axis for axis in range(base.ndim) if part.shape[axis] < base.shape[axis]]
    if not axes:
        return part
    axis, start = axes[0], int(starts[axes[0]])
    if len(axes) == 1:
        before = lax.slice_in_dim(base, 0, start, axis=axis)
        behind = lax.slice_in_dim(base, start + part.shape[axis], None, axis=axis)
        return jnp.concatenate((before, part, behind), axis)
    inside: Any = True
    widths = [(0, 0, 0)] * base.ndim
    for axis in axes:
        start, size = int(starts[axis]), part.shape[axis]
        widths[axis] = (start, base.shape[axis] - size - start, 0)
        positions = lax.broadcasted_iota(int, base.shape, axis)
        inside = inside & (positions >= start) & (positions < start + size)
    return jnp.where(inside, lax.pad(part, jnp.zeros((), part.dtype), widths), base)


def surrounded(number: Any, shape: Any, part: Any, starts: tuple[Any, ...]) -> Any:
    """An array of a number, with a part from known positions on: no selection at each element."""
    ends = (n - size - k for n, size, k in zip(shape, part.shape, starts, strict=True))
    widths = [(int(k), int(end), 0) for k, end in zip(starts, ends, strict=True)]
    return lax.pad(part, jnp.asarray(number, part.dtype), widths)


def overwritten(base: Any, part: Any, starts: tuple[Any, ...]) -> Any:
    """``with_part`` for a base that has no other use: XLA writes the part to its memory."""
    return lax.dynamic_update_slice(base, part, starts, allow_negative_indices=False)


def joined(shape: Any, parts: Any, places: Any) -> Any:
    """Parts that fill an array, each from a place on: XLA writes each to the memory of the array.

    Joined along several axes, it would seek the part of each element. The derivative is that of a
    sum of padded parts: an update would copy the array for the derivative of each part.
    """

    def padded(parts: Any) -> Any:
        zero, total = jnp.zeros((), parts[0].dtype), jnp.zeros(shape, parts[0].dtype)
        for part, starts in zip(parts, places, strict=True):
            ends = (n - size - k for n, size, k in zip(shape, part.shape, starts, strict=True))
            total += lax.pad(part, zero, [(*w, 0) for w in zip(starts, ends, strict=True)])
        return total

    def placed(parts: Any) -> Any:
        array = jnp.zeros(shape, parts[0].dtype)
        for part, starts in zip(parts, places, strict=True):
            array = overwritten(array, part, starts)
        return array

    if not jnp.issubdtype(parts[0].dtype, jnp.inexact):
        return placed(parts)
    smooth = jax.custom_jvp(placed)

    @smooth.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        return placed(*primals), jax.jvp(padded, primals, tangents)[1]

    return smooth(parts)


def memory_of(array: Any, shape: Any) -> Any:
    """An array of a shape, all of which will be overwritten: if possible, one that exists."""
    return array if array.shape == tuple(shape) else jnp.zeros(shape, array.dtype)
