"""Canonicalisation of yarr: its laws, each applied from left to right, and the table of all.

A law preserves every value, except that reductions may be reassociated, and removes only assertions
that are proved. Each makes the program smaller, or the path from an argument to a value shorter, so
rewriting ends.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.canonicalization.elementwise import (
    ElementwiseIdentity,
    ElementwiseOfRepeat,
    ElementwiseOfRepeatedOnce,
    ElementwiseRepeatedOperand,
    ElementwiseUnusedOperand,
)
from ein_mlir.dialects.yarr.canonicalization.folds import (
    FoldZeroTimes,
    InvariantAccumulator,
    UnusedAccumulator,
)
from ein_mlir.dialects.yarr.canonicalization.reductions import (
    EinsumInOrder,
    EinsumIsTranspose,
    EinsumOfPropagated,
    ElementwiseOfPropagated,
    PropagateAgain,
    PropagateFromNowhere,
    ReduceOfPropagated,
    ReduceOfReduce,
    ReduceOne,
    SegmentsOfRepeated,
    SumOfNegated,
    SumOfPlusZero,
    TransposeOfPropagated,
)
from ein_mlir.dialects.yarr.canonicalization.replacement import (
    replace_by,
    replace_with,
)
from ein_mlir.dialects.yarr.canonicalization.sizes import (
    ArithmeticOfAsserted,
    AssertEqual,
    AssertEqualAgain,
    AssertSizeAgain,
    AssertSizeHolds,
    SizeFromOperand,
    SizeOfStaticAxis,
)
from ein_mlir.dialects.yarr.canonicalization.views import ShortestView
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.dialects.yarr.known_sizes import is_size_of

# Elements of one array ------------------------------------------------------------------------


class RepeatOnce(RewritePattern):
    """``repeat(x, d, 1) --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.RepeatOp, rewriter: PatternRewriter) -> None:
        if constant_value(op.size) == 1:
            replace_by(op, op.array, rewriter)


class SliceAll(RewritePattern):
    """``slice(x, d, 0, size(x, d) step 1) --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SliceOp, rewriter: PatternRewriter) -> None:
        if (
            constant_value(op.start) == 0
            and op.step.value.data == 1
            and is_size_of(op.size, op.array, op.axis.value.data)
        ):
            replace_by(op, op.array, rewriter)


class SliceOfSlice(RewritePattern):
    """``slice(slice(x, d, s, m step p), d, t, n step q) --> slice(x, d, s + t*p, n step p*q)``

    Both starts are constants. The outer slice must not clip, since it would clip to the bounds of
    the inner one. The result clips if the inner one does.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SliceOp, rewriter: PatternRewriter) -> None:
        inner = op.array.owner
        if not isinstance(inner, yarr.SliceOp) or inner.axis != op.axis or op.clip is not None:
            return
        start, inner_start = constant_value(op.start), constant_value(inner.start)
        if start is None or inner_start is None:
            return
        step = inner.step.value.data
        first = yarr.size_constant(inner_start + start * step)
        slice_ = yarr.SliceOp(
            inner.array,
            op.axis.value.data,
            first,
            op.size,
            step * op.step.value.data,
            clip=inner.clip is not None,
        )
        replace_with(op, (first, slice_), rewriter)
        if inner.result.first_use is None:
            rewriter.erase(inner)


class SliceOfScan(RewritePattern):
    """``slice(scan(x, d), d, s, n) --> slice(scan(x, d) inclusive, d, s - 1, n)`` for ``s >= 1``

    A slice without clipping that starts after the first position does not contain the identity.
    With suffixes the identity is last: ``slice(scan(x, d) suffixes, d, 0, size(x, d))`` is without
    it. All users of the scan are such slices.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SliceOp, rewriter: PatternRewriter) -> None:
        scan, axis = op.array.owner, op.axis.value.data
        start = constant_value(op.start)
        if not isinstance(scan, yarr.ScanOp) or scan.inclusive is not None or start is None:
            return
        if not all(_leaves_out_identity(use.operation, scan) for use in scan.result.uses):
            return
        is_suffixes = scan.suffixes is not None
        new = yarr.ScanOp(scan.kind.data, scan.array, axis, suffixes=is_suffixes, inclusive=True)
        first = yarr.size_constant(start - (not is_suffixes))
        slice_ = yarr.SliceOp(new, axis, first, op.size, op.step.value.data)
        replace_with(op, (new, first, slice_), rewriter)


def _leaves_out_identity(op: Operation, scan: yarr.ScanOp) -> bool:
    """Whether an operation is a slice of a scan that does not contain the identity."""
    if not isinstance(op, yarr.SliceOp) or op.clip is not None or op.axis != scan.axis:
        return False
    start, step = constant_value(op.start), op.step.value.data
    if start is None or step < 1:
        return False
    if scan.suffixes is None:
        return start >= 1
    return start == 0 and step == 1 and is_size_of(op.size, scan.array, op.axis.value.data)


class PadNothing(RewritePattern):
    """``pad(x, d, 0, 0) --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.PadOp, rewriter: PatternRewriter) -> None:
        if constant_value(op.low) == 0 == constant_value(op.high):
            replace_by(op, op.array, rewriter)


