"""Sizes: where they come from, and which checks of them are known to pass."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.base import Size, YarrOp
from ein_mlir.dialects.yarr.canonicalization.utils import (
    is_nonnegative,
    replace_by,
    same_size,
    size_constant,
)


class SizeOfStaticAxis(RewritePattern):
    """``size(x : tensor<...xnx...>, d) --> n``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SizeOp, rewriter: PatternRewriter) -> None:
        size = yarr.shape_of(op.array)[op.axis.value.data]
        if size != yarr.DYNAMIC:
            rewriter.replace(op, size_constant(size))


class SizeFromOperand(RewritePattern):
    """``size(f(x), d) --> the size of an operand of f, or a size operand of f`` (`size_of`)

    The definition that the size reads is nearer to the start of the program.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SizeOp, rewriter: PatternRewriter) -> None:
        if not isinstance(op.array.owner, Operation):
            return
        match size_of(op.array.owner, op.axis.value.data):
            case None:
                return
            case int(number):
                rewriter.replace(op, size_constant(number))
            case SSAValue() as value:
                replace_by(op, value, rewriter)
            case array, axis:
                rewriter.replace(op, yarr.SizeOp(array, axis))


def size_of(op: Operation, axis: int) -> Size | None:
    """The size of the result of ``op`` along an axis, as its operands say it; None if they do not.

    A size operand that might be negative is no answer: then ``op`` is an error, not of that size.
    """
    size = op.size_of_result(axis) if isinstance(op, YarrOp) else None
    return None if isinstance(size, SSAValue) and not is_nonnegative(size) else size


class AssertEqual(RewritePattern):
    """``assert_eq x, x --> x``, also where both are the same size or the same constant"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.AssertEqOp, rewriter: PatternRewriter) -> None:
        if same_size(op.lhs, op.rhs):
            replace_by(op, op.lhs, rewriter)


class AssertEqualAgain(RewritePattern):
    """``assert_eq (assert_eq x, y), x --> assert_eq x, y``, in any order"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.AssertEqOp, rewriter: PatternRewriter) -> None:
        for checked, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            inner = checked.owner
            if isinstance(inner, yarr.AssertEqOp) and (
                same_size(other, inner.lhs) or same_size(other, inner.rhs)
            ):
                replace_by(op, checked, rewriter)
                return


class AssertSizeHolds(RewritePattern):
    """``assert_size n --> n`` where ``n`` is known not to be negative"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.AssertSizeOp, rewriter: PatternRewriter) -> None:
        if is_nonnegative(op.size):
            replace_by(op, op.size, rewriter)


class AssertSizeAgain(RewritePattern):
    """``assert_size n --> m`` behind ``m = assert_size n``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.AssertSizeOp, rewriter: PatternRewriter) -> None:
        users = (use.operation for use in op.size.uses)
        others = [user for user in users if isinstance(user, yarr.AssertSizeOp) and user is not op]
        for around in _enclosing(op) if others else ():
            for other in others:
                if other.parent is around.parent and other.is_before_in_block(around):
                    replace_by(op, other.result, rewriter)
                    return


def _enclosing(op: Operation | None) -> Iterator[Operation]:
    """An operation, and those that it is in."""
    while op is not None:
        yield op
        op = op.parent_op()
