"""The meaning of the Ints of phi."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, Operation, OpResult, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, Integers, Range
from ein_mlir.analysis.arithmetic.scalars import RangeOf
from ein_mlir.analysis.constants import known_int
from ein_mlir.dialects.integers import ScalarLevel
from ein_mlir.dialects.phi.interface import PhiOp


class PhiLevel(ScalarLevel):
    """Scalars are computed by operations; those of phi state ranges and limits themselves."""

    def same(self, value: SSAValue) -> SSAValue:
        op = value.owner
        if type(op) is not arith.IndexCastOp or value.type != i64:
            return value
        return op.input if isinstance(op.input.type, IndexType) else value

    def constant(self, value: SSAValue) -> int | None:
        return known_int(value)

    def computation(self, value: SSAValue) -> tuple[type[Operation], Sequence[SSAValue]] | None:
        if type(value) is not OpResult:
            return None
        return type(value.op), value.op._operands  # pyright: ignore[reportPrivateUsage]

    def range(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        op = _operation_of(value)
        return op.range_of(value, range_of) if isinstance(op, PhiOp) else None

    def limit(self, value: SSAValue) -> SSAValue | None:
        op = _operation_of(value)
        return op.limit(value) if isinstance(op, PhiOp) else None


def _operation_of(value: SSAValue) -> Operation | None:
    """The operation that a value is a result of, or an argument of the body of."""
    owner = value.owner
    return owner.parent_op() if isinstance(owner, Block) else owner


def range_of(value: SSAValue) -> Range:
    """The range of an integer."""
    return Integers(PhiLevel()).range(value)


def is_nonnegative(value: SSAValue) -> bool:
    """Whether an Int is non-negative in every run.

    As a size or count it may still be too large: that error may be raised where no step runs.
    """
    return range_of(value).low >= 0


def is_size(value: SSAValue) -> bool:
    """Whether an Int is a size or count in every run: an error is impossible there."""
    return range_of(value) in SUMS_OF_SIZES
