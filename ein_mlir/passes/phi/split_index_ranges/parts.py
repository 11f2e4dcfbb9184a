"""The parts of a comprehension, without the conditions that a part decides; their concatenation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, TupleType, i1, i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.index_ranges import IndexRange, IndexRanges
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of, copy_with
from ein_mlir.dialects.phi.integers import PhiLevel, is_nonnegative
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.operators import OperationT
from ein_mlir.rewriting.phi.replacement import read_instead


class Splitter:
    """Builds the parts of one comprehension."""

    def __init__(self, array: phi.ArrayOp, ranges: IndexRanges, parts: Sequence[list[IndexRange]]):
        self._array = array
        self._ranges = ranges
        self._parts = parts
        self._columns = isa(array.result.type, TupleType)
        self._outside = Builder.before(array)
        self._shared = _Shared(array)

    def split(self) -> SSAValue:
        """The concatenation of the parts of the array."""
        return self._all({}, {}, 0, self._outside)

    def _all(
        self,
        ranges: Mapping[int, IndexRange],
        values: Mapping[SSAValue, SSAValue],
        first: int,
        builder: Builder,
    ) -> SSAValue:
        """The comprehension over the axes from ``first`` on, with all parts of that axis."""
        parts = [
            self._part(
                {**ranges, first: part}, values, first, not self._ranges.is_thin(part), builder
            )
            for part in self._parts[first]
        ]
        joined = parts[0]
        for part in parts[1:]:
            size = self._array.sizes[first] if part is parts[-1] else None
            joined = builder.concat(joined, part, size)
        return joined

    def _part(
        self,
        ranges: Mapping[int, IndexRange],
        values: Mapping[SSAValue, SSAValue],
        first: int,
        cut_further: bool,
        builder: Builder,
    ) -> SSAValue:
        """One part along axis ``first``; unless it is small, further axes are cut, too."""
        rank = len(self._parts)
        inner = next(
            (axis for axis in range(first + 1, rank) if cut_further and len(self._parts[axis]) > 1),
            rank,
        )
        values, axes = dict(values), range(first, inner)
        wholes = {axis: self._ranges.whole(self._array.indices[axis]) for axis in axes}
        ranges = {**wholes, **ranges}
        block = Block(arg_types=[IndexType()] * len(axes))
        inside = Builder.at_end(block)
        for axis, argument in zip(axes, block.args, strict=True):
            self._bind_index(axis, argument, ranges[axis], values, inside)
        if inner == rank:
            Specializer(self._array, self._ranges, ranges, values, self._value_of).block(
                self._array.body.block, block
            )
        else:
            inside.yield_(self._all(ranges, values, inner, inside))
        erase_unused(block)
        terminator = phi.YieldOp.of(block.last_op)
        if not _copies_elements(terminator.value):
            self._replace_single_indices(block, [ranges[axis] for axis in axes])
        type_ = phi.vec_of(terminator.value.type, len(axes))
        part = phi.ArrayOp(
            [self._size_of(axis, ranges[axis]) for axis in axes],
            Region(block),
            phi.struct_of_arrays(type_) if self._columns else type_,
        )
        return builder.emit(part)

    def _bind_index(
        self,
        axis: int,
        argument: BlockArgument,
        range_: IndexRange,
        values: dict[SSAValue, SSAValue],
        inside: Builder,
    ) -> None:
        """Replace an index by the index of a part, plus the start of the part."""
        index = self._array.indices[axis]
        argument.name_hint = index.name_hint
        start = self._start_of(range_)
        if start is None:
            values[index] = argument
            return
        shifted = inside.add(inside.as_int(argument), start)
        shifted.name_hint = index.name_hint
        values[index] = shifted

    def _replace_single_indices(self, block: Block, ranges: Sequence[IndexRange]) -> None:
        """Replace the index of a part of one element by 0: its value is computed as a scalar.

        A part that copies elements stays, since it is a slice.
        """
        for index, range_ in zip(block.args, ranges, strict=True):
            if self._ranges.single(range_) is not None and index.first_use is not None:
                read_instead(tuple(index.uses), self._shared.integer(0))

    # Sizes and bounds, computed once, outside of the comprehension and of all that it can leave

    def _start_of(self, range_: IndexRange) -> SSAValue | None:
        """The largest lower bound; None for 0."""
        if range_.lowers == (LinearForm(),):
            return None
        return self._extremum(arith.MaxSIOp, range_.lowers)

    def _size_of(self, axis: int, range_: IndexRange) -> SSAValue:
        """The number of indices of a part: ``max(min(u, ..) - max(l, ..), 0)``."""
        if range_ == self._ranges.whole(self._array.indices[axis]):
            return self._array.sizes[axis]
        bounds = *range_.lowers, *range_.uppers
        if len(bounds) == 2 and all(map(self._is_bounded, bounds)):
            extent = self._value_of(range_.uppers[0] - range_.lowers[0])
        else:
            extent = self._extremum(arith.MinSIOp, range_.uppers)
            start = self._start_of(range_)
            if start is not None:
                extent = self._shared.sub(extent, start)
        if is_nonnegative(extent):
            return extent
        return self._at_least_zero(extent)

    def _extremum(
        self, operation: type[arith.MaxSIOp | arith.MinSIOp], forms: Sequence[LinearForm]
    ) -> SSAValue:
        result = self._threshold(forms[0])
        for form in forms[1:]:
            result = self._shared.emit(operation(result, self._threshold(form)))
        return result

    def _threshold(self, form: LinearForm) -> SSAValue:
        """The value of a bound; if differences with it could overflow, it is clipped at 0."""
        value = self._value_of(form)
        return value if self._is_bounded(form) else self._at_least_zero(value)

    def _is_bounded(self, form: LinearForm) -> bool:
        """Whether differences with a form are no-wrap for all arguments."""
        return Integers(PhiLevel()).range_of(form).magnitude < 2**62

    def _at_least_zero(self, value: SSAValue) -> SSAValue:
        zero = self._shared.integer(0)
        return self._shared.max(value, zero)

    def _value_of(self, form: LinearForm) -> SSAValue:
        """The value of a linear form in values defined outside of the comprehension."""
        return self._shared.linear_value(form)


def _copies_elements(value: SSAValue) -> bool:
    """Whether a value, or a field of it, is an element of an array."""
    if isinstance(value.owner, phi.TupleOp):
        return any(map(_copies_elements, value.owner.operands))
    return isinstance(value.owner, phi.GetOp)


class _Shared(Inserter):
    """Adds operations before a comprehension, and shares equal ones."""

    def __init__(self, array: phi.ArrayOp):
        self._build = Builder.before(array)
        self._known: dict[Hashable, Operation] = {}

    def insert(self, op: OperationT, /) -> OperationT:
        """Add an operation, unless an equal one exists."""
        key = type(op), *op.operands, *op.properties.items()
        known = self._known.get(key)
        if isinstance(known, type(op)):
            op.erase()
            return known
        self._known[key] = self._build.insert(op)
        return op


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
