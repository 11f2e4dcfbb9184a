"""Another compiler's dialect, lowered to phi and run.

A tiny matrix language, ``mat``, has two operations. Its lowering to phi defines only the element at
each index; ein-mlir then finds the operations on whole arrays.
"""

from __future__ import annotations

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, ModuleOp, f64, i64
from xdsl.ir import Block, Dialect, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.parser import Parser
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

import ein_mlir
from ein_mlir.dialects import phi


@irdl_op_definition
class ProductOp(IRDLOperation):
    """The product of two matrices."""

    name = "mat.product"
    lhs = operand_def(phi.VecType)
    rhs = operand_def(phi.VecType)
    result = result_def(phi.VecType)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """The transpose of a matrix."""

    name = "mat.transpose"
    operand = operand_def(phi.VecType)
    result = result_def(phi.VecType)
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"


Mat = Dialect("mat", [ProductOp, TransposeOp])


class LowerTranspose(RewritePattern):
    """``transpose(a)[i, j] = a[j, i]``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter) -> None:
        n = phi.SizeOp(op.operand, 1)
        m = phi.SizeOp(op.operand, 0)
        sizes = [n.result, m.result]
        body = Block(arg_types=[IndexType()] * 2)
        with ImplicitBuilder(body):
            i, j = body.args
            phi.YieldOp(phi.GetOp(op.operand, [j, i]))
        rewriter.replace(op, [n, m, phi.ArrayOp(sizes, Region(body))])


class LowerProduct(RewritePattern):
    """``product(a, b)[i, j] = sum over k of a[i, k] * b[k, j]``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ProductOp, rewriter: PatternRewriter) -> None:
        n = phi.SizeOp(op.lhs, 0)
        m = phi.SizeOp(op.rhs, 1)
        inner = [phi.SizeOp(op.lhs, 1), phi.SizeOp(op.rhs, 0)]
        count = phi.AssertEqOp(inner[0], inner[1], "mat.product: columns of lhs, rows of rhs")
        zero = arith.ConstantOp(FloatAttr(0.0, f64))
        sizes = [n.result, m.result]
        body = Block(arg_types=[IndexType()] * 2)
        step = Block(arg_types=[i64, f64])
        with ImplicitBuilder(body):
            i, j = body.args
            with ImplicitBuilder(step):
                k, total = step.args
                a, b = phi.GetOp(op.lhs, [i, k]), phi.GetOp(op.rhs, [k, j])
                phi.YieldOp(arith.AddfOp(total, arith.MulfOp(a, b)))
            phi.YieldOp(phi.FoldOp(count, zero, Region(step)))
        rewriter.replace(op, [n, m, *inner, count, zero, phi.ArrayOp(sizes, Region(body))])


PROGRAM = """
func.func @gram(%a: !phi.vec<!phi.vec<f64>>) -> !phi.vec<!phi.vec<f64>> {
  %t = mat.transpose %a : !phi.vec<!phi.vec<f64>> -> !phi.vec<!phi.vec<f64>>
  %g = mat.product %t, %a
    : !phi.vec<!phi.vec<f64>>, !phi.vec<!phi.vec<f64>> -> !phi.vec<!phi.vec<f64>>
  func.return %g : !phi.vec<!phi.vec<f64>>
}
"""


def lowered() -> ModuleOp:
    """The program in phi."""
    ctx = Context()
    ein_mlir.register(ctx)
    ctx.load_dialect(Mat)
    module = Parser(ctx, PROGRAM).parse_module()
    patterns = GreedyRewritePatternApplier([LowerTranspose(), LowerProduct()])
    PatternRewriteWalker(patterns).rewrite_module(module)
    return module


def main() -> None:
    """Lower, show, run."""
    module = lowered()
    print(module)
    gram = ein_mlir.compile(module, backend="numpy")
    print(gram.source)
    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(gram(a), a.T @ a)
    print(gram(a))


if __name__ == "__main__":
    main()
