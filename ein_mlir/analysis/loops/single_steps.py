"""Operations that are computed for one step at a time, as LLVM does not vectorise their loop."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from xdsl.dialects import memref, scf
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.unrolled import is_unrolled
from ein_mlir.analysis.scopes import around, is_within, operands_within, operations_in

_LOOPS = (scf.ForOp, scf.ParallelOp, scf.WhileOp)


def in_single_steps(ops: Iterable[Operation]) -> Iterator[Operation]:
    """Those of some operations in loops for which no steps of their loop can be one vector.

    Other loops are in its steps, or its steps wait for each other, and for the operation: the loop
    ends by a condition, or carries what the operation depends on.
    """
    waiting = dict[Operation, Collection[Operation] | None]()
    for op in ops:
        loop = next((each for each in around(op.parent_op()) if isinstance(each, _LOOPS)), None)
        if loop is not None:
            if loop not in waiting:
                waiting[loop] = _waiting(loop)
            found = waiting[loop]
            if found is None or op in found:
                yield op


def _waiting(loop: Operation) -> Collection[Operation] | None:
    """The operations of a loop that depend on the step before; None for all."""
    inside = operations_in(loop)[1:]
    has_loops = any(isinstance(each, _LOOPS) and not is_unrolled(each) for each in inside)
    if has_loops or isinstance(loop, scf.WhileOp):
        return None
    found = set[Operation]()
    if isinstance(loop, scf.ForOp):
        affected = set[SSAValue](loop.body.block.args[1:])
        written = {each.memref for each in inside if isinstance(each, memref.StoreOp)}
        for op in inside:
            if _reads_kept_place(op, written, loop) or not affected.isdisjoint(operands_within(op)):
                affected.update(op.results)
                found.add(op)
    return found


def _reads_kept_place(op: Operation, written: Collection[SSAValue], loop: Operation) -> bool:
    """Whether an operation loads the same element of a written array in each step."""
    return (
        isinstance(op, memref.LoadOp)
        and op.memref in written
        and all(known_int(at) is not None or not is_within(at, loop) for at in op.indices)
    )
