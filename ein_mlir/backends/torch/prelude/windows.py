"""One axis read as several, and several as one."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import functools
import itertools
import math
from typing import Any

import torch

from ein_mlir.backends.torch.prelude.indexing import (
    clipped_slice,
    fill_empty,
    is_recorded,
    known_number,
)


def strided(array: Any, axis: int, start: Any, sizes: tuple[Any, ...], steps: Any) -> Any:
    """``a[start + i*steps[0] + ..]``: a view if all positions are in bounds, else clipped.

    Views have no negative steps: axes that run backwards are copied. Windows that overlap are views
    of a clipped slice, and axes with the step 0 are broadcast.
    """
    if math.prod(sizes) == array.shape[axis] and are_consecutive(start, sizes, steps):
        return array.reshape((*array.shape[:axis], *sizes, *array.shape[axis + 1 :]))
    start, *steps = map(known_number, (start, *steps))
    if all(isinstance(n, int) for n in (start, *steps)) and 0 not in sizes and 0 not in steps:
        reaches = [step * (size - 1) for size, step in zip(sizes, steps, strict=True)]
        least = start + sum(min(reach, 0) for reach in reaches)
        length = sum(map(abs, reaches)) + 1
        is_inside = least >= 0 and least + length <= array.shape[axis]
        if not is_inside and length <= math.prod(sizes) and abs(start) < 2**62:
            array = clipped_slice(array, axis, least, length, 1)
            least, is_inside = 0, True
        if is_inside:
            backwards = [axis + k for k, step in enumerate(steps) if step < 0]
            windows = windows_of(array, axis, least, sizes, [abs(step) for step in steps])
            return windows.flip(backwards) if backwards else windows
    moving = [k for k, step in enumerate(steps) if not isinstance(step, int) or step != 0]
    if 0 < len(moving) < len(steps):
        each = strided(array, axis, start, *(tuple(n[k] for k in moving) for n in (sizes, steps)))
        shape = [size if k in moving else 1 for k, size in enumerate(sizes)]
        around = array.shape[:axis], array.shape[axis + 1 :]
        return each.reshape((*around[0], *shape, *around[1])).expand(
            (*around[0], *sizes, *around[1])
        )
    array = fill_empty(array, axis)
    positions = torch.as_tensor(start, device=array.device)
    for size, step in zip(sizes, steps, strict=True):
        positions = positions[..., None] + step * torch.arange(size, device=array.device)
    clipped = positions.reshape(-1).clamp(0, array.shape[axis] - 1)
    taken = array.index_select(axis, clipped)
    return taken.reshape((*array.shape[:axis], *sizes, *array.shape[axis + 1 :]))


def are_consecutive(start: Any, sizes: tuple[Any, ...], steps: Any) -> bool:
    """Whether positions are 0, 1, 2, .. in order."""
    if not isinstance(start, int) or start:
        return False
    expected = 1
    for size, step in zip(reversed(sizes), reversed(steps), strict=True):
        if not isinstance(step, int) or step != expected:
            return False
        expected *= size
    return True


def windows_of(array: Any, axis: int, start: int, sizes: Any, steps: list[int]) -> Any:
    """``a[start + i*steps[0] + ..]`` as a view, for positions in bounds and positive steps."""
    reaches = [step * (size - 1) for size, step in zip(sizes, steps, strict=True)]
    array = array.narrow(axis, start, sum(reaches) + 1)
    order = sorted(range(len(steps)), key=lambda k: -steps[k])
    if all(steps[k] == steps[n] * sizes[n] for k, n in itertools.pairwise(order)):
        array = array[(*(slice(None),) * axis, slice(None, None, steps[order[-1]]))]
        parts = array.unflatten(axis, [sizes[k] for k in order])
        return parts.movedim(tuple(range(axis, axis + len(order))), [axis + k for k in order])
    for k, step in enumerate(steps[:-1]):
        window = sum(reaches[k + 1 :]) + 1
        array = array.unfold(axis + k, window, step).movedim(-1, axis + k + 1)
    return array[(*(slice(None),) * (axis + len(steps) - 1), slice(None, None, steps[-1]))]


def flatten(array: Any, axis: int) -> Any:
    """The axis and the next one as one."""
    return array.flatten(axis, axis + 1)


def flat_copy(array: Any, axis: int) -> Any:
    """The axis and the next one as one, in memory of its own."""
    return flatten(array.clone(memory_format=torch.contiguous_format), axis)


def first_or(array: Any, default: Any) -> Any:
    """The first element along the leading axis, or the default where there is none."""
    return array[0] if array.shape[0] else default


def largest_of_windows(
    array: Any, like: Any, starts: Any, counts: Any, distances: Any, steps: Any
) -> Any:
    """The largest elements of windows, which have the shape of ``like`` together.

    Along each axis the windows start at ``starts + steps * k`` and have ``counts`` elements at
    ``distances``.
    """
    sizes = like.shape
    if not like.numel() or not (is_recorded(array) or array.device.type != "cpu"):
        parts = windows_by_offset(array, sizes, starts, counts, distances, steps)
        return functools.reduce(torch.maximum, parts)
    for axis, size in enumerate(sizes):
        reach = (size - 1) * steps[axis] + (counts[axis] - 1) * distances[axis] + 1
        if starts[axis] or array.shape[axis] >= reach + steps[axis]:  # else, no other windows
            array = array.narrow(axis, starts[axis], reach)
    moving = [k for k in range(len(sizes)) if counts[k] > 1 or steps[k] > 1]
    others = [k for k in range(len(sizes)) if k not in moving]
    order = [*others, *moving]
    array = array.permute(order)
    array = array.unsqueeze(-2) if len(moving) == 1 else array
    array = array.flatten(0, max(len(others) - 2, 0))[(None,) * (2 - len(others))]
    windows = ([1, *(each[k] for k in moving)][-2:] for each in (counts, steps, distances))
    window, stride, dilation = windows
    found = torch.nn.functional.max_pool2d(array, window, stride, 0, dilation)
    return found.reshape([sizes[k] for k in order]).permute([*map(order.index, range(len(order)))])


def least_of_windows(array: Any, *arguments: Any) -> Any:
    """The least elements of windows."""
    return -largest_of_windows(-array, *arguments)


def windows_by_offset(
    array: Any, sizes: Any, starts: Any, counts: Any, distances: Any, steps: Any
) -> Any:
    """The elements of windows at each offset, as slices."""
    for offset in itertools.product(*map(range, counts)):
        part = array
        for axis, place in enumerate(offset):
            start = starts[axis] + place * distances[axis]
            stop = start + (sizes[axis] - 1) * steps[axis] + 1
            part = part[(*(slice(None),) * axis, slice(start, max(stop, start), steps[axis]))]
        yield part
