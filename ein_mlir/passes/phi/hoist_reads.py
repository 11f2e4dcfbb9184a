"""``hoist-reads``: elements of an array are read before an update of it."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass


def hoist_reads(update: phi.UpdateOp) -> bool:
    """``b = update a[p], x; y = a[q]  -->  y = a[q]; b = update a[p], x``

    Whether reads moved. Operations that compute a position move with the read; a position that
    depends on the update stays.
    """
    block = update.parent
    assert block is not None
    order = {op: number for number, op in enumerate(block.ops)}
    late = [
        use.operation
        for use in update.array.uses
        if use.operation.parent is block
        and order[use.operation] > order[update]
        and isinstance(use.operation, phi.GetOp)
        and phi.is_scalar_type(use.operation.result.type)
    ]
    moved = set[Operation]()
    for get in late:
        moved.update(_needed(get, update, order) or ())
    for op in sorted(moved, key=order.__getitem__):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(update))
    return bool(moved)


def _needed(
    get: Operation, update: phi.UpdateOp, order: Mapping[Operation, int]
) -> set[Operation] | None:
    """A read and the operations after an update that compute its position; None if it stays."""
    found, pending = set[Operation](), [get]
    while pending:
        op = pending.pop()
        if op is update or not _is_scalar(op):
            return None
        found.add(op)
        pending.extend(
            value.owner
            for value in op.operands
            if isinstance(value.owner, Operation)
            and order.get(value.owner, -1) >= order[update]
            and value.owner not in found
        )
    return found


def _is_scalar(op: Operation) -> bool:
    """Whether an operation only computes scalars, and calls nothing."""
    return not (op.regions or isinstance(op, phi.ExternOp)) and all(
        phi.is_scalar_type(result.type) for result in op.results
    )


def _updated_blocks(function: func.FuncOp) -> dict[Block, list[phi.UpdateOp]]:
    """The blocks with updates, and these in order."""
    found = dict[Block, list[phi.UpdateOp]]()
    for op in operations_in(function):
        if isinstance(op, phi.UpdateOp) and op.parent is not None and not op.array.has_one_use():
            found.setdefault(op.parent, []).append(op)
    return found


class HoistReadsPass(FunctionPass):
    """Moves reads of elements of an array before an update of it, which then overwrites it.

    Before::

        %y = phi.update %x[%j], %a : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
        %p = arith.addi %j, %one : i64
        %b = phi.get %x[%p] : !phi.vec<f64>[i64]
        %z = phi.update %y[%p], %b : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

    After::

        %p = arith.addi %j, %one : i64
        %b = phi.get %x[%p] : !phi.vec<f64>[i64]
        %y = phi.update %x[%j], %a : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
        %z = phi.update %y[%p], %b : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

    So exchanges of two elements, and steps that update several elements from their old values, are
    in place. Rows stay, since they share the memory of the array.
    """

    name = "hoist-reads"
    looks_for = (phi.UpdateOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        changed = False
        for updates in _updated_blocks(function).values():
            for update in updates:
                changed |= hoist_reads(update)
        if changed:
            analyses.invalidate(function)
