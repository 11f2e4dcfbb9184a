"""The meaning of the Ints of yarr."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import SIZES, SUMS_OF_SIZES, Integers, Range
from ein_mlir.analysis.arithmetic.scalars import RangeOf, indices_below
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.integers import ScalarLevel
from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.constants import constant_value


class YarrLevel(ScalarLevel):
    """A scalar is the yielded value of its elementwise operation, applied to the arguments."""

    def same(self, value: SSAValue) -> SSAValue:
        match value.owner:
            case yarr.AssertSizeOp(size=size):
                return size
            case yarr.AssertEqOp(lhs=lhs):
                return lhs
            case yarr.ElementwiseOp() as op if value.type == yarr.SIZE_TYPE:
                last = op.body.block.last_op
                assert isinstance(last, yarr.YieldOp)
                return last.values[0]
            case Block() as block if isinstance(op := block.parent_op(), yarr.ElementwiseOp):
                assert isinstance(value, BlockArgument)
                return op.arguments[value.index]
            case _:
                return value

    def constant(self, value: SSAValue) -> int | None:
        op = value.owner
        if not isinstance(op, arith.ConstantOp):
            return None
        return op.value.value.data if isa(op.value, IntegerAttr) else constant_value(value)

    def computation(self, value: SSAValue) -> tuple[type[Operation], Sequence[SSAValue]] | None:
        op = value.owner
        return (type(op), op.operands) if isinstance(op, Operation) else None

    def range(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        limit = self.limit(value)
        match value.owner:
            case yarr.SizeOp() | yarr.AssertSizeOp():
                return SIZES
            case yarr.AssertEqOp(rhs=rhs):
                return range_of(rhs)
            case _:
                return None if limit is None else indices_below(range_of(limit))

    def limit(self, value: SSAValue) -> SSAValue | None:
        op = value.owner.parent_op() if isinstance(value.owner, Block) else None
        return op.count if isinstance(op, yarr.FoldOp) and value is op.counter else None


def is_at_most_one(value: SSAValue) -> bool:
    """Whether an Int is provably at most 1: as a count, that of a choice."""
    return Integers(YarrLevel()).range(value).high <= 1


def is_size(value: SSAValue, ints: Integers | None = None) -> bool:
    """Whether an Int is a size or count in every run: an error is impossible there.

    ``ints`` keeps the ranges of the Ints of a program that does not change.
    """
    return (ints or Integers(YarrLevel())).range(value) in SUMS_OF_SIZES
