"""The construction of a ``yarr.tile`` from a group of operations."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from ein_mlir.analysis.scopes import around
from ein_mlir.analysis.yarr.parallel_axes import (
    SIZED_BY_OPERANDS,
    Cut,
    Demand,
    FoldCuts,
    is_generated,
    operand_cuts,
    size_source,
    static_size,
)
from ein_mlir.dialects import yarr
from ein_mlir.dialects.creation import copy_of_region, made
from ein_mlir.passes.yarr.tile_parallel_axes.groups import AxesCut, Group
from ein_mlir.rewriting.yarr.builders import elementwise


class TileBuilder:
    """Builds the tile of a group, preceded by the operations that compute its sizes."""

    def __init__(self, group: Group):
        self._group = group
        self._members = set(group.members)
        self._marks = group.marks
        self._body = Block(arg_types=(yarr.SIZE_TYPE, yarr.SIZE_TYPE))
        self._start, self._length = self._body.args
        self._start.name_hint, self._length.name_hint = "start", "length"
        self._values: dict[Demand, SSAValue] = {}
        self._arrays: list[tuple[SSAValue, int]] = []
        self._sizes: dict[tuple[SSAValue, int] | int, Operation] = {}

    def build(self) -> tuple[list[Operation], list[OpResult]]:
        """The operations for sizes, then the tile; and the values that its results replace."""
        replaced = [
            result
            for op in self._group.members
            for result in op.results
            if any(self._is_outside(use.operation) for use in result.uses)
        ]
        axes = [self._marks.axes[result] for result in replaced]
        extent = self._size(replaced[0], axes[0])
        sizes = [
            self._size(result, axis)
            for result, tiled in zip(replaced, axes, strict=True)
            for axis, size in enumerate(yarr.shape_of(result))
            if axis != tiled and size == yarr.DYNAMIC
        ]
        for op in self._group.members:
            if isinstance(op, yarr.FoldOp):
                self._fold(op, self._marks.folds[op], self._body)
            else:
                self._copy(op, self._marks.axes[op.results[0]], self._body)
        blocks = [self._values[pair] for pair in zip(replaced, axes, strict=True)]
        self._body.add_op(yarr.YieldOp(*blocks))
        arrays, array_axes = [a for a, _ in self._arrays], [axis for _, axis in self._arrays]
        types = [result.type for result in replaced]
        tile = yarr.TileOp(extent, arrays, array_axes, sizes, types, axes, Region(self._body))
        tile.location = self._group.members[-1].location
        for old, new in zip(replaced, tile.res, strict=True):
            new.name_hint = old.name_hint
        return [*self._sizes.values(), tile], replaced

    def axes_cut(self) -> AxesCut:
        """The axes that the values in the finished tile are cut along."""
        before = self._marks.cut
        return {
            new: before.get(old, frozenset[int]()).union(() if cut is None else (cut,))
            for (old, cut), new in self._values.items()
        }

    def _is_outside(self, op: Operation | None) -> bool:
        """Whether an operation is neither a member nor within one."""
        return self._members.isdisjoint(around(op))

    def _size(self, value: SSAValue, axis: int) -> SSAValue:
        """The size of a value of the group along an axis, computed before the tile."""
        source: SSAValue | tuple[SSAValue, int] = (value, axis)
        while isinstance(source, tuple) and self._has_source(*source):
            source = size_source(*source)
        if isinstance(source, SSAValue):
            return source
        known = static_size(*source)
        key = source if known == yarr.DYNAMIC else known
        if key not in self._sizes:
            self._sizes[key] = (
                yarr.SizeOp(*source) if known == yarr.DYNAMIC else yarr.size_constant(known)
            )
        return self._sizes[key].results[0]

    def _has_source(self, value: SSAValue, axis: int) -> bool:
        """Whether a size is another one, not a number, as it may be of a fold's initial value."""
        is_sized = value.owner in self._members or isinstance(value.owner, SIZED_BY_OPERANDS)
        return is_sized and static_size(value, axis) == yarr.DYNAMIC

    # Operations on blocks

    def _value(self, value: SSAValue, cut: Cut, block: Block) -> SSAValue:
        """A value, cut as demanded, for use in a block of the body."""
        if (value, cut) in self._values:
            return self._values[value, cut]
        if cut is None:
            return value
        if is_generated(value, cut) and not self._is_invariant_range(value):
            assert isinstance(value, OpResult)
            self._copy(value.op, cut, block)
            return self._values[value, cut]
        argument = self._body.insert_arg(yarr.block_type(value.type, cut), len(self._body.args))
        argument.name_hint = value.name_hint
        self._arrays.append((value, cut))
        self._values[value, cut] = argument
        return argument

    def _is_invariant_range(self, value: SSAValue) -> bool:
        """Whether a value is a range in a loop, which every step would make anew.

        It is cut like an array, and leaves the loop as a whole.
        """
        return isinstance(value.owner, yarr.RangeOp) and any(
            isinstance(op, yarr.FoldOp | yarr.WhileOp)
            for op in around(self._group.members[0].parent_op())
        )

    def _copy(self, op: Operation, cut: Cut, block: Block) -> None:
        """Append an operation on blocks, or on whole values."""
        (result,) = op.results
        if isinstance(op, yarr.RangeOp) and cut is not None:
            self._values[result, cut] = self._positions(block)
            return
        cuts = [None] * len(op.operands) if cut is None else operand_cuts(op, cut)
        assert cuts is not None
        operands = [self._value(v, c, block) for v, c in zip(op.operands, cuts, strict=True)]
        if isinstance(op, yarr.RepeatOp) and op.axis.value.data == cut:
            operands[1] = self._length
        type_ = result.type if cut is None else yarr.block_type(result.type, cut)
        regions = [copy_of_region(region, {}) for region in op.regions]
        copy = made(type(op), operands, [type_], op.properties, regions)
        copy.attributes.update(op.attributes)
        copy.location = op.location
        copy.results[0].name_hint = result.name_hint
        block.add_op(copy)
        self._values[result, cut] = copy.results[0]

    def _positions(self, block: Block) -> SSAValue:
        """The positions of a block along the axis."""
        numbers, start = yarr.RangeOp(self._length), yarr.UnsqueezeOp(self._start, [0])
        positions = elementwise(arith.AddiOp, start.result, numbers.result)
        block.add_ops((numbers, start, positions))
        return positions.result

    # Folds

    def _fold(self, op: yarr.FoldOp, found: FoldCuts, block: Block) -> None:
        """Append a fold on blocks. Its captured values are cut outside of it."""
        for value, cut in found.outside:
            self._value(value, cut, block)
        terminator = op.body.block.last_op
        assert isinstance(terminator, yarr.YieldOp)
        kept = [
            (number, found.cuts[accumulator][0])
            for number, accumulator in enumerate(op.accumulators)
            if accumulator in found.cuts
        ]
        inits = [self._value(op.inits[number], cut, block) for number, cut in kept]
        body = Block(arg_types=(yarr.SIZE_TYPE, *(init.type for init in inits)))
        pairs = [(op.counter, None), *((op.accumulators[number], cut) for number, cut in kept)]
        for pair, argument in zip(pairs, body.args, strict=True):
            argument.name_hint = pair[0].name_hint
            self._values[pair] = argument
        for inner in op.body.block.ops:
            self._step(inner, found, body)
        body.add_op(yarr.YieldOp(*(self._value(terminator.values[n], c, body) for n, c in kept)))
        fold = yarr.FoldOp(self._value(op.count, None, block), inits, Region(body))
        fold.location = op.location
        block.add_op(fold)
        for (number, cut), result in zip(kept, fold.res, strict=True):
            result.name_hint = op.res[number].name_hint
            self._values[op.res[number], cut] = result

    def _step(self, op: Operation, found: FoldCuts, block: Block) -> None:
        """Append an operation of the body of a fold, once for each cut of its results."""
        if isinstance(op, yarr.FoldOp):
            if any(accumulator in found.cuts for accumulator in op.accumulators):
                self._fold(op, FoldCuts(found.cuts), block)
            return
        for result in op.results:
            for cut in found.cuts.get(result, ()):
                self._copy(op, cut, block)
