"""``hoist-reads``: an array is read before an update of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operands_within, operations_in, reached
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass


def hoist_reads(update: phi.UpdateOp) -> bool:
    """``b = update a[p], x; y = a[q]  -->  y = a[q]; b = update a[p], x``

    Whether reads moved. The read is an element, or a comprehension or a loop over elements, whose
    result has memory of its own. Operations that it needs move with it; a read that depends on the
    update stays.
    """
    block = update.parent
    assert block is not None
    order = {op: number for number, op in enumerate(block.ops)}
    readers = (block.find_ancestor_op_in_block(user) for user in _users(update.array))
    late = [op for op in readers if op and order[op] > order[update] and not _is_view(op)]
    moved = set[Operation]()
    for op in late:
        moved.update(_needed(op, update, order) or ())
    for op in sorted(moved, key=order.__getitem__):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(update))
    return bool(moved)


def _users(array: SSAValue) -> Iterator[Operation]:
    """The operations that read an array or rows of it."""
    for use in array.uses:
        yield use.operation
        if isinstance(use.operation, phi.GetOp) and _is_view(use.operation):
            yield from _users(use.operation.result)


def _needed(
    reader: Operation, update: phi.UpdateOp, order: Mapping[Operation, int]
) -> set[Operation] | None:
    """A read and the operations after an update that it needs; None if it stays."""

    def later(op: Operation) -> Iterator[Operation]:
        owners = (value.owner for value in operands_within(op))
        return (x for x in owners if isinstance(x, Operation) and order.get(x, -1) >= order[update])

    found = set(reached([reader], later))
    return None if update in found or not all(map(_may_move, found)) else found


def _may_move(op: Operation) -> bool:
    """Whether an operation computes scalars, or an array or view without an update; no calls."""
    has_memory = isinstance(op, phi.ArrayOp) or _is_view(op)
    is_scalar = all(phi.is_scalar_type(result.type) for result in op.results)
    return (has_memory or is_scalar) and not any(
        isinstance(each, phi.ExternOp) for each in operations_in(op)
    )


def _is_view(op: Operation) -> bool:
    """Whether the result of an operation shares the memory of an array."""
    is_part = isinstance(op, phi.GetOp | phi.ProjOp)
    return is_part and not phi.is_scalar_type(op.result.type)


class HoistReadsPass(FunctionPass):
    """Moves reads of an array before an update of it, which then overwrites it.

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

    So exchanges of two elements, and steps that update elements or rows of several arrays from
    their old values, are in place: a comprehension that computes a row moves, too. A row that is
    read as a whole shares the memory of the array, so it stays.
    """

    name = "hoist-reads"
    looks_for = (phi.UpdateOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        updates = [op for op in operations_in(function) if isinstance(op, phi.UpdateOp)]
        moved = [hoist_reads(op) for op in updates if not op.array.has_one_use()]
        if any(moved):
            analyses.invalidate(function)
