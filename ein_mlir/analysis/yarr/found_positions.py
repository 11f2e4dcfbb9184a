"""Extremes of positions where a condition holds: the first or the last one along an axis."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.yarr.counted_conditions import reduced_elements
from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.constants import constant_value, unrepeated
from ein_mlir.host.dataclass import dataclass

_ARE_LAST = {arith.MinSIOp.name: False, arith.MaxSIOp.name: True}


@dataclass(frozen=True)
class FoundPosition:
    """``min (where(condition, k, otherwise))`` along an axis, or the maximum."""

    condition: SSAValue
    otherwise: SSAValue
    """An Int: no negative one in a minimum, and no positive one in a maximum."""
    is_last: bool


def found_position(op: Operation) -> FoundPosition | None:
    """The position that a reduction of an array of them finds, which nothing else reads."""
    if not isinstance(op, yarr.ReduceOp) or len(op.axes) != 1 or op.combine not in _ARE_LAST:
        return None
    found = reduced_elements(op)
    if found is None or not isinstance(found[0], arith.SelectOp):
        return None
    condition, position, otherwise = found[1]
    otherwise, is_last = unrepeated(otherwise), _ARE_LAST[op.combine]
    is_whole = yarr.shape_of(condition) == yarr.shape_of(op.array)
    if (
        yarr.element_of(condition) == i1
        and is_whole
        and (size := size_of_positions(position, op.axes[0], op.array)) is not None
        and _is_outside(otherwise, is_last, size)
    ):
        return FoundPosition(condition, otherwise, is_last)
    return None


def size_of_positions(value: SSAValue, axis: int, array: SSAValue) -> SSAValue | None:
    """The size along an axis of an array, if a value is the position along it everywhere."""
    inserted = list[int]()
    if isinstance(value.owner, yarr.UnsqueezeOp):
        inserted, value = list(value.owner.axes), value.owner.array
    is_along = (
        axis not in inserted and yarr.shape_of(value) == yarr.shape_of(array)[axis : axis + 1]
    )
    return value.owner.size if is_along and isinstance(value.owner, yarr.RangeOp) else None


def _is_outside(otherwise: SSAValue, is_last: bool, size: SSAValue) -> bool:
    """Whether a number is no position, or is one that no other is beyond."""
    if yarr.rank_of(otherwise):
        return False
    number = constant_value(otherwise)
    if number is None:
        return not is_last and (otherwise is size or isinstance(otherwise.owner, yarr.SizeOp))
    return number <= 0 if is_last else number >= 0
