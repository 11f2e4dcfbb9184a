"""Tiles, as loops over blocks, or inlined with the whole axis as one block."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.scopes import operations_in
from ein_mlir.analysis.yarr.block_bytes import Length, bytes_per_position
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.rewriting.yarr_to_emitpy.joining import JoiningLowering
from ein_mlir.rewriting.yarr_to_emitpy.lowering import tensor_type

FEWEST_NEIGHBOURS = 128
"""The fewest neighbours in memory for which the loops of a library are fast."""

FEWEST_IN_STEPS = 8192
"""The same where a loop takes steps of the block: its calls take less time than its elements."""


def _cuts_rows(op: yarr.TileOp) -> bool:
    """Whether blocks of an array are along the axis whose elements are neighbours in memory."""
    arrays = (*op.arrays, *op.res)
    axes = (*op.array_axes, *op.result_axes)
    return any(
        axis > 0 and axis == yarr.rank_of(array) - 1
        for array, axis in zip(arrays, axes, strict=True)
    )


def inline_tiles(function: func.FuncOp) -> None:
    """Replace tiles by their bodies, with whole arrays for the blocks.

    For libraries without a use for blocks: they fuse operations themselves, or copy at a store.
    """
    for tile in [op for op in operations_in(function) if isinstance(op, yarr.TileOp)]:
        start, terminator = yarr.size_constant(0), tile.body.block.last_op
        assert terminator is not None
        Rewriter.insert_op(start, InsertPoint.before(tile))
        whole = (start.result, tile.extent, *tile.arrays)
        Rewriter.inline_block(tile.body.block, InsertPoint.before(tile), whole)
        Rewriter.replace_op(tile, (), terminator.operands)
        Rewriter.erase_op(terminator)


class TilingLowering(JoiningLowering):
    """The rule for libraries with mutable arrays and views."""

    def __init__(self, source: Block):
        super().__init__(source)
        self.rules[yarr.TileOp] = self.tile
        self._parts: dict[SSAValue, tuple[SSAValue, int, SSAValue]] = {}

    def tile(self, op: yarr.TileOp) -> None:
        """``for start in range(0, n, step):``, with blocks ``a[start:stop]`` that are views.

        The step is chosen to keep the blocks in the cache, by their number of bytes for each
        position of the axis.
        """
        extent = self.value(op.extent)
        results = [self._target(op, number) for number in range(len(op.res))]
        bounds = [self._bytes_per_position(op)]
        if _cuts_rows(op):
            has_steps = any(isinstance(each, yarr.FoldOp) for each in op.body.walk())
            least = FEWEST_IN_STEPS if has_steps else FEWEST_NEIGHBOURS
            bounds.append(self.build.literal(least))
        step = self.build.helper(self.name("block_length"), *bounds, type=OBJECT)
        step.name_hint = "step"
        body = Block(arg_types=[OBJECT, *(result.type for result in results)])
        start = body.args[0]
        start.name_hint = "start"
        with self.build.emitting_into(body):
            stop = self.build.binary(start, "+", step)
            stop.name_hint = "stop"
            part = self.build.slice(start, stop)
            self._bind_blocks(op, start, stop, part, body.args[1])
            places = list(zip(op.yielded, body.args[1:], op.result_axes, strict=True))
            for value, target, axis in places:
                if isinstance(value.owner, yarr.TileOp) and value.has_one_use():
                    self._parts[value] = target, axis, part
            self.block(op.body.block)
            stores = [
                target if value in self._parts else self._store(target, axis, part, value)
                for value, target, axis in places
            ]
            self.build.insert(emitpy.YieldOp(*stores))
        self.build.source = op
        loop = self.build.insert(emitpy.ForOp(extent, results, Region(body), step))
        for old, accumulator, new in zip(op.res, body.args[1:], loop.res, strict=True):
            accumulator.name_hint = old.name_hint or "out"
            self.bind(old, new)

    def _target(self, op: yarr.TileOp, number: int) -> SSAValue:
        """The target of a result: its place in a larger array, or ``np.empty((n, m))``."""
        part = self._parts.get(op.res[number])
        if part is not None:
            array, axis, indices = part
            return self.build.at(array, axis, indices, op.res[number].type)
        place = self.claim_place(op.res[number])
        if place is not None:
            return place
        lengths = [
            self.build.literal(size) if isinstance(size, int) else self.value(size)
            for size in op.shape_of_result(number)
        ]
        return self.empty(self.shape(lengths), tensor_type(op.res[number]))

    def _bind_blocks(
        self,
        op: yarr.TileOp,
        start: SSAValue,
        stop: SSAValue,
        part: SSAValue,
        target: SSAValue,
    ) -> None:
        """``a[start:stop]``, or ``out[start:stop]`` if the result replaces that."""
        self.values[op.start] = start
        if op.length.first_use is not None:
            end = self.build.call("min", stop, self.value(op.extent))
            self.values[op.length] = self.build.binary(end, "-", start)
        replaced = self.replaced_by(op)
        for block, array, axis in zip(op.blocks, op.arrays, op.array_axes, strict=True):
            whole = target if array in replaced else self.array(array)
            self.bind(block, self.build.at(whole, axis, part, block.type))

    def _store(self, target: SSAValue, axis: int, part: SSAValue, value: SSAValue) -> SSAValue:
        """``out[:, start:stop] = x``"""
        indices = [*(self.build.slice() for _ in range(axis)), part]
        return self.build.insert(emitpy.StoreOp(target, indices, self.value(value))).result

    def _bytes_per_position(self, op: yarr.TileOp) -> SSAValue:
        """``24 * a.shape[1]``"""
        total: SSAValue | None = None
        for factor, lengths in bytes_per_position(op):
            product = self.build.literal(factor)
            for length in lengths:
                product = self.build.binary(product, "*", self._length_of(length))
            total = product if total is None else self.build.binary(total, "+", product)
        return total or self.build.literal(0)

    def _length_of(self, length: Length) -> SSAValue:
        if isinstance(length, SSAValue):
            return self.value(length)
        array, axis = length
        return self.size_of(self.array(array), axis)
