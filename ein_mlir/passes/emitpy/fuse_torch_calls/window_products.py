"""Products with windows of an array, one for each index of a result."""

from __future__ import annotations

from typing import NamedTuple

from typing_extensions import TypeIs
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import factors_of


class ProductsOfWindows(RewritePattern):
    """``sum_of_products("ijk,ik->ij", (strided(x, 0, s, (n, m), (1, 1)), q))``  -->
    ``products_of_windows("ijk,ik->ij", x, 0, s, (n, m), (1, 1), q)``

    The helper copies no large array of windows. A slice of them is one of the array.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.HelperOp, rewriter: PatternRewriter) -> None:
        for each in factors_of(op.result):
            (other, factor), letters = each.other, {*each.letters}
            is_stack = not letters.isdisjoint({*other} & {*each.output})
            found = _windows(each.value) if is_stack and {*other} < letters else None
            if found is not None and len(letters) == len(each.letters):
                text = rewriter.insert(emitpy.LiteralOp(f"{each.letters},{other}->{each.output}"))
                array = found.call.operands[0]
                if found.part is not None:
                    array = _sliced(rewriter, array, found.call, found.part)
                arguments = text.result, array, *found.call.operands[1:], factor
                helper = "torch.products_of_windows"
                rewriter.replace(op, emitpy.HelperOp(helper, arguments, op.result.type))
                return


class _Windows(NamedTuple):
    """A call that reads an axis of Floats at the sums of two indices, and a slice of its result."""

    call: emitpy.HelperOp
    part: emitpy.HelperOp | None


def _windows(value: SSAValue) -> _Windows | None:
    """Windows without other users; a slice is along an axis of the array."""
    call, part = value.owner, None
    if _calls(call, "torch.clipped_slice"):
        call, part = call.operands[0].owner, call
    if not _calls(call, "torch.strided") or not value.has_one_use():
        return None
    if part is not None:
        is_of_array = _axis(part) - _axis(call) not in (0, 1)
        if not is_of_array or not call.result.has_one_use():
            return None
    steps = call.operands[-1].owner
    is_pair = isinstance(steps, emitpy.TupleOp) and len(steps.operands) == 2
    return _Windows(call, part) if is_pair and isa(yarr.element_of(value), AnyFloat) else None


def _calls(op: Operation | Block, helper: str) -> TypeIs[emitpy.HelperOp]:
    return isinstance(op, emitpy.HelperOp) and op.callee.data == helper


def _axis(op: emitpy.HelperOp) -> int:
    """The axis of a slice, or of windows."""
    axis = emitpy.literal_data(op.operands[1])
    assert isinstance(axis, int)
    return axis


def _sliced(
    rewriter: PatternRewriter, array: SSAValue, windows: emitpy.HelperOp, part: emitpy.HelperOp
) -> SSAValue:
    """The slice of an array whose windows are a slice of its windows."""
    axis = _axis(part) - (_axis(part) > _axis(windows))
    place = rewriter.insert(emitpy.LiteralOp(axis)).result
    shape = [*yarr.shape_of(array)]
    shape[axis] = yarr.shape_of(part.result)[_axis(part)]
    arguments = array, place, *part.operands[2:]
    type_ = yarr.tensor(yarr.element_of(array), shape)
    call = emitpy.HelperOp("torch.clipped_slice", arguments, type_, view=True)
    return rewriter.insert(call).result
