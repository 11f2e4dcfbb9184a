"""Rows in the steps of a fold, scans or stored values: short ones are better one by one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.dependence import Dependences
from ein_mlir.analysis.phi.loops.summary import Recurrence, Scatter, Summaries
from ein_mlir.analysis.scopes import captured, dependents
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.raise_writes.decisions import is_element_of_carried


def is_row(op: phi.FoldOp, forms: IndexForms, summaries: Summaries) -> bool:
    """Whether the steps of a fold compute a row of numbers from those before it, one by one."""
    outer = op.parent_op()
    if not isinstance(outer, phi.FoldOp):
        return False
    if any(each.regions for each in op.body.block.ops):
        return False
    found = summaries.of(op)
    return isinstance(found, Recurrence) and _depends_on_rows(op, outer, found, forms)


def is_stored_row(op: phi.FoldOp, summaries: Summaries) -> bool:
    """Whether the steps of a fold store numbers in a vector that a fold around it carries."""
    if not isinstance(op.parent_op(), phi.FoldOp) or any(x.regions for x in op.body.block.ops):
        return False
    found = summaries.of(op)
    return isinstance(found, Scatter) and is_element_of_carried(op, found.write)


def _depends_on_rows(
    op: phi.FoldOp, outer: phi.FoldOp, found: Recurrence, forms: IndexForms
) -> bool:
    """Whether elements of a row depend on the rows that earlier steps have computed."""
    varying = dependents(outer.body.block, outer.accumulator)
    if not varying.isdisjoint(captured(op)):
        return True
    if op.init not in varying:
        return False
    return len(found.write.positions) == 1 or _reads_other_rows(op, found, forms)


def _reads_other_rows(op: phi.FoldOp, found: Recurrence, forms: IndexForms) -> bool:
    """Whether a step reads an element of another row than the written one."""

    def row(positions: Sequence[SSAValue]) -> list[SSAValue]:
        return [each for axis, each in enumerate(positions) if axis != found.walk.number]

    own, same = row(found.write.positions), Dependences(op, forms).same
    reads = [use.operation for use in op.accumulator.uses]
    return any(isinstance(each, phi.GetOp) and not same(row(each.positions), own) for each in reads)
