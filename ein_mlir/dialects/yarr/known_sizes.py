"""What is known of sizes: where they come from, and which are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.dialects.yarr.nonnegative import is_nonnegative

Size: TypeAlias = int | SSAValue | tuple[SSAValue, int]
"""A number, an Int, or the size of an array along an axis."""


def is_size_of(size: SSAValue, array: SSAValue, axis: int) -> bool:
    """Whether an Int is known to be the size of an array along an axis."""
    known = yarr.shape_of(array)[axis]
    if known != yarr.DYNAMIC:
        return constant_value(size) == known
    op = size.owner
    return isinstance(op, yarr.SizeOp) and op.array is array and op.axis.value.data == axis


def same_size(lhs: SSAValue, rhs: SSAValue) -> bool:
    """Whether two Ints are known to be the same number."""
    if lhs is rhs:
        return True
    if isinstance(lhs.owner, yarr.SizeOp):
        return is_size_of(rhs, lhs.owner.array, lhs.owner.axis.value.data)
    return (known := constant_value(lhs)) is not None and known == constant_value(rhs)


def size_of(op: Operation, axis: int) -> Size | None:
    """The size of the result of ``op`` along an axis, as its operands say it; None if they do not.

    A size operand that might be negative is no answer: then ``op`` is an error, not of that size.
    """
    match op:
        case yarr.RangeOp():
            return _if_nonnegative(op.size)
        case yarr.RepeatOp() | yarr.SliceOp() if axis == op.axis.value.data:
            return _if_nonnegative(op.size)
        case yarr.RepeatOp() | yarr.SliceOp():
            return op.array, axis
        case yarr.PadOp() | yarr.FillEmptyOp() | yarr.ScanOp() if axis != op.axis.value.data:
            return op.array, axis
        case yarr.ConcatOp() if axis == op.axis.value.data and op.size is not None:
            return _if_nonnegative(op.size)
        case yarr.ConcatOp() if axis != op.axis.value.data or len(op.arrays) == 1:
            return op.arrays[0], axis
        case yarr.UpdateOp() | yarr.PropagateNanOp():
            return op.array, axis
        case yarr.ScanOp() if op.inclusive is not None:
            return op.array, axis
        case yarr.TileOp(result_axes=(tiled,), arrays=arrays) if axis == tiled and arrays:
            return arrays[0], op.array_axes[0]
        case yarr.TileOp(result_axes=(tiled,)):
            size = op.shape_of_result(0)[axis]
            return size if isinstance(size, int) else _if_nonnegative(size)
        case yarr.TransposeOp():
            return op.array, op.axes[axis]
        case yarr.UnsqueezeOp():
            return 1 if axis in op.axes else (op.array, _without(op.axes, op.result)[axis])
        case yarr.ArgreduceOp():
            return op.array, axis + (axis >= op.axis.value.data)
        case yarr.SqueezeOp() | yarr.ReduceOp():
            return op.array, [d for d in range(yarr.rank_of(op.array)) if d not in op.axes][axis]
        case yarr.ElementwiseOp():
            return _size_of_broadcast(op.arguments, axis)
        case yarr.TakeOp():
            return _size_of_take(op, axis)
        case yarr.GatherOp():
            return _size_of_gather(op, axis)
        case yarr.EinsumOp():
            return _size_of_einsum(op, axis)
        case yarr.CorrelateOp() if axis < 2:
            return (op.array, op.filters)[axis], 0
        case yarr.CorrelateOp():
            return _if_nonnegative(op.sizes[axis - 2])
        case yarr.TopKOp():
            is_own = axis == op.axis.value.data
            return _if_nonnegative(op.count) if is_own else (op.array, axis)
        case yarr.SegmentReduceOp() if axis < len(op.keys):
            return _if_nonnegative(op.sizes[axis])
        case yarr.SegmentReduceOp():
            return op.array, axis - len(op.keys) + op.positions
        case _:
            return None


def _if_nonnegative(size: SSAValue) -> SSAValue | None:
    return size if is_nonnegative(size) else None


def _without(added: Sequence[int], result: SSAValue) -> dict[int, int]:
    """The axis of the operand for each axis of the result that was not added."""
    kept = [d for d in range(yarr.rank_of(result)) if d not in added]
    return {d: axis for axis, d in enumerate(kept)}


def _size_of_broadcast(arrays: Sequence[SSAValue], axis: int) -> Size | None:
    """``size(f(x, y), d) --> size(x, d)`` where ``x`` is not repeated along ``d``"""
    for array in arrays:
        if yarr.shape_of(array)[axis] != 1:
            return array, axis
    return 1 if arrays else None


def _size_of_take(op: yarr.TakeOp, axis: int) -> Size:
    """``size(take(x, a, p), d) --> size(p, d - a)`` on axes of the position, else of the array"""
    taken, rank = op.axis.value.data, yarr.rank_of(op.position)
    if axis < taken:
        return op.array, axis
    if axis < taken + rank:
        return op.position, axis - taken
    return op.array, axis - rank + 1


def _size_of_gather(op: yarr.GatherOp, axis: int) -> Size | None:
    """``size(x[p, q], d) --> size(p, d)`` on axes of the positions, else of the array"""
    rank = yarr.rank_of(op.positions[0])
    if axis < rank:
        return _size_of_broadcast(op.positions, axis)
    return op.array, axis - rank + len(op.positions)


def _size_of_einsum(op: yarr.EinsumOp, axis: int) -> Size:
    """``size(einsum("ij,jk->ik", x, y), 0) --> size(x, 0)``"""
    inputs, output = yarr.split_subscripts(op.subscripts.data)
    letters, array = next(
        (letters, array)
        for letters, array in zip(inputs, op.arrays, strict=True)
        if output[axis] in letters
    )
    return array, letters.index(output[axis])
