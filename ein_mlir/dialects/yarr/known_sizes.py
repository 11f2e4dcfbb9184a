"""Facts about sizes: their sources, and equal ones."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import Integers
from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.base import Size, YarrOp
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.dialects.yarr.integers import is_size


def is_size_of(size: SSAValue, array: SSAValue, axis: int) -> bool:
    """Whether an Int is provably the size of an array along an axis."""
    known = yarr.shape_of(array)[axis]
    if known != yarr.DYNAMIC:
        return constant_value(size) == known
    op = size.owner
    return isinstance(op, yarr.SizeOp) and op.array is array and op.axis.value.data == axis


def same_size(lhs: SSAValue, rhs: SSAValue) -> bool:
    """Whether two Ints are provably equal."""
    if lhs is rhs:
        return True
    if isinstance(lhs.owner, yarr.SizeOp):
        return is_size_of(rhs, lhs.owner.array, lhs.owner.axis.value.data)
    return (known := constant_value(lhs)) is not None and known == constant_value(rhs)


def size_of(op: Operation, axis: int, ints: Integers | None = None) -> Size | None:
    """The size of the result of ``op`` along an axis, from its operands; None if unknown.

    A size operand that may be negative is excluded: ``op`` then raises an error.
    """
    size = op.size_of_result(axis) if isinstance(op, YarrOp) else None
    return None if isinstance(size, SSAValue) and not is_size(size, ints) else size
