"""The direction in which the loops of a comprehension read arrays: along rows, or along columns.

On the way to machine code, loops along columns run for many results at once, which are neighbours
in memory, and loops along rows for one result after the other. One loop nest cannot do both.
"""

from __future__ import annotations

from enum import Enum, auto

from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi


class Walk(Enum):
    """The direction of reads."""

    ROWS = auto()
    """``a[i, k]`` in a loop over k of the element at i."""
    COLUMNS = auto()
    """``a[k, i]``, and nothing along rows."""


def walk_of(op: phi.ArrayOp) -> Walk | None:
    """How the loops of a comprehension read arrays at its last index; None if they do not."""
    index, walk = op.indices[-1], None
    for inner in operations_in(op)[1:]:
        if isinstance(inner, phi.GetOp) and inner.parent is not op.body.block:
            *outer, last = map(phi.uncast, inner.positions)
            if index in outer:
                return Walk.ROWS
            if last is index and not {*outer} <= {*op.indices}:
                walk = Walk.COLUMNS
    return walk


def differ(*walks: Walk | None) -> bool:
    """Whether some go along rows, and some along columns."""
    return {*Walk} <= {*walks}
