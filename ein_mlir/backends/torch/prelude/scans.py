"""Combinations of all prefixes and suffixes."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

import torch


def accumulate(kind: str, array: Any, axis: int) -> Any:
    """The combinations of all prefixes along an axis that are not empty."""
    if array.shape[axis] == 0:
        return array.clone()
    if array.dtype == torch.bool and kind == "bitwise_xor":
        return (array.cumsum(axis) & 1).to(torch.bool)
    if array.dtype == torch.bool:
        return accumulate(kind, array.to(torch.uint8), axis).to(torch.bool)
    if kind.startswith("bitwise"):
        return accumulated_bits(kind, array, axis)
    if kind in ("amin", "amax"):
        return getattr(torch, kind.replace("a", "cum", 1))(array, axis).values
    return getattr(torch, f"cum{kind}")(array, axis, dtype=array.dtype)


def accumulated_bits(name: str, array: Any, axis: int) -> Any:
    """The same for bits: windows of 1, 2, 4, .. elements are combined."""
    result, width = array.movedim(axis, 0), 1
    while width < len(result):
        longer = getattr(torch, name)(result[:-width], result[width:])
        result = torch.cat((result[:width], longer))
        width *= 2
    return result.movedim(0, axis)


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
    combine = getattr(torch, functions.get(kind, kind))
    weigh = {"amin": torch.add, "amax": torch.add, "sum": torch.mul}.get(kind, torch.bitwise_and)
    result, weights, width = array.movedim(axis, 0), weights.movedim(axis, 0), 1
    is_mask, is_same = weights.dtype == torch.bool, len(weights) == 1
    windows = weights if is_same else weights[1:]
    while width < len(result):
        before, longer = result[:-width], result[width:]
        weighed = torch.where(windows, before, identity) if is_mask else weigh(before, windows)
        result = torch.cat((result[:width], combine(weighed, longer)))
        earlier, later = (windows,) * 2 if is_same else (windows[:-width], windows[width:])
        windows = earlier & later if is_mask else weigh(earlier, later)
        width *= 2
    return result.movedim(0, axis)
