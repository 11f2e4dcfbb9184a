"""What the laws of yarr share: constants, equality of sizes, and replacing an array by another."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, TensorType, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr import operations as yarr


def size_constant(size: int) -> arith.ConstantOp:
    """``arith.constant dense<size> : tensor<i64>``"""
    return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(i64, []), [size]))


def constant_value(value: SSAValue) -> int | None:
    """The number that an Int is known to be, or None."""
    if value.type != yarr.SIZE_TYPE or not isinstance(value.owner, arith.ConstantOp):
        return None
    number = value.owner.value
    return number.get_values()[0] if isa(number, DenseIntOrFPElementsAttr[IntegerType]) else None


def is_zero(value: SSAValue) -> bool:
    """Whether an array is known to be 0 everywhere, in one literal."""
    while isinstance(value.owner, yarr.UnsqueezeOp):
        value = value.owner.array
    if not isinstance(value.owner, arith.ConstantOp):
        return False
    number = value.owner.value
    return isinstance(number, DenseIntOrFPElementsAttr) and not any(number.get_values())


def is_size_of(size: SSAValue, array: SSAValue, axis: int) -> bool:
    """Whether an Int is known to be the size of an array along an axis."""
    known = yarr.shape_of(array)[axis]
    if known != yarr.DYNAMIC:
        return constant_value(size) == known
    op = size.owner
    return isinstance(op, yarr.SizeOp) and op.array is array and op.axis.value.data == axis


def same_size(lhs: SSAValue, rhs: SSAValue) -> bool:
    """Whether two Ints are known to be the same number."""
    if lhs is rhs:
        return True
    if isinstance(lhs.owner, yarr.SizeOp):
        return is_size_of(rhs, lhs.owner.array, lhs.owner.axis.value.data)
    return (known := constant_value(lhs)) is not None and known == constant_value(rhs)


def is_nonnegative(value: SSAValue) -> bool:
    """Whether an Int is known to be at least 0.

    Sizes, counters and checked sizes are; a constant may be; a maximum and an equation are if one
    side is. Sums and products are not, since they wrap around.
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


_REFINABLE = (
    yarr.ArgreduceOp,
    yarr.ConcatOp,
    yarr.CorrelateOp,
    yarr.EinsumOp,
    yarr.ElementwiseOp,
    yarr.FillEmptyOp,
    yarr.GatherOp,
    yarr.PadOp,
    yarr.ReduceOp,
    yarr.RepeatOp,
    yarr.ScanOp,
    yarr.SegmentReduceOp,
    yarr.SizeOp,
    yarr.SliceOp,
    yarr.SqueezeOp,
    yarr.TakeOp,
    yarr.TopKOp,
    yarr.TransposeOp,
    yarr.UnsqueezeOp,
)
"""Operations whose operands may have any static sizes that agree with those of the result."""


def replace_by(op: Operation, value: SSAValue, rewriter: PatternRewriter) -> None:
    """Replace the result of an operation by a value that is the same array, if its type permits.

    Types must be equal, or the value's type must know more sizes, where every user accepts that:
    a fold, a record or a function fixes the type of its operands.
    """
    (result,) = op.results
    if value.type == result.type or (
        _refines(value.type, result.type)
        and all(isinstance(use.operation, _REFINABLE) for use in result.uses)
    ):
        rewriter.replace(op, (), (value,))


def _refines(new: Attribute, old: Attribute) -> bool:
    if not isa(new, TensorType) or not isa(old, TensorType):
        return False
    return yarr.element_of(new) == yarr.element_of(old) and all(
        n == o or o == yarr.DYNAMIC
        for n, o in zip(yarr.shape_of(new), yarr.shape_of(old), strict=True)
    )


def replace_with(op: Operation, new: Sequence[Operation], rewriter: PatternRewriter) -> None:
    """Replace an operation by others, the last of which gives its result, of the same type."""
    Rewriter.replace_value_with_new_type(new[-1].results[0], op.results[0].type)
    rewriter.replace(op, new)
