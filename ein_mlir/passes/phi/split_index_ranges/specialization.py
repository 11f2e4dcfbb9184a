"""Copies of a body for a part, without the conditions that the part decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1, i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.index_ranges import IndexRange, IndexRanges
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of, copy_with
from ein_mlir.rewriting.phi.insertion import Builder


class Specializer:
    """Copies a body for a part, without the conditions that the ranges of its indices decide."""

    def __init__(
        self,
        array: phi.ArrayOp,
        ranges: IndexRanges,
        known: Mapping[int, IndexRange],
        values: dict[SSAValue, SSAValue],
        value_of: Callable[[LinearForm], SSAValue],
    ):
        self._array = array
        self._ranges = ranges
        self._known = known
        self._values = values
        self._value_of = value_of
        self._truths: dict[SSAValue, bool] = {}

    def block(self, source: Block, target: Block) -> None:
        """Copy the operations of a block to the end of another."""
        builder = Builder.at_end(target)
        for op in source.ops:
            self._operation(op, builder)

    def _operation(self, op: Operation, builder: Builder) -> None:
        match op:
            case arith.CmpiOp() if (truth := self._decide(op)) is not None:
                self._set_truth(op.result, truth, builder)
            case arith.AndIOp() | arith.OrIOp() | arith.XOrIOp() if op.result.type == i1:
                self._logical(op, builder)
            case arith.SelectOp() if op.cond in self._truths:
                self._take(op.result, op.lhs if self._truths[op.cond] else op.rhs)
            case arith.IndexCastOp() if (
                op.input in self._values and self._values[op.input].type == i64
            ):
                self._cast(op, builder)
            case phi.GetOp():
                self._get(op, builder)
            case _:
                self._copy(op, builder)

    def _copy(self, op: Operation, builder: Builder) -> None:
        regions = [self._region(region) for region in op.regions]
        builder.insert(copy_with(op, regions, self._values))

    def _region(self, region: Region) -> Region:
        block = region.block
        inner = Block(arg_types=block.arg_types)
        for old, argument in zip(block.args, inner.args, strict=True):
            argument.name_hint = old.name_hint
            self._values[old] = argument
        self.block(block, inner)
        return Region(inner)

    def _take(self, result: SSAValue, value: SSAValue) -> None:
        """Replace a result by an operand."""
        self._values[result] = self._values.get(value, value)
        if value in self._truths:
            self._truths[result] = self._truths[value]

    # Conditions

    def _decide(self, op: arith.CmpiOp) -> bool | None:
        comparison = self._ranges.comparison(op.result)
        if comparison is None:
            return None
        return self._ranges.holds(comparison, self._known[comparison.index.index])

    def _set_truth(self, value: SSAValue, holds: bool, builder: Builder) -> None:
        self._truths[value] = holds
        self._values[value] = builder.truth(holds)

    def _logical(self, op: arith.AndIOp | arith.OrIOp | arith.XOrIOp, builder: Builder) -> None:
        """``true and x = x``, ``false and x = false`` and so on, if a side is decided."""
        for known, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if known not in self._truths:
                continue
            truth = self._truths[known]
            if isinstance(op, arith.XOrIOp) and truth:
                if other in self._truths:
                    self._set_truth(op.result, not self._truths[other], builder)
                    return
            elif truth != isinstance(op, arith.AndIOp) and not isinstance(op, arith.XOrIOp):
                self._set_truth(op.result, truth, builder)
                return
            else:
                self._take(op.result, other)
                return
        self._copy(op, builder)

    # Indices and positions

    def _cast(self, op: arith.IndexCastOp, builder: Builder) -> None:
        """Copy a cast of an index to an Int; the index may already be an Int."""
        value = self._values[op.input]
        if isa(type_ := op.result.type, IntegerType) and type_ != i64:
            value = builder.emit(arith.TruncIOp(value, type_))
        self._values[op.result] = value

    def _get(self, op: phi.GetOp, builder: Builder) -> None:
        """Copy an indexing; a position that always clips to one element is replaced by that."""
        new = copy_of(op, self._values)
        for number in range(len(op.positions)):
            position = self._clipped_position(op, number, builder)
            if position is not None:
                new.operands[number + 1] = position
        builder.insert(new)

    def _clipped_position(self, op: phi.GetOp, number: int, builder: Builder) -> SSAValue | None:
        found = self._ranges.position(op, number)
        if found is None:
            return None
        affine, _ = found
        range_ = self._known[affine.index.index]
        end = self._ranges.clipped(op, number, range_)
        if end is None:
            return None
        only = self._ranges.single(range_)
        if only is not None and not (shift := end - only).coefficients:
            return self._shifted_index(affine.index, shift.constant, builder)
        if any(is_within(atom, self._array) for atom in end.coefficients):
            return None
        return self._value_of(end)

    def _shifted_index(self, index: BlockArgument, shift: int, builder: Builder) -> SSAValue:
        value = self._values[index]
        if shift == 0:
            return value
        if value.type != i64:
            value = builder.as_int(value)
        return builder.add(value, shift)