class FillNonEmpty(RewritePattern):
    """``fill_empty(x, d) --> x`` if the static size of ``x`` along ``d`` is not 0, or ``x`` is a
    scan along ``d`` that contains the identity
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.FillEmptyOp, rewriter: PatternRewriter) -> None:
        scan = op.array.owner
        if isinstance(scan, yarr.ScanOp) and scan.axis == op.axis:
            is_filled = scan.inclusive is None
        else:
            is_filled = yarr.shape_of(op.array)[op.axis.value.data] not in (0, yarr.DYNAMIC)
        if is_filled:
            replace_by(op, op.array, rewriter)


class FillFilled(RewritePattern):
    """``fill_empty(fill_empty(x, d), d) --> fill_empty(x, d)``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.FillEmptyOp, rewriter: PatternRewriter) -> None:
        inner = op.array.owner
        if isinstance(inner, yarr.FillEmptyOp) and inner.axis == op.axis:
            replace_by(op, op.array, rewriter)


class ConcatOne(RewritePattern):
    """``concat(x) --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ConcatOp, rewriter: PatternRewriter) -> None:
        if len(op.arrays) == 1:
            replace_by(op, op.arrays[0], rewriter)


class ConcatOfConcat(RewritePattern):
    """``concat(concat(x, y), z) --> concat(x, y, z)`` along one axis, if it has no other user"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ConcatOp, rewriter: PatternRewriter) -> None:
        arrays = list[SSAValue]()
        for array in op.arrays:
            inner = array.owner
            if isinstance(inner, yarr.ConcatOp) and inner.axis == op.axis and array.has_one_use():
                arrays.extend(inner.arrays)
            else:
                arrays.append(array)
        if len(arrays) > len(op.arrays):
            replace_with(op, (yarr.ConcatOp(arrays, op.axis.value.data, op.size),), rewriter)


# Elements at positions ------------------------------------------------------------------------


class GatherIsTake(RewritePattern):
    """``gather(x, [p]) --> take(x, 0, p)``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.GatherOp, rewriter: PatternRewriter) -> None:
        if len(op.positions) == 1:
            take = yarr.TakeOp(op.array, 0, op.positions[0], in_bounds=bool(op.in_bounds))
            replace_with(op, (take,), rewriter)


class TakeAll(RewritePattern):
    """``take(x, d, range(size(x, d))) --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.TakeOp, rewriter: PatternRewriter) -> None:
        position = op.position.owner
        if isinstance(position, yarr.RangeOp) and is_size_of(
            position.size, op.array, op.axis.value.data
        ):
            replace_by(op, op.array, rewriter)


class TakeInBounds(RewritePattern):
    """``take(x, d, c) --> take(x, d, c in_bounds)`` if ``0 <= c`` < the static size of ``x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.TakeOp, rewriter: PatternRewriter) -> None:
        position, size = constant_value(op.position), yarr.shape_of(op.array)[op.axis.value.data]
        if op.in_bounds is None and position is not None and 0 <= position < size:
            op.in_bounds = UnitAttr()
            rewriter.notify_op_modified(op)


class SortInKnownOrder(RewritePattern):
    """``sort(x, 0) --> take(fill_empty(x, 0), 0, argsort(x, 0))``, if its block has this order"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SortOp, rewriter: PatternRewriter) -> None:
        orders = (use.operation for use in op.array.uses)
        order = next((o for o in orders if isinstance(o, yarr.ArgsortOp)), None)
        if order is None or yarr.rank_of(op.array) > 1 or order.parent is not op.parent:
            return
        if op.is_before_in_block(order):
            order.detach()
            rewriter.insert(order, InsertPoint.before(op))
        filled = yarr.FillEmptyOp(op.array, 0)
        replace_with(op, (filled, yarr.TakeOp(filled, 0, order.result)), rewriter)


