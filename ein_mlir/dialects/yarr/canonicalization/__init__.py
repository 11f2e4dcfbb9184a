"""Canonicalisation of yarr: its laws, each applied from left to right, and the table of all.

A law preserves every value, except that reductions may be reassociated, and removes only assertions
that are proved. Each makes the program smaller, or the path from an argument to a value shorter, so
rewriting ends.
"""

from __future__ import annotations

import string
from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects.algebra import takes_any_order
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.canonicalization.folds import (
    FoldZeroTimes,
    InvariantAccumulator,
    UnusedAccumulator,
)
from ein_mlir.dialects.yarr.canonicalization.replacement import (
    is_valid_with,
    replace_by,
    replace_with,
)
from ein_mlir.dialects.yarr.canonicalization.sizes import (
    AssertEqual,
    AssertEqualAgain,
    AssertSizeAgain,
    AssertSizeHolds,
    SizeFromOperand,
    SizeOfStaticAxis,
)
from ein_mlir.dialects.yarr.canonicalization.views import ShortestView
from ein_mlir.dialects.yarr.constants import constant_value, is_zero
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


class SliceOfScan(RewritePattern):
    """``slice(scan(x, d), d, s, n) --> slice(scan(x, d) inclusive, d, s - 1, n)`` for ``s >= 1``

    A slice without clipping that starts after the first position does not contain the identity.
    With suffixes the identity is last: ``slice(scan(x, d) suffixes, d, 0, size(x, d))`` is without
    it.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SliceOp, rewriter: PatternRewriter) -> None:
        scan, axis, step = op.array.owner, op.axis.value.data, op.step.value.data
        if not isinstance(scan, yarr.ScanOp) or scan.axis != op.axis or scan.inclusive is not None:
            return
        start = constant_value(op.start)
        if op.clip is not None or start is None or step < 1 or not scan.result.has_one_use():
            return
        is_suffixes = scan.suffixes is not None
        if start < 1 and not is_suffixes:
            return
        if is_suffixes and not (start == 0 and step == 1 and is_size_of(op.size, scan.array, axis)):
            return
        new = yarr.ScanOp(scan.kind.data, scan.array, axis, suffixes=is_suffixes, inclusive=True)
        first = yarr.size_constant(start - (not is_suffixes))
        slice_ = yarr.SliceOp(new, axis, first, op.size, step)
        replace_with(op, (new, first, slice_), rewriter)


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


# Scalar functions -----------------------------------------------------------------------------


class ElementwiseIdentity(RewritePattern):
    """``elementwise (a = x) { yield a } --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ElementwiseOp, rewriter: PatternRewriter) -> None:
        terminator = op.body.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        if tuple(terminator.values) == tuple(op.body.block.args):
            replace_by(op, op.arguments[0], rewriter)


class ElementwiseRepeatedOperand(RewritePattern):
    """``elementwise (a = x, b = x) { e } --> elementwise (a = x) { e[a/b] }``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ElementwiseOp, rewriter: PatternRewriter) -> None:
        operands = list(op.arguments)
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


# Reductions -----------------------------------------------------------------------------------


class ReduceOne(RewritePattern):
    """``reduce(x, A) --> squeeze(x, A)`` if ``x`` has size 1 along the axes ``A``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ReduceOp, rewriter: PatternRewriter) -> None:
        shape = yarr.shape_of(op.array)
        if all(shape[axis] == 1 for axis in op.axes):
            replace_with(op, (yarr.SqueezeOp(op.array, op.axes),), rewriter)


