"""The parts of joined arrays: their places, and those that an accumulator already contains.

``ints`` are the facts about the Ints of the function that is lowered, which does not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import Integers
from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.base import Size
from ein_mlir.dialects.yarr.known_sizes import size_of

Path: TypeAlias = tuple[tuple[yarr.ConcatOp, int], ...]
"""The concatenations that lead to a part, outermost first, each with the number of its operand."""


def size_source(array: SSAValue, axis: int, ints: Integers) -> Size:
    """The source of a size of an array: a number, an Int, or a size of another array."""
    found: Size = (array, axis)
    size: Size | None = found
    while size is not None:
        found = size
        if isinstance(size, tuple):
            array, axis = size
            known = yarr.shape_of(array)[axis]
            size = _stated_size(array, axis, ints) if known == yarr.DYNAMIC else known
        elif isinstance(size, SSAValue) and isinstance(size.owner, yarr.SizeOp):
            size = _size_read(size.owner, ints)
        else:
            size = None
    return found


def _stated_size(array: SSAValue, axis: int, ints: Integers) -> Size | None:
    """The size of an array, as its operation states it."""
    op = array.owner
    if isinstance(op, yarr.TileOp) and op.arrays and (axis,) == op.result_axes:
        return op.extent
    return size_of(op, axis, ints) if isinstance(op, Operation) else None


def _size_read(op: yarr.SizeOp, ints: Integers) -> SSAValue | None:
    """The Int that is the source of the size that an operation reads; None for other sources."""
    size = size_source(op.array, op.axis.value.data, ints)
    return size if isinstance(size, SSAValue) else None


def sizes_of(concat: yarr.ConcatOp, ints: Integers) -> list[int | SSAValue]:
    """The sizes of the operands of a concatenation that are numbers or Ints."""
    sizes = (size_source(array, concat.axis.value.data, ints) for array in concat.arrays)
    return [size for size in sizes if not isinstance(size, tuple)]


def has_sizes(concat: yarr.ConcatOp, ints: Integers) -> bool:
    """Whether a concatenation states its size, and those of its operands are numbers and Ints."""
    return concat.size is not None and len(sizes_of(concat, ints)) == len(concat.arrays)


def parts_of(
    concat: yarr.ConcatOp, ints: Integers, path: Path = ()
) -> Iterator[tuple[Path, SSAValue]]:
    """The parts of a joined array, and of its parts that are joined along other axes."""
    axes = {outer.axis for outer, _ in path} | {concat.axis}
    for number, array in enumerate(concat.arrays):
        inner, place = array.owner, (*path, (concat, number))
        if (
            isinstance(inner, yarr.ConcatOp)
            and has_sizes(inner, ints)
            and inner.axis not in axes
            and array.has_one_use()
            and inner.parent is concat.parent
        ):
            yield from parts_of(inner, ints, place)
        else:
            yield place, array


# Replaced parts -------------------------------------------------------------------------------


def sliced(part: SSAValue) -> tuple[SSAValue, dict[int, list[SSAValue]]]:
    """The array that a part is a slice of, and for each sliced axis the starts, to be added."""
    starts = dict[int, list[SSAValue]]()
    while (
        isinstance(op := part.owner, yarr.SliceOp) and op.clip is None and op.step.value.data == 1
    ):
        starts.setdefault(op.axis.value.data, []).append(op.start)
        part = op.array
    return part, starts


def replaced_accumulator(concat: yarr.ConcatOp, ints: Integers) -> SSAValue | None:
    """The array of a step whose slices a concatenation has, unless the step yields it, too.

    It is an accumulator of the loop, or an update of one, and the concatenation, or an update of
    it, is the next one.
    """
    block, end = concat.parent, _end_of(concat.result)
    if not isinstance(concat.parent_op(), yarr.FoldOp) or end is None or end.parent is not block:
        return None
    if not has_sizes(concat, ints):
        return None
    parts = [part for _, part in parts_of(concat, ints)]
    if any(isinstance(part.owner, yarr.TileOp) and maker_of(part) is None for part in parts):
        return None
    for part in parts:
        array, starts = sliced(part)
        before = list(_before(array))
        if (
            starts
            and before[-1].owner is block
            and array.type == concat.result.type
            and not any(each in end.values for each in before)
        ):
            return array
    return None


def _end_of(array: SSAValue) -> yarr.YieldOp | None:
    """The operation that yields an array, or the last update of it."""
    writers = [
        use.operation
        for use in array.uses
        if isinstance(use.operation, yarr.YieldOp) or (_is_update(use.operation) and not use.index)
    ]
    if len(writers) != 1:
        return None
    (writer,) = writers
    return writer if isinstance(writer, yarr.YieldOp) else _end_of(writer.results[0])


def _before(array: SSAValue) -> Iterator[SSAValue]:
    """An array, those that it is an update of, and the first one."""
    while isinstance(op := array.owner, Operation) and _is_update(op):
        yield array
        array = op.operands[0]
    yield array


def _is_update(op: Operation) -> bool:
    return isinstance(op, yarr.UpdateOp | yarr.UpdateSliceOp)


def replacing_operations(concat: yarr.ConcatOp, ints: Integers) -> Iterator[Operation]:
    """The operations that compute a joined array, and those that only compute its parts."""
    for path, part in parts_of(concat, ints):
        yield from (inner for inner, _ in path)
        if (maker := maker_of(part)) is not None and maker.parent is concat.parent:
            yield maker


Maker: TypeAlias = yarr.ElementwiseOp | yarr.TileOp
"""An operation that can compute a part in its place."""


def maker_of(part: SSAValue) -> Maker | None:
    """The operation of a part, if it can compute it in its place, and the part has no other user.

    A tile in a tile cuts its blocks into blocks: it would read them as parts of two arrays.
    """
    op = part.owner
    if not isinstance(op, yarr.ElementwiseOp | yarr.TileOp) or not part.has_one_use():
        return None
    if isinstance(op, yarr.TileOp) and isinstance(op.yielded[0].owner, yarr.TileOp):
        return None
    return op if len(op.results) == 1 else None


def inputs(maker: Maker) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
    """The values that are read at the positions of written elements, and those read elsewhere."""
    if isinstance(maker, yarr.ElementwiseOp):
        return maker.arguments, ()
    arrays = list(zip(maker.arrays, maker.array_axes, strict=True))
    inside = {v for op in maker.body.walk() for v in (*op.results, *_arguments(op))}
    inside.update(maker.body.block.args)
    beside = [array for array, axis in arrays if (axis,) == maker.result_axes]
    elsewhere = [array for array, axis in arrays if (axis,) != maker.result_axes]
    captured = (v for op in maker.body.walk() for v in op.operands if v not in inside)
    return beside, [*elsewhere, *captured]


def _arguments(op: Operation) -> Iterator[SSAValue]:
    return (argument for region in op.regions for argument in region.block.args)


def is_smaller(value: SSAValue, part: SSAValue) -> bool:
    """Whether a value has fewer axes that may be long than a part has."""
    return _axes(value) < _axes(part)


def _axes(value: SSAValue) -> int:
    return sum(size != 1 for size in yarr.shape_of(value))
