"""The indices, counters and accumulators that values vary with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.scopes import block_of, captured, reached, sources_within

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

    def is_in_loop(value: SSAValue) -> bool:
        block = block_of(value)
        return block is None or not isinstance(block.parent_op(), func.FuncOp)

    found = reached(
        filter(is_in_loop, values), lambda value: filter(is_in_loop, sources_within(value))
    )
    variables = (value for value in found if isinstance(value, BlockArgument))
    return frozenset(value for value in variables if value.block.is_ancestor(op))
