"""Normalisation of groups of channels, whose statistics all channels of a group share."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from ein_mlir.dialects import emitpy
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import (
    are_equal,
    length,
    operands,
    rank,
    repeated_along_last,
    sliced,
    with_number,
)
from ein_mlir.passes.emitpy.fuse_torch_calls.normalisation import (
    Standardise,
    quotients,
    standardised,
    sum_of_squares,
)

GROUP_NORM = "torch.norm_of_groups"

_VIEWS = ("torch.clipped_slice", "torch.strided")


class GroupNorm(Standardise):
    """``(a - m[:, :n][:, :, None]) / torch.sqrt(v[:, :n] + 1e-5)[:, :, None]``  -->
    ``norm_of_groups(a, x, 1, 1e-5)``

    where x has rows of groups, m are their means, v their variances, and a has the same rows, but
    n of them, as ``m[c // 4]`` needs where 4 may not divide the number of channels. Slices are
    clipped. The helper looks at run time whether a and x are one view.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        for scaled, squared, count in standardised(op):
            epsilon, variance = with_number(squared, "+") or (0.0, squared)
            sides, part = operands(scaled, "-"), sliced(variance)
            x = None if part is None or not sides else self._groups(sides, part.positional, count)
            if x is not None:
                numbers = (rank(x) - count - 1, epsilon)
                literals = (rewriter.insert(emitpy.LiteralOp(n)).result for n in numbers)
                arguments = (sides[0], x, *literals)
                rewriter.replace(op, emitpy.HelperOp(GROUP_NORM, arguments, op.result.type))
                return

    def _groups(
        self, sides: Sequence[SSAValue], part: Sequence[SSAValue], count: int
    ) -> SSAValue | None:
        """The x of the difference of rows and means, and of the slice of variances."""
        array, column = sides
        means = repeated_along_last(column, count, rank(array))
        own = None if means is None else sliced(means)
        if own is None or not all(map(are_equal, part[1:], own.positional[1:])):
            return None
        first, start, _, step = map(emitpy.literal_data, part[1:])
        place = rank(array) - count - 1
        if (first, start, step) != (place, 0, 1):
            return None
        if length(own.result, place) != length(array, place):
            return None
        deviations = (found for total, _ in quotients(part[0]) if (found := sum_of_squares(total)))
        for deviation, axes in deviations:
            x = self.centred(deviation, count) if axes == count else None
            if (
                x is not None
                and self.mean(part[0], sum_of_squares, deviation, count) is not None
                and _means_of(deviation, count) is own.positional[0]
                and _base(array) is _base(x)
            ):
                return x
        return None


def _means_of(deviation: SSAValue, count: int) -> SSAValue | None:
    """The m of ``x - m[:, None]``."""
    return repeated_along_last(operands(deviation, "-")[1], count, rank(deviation))


def _base(array: SSAValue) -> SSAValue:
    """The array that is viewed as rows of groups, or as some of them."""
    op = array.owner
    if isinstance(op, emitpy.HelperOp) and op.callee.data in _VIEWS:
        return _base(op.positional[0])
    return array
