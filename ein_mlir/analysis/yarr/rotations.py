"""Positions that go around the end of an axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.dialects import sigma, yarr
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Rotation:
    """The positions ``(i + s + .. - t - ..) mod modulus`` for i below a size."""

    size: SSAValue
    modulus: SSAValue
    added: tuple[SSAValue, ...] = ()
    subtracted: tuple[SSAValue, ...] = ()


def rotation(positions: SSAValue) -> Rotation | None:
    """The rotation that a vector of positions is, also as an axis among others, if it is one."""
    if isinstance(positions.owner, yarr.UnsqueezeOp):
        positions = positions.owner.array
    remainder = _applied(positions, sigma.FloorModOp)
    modulus = None if remainder is None else _scalar(remainder[1])
    if remainder is None or modulus is None or yarr.element_of(positions) != i64:
        return None
    moved, added, subtracted = remainder[0], list[SSAValue](), list[SSAValue]()
    while not isinstance(moved.owner, yarr.RangeOp):
        summands = _summands(moved)
        if summands is None:
            return None
        moved, shift, is_back = summands
        (subtracted if is_back else added).append(shift)
    return Rotation(moved.owner.size, modulus, tuple(added), tuple(subtracted))


def _summands(moved: SSAValue) -> tuple[SSAValue, SSAValue, bool] | None:
    """The positions and the number of which a vector is the sum, or the difference."""
    if (terms := _applied(moved, arith.SubiOp)) is not None:
        shift = _scalar(terms[1])
        return None if shift is None else (terms[0], shift, True)
    lhs, rhs = _applied(moved, arith.AddiOp) or (moved, moved)
    for positions, other in ((lhs, rhs), (rhs, lhs)):
        if (shift := _scalar(other)) is not None:
            return positions, shift, False
    return None


def _applied(value: SSAValue, operator: type[Operation]) -> Sequence[SSAValue] | None:
    """The two arrays to which one scalar operator is applied."""
    op = value.owner
    if not isinstance(op, yarr.ElementwiseOp) or not op.is_binary(operator):
        return None
    return op.arguments


def _scalar(value: SSAValue) -> SSAValue | None:
    """The number that a vector of one element holds."""
    op = value.owner
    return op.array if isinstance(op, yarr.UnsqueezeOp) and not yarr.rank_of(op.array) else None
