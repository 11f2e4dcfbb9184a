"""Which values in a body depend on a variable of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue


def nested(block: Block) -> Iterator[Operation]:
    """The operations of a block, and those in their bodies."""
    for op in block.ops:
        yield from op.walk()


def dependents(block: Block, variable: BlockArgument) -> set[SSAValue]:
    """The values in a body that depend on its counter or accumulator; that itself, too.

    Variables of inner loops do, if those may; comprehension indices do not: they are the same
    whatever the variable is.
    """
    return dependents_among(nested(block), variable)


def dependents_among(ops: Iterable[Operation], variable: BlockArgument) -> set[SSAValue]:
    """Those of some operations, each of which stands behind what it reads; the variable, too."""
    dependent: set[SSAValue] = {variable}
    for op in ops:
        if any(operand in dependent for inner in op.walk() for operand in inner.operands):
            dependent.update(op.results)
            arguments = (arg for region in op.regions for arg in region.block.args)
            dependent.update(arg for arg in arguments if not isinstance(arg.type, IndexType))
    return dependent


def is_within(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined in the regions of an operation."""
    return value.owner is not op and op.is_ancestor(value.owner)


def is_defined_in(value: SSAValue, block: Block) -> bool:
    """Whether a block defines a value: itself, and not the bodies of its operations."""
    owner = value.owner
    return owner is block or (isinstance(owner, Operation) and owner.parent is block)
