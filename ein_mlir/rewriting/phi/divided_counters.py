"""Folds whose steps divide the counter by the length of a row are two nested folds."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.divided_indices import is_same, quotient
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.insertion import Builder


def split_counter(fold: phi.FoldOp, sizes: SizeEquivalence) -> bool:
    """Whether a fold over ``q < k*m`` becomes one over ``r < k`` of one over ``c < m``.

    Steps read ``q // m`` and ``q mod m``, for a size m, and k is a size, too.
    """
    found = _divisions(fold.counter)
    divisor = found[0].operands[1] if found else None
    if divisor is None or not all(is_same(op.operands[1], divisor) for op in found):
        return False
    if fold.irregular is not None or is_within(divisor, fold):
        return False
    rows = _rows(fold.count, divisor, sizes)
    if rows is None:
        return False
    _nest(fold, found, rows, divisor)
    return True


def _divisions(counter: SSAValue) -> Sequence[Operation]:
    """The operations that divide a counter."""
    users = (use.operation for use in counter.uses if use.index == 0)
    return [op for op in users if isinstance(op, arith.FloorDivSIOp | sigma.FloorModOp)]


def _rows(count: SSAValue, divisor: SSAValue, sizes: SizeEquivalence) -> SSAValue | None:
    """The number of rows of a length, all whole, that a count consists of."""
    rows = quotient(count, divisor, sizes)
    return rows if rows is not None and range_of(rows).low >= 0 else None


def _nest(
    fold: phi.FoldOp, divisions: Sequence[Operation], rows: SSAValue, length: SSAValue
) -> None:
    """Replace a fold by a fold over rows of a fold over a row."""
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
    Rewriter.replace_op(fold, phi.FoldOp(rows, fold.init, Region(outer)))
