"""Sums of products in loops, and sums along short axes."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import BlockArgument, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.dialects.fastmath import permits
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import operands, rank, summed_along_last


class AddProduct(RewritePattern):
    """``acc = acc + x * y  -->  acc = torch.addcmul(acc, x, y)``

    ``addcmul`` may round once, as products of matrices do. So the sum must be the only user of the
    accumulator: the loop then computes a sum of products. With ``contract`` every sum may.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        may_contract = _is_float(op.result) and permits(op, "contract")
        if op.operator.data != "+" or not (may_contract or _is_yielded(op.result)):
            return
        for acc, product in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            factors = operands(product, "*")
            if (
                factors
                and (may_contract or _is_accumulator(acc, op))
                and acc.type != OBJECT
                and product.has_one_use()
                and all(factor.type != OBJECT for factor in factors)
            ):
                arguments = (acc, *factors)
                rewriter.replace(op, emitpy.CallOp("torch.addcmul", arguments, op.result.type))
                return


class SumAlongLast(RewritePattern):
    """``x.sum(dim=2)  -->  sum_along(x, (2,))``, where x has three axes or more.

    The last of so many is often one of coordinates, along which no call of PyTorch is fast.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.MethodOp, rewriter: PatternRewriter) -> None:
        found = summed_along_last(op.result)
        if found is None or found[1] != 1 or found[0] is not op.receiver or rank(found[0]) < 3:
            return
        axes = emitpy.LiteralOp((rank(found[0]) - 1,))
        call = emitpy.HelperOp("torch.sum_along", (found[0], axes.result), op.result.type)
        rewriter.replace(op, [axes, call])


def _is_yielded(value: SSAValue) -> bool:
    """Whether the yield of a loop is the only user of a value."""
    use = value.first_use
    return use is not None and value.has_one_use() and isinstance(use.operation, emitpy.YieldOp)


def _is_accumulator(value: SSAValue, op: emitpy.BinaryOp) -> bool:
    """Whether a value is a float accumulator, read only by the operation for its next value."""
    use = op.result.first_use
    assert use is not None
    return (
        isinstance(value, BlockArgument)
        and isinstance(value.block.parent_op(), emitpy.ForOp)
        and value.block is op.parent
        and value.index == use.index + 1
        and value.has_one_use()
        and _is_float(value)
    )


def _is_float(value: SSAValue) -> bool:
    return value.type != OBJECT and isinstance(yarr.element_of(value), Float32Type | Float64Type)
