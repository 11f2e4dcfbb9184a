"""The indices, counters and accumulators that values vary with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.scopes import block_of, captured, operands_within

Variables: TypeAlias = frozenset[BlockArgument]


def variables_of(function: func.FuncOp) -> dict[SSAValue, Variables]:
    """The indices, counters and accumulators that each value depends on."""
    found = dict[SSAValue, Variables]()
    none: Variables = frozenset()

    def visit(block: Block) -> None:
        for op in block.ops:
            for region in op.regions:
                for argument in region.block.args:
                    found[argument] = frozenset((argument,))
                visit(region.block)
            sources = [*op.operands, *(captured(op) if op.regions else ())]
            union = none.union(*(found.get(value, none) for value in sources))
            for result in op.results:
                found[result] = union

    visit(function.body.block)
    return found


def variables_around(op: Operation, values: Iterable[SSAValue]) -> Variables:
    """The variables of the bodies around an operation that values depend on.

    Those of the function are none: what it defines outside of its loops depends on no variable.
    """
    found, seen, pending = set[BlockArgument](), set[SSAValue](), list(values)
    while pending:
        value = pending.pop()
        block = block_of(value)
        if value in seen or (block is not None and isinstance(block.parent_op(), func.FuncOp)):
            continue
        seen.add(value)
        if isinstance(value, BlockArgument):
            if value.block.is_ancestor(op):
                found.add(value)
        elif isinstance(value.owner, Operation):
            pending.extend(operands_within(value.owner))
    return frozenset(found)
