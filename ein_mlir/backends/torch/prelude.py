"""Helper functions that emitted PyTorch programs carry with them, as PyTorch has no such function.

They are ordinary functions, and tested as such. The printer copies the source of those that a
program needs into it, so they use only each other and the imports of this module. None overwrites
a tensor that gradients are recorded for, so gradients flow through all of them.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import functools
import math
import operator
from typing import Any

import torch

# Indexing


def fill_empty(array: Any, axis: int) -> Any:
    """The array, or where the axis is empty, one zero along it."""
    if array.shape[axis]:
        return array
    return array.new_zeros([1 if k == axis else n for k, n in enumerate(array.shape)])


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
        array = array.index_select(axis, index.reshape(-1).clamp(0, size - 1))
    return array


def rotated(array: Any, axis: int, shift: int, size: int, modulus: int) -> Any:
    """``a[(i + shift) mod modulus]`` for each i below a size; positions are clipped."""
    if size == modulus == array.shape[axis] and abs(shift) < 2**62:
        return array.roll(-shift, axis)
    array, moved = fill_empty(array, axis), torch.arange(size, device=array.device) + shift
    positions = floor_modulo(moved, torch.tensor(modulus, device=array.device))
    return array.index_select(axis, positions.clamp(0, array.shape[axis] - 1))


def clipped_slice(array: Any, axis: int, start: Any, size: Any, step: int) -> Any:
    """``size`` elements along an axis from ``start``, ``step`` apart; positions are clipped."""
    start = known_number(start)
    if step == 1 and isinstance(start, int) and 0 <= start <= array.shape[axis] - size:
        return array.narrow(axis, start, size)
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


def joined(tree: Any) -> Any:
    """Arrays end to end along an axis: ``(axis, a, b, ..)``, some of which are joined themselves.

    Every array is copied once, to its place. If gradients are recorded, they flow through nested
    calls of ``torch.cat`` instead.
    """
    arrays = leaves(tree)
    if torch.is_grad_enabled() and any(array.requires_grad for array in arrays):
        return concatenated(tree)
    parts = torch.cat([array.new_empty(1) for array in arrays])  # is batched if one of them is
    result = parts.new_empty(joined_shape(tree))
    write_parts(result, tree)
    return result


def leaves(tree: Any) -> list[Any]:
    """The arrays that are joined."""
    if isinstance(tree, torch.Tensor):
        return [tree]
    return [leaf for part in tree[1:] for leaf in leaves(part)]


def concatenated(tree: Any) -> Any:
    """The joined array by nested calls of ``torch.cat``."""
    if isinstance(tree, torch.Tensor):
        return tree
    axis, *parts = tree
    return torch.cat([concatenated(part) for part in parts], axis)


def joined_shape(tree: Any) -> list[Any]:
    """The shape of joined arrays."""
    if isinstance(tree, torch.Tensor):
        return list(tree.shape)
    shapes: list[Any] = [joined_shape(part) for part in tree[1:]]
    total = sum(shape[tree[0]] for shape in shapes)
    return [total if k == tree[0] else n for k, n in enumerate(shapes[0])]


def write_parts(place: Any, tree: Any) -> None:
    """Copy arrays to their places in the joined one."""
    if isinstance(tree, torch.Tensor):
        place.copy_(tree)
        return
    axis, *parts = tree
    start = 0
    for part in parts:
        size = joined_shape(part)[axis]
        write_parts(place[(*(slice(None),) * axis, slice(start, start + size))], part)
        start += size


def update_slice(array: Any, axis: int, start: Any, count: Any, step: Any, value: Any) -> Any:
    """The array with a value at every ``step``-th of ``count`` positions from a start on."""
    places = start + step * torch.arange(int(count), device=array.device)
    shape = [len(places) if k == axis else size for k, size in enumerate(array.shape)]
    return array.index_copy(axis, places, value.expand(shape))


def update(array: Any, axes: tuple[int, ...], positions: tuple[Any, ...], value: Any) -> Any:
    """The array with a value at positions along axes; out of bounds nothing is updated."""
    if len(axes) == 1 and isinstance(positions[0], int):
        ((axis,), (position,)) = axes, positions
        if not 0 <= position < array.shape[axis]:
            return array.clone()
        slot = array.select(axis, position)
        return torch.select_scatter(array, value.expand_as(slot), axis, position)
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


def strided(array: Any, axis: int, start: Any, sizes: tuple[Any, ...], steps: Any) -> Any:
    """``a[start + i*steps[0] + ..]``: a view if all positions are in bounds, else clipped.

    Views have no negative steps: axes that run backwards are copied. Windows that overlap are views
    of a clipped slice.
    """
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


# Reductions


def filled_reduction(array: Any, axes: tuple[int, ...], value: Any) -> Any:
    """A reduction of no elements along axes: the value at each position."""
    shape = [n for k, n in enumerate(array.shape) if k not in axes]
    return array.new_full(shape, value)


def runs_of(array: Any, axes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The axes of a reduction in the order of its calls, each among the axes that are left.

    One call for axes with others between them walks element by element if the last ones are short.
    So neighbours are one call, the outermost first.
    """
    runs: list[list[int]] = []
    for axis in axes:
        if runs and axis == runs[-1][-1] + 1:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    if len(runs) < 2 or math.prod(array.shape[axis] for axis in runs[-1]) >= 64:
        return [axes]
    return [tuple(axis - axes.index(run[0]) for axis in run) for run in runs]


