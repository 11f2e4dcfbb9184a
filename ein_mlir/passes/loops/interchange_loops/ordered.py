"""The parallel loops of a body, such as those that copy the states of a derivative, in order."""

from __future__ import annotations

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.scopes import operations_in
from ein_mlir.passes.loops.interchange_loops.rows import INDEX


def in_order(op: scf.ParallelOp) -> scf.ParallelOp:
    """A copy of a loop whose inner parallel loops take their steps in order."""
    copy = op.clone()
    for inner in reversed(operations_in(copy)[1:]):
        if isinstance(inner, scf.ParallelOp) and not inner.results:
            _order(inner)
    return copy


def _order(op: scf.ParallelOp) -> None:
    """``scf.parallel (i, j) { .. }  -->  scf.for i { scf.for j { .. } }``"""
    old, place = op.body.block, InsertPoint.before(op)
    for index, start, end, step in zip(
        old.args, op.lowerBound, op.upperBound, op.step, strict=True
    ):
        inner = Block([last := scf.YieldOp()], arg_types=[INDEX])
        Builder(place).insert(scf.ForOp(start, end, step, [], Region(inner)))
        index.replace_all_uses_with(inner.args[0])
        place = InsertPoint.before(last)
    for each in list[Operation](old.ops):
        each.detach()
        if not isinstance(each, scf.ReduceOp):
            Rewriter.insert_op(each, place)
    Rewriter.erase_op(op)
