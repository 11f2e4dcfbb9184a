"""Arrays with new values at some positions."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

import torch


def update_slice(array: Any, axis: int, start: Any, count: Any, step: Any, value: Any) -> Any:
    """The array with a value at every ``step``-th of ``count`` positions from a start on."""
    shape = [int(count) if k == axis else size for k, size in enumerate(array.shape)]
    if isinstance(start, int) and isinstance(step, int):
        end = start + shape[axis] * step
        return torch.slice_scatter(array, value.expand(shape), axis, start, end, step)
    places = start + step * torch.arange(shape[axis], device=array.device)
    return array.index_copy(axis, places, value.expand(shape))


def update(array: Any, axes: tuple[int, ...], positions: tuple[Any, ...], value: Any) -> Any:
    """The array with a value at positions along axes; out of bounds nothing is updated."""
    if len(axes) == 1 and isinstance(positions[0], int):
        ((axis,), (position,)) = axes, positions
        if not 0 <= position < array.shape[axis]:
            return array.clone()
        slot = value.unsqueeze(axis).expand_as(array.narrow(axis, position, 1))
        # torch.select_scatter has wrong gradients of values where torch.func.vmap batches them
        return torch.slice_scatter(array, slot, axis, position, position + 1)
    if len(axes) == 1 and array.shape[axes[0]]:
        ((axis,), (position,)) = axes, positions
        place = position.clamp(0, array.shape[axis] - 1)[None]
        value = torch.where(
            place == position, value.unsqueeze(axis), array.index_select(axis, place)
        )
        return array.index_copy(axis, place, value)
    for axis in axes:
        value = value.unsqueeze(axis)
    is_there: Any = True
    for axis, position in zip(axes, positions, strict=True):
        places = torch.arange(array.shape[axis], device=array.device)
        shape = [-1 if k == axis else 1 for k in range(array.ndim)]
        is_there = is_there & (places == position).reshape(shape)
    return torch.where(is_there, value, array)


def no_rows(count: int) -> list[Any]:
    """A list of rows that are still to be computed."""
    return [None] * count


def with_rows(array: Any, rows: list[Any], axis: int, start: int, stride: int) -> Any:
    """The array with rows along an axis, from a position on upwards, or downwards."""
    if not rows:
        return array.clone()
    if stride < 0:
        rows, start = rows[::-1], start + 1 - len(rows)
    stack = torch.stack(rows, axis)
    shape = (*array.shape[:axis], len(rows), *array.shape[axis + 1 :])
    stack = stack.expand(shape).contiguous()
    if shape == array.shape:
        return stack
    return torch.slice_scatter(array, stack, axis, start, start + len(rows))


def compute_into(array: Any, function: Any, *operands: Any) -> None:
    """``array[...] = function(*operands)``, computed there if the result is not repeated."""
    shapes = [operand.shape for operand in operands if isinstance(operand, torch.Tensor)]
    if array.shape in shapes or torch.broadcast_shapes(*shapes) == array.shape:
        function(*operands, out=array)
    else:
        array.copy_(function(*operands))
