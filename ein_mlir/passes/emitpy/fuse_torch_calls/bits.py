"""Bits of Bools."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import length, rank

_MASKS = {"&": "torch.both", "|": "torch.either"}


class JoinMasks(RewritePattern):
    """``p[:, None] & q  -->  both(p[:, None], q)``, on Bools of which one has a last axis of size 1

    PyTorch repeats bytes along the last axis many times as fast as Bools.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        helper = _MASKS.get(op.operator.data)
        if helper is None or not _is_mask(op.lhs) or not _is_mask(op.rhs):
            return
        if (length(op.lhs, -1) == 1) != (length(op.rhs, -1) == 1):
            new = emitpy.HelperOp(helper, (op.lhs, op.rhs), op.result.type)
            rewriter.replace(op, new)


def _is_mask(value: SSAValue) -> bool:
    return rank(value) > 1 and isa(value.type, TensorType) and value.type.element_type == i1
