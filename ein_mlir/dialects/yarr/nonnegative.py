"""Ints that are provably non-negative."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.constants import constant_value


def is_nonnegative(value: SSAValue) -> bool:
    """Whether an Int is provably non-negative.

    Sizes, counters and checked sizes are; a constant may be; a maximum and an equation are if one
    side is. Sums and products are not, since they may overflow.
    """
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        return isinstance(loop, yarr.FoldOp) and value is loop.counter
    match value.owner:
        case yarr.SizeOp() | yarr.AssertSizeOp():
            return True
        case yarr.AssertEqOp() as op:
            return any(map(is_nonnegative, op.operands))
        case yarr.ElementwiseOp(body=body) as op if isinstance(
            single_operation(body), arith.MaxSIOp
        ):
            return any(map(is_nonnegative, op.arguments))
        case _:
            return (known := constant_value(value)) is not None and known >= 0
