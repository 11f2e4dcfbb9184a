"""The indices, counters and accumulators that values vary with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.phi.records import whole_record
from ein_mlir.analysis.scopes import block_of, reached, sources_within
from ein_mlir.dialects import phi

Variables: TypeAlias = frozenset[BlockArgument]


def variables_of(function: func.FuncOp) -> dict[SSAValue, Variables]:
    """The indices, counters and accumulators that each value depends on."""
    found = dict[SSAValue, Variables]()
    _visit(function.body.block, found)
    return found


_NONE: Variables = frozenset()


def _visit(block: Block, found: dict[SSAValue, Variables]) -> Variables:
    """Record the variables of the values that a block defines; those of the values that it reads.

    Values from outside of the bodies of an operation cannot vary with the variables of these.
    """
    read = _NONE
    for op in block.ops:
        own = _NONE.union(*[found.get(value, _NONE) for value in op._operands])  # pyright: ignore[reportPrivateUsage]
        for region in op.regions:
            arguments = region.block.args
            found.update({argument: frozenset((argument,)) for argument in arguments})
            own |= _visit(region.block, found).difference(arguments)
        for result in op.results:
            found[result] = own
        read |= own
    return read


def variables_around(op: Operation, values: Iterable[SSAValue]) -> Variables:
    """The variables of the bodies around an operation that values depend on.

    Those of the function are none: what it defines outside of its loops depends on no variable.
    """

    def is_in_loop(value: SSAValue) -> bool:
        block = block_of(value)
        return block is None or not isinstance(block.parent_op(), func.FuncOp)

    found = reached(
        filter(is_in_loop, values), lambda value: filter(is_in_loop, sources_within(value))
    )
    variables = (value for value in found if isinstance(value, BlockArgument))
    return frozenset(value for value in variables if value.block.is_ancestor(op))


def element_read(op: Operation | Block, comprehension: phi.ArrayOp) -> SSAValue | None:
    """The array that an operation in a comprehension reads at the comprehension's indices."""
    if isinstance(op, phi.GetOp) and op.is_at(comprehension.indices):
        return op.array
    return None


def is_kept(array: SSAValue) -> bool:
    """Whether an array is an accumulator of a loop, but for elements, rows or columns of it."""
    while not is_carried(array):
        op = array.owner
        if isinstance(op, phi.ArrayOp):
            update = op.yielded().owner
            row = element_read(update.array.owner, op) if isinstance(update, phi.UpdateOp) else None
            if row is None:
                return False
            array = row
        elif isinstance(op, phi.UpdateOp | phi.UpdateSliceOp):
            array = op.array
        else:
            return False
    return True


def is_carried(value: SSAValue) -> bool:
    """Whether a value is an accumulator of a loop, or a field of one."""
    value = whole_record(value)
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return isinstance(loop, phi.LoopOp) and value in loop.variables()