# Records --------------------------------------------------------------------------------------


class ProjOfTuple(RewritePattern):
    """``proj(tuple(x, y), 0) --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ProjOp, rewriter: PatternRewriter) -> None:
        if isinstance(record := op.record.owner, yarr.TupleOp):
            replace_by(op, record.fields[op.field.value.data], rewriter)


class TupleOfProj(RewritePattern):
    """``tuple(proj(t, 0), ..., proj(t, n-1)) --> t`` where ``t`` has n fields"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.TupleOp, rewriter: PatternRewriter) -> None:
        records = {
            field.owner.record
            if isinstance(field.owner, yarr.ProjOp) and field.owner.field.value.data == d
            else None
            for d, field in enumerate(op.fields)
        }
        record = records.pop() if len(records) == 1 else None
        if record is not None and record.type == op.result.type:
            replace_by(op, record, rewriter)


class UpdateSliceOfRepeated(RewritePattern):
    """``update_slice(a, d, p, size(r, d), s, r) --> update_slice(a, d, p, n, s, x)``

    where ``r`` is ``repeat(x, d, n)``. The promise that ``n`` positions are in bounds includes that
    ``n`` is not negative.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.UpdateSliceOp, rewriter: PatternRewriter) -> None:
        repeat, axis = op.value.owner, op.axis.value.data
        if (
            isinstance(repeat, yarr.RepeatOp)
            and repeat.axis.value.data == axis
            and is_size_of(op.count, op.value, axis)
        ):
            part = (op.start, repeat.size, op.step)
            rewriter.replace(op, yarr.UpdateSliceOp(op.array, *part, axis, repeat.array))


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    yarr.AssertEqOp: (AssertEqual(), AssertEqualAgain(), ArithmeticOfAsserted()),
    yarr.AssertSizeOp: (AssertSizeHolds(), AssertSizeAgain()),
    yarr.ConcatOp: (ConcatOne(), ConcatOfConcat()),
    yarr.EinsumOp: (EinsumIsTranspose(), EinsumInOrder(), EinsumOfPropagated()),
    yarr.ElementwiseOp: (
        ElementwiseRepeatedOperand(),
        ElementwiseOfRepeat(),
        ElementwiseOfRepeatedOnce(),
        ElementwiseUnusedOperand(),
        ElementwiseIdentity(),
        ElementwiseOfPropagated(),
    ),
    yarr.FillEmptyOp: (FillNonEmpty(), FillFilled()),
    yarr.FoldOp: (FoldZeroTimes(), InvariantAccumulator(), UnusedAccumulator()),
    yarr.GatherOp: (GatherIsTake(),),
    yarr.PadOp: (PadNothing(),),
    yarr.ProjOp: (ProjOfTuple(),),
    yarr.PropagateNanOp: (PropagateFromNowhere(), PropagateAgain()),
    yarr.ReduceOp: (
        *(ReduceOne(), ReduceOfReduce(), SumOfPlusZero(), SumOfNegated()),
        ReduceOfPropagated(),
    ),
    yarr.RepeatOp: (RepeatOnce(),),
    yarr.AccumulateOp: (SegmentsOfRepeated(),),
    yarr.SizeOp: (SizeOfStaticAxis(), SizeFromOperand()),
    yarr.SliceOp: (SliceAll(), SliceOfSlice(), SliceOfScan()),
    yarr.SortOp: (SortInKnownOrder(),),
    yarr.SqueezeOp: (ShortestView(),),
    yarr.TakeOp: (TakeAll(), TakeInBounds()),
    yarr.TransposeOp: (ShortestView(), TransposeOfPropagated()),
    yarr.TupleOp: (TupleOfProj(),),
    yarr.UnsqueezeOp: (ShortestView(),),
    yarr.UpdateSliceOp: (UpdateSliceOfRepeated(),),
    yarr.WhileOp: (UnusedAccumulator(),),
}
"""The laws of each operation, tried in this order."""
