"""Loops that take no steps unless a test fails, such as the sums of ``multiply-in-pairs``."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.scopes import operations_in

_BOUNDS = (arith.IndexCastOp, arith.MinSIOp, arith.MinUIOp)


def has_rare_steps(op: Operation) -> bool:
    """Whether all loops in an operation are in loops whose steps are rare, and there are some."""
    loops = [each for each in operations_in(op)[1:] if isinstance(each, scf.ForOp)]
    outer = [each for each in loops if not isinstance(each.parent_op(), scf.ForOp)]
    return bool(outer) and all(is_often_zero(each.ub) for each in outer)


def is_often_zero(bound: SSAValue) -> bool:
    """Whether a bound is ``min(n, where(c, m, 0))``, with operands in any order."""
    op = bound.owner
    if isinstance(op, arith.SelectOp):
        return known_int(op.rhs) == 0
    return isinstance(op, _BOUNDS) and any(map(is_often_zero, op.operands))
