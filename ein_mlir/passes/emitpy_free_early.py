"""``emitpy-free-early``: arrays go as soon as they are not needed, not when the function ends."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from ein_mlir.analysis.python_nesting import nests_in_use
from ein_mlir.analysis.shared_memory import Memory
from ein_mlir.dialects import emitpy


def free_early(block: Block, memory: Memory, *, allocates_later: bool = False) -> None:
    """Insert ``emitpy.del`` in a block, and in the loops in it.

    ``allocates_later`` says that arrays are made behind the block.
    """
    operations = list(block.ops)
    positions = {op: position for position, op in enumerate(operations)}
    last_allocation = max(
        (positions[op] for op in operations if _allocates(op, memory)), default=-1
    )
    is_step = isinstance(block.parent_op(), emitpy.ForOp)
    if is_step and (allocates_later or last_allocation >= 0):
        last_allocation = len(operations) - 1  # the next step allocates, too, or what follows it
    for op in operations:
        if isinstance(op, emitpy.ForOp):
            later = positions[op] < last_allocation
            free_early(op.body.block, memory, allocates_later=later)
    last_use = _last_uses(block, positions, memory)
    dead = dict[int, list[SSAValue]]()
    for op in operations:
        for result in op.results:
            place = _place(result, positions, last_use, memory)
            if place is not None and place < last_allocation:
                dead.setdefault(place, []).append(result)
    for place, values in dead.items():
        Rewriter.insert_op(emitpy.DelOp(*values), InsertPoint.after(operations[place]))


def _place(
    result: OpResult,
    positions: dict[Operation, int],
    last_use: dict[SSAValue, int],
    memory: Memory,
) -> int | None:
    """Where a value can be deleted: when nothing uses its memory, or what shares it.

    An accumulator lives on, but a view of it keeps the memory that it has in this step.
    """
    if _is_left_over(result):
        return positions[result.op]
    roots = memory.roots(result)
    if not roots or not _is_variable(result):
        return None
    block = result.op.parent
    assert block is not None
    if all(root in last_use for root in roots):
        return max(last_use[root] for root in roots)
    if all(root.owner is block for root in roots) and not isinstance(result.op, _VARIABLES):
        return max(positions[_ancestor(user, block)] for user in _users(result))
    return None


def _users(value: SSAValue) -> Iterator[Operation]:
    """The operations that read a value, also as what operations in place have made of it."""
    pending = [value]
    while pending:
        current = pending.pop()
        for use in current.uses:
            yield use.operation
            if isinstance(use.operation, _IN_PLACE) and use.operation.target is current:
                pending.append(use.operation.result)


def _last_uses(
    block: Block, positions: dict[Operation, int], memory: Memory
) -> dict[SSAValue, int]:
    """For each array made in a block, where its memory is used last, also through a view."""
    last = dict[SSAValue, int]()
    for op in block.ops:
        for result in op.results:
            uses = [positions[_ancestor(use.operation, block)] for use in result.uses]
            used = max(uses, default=positions[op])
            for root in memory.roots(result):
                if isinstance(root, OpResult) and _is_within(root.op, block):
                    last[root] = max(used, last.get(root, -1))
    return last


def _ancestor(op: Operation, block: Block) -> Operation:
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def _is_within(op: Operation, block: Block) -> bool:
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current is not None


def _allocates(op: Operation, memory: Memory) -> bool:
    """Whether an operation makes an array of its own."""
    return isinstance(op, emitpy.ForOp) or any(
        _is_array(result) and result in memory.roots(result) for result in op.results
    )


def _is_array(value: SSAValue) -> bool:
    return isa(value.type, TensorType) and value.type.get_num_dims() > 0


def _is_left_over(result: OpResult) -> bool:
    """Whether an array is in a variable behind a loop, and nothing uses it."""
    is_unused = result.first_use is None
    return is_unused and isinstance(result.op, emitpy.ForOp) and _is_array(result)


def _is_variable(result: OpResult) -> bool:
    """Whether an array will be held by a variable, as it would not be inside an expression."""
    if not _is_array(result) or result.first_use is None:
        return False
    return isinstance(result.op, _VARIABLES) or not nests_in_use(result)


_IN_PLACE = (emitpy.AugmentOp, emitpy.CallIntoOp, emitpy.StoreOp)
"""Operations whose results are what they overwrite."""

_VARIABLES = (*_IN_PLACE, emitpy.ForOp)
"""Operations whose results are in variables, however they are used."""


class EmitpyFreeEarlyPass(ModulePass):
    """Deletes arrays after their last use, where the function goes on to make other arrays.

    Before::

        def f(a):
            big = np.exp(a)
            s = (big * big).sum(axis=0)
            return np.outer(s, s)

    After::

        def f(a):
            big = np.exp(a)
            s = (big * big).sum(axis=0)
            del big
            return np.outer(s, s)

    in IR, with ``emitpy.del %big`` behind the operation that reads ``%big``, or a view of it, last.
    So do arrays that a loop leaves behind. In a loop, where the next step makes its arrays anew,
    all that are not handed on go.
    Values that are read once, and have no name, have no variable: there is nothing to delete.
    """

    name = "emitpy-free-early"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                free_early(function.body.block, Memory())
