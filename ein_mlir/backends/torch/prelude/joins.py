"""Arrays end to end."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

import torch

from ein_mlir.backends.torch.prelude.indexing import is_recorded


def joined(tree: Any, base: Any = None) -> Any:
    """Arrays end to end along an axis: ``(axis, a, b, ..)``, some of which are joined themselves.

    Every array is copied once, to its place. If gradients are recorded, they flow through nested
    calls of ``torch.cat`` instead. ``(a,)`` is a part that a base has in the same place: where
    calls take longer than copies, the base is copied as a whole, and the other parts onto it.
    """
    arrays = leaves(tree)
    if is_recorded(*arrays):
        return concatenated(tree)
    if base is not None and (base.numel() < 1 << 15 or base.device.type != "cpu"):
        result = base.clone()
        try:
            write_parts(result, tree, every=False)
        except RuntimeError:  # torch.func.vmap writes no array of a batch to one of none
            pass
        else:
            return result
    parts = torch.cat([array.new_empty(1) for array in arrays])  # is batched if one of them is
    result = parts.new_empty(joined_shape(tree))
    write_parts(result, tree)
    return result


def surrounded(array: Any, number: Any, *widths: tuple[int, int, int]) -> Any:
    """An array in a number: ``(axis, before, behind)`` are the elements before and behind it.

    A large one is written once, unless derivatives are recorded: the call writes the number first.
    """
    shape, pads = list(array.shape), [0] * (2 * array.ndim)
    for axis, before, behind in widths:
        shape[axis] += before + behind
        pads[-2 * axis - 2 : 2 * (array.ndim - axis)] = before, behind
    if array.numel() < 1 << 16 or is_recorded(array) or array.device.type != "cpu":
        return torch.constant_pad_nd(array, pads, number)
    result = place = array.new_empty(shape)
    for axis, before, behind in widths:
        size = array.shape[axis]
        place.narrow(axis, 0, before).fill_(number)
        place.narrow(axis, before + size, behind).fill_(number)
        place = place.narrow(axis, before, size)
    place.copy_(array)
    return result


def leaves(tree: Any) -> list[Any]:
    """The arrays that are joined."""
    if isinstance(tree, torch.Tensor):
        return [tree]
    return [leaf for part in (tree if len(tree) == 1 else tree[1:]) for leaf in leaves(part)]


def concatenated(tree: Any) -> Any:
    """The joined array by nested calls of ``torch.cat``."""
    if isinstance(tree, torch.Tensor):
        return tree
    if len(tree) == 1:
        return tree[0]
    axis, *parts = tree
    return torch.cat([concatenated(part) for part in parts], axis)


def joined_shape(tree: Any) -> list[Any]:
    """The shape of joined arrays."""
    if isinstance(tree, torch.Tensor):
        return list(tree.shape)
    if len(tree) == 1:
        return list(tree[0].shape)
    shapes: list[Any] = [joined_shape(part) for part in tree[1:]]
    total = sum(shape[tree[0]] for shape in shapes)
    return [total if k == tree[0] else n for k, n in enumerate(shapes[0])]


def write_parts(place: Any, tree: Any, every: bool = True) -> None:
    """Copy arrays to their places in the joined one: every one, or those that a base lacks."""
    if isinstance(tree, torch.Tensor):
        place.copy_(tree)
        return
    if len(tree) == 1:
        if every:
            place.copy_(tree[0])
        return
    axis, *parts = tree
    start = 0
    for part in parts:
        size = joined_shape(part)[axis]
        write_parts(place[(*(slice(None),) * axis, slice(start, start + size))], part, every)
        start += size
