"""Selections that clipping implements."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.index_ranges import Comparison, IndexRange, IndexRanges
from ein_mlir.dialects import phi


def merge_clipped_choice(op: arith.SelectOp, ranges: IndexRanges) -> None:
    """``select (i > 0), a[i - 1], a[i]  -->  a[i - 1]``: the position clips to that of the other.

    The same applies to any comparison, such as ``i == 0``, and either side, if both read the same
    end where the first is not taken.
    """
    comparison = ranges.comparison(op.cond)
    if comparison is None:
        return
    index = comparison.index
    for kept, other, elsewhere in (
        (op.lhs, op.rhs, _where(comparison, False, ranges)),
        (op.rhs, op.lhs, _where(comparison, True, ranges)),
    ):
        if elsewhere and _agree(kept.owner, other.owner, elsewhere, index, ranges):
            Rewriter.replace_op(op, (), (kept,))
            return


def _where(comparison: Comparison, truth: bool, ranges: IndexRanges) -> IndexRange | None:
    """The range of the indices for which a comparison is true, or false; None if there are two."""
    below, above = ranges.cut(ranges.whole(comparison.index), comparison.threshold)
    if comparison.predicate in ("<", ">="):
        return below if truth == (comparison.predicate == "<") else above
    if truth != (comparison.predicate == "=="):
        return None
    equal, _ = ranges.cut(above, comparison.thresholds()[1])
    return equal


def _agree(
    kept: Operation | Block,
    other: Operation | Block,
    range_: IndexRange,
    index: BlockArgument,
    ranges: IndexRanges,
) -> bool:
    """Whether two reads of one array are equal for all indices of a range."""
    if not isinstance(kept, phi.GetOp) or not isinstance(other, phi.GetOp):
        return False
    if kept.array is not other.array or len(kept.positions) != len(other.positions):
        return False
    for number, positions in enumerate(zip(kept.positions, other.positions, strict=True)):
        if positions[0] is positions[1]:
            continue
        for get in (kept, other):
            found = ranges.position(get, number)
            if found is None or found[0].index is not index:
                return False
        first, second = (ranges.clipped(get, number, range_) for get in (kept, other))
        if first is None or second is None or not ranges.same(first, second):
            return False
    return True
