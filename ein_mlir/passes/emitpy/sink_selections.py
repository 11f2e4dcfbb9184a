"""``sink-selections``: selections from an array and new elements follow its other reads."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.emitpy.shared_memory import Memory, memory_of
from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.dialects import emitpy
from ein_mlir.rewriting.emitpy.calls import WRITES, is_choice, is_elementwise, shapes_of
from ein_mlir.rewriting.passes import FunctionPass


def sink_selections(block: Block, memory: Memory) -> None:
    """Sink the selections of a block, and of the blocks in it."""
    ops = list(block.ops)
    for op in ops:
        for region in op.regions:
            sink_selections(region.block, memory)
    if not any(map(is_choice, ops)):
        return
    written = {op: position for position, op in enumerate(ops)}
    position, last_writes = dict(written), _last_writes(ops, memory)

    def stays(op: Operation) -> bool:
        """Whether an operand of an operation is overwritten after it."""
        roots = (root for operand in op.operands for root in memory.roots(operand))
        return any(last_writes.get(root, -1) > written[op] for root in roots)

    for op in reversed(ops):
        if is_choice(op) and not stays(op) and _is_read_later(op, written):
            position[op] = min(
                (position[user] for user in _users(op.results[0])), default=written[op]
            )
            for maker in _makers(op):
                if not stays(maker):
                    position[maker] = position[op]
    for op in ops:
        op.detach()
    block.add_ops(sorted(ops, key=lambda op: (position[op], written[op])))


def _last_writes(ops: list[Operation], memory: Memory) -> dict[SSAValue, int]:
    """The position of the last write to each array."""
    last = dict[SSAValue, int]()
    for position, op in enumerate(ops):
        for inner in op.walk():
            if isinstance(inner, WRITES):
                last.update(dict.fromkeys(memory.roots(inner.operands[0]), position))
    return last


def _is_read_later(op: Operation, written: dict[Operation, int]) -> bool:
    """Whether a value that the result of a selection could overwrite is read after it."""
    return any(
        written[user] > written[op]
        for value in op.operands[1:]
        if value.type == op.results[0].type
        for user in _users(value, op.parent)
    )


def _makers(op: Operation) -> Iterator[Operation]:
    """The elementwise operations whose only user is a selection, as one of its operands."""
    for value in op.operands[1:]:
        maker = value.owner
        if not isinstance(maker, Operation) or maker.parent is not op.parent:
            continue
        if is_elementwise(maker) and value.has_one_use():
            yield maker


def _users(value: SSAValue, block: Block | None = None) -> Iterator[Operation]:
    """The operations of the block of a value that use it, directly or in a region."""
    if block is None and isinstance(value.owner, Operation):
        block = value.owner.parent
    for use in value.uses:
        user = block.find_ancestor_op_in_block(use.operation) if block else None
        if user is not None:
            yield user


class SinkSelectionsPass(FunctionPass):
    """Moves a selection from an array to its first user if the array is read before that.

    Before::

        for k in range(n):
            y = np.where(c, x + 1.0, acc)
            z = acc * 2.0
            acc, other = y, z

    After::

        for k in range(n):
            z = acc * 2.0
            y = np.where(c, x + 1.0, acc)
            acc, other = y, z

    in IR, where ``np.where`` is ``emitpy.call``. Then ``reuse-buffers`` can select in place, and
    ``y`` is ``acc``. The operation that computes the new elements moves along. Nothing moves past
    an operation that overwrites its operand.
    """

    name = "sink-selections"
    looks_for = (emitpy.CallOp,)
    preserves = (memory_of, shapes_of, classes_of)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        sink_selections(function.body.block, analyses.get(memory_of, function))
