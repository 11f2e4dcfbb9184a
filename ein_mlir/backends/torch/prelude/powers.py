"""Powers of floats by a range of exponents."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from typing import Any

import torch


def powers(x: Any, n: Any, first: int, step: int) -> Any:
    """``x ** n`` for ``n = first + step * k`` along an axis that x lacks, as products.

    These are of double precision. Few numbers take less time as they are, and so do exponents that
    may be negative.
    """
    wide, count = x.double(), n.numel()
    if x.numel() * count < 4096 or x.numel() == 1:
        return (wide**n).to(x.dtype)
    axis = max(range(n.ndim), key=n.shape.__getitem__)
    least = min(first, first + step * (count - 1))
    if step == 1 and -count < first < 0:
        few, others = n.narrow(axis, 0, -first), n.narrow(axis, -first, count + first)
        return torch.cat((wide**few, powers(wide, others, 0, 1)), axis).to(x.dtype)
    if least < 0:
        return (wide**n).to(x.dtype)
    base = wide.movedim(axis, 0)
    rows, factor = base**least, base ** abs(step)
    while len(rows) < count:  # as many again are those so far, times a power of x
        rows = torch.cat((rows, rows[: count - len(rows)] * factor))
        factor = factor * factor
    rows = rows if step > 0 else rows.flip(0)
    return rows.movedim(0, axis).to(x.dtype)
