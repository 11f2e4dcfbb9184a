"""Strided arrays: traversing their last axis is slow, so that a copy may be profitable."""

from __future__ import annotations

from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.dialects import yarr


def is_reread_with_gaps(op: yarr.UnsqueezeOp) -> bool:
    """Whether strided elements are read again for each position of a new axis.

    An example is the column of ``a[:, k][None, :] - b``, which is a row of the operand: for each
    row of the result the same elements are read again, each from another cache line. NumPy walks
    through a result as its operands lie in memory, so that ``a.T[:, :, None] - b[:, None, :]``
    would have short innermost axes.
    """
    last = yarr.rank_of(op.result) - 1
    is_row = last not in op.axes and yarr.shape_of(op.result)[last] != 1
    return (
        (is_row or yarr.rank_of(op.array) > 1)
        and has_gaps(op.array)
        and any(_is_repeated(op.result, axis) for axis in op.axes)
    )


def has_gaps(value: SSAValue) -> bool:
    """Whether a value is a view whose last axis is not the last axis of its array.

    Outer arrays, and arrays that operations compute, are contiguous.
    """
    while True:
        match value.owner:
            case yarr.TransposeOp() as op:
                return op.axes[-1] != yarr.rank_of(op.array) - 1
            case yarr.TakeOp() as op if not yarr.rank_of(op.position):
                if op.axis.value.data == yarr.rank_of(op.array) - 1:
                    return True
                value = op.array
            case yarr.SliceOp() as op:
                value = op.array
            case _:
                array = _array_of_block(value)
                if array is None:
                    return False
                value = array


def _array_of_block(value: SSAValue) -> SSAValue | None:
    """The array that a block of a tile is a part of."""
    if isinstance(value, BlockArgument) and isinstance(
        tile := value.block.parent_op(), yarr.TileOp
    ):
        return tile.arrays[value.index - 2] if value.index >= 2 else None
    return None


def _is_repeated(value: SSAValue, axis: int) -> bool:
    """Whether an elementwise operation repeats a value along an axis of size 1."""
    for use in value.uses:
        match use.operation:
            case yarr.ElementwiseOp() as op if yarr.shape_of(op.result)[axis] != 1:
                return True
            case yarr.TileOp() as op if value in op.arrays:
                block = op.blocks[list(op.arrays).index(value)]
                if _is_repeated(block, axis):
                    return True
            case _:
                pass
    return False
