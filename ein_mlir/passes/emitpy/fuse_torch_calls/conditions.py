"""Operations that only the steps of a condition need."""

from __future__ import annotations

from xdsl.ir import Block, Operation

from ein_mlir.analysis.effects import is_pure
from ein_mlir.dialects import emitpy
from ein_mlir.rewriting.emitpy.calls import WRITES


def sink_into_conditions(block: Block) -> None:
    """``m = f(x); if c: g(m)  -->  if c: g(f(x))``, for a condition that is a loop of one step.

    A fused call may have left it as the only user. Nothing moves past a write.
    """
    if not any(isinstance(op, emitpy.ForOp) and op.is_condition for op in block.ops):
        return
    for op in reversed(list(block.ops)):
        if any(isinstance(inner, WRITES) for inner in op.walk()):
            return
        condition = _only_user(op)
        if condition is not None:
            op.detach()
            first = condition.body.block.first_op
            assert first is not None
            condition.body.block.insert_op_before(op, first)


def _only_user(op: Operation) -> emitpy.ForOp | None:
    """The condition in which are all users of the result of an operation."""
    if len(op.results) != 1 or not is_pure(op):
        return None
    block, found = op.parent, set[Operation | None]()
    for use in op.results[0].uses:
        user = None if block is None else block.find_ancestor_op_in_block(use.operation)
        found.add(None if user is use.operation else user)
    user = found.pop() if len(found) == 1 else None
    return user if isinstance(user, emitpy.ForOp) and user.is_condition else None
