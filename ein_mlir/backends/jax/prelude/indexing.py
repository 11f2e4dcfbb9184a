"""Elements, slices and grids of arrays, with clipped positions."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import jax.lax as lax
import jax.numpy as jnp


def fill_empty(array: Any, axis: int) -> Any:
    """The array, or where the axis is empty, one zero along it."""
    if array.shape[axis]:
        return array
    shape = list(array.shape)
    shape[axis] = 1
    return jnp.zeros(shape, array.dtype)


def at(array: Any, axis: int, *positions: Any) -> Any:
    """The elements at positions along axes, in bounds: JAX would count negative ones from the end.

    ``axis`` is that of the first position; the others follow.
    """
    axes = range(axis, axis + len(positions))
    starts = [positions[k - axis] if k in axes else 0 for k in range(array.ndim)]
    sizes = [1 if k in axes else size for k, size in enumerate(array.shape)]
    return lax.squeeze(lax.dynamic_slice(array, starts, sizes, allow_negative_indices=False), axes)


def part(array: Any, start: Any, size: Any, axis: int) -> Any:
    """``size`` elements of an axis from a start on, all of them in bounds."""
    return lax.dynamic_slice_in_dim(array, start, size, axis, allow_negative_indices=False)


def clipped_slice(array: Any, axis: int, start: Any, size: Any, step: int) -> Any:
    """``size`` elements of an axis from ``start``, ``step`` apart; positions clip into bounds."""
    array, every = fill_empty(array, axis), (slice(None),) * axis
    start = int(start)
    if abs(start) >= 2**62:
        return clipped_take(array, axis, (start + 2**63) % 2**64 - 2**63, size, step)
    if step < 0:
        upwards = clipped_slice(array, axis, start + (size - 1) * step, size, -step)
        return upwards[(*every, slice(None, None, -1))]
    length = array.shape[axis]
    if size == 0 or (start >= 0 and start + (size - 1) * step < length):
        return array[(*every, slice(start, start + size * step, step))]
    if step > 1:
        return clipped_take(array, axis, start, size, step)
    below = min(max(-start, 0), size)
    above = min(max(start + size - length, 0), size)
    first, last = array[(*every, slice(0, 1))], array[(*every, slice(-1, None))]
    inside = array[(*every, slice(start + below, max(start + size - above, 0)))]
    parts = (jnp.repeat(first, below, axis), inside, jnp.repeat(last, above, axis))
    return jnp.concatenate(parts, axis)


def clipped_take(array: Any, axis: int, start: Any, size: Any, step: int) -> Any:
    """``clipped_slice`` for a start that is not known when the program is traced."""
    positions = start + step * jnp.arange(size)
    return jnp.take(fill_empty(array, axis), positions, axis=axis, mode="clip")


def clipped_window(vector: Any, start: Any, size: Any) -> Any:
    """``clipped_take`` of neighbours from a vector; ``start`` is far from the ends of its type.

    XLA gathers element by element. So a window is a slice of a vector with its ends repeated: of a
    slice in bounds if windows are short, and of the whole vector if not, before a loop.
    """
    vector = fill_empty(vector, 0)
    length = vector.shape[0]
    if 0 < size <= length // 8:
        inside = jnp.clip(start, 0, length - size)
        vector, start = part(vector, inside, size, 0), start - inside
    place = size + jnp.clip(start, -size, vector.shape[0])
    return part(jnp.pad(vector, size, "edge"), place, size, 0)


def window_within(array: Any, axis: int, start: Any, size: Any, step: int, ends: Any) -> Any:
    """``clipped_take`` of elements upwards; ``ends`` are the least and the largest start.

    If all windows between them are in bounds, it is a slice. If not, the ends of the axis are
    repeated, which is done before the loop that counts the start.
    """
    array = fill_empty(array, axis)
    reach, (least, most) = (size - 1) * step + 1, ends
    below, above = max(-least, 0), max(most + reach - array.shape[axis], 0)
    if size == 0 or below + above > array.shape[axis]:
        return clipped_take(array, axis, start, size, step)
    if below + above:
        widths = [(below, above) if k == axis else (0, 0) for k in range(array.ndim)]
        array = jnp.pad(array, widths, "edge")
    window = part(array, start + below, reach, axis)
    return window if step == 1 else lax.slice_in_dim(window, 0, reach, step, axis)
