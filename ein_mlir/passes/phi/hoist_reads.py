"""``hoist-reads``: an array is read before an update of it, or a loop that starts from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.last_uses import aliases, forwarded
from ein_mlir.analysis.scopes import operands_within, operations_in, reached
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass

_Writer: TypeAlias = phi.UpdateOp | phi.FoldOp | phi.WhileOp


def hoist_reads(writer: _Writer) -> bool:
    """``b = update a[p], x; y = a[q]  -->  y = a[q]; b = update a[p], x``

    Whether reads moved. The read is an element, or a comprehension or a loop over elements, whose
    result has memory of its own. Operations that it needs move with it; a read that depends on the
    writer stays.
    """
    block = writer.parent
    assert block is not None
    found = map(block.find_ancestor_op_in_block, _readers(writer))
    readers = [op for op in found if op is not None and op is not writer]
    order = {op: number for number, op in enumerate(block.ops)} if readers else {}
    late = [op for op in readers if order[op] > order[writer]]
    moved = set[Operation]()
    for op in late:
        moved.update(_needed(op, writer, order) or ())
    for op in sorted(moved, key=order.__getitem__):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(writer))
    return bool(moved)


def _readers(writer: _Writer) -> Iterator[Operation]:
    """The operations that read elements of the arrays that an operation may overwrite."""
    start = writer.array if isinstance(writer, phi.UpdateOp) else writer.start
    for leaf, type_ in enumerate(leaf_types(start.type)):
        if phi.rank_of(type_) > 0:
            for value, number in aliases(start, leaf):
                for use in value.uses:
                    if forwarded(use.operation, use.index, number) is None:
                        yield use.operation


def _needed(
    reader: Operation, writer: _Writer, order: Mapping[Operation, int]
) -> set[Operation] | None:
    """A read and the operations after a writer that it needs; None if it stays."""

    def later(op: Operation) -> Iterator[Operation]:
        owners = (value.owner for value in operands_within(op))
        return (x for x in owners if isinstance(x, Operation) and order.get(x, -1) >= order[writer])

    found = set(reached([reader], later))
    return None if writer in found or not all(map(_may_move, found)) else found


def _may_move(op: Operation) -> bool:
    """Whether an operation computes scalars, or an array or view without an update; no calls."""
    has_memory = isinstance(op, phi.ArrayOp) or _is_view(op)
    leaves = (leaf for result in op.results for leaf in leaf_types(result.type))
    is_scalar = bool(op.results) and all(map(phi.is_scalar_type, leaves))
    return (has_memory or is_scalar) and not any(
        isinstance(each, phi.ExternOp) for each in operations_in(op)
    )


def _is_view(op: Operation) -> bool:
    """Whether the result of an operation shares the memory of an array."""
    is_part = isinstance(op, phi.GetOp | phi.ProjOp)
    return is_part and not phi.is_scalar_type(op.result.type)


def _is_in_step(op: Operation) -> bool:
    """Whether an operation is one of the steps of a loop."""
    return isinstance(op.parent_op(), phi.FoldOp | phi.WhileOp)


@dataclass(frozen=True)
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
    their old values, are in place: a comprehension that computes a row moves, too. The update may
    be a loop that starts from the array. A row that is read as a whole shares the memory of the
    array, so it stays.

    With the option ``steps``, only in the steps of loops: what stands before them may be copied.
    """

    steps: bool = False

    name = "hoist-reads"
    looks_for = (phi.UpdateOp, phi.FoldOp, phi.WhileOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        writers = [op for op in operations_in(function) if isinstance(op, _Writer)]
        moved = [hoist_reads(op) for op in writers if not self.steps or _is_in_step(op)]
        if any(moved):
            analyses.invalidate(function)
