"""Selections without branches, which take long where a processor cannot predict them."""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from typing import Any

import torch


def is_regular(mask: Any) -> bool:
    """Whether three of four elements of a mask are like the ones before, in a part of it."""
    part = mask[mask.shape[0] // 4 : mask.shape[0] // 2 + 1]
    changes = torch.count_nonzero(part[..., 1:] != part[..., :-1])
    return 4 * int(changes) < part.numel()


def choose(mask: Any, x: Any, y: Any) -> Any:
    """``torch.where(mask, x, y)`` of floats, as large as the mask: products, if it is irregular."""
    array = x if isinstance(x, torch.Tensor) else y
    is_plain = mask.numel() >= 1 << 11 and mask.device.type == "cpu"
    if not is_plain or not isinstance(array, torch.Tensor) or torch.compiler.is_compiling():
        return torch.where(mask, x, y)
    is_zero = isinstance(y, float) and not y
    if not is_zero and is_regular(mask):
        return torch.where(mask, x, y)
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[array.itemsize]
    new, old = (torch.as_tensor(each, dtype=array.dtype).view(bits) for each in (x, y))
    if is_zero and not old:
        return (new * mask).view(array.dtype)
    chosen = new ^ old
    chosen = chosen.mul_(mask) if chosen.shape == mask.shape else chosen * mask
    return chosen.bitwise_xor_(old).view(array.dtype)


def choose_rows(mask: Any, x: Any, y: Any) -> Any:
    """``torch.where(mask, x, y)`` with a mask that is smaller, where one of both is 0: by bits.

    Bits of f64 take less time if all elements of a row have one element of the mask.
    """
    if not isinstance(x, torch.Tensor):
        return choose_rows(~mask, y, x)
    is_column = mask.shape[-1] == 1
    is_plain = x.numel() >= 1 << 12 and mask.device.type == "cpu"
    if not (is_plain and (is_column or x.itemsize < 8)) or torch.compiler.is_compiling():
        return torch.where(mask, x, y)
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[x.itemsize]
    return (x.view(bits) & mask.to(bits).neg_()).view(x.dtype)
