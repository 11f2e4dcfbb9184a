"""Which loops work on each element of their accumulators by itself, and may be written out.

A library that compiles programs makes one pass over memory of operations on elements that follow
each other. A loop stands between its steps: each reads and writes all accumulators. Where a step
reads elements of accumulators only where it writes them, steps that are written out become one
pass over memory. Other steps, such as those of a stencil, would compute what they share again and
again.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.dialects import yarr

MOST_STEPS = 64
"""How many steps are written out at most: compiling takes time for each."""

MOST_OPERATIONS = 1000
"""How many scalar operations the steps may have together."""


def most_steps_written_out(op: yarr.FoldOp) -> int:
    """Up to how many steps a loop is written out; 0 where it stays a loop, however short."""
    if not is_pointwise(op):
        return 0
    return min(MOST_STEPS, MOST_OPERATIONS // max(1, _count(op)))


def is_pointwise(op: yarr.FoldOp) -> bool:
    """Whether each element that a step yields depends on accumulators only where it stands itself.

    A loop in a loop is not written out.
    """
    dependent: set[SSAValue] = set(op.accumulators)
    for inner in op.body.block.ops:
        if isinstance(inner, yarr.FoldOp | yarr.TreeReduceOp):
            return False
        if isinstance(inner, yarr.YieldOp | yarr.SizeOp) or dependent.isdisjoint(inner.operands):
            continue
        if not isinstance(inner, yarr.ElementwiseOp):
            return False
        dependent.add(inner.result)
    return True


def _count(op: yarr.FoldOp) -> int:
    """The operations of a body that compute something, those of its scalar functions one by one."""
    return sum(
        not isinstance(inner, yarr.YieldOp | yarr.ElementwiseOp | arith.ConstantOp)
        for inner in op.body.walk()
    )
