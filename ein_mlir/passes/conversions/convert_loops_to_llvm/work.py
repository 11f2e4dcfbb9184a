"""An estimate of the work in a step of a loop, in operations."""

from __future__ import annotations

from xdsl.dialects import arith, llvm, math, memref, scf
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion

_FREE = (arith.ConstantOp, arith.IndexCastOp, memref.DimOp, scf.YieldOp, scf.ReduceOp)
_LONG = 8
"""The operations that a division, or a function of ``math``, takes as long as."""
_DIVISIONS = (arith.DivfOp, arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp)


def work_of_a_step(c: Conversion, op: scf.ParallelOp) -> SSAValue:
    """The number of operations in a step, from the sizes that are known before the loop."""
    return _work(c, op.body.block)


def _work(c: Conversion, block: Block) -> SSAValue:
    """The operations of a block, and those of its loops times their steps."""
    known = sum(map(_weight, block.ops))
    total = c.build.integer(max(known, 1))
    for op in block.ops:
        for inner_block in (each for region in op.regions for each in region.blocks):
            inner = _work(c, inner_block)
            steps = _steps(c, op)
            total = c.build.sum(total, inner if steps is None else c.build.product(steps, inner))
    return total


def _weight(op: Operation) -> int:
    if isinstance(op, _FREE):
        return 0
    is_long = isinstance(op, _DIVISIONS) or op.dialect_name() == math.Math.name
    return _LONG if is_long else 1


def _steps(c: Conversion, op: Operation) -> SSAValue | None:
    """The steps of a loop, guessed if its bounds are not known; None for other operations."""
    match op:
        case scf.ForOp():
            bounds = [(op.lb, op.ub, op.step)]
        case scf.ParallelOp():
            bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
        case scf.WhileOp():
            return c.build.integer(abi.GUESSED_STEPS)
        case _:
            return None
    steps = c.build.integer(1)
    for lower, upper, step in bounds:
        steps = c.build.product(steps, _steps_between(c, lower, upper, known_int(step) or 1))
    return steps


def _steps_between(c: Conversion, lower: SSAValue, upper: SSAValue, step: int) -> SSAValue:
    """The steps from one bound to another: at least one, if they are known before the loop."""
    build, first, last = c.build, _known(c, lower), _known(c, upper)
    if last is None:
        return build.integer(abi.GUESSED_STEPS)
    if first is None:
        return build.integer(1)  # the rest of a loop that takes several steps at a time
    distance = build.difference(last, first)
    count = build.intrinsic("llvm.smax.i64", (distance, build.integer(0)), i64)
    if step == 1:
        return count
    rounded = build.sum(count, build.integer(step - 1))
    return build.add(llvm.UDivOp, (rounded, build.integer(step)), i64)


def _known(c: Conversion, bound: SSAValue) -> SSAValue | None:
    """A bound that is known before the loop, or one like it: without a rest, the larger one."""
    if c.is_bound(bound):
        return c.scalar(bound)
    match bound.owner:
        case arith.SubiOp() as op if isinstance(op.rhs.owner, arith.RemSIOp):
            return _known(c, op.lhs)
        case arith.MinSIOp() as op:
            return next((v for v in (_known(c, op.rhs), _known(c, op.lhs)) if v is not None), None)
        case _:
            return None