class ReduceOfReduce(RewritePattern):
    """``reduce(reduce(x, A by f), B by f) --> reduce(x, A + B by f)``

    The axes ``B`` are numbered as those of ``x``; ``f`` may combine elements in any order. The
    inner reduction must have no other user, as its work would be repeated.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ReduceOp, rewriter: PatternRewriter) -> None:
        inner = op.array.owner
        if (
            not isinstance(inner, yarr.ReduceOp)
            or inner.combine != op.combine
            or not inner.result.has_one_use()
            or not takes_any_order(op.combine)
        ):
            return
        rest = [d for d in range(yarr.rank_of(inner.array)) if d not in inner.axes]
        axes = sorted((*inner.axes, *(rest[axis] for axis in op.axes)))
        combine = op.body.block.first_op
        assert combine is not None
        replace_with(op, (yarr.ReduceOp(inner.array, axes, type(combine)),), rewriter)


class SumOfPlusZero(RewritePattern):
    """``reduce(x + 0, A by addf) --> reduce(x, A by addf)``: the sum starts with 0 anyway"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ReduceOp, rewriter: PatternRewriter) -> None:
        inner = op.array.owner
        if (
            op.combine != arith.AddfOp.name
            or not isinstance(inner, yarr.ElementwiseOp)
            or not isinstance(single_operation(inner.body), arith.AddfOp)
        ):
            return
        for array, other in (inner.arguments, reversed(inner.arguments)):
            if is_zero(other) and yarr.shape_of(array) == yarr.shape_of(op.array):
                replace_with(op, (yarr.ReduceOp(array, op.axes, arith.AddfOp),), rewriter)
                return


class SegmentsOfRepeated(RewritePattern):
    """``accumulate(repeat(x, d, n) by k) --> accumulate(x by k)``

    The axis ``d`` is one of positions, and ``k`` has it itself, so that ``x`` is broadcast.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.AccumulateOp, rewriter: PatternRewriter) -> None:
        repeat = op.array.owner
        if not isinstance(repeat, yarr.RepeatOp):
            return
        axis = repeat.axis.value.data
        if axis < op.positions and any(yarr.shape_of(key)[axis] != 1 for key in op.keys):
            new = yarr.AccumulateOp(op.kind.data, repeat.array, op.keys, op.sizes)
            replace_with(op, (new,), rewriter)


class EinsumIsTranspose(RewritePattern):
    """``einsum("ijk->kij", x) --> transpose(x, [2, 0, 1])``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.EinsumOp, rewriter: PatternRewriter) -> None:
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        if len(inputs) == 1 and sorted(inputs[0]) == sorted(output):
            permutation = [inputs[0].index(letter) for letter in output]
            replace_with(op, (yarr.TransposeOp(op.arrays[0], permutation),), rewriter)


class EinsumInOrder(RewritePattern):
    """``einsum("kj,ik->ij", x, y) --> einsum("ik,kj->ij", y, x)``

    Of two factors with axes of their own, the one whose own axis is first in the result comes
    first: a normal form of the product.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.EinsumOp, rewriter: PatternRewriter) -> None:
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        if len(inputs) != 2:
            return
        lhs, rhs = inputs
        shared = set(lhs) & set(rhs)
        own = [letter for letter in output if letter not in shared]
        if own and own[0] in rhs and not set(own).isdisjoint(lhs):
            new = yarr.EinsumOp(f"{rhs},{lhs}->{output}", list(reversed(op.arrays)))
            replace_with(op, (new,), rewriter)


class PropagateFromNowhere(RewritePattern):
    """``propagate_nan(x, y, d) --> x`` if ``x`` has size 1 along ``d``: no other position"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.PropagateNanOp, rewriter: PatternRewriter) -> None:
        if yarr.shape_of(op.array)[op.axis.value.data] == 1:
            replace_by(op, op.array, rewriter)


class PropagateAgain(RewritePattern):
    """``propagate_nan(propagate_nan(x, y, d), y, d) --> propagate_nan(x, y, d)``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.PropagateNanOp, rewriter: PatternRewriter) -> None:
        inner = op.array.owner
        if isinstance(inner, yarr.PropagateNanOp) and (inner.others, inner.axis) == (
            op.others,
            op.axis,
        ):
            replace_by(op, op.array, rewriter)


class EinsumOfPropagated(RewritePattern):
    """``einsum("i,ij->j", s, propagate_nan(x, y, 1))``
    ``--> propagate_nan(einsum("i,ij->j", s, x), y, 0)``

    A sum with a NaN term is NaN. The axis is not summed, and all summed axes are axes of ``y``,
    which is transposed so that these come first.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.EinsumOp, rewriter: PatternRewriter) -> None:
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        for number, (letters, array) in enumerate(zip(inputs, op.arrays, strict=True)):
            inner = array.owner
            if isinstance(inner, yarr.PropagateNanOp) and _may_sum(
                inner, letters, "".join(inputs), output
            ):
                arrays = [*op.arrays[:number], inner.array, *op.arrays[number + 1 :]]
                summed = yarr.EinsumOp(op.subscripts.data, arrays)
                new = _propagated_to_sum(inner, letters, summed, output)
                replace_with(op, new, rewriter)
                return


