"""One axis read as several, and several as one."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import math
import operator
from typing import Any

import torch

from ein_mlir.backends.torch.prelude.indexing import clipped_slice, fill_empty, known_number


def strided(array: Any, axis: int, start: Any, sizes: tuple[Any, ...], steps: Any) -> Any:
    """``a[start + i*steps[0] + ..]``: a view if all positions are in bounds, else clipped.

    Views have no negative steps: axes that run backwards are copied. Windows that overlap are views
    of a clipped slice.
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
    if all(map(operator.eq, steps, map(operator.mul, steps[1:], sizes[1:]))):
        array = array[(*(slice(None),) * axis, slice(None, None, steps[-1]))]
        return array.reshape((*array.shape[:axis], *sizes, *array.shape[axis + 1 :]))
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
