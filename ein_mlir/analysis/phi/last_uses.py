"""Last uses of arrays: an operation may overwrite memory that nothing reads after it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import Leaf, fields_at, leaf_types
from ein_mlir.analysis.phi.records import sources_of
from ein_mlir.analysis.scopes import block_of, reached
from ein_mlir.dialects import phi


def is_last_use(value: SSAValue, leaf: int, op: Operation) -> bool:
    """Whether nothing reads a leaf of an operand after an operation, or in its body.

    Parts of an array, and the fields and records that it is in, share its memory. A value of
    another block may be used again in the next step of a loop.
    """
    block = op.parent
    if block is None:
        return False
    for alias, number in aliases(value, leaf):
        is_source = (alias, number) in sources_of(value, leaf)
        if is_source and block_of(alias) is not block:
            return False
        for use in alias.uses:
            user = block.find_ancestor_op_in_block(use.operation)
            if use.operation is op or forwarded(use.operation, use.index, number) is not None:
                continue
            if user is None or user is op or not user.is_before_in_block(op):
                return False
    return sum(operand is value for operand in op.operands) == 1


def aliases(value: SSAValue, leaf: int) -> Iterator[Leaf]:
    """The leaves of values that share the memory of a leaf."""

    def forwards(alias: Leaf) -> Iterator[Leaf]:
        for use in alias[0].uses:
            forward = forwarded(use.operation, use.index, alias[1])
            if forward is not None and forward[1] >= 0:
                yield forward

    return reached(sources_of(value, leaf), forwards)


def forwarded(op: Operation, operand: int, leaf: int) -> Leaf | None:
    """The leaf of a result that shares the memory of a leaf of an operand; None for a read.

    A projection of another field neither reads the leaf nor forwards it: its number is -1.
    """
    match op:
        case phi.ProjOp():
            fields = fields_at(op.record.type, (op.field.value.data,))
            return (op.result, fields.index(leaf)) if leaf in fields else (op.result, -1)
        case phi.TupleOp():
            return op.result, fields_at(op.result.type, (operand,))[leaf]
        case phi.GetOp() if operand == 0:
            is_array = isinstance(leaf_types(op.result.type)[leaf], phi.VecType)
            return (op.result, leaf) if is_array else None
        case _:
            return None
