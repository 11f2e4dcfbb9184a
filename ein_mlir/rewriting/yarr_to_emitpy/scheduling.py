"""The order of operations in emitted code, if the program leaves a choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import Integers
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.analysis.yarr.sorted_reads import read_positions
from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.integers import YarrLevel
from ein_mlir.rewriting.yarr_to_emitpy.parts import replaced_accumulator, replacing_operations


def write_last(root: Operation) -> None:
    """Move each update to its first user, after all other reads of the array that it updates.

    An array without later reads is updated in place, one that is read later is copied. The same
    applies to a concatenation that replaces parts of an accumulator, with the operations of these
    parts.
    """
    writes, ints = dict[Block, dict[Operation, float]](), Integers(YarrLevel())
    for op in operations_in(root):
        if op.parent is None:
            continue
        if isinstance(op, yarr.UpdateOp | yarr.UpdateSliceOp | yarr.ScatterOp):
            writes.setdefault(op.parent, {})[op] = 0
        elif isinstance(op, yarr.ConcatOp) and replaced_accumulator(op, ints) is not None:
            late = writes.setdefault(op.parent, {})
            late.update(dict.fromkeys(replacing_operations(op, ints), 0))
            late[op] = _BEFORE_UPDATES
    for block, late in writes.items():
        _write_last(block, late)


def position_first(root: Operation) -> None:
    """Compute the positions that are read of a sorted array before it is sorted, if they can be.

    Then the other elements need no order.
    """
    for op in operations_in(root):
        if isinstance(op, yarr.SortOp):
            for position in read_positions(op) or ():
                _move_before(op, position)


def _move_before(op: Operation, value: SSAValue) -> None:
    """Move the operations that compute a value before another operation that they do not need."""
    assert op.parent is not None
    order = {each: number for number, each in enumerate(op.parent.ops)}
    pending, needed = [value], set[Operation]()
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Block) or owner in needed or order.get(owner, -1) < order[op]:
            continue
        if not isinstance(owner, yarr.ElementwiseOp | yarr.SizeOp | arith.ConstantOp):
            return
        needed.add(owner)
        pending += owner.operands
    for each in sorted(needed, key=order.__getitem__):
        each.detach()
        op.parent.insert_op_before(each, op)


_BEFORE_UPDATES = 0.5
"""The distance of a replacement of parts before an update that moves to the same user.

Its reads of the updated array then precede the update.
"""


def _write_last(block: Block, late: Mapping[Operation, float]) -> None:
    """Move operations to their first users, or by the given distance before these."""
    ops = list(block.ops)
    written = {op: position for position, op in enumerate(ops)}
    position = dict[Operation, float](written)
    for op in reversed(ops):
        if op in late:
            first = min((position[user] for user in _users(op)), default=written[op])
            position[op] = first - late[op]
    for op in ops:
        op.detach()
    block.add_ops(sorted(ops, key=lambda op: (position[op], written[op])))


def _users(op: Operation) -> Iterator[Operation]:
    """The operations of the same block that use the results of one, directly or in a region."""
    for result in op.results:
        for use in result.uses:
            user = op.parent.find_ancestor_op_in_block(use.operation) if op.parent else None
            if user is not None:
                yield user
