"""The elements that are read of sorted arrays."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ein_mlir.dialects import yarr


def read_positions(op: yarr.SortOp) -> Sequence[SSAValue] | None:
    """The positions along the axis of a sort that are read, if they are single ones.

    A median reads one or two.
    """
    positions = list[SSAValue]()
    pending = [op.result]
    while pending:
        for use in pending.pop().uses:
            user = use.operation
            if isinstance(user, yarr.FillEmptyOp) and user.axis == op.axis:
                pending.append(user.result)
            elif (
                isinstance(user, yarr.TakeOp)
                and use.index == 0
                and user.axis == op.axis
                and yarr.rank_of(user.position) == 0
            ):
                positions.append(user.position)
            else:
                return None
    return positions or None
