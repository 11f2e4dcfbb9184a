"""Folds whose steps divide the counter by the length of a row are two nested folds."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic.integers import Integers
from ein_mlir.analysis.phi.divided_indices import is_product_of_sizes
from ein_mlir.analysis.phi.index_ranges import ORDINARY
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.phi.integers import PhiLevel, range_of
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.versions import versions

WIDEST_BORDER = 16
"""The most that rows, or their length, may be less than a size."""

MOST_OPERATIONS = 64
"""The most operations of a step that there may be two of."""


def split_counter(
    fold: phi.FoldOp, sizes: SizeEquivalence, *, copies: bool = False
) -> phi.FoldOp | None:
    """Replace a fold over ``q < k*m`` by one over ``r < k``, returned, of one over ``c < m``.

    Steps read ``q // m`` and ``q mod m``, for a size m, and k is a size, too. With ``copies`` both
    may be less than sizes, by a few, as those of an interior are: another fold takes the steps if
    one of them is negative.
    """
    found = _divisions(fold.counter)
    shape = _shape(fold.count, [op.operands[1] for op in found], sizes)
    if shape is None or fold.irregular is not None:
        return None
    if all(map(is_product_of_sizes, shape)):
        return in_rows(fold, *shape)
    ranges = [range_of(each) for each in shape]
    is_safe = all(each.low >= -WIDEST_BORDER and each.high <= ORDINARY.high for each in ranges)
    if not copies or not is_safe or len(operations_in(fold)) > MOST_OPERATIONS:
        return None
    build = Builder.before(fold)
    zero = build.integer(0)
    are_sizes = build.and_(*(build.compare(each, "sge", zero) for each in shape))
    versions(build, fold, are_sizes)
    before = Builder.before(fold)
    return in_rows(fold, *(before.max(each, zero) for each in shape))


def _divisions(counter: SSAValue) -> Sequence[Operation]:
    """The operations that divide a counter."""
    users = (use.operation for use in counter.uses if use.index == 0)
    return [op for op in users if isinstance(op, arith.FloorDivSIOp | sigma.FloorModOp)]


def _shape(
    count: SSAValue, divisors: Sequence[SSAValue], sizes: SizeEquivalence
) -> tuple[SSAValue, SSAValue] | None:
    """The number of rows that a count consists of, and their length, which all divisors are."""
    if not divisors or not isinstance(count.owner, arith.MuliOp):
        return None
    forms = Integers(PhiLevel())
    for length, rows in (count.owner.operands, reversed(count.owner.operands)):
        if all(
            sizes.same(length, each) or forms.form(length) == forms.form(each) for each in divisors
        ):
            return rows, length
    return None


def in_rows(fold: phi.FoldOp, rows: SSAValue, length: SSAValue) -> phi.FoldOp:
    """Replace a fold, which divides the counter by a length alone, by one over rows of one over a
    row: ``q // m`` and ``q mod m`` are their counters.
    """
    divisions = _divisions(fold.counter)
    outer, body = fold_body(fold, fold.result.type), fold.detach_region(fold.body)
    row, column = outer.args[0], body.block.args[0]
    wholes = [use for use in column.uses if use.operation not in divisions]
    for op in divisions:
        is_remainder = isinstance(op, sigma.FloorModOp)
        Rewriter.replace_op(op, (), (column if is_remainder else row,))
    if wholes:
        start = Builder.at_start(body.block)
        whole = start.add(start.mul(row, length), column)
        for use in wholes:
            use.operation.operands[use.index] = whole
    build = Builder.at_end(outer)
    build.yield_(build.emit(phi.FoldOp(length, outer.args[1], body)))
    nest = phi.FoldOp(rows, fold.init, Region(outer))
    Rewriter.replace_op(fold, nest)
    return nest
