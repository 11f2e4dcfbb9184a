"""Laws of scalar functions of elements."""

from __future__ import annotations

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.canonicalization.replacement import (
    is_valid_with,
    replace_by,
    replace_with,
)
from ein_mlir.dialects.yarr.constants import constant_value


class ElementwiseIdentity(RewritePattern):
    """``elementwise (a = x) { yield a } --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ElementwiseOp, rewriter: PatternRewriter) -> None:
        block = op.body.block
        terminator = block.first_op
        if isinstance(terminator, yarr.YieldOp) and tuple(terminator.values) == block.args:
            replace_by(op, op.arguments[0], rewriter)


class ElementwiseRepeatedOperand(RewritePattern):
    """``elementwise (a = x, b = x) { e } --> elementwise (a = x) { e[a/b] }``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ElementwiseOp, rewriter: PatternRewriter) -> None:
        operands = list(op.arguments)
        if len(set(operands)) == len(operands):
            return
        for d in reversed(range(len(operands))):
            if (first := operands.index(operands[d])) != d:
                args = op.body.block.args
                rewriter.replace_all_uses_with(args[d], args[first])
                _drop_argument(op, d, rewriter)


class ElementwiseOfRepeat(RewritePattern):
    """``elementwise (a = repeat(x, k, n), b = y) { e } --> elementwise (a = x, b = y) { e }``

    The operand ``y`` must have the axis ``k`` itself: ``x`` is broadcast against it.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ElementwiseOp, rewriter: PatternRewriter) -> None:
        for d, operand in enumerate(op.arguments):
            repeat = operand.owner
            if isinstance(repeat, yarr.RepeatOp):
                axis = repeat.axis.value.data
                others = (other for k, other in enumerate(op.arguments) if k != d)
                if (
                    yarr.shape_of(repeat.array)[axis] == 1
                    and any(yarr.shape_of(other)[axis] != 1 for other in others)
                    and is_valid_with(op, operand, repeat.array)
                ):
                    op.operands[d] = repeat.array
                    rewriter.notify_op_modified(op)
                    return


class ElementwiseOfRepeatedOnce(RewritePattern):
    """``elementwise (a = repeat(x, k, 1)) { e } --> repeat(elementwise (a = x) { e }, k, 1)``

    Without the repeat the axis ``k`` of all operands has size 1, and so has that of the result.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ElementwiseOp, rewriter: PatternRewriter) -> None:
        for operand in op.arguments:
            repeat = operand.owner
            if not isinstance(repeat, yarr.RepeatOp) or constant_value(repeat.size) != 1:
                continue
            axis = repeat.axis.value.data
            operands = [repeat.array if other is operand else other for other in op.arguments]
            if all(yarr.shape_of(other)[axis] == 1 for other in operands):
                body = rewriter.move_region_contents_to_new_regions(op.body)
                inner = yarr.ElementwiseOp(operands, body)
                replace_with(op, (inner, yarr.RepeatOp(inner, axis, repeat.size)), rewriter)
                return


class ElementwiseUnusedOperand(RewritePattern):
    """``elementwise (a = x, b = y) { e } --> elementwise (a = x) { e }`` where ``e`` ignores ``b``

    The other operands must determine the shape of the result: along every axis on which ``y`` is
    not repeated, one of them must not be repeated either.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ElementwiseOp, rewriter: PatternRewriter) -> None:
        for argument in op.body.block.args:
            if argument.first_use is None and _gives_no_shape(op, argument.index):
                _drop_argument(op, argument.index, rewriter)
                return


def _gives_no_shape(op: yarr.ElementwiseOp, index: int) -> bool:
    shapes = [yarr.shape_of(argument) for argument in op.arguments]
    shape = shapes.pop(index)
    if not shapes:
        return not shape
    return all(
        size == 1 or any(other != 1 for other in others)
        for size, *others in zip(shape, *shapes, strict=True)
    )


def _drop_argument(op: yarr.ElementwiseOp, index: int, rewriter: PatternRewriter) -> None:
    rewriter.erase_block_argument(op.body.block.args[index])
    op.operands = [operand for d, operand in enumerate(op.arguments) if d != index]
    rewriter.notify_op_modified(op)