def sum_along(array: Any, axes: tuple[int, ...]) -> Any:
    """The sum along axes with others between them."""
    for run in runs_of(array, axes):
        array = array.sum(run, dtype=array.dtype)
    return array


def amin(array: Any, axes: tuple[int, ...]) -> Any:
    """The least element along axes; the greatest value of the type where there is none."""
    if all(array.shape[axis] for axis in axes):
        for run in runs_of(array, axes):
            array = array.amin(run)
        return array
    is_float = array.dtype.is_floating_point
    return filled_reduction(array, axes, math.inf if is_float else torch.iinfo(array.dtype).max)


def amax(array: Any, axes: tuple[int, ...]) -> Any:
    """The greatest element along axes; the least value of the type where there is none."""
    if all(array.shape[axis] for axis in axes):
        for run in runs_of(array, axes):
            array = array.amax(run)
        return array
    is_float = array.dtype.is_floating_point
    return filled_reduction(array, axes, -math.inf if is_float else torch.iinfo(array.dtype).min)


def both(x: Any, y: Any) -> Any:
    """``x & y`` on Bools, as bytes."""
    return (x.view(torch.uint8) & y.view(torch.uint8)).view(torch.bool)


def either(x: Any, y: Any) -> Any:
    """``x | y`` on Bools, as bytes."""
    return (x.view(torch.uint8) | y.view(torch.uint8)).view(torch.bool)


def selected_rows(array: Any, axis: int, mask: Any, neutral: Any) -> Any:
    """The rows along an axis that a mask selects; or all rows, those of others made neutral, where
    their number is not known, or the program would wait for it longer than for few rows.
    """
    waits = array.device.type != "cpu" and (
        array.numel() < 1 << 22 or torch.cuda.is_current_stream_capturing()
    )
    if not waits and not torch.compiler.is_compiling():
        try:
            return array[(*(slice(None),) * axis, mask)]
        except RuntimeError:  # torch.func.vmap does not reveal values
            pass
    shape = [-1 if k == axis else 1 for k in range(array.ndim)]
    return torch.where(mask.reshape(shape), array, neutral)


def any_of(array: Any, axes: tuple[int, ...]) -> Any:
    """Whether any Bool along axes is true: the largest byte, many times as fast as ``any``."""
    if 0 in array.shape:
        return array.any(axes)
    return array.view(torch.uint8).amax(axes).view(torch.bool)


def all_of(array: Any, axes: tuple[int, ...]) -> Any:
    """Whether all Bools along axes are true."""
    if 0 in array.shape:
        return array.all(axes)
    return array.view(torch.uint8).amin(axes).view(torch.bool)


def product(array: Any, axes: tuple[int, ...]) -> Any:
    """The product of floats along axes, the last one first."""
    for axis in reversed(axes):
        array = product_along(array, axis)
    return array


def product_along(array: Any, axis: int) -> Any:
    """The product of floats along an axis: in order, unless another order is known to be safe."""
    result = array.prod(axis)
    if not array.shape[axis]:
        return result
    try:
        found = result.detach()
        if not torch.compiler.is_compiling() and bool((found.isfinite() & (found != 0)).all()):
            return result
    except RuntimeError:  # torch.func.vmap does not reveal values
        pass
    return array.movedim(axis, -1).cumprod(-1)[..., -1]


def without_nan(array: Any, worst: float) -> Any:
    """The array, with ``worst`` for NaN."""
    if not array.dtype.is_floating_point:
        return array
    return array.nan_to_num(worst, math.inf, -math.inf)


def may_be_nan(array: Any, axis: int, found: Any) -> bool:
    """Whether an element at the found positions may be NaN: PyTorch finds NaN before numbers."""
    if not array.dtype.is_floating_point:
        return False
    try:
        best = array.detach().take_along_dim(found.unsqueeze(axis), axis)
        return torch.compiler.is_compiling() or bool(best.isnan().any())
    except RuntimeError:  # torch.func.vmap does not reveal values
        return True


