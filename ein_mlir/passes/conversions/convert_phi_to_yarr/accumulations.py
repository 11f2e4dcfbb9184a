"""The rule for accumulations: positions become keys, and the axes of their indices disappear.

::

    A[accumulate (i < n) into (m) { p, e }]
        = <B + (Q - P), accumulate (reduce E over R) by range(B).., K into B.., m>
          where A[p] = <P, K> and A[e] = <Q, E>

Of the indices ``i``, those in ``R`` occur in no position: the values are reduced over them before.
A position that is an index itself, in range and in no other position, stays an axis. A position
that varies with an index ``b`` around the accumulation defines separate elements for each ``b``, so
that the axis of ``b`` is one more axis of positions, and its range one more key.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.element_cost import SHORT
from ein_mlir.analysis.phi.size_equivalence import unasserted
from ein_mlir.dialects import phi, yarr
from ein_mlir.dialects.algebra import OPERATIONS
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.dialects.reductions import combination
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_phi_to_yarr.arrays import checked_size
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import (
    Axial,
    Index,
    Value,
    leaves,
    union,
)
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion


def accumulate(conversion: Conversion, op: phi.AccumulateOp) -> None:
    """``A[accumulate (i < n) into (m) { p, e }]``, by the law above."""
    pairs = list(zip(op.indices, op.sizes, strict=True))
    if conversion.interchanges:
        is_window = any(map(_is_of_array, op.sizes))
        pairs.sort(key=lambda pair: not _has_few_values(*pair, is_window=is_window))
    for argument, size in pairs:
        value = checked_size(conversion, size, argument, op)
        conversion.indices[argument] = conversion.new_index(value, argument.name_hint)
    own = [conversion.indices[argument] for argument in op.indices]
    extents = iter(_extents(conversion, op))
    conversion.block(op.body.block)
    yielded = conversion.value(op.yielded())
    results = list[Value]()
    for each in op.accumulators:
        *positions, value = _part_of(yielded, each)
        sizes = [next(extents) for _ in each.extents]
        results.append(_Rule(conversion, op, each, own, sizes, positions, value).result())
    conversion.bind(op.result, results[0] if len(results) == 1 else tuple(results))


def _has_few_values(index: BlockArgument, size: SSAValue, *, is_window: bool) -> bool:
    """Whether an index has a small constant size, and is not itself a position: then its axis is
    better the outermost one, so that calls run along a longer one.

    So is that of an index with a computed size, as of a window, beside one with that of an array.
    """
    known = known_int(size)
    casts = [use.operation for use in index.uses if isinstance(use.operation, arith.IndexCastOp)]
    is_position = any(
        isinstance(use.operation, phi.TupleOp) for cast in casts for use in cast.results[0].uses
    )
    is_few = known <= SHORT if known is not None else is_window and not _is_of_array(size)
    return is_few and not is_position


def _is_of_array(size: SSAValue) -> bool:
    """Whether a size is plainly that of an array, and not computed."""
    return isinstance(unasserted(size).owner, phi.SizeOp)


def _part_of(yielded: Value, accumulator: phi.Accumulator) -> Sequence[Axial]:
    """The positions and the value of an accumulator, in the value of the body."""
    for number in accumulator.path:
        assert not isinstance(yielded, Axial)
        yielded = yielded[number]
    return leaves(yielded)


def _extents(conversion: Conversion, op: phi.AccumulateOp) -> list[SSAValue]:
    """The sizes of the accumulators, with a check of those that could be negative."""
    extents = list[SSAValue]()
    for number, extent in enumerate(op.extents):
        value = conversion.plain(extent, f"size {number} of the accumulation", op)
        if not is_size(extent):
            message = f"size {number} of the accumulation"
            value = conversion.emit(yarr.AssertSizeOp(value, message)).result
            value.owner.location = op.location
        extents.append(value)
    return extents


@dataclass(frozen=True)
class _Rule:
    """The translation of one accumulator."""

    conversion: Conversion
    op: phi.AccumulateOp
    accumulator: phi.Accumulator
    own: Sequence[Index]
    """The indices of the accumulation."""
    extents: Sequence[SSAValue]
    positions: Sequence[Axial]
    value: Axial

    def result(self) -> Axial:
        """The array of the accumulator."""
        rows = self._rows()
        numbers = [number for number in range(len(self.positions)) if number not in rows]
        selected = union([self.positions[number].axes for number in numbers])
        value = self._reduced([*selected, *rows.values()])
        around = tuple(index for index in selected if index not in self.own)
        others = tuple(index for index in value.axes if index not in (*selected, *rows.values()))
        full = self.conversion.align_fully(value, union([value.axes, tuple(rows.values())]))
        value = Axial(union([value.axes, tuple(rows.values())]), full)
        array = self.conversion.align(value, (*selected, *others, *rows.values()))
        if numbers:
            array = self._accumulated(array, numbers, selected, around)
        axes = union([around, others])
        order: list[Index | int] = [*around, *numbers, *others, *rows]
        wanted = [*axes, *range(len(self.positions))]
        own = range(len(order), yarr.rank_of(array))
        result = self.conversion.transpose(array, [*map(order.index, wanted), *own])
        result.name_hint = self.op.result.name_hint
        return Axial(axes, result)

    def _rows(self) -> dict[int, Index]:
        """The positions that are an index, in range and in no other position, by their number."""
        found = dict[int, Index]()
        for number, position in enumerate(self.positions):
            others = [each for k, each in enumerate(self.positions) if k != number]
            for index, size in zip(self.own, self.op.sizes, strict=True):
                if (
                    position.value is index.range
                    and not any(index in other.axes for other in others)
                    and self.conversion.sizes.same(self.accumulator.extents[number], size)
                ):
                    found[number] = index
        return found

    def _reduced(self, kept: Sequence[Index]) -> Axial:
        """The value, reduced over the indices that occur in no position."""
        gone = tuple(index for index in self.own if index not in kept)
        if not gone:
            return self.value
        axes = union([self.value.axes, gone])
        array = self.conversion.align_fully(self.value, axes)
        name = combination(self.accumulator.kind, yarr.element_of(array))
        assert name is not None
        places = [axis for axis, index in enumerate(axes) if index in gone]
        reduced = self.conversion.emit(yarr.ReduceOp(array, places, OPERATIONS[name]))
        return Axial(tuple(index for index in axes if index not in gone), reduced.result)

    def _accumulated(
        self,
        array: SSAValue,
        numbers: Sequence[int],
        selected: tuple[Index, ...],
        around: Sequence[Index],
    ) -> SSAValue:
        """The accumulation of an array whose leading axes are those of the keys."""
        conversion = self.conversion
        ranges = [Axial((index,), index.range) for index in around]
        keys = [self.positions[number] for number in numbers]
        aligned = [conversion.align(key, selected) for key in (*ranges, *keys)]
        if not selected:
            array, *aligned = (
                conversion.emit(yarr.UnsqueezeOp(each, [0])).result for each in (array, *aligned)
            )
        sizes = [*(index.size for index in around), *(self.extents[number] for number in numbers)]
        new = yarr.AccumulateOp(self.accumulator.kind, array, aligned, sizes)
        return conversion.emit(new, self.op if len(self.op.accumulators) == 1 else None).result
