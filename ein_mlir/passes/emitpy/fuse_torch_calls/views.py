"""Views of views."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import rank


class SinkNewAxis(RewritePattern):
    """``(x[:, i] + 1.0)[:, None]  -->  x[:, i][:, None] + 1.0``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.SubscriptOp, rewriter: PatternRewriter) -> None:
        sum_ = op.object.owner
        if (
            not isinstance(sum_, emitpy.BinaryOp)
            or not op.object.has_one_use()
            or new_axis(op) is None
        ):
            return
        number = next((k for k, v in enumerate(sum_.operands) if v.type == OBJECT), None)
        if number is None or element(sum_.operands[1 - number]) is None:
            return
        operands = list(sum_.operands)
        row = operands[1 - number]
        assert isa(row.type, TensorType)
        assert isa(op.result.type, TensorType)
        type_ = TensorType(row.type.element_type, op.result.type.get_shape())
        view = rewriter.insert(emitpy.SubscriptOp(row, op.indices, type_))
        operands[1 - number] = view.result
        lhs, rhs = operands
        rewriter.replace(op, emitpy.BinaryOp(lhs, sum_.operator.data, rhs, op.result.type))


class JoinViews(RewritePattern):
    """``x[:, i][:, None]  -->  x.narrow(1, i, 1)``, ``x[:, i][None]  -->  x[None, :, i]``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.SubscriptOp, rewriter: PatternRewriter) -> None:
        axis, inner = new_axis(op), element(op.object)
        if axis is None or inner is None or not op.object.has_one_use():
            return
        type_ = op.result.type
        if axis == inner.axis:
            place, one = (rewriter.insert(emitpy.LiteralOp(k)).result for k in (axis, 1))
            arguments = place, inner.position, one
            rewriter.replace(
                op, emitpy.MethodOp(inner.array, "narrow", arguments, type_, view=True)
            )
            return
        indices: list[SSAValue] = [
            inner.position if k == inner.axis else rewriter.insert(emitpy.SliceOp()).result
            for k in range(rank(inner.array))
        ]
        place = axis if axis < inner.axis else axis + 1
        indices.insert(place, rewriter.insert(emitpy.LiteralOp(None)).result)
        rewriter.replace(op, emitpy.SubscriptOp(inner.array, indices, type_))


@dataclass(frozen=True)
class Element:
    """One position along an axis of an array, and all of the others."""

    array: SSAValue
    axis: int
    position: SSAValue


def element(value: SSAValue) -> Element | None:
    """The parts of ``x[:, i]``, where ``i`` is a number of Python; None for other forms."""
    op = value.owner
    if not isinstance(op, emitpy.SubscriptOp) or not isa(op.object.type, TensorType):
        return None
    *front, last = op.indices
    is_number = last.type == OBJECT and not isinstance(last.owner, emitpy.SliceOp)
    if not is_number or not all(map(_is_whole, front)) or _is_new(last):
        return None
    return Element(op.object, len(front), last)


def new_axis(op: emitpy.SubscriptOp) -> int | None:
    """The 1 of ``x[:, None]``, a view with one more axis; None for other forms."""
    places = [place for place, index in enumerate(op.indices) if _is_new(index)]
    rest = [index for index in op.indices if not _is_new(index)]
    return places[0] if len(places) == 1 and all(map(_is_whole, rest)) else None


def _is_whole(index: SSAValue) -> bool:
    return isinstance(index.owner, emitpy.SliceOp) and not index.owner.bounds


def _is_new(index: SSAValue) -> bool:
    return isinstance(index.owner, emitpy.LiteralOp) and index.owner.data is None