def first_of(array: Any, axis: int, extreme: Any, search: Any) -> Any:
    """The position at which ``search`` finds the first ``extreme`` along an axis that is not empty.

    A long vector is searched in the first block that has it: comparing numbers alone is several
    times as fast as keeping their positions.
    """
    length, block = array.shape[axis], 1024
    if array.ndim > 1 or length < 64 * block:
        return search(array, axis)
    whole = length - length % block
    extremes = extreme(array[:whole].reshape(-1, block), 1)
    if whole < length:
        extremes = torch.cat((extremes, extreme(array[whole:], 0)[None]))
    start = search(extremes, 0) * block
    places = start + torch.arange(block, device=array.device)
    return start + search(array[places.clamp(max=length - 1)], 0)


def argmin(array: Any, axis: int) -> Any:
    """The first of the smallest elements along an axis: its position. NaN is passed over."""
    if array.shape[axis] == 0:
        return filled_reduction(array, (axis,), 0).to(torch.int64)
    found = first_of(array.detach(), axis, torch.amin, torch.argmin)
    if not may_be_nan(array, axis, found):
        return found
    return first_of(without_nan(array, math.inf), axis, torch.amin, torch.argmin)


def argmax(array: Any, axis: int) -> Any:
    """The first of the largest elements along an axis: its position. NaN is passed over."""
    if array.shape[axis] == 0:
        return filled_reduction(array, (axis,), 0).to(torch.int64)
    found = first_of(array.detach(), axis, torch.amax, torch.argmax)
    if not may_be_nan(array, axis, found):
        return found
    return first_of(without_nan(array, -math.inf), axis, torch.amax, torch.argmax)


def last_equal(array: Any, axis: int, best: Any) -> Any:
    """The position of the last element along an axis that equals the best; 0 where none does."""
    if array.shape[axis] == 0:
        return filled_reduction(array, (axis,), 0).to(torch.int64)
    positions = torch.arange(array.shape[axis], device=array.device)
    positions = positions.reshape(-1, *(1,) * (array.ndim - axis - 1))
    return torch.where(array == best.unsqueeze(axis), positions, 0).amax(axis)


def last_argmin(array: Any, axis: int) -> Any:
    """The last of the smallest elements along an axis: its position. NaN is passed over."""
    return last_equal(array, axis, amin(without_nan(array, math.inf), (axis,)))


def last_argmax(array: Any, axis: int) -> Any:
    """The last of the largest elements along an axis: its position. NaN is passed over."""
    return last_equal(array, axis, amax(without_nan(array, -math.inf), (axis,)))


def argsort(array: Any, axis: int) -> Any:
    """The positions of the elements along an axis in increasing order; it is stable."""
    return torch.argsort(array.detach(), dim=axis, stable=True)


def place_in_order(array: Any, values: Any, side: str) -> Any:
    """The places of values in vectors in increasing order, those along the last axis."""
    leading, order = values.shape[: array.ndim - 1], array.detach()
    rows = values.detach().reshape(*leading, math.prod(values.shape[len(leading) :]))
    if not order.dtype.is_floating_point:
        return torch.searchsorted(order.contiguous(), rows.contiguous(), side=side).reshape(
            values.shape
        )
    is_number = order == order
    order = torch.where(is_number, order, math.inf)
    found = torch.searchsorted(order, rows.contiguous(), side=side)
    before_nan = found.minimum(is_number.sum(-1, keepdim=True))
    if side == "right":
        before_nan = torch.where(rows == rows, before_nan, found)
    return before_nan.reshape(values.shape)


def first_positions(array: Any, axis: int, count: int) -> Any:
    """At least the first ``count`` positions of ``argsort``, if there are as many."""
    rows = array.detach().movedim(axis, -1)
    if count <= 0 or not rows.numel() or array.dtype == torch.bool:
        return argsort(array, axis)
    if (found := strict_top_k(rows, count, False)) is not None:
        return found.movedim(-1, axis)
    if not is_few(count, rows):
        return argsort(array, axis)
    is_float = array.dtype.is_floating_point
    lost = math.inf if is_float else torch.iinfo(array.dtype).max
    try:
        if not torch.compiler.is_compiling() and bool(((rows < lost).sum(-1) >= count).all()):
            return top_k(array, axis, count, False)
    except RuntimeError:  # torch.func.vmap does not reveal values
        pass
    return argsort(array, axis)


def sort_elements(array: Any, axis: int) -> Any:
    """The elements along an axis in increasing order, NaN last."""
    return torch.sort(array, dim=axis)[0]


def top_k(array: Any, axis: int, count: int, is_largest: bool) -> Any:
    """The positions of the first elements along an axis in order, of the smallest or the largest.

    Of ties the first one comes first; NaN is passed over; where no element is left, it is 0.
    """
    rows, is_float = array.detach().movedim(axis, -1), array.dtype.is_floating_point
    found = strict_top_k(rows, count, is_largest)
    if found is not None:
        return found.movedim(-1, axis)
    if is_largest:
        rows = -rows if is_float else ~rows
    shape, size = rows.shape[:-1], rows.shape[-1]
    rows = rows.reshape(math.prod(shape), size)
    lost = math.inf if is_float else torch.iinfo(rows.dtype).max
    result = rows.new_zeros((len(rows), count), dtype=torch.int64)
    if result.numel() and size:
        find = next_positions if is_few(count, rows) else sorted_positions
        result = find(without_nan(rows, math.inf), lost, count)
    return result.reshape(*shape, count).movedim(-1, axis)


