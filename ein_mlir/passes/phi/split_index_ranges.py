"""``split-index-ranges``: comprehensions are split where conditions on their indices change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, IntegerType, TupleType, i1, i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import MOST, Integers, LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import Note, name_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.index_ranges import (
    ORDINARY,
    Comparison,
    IndexRange,
    IndexRanges,
    distinct,
)
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.phi.varying_sizes import is_invariant_size
from ein_mlir.analysis.scopes import innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import PhiLevel, is_nonnegative
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension, copied, linear_value
from ein_mlir.rewriting.phi.insertion import Builder, Inserter, OperationT
from ein_mlir.rewriting.phi.ranges import check_size

MOST_CUTS = 4
"""The maximal number of cuts of the range of an index; with more thresholds it is left whole."""

MOST_OPERATIONS = 2000
"""The maximal number of operations of all parts of a comprehension together."""


# Where to cut ---------------------------------------------------------------------------------


class _Cuts:
    """The parts into which each index of a comprehension is cut."""

    def __init__(self, array: phi.ArrayOp, ranges: IndexRanges, *, static: bool):
        self._ranges = ranges
        body = list(islice(array.body.walk(), MOST_OPERATIONS))
        self.operations = len(body)
        self.thresholds: dict[BlockArgument, list[LinearForm]] = {}
        middle = list[Comparison]()
        for value in _chosen_by(body):
            comparison = ranges.comparison(value)
            if comparison is None:
                continue
            if static and not all(map(is_invariant_size, comparison.threshold.coefficients)):
                continue
            if _cuts_ends(comparison, ranges):
                known = self.thresholds.setdefault(comparison.index, [])
                known.extend(comparison.thresholds())
            else:
                middle.append(comparison)
        self.thresholds = {index: distinct(t, ranges) for index, t in self.thresholds.items()}
        for comparison in middle:
            self._add_beside(comparison)
        self.parts = [self._parts(index) for index in array.indices]

    def count(self, axis: int = 0) -> int:
        """The number of copies of the body: small parts are not cut along further axes."""
        if axis == len(self.parts):
            return 1
        return sum(1 if self._ranges.is_thin(p) else self.count(axis + 1) for p in self.parts[axis])

    def _add_beside(self, comparison: Comparison) -> None:
        """Cut off the single inner element that a comparison selects, next to another cut.

        The successor of an Int that is neither a size nor a counter may overflow.
        """
        known = self.thresholds.get(comparison.index, [])
        if len(known) < MOST_CUTS and self._ranges.is_bounded(comparison.threshold):
            both = distinct([*known, *comparison.thresholds()], self._ranges)
            if len(both) == len(known) + 1:
                self.thresholds[comparison.index] = both

    def _parts(self, index: BlockArgument) -> list[IndexRange]:
        """The parts of an index in order; provably small parts are not cut further."""
        ranges, whole = self._ranges, self._ranges.whole(index)
        found = self.thresholds.get(index, ())
        cuts = [t for t in found if not ranges.is_from(whole, t) and not ranges.is_below(whole, t)]
        if len(cuts) > MOST_CUTS:
            return [whole]
        parts = [whole]
        for at in sorted(cuts, key=lambda t: (len(t.coefficients), t.constant)):
            parts = [
                piece
                for part in parts
                for piece in (
                    (part,)
                    if ranges.is_thin(part) or ranges.is_from(part, at) or ranges.is_below(part, at)
                    else ranges.cut(part, at)
                )
            ]
        return parts


def _chosen_by(body: Sequence[Operation]) -> Iterator[SSAValue]:
    """The Bools that conditions of selections of scalars combine.

    They are combined by and, or, exclusive or and selection. A condition of a read Bool,
    ``c & x[i]``, is that of the selection ``select(c, x[i], false)``.
    """
    selections = [op for op in body if isinstance(op, arith.SelectOp)]
    pending = [op.cond for op in selections if phi.is_scalar_type(op.result.type)]
    pending.extend(
        side
        for op in body
        if isinstance(op, arith.AndIOp | arith.OrIOp)
        for side, other in ((op.lhs, op.rhs), (op.rhs, op.lhs))
        if side.type == i1 and isinstance(other.owner, phi.GetOp)
    )
    pending.reverse()
    seen = set[SSAValue]()
    while pending:
        value = pending.pop()
        if isinstance(value.owner, _LOGICAL):
            pending.extend(operand for operand in value.owner.operands if operand not in seen)
            seen.update(value.owner.operands)
        else:
            yield value


def _cuts_ends(comparison: Comparison, ranges: IndexRanges) -> bool:
    """Whether a cut at this comparison is profitable on its own.

    An equation of an index and an Int is so only at an end: elsewhere its part is one inner
    element.
    """
    if comparison.predicate in ("<", ">="):
        return True
    pieces = ranges.cut(ranges.whole(comparison.index), comparison.thresholds()[1])
    return any(map(ranges.is_thin, pieces))


_LOGICAL = (arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.SelectOp)


# Selections that clipping implements ----------------------------------------------------------


def _merge_clipped_choice(op: arith.SelectOp, ranges: IndexRanges) -> None:
    """``select (i > 0), a[i - 1], a[i]  -->  a[i - 1]``: the position clips to that of the other.

    The same applies to any comparison, such as ``i == 0``, and either side, if both read the same
    end where the first is not taken.
    """
    comparison = ranges.comparison(op.cond)
    if comparison is None:
        return
    index = comparison.index
    for kept, other, elsewhere in (
        (op.lhs, op.rhs, _where(comparison, False, ranges)),
        (op.rhs, op.lhs, _where(comparison, True, ranges)),
    ):
        if elsewhere and _agree(kept.owner, other.owner, elsewhere, index, ranges):
            Rewriter.replace_op(op, (), (kept,))
            return


def _where(comparison: Comparison, truth: bool, ranges: IndexRanges) -> IndexRange | None:
    """The range of the indices for which a comparison is true, or false; None if there are two."""
    below, above = ranges.cut(ranges.whole(comparison.index), comparison.threshold)
    if comparison.predicate in ("<", ">="):
        return below if truth == (comparison.predicate == "<") else above
    if truth != (comparison.predicate == "=="):
        return None
    equal, _ = ranges.cut(above, comparison.thresholds()[1])
    return equal


def _agree(
    kept: Operation | Block,
    other: Operation | Block,
    range_: IndexRange,
    index: BlockArgument,
    ranges: IndexRanges,
) -> bool:
    """Whether two reads of one array are equal for all indices of a range."""
    if not isinstance(kept, phi.GetOp) or not isinstance(other, phi.GetOp):
        return False
    if kept.array is not other.array or len(kept.positions) != len(other.positions):
        return False
    for number, positions in enumerate(zip(kept.positions, other.positions, strict=True)):
        if positions[0] is positions[1]:
            continue
        for get in (kept, other):
            found = ranges.position(get, number)
            if found is None or found[0].index is not index:
                return False
        first, second = (ranges.clipped(get, number, range_) for get in (kept, other))
        if first is None or second is None or not ranges.same(first, second):
            return False
    return True


# Parts ----------------------------------------------------------------------------------------


class _Others:
    """A copy of a comprehension for Ints at the ends of the range, where sums with them may wrap.

    ``array (i < n) { e }`` becomes ``array (i < m) { e }``, which is cut, and the copy
    ``array (i < n - m) { e }``, where m is n if all of some Ints are ordinary, else 0.
    """

    def __init__(self, array: phi.ArrayOp, wide: Iterable[SSAValue]):
        build, self.size = Builder.before(array), array.sizes[0]
        zero = build.integer(0)
        most = build.integer(MOST)
        for atom in wide:
            for predicate, bound in (("sge", ORDINARY.low), ("sle", ORDINARY.high)):
                is_ordinary = build.compare(atom, predicate, bound)
                most = build.select(is_ordinary, most, zero)
        own = build.min(self.size, most)
        rest = build.sub(self.size, own)
        self._copy = copy_of(array)
        self._copy.operands[0] = build.max(rest, zero)
        array.operands[0] = own

    def insert(self, build: Builder) -> SSAValue:
        """Add the copy."""
        return build.emit(self._copy)


class _Splitter:
    """Builds the parts of one comprehension."""

    def __init__(self, array: phi.ArrayOp, ranges: IndexRanges, parts: Sequence[list[IndexRange]]):
        self._array = array
        self._ranges = ranges
        self._parts = parts
        self._columns = isa(array.result.type, TupleType)
        self._outside = Builder.before(array)
        self._shared = _Shared(array)

    def split(self, others: _Others | None) -> SSAValue:
        """The concatenation of the parts of the array, and the array for other Ints."""
        joined = self._all({}, {}, 0, self._outside)
        if others is None:
            return joined
        return self._concat(joined, others.insert(self._outside), others.size, self._outside)

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
            joined = self._concat(joined, part, size, builder)
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
            _Specializer(self._array, self._ranges, ranges, values, self._value_of).block(
                self._array.body.block, block
            )
        else:
            inside.yield_(self._all(ranges, values, inner, inside))
        terminator = block.last_op
        assert isinstance(terminator, phi.YieldOp)
        type_ = phi.vec_of(terminator.value.type, len(axes))
        part = phi.ArrayOp(
            [self._size_of(axis, ranges[axis]) for axis in axes],
            Region(block),
            phi.struct_of_arrays(type_) if self._columns else type_,
        )
        erase_unused(block)
        part.location = self._array.location
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

    # Joining

    def _concat(
        self, lhs: SSAValue, rhs: SSAValue, size: SSAValue | None, builder: Builder
    ) -> SSAValue:
        """The concatenation of two parts; those of a record of arrays field by field."""
        if not isa(lhs.type, TupleType):
            joined = builder.insert(phi.ConcatOp(lhs, rhs, size))
        else:
            fields = list[SSAValue]()
            for k in range(len(lhs.type.types)):
                left, right = (builder.proj(side, k) for side in (lhs, rhs))
                fields.append(self._concat(left, right, size, builder))
            joined = builder.insert(phi.TupleOp(fields))
        joined.location = self._array.location
        return joined.result

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
        return linear_value(self._shared, form)


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


class _Specializer:
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
            case arith.IndexCastOp() if self._is_shifted(op.input):
                self._cast(op, builder)
            case phi.GetOp():
                self._get(op, builder)
            case _:
                self._copy(op, builder)

    def _copy(self, op: Operation, builder: Builder) -> None:
        new = op.clone_without_regions(self._values)
        for old_region, new_region in zip(op.regions, new.regions, strict=True):
            for block in old_region.blocks:
                inner = Block(arg_types=block.arg_types)
                for old, argument in zip(block.args, inner.args, strict=True):
                    argument.name_hint = old.name_hint
                    self._values[old] = argument
                new_region.add_block(inner)
                self.block(block, inner)
        builder.insert(new)

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

    def _is_shifted(self, index: SSAValue) -> bool:
        return index in self._values and self._values[index].type == i64

    def _cast(self, op: arith.IndexCastOp, builder: Builder) -> None:
        """Copy a cast of an index to an Int; the index may already be an Int."""
        value = self._values[op.input]
        if isa(type_ := op.result.type, IntegerType) and type_ != i64:
            value = builder.emit(arith.TruncIOp(value, type_))
        self._values[op.result] = value

    def _get(self, op: phi.GetOp, builder: Builder) -> None:
        """Copy an indexing; a position that always clips to one element is replaced by that."""
        new = op.clone_without_regions(self._values)
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


# The pass -------------------------------------------------------------------------------------


def split_array(
    array: phi.ArrayOp,
    forms: IndexForms,
    free: FreeIndices,
    sizes: SizeEquivalence,
    note: Note,
    *,
    static: bool,
) -> SSAValue | None:
    """Cut a comprehension into parts if that decides something; the joined parts, or None.

    Sums with any Int may wrap: parts are for Ints far from the ends of the range, unless cuts must
    be ``static``.
    """
    ranges = IndexRanges(array, forms, free, sums=not static)
    for op in list(array.body.walk()):
        if isinstance(op, arith.SelectOp):
            _merge_clipped_choice(op, ranges)
    wide = _wide_ints(array, ranges) if not static else []
    forms = forms.assuming(dict.fromkeys(wide, ORDINARY))
    ranges = IndexRanges(array, forms, free, sums=not static)
    if not _is_worth_cutting(_Cuts(array, ranges, static=static)):
        return None
    for axis in range(len(array.sizes)):
        check_size(array, axis, sizes)
    others = _Others(array, wide) if wide else None
    ranges = IndexRanges(array, forms, free, sums=not static)
    cuts = _Cuts(array, ranges, static=static)
    for index, parts in zip(array.indices, cuts.parts, strict=True):
        if len(parts) > 1:
            note(array, f"{name_of(index)} is cut into {len(parts)} ranges, each a case of its own")
    return _Splitter(array, ranges, cuts.parts).split(others)


def _wide_ints(array: phi.ArrayOp, ranges: IndexRanges) -> list[SSAValue]:
    """The Ints in conditions that could decide parts if sums with these Ints were no-wrap."""
    body = list(islice(array.body.walk(), MOST_OPERATIONS))
    found = (atom for value in _chosen_by(body) for atom in ranges.wide_ints(value))
    return list(dict.fromkeys(found))


def _is_worth_cutting(cuts: _Cuts) -> bool:
    is_cut = any(len(parts) > 1 for parts in cuts.parts)
    return is_cut and cuts.operations * cuts.count() <= MOST_OPERATIONS


def _may_split(array: phi.ArrayOp) -> bool:
    """Whether an array may be split into parts: not if it is only reduced."""
    is_reduced = any(isinstance(use.operation, phi.ReduceOp) for use in array.result.uses)
    return not is_reduced and not any(isinstance(op, phi.ExternOp) for op in array.body.walk())


def _written_elements(array: phi.ArrayOp, free: FreeIndices) -> phi.ArrayOp | None:
    """``array (i) { a[i][p] := x }  -->  c = array (i) { x }; array (i) { a[i][p] := c[i] }``

    The new comprehension, if the rows of another array are updated, all at the same positions. Cut
    into parts, it has the elements that are written, and the rows would all be copied.
    """
    update = array.yielded().owner
    if not isinstance(update, phi.UpdateOp) or update.parent is not array.body.block:
        return None
    row = update.array.owner
    is_row = isinstance(row, phi.GetOp) and list(map(phi.uncast, row.positions)) == [*array.indices]
    if not is_row or any(
        is_within(p, array) or not free.of(p).isdisjoint(array.indices) for p in update.positions
    ):
        return None
    build, block = Builder.before(array), array.body.block

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        return copied(inner, block, [update.value], dict(zip(array.indices, own, strict=True)))[0]

    columns = comprehension(build, array.sizes, element, array.indices).owner
    assert isinstance(columns, phi.ArrayOp)
    columns.location = array.location
    read = phi.GetOp(columns.result, array.indices)
    Builder.before(update).insert(read)
    update.operands[len(update.operands) - 1] = read.result
    erase_unused(block)
    free.add(columns, read)
    return columns


@dataclass(frozen=True)
class SplitIndexRangesPass(FunctionPass):
    """Splits comprehensions where conditions on an index change.

    Before::

        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          %k = arith.index_cast %i : index to i64
          %c = arith.cmpi sgt, %k, %zero : i64
          %p = arith.subi %k, %one : i64
          %x = phi.get %a[%p] : !phi.vec<f64>[i64]
          %y = phi.get %a[%i] : !phi.vec<f64>[index]
          %d = arith.subf %y, %x : f64
          %r = arith.select %c, %d, %y : f64
          phi.yield %r : f64
        }

    After, without selection, and with positions that are provably in bounds::

        %0 = arith.minsi %n, %one : i64
        %1 = phi.array (%i < %0) -> !phi.vec<f64> {
          %y = phi.get %a[%i] : !phi.vec<f64>[index]
          phi.yield %y : f64
        }
        %2 = arith.subi %n, %one : i64
        %3 = arith.maxsi %2, %zero : i64
        %4 = phi.array (%i < %3) -> !phi.vec<f64> {
          %5 = arith.index_cast %i : index to i64
          %6 = arith.addi %5, %one : i64
          %p = arith.subi %6, %one : i64
          %x = phi.get %a[%p] : !phi.vec<f64>[i64]
          %y = phi.get %a[%6] : !phi.vec<f64>[i64]
          %d = arith.subf %y, %x : f64
          phi.yield %d : f64
        }
        %b = phi.concat %1, %4 of %n : !phi.vec<f64>

    A selection that clipping implements anyway, such as ``i > 0 ? a[i - 1] : a[i]``, is left to it
    and causes no cut: shifted copies can share one padded array. An equation of an index and an Int
    causes a cut only next to a bound: ``i == k`` next to ``i > k``. Bounds may be any Ints that
    vary with no index, in any order and out of range. If sums of an index and an argument may wrap,
    as in ``i - s > 0``, the parts are for Ints far from the ends of the range: their size is 0 for
    others, for which a copy of the comprehension follows. Axes are cut in sequence, and small parts
    along one axis are not cut along the next: a body is copied once for each face of the domain and
    once for its interior, not for edges and corners. The parts of a comprehension have at most
    ``MOST_OPERATIONS`` operations together.
    """

    name = "split-index-ranges"
    looks_for = (phi.ArrayOp,)

    static: bool = False
    """Cut only where shapes decide: by constants, and by sizes that no step of a loop computes."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        sizes, free = analyses.get(equal_sizes, function), analyses.get(free_indices, function)
        forms = analyses.get(index_forms, function)
        for array in innermost_first(function, phi.ArrayOp):
            if not _may_split(array):
                continue
            array = _written_elements(array, free) or array
            joined = split_array(array, forms, free, sizes, analyses.note, static=self.static)
            if joined is not None:
                sizes.inherit(joined, array.result)
                Rewriter.replace_op(array, (), (joined,))
