"""Ints that are provably non-negative if the program runs to completion."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.phi.interface import PhiOp


def is_nonnegative(value: SSAValue) -> bool:
    """Whether an Int is non-negative: sizes, counters, indices, constants, and maxima of such.

    An assertion is non-negative if either side is, since it equals both. Sums and products are not,
    since they may overflow.
    """
    pending: list[SSAValue | int] = [value]
    seen: set[SSAValue] = set()
    while pending:
        current = pending.pop()
        if isinstance(current, int):
            if current >= 0:
                return True
        elif current not in seen:
            seen.add(current)
            pending.extend(_lower_bounds(current))
    return False


def _lower_bounds(value: SSAValue) -> Sequence[SSAValue | int]:
    """The lower bounds of a value: numbers and values."""
    constant = ConstantLike.get_constant_value(value)
    if isa(constant, IntegerAttr):
        return (constant.value.data,)
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    match owner:
        case PhiOp():
            return owner.lower_bounds(value)
        case arith.MaxSIOp():
            return owner.operands
        case arith.IndexCastOp() if isinstance(owner.input.type, IndexType):
            return (0,) if owner.result.type == i64 else ()
        case _:
            return ()
