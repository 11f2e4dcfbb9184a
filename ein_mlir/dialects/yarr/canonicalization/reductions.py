"""Laws of reductions, contractions and NaN that is propagated through them."""

from __future__ import annotations

import string
from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects.algebra import takes_any_order
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.canonicalization.replacement import (
    replace_by,
    replace_with,
)
from ein_mlir.dialects.yarr.constants import is_zero


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


class ElementwiseOfPropagated(RewritePattern):
    """``propagate_nan(x, y, d) * z --> propagate_nan(x * z, y, d)``, also for ``+`` and ``-``

    NaN is then propagated after a sum of the products, whose elements are fewer. After a sum, which
    others of more axes show, nothing is gained.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ElementwiseOp, rewriter: PatternRewriter) -> None:
        for number, array in enumerate(op.arguments):
            inner = array.owner
            if (
                isinstance(inner, yarr.PropagateNanOp)
                and array.has_one_use()
                and yarr.rank_of(inner.others) == yarr.rank_of(array)
                and op.takes_over(number)
            ):
                arguments = [*op.arguments[:number], inner.array, *op.arguments[number + 1 :]]
                new = yarr.ElementwiseOp(arguments, op.body.clone())
                axis = inner.axis.value.data
                replace_with(op, (new, yarr.PropagateNanOp(new, inner.others, axis)), rewriter)
                return


class TransposeOfPropagated(RewritePattern):
    """``transpose(propagate_nan(x, y, 1), p)``
    ``--> propagate_nan(transpose(x, p), transpose(y, p), 0)`` for ``p = [1, 0]``
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.TransposeOp, rewriter: PatternRewriter) -> None:
        inner = op.array.owner
        if not isinstance(inner, yarr.PropagateNanOp) or not op.array.has_one_use():
            return
        permutation = op.permutation.get_values()
        leading = yarr.rank_of(inner.others) - len(permutation)
        array = yarr.TransposeOp(inner.array, permutation)
        order = [*range(leading), *(leading + axis for axis in permutation)]
        others = yarr.TransposeOp(inner.others, order)
        axis = permutation.index(inner.axis.value.data)
        replace_with(op, (array, others, yarr.PropagateNanOp(array, others, axis)), rewriter)


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


class SumOfNegated(RewritePattern):
    """``reduce(-x, A by addf) --> -reduce(x, A by addf)``: fewer elements are negated"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ReduceOp, rewriter: PatternRewriter) -> None:
        inner = op.array.owner
        is_sum = op.combine == arith.AddfOp.name
        if not is_sum or not isinstance(inner, yarr.ElementwiseOp):
            return
        if isinstance(single_operation(inner.body), arith.NegfOp):
            total = yarr.ReduceOp(inner.arguments[0], op.axes, arith.AddfOp)
            negated = yarr.ElementwiseOp([total.result], inner.body.clone())
            replace_with(op, (total, negated), rewriter)


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
