"""Sizes that are known before the loops of a function run."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.singularities import is_scalar_operator
from ein_mlir.analysis.scopes import around
from ein_mlir.dialects import phi


def is_invariant_size(value: SSAValue) -> bool:
    """Whether an Int is known wherever sizes are, and no step of a fold computes it."""
    if isinstance(value.owner, phi.SizeOp):
        return True
    is_in_a_fold = any(isinstance(op, phi.FoldOp) for op in around(value.owner.parent_op()))
    return not is_in_a_fold and _is_known(value)


def _is_known(value: SSAValue) -> bool:
    """Whether an Int is a function of sizes, and of Ints that decide one."""
    pending, seen = [value], {value}
    while pending:
        current = pending.pop()
        op = current.owner
        if isinstance(op, phi.SizeOp | arith.ConstantOp) or _decides_size(current):
            continue
        if not isinstance(op, Operation) or not (
            isinstance(op, phi.AssertEqOp) or is_scalar_operator(op)
        ):
            return False
        pending.extend(operand for operand in op.operands if operand not in seen)
        seen.update(op.operands)
    return True


def _decides_size(value: SSAValue) -> bool:
    """Whether a size or count is an Int or a function of it."""
    pending, seen = [value], set[SSAValue]()
    while pending:
        for use in pending.pop().uses:
            op = use.operation
            if isinstance(op, phi.PhiOp) and op.size_or_count(use.index) is not None:
                return True
            if is_scalar_operator(op) and not seen.issuperset(op.results):
                seen.update(op.results)
                pending.extend(op.results)
    return False
