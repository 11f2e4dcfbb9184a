"""The order of reads and writes of an array in the steps of loops.

XLA overwrites an array that a loop carries if all reads of a step come before, by their order or by
dependences. Else it reads a copy.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.scopes import operations_in
from ein_mlir.analysis.yarr.added_values import Added, added_value
from ein_mlir.dialects import yarr

Loop: TypeAlias = yarr.FoldOp | yarr.WhileOp


def update_last(function: func.FuncOp) -> None:
    """Let the updates of the arrays that loops carry follow the reads of a step."""
    for loop in operations_in(function):
        if isinstance(loop, Loop):
            for region in loop.regions:
                _update_last(region.block)


def _update_last(block: Block) -> None:
    """Move each operation that overwrites an array to its first user."""
    original = {op: position for position, op in enumerate(block.ops)}
    position = dict(original)
    for op in reversed(original):
        if any(overwrites(op, operand) for operand in op.operands):
            uses = (use for result in op.results for use in result.uses)
            users = (block.find_ancestor_op_in_block(use.operation) for use in uses)
            position[op] = min((position[user] for user in users if user), default=position[op])
    order = sorted(original, key=lambda op: (position[op], original[op]))
    if order != list(original):
        for op in order:
            op.detach()
        block.add_ops(order)


def overwrites(op: Operation, array: SSAValue) -> bool:
    """Whether an operation is an update of an array, or a loop that updates it in its steps."""
    if isinstance(op, yarr.UpdateOp):
        return op.array is array
    return isinstance(op, Loop) and any(
        init is array and is_overwritten(accumulator)
        for init, accumulator in zip(op.inits, op.accumulators, strict=True)
    )


def is_overwritten(array: SSAValue) -> bool:
    """Whether some user of an array overwrites it."""
    return any(overwrites(use.operation, array) for use in array.uses)


def overwritten_by_step(array: SSAValue) -> SSAValue | None:
    """The array that this is, or is a row of, if a step of a loop overwrites it.

    A loop carries it, or it is one that the step has updated before.
    """
    while isinstance(array.owner, yarr.FillEmptyOp | yarr.TakeOp):
        array = array.owner.array
    if not isinstance(array, BlockArgument) and not isinstance(array.owner, yarr.UpdateOp):
        return None
    is_in_step = isinstance(array.owner.parent_op(), Loop)
    return array if is_in_step and is_overwritten(array) else None


def is_read_in_update(op: Operation, array: SSAValue) -> bool:
    """Whether an element has one user: the value, by way of others, of the update of its array.

    XLA then reads and writes it together, in an array that a loop carries. In another one it does
    so if that adds to the element.
    """
    is_carried, steps = isinstance(array, BlockArgument), 0
    while (use := op.results[0].get_user_of_unique_use()) is not None:
        if isinstance(use, yarr.UpdateOp):
            is_own = use.array is array and use.value is op.results[0]
            return is_own and (is_carried or (steps == 1 and added_by(use) is not None))
        if use.parent is not op.parent or len(use.results) != 1:
            return False
        op, steps = use, steps + 1
    return False


def added_by(op: yarr.UpdateOp) -> Added | None:
    """What an update adds to its elements, if it may be out of bounds: it becomes an addition."""
    is_inside = op.in_bounds is not None and op.condition is None
    return None if is_inside else added_value(op)
