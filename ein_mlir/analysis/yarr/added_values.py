"""Updates that add to the elements that they replace."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Added:
    """What an update adds to its elements, or subtracts from them."""

    value: SSAValue
    is_subtracted: bool


def added_value(op: yarr.UpdateOp) -> Added | None:
    """``x`` in ``a[p] = a[p] + x``, and in ``a[p] = a[p] - x``."""
    combine = op.value.owner
    if not isinstance(combine, yarr.ElementwiseOp) or len(combine.arguments) != 2:
        return None
    lhs, rhs = combine.arguments
    is_difference = any(map(combine.is_binary, (arith.SubfOp, arith.SubiOp)))
    is_sum = any(map(combine.is_binary, (arith.AddfOp, arith.AddiOp)))
    if (is_sum or is_difference) and _is_old(lhs, op):
        return Added(rhs, is_difference)
    return Added(lhs, False) if is_sum and _is_old(rhs, op) else None


def _is_old(value: SSAValue, op: yarr.UpdateOp) -> bool:
    """Whether a value is the elements that an update replaces."""
    takes = list[yarr.TakeOp]()
    while isinstance(read := value.owner, yarr.TakeOp | yarr.FillEmptyOp):
        takes += [read] if isinstance(read, yarr.TakeOp) else []
        value = read.array
    if value is not op.array or any(yarr.rank_of(take.position) for take in takes):
        return False
    axes, read_at = list(range(yarr.rank_of(op.array))), dict[int, SSAValue]()
    for take in reversed(takes):
        read_at[axes.pop(take.axis.value.data)] = take.position
    return read_at == dict(zip(op.axes, op.positions, strict=True))
