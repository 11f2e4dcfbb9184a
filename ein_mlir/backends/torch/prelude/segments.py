"""Elements combined by segment."""

# pyright: reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import math
from typing import Any

import torch

from ein_mlir.backends.torch.prelude.scans import weighted_scan


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


def segment_starts(start: Any, values: Any, shape: Any, sizes: Any, rest: Any) -> Any:
    """A fresh array of a start, a number or an array, for segments of a shape and their rows."""
    if not isinstance(start, torch.Tensor):
        full = (*shape, *rest)
        return values.new_full(full, start) if start else values.new_zeros(full)
    start = start.expand(*sizes, *rest)
    pads = [n for pair in zip(shape, sizes, strict=True) for n in (pair[0] - pair[1], 0)][::-1]
    pads = [0] * (2 * len(rest)) + pads
    return torch.nn.functional.pad(start, pads) if any(pads) else start.clone()


def accumulate_at(kind: str, start: Any, values: Any, segments: Any, sizes: Any) -> Any:
    """A start, and the values of each segment, combined."""
    if values.dtype == torch.bool:  # GPUs scatter none
        start = start.view(torch.uint8) if isinstance(start, torch.Tensor) else start
        return accumulate_at(kind, start, values.view(torch.uint8), segments, sizes).bool()
    numbers, shape = segments
    rest, sizes = values.shape[numbers.ndim :], tuple(map(int, sizes))
    places = numbers.reshape(-1)
    values = values.expand(*numbers.shape, *rest).reshape(places.shape[0], *rest)
    result = segment_starts(start, values, shape, sizes, rest).reshape(math.prod(shape), *rest)
    if kind == "sum" and not rest and values.is_floating_point():
        result = overwritten(result, "scatter_add", places, values)
    elif kind == "sum":
        result = overwritten(result, "index_add", places, values)
    else:
        places = places[(..., *([None] * len(rest)))].expand(values.shape)
        result = overwritten(result, "scatter_reduce", places, values, kind)
    return result.reshape(*shape, *rest)[tuple(map(slice, sizes))]


def accumulate_bits_at(name: str, identity: Any, values: Any, segments: Any, sizes: Any) -> Any:
    """The bits of the values of each segment combined, in the order of the segments."""
    numbers, shape = segments
    rest = values.shape[numbers.ndim :]
    ordered, order = numbers.reshape(-1).sort(stable=True)
    values = values.expand(*numbers.shape, *rest).reshape(len(order), *rest)[order]
    first = ordered.new_full((1,), -1)
    goes_on = ordered == torch.cat((first, ordered))[:-1]
    weights = goes_on[(..., *([None] * len(rest)))]
    combined = weighted_scan(name, identity, values, weights, 0)
    own = torch.arange(math.prod(shape), device=ordered.device)
    ends = torch.searchsorted(ordered, own, right=True)
    is_there = torch.cat((first, ordered))[ends] == own
    combined = torch.cat((values.new_full((1, *rest), identity), combined))
    result = combined[torch.where(is_there, ends, 0)]
    return result.reshape(*shape, *rest)[tuple(slice(int(size)) for size in sizes)]


def are_increasing(keys: Any, size: Any) -> bool:
    """Whether the keys are provably positions in order, and different, in an axis of a size."""
    if keys.ndim != 1 or not len(keys) or torch.compiler.is_compiling():
        return False
    try:
        return bool((keys[0] >= 0) & (keys[-1] < size) & (keys[1:] > keys[:-1]).all())
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False


def scattered(array: Any, keys: Any, values: Any) -> Any:
    """The array with values at positions by keys, of equal ones the last; others are dropped.

    PyTorch does not say which of several values at a position stays.
    """
    if len(keys) == 1 and are_increasing(keys[0], array.shape[0]):
        result = array.clone()
        result[keys[0]] = values
        return result
    keys, rest = torch.broadcast_tensors(*keys), array.shape[len(keys) :]
    sizes, count = array.shape[: len(keys)], keys[0].numel()
    steps = torch.arange(count, device=array.device).reshape(keys[0].shape)
    last = accumulate_at("amax", -1, steps, segment_numbers(keys, sizes), sizes)
    values = values.expand(*keys[0].shape, *rest).reshape(count, *rest)
    if not count:
        return array.clone()
    last = last[(..., *([None] * len(rest)))]
    return torch.where(last >= 0, values[last.clamp(min=0).reshape(sizes)], array)
