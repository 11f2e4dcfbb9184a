"""Conditions of loops for each element, of the states that the loop carries on.

XLA computes each result of a step in a pass of its own, with all that it takes. A step selects the
next state, since elements that are done keep theirs. The condition would compute it again.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.scopes import makers, nested, reached, slice_within, sources
from ein_mlir.analysis.yarr.pointwise_steps import TRANSCENDENTAL, WITH_OWN_PASSES
from ein_mlir.dialects import yarr

_SLOW = (arith.DivfOp, math.RsqrtOp, math.SqrtOp, *TRANSCENDENTAL, *WITH_OWN_PASSES)


def read_next_states(op: yarr.WhileOp) -> list[SSAValue]:
    """Let the condition of a loop read the next states that a step selects, which are returned.

    Before::

        %more = andi %mask, (%new < %limit)
        %next = select %mask, %new, %x

    After::

        %next = select %mask, %new, %x
        %more = andi %mask, (%next < %limit)

    If ``%new`` takes long to compute.
    """
    block = op.body.block
    terminator, found = block.last_op, list[SSAValue]()
    assert isinstance(terminator, yarr.YieldOp)
    for old, condition in zip(op.accumulators, terminator.values, strict=True):
        if not _is_binary(condition, arith.AndIOp) or old not in sources(condition):
            continue
        needed = set(makers(reached(sources(condition), sources), block))
        for select, new in _selections(terminator, old):
            uses = [use for use in new.uses if use.operation in needed]
            if uses and any(_is_slow(each) for each in slice_within(op, [new])):
                select.detach()
                assert isinstance(new.owner, Operation)
                block.insert_op_after(select, new.owner)
                for use in uses:
                    use.operation.operands[use.index] = select.result
                found.append(select.result)
    return found


def _selections(
    terminator: yarr.YieldOp, mask: SSAValue
) -> Iterator[tuple[yarr.ElementwiseOp, SSAValue]]:
    """The operations that select a new value of a step where a mask holds, and that value."""
    for value in terminator.values:
        op = value.owner
        if (
            isinstance(op, yarr.ElementwiseOp)
            and isinstance(op.scalar_operation(), arith.SelectOp)
            and op.arguments[0] is mask
            and isinstance(op.arguments[1].owner, Operation)
            and op.arguments[1].owner.parent is op.parent
        ):
            yield op, op.arguments[1]


def _is_binary(value: SSAValue, operator: type[Operation]) -> bool:
    return isinstance(value.owner, yarr.ElementwiseOp) and value.owner.is_binary(operator)


def _is_slow(op: Operation) -> bool:
    return isinstance(op, _SLOW) or any(
        isinstance(x, _SLOW) for r in op.regions for x in nested(r.block)
    )
