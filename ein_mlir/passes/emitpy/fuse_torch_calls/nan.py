"""NaN replaced by a number."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import operands


class WithoutNan(RewritePattern):
    """``torch.where(x == x, x, 2.0)  -->  without_nan(x, 2.0)``, also for ``x != x``

    Not where derivatives are recorded: those of the function are 0 at infinities.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.CallOp, rewriter: PatternRewriter) -> None:
        if op.callee.data != "torch.where" or op.keywords is not None:
            return
        test, if_true, if_false = op.positional
        for operator, x, number in (("==", if_true, if_false), ("!=", if_false, if_true)):
            if (
                list(operands(test, operator)) == [x, x]
                and x.type == op.result.type
                and number.type == OBJECT
                and _is_float(x)
            ):
                call = emitpy.HelperOp("torch.without_nan", (x, number), op.result.type)
                rewriter.replace(op, call)
                return


def _is_float(value: SSAValue) -> bool:
    return isinstance(yarr.element_of(value), Float32Type | Float64Type)
