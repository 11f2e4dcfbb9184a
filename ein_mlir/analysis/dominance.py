"""A check that definitions dominate their uses, which xDSL's ``verify()`` does not do.

A value is visible from its definition to the end of its block, and in the regions in between,
except in those of an operation that is isolated from above. Tests of passes that move operations
run this check after each pass.
"""

from __future__ import annotations

from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written


def check_dominance(root: Operation) -> None:
    """Raise VerifyException if an operation inside ``root`` uses a value out of its scope."""
    for region in root.regions:
        _check_region(region, set())


def _check_region(region: Region, visible: set[SSAValue]) -> None:
    """Check a region in which ``visible`` values may be used; restore ``visible`` at the end."""
    if len(region.blocks) > 1:
        _check_blocks(region, visible)
        return
    added: list[SSAValue] = []
    for block in region.blocks:
        added.extend(block.args)
        visible.update(block.args)
        for op in block.ops:
            _check_operation(op, visible)
            added.extend(op.results)
            visible.update(op.results)
    visible.difference_update(added)


def _check_blocks(region: Region, visible: set[SSAValue]) -> None:
    """Check a region with control flow: the values of a dominating block are visible."""
    dominance = DominanceInfo(region)
    for block in region.blocks:
        seen = set(visible)
        for other in region.blocks:
            if dominance.strictly_dominates(other, block):
                seen.update(other.args, *(op.results for op in other.ops))
        seen.update(block.args)
        for op in block.ops:
            _check_operation(op, seen)
            seen.update(op.results)


def _check_operation(op: Operation, visible: set[SSAValue]) -> None:
    for index, operand in enumerate(op.operands):
        if operand not in visible:
            raise VerifyException(
                f"{op.name}: operand {index}, {_describe(operand)}, is used where it is not defined"
                + where_written(op)
            )
    inner = set[SSAValue]() if op.has_trait(IsolatedFromAbove) else visible
    for region in op.regions:
        _check_region(region, inner)


def _describe(value: SSAValue) -> str:
    name = f"%{value.name_hint}, " if value.name_hint else ""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        return f"{name}an argument of {parent.name if parent else 'a block'}"
    assert isinstance(value.owner, Operation)
    return f"{name}a result of {value.owner.name}"
