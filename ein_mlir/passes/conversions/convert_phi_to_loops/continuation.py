"""Accumulations that continue from an array: ``array (i < n) { a[i] + accumulated[i] }``.

The values are combined into that array, or a copy of it, and not into an array of zeros that is
added to it: a step of a loop that adds a few values to a long array takes as many steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.analysis.phi.variables import element_read
from ein_mlir.analysis.scopes import captured
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Array


def continued(
    conversion: Conversion, op: phi.AccumulateOp, combine: type[Operation]
) -> tuple[phi.ArrayOp, Array] | None:
    """The comprehension that combines an accumulation and an array, if it needs no loop.

    With it, the array that it computes, which has the elements to continue from.
    """
    found = _combination(op, combine)
    if found is None or conversion.is_speculative:
        return None
    loop, start = found
    if not _has_sizes(conversion, loop, op.result) or not _has_sizes(conversion, loop, start):
        return None
    (old,) = conversion.leaves(start)
    assert isinstance(old, Array)
    target = conversion.target(loop.result, 0, old.element, old.sizes)
    if any(_reads(conversion, each, target) for each in _between(op, loop)):
        return None
    conversion.put(old, target)
    conversion.omit(loop)
    return loop, target


def _combination(
    op: phi.AccumulateOp, combine: type[Operation]
) -> tuple[phi.ArrayOp, SSAValue] | None:
    """The comprehension ``array (i < n) { a[i] + accumulated[i] }`` after it, and ``a``."""
    if len(op.accumulators) != 1 or not op.result.has_one_use():
        return None
    (use,) = op.result.uses
    loop = use.operation.parent_op()
    if not isinstance(loop, phi.ArrayOp) or loop.parent is not op.parent:
        return None
    element = loop.yielded().owner
    if not isinstance(element, combine) or len(element.operands) != 2:
        return None
    rows = [element_read(operand.owner, loop) for operand in element.operands]
    others = [row for row in rows if row is not None and row is not op.result]
    is_pair = None not in rows and len(others) == 1
    return (loop, others[0]) if is_pair and _is_before(others[0], op) else None


def _is_before(value: SSAValue, op: Operation) -> bool:
    """Whether a value is known before an operation of its block, or of one in it."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.parent is not op.parent:
        return not isinstance(owner, Operation) or not owner.is_ancestor(op)
    return owner.is_before_in_block(op)


def _has_sizes(conversion: Conversion, loop: phi.ArrayOp, value: SSAValue) -> bool:
    """Whether an array has the rank and the sizes of a comprehension."""
    rank = phi.rank_of(value.type)
    return rank == phi.rank_of(loop.result.type) and all(
        conversion.sizes.same(Term(value, (), axis), Term(loop.result, (), axis), loop)
        for axis in range(rank)
    )


def _between(op: Operation, last: Operation) -> Iterator[Operation]:
    """An operation, and those of its block before another one."""
    current: Operation | None = op
    while current is not None and current is not last:
        yield current
        current = current.next_op


def _reads(conversion: Conversion, op: Operation, array: Array) -> bool:
    """Whether an operation, or one in its body, reads the memory of an array."""
    return any(
        isinstance(leaf, Array) and leaf.buffer is array.buffer
        for value in (*op.operands, *captured(op))
        if conversion.is_known(value)
        for leaf in conversion.leaves(value)
    )
