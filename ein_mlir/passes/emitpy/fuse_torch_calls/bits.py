"""Bits of Bools and Ints."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, TensorType, i1
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


class Shift(RewritePattern):
    """``x // 8  -->  x >> 3``, ``x % 8  -->  x & 7``, for arrays of Ints: several times as fast"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        power = _power_of_two(op.rhs)
        is_ints = isa(op.lhs.type, TensorType) and isa(op.lhs.type.element_type, IntegerType)
        if power is None or not is_ints or not rank(op.lhs):
            return
        operator, number = {"//": (">>", power), "%": ("&", (1 << power) - 1)}.get(
            op.operator.data, ("", 0)
        )
        if operator:
            literal = rewriter.insert(emitpy.LiteralOp(number)).result
            rewriter.replace(op, emitpy.BinaryOp(op.lhs, operator, literal, op.result.type))


def _power_of_two(value: SSAValue) -> int | None:
    """The k of the number ``2**k``, from 2 on."""
    data = emitpy.literal_data(value)
    if type(data) is not int or data < 2 or data & (data - 1):
        return None
    return data.bit_length() - 1
