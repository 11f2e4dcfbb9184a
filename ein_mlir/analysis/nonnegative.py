"""Which Ints are provably not negative."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from ein_mlir.dialects import phi


def is_nonnegative(value: SSAValue) -> bool:
    """Whether an Int is a size, a constant from 0 up, or an assertion about such."""
    op = value.owner
    if isinstance(op, phi.SizeOp):
        return True
    if isinstance(op, phi.AssertEqOp):
        return is_nonnegative(op.lhs) or is_nonnegative(op.rhs)
    if isinstance(op, arith.ConstantOp) and isa(op.value, IntegerAttr):
        return op.value.value.data >= 0
    return False
