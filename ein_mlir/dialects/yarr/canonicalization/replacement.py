"""The replacement of an array by an equal one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.yarr import operations as yarr

_REFINABLE = (
    yarr.ArgreduceOp,
    yarr.ArgsortOp,
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
    yarr.AccumulateOp,
    yarr.SizeOp,
    yarr.SliceOp,
    yarr.SortOp,
    yarr.SqueezeOp,
    yarr.StridedOp,
    yarr.TakeOp,
    yarr.TopKOp,
    yarr.TransposeOp,
    yarr.UnsqueezeOp,
)
"""Operations whose operands may have any static sizes compatible with those of the result."""


def replace_by(op: Operation, value: SSAValue, rewriter: PatternRewriter) -> None:
    """Replace the result of an operation by an equal array, if its type permits this.

    Types must be equal, or the type of the value must have more static sizes and every user must
    accept them: a fold, a record or a function fixes the type of its operands.
    """
    (result,) = op.results
    if value.type == result.type or (
        _refines(value.type, result.type) and _is_accepted(result, value)
    ):
        rewriter.replace(op, (), (value,))


def _is_accepted(old: SSAValue, new: SSAValue) -> bool:
    """Whether every user of an array is valid with one of a refined type in its place."""
    users = {use.operation for use in old.uses}
    return all(isinstance(user, _REFINABLE) and is_valid_with(user, old, new) for user in users)


def is_valid_with(user: Operation, old: SSAValue, new: SSAValue) -> bool:
    """Whether a user of an array is valid with another array in its place."""
    operands = list(user.operands)
    user.operands = [new if operand is old else operand for operand in operands]
    try:
        user.verify_()
    except VerifyException:
        return False
    finally:
        user.operands = operands
    return True


def _refines(new: Attribute, old: Attribute) -> bool:
    if not isa(new, TensorType) or not isa(old, TensorType):
        return False
    return yarr.element_of(new) == yarr.element_of(old) and all(
        n == o or o == yarr.DYNAMIC
        for n, o in zip(yarr.shape_of(new), yarr.shape_of(old), strict=True)
    )


def replace_with(op: Operation, new: Sequence[Operation], rewriter: PatternRewriter) -> None:
    """Replace an operation by others, the last of which computes its result, if types permit this.

    The last one takes the type of the result. Where its operands fix a static size that this type
    lacks, it keeps its own, and every user must accept that.
    """
    last = new[-1]
    own, result = last.results[0].type, op.results[0]
    is_valid = own == result.type or _takes_type(last, result.type)
    if is_valid or (_refines(own, result.type) and _is_accepted(result, last.results[0])):
        rewriter.replace(op, new)
        return
    for unused in reversed(new):
        unused.drop_all_references()


def _takes_type(op: Operation, type_: Attribute) -> bool:
    """Give the result of an operation a type, if the operation is valid with it."""
    own = op.results[0].type
    Rewriter.replace_value_with_new_type(op.results[0], type_)
    try:
        op.verify_()
    except VerifyException:
        Rewriter.replace_value_with_new_type(op.results[0], own)
        return False
    return True
