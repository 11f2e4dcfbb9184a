"""Elements, slices and grids of arrays, with clipped positions."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import math
from typing import Any

import torch

from ein_mlir.backends.torch.prelude.scalars import floor_modulo, wrapped


def is_recorded(*arrays: Any) -> bool:
    """Whether operations on arrays are recorded, for their derivatives."""
    return torch.is_grad_enabled() and any(array.requires_grad for array in arrays)


def fill_empty(array: Any, axis: int) -> Any:
    """The array, or where the axis is empty, one zero along it."""
    if array.shape[axis]:
        return array
    return array.new_zeros([1 if k == axis else n for k, n in enumerate(array.shape)])


def selected(array: Any, axis: int, positions: Any) -> Any:
    """The elements at a vector of positions along an axis; positions are in bounds.

    Along neighbours in memory ``gather`` takes a third of the time of ``index_select``.
    """
    if array.ndim == 1 or array.stride(axis) != 1:
        return array.index_select(axis, positions)
    rows = array.movedim(axis, -1)
    return rows.gather(-1, positions.expand(*rows.shape[:-1], -1)).movedim(-1, axis)


def take_grid(array: Any, *positions: Any) -> Any:
    """The elements at all combinations of positions along the leading axes; positions are clipped.

    One axis is taken at a time, first the one that shrinks most, unless this copies far more
    elements than the result has.
    """
    counts = [position.numel() for position in positions]
    limits = list(zip(positions, array.shape, strict=False))
    order = sorted(range(len(counts)), key=lambda axis: counts[axis] / max(1, array.shape[axis]))
    shape, most = list(array.shape), 0
    for axis in order:
        shape[axis] = counts[axis]
        most = max(most, math.prod(shape))
    if most > 4 * math.prod(shape):
        return array[tuple(p.clamp(0, n - 1) for p, n in limits)]
    for axis in order:
        index, size = limits[axis]
        array = selected(array, axis, index.reshape(-1).clamp(0, size - 1))
    return array


def elements_at(array: Any, axis: int, *positions: Any) -> Any:
    """The elements at positions along axes from ``axis`` on; positions are in bounds.

    Many are selected by their places in memory, which takes less time.
    """
    last = axis + len(positions)
    count = max(p.numel() for p in positions if not isinstance(p, int))
    if count < 1 << 10 or array.device.type != "cpu" or not are_rows(array, axis, last):
        return array[(*(slice(None),) * axis, *positions)]
    places = places_of(positions, array.shape[axis:last])
    array = array.flatten(axis, last - 1)
    return selected(array, axis, places.reshape(-1)).unflatten(axis, places.shape)


def elements_along(array: Any, count: int, *positions: Any) -> Any:
    """``a[b, p[b, t], q[b, t]]``: at positions, in bounds, for each place along ``count`` axes.

    Neighbours in memory are gathered, unless an element is a row.
    """
    last, rows = count + len(positions), array.shape[:count]
    is_element = array.ndim == last or array.stride(last - 1) == 1
    if not (is_element and are_rows(array, count, last)):
        axes = positions[0].ndim
        whole = [torch.arange(n, device=array.device) for n in rows]
        places = [p[(..., *[None] * (axes - k - 1))] for k, p in enumerate(whole)]
        return elements_at(array, 0, *places, *positions)
    places = places_of(positions, array.shape[count:last])
    shape = places.shape[count:]
    places = places.expand(*rows, *shape).reshape(
        *rows, *[1] * (array.ndim - last), math.prod(shape)
    )
    array = array.flatten(count, last - 1).movedim(count, -1)
    found = array.gather(-1, places.expand(*array.shape[:-1], -1)).movedim(-1, count)
    return found.unflatten(count, shape) if shape else found.squeeze(count)


def are_rows(array: Any, first: int, last: int) -> bool:
    """Whether axes are one in memory."""
    return all(
        array.stride(k) == array.shape[k + 1] * array.stride(k + 1) for k in range(first, last - 1)
    )


def places_of(positions: Any, sizes: Any) -> Any:
    """The places of elements of an array in the order of its memory."""
    places = positions[0]
    for position, size in zip(positions[1:], sizes[1:], strict=True):
        places = places * size + position
    return places


def rotated(array: Any, *rotations: tuple[Any, ...]) -> Any:
    """``a[(i + s + t + ..) mod m]`` for i < n, clipped, by rotations ``(axis, n, m, s, t, ..)``.

    Only by shifts with known values the array is copied in parts, or tiles of more than a period.
    """
    turns: dict[int, int] = {}
    for axis, size, modulus, *shifts in rotations:
        shift: Any = sum(map(known_number, shifts))
        is_known = isinstance(shift, int)
        shift = wrapped(shift) if is_known else shift
        if is_known and size == modulus == array.shape[axis] and abs(shift) < 2**62:
            turns[axis] = -shift
            continue
        if is_known and size > modulus == array.shape[axis] and modulus and abs(shift) < 2**62:
            first = shift % modulus
            tiles = [-(-(first + size) // modulus) if k == axis else 1 for k in range(array.ndim)]
            array = array.repeat(tiles).narrow(axis, first, size)
            continue
        array, moved = fill_empty(array, axis), torch.arange(size, device=array.device) + shift
        positions = floor_modulo(moved, torch.tensor(modulus, device=array.device))
        array = array.index_select(axis, positions.clamp(0, array.shape[axis] - 1))
    return array.roll(tuple(turns.values()), tuple(turns)) if turns else array


def clipped_slice(array: Any, axis: int, start: Any, size: Any, step: Any) -> Any:
    """``size`` elements along an axis from ``start``, ``step`` apart; positions are clipped."""
    start = known_number(start)
    if step == 1 and isinstance(start, int) and 0 <= start <= array.shape[axis] - size:
        return array.narrow(axis, start, size)
    if size == 0:
        return array.narrow(axis, 0, 0)
    if isinstance(start, int) and isinstance(step, int) and step:
        last = start + (size - 1) * step
        if min(start, last) >= 0 and max(start, last) < array.shape[axis]:
            part = array[(*(slice(None),) * axis, slice(min(start, last), None, abs(step)))]
            part = part.narrow(axis, 0, size)
            return part if step > 0 else part.flip(axis)
    array = fill_empty(array, axis)
    length = array.shape[axis]
    if step == 1 and isinstance(start, int):
        low, high = max(-start, 0), max(start + size - length, 0)
        if low + high < size:
            inside = array[(*(slice(None),) * axis, slice(start + low, start + size - high))]
            return repeat_ends(inside, axis, low, high) if low or high else inside
    positions = torch.arange(size, device=array.device) * step + start
    return array.index_select(axis, positions.clamp(0, length - 1))


def known_number(number: Any) -> Any:
    """A number of Python for an Int with a known value: that of a plain tensor on the CPU."""
    if isinstance(number, int) or number.device.type != "cpu" or torch.compiler.is_compiling():
        return number
    try:
        return int(number)
    except RuntimeError:  # torch.func.vmap does not reveal values
        return number


def repeat_ends(array: Any, axis: int, low: Any, high: Any) -> Any:
    """The array padded along an axis by copies of its first and of its last elements."""
    parts = [array]
    every = (slice(None),) * axis
    if low:
        parts.insert(0, repeated(array[(*every, slice(0, 1))], axis, low))
    if high:
        parts.append(repeated(array[(*every, slice(-1, None))], axis, high))
    return torch.cat(parts, axis)


def repeated(array: Any, axis: int, size: Any) -> Any:
    """An axis of size 1 repeated, as a view."""
    if size == 1:
        return array
    return array.expand([size if k == axis else -1 for k in range(array.ndim)])


def pad_edges(array: Any, widths: tuple[tuple[Any, Any], ...]) -> Any:
    """The array padded by copies of its first and last elements: ``widths`` of them per axis.

    An empty axis that is padded gets zeros.
    """
    padded = [axis for axis, width in enumerate(widths) if any(width)]
    if not padded:
        return array.clone()
    for axis in padded:
        array = fill_empty(array, axis)
    inner = widths[padded[0] :]
    if array.is_floating_point() and len(inner) <= 3 and array.numel():
        stack = array.reshape(-1, *array.shape[padded[0] :])
        pads = [n for width in reversed(inner) for n in width]
        result = torch.nn.functional.pad(stack, pads, "replicate")
        return result.reshape(*array.shape[: padded[0]], *result.shape[1:])
    for axis in padded:
        array = repeat_ends(array, axis, *widths[axis])
    return array


def rows_along(array: Any, axis: int, steps: int) -> Any:
    """The rows along an axis for a loop of some steps: a list if derivatives are recorded.

    Its derivative is one array, that of each row of a tensor an array of the same size.
    """
    if is_recorded(array) and not torch.compiler.is_compiling() and array.shape[axis] <= 4 * steps:
        return array.unbind(axis)
    return array.movedim(axis, 0)