def strict_top_k(rows: Any, count: int, is_largest: bool) -> Any:
    """``top_k`` of rows by ``torch.topk``, which orders ties at will and takes NaN for the largest
    element; None where it finds either, or no number, or values are not known.
    """
    if not 0 < count <= rows.shape[-1] or rows.dtype == torch.bool or 0 in rows.shape:
        return None
    info = torch.finfo if rows.dtype.is_floating_point else torch.iinfo
    least, most = info(rows.dtype).min, info(rows.dtype).max
    try:
        if torch.compiler.is_compiling():
            return None
        best, found = rows.topk(count, largest=is_largest)
        last, first, next_ = best[..., -1:], best[..., :-1], best[..., 1:]
        if is_largest:
            is_strict, others = (first > next_).all() & (last > least).all(), rows >= last
        else:
            is_strict, others = (first < next_).all() & (last < most).all(), rows <= last
        if bool(is_strict) and int(others.count_nonzero()) == best.numel():
            return found
    except RuntimeError:  # torch.func.vmap does not reveal values
        pass
    return None


def is_few(count: int, rows: Any) -> bool:
    """Whether so many searches take less time than sorting does."""
    size = rows.shape[-1]
    return count * (math.isqrt(size) // 4 + 300 // (rows.numel() // size) + 1) <= size


def sorted_positions(rows: Any, lost: Any, count: int) -> Any:
    """The positions of the smallest elements of rows that are less than ``lost``, by sorting."""
    rows, order = rows.sort(dim=1, stable=True)
    order = torch.where(rows < lost, order, 0)[:, :count]
    return torch.nn.functional.pad(order, (0, count - order.shape[1]))


def next_positions(rows: Any, lost: Any, count: int) -> Any:
    """The same by successive searches, each in the block with the smallest remaining element.

    The elements are found in increasing order, and equal ones in the order of their positions, so
    all elements before the last one in this order have been found.
    """
    size, block = rows.shape[1], math.isqrt(rows.shape[1])
    whole = size - size % block
    least = rows[:, :whole].reshape(len(rows), -1, block).amin(2)
    if whole < size:
        least = torch.cat((least, rows[:, whole:].amin(1, keepdim=True)), 1)
    offsets, numbers = (torch.arange(n, device=rows.device) for n in (block, least.shape[1]))
    lowest = -lost if rows.dtype.is_floating_point else ~lost
    last = rows.new_full((len(rows), 1), lowest)
    position = torch.full_like(last, -1, dtype=torch.int64)
    found: list[Any] = []
    for _ in range(count):
        number = least.argmin(1, keepdim=True)
        places = number * block + offsets
        left = rows.take_along_dim(places.clamp(max=size - 1), 1)
        is_left = (left > last) | (left == last) & (places > position)
        left = torch.where(is_left & (places < size), left, lost)
        last, best = least.take_along_dim(number, 1), left.argmin(1, keepdim=True)
        position = torch.where(last < lost, number * block + best, 0)
        found.append(position)
        others = torch.where(offsets == best, lost, left).amin(1, keepdim=True)
        least = torch.where(numbers == number, others, least)
    return torch.cat(found, 1)


def int_einsum(subscripts: str, arrays: tuple[Any, ...]) -> Any:
    """``torch.einsum`` on ints, for which only the CPU has a product of matrices: a slow one."""
    if arrays[0].device.type == "cpu":
        if not has_exact_sums(subscripts, arrays):
            return torch.einsum(subscripts, *arrays)
        product = torch.einsum(subscripts, *(array.double() for array in arrays))
        return product.long().to(arrays[0].dtype)
    inputs, output = subscripts.split("->")
    letters = output + "".join(sorted({*inputs} - {*output, ","}))
    factors: list[Any] = []
    for term, array in zip(inputs.split(","), arrays, strict=True):
        own = "".join(letter for letter in letters if letter in term)
        aligned = torch.einsum(f"{term}->{own}", array)  # transposes, takes diagonals
        factors.append(aligned[tuple(slice(None) if k in own else None for k in letters)])
    product = functools.reduce(operator.mul, factors)
    summed = tuple(range(len(output), len(letters)))
    return product.sum(summed, dtype=product.dtype) if summed else product


def sum_of_products(subscripts: str, arrays: tuple[Any, ...]) -> Any:
    """``torch.einsum`` of arrays, of which the first has all axes.

    It would be a stack of products of two vectors, which take up to 30 times as long if their
    elements are no neighbours, up to 6 times if they are, and ints 100 times.
    """
    inputs, output = subscripts.split("->")
    letters, *others = inputs.split(",")
    products, *rest = arrays
    summed = tuple(axis for axis, letter in enumerate(letters) if letter not in output)
    if products.is_floating_point() and are_fast_products(letters, others, summed, products):
        return torch.einsum(subscripts, *arrays)
    for term, array in zip(others, rest, strict=True):
        own = [letter for letter in letters if letter in term]
        factor = array.permute([term.index(letter) for letter in own])
        products = products * factor[tuple(slice(None) if k in own else None for k in letters)]
    sums = products.sum(summed, dtype=products.dtype) if summed else products
    kept = [letter for letter in letters if letter in output]
    return sums.permute([kept.index(letter) for letter in output])


def are_fast_products(letters: str, others: list[str], summed: Any, products: Any) -> bool:
    """Whether a stack of products takes less time than an array of all products, and their sum.

    Of few elements each, or if the array is large: fresh memory is slow, except on GPUs.
    """
    if products.device.type != "cpu":
        return False
    if len(letters) - 1 not in summed and all(len(term) == len(letters) for term in others):
        return False
    is_large = products.numel() > 2**21
    return is_large or math.prod(products.shape[axis] for axis in summed) < 16


def has_exact_sums(subscripts: str, arrays: tuple[Any, ...]) -> bool:
    """Whether floats have the same sums of products of ints, and many of them.

    They have if no sum of magnitudes is above 2^53.
    """
    inputs, output = subscripts.split("->")
    pairs = zip(inputs.split(","), arrays, strict=True)
    sizes = {letter: n for term, a in pairs for letter, n in zip(term, a.shape, strict=True)}
    products = math.prod(sizes.values())
    if products < 2**15 or products < 16 * sum(array.numel() for array in arrays):
        return False
    if torch.compiler.is_compiling():
        return False
    try:
        largest = math.prod(max(int(array.max()), -int(array.min())) for array in arrays)
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False
    return largest * math.prod(n for letter, n in sizes.items() if letter not in output) <= 2**53


# Products in order


def all_finite(array: Any) -> bool:
    """Whether all elements are finite. If their sum is, they are."""
    array = array.detach()
    return bool(array.sum().isfinite()) or bool(array.isfinite().all())


def is_normal(array: Any) -> bool:
    """Whether no element is near or below the least normal number."""
    return not array.numel() or bool(array.detach().abs().min() >= least_safe(array))


def is_zero_or_normal(array: Any, root: int) -> bool:
    """Whether all elements but zeros are above a root of the same bound."""
    array = array.detach()
    return bool(((array.abs() >= least_safe(array) ** (1 / root)) | (array == 0)).all())


def least_safe(array: Any) -> float:
    """A number that is small, and whose products with numbers that are not small are normal."""
    info = torch.finfo(array.dtype)
    return info.tiny / info.eps


def is_safe(finite: Any, normal: Any, factors: Any) -> bool:
    """Whether products that a program does not compute had neither overflow nor underflow.

    Arrays with zeros are no proof. Then the factors are, if they are zero or not small. Tensors
    without known values are no proof either.
    """
    if torch.compiler.is_compiling():
        return False
    try:
        if not all(map(all_finite, finite)):
            return False
        if all(map(is_normal, normal)):
            return True
        arrays = [array for array in factors if array.dtype != torch.bool]
        return all(is_zero_or_normal(array, len(arrays)) for array in arrays)
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False


def in_order(array: Any, finite: Any, normal: Any, products: Any) -> Any:
    """A sum of products in another order, or in order if the tests of the other order fail."""
    named = list(named_factors(products))
    if is_safe(finite, normal, [factor for _, factor in named]):
        return array
    if torch.compiler.is_compiling():
        return summed_products(products)
    sizes = {k: n for letters, f in named for k, n in zip(letters, f.shape, strict=True)}
    longest = max(sizes, key=sizes.__getitem__, default="")
    step = max(1, 2**22 * sizes.get(longest, 1) // max(1, math.prod(sizes.values())))
    if step >= sizes.get(longest, 1):
        return summed_products(products)
    starts = range(0, sizes[longest], step)
    blocks = [summed_products(cut(products, longest, slice(k, k + step))) for k in starts]
    letters = products[0]
    if longest in letters:
        return torch.cat(blocks, letters.index(longest))
    return functools.reduce(torch.add, blocks)


def named_factors(products: Any) -> Any:
    """The factors of nested products, each with the names of its axes; of divisors 1 / x."""
    letters, *parts = products
    if not isinstance(parts[0], tuple):
        return [(letters[1:], 1 / parts[0]) if letters[:1] == "/" else (letters, parts[0])]
    return [factor for part in parts for factor in named_factors(part)]


def cut(products: Any, letter: str, part: Any) -> Any:
    """The same products of a part of each factor along an axis."""
    letters, *parts = products
    if isinstance(parts[0], tuple):
        return (letters, *(cut(each, letter, part) for each in parts))
    places = tuple(part if k == letter else slice(None) for k in letters.removeprefix("/"))
    return letters, parts[0][places]


def summed_products(products: Any) -> Any:
    """Products of factors from left to right, summed along the axes that the result lacks."""
    letters, *parts = products
    if not isinstance(parts[0], tuple):
        return parts[0]
    axes = [part[0].removeprefix("/") for part in parts]
    names = "".join(dict.fromkeys(letters + "".join(axes)))
    values = map(summed_products, parts)
    product, *arrays = (spread(x, own, names) for x, own in zip(values, axes, strict=True))
    for part, array in zip(parts[1:], arrays, strict=True):
        product = product / array if part[0][:1] == "/" else times(product, array)
    summed = tuple(range(len(letters), len(names)))
    return product.sum(summed) if summed else product


def times(product: Any, factor: Any) -> Any:
    """The product with one more factor; one of Bools is a mask, outside of which it is 0."""
    return torch.where(factor, product, 0) if factor.dtype == torch.bool else product * factor


def spread(array: Any, letters: str, names: str) -> Any:
    """An array with named axes in an order; those that it lacks have size 1."""
    own = "".join(name for name in names if name in letters)
    array = torch.einsum(f"{letters}->{own}", array)  # transposes, takes diagonals
    return array[tuple(slice(None) if name in own else None for name in names)]


# Tests


def is_finite(array: Any) -> bool:
    """Whether the sum of an array is known to be finite, so that all elements are.

    Only plain tensors on the CPU are read: others would be waited for, or have no known values.
    """
    if array.device.type != "cpu" or torch.compiler.is_compiling():
        return False
    try:
        return bool(array.detach().sum().isfinite())
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False


def propagate_nan(array: Any, others: Any, axis: int, witness: Any) -> Any:
    """The array, but NaN where others are not finite at another position along an axis.

    The array itself, if the sum of a witness is finite: then so are all of the others.
    """
    if is_finite(witness):
        return array
    finite = others.isfinite()
    for _ in range(others.ndim - array.ndim):
        finite = finite.all(0)
    count = finite.shape[axis] - 1
    elsewhere = finite.sum(axis, keepdim=True) - finite.to(torch.int64)
    return torch.where(elsewhere < count, torch.nan, array)


# Prefixes and segments


def accumulate(kind: str, array: Any, axis: int) -> Any:
    """The combinations of all prefixes along an axis that are not empty."""
    if array.shape[axis] == 0:
        return array.clone()
    if array.dtype == torch.bool:
        return accumulate(kind, array.to(torch.uint8), axis).to(torch.bool)
    if kind in ("amin", "amax"):
        return getattr(torch, kind.replace("a", "cum", 1))(array, axis).values
    return getattr(torch, f"cum{kind}")(array, axis, dtype=array.dtype)


def correlate(
    array: Any, filters: Any, sizes: Any, strides: Any = (), dilations: Any = (), groups: int = 1
) -> Any:
    """Sums of products of filters with the windows of arrays, at ``sizes`` places."""
    strides, dilations = (each or (1,) * len(sizes) for each in (strides, dilations))
    shape = (array.shape[0], filters.shape[0], *sizes)
    if 0 in shape or 0 in filters.shape:
        return array.new_zeros(shape)
    windows = zip(sizes, filters.shape[2:], strides, dilations, strict=True)
    for axis, (size, offsets, stride, distance) in enumerate(windows, 2):
        array = array.narrow(axis, 0, (size - 1) * stride + (offsets - 1) * distance + 1)
    functions = torch.nn.functional
    convolve = (functions.conv1d, functions.conv2d, functions.conv3d)[len(sizes) - 1]
    return convolve(array, filters, stride=strides, dilation=dilations, groups=groups)


def scan(kind: str, identity: Any, array: Any, axis: int, suffixes: bool) -> Any:
    """The combinations of all prefixes along an axis, or suffixes, the empty one included."""
    array = array.flip(axis) if suffixes else array
    combined = accumulate(kind, array, axis)
    shape = [1 if k == axis else n for k, n in enumerate(array.shape)]
    result = torch.cat((array.new_full(shape, identity), combined), axis)
    return result.flip(axis) if suffixes else result


def weighted_scan(kind: str, identity: Any, array: Any, weights: Any, axis: int) -> Any:
    """``y[j] = max(y[j - 1] + w[j], x[j])`` along an axis, or ``where(w[j], y[j - 1], 0) + x[j]``.

    A window of steps has the same form, and so have two windows in order: those of 1, 2, 4, ..
    steps are combined.
    """
    if array.shape[axis] < 2:
        return array.clone()
    functions = {"amin": "minimum", "amax": "maximum", "sum": "add", "prod": "mul"}
    combine = getattr(torch, functions[kind])
    result, weights, width = array.movedim(axis, 0), weights.movedim(axis, 0), 1
    is_mask, is_same = weights.dtype == torch.bool, len(weights) == 1
    windows = weights if is_same else weights[1:]
    while width < len(result):
        before, longer = result[:-width], result[width:]
        weighed = torch.where(windows, before, identity) if is_mask else before + windows
        result = torch.cat((result[:width], combine(weighed, longer)))
        earlier, later = (windows,) * 2 if is_same else (windows[:-width], windows[width:])
        windows = earlier & later if is_mask else earlier + later
        width *= 2
    return result.movedim(0, axis)


def is_within(key: Any, size: Any) -> bool:
    """Whether all keys are known to be in bounds.

    Only plain tensors on the CPU are read: others would be waited for, or have no known values.
    """
    if key.device.type != "cpu" or torch.compiler.is_compiling() or not key.numel():
        return False
    try:
        least, largest = key.aminmax()
        return bool(least >= 0) and bool(largest < size)
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False


def segment_numbers(keys: Any, sizes: Any) -> Any:
    """The places that keys select, numbered in row-major order, and the sizes that they number.

    If keys may be out of bounds, their axis has one more place than its size.
    """
    numbers, shape = None, list[int]()
    for key, size in zip(keys, map(int, sizes), strict=True):
        is_inside = is_within(key, size)
        shape.append(size if is_inside else size + 1)
        place = key if is_inside else torch.where((key >= 0) & (key < size), key, size)
        numbers = place if numbers is None else numbers * shape[-1] + place
    return numbers, shape


def overwritten(fresh: Any, method: str, *arguments: Any) -> Any:
    """The result of a method along axis 0, in the memory of a fresh array where that is legal."""
    if not torch.compiler.is_compiling():
        try:
            return getattr(fresh, f"{method}_")(0, *arguments)
        except RuntimeError:  # torch.func.vmap writes into no array that has fewer axes
            pass
    return getattr(fresh, method)(0, *arguments)


def accumulate_at(kind: str, identity: Any, values: Any, segments: Any, sizes: Any) -> Any:
    """The values of each segment combined."""
    if values.dtype == torch.bool:  # GPUs scatter none
        return accumulate_at(kind, identity, values.view(torch.uint8), segments, sizes).bool()
    numbers, shape = segments
    rest = values.shape[numbers.ndim :]
    places = numbers.reshape(-1)
    values = values.expand(*numbers.shape, *rest).reshape(places.shape[0], *rest)
    count = (math.prod(shape), *rest)
    result = values.new_full(count, identity) if identity else values.new_zeros(count)
    if kind == "sum" and not rest and values.is_floating_point():
        result = overwritten(result, "scatter_add", places, values)
    elif kind == "sum":
        result = overwritten(result, "index_add", places, values)
    else:
        places = places[(..., *([None] * len(rest)))].expand(values.shape)
        result = overwritten(result, "scatter_reduce", places, values, kind)
    return result.reshape(*shape, *rest)[tuple(slice(int(size)) for size in sizes)]


# Numbers


def device_of(number: Any) -> Any:
    """The device of a number; None for one of Python."""
    return getattr(number, "device", None)


def affine_range(start: int, step: int, size: int, dtype: Any, device: Any) -> Any:
    """``start + step * k`` for each ``k`` below ``size``, in 64 bits, converted to a type."""
    stop = start + step * size
    if not torch.compiler.is_compiling() and max(abs(start), abs(stop)) < 2**53:
        return torch.arange(start, stop, step, dtype=dtype, device=device)
    positions = torch.arange(size, device=device)
    return (wrapped(start) + wrapped(step) * positions).to(dtype)


def wrapped(x: int) -> int:
    """A Python number wrapped to the 64 bits of an int."""
    return (x + 2**63) % 2**64 - 2**63


def floor_divide_ints(x: int, y: int) -> int:
    """``x // y`` on numbers of Python; 0 where y is 0."""
    return wrapped(x // y) if y else 0


def floor_modulo_ints(x: int, y: int) -> int:
    """``x % y`` on numbers of Python; 0 where y is 0."""
    return x % y if y else 0


def divide_floats(x: float, y: float) -> float:
    """``x / y`` on numbers of Python; an infinity or NaN where y is 0."""
    if y:
        return x / y
    return x * math.copysign(math.inf, y)


# Integers


def floor_divide(x: Any, y: Any) -> Any:
    """``x // y`` on ints; 0 where y is 0."""
    is_special = (y == 0) | (y == -1)
    return torch.where(is_special, x * y, x // torch.where(is_special, 1, y))


def floor_modulo(x: Any, y: Any) -> Any:
    """``x % y`` on ints; 0 where y is 0."""
    is_special = (y == 0) | (y == -1)
    return torch.where(is_special, 0, x % torch.where(is_special, 1, y))


def ceil_divide(x: Any, y: Any) -> Any:
    """``x / y`` on ints, rounded up; 0 where y is 0."""
    return floor_divide(x, y) + (floor_modulo(x, y) != 0)


def truncated_divide(x: Any, y: Any) -> Any:
    """``x / y`` on ints, rounded towards zero; 0 where y is 0."""
    return floor_divide(x, y) + ((floor_modulo(x, y) != 0) & ((x < 0) != (y < 0)))


def truncated_modulo(x: Any, y: Any) -> Any:
    """The remainder of the division rounded towards zero; 0 where y is 0."""
    return torch.where(y == 0, 0, x - truncated_divide(x, y) * y)


def unsigned_less(x: Any, y: Any) -> Any:
    """``x < y`` on the bits of ints, read as unsigned ones."""
    lowest = torch.iinfo(x.dtype).min
    return (x ^ lowest) < (y ^ lowest)


def unsigned_less_equal(x: Any, y: Any) -> Any:
    """``x <= y`` on the bits of ints, read as unsigned ones."""
    return ~unsigned_less(y, x)


def unsigned_greater(x: Any, y: Any) -> Any:
    """``x > y`` on the bits of ints, read as unsigned ones."""
    return unsigned_less(y, x)


def unsigned_greater_equal(x: Any, y: Any) -> Any:
    """``x >= y`` on the bits of ints, read as unsigned ones."""
    return ~unsigned_less(x, y)


def unsigned_minimum(x: Any, y: Any) -> Any:
    """The smaller of the bits of ints, read as unsigned ones."""
    return torch.where(unsigned_less(x, y), x, y)


def unsigned_maximum(x: Any, y: Any) -> Any:
    """The larger of the bits of ints, read as unsigned ones."""
    return torch.where(unsigned_less(x, y), y, x)


def unsigned_shift_right(x: Any, distance: Any) -> Any:
    """``x >> distance`` with zeros from the left."""
    bits = torch.iinfo(x.dtype).bits
    rest = x >> distance & ~(torch.full_like(x, -1) << (bits - distance))
    return torch.where(distance == 0, x, torch.where((distance > 0) & (distance < bits), rest, 0))


def unsigned_divide(x: Any, y: Any) -> Any:
    """``x // y`` on the bits of ints, read as unsigned ones; 0 where y is 0.

    Half of x is non-negative; twice its quotient is the quotient or one less. If y has its highest
    bit set, the quotient is 0 or 1.
    """
    one = torch.ones_like(x)
    quotient = floor_divide(unsigned_shift_right(x, one), y) * 2
    quotient = quotient + unsigned_greater_equal(x - quotient * y, y)
    quotient = torch.where(y < 0, unsigned_greater_equal(x, y).to(x.dtype), quotient)
    return torch.where(y == 0, 0, quotient)


def unsigned_modulo(x: Any, y: Any) -> Any:
    """The remainder of `unsigned_divide`; 0 where y is 0."""
    return torch.where(y == 0, 0, x - unsigned_divide(x, y) * y)


def unsigned_to_float(x: Any, dtype: Any) -> Any:
    """The float nearest to the bits of ints, read as unsigned ones.

    Half of a number with the highest bit is rounded correctly if it keeps the bit shifted out.
    """
    half = unsigned_shift_right(x, torch.ones_like(x)) | (x & 1)
    return torch.where(x < 0, half.to(dtype) * 2, x.to(dtype))


def float_to_unsigned(x: Any) -> Any:
    """The integer part as the bits of an unsigned int of 64 bits."""
    high = x >= 2.0**63
    lower = torch.where(high, x - 2.0**63, x).to(torch.int64)
    return torch.where(high, lower ^ torch.iinfo(torch.int64).min, lower)


# Floats


def cbrt(x: Any) -> Any:
    """The cube root."""
    return torch.copysign(torch.abs(x) ** (1 / 3), x)


def sign_of(x: Any) -> Any:
    """-1, 0 or 1; NaN for NaN."""
    return torch.where(x != x, x, torch.sign(x))


def leading_zeros(x: Any) -> Any:
    """The number of zero bits above the highest one bit of integers."""
    bits = 8 * x.element_size()
    count, rest = torch.where(x < 0, 0, bits).to(x.dtype), torch.clamp(x, min=0)
    for width in (32, 16, 8, 4, 2, 1):
        high = rest >> min(width, bits - 1)
        count = torch.where(high > 0, count - width, count)
        rest = torch.where(high > 0, high, rest)
    return count - rest


def round_half_away(x: Any) -> Any:
    """The nearest whole number; of two, the one further from zero."""
    whole = torch.trunc(x)
    return whole + torch.copysign((torch.abs(x - whole) >= 0.5).to(x.dtype), x)