class ReduceOfPropagated(RewritePattern):
    """``reduce(propagate_nan(x, y, 1), [0] by addf) --> propagate_nan(reduce(x, [0]), y, 0)``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ReduceOp, rewriter: PatternRewriter) -> None:
        inner = op.array.owner
        if not isinstance(inner, yarr.PropagateNanOp) or op.combine != arith.AddfOp.name:
            return
        letters = string.ascii_letters[: yarr.rank_of(op.array)]
        output = "".join(letter for d, letter in enumerate(letters) if d not in op.axes)
        if _may_sum(inner, letters, letters, output):
            summed = yarr.ReduceOp(inner.array, op.axes, arith.AddfOp)
            replace_with(op, _propagated_to_sum(inner, letters, summed, output), rewriter)


def _may_sum(op: yarr.PropagateNanOp, letters: str, inputs: str, output: str) -> bool:
    """Whether a sum of products with the result, whose axes have letters, propagates its NaN.

    It does not if the sum may be empty while ``others`` are not, or if its terms are NaN together.
    """
    shape = yarr.shape_of(op.others)[-len(letters) :]
    return (
        len(set(letters)) == len(letters)
        and letters[op.axis.value.data] in output
        and set(inputs) <= {*letters, *output}
        and all(size != 1 or letter in output for letter, size in zip(letters, shape, strict=True))
    )


def _propagated_to_sum(
    op: yarr.PropagateNanOp, letters: str, summed: Operation, output: str
) -> Sequence[Operation]:
    """The sum, with NaN from ``others``, whose summed axes come first."""
    leading = yarr.rank_of(op.others) - len(letters)
    order = [
        *(letter for letter in letters if letter not in output),
        *(letter for letter in output if letter in letters),
    ]
    permutation = [*range(leading), *(leading + letters.index(letter) for letter in order)]
    rank = len(permutation) - sum(letter in letters for letter in output)
    missing = [rank + d for d, letter in enumerate(output) if letter not in letters]
    transpose = yarr.TransposeOp(op.others, permutation)
    others = yarr.UnsqueezeOp(transpose, missing)
    axis = output.index(letters[op.axis.value.data])
    return summed, transpose, others, yarr.PropagateNanOp(summed, others, axis)


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
    yarr.AssertEqOp: (AssertEqual(), AssertEqualAgain()),
    yarr.AssertSizeOp: (AssertSizeHolds(), AssertSizeAgain()),
    yarr.ConcatOp: (ConcatOne(), ConcatOfConcat()),
    yarr.EinsumOp: (EinsumIsTranspose(), EinsumInOrder(), EinsumOfPropagated()),
    yarr.ElementwiseOp: (
        ElementwiseRepeatedOperand(),
        ElementwiseOfRepeat(),
        ElementwiseOfRepeatedOnce(),
        ElementwiseUnusedOperand(),
        ElementwiseIdentity(),
    ),
    yarr.FillEmptyOp: (FillNonEmpty(), FillFilled()),
    yarr.FoldOp: (FoldZeroTimes(), InvariantAccumulator(), UnusedAccumulator()),
    yarr.GatherOp: (GatherIsTake(),),
    yarr.PadOp: (PadNothing(),),
    yarr.ProjOp: (ProjOfTuple(),),
    yarr.PropagateNanOp: (PropagateFromNowhere(), PropagateAgain()),
    yarr.ReduceOp: (ReduceOne(), ReduceOfReduce(), SumOfPlusZero(), ReduceOfPropagated()),
    yarr.RepeatOp: (RepeatOnce(),),
    yarr.AccumulateOp: (SegmentsOfRepeated(),),
    yarr.SizeOp: (SizeOfStaticAxis(), SizeFromOperand()),
    yarr.SliceOp: (SliceAll(), SliceOfSlice(), SliceOfScan()),
    yarr.SqueezeOp: (ShortestView(),),
    yarr.TakeOp: (TakeAll(), TakeInBounds()),
    yarr.TransposeOp: (ShortestView(),),
    yarr.TupleOp: (TupleOfProj(),),
    yarr.UnsqueezeOp: (ShortestView(),),
    yarr.UpdateSliceOp: (UpdateSliceOfRepeated(),),
}
"""The laws of each operation, tried in this order."""
