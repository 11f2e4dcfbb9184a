"""What loops over memory do besides computing numbers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, cf, memref, scf
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.loops.unrolled import has_few_steps
from ein_mlir.analysis.scopes import operations_in, operations_of

READS = (memref.LoadOp, memref.DimOp)
BRANCHING = (scf.ForOp, scf.IfOp, scf.WhileOp)
PARTS = (scf.YieldOp, scf.ConditionOp, scf.ReduceOp)

_WRITES_NOTHING = (
    *READS,
    *BRANCHING,
    *PARTS,
    scf.ParallelOp,
    cf.AssertOp,
    memref.AllocOp,
    memref.AllocaOp,
    memref.SubviewOp,
)


def is_scalar(op: Operation) -> bool:
    """Whether an operation computes numbers from numbers."""
    return op.name.startswith(("arith.", "math."))


def only_reads(op: Operation) -> bool:
    """Whether an operation, with those in its body, only computes scalars and reads arrays."""
    return not isinstance(op, arith.ConstantOp) and all(
        isinstance(each, (*READS, *BRANCHING, *PARTS)) or is_scalar(each)
        for each in operations_in(op)
    )


def is_long_loop(op: Operation) -> bool:
    """Whether an operation is a loop of more than a few steps."""
    return type(op) is scf.WhileOp or (type(op) is scf.ForOp and not has_few_steps(op))


def read_by(op: Operation) -> set[SSAValue]:
    """The arrays whose elements an operation reads."""
    return {load.memref for load in operations_of(op, memref.LoadOp)}


def written_by(op: Operation) -> Sequence[SSAValue] | None:
    """The arrays that an operation writes to; None if they are not known."""
    found = list[SSAValue]()
    for each in operations_in(op):
        if isinstance(each, memref.StoreOp):
            found.append(each.memref)
        elif not isinstance(each, _WRITES_NOTHING) and not is_scalar(each):
            return None
    return found
