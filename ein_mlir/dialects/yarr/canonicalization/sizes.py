"""Laws of sizes: their sources, and proved checks."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.analysis.scopes import around
from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.canonicalization.replacement import replace_by
from ein_mlir.dialects.yarr.integers import is_size
from ein_mlir.dialects.yarr.known_sizes import same_size, size_of


class SizeOfStaticAxis(RewritePattern):
    """``size(x : tensor<...xnx...>, d) --> n``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SizeOp, rewriter: PatternRewriter) -> None:
        size = yarr.shape_of(op.array)[op.axis.value.data]
        if size != yarr.DYNAMIC:
            rewriter.replace(op, yarr.size_constant(size))


class SizeFromOperand(RewritePattern):
    """``size(f(x), d) --> the size of an operand of f, or a size operand of f`` (`size_of`)

    The operand of the new size is defined earlier in the program.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SizeOp, rewriter: PatternRewriter) -> None:
        if not isinstance(op.array.owner, Operation):
            return
        match size_of(op.array.owner, op.axis.value.data):
            case None:
                return
            case int(number):
                rewriter.replace(op, yarr.size_constant(number))
            case SSAValue() as value:
                replace_by(op, value, rewriter)
            case array, axis:
                rewriter.replace(op, yarr.SizeOp(array, axis))


class AssertEqual(RewritePattern):
    """``assert_eq x, x --> x``, also if both are the same size or the same constant"""

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


class ArithmeticOfAsserted(RewritePattern):
    """``assert_eq x, y; f(x)`` computes ``f(x)`` from ``x``: from the same operands whatever holds

    The assertion stays. So equal counts of blocks are equal after different assertions.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.AssertEqOp, rewriter: PatternRewriter) -> None:
        for use in list(op.result.uses):
            user = use.operation
            if isinstance(user, yarr.ElementwiseOp) and not yarr.rank_of(user.result):
                user.operands[use.index] = op.lhs
                rewriter.notify_op_modified(user)


class AssertSizeHolds(RewritePattern):
    """``assert_size n --> n`` if ``n`` is provably non-negative"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.AssertSizeOp, rewriter: PatternRewriter) -> None:
        if is_size(op.size):
            replace_by(op, op.size, rewriter)


class AssertSizeAgain(RewritePattern):
    """``assert_size n --> m`` after ``m = assert_size n``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.AssertSizeOp, rewriter: PatternRewriter) -> None:
        users = (use.operation for use in op.size.uses)
        others = [user for user in users if isinstance(user, yarr.AssertSizeOp) and user is not op]
        for each in around(op) if others else ():
            for other in others:
                if other.parent is each.parent and other.is_before_in_block(each):
                    replace_by(op, other.result, rewriter)
                    return
