"""Windows that overlap, added up."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import math
from typing import Any

import torch

from ein_mlir.backends.shared_prelude import places_in_order


def overlapped_products(
    array: Any,
    rows: Any,
    filters: Any,
    columns: Any,
    steps: Any,
    starts: Any,
    sizes: Any,
    clips: Any = (),
) -> Any:
    """The sums of products of channels at places ``r * i + s * j + start``.

    They are transposed convolutions. The array has axes of a batch, of channels and of places i;
    filters those of channels, of outputs and of offsets j. ``rows`` and ``columns`` are the numbers
    of axes of the first two kinds, and ``steps`` are all r, then all s. The result has the axes of
    the batch, of outputs and of positions.
    """
    count = len(sizes)
    shape = *array.shape[: rows[0]], *filters.shape[columns[0] : sum(columns)]
    array, filters = two_axes(array, *rows), two_axes(filters, *columns)
    is_swapped = math.prod(array.shape[2:]) < math.prod(filters.shape[2:])
    if is_swapped:
        array, filters = filters.transpose(0, 1), array.transpose(0, 1)
        steps = (*steps[count:], *steps[:count])
    if 0 in array.shape or 0 in filters.shape:
        return array.new_zeros((*shape, *sizes))
    functions = torch.nn.functional
    convolve = (
        functions.conv_transpose1d,
        functions.conv_transpose2d,
        functions.conv_transpose3d,
    )[count - 1]
    whole = convolve(array, filters, stride=steps[:count], dilation=steps[count:])
    whole = whole.transpose(0, 1) if is_swapped else whole
    return whole_in_bounds(whole, starts, sizes, clips).reshape((*shape, *sizes))


def two_axes(array: Any, first: int, second: int) -> Any:
    """An array with one axis in place of the first ones, and one of the next ones."""
    shape, count = array.shape, first + second
    sizes = math.prod(shape[:first]), math.prod(shape[first:count])
    return array.reshape((*sizes, *shape[count:]))


def shifted_values(values: Any, steps: Any, starts: Any, sizes: Any, clips: Any = ()) -> Any:
    """The elements ``values[i, j]``, or rows, added up at such places; all i precede all j."""
    count = len(sizes)
    if math.prod(values.shape[:count]) < math.prod(values.shape[count : 2 * count]):
        values = values.movedim(tuple(range(count)), tuple(range(count, 2 * count)))
        steps = (*steps[count:], *steps[:count])
    shape, offsets = values.shape[:count], values.shape[count : 2 * count]
    rows = values.shape[2 * count :]
    if 0 in values.shape:
        return values.new_zeros((*sizes, *rows))
    lengths = [
        r * (n - 1) + s * (m - 1) + 1
        for n, m, r, s in zip(shape, offsets, steps[:count], steps[count:], strict=True)
    ]
    axes = places_in_order((*shape, *offsets), steps)
    if axes is not None:
        whole = values.permute((*range(2 * count, values.ndim), *axes))
        whole = whole.clone(memory_format=torch.contiguous_format)
    else:
        whole = folded(values, lengths, steps)
    whole = whole_in_bounds(whole.reshape(*rows, *lengths), starts, sizes, clips)
    return whole.movedim(tuple(range(-count, 0)), tuple(range(count)))


def folded(values: Any, lengths: Any, steps: Any) -> Any:
    """The elements ``values[i, j]`` added up at ``r * i + s * j`` in arrays of some lengths."""
    count = len(lengths)
    shape, offsets, axes = values.shape[:count], values.shape[count : 2 * count], range(values.ndim)
    columns = values.permute((*axes[2 * count :], *axes[count : 2 * count], *axes[:count]))
    columns = columns.reshape(1, -1, math.prod(shape))
    one = (1,) * (2 - count)
    return torch.nn.functional.fold(
        columns,
        (*one, *lengths),
        (*one, *offsets),
        dilation=(*one, *steps[count:]),
        stride=(*one, *steps[:count]),
    )


def whole_in_bounds(whole: Any, starts: Any, sizes: Any, clips: Any) -> Any:
    """Along its last axes, an array of some sizes with the elements of another from a start.

    Those out of bounds are dropped, or with ``clips`` added to the first and the last one.
    """
    clips = clips or (False,) * len(sizes)
    axes = range(whole.ndim - len(sizes), whole.ndim)
    for axis, start, size, clip in zip(axes, starts, sizes, clips, strict=True):
        length = whole.shape[axis]
        before, behind = start, size - start - length
        if clip and size and min(before, behind) < 0:
            positions = torch.arange(start, start + length, device=whole.device)
            shape = [size if k == axis else n for k, n in enumerate(whole.shape)]
            empty = whole.new_zeros(shape)
            whole = empty.index_add(axis, positions.clamp(0, size - 1), whole)
        elif min(start + length, size - start) <= 0:
            shape = [size if k == axis else n for k, n in enumerate(whole.shape)]
            whole = whole.new_zeros(shape)
        elif before or behind:
            padding = [0, 0] * (whole.ndim - 1 - axis) + [before, behind]
            whole = torch.nn.functional.pad(whole, padding)
    return whole
