"""The order of operations in emitted code, where the program leaves a choice."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation

from ein_mlir.dialects import yarr


def write_last(root: Operation) -> None:
    """Move each update to its first user, behind whatever else reads the array that it changes.

    An array that nobody reads any more is updated in place, one that is read later is copied.
    """
    for block in {op.parent for op in root.walk() if isinstance(op, yarr.UpdateOp)}:
        if block is not None:
            _write_last(block)


def _write_last(block: Block) -> None:
    ops = list(block.ops)
    written = {op: position for position, op in enumerate(ops)}
    position = dict(written)
    for op in reversed(ops):
        if isinstance(op, yarr.UpdateOp):
            position[op] = min((position[user] for user in _users(op)), default=written[op])
    for op in ops:
        op.detach()
    block.add_ops(sorted(ops, key=lambda op: (position[op], written[op])))


def _users(op: Operation) -> Iterator[Operation]:
    """The operations of the same block that use the results of one, themselves or inside."""
    for result in op.results:
        for use in result.uses:
            user = op.parent.find_ancestor_op_in_block(use.operation) if op.parent else None
            if user is not None:
                yield user
